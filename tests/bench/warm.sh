#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# How long slapd takes for its first searches after a load that leaves the database in the
# page cache (--page-cache=warm) or not (cold). Each search is for a uid that is spread over
# the directory, in one connection, from the moment at which slapd answers.
#
#   warm.sh [--entries N] [--searches N] [--rounds N]
#
# The machine should be idle; loads and servers follow each other.
. "${0%/*}/bench_lib.sh"

entries=100000
searches=1000
rounds=3
while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--entries) entries=${2-} ;;
	--searches) searches=${2-} ;;
	--rounds) rounds=${2-} ;;
	*) wrong_call "$1?" ;;
	esac
	check_list "$1" "${2-}" "$number"
	shift 2
done
need slapd slapd ldapsearch ldap-utils
need_built "$ditadd" "$ditgen"
make_work
"$ditgen" --entries "$entries" >"$work/in.ldif" || die "cannot write the input"
awk -v wanted="$searches" -v entries="$entries" '
	/^dn: uid=/ { if (++n % step() == 0) print substr($2, 5, index($2, ",") - 5) }
	function step() { return entries > wanted ? int(entries / wanted) : 1 }' \
	"$work/in.ldif" | head -n "$searches" >"$work/uids"
mkdir "$work/db"
write_conf "$work/db" yes >"$work/conf"
url=ldapi://$(printf %s "$work/socket" | sed 's,/,%2F,g')

now() { date +%s%3N; }

# first_searches HOW: a load, a server, milliseconds of the searches
first_searches() {
	local how=$1 pid start
	rm -rf "$work/db"/*
	"$ditadd" -q -f "$work/conf" -l "$work/in.ldif" --page-cache="$how" || die "the load failed"
	slapd -f "$work/conf" -h "$url" -d 0 >/dev/null 2>&1 &
	pid=$!
	atexit=("kill $pid")
	until ldapsearch -x -H "$url" -s base -b '' -LLL 1.1 >/dev/null 2>&1; do
		kill -0 $pid 2>/dev/null || die "slapd has ended"
		sleep 0.02
	done
	start=$(now)
	ldapsearch -x -H "$url" -b dc=example,dc=com -LLL -c -f "$work/uids" '(uid=%s)' 1.1 \
		>"$work/found" 2>/dev/null || die "a search failed"
	echo "| $how | $(($(now) - start)) | $(grep -c '^dn:' "$work/found") |"
	kill $pid
	wait $pid 2>/dev/null
	atexit=()
}

echo "$entries entries, the first $searches searches:"
echo
echo "| page cache | ms | found |"
echo "|---|---|---|"
for _ in $(seq "$rounds"); do
	first_searches cold
	first_searches warm
done
