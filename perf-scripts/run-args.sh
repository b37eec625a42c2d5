# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# perf-scripts/run-args.sh - sourced to read the command line of a script that
# wraps `tkt run`
#
# `own` names the script's own options, all with a value; --NAME V sets
# opt_NAME, "-" as "_".  Sets kernel to the one argument that is no option.
# What is left, in order, is for tkt run, in the caller's $@.

kernel=''
left=$#
while [ "$left" -gt 0 ]; do
	argument=$1
	shift
	left=$((left - 1))
	name=${argument#--}
	case $argument in
	-h | --help)
		usage
		exit
		;;
	--out | --format | --table)
		refuse "$argument: not here; --help lists the options"
		;;
	--pin | --instrument)
		set -- "$@" "$argument"
		continue
		;;
	-*) ;;
	*)
		[ -z "$kernel" ] ||
			refuse "unknown argument '$argument'; --help lists them"
		kernel=$argument
		continue
		;;
	esac
	[ "$left" -gt 0 ] ||
		refuse "$argument needs a value; --help lists the options"
	case " ${own:?} " in
	*" $name "*)
		eval "opt_$(printf '%s' "$name" | tr - _)=\$1"
		;;
	*) set -- "$@" "$argument" "$1" ;;
	esac
	shift
	left=$((left - 1))
done
[ -n "$kernel" ] || refuse "which kernel or workfile? --help has the usage"
