#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --stats=FILE: the JSON says what was loaded, refused and written. The figures of indexes are
# those that ditcheck finds in the file; a file that cannot be written is told before the
# work; a load that fails has statistics as well. doc/stats.md names every field.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}" "${DITGEN:?}"
: "${DITMODIFY:?}"

# value FILE PATH: of a flat file
value() {
	awk -v path="$2" '$1 == path { sub(/^[^ ]* /, ""); print }' "$1"
}

# fields FILE: the paths of a flat file, numbers of array elements and names of phases left
# out
fields() {
	sed -E '/ \[\]$/d; s/ .*//; s/\.[0-9]+/[]/g
		s/phases\.(changes|entries|indexes|keys|publish|tree)/phases.NAME/' "$1" | sort -u
}

conf() {
	rm -rf db
	mkdir db
	cat >slapd.conf <<-CONF
		include $schema/core.schema
		include $schema/cosine.schema
		include $schema/nis.schema
		include $schema/inetorgperson.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		database mdb
		suffix "dc=example,dc=com"
		directory $work/db
		maxsize 1073741824
		index objectClass,uid,uidNumber eq
		index cn,mail,description pres,eq,sub
	CONF
}

# index_rows FLAT-FILE PREFIX NAME: name, keys, ranges, bytes, lists of each index. Postings
# of a run are more than those stored, where a value makes a key twice.
index_rows() {
	awk -v prefix="$2" -v name="$3" '
		index($1, prefix ".") != 1 { next }
		{
			rest = substr($1, length(prefix) + 2)
			n = rest + 0
			sub(/^[0-9]+\./, "", rest)
			$1 = ""
			if (rest ~ /^list_lengths\./)
				lists[n] = lists[n] $0
			else
				value[n, rest] = substr($0, 2)
			last = n > last ? n : last
		}
		END {
			for (n = 0; n <= last; n++)
				if (value[n, "index"] != "false")
					print value[n, name], value[n, "keys"],
						value[n, "range_keys"] value[n, "ranges"],
						value[n, "bytes"], lists[n]
		}' "$1" | sort
}

# compare_indexes FILE WHAT: the JSON, and what is in the database
compare_indexes() {
	"$DITCHECK" --stats --json --database db >check.json || fail "$2: ditcheck"
	flat check.json >check.flat
	flat "$1" >flat
	index_rows check.flat databases database >expected
	index_rows flat databases.0.indexes name >got
	[ "$(wc -l <got)" -eq 6 ] || fail "$2: $(wc -l <got) indexes"
	nchecks=$((nchecks + 1))
	diff expected got >diff || { fail "$2: ditcheck ('<') finds other indexes"; cat diff; }
	awk -v what="$2" '
		{ sum = $3; for (i = 7; i <= NF; i += 3) sum += $i }
		sum != $2 { print "FAILED: " what ": lists of " $1 ": " sum " of " $2; bad = 1 }
		END { exit bad }' got || nfailed=$((nfailed + 1))
}

"$DITGEN" --entries 3000 >people.ldif || exit 1
cat >bad.ldif <<-LDIF

	dn: cn=a,dc=example,dc=com
	objectClass: person
	cn: a
	sn: a
	nonsense: 1

	dn: cn=b,dc=example,dc=com
	objectClass: person
	cn: b
	sn: b
	nonsense: 1

	dn: dc=example,dc=com
	objectClass: dcObject
	objectClass: organization
	dc: example
	o: twice
LDIF

# ---- a load with refused records ----

conf
for threads in 1 3; do
	rm -f db/*
	"$DITADD" -q -c -d 0 -f slapd.conf -T $threads -l people.ldif -l bad.ldif \
		--stats=out.json >out 2>/dev/null
	is "-T $threads: exit status" $? 1
	is "-T $threads: standard output" "$(cat out)" ""
	flat out.json >flat
	is "-T $threads: result" "$(value flat result)" '"stored"'
	is "-T $threads: exit_status" "$(value flat exit_status)" 1
	is "-T $threads: read" "$(value flat records.read)" 3003
	is "-T $threads: stored" "$(value flat records.stored)" 3000
	is "-T $threads: refused" "$(value flat records.refused)" 2
	is "-T $threads: not_stored" "$(value flat records.not_stored)" 1
	is "-T $threads: kind" "$(value flat refusals.0.kind)" '"undefined"'
	is "-T $threads: its records" "$(value flat refusals.0.records)" 2
	is "-T $threads: its DN" "$(value flat refusals.0.first_dn)" '"cn=a,dc=example,dc=com"'
	is "-T $threads: its line" "$(value flat refusals.0.first_line)" \
		"$(($(wc -l <people.ldif) + 1))"
	is "-T $threads: kind" "$(value flat refusals.1.kind)" '"exists"'
	is "-T $threads: input" "$(value flat input.bytes)" "$(cat people.ldif bad.ldif | wc -c)"
	is "-T $threads: bytes" "$(value flat databases.0.bytes)" "$(stat -c %s db/data.mdb)"
	is "-T $threads: threads" "$(value flat tool_threads)" $threads
	compare_indexes out.json "-T $threads"
done
fields flat >load.fields

# ---- other writers, other results ----

conf
"$DITADD" -q -f slapd.conf -l people.ldif --writer=append --stats=out.json || fail "append"
flat out.json >flat
is "append: written_by" "$(value flat databases.0.written_by)" '"append"'
is "append: bytes of an index" "$(value flat databases.0.indexes.0.bytes)" null

"$DITADD" -q -c -f slapd.conf -l bad.ldif --stats=out.json >/dev/null 2>&1
flat out.json >flat
is "into a full one: written_by" "$(value flat databases.0.written_by)" '"existing"'

"$DITADD" -q -f slapd.conf -l bad.ldif --stats=out.json >/dev/null 2>&1
is "a failed load: exit status" $? 1
flat out.json >flat
is "a failed load: result" "$(value flat result)" '"failed"'
is "a failed load: kind" "$(value flat refusals.0.kind)" '"undefined"'

"$DITADD" -u -f slapd.conf -l people.ldif --stats=out.json || fail "dry run"
flat out.json >flat
is "a dry run: result" "$(value flat result)" '"checked"'

# ---- a file that cannot be written ----

conf
"$DITADD" -q -f slapd.conf -l people.ldif --stats=no/out.json >out 2>err
is "unwritable: exit status" $? 1
is "unwritable: message" "$(cat err)" "ditadd: no/out.json: No such file or directory"
is "unwritable: database" "$(ls db)" ""
"$DITADD" -q -f slapd.conf -l people.ldif --stats=db >out 2>err
is "a directory: message" "$(cat err)" "ditadd: db: Is a directory"
"$DITADD" -q -f slapd.conf -l people.ldif --stats=/dev/full >out 2>err
is "a full disk: exit status" $? 1
is "a full disk: message" "$(cat err)" "ditadd: /dev/full: No space left on device
ditadd: the database has the result all the same"
"$DITCHECK" --quick --database db >/dev/null || fail "a full disk: the load is lost"

# ---- ditindex ----

"$DITINDEX" -f slapd.conf --stats=index.json || fail "ditindex"
flat index.json >flat
is "ditindex: read" "$(value flat records.read)" 3000
is "ditindex: program" "$(value flat program)" '"ditindex"'
compare_indexes index.json ditindex
fields flat >index.fields
"$DITINDEX" -f slapd.conf --stats=no/out.json >out 2>err
is "ditindex, unwritable: message" "$(cat err)" \
	"ditindex: no/out.json: No such file or directory"
"$DITINDEX" -f slapd.conf cn --online --stats=index.json >/dev/null || fail "online"
flat index.json >flat
is "online: an index" "$(value flat databases.0.indexes.0.name)" '"cn"'
is "online: a second index" "$(value flat databases.0.indexes.1.name)" ""
is "online: a round without changes" "$(value flat databases.0.catch_up_rounds.0.entries)" 0
is "online: the round with the lock" "$(value flat databases.0.catch_up_rounds.1.entries)" 0
is "online: no more rounds" "$(value flat databases.0.catch_up_rounds.2.entries)" ""
fields flat >>index.fields
"$DITINDEX" -f slapd.conf cn --online --stats >out || fail "online, as text"
is "online: rounds as text" "$(grep -c '^  round [12]: 0 entries were changed, caught up in [0-9.]* s' out)" 2
is "online: the last one" "$(grep -c '^  round 2: .* s with the write lock$' out)" 1

# ---- the report: its figures are those of the JSON ----

# A line for each figure of each row and card.
page_figures() {
	sed 's/<\(tr\|li\|dl\|div data-card\)[ =>]/\n&/g' "$1" | awk '
		/^<(tr|li|dl|div data-card)[ =>]/ { row = "" }
		{
			if (match($0, /data-(index|kind|phase|thread|from|card)="[^"]*"/))
				row = substr($0, RSTART + 5, RLENGTH - 5)
			line = $0
			while (match(line, /<data [^>]*value="[^"]*">[^<]*</)) {
				value = one = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				sub(/.*value="/, "", value)
				shown = value
				sub(/".*/, "", value)
				sub(/.*">/, "", shown)
				sub(/<$/, "", shown)
				print row, value, shown
			}
		}'
}

# json_figures FLAT-FILE: the same of the JSON
json_figures() {
	local n name
	echo "card=\"entries\" $(value "$1" records.stored)"
	echo "card=\"left_out\" $(($(value "$1" records.refused) + $(value "$1" records.not_stored)))"
	echo "card=\"rate\" $(awk '$1 == "records.stored" { n = $2 } $1 == "wall_s" { s = $2 }
		END { print int(n / s) }' "$1")"
	echo "card=\"bytes\" $(value "$1" databases.0.bytes)"
	echo "card=\"memory\" $(value "$1" memory.peak_anonymous_bytes)"
	echo "card=\"spilled\" $(value "$1" spilled_bytes)"
	for ((n = 0; n < 2; n++)); do
		name=$(value "$1" refusals.$n.kind)
		echo "kind=$name $(value "$1" refusals.$n.records)"
		echo "kind=$name $(value "$1" refusals.$n.first_line)"
	done
	for ((n = 0; n < 6; n++)); do
		name=$(value "$1" databases.0.indexes.$n.name)
		for field in bytes postings keys range_keys; do
			echo "index=$name $(value "$1" databases.0.indexes.$n.$field)"
		done
	done
	awk '
		$1 ~ /list_lengths\.[0-9]+\.from$/ { from = $2 }
		$1 ~ /list_lengths\.[0-9]+\.keys$/ { keys[from] += $2 }
		END { for (from in keys) print "from=\"" from "\" " keys[from] }' "$1"
}

conf
"$DITADD" -q -c -d 0 -f slapd.conf -l people.ldif -l bad.ldif --stats=out.json \
	--report=out.html 2>/dev/null
flat out.json >flat
page_figures out.html >figures
# Classes of lengths between others may have no key; times of rows are no whole numbers.
awk '$2 !~ /\./ && !(/^from=/ && $2 == 0) && !/^phase=/ { print $1, $2 }' figures |
	sort >got
json_figures flat | sort >expected
nchecks=$((nchecks + 1))
diff expected got >diff || { fail "the report has other figures ('>') than the JSON"; cat diff; }
is "figures of the report" "$([ "$(wc -l <got)" -ge 40 ] && echo many)" many
# The page shows what is meant: whole numbers have groups of digits, and nothing else.
awk '$3 ~ /^[0-9,]+$/ && NF == 3 { n = $3; gsub(/,/, "", n); if (n != $2) print }' figures >diff
is "numbers that are shown otherwise" "$(cat diff)" ""
"$DITADD" -q -f slapd.conf -l people.ldif --report=no/out.html >out 2>err
is "report, unwritable: message" "$(cat err)" "ditadd: no/out.html: No such file or directory"
"$DITINDEX" -f slapd.conf --report=index.html || fail "ditindex --report"
is "the report of ditindex" "$(grep -c 'data-index=' index.html)" 6

# ---- the summary: on a terminal, and nowhere else ----

# ---- changes ----

conf
"$DITADD" -q -d 0 -f slapd.conf -l people.ldif || fail "load"
{
	printf 'dn: cn=a,dc=example,dc=com\nchangetype: add\nobjectClass: person\ncn: a\nsn: a\n\n'
	printf 'dn: cn=a,dc=example,dc=com\nchangetype: modify\nadd: description\ndescription: b\n\n'
	printf 'dn: cn=a,dc=example,dc=com\nchangetype: modrdn\nnewrdn: cn=c\ndeleteoldrdn: 1\n\n'
	printf 'dn: cn=none,dc=example,dc=com\nchangetype: delete\n'
} >changes.ldif
"$DITMODIFY" -d 0 -f slapd.conf -l changes.ldif --stats=out.json 2>/dev/null
is "changes: exit status" $? 1
flat out.json >flat
is "changes: result" "$(value flat result)" '"failed"'
cp db/data.mdb old.mdb
"$DITMODIFY" -d 0 -u -c -f slapd.conf -l changes.ldif --stats=out.json 2>/dev/null
is "changes: a dry run" "$?, $(cmp db/data.mdb old.mdb && echo unchanged)" '1, unchanged'
flat out.json >flat
is "changes: a dry run" "$(value flat result)" '"checked"'
"$DITMODIFY" -d 0 -c -f slapd.conf -l changes.ldif --rejects=left.ldif --stats=out.json 2>/dev/null
is "changes: exit status with --rejects" $? 2
flat out.json >flat
for field in read:4 added:1 modified:1 renamed:1 deleted:0 refused:1 changed:1; do
	is "changes: $field" "$(value flat "records.${field%:*}")" "${field#*:}"
done
is "changes: result" "$(value flat result)" '"stored"'
is "changes: exit_status" "$(value flat exit_status)" 2
is "changes: input" "$(value flat input.bytes)" "$(wc -c <changes.ldif)"
is "changes: bytes" "$(value flat databases.0.bytes)" "$(stat -c %s db/data.mdb)"
fields flat >modify.fields
"$DITMODIFY" -d 0 -f slapd.conf -l changes.ldif --rejects=/dev/full 2>err
is "changes: a reject file that takes nothing" "$?" 1
"$DITMODIFY" -c -f slapd.conf -l changes.ldif --stats=/dev/full 2>err
is "changes: a full disk: exit status" $? 1
is "changes: a full disk: message" "$(tail -1 err)" \
	"ditmodify: the database has the result all the same"
printf 'dn: cn=c,dc=example,dc=com\nchangetype: delete\n' |
	"$DITMODIFY" -f slapd.conf --stats >out || fail "changes: --stats"
is "changes: --stats" "$(head -1 out)" '1 records read, 1 entries changed, 0 left out'
is "changes: --stats" "$(grep '^  records ' out)" '  records   0 added, 1 deleted, 0 modified, 0 renamed'

# has WHAT PATTERN: a line of what was printed
has() {
	nchecks=$((nchecks + 1))
	grep -qE "$2" out || { fail "$1: no line \"$2\""; cat out; }
}

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	conf
	on_terminal "$DITADD -q -c -f slapd.conf -l people.ldif -l bad.ldif"
	has "summary" '^Stored 3,000 entries in .* s; 3 records were left out$'
	has "summary" '^  undefined  *2   the first at line '
	has "summary" '^  costliest indexes  *postings  *keys  *size  *time  kind$'
	has "summary" "^  database  $work/db/data.mdb, "
	next="-f $work/slapd.conf"
	[ "$(id -u)" -eq 0 ] || next="$next -h ldap://localhost:3890"
	has "summary" "^  next      .*/slapd $next\$"
	has "summary" '^  not kept; the option --rejects FILE keeps such records$'
	conf
	on_terminal "$DITADD -q -f slapd.conf -l people.ldif -l bad.ldif"
	has "failed" '^Nothing was stored: the database is what it was before[.]$'
	has "failed" '^  next      -u -c finds all such records; -c --rejects FILE leaves them out$'
	is "failed: the database" "$(ls db)" ""
	on_terminal "$DITADD -q -c -f slapd.conf -l people.ldif -l bad.ldif --rejects r.ldif"
	has "kept" '^  kept in r.ldif$'
	on_terminal "$DITADD -q -f slapd.conf -l people.ldif"
	has "there already" '^  next      -c --rejects FILE leaves out such entries$'
	conf
	on_terminal "$DITADD -q -f slapd.conf /dev/null"
	has "empty" '^ditadd: the input is empty: there is no entry in it$'
	is "empty: no summary" "$(grep -c 'Stored\|next' out)" 0
	printf 'dn: cn=a,ou=b,dc=example,dc=com\nobjectClass: device\ncn: a\n' >child.ldif
	on_terminal "$DITADD -q -f slapd.conf child.ldif"
	has "missing parents" '^  next      load the entries that are missing, before slapd starts$'
	is "missing parents: slapd" "$(grep -c 'systemctl\|/slapd ' out)" 0
	conf
	printf '\004' | script -qec "$DITADD -q -f slapd.conf" /dev/null | tr -d '\r' >out
	has "a terminal is read" '^ditadd: reading LDIF from the terminal; Ctrl-D ends it$'
	# Nothing obeys a name: no terminal, no reader of a log; and it adds no line to one.
	printf 'dn: dc=x\n\033]0;title\007: x\n' >escape.ldif
	on_terminal "$DITADD -u -c -f slapd.conf -l escape.ldif"
	has "escapes on a terminal" '^<= str2entry: str2ad[(][?]\]0;title[?][)]: '
	is "escapes that reach a terminal" "$(tr -d '\n\t -~' <out | wc -c)" 0
	# The same in UTF-8 (U+009B), in ISO 8859-1, and after a character that is cut off;
	# letters stay: a with diaeresis, the euro sign.
	printf 'dn: dc=x\n\302\2332J\2332J\342\2332J\303\244\342\202\254: x\n' >c1.ldif
	on_terminal "$DITADD -u -c -f slapd.conf -l c1.ldif"
	is "C1 on a terminal" "$(grep -c "$(printf 'str2ad(?2J?2J\342?2J\303\244\342\202\254)')" out)" 1
	"$DITADD" -u -c -f slapd.conf -l escape.ldif 2>out
	is "escapes that reach a file" "$(tr -cd '\033\007' <out | wc -c)" 0
	# dn: cn=a<LF>ditadd: done<ESC>[2J
	printf 'dn:: Y249YQpkaXRhZGQ6IGRvbmUbWzJK\n' >lines.ldif
	"$DITADD" -u -c --explain=no -f slapd.conf -l lines.ldif 2>out
	is "lines that a DN adds" "$(grep -c '^ditadd: done' out)" 0
	is "a DN of two lines" "$(grep -c '"cn=a?ditadd: done?\[2J"' out)" 1
	# A load that reads the pipe catches signals.
	conf
	mkfifo pipe
	on_terminal "$DITADD -q -f slapd.conf -l pipe & exec 3>pipe; cat people.ldif >&3; \
		kill -TERM \$!; exec 3>&-; wait \$!"
	is "interrupted: what is said of the database" \
		"$(grep -c 'the database is what it was before' out)" 1
	conf
	"$DITADD" -q -d 0 -f slapd.conf -l people.ldif || fail "load"
	on_terminal "$DITINDEX -f slapd.conf"
	has "summary of ditindex" '^Indexed 3,000 entries in '
	on_terminal "$DITMODIFY -f slapd.conf changes.ldif"
	has "changes that failed" '^Nothing was stored: the database is what it was before[.]$'
	has "changes that failed" '^  next      -u -c finds all such records; -c --rejects FILE leaves them out$'
	on_terminal "$DITCAT -f slapd.conf -l out.ldif"
	has "summary of ditcat" '^Wrote 3,000 entries, .* MiB, to out.ldif in '
	on_terminal "$DITINDEX -d 0 -f slapd.conf"
	is "-d 0" "$(cat out)" ""
	on_terminal "$DITINDEX -f slapd.conf 2>err"
	is "standard error is a file" "$(cat out err)" ""
else
	echo "SKIPPED: the summary: there is no terminal (/dev/pts is not mounted, or no" \
		"script; Debian: bsdutils)" >&2
	[ -z "${CI:-}" ] || fail "no terminal"
fi

# ---- every field has its row in doc/stats.md, and each row its field ----

# One with advice, and searches that no index answers.
conf
"$DITADD" -q -f slapd.conf -l people.ldif || fail "a load to check"
printf '%s\n' '(uid=a)' '(telephoneNumber=1)' >filters
for ((n = 0; n < 6; n++)); do cat filters filters >more && cat more more >filters; done
"$DITCHECK" --stats --json -f slapd.conf --filter-log=filters >check.json || fail "a check"
flat check.json >flat
# The keys of the longest lists are right: a search for it finds as many entries.
awk '{ value = $0; sub(/^[^ ]* /, "", value); gsub(/^"|"$/, "", value) }
	$1 ~ /\.database$/ { name = value }
	$1 ~ /longest\.[0-9]+\.value$/ { wanted = value }
	$1 ~ /longest\.[0-9]+\.postings$/ { print name, value, wanted }' flat >lists
is "lists with a value" "$([ "$(grep -vc ' null$' lists)" -ge 20 ] && echo many)" many
while read -r attribute postings value; do
	is "($attribute=$value)" "$("$DITCAT" -f slapd.conf -a "($attribute=$value)" | grep -c '^dn:')" "$postings"
done < <(grep -v ' null$' lists)
fields flat | sed 's/\.uses\..*/.uses.KIND/; s/\.figures\..*/.figures.NAME/' | sort -u >check.fields
grep -q '^advice' check.fields || fail "no advice"
printf 'files[].dynlists[].%s\n' attribute entries group ignored urls >>check.fields # no overlay
mkdir none && cp db/data.mdb none/ && "$DITCHECK" --compare --json db none >compare.json ||
	fail "a comparison"
flat compare.json >flat
fields flat >compare.fields
echo 'texts[]' >>compare.fields # there is no difference
sed 's/^sn: .*/sn: Other/' people.ldif >other.ldif
"$DITDIFF" --json -f slapd.conf other.ldif >diff.json
is "a difference" $? 1
flat diff.json >flat
fields flat | sed 's/^attributes\..*/attributes.NAME/; s/^subtrees\..*/subtrees.DN/' >diff.fields
"$DITDIFF" --digest -f slapd.conf >digest.json || fail "a digest"
"$DITDIFF" --json -f slapd.conf digest.json db >equal.json || fail "a comparison with it"
for file in digest equal; do
	flat $file.json >flat
	fields flat | sed 's/^buckets\[\].*/buckets[]/' >>diff.fields
done
echo 'contextCSN[]' >>diff.fields # there is none
sort -u load.fields index.fields modify.fields check.fields compare.fields diff.fields | grep -v '^kinds' >fields
documented "The run" Estimates >documented
nchecks=$((nchecks + 1))
diff fields documented >diff || { fail "doc/stats.md has ('>') other fields"; cat diff; }

finish
