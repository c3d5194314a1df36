#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Root gives up root. Loaded into a directory of another user, the tools become that user
# before they open anything there: the user is one that no user database has. The files that
# need root lie in a directory that is closed to all others: configuration, include file,
# LDIF, reject file, export.
. "${0%/*}/../checks_lib.sh"
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}"

uid=54321
gid=43210
writer=
# shellcheck disable=SC2317,SC2329 # called at the end
end_writer() {
	[ -z "$writer" ] || kill "$writer" 2>/dev/null
}
atexit+=(end_writer)
chmod 755 "$work"
export TMPDIR=/tmp

# check NAME COMMAND...: the command must succeed
check() {
	local name=$1
	shift
	nchecks=$((nchecks + 1))
	if ! "$@"; then
		echo "FAILED: $name" >&2
		[ ! -s "$work/err" ] || sed 's/^/    /' "$work/err" >&2
		nfailed=$((nfailed + 1))
	fi
}

# says STATUS TEXT COMMAND...: ends with this status; TEXT, a pattern, is all that it prints
# on standard error
says() {
	local status=$1 pattern=$2 text got
	shift 2
	nchecks=$((nchecks + 1))
	"$@" >"$work/out" 2>"$work/err"
	got=$?
	text=$(sed "s,$work/,,g" "$work/err")
	# shellcheck disable=SC2053 # a pattern
	if [ $got -ne "$status" ] || [[ $text != $pattern ]]; then
		printf 'FAILED: %s\n  status %s, expected %s\n  %s\n  expected: %s\n' \
			"$(basename "$1") ${*:2}" $got "$status" "$text" "$pattern" >&2
		nfailed=$((nfailed + 1))
	fi
}

# owner FILE...: do all belong to the user?
owner() {
	local file
	for file; do
		[ "$(stat -c %u:%g "$file")" = $uid:$gid ] || return 1
	done
}

mkdir -m 700 "$work/secret"
mkdir "$work/sub" # of root
cat >"$work/secret/schema.conf" <<CONF
objectclass ( 1.3.6.1.4.1.99999.1 NAME 'thing' SUP top STRUCTURAL MUST cn MAY description )
attributetype ( 1.3.6.1.4.1.99999.2 NAME 'blob' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
objectclass ( 1.3.6.1.4.1.99999.3 NAME 'blobs' SUP top AUXILIARY MAY blob )
CONF
cat >"$work/secret/slapd.conf" <<CONF
include $work/secret/schema.conf
database mdb
suffix "cn=sub,cn=x"
rootdn "cn=x"
subordinate
directory $work/sub
maxsize 1048576
database mdb
suffix "cn=x"
rootdn "cn=x"
directory $work/db
maxsize 1048576
index objectClass eq
CONF
cat >"$work/secret/x.ldif" <<LDIF
dn: cn=x
objectClass: thing
cn: x

dn: cn=y,cn=x
objectClass: thing
objectClass: nonsense
cn: y
LDIF
conf=(-g -f "$work/secret/slapd.conf")

# ---- what needs no root ----

# as COMMAND...: as an ordinary user
as() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=$uid --regid=$gid --clear-groups "$@"
	else
		"$@"
	fi
}
mkdir "$work/open" "$work/open/db"
sed "s,$work/secret/,$work/open/,; s,$work/db,$work/open/db,; s,$work/sub,$work/open/db," \
	"$work/secret/slapd.conf" >"$work/open/slapd.conf"
cp "$work/secret/schema.conf" "$work/open"
head -4 "$work/secret/x.ldif" >"$work/open/x.ldif"
chmod 777 "$work/open/db"
if command -v setpriv >/dev/null; then
	cp "$DITADD" "$work/ditadd" # the build directory may be closed
	says 0 '' as "$work/ditadd" -g -f "$work/open/slapd.conf" -l "$work/open/x.ldif"
	mkdir "$work/open/closed"
	chmod 555 "$work/open/closed"
	sed "s,$work/open/db,$work/open/closed," "$work/open/slapd.conf" >"$work/open/closed.conf"
	says 1 "*user $(as id -u) may not write to the directory open/closed*" \
		as "$work/ditadd" -g -f "$work/open/closed.conf" -l "$work/open/x.ldif"
	check "the files are that user's" \
		test "$(stat -c %u "$work/open/db/data.mdb")" = "$(as id -u)"
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "SKIPPED: what root may: become another user" >&2
	echo "${0##*/}: $nchecks checks, $nfailed failed"
	[ "$nfailed" -eq 0 ] || exit 1
	exit 77
fi
if ! command -v setpriv >/dev/null; then
	echo "setpriv is not installed (Debian: util-linux): skipped" >&2
	exit 77
fi

# ---- all tools, into and from a directory of the user ----

# closed COMMAND...: does it fail as the user, and not as root?
closed() {
	"$@" >/dev/null && ! as "$@" >/dev/null 2>&1
}

# fresh: an empty directory of the user
fresh() {
	rm -rf "$work/db"
	mkdir "$work/db"
	chown $uid:$gid "$work/db"
}

fresh
says 2 '*nonsense*' "$DITADD" "${conf[@]}" -c -l "$work/secret/x.ldif" \
	--rejects "$work/secret/rejects" --stats
check "the files belong to the user" owner "$work/db/data.mdb" "$work/db/lock.mdb"
check "nothing else lies there" test "$(ls "$work/db")" = "$(printf 'data.mdb\nlock.mdb')"
check "the reject file is root's" \
	test "$(stat -c %u "$work/secret/rejects")" = 0 -a -s "$work/secret/rejects"
says 0 "as user $uid, group $gid" "$DITCAT" -v "${conf[@]}" -l "$work/secret/out"
check "the export is root's" test "$(stat -c %u:%g "$work/secret/out")" = 0:0
check "the export is whole" grep -q '^entryUUID: ' "$work/secret/out"
cp -p "$work/secret/out" "$work/secret/first"
says 0 "as user $uid, group $gid" "$DITCAT" "${conf[@]}" -l "$work/secret/out" -v
check "an export is replaced" cmp "$work/secret/first" "$work/secret/out"
says 0 '' "$DITINDEX" "${conf[@]}"
says 0 '' "$DITINDEX" "${conf[@]}" --online
says 0 '' "$DITINDEX" "${conf[@]}" --estimate
says 1 '*entries of the input already (db/data.mdb has 1 entry: "cn=x")*' \
	"$DITADD" "${conf[@]}" --estimate -l "$work/open/x.ldif"
says 0 '' "$DITCHECK" "${conf[@]}"
says 0 '' "$DITCHECK" --quick --database "$work/db/data.mdb"
says 0 '' "$DITADD" "${conf[@]}" -l /dev/stdin <<LDIF
dn: cn=z,cn=x
objectClass: thing
cn: z
LDIF
says 2 '*cn=none*' "$DITMODIFY" "${conf[@]}" -c --rejects "$work/secret/rejects" /dev/stdin <<LDIF
dn: cn=y,cn=x
changetype: add
objectClass: thing
cn: y

dn: cn=none,cn=x
changetype: delete
LDIF
check "the reject file of changes is root's" \
	test "$(stat -c %u "$work/secret/rejects")" = 0 -a -s "$work/secret/rejects"
check "the files still belong to the user" owner "$work/db/data.mdb" "$work/db/lock.mdb"
fresh
head -4 "$work/secret/x.ldif" >"$work/secret/first.ldif"
says 0 '' "$DITADD" "${conf[@]}" --prepare -l "$work/secret/first.ldif"
check "what is prepared belongs to the user" owner "$work/db/ditkit-prepared" \
	"$work/db/ditkit-prepared/data.mdb" "$work/db/ditkit-prepared/manifest.json"
says 0 '' "$DITADD" "${conf[@]}" --status
says 0 '' "$DITADD" "${conf[@]}" --publish
says 0 '' "$DITADD" "${conf[@]}" --abandon
check "only the manifest is gone" test "$(ls "$work/db")" = "$(printf 'data.mdb\nlock.mdb')"
check "the files still belong to the user" owner "$work/db/data.mdb" "$work/db/lock.mdb"
check "nothing is left next to the export" \
	test -z "$(find "$work/secret" -name '.*' -type f)"

# The owner of the directory of --database counts.
fresh
mv "$work/db" "$work/other"
mkdir "$work/db" # of root
says 0 '' "$DITADD" "${conf[@]}" --database "$work/other" -l "$work/secret/first.ldif"
says 0 "as user $uid, group $gid" "$DITCAT" "${conf[@]}" --database "$work/other" -v
says 0 '' "$DITMODIFY" "${conf[@]}" --database "$work/other" /dev/stdin <<LDIF
dn: cn=x
add: description
description: changed
LDIF
check "the files of that directory belong to the user" owner "$work/other/data.mdb" \
	"$work/other/lock.mdb"
check "the configured directory stays empty" test -z "$(ls "$work/db")"

# ---- who the process is ----

# A load that waits for its input: it has become the user, without a group of root's, and
# the user cannot look into it.
fresh
mkfifo "$work/secret/pipe"
sleep 60 >"$work/secret/pipe" &
writer=$!
"$DITADD" "${conf[@]}" -l /dev/stdin <"$work/secret/pipe" >"$work/out" 2>"$work/err" &
load=$!
for ((i = 0; i < 300; i++)); do
	grep -q "^Uid:	$uid	$uid	$uid	$uid\$" /proc/$load/status 2>/dev/null && break
	sleep 0.1
done
cp /proc/$load/status "$work/status"
check "the process is the user" grep -q "^Uid:	$uid	$uid	$uid	$uid\$" "$work/status"
check "and the group" grep -q "^Gid:	$gid	$gid	$gid	$gid\$" "$work/status"
check "and in no other group" grep -qx "Groups:	$gid *" "$work/status"
check "it has no capability" grep -qx 'CapPrm:	0*' "$work/status"
check "the user cannot read its memory" closed head -c1 /proc/$load/maps
check "the user cannot read its input" closed readlink /proc/$load/fd/0
kill $load
wait $load
check "it ends" grep -q 'load ended: Interrupted' "$work/err"
kill $writer
wait $writer 2>/dev/null
writer=

# An owner that the user database has: with its group.
rm -rf "$work/db" && mkdir "$work/db" && chown daemon "$work/db" && chmod 777 "$work/db"
says 0 "*as user $(id -u daemon), group $(id -g daemon)*" "$DITADD" "${conf[@]}" -v -u \
	-l "$work/open/x.ldif"

# ---- what the user may not ----

echo secret >"$work/secret/value"
cat >"$work/secret/url.ldif" <<LDIF
dn: cn=x
objectClass: thing
objectClass: blobs
cn: x
blob:< file://$work/secret/value
LDIF
fresh
says 1 '*secret/value*fetch failed*' "$DITADD" "${conf[@]}" -l "$work/secret/url.ldif"
check "nothing is left" test -z "$(ls "$work/db")"
says 0 '' "$DITADD" "${conf[@]}" -l "$work/open/x.ldif"

says 1 "ditadd: secret, for temporary files of user $uid: Permission denied" \
	"$DITADD" "${conf[@]}" -l "$work/secret/x.ldif" --tmpdir "$work/secret"
says 1 "ditindex: secret, for temporary files of user $uid: Permission denied" \
	"$DITINDEX" "${conf[@]}" --tmpdir "$work/secret"

# The files that slapadd leaves when root runs it.
for file in data.mdb lock.mdb; do
	chown 0:0 "$work/db/$file"
	chmod 600 "$work/db/$file"
	says 1 "ditindex: db/$file belongs to user 0 and user $uid may not open it, so neither may a slapd of that user: \"chown --reference=db db/$file\"" \
		"$DITINDEX" "${conf[@]}"
	chown $uid:$gid "$work/db/$file"
done
chown 0:0 "$work/db/lock.mdb"
theirs="lock.mdb belongs to user 0 and user $uid may not open it: give it to the owner of the directory"
says 1 "ditcat: db: $theirs" "$DITCAT" "${conf[@]}"
says 2 "ditcheck: db/data.mdb: $theirs
ditcheck: db/data.mdb: could not be checked: Permission denied" "$DITCHECK" "${conf[@]}"
says 0 "ditcheck: warning: db/data.mdb: checked without holding a snapshot: $theirs" \
	"$DITCHECK" --quick "${conf[@]}"
says 2 "ditdiff: db: $theirs" "$DITDIFF" "${conf[@]:1}" --digest
chown $uid:$gid "$work/db/lock.mdb"
chown 0:0 "$work/db/data.mdb"
says 1 "ditcat: db/data.mdb belongs to user 0*" "$DITCAT" "${conf[@]}"
says 2 "ditcheck: db/data.mdb belongs to user 0*" "$DITCHECK" "${conf[@]}"
chown $uid:$gid "$work/db/data.mdb"

mkdir -m 700 "$work/secret/db"
chown $uid:$gid "$work/secret/db"
sed "s,$work/db,$work/secret/db," "$work/secret/slapd.conf" >"$work/secret/inside.conf"
says 1 "ditadd: secret/db: Permission denied for user $uid" \
	"$DITADD" -g -f "$work/secret/inside.conf" -l "$work/secret/x.ldif"
says 1 "ditcat: secret/db: Permission denied for user $uid" \
	"$DITCAT" -g -f "$work/secret/inside.conf"

# ---- several directories ----

head -3 "$work/secret/x.ldif" >"$work/secret/one.ldif"
fresh
both=(-f "$work/secret/slapd.conf")
# One of root's and one of the user: what root opened there, the user may not.
says 1 "ditadd: sub: Permission denied for user $uid" \
	"$DITADD" "${both[@]}" -l "$work/secret/one.ldif"
chown 12345 "$work/sub"
several="root works as one user, so give both to one"
says 1 "ditadd: db belongs to user $uid, sub to user 12345: $several" \
	"$DITADD" "${both[@]}" -l "$work/secret/one.ldif"
says 1 "ditindex: db belongs to user $uid, sub*" "$DITINDEX" "${both[@]}"
says 1 "ditcat: db belongs to user $uid, sub*" "$DITCAT" "${both[@]}"
says 2 "ditcheck: sub belongs to user 12345, db*" "$DITCHECK" "${both[@]}"
says 2 "ditcheck: db belongs to user $uid, sub*" "$DITCHECK" --compare "$work/db" "$work/sub"
rm -rf "$work/sub" && mkdir "$work/sub" && chown $uid "$work/sub"
fresh
says 0 '' "$DITADD" "${both[@]}" -l "$work/secret/one.ldif"
check "both belong to the user" owner "$work/db/data.mdb" "$work/sub/data.mdb"
cp -rp "$work/db" "$work/copy"
says 0 '' "$DITCHECK" --compare "$work/db" "$work/copy"
chown 0:0 "$work/copy" # its files are the user's
says 0 '' "$DITCHECK" --compare "$work/db" "$work/copy"
chown 0:0 "$work/copy/data.mdb"
says 2 "ditcheck: copy: Permission denied for user $uid, as whom root works since db belongs to that user: \"chown -R --reference=db copy\"" \
	"$DITCHECK" --compare "$work/copy" "$work/db"
# One that mdb_copy makes: all may read it.
chmod 644 "$work/copy/data.mdb"
rm "$work/copy/lock.mdb"
says 2 "ditcheck: copy: there is no lock.mdb, and user $uid may not make it in a directory of user 0" \
	"$DITCHECK" --compare "$work/copy" "$work/db"
says 2 "ditdiff: copy: there is no lock.mdb, and user $uid may not make it in a directory of user 0" \
	"$DITDIFF" "${both[@]}" -b cn=x "$work/copy"
chmod 0700 "$work/copy"
says 2 "ditcheck: copy: Permission denied for user $uid, as whom*" \
	"$DITCHECK" --compare "$work/copy" "$work/db"
chown -R --reference="$work/db" "$work/copy"
says 0 '' "$DITCHECK" --compare "$work/copy" "$work/db"
says 2 'ditcheck: missing: could not be checked: No such file or directory' \
	"$DITCHECK" --quick --database "$work/missing"

# ---- directories of root's ----

# root_only CONF WORDS: root does not load there
root_only() {
	says 1 "*: root does not work there, for another user can exchange files: $2, mode $3*" \
		"$DITADD" -g -f "$1" -l "$work/secret/one.ldif"
}
mkdir "$work/own"
sed "s,$work/db,$work/own," "$work/secret/slapd.conf" >"$work/secret/own.conf"
for mode in 0775 0757 1777; do
	chmod $mode "$work/own"
	root_only "$work/secret/own.conf" "it belongs to user 0" $mode
	check "nothing is left" test -z "$(ls "$work/own")"
done
chmod 755 "$work/own"
says 0 '' "$DITADD" -g -f "$work/secret/own.conf" -l "$work/secret/one.ldif"
check "root stays root in a directory of its own" \
	test "$(stat -c %u "$work/own/data.mdb")" = 0
mkdir "$work/home" "$work/home/db"
chown $uid:$gid "$work/home"
sed "s,$work/db,$work/home/db," "$work/secret/slapd.conf" >"$work/secret/home.conf"
root_only "$work/secret/home.conf" "a directory on the way belongs to user $uid" 0755
check "nothing is left" test -z "$(ls "$work/home/db")"

# ---- becoming the user fails, or does not last ----

says 1 "ditcat: cannot become user $uid: Operation not permitted" \
	setpriv --bounding-set=-setuid "$DITCAT" "${conf[@]}"
says 1 "ditcat: cannot become user $uid: Operation not permitted" \
	setpriv --bounding-set=-setgid "$DITCAT" "${conf[@]}"
says 1 "ditcat: became user $uid, but could become root again: this process was started with capabilities that survive" \
	setpriv --securebits=+no_setuid_fixup "$DITCAT" "${conf[@]}"

echo "${0##*/}: $nchecks checks, $nfailed failed, as root"
[ "$nfailed" -eq 0 ]
