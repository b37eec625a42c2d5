# SPDX-License-Identifier: MIT
# perf-scripts/flame.awk - a flame graph, or the difference of two, as SVG
#
# TITLE=TEXT [BASE=TEXT] awk -v groups=FILE -f groups.awk -f flame.awk
#
# Input: stacks joined by the character 1, sorted so that those with the same
# beginning stand together; then, after tabs, the samples of the profile and of
# the one to compare with (0 if there is none; BASE names it).
#
# A stack is a column of boxes, the root at the bottom; boxes side by side with
# the same name are one.  So a box is as wide as its share of the samples.  It
# is coloured by its group (groups.txt), the nearest below it that has one, or,
# against a base, by how its share changed.  A box's title, which browsers show
# where the pointer is, has the whole name and the numbers.

BEGIN {
	FS = "\t"
	title = ENVIRON["TITLE"]
	base = ENVIRON["BASE"]
	width = 1200
	margin = 10
	row = 18
	groups_read()
	# The palette of Okabe and Ito, which colour-blind people can tell
	# apart, lightened where black text stands on it.
	colour["window"] = "#e69f00"
	colour["room"] = "#f0e442"
	colour["hand-over"] = "#cc79a7"
	colour["section"] = "#29b887"
	colour["kernel"] = "#56b4e9"
	colour["rest"] = "#c8c8c8"
}

{
	stack[NR] = $1
	count[NR] = $2
	before[NR] = $3
	total += $2
	total_before += $3
	n = split($1, part, "\001")
	if (n > deepest)
		deepest = n
}

function escape(text)
{
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	gsub(/"/, "\\&quot;", text)
	gsub(/[\001-\037]/, " ", text)
	return text
}

# Share of a in one and b in the other profile; the change decides: from white
# to orange for more, to blue for less, full at a fifth of all samples.
function change_colour(change,    k)
{
	k = change / 20
	if (k > 1)
		k = 1
	if (k < -1)
		k = -1
	if (k >= 0)
		return sprintf("#%02x%02x%02x", 255 - k * 25, 245 - k * 140, \
			235 - k * 235)
	k = -k
	return sprintf("#%02x%02x%02x", 235 - k * 145, 245 - k * 65, 255 - k * 22)
}

# The box of level d, which ends before sample `end`.
function box(d, end, end_before,    x, w, y, text, tip, fits, fill, was, now)
{
	x = margin + (width - 2 * margin) * start[d] / total
	w = (width - 2 * margin) * (end - start[d]) / total
	if (w < 0.3)
		return
	y = bottom - row * d
	now = 100 * (end - start[d]) / total
	tip = name[d] ": " (end - start[d]) " samples, " \
		sprintf("%.2f %%", now)
	if (base != "") {
		was = 100 * (end_before - start_before[d]) / total_before
		tip = tip sprintf(", %+.2f points against %.2f %%", now - was, \
			was)
		fill = change_colour(now - was)
	} else {
		fill = colour[group[d]]
		if (d > 0)
			tip = tip " (" group_text[group[d]] ")"
	}
	printf "<g><title>%s</title><rect x=\"%.2f\" y=\"%d\"" \
		" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", \
		escape(tip), x, y, w, row - 1, fill
	fits = int((w - 6) / 7.25)
	if (fits >= 3) {
		text = name[d]
		if (length(text) > fits)
			text = substr(text, 1, fits - 2) ".."
		printf "<text x=\"%.2f\" y=\"%d\">%s</text>", x + 3, y + 13, \
			escape(text)
	}
	print "</g>"
}

function swatch(x, fill, text)
{
	printf "<rect x=\"%d\" y=\"50\" width=\"14\" height=\"14\"" \
		" fill=\"%s\" class=\"key\"/>" \
		"<text x=\"%d\" y=\"61\" class=\"on\">%s</text>\n", x, fill, \
		x + 19, escape(text)
	return x + 19 + 7.25 * length(text) + 18
}

function head(    i, x, g)
{
	height = 76 + row * (deepest + 1) + margin
	bottom = height - margin - row
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\"" \
		" viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\"" \
		" aria-labelledby=\"flame-title\">\n", width, height
	printf "<title id=\"flame-title\">%s</title>\n", escape(title)
	print "<style>" \
		"text{font:12px ui-monospace,DejaVu Sans Mono,monospace;" \
		"fill:#000}" \
		"text.on{fill:#222}text.big{font-size:18px;font-weight:bold}" \
		"svg{background:#fff}rect.key{stroke:#888}" \
		"g:hover rect{stroke:#000;stroke-width:1.5}" \
		"@media(prefers-color-scheme:dark){svg{background:#1c1c1c}" \
		"text.on{fill:#eee}g:hover rect{stroke:#fff}}</style>"
	printf "<text x=\"%d\" y=\"24\" class=\"on big\">%s</text>\n", \
		margin, escape(title)
	printf "<text x=\"%d\" y=\"42\" class=\"on\">%s</text>\n", margin, \
		escape(total " samples; a box is as wide as its share" \
		(base == "" ? "" : ", coloured by the change against " base \
		" (" total_before " samples)"))
	x = margin
	if (base != "") {
		x = swatch(x, change_colour(-20), "20 points less, or more")
		x = swatch(x, change_colour(-5), "5 less")
		x = swatch(x, change_colour(0), "the same")
		x = swatch(x, change_colour(5), "5 more")
		x = swatch(x, change_colour(20), "20 points more, or above")
		return
	}
	for (i = 1; i <= group_count; i++)
		x = swatch(x, colour[group_order[i]], \
			group_text[group_order[i]])
}

# Closes the boxes from level `open` down to `d`, above it.
function close_to(d, at, at_before)
{
	for (; open > d; open--)
		box(open, at, at_before)
}

END {
	if (!total || (base != "" && !total_before))
		exit 1
	head()
	name[0] = "all"
	group[0] = "rest"
	start[0] = start_before[0] = 0
	open = 0
	for (i = 1; i <= NR; i++) {
		n = split(stack[i], part, "\001")
		for (same = 0; same < open && same < n; same++)
			if (name[same + 1] != part[same + 1])
				break
		close_to(same, at, at_before)
		for (d = open + 1; d <= n; d++) {
			name[d] = part[d]
			start[d] = at
			start_before[d] = at_before
			g = group_of(part[d])
			group[d] = g != "" ? g : group[d - 1]
		}
		open = n
		at += count[i]
		at_before += before[i]
	}
	close_to(-1, at, at_before)
	print "</svg>"
}
