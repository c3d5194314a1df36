#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --progress=json on the command line: the phases of a load and of ditcheck --compare come
# in order, the last object says "done" and 100 %, every object has the fields that
# ditadd(8) has, and ditadd(8) has no others. The lines of --progress=1 name the phases.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITCHECK:?}" "${DITGEN:?}"

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
rare="percent seconds_left entries_expected postings_expected"
tail -n 1 load.json | grep -o '"[a-z_]*":' | tr -d '":' >fields
sort -u fields - <<<"${rare// /$'\n'}" >told
awk '/^The fields of JSON:/ { is_it = 1 }
	is_it && /^\.It Li / { print $3 }
	is_it && /^\.El/ { exit }' "$DIT_SRCDIR/doc/man/ditadd.8" | sort >documented
is "fields beside those of ditadd(8)" "$(diff told documented)" ""

cp db/data.mdb other/
"$DITCHECK" --compare db other --progress=json >output 2>compare.json
is "exit status of a comparison" $? 0
is "phases of a comparison" "$(phases compare.json)" \
	"first file,second file,records,done"
is "its records" "$(tail -n 1 compare.json | grep -c '"unit":"records"')" 1
"$DITCHECK" --compare db other --progress=none >output 2>errors
is "what is told with --progress=none" "$(cat errors)" ""

finish
