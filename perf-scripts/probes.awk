# SPDX-License-Identifier: MIT
# perf-scripts/probes.awk - histograms of depth and wait
#
# Input, in any order: `n PROBE DEPTH COUNT`; `w NS COUNT`, a bucket of waits
# from NS up to twice that; `l LOCK COUNT NS`, a lock's waits and their sum.

# Where the bucket of a depth begins: each its own up to 16, then powers of two.
function depth_bucket(d,    low)
{
	if (d <= 16)
		return d + 0
	for (low = 16; low * 2 < d; low *= 2)
		;
	return low + 1
}

$1 == "n" {
	at = depth_bucket($3)
	depth[$2, at] += $4
	fired[$2] += $4
	if (at > deepest[$2])
		deepest[$2] = at
}

$1 == "w" {
	bucket[$2 + 0] += $3
	waits += $3
	if ($2 > longest)
		longest = $2 + 0
}

$1 == "l" {
	lock_waits[$2] += $3
	lock_ns[$2] += $4
	ns += $4
}

function time(ns)
{
	if (ns < 1e3)
		return sprintf("%6.0f ns", ns)
	if (ns < 1e6)
		return sprintf("%6.1f us", ns / 1e3)
	if (ns < 1e9)
		return sprintf("%6.1f ms", ns / 1e6)
	return sprintf("%6.1f s ", ns / 1e9)
}

function bar(part, whole,    n, text)
{
	for (n = int(40 * part / whole + 0.5); n > 0; n--)
		text = text "#"
	return text
}

function depths_of(name,    d, low, text)
{
	printf "tkt:%s, %d times; threads at the lock, and how often\n", name, \
		fired[name]
	for (d = 0; d <= deepest[name]; d++) {
		if (!((name, d) in depth))
			continue
		low = d - 1
		text = d <= 16 ? d : d "-" 2 * low
		printf "%12s %12d  %s\n", text, depth[name, d], \
			bar(depth[name, d], fired[name])
	}
	print ""
}

function waits_of_all(    low)
{
	if (!waits) {
		print "No thread waited."
		return
	}
	printf "%d waits, %s on average; from this on, and how often\n", \
		waits, time(ns / waits)
	for (low = 0; low <= longest; low = low ? low * 2 : 1)
		if (low in bucket)
			printf "%12s %12d  %s\n", time(low), bucket[low], \
				bar(bucket[low], waits)
	print "\nLocks by the time waited for them"
}

# The address, in hex whatever the tracer wrote.
function address(text,    digits, d)
{
	if (text ~ /^0x/)
		return text
	# Too long for printf's %x in some awks: digit by digit, exact below
	# 2^53, as addresses of programs are.
	for (text += 0; text >= 1; text = int(text / 16)) {
		d = text % 16
		digits = substr("0123456789abcdef", d + 1, 1) digits
	}
	return "0x" digits
}

END {
	count = split("ticket_wait queue_enter queue_head park wake" \
		" restricted acquired", order, " ")
	for (i = 1; i <= count; i++)
		known[order[i]] = 1
	for (name in fired)
		if (!(name in known))
			order[++count] = name
	for (i = 1; i <= count; i++)
		if (order[i] in fired)
			depths_of(order[i])
	waits_of_all()
	for (n = 0; n < 10; n++) {
		most = ""
		for (lock in lock_ns)
			if (most == "" || lock_ns[lock] > lock_ns[most])
				most = lock
		if (most == "")
			break
		printf "%20s %12d waits, %s on average\n", address(most), \
			lock_waits[most], time(lock_ns[most] / lock_waits[most])
		delete lock_ns[most]
	}
}
