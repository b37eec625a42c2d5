# SPDX-License-Identifier: MIT
# perf-scripts/compare.awk - two files of folded stacks by group and symbol
#
# awk -v limit=PERCENT -v groups=FILE -v name_a=TEXT -v name_b=TEXT
#     -f ranked.awk -f groups.awk -f compare.awk A B

BEGIN {
	groups_read()
}

FNR == 1 {
	side++
}

{
	n = stack_read(frame)
	g = group_of_stack(frame, n)
	total[side] += samples
	in_group[side, g] += samples
	in_symbol[side, g, frame[n]] += samples
	symbols[g, frame[n]] = 1
}

function share(side, samples)
{
	return 100 * samples / total[side]
}

function line(indent, text, a, b)
{
	printf "%-40s %14.2f %% %14.2f %% %+9.2f\n", indent text, a, b, b - a
}

function symbols_of(g,    key, part, most, order, n, k, a, b, rest_a, rest_b)
{
	split("", most)
	for (key in symbols) {
		split(key, part, SUBSEP)
		if (part[1] != g)
			continue
		a = share(1, in_symbol[1, key])
		b = share(2, in_symbol[2, key])
		if (a < limit && b < limit) {
			rest_a += a
			rest_b += b
		} else {
			most[part[2]] = a > b ? a : b
		}
	}
	n = ranked(most, order, 0)
	for (k = 1; k <= n; k++)
		line("    ", order[k], share(1, in_symbol[1, g, order[k]]), \
			share(2, in_symbol[2, g, order[k]]))
	if (rest_a + rest_b > 0)
		line("    ", "(each below " limit " %)", rest_a, rest_b)
}

END {
	printf "%-40s %16s %16s %9s\n", "", substr(name_a, 1, 16), \
		substr(name_b, 1, 16), "change"
	printf "%-40s %16d %16d\n", "samples", total[1], total[2]
	for (i = 1; i <= group_count; i++) {
		g = group_order[i]
		if (!in_group[1, g] && !in_group[2, g])
			continue
		line("", group_text[g], share(1, in_group[1, g]), \
			share(2, in_group[2, g]))
		symbols_of(g)
	}
	# Two standard errors of the difference of two shares of one half, the
	# worst case, in points.
	printf "\nChanges below about %.1f points are chance: two standard" \
		" errors at most.\n", \
		100 * sqrt(1 / total[1] + 1 / total[2])
}
