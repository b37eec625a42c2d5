#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/cross/cross.sh - the unit tests, built for another processor
#
# usage: sh test/build/cross/cross.sh ARCH BUILD_DIR
#
# ARCH is aarch64, riscv64 or s390x (big-endian, and without a spin hint of its
# own).  Needs Debian's cross compilers for C and C++, and qemu-user, which
# runs the tests.  qemu does not reorder memory accesses: this checks
# portability, not memory ordering.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
# shellcheck source=perf-scripts/lib.sh
. "$top/perf-scripts/lib.sh"

case ${1-} in
-h | --help)
	usage
	exit
	;;
aarch64 | riscv64 | s390x) ;;
*) die "ARCH must be aarch64, riscv64 or s390x, not '${1-}'" ;;
esac
arch=$1
build=${2:?a build directory}

for tool in "$arch-linux-gnu-gcc" "$arch-linux-gnu-g++" "qemu-$arch"; do
	command -v "$tool" >/dev/null || die "$tool is not installed"
done

# The only library for the target is the stand-in for cmocka beside this file.
PKG_CONFIG_LIBDIR=$top/test/build/cross
export PKG_CONFIG_LIBDIR

# Static, so that qemu needs no directory of libraries for the target.
cmake -S "$top" -B "$build" -G Ninja \
	-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$arch" \
	-DCMAKE_C_COMPILER="$arch-linux-gnu-gcc" \
	-DCMAKE_CXX_COMPILER="$arch-linux-gnu-g++" \
	-DCMAKE_EXE_LINKER_FLAGS=-static \
	-DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v "qemu-$arch")" \
	-DTKT_BUILD_TOOL=OFF
cmake --build "$build"
exec ctest --test-dir "$build" -L unit --no-tests=error --timeout 120 \
	--output-on-failure
