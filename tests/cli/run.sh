#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the command line cases: each TOOL/CASE.sh in a fresh directory, and compare what it
# printed and how it ended with the files next to it:
#
#   CASE.stdout  CASE.stderr   exact text; no file: nothing
#   CASE.stderr.glob           a shell pattern instead, where numbers vary
#   CASE.exit                  exit status; no file: 0
#
# A case finds slapd.conf, an empty directory db, and in the environment the tools
# (DITADD, DITCAT, DITCHECK, DITDIFF, DITINDEX, DITMODIFY, DITSPLIT) and the fixtures (DATA).
# The names of its directory and of the fixtures are printed as DIR and DATA.
#
#   run.sh [CASE...]           some cases only, as TOOL/CASE
#   run.sh --accept [CASE...]  write the files from what is printed now; review the diff
set -u
export LC_ALL=C
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}"
: "${DITMODIFY:?}" "${DITSPLIT:?}" "${DIT_TEST_DATA:?}"

here=$(cd "${0%/*}" && pwd)
accept=no
if [ "${1:-}" = --accept ]; then
	accept=yes
	shift
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-cli-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
export DITADD DITCAT DITCHECK DITDIFF DITINDEX DITMODIFY DITSPLIT
export DATA=$DIT_TEST_DATA TMPDIR=$work/tmp
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}
ncases=0
nfailed=0

if [ ! -d "$schema" ]; then
	echo "SKIPPED: no $schema (Debian: slapd)" >&2
	[ -n "${CI:-}" ] && exit 1
	exit 77
fi

# prepare: the directory a case runs in
prepare() {
	rm -rf "$work/case" "$work/tmp"
	mkdir -p "$work/case/db" "$work/tmp"
	cat >"$work/case/slapd.conf" <<-CONF
		include $schema/core.schema
		include $schema/cosine.schema
		include $schema/nis.schema
		include $schema/inetorgperson.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		database mdb
		suffix "dc=example,dc=com"
		rootdn "cn=admin,dc=example,dc=com"
		directory $work/case/db
		maxsize 1073741824
		index objectClass,uid eq
		index cn pres,eq,sub
	CONF
}

# run_case FILE: leaves out, err and exit in $work
run_case() {
	prepare
	(cd "$work/case" && bash "$1") >"$work/out" 2>"$work/err" </dev/null
	echo $? >"$work/exit"
	sed -i "s,$work/case,DIR,g; s,$work/tmp,TMP,g; s,$DATA,DATA,g
		s!^OpenLDAP 2\.[0-9], as /.*!OpenLDAP N, as SLAPD!" "$work/out" "$work/err"
}

# expect NAME EXPECTED GOT: both are files; a missing EXPECTED means nothing
expect() {
	local expected=$2
	[ -e "$expected" ] || expected=/dev/null
	diff -a "$expected" "$3" >"$work/diff" && return 0
	echo "$1 differs ('<' expected, '>' got):"
	sed 's/^/    /' "$work/diff"
	return 1
}

# expect_pattern NAME PATTERN-FILE GOT
expect_pattern() {
	local pattern text
	pattern=$(cat "$2")
	text=$(cat "$3")
	# shellcheck disable=SC2053 # a pattern
	[[ $text == $pattern ]] && return 0
	echo "$1 does not match the pattern:"
	sed 's/^/    /' "$3"
	return 1
}

# compare CASE: the case's path without .sh
compare() {
	local failures=0
	[ -e "$1.exit" ] || echo 0 >"$work/zero"
	if [ -e "$1.exit" ]; then
		expect "exit status" "$1.exit" "$work/exit" || failures=1
	else
		expect "exit status" "$work/zero" "$work/exit" || failures=1
	fi
	expect stdout "$1.stdout" "$work/out" || failures=1
	if [ -e "$1.stderr.glob" ]; then
		expect_pattern stderr "$1.stderr.glob" "$work/err" || failures=1
	else
		expect stderr "$1.stderr" "$work/err" || failures=1
	fi
	return $failures
}

# write_expected CASE
write_expected() {
	rm -f "$1.exit" "$1.stdout" "$1.stderr"
	[ "$(cat "$work/exit")" = 0 ] || cp "$work/exit" "$1.exit"
	[ ! -s "$work/out" ] || cp "$work/out" "$1.stdout"
	[ ! -s "$work/err" ] || [ -e "$1.stderr.glob" ] || cp "$work/err" "$1.stderr"
}

if [ $# -eq 0 ]; then
	set -- "$here"/*/*.sh
else
	set -- "${@/#/$here/}"
	set -- "${@/%/.sh}"
fi
for file; do
	ncases=$((ncases + 1))
	run_case "$file"
	if [ $accept = yes ]; then
		write_expected "${file%.sh}"
	elif ! compare "${file%.sh}" >"$work/report"; then
		nfailed=$((nfailed + 1))
		echo "FAILED: ${file#"$here"/}" >&2
		sed 's/^/  /' "$work/report" >&2
	fi
done
if [ "$(id -u)" -ne 0 ]; then
	echo "SKIPPED: owner.sh gives a directory away, which only root may"
fi
echo "${0##*/}: $ncases cases, $nfailed failed"
[ "$ncases" -gt 0 ] && [ "$nfailed" -eq 0 ]
