#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditindex --online next to an unmodified slapd, which adds, changes, renames and deletes
# entries all the while: afterwards the indexes are what "slapindex -t" makes of the
# entries, slapd finds what it should in the new indexes at once, and no page is lost.
# Killed at random moments as well, and so is slapd. With 2.7, too, and with sealed pages:
# openldap27.sh.
#
# From the environment: ONLINE_ENTRIES says how large the directory is, ONLINE_KILLS how
# often ditindex is killed; slapd is killed a third as often.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITINDEX:?}" "${SPOIL:?}" "${DITGEN:?}"

entries=${ONLINE_ENTRIES:-5000}
[ "${DIT_LONG:-no}" = no ] || entries=${ONLINE_ENTRIES:-200000}

# Debian's mdb_copy is of LMDB 0.9.
mdb_copy=mdb_copy
[ "$DIT_OPENLDAP" != 2.7 ] || mdb_copy=${OPENLDAP27:?}/bin/mdb_copy
command -v "$mdb_copy" >/dev/null || echo "SKIPPED: no $mdb_copy" >&2

make_site "$work/dit" bench
sed -i 's/^maxsize .*/maxsize 8589934592/' "$work/dit/slapd.conf"

sed -i 's/^rootdn .*/&\nrootpw secret/' "$work/dit/slapd.conf"
"$DITGEN" --entries "$entries" --operational >"$work/input.ldif"
"$DITADD" -f "$work/dit/slapd.conf" --index-keys=bytes -q -l "$work/input.ldif"
sed '/^index /d' "$work/dit/slapd.conf" >"$work/dit/unindexed.conf"
grep -a '^dn: uid=' "$work/input.ldif" | sed 's/^dn: //' | head -4000 >"$work/names"

# sound DIR: the file is what LMDB's format says, and no page is lost
# shellcheck disable=SC2317 # called by check
sound() {
	"$DITCHECK" "${sealed[@]}" --quick --database "$1" || return 1
	command -v "$mdb_copy" >/dev/null || return 0
	rm -rf "$work/copy"
	mkdir "$work/copy"
	"$mdb_copy" ${DIT_SEALED:+-m "$crypto_module" -w sesame} -c "$1" "$work/copy"
	rm -rf "$work/copy"
}

# change_all_the_while SEED: change records without end
change_all_the_while() {
	awk -v seed="$1" -v names="$work/names" '
	BEGIN {
		srand(seed)
		while ((getline name <names) > 0) {
			if (!(name in gone)) {
				dn[n++] = name
			}
		}
		for (i = 0; ; i++) {
			kind = i % 5
			who = dn[int(rand() * n)]
			if (kind == 0) {
				print "dn: cn=new " seed " " i ",dc=example,dc=com"
				print "changetype: add\nobjectClass: inetOrgPerson"
				print "cn: new " seed " " i "\nsn: Online " int(rand() * 50)
				print "mail: new" i "@example.com\ntelephoneNumber: +1 " i
			} else if (kind == 1) {
				print "dn: " who "\nchangetype: modify\nreplace: description"
				print "description: changed " i " by hand " int(rand() * 9)
				print "-\nreplace: telephoneNumber\ntelephoneNumber: +49 " i
			} else if (kind == 2) {
				print "dn: " who "\nchangetype: modify\nreplace: title"
				print "title: Number " int(rand() * 20)
				print "-\nreplace: mail\nmail: m" i "@example.org"
			} else if (kind == 3 && i > 20) {
				print "dn: cn=new " seed " " (i - 18) ",dc=example,dc=com"
				print "changetype: modrdn\nnewrdn: cn=renamed " seed " " i
				print "deleteoldrdn: 1"
			} else if (kind == 4 && i > 40) {
				print "dn: cn=renamed " seed " " (i - 21) ",dc=example,dc=com"
				print "changetype: delete"
			} else {
				continue
			}
			print ""
		}
	}'
}

nstreams=0
# start_stream: changes go to slapd until stop_stream
start_stream() {
	nstreams=$((nstreams + 1))
	change_all_the_while $nstreams 2>/dev/null |
		ldapmodify -c -x -H "${url[dit]}" -D cn=admin,dc=example,dc=com -w secret \
			>"$work/stream.out" 2>"$work/stream.err" &
	stream=$!
}

stop_stream() {
	kill "$stream" 2>/dev/null
	wait "$stream" 2>/dev/null
}

# same_as_slapindex: slapd is stopped; then a copy is indexed by slapindex
# shellcheck disable=SC2317 # called by check
same_as_slapindex() {
	rm -rf "$work/ref"
	cp -r "$work/dit" "$work/ref"
	sed -i "s,$work/dit/,$work/ref/,g" "$work/ref/slapd.conf"
	slapindex -q -t -f "$work/ref/slapd.conf" 2>/dev/null || return 1
	same_content "$work/ref" "$work/dit"
}

# found FILTER: how many entries slapd finds
found() {
	ldapsearch -x -LLL -o ldif-wrap=no -H "${url[dit]}" -b "$base" "$1" dn |
		grep -c '^dn:'
}

ditindex=("$DITINDEX" --online ${DIT_OPENLDAP:+"--openldap=$DIT_OPENLDAP"})
online() {
	"${ditindex[@]}" -f "$work/dit/slapd.conf" "$@" >"$work/online.out" \
		2>"$work/online.err"
}

# start_victim: ditindex, to be killed
start_victim() {
	"${ditindex[@]}" -f "$work/dit/slapd.conf" -T 2 >/dev/null 2>&1 &
	victim=$!
}

# kill_victim: fails if it had ended
kill_victim() {
	kill -9 $victim 2>/dev/null
	wait $victim 2>/dev/null
	[ $? -eq 137 ]
}

# ---- alone, and with a slapd that rests ----

# Entries that were changed without their indexes. slapmodify 2.5 dies of other changes.
awk '{ print "dn: " $0 "\nchangetype: modify\nreplace: title\ntitle: Stale " NR % 70 "\n" }' \
	"$work/names" | slapmodify -q -f "$work/dit/unindexed.conf"
check "stale: changes" test $? -eq 0
same_as_slapindex >/dev/null 2>&1
check "stale: other than slapindex" test $? -eq 1
online
check "alone: exit status" test $? -eq 0
check "alone: content" same_as_slapindex
check "alone: sound" sound "$work/dit/db"

# slapd makes the index databases, which are empty.
somebody=$(sed -n '7s/^\(uid=[^,]*\),.*/\1/p' "$work/names")
empty_site "$work/dit"
"$DITADD" -f "$work/dit/unindexed.conf" -q -l "$work/input.ldif"
start_slapd dit
check "no indexes: slapd finds nothing" test "$(found "$somebody")" -eq 0
online -T 2
check "slapd rests: exit status" test $? -eq 0
check "slapd finds all at once" test "$(found "$somebody")" -eq 1

# A damaged index: its pages are not known while slapd changes the file.
# With 2.7 such a file needs a slapd that has it open.
cp -r "$work/dit" "$work/damaged"
sed -i "s,$work/dit/,$work/damaged/,g" "$work/damaged/slapd.conf"
start_slapd damaged
"$SPOIL" "$work/damaged/db" damaged
"${ditindex[@]}" -f "$work/damaged/slapd.conf" sn 2>"$work/damaged.err"
check "damaged, online: refused" test $? -eq 1
check "damaged, online: told" grep -q 'index database "sn" is damaged.* without --online' \
	"$work/damaged.err"
kill "${pid[damaged]}"
wait "${pid[damaged]}" 2>/dev/null
unset "pid[damaged]"
"$DITINDEX" -f "$work/damaged/slapd.conf" 2>/dev/null
check "damaged, then without slapd: sound" sound "$work/damaged/db"
rm -rf "$work/damaged"

# ---- changes all the while ----

# share_locked MS: percent of the run in which the write lock was held
share_locked() {
	awk -v ms="$1" '/ at most, .* s in all$/ {
		printf "%.1f\n", 100000 * $(NF - 3) / ms
	}' "$work/online.out"
}

shares=
for ((round = 1; round <= 3; round++)); do
	start_stream
	sleep 0.3
	began=$(date +%s%3N)
	online -T 2
	check "round $round: exit status" test $? -eq 0
	shares="$shares $(share_locked $(($(date +%s%3N) - began)))"
	grep -q ' 0 entries were changed' "$work/online.out" || nbusy=$((${nbusy:-0} + 1))
	sleep 0.2
	stop_stream
	check "round $round: sound" sound "$work/dit/db"
	cat "$work/online.out"
done
check "slapd changed entries" test "${nbusy:-0}" -gt 0
# A short run is not long enough for a share to say much.
echo "percent of the runs in which the write lock was held:$shares"
[ "${DIT_LONG:-no}" = no ] || check "the lock is held 5 % of a run at most" \
	awk -v shares="$shares" 'BEGIN {
		n = split(shares, share, " ")
		for (i = 1; i <= n; i++) { is_less += share[i] <= 5 }
		exit !(n == 3 && is_less >= 2)
	}'
check "slapd had nothing to say" test ! -s "$work/dit/slapd.err"
stop_slapd
check "content after changes" same_as_slapindex

# ---- kills ----

start_slapd dit
start_stream
for ((i = 1; i <= ${ONLINE_KILLS:-9}; i++)); do
	start_victim
	sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
	if ((i % 3 == 0)); then
		kill -9 "${pid[dit]}"
		wait "${pid[dit]}" 2>/dev/null
		wait $victim 2>/dev/null
		check "kill $i: the file without slapd" sound "$work/dit/db"
		stop_stream
		start_slapd dit
		start_stream
	else
		kill_victim
	fi
	check "kill $i: slapd goes on" test "$(found "$somebody")" -eq 1
	check "kill $i: sound" sound "$work/dit/db"
done
stop_stream
stop_slapd
check "content after kills" same_as_slapindex
start_slapd dit
online
stop_slapd
check "content in the end" same_as_slapindex
check "sound in the end" sound "$work/dit/db"

# ---- the file does not grow without end ----

# A new database, and a slapd that rests: the first run needs room for the new indexes, and
# all others, every other of which is killed, use that room again. DIT_LONG=yes: 100 runs
nruns=10
[ "${DIT_LONG:-no}" = no ] || nruns=100
rm -rf "$work/dit/db" && mkdir "$work/dit/db"
"$DITADD" -f "$work/dit/slapd.conf" --index-keys=bytes -q -l "$work/input.ldif"
start_slapd dit
began=$(date +%s%3N)
online
took=$((($(date +%s%3N) - began) / 2 + 1))
size=$(stat -c %s "$work/dit/db/data.mdb")
nkilled=0
for ((i = 2; i <= nruns; i++)); do
	if ((i % 2 == 1)); then
		online
		continue
	fi
	start_victim
	sleep "$(awk -v ms=$((RANDOM % took)) 'BEGIN { print ms / 1000 }')"
	kill_victim && nkilled=$((nkilled + 1))
done
last=$(stat -c %s "$work/dit/db/data.mdb")
echo "$size bytes after 1 run, $last after $nruns, $nkilled of them killed"
check "$nruns runs: some are killed" test $nkilled -gt 0
check "$nruns runs: the file stays as long as it is" test "$last" -le $((size + size / 20))
check "$nruns runs: sound" sound "$work/dit/db"
stop_slapd
check "$nruns runs: content" same_as_slapindex

# ---- a slapd that has mapped less than is configured now ----

# As after "maxsize" was made larger, or where the load had a larger one than slapd. slapd
# aborts at its next search if the file grows beyond what it has mapped.
mkdir -p "$work/less/db" "$work/more"
sed "s,$work/dit/,$work/less/,g" "$work/dit/slapd.conf" >"$work/more/slapd.conf"
"$DITADD" -f "$work/more/slapd.conf" --index-keys=bytes -q -l "$work/input.ldif"
bytes=$(stat -c %s "$work/less/db/data.mdb")
sed "s/^maxsize .*/maxsize $((bytes + 65536))/" "$work/more/slapd.conf" \
	>"$work/less/slapd.conf"
start_slapd less
url[dit]=${url[less]}
check "maps less: slapd finds" test "$(found "$somebody")" -eq 1
"${ditindex[@]}" -f "$work/more/slapd.conf" 2>"$work/less.err"
check "maps less: refused" test $? -eq 1
check "maps less: told" grep -q "data.mdb.* open in slapd, process ${pid[less]}," \
	"$work/less.err"
check "maps less: slapd goes on" test "$(found "$somebody")" -eq 1
check "maps less: sound" sound "$work/less/db"
kill "${pid[less]}"
wait "${pid[less]}"
check "maps less: slapd ends as it should" test $? -eq 0
unset "pid[less]"
start_slapd more
url[dit]=${url[more]}
"${ditindex[@]}" -f "$work/more/slapd.conf" >/dev/null
check "maps enough: exit status" test $? -eq 0
check "maps enough: slapd goes on" test "$(found "$somebody")" -eq 1
stop_slapd

# ---- what is refused ----

online --drop-unconfigured
check "--drop-unconfigured: refused" test $? -eq 1
echo 'index pager eq' >>"$work/dit/slapd.conf"
online
check "an index that slapd does not know: refused" test $? -eq 1
check "an index that slapd does not know: message" \
	grep -q '"pager" in .* does not exist: start slapd again' "$work/online.err"
finish
