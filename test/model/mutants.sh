#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh - each ordering weakened, each check dropped, has to be found out
#
# usage: mutants.sh orders|edits GROUP BUILD_DIR CC
#        mutants.sh coverage
#
# orders  For each label of an ordered access in the group's files (found by
#         labels.awk, so none can be forgotten) the access loses its acquire,
#         its release, or, as a fence, sequential consistency.  The programs
#         do that as they run; nothing is compiled.
# edits   Each entry of the group's tables of edits (../stress/mutate.sh says
#         what they look like) is applied to a copy of the headers, and the
#         programs are compiled with it.
#
# coverage
#         No header or lock with ordered accesses is missing in groups.txt.
#
# A mutant is caught if a client of the group's programs fails.  One that is
# not has to stand, with a reason, in survivors.txt, where one that is caught
# may not stand.  groups.txt says what belongs together.
set -eu

what=$1 group=${2-} build=${3-} cc=${4-}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$here/../..
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

field()
{
	awk -F'|' -v group="$group" -v n="$1" '
		$1 == group { print $n; found = 1 }
		END { exit !found }' "$here/groups.txt"
}
accesses()
{
	(cd "$top" && awk -v list=1 -f test/build/labels.awk "$1")
}

coverage()
{
	for file in $(cd "$top" && echo include/tkt/*.h src/locks/*.c); do
		case $file in */backend_* | */atomic.h) continue ;; esac
		[ -n "$(accesses "$file")" ] || continue
		total=$((total + 1))
		grep -q "[| ]${file}[| ]" "$here/groups.txt" && continue
		bad=$((bad + 1))
		echo "FAIL: $file has ordered accesses and is in no group"
	done
	echo "$total files, $bad missing"
}

total=0 caught=0 listed=0 bad=0
if [ "$what" = coverage ]; then
	coverage
	[ "$total" -gt 0 ] && [ "$bad" -eq 0 ]
	exit
fi

files=$(field 2)
programs=$(field 3)
tables=$(field 4)

# verdict NAME STATUS: of a mutant; status as the programs return it
verdict()
{
	total=$((total + 1))
	reason=$(awk -v name="$1" '$1 == name { sub(/^[^ ]+ +/, ""); print }' \
		"$here/survivors.txt")
	case $2,$reason in
	1,) caught=$((caught + 1)) && return ;;
	1,*) text="caught, but listed as a survivor" ;;
	0, | 3,) text="not caught" ;;
	0,* | 3,*)
		listed=$((listed + 1))
		echo "$1: survives: $reason"
		return
		;;
	*) text="no verdict: status $2" ;;
	esac
	[ "$2" != 3 ] || text="$text; no client gets there"
	bad=$((bad + 1))
	echo "FAIL: $1: $text"
}

# run DIR ARGUMENT...: the programs of the group in DIR, until one fails
run()
{
	dir=$1
	shift
	result=3
	for program in $programs; do
		# "locks:mcs*": the clients of that name only.
		clients=${program#"${program%%:*}"}
		[ "$what" = orders ] || compile "${program%%:*}" || return 4
		status=0
		"$dir/model_${program%%:*}" --broken --seconds 4 "$@" \
			${clients:+"${clients#:}"} >/dev/null 2>&1 || status=$?
		case $status in
		0) result=0 ;;
		3) ;;
		*) return "$status" ;;
		esac
	done
	return "$result"
}

orders()
{
	for file in $files; do
		accesses "$file" >"$tmp/accesses"
		while read -r label path first last names; do
			for name in $names; do
				case $name in
				TKT_ACQUIRE) steps=acquire ;;
				TKT_RELEASE) steps=release ;;
				TKT_ACQ_REL) steps='acquire release' ;;
				*) steps=fence ;;
				esac
				for step in $steps; do
					status=0
					run "$build" --weaken \
						"${path##*/}:$first-$last:$step" \
						|| status=$?
					verdict "${path##*/}:$label:$step" \
						"$status"
				done
			done
		done <"$tmp/accesses"
	done
}

# compile PROGRAM: with the headers of the mutant
compile()
{
	line=$(grep "^$1|" "$build/programs.txt")
	source=$(echo "$line" | cut -d'|' -f2)
	flags=$(echo "$line" | cut -d'|' -f3 | tr ';' '\n' | sed '/./s/^/-D/')
	# Lists of flags and of objects: to be split.  -O1: to be run once.
	# shellcheck disable=SC2046,SC2086
	"$cc" -std=gnu11 -O1 -w -D_GNU_SOURCE $flags -I"$tmp/mutant" -I"$here" \
		-I"$top/src" "$here/$source" $(cat "$build/core.txt") \
		-o "$tmp/model_$1"
}

edits()
{
	mutate=$top/test/stress/mutate.sh
	for table in $tables; do
		for name in $("$mutate" list "$here/$table" | cut -d'|' -f1); do
			rm -rf "$tmp/mutant"
			"$mutate" apply "$here/$table" "$name" "$top/include" \
				"$tmp/mutant"
			status=0
			run "$tmp" || status=$?
			verdict "$name" "$status"
		done
	done
}

"$what"
echo "$what, $group: $total mutants, $caught caught, $listed listed, $bad bad"
[ "$total" -gt 0 ] && [ "$bad" -eq 0 ]
