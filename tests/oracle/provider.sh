#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditmodify changes a provider, or one of two servers that follow each other. Its consumers
# get the changes when it serves again, those that only delete as well, without -w. A consumer
# that reads the accesslog does not, and ditmodify says so.
#
# For openldap27.sh as well.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
. "${0%/*}/sites_lib.sh"
: "${DITCAT:?}" "${DITMODIFY:?}"
release=${DIT_OPENLDAP:+--openldap=$DIT_OPENLDAP}

# shown SITE: all lines that a consumer gets
shown() {
	ldapsearch -x -LLL -o ldif-wrap=no -H "${url[$1]}" -D "$admin" -w secret -b "$base" \
		'*' + | grep -v '^\(contextCSN\|modifiersName\): ' | sort
}

alike() {
	[ "$(shown "$1")" = "$(shown "$2")" ]
}

# ditmodified SITE OTHER: those on stdin, while both are stopped
ditmodified() {
	stop "$1"
	stop "$2"
	"$DITMODIFY" ${release:+"$release"} -f "$work/$1/slapd.conf" -b "$base" >"$work/said" 2>&1 ||
		fail "ditmodify: $(cat "$work/said")"
	start_slapd "$1"
	start_slapd "$2"
}

# follows NAME SITE OTHER
follows() {
	ditmodified "$2" "$3" < <(removed 35)
	check "$1: a deletion" soon alike "$2" "$3"
	ditmodified "$2" "$3" < <(all_kinds)
	check "$1: all kinds" soon alike "$2" "$3"
	check "$1: no warning" [ ! -s "$work/said" ]
	arrives "$2" 38 "$3"
	check "$1: and later changes" soon alike "$2" "$3"
	stop "$2"
	stop "$3"
}

# provider LINE...: and a consumer, which has what it has
provider() {
	site p "$@"
	load p -w
	start_slapd p
	site c "$(follow 1 p)"
	start_slapd c
	soon has c cn=p40
	arrives p 39 c
}

provider "overlay syncprov"
follows "a provider" p c
provider "overlay syncprov" "syncprov-sessionlog 1000" "syncprov-checkpoint 1 1"
follows "a provider with a log of sessions" p c
provider "overlay syncprov" "sync_use_subentry on"
follows "a provider with a subentry" p c
mirror_pair
arrives m1 39 m2
arrives m2 40 m1
follows "a mirror" m1 m2

provider "!$(log_database p "overlay syncprov" "syncprov-nopresent TRUE" \
	"syncprov-reloadhint TRUE")" "overlay syncprov" "syncprov-sessionlog-source cn=log" \
	"overlay accesslog" "logdb cn=log" "logops writes" "logsuccess TRUE"
ditmodified p c < <(removed 35)
check "the accesslog has no deletion" grep -q "the accesslog has none of these changes: give \
each consumer that reads it a new copy of $work/p/db" "$work/said"
stop p
stop c

# The table of doc/guide.md: entries are added, an older state is restored, a copy is made.
site p "overlay syncprov"
load p -w
slapcat -f "$work/p/slapd.conf" -b "$base" -l "$work/older.ldif" 2>/dev/null
people 60 70 | "$DITADD" ${release:+"$release"} -q -w -f "$work/p/slapd.conf"
site c "$(follow 1 p)"
slapadd -q -f "$work/c/slapd.conf" -l "$work/older.ldif" 2>/dev/null
start_slapd p
start_slapd c
check "added entries" soon alike p c
stop p
stop c
"$DITADD" ${release:+"$release"} -q --replace -f "$work/p/slapd.conf" -l "$work/older.ldif"
"$DITCAT" ${release:+"$release"} -f "$work/p/slapd.conf" -l "$work/copy.ldif"
"$DITADD" ${release:+"$release"} -q --replace -f "$work/c/slapd.conf" -l "$work/copy.ldif"
start_slapd p
start_slapd c
arrives p 30 c
check "a new copy" alike p c
finish
