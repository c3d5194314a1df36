#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The worst inputs (worst.c): N of something and four times as many. Four times the input
# takes about four times the processor time, and no more memory than four times the longest
# record and --memory. Input over a limit is refused with the message in doc/limits.md.
#
#   DIT_LONG=yes    a million values, a value of 1 GiB and so on
#   worst.sh SHAPE  that shape alone
#
# Processor time is that of the process: other work on the machine counts little, and a
# ratio that is too large is measured again. Below 60 ms nothing is judged: what grows with
# the square does not stay there.
. "${0%/*}/../oracle/lib.sh"
: "${DITCAT:?}" "${DITINDEX:?}" "${DIT_BUILDDIR:?}"
worst=$DIT_BUILDDIR/tests/faults/worst
measure=$DIT_BUILDDIR/tests/bench/measure
# shellcheck disable=SC2154 # lib.sh
site=$work/dit
only=${1:-}
ratio_max=8 # linear: 4; with sorting and caches: 6

# make_conf LINE: a site with this line in its database
make_conf() {
	local i
	mkdir -p "$site"
	{
		for i in core cosine nis inetorgperson; do
			echo "include $DIT_SCHEMA_DIR/$i.schema"
		done
		printf 'modulepath %s\nmoduleload back_mdb\n' "$DIT_MODULE_PATH"
		printf 'database mdb\nsuffix dc=x\nrootdn cn=admin,dc=x\n'
		printf 'directory %s\nmaxsize 17179869184\n' "$site/db"
		echo "index objectClass,cn,description,seeAlso,uniqueMember eq"
		echo "index title pres,eq,sub,approx"
		echo "index uidNumber,x500UniqueIdentifier,userCertificate eq"
		echo "index telephoneNumber eq,sub"
		echo "$1"
	} >"$site/slapd.conf"
}

# cost NAME COMMAND...: sets ms, the processor time, and mib, the largest resident set;
# what the command says is in $work/said
cost() {
	local name=$1
	shift
	timeout -s KILL 3000 "$measure" "$work/cost" "$@" >"$work/out" 2>"$work/said"
	status=$?
	ms=$(awk '{ for (i = 1; i <= NF; i++) if (sub("^cpu_s=", "", $i)) print int($i * 1000) }' \
		"$work/cost")
	mib=$(awk '{ for (i = 1; i <= NF; i++) if (sub("^rss_kib=", "", $i)) print int($i / 1024) }' \
		"$work/cost")
}

# load SHAPE N: into an empty database
load() {
	local shape=$1 n=$2
	"$worst" "$shape" "$n" >"$work/input.ldif"
	rm -rf "$site/db"
	mkdir "$site/db"
	cost load "$DITADD" --progress none -T 1 --memory 64M --tmpdir "$work" --max-record 8G \
		-c -f "$site/slapd.conf" -l "$work/input.ldif"
}

# run_tool TOOL: over the database that is there
run_tool() {
	case $1 in
	ditcat) cost "$1" "$DITCAT" --progress none -T 1 -f "$site/slapd.conf" ;;
	ditcheck) cost "$1" "$DITCHECK" --progress none -T 1 --memory 64M --tmpdir "$work" \
		-f "$site/slapd.conf" ;;
	ditindex) cost "$1" "$DITINDEX" --progress none -q -T 1 --memory 64M --tmpdir "$work" \
		-f "$site/slapd.conf" ;;
	esac
	check "$name: $1 succeeds" test $status -eq 0
}

# is_linear BASE ONE FOUR: of the times in ms
is_linear() {
	[ $(($3 - $1)) -lt 60 ] || [ $(($3 - $1)) -le $((ratio_max * ($2 - $1))) ]
}

# is_stored: is more there than dc=x, and is it worth a look by the other tools? A sample of
# shapes; with DIT_LONG each one
is_stored() {
	[ -z "$message" ] || [ "$shape" = holes ] || return
	case ${DIT_LONG:-no}:$shape in
	yes:* | no:values | no:indexed-text | no:issuer | no:one-key | no:holes | no:deep-tree) ;;
	*) return 1 ;;
	esac
}

# measure_at N: sets times[TOOL], memory[TOOL], the least time of several calls
measure_at() {
	local n=$1 tool
	load "$shape" "$n"
	check "$name, $n: exit status $status" test $status -eq "$wanted"
	check "$name, $n: message" begins "$message"
	note ditadd
	is_stored || return 0
	for tool in ditcheck ditcat ditindex; do
		run_tool $tool
		note $tool
	done
}

# note TOOL: what cost() found
note() {
	if [ -z "${times[$1]:-}" ] || [ "$ms" -lt "${times[$1]}" ]; then
		times[$1]=$ms
	fi
	memory[$1]=$mib
}

# begins TEXT: so does the first line that was said; no TEXT: nothing was said
begins() {
	local said
	said=$(cut -c1-400 "$work/said" | head -n 1 | tr -d '\0')
	if [ -z "$1" ] && [ -z "$said" ]; then
		return
	fi
	echo "$said"
	# shellcheck disable=SC2053 # a pattern
	[ -n "$1" ] && [[ $said == $1* ]]
}

# try_shape N
try_shape() {
	local n=$1 tool _ input mib_max
	local -A times memory times1 memory1
	for _ in 1 2 3; do
		measure_at "$n"
		for tool in "${!times[@]}"; do
			times1[$tool]=${times[$tool]} memory1[$tool]=${memory[$tool]}
		done
		times=()
		measure_at $((4 * n))
		for tool in "${!times[@]}"; do
			is_linear "$base" "${times1[$tool]}" "${times[$tool]}" || continue 2
		done
		break
	done
	# The longest record decides, which is nearly all of the input unless there are many.
	input=$(($(stat -c %s "$work/input.ldif") >> 20))
	mib_max=$((4 * input + ($(wc -l <"$work/input.ldif") >> 12) + 64 + 64))
	for tool in ditadd ditcheck ditcat ditindex; do
		[ -n "${times[$tool]:-}" ] || continue
		printf '| %s | %s | %d | %d | %d | %d | %d |\n' "$name" $tool $((4 * n)) \
			"${times1[$tool]}" "${times[$tool]}" "${memory1[$tool]}" \
			"${memory[$tool]}"
		check "$name, $tool: ${times1[$tool]} ms of $n, ${times[$tool]} ms of $((4 * n))" \
			is_linear "$base" "${times1[$tool]}" "${times[$tool]}"
	done
	check "$name: ${memory[ditadd]} MiB, $mib_max are enough" \
		test "${memory[ditadd]}" -le $mib_max
}

# include_forms: files that include themselves and each other end in an error
include_forms() {
	local i
	make_conf ""
	printf 'dn: dc=x\nobjectClass: domain\ndc: x\n\ninclude: file://%s/loop.ldif\n' "$work" \
		>"$work/loop.ldif"
	# Two includes in each of 40 files: the last one would be read a million million times.
	for ((i = 0; i < 40; i++)); do
		printf 'include: file://%s/tree%d.ldif\n\n' "$work" $((i + 1)) "$work" \
			$((i + 1)) >"$work/tree$i.ldif"
	done
	printf '# nothing\n' >"$work/tree40.ldif"
	for i in loop tree0; do
		rm -rf "$site/db"
		mkdir "$site/db"
		cost $i timeout 300 "$DITADD" -c -T 1 -f "$site/slapd.conf" \
			-l "$work/$i.ldif"
		check "$i: exit status $status" test $status -eq 1
		check "$i: message" grep -q '^ldif_read_record: include .* failed: .* already$' \
			"$work/said"
		printf '| include: %s | ditadd | | | %d | | %d |\n' $i "$ms" "$mib"
		check "$i: nothing is stored" untouched "$site"
	done
}

# many_descriptions: more than a database can number
many_descriptions() {
	make_conf ""
	load descriptions 66000
	check "66000 descriptions: exit status $status" test $status -eq 1
	check "66000 descriptions: message" grep -qx \
		"ditadd: could not add entry dn=\"cn=a,dc=x\" ($work/input.ldif:5): a database has 65535 attribute descriptions at most" \
		"$work/said"
	check "66000 descriptions: nothing is stored" untouched "$site"
}

printf 'dn: dc=x\nobjectClass: domain\ndc: x\n' >"$work/one.ldif"
make_conf ""
mkdir "$site/db"
cost base "$DITADD" -T 1 --memory 64M -f "$site/slapd.conf" -l "$work/one.ldif"
check "one entry" test $status -eq 0
base=$ms
echo "| input | tool | N | ms of N / 4 | ms of N | MiB of N / 4 | MiB of N |"
echo "|---|---|---|---|---|---|---|"
nshapes=0
dn_head='str2entry: entry -1 has invalid DN "'
refusal='ditadd: dn="cn=a,dc=x" (line=5):'
while IFS='|' read -r shape line small long wanted message; do
	[ -n "$shape" ] || continue
	case ${only:-$shape} in "$shape") ;; *) continue ;; esac
	nshapes=$((nshapes + 1))
	name=$shape${line:+ ($line)}
	make_conf "$line"
	[ "${DIT_LONG:-}" = yes ] && small=$long
	try_shape "$small"
done <<EOT
values||10000|250000|0|
values|sortvals description|10000|250000|0|
values|multival description 1,1|10000|250000|0|
equal-values||10000|250000|0|
dn-values||5000|250000|0|
folded||100000|250000|0|
text||1000000|268435456|0|
indexed-text||100000|4000000|0|
blanks||1000000|16000000|0|
comments||50000|1000000|0|
blank-lines||200000|4000000|0|
bytes||1000000|67108864|0|
marks||50000|1000000|0|
serial-number||200000|4000000|0|
issuer||5000|300000|0|
options||5000|25000|0|<= str2entry: str2ad(description;lang-0
descriptions||5000|16000|0|
classes||10000|250000|0|$refusal (65) unrecognized objectClass
dn-bytes||100000|250000|0|$dn_head
dn-escapes||50000|250000|0|$dn_head
rdns||3000|8000|0|$dn_head
rdn-parts||20000|250000|0|$dn_head
dn-value||20000|250000|0|
integer||50000|1000000|0|
bits||50000|4000000|0|
address||50000|1000000|0|
telephone||50000|1000000|0|
digits||50000|1000000|0|
fraction||50000|1000000|0|
unique-name||50000|1000000|0|
rule-expression||5000|250000|0|
rule-wide||5000|250000|0|
rule-deep||5000|250000|0|ditadd: attribute 'authzTo': the DNs or the filter in a value nest too deeply
one-key||5000|250000|0|
holes||5000|100000|1|Error, entries missing!
refused||5000|250000|0|<= str2entry: str2ad(foo): attribute type undefined
same-dn||2500|250000|1|mdb_id2entry_put: mdb_put failed
deep-tree||1000|5000|0|
EOT
if [ -z "$only" ] || [ "$only" = include ]; then
	include_forms
	many_descriptions
	nshapes=$((nshapes + 1))
fi
check "shapes" test $nshapes -gt 0
if [ -z "$only" ]; then
	check "each shape is tried" test $nshapes -gt "$("$worst" --list | wc -l)"
fi
finish
