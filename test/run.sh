#!/bin/sh
# SPDX-License-Identifier: MIT
# test/run.sh - everything that can be tested, from a fresh Debian 12
#
# usage: sh test/run.sh [--no-install] [--build DIR]
#
# Installs the Debian packages that are missing (as root, or through sudo),
# then builds in DIR (default: build-test) and runs, each ending with ctest's
# closing lines:
#
#   gcc    build, unit, tool, stress, cross and model tests, and the benches
#   clang  unit, tool and stress tests, and the fuzz targets
#   tsan   unit and stress tests under ThreadSanitizer
#   asan   unit, tool and stress tests under AddressSanitizer and
#          UndefinedBehaviorSanitizer, with the library's own misuse checks
#
# Ends with a summary; the exit status is 0 if all of them passed.  Takes
# about half an hour on two cores.
#
#   --no-install  do not look for packages
#   --build DIR   where to build
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"

install=yes
build=$top/build-test
while [ $# -gt 0 ]; do
	case $1 in
	--no-install) install=no ;;
	--build)
		[ $# -gt 1 ] || die "--build needs a directory"
		build=$2
		shift
		;;
	-h | --help)
		usage
		exit
		;;
	*) die "unknown argument '$1'; --help lists them" ;;
	esac
	shift
done

if [ "$install" = yes ]; then
	need_packages gcc g++ clang libclang-rt-14-dev cmake ninja-build make \
		pkg-config libcmocka-dev libjansson-dev libbenchmark-dev \
		libck-dev libabsl-dev libnsync-dev systemtap-sdt-dev \
		clang-format \
		shellcheck valgrind python3 qemu-user \
		gcc-aarch64-linux-gnu g++-aarch64-linux-gnu \
		gcc-riscv64-linux-gnu g++-riscv64-linux-gnu \
		gcc-s390x-linux-gnu g++-s390x-linux-gnu
fi

# ThreadSanitizer of gcc 12 and clang 14 cannot map its shadow memory where
# the kernel randomises more than 28 bits of addresses.
fixed_addresses()
{
	if setarch -R true 2>/dev/null; then
		setarch -R "$@"
	else
		"$@"
	fi
}

mkdir -p "$build"
summary=$build/summary
: >"$summary"
status=0

# tests NAME DIR CTEST_OPTION...: runs tests of a build, adds to the summary.
tests()
{
	name=$1
	dir=$2
	shift 2
	printf '== %s: test\n' "$name"
	ran=$dir/ran
	# The exit status of ctest goes through a file: POSIX pipes have only
	# that of their last command.
	echo 1 >"$ran"
	{ fixed_addresses ctest -j 2 --test-dir "$dir" "$@" --no-tests=error \
		--timeout 1200 --output-on-failure --no-label-summary 2>&1 &&
		echo 0 >"$ran"; } | tee "$build/$name.log"
	[ "$(cat "$ran")" -eq 0 ] || status=1
	closing=$(grep '^[0-9]*% tests passed' "$build/$name.log" |
		tail -n 1)
	echo "$name: ${closing:-no tests ran}" >>"$summary"
}

# section NAME LABELS CMAKE_OPTION...: configures, builds and tests in
# $build/NAME, without what $apart names.
section()
{
	name=$1
	labels=$2
	shift 2
	printf '\n== %s: build\n' "$name"
	if ! { cmake -S "$top" -B "$build/$name" -G Ninja "$@" &&
		cmake --build "$build/$name"; } >"$build/$name.log" 2>&1; then
		grep -v -e '^-- ' -e '^\[' "$build/$name.log" | tail -n 40
		echo "$name: does not build" | tee -a "$summary"
		status=1
		return 0
	fi
	tests "$name" "$build/$name" -L "$labels" -E "$apart"
}

# Valgrind is installed by now: its tests must not be skipped.
export STRESS_NO_SKIP=yes
began=$(date +%s)
apart='^stress\.(mutant|original)\.'
section gcc 'build|unit|tool|stress|cross|model' -DTKT_BENCH=ON \
	-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
# It does not matter which compiler built what perf looks at.
apart="$apart|^tool\.(perf|probes)\$"
# What is broken on purpose says nothing about a compiler: once is enough.  A
# fault that a machine's load hides from one run may show in the next; the
# originals, with the very same flags, get no second chance.
tests originals "$build/gcc" -R '^stress\.original\.'
tests mutants "$build/gcc" -R '^stress\.mutant\.' --repeat until-pass:3
section clang 'unit|tool|stress|fuzz' -DTKT_FUZZ=ON \
	-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
section tsan 'unit|stress' -DTKT_SANITIZE=thread \
	-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
section asan 'unit|tool|stress' -DTKT_SANITIZE=address,undefined \
	-DTKT_DEBUG=2 -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++

printf '\n== summary, after %d s\n' $(($(date +%s) - began))
cat "$summary"
exit "$status"
