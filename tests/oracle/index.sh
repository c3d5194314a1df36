#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditindex stores what "slapindex -t" stores, whatever the index databases held before:
# every fixture, with its index databases whole, empty, gone, or full of wrong keys. Then
# named attributes, glued databases, unconfigured indexes, messages, the size of the file,
# and kills at any moment. With OpenLDAP 2.7, whose files liblmdb does not write here, index
# databases are whole, empty or gone, and the tests with other damage are left out.
#
#   DIT_LONG=yes   each fixture, not each other one; 3,000 entries, not 600; 20 kills, not 4;
#                  faults/kills.sh kills at each system call
. "${0%/*}/lib.sh"
. "${0%/*}/fixtures.sh"
: "${DITINDEX:?}" "${SPOIL:?}" "${DITGEN:?}"

# slapindex_site DIR ARGUMENT..., ditindex_site DIR ARGUMENT...
slapindex_site() {
	load_with slapindex "$@"
}
ditindex_site() {
	load_with "$DITINDEX" "$@"
}

# root is told that slapd may not be able to read the files; a suffix that is longer as it was
# typed is taken for the tree of an old release (storage.md 3.6)
neutral+='
	/^$/d; /^WARNING!$/d; /^Running as root!$/d; /: DN index needs upgrade/d
	/^There.s a fair chance slapd/d; /^Check file permissions!$/d
	s/^\(slap\|dit\)index: /PROGRAM: /'

# spoil SITE STATE [DB OPTION-OF-CHOICE...]: all index databases. With 2.7 they are removed,
# but for that of objectClass, and made empty again if the state is any but "drop".
spoil() {
	if [ "$DIT_OPENLDAP" != 2.7 ]; then
		"$SPOIL" "$1/${3:-db}" "$2"
		return
	fi
	sed '/^index /d' "$1/slapd.conf" >"$work/bare.conf"
	"$DITINDEX" --drop-unconfigured -f "$work/bare.conf" "${@:4}" >/dev/null 2>&1
	[ "$2" = drop ] ||
		slapindex -q -f "$1/slapd.conf" "${@:4}" objectClass >/dev/null 2>&1
}

# sound DIR: the file is what LMDB's format says, and no page is lost
# shellcheck disable=SC2317 # called by check
sound() {
	"$DITCHECK" "${sealed[@]}" --quick --database "$1" || return 1
	[ "$DIT_OPENLDAP" != 2.7 ] || return 0
	mdb_copy -c "$1" >/dev/null
}

# ---- every fixture ----

states=(whole empty drop stale)
number=0

# index_fixture NAME CONF: the site "ref" is loaded
index_fixture() {
	local state=${states[number % 4]} threads=$((number % 3 + 1)) options=() ignored=()
	number=$((number + 1))
	if [ $((number / 4 % 2)) -eq 0 ]; then
		options=(--index-keys=bytes)
	else
		ignored=(--ignore-integerkey)
	fi
	empty_site "$work/dit"
	write_conf "$work/dit" "$2" slapd.conf
	cp "$work/ref/db/data.mdb" "$work/dit/db"
	slapindex_site "$work/ref" -t
	# slapindex gives up where "multival" names an attribute without index.
	if [[ $(<"$work/ref/stderr") = *'(Truncate) mdb_drop('* ]]; then
		cp "$work/dit/db/data.mdb" "$work/ref/db"
		echo 0 >"$work/ref/exit"
		: >"$work/ref/stderr"
	fi
	[ "$state" = whole ] || spoil "$work/dit" "$state"
	ditindex_site "$work/dit" -T "$threads" "${options[@]}"
	check "$1, $state, -T $threads ${options[*]}: messages" \
		same_messages "$work/ref" "$work/dit"
	check "$1, $state, -T $threads ${options[*]}: content" \
		same_content "${ignored[@]}" "$work/ref" "$work/dit"
	check "$1, $state: sound" sound "$work/dit/db"
	check "$1, $state: leftovers" only_database "$work/dit"
}

make_site "$work/ref"
make_site "$work/dit"
while read -r fixture conf _ rest; do
	[ -n "$fixture" ] || continue
	[ $# -eq 0 ] || [ "$fixture" = "$1" ] || continue
	! lacks_module "$conf" || continue
	read -ra options <<<"$rest"
	# Those that choose another database, or load nothing new.
	case " $rest " in *" -b "* | *" -n "* | *value-check* | *" -S "*) continue ;; esac
	[ $# -gt 0 ] || turn 2 || continue
	fill_in "$work" <"$DIT_TEST_DATA/ldif/$fixture.ldif" >"$work/input.ldif"
	empty_site "$work/ref"
	write_conf "$work/ref" "$conf" slapd.conf
	"$DITADD" -f "$work/ref/slapd.conf" --index-keys=bytes -q -c \
		-l "$work/input.ldif" >/dev/null 2>&1
	[ -e "$work/ref/db/data.mdb" ] || continue
	index_fixture "$fixture/$conf" "$conf"
done <<<"$table"
[ $# -eq 0 ] || finish

# ---- a directory of some size ----

make_site "$work/ref" bench
entries=600
[ "${DIT_LONG:-}" != yes ] || entries=3000
"$DITGEN" --entries $entries --operational >"$work/input.ldif"
"$DITADD" -f "$work/ref/slapd.conf" --index-keys=bytes -q -l "$work/input.ldif"
cp -r "$work/ref" "$work/start"

# restart: the site "dit" as it was loaded
restart() {
	rm -rf "$work/dit"
	cp -r "$work/start" "$work/dit"
	sed -i "s,$work/ref/,$work/dit/,g" "$work/dit/slapd.conf"
}

slapindex_site "$work/ref" -t
for memory in 8M 64M; do
	restart
	spoil "$work/dit" stale
	ditindex_site "$work/dit" --memory $memory -T 2
	check "bench, --memory $memory: messages" same_messages "$work/ref" "$work/dit"
	check "bench, --memory $memory: content" same_content "$work/ref" "$work/dit"
done

# Pages of the old indexes are damaged: they are no more than in the way. If one index is
# rebuilt and others stay damaged, the owners of pages are not known, until all are.
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	restart
	"$SPOIL" "$work/dit/db" damaged
	"$DITCHECK" -f "$work/dit/slapd.conf" >"$work/check.found" 2>"$work/check.err"
	check "damaged: ditcheck's exit status" test $? -eq 1
	check "damaged: ditcheck names the commands" test "$(grep -c \
		'the index .* is damaged .* "ditindex .*" mends it' "$work/check.err")" -eq 27
	ditindex_site "$work/dit" -T 2
	check "damaged: exit status" test "$(cat "$work/dit/exit")" -eq 0
	check "damaged: told" test "$(grep -c 'index database ".*" in .* was damaged' \
		"$work/dit/stderr")" -eq 27
	check "damaged: content" same_content "$work/ref" "$work/dit"
	check "damaged: sound" sound "$work/dit/db"
	restart
	"$SPOIL" "$work/dit/db" damaged
	ditindex_site "$work/dit" mail
	check "one of the damaged: exit status" test "$(cat "$work/dit/exit")" -eq 0
	check "one of the damaged: told" grep -q '"mail" in .* was damaged (.*); another .* lost' \
		"$work/dit/stderr"
	ditindex_site "$work/dit"
	check "the other damaged ones: content" same_content "$work/ref" "$work/dit"
	check "the other damaged ones: lost pages are back" sound "$work/dit/db"
fi

# Attributes by name, by another name of the same type, twice.
for name in ref dit; do
	rm -rf "${work:?}/$name"
	cp -r "$work/start" "$work/$name"
	sed -i "s,$work/ref/,$work/$name/,g" "$work/$name/slapd.conf"
	spoil "$work/$name" empty
done
slapindex_site "$work/ref" mail sn
ditindex_site "$work/dit" mail surname rfc822Mailbox
check "named attributes: messages" same_messages "$work/ref" "$work/dit"
check "named attributes: content" same_content "$work/ref" "$work/dit"

# The file does not grow from run to run, but for a chunk of pages (512 KiB) of each thread
# that finds no row of free pages for it.
restart
for ((i = 1; i <= 6; i++)); do
	ditindex_site "$work/dit" -T 2
	[ $i -ne 1 ] || first=$(stat -c %s "$work/dit/db/data.mdb")
	last=$(stat -c %s "$work/dit/db/data.mdb")
done
check "six runs: $first, then $last bytes" test "$last" -le $((first + 2 * 524288))
check "six runs: sound" sound "$work/dit/db"

# Without room for old and new.
restart
bytes=$(stat -c %s "$work/dit/db/data.mdb")
sed -i "s/^maxsize.*/maxsize $((bytes + 40960))/" "$work/dit/slapd.conf"
cp "$work/dit/db/data.mdb" "$work/before.mdb"
ditindex_site "$work/dit"
check "no room: exit status" test "$(cat "$work/dit/exit")" -eq 1
check "no room: message" grep -q 'needs [0-9]* bytes, .*but maxsize is' "$work/dit/stderr"
check "no room: nothing is changed" cmp "$work/before.mdb" "$work/dit/db/data.mdb"
wanted=$(sed -n 's/.*configure "maxsize \([0-9]*\)".*/\1/p' "$work/dit/stderr")
sed -i "s/^maxsize.*/maxsize $wanted/" "$work/dit/slapd.conf"
ditindex_site "$work/dit"
check "the size that was asked for is enough" test "$(cat "$work/dit/exit")" -eq 0

# ---- messages ----

# both NAME ARGUMENT...: slapindex and ditindex say the same
both() {
	local name=$1
	shift
	slapindex_site "$work/ref" "$@"
	ditindex_site "$work/dit" "$@"
	check "$name: messages" same_messages "$work/ref" "$work/dit"
	check "$name: output" cmp "$work/ref/stdout" "$work/dit/stdout"
}

restart
rm -rf "$work/ref"
cp -r "$work/start" "$work/ref"
both "-v" -v
both "an unknown attribute" mail noSuchAttribute
both "an unknown attribute, -d 0" -d 0 noSuchAttribute
both "a suffix of no database" -b dc=nowhere
both "a number out of range" -n 7
both "the config database" -n 0
both "-q -t -c -o" -q -t -c -o syslog=1
ditindex_site "$work/dit" seeAlso
check "not configured: exit status" test "$(cat "$work/dit/exit")" -eq 1
check "not configured: slapindex's line" \
	grep -qx 'mdb_tool_entry_reindex: no index configured for seeAlso' \
	"$work/dit/stderr"

# ---- unconfigured indexes ----

if [ "$DIT_OPENLDAP" != 2.7 ]; then
	restart
	"$SPOIL" "$work/dit/db" extra
	ditindex_site "$work/dit"
	check "unconfigured: told" grep -q 'index database "stale" .* 4096 bytes' "$work/dit/stderr"
	check "unconfigured: kept" test "$(mdb_stat -s stale "$work/dit/db" | grep -c Entries)" -eq 1
	ditindex_site "$work/dit" --drop-unconfigured
	check "unconfigured: removed" grep -q 'index database "stale" .*, removed' \
		"$work/dit/stderr"
	check "unconfigured: gone" test "$(mdb_stat -s stale "$work/dit/db" 2>/dev/null |
		grep -c Entries)" -eq 0
	check "unconfigured: sound" sound "$work/dit/db"
fi

# ---- glued databases ----

# glued ARGUMENT...: all databases of a site after slapindex and after ditindex
glued() {
	local name
	for name in ref dit; do
		rm -rf "${work:?}/$name"
		make_site "$work/$name" glue
		mkdir "$work/$name/db-apart"
		"$DITADD" -f "$work/$name/slapd.conf" --index-keys=bytes -q \
			-b dc=example,dc=com -l "$work/glue.ldif"
		for db in 'db -n 4' 'db-other -n 2' 'db-later -n 1'; do
			# shellcheck disable=SC2086 # several words
			spoil "$work/$name" empty $db
		done
	done
	slapindex_site "$work/ref" "$@"
	ditindex_site "$work/dit" "$@"
	check "glue $*: messages" same_messages "$work/ref" "$work/dit"
	for name in db db-other db-later; do
		check "glue $*: $name" "$DITCHECK" "${sealed[@]}" --compare --exact "$work/ref/$name" \
			"$work/dit/$name"
	done
}

# operational_lines NUMBER
operational_lines() {
	echo "entryUUID: 00000000-0000-1000-8000-00000000000$1"
	echo "creatorsName: cn=admin,dc=example,dc=com"
	echo "createTimestamp: 20260101000000Z"
	echo "entryCSN: 20260101000000.00000$1Z#000000#000#000000"
	echo "modifiersName: cn=admin,dc=example,dc=com"
	echo "modifyTimestamp: 20260101000000Z"
}

cat >"$work/glue.ldif" <<LDIF
dn: dc=example,dc=com
objectClass: domain
dc: example
$(operational_lines 1)

dn: cn=above,dc=example,dc=com
objectClass: person
cn: above
sn: a
$(operational_lines 2)

dn: ou=sub,dc=example,dc=com
objectClass: organizationalUnit
ou: sub
$(operational_lines 3)

dn: cn=in sub,ou=sub,dc=example,dc=com
objectClass: person
cn: in sub
sn: b
$(operational_lines 4)

dn: ou=deep,ou=sub,dc=example,dc=com
objectClass: organizationalUnit
ou: deep
$(operational_lines 5)
LDIF
glued
glued -g
glued -b dc=example,dc=com
glued -b ou=sub,dc=example,dc=com
glued -n 4
glued -n 2
for name in ref dit; do
	rm "$work/$name"/db-other/*
done
both "a missing database below" -b dc=example,dc=com
both "a missing database" -n 2

# ---- kills ----

restart
slapindex_site "$work/dit" -t
cp -r "$work/dit/db" "$work/complete"
noldstates=0
nkills=4
[ "${DIT_LONG:-}" != yes ] || nkills=20
for ((i = 1; i <= nkills; i++)); do
	restart
	spoil "$work/dit" stale
	rm -rf "$work/before"
	cp -r "$work/dit/db" "$work/before"
	"$DITINDEX" -f "$work/dit/slapd.conf" -T 2 --memory 8M --tmpdir "$work" \
		>/dev/null 2>&1 &
	pid=$!
	sleep "0.$((i % 4))$((RANDOM % 10))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	if "$DITCHECK" "${sealed[@]}" --compare --exact "$work/before" "$work/dit/db" >/dev/null 2>&1; then
		noldstates=$((noldstates + 1))
	else
		check "kill $i: complete" "$DITCHECK" "${sealed[@]}" --compare --exact "$work/complete" \
			"$work/dit/db"
	fi
	check "kill $i: sound" sound "$work/dit/db"
	ditindex_site "$work/dit" -T 1
	check "kill $i: the next run" "$DITCHECK" "${sealed[@]}" --compare --exact "$work/complete" "$work/dit/db"
	check "kill $i: and no page is lost" sound "$work/dit/db"
done
echo "kills: $noldstates of $nkills left the old indexes"

# ---- while slapd runs ----

. "${0%/*}/slapd_lib.sh"
restart
start_slapd dit
ditindex_site "$work/dit"
check "slapd runs: exit status" test "$(cat "$work/dit/exit")" -eq 1
hint='; --online builds indexes while slapd runs$'
check "slapd runs: its process is named" \
	grep -q "is in use by slapd, process [0-9]*.*$hint" "$work/dit/stderr"
ditadd_site "$work/dit" --if-empty -l "$work/input.ldif"
check "slapd runs: ditadd --if-empty" test "$(cat "$work/dit/exit")" -eq 0
ditadd_site "$work/dit" -l "$work/input.ldif"
check "slapd runs: ditadd names its process" grep -q \
	'is in use by slapd, process [0-9]*.*; stop it first$' "$work/dit/stderr"
stop_slapd
finish
