#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --progress=json on the command line: the phases of a load and of ditcheck --compare come
# in order, the last object says "done" and 100 %, every object has the fields that
# ditadd(8) has, and ditadd(8) has no others. Lines in a log end with the time that the load took.
# On a terminal of 80 columns results take the place of the bar, and no line is wider.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITMODIFY:?}" "${DITGEN:?}"

# phases FILE: each phase once, in the order of the objects
phases() {
	sed -E 's/^\{"phase":"([^"]*)".*/\1/' "$1" | uniq | paste -sd,
}

mkdir db other
cat >conf <<-CONF
	include $schema/core.schema
	include $schema/cosine.schema
	include $schema/nis.schema
	include $schema/inetorgperson.schema
	database mdb
	suffix "dc=example,dc=com"
	directory $work/db
	maxsize 1073741824
	index uid,cn,mail eq,sub
CONF
"$DITGEN" --entries 3000 >people.ldif

"$DITADD" -q -f conf -l people.ldif --progress=json 2>load.json
is "exit status of a load" $? 0
is "phases of a load" "$(phases load.json)" "entries,tree,indexes,publishing,done"
is "its end" "$(tail -n 1 load.json | grep -c '"percent":100.0,"seconds_left":0.0')" 1

# Those that are missing at times; the others are in every object.
rare="percent seconds_left"
tail -n 1 load.json | grep -o '"[a-z_]*":' | tr -d '":' >fields
sort -u fields - <<<"${rare// /$'\n'}" >told
documented Progress "A prepared database" >documented
is "fields that differ from doc/stats.md" "$(diff told documented)" ""

printf 'dn: dc=example,dc=com\nchangetype: modify\nreplace: description\ndescription: new\n' |
	"$DITMODIFY" -f conf --progress=json 2>modify.json
is "exit status of changes" $? 0
is "phases of changes" "$(phases modify.json)" "changes,keys,publishing,done"

cp db/data.mdb other/
"$DITCHECK" --compare db other --progress=json >output 2>compare.json
is "exit status of a comparison" $? 0
is "phases of a comparison" "$(phases compare.json)" \
	"first file,second file,records,done"
is "its records" "$(tail -n 1 compare.json | grep -c '"unit":"records"')" 1
"$DITCHECK" --compare db other --progress=none >output 2>errors
is "what is told with --progress=none" "$(cat errors)" ""

# The load goes on until it has told of itself.
rm db/*
mkfifo pipe
"$DITADD" -q -f conf -l pipe --progress=1 2>log &
{
	cat people.ldif
	for ((i = 0; ! $(wc -c <log); i++)); do
		printf 'dn: ou=%d,dc=example,dc=com\nobjectClass: organizationalUnit\nou: %d\n\n' $i $i
		sleep 0.01
	done
} >pipe
wait $!
is "exit status of a load that takes a while" $? 0
is "a line of the log" "$(head -n 1 log | grep -cE '^ditadd: entries, .*, memory [0-9.]+ MiB$')" 1
is "the last line of the log" "$(tail -n 1 log | grep -cE '^ditadd: done, 100%, [0-9]+ entries, .* in [0-9:]+$')" 1

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	on_terminal "$DITCHECK --stats -f conf"
	is "what is left of the bar" "$(grep -c '[[]' out)" 0
	is "the first line" "$(head -n 1 out | cut -d ' ' -f 1)" database
	is "the last line of the sizes" "$(grep -A 1 '^all ' out | tail -n 1)" "$work/db/data.mdb: 0 findings"
	is "wide lines" "$(grep -E '.{80}' out)" ""
	is "the largest first" "$(sed -n 2p out | cut -d ' ' -f 1)" id2e
	on_terminal "$DITCHECK -f conf"
	is "a check without findings" "$(cat out)" "$work/db/data.mdb: 0 findings"
	on_terminal "$DITCAT -f conf -l out.ldif"
	is "an export" "$(cut -d ' ' -f 1 out | paste -sd,)" done,Wrote
else
	echo "SKIPPED: the bar: there is no terminal (/dev/pts is not mounted, or no script)" >&2
	[ -z "${CI:-}" ] || fail "no terminal"
fi

finish
