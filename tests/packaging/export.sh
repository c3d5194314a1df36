#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The nightly export: an export appears when the database is sound, was written and reads
# back; otherwise the script fails, says why, and leaves the older exports. systemd accepts
# the units.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}"


fail() {
	echo "FAILED: $*" >&2
	sed 's/^/    /' "$work/said" >&2
	nfailed=$((nfailed + 1))
}

# expect STATUS TEXT COMMAND...: the status, and a line of what is said
expect() {
	local status=$1 text=$2 got
	shift 2
	nchecks=$((nchecks + 1))
	"$@" >"$work/said" 2>&1
	got=$?
	[ $got -eq "$status" ] || fail "$*: exit status $got"
	grep -qF -- "$text" "$work/said" || fail "$*: does not say: $text"
}

# exports: those that are there, in one line
exports() {
	(cd "$work/exports" && echo ?-*)
}

check_exports() { # check_exports NAME EXPECTED
	nchecks=$((nchecks + 1))
	[ "$(exports)" = "$2" ] || fail "$1: there are: $(exports)"
	[ -z "$(find "$work/exports" -name '.*' ! -name '.*.lock' ! -path "$work/exports")" ] ||
		fail "$1: there are hidden files"
}

mkdir "$work/sbin" "$work/demo-db"
for program in "$DITADD" "$DITCAT" "$DITCHECK"; do
	ln -s "$program" "$work/sbin/"
done
sed "s,@sbindir@,$work/sbin,g" "$DIT_SRCDIR/doc/packaging/systemd/ditkit-export.in" \
	>"$work/ditkit-export"
cd "$work" || exit 1
"$DITADD" -q -f "$DIT_SRCDIR/doc/examples/slapd.conf" \
	-l "$DIT_SRCDIR/doc/examples/people.ldif" || exit 1
export DITKIT_DIR=$work/exports DITKIT_OPTIONS="-f $DIT_SRCDIR/doc/examples/slapd.conf -T 1"
today=$(date +%Y-%m-%d)
run="sh $work/ditkit-export"

# shellcheck disable=SC2086 # words
{
	expect 0 "$today.ldif.zst: 24 entries" $run 1
	check_exports 'the first' "1-$today.ldif.zst 1-latest.ldif.zst"
	expect 0 "$today.ldif.zst: 24 entries" $run 1
	check_exports 'the same day' "1-$today.ldif.zst 1-latest.ldif.zst"
}
nchecks=$((nchecks + 1))
"$DITCAT" -f "$DIT_SRCDIR/doc/examples/slapd.conf" >"$work/expected.ldif"
zstd -qdc "$work/exports/1-latest.ldif.zst" | cmp - "$work/expected.ldif" ||
	fail 'the export is not what ditcat writes'
[ "$(stat -c %a "$work/exports" "$work/exports/1-$today.ldif.zst" | tr '\n' ' ')" = '700 600 ' ] ||
	fail 'others can read exports'

# The export of an older day stays when the newest one takes the name "latest".
mv "$work/exports/1-$today.ldif.zst" "$work/exports/1-2020-01-05.ldif.zst"
# shellcheck disable=SC2086
expect 0 '24 entries' $run 1
nchecks=$((nchecks + 1))
[ "$work/exports/1-latest.ldif.zst" -ef "$work/exports/1-$today.ldif.zst" ] &&
	[ -s "$work/exports/1-2020-01-05.ldif.zst" ] || fail '1-latest is not the newest'

# Older ones go when there are too many, those of other databases stay.
for day in 01 02 03 04; do
	: >"$work/exports/1-2020-01-$day.ldif.zst"
done
: >"$work/exports/2-2020-01-01.ldif.zst"
# shellcheck disable=SC2086
DITKIT_KEEP=3 expect 0 '24 entries' $run 1
check_exports 'three are kept' \
	"1-2020-01-04.ldif.zst 1-2020-01-05.ldif.zst 1-$today.ldif.zst 1-latest.ldif.zst 2-2020-01-01.ldif.zst"
# The new one stays, whatever the clock said when others were made.
: >"$work/exports/1-2999-01-01.ldif.zst"
: >"$work/exports/1-2999-01-02.ldif.zst"
# shellcheck disable=SC2086
DITKIT_KEEP=2 expect 0 '24 entries' $run 1
check_exports 'others are from the future' \
	"1-$today.ldif.zst 1-2999-01-02.ldif.zst 1-latest.ldif.zst 2-2020-01-01.ldif.zst"
rm "$work/exports/1-2999-01-02.ldif.zst"

# Calls that fail.
# shellcheck disable=SC2086
{
	expect 2 'usage: ditkit-export NUMBER' $run
	expect 2 'usage: ditkit-export NUMBER' $run 1 2
	expect 1 'the number of a database is needed, not "one"' $run one
	DITKIT_KEEP=0 expect 1 'DITKIT_KEEP must be a number above 0, not "0"' $run 1
	DITKIT_KEEP=00 expect 1 'DITKIT_KEEP must be a number above 0, not "00"' $run 1
	DITKIT_DIR=$work/slapd/none expect 1 '' $run 7
	: >"$work/file"
	DITKIT_DIR=$work/file/none expect 1 'there is no directory for the exports' $run 1
	mkdir -p "$work/latest/1-latest.ldif.zst" "$work/newest/1-$today.ldif.zst"
	DITKIT_DIR=$work/latest expect 1 '1-latest.ldif.zst is not the newest export' $run 1
	DITKIT_DIR=$work/newest expect 1 'the export of database 1 could not be put in place' \
		$run 1
}

# Another one is at work.
exec 9>"$DITKIT_DIR/.1.export.lock"
flock 9
# shellcheck disable=SC2086
expect 1 'database 1 is being exported already' $run 1
exec 9>&-

# Failures on the way: each program gives way to one that fails or tells less.
before=$(exports)
sum=$(cat "$work/exports/"* | cksum)
# with PROGRAM TEXT STATUS EXPECTED
with() {
	rm -f "$work/sbin/$1"
	printf '#!/bin/sh\n%s\n' "$2" >"$work/sbin/$1"
	chmod +x "$work/sbin/$1"
	# shellcheck disable=SC2086
	expect 1 "$3" $run 1
	check_exports "with another $1" "$before"
	rm -f "$work/sbin/$1"
}
ln -s /dev/full "$work/exports/.1.log" # as on a full disk
with ditcat "echo 'ditcat: the disk is full' >&2; rm $work/exports/.1.log; exit 1" \
	'ditcat: the disk is full'
with ditcat ": >\"\${9}\"; echo '24 entries, 9 bytes written' >&2" 'cannot be read back'
ln -s "$DITCAT" "$work/sbin/ditcat"
with ditadd 'echo "ditadd: no" >&2; exit 1' 'the export of database 1 cannot be read back'
with ditadd 'echo "23 records read, 23 entries stored, 0 left out"' \
	'database 1: 24 entries were written, 23 were read back'
with ditadd ':' 'database 1: 24 entries were written, no were read back'
ln -s "$DITADD" "$work/sbin/ditadd"
with ditcheck 'exit 2' 'database 1 is not exported: ditcheck could not check it'
with ditcheck 'exit 1' 'database 1 is not exported: ditcheck found something'
ln -s "$DITCHECK" "$work/sbin/ditcheck"

# Killed before and after each command: the exports are whole, and a second run writes one.
mkdir "$work/killing"
for program in ditcheck ditcat ditadd mv ln; do
	cat >"$work/killing/$program" <<END
#!/bin/sh
echo step >>$work/steps
step=\$(wc -l <$work/steps)
[ "\$KILLED" != "before \$step" ] || { kill -KILL \$PPID; exit 1; }
$(PATH=$work/sbin:$PATH command -v $program) "\$@" || exit
[ "\$KILLED" != "after \$step" ] || kill -KILL \$PPID
END
	chmod +x "$work/killing/$program"
done
sed "s,^PATH=.*,PATH=$work/killing:\$PATH," "$work/ditkit-export" >"$work/killed-export"
for killed in {before,after}' '{1..6}; do
	nchecks=$((nchecks + 1))
	: >"$work/steps"
	KILLED=$killed sh "$work/killed-export" 1 >"$work/said" 2>&1
	[ $? -eq 137 ] && [ "$(wc -l <"$work/steps")" -eq "${killed#* }" ] ||
		fail "killed $killed: it was not"
	for export in "$work/exports"/1-"$today"* "$work/exports"/1-latest*; do
		zstd -qdc "$export" | cmp - "$work/expected.ldif" || fail "killed $killed: $export"
	done
	# shellcheck disable=SC2086
	expect 0 '24 entries' $run 1
	check_exports "after a kill $killed" "$before"
done
before=$(exports)
sum=$(cat "$work/exports/"* | cksum)

# A database that is damaged: a page in its middle has the header of none.
size=$(stat -c %s "$work/demo-db/data.mdb")
for page in 4 5 6 7 8; do
	printf '\377\377\377\377' | dd of="$work/demo-db/data.mdb" bs=1 conv=notrunc \
		seek=$((page * 4096 + 10)) 2>/dev/null
done
[ "$size" -gt 40000 ] || fail 'the database is too small for this test'
# shellcheck disable=SC2086
expect 1 'database 1 is not exported: ditcheck found something' $run 1
check_exports 'after a damage' "$before"
[ "$(cat "$work/exports/"* | cksum)" = "$sum" ] || fail 'older exports were changed'

# --- units ----------------------------------------------------------------------

if command -v systemd-analyze >/dev/null; then
	mkdir "$work/units"
	for unit in service timer; do
		sed "s,@sbindir@,$work/sbin,g; s,@pkglibexecdir@,$work,g" \
			"$DIT_SRCDIR/doc/packaging/systemd/ditkit-export@.$unit.in" \
			>"$work/units/ditkit-export@.$unit"
	done
	chmod +x "$work/ditkit-export"
	for unit in service timer; do
		nchecks=$((nchecks + 1))
		SYSTEMD_UNIT_PATH=$work/units:/usr/lib/systemd/system:/lib/systemd/system \
			systemd-analyze verify --man=no "$work/units/ditkit-export@.$unit" \
			>"$work/said" 2>&1 || fail "systemd-analyze verify: ditkit-export@.$unit"
		# Its words about our units; of others it may say anything.
		! grep -q ditkit-export "$work/said" || fail "systemd-analyze: of our unit"
	done
else
	echo 'SKIPPED: no systemd-analyze (Debian: systemd), so the units are not read' >&2
	[ -z "${CI:-}" ] || nfailed=$((nfailed + 1))
fi

finish
