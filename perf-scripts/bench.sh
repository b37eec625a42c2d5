#!/bin/sh
# SPDX-License-Identifier: MIT
# perf-scripts/bench.sh - the benches, against the locks of other libraries
#
# usage: sh perf-scripts/bench.sh [--no-install] [must-hold | suites | anatomy]
#
# Installs the Debian packages that are missing (as root, or through sudo),
# builds the benches in build-bench/, and runs, pinned to nothing and best on a
# machine that does nothing else:
#
#   must-hold  what the lock promises about speed, row by row: asked, measured,
#              held or not; about 5 minutes (the default)
#   suites     every suite, each lock, 5 rounds; ratios against pthread-mutex at
#              the end, all figures in build-bench/suites.json; half an hour
#   anatomy    what an uncontended pair of lock and unlock is made of; seconds
#
#   --no-install  do not look for packages
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"

install=yes
what=must-hold
for argument; do
	case $argument in
	--no-install) install=no ;;
	must-hold | suites | anatomy) what=$argument ;;
	-h | --help)
		usage
		exit
		;;
	*) die "unknown argument '$argument'; --help lists them" ;;
	esac
done

if [ "$install" = yes ]; then
	need_packages gcc g++ libc6-dev make cmake pkg-config libjansson-dev \
		libbenchmark-dev libck-dev libabsl-dev libnsync-dev
fi

build=$top/build-bench
log=$build/bench.log
mkdir -p "$build"
[ -w "$build" ] || die "cannot write to $build: made by another user?"
cmake -S "$top" -B "$build" -DTKT_BENCH=ON -DTKT_BUILD_TESTS=OFF \
	>"$log" 2>&1 || die "cannot configure; see $log"
cmake --build "$build" -j "$(nproc)" >"$log" 2>&1 ||
	die "does not build; see $log"

case $what in
must-hold) "$build/tkt-musthold" ;;
anatomy) "$build/tkt-anatomy" 101 ;;
suites)
	"$build/tkt-bench" --summary pthread-mutex \
		--benchmark_out="$build/suites.json" \
		--benchmark_out_format=json
	echo "all figures: $build/suites.json"
	;;
esac
