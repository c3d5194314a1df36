#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The states of sound directories, made by slapd and slapadd: ditcheck shows what the table
# of doc/sound.md says, and finds nothing. A state is a row of that table, by its name; each
# row is run.
#
# For openldap27.sh as well.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
. "${0%/*}/sites_lib.sh"
: "${DITCHECK:?}" "${DIT_SRCDIR:?}"
table=$DIT_SRCDIR/doc/sound.md

# ---- rows ----

# state NAME SITE [OPTION...]: what ditcheck shows is what the table says
state() {
	local name=$1 conf=$work/$2/slapd.conf status got words
	shift 2
	nchecks=$((nchecks + 1))
	echo "$name" >>"$work/rows"
	"$DITCHECK" -d 0 -f "$conf" "$@" >"$work/shown" 2>&1
	status=$?
	got=$(sed -n 's/^[^:]*: \([a-z]*-[a-z]*\): .*/`\1`/p' "$work/shown" | sort -u |
		tr '\n' ' ')
	got=${got% }
	words=$(sed -n "s/^| $name | \(.*\) |\$/\1/p" "$table")
	case $words in
	"${got:-none}" | "none or ${got:-none}") ;;
	"none or "*) [ -z "$got" ] || status=shown ;;
	*) status=shown ;;
	esac
	[ "$status" = 0 ] || {
		fail "$name: ${got:-none}, not: ${words:-(no such row)}"
		sed 's/^/    /; 12q' "$work/shown" >&2
	}
}

# ---- one server ----

site a
start_slapd a
state "slapd's first start" a
stop a
site a
load a -q
state "loaded by slapadd" a
start_slapd a
all_kinds | change a
state "changed" a
killed_again a
state "killed, and started again" a
stop a
state "stopped" a
slapindex -q -f "$work/a/slapd.conf"
state "indexed by slapindex" a
sed -i '/^database/i sortvals description' "$work/a/slapd.conf"
state "\`sortvals\` added" a
sed -i 's/^index cn,sn,uid,description/index cn,sn,uid/' "$work/a/slapd.conf"
start_slapd a
people 60 70 | added | change a
state "an index removed" a
stop a

for lines in "envflags writemap" dbnosync; do
	site a "$lines"
	sed -i '/^envflags nosync/d' "$work/a/slapd.conf"
	load a
	start_slapd a
	all_kinds | change a
	state "\`$lines\`" a
	killed_again a
	one 8 | change a
	state "\`$lines\`, killed, and started again" a
	stop a
done

site a "multival description 2,1"
load a
start_slapd a
all_kinds | change a
state "\`multival\`" a
stop a
sed -i '/^multival/d' "$work/a/slapd.conf"
start_slapd a
people 60 70 | added | change a
state "\`multival\` removed" a
stop a

# Lists of more than 65,535 entries are ranges.
site a
{
	tree
	awk -v base="ou=people,$base" 'BEGIN {
		for (i = 100; i < 66000; i++)
			print "dn: cn=p" i "," base "\nobjectClass: person\nsn: x\n"
	}'
} | "$DITADD" -q -f "$work/a/slapd.conf" || fail "no ranges"
start_slapd a
for i in {100..700}; do
	removed "$i"
done | change a
state "entries of ranges removed" a
stop a

site a
sed -i 's/^maxsize.*/maxsize 400000/' "$work/a/slapd.conf"
load a
start_slapd a
people 100 2000 | added | change a
check "the database is full" grep -q 'MDB_MAP_FULL\|Other (e.g.' "$work/a/modify"
state "full" a
killed_again a
state "full, killed, and started again" a
stop a

site a '!moduleload memberof' '!moduleload refint' '!moduleload unique' \
	'!moduleload ppolicy' '!moduleload dds' '!moduleload valsort' '!moduleload collect' \
	'overlay memberof' 'memberof-refint TRUE' 'overlay refint' \
	'refint_attributes seeAlso member' 'overlay unique' 'unique_uri ldap:///?uid?sub' \
	'overlay ppolicy' 'ppolicy_hash_cleartext' 'overlay dds' 'overlay valsort' \
	"valsort-attr description ou=people,$base alpha-ascend" 'lastbind on' \
	'index memberOf,pwdChangedTime,entryExpireTimestamp pres,eq'
load a
start_slapd a
{
	all_kinds
	printf '%s\n' "dn: cn=g,$base" 'changetype: add' 'objectClass: groupOfNames' \
		"member: cn=p1,ou=people,$base" "member: cn=p8,ou=people,$base" '' \
		"dn: cn=p1,ou=people,$base" 'changetype: modify' 'replace: userPassword' \
		'userPassword: secret' - '' \
		"dn: cn=dyn,$base" 'changetype: add' 'objectClass: dynamicObject' \
		'objectClass: person' 'sn: x' '' \
		"dn: ou=alias,$base" 'changetype: add' 'objectClass: alias' \
		'objectClass: extensibleObject' "aliasedObjectName: cn=p5,ou=people,$base" ''
	removed 8
} | change a
for password in secret wrong; do
	ldapsearch -x -H "${url[a]}" -D "cn=p1,ou=people,$base" -w $password -b '' -s base \
		>/dev/null 2>&1
done
state "overlays that store" a
stop a

# ---- contextCSN ----

site a
load a -w
state "loaded with \`-w\`" a
start_slapd a
one 1 | change a
state "loaded with \`-w\`, changed, without \`syncprov\`" a
stop a
slapcat -f "$work/a/slapd.conf" -l "$work/export.ldif" 2>/dev/null
site a
slapadd -q -f "$work/a/slapd.conf" -l "$work/export.ldif" 2>/dev/null
state "restored from that" a
site a
slapadd -q -w -f "$work/a/slapd.conf" -l "$work/export.ldif" 2>/dev/null
state "restored from that, with \`-w\`" a

site p "overlay syncprov"
load p -w
start_slapd p
state "provider" p
all_kinds | change p
state "provider, changed" p
stop p -KILL
state "provider, killed" p
start_slapd p
state "provider, killed, and started again" p
people 60 60 | added | change p
removed 60 | change p
stop p
state "provider, its last entry removed" p
start_slapd p
one 1 | change p
stop p
state "provider, stopped" p

site p "overlay syncprov" "syncprov-checkpoint 20 10"
load p -w
start_slapd p
all_kinds | change p
state "provider with checkpoints, changed" p
stop p
site p "overlay syncprov" "sync_use_subentry on"
load p -w
start_slapd p
one 1 | change p
state "provider with \`sync_use_subentry\`, changed" p
stop p

# slapadd 2.5.13 dies of -w in glued databases (contextcsn.sh).
site p "overlay syncprov"
{
	sed '/^database mdb/,$d' "$work/p/slapd.conf"
	database "ou=people,$base" "$work/p/db2"
	echo subordinate
	sed -n '/^database mdb/,$p' "$work/p/slapd.conf"
} >"$work/p/glued.conf"
mv "$work/p/glued.conf" "$work/p/slapd.conf"
load p
start_slapd p
people 60 62 | added | change p
stop p
state "provider with a subordinate database, stopped" p

# ---- consumers ----

site p "overlay syncprov"
load p -w
start_slapd p
site c "$(follow 1 p)"
start_slapd c
soon has c cn=p40
state "consumer" c
all_kinds | change p
soon has c cn=p55
state "consumer, changed" c
stop c -KILL
state "consumer, killed" c
people 100 200 | added | change p
start_slapd c
state "consumer, behind" c
soon has c cn=p200
stop c
state "consumer, stopped" c
site c "$(follow 1 p)"
start_slapd c
stop c -KILL
state "consumer, killed in its first refresh" c
start_slapd c
soon has c cn=p200
state "consumer, refreshed after that" c
stop c

slapcat -f "$work/p/slapd.conf" -l "$work/export.ldif" 2>/dev/null
site c "$(follow 1 p)"
slapadd -q -f "$work/c/slapd.conf" -l "$work/export.ldif" 2>/dev/null
state "consumer, loaded from an export of its provider" c
start_slapd c
arrives p 9 c
state "the same, after a change" c
stop c
site c "$(follow 1 p 'filter="(|(uid=u1)(uid=u9))"')"
start_slapd c
soon has c uid=u9
state "consumer with a filter" c
stop c
site c "$(follow 1 p 'attrs="sn,uid,description" schemachecking=off')"
start_slapd c
soon has c uid=u200
state "consumer of some attributes" c
stop c
site c "$(follow 1 p | sed 's/searchbase="/&ou=people,/')"
start_slapd c
soon has c cn=p200
state "consumer of a subtree" c
stop c
site c "$(follow 1 p)" "overlay syncprov"
start_slapd c
soon has c cn=p200
arrives p 34 c
state "consumer that is a provider" c
stop c -KILL
state "consumer that is a provider, killed" c
stop p

# ---- the log, and consumers that read it ----

site p "!$(log_database p "overlay syncprov" "syncprov-nopresent TRUE" \
	"syncprov-reloadhint TRUE")" "overlay syncprov" "syncprov-reloadhint TRUE" \
	"overlay accesslog" "logdb cn=log" "logops writes" "logsuccess TRUE" \
	"logold (objectClass=person)"
load p -w
start_slapd p
site c "$(follow 1 p 'logbase="cn=log" syncdata=accesslog' \
	'logfilter="(&(objectClass=auditWriteObject)(reqResult=0))"')"
start_slapd c
soon has c cn=p40
all_kinds | change p
soon has c cn=p55
state "delta-sync provider, changed" p -n 2
state "its log" p -n 1
state "delta-sync consumer" c
stop c -KILL
stop p -KILL
state "delta-sync provider, killed" p -n 2
state "its log, killed" p -n 1
state "delta-sync consumer, killed" c
start_slapd p
start_slapd c
arrives p 8 c
state "delta-sync consumer, back" c
stop c
stop p
state "delta-sync provider, stopped" p -n 2
state "its log, stopped" p -n 1

# ---- mirror mode ----

mirror_pair
arrives m1 8 m2
arrives m2 9 m1
for n in 1 2; do
	state "mirror, changed at both" m$n
done
people 100 199 | added | change m2 &
writer=$!
people 200 299 | added | change m1
for n in 1 2; do
	state "mirror, under load" m$n
done
wait $writer
soon has m1 cn=p199
soon has m2 cn=p299
stop m2 -KILL
state "mirror, killed" m2
start_slapd m2
arrives m1 34 m2
for n in 1 2; do
	state "mirror, killed, and back" m$n
	stop m$n
	state "mirror, stopped" m$n
done

check "each row of the table is run" diff <(sort -u "$work/rows") \
	<(sed -n '/^| state/,/^$/{/^| state/d; /^|--/d; s/^| \(.*\) | [^|]* |$/\1/p}' "$table" | sort)
finish
