#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/format.sh - C and C++ files are as clang-format leaves them
#
# usage: sh test/build/format.sh
#
# Prints the difference for those that are not.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"

formatted()
{
	clang-format --style="file:$top/.clang-format" "$1" >"$tmp/formatted"
	diff -u --label "$1" --label "$1 formatted" "$1" "$tmp/formatted"
}

printf 'int  f( void ) {return 0;}\n' >"$tmp/bad.c"
refuse 'a badly formatted file' '^+int f(void)' formatted "$tmp/bad.c"

cd "$top"
find include src test -name '*.[ch]' -o -name '*.cc' | sort >"$tmp/files"
check 'there are files' test -s "$tmp/files"
while read -r file; do
	check "$file" formatted "$file"
done <"$tmp/files"
finish
