# SPDX-License-Identifier: MIT
# perf-scripts/groups.awk - the groups of groups.txt, read with -v groups=FILE
#
# To be given to awk before a script that uses it.

function groups_read(    line, part)
{
	while ((getline line <groups) > 0) {
		if (line ~ /^[ \t]*(#|$)/)
			continue
		split(line, part, /[ \t]+/)
		group_of_line[++group_lines] = part[1]
		group_pattern[group_lines] = "^(" part[2] ")$"
	}
	close(groups)
	group_text["window"] = "waiting in the window"
	group_text["room"] = "waiting in the room"
	group_text["hand-over"] = "hand-over"
	group_text["section"] = "critical section, and beside it"
	group_text["kernel"] = "kernel: futex, scheduler"
	group_text["rest"] = "the rest"
	group_count = split("window room hand-over section kernel rest", \
		group_order, " ")
}

# The group of a frame by its own name, or "".
function group_of(name,    i)
{
	if (name in group_known)
		return group_known[name]
	for (i = 1; i <= group_lines; i++)
		if (name ~ group_pattern[i])
			return group_known[name] = group_of_line[i]
	return group_known[name] = ""
}

# The group of a stack of n frames, the innermost last.
function group_of_stack(frame, n,    g)
{
	for (; n >= 1; n--) {
		g = group_of(frame[n])
		if (g != "")
			return g
	}
	return "rest"
}
