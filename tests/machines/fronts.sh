#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Searches at a front over shards equal those at one slapd that has everything: over three
# shards by hash with back-meta, and over two by suffix with back-ldap and glue.
#
#   DIT_LONG=yes   3,000 entries, not 800
entries=800
[ "${DIT_LONG:-}" != yes ] || entries=3000
. "$(dirname "$0")/machines_lib.sh"

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

# compare_front NAME [OTHER]: searches at n0, one slapd, and at n4, the front
compare_front() {
	check "$1" /usr/bin/python3 "$DIT_SRCDIR/tests/machines/fronts.py" ldap://n0 ldap://n4 \
		"${2-}" && tail -n 1 "$work/check.out"
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

check "configurations" eval '/srv/ditkit/step.sh conf b && /srv/ditkit/step.sh conf c'
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
compare_front "by suffix, with glue" 'dc=example,dc=com (children .*|(base|sub) .* \+)|ou=People,.* paged'
finish
