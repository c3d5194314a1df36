#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# slapd's own tools take a database of ditadd's for one of slapadd's: slapcat, slapindex,
# slapmodify, slapschema, slapadd; and slapd with syncprov replicates it to a consumer that
# begins with nothing. Dumps of both are the same line by line, seen without ditcheck.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}"

for tool in mdb_dump slapschema slapmodify; do
	if ! command -v $tool >/dev/null; then
		skip "$tool is not installed (Debian: slapd, lmdb-utils)"
	fi
done

# both_tools NAME COMMAND ARGUMENT...: run a tool on both sites; the same output and status
both_tools() {
	local name=$1 tool=$2 site
	shift 2
	for site in ref dit; do
		load_with "$tool" "$work/$site" "$@"
	done
	check "$name: lives" test "$(cat "$work/dit/exit")" -lt 128
	check "$name: messages" same_messages "$work/ref" "$work/dit"
	check "$name: output" cmp "$work/ref/stdout" "$work/dit/stdout"
}

# both_load OPTION...: $work/input.ldif into fresh sites
both_load() {
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" "${keys[@]}" -T 2 -l "$work/input.ldif"
}

# dump SITE: every named database by mdb_dump, page and transaction numbers left out. Up to
# seven bytes after the last value of an entry are padding with any content: they are left
# out, and what slapcat shows has to agree instead. slapadd 2.6 makes the empty ixck as well.
dump() {
	mdb_dump -a "$work/$1/db" | awk -v later="${slapd_release#2.5}" '
		/^VERSION=|^format=|^mapsize=|^maxreaders=|^db_pagesize=/ { next }
		/^database=/ { name = $0 }
		later != "" && name == "database=ixck" && /=/ { next }
		name == "database=id2e" && /^ / && ++n % 2 == 0 {
			print length($0), substr($0, 1, length($0) - 14)
			next
		}
		{ print }'
}

make_site "$work/ref"
make_site "$work/dit"

# ---- dumps ----

keys=(--index-keys=bytes)
{
	cat "$DIT_TEST_DATA/ldif/operational.ldif"
	echo
	"$DITGEN" --entries 600 --operational | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		!/^dn: (ou=People,)?dc=example,dc=com/'
} >"$work/input.ldif"
for options in '' -q; do
	# shellcheck disable=SC2086 # none or one
	both_load $options
	for site in ref dit; do
		dump $site >"$work/$site/dump"
	done
	check "dumps $options" cmp "$work/ref/dump" "$work/dit/dump"
	check "dumps $options: all of them" test \
		"$(grep -c ^database "$work/ref/dump")" -gt 40
	both_tools "slapcat $options" slapcat
done

# ---- tools ----

keys=()
both_load -q
both_tools slapcat slapcat
both_tools 'slapcat with a filter' slapcat -a '(|(sn=smi*)(memberUid=*)(cn=*an*))'
both_tools slapschema slapschema
both_tools slapindex slapindex -q
both_tools 'slapindex of some' slapindex cn uidNumber
both_tools 'slapindex, emptied first' slapindex -q -t
check "content after slapindex" same_content --ignore-integerkey "$work/ref" "$work/dit"
# One kind of change at a time: slapmodify dies of a file with all of them.
for kind in add modify delete modrdn; do
	awk -v kind="changetype: $kind" 'BEGIN { RS = ""; ORS = "\n\n" } index($0, kind)' \
		"$DIT_TEST_DATA/served/changes.ldif" >"$work/changes.ldif"
	both_tools "slapmodify, $kind" slapmodify -c -l "$work/changes.ldif"
done
check "content after slapmodify" same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"
both_tools 'slapadd to it' slapadd -c -l "$DIT_TEST_DATA/served/more.ldif"
both_tools 'slapadd -q to it' slapadd -q -c -l "$DIT_TEST_DATA/ldif/options.ldif"
check "content after slapadd" same_content --generated --ignore-integerkey "$work/ref" \
	"$work/dit"

# Entries that break the schema are found in both.
cp "$DIT_TEST_DATA/errors/schema-attributes.ldif" "$work/input.ldif"
both_load -q -s -c
both_tools 'slapschema of a broken one' slapschema -c

# ---- replication ----

# provider SITE, consumer SITE: configurations for slapd
provider() {
	sed -i '/^moduleload back_mdb/a moduleload syncprov
		s/^database mdb/sizelimit unlimited\n&/
		$a rootpw secret\noverlay syncprov' "$work/$1/slapd.conf"
}
consumer() {
	make_site "$work/$1"
	cat >>"$work/$1/slapd.conf" <<-CONF
		syncrepl rid=001 provider=${url[$2]} type=refreshAndPersist \\
		retry="1 +" searchbase="$base" bindmethod=simple \\
		binddn="cn=Admin,$base" credentials=secret
	CONF
}

# exported SITE: what a database holds, but for the state of replication
exported() {
	slapcat -o ldif-wrap=no -f "$work/$1/slapd.conf" | sed '/^contextCSN:/d' |
		awk 'BEGIN { RS = ""; FS = "\n"; ORS = "\n\0" } { print }' | sort -z |
		tr '\0' '\n'
}

# wait_for_entry SITE FILTER: until the server has one
wait_for_entry() {
	local i
	for ((i = 0; i < 1200; i++)); do
		ldapsearch -x -LLL -H "${url[$1]}" -b $base "$2" 1.1 2>/dev/null |
			grep -q ^dn: && return
		sleep 0.1
	done
	return 1
}

# without_order FILE: the lines of each entry sorted; a consumer stores attributes in the
# order that they came in
without_order() {
	awk 'BEGIN { RS = ""; FS = "\n" } {
		n = split($0, line, "\n")
		for (i = 2; i <= n; i++) {
			for (j = i; j > 1 && line[j] < line[j - 1]; j--) {
				kept = line[j]; line[j] = line[j - 1]; line[j - 1] = kept
			}
		}
		for (i = 1; i <= n; i++) {
			print line[i]
		}
		print ""
	}' "$1"
}

"$DITGEN" --entries 400 --operational >"$work/input.ldif"
make_site "$work/dit"
provider dit
ditadd_site "$work/dit" -q -w -l "$work/input.ldif"
check "loaded for replication" diff "$work/dit/exit" - <<<0
exported dit >"$work/loaded"
start_slapd dit
consumer copy dit
start_slapd copy
# The last thing the provider has, then one more.
ldapadd -x -H "${url[dit]}" -D "cn=Admin,$base" -w secret >"$work/add.out" 2>&1 <<-LDIF
	dn: cn=added while replicating,$base
	objectClass: device
	cn: added while replicating
LDIF
check "the consumer gets an addition" wait_for_entry copy '(cn=added while replicating)'
stop_slapd
for site in dit copy; do
	exported $site >"$work/exported"
	without_order "$work/exported" >"$work/$site/exported"
done
check "the consumer has what the provider has" diff "$work/dit/exported" \
	"$work/copy/exported"
check "and that is all that was loaded" test \
	"$(grep -c ^dn: "$work/copy/exported")" -eq $(($(grep -c ^dn: "$work/loaded") + 1))

finish
