#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The commands of doc/sinks.md, and those that borgmatic's hook for OpenLDAP runs: a named pipe
# that borg reads, and standard input. An export that breaks off gets no name. In check-long,
# for other tests need none of these programs.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DITADD:?}" "${DITCAT:?}"

for program in borg restic rclone; do
	command -v $program >/dev/null || skip "no $program (Debian: borgbackup, restic, rclone)"
done
export HOME=$work BORG_REPO=$work/borg BORG_PASSPHRASE=secret
unset "${!XDG_@}" "${!RESTIC_@}"
mkdir -p "$work/s3" "$work/.config/rclone" "$work/demo-db"
printf '[s3]\ntype = alias\nremote = %s\n' "$work/s3" >"$work/.config/rclone/rclone.conf"
check 'the examples' bash "$DIT_SRCDIR/tests/manuals/examples.sh" doc/sinks.md

cd "$work" || exit 1
conf=$DIT_SRCDIR/doc/examples/slapd.conf
suffix=dc=harbour,dc=example
check 'a load' "$DITADD" -q -f "$conf" -l "$DIT_SRCDIR/doc/examples/people.ldif"
"$DITCAT" -f "$conf" >before.ldif
mkfifo pipe
check 'a repository' borg init -e repokey
"$DITCAT" -f "$conf" -b $suffix -l pipe &
check 'what the hook saves' borg create --read-special ::hook pipe
check 'the export ends well' wait $!
check 'what the hook restores' eval "borg extract --stdout ::hook |
	'$DITADD' -f '$conf' -q --replace --prepare -b $suffix"
check 'the restored directory takes its place' "$DITADD" -f "$conf" --replace --publish
check 'the directory is as it was' cmp before.ldif <("$DITCAT" -f "$conf")

check 'no archive of an export that broke off' eval "! borg create --content-from-command \
	--stdin-name ldap.ldif ::broken -- sh -c 'head before.ldif; exit 1'"
same 'archives' hook "$(borg list --short)"
finish
