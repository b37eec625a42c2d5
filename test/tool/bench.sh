#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/bench.sh - every bench runs, and says what it should
#
# usage: sh test/tool/bench.sh TKT-BENCH TKT-MUSTHOLD TKT-ANATOMY
#
# Nothing here depends on how fast anything is.
set -u

bench=$1 musthold=$2 anatomy=$3
# shellcheck source=test/tool/tool.sh
. "$(dirname "$0")/tool.sh"

# Each suite, two locks, two rounds; its JSON, read by somebody else's parser.
status_is 0 120 --locks tkt,pthread-mutex --seconds 0.02 --waits \
	--summary pthread-mutex --benchmark_repetitions=2 \
	--benchmark_out="$tmp/out.json" --benchmark_out_format=json
says '^  tkt ' "$tmp/stdout"
python3 - "$tmp/out.json" >"$tmp/stdout" 2>"$tmp/stderr" <<'END' ||
import json
import sys

runs = json.load(open(sys.argv[1]))["benchmarks"]
medians = [r for r in runs if r.get("aggregate_name") == "median"]
names = [r["run_name"].split("/") for r in medians]
suites = {n[0] for n in names}
want = {"alone", "contended", "oversubscribed", "many", "idle", "kernel"}
assert suites == want, suites
locks = {n[-3] for n in names}
assert locks == {"tkt", "pthread-mutex"}, locks
failed = [r["name"] for r in runs if r.get("error_occurred")]
# On a busy machine 20 ms may be too short for some: not for a whole suite.
assert len(failed) < len(runs) / 2, failed
for r in medians:
    assert r["ops/s"] > 0 and 0 < r["jain"] <= 1.000001, r
    assert r["run_name"].startswith(("idle", "alone", "kernel")) \
        or r["wait_max_ns"] >= r["wait_p50_ns"] >= 0, r
END
	complain "the JSON of --benchmark_out is not as it should be"

# bad PATTERN PROGRAM ARGUMENT...: refused, in one line.
bad()
{
	pattern=$1 tkt=$2
	shift 2
	status_is 2 10 "$@"
	[ "$(wc -l <"$tmp/stderr")" -eq 1 ] || complain "not one line: $*"
	says "$pattern" "$tmp/stderr"
}

bad "lock 'nosuch': allowed are tkt, " "$bench" --locks tkt,nosuch
bad "lock '': allowed are tkt, " "$bench" --locks tkt,
bad "seconds '0': allowed is" "$bench" --seconds 0
bad "seconds '1x': allowed is" "$bench" --seconds 1x
bad "unrecognized option '--nosuch'" "$bench" --nosuch
bad "unknown argument 'nosuch'" "$bench" nosuch
bad "summary 'ticket': allowed is" "$bench" --locks tkt --summary ticket
bad "rounds '0': allowed is" "$musthold" 0
bad "seconds 'x': allowed is" "$musthold" 1 x
bad "repeats '-1': allowed is" "$anatomy" -1

# The promises, each with what is asked and what was seen; held or not.
tkt=$musthold
status_is 0 120 1 0.01
says '^2 threads, tkt .*>= 0.95 x best fair peer' "$tmp/stdout"
says '^64 threads, tkt .*>= 1.15 x best mutex' "$tmp/stdout"
says '^16 idle waiters' "$tmp/stdout"
tkt=$anatomy
status_is 0 60 1
says '^pthread-spin ' "$tmp/stdout"

[ "$failures" -eq 0 ]
