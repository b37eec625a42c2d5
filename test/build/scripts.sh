#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/scripts.sh - shellcheck finds nothing in any script
#
# usage: sh test/build/scripts.sh

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"

# What is unquoted in the file is the mistake.
printf '#!/bin/sh\nrm %s\n' "\$1" >"$tmp/bad.sh"
refuse 'an unquoted variable' SC2086 shellcheck "$tmp/bad.sh"

cd "$top"
find .ci perf-scripts src test -name '*.sh' -o -path .ci/run |
	sort >"$tmp/files"
check 'there are scripts' test -s "$tmp/files"
while read -r file; do
	check "$file" shellcheck -x "$file"
done <"$tmp/files"
check '.ci/run can be executed' test -x .ci/run
finish
