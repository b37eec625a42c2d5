# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# perf-scripts/lib.sh - sourced by the scripts: messages, Debian packages

die()
{
	printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
	exit 1
}

# Prints the comment that opens the running script, without shebang and SPDX.
usage()
{
	sed -n '/^#!/d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0"
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		env "$@"
	else
		sudo env "$@"
	fi
}

# Those of the named packages that are not installed.
missing_packages()
{
	for package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' \
			"$package" 2>/dev/null) || status=none
		[ "$status" = installed ] || printf '%s ' "$package"
	done
}

# need_packages NAME...: installs the missing ones, or dies with one line.
need_packages()
{
	command -v apt-get >/dev/null ||
		die "no apt-get here; with --no-install, provide yourself: $*"
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
		die "be root or have sudo to install: $missing"

	echo "installing: $missing"
	apt_log=$(mktemp)
	# The list is made of package names: to be split.
	# shellcheck disable=SC2086
	if ! { as_root apt-get -qq -o DPkg::Lock::Timeout=120 update &&
		as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
			-o DPkg::Lock::Timeout=120 \
			--no-install-recommends install $missing; } \
		>"$apt_log" 2>&1 </dev/null; then
		why=$(grep '^E:' "$apt_log" | tail -n 1)
		[ -n "$why" ] || why=$(tail -n 1 "$apt_log")
		rm -f "$apt_log"
		die "cannot install $missing($why)"
	fi
	rm -f "$apt_log"
}
