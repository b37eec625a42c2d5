#!/bin/sh
# SPDX-License-Identifier: MIT
# mutate.sh - applies one entry of mutants.txt to a copy of the headers
#
#	mutate.sh list TABLE			name|check|symptom|defines|run
#	mutate.sh apply TABLE NAME FROM TO	copies FROM to TO and edits there
#
# Fails unless each text to replace occurs exactly once, so that a mutant can
# never be the original, nor something else than what was meant.
set -eu

table=$2

list()
{
	awk '
	function out() {
		if (name)
			print name "|" check "|" symptom "|" define "|" run
		name = check = symptom = define = run = ""
	}
	function rest() { sub(/^[^ ]+ /, ""); return $0 }
	/^mutant / { out(); name = rest(); next }
	/^check / { check = rest(); next }
	/^symptom / { symptom = rest(); next }
	/^define / { define = rest(); next }
	/^run / { run = rest(); next }
	END { out() }' "$table"
}

# edit N: "file FILE", then the N-th edit of mutant $name, lines with - and +
edit()
{
	awk -v name="$name" -v n="$1" '
	/^mutant / { mine = $2 == name; k = 0 }
	mine && /^edit / { if (++k == n) print "file " $2; next }
	mine && k == n && /^[-+]/ { print }' "$table"
}

# apply_edit DIR: reads one edit from standard input
apply_edit()
{
	read -r word file
	[ "$word" = file ] || return 1
	awk -v target="$1/$file" '
	function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
	FILENAME == "-" {
		if (/^-/)
			old[++n] = trim(substr($0, 2))
		else
			new[++m] = substr($0, 2)
		next
	}
	{ line[++lines] = $0 }
	END {
		for (i = 1; i + n - 1 <= lines; i++) {
			for (j = 1; j <= n; j++)
				if (trim(line[i + j - 1]) != old[j])
					break
			if (j > n) {
				found++
				at = i
			}
		}
		if (!n || found != 1) {
			print target ": text to replace occurs " found + 0 \
				" times: " old[1] | "cat 1>&2"
			exit 1
		}
		for (i = 1; i <= lines; i++) {
			if (i == at)
				for (j = 1; j <= m; j++)
					print new[j] > (target ".new")
			if (i < at || i >= at + n)
				print line[i] > (target ".new")
		}
	}' - "$1/$file"
	mv "$1/$file.new" "$1/$file"
}

apply()
{
	name=$1 from=$2 to=$3
	rm -rf "$to"
	mkdir -p "$to"
	cp -R "$from/." "$to"
	n=1
	while text=$(edit $n) && [ -n "$text" ]; do
		printf '%s\n' "$text" | apply_edit "$to/tkt"
		n=$((n + 1))
	done
	if [ $n = 1 ]; then
		echo "mutate.sh: no edit for $name in $table" >&2
		exit 1
	fi
}

case $1 in
list) list ;;
apply) apply "$3" "$4" "$5" ;;
*) exit 2 ;;
esac
