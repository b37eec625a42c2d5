#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/tree.sh - where files are, and how they begin
#
# usage: sh test/build/tree.sh
#
# Nothing new at top level; a licence line in each source; include/ does not
# name src/.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$top"

cat >"$tmp/allowed" <<'END'
CMakeLists.txt
LICENSE
NOTES.md
README.md
include
perf-scripts
src
test
END
find . -mindepth 1 -maxdepth 1 ! -name '.*' ! -name 'build*' |
	sed 's,^\./,,' | LC_ALL=C sort >"$tmp/found"
check 'top level' diff "$tmp/allowed" "$tmp/found"

licensed()
{
	head -n 2 "$1" | grep -q 'SPDX-License-Identifier: MIT'
}

find .ci include perf-scripts src test -name '*.[ch]' -o -name '*.cc' \
	-o -name '*.sh' -o -name '*.awk' -o -name CMakeLists.txt \
	-o -path .ci/run | sort >"$tmp/files"
check 'there are sources' test -s "$tmp/files"
while read -r file; do
	check "$file: licence" licensed "$file"
done <"$tmp/files"

refuse 'include/ names src/' '^$' sh -c \
	'grep -r -n "src/" include || { echo; exit 1; }'
finish
