#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The disk fills up while entries are added to a database on btrfs, a copy-on-write file
# system: it takes space to write to a place again, and even to cut a file. Whichever
# database fails, all files are what they were, to the byte, and the space is free again.
#
# With data and metadata apart, and mixed: there no space is left for metadata.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

skip() {
	echo "SKIPPED: $*" >&2
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can mount a file system"
command -v mkfs.btrfs >/dev/null || skip "mkfs.btrfs is not installed (Debian: btrfs-progs)"

# shellcheck disable=SC2154 # lib.sh
disk=$work/disk
mkdir "$disk"
unmount() { umount "$disk" 2>/dev/null; }
atexit+=(unmount)

# new_disk SIZE [MKFS-OPTION...]
new_disk() {
	local size=$1
	shift
	unmount
	rm -f "$work/image"
	truncate -s "$size" "$work/image"
	mkfs.btrfs -q "$@" "$work/image" >/dev/null 2>&1 || skip "mkfs.btrfs failed"
	mount -o loop "$work/image" "$disk" 2>/dev/null || skip "no btrfs can be mounted"
}

# fill_disk MB: leave that much free
fill_disk() {
	local free
	sync -f "$disk"
	free=$(df -k --output=avail "$disk" | tail -1)
	dd if=/dev/zero of="$disk/fill" bs=1M count=$((free / 1024 - $1)) status=none
	sync -f "$disk"
}

free_mb() {
	sync -f "$disk"
	echo $(($(df -k --output=avail "$disk" | tail -1) / 1024))
}

"$DITGEN" --entries 12000 >"$work/all.ldif"
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= 2000' "$work/all.ldif" >"$work/first.ldif"
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR > 2000' "$work/all.ldif" >"$work/more.ldif"
cat >"$work/slapd.conf" <<CONF
include $DIT_SCHEMA_DIR/core.schema
include $DIT_SCHEMA_DIR/cosine.schema
include $DIT_SCHEMA_DIR/nis.schema
include $DIT_SCHEMA_DIR/inetorgperson.schema
modulepath $DIT_MODULE_PATH
moduleload back_mdb
database mdb
suffix "ou=apart,dc=example,dc=com"
directory $disk/apart
maxsize 1073741824
subordinate
database mdb
suffix "dc=example,dc=com"
directory $disk/db
maxsize 1073741824
index objectClass,uid eq
index cn,mail,sn pres,eq,sub
CONF
cat >"$work/apart.ldif" <<'LDIF'
dn: ou=apart,dc=example,dc=com
objectClass: organizationalUnit
ou: apart

LDIF
for i in 1 2 3 4 5 6 7 8 9; do
	printf 'dn: ou=%s,ou=apart,dc=example,dc=com\n' $i
	printf 'objectClass: organizationalUnit\nou: %s\n\n' $i
done >"$work/apart-more.ldif"

load() {
	"$DITADD" -f "$work/slapd.conf" -q -b dc=example,dc=com -l "$@" 2>"$work/stderr"
}

keep() { cp "$disk/db/data.mdb" "$work/db.mdb" && cp "$disk/apart/data.mdb" "$work/apart.mdb"; }
as_it_was() { cmp "$disk/db/data.mdb" "$work/db.mdb" && cmp "$disk/apart/data.mdb" "$work/apart.mdb"; }
said() { printf 'ditadd: %s\n' "$@" | diff - "$work/stderr"; }
entries() { slapcat -f "$work/slapd.conf" -b dc=example,dc=com | grep -c '^dn:'; }

# try NAME SIZE [MKFS-OPTION...]
try() {
	local name=$1 before
	shift
	new_disk "$@"
	mkdir "$disk/db" "$disk/apart"
	cat "$work/first.ldif" "$work/apart.ldif" >"$work/input.ldif"
	load "$work/input.ldif"
	check "$name: first load" test ! -s "$work/stderr"
	keep
	fill_disk 6
	before=$(free_mb)

	load "$work/more.ldif"
	check "$name, one database: exit status" test $? -eq 1
	check "$name, one database: message" said \
		"could not store an entry in $disk/db: No space left on device"
	check "$name, one database: files" as_it_was

	# The subordinate database is changed before the other one fails.
	cat "$work/apart-more.ldif" "$work/more.ldif" >"$work/input.ldif"
	load "$work/input.ldif"
	check "$name, two databases: exit status" test $? -eq 1
	check "$name, two databases: message" said \
		"could not store an entry in $disk/db: No space left on device"
	check "$name, two databases: files" as_it_was

	check "$name: the space is free again" test "$(free_mb)" -ge $((before - 1))
	check "$name: entries" test "$(entries)" -eq 2001
	rm "$disk/fill"
	load "$work/input.ldif"
	check "$name, with space: exit status" test $? -eq 0
	check "$name, with space: entries" test "$(entries)" -eq 12010
}

try "data apart" 300M
try mixed 130M -M -n 4096

# A disk that is really full: slapd's tools make a file in the directory of each database
# while they read the configuration, so none of them starts, whatever the database holds.
dd if=/dev/zero of="$disk/fill" bs=1M status=none 2>/dev/null
dd if=/dev/zero of="$disk/fill2" bs=4k status=none 2>/dev/null
slapcat -f "$work/slapd.conf" -b dc=example,dc=com >"$work/out" 2>"$work/slapcat.err"
check "slapcat on a full disk" grep -q 'invalid path: No space left on device' \
	"$work/slapcat.err"
finish
