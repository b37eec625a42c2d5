# SPDX-License-Identifier: MIT
# perf-scripts/ranked.awk - to be given to awk before a script that uses it

# Fills order[1..n] with the keys of count[] whose value is at least `floor`,
# the greatest first, equal ones by name; returns n.
function ranked(count, order, floor,    key, n, i)
{
	n = 0
	for (key in count) {
		if (count[key] < floor)
			continue
		for (i = n++; i >= 1; i--) {
			if (count[order[i]] > count[key] ||
			    (count[order[i]] == count[key] &&
			     order[i] < key))
				break
			order[i + 1] = order[i]
		}
		order[i + 1] = key
	}
	return n
}

# The frames of a folded stack, in frame[1..n], its samples in `samples`;
# returns n.
function stack_read(frame)
{
	samples = $NF
	sub(/ [0-9]+$/, "")
	return split($0, frame, ";")
}
