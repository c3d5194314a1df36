#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ssh in a loop: each step on all its machines at once; the next one when all have succeeded.
set -u
cd "$(dirname "$0")" || exit
. ./site.sh

# on HOST STEP...: starts it there
pids=()
on() {
	ssh -o BatchMode=yes "$1" /srv/ditkit/step.sh "${@:2}" </dev/null &
	pids+=($!)
}
# all: waits for each, fails if one has failed
all() {
	local pid failed=0
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=1
	done
	pids=()
	return $failed
}
shards() { # shards STEP: on the machine of each shard
	local shard
	for shard in $SHARDS; do
		on "${shard#*:}" "$1" "${shard%:*}"
	done
	all
}

read -ra hosts <<<"$HOSTS"
for ((part = 0; part < NPARTS; part++)); do
	on "${hosts[part % ${#hosts[@]}]}" split "$part/$NPARTS"
done
all || exit
if shards prepare; then
	shards publish
else
	shards abandon
	exit 1
fi
