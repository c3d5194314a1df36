#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random databases with the overlays memberof and unique (random/memberships.awk): ditadd
# --memberof stores what slapd stores of the same entries that come by ldapadd, in the same
# order, and refuses the same ones. ditmodify --memberof makes of a database without memberships
# what slapd makes of these entries where order makes no difference. ditcheck has no note then.
#
#   memberof.sh [FIRST [LAST]]    these seeds, each of $ndatabases databases in one slapd
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITMODIFY:?}"

ndatabases=8
first=${1:-1}
last=${2:-$([ "${DIT_LONG:-no}" = yes ] && echo 25 || echo 2)}

generate() {
	awk -v seed="$seed" -v release="$slapd_release" "$@" -f "${0%/*}/random/memberships.awk"
}

# make_sites: the databases of a seed, empty
make_sites() {
	local site
	for site in ref dit; do
		rm -rf "${work:?}/$site"
		mkdir -p "$work/$site/db-"{1..8}
	done
	generate -v n=$ndatabases -v part=conf | fill_in_both
}

# add_by_slapd PART DATABASE: 0 even where some are refused, as long as slapd lives
add_by_slapd() {
	generate -v part="$1" -v number="$2" >"$work/$1-$2.ldif"
	rm -f "$work/ref/rejects-$2"
	ldapadd -c -x -H "${url[ref]}" -D "cn=Admin,dc=m$2" -w secret -S "$work/ref/rejects-$2" \
		-f "$work/$1-$2.ldif" >"$work/ref/added-$2" 2>"$work/ref/messages-$2"
	kill -0 "${pid[ref]}"
}

# shown SITE DATABASE: the content, without what each run makes up
shown() {
	slapcat -f "$work/$1/slapd.conf" -b "dc=m$2" -o ldif-wrap=no 2>/dev/null | without_stamps
}

same_shown() {
	diff -a <(shown ref "$1") <(shown dit "$1")
}

same_records() {
	"$DITCHECK" "${sealed[@]}" --compare --generated "$work/ref/db-$1" "$work/dit/db-$1"
}

# dns FILE: of the records in it
dns() {
	sed -n 's/^dn: //p' "$1" 2>/dev/null
}

same_refused() {
	diff <(dns "$work/ref/rejects-$1") <(dns "$work/dit/rejects-$1")
}

# add DATABASE FILE OPTION...: 2 says that records were refused
add() {
	local i=$1 file=$2
	shift 2
	rm -rf "$work/dit/db-$i"
	mkdir "$work/dit/db-$i"
	"$DITADD" -f "$work/dit/slapd.conf" -b "dc=m$i" -c --rejects "$work/dit/rejects-$i" -T $((1 + i % 3)) \
		"$@" -l "$file" >"$work/dit/messages-$i" 2>&1
	case $? in
	0 | 2) ;;
	*) return 1 ;;
	esac
}

# options DATABASE: those that the configuration has overlays for
options() {
	sed -n "/^suffix dc=m$1\$/,/^suffix/s/^overlay \(memberof\|unique\)\$/--\1/p" \
		"$work/dit/slapd.conf" | sort -u
}

# mend DATABASE: nothing is left to be told
mend() {
	"$DITMODIFY" --memberof -f "$work/dit/slapd.conf" -b "dc=m$1" -T $((1 + $1 % 3)) &&
		"$DITCHECK" --strict -f "$work/dit/slapd.conf" -b "dc=m$1"
}

for ((seed = first; seed <= last; seed++)); do
	make_sites
	start_slapd ref
	for ((i = 1; i <= ndatabases; i++)); do
		check "seed $seed, $i: slapd lives" add_by_slapd ldif $i
	done
	stop_slapd
	for ((i = 1; i <= ndatabases; i++)); do
		mapfile -t options < <(options $i)
		check "seed $seed, $i: ditadd" add $i "$work/ldif-$i.ldif" "${options[@]}"
		check "seed $seed, $i: refused" same_refused $i
		check "seed $seed, $i: content" same_shown $i
		check "seed $seed, $i: records" same_records $i
		generate -v part=spoilt -v number=$i >"$work/spoilt.ldif"
		check "seed $seed, $i: ditadd of wrong memberships" \
			add $i "$work/spoilt.ldif" "${options[@]}"
		check "seed $seed, $i: content without them" same_shown $i
		cat "$work/ref/rejects-$i" >>"$work/rejects" 2>/dev/null
	done
	make_sites
	start_slapd ref
	for ((i = 1; i <= ndatabases; i++)); do
		add_by_slapd sorted $i
	done
	stop_slapd
	for ((i = 1; i <= ndatabases; i++)); do
		cp "$work/sorted-$i.ldif" "$work/plain.ldif"
		[ ! -s "$work/ref/rejects-$i" ] || continue
		check "seed $seed, $i: without memberships" add $i "$work/plain.ldif"
		check "seed $seed, $i: mended" mend $i
		check "seed $seed, $i: mended content" same_shown $i
		nmended=$((${nmended:-0} + 1))
	done
done
check "some entries are refused" test -s "$work/rejects"
check "some databases are mended" test "${nmended:-0}" -gt 3
finish
