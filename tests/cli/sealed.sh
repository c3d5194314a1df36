#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Databases whose pages are encrypted or have checksums ("crypto" and "passphrase" of OpenLDAP
# 2.7), with the module of the tests: ditadd makes one and adds entries to it, ditindex builds
# its indexes again, ditcat and ditcheck read it, on one thread and on several, with pages of
# several sizes. A file of slapadd 2.7.0 is read. What another passphrase, no passphrase,
# another bit, or a module that is none bring is told. No file and no message has the
# passphrase, and temporary files have no text of entries.
#
#   DIT_LONG=yes   each module and size of pages with one thread and with three; else with one of
#                  them in turn
. "${0%/*}/../checks_lib.sh"
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}"
: "${DIT_TEST_DATA:?}"
module=${DIT_BUILDDIR:?}/tests/system/xor_module.so
golden=$DIT_TEST_DATA/golden-2.7
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
secret='open sesame'

# site NAME LINE...: a slapd.conf with these lines, and an empty directory
site() {
	rm -rf "$1"
	mkdir "$1"
	{
		printf 'include %s\n' "$golden/schema/"{core,cosine,inetorgperson}.schema
		printf '%s\n' 'database mdb' 'suffix dc=x' 'rootdn cn=admin,dc=x' \
			'lastmod off' 'maxsize 1073741824' "directory $work/$1" \
			'index cn,sn pres,eq,sub' "${@:2}"
	} >"$1.conf"
}

# tool NAME SITE ARGUMENT...
tool() {
	local program=$1 conf=$2.conf
	shift 2
	"$program" --openldap=2.7 -f "$conf" "$@"
}

# same SITE FILE: ditcat prints the file, ditcheck finds nothing
same() {
	tool "$DITCAT" "$1" >cat.ldif && cmp cat.ldif "$2" && tool "$DITCHECK" "$1" &&
		tool "$DITCHECK" "$1" --quick
}

# refused STATUS WORDS COMMAND...: with these words, and never with the passphrase
refused() {
	local want=$1 words=$2 r
	shift 2
	"$@" >out 2>err
	r=$?
	[ $r -eq "$want" ] && grep -qF -e "$words" err && ! grep -qF sesame out err || {
		echo "status $r"
		cat err
		return 1
	}
}

people() {
	awk -v from="$1" -v to="$2" 'BEGIN {
		if (from == 1)
			print "dn: dc=x\nobjectClass: dcObject\nobjectClass: organization\n" \
				"dc: x\no: x\nentryUUID: 00000000-0000-4000-8000-000000000000\n"
		for (i = from; i <= to; i++) {
			print "dn: cn=user" i ",dc=x\nobjectClass: inetOrgPerson\ncn: user" i
			print "sn: name" i % 97
			printf "description: plain text %d", i
			for (k = 0; k < (i % 50 == 0 ? 900 : i % 7); k++)
				printf " more text %d", k
			printf "\nentryUUID: 00000000-0000-4000-8000-%012d\n\n", i
		}
	}'
}

people 1 2000 >first.ldif
people 2001 2600 >second.ldif
site plain
tool "$DITADD" plain -q -T 1 -l first.ldif
tool "$DITCAT" plain >first.cat
tool "$DITADD" plain -q -T 1 -l second.ldif
tool "$DITCAT" plain >second.cat

# ---- all verbs ----

turn=3
for kind in '' mac sum bare; do
	export XOR_MODULE=$kind
	for size in 1024 4096 65536; do
		turn=$((4 - turn)) # 1 and 3, the other way round for the next module
		for threads in $([ "${DIT_LONG:-}" = yes ] && echo 1 3 || echo $turn); do
			name="module $kind, pages of $size, -T $threads"
			site db "crypto $module" "passphrase \"$secret\"" "dbpagesize $size"
			check "$name: new" tool "$DITADD" db -q -T $threads -l first.ldif
			check "$name: read" same db first.cat
			check "$name: added to" tool "$DITADD" db -q -T $threads -l second.ldif
			check "$name: read again" same db second.cat
			check "$name: indexes" tool "$DITINDEX" db -T $threads
			check "$name: indexes again" tool "$DITINDEX" db -T $threads --online
			check "$name: read at the end" same db second.cat
			if [ "$kind" != sum ]; then
				check "$name: nothing is in clear" \
					sh -c "! grep -aqF 'plain text' db/data.mdb"
			fi
		done
	done
done
export XOR_MODULE=
site sums "crypto $module"
check "checksums without a passphrase: new" tool "$DITADD" sums -q -l first.ldif
check "checksums without a passphrase: read" same sums first.cat
printf x | dd of=sums/data.mdb bs=1 seek=$((40 * 4096 + 2000)) conv=notrunc status=none
check "a wrong checksum" sh -c "! '$DITCHECK' --openldap=2.7 -f sums.conf --quick >found &&
	grep -q page-checksum found"

# ---- prepared, and put in place ----

site ahead "crypto $module" "passphrase \"$secret\""
check "prepared" tool "$DITADD" ahead -q --prepare -l first.ldif
sed 's/^passphrase.*/passphrase sesame/' ahead.conf >wrong.conf
check "published with another key" refused 1 'is not that of its pages' \
	tool "$DITADD" wrong --publish
check "published" tool "$DITADD" ahead --publish
check "published: read" same ahead first.cat

# ---- a file of slapadd 2.7.0 ----

site golden "crypto $module" "passphrase \"$secret\""
sed -i 's/^index .*/index cn eq/' golden.conf
gzip -dc "$golden/raw/sealed.mdb.gz" >golden/data.mdb
check "slapadd's: read" same golden "$golden/ldif/sealed.ldif"
check "slapadd's: added to" tool "$DITADD" golden -q -l second.ldif
check "slapadd's: checked" tool "$DITCHECK" golden
check "slapadd's: indexes" tool "$DITINDEX" golden
check "slapadd's: checked again" tool "$DITCHECK" golden

# ---- what is wrong ----

site db "crypto $module" "passphrase \"$secret\""
tool "$DITADD" db -q -l first.ldif
sed 's/^passphrase.*/passphrase sesame/' db.conf >wrong.conf
sed '/^passphrase/d' db.conf >none.conf
sed '/^crypto/d; /^passphrase/d' db.conf >bare.conf
cp -r db whole
for conf in wrong:'is not that of its pages' none:'its pages are encrypted' \
	bare:'its pages are encrypted'; do
	words=${conf#*:}
	site=${conf%%:*}
	check "$site: ditcat" refused 1 "$words" tool "$DITCAT" "$site"
	check "$site: ditadd" refused 1 "$words" tool "$DITADD" "$site" -q -l second.ldif
	check "$site: ditindex" refused 1 "$words" tool "$DITINDEX" "$site"
	check "$site: ditcheck" refused 2 "$words" tool "$DITCHECK" "$site"
	check "$site: ditcheck --quick" refused 2 "$words" tool "$DITCHECK" "$site" --quick
done
check "nothing was changed" diff -r db whole
check "a database that is not encrypted" sh -c "
	sed 's,^directory.*,directory $work/plain,' db.conf >other.conf
	! '$DITCAT' --openldap=2.7 -f other.conf 2>err && grep -q 'are not encrypted' err"
check "--rejects" refused 1 'leave --rejects out' \
	tool "$DITADD" db -q -c --rejects rejected.ldif -l second.ldif
check "--rejects of changes" refused 1 'leave --rejects out' \
	tool "$DITMODIFY" db -q -c --rejects rejected.ldif -l second.ldif
# Without MAC and checksum another key opens all pages, and none of them is a page.
export XOR_MODULE=bare
site keyless "crypto $module" "passphrase \"$secret\""
tool "$DITADD" keyless -q -l first.ldif
sed -i 's/^passphrase.*/passphrase sesame/' keyless.conf
check "no MAC, another passphrase" refused 1 'is not that of its pages' \
	tool "$DITCAT" keyless
for kind in long-mac failing-key nothing; do
	export XOR_MODULE=$kind
	check "module $kind" refused 1 'is no module for "crypto"' tool "$DITCAT" db
done
export XOR_MODULE=failing
site failing "crypto $module" "passphrase \"$secret\""
check "a module that fails" refused 1 'Input/output error' \
	tool "$DITADD" failing -q -l first.ldif
check "a module that fails leaves nothing" test ! -e failing/data.mdb
export XOR_MODULE=
site missing "crypto $work/none.so" "passphrase \"$secret\""
check "no module" refused 1 "$work/none.so" tool "$DITADD" missing -q -l first.ldif
site quoted "crypto $module" "passphrase \"$secret"
check "a quote that does not end" refused 1 'unterminated quoted string' \
	tool "$DITADD" quoted -q -l first.ldif

# ---- directories that are named ----

# one_and_two LINE...: a slapd.conf with the directories one and two
one_and_two() {
	local name
	for name in one two; do
		site $name "crypto $module" "passphrase \"$secret of $name\""
		sed -i "s/dc=x$/dc=$name/; /^include/d" $name.conf
	done
	{
		grep '^include' db.conf
		cat one.conf two.conf
	} >both.conf
	sed "/^crypto/d; /^passphrase/d" both.conf >plain-both.conf
}
site db "crypto $module" "passphrase \"$secret\""
one_and_two
check27() {
	"$DITCHECK" --openldap=2.7 "$@"
}
for name in one two; do
	sed "s/dc=x$/dc=$name/; s/^dc: x/dc: $name/" first.ldif >$name.ldif
	check "$name: load" "$DITADD" --openldap=2.7 -f both.conf -b dc=$name -q -l $name.ldif
done
check "two passphrases: compared" sh -c "
	! '$DITCHECK' --openldap=2.7 -f both.conf --compare one two >out 2>err &&
	[ ! -s err ] && grep -q '^id2e: .*dc=one.*only in the first' out"
cp -r two copy
check "a copy: compared" sh -c "
	'$DITCHECK' --openldap=2.7 -f both.conf -b dc=two --compare two copy >out 2>&1 && [ ! -s out ]"
check "LDIF: compared" sh -c "
	'$DITDIFF' --openldap=2.7 -f both.conf two.ldif two -b dc=two >out 2>&1 && [ ! -s out ] &&
	'$DITDIFF' --openldap=2.7 -f both.conf one.ldif one >out 2>&1 && [ ! -s out ]"
check "a copy: the database is not named" refused 2 'of the database "dc=one" is used (-b or -n' \
	check27 -f both.conf --compare two copy
check "a copy: another passphrase" refused 2 'is not that of its pages' \
	check27 -f both.conf --compare two copy
mkdir clear
sed "s,^directory.*/two,directory $work/clear," plain-both.conf >clear.conf
check "in clear text: load" "$DITADD" --openldap=2.7 -f clear.conf -b dc=two -q -l two.ldif
check "in clear text, and sealed: compared" check27 -f both.conf --compare clear two
check "no configuration" refused 2 'name the configuration of OpenLDAP 2.7 that has their "crypto"' \
	check27 --compare one two
check "a configuration without crypto" refused 2 'its pages are encrypted: name the configuration' \
	check27 -f plain-both.conf --compare one two
for name in one two copy; do
	check "$name: --quick --database" check27 -f both.conf -b dc=${name/copy/two} --quick \
		--database $name
	check "$name: no configuration" refused 2 'its pages are encrypted: name the config' \
		check27 --quick --database $name
done
check "--stats --database" sh -c "
	'$DITCHECK' --openldap=2.7 -f both.conf -b dc=two --stats --database copy | grep -q '^id2e'"
printf x | dd of=copy/data.mdb bs=1 seek=$((33 * 4096 + 100)) conv=notrunc status=none
check "a damaged copy" refused 2 'is damaged and was not compared' \
	check27 -f both.conf -b dc=two --compare two copy

# ---- damage ----


# of a leaf with entries, a branch, an index, the pages of a long value: some of each are
# among these
for page in 9 33 70 120 200 260; do
	cp whole/data.mdb db/data.mdb
	printf x | dd of=db/data.mdb bs=1 seek=$((page * 4096 + 100)) conv=notrunc status=none
	check "page $page: ditcheck" sh -c "! '$DITCHECK' --openldap=2.7 -f db.conf --quick \
		>found 2>&1 && grep -q 'unreadable' found && ! grep -qi passphrase found"
done
for page in 0 1; do
	cp whole/data.mdb db/data.mdb
	head -c 4096 /dev/zero |
		dd of=db/data.mdb bs=4096 seek=$page conv=notrunc status=none
	check "meta page $page: ditcheck" sh -c "! '$DITCHECK' --openldap=2.7 -f db.conf \
		--quick >found 2>&1"
done

# ---- what others can read ----

# Sorted runs have no name: an open file of the process is looked at.
site db "crypto $module" "passphrase \"$secret\"" 'index description sub'
people 1 30000 >many.ldif
mkfifo pipe
"$DITADD" --openldap=2.7 -f db.conf -q -T 2 --memory 8M -l pipe >out 2>err &
pid=$!
exec 7<>pipe
timeout 300 cat many.ldif >&7
for _ in $(seq 200); do
	: >runs
	for fd in /proc/$pid/fd/*; do
		case $(readlink "$fd") in
		"$TMPDIR"/*deleted*) cat "$fd" >>runs 2>/dev/null ;;
		esac
	done
	[ -s runs ] && break
	sleep 0.1
done
tr '\0' '\n' <"/proc/$pid/cmdline" >seen
tr '\0' '\n' <"/proc/$pid/environ" >>seen
exec 7>&-
check "a load with sorted runs" wait $pid
check "there were runs" test -s runs
check "runs have no names of entries" sh -c "! grep -aqE 'user[0-9]' runs"
check "no argument and no variable has the passphrase" sh -c "! grep -qF sesame seen"
check "what was loaded with runs" tool "$DITCHECK" db
tool "$DITADD" db -q -c --stats=stats.json --report report.html -l second.ldif >out 2>err
check "no report has the passphrase" sh -c "! grep -qF sesame out err stats.json report.html"

finish
