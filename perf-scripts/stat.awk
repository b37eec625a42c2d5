# SPDX-License-Identifier: MIT
# perf-scripts/stat.awk - the rows of stat.sh as a table
#
# awk -v ops_file=FILE -f stat.awk CSV; each line of FILE is a lock and how
# many operations it saw.

BEGIN {
	FS = ","
	while ((getline line <ops_file) > 0) {
		split(line, part, " ")
		ops[part[1]] = part[2]
	}
}

NR == 1 {
	next
}

{
	if (!($1 in last)) {
		locks[++lock_count] = $1
		last[$1] = 0
	}
	if (!($3 in known)) {
		events[++event_count] = $3
		known[$3] = 1
	}
	if ($2 > last[$1])
		last[$1] = $2
	if ($4 != "") {
		sum[$1, $3] += $4
		counted[$1, $3] = 1
	}
}

function per(value, by)
{
	if (by <= 0)
		return sprintf("%14s", "-")
	return sprintf("%14.4g", value / by)
}

END {
	printf "%-17s %-24s %16s %14s %14s\n", "lock", "event", "in all", \
		"a second", "an operation"
	for (i = 1; i <= lock_count; i++) {
		lock = locks[i]
		for (k = 1; k <= event_count; k++) {
			event = events[k]
			if (!((lock, event) in counted)) {
				printf "%-17s %-24s %16s\n", lock, event, \
					"not counted"
				continue
			}
			text = event
			if (event ~ /^task-clock/)
				text = event " (ms)"
			printf "%-17s %-24s %16.0f %s %s\n", lock, text, \
				sum[lock, event], \
				per(sum[lock, event], last[lock]), \
				per(sum[lock, event], ops[lock])
		}
	}
}
