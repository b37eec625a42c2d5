# SPDX-License-Identifier: MIT
# perf-scripts/report.awk - a profile as text, from folded stacks
#
# awk -v title=TEXT -v limit=PERCENT -f ranked.awk -f report.awk FOLDED
#
# Two parts: where the samples are, each symbol with those who call it; and
# what the callers spend them on, each with those whom it calls.  Nothing below
# limit percent of all samples is printed.

{
	n = stack_read(frame)
	total += samples
	leaf = frame[n]
	self[leaf] += samples
	path = leaf
	for (i = n - 1; i >= 1 && n - i <= 12; i--) {
		up = path SUBSEP frame[i]
		if (!(up in calls)) {
			# Children of a path: a list by number.
			child[path, ++children[path]] = up
			name_of[up] = frame[i]
		}
		calls[up] += samples
		path = up
	}
	split("", seen)
	for (i = 1; i <= n; i++) {
		if (!(frame[i] in seen)) {
			seen[frame[i]] = 1
			all[frame[i]] += samples
		}
		pair = i < n ? frame[i] SUBSEP frame[i + 1] : ""
		if (pair != "" && !(pair in seen)) {
			seen[pair] = 1
			if (!(pair in callee))
				callees[frame[i], ++callee_count[frame[i]]] = \
					frame[i + 1]
			callee[pair] += samples
		}
	}
}

# The next step up from `path`, if there is but one that counts and it has all
# of the samples that have a caller.
function only_child(path,    i, at, best)
{
	best = ""
	for (i = 1; i <= children[path]; i++) {
		at = child[path, i]
		if (calls[at] < floor)
			continue
		if (best != "")
			return ""
		best = at
	}
	return best != "" && calls[best] >= 0.995 * calls[path] ? best : ""
}

function callers(path, base, depth,    i, k, n, at, line, count, order, next_up)
{
	split("", count)
	for (i = 1; i <= children[path]; i++)
		count[child[path, i]] = calls[child[path, i]]
	n = ranked(count, order, floor)
	for (k = 1; k <= n; k++) {
		at = order[k]
		line = sprintf("%" (22 + 4 * depth) "s%6.2f %%  %s", "", \
			100 * calls[at] / base, name_of[at])
		while ((next_up = only_child(at)) != "") {
			at = next_up
			line = line " < " name_of[at]
		}
		print line
		if (depth < 5)
			callers(at, base, depth + 1)
	}
}

function called(name,    i, k, n, count, order, to)
{
	split("", count)
	for (i = 1; i <= callee_count[name]; i++) {
		to = callees[name, i]
		count[to] = callee[name, to]
	}
	if (self[name])
		count["(itself)"] = self[name]
	n = ranked(count, order, floor)
	for (k = 1; k <= n; k++)
		printf "%22s%6.2f %%  %s\n", "", \
			100 * count[order[k]] / all[name], order[k]
}

END {
	if (!total) {
		print title ": no samples"
		exit
	}
	floor = total * limit / 100
	printf "%s: %d samples; below %s %% left out\n", title, total, limit
	print "\nWhere the samples are; below each symbol, who calls it:\n"
	print "    share    samples  symbol"
	n = ranked(self, order, floor)
	for (k = 1; k <= n; k++) {
		printf "%7.2f %% %10d  %s\n", 100 * self[order[k]] / total, \
			self[order[k]], order[k]
		callers(order[k], self[order[k]], 0)
	}
	print "\nWith all that is called from there; below each, what it" \
		" calls:\n"
	print "    share    samples  symbol"
	n = ranked(all, order, floor)
	for (k = 1; k <= n; k++) {
		if (self[order[k]] == all[order[k]])
			continue
		printf "%7.2f %% %10d  %s\n", 100 * all[order[k]] / total, \
			all[order[k]], order[k]
		called(order[k])
	}
}
