# SPDX-License-Identifier: MIT
# perf-scripts/table.awk - one table from the rows of tkt's CSV
#
# usage: awk -F , -v across=users -v value=jobs_per_min -f table.awk FILE.csv
#
# A line per lock, a column per value of `across` (a column of the CSV), both
# in order of appearance; in each cell the median of `value` over the repeats
# and, in brackets, the least and the greatest.  `-` where nothing was measured.

function sort_cell(cell, n,    i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = sample[cell, i]
		for (j = i - 1; j > 0 && sample[cell, j] > x; j--)
			sample[cell, j + 1] = sample[cell, j]
		sample[cell, j + 1] = x
	}
}

function cell_text(cell,    n, middle)
{
	n = count[cell]
	if (!n)
		return "-"
	sort_cell(cell, n)
	middle = (sample[cell, int((n + 1) / 2)] + \
		sample[cell, int(n / 2) + 1]) / 2
	return sprintf("%.0f (%.0f..%.0f)", middle, sample[cell, 1], \
		sample[cell, n])
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	if (!("lock" in column) || !(across in column) || !(value in column)) {
		print "table.awk: no column lock, " across " or " value \
			>"/dev/stderr"
		failed = 1
		exit 1
	}
	next
}

{
	lock = $column["lock"]
	at = $column[across]
	if (!seen_lock[lock]++)
		locks[++n_locks] = lock
	if (!seen_at[at]++)
		ats[++n_ats] = at
	if ($column[value] != "")
		sample[lock SUBSEP at, ++count[lock SUBSEP at]] = \
			$column[value] + 0
}

END {
	if (failed)
		exit 1
	printf "%-16s", across
	for (i = 1; i <= n_ats; i++)
		printf " %28s", ats[i]
	print ""
	for (l = 1; l <= n_locks; l++) {
		printf "%-16s", locks[l]
		for (i = 1; i <= n_ats; i++)
			printf " %28s", cell_text(locks[l] SUBSEP ats[i])
		print ""
	}
	exit n_locks == 0
}
