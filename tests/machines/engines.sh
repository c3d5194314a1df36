#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# 4 parts into 3 shards under each engine, by the examples as they are printed. The shards
# together have what a load on one machine has.
. "$(dirname "$0")/machines_lib.sh"

make_input
load_one
build_mpi
start_sshd n0 n1 n2 n3
start_slurm
for engine in slurm mpi ssh parallel; do
	reset_load
	case $engine in
	slurm | mpi) command=run_$engine ;;
	*) command=/srv/ditkit/$engine.sh ;;
	esac
	start=$(date +%s.%N)
	check "$engine: a load" "$command"
	echo "$engine: $(date +%s.%N) $start" | awk '{ printf "%s %.1f s\n", $1, $2 - $3 }'
	check "$engine: all shards together are the load on one machine" is_whole
	check "$engine: the same load again changes nothing" "$command"
	check "$engine: it is whole afterwards" is_whole
done
finish
