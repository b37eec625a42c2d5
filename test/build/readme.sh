#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/readme.sh - the C example of README.md compiles and runs
#
# usage: sh test/build/readme.sh CC [FILE.md]
#
# The file has exactly one block marked as C; it is a whole program.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler}
readme=${2:-$top/README.md}

[ -f "$readme" ] || die "$readme is not there"
check 'exactly one C block' test "$(grep -c '^```c$' "$readme")" -eq 1
awk '/^```/ { inside = $0 == "```c"; next } inside' "$readme" >"$tmp/example.c"
check 'it has a main' grep -q '\<main(' "$tmp/example.c"
# $warnings is a list: to be split.
# shellcheck disable=SC2086
check 'it compiles' "$cc" -std=c11 -O2 $warnings -I"$top/include" \
	"$tmp/example.c" -o "$tmp/example" -pthread
check 'it runs' timeout 20 "$tmp/example"
finish
