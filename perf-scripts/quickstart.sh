#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/quickstart.sh - the main job, from a fresh Debian 12
#
# usage: sh perf-scripts/quickstart.sh [--no-install]
#
# Installs the Debian packages that are missing (as root, or through sudo),
# builds the tool in build/, runs the short workfile with the locks ticket,
# rfc2013 and tkt, for 1, 4 and 16 users, and prints the table and where its
# CSV lies.  Takes a minute; may be run again at any time.
#
#   --no-install  do not look for packages
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"

install=yes
for argument; do
	case $argument in
	--no-install) install=no ;;
	-h | --help)
		usage
		exit
		;;
	*) die "unknown argument '$argument'; --help lists them" ;;
	esac
done

if [ "$install" = yes ]; then
	need_packages gcc libc6-dev make cmake pkg-config libjansson-dev
fi

build=$top/build
csv=$build/quickstart.csv
log=$build/quickstart.log
mkdir -p "$build"
[ -w "$build" ] || die "cannot write to $build: made by another user?"

# A build directory that is there keeps its options.
if [ ! -f "$build/CMakeCache.txt" ]; then
	cmake -S "$top" -B "$build" -DTKT_BUILD_TESTS=OFF >"$log" 2>&1 ||
		die "cannot configure; see $log"
fi
cmake --build "$build" -j "$(nproc)" >"$log" 2>&1 ||
	die "does not build; see $log"

"$build/tkt" run short --lock ticket,rfc2013,tkt --users 1,4,16 \
	--seconds 1 --repeat 3 --format csv --out "$csv" --table
echo "all rows: $csv"
