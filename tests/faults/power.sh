#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The power fails at any moment: whatever the disk then has of what was not synced, each
# database is the old one or the new one, and whole; when ditadd has ended with success,
# it is the new one. The last of several databases to be put in place is not new
# before the others are. The next run succeeds and leaves no file.
#
# A run is recorded (recorder.c), and states are built from the record and judged
# (replay.c). The judge is judged, too: it must find runs whose syncs do nothing.
#
# 200 states are judged for each kind of run, the same ones each time as long as its threads write in
# the same order. The run is repeated after two of them.
#
#   DIT_LONG=yes   10,000 states, and 100 runs afterwards
#   DIT_SEED=N     for the states that are drawn; else 1, and in a long run by the clock
. "${0%/*}/faults_lib.sh"
: "${REPLAY:?}"

nstates=200
nreruns=2
seed=1
if [ "${DIT_LONG:-}" = yes ]; then
	nstates=10000
	nreruns=100
	seed=$(date +%s)
fi
seed=${DIT_SEED:-$seed}
recorder=$DIT_BUILDDIR/tests/faults/recorder.so

# record WITHOUT ARGUMENT...: a run whose journal is written
record() {
	local without=$1
	shift
	put_back
	LD_PRELOAD=$recorder DIT_RECORD_ROOT=$work/dit/files \
		DIT_RECORD_JOURNAL=$work/journal DIT_RECORD_WITHOUT=$without load -T 2 "$@"
}

# replay ARGUMENT...: judge the states of the journal
replay() {
	local name arguments=()
	for name in $databases; do
		arguments+=(--database "$name/data.mdb")
	done
	"$REPLAY" --journal "$work/journal" --after "$work/dit/files" \
		--scratch "$work/judged" --seed "$seed" "${arguments[@]}" "$@" \
		>"$work/replay.out" 2>&1
}

# write_next_run ARGUMENT...: a script for the run after a loss of power, in a site of its
# own. A prepared database is published; if there is none, it is prepared again before.
write_next_run() {
	rm -rf "$work/again/files"
	mkdir "$work/again/files"
	cat >"$work/again.sh" <<-SCRIPT
		cd "$work" || exit 9
		# A prepared database is for one directory.
		sed -i "s,$work/dit/,$work/again/," again/files/*/manifest.json \
			again/files/*/*/manifest.json 2>/dev/null
		run() {
			"$tool" -q -T 2 ${temporary[*]@Q} --openldap "$release" \
				-f "$work/again/slapd.conf" "\$@" >"$work/again.out" 2>&1
		}
		case "$name" in
		prepared*)
			run --status || exit 5
			! grep -q ": damaged" "$work/again.out" || exit 6
			! grep -qv ": prepared" "$work/again.out" || run ${*@Q} || exit 2
			run --publish || exit 7
			;;
		*) run ${*@Q} || exit 2 ;;
		esac
		for name in $databases; do
			files=$work/again/files/\${name%/ditkit-prepared}
			"$DITCHECK" ${sealed[*]@Q} --compare --exact "$work/new/\$name" "\$files" \
				>/dev/null 2>&1 || exit 3
			case \$(cd "\$files" && echo *) in
			"data.mdb lock.mdb" | data.mdb | "data.mdb ditkit-prepared"*) ;;
			*) exit 4 ;;
			esac
		done
		rm -r "$work/again/files"
		mkdir "$work/again/files"
	SCRIPT
}

# judge NAME ARGUMENT...: record a load and judge it; then the same load without some of
# its syncs, which must be found out
judge() {
	local name=$1 withouts="all files directories" without n any=()
	shift
	case $name in
	new,* | in\ place*,\ 2.7*) ;;
	prepared,*) any=(--any) ;;
	published,*)
		any=(--any)
		withouts="all directories" # the files are those of --prepare
		;;
	*) withouts="all files" ;; # the directories have their names already
	esac
	mkdir -p "$work/again"
	sed "s,$work/dit/,$work/again/,g" "$work/dit/slapd.conf" >"$work/again/slapd.conf"
	write_next_run "$@"
	record nothing "$@"
	check "$name: the run" test $? -eq 0
	check "$name" replay --states "$nstates" --reruns "$nreruns" \
		--run "bash $work/again.sh" --run-in "$work/again/files" "${any[@]}"
	sed "s/^/$name: /" "$work/replay.out"
	check "$name: runs afterwards" grep -Eq ' [1-9][0-9]* runs afterwards' \
		"$work/replay.out"
	for without in $withouts; do
		record "$without" "$@"
		check "$name, $without not synced: the run" test $? -eq 0
		# The first state that is wrong is enough.
		for n in 100 1000 10000; do
			replay --states $n || break
		done
		check "$name, $without not synced: it is found out" grep -q '^wrong: ' "$work/replay.out"
	done
}

# judge_prepared NAME ARGUMENT...: the disk of the model cannot exchange two names, and the
# judge knows no database that goes away
judge_prepared() {
	case $1 in
	prepared,* | published,*) judge "$@" ;;
	esac
}

check "all calls are seen" sees_calls "$recorder" open openat creat write pwrite writev \
	pwritev fsync fdatasync rename renameat renameat2 linkat unlinkat mkdirat symlinkat \
	ftruncate fallocate mmap
make_input 150
for_all_loads judge
for_reindex judge
for_changes judge
for_2_7 judge
for_sealed judge
for_prepared judge_prepared
for_small_loads judge
finish
