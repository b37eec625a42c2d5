# SPDX-License-Identifier: MIT
# perf-scripts/fold.awk - stacks of `perf script -F ip,sym,dso`, one a line
#
# Samples are separated by blank lines; each frame is an address, a symbol and,
# in parentheses, a file, the innermost first.  Frames without a symbol are
# named after their file; those without either, mostly the remains of a walk
# that lost its way, are one frame together.

function flush(    i, line)
{
	if (!depth)
		return
	# What lies beyond the last frame with a name says nothing.
	while (depth > 1 && frame[depth] == "[unknown]")
		depth--
	line = frame[depth]
	for (i = depth - 1; i >= 1; i--)
		line = line ";" frame[i]
	print line
	depth = 0
}

NF == 0 {
	flush()
	next
}

$1 ~ /^[0-9a-f]+$/ {
	name = $0
	file = ""
	sub(/^[ \t]*[0-9a-f]+ /, "", name)
	if (match(name, / \([^()]*(\([^()]*\)[^()]*)*\)[ \t]*$/)) {
		file = substr(name, RSTART + 2)
		sub(/\)[ \t]*$/, "", file)
		name = substr(name, 1, RSTART - 1)
	}
	# The kernel itself, or one of its modules.
	kernel = file ~ /^\[[a-z0-9_.]+\]$/ || file ~ /\.ko(\.[a-z]+)?$/
	if (file ~ /^\[(vdso|vsyscall|unknown|heap|stack)\]$/)
		kernel = 0
	# What compilers append to a function's name, symbol versions, and
	# glibc's name for its own use of a function.
	sub(/@.*$/, "", name)
	sub(/^__GI_/, "", name)
	while (sub(/\.(isra|constprop|part|cold|lto_priv)(\.[0-9]+)*$/, "", name))
		;
	gsub(/;/, ":", name)
	if (name == "[unknown]" && file != "" && file != "[unknown]") {
		sub(/^.*\//, "", file)
		gsub(/[][;]/, "", file)
		name = "[" file "]"
	}
	if (kernel && name != "[unknown]")
		name = name "_[k]"
	if (depth && name == frame[depth] && name ~ /^\[/)
		next
	frame[++depth] = name
}

END {
	flush()
}
