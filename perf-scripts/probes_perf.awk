# SPDX-License-Identifier: MIT
# perf-scripts/probes_perf.awk - counts from what perf traced, for probes.awk
#
# Input: perf script --ns -F tid,time,event,trace, a line for each probe:
#
#	TID SECONDS.NANOSECONDS: sdt_tkt:NAME: (PLACE) arg1=LOCK arg2=DEPTH
#
# A probe in several places has a number appended there.  Numbers may be hex.

function number(text,    i, n)
{
	sub(/^arg[12]=/, "", text)
	if (text !~ /^0x/)
		return text + 0
	for (i = 3; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", \
			tolower(substr(text, i, 1))) - 1
	return n
}

$3 ~ /^sdt_tkt:/ {
	name = $3
	sub(/^sdt_tkt:/, "", name)
	sub(/:$/, "", name)
	sub(/_[0-9]+$/, "", name)
	split($2, at, /[.:]/)
	# Seconds and nanoseconds apart: together they are too long for a
	# double.
	second = at[1] + 0
	ns = at[2] + 0
	lock = $5
	sub(/^arg1=/, "", lock)
	depth[name, number($6)]++
	if (name == "acquired" && $1 in began_second) {
		wait = (second - began_second[$1]) * 1e9 + ns - began_ns[$1]
		waits[lock]++
		waited[lock] += wait
		for (low = 1; low * 2 <= wait; low *= 2)
			;
		bucket[wait < 1 ? 0 : low]++
		delete began_second[$1]
	} else if (name !~ /^(acquired|wake|restricted)$/ &&
		   !($1 in began_second)) {
		began_second[$1] = second
		began_ns[$1] = ns
	}
}

END {
	for (key in depth) {
		split(key, part, SUBSEP)
		print "n", part[1], part[2], depth[key]
	}
	for (low in bucket)
		print "w", low, bucket[low]
	for (lock in waits)
		printf "l %s %d %.0f\n", lock, waits[lock], waited[lock]
}
