#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Searches at a front over shards equal those at one slapd that has everything: over three
# shards by hash with back-meta, and over two by suffix with back-ldap and glue.
. "$(dirname "$0")/machines_lib.sh"
shopt -s extglob

# load_shards MAP SHARD...: from the LDIF of the one database, so that all attributes agree
load_shards() {
	local map=$1 shard conf
	shift
	reset_load
	check "$map: split" ditsplit --map "/srv/ditkit/$map" --part 0/1 \
		--output /srv/ditkit/parts -l "$work/one.ldif" -f /srv/one.conf
	for shard; do
		mkdir -p "/srv/ditkit/db/$shard"
		conf=/srv/ditkit/slapd-$shard.conf
		[ -e "$conf" ] || conf=/srv/ditkit/front-suffix.conf
		check "$map: load of $shard" \
			ditadd -q -f "$conf" -l "/srv/ditkit/parts/$shard"
	done
}

# searches: the arguments of ldapsearch, one search a line
searches() {
	local base scope person
	person=$(sed -n 's/^dn: \(uid=.*\)/\1/p' "$work/one.ldif" | sed -n 40p)
	for base in dc=example,dc=com ou=People,dc=example,dc=com \
		ou=Groups,dc=example,dc=com "$person" uid=nobody,ou=People,dc=example,dc=com \
		ou=Nothing,dc=example,dc=com; do
		for scope in base one sub children; do
			cat <<-END
			-b "$base" -s $scope (objectClass=*) * +
			-b "$base" -s $scope (sn=Smith)
			-b "$base" -s $scope (member=$person) cn
			-b "$base" -s $scope (&(cn=*a*)(!(mail=*7@example.com))) cn mail
			-b "$base" -s $scope (|(uid=*7)(objectClass=organizationalUnit)) 1.1
			-b "$base" -s $scope (title=*) 1.1
			-b "$base" -s $scope -E pr=100/noprompt (sn=Smith) 1.1
			-b "$base" -s $scope -z 3 (sn=J*) 1.1
			END
		done
	done
}

# found NODE ARGUMENTS: the entries that this search finds there, sorted, and its result
found() {
	local words
	eval "words=($(sed 's/[(&|!)*]/\\&/g' <<<"$2"))"
	ldapsearch -x -LLL -o ldif-wrap=no -H "ldap://$1" "${words[@]}" 2>"$work/err" |
		python3 -c 'import sys
records = (r.split("\n") for r in sys.stdin.read().split("\n\n") if r.startswith("dn:"))
print(*sorted("\t".join(r[:1] + sorted(line for line in r[1:] if line[:10] != "contextCSN")) for r in records), sep="\n")' >"$work/entries"
	echo "result ${PIPESTATUS[0]}"
	case $2 in
	*' -z '*) grep -c ^dn: "$work/entries" ;; # any three will do
	*) cat "$work/entries" ;;
	esac
}

# compare_front NAME [OTHER]: each search at n0, one slapd, and at n4, the front. The example
# says that searches have another answer whose arguments match OTHER.
compare_front() {
	local line nsearches=0 nother=0 nfound=0
	searches >"$work/searches"
	while IFS= read -r line; do
		nsearches=$((nsearches + 1))
		found n0 "$line" >"$work/of.one"
		found n4 "$line" >"$work/of.front"
		nfound=$((nfound + $(grep -c ^dn: "$work/entries")))
		if cmp -s "$work/of.one" "$work/of.front"; then
			continue
		elif [[ $line == ${2-} ]]; then
			nother=$((nother + 1))
			continue
		fi
		fail "$1: another answer: $line"
		diff "$work/of.one" "$work/of.front" | cut -c1-100 | head -n 6 >&2
	done <"$work/searches"
	echo "$1: $nsearches searches, $nfound entries, $nother differ as the example says"
}

stop_shards() {
	kill "${servers[@]}"
	wait "${servers[@]}"
	servers=()
}

make_input
load_one
ditcat -f /srv/one.conf -l "$work/one.ldif"
start_slapd n0 /srv/one.conf
servers=()

load_shards map a b c
start_slapd n1 /srv/ditkit/slapd-a.conf
start_slapd n2 /srv/ditkit/slapd-b.conf
start_slapd n3 /srv/ditkit/slapd-c.conf
start_slapd n4 /srv/ditkit/front-hash.conf
compare_front "by hash, with back-meta"
stop_shards

load_shards map-suffix top people groups
start_slapd n1 /srv/ditkit/slapd-people.conf
start_slapd n2 /srv/ditkit/slapd-groups.conf
start_slapd n4 /srv/ditkit/front-suffix.conf
compare_front "by suffix, with glue" '-b "dc=example,dc=com" -s @(children *|@(base|sub) *\* +)'
finish
