#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/labels.sh - the labels of ordered accesses are complete
#
# usage: sh test/build/labels.sh
#
# labels.awk states the rule.  The headers are one name space; each lock in
# src/locks is one of its own, and so is each file of the kernel dio.  The
# checker is tested first: on small texts, and on the real headers with one
# label after the other taken out.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"

run()
{
	awk -f "$top/test/build/labels.awk" "$@"
}

# text: stdin becomes the next text to judge.
text()
{
	cat >"$tmp/text.h"
}

text <<'END'
/* T1: a label that is attached to nothing defines nothing. */

/* Speaks of TKT_ACQUIRE, accesses nothing. */
static void f(int *p)
{
	/* A1: sees the data; pairs with R1. */
	if (TKT_LOAD(p, TKT_ACQUIRE))
		return;
	TKT_STORE(p, 1, TKT_RELAXED);
	TKT_STORE(p,
		  /* R1: publishes the data.
		   * Pairs with A1 and A2 to A4, RC11 demands it. */
		  1, TKT_RELEASE);
	g(TKT_LOAD(p, TKT_ACQUIRE)); /* A2: the same, pairs
				      * with R1. */
	/* A3: as A1. */
	TKT_LOAD(p, TKT_ACQUIRE);
	/* A4: pairs with
	 * R1: as A1 does. */
	TKT_LOAD(p, TKT_ACQUIRE);
	TKT_FENCE_SC(); /* F1: orders both; pairs with itself */
}
END
sed 's/, RC11 demands it//' "$tmp/text.h" >"$tmp/good.h"
check 'a good text passes' run "$tmp/good.h"
refuse 'a partner that does not exist' 'RC11, which labels no' \
	run "$tmp/text.h"

sed 's/A1: sees/Sees/' "$tmp/good.h" | text
refuse 'a label left out' 'no label: if (TKT_LOAD' run "$tmp/text.h"
sed 's/sees the data; pairs with R1/sees/' "$tmp/good.h" | text
refuse 'a label without a partner' 'A1 names no partner' run "$tmp/text.h"
for left in 'A3 to A4' 'A2 and A4' 'A2 to A3'; do
	sed "s/A1 and A2 to A4/A1 and $left/" "$tmp/good.h" | text
	refuse 'a pair named on one side' 'pairs with R1, which does not name' \
		run "$tmp/text.h"
done
sed 's/as A1\./as A7./' "$tmp/good.h" | text
refuse 'as a label that does not exist' 'A3 is as A7' run "$tmp/text.h"
sed 's/A2/A1/' "$tmp/good.h" | text
refuse 'a label that stands twice' 'A1 stands also at' run "$tmp/text.h"
sed 's/F1: //' "$tmp/good.h" | text
refuse 'a fence without a label' 'no label: TKT_FENCE_SC' run "$tmp/text.h"
sed '/pairs with R1/G' "$tmp/good.h" | text
refuse 'a label above a blank line' 'no label: if (TKT_LOAD' run "$tmp/text.h"
refuse 'a label in another file' 'no label' run "$tmp/good.h" "$tmp/text.h"

# The accessors' own files are exempt: they define the names.
headers=$(find "$top/include" -name '*.h' ! -name 'backend_*' \
	! -name atomic.h | sort)
# A list of file names without blanks: to be split, here and below.
# shellcheck disable=SC2086
run $headers >"$tmp/headers" || true
tail -n 1 "$tmp/headers"
# shellcheck disable=SC2086
check 'include/' run $headers
check 'include/ has ordered accesses' grep -q '^[1-9]' "$tmp/headers"
for f in "$top"/src/locks/*.[ch] "$top"/src/kernels/dio*.[ch]; do
	check "${f#"$top/"}" run "$f"
done

# Take one definition out of the real headers at a time.
mkdir "$tmp/cut"
# shellcheck disable=SC2086
for label in $(grep -h -o '^[^A-Za-z]*[A-Z][A-Z]*[0-9][0-9]*:' $headers |
	tr -d '\t /*:' | sort -u); do
	for f in $headers; do
		sed "s/^\([^A-Za-z]*\)$label:/\1/" "$f" \
			>"$tmp/cut/$(basename "$f")"
	done
	refuse "include/ without label $label" "no label\|$label" \
		run "$tmp"/cut/*.h
done
finish
