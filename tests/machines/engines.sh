#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# 4 parts into 3 shards under each engine, by the commands that the README prints. The shards
# together have what a load on one machine has.
entries=20000
[ "${DIT_LONG-}" != yes ] || entries=2000000
. "$(dirname "$0")/machines_lib.sh"

# full_disk ENGINE: on the node of shard b
full_disk() {
	reset_load
	mount -t tmpfs -o size=300k,mode=755 none /srv/ditkit/db/b
	"run_$1" >"$work/load.log" 2>&1 && fail "$1: a full disk: the load succeeds"
	check "$1: a full disk: nothing is published" nothing_published
	check "$1: somebody can read why" \
		grep -r 'No space left on device' "$work/load.log" /srv/ditkit --include='*.log'
	mount -o remount,size=90% /srv/ditkit/db/b
	check "$1: the load is repeated with more space" "run_$1"
	check "$1: it is whole" is_whole
	umount /srv/ditkit/db/b
}

make_input
load_one
start_sshd n0 n1 n2 n3
[[ ${ENGINES-slurm} != *slurm* ]] || start_slurm
for engine in ${ENGINES-slurm mpi ssh parallel}; do
	reset_load
	start=$(date +%s.%N)
	check "$engine: a load" run_$engine
	echo "$engine: $(date +%s.%N) $start" |
		awk -v n=$entries '{ printf "%s %d entries, %.1f s\n", $1, n, $2 - $3 }'
	check "$engine: all shards together are the load on one machine" is_whole
	check "$engine: the same load again changes nothing" run_$engine
	check "$engine: all shards are as they were" sums_agree
	[ "${DIT_LONG-}" = yes ] || full_disk $engine
done
finish
