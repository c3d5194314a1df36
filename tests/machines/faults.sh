#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Faults of a load on many machines. After each of them every shard has its whole content or
# nothing, a repetition makes all of them whole, and somebody can read why it was needed.
#
#   KILLS     kills under each engine [6]
#   ENGINES   [mpi slurm]
#   KILL_LOG  a file for a line about each kill
. "$(dirname "$0")/machines_lib.sh"
kills=${KILLS:-6}
RANDOM=1

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

# random_process NAMES: one of ours with such a name, or nothing
random_process() {
	pgrep -x "$1" | shuf -n 1
}

# kill_under ENGINE: a process, the controller or a node. Tells which.
kill_under() {
	local n=$((RANDOM % 4)) victim
	case $1.$((RANDOM % 5)) in
	slurm.0)
		kill -9 "$controller"
		start_controller
		echo "controller"
		;;
	slurm.1)
		kill -9 "${node[$n]}"
		wait "${node[$n]}"
		start_node $n
		echo "node n$n"
		;;
	slurm.2)
		victim=$(random_process 'slurm(_s|st).*')
		kill -9 ${victim:-} 2>"$work/err"
		echo "step's shell ${victim:-none}"
		;;
	mpi.0 | mpi.1)
		victim=$(random_process 'load_mpi|mpirun')
		kill -9 ${victim:-} 2>"$work/err"
		echo "rank or mpirun ${victim:-none}"
		;;
	*)
		victim=$(random_process 'dit.*|step.sh')
		kill -9 ${victim:-} 2>"$work/err"
		echo "process ${victim:-none}"
		;;
	esac
}

# kills_under ENGINE MILLISECONDS: so long does a load take
kills_under() {
	local i at tries ntries=0 nfirst=0 load
	for ((i = 0; i < kills; i++)); do
		reset_load
		at=$((RANDOM * 32768 + RANDOM))
		at=$((at % $2))
		run_"$1" >"$work/load.log" 2>&1 &
		load=$!
		sleep "$(printf '%d.%03d' $((at / 1000)) $((at % 1000)))"
		echo "$1 $i: after $at ms $(kill_under "$1")" >>"$work/kills"
		wait "$load" && nfirst=$((nfirst + 1))
		settle
		check "$1 $i: whole or nothing" each_is_whole_or_empty >>"$work/kills"
		for ((tries = 0; tries < 4; tries++)); do
			if published; then
				break
			fi
			run_"$1" >"$work/load.log" 2>&1
			settle
		done
		ntries=$((ntries + tries))
		check "$1 $i: whole after $tries repetitions" is_whole >>"$work/kills" || {
			tail -n 3 "$work/kills"
			cat "$work/load.log" /srv/ditkit/*.log
		} >&2
	done
	echo "$1: $kills kills, $nfirst loads whole without us, $ntries repetitions by us"
}

# settle: what a killed parent has left ends
settle() {
	local try
	for ((try = 0; try < 300; try++)); do
		pgrep -x 'ditadd|ditsplit' >/dev/null || return 0
		sleep 0.1
	done
}

time_of() { # time_of COMMAND: in milliseconds
	local start
	start=$(date +%s%3N)
	"$@" >"$work/load.log" 2>&1
	echo $(($(date +%s%3N) - start))
}

# --- single faults, under ssh -------------------------------------------------------

step() {
	/srv/ditkit/step.sh "$@"
}

all_shards() { # all_shards STEP
	step "$1" a && step "$1" b && step "$1" c
}

split_all() {
	step split 0/4 && step split 1/4 && step split 2/4 && step split 3/4
}

full_disk() {
	reset_load
	mount -t tmpfs -o size=300k,mode=755 none /srv/ditkit/db/b
	refused "a full disk on one node" 'No space left on device' /srv/ditkit/ssh.sh
	check "it publishes nothing" nothing_published
	mount -o remount,size=1g /srv/ditkit/db/b
	check "the load is repeated with more space" /srv/ditkit/ssh.sh
	check "it is whole" is_whole
	umount /srv/ditkit/db/b
}

fails() { # fails COMMAND
	! "$@"
}

full_disk_slurm() {
	reset_load
	mount -t tmpfs -o size=300k,mode=755 none /srv/ditkit/db/b
	check "a full disk under Slurm: the load fails" fails run_slurm
	check "it publishes nothing" nothing_published
	check "its log says why" grep 'No space left on device' /srv/ditkit/*.log
	mount -o remount,size=1g /srv/ditkit/db/b
	check "the load is submitted again" run_slurm
	check "it is whole" is_whole
	umount /srv/ditkit/db/b
}

short_part() {
	local part
	reset_load
	check "split" split_all
	part=$(echo /srv/ditkit/parts/a/part-2-of-4.ldif*[!8])
	truncate -s -7 "$part"
	refused "a part that ends short" 'part-2-of-4.*' step prepare a
	check "nothing is prepared" test ! -e /srv/ditkit/db/a/ditkit-prepared/manifest.json
	rm "$part"
	refused "a part that is missing" 'part-2-of-4.*|part 2.*' step prepare a
	check "the part is made again" step split 2/4
	check "preparation" all_shards prepare
	check "publication" all_shards publish
	check "it is whole" is_whole
}

# twice STEP...: two of them at once; one may be refused, not both
twice() {
	local other status
	step "$@" &
	other=$!
	step "$@"
	status=$?
	wait $other || [ $status -eq 0 ]
}

same_rank_twice() {
	local part shard
	reset_load
	for part in 0 1 2 3; do
		check "part $part/4 twice at once" twice split $part/4
	done
	for shard in a b c; do
		check "shard $shard is prepared twice at once" twice prepare $shard
	done
	for shard in a b c; do
		check "shard $shard is published twice at once" twice publish $shard
	done
	check "it is whole" is_whole
}

mixed_up() {
	reset_load
	check "split" split_all
	check "preparation" all_shards prepare
	mv /srv/ditkit/db/a/ditkit-prepared/manifest.json "$work/manifest"
	mv /srv/ditkit/db/b/ditkit-prepared/manifest.json /srv/ditkit/db/a/ditkit-prepared
	mv "$work/manifest" /srv/ditkit/db/b/ditkit-prepared/manifest.json
	refused "the manifest of another site" 'damaged.*|digest.*' step publish a
	refused "the manifest of this site elsewhere" 'damaged.*|digest.*' step publish b
	check "nothing is published" nothing_published
	check "both are prepared again" all_shards prepare
	check "publication" all_shards publish
	check "it is whole" is_whole
}

make_input
load_one
build_mpi
start_sshd n0 n1 n2 n3
start_slurm
full_disk
full_disk_slurm
short_part
same_rank_twice
mixed_up

reset_load
run_mpi >"$work/load.log" 2>&1
check "a load without faults is whole" is_whole
declare -A whole
for shard in a b c; do
	whole[$shard]=$(content /srv/ditkit/db/$shard)
done
for engine in ${ENGINES-mpi slurm}; do
	reset_load
	kills_under "$engine" "$(time_of run_"$engine")"
done
[ -z "${KILL_LOG-}" ] || cp "$work/kills" "$KILL_LOG"
finish
