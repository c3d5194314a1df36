#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The disk fills up, on each kind of file system: where the database is, where temporary
# files are, where refused records or an export go. Each run ends with one message and exit
# status 1. The database is what it was, to the byte or in its records, and sound; nothing
# is left; and with space the same run succeeds.
#
#   DIT_LONG=yes   xfs and btrfs as well, and many more sizes of what is left of the disk
#
# liblmdb writes to lock.mdb through a map. On btrfs, where writing to a place again takes
# space, a full disk ends who opens the database: with a message, too.
. "${0%/*}/faults_lib.sh"
: "${DITCAT:?}"

skip() {
	echo "SKIPPED: $*" >&2
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can mount a file system"
# shellcheck disable=SC2154 # lib.sh
disk=$work/disk
mkdir -p "$disk" "$work/db" "$work/dit"
unmount() { umount "$disk" 2>/dev/null; }
atexit+=(unmount)
mount -t tmpfs -o size=1m,mode=755 tmpfs "$disk" 2>/dev/null || skip "no file system can be mounted here"
unmount

# new_disk KIND: an empty one; false if there is no program that makes it
new_disk() {
	local size=72M options=()
	unmount
	rm -f "$work/image"
	case $1 in
	tmpfs)
		mount -t tmpfs -o size=$size,mode=755 tmpfs "$disk"
		return
		;;
	xfs) size=310M options=(-q) ;;
	ext4) options=(-q -F) ;;
	btrfs) size=130M options=(-q -M -n 4096) ;;
	esac
	command -v "mkfs.$1" >/dev/null || return
	truncate -s $size "$work/image"
	"mkfs.$1" "${options[@]}" "$work/image" >/dev/null 2>&1 &&
		mount -o loop "$work/image" "$disk" 2>/dev/null
}

free_kib() {
	sync -f "$disk"
	df -k --output=avail "$disk" | tail -1
}

# leave KIB: fill the disk but for that much, or all of it
leave() {
	local count=$(($(free_kib) - $1))
	[ $count -le 0 ] || dd if=/dev/zero of="$disk/fill" bs=64k count=$((count * 1024)) \
		iflag=count_bytes status=none 2>/dev/null
	[ "$1" -gt 0 ] || dd if=/dev/zero of="$disk/fill2" bs=512 status=none 2>/dev/null
	sync -f "$disk"
}

# conf DATABASE-DIRECTORY
conf() {
	fill_in "$work" <"$DIT_TEST_DATA/conf/bench.conf" |
		sed "s,^directory .*,directory $1,; s/^maxsize.*/maxsize 1073741824/" \
			>"$work/dit/slapd.conf"
}

# add ARGUMENT...
add() {
	"$DITADD" -q -T 2 --memory 16M --tmpdir "$work/tmp" -f "$work/dit/slapd.conf" "$@"
}

# sound: the database on the disk, looked at elsewhere: who opens it there needs space
sound() {
	rm -rf "$work/now"
	mkdir "$work/now"
	cp "$disk/db/data.mdb" "$work/now/data.mdb"
	"$DITCHECK" --quick --database "$work/now"
}

# ---- what is run: prepare_X, run_X, undone_X, done_X ----

prepare_new() {
	mkdir "$disk/db"
	conf "$disk/db"
}
run_new() { add -l "$work/input.ldif"; }
undone_new() { [ -z "$(ls -A "$disk/db")" ]; }
done_new() { sound; }

prepare_more() {
	mkdir "$disk/db"
	conf "$disk/db"
	add -l "$work/first.ldif" >/dev/null
	cp "$disk/db/data.mdb" "$work/old.mdb"
}
run_more() { add -l "$work/second.ldif"; }
undone_more() {
	sound && [ "$(cd "$disk/db" && echo *)" = "data.mdb lock.mdb" ] &&
		cmp -n "$(stat -c %s "$work/old.mdb")" "$work/old.mdb" "$disk/db/data.mdb"
}
done_more() { sound; }

prepare_index() {
	prepare_more
}
run_index() { "$DITINDEX" -q -T 2 --memory 16M --tmpdir "$work/tmp" -f "$work/dit/slapd.conf"; }
undone_index() {
	mkdir -p "$work/old" && cp "$work/old.mdb" "$work/old/data.mdb" && sound &&
		"$DITCHECK" --compare --exact "$work/old" "$work/now"
}
done_index() { sound; }

prepare_temporary() {
	rm -rf "$work/db"
	mkdir "$work/db" "$disk/tmp"
	conf "$work/db"
}
run_temporary() {
	"$DITADD" -q -T 2 --memory 8M --tmpdir "$disk/tmp" -f "$work/dit/slapd.conf" \
		-l "$work/input.ldif"
}
undone_temporary() { [ -z "$(ls -A "$work/db")" ] && [ -z "$(ls -A "$disk/tmp")" ]; }
done_temporary() { "$DITCHECK" --quick --database "$work/db"; }

prepare_rejects() {
	rm -rf "$work/db"
	mkdir "$work/db"
	conf "$work/db"
}
# Records are left out: the exit status of a load that stores the others is 2.
run_rejects() {
	local status
	add -c --explain=no --rejects "$disk/rejects" -l "$work/refused.ldif" 2>&1 |
		grep -v 'str2ad(foo)\|could not parse entry' >&2
	status=${PIPESTATUS[0]}
	return $((status == 2 ? 0 : status == 0 ? 2 : status))
}
undone_rejects() { [ -z "$(ls -A "$work/db")" ]; }
done_rejects() { "$DITCHECK" --quick --database "$work/db"; }

prepare_export() {
	rm -rf "$work/db"
	mkdir "$work/db"
	conf "$work/db"
	add -l "$work/input.ldif" >/dev/null
	echo "# of before" >"$disk/out.ldif"
}
run_export() { "$DITCAT" -T 2 -f "$work/dit/slapd.conf" -l "$disk/out.ldif"; }
undone_export() { [ "$(cat "$disk/out.ldif")" = "# of before" ]; }
done_export() { [ "$(stat -c %s "$disk/out.ldif")" -gt 1000000 ]; }

# attempt KIND WHAT KIB
attempt() {
	local name="$1, $2, $3 KiB" status
	leave "$3"
	"run_$2" >"$work/said" 2>&1 </dev/null
	status=$?
	if [ $status -eq 0 ]; then
		nwent=$((nwent + 1))
		check "$name: it is done" "done_$2"
		return
	fi
	nfull=$((nfull + 1))
	check "$name: exit status $status" test $status -eq 1
	check "$name: message" says_full
	check "$name: as it was" "undone_$2"
}

# says_full: one message; after it, perhaps, the reject file that is not complete. Or
# liblmdb has met the full disk through a map.
says_full() {
	cat "$work/said"
	[ "$(grep -vc ': not written completely$' "$work/said")" -eq 1 ] &&
		grep -q ': No space left on device\|: a page of a mapped file' "$work/said"
}

make_input 3000
awk 'BEGIN { RS = ""; ORS = "\n\n" } { print } NR > 1 { sub(/^dn: /, "dn: cn=x,"); print $0 "\nfoo: x" }' \
	"$work/input.ldif" >"$work/refused.ldif"
kinds="tmpfs ext4" sizes="0 1500"
[ "${DIT_LONG:-}" != yes ] || kinds="tmpfs ext4 xfs btrfs" \
	sizes="0 4 12 40 100 200 400 800 1200 1600 2400 3200 4800 6400 9000"
for kind in $kinds; do
	if ! new_disk $kind; then
		echo "SKIPPED: no $kind can be made and mounted here"
		continue
	fi
	for what in new more index temporary rejects export; do
		nfull=0 nwent=0
		for kib in $sizes; do
			rm -rf "${disk:?}"/{db,tmp,out.ldif,rejects,fill,fill2}
			"prepare_$what" || fail "$kind, $what: it cannot be prepared"
			attempt $kind $what "$kib"
		done
		rm -f "$disk/fill" "$disk/fill2"
		rm -rf "${disk:?}"/{db,tmp,rejects,out.ldif}
		"prepare_$what"
		"run_$what" >"$work/said" 2>&1
		check "$kind, $what, with space: exit status" test $? -eq 0
		check "$kind, $what, with space" "done_$what"
		check "$kind, $what: the disk was full" test $nfull -gt 0
		echo "$kind, $what: $nfull times full, $nwent times enough"
	done
	ntried=$((${ntried:-0} + 1))
done
[ "${ntried:-0}" -gt 0 ] || skip "no file system can be made"
finish
