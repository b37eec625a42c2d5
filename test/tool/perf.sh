#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/perf.sh - the scripts around perf: what they print, refuse and leave
#
# usage: sh test/tool/perf.sh TKT
#
# First against a stand-in for perf with stacks that are known, then, where
# there is one that may record, with perf itself.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/../build/common.sh"
tool=$(realpath "${1:?the tool}")
scripts=$top/perf-scripts
stub=$top/test/tool/perf_stub.sh
export PERF="$stub" STUB='' STUB_SCRIPT="$tmp/stacks"
perf_here=$(command -v perf) || perf_here=

# go STATUS SCRIPT ARGUMENT...: that exit status; output in $tmp/stdout and
# stderr.
go()
{
	want=$1
	name=$2
	shift 2
	checks=$((checks + 1))
	got=0
	timeout 60 sh "$scripts/$name.sh" "$@" >"$tmp/stdout" \
		2>"$tmp/stderr" </dev/null || got=$?
	[ "$got" -ne "$want" ] || return 0
	failures=$((failures + 1))
	printf 'FAIL: status %s, not %s: %s %s\n' "$got" "$want" "$name" "$*"
	sed 's/^/  | /' "$tmp/stderr"
}

# bad PATTERN SCRIPT ARGUMENT...: refused with status 2, in one line that says
# it.
bad()
{
	pattern=$1
	shift
	go 2 "$@"
	check "one line: $*" test "$(wc -l <"$tmp/stderr")" -eq 1
	check "says '$pattern': $*" grep -q -e "$pattern" "$tmp/stderr"
	check "nothing on stdout: $*" test ! -s "$tmp/stdout"
}

has()
{
	check "'$1' in the output" grep -q -e "$1" "$tmp/stdout"
}

# One sample for each line of stdin: frames, the innermost first, as perf
# prints them.
samples()
{
	awk '{
		for (i = 1; i <= NF; i++) {
			file = "/usr/bin/tkt"
			if ($i ~ /^k:/)
				file = "[kernel.kallsyms]"
			if ($i == "[unknown]")
				file = "[unknown]"
			sub(/^k:/, "", $i)
			printf "\t%16x %s (%s)\n", 4096 + i, $i, file
		}
		print ""
	}'
}

# 100 samples: 50 in the room, 20 in the window, 20 in the kernel, 5 in the
# section, 3 handing over, 2 elsewhere, one of those a stack that got lost.
{
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo 'tkt_q_do_spin tkt_q_lock dentry_put_native worker_main'
		echo 'tkt_q_do_spin tkt_q_lock dentry_put_native worker_main'
		echo 'tkt_q_do_spin tkt_q_lock dentry_put_native worker_main'
		echo 'tkt_q_do_spin.constprop.0 tkt_q_lock dentry_get worker_main'
		echo 'tkt_q_do_spin tkt_q_lock dentry_get worker_main'
		echo '__vdso_clock_gettime tkt_w_spin dentry_get worker_main'
		echo 'k:irq_exit tkt_w_spin dentry_get worker_main'
		echo 'k:futex_wait.isra.0 k:do_syscall_64 tkt_w_spin worker_main'
		echo 'k:__schedule k:do_syscall_64 tkt_w_spin worker_main'
		[ "$i" -gt 5 ] || echo 'dentry_get worker_main'
		[ "$i" -gt 3 ] || echo '__GI_pthread_mutex_unlock worker_main'
	done
	echo 'main'
	echo 'malloc@@GLIBC_2.2.5 [unknown] [unknown]'
} | samples >"$STUB_SCRIPT"

# --- every explains itself, and names what it does not know
for name in record report compare flamegraph stat c2c probes; do
	go 0 $name --help
	has "^perf-scripts/$name.sh - "
	has "^usage: $name.sh "
	bad "'--nonsense'\|--nonsense needs a value" "$name" --nonsense
	bad '--help' "$name"
done

# --- record
run='--tkt '$tool' --threads 2 --seconds 0.02'
# shellcheck disable=SC2086 # $run is several words, here and below
{
	go 0 record counter --lock tkt,mcs --dir "$tmp/a" $run --pin
	check 'says which event' grep -q 'event cpu-clock: there is no counter' \
		"$tmp/stderr"
	check 'names the directory' grep -q -x "$tmp/a" "$tmp/stdout"
	check 'leaves all, and nothing else' test "$(echo "$tmp"/a/* |
		sed "s,$tmp/a/,,g")" = \
		'manifest mcs.csv mcs.data mcs.folded tkt.csv tkt.data tkt.folded'
	for fact in 'kernel: counter' 'event: cpu-clock' 'frequency: 997' \
		'machine: ..*' 'perf: 9.9.stub' 'tkt samples: 100' \
		'mcs command: .* --lock mcs --threads 2 --seconds 0.02 --pin .*'; do
		check "manifest: $fact" grep -q -x -e "$fact" "$tmp/a/manifest"
	done
	check 'the run was one of that lock' \
		grep -q '^native,counter,,mcs,,2,' "$tmp/a/mcs.csv"
	bad "'$tmp/a' exists" record counter --dir "$tmp/a" $run
	STUB='cycles user'
	go 0 record counter --dir "$tmp/b" $run
	STUB=''
	check 'cycles where they are' grep -q -x 'event: cycles:u' \
		"$tmp/b/manifest"
	c="record counter $run --dir $tmp/c"
	bad "lock: unknown 'x'; allowed: all, none, tkt" $c --lock x
	bad "lock: 'tkt,' has an empty name" $c --lock tkt,
	bad "call-graph: 'x'; allowed: fp, dwarf" $c --call-graph x
	bad "frequency: '0'; allowed: .*1 to 50000" $c --frequency 0
	bad "event: 'x' cannot" $c --event x
	bad "--out: not here" $c --out x
	bad "no tool at '/nope'" $c --tkt /nope
	bad "unknown argument 'x'" $c x
	go 2 record nope --dir "$tmp/c" $run
	check "tkt's own line" grep -q "tkt: unknown kernel" "$tmp/stderr"
	go 1 record counter --dir "$tmp/c" --lock busted $run \
		--seconds 0.3
	check 'a failed check' grep -q 'check failed' "$tmp/stderr"
	check 'nothing left of what failed' test ! -e "$tmp/c"
	bad "cannot write to '$tmp/stacks/x'" record counter $run \
		--dir "$tmp/stacks/x"
}

# --- names with blanks and parentheses, kernel modules, deleted files
cat >"$tmp/odd" <<'END'
	            1000 ns::f<int>(unsigned long, char (*)[2]) (/usr/bin/x y)
	            2000 operator new(unsigned long)@@CXX_1 (/lib/a.so (deleted))
	ffffffffc0001000 ext4_sync;x ([ext4])
	          3000 [unknown] (/opt/lib (2)/b.so)
	          3010 [unknown] (/opt/lib (2)/b.so)
	          4000 __GI_read.constprop.0.isra.1 (/lib/c.so)
	          5000 [unknown] ([unknown])

END
printf '%s;%s;%s;%s;%s\n' read '[b.so]' 'ext4_sync:x_[k]' \
	'operator new(unsigned long)' \
	'ns::f<int>(unsigned long, char (*)[2])' >"$tmp/odd.want"
awk -f "$scripts/fold.awk" "$tmp/odd" >"$tmp/odd.got"
check 'odd names' diff "$tmp/odd.want" "$tmp/odd.got"

# --- report
go 0 report "$tmp/a/tkt.folded"
has '^counter, tkt: 100 samples; below 1 % left out$'
has '^  50.00 %         50  tkt_q_do_spin$'
has '^ *60.00 %  dentry_put_native < worker_main$'
has '^ *40.00 %  dentry_get < worker_main$'
has '^  10.00 %         10  futex_wait_\[k\]$'
has '^  98.00 %         98  worker_main$'
has '^   3.00 %          3  pthread_mutex_unlock$'
has '^   1.00 %          1  malloc$'
go 0 report --limit 4 "$tmp/a"
check 'both locks' test "$(grep -c 'samples; below' "$tmp/stdout")" -eq 2
check 'none below the limit' test \
	"$(grep -c pthread_mutex_unlock "$tmp/stdout")" -eq 0
go 0 report "$tmp/a/tkt.data"
has '^counter, tkt: 100 samples'
bad "limit: '101'; allowed" report --limit 101 "$tmp/a"
bad "no profile '/nope'" report /nope
bad "no profiles in '$tmp'" report "$tmp"
printf 'main 3\nmain x\n' >"$tmp/bad.folded"
bad 'bad.folded, line 2:' report "$tmp/bad.folded"
: >"$tmp/none.folded"
bad "'$tmp/none.folded' holds no samples" report "$tmp/none.folded"
STUB=broken
bad "cannot read '$tmp/a/tkt.data': incompatible" \
	report "$tmp/a/tkt.data"
STUB=''

# --- compare: groups as above; the other profile has its window doubled
sed '/tkt_w_spin;__vdso/s/[0-9]*$/30/' "$tmp/a/tkt.folded" \
	>"$tmp/more.folded"
go 0 compare "$tmp/a/tkt.folded" "$tmp/more.folded"
has '^samples  *100  *120$'
has '^waiting in the window  *20.00 %  *33.33 %  *+13.33$'
has '^waiting in the room  *50.00 %  *41.67 %  *-8.33$'
has '^hand-over  *3.00 %'
has '^critical section, and beside it  *5.00 %'
has '^kernel: futex, scheduler  *20.00 %'
has '^the rest  *2.00 %'
has '^    tkt_q_do_spin  *50.00 %  *41.67 %  *-8.33$'
# shellcheck disable=SC2016
check 'the groups add up' awk '/^[a-z].* %/ { a += $(NF - 4) }
	END { exit a < 99.9 || a > 100.1 }' "$tmp/stdout"
bad "a third profile" compare "$tmp/a/tkt.folded" a b
bad "no profile 'b'" compare "$tmp/a/tkt.folded" b

# Functions of the library that wait or hand over are in a group.
sed -n 's/^TKT_X_SLOW .*[ *]\(tkt_[a-z]_[a-z_]*\|tkt_spin_pass\)(.*/\1/p' \
	"$top"/include/tkt/slowpath.h "$top"/include/tkt/mutex_slow.h \
	>"$tmp/steps"
echo 'BEGIN { groups_read(); exit group_of(step) == "" }' \
	>"$tmp/has_group.awk"
check 'there are steps' grep -q -x tkt_w_spin "$tmp/steps"
while read -r step; do
	case $step in
	tkt_x_*) continue ;;
	esac
	check "$step has a group" awk -v groups="$scripts/groups.txt" \
		-v step="$step" -f "$scripts/groups.awk" -f "$tmp/has_group.awk"
done <"$tmp/steps"

# --- flamegraph
xml()
{
	python3 - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert root.find(svg + "title").text
boxes = {}
for g in root.iter(svg + "g"):
    title = g.find(svg + "title").text
    rect = g.find(svg + "rect")
    key = (title.rsplit(":", 1)[0], rect.get("y"))
    boxes[key] = boxes.get(key, 0) + float(rect.get("width"))
    assert float(rect.get("x")) >= 0
    assert float(rect.get("x")) + float(rect.get("width")) <= 1191
    for text in g.iter(svg + "text"):
        assert 7.25 * len(text.text) <= float(rect.get("width"))
wide = {}
for (name, y), width in boxes.items():
    wide[name] = wide.get(name, 0) + width
assert abs(wide["all"] - 1180) < 0.1, wide
assert abs(wide["worker_main"] - 1180 * 0.98) < 0.5, wide
assert abs(wide["tkt_q_do_spin"] - 1180 * 0.5) < 0.5, wide
# Boxes side by side with the same beginning are one.
assert len([k for k in boxes if k[0] == "worker_main"]) == 1
END
}
go 0 flamegraph "$tmp/a/tkt.folded" --out "$tmp/a.svg"
check 'a well-formed picture, boxes as wide as their shares' xml "$tmp/a.svg"
check 'no script, and nothing from elsewhere' test "$(grep -c \
	-e '<script' -e 'href' -e '@import' "$tmp/a.svg")" -eq 0
check 'titled' grep -q '>counter, tkt<' "$tmp/a.svg"
sed 's/ width="1180.00"/ width="1100.00"/' "$tmp/a.svg" >"$tmp/narrow.svg"
refuse 'a box of the wrong width' AssertionError xml "$tmp/narrow.svg"
go 0 flamegraph "$tmp/more.folded" --against "$tmp/a/tkt.folded" \
	--title 'a <b> & "c" \n' --out "$tmp/d.svg"
check 'the title as it is' grep -q -F \
	'a &lt;b&gt; &amp; &quot;c&quot; \n' "$tmp/d.svg"
check 'the change in points' grep -q \
	'__vdso_clock_gettime: 30 samples, 25.00 %, +15.00 points against 10' \
	"$tmp/d.svg"
# A name that sorts between its own children's must not split its box.
printf 'main;f 1\nmain;f.b;x 1\nmain;f;g 1\nmain;f$ 1\n' >"$tmp/sort.folded"
go 0 flamegraph "$tmp/sort.folded" --out "$tmp/sort.svg"
check 'one box a name' test "$(grep -c '<title>f: 2 ' "$tmp/sort.svg")" -eq 1
bad "where to?" flamegraph "$tmp/a/tkt.folded"
bad "cannot write" flamegraph "$tmp/a/tkt.folded" --out "$tmp/no/a.svg"

# --- stat
# shellcheck disable=SC2086
{
	go 0 stat counter --lock tkt,mcs $run --csv "$tmp/stat.csv"
	lacks='cycles instructions cache-references cache-misses'
	lacks="$lacks LLC-load-misses lock:contention_begin"
	lacks="$lacks syscalls:sys_enter_futex"
	check 'says what is missing' grep -q -x -F \
		"stat.sh: not available here: $lacks" "$tmp/stderr"
	has '^tkt  *context-switches  *400  *200 '
	has '^mcs  *task-clock (ms)  *400  *200 '
	check 'rows' test "$(grep -c '^mcs,' "$tmp/stat.csv")" -eq 12
	check 'not counted is empty' grep -q -x \
		'tkt,0.500000000,page-faults,' "$tmp/stat.csv"
	STUB=cycles
	go 0 stat counter $run
	STUB=''
	has '^tkt  *instructions  *400 '
	bad 'interval: ' stat counter $run --interval 9

	# --- c2c
	go 0 c2c counter $run --dir "$tmp/e"
	check 'says why not' grep -q 'not on this machine' "$tmp/stderr"
	check 'and leaves nothing' test ! -e "$tmp/e"
	STUB=c2c
	go 0 c2c counter $run --dir "$tmp/e"
	STUB=''
	check 'its table' grep -q 'Shared Data' "$tmp/e/tkt.c2c.txt"

	# --- without perf, or without permission
	for name in record stat c2c; do
		PERF=/nope/perf
		bad 'no /nope/perf here: install it (Debian' \
			$name counter $run
		PERF=$stub
		STUB=foreign
		bad 'does not start on kernel' \
			$name counter $run
		STUB=''
	done
	for name in record stat; do
		STUB=denied
		bad 'not permitted' $name counter $run
		STUB=''
	done
}

# --- perf itself
unset PERF
if [ -z "$perf_here" ] || ! perf record -q -N -e cpu-clock -o "$tmp/trial" \
	true 2>"$tmp/stderr"; then
	echo "skipped: no perf here that may record"
	finish
	exit
fi
run="--tkt $tool --threads 8 --seconds 0.5 --threshold 2"
# shellcheck disable=SC2086
{
	go 0 record dentry --lock tkt,mcs --dir "$tmp/real" $run
	go 0 report --limit 0 "$tmp/real"
	has ' tkt_[qw]_'
	has ' mcs_lock_op'
	has 'worker_main'
	go 0 compare "$tmp/real/tkt.data" "$tmp/real/mcs.folded"
	has '^waiting in the room '
	go 0 flamegraph "$tmp/real/tkt.folded" --against \
		"$tmp/real/mcs.data" --out "$tmp/real.svg"
	check 'a picture' grep -q '<title>worker_main: ' "$tmp/real.svg"
	go 0 stat dentry $run --csv "$tmp/real.csv"
	has '^tkt  *context-switches  *[1-9]'
}
finish
