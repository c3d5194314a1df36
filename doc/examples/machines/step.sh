#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One step of a load on many machines. Each step may be repeated.
#
#   step.sh split [R/N]      part R of N; without R/N the variables of the engine tell R
#   step.sh prepare [SHARD]  without SHARD Kubernetes' JOB_COMPLETION_INDEX tells it
#   step.sh publish | abandon | status [SHARD]
#   step.sh conf [SHARD]     its slapd-SHARD.conf alone; the steps above make it, too
set -eu
here=$(dirname "$0")
. "$here/site.sh"
step=$1
if [ "$step" = split ]; then
	# The schema alone: this machine may have no directory of a shard.
	exec ditsplit --map "$MAP" --output "$PARTS" -l "$LDIF" \
		-f "$here/schema.conf" \
		${2:+--part "$2"} --parts "$NPARTS"
fi
if [ $# -eq 1 ]; then
	# shellcheck disable=SC2086 # the words of SHARDS, the first one's index is 0
	shard=$(echo $SHARDS | cut -d' ' -f$((JOB_COMPLETION_INDEX + 1)))
	set -- "$step" "${shard%:*}"
fi
conf=$here/slapd-$2.conf
if [ ! -e "$conf" ]; then
	case " $SHARDS" in
	*" $2:"*) ;;
	*) echo "step.sh: site.sh has no shard $2" >&2 && exit 2 ;;
	esac
	sed "s/SHARD/$2/g" "$here/slapd-shard.conf" >"$conf.$(uname -n).$$"
	mv "$conf.$(uname -n).$$" "$conf"
fi
case $step in
prepare | abandon)
	# A load is repeated after some of its shards were published: these stay.
	case $(ditadd --status -f "$conf") in
	*': published'*)
		echo "shard $2: published already"
		exit
		;;
	esac
	;;
esac
case $step in
prepare) exec ditadd --prepare -q -w -f "$conf" -l "$PARTS/$2" ;;
conf) ;;
publish | abandon | status) exec ditadd "--$step" -f "$conf" ;;
*) echo "step.sh: unknown step $step" >&2 && exit 2 ;;
esac
