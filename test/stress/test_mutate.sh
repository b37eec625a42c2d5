#!/bin/sh
# SPDX-License-Identifier: MIT
# test_mutate.sh - mutate.sh edits what is there once, and refuses all else
#
#	test_mutate.sh DIRECTORY	works in this directory, which it makes
set -eu

mutate=$(dirname "$0")/mutate.sh
dir=$1
rm -rf "$dir"
mkdir -p "$dir/from/tkt"
printf '\tone;\n\ttwo;\n\tthree;\n\ttwo;\n' >"$dir/from/tkt/a.h"

# table NAME TEXT...: a table with one mutant that replaces TEXT by `new;'
table()
{
	name=$1
	shift
	printf 'mutant %s\nedit a.h\n' "$name"
	printf -- '-%s\n' "$@"
	printf '+\tnew;\n'
}

# apply NAME [TABLE]: edits into the directory `to'
apply()
{
	"$mutate" apply "${2:-$dir/table}" "$1" "$dir/from" "$dir/to" \
		2>"$dir/errors"
}

fail()
{
	echo "test_mutate.sh: $1" >&2
	exit 1
}

table once 'one;' 'two;' >"$dir/table"
apply once || fail "does not replace what occurs once"
printf '\tnew;\n\tthree;\n\ttwo;\n' | cmp -s - "$dir/to/tkt/a.h" ||
	fail "replaced something else"

table twice 'two;' >"$dir/table"
! apply twice || fail "replaces what occurs twice"
table never 'four;' >"$dir/table"
! apply never || fail "accepts a text that does not occur"
table part 'thre' >"$dir/table"
! apply part || fail "accepts a part of a line"
! apply unknown || fail "accepts an unknown name"
printf 'mutant empty\nedit a.h\n+\tnew;\n' >"$dir/table"
! apply empty || fail "accepts an edit that replaces nothing"
