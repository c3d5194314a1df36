#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Limits from the page size of OpenLDAP 2.7 (storage-2.7.md 1.6): RDNs, values that are
# stored apart, and keys of indexes. One byte more is refused, the rest is stored.
. "${0%/*}/../checks_lib.sh"
: "${DIT_TEST_DATA:?}" "${DIT_BUILDDIR:?}"
dump=$DIT_BUILDDIR/tests/golden/golden_dump
mkdir "$work/db"
bad_size='MDB_BAD_VALSIZE: Unsupported size of key/DB name/data, or wrong DUPFIXED size'

# letters N
letters() {
	head -c "$1" /dev/zero | tr '\0' a
}

# load CONFIGURATION-LINES LDIF: the dump, the messages, their end: the exit status
load() {
	{
		echo "include $DIT_TEST_DATA/golden-2.7/schema/core.schema"
		echo "include $DIT_TEST_DATA/golden-2.7/schema/cosine.schema"
		echo "include $DIT_TEST_DATA/golden-2.7/schema/nis.schema"
		printf 'database mdb\nsuffix dc=x\nlastmod off\ndirectory %s\n%s\n' \
			"$work/db" "$1"
	} >"$work/slapd.conf"
	printf '%s\n' "$2" >"$work/input.ldif"
	"$dump" -c -f "$work/slapd.conf" -l "$work/input.ldif" >"$work/dump" 2>"$work/stderr"
	echo "exit $?" >>"$work/stderr"
}

# expect NAME NENTRIES TEXT: so many entries stored, and TEXT begins the messages
expect() {
	local name=$1 nentries=$2 line=$3
	nchecks=$((nchecks + 1))
	if ! grep -q "^DB id2e flags=0x8 entries=$nentries\$" "$work/dump" ||
		[[ $(head -n 1 "$work/stderr") != "$line"* ]]; then
		fail "$name"
		cut -c1-200 "$work/stderr" | sed 's/^/    /; 5q' >&2
	fi
}

root='dn: dc=x
objectClass: domain
dc: x
'

# slapd takes DNs of 8192 bytes: cn=, so many letters, and the suffix
longest=$((8192 - 3 - 5))

# page size, and the greatest length of a key
while read -r page key_max; do
	# cn=aaa.., normal and pretty: 20 more bytes in a record of a child
	n=$(((key_max - 20) / 2 - 3))
	refusal="=> mdb_tool_next_id: dn2id_add failed: $bad_size (-30781)"
	if [ "$n" -gt "$longest" ]; then
		n=$longest
		refusal='str2entry: entry -1 has invalid DN "cn=aaa'
	fi
	entry="dn: cn=$(letters "$n"),dc=x
objectClass: device
"
	load "dbpagesize $page" "$root
$entry"
	expect "$page: an RDN of $n letters" 2 'exit 0'
	load "dbpagesize $page" "$root
${entry/cn=/cn=a}"
	expect "$page: an RDN of $((n + 1)) letters" 1 "$refusal"

	# value, normal form, a NUL after each, two bytes of length
	n=$(((key_max - 4) / 2))
	for extra in '' a; do
		load "dbpagesize $page
multival description 1,1" "$root
dn: cn=a,dc=x
objectClass: device
description: b
description: $extra$(letters "$n")"
		if [ -z "$extra" ]; then
			expect "$page: a value of $n letters" 2 'exit 0'
		else
			expect "$page: a value of $((n + 1)) letters" 1 \
				"mdb_id2entry_put: mdb_mval_put failed: $bad_size(-30781) \"cn=a,dc=x\""
		fi
	done

	# keys of integers have index_intlen bytes, 255 at most
	if [ "$key_max" -lt 255 ]; then
		for len in "$key_max" $((key_max + 1)); do
			load "dbpagesize $page
index uidNumber eq" "$root"
			sed -i "1i index_intlen $len" "$work/slapd.conf"
			"$dump" -f "$work/slapd.conf" -l "$work/input.ldif" >"$work/dump" \
				2>"$work/stderr"
			echo "exit $?" >>"$work/stderr"
			if [ "$len" -eq "$key_max" ]; then
				expect "$page: integer keys of $len bytes" 1 'exit 0'
			else
				echo 'DB id2e flags=0x8 entries=none' >>"$work/dump"
				expect "$page: integer keys of $len bytes" none "slapadd: index\
 database \"uidNumber\" in $work/db: keys of $len bytes are too long for the page size,\
 $key_max bytes are possible"
			fi
		done
	fi
done <<'EOF'
256 58
512 186
1024 442
2048 954
4096 1978
8192 4026
16384 8122
32768 16314
65536 32698
EOF
finish
