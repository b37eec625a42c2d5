#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/headers.sh - each public header compiles alone
#
# usage: sh test/build/headers.sh CC CXX
#
# In each C and C++ dialect, included twice, with all warnings as errors: as it
# comes, with misuse checks, with event counters, and in each back end.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
cc=${1:?a C compiler, then a C++ compiler}
cxx=${2:?a C++ compiler}

cd "$top/include"
# Back ends come in through atomic.h, arch/ through the native back end.
headers=$(find . -maxdepth 2 -name '*.h' ! -name 'backend_*' | sort)

# alone HEADER FLAGS...: the header as the whole of a program.
alone()
{
	header=${1#./}
	shift
	for ext in c cc; do
		printf '#include <%s>\n#include <%s>\ntypedef int not_empty;\n' \
			"$header" "$header" >"$tmp/alone.$ext"
	done
	# $warnings is a list: to be split.
	# shellcheck disable=SC2086
	for std in c11 gnu11 c17; do
		check "$header, $cc -std=$std $*" "$cc" -std=$std $warnings \
			-I. -fsyntax-only "$@" "$tmp/alone.c"
	done
	# shellcheck disable=SC2086
	check "$header, $cxx -std=c++17 $*" "$cxx" -std=c++17 $warnings \
		-I. -fsyntax-only "$@" "$tmp/alone.cc"
}

for h in $headers; do
	alone "$h" -DTKT_DEBUG=0
	alone "$h" -DTKT_DEBUG=2
	alone "$h" -DTKT_EVENTS=1
done
for backend in tkt/backend_*.h; do
	alone tkt.h "-DTKT_BACKEND=<$backend>"
	alone tkt/atomic.h "-DTKT_BACKEND=<$backend>"
done
alone tkt.h -DTKT_VALGRIND=1
finish
