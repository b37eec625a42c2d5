# SPDX-License-Identifier: MIT
# test/build/labels.awk - each ordered access carries a label, each label a pair
#
# usage: awk -f labels.awk [-v list=1] FILE.h...
#
# With list=1 it names the accesses instead: label, file, first and last line,
# and each order in the statement.
#
# An ordered access is a statement that contains, outside comments, one of
# TKT_ACQUIRE, TKT_RELEASE, TKT_ACQ_REL and TKT_FENCE_SC.  Its label stands in
# a comment inside the statement, behind it on its last line, or directly above
# it (no blank line between), at the start of a line of the comment:
#
#	/* A1: see what the last owner wrote; pairs with R1 and R3 to R5. */
#	/* A2: as A1. */
#
# What follows "pairs with", up to ". ; :" or ", as", names its partners; "as
# A1" right behind a label means A1's.  Each partner labels an ordered access
# in the files given and names this one in return; no label stands twice.
# "itself" is a partner, and so is "the user's" whatever: an access in the code
# that calls the library.  The files given are one name space.

function complain(where, text)
{
	print where ": " text
	errors++
}

function is_label(line, before)
{
	return line ~ /^[A-Z]+[0-9]+:/ && before !~ /([Ww]ith|and|to|,) *$/
}

# The labels of one comment, and the partners each of them names.
function take_labels(text, where,    line, n, i, label, pairs)
{
	n = split(text, line, "\n")
	label = pairs = ""
	for (i = 1; i <= n; i++) {
		if (is_label(line[i], pairs)) {
			if (label != "")
				take_partners(label, pairs, where)
			label = line[i]
			sub(/:.*/, "", label)
			pairs = ""
			if (label in defined)
				complain(where, label " stands also at " \
					defined[label])
			defined[label] = where
			last_label = label
			labels++
		}
		pairs = pairs " " line[i]
	}
	if (label != "")
		take_partners(label, pairs, where)
}

function take_partners(label, text, where,    found, list)
{
	sub(/^ *[A-Z]+[0-9]+: */, "", text)
	if (match(text, /^[Aa]s [A-Z]+[0-9]+/)) {
		same[label] = substr(text, 4, RLENGTH - 3)
		found++
	}
	while (match(text, /[Pp]airs +with +/)) {
		text = substr(text, RSTART + RLENGTH)
		list = text
		sub(/([.;:]|, as ).*/, "", list)
		if (list ~ /^the user's/)
			found++
		if (list ~ /^itself/)
			list = label
		found += take_list(label, list, where)
	}
	if (!found)
		complain(where, label " names no partner")
}

# "A1, A2 and B3 to B5": each of them, and how many they are.
function take_list(label, list, where,    n, i, word, name, last, count)
{
	n = split(list, word, / +/)
	for (i = 1; i <= n; i++) {
		if (!match(word[i], /^\(?[A-Z]+[0-9]+/))
			continue
		name = word[i]
		gsub(/[^A-Z0-9]/, "", name)
		if (last != "" && word[i - 1] == "to")
			while (last != name && ++steps[label, name] < 100)
				partner[label, last = successor(last)] = where
		partner[label, name] = where
		last = name
		count++
	}
	return count
}

function successor(label,    digits)
{
	match(label, /[0-9]+/)
	digits = substr(label, RSTART)
	return substr(label, 1, RSTART - 1) (digits + 1)
}

# Copies the partners of those that only say "as A1".
function resolve_same(    label, pair, name)
{
	for (label in same) {
		if (!(same[label] in defined) || same[label] in same)
			complain(defined[label], label " is as " same[label] \
				", which names no partner itself")
		for (pair in partner) {
			split(pair, name, SUBSEP)
			if (name[1] == same[label])
				inherited[label, name[2]] = defined[label]
		}
	}
	for (pair in inherited)
		partner[pair] = inherited[pair]
}

# The statement is complete, and so is the comment behind it.
function end_statement()
{
	# Blanks around it, so that each name has neighbours.
	if (" " code " " ~ ordered) {
		accesses++
		had = labels
		take_labels(comment, start)
		if (labels == had)
			complain(start, "no label: " code)
		else if (list)
			print_access()
	}
	code = comment = ""
	ended = 0
}

# Of several labels on one statement, as of several orders, each is meant.
function print_access(    place, names, n, i, word)
{
	place = start
	sub(/:/, " ", place)
	n = split(code, word, /[^A-Za-z0-9_]+/)
	for (i = 1; i <= n; i++)
		if (" " word[i] " " ~ ordered)
			names = names " " word[i]
	print last_label, place, last_line names
}

BEGIN {
	ordered = "[^A-Za-z0-9_]TKT_(ACQUIRE|RELEASE|ACQ_REL|FENCE_SC)" \
		"[^A-Za-z0-9_]"
}

FNR == 1 {
	code = comment = ""
	ended = in_comment = 0
}

{
	line = $0
	sub(/[ \t]*\\$/, "", line)
	sub(/^[ \t]+/, "", line)
	if (line == "" && code == "") {
		comment = ""
		next
	}
	while (line != "") {
		if (in_comment) {
			end = index(line, "*/")
			text = end ? substr(line, 1, end - 1) : line
			sub(/^[ \t]*\**[ \t]*/, "", text)
			comment = comment "\n" text
			in_comment = !end
			line = end ? substr(line, end + 2) : ""
			continue
		}
		begin = index(line, "/*")
		text = begin ? substr(line, 1, begin - 1) : line
		sub(/[ \t]+$/, "", text)
		if (text != "") {
			if (ended)
				end_statement()
			if (code == "")
				start = FILENAME ":" FNR
			code = code (code == "" ? "" : " ") text
			last_line = FNR
			ended = text ~ /[;{}:]$/ || text ~ /^#/
		}
		in_comment = begin > 0
		line = begin ? substr(line, begin + 2) : ""
	}
	if (ended && !in_comment)
		end_statement()
}

END {
	if (list)
		exit errors > 0
	resolve_same()
	for (pair in partner) {
		split(pair, name, SUBSEP)
		if (!(name[2] in defined))
			complain(partner[pair], name[1] " pairs with " name[2] \
				", which labels no ordered access")
		else if (!((name[2], name[1]) in partner))
			complain(partner[pair], name[1] " pairs with " name[2] \
				", which does not name it in return")
	}
	printf "%d ordered accesses, %d labels, %d errors\n", accesses, \
		labels, errors
	exit errors > 0
}
