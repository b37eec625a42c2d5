#!/bin/sh
# SPDX-License-Identifier: MIT
# test/build/consumers.sh - users of the library find and build against it
#
# usage: sh test/build/consumers.sh
#
# Through find_package and pkg-config from an installed tree that has been
# moved since, and from the sources through add_subdirectory and FetchContent.

# shellcheck source=test/build/common.sh
. "$(dirname -- "$0")/common.sh"
consumer=$top/test/build/consumer

# The sources as a user has them: without build directories.
mkdir "$tmp/source"
(cd "$top" && tar -cf - --exclude='./build*' --exclude=./.git .) |
	tar -xf - -C "$tmp/source"
tar -czf "$tmp/source.tar.gz" -C "$tmp" source

check 'configure for install' cmake -S "$tmp/source" -B "$tmp/own" \
	-DTKT_BUILD_TOOL=OFF -DTKT_BUILD_TESTS=OFF
check 'build' cmake --build "$tmp/own"
check 'install' cmake --install "$tmp/own" --prefix "$tmp/staged"
mv "$tmp/staged" "$tmp/moved"
(cd "$top/include" && find . -type f -name '*.h' | sort) >"$tmp/want"
(cd "$tmp/moved/include" && find . -type f | sort) >"$tmp/got"
check 'all headers installed, nothing else' diff "$tmp/want" "$tmp/got"

# consume NAME OPTIONS...: configures, builds and runs the consumer.
consume()
{
	name=$1
	shift
	check "$name: configure" cmake -S "$consumer" -B "$tmp/$name" \
		-DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
	check "$name: build" cmake --build "$tmp/$name"
	check "$name: run" timeout 20 "$tmp/$name/consumer"
}

# alone NAME: the consumer got no flags, tests or targets of ours.
alone()
{
	commands=$tmp/$1/compile_commands.json
	check "$1: one C and one C++ file compiled" \
		test "$(grep -c '"file"' "$commands")" -eq 2
	refuse "$1: no flags of ours" '^0$' grep -c -e '-W' "$commands"
	check "$1: no tests of ours" sh -c \
		"ctest --test-dir '$tmp/$1' -N | grep -q '^Total Tests: 0'"
}

version=$(sed -n 's/^#define TKT_VERSION_STRING "\(.*\)"$/\1/p' \
	"$top/include/tkt.h")
consume find -DHOW=find -DCMAKE_PREFIX_PATH="$tmp/moved" -DWANT="$version"
refuse 'find: another version is refused' 'with requested version "99.0"' \
	cmake -S "$consumer" -B "$tmp/find-other" -DHOW=find \
	-DCMAKE_PREFIX_PATH="$tmp/moved" -DWANT=99.0
consume add -DHOW=add -DTKT_SOURCE="$tmp/source"
alone add
consume fetch -DHOW=fetch -DTKT_SOURCE="$tmp/source.tar.gz"
alone fetch

export PKG_CONFIG_PATH="$tmp/moved/share/pkgconfig"
check 'pkg-config: version' pkg-config --exact-version="$version" tkt
flags=$(pkg-config --cflags --libs tkt) || flags=
check 'pkg-config: include path' test -n "$flags"
# $flags is a list: to be split.
# shellcheck disable=SC2086
{
	check 'pkg-config: C' cc $flags -c "$consumer/main.c" -o "$tmp/main.o"
	check 'pkg-config: C++' c++ $flags "$consumer/locked.cc" "$tmp/main.o" \
		-o "$tmp/consumer"
}
check 'pkg-config: run' timeout 20 "$tmp/consumer"
finish
