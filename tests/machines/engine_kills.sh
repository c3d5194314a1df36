#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Kills of a load under an engine: a process of a step, the shell of a step, a rank, a node,
# the controller, at a random moment. Afterwards every shard has its whole content or nothing.
# When the engine has ended, and a person has repeated the load where it says so, all are whole.
#
#   KILLS     under each engine [5; DIT_LONG=yes: 200]
#   ENGINES   [mpi slurm]
#   KILL_LOG  a file for a line about each kill
entries=3000
. "$(dirname "$0")/machines_lib.sh"
kills=5
[ "${DIT_LONG-}" != yes ] || kills=200
kills=${KILLS:-$kills}
RANDOM=${SEED:-1}
log=${KILL_LOG:-$work/kills}

# each_is_whole_or_empty: a database that is there has all entries of its shard
each_is_whole_or_empty() {
	local shard
	for shard in a b c; do
		if [ -e /srv/ditkit/db/$shard/data.mdb ]; then
			ditcheck -f /srv/ditkit/slapd-$shard.conf || return
			[ "$(content /srv/ditkit/db/$shard)" = "${whole[$shard]}" ] || return
		fi
	done
}

# living NAMES: the processes with such a name that are not dead
living() {
	pgrep -x -r R,S,D "$1"
}

# find_victim NAMES: waits for a process with such a name, as long as the load runs
find_victim() {
	while kill -0 "$load"; do
		victim=$(living "$1" | shuf -n 1)
		[ -z "$victim" ] || return 0
	done 2>/dev/null
	return 1
}

# kill_one ENGINE: sets $killed, or fails because the load has ended
kill_one() {
	local n=$((RANDOM % 4)) victim
	killed=$1.$((RANDOM % 5))
	case $killed in
	slurm.0)
		kill -9 "$controller"
		start_controller
		killed=controller
		;;
	slurm.1 | slurm.2)
		kill -9 "${node[$n]}"
		wait "${node[$n]}"
		start_node $n
		killed="node n$n"
		;;
	mpi.0)
		find_victim 'load_mpi|mpirun' || return
		killed=$(ps -o comm= "$victim") && kill -9 "$victim"
		;;
	mpi.1)
		find_victim load_mpi || return
		kill -9 "$victim" $(pgrep -P "$victim")
		killed='load_mpi and its step'
		;;
	slurm.3)
		find_victim 'slurm(_s|st).*' || return
		killed=$(ps -o comm= "$victim") && kill -9 "$victim"
		;;
	*)
		find_victim 'dit.*|step.sh' || return
		killed=$(ps -o comm= "$victim") && kill -9 "$victim"
		;;
	esac 2>"$work/err"
}

# settle: what a killed parent has left ends
settle() {
	while living 'ditadd|ditsplit' >/dev/null; do
		sleep 0.1
	done
}

# end_load: waits for the load. Open MPI 4.1.4 may stop at its end, in PMIx_server_finalize,
# when all ranks are dead: then a person ends mpirun.
end_load() {
	local idle=0
	while kill -0 "$load" 2>/dev/null; do
		idle=$((idle + 1))
		! living load_mpi >/dev/null || idle=0
		if [ $idle -eq 600 ] && pkill -9 -x mpirun; then
			nhung=$((nhung + 1))
		fi
		sleep 0.1
	done
	wait "$load"
}

# repeat_load ENGINE: sets $tries
repeat_load() {
	for ((tries = 0; tries < 4; tries++)); do
		! published || return 0
		[ "$1" = mpi ] || printed 'Slurm holds jobs'
		"run_$1" >"$work/load.log" 2>&1 &
		load=$!
		end_load
		settle
	done
}

# kills_under ENGINE MILLISECONDS: so long does a load take
kills_under() {
	local at done=0 tries ntries=0 nfirst=0 nhung=0 load killed text
	while [ $done -lt "$kills" ]; do
		reset_load
		at=$(((RANDOM * 32768 + RANDOM) % $2))
		"run_$1" >"$work/load.log" 2>&1 &
		load=$!
		sleep "$(printf '%d.%03d' $((at / 1000)) $((at % 1000)))"
		if ! kill_one "$1"; then
			end_load
			continue
		fi
		end_load && nfirst=$((nfirst + 1))
		settle
		text="$1 $done: $killed after $at ms"
		check "$text: whole or nothing" each_is_whole_or_empty >>"$log"
		repeat_load "$1"
		ntries=$((ntries + tries))
		check "$text: whole after $tries repetitions" is_whole >>"$log" ||
			cat "$work/load.log" /srv/ditkit/*.log >&2
		done=$((done + 1))
	done
	echo "$1: $done kills, $nfirst loads whole without us, $ntries repetitions by us," \
		"$nhung mpirun hung"
}

time_of() { # time_of COMMAND: in milliseconds
	local start
	start=$(date +%s%3N)
	"$@" >"$work/load.log" 2>&1
	echo $(($(date +%s%3N) - start))
}

make_input
load_one
declare -A whole
for engine in ${ENGINES-mpi slurm}; do
	[ $engine = mpi ] || start_slurm
	reset_load
	ms=$(time_of "run_$engine")
	check "$engine: a load without faults is whole, after $ms ms" is_whole
	for shard in a b c; do
		whole[$shard]=$(content /srv/ditkit/db/$shard)
	done
	kills_under "$engine" "$ms"
done
finish
