# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# test/build/common.sh - sourced by the build tests: scratch space, counting
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"

case ${1-} in
-h | --help)
	usage
	exit
	;;
esac

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
checks=0
failures=0

# Read by the tests that compile.
# shellcheck disable=SC2034
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'

# check TEXT COMMAND...: counts; a command that fails is reported with its
# output.
check()
{
	what=$1
	shift
	checks=$((checks + 1))
	"$@" >"$tmp/out" 2>&1 && return 0
	failures=$((failures + 1))
	printf 'FAIL: %s\n' "$what"
	printf '  %s\n' "$*"
	sed 's/^/  | /' "$tmp/out"
}

# refuse TEXT PATTERN COMMAND...: the command has to fail, and its output has
# to match PATTERN: a failure for another reason is none that we asked for.
refuse()
{
	what=$1
	pattern=$2
	shift 2
	checks=$((checks + 1))
	if "$@" >"$tmp/out" 2>&1; then
		why='accepted'
	elif grep -q -e "$pattern" "$tmp/out"; then
		return 0
	else
		why="refused without saying $pattern"
	fi
	failures=$((failures + 1))
	printf 'FAIL: %s: %s\n' "$what" "$why"
	sed 's/^/  | /' "$tmp/out"
}

# Last line of a test: a test that checked nothing has failed.
finish()
{
	echo "$checks checks, $failures failed"
	[ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}
