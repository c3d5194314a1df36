#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The power fails at any moment: whatever the disk then has of what was not synced, each
# database is the old one or the new one, and whole; when ditadd has ended with success,
# it is the new one. Of several databases the last one to be put in place is not new
# before the others are. The next run succeeds and leaves nothing behind.
#
# A run is recorded (recorder.c), and states are built from the record and judged
# (replay.c). The judge is judged, too: it must find runs whose syncs do nothing.
#
#   DIT_LONG=yes     10,000 states for each kind of run, not 1,000
#   POWER_SEED=N     for the states that are drawn; else by the clock
. "${0%/*}/../oracle/lib.sh"
: "${DITGEN:?}" "${REPLAY:?}" "${DIT_BUILDDIR:?}"

nstates=1000
nreruns=6
if [ "${DIT_LONG:-}" = yes ]; then
	nstates=10000
	nreruns=100
fi
seed=${POWER_SEED:-$(date +%s)}
echo "seed $seed"
recorder=$DIT_BUILDDIR/tests/faults/recorder.so
databases="db db-other"

# make_conf DIR: a database, or two (glued), with files below DIR/files
make_conf() {
	mkdir -p "$1"
	fill_in "$1" <"$DIT_TEST_DATA/conf/bench.conf" | sed '/^database/,$d' >"$1/slapd.conf"
	if [ "$databases" != db ]; then
		cat >>"$1/slapd.conf" <<-CONF
			database mdb
			suffix "ou=people,dc=example,dc=com"
			subordinate
			directory $1/files/db-other
			maxsize 1073741824
			index uid,cn,sn,mail pres,eq,sub
		CONF
	fi
	cat >>"$1/slapd.conf" <<-CONF
		database mdb
		suffix "dc=example,dc=com"
		directory $1/files/db
		maxsize 1073741824
		index objectClass,entryUUID eq
		index cn,sn eq,sub
	CONF
}

# make_files DIR: empty directories for the databases
make_files() {
	local name
	rm -rf "$1/files"
	for name in $databases; do
		mkdir -p "$1/files/$name"
	done
}

# put_back: the databases as they are before the run
put_back() {
	rm -rf "$work/dit/files"
	cp -r "$work/old" "$work/dit/files"
}

# load DIR ARGUMENT...
load() {
	local dir=$1
	shift
	"$DITADD" -q -T 2 --memory 16M --tmpdir "$work/tmp" -f "$dir/slapd.conf" "$@" \
		>"$work/load.out" 2>&1
}

# record WITHOUT ARGUMENT...: a run whose journal is written
record() {
	local without=$1
	shift
	put_back
	LD_PRELOAD=$recorder DIT_RECORD_ROOT=$work/dit/files \
		DIT_RECORD_JOURNAL=$work/journal DIT_RECORD_WITHOUT=$without \
		load "$work/dit" "$@"
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

# write_next_run ARGUMENT...: a script for the run after a loss of power
write_next_run() {
	cat >"$work/again.sh" <<-SCRIPT
		cd "$work" || exit 9
		"$DITADD" -q -T 2 --memory 16M --tmpdir "$work/tmp" -f "$work/again/slapd.conf" \
			$(printf '"%s" ' "$@") >"$work/again.out" 2>&1 || exit 2
		for name in $databases; do
			"$DITCHECK" --compare "$work/dit/files/\$name" "$work/again/files/\$name" >/dev/null 2>&1 || exit 3
			case \$(cd "$work/again/files/\$name" && echo *) in
			"data.mdb lock.mdb" | data.mdb) ;;
			*) exit 4 ;;
			esac
		done
		rm -r "$work/again/files"
		mkdir "$work/again/files"
	SCRIPT
}

# judge NAME WITHOUTS ARGUMENT...: record a run from $work/old and judge it; then the same
# run without some of its syncs, which must be found out
judge() {
	local name=$1 withouts=$2 without
	shift 2
	record nothing "$@"
	check "$name: the run" test $? -eq 0
	write_next_run "$@"
	rm -rf "$work/again/files"
	mkdir "$work/again/files"
	check "$name" replay --states "$nstates" --reruns "$nreruns" \
		--run "bash $work/again.sh" --run-in "$work/again/files"
	sed "s/^/$name: /" "$work/replay.out"
	[ -s "$work/replay.out" ] && check "$name: runs afterwards" \
		grep -Eq ' [1-9][0-9]* runs afterwards' "$work/replay.out"
	for without in $withouts; do
		record "$without" "$@"
		check "$name, $without not synced: the run" test $? -eq 0
		replay --states "$nstates"
		check "$name, $without not synced: it is found out" test $? -eq 1
	done
}

mkdir "$work/tmp" "$work/again"
"$DITGEN" --entries 150 --operational >"$work/input.ldif"
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= 100' "$work/input.ldif" >"$work/first.ldif"
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR > 100' "$work/input.ldif" >"$work/second.ldif"
# The superior database gets an entry, too.
sed -n '/^$/q;p' "$work/input.ldif" |
	sed '/^objectClass: dc/d; s/^dn: .*/dn: cn=last,dc=example,dc=com/; s/^dc: .*/cn: last/
		s/organization$/device/; /^o: /d' >>"$work/second.ldif"

# save NAME: the files of the site, as the old ones or for later
save() {
	rm -rf "${work:?}/$1"
	mv "$work/dit/files" "$work/$1"
}

for databases in "db" "db db-other"; do
	make_conf "$work/dit"
	make_conf "$work/again"
	make_files "$work/dit"
	save old
	judge "new, $databases" "all files directories" -l "$work/input.ldif"
	judge "appended, $databases" "all files" --writer=append -l "$work/input.ldif"
	make_files "$work/dit"
	load "$work/dit" -l /dev/null
	save old
	judge "in place of an empty one, $databases" "all files" -l "$work/input.ldif"
	put_back
	load "$work/dit" -l "$work/first.ldif"
	check "the first part" test $? -eq 0
	save old
	judge "more entries, $databases" "files" -l "$work/second.ldif"
	judge "more entries, growing, $databases" "files" --grow -l "$work/second.ldif"
done

finish
