#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# doc/examples/restore.sh: after it the database is that of the LDIF, or the old one, and
# slapd runs if it ran. doc/examples/first-start.sh loads once, and slapd starts each time.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}"

conf=$DIT_SRCDIR/doc/examples/slapd.conf

fail() {
	echo "FAILED: $*" >&2
	sed 's/^/    /' "$work/said" >&2
	nfailed=$((nfailed + 1))
}

cd "$work" || exit 1
mkdir bin demo-db
for program in "$DITADD" "$DITCAT" "$DITCHECK"; do
	ln -s "$program" bin/
done
PATH=$work/bin:$PATH
# slapd, as a file that is there while it runs
printf '#!/bin/sh\nrm -f %s/running\n' "$work" >bin/stop-slapd
printf '#!/bin/sh\n: >%s/running\n' "$work" >bin/start-slapd
chmod +x bin/*-slapd
: >running
export SLAPD_STOP=stop-slapd SLAPD_START=start-slapd

# restored NAME STATUS ENTRIES ARGUMENT...: the script, and what is there afterwards
restored() {
	local name=$1 status=$2 entries=$3 got
	shift 3
	nchecks=$((nchecks + 1))
	sh "$DIT_SRCDIR/doc/examples/restore.sh" "$@" >said 2>&1
	got=$?
	[ $got -eq "$status" ] || fail "$name: exit status $got"
	[ "$(ditcat -f "$conf" | grep -c '^dn:')" = "$entries" ] ||
		fail "$name: $(ditcat -f "$conf" | grep -c '^dn:') entries"
	[ -e running ] || fail "$name: slapd does not run"
	got=$(find demo-db -mindepth 1 ! -name data.mdb ! -name lock.mdb)
	[ -z "$got" ] || fail "$name: there is $got"
}

head -n 40 "$DIT_SRCDIR/doc/examples/people.ldif" |
	awk -v RS= -v ORS='\n\n' 'NR < 5' >few.ldif
nfew=$(grep -c '^dn:' few.ldif)
[ "$nfew" -gt 1 ] && [ "$nfew" -lt 24 ] || fail 'the small LDIF has no entries'

restored 'no database yet' 0 24 "$DIT_SRCDIR/doc/examples/people.ldif" demo-db -f "$conf"
restored 'another one' 0 "$nfew" few.ldif demo-db -f "$conf"
zstd -q "$DIT_SRCDIR/doc/examples/people.ldif" -o people.ldif.zst
restored 'a packed one' 0 24 people.ldif.zst demo-db -f "$conf" -n 1

# A fault in the LDIF is found before slapd stops.
sed 's/^objectClass: organization$/objectClass: nothing/' few.ldif >bad.ldif
SLAPD_STOP=false restored 'a bad LDIF' 1 24 bad.ldif demo-db -f "$conf"
restored 'no LDIF' 1 24 missing.ldif demo-db -f "$conf"
restored 'called without a directory' 2 24 few.ldif
SLAPD_STOP=false restored 'slapd does not stop' 1 24 few.ldif demo-db -f "$conf"

# An export that failed.
: >empty.ldif
restored 'an empty LDIF' 1 24 empty.ldif demo-db -f "$conf"
grep -q '^restore.sh: empty.ldif has no entry' said || fail 'an empty LDIF: it does not say so'

# The load fails where the dry run does not: the database is too small.
sed 's/^maxsize.*/maxsize 40960/' "$conf" >small.conf
cp demo-db/data.mdb keep
restored 'the load fails' 1 24 people.ldif.zst demo-db -f small.conf
grep -q 'the old one is as it was' said || fail 'the load fails: it does not say so'
cmp -s keep demo-db/data.mdb || fail 'the load fails: the old database is another one'
# ditcheck does not like what is there.
rm bin/ditcheck
printf '#!/bin/sh\nexit 1\n' >bin/ditcheck
chmod +x bin/ditcheck
restored 'the new database is damaged' 1 24 few.ldif demo-db -f "$conf"
cmp -s keep demo-db/data.mdb || fail 'the new database is damaged: the old one is another'

# The script is killed before and after each of its commands: the old database is in place, or
# the new one, and a second run restores.
ln -sf "$DITCHECK" bin/ditcheck
mkdir killing
cat >killing/ditadd <<END
#!/bin/sh
echo step >>$work/steps
step=\$(wc -l <$work/steps)
[ "\$KILLED" != "before \$step" ] || { kill -KILL \$PPID; exit 1; }
PATH=$PATH "$work/bin/\${0##*/}" "\$@" || exit
[ "\$KILLED" != "after \$step" ] || kill -KILL \$PPID
END
chmod +x killing/ditadd
for program in ditcheck stop-slapd start-slapd; do
	ln -s ditadd killing/$program
done
for killed in {before,after}' '{1..7}; do
	nchecks=$((nchecks + 1))
	ditadd -f "$conf" --replace -q few.ldif
	: >steps
	: >running
	KILLED=$killed PATH=$work/killing:$PATH sh "$DIT_SRCDIR/doc/examples/restore.sh" 		"$DIT_SRCDIR/doc/examples/people.ldif" demo-db -f "$conf" -w >said 2>&1
	[ $? -eq 137 ] && [ "$(wc -l <steps)" -eq "${killed#* }" ] || fail "killed $killed: it was not"
	case $killed in
	'after 5' | *[67]) entries=24 ;;
	*) entries=$nfew ;;
	esac
	[ "$(ditcat -f "$conf" | grep -c '^dn:')" = "$entries" ] || fail "killed $killed: other entries"
	case $killed in
	*4) printf damaged | dd of=demo-db/data.mdb bs=1 seek=8 conv=notrunc status=none ;;
	*5) truncate -s 5000 demo-db/data.mdb ;;
	esac
	restored "after a kill $killed" 0 24 "$DIT_SRCDIR/doc/examples/people.ldif" demo-db -f "$conf" -w
done

# started NAME STATUS ENTRIES LDIF: the first start, or a later one, of a container
started() {
	local got
	nchecks=$((nchecks + 1))
	rm -f running
	SLAPD=start-slapd sh "$DIT_SRCDIR/doc/examples/first-start.sh" "$4" -f "$conf" >said 2>&1
	got=$?
	[ $got -eq "$2" ] || fail "$1: exit status $got"
	[ "$(ditcat -f "$conf" | grep -c '^dn:')" = "$3" ] || fail "$1: other entries"
	[ -e running ] && got=0 || got=1
	[ $got -eq "$2" ] || fail "$1: slapd runs, or does not"
}
rm -f demo-db/*
mkdir ldif
cp bad.ldif ldif/10-bad.ldif
ditadd -f "$conf" /dev/null
started 'a bad LDIF at the first start' 1 0 ldif
awk -v RS= -v ORS='\n\n' 'NR > 4' "$DIT_SRCDIR/doc/examples/people.ldif" >ldif/20-rest.ldif
mv few.ldif ldif/10-bad.ldif
started 'the first start' 0 24 ldif
started 'the second start' 0 24 ldif
grep -q 'nothing to do$' said || fail 'the second start says nothing'

finish
