#!/bin/sh
# SPDX-License-Identifier: MIT
# valgrind.sh - does a tool of Valgrind report errors, as expected?
#
#	valgrind.sh TOOL clean|errors PROGRAM [ARGUMENT...]
#
# Ends with 77, "skipped", where Valgrind is missing, unless STRESS_NO_SKIP is
# set, as test/run.sh does: then that is a failure.
set -u

tool=$1 expected=$2
shift 2
if ! command -v valgrind >/dev/null; then
	echo "skipped: valgrind is not installed"
	[ -z "${STRESS_NO_SKIP-}" ] || exit 1
	exit 77
fi
# Valgrind runs one thread at a time; fairly, or a spinning one starves the
# one it waits for.
timeout 120 valgrind -q --tool="$tool" --fair-sched=yes --error-exitcode=9 "$@"
status=$?
case $expected:$status in
clean:0 | errors:9) exit 0 ;;
esac
echo "$tool: exit status $status, but expected: $expected"
exit 1
