#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --estimate: what a load or a reindexing will need, and what it needed then: entries,
# keys and database within a third, for inputs of different shapes, and for a reindexing.
# (A test does not judge times and peaks of memory.) A line tells what does not fit, and so
# does the exit status; nothing is written. A pipe and a packed file give an estimate, too.
#
# DIT_LONG=yes: ten times as many entries.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITINDEX:?}" "${DITGEN:?}"
times=1
[ "${DIT_LONG:-no}" = yes ] && times=10

# value FILE PATH: of a JSON file
value() {
	flat "$1" | awk -v path="$2" '$1 == path { sub(/^[^ ]* /, ""); print }'
}

# near WHAT ESTIMATE TRUTH [SLACK]: within a third, or as near as SLACK
near() {
	nchecks=$((nchecks + 1))
	awk -v e="${2:-none}" -v t="${3:-none}" -v slack="${4:-0}" 'BEGIN {
		d = e - t; if (d < 0) d = -d
		exit !(e != "none" && t != "none" && t + slack > 0 && (d <= t / 3 || d <= slack))
	}' || fail "$1: $2 estimated, $3 in truth"
	printf '    %-32s %14s %14s\n' "$1" "$2" "$3"
}

# conf [INDEX-LINE...]
conf() {
	cat <<-CONF
		include $schema/core.schema
		include $schema/cosine.schema
		include $schema/nis.schema
		include $schema/inetorgperson.schema
		database mdb
		suffix "dc=example,dc=com"
		directory $work/db
		maxsize 17179869184
	CONF
	printf 'index %s\n' "$@"
}

top() {
	printf 'dn: dc=example,dc=com\nobjectClass: organization\nobjectClass: dcObject\n'
	printf 'dc: example\no: Example\n\n'
	for unit in people groups; do
		printf 'dn: ou=%s,dc=example,dc=com\nobjectClass: organizationalUnit\n' $unit
		printf 'ou: %s\n\n' $unit
	done
}

# Accounts, then groups with 5 to 2,000 members and long values.
groups() {
	top
	awk -v n=$1 'BEGIN {
		srand(1)
		for (i = 0; i < n; i++)
			printf "dn: uid=u%07d,ou=people,dc=example,dc=com\nobjectClass: account\n" \
			       "uid: u%07d\ndescription: member %d\n\n", i, i, i % 911
		for (g = 0; g < n / 100; g++) {
			printf "dn: cn=g%d,ou=groups,dc=example,dc=com\nobjectClass: groupOfNames\n" \
			       "cn: g%d\ndescription: %02000d\n", g, g, g
			first = int(rand() * n)
			members = g % 10 ? 5 + g % 200 : 2000
			for (m = 0; m < members; m++)
				printf "member: uid=u%07d,ou=people,dc=example,dc=com\n",
				       (first + m * 7) % n
			print ""
		}
	}'
}

# Many small entries.
small() {
	top
	awk -v n=$1 'BEGIN {
		for (i = 0; i < n; i++)
			printf "dn: cn=d%07d,ou=people,dc=example,dc=com\nobjectClass: device\n" \
			       "cn: d%07d\nserialNumber: %d\n\n", i, i, i % 997
	}'
}

people_indexes=('uid,cn,sn,mail pres,eq,sub' 'telephoneNumber,title,l,description eq,sub'
	'objectClass,employeeNumber,departmentNumber,manager eq')

# compare NAME OPTION...: estimate and load $name.ldif with $name.conf
compare() {
	local name=$1 postings
	shift
	rm -rf db && mkdir db
	"$DITADD" --estimate=json -f "$name.conf" -l "$name.ldif" "$@" >estimate.json
	is "exit status of an estimate" $? 0
	is "files that it leaves" "$(ls db)" ""
	"$DITADD" -q -f "$name.conf" -l "$name.ldif" --stats=stats.json --progress=none \
		"$@" >/dev/null || fail "$name was not loaded"
	echo "$name $*"
	near entries "$(value estimate.json entries)" "$(value stats.json records.stored)"
	postings=$(flat stats.json |
		awk '/indexes\.[0-9]+\.postings / { n += $2 } END { print n + 0 }')
	near "index keys" "$(value estimate.json postings)" "$postings" 1
	near database "$(value estimate.json databases.0.bytes)" \
		"$(value stats.json databases.0.bytes)"
	# Less than a run is nothing or a run.
	near "temporary files" "$(value estimate.json temporary.disk_bytes)" \
		"$(value stats.json spilled_bytes)" 2000000
}

"$DITGEN" --entries $((12000 * times)) >people.ldif
groups $((20000 * times)) >groups.ldif
small $((80000 * times)) >small.ldif
conf "${people_indexes[@]}" | tee people.conf >top.conf
conf 'objectClass,uid,cn,member eq' >groups.conf
conf 'cn eq' 'serialNumber eq' >small.conf

top >top.ldif
compare top
compare people
# So much memory that no run is merged into a longer one, and written twice.
compare people --memory $((7 + 5 * times))M
compare groups
compare small --memory $((7 + 5 * times))M

# ---- a reindexing ----

# estimate_again RELEASE: into free pages, and after the end of the file
estimate_again() {
	before=$(cksum <db/data.mdb)
	"$DITINDEX" --openldap="$1" --estimate=json -f people.conf --memory 12M >estimate.json
	is "exit status of an estimate" $? 0
	is "the database after an estimate" "$(cksum <db/data.mdb)" "$before"
	"$DITINDEX" --openldap="$1" -f people.conf --memory 12M --stats=stats.json \
		--progress=none >/dev/null || fail "people were not indexed"
	echo "ditindex $1"
	near entries "$(value estimate.json entries)" "$(value stats.json records.read)"
	near "index keys" "$(value estimate.json postings)" \
		"$(flat stats.json |
			awk '/indexes\.[0-9]+\.postings / { n += $2 } END { print n + 0 }')"
	near database "$(value estimate.json databases.0.bytes)" \
		"$(value stats.json databases.0.bytes)"
	near "temporary files" "$(value estimate.json temporary.disk_bytes)" \
		"$(value stats.json spilled_bytes)" 2000000
}

conf 'objectClass eq' >few.conf
for release in 2.6 2.7; do
	rm -rf db && mkdir db
	"$DITADD" --openldap=$release -q -f few.conf -l people.ldif --progress=none ||
		fail "people were not loaded"
	estimate_again $release
	estimate_again $release
done

# ---- entries that are added ----

for percent in 50 90; do
	rm -rf db && mkdir db
	awk -v RS= -v ORS='\n\n' -v n=$((120 * times * percent)) 'NR <= n' people.ldif >old.ldif
	awk -v RS= -v ORS='\n\n' -v n=$((120 * times * percent)) 'NR > n' people.ldif >more.ldif
	"$DITADD" -q -f people.conf -l old.ldif --progress=none || fail "no database"
	"$DITADD" --estimate=json -f people.conf -l more.ldif >estimate.json
	is "exit status of an estimate" $? 0
	"$DITADD" -q -f people.conf -l more.ldif --stats=stats.json --progress=none ||
		fail "nothing was added"
	echo "added to $percent %"
	near database "$(value estimate.json databases.0.bytes)" \
		"$(value stats.json databases.0.bytes)"
done

# ---- packed, and from a pipe ----

rm -rf db && mkdir db
"$DITADD" --estimate=json -f people.conf -l people.ldif >plain.json
gzip -kf people.ldif
"$DITADD" --estimate=json -f people.conf -l people.ldif.gz >packed.json
"$DITADD" --estimate=json -f people.conf -l - <people.ldif >stdin.json
cat people.ldif | "$DITADD" --estimate=json -f people.conf >piped.json
for kind in packed stdin piped; do
	echo "$kind"
	near entries "$(value $kind.json entries)" $((12000 * times))
	near database "$(value $kind.json databases.0.bytes)" \
		"$(value plain.json databases.0.bytes)"
done

# ---- what does not fit ----

# refused WORDS OPTION...: the estimate fails with these words, and prints its lines
refused() {
	local words=$1
	shift
	"$DITADD" --estimate "$@" >output 2>errors
	is "exit status" $? 1
	nchecks=$((nchecks + 1))
	grep -q "$words" errors || fail "no \"$words\": $(cat errors)"
	nchecks=$((nchecks + 1))
	grep -q '^  entries .* index keys$' output || fail "no lines: $(cat output)"
	is "files" "$(ls db)" ""
}

sed 's/^maxsize .*/maxsize 1048576/' people.conf >tight.conf
refused 'but maxsize is 1\.0 MiB: configure "maxsize [0-9]*"' -f tight.conf -l people.ldif
"$DITADD" --estimate --grow -f tight.conf -l people.ldif >output 2>&1
is "exit status with --grow" $? 0

"$DITADD" --estimate -f people.conf -l missing.ldif >output 2>errors
is "exit status without input" $? 1
is "message" "$(cat errors)" "missing.ldif: No such file or directory"
"$DITADD" --estimate=xml -f people.conf -l people.ldif >output 2>errors
is "exit status of --estimate=xml" $? 1
nchecks=$((nchecks + 1))
grep -q -e '--estimate takes text or json, not "xml"' errors || fail "$(cat errors)"
printf '\001\002\003' >binary
"$DITADD" --estimate -f people.conf -l binary >output 2>errors
is "exit status of no LDIF" $? 1
is "message" "$(cat errors)" "ldif_read_record: binary: no LDIF, but binary data"
"$DITINDEX" --estimate -f people.conf >output 2>errors
is "exit status without a database" $? 1

# Records that will be refused are counted.
{ cat people.ldif; printf '\ndn: cn=x,dc=example,dc=com\nfoo: bar\n'; } >wrong.ldif
"$DITADD" --estimate=json -f people.conf -l wrong.ldif >estimate.json
nchecks=$((nchecks + 1))
[ "$(value estimate.json refused)" -ge 1 ] || fail "nothing will be refused"

# Every field has its row in doc/stats.md, and each row its field.
flat plain.json | sed -E 's/ .*//; s/\.[0-9]+/[]/g' | sort -u >fields
documented Estimates Progress >documented
nchecks=$((nchecks + 1))
diff fields documented >diff || { fail "doc/stats.md has ('>') other fields"; cat diff; }

finish
