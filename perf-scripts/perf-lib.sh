# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# perf-scripts/perf-lib.sh - sourced by the scripts around perf, after lib.sh
#
# Finds perf and tkt, and what they can do on this machine; turns recordings
# into folded stacks, one line each: frames from the root on, joined by ";",
# a blank, and how many samples had that stack.  Frames of the kernel end in
# "_[k]".  All other scripts work on folded stacks alone.

# One line about bad input, or about what this machine lacks.
refuse()
{
	printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
	exit 2
}

say()
{
	printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
}

# The script's own scratch directory, gone at its end.  Whatever else has to be
# cleaned up is a function named at_end.
need_scratch()
{
	scratch=$(mktemp -d)
	trap 'at_end; rm -rf "$scratch"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' HUP TERM
}

at_end()
{
	:
}

# value OPTION COUNT: the option is followed by a value.
value()
{
	[ "$2" -gt 1 ] || refuse "$1 needs a value; --help lists the options"
}

# whole WHAT VALUE LOW HIGH: a whole number in that range.
whole()
{
	case $2 in
	'' | *[!0-9]* | ??????????*) ;;
	*) [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ] || return 0 ;;
	esac
	refuse "$1: '$2'; allowed: a whole number from $3 to $4"
}

# percent WHAT VALUE: from 0 to 100, with a fraction or without.
percent()
{
	printf '%s\n' "$2" | awk '
		/^[0-9]+(\.[0-9]+)?$/ && $0 <= 100 { ok = 1 }
		END { exit NR != 1 || !ok }' ||
		refuse "$1: '$2'; allowed: a number from 0 to 100"
}

# Sets perf.  PERF in the environment names another than the one in PATH.
need_perf()
{
	perf=${PERF:-perf}
	command -v -- "$perf" >/dev/null ||
		refuse "no $perf here: install it (Debian: linux-perf), or" \
			"name one in PERF"
	perf_version=$("$perf" --version 2>/dev/null) || perf_version=
	case $perf_version in
	'perf version '*) ;;
	*) refuse "$perf does not start on kernel $(uname -r): install the" \
		"linux-perf of that kernel, or name one in PERF" ;;
	esac
}

# Sets tkt, to $1 or the one built here.
need_tkt()
{
	tkt=${1:-$top/build/tkt}
	{ [ -x "$tkt" ] && [ ! -d "$tkt" ]; } ||
		refuse "no tool at '$tkt': build it (sh" \
			"perf-scripts/quickstart.sh), or name it with --tkt"
}

# perf's log $1 says that something is not permitted.
forbidden()
{
	grep -q -i -e 'permission' -e 'not permitted' -e paranoid -e EACCES \
		-e EPERM "$1"
}

# Ends with the line that says how to be permitted.
refuse_permission()
{
	level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null) ||
		level=unknown
	if [ "$(id -u)" -eq 0 ]; then
		refuse "perf is not permitted even to root (in a container?):" \
			"run it outside, or allow perf_event_open there"
	fi
	refuse "perf is not permitted (perf_event_paranoid is $level): be root," \
		"or, as root, sysctl kernel.perf_event_paranoid=1"
}

# pick_event [EVENT]: sets event to what can be recorded here: EVENT, or else
# processor cycles, or else the clock.  Needs scratch.
pick_event()
{
	if ! "$perf" record -q -N -e "${1:-cycles}" -o "$scratch/trial" true \
		>"$scratch/trial.log" 2>&1; then
		! forbidden "$scratch/trial.log" || refuse_permission
		[ -z "${1-}" ] ||
			refuse "event: '$1' cannot be recorded here; allowed:" \
				"what \`$perf list\` has"
		"$perf" record -q -N -e cpu-clock -o "$scratch/trial" true \
			>"$scratch/trial.log" 2>&1 || {
			! forbidden "$scratch/trial.log" || refuse_permission
			refuse "perf cannot record:" \
				"$(grep . "$scratch/trial.log" | head -n 1)"
		}
	fi
	# perf may have fallen back on another event, or on user space alone
	# (u among the letters at the end; the others are of no interest).
	event=$("$perf" evlist -i "$scratch/trial" 2>/dev/null |
		awk -F : 'NR == 1 {
			letters = NF > 1 && $NF ~ /^[ukhpGHSPDI]+$/ ? $NF : ""
			if (letters != "")
				sub(/:[^:]*$/, "")
			print $0 (letters ~ /u/ ? ":u" : "")
		}')
	[ -n "$event" ] || refuse "perf cannot read what it has recorded"
	case ${1:-cycles}/$event in
	cycles/cpu-clock*)
		say "event cpu-clock: there is no counter of cycles here" ;;
	*) say "event $event" ;;
	esac
	case $event in
	*:u) say "user space only: the kernel takes more permission" ;;
	esac
}

# fold DATA OUT: the folded stacks of a recording.
fold()
{
	"$perf" script -f -i "$1" --no-inline -F ip,sym,dso \
		>"$scratch/script" 2>"$scratch/script.log" || {
		why=$(grep . "$scratch/script.log" | head -n 1)
		refuse "cannot read '$1': ${why:-perf script failed}"
	}
	awk -f "$top/perf-scripts/fold.awk" "$scratch/script" |
		LC_ALL=C sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)$/\2 \1/' \
		>"$2"
}

# stacks PROFILE OUT: the same for a recording or a file of folded stacks.
stacks()
{
	[ -e "$1" ] || refuse "no profile '$1'"
	{ [ ! -d "$1" ] && [ -r "$1" ]; } ||
		refuse "profile '$1' is not a file that can be read"
	case $1 in
	*.folded)
		awk -v file="$1" '
			!/^[^ ].* [1-9][0-9]*$/ {
				print file ", line " NR ": not a stack, a" \
					" blank and a number"
				exit 1
			}' "$1" >"$scratch/bad" ||
			refuse "$(cat "$scratch/bad")"
		cp "$1" "$2"
		;;
	*)
		need_perf
		fold "$1" "$2"
		;;
	esac
	[ -s "$2" ] || refuse "profile '$1' holds no samples"
}

# profiles_of PROFILE: the files that it stands for, one a line: a directory
# stands for the folded stacks of each lock that record.sh left there.
profiles_of()
{
	if [ ! -d "$1" ]; then
		printf '%s\n' "$1"
		return
	fi
	found=no
	for file in "$1"/*.folded; do
		[ -e "$file" ] || continue
		found=yes
		printf '%s\n' "$file"
	done
	[ $found = yes ] || refuse "no profiles in '$1': record.sh makes them"
}

# name_of PROFILE: its file name without what follows the last dot.
name_of()
{
	basename -- "$1" | sed 's/\.[a-z]*$//'
}

# title_of PROFILE: its name, after the kernel's if a manifest tells.
title_of()
{
	kernel_of=$(sed -n 's/^kernel: //p' "$(dirname -- "$1")/manifest" \
		2>/dev/null) || kernel_of=
	printf '%s%s\n' "${kernel_of:+$(basename -- "$kernel_of"), }" \
		"$(name_of "$1")"
}

# need_place DIR: a new directory can be made there.
need_place()
{
	[ ! -e "$1" ] || refuse "'$1' exists; name another directory with --dir"
	above=$(dirname -- "$1")
	while [ ! -e "$above" ]; do
		above=$(dirname -- "$above")
	done
	{ [ -d "$above" ] && [ -w "$above" ]; } || refuse "cannot write to '$1'"
}

# place FROM DIR: what is in FROM becomes DIR, all of it or nothing.
place()
{
	mkdir -p -- "$(dirname -- "$2")" 2>/dev/null || refuse "cannot write to '$2'"
	cp -R -- "$1" "$2" 2>/dev/null || {
		rm -rf -- "$2"
		refuse "cannot write to '$2'"
	}
	echo "$2"
}

# Facts about the machine, for manifests and reports.
machine_facts()
{
	model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	printf 'machine: %s, %s CPUs online%s\n' "${model:-$(uname -m)}" \
		"$(getconf _NPROCESSORS_ONLN)" \
		"$(grep -q '^flags.* hypervisor' /proc/cpuinfo &&
			echo ', virtual')"
	printf 'system: %s %s %s\n' "$(uname -s)" "$(uname -r)" "$(uname -m)"
}

# The commit that the tree is at, or nothing.
commit_fact()
{
	commit=$(git -C "$top" rev-parse --short=12 HEAD 2>/dev/null) ||
		return 0
	[ -z "$(git -C "$top" status --porcelain 2>/dev/null)" ] ||
		commit="$commit, with changes"
	printf 'commit: %s\n' "$commit"
}

# lock_list LIST: sets locks to the names in a comma-separated list, or refuses.
lock_list()
{
	"$tkt" list locks >"$scratch/locks" 2>"$scratch/locks.log" ||
		refuse "'$tkt' does not list its locks"
	known=$(awk '{ print $1 }' "$scratch/locks")
	case $1 in
	all)
		locks=$(awk '$1 != "busted" { print $1 }' "$scratch/locks")
		return
		;;
	'' | ,* | *, | *,,*) refuse "lock: '$1' has an empty name" ;;
	esac
	locks=
	for name in $(printf '%s' "$1" | tr , ' '); do
		printf '%s\nnone\n' "$known" | grep -q -x -F -e "$name" ||
			refuse "lock: unknown '$name'; allowed: all, none," \
				"$(printf '%s' "$known" | tr '\n' ' ' |
					sed 's/ /, /g')"
		locks="$locks $name"
	done
}

# run_or_exit WHAT COMMAND...: runs a command around tkt run, quietly.  If it
# fails, ends with one line of what was said, and status 2 if tkt's was, else 1.
run_or_exit()
{
	what=$1
	shift
	status=0
	"$@" >"$scratch/log" 2>&1 </dev/null || status=$?
	[ "$status" -ne 0 ] || return 0
	why=$(grep '^tkt: ' "$scratch/log" | head -n 1)
	[ -n "$why" ] || why=$(grep . "$scratch/log" | tail -n 1)
	say "$what: ${why:-ended with status $status}"
	[ "$status" -eq 2 ] || status=1
	exit "$status"
}
