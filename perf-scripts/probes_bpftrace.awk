# SPDX-License-Identifier: MIT
# perf-scripts/probes_bpftrace.awk - counts from bpftrace's maps, for probes.awk
#
# Input: bpftrace -f json, a line for each map; of probes.sh's program, which
# has maps of plain numbers and one histogram.

# The pairs "key": value between the innermost braces, into key[] and value[].
function pairs(text,    n, i, part, two)
{
	sub(/^.*\{/, "", text)
	sub(/\}.*$/, "", text)
	n = split(text, part, /, */)
	for (i = 1; i <= n; i++) {
		split(part[i], two, /: */)
		gsub(/"/, "", two[1])
		key[i] = two[1]
		value[i] = two[2]
	}
	return n
}

match($0, /"@[a-z_]+"/) {
	map = substr($0, RSTART + 2, RLENGTH - 3)
	if ($0 ~ /"type": *"hist"/) {
		n = split($0, piece, /\{"/)
		for (i = 1; i <= n; i++) {
			if (piece[i] !~ /^(min|max)"/)
				continue
			low = count = 0
			if (match(piece[i], /min": *[0-9]+/))
				low = substr(piece[i], RSTART + 5, RLENGTH - 5)
			if (match(piece[i], /count": *[0-9]+/))
				count = substr(piece[i], RSTART + 7, RLENGTH - 7)
			print "w", low + 0, count + 0
		}
		next
	}
	n = pairs($0)
	for (i = 1; i <= n; i++) {
		if (map ~ /^n_/)
			print "n", substr(map, 3), key[i], value[i]
		else if (map == "l")
			waits[key[i]] = value[i]
		else if (map == "s")
			waited[key[i]] = value[i]
	}
}

END {
	for (lock in waits)
		print "l", lock, waits[lock], waited[lock]
}
