#!/bin/sh
# SPDX-License-Identifier: MIT
# test/tool/dio.sh - direct I/O: its checks, which can fail, and its files
#
# usage: sh test/tool/dio.sh TKT
#
# Where the file system, the kernel or the rights do not allow a part, says so.
set -u

# shellcheck source=test/tool/tool.sh
. "$(dirname "$0")/tool.sh"

# dio STATUS ARGUMENT...: the exit status, and nothing left behind.
dio()
{
	want=$1
	shift
	status_is "$want" 100 run dio --dir "$tmp/dir" "$@"
	[ -z "$(ls -A "$tmp/dir")" ] || complain "dio $*: left a file"
}

all='--variant all --lock tkt,pthread-mutex --file-mb 1'

# --- what is right passes, whatever races
# shellcheck disable=SC2086 # several words, here and below
for options in '' '--direct 0' '--readers 1' '--pieces-log2 3 --readers 1' \
	'--truncate-permille 100 --fsync-permille 20 --readers 1' \
	'--direct 0 --truncate-permille 300 --fsync-permille 300' \
	'--punch-permille 100 --truncate-permille 100 --pieces-log2 1'; do
	dio 0 $all --threads 1,4 --seconds 0.1 $options
	case $options in
	*punch*)
		[ "$got" -ne 2 ] || {
			says 'cannot punch a hole' "$tmp/stderr"
			echo "skipped: hole punch: $(cat "$tmp/stderr")"
		}
		;;
	esac
done

# --- rows and report
# shellcheck disable=SC2086
{
	dio 0 $all --threads 2 --seconds 0.05 --format csv
	sed 1d "$tmp/stdout" | awk -F, '$19 <= 0 || $19 < 4095 * $17 ||
		$19 > 4097 * $17 { exit 1 }' || complain "bytes_per_s"
	[ "$(sed 1d "$tmp/stdout" | grep -c ',baseline[a-z/]*,none,')" -eq 1 ] ||
		complain "baseline takes no lock: one row"
	dio 0 $all --threads 2 --seconds 0.05 --direct 0
	says '^lock/buffered ' "$tmp/stdout"
	says '^published, lock  *24936 (6234)  *24738 (6184)  *24726 (6181)' \
		"$tmp/stdout"
	says '^nolock-spin/buffered, tkt  *-  *[0-9]* ([0-9]*)  *-$' "$tmp/stdout"
}

# --- each mistake is found, by name, each of five times
# mistake VARIANT CHECK: a disk that takes a second to discard what a truncate
# frees can leave nothing of the time; so again, up to four times.
mistake()
{
	for _ in 1 2 3 4 5; do
		for _ in 1 2 3 4; do
			timeout 100 "$tkt" run dio --dir "$tmp/dir" \
				--variant "$1" --lock tkt --threads 4 \
				--seconds 0.3 >"$tmp/stdout" 2>"$tmp/stderr"
			got=$?
			[ "$got" -eq 0 ] || break
		done
		[ "$got" -eq 1 ] || complain "$1: status $got, not 1"
		says "dio, $1, .*: check failed: $2:" "$tmp/stderr"
	done
}

mistake bad-size size-agrees
mistake bad-truncate truncate-waits
mistake bad-range whole-block
mistake bad-early fsync-has-written
if timeout 60 "$tkt" run dio --dir "$tmp/dir" --variant bad-fsync --lock tkt \
	--threads 1 --seconds 0.01 2>&1 | grep -q 'the kernel does not tell'; then
	echo "skipped: bad-fsync: the kernel does not tell what is unwritten"
else
	mistake bad-fsync fsync-has-written
fi
for variant in lock nolock-within nolock-spin; do
	for _ in 1 2 3; do
		dio 1 --variant "$variant" --lock busted --threads 2 \
			--seconds 0.05 --truncate-permille 20
		says "dio, $variant, .*: \(check failed: [a-z-]*:\|hang: \)" \
			"$tmp/stderr"
	done
done
dio 2 --variant baseline --lock busted --threads 1
says "'busted', but what is to run takes no lock" "$tmp/stderr"
"$tkt" run dio --help >"$tmp/stdout"
! grep -q bad- "$tmp/stdout" || complain "the mistakes are listed"

# --- what cannot be: one line, status 2, nothing else
# refused PATTERN ARGUMENT...
refused()
{
	pattern=$1
	shift
	timeout 60 "$tkt" run dio "$@" >"$tmp/stdout" 2>"$tmp/stderr"
	got=$?
	[ "$got" -eq 2 ] || complain "dio $*: status $got, not 2"
	[ "$(wc -l <"$tmp/stderr")" -eq 1 ] || complain "dio $*: not one line"
	says "^tkt: .*$pattern" "$tmp/stderr"
	[ ! -s "$tmp/stdout" ] || complain "dio $*: wrote to stdout"
}

: >"$tmp/file"
refused "file in '$tmp/none': No such file" --dir "$tmp/none"
refused "file in '$tmp/file': Not a directory" --dir "$tmp/file"
refused "file in '/proc'" --dir /proc
refused "dir: '' is not a directory" --dir ''
refused "takes [0-9]* MiB of memory; allowed" --dir "$tmp/dir" \
	--file-mb 1024 --threads 1024 --lock tkt
timeout 60 "$tkt" run counter --dir /tmp 2>"$tmp/stderr"
[ $? -eq 2 ] || complain "counter --dir: not 2"
TMPDIR=$tmp/none timeout 60 "$tkt" run dio >"$tmp/stdout" 2>"$tmp/stderr"
[ $? -eq 2 ] || complain "TMPDIR: not 2"
says "file in '$tmp/none'" "$tmp/stderr"

# A full disk, before the run and in the middle of it.
cat >"$tmp/full.sh" <<'END'
mount -t tmpfs -o size=3m tmpfs "$2" 2>/dev/null || exit 77
"$1" run dio --dir "$2" --file-mb 8 --lock tkt
echo "status $?"
# What a truncate frees, somebody else takes.
(
	i=0
	while [ $i -lt 100 ]; do
		head -c 3000000 /dev/zero >>"$2/other"
		i=$((i + 1))
		sleep 0.02
	done
) 2>/dev/null &
timeout 60 "$1" run dio --dir "$2" --file-mb 2 --lock tkt --threads 2 \
	--seconds 10 --truncate-permille 100 --format csv --out "$2.csv"
echo "status $?"
ls "$2"
END
unshare -rm sh "$tmp/full.sh" "$tkt" "$tmp/dir" >"$tmp/stdout" 2>"$tmp/stderr"
if [ $? -eq 77 ]; then
	echo "skipped: full disk: cannot mount a small file system"
else
	printf 'status 2\nstatus 2\nother\n' >"$tmp/want"
	cmp -s "$tmp/want" "$tmp/stdout" || complain "full disk"
	[ "$(grep -c "^tkt: dio.* a file in '$tmp/dir': No space left" \
		"$tmp/stderr")" -eq 2 ] || complain "full disk: messages"
	[ ! -e "$tmp/dir.csv" ] || complain "full disk: wrote a file"
fi

# --- interrupted: no file has a name, before and after
for signal in INT TERM KILL; do
	env --default-signal=INT "$tkt" run dio --dir "$tmp/dir" --lock tkt \
		--threads 2 --seconds 20 >"$tmp/stdout" 2>"$tmp/stderr" &
	pid=$!
	sleep 1
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null
	got=$?
	[ "$signal" = KILL ] || [ "$got" -eq 130 ] || complain "SIG$signal: $got"
	[ -z "$(ls -A "$tmp/dir")" ] || complain "SIG$signal: left a file"
done

finish
