#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/cli.sh - the command line: statuses, messages, formats
#
# usage: sh test/tool/cli.sh TKT
set -u

# shellcheck source=test/tool/tool.sh
. "$(dirname "$0")/tool.sh"
mkdir "$tmp/refused"

# run STATUS ARGUMENT...: as status_is, in a minute.
run()
{
	want=$1
	shift
	status_is "$want" 60 "$@"
}

# bad PATTERN ARGUMENT...: refused, in one line that names what and says what
# is allowed; nothing written.  Twice: with --out a file, none may appear.
bad()
{
	pattern=$1
	shift
	run 2 "$@"
	[ "$(wc -l <"$tmp/stderr")" -eq 1 ] || complain "tkt $*: not one line"
	says "^tkt: .*$pattern" "$tmp/stderr"
	[ ! -s "$tmp/stdout" ] || complain "tkt $*: wrote to stdout"
	[ "${1-}" = run ] || return 0
	run 2 "$@" --out "$tmp/refused/out"
	[ -z "$(ls "$tmp/refused")" ] || complain "tkt $*: wrote a file"
}

# --- commands and help
bad "no command; allowed: list, run"
bad "unknown command 'sim'; allowed: list, run" sim
bad "unknown command 'sweep'" sweep
bad "unknown command 'report'" report
bad "unknown list 'machines'; allowed: locks" list machines
bad "'more'" list locks more
bad "where a kernel or workfile is due" run
bad "'--lock' where a kernel" run --lock ticket counter
for help in --help 'list --help' 'run --help' 'run counter --help' \
	'run dentry --help' 'run short --help' --version; do
	# shellcheck disable=SC2086 # two words
	run 0 $help
	[ -s "$tmp/stdout" ] || complain "tkt $help: prints nothing"
	[ ! -s "$tmp/stderr" ] || complain "tkt $help: prints errors"
done
run 0 run dentry --help
says '--rename-permille N.*0 to 1000 permille (1)' "$tmp/stdout"
run 0 --version
says '^tkt [0-9]*\.[0-9]*\.[0-9]*$' "$tmp/stdout"

# --- lists
run 0 list locks
says '^ticket ' "$tmp/stdout"
says '^busted .*not in --lock all' "$tmp/stdout"
run 0 list kernels
says '^dentry ' "$tmp/stdout"
run 0 list tests
says '^dgram_pipe .* notify x2$' "$tmp/stdout"
says '^sieve .* none; arithmetic' "$tmp/stdout"
says '^notify .* d_lock' "$tmp/stdout"
run 0 list
says '^kernels:$' "$tmp/stdout"

# --- names
bad "kernel or workfile 'nosuch'; allowed: counter, dentry" run nosuch
bad "unknown kernel or workfile ''" run ''
bad "lock 'nosuch'; allowed: all, " run counter --lock ticket,nosuch
bad "lock ''" run counter --lock ''
bad "lock ''" run counter --lock ticket,
bad "'ticket' is in the list twice" run counter --lock ticket,ticket
bad "option '--nosuch'" run counter --nosuch
bad "option '--passes'" run counter --passes 1
bad "option '-x'" run counter -x
bad "option '--lock' needs a value" run counter --lock
bad "option '--pin=1' has a value" run counter --pin=1
bad "'extra' is not an option" run counter extra
bad "wait: unknown 'park'; allowed: spin, yield" run counter --wait park
bad "layout: unknown 'x'; allowed: together, split" run counter --layout x
bad "format: unknown 'xml'; allowed: table, csv, json" run counter --format xml
bad "variant: 'x', but counter has no variants" run counter --variant x
bad "users: not for kernel counter" run counter --users 1
bad "threads: not for workfile short" run short --threads 1
bad "cs: not for kernel short" run short --cs 1

# --- numbers, each with the range
for value in '' 0 -1 1025 99999999999999999999999 1x 'x' ' 1' 1,,2 '1,' ',1' \
	1.5 0x1 inf; do
	bad "threads: '.*' is not a whole number from 1 to 1024" \
		run counter --threads "$value"
done
for value in '' 0 4097 -4 four; do
	bad "users: '.*' is not a whole number from 1 to 4096" \
		run short --users "$value"
done
for value in '' 0 0.001 3601 -1 1e9 nan inf 1s 99999999999999999999; do
	bad "seconds: '.*' is not a number from 0.01 to 3600" \
		run counter --seconds "$value"
done
for value in '' 0 1001 -1 99999999999999999999; do
	bad "repeat: '.*from 1 to 1000" run counter --repeat "$value"
done
for value in '' 0 65536 -1 infinite 1,,2; do
	bad "threshold: '.*from 1 to 65535 or inf" \
		run counter --threshold "$value"
done
for value in '' -1 1000000001 1us; do
	bad "cs: '.*from 0 to 1000000000" run counter --cs "$value"
	bad "think: '.*from 0 to 1000000000" run counter --think "$value"
done
bad "lines: '9' .*from 0 to 8" run counter --lines 9
bad "rename-permille: '1001' .*from 0 to 1000" run dentry --rename-permille 1001
bad "seed: '-1'" run counter --seed -1
bad "'1' is in the list twice" run counter --threads 1,2,1
bad "more than 64" run counter --threads "$(seq -s, 1 65)"
bad "is not a whole number" run counter --threads "1
2"

# --- workfiles
bad "cannot read workfile '$tmp/none'" run "$tmp/none"
bad "cannot read workfile '$tmp': Is a directory" run "$tmp"
: >"$tmp/w"
bad "$tmp/w: empty" run "$tmp/w"
echo '# nothing' >"$tmp/w"
bad "$tmp/w: no tests" run "$tmp/w"
printf '20 disk_rd\n20 disk_xx\n' >"$tmp/w"
bad "$tmp/w:2: unknown test 'disk_xx'" run "$tmp/w"
printf '20 disk_rd\n20 disk' >"$tmp/w"
bad "$tmp/w:2: the file ends within a line" run "$tmp/w"
printf '20 disk_rd\n\000\001\002\n' >"$tmp/w"
bad "$tmp/w:2: a NUL byte" run "$tmp/w"
cat "$tkt" >"$tmp/w"
bad "$tmp/w" run "$tmp/w"
{ echo '20 disk_rd'; yes '#'; } | head -c 1048577 >"$tmp/w"
bad "$tmp/w: too large; allowed: 1048576" run "$tmp/w"
printf '20 %0300d\n' 1 >"$tmp/w"
bad "$tmp/w:1: line of 303 bytes; allowed: at most 255" run "$tmp/w"
bad "kernel or workfile" run "$(printf '%0300d' 1)"
printf '30 disk_rd\n10 creat_clo\n' >"$tmp/workfile.mine"
run 0 run "$tmp/workfile.mine" --users 1,2 --lock ticket --passes 1 \
	--seconds 50 --format csv
says '^native,mine,mutex,ticket,,2,2,,,,,together,1,1,.*,200,' "$tmp/stdout"
(cd "$tmp" && timeout 60 "$tkt" run workfile.mine --users 1 --lock ticket \
	--passes 1 --seconds 50 --format csv >"$tmp/stdout" 2>"$tmp/stderr") || complain "bare file name"
says '^native,mine,' "$tmp/stdout"

# --- output that cannot be written
short='--lock ticket --threads 1 --seconds 0.01'
# shellcheck disable=SC2086 # several words, here and below
{
	run 2 run counter $short --out "$tmp"
	says "cannot write '$tmp': Is a directory" "$tmp/stderr"
	run 2 run counter $short --out "$tmp/none/out"
	says "cannot write '$tmp/none/out'" "$tmp/stderr"
	run 2 run counter $short --out ''
	says "out: ''" "$tmp/stderr"
	for format in table csv json; do
		run 2 run counter $short --format $format --out /dev/full
		says "cannot write '/dev/full': No space" "$tmp/stderr"
		[ -c /dev/full ] || complain "/dev/full is gone"
	done
	for command in list 'list --help' --help --version 'run --help' \
		"run counter $short" "run counter $short --format csv"; do
		timeout 60 "$tkt" $command >/dev/full 2>"$tmp/stderr"
		[ $? -eq 2 ] || complain "tkt $command >/dev/full: not 2"
		says "cannot write 'standard output'" "$tmp/stderr"
	done
}

# --- formats
header=mode,kernel,variant,lock,machine,threads,users,threshold,wait,cs_ns
header=$header,think_ns,layout,seed,repeat,seconds,ops,ops_per_s,jobs_per_min
header=$header,bytes_per_s,jain,wait_p50_ns,wait_p99_ns,wait_max_ns,user_s
header=$header,system_s,softirq_s,ctx_switches,queued,parked,probe_ns
run 0 run counter --lock ticket --threads 1,2 --seconds 0.3 --repeat 2 \
	--cs 50 --think 70 --layout split --seed 9 --format csv \
	--out "$tmp/dir/rows.csv"
[ "$(ls "$tmp/dir")" = rows.csv ] || complain "left $(ls "$tmp/dir")"
[ ! -s "$tmp/stdout" ] || complain "--out, and something on stdout"
[ "$(head -n 1 "$tmp/dir/rows.csv")" = "$header" ] || complain "csv header"
run 0 run counter --lock tas --threads 1 --seconds 0.01 --format csv \
	--out "$tmp/table.csv" --table
says '^tas  *1  *[0-9]' "$tmp/stdout"
says '^native,counter,,tas,' "$tmp/table.csv"
run 2 run counter --table
says '^tkt: --table: without --out; allowed' "$tmp/stderr"
timeout 60 "$tkt" run counter --lock tas --threads 1 --seconds 0.01 --table \
	--out "$tmp/table.csv" >/dev/full 2>"$tmp/stderr"
[ $? -eq 2 ] || complain "--table >/dev/full: not 2"
# Repeats outside, points inside.
sed 1d "$tmp/dir/rows.csv" | cut -d, -f 1-14 >"$tmp/got"
for repeat in 1 2; do
	for threads in 1 2; do
		echo "native,counter,,ticket,,$threads,,,,50,70,split,9,$repeat"
	done
done >"$tmp/want"
cmp -s "$tmp/got" "$tmp/want" || complain "csv rows: $(cat "$tmp/got")"
sed 1d "$tmp/dir/rows.csv" | awk -F, 'NF != 30 || $15 <= 0 || $16 <= 0 ||
	$18 "" != "" || $21 "" != "" { exit 1 }' || complain "csv figures"
run 0 run dentry --lock ticket --threads 1 --seconds 0.3 --instrument \
	--format csv
sed 1d "$tmp/stdout" | awk -F, '!($21 > 0 && $23 >= $22 && $22 >= $21) {
	exit 1 }' || complain "waits of an instrumented run"
# Held for longer than waiters spin, the mutex has waits in queue and asleep.
run 0 run counter --lock tkt-mutex,ticket --threads 4 --seconds 0.3 \
	--cs 200000 --instrument --format csv
sed 1d "$tmp/stdout" | awk -F, '
	$4 == "tkt-mutex" && !($28 > 0 && $29 > 0) { exit 1 }
	$4 == "ticket" && $28 $29 "" != "" { exit 1 }' || complain "queued and parked"
run 0 run short --lock ticket --users 1,2 --seconds 0.5 \
	--format json
if command -v python3 >/dev/null; then
	python3 - "$tmp/stdout" "$header" <<'END' || complain "json"
import json, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 2
for row in rows:
    assert list(row) == sys.argv[2].split(",")
    assert row["kernel"] == "short" and row["users"] == row["threads"]
    assert row["jobs_per_min"] > 0 and row["bytes_per_s"] is None
    assert abs(row["jobs_per_min"] - row["ops"] / row["seconds"] * 60) < 1
END
fi

# --- thresholds and waits: only for locks that have them
run 0 run counter --lock tkt,ticket --threads 1 --seconds 0.01 \
	--threshold 1,inf --wait spin --format csv
sed 1d "$tmp/stdout" | cut -d, -f 4,8,9 >"$tmp/got"
printf 'tkt,1,spin\nticket,,\ntkt,inf,spin\n' >"$tmp/want"
cmp -s "$tmp/got" "$tmp/want" || complain "thresholds: $(cat "$tmp/got")"
bad "lock tkt, 1 threads, threshold 3, .*threshold must be" \
	run counter --lock ticket,tkt --threads 1 --threshold 3

# --- all locks
run 0 run counter --threads 1,2 --pin --seconds 0.01
run 0 run dentry --lock all --threads 1,2 --seconds 0.02 --parents 3 \
	--rename-permille 300
says '^ticket ' "$tmp/stdout"
! grep -q busted "$tmp/stdout" || complain "--lock all runs busted"

# --- the shipped workfiles: every user's every job, and no exclusion noticed
for workfile in short custom disk five_sec; do
	run 0 run $workfile --lock tkt --users 2 --passes 1 --seconds 50 \
		--variant all --format csv
	[ "$(grep -c "^native,$workfile,.*,tkt," "$tmp/stdout")" -eq 2 ] ||
		complain "$workfile: not a row each for mutex and lock"
	for variant in mutex lock; do
		run 1 run $workfile --lock busted --users 2 --seconds 0.3 \
			--variant $variant
		says "$variant, lock busted.*check failed: [a-z-]*: " \
			"$tmp/stderr"
	done
done

# --- a kernel that takes no lock: one row a variant, its controls when named
run 0 run bioref --lock all --threads 1,2 --seconds 0.02 --variant all \
	--format csv
[ "$(sed 1d "$tmp/stdout" | cut -d, -f 4 | sort | uniq -c | tr -d ' ')" = \
	10none ] || complain "bioref: not 5 variants x 2, all with lock none"
run 0 run bioref --threads 2 --seconds 0.02 --variant atomic,atomic-cas
says 'atomic-cas .* 1.74 (40 s)' "$tmp/stdout"
bad "lock: 'ticket', but .* takes no lock; allowed: all, none" \
	run bioref --lock ticket
bad "variant: unknown 'x'; allowed: atomic, atomic-cas" run bioref --variant x
bad "variant: 'none' is in the list twice" run bioref --variant none,none
bad "nesting: '0' .*from 1 to 16" run bioref --nesting 0
for control in drop-twice lose-reference; do
	run 1 run bioref --variant $control,none --threads 2 --seconds 0.02 \
		--format csv
	says "$control, lock none, 2 .*: check failed: zero-after-kill" \
		"$tmp/stderr"
	says ',none,none,' "$tmp/stdout"
	run 0 run bioref --help
	! grep -q $control "$tmp/stdout" || complain "--help lists $control"
done

run 1 run dentry --variant lockref-forgets --threads 2 --seconds 0.05
says 'lock none, 2 .*: check failed: count-balance' "$tmp/stderr"
run 0 run dentry --variant all --lock ticket,tkt --threads 2 --seconds 0.05 \
	--format csv --rename-permille 300 --parents 3
[ "$(sed 1d "$tmp/stdout" | cut -d, -f 3,4 | tr '\n' ' ')" = \
	"lock,ticket lock,tkt lockref,none " ] || complain "dentry: variants"

# --- the broken lock is caught, by name, every time; the others still run
for kernel in counter 'counter --lines 0' 'counter --lines 1' dentry \
	'dentry --parents 4 --rename-permille 500' short custom disk five_sec; do
	points=--threads
	case $kernel in
	short | custom | disk | five_sec) points=--users ;;
	esac
	for _ in 1 2 3; do
		# shellcheck disable=SC2086 # a kernel and its options
		run 1 run $kernel --lock busted,ticket $points 2 \
			--seconds 0.05 --format csv
		says 'lock busted, 2 .*: \(check failed: [a-z-]*:\|crash: \)' \
			"$tmp/stderr"
		grep -q ',busted,' "$tmp/stdout" && complain "busted has a row"
		says ',ticket,' "$tmp/stdout"
	done
done

# --- interrupted: what is complete is written, whole
for signal in INT TERM; do
	rm -f "$tmp/dir/rows.csv"
	# A background job of sh ignores SIGINT; env gives it back.
	env --default-signal=INT "$tkt" run counter --lock ticket --threads 1 \
		--seconds 0.2 --repeat 1000 --format csv \
		--out "$tmp/dir/rows.csv" 2>"$tmp/stderr" &
	pid=$!
	sleep 1
	[ ! -e "$tmp/dir/rows.csv" ] || complain "half-written output"
	kill -s "$signal" "$pid"
	wait "$pid"
	[ $? -eq 130 ] || complain "SIG$signal: not 130"
	[ "$(ls "$tmp/dir")" = rows.csv ] || complain "left $(ls "$tmp/dir")"
	awk -F, 'NF != 30 { exit 1 }' "$tmp/dir/rows.csv" ||
		complain "half a row"
done

finish
