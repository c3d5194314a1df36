#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exports: what slapcat writes of the databases that slapadd makes of all fixtures, ditcat
# writes as well, byte for byte, with 1 and with 3 threads; the same messages, the same
# exit status. And what ditcat writes is the same directory again when ditadd loads it.
# Filters: those of a list, and a table of all matching rules, of which the long suite tries
# each.
#
# In "make check" the cases take turns: a fixture is written in one of three forms and each
# third one is loaded again, ditcat has 1 thread or 3, and of the list of filters, where those
# of a kind stand together, each sixth is tried. With DIT_LONG=yes each case is.
#
#   CAT_PARTS='filters rules' cat.sh      these parts alone
. "${0%/*}/lib.sh"
. "${0%/*}/fixtures.sh"
: "${DITCAT:?}" "${DIT_BUILDDIR:?}"

# run_cat PROGRAM OUT ARGUMENT...: leaves OUT, OUT.exit, OUT.stderr
run_cat() {
	local program=$1 out=$2
	shift 2
	[ "$program" = slapcat ] || set -- ${DIT_OPENLDAP:+--openldap=$DIT_OPENLDAP} "$@"
	"$program" -f "$work/ref/slapd.conf" "$@" >"$out" 2>"$out.stderr.raw"
	echo $? >"$out.exit"
	: >"$out.stderr"
	# slapd takes a suffix whose normal form is longer for an old database.
	[ ! -s "$out.stderr.raw" ] || sed 's/^\(slapcat\|ditcat\): /PROGRAM: /
		/DN index needs upgrade, run "slapindex entryDN"/d
		/is no configuration tree, .*: see -F$/d' \
		"$out.stderr.raw" >"$out.stderr"
}

# same_output A B
same_output() {
	cmp "$1" "$2" && { [ "$(<"$1.stderr")" = "$(<"$2.stderr")" ] ||
		diff -a "$1.stderr" "$2.stderr"; } && {
		[ "$(<"$1.exit")" = "$(<"$2.exit")" ] || diff "$1.exit" "$2.exit"
	}
}

# both NAME ARGUMENT...: slapcat once, ditcat with 1 and 3 threads
both() {
	local name=$1 threads
	shift
	nboth=$((nboth + 1))
	run_cat slapcat "$work/slapcat" "$@"
	for threads in 1 3; do
		[ "${DIT_LONG:-}" = yes ] || [ $((nboth % 2)) -eq $((threads / 2)) ] || continue
		run_cat "$DITCAT" "$work/ditcat" -T $threads "$@"
		check "$name $* -T $threads" same_output "$work/slapcat" "$work/ditcat"
	done
}
nboth=0

# same_lines A B: values of an attribute that stood apart stand together when they are
# loaded again, so the order of lines may differ
same_lines() {
	diff <(sort "$1") <(sort "$2")
}

# again NAME CONF WHICH: ditcat, then ditadd: the same content
again() {
	local -a which=()
	read -ra which <<<"$3"
	make_site "$work/dit" "$2"
	run_cat "$DITCAT" "$work/out.ldif" "${which[@]}"
	ditadd_site "$work/dit" "${which[@]}" -s -l "$work/out.ldif"
	run_cat "$DITCAT" "$work/first" "${which[@]}"
	"$DITCAT" -f "$work/dit/slapd.conf" "${which[@]}" >"$work/second"
	check "$1: exported, loaded and exported" same_lines "$work/first" "$work/second"
}

# A load refused half-way leaves a database as well.
each_fixture() {
	local fixture conf rest last=
	while read -r fixture conf _ rest; do
		[ -n "$fixture" ] && [ "$fixture $conf" != "$last" ] || continue
		last="$fixture $conf"
		local -a options=() which=()
		read -ra options <<<"$rest"
		[[ " $rest " == *" -b "* ]] && which=(-b "${options[-1]}")
		[[ " $rest " == *" -n "* ]] && which=(-n "${options[-1]}")
		make_site "$work/ref" "$conf"
		fill_in "$work" <"$DIT_TEST_DATA/ldif/$fixture.ldif" >"$work/input.ldif"
		slapadd_site "$work/ref" "${options[@]}" -l "$work/input.ldif"
		! turn 3 || both "$fixture/$conf" "${which[@]}"
		! turn 3 || both "$fixture/$conf" "${which[@]}" -v -o ldif-wrap=no
		! turn 3 || both "$fixture/$conf" "${which[@]}" -o ldif-wrap=20
		! turn 3 || grep -q 'entries missing' "$work/ref/stderr" ||
			again "$fixture/$conf" "$conf" "${which[*]}"
	done <<<"$table"
}

# ---- what can be chosen ----

person() {
	local cn=${1%%,*}
	printf 'dn: %s\nobjectClass: person\ncn: %s\nsn: Common\n\n' "$1" "${cn#*=}"
}

unit() {
	local ou=${1%%,*}
	printf 'dn: %s\nobjectClass: organizationalUnit\nou: %s\n\n' "$1" "${ou#*=}"
}

glued() {
	local top=dc=example,dc=com base
	make_site "$work/ref" glue
	mkdir "$work/ref/db-apart"
	{
		printf 'dn: %s\nobjectClass: domain\ndc: example\n\n' $top
		person cn=a,$top
		unit ou=sub,$top
		person "cn=b,ou=sub,$top"
		unit "ou=deep,ou=sub,$top"
		person "cn=c,ou=deep,ou=sub,$top"
		person "cn=d\\,e,$top"
		person "cn=below,cn=d\\,e,$top"
	} >"$work/input.ldif"
	both "glue, without a database" -b $top
	slapadd_site "$work/ref" -b $top -l "$work/input.ldif"
	for base in $top ou=sub,$top ou=deep,ou=sub,$top cn=b,ou=sub,$top ou=apart,$top \
		dc=com dc=other foo ''; do
		both "glue" -b "$base"
		both "glue" -b "$base" -g
	done
	for number in 0 1 2 3 4 5; do
		both "glue" -n $number
		both "glue" -n $number -g -v
	done
	both "glue"
	mv "$work/ref/db-other/data.mdb" "$work/ref/away"
	both "glue, without a subordinate database" -b $top
	both "glue, without a subordinate database" -b $top -g
}

# ---- filters and URLs ----

# both_filtered FILE ARGUMENT...: each line of a file of filters, with its number
both_filtered() {
	local file=$1 filter
	shift
	while IFS= read -r filter; do
		[ "${filter:0:1}" != "#" ] && turn 6 || continue
		both "filter" -a "$filter" "$@"
		run_cat "$DITCAT" "$work/ditcat" --no-index -a "$filter" "$@"
		check "filter --no-index $filter" same_output "$work/slapcat" "$work/ditcat"
	done <"$file"
}

# Entries with an attribute of each kind of rule, and some that have none of them.
filters() {
	make_site "$work/ref" default
	slapadd_site "$work/ref" -q -l "$DIT_TEST_DATA/filters/entries.ldif"
	check "filters: the load" ended "$work/ref" 0
	both_filtered "$DIT_TEST_DATA/filters/filters"
	# Entries of a class that the schema lacks.
	sed '/^objectClass: person/i objectClass: lost' \
		"$DIT_TEST_DATA/filters/entries.ldif" >"$work/lost.ldif"
	grep -i 'objectClass' "$DIT_TEST_DATA/filters/filters" >"$work/classes"
	make_site "$work/ref" default
	slapadd_site "$work/ref" -q -s -l "$work/lost.ldif"
	check "filters: the load with a lost class" ended "$work/ref" 0
	both_filtered "$work/classes"
	sed -i '/^database/i sortvals objectClass' "$work/ref/slapd.conf"
	both_filtered "$work/classes"
}

# Orderings of values that sortvals has sorted.
sorted() {
	local value
	make_site "$work/ref" schema
	sed -i '/^database/i sortvals tCIM tINT tOCT' "$work/ref/slapd.conf"
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\nobjectClass: tRules\ndc: example\n'
		printf 'tCIM: %s\n' zz b aaa
		printf 'tOCT: %s\n' zz b aaa
		printf 'tINT: %s\n' 7 -300 20
	} >"$work/input.ldif"
	slapadd_site "$work/ref" -q -l "$work/input.ldif"
	check "sorted: the load" ended "$work/ref" 0
	both "sorted"
	empty_site "$work/ref"
	sed -i 's/^sortvals/#&/' "$work/ref/slapd.conf"
	slapadd_site "$work/ref" -q -l "$work/input.ldif"
	sed -i 's/^#sortvals/sortvals/' "$work/ref/slapd.conf"
	both "sorted after the load"
	for value in zz b aaa ab y; do
		printf '(%s)\n' "tCIM>=$value" "tCIM<=$value" "tOCT>=$value" "tOCT<=$value"
	done >"$work/orderings"
	for value in -300 -301 7 19 20; do
		printf '(%s)\n' "tINT>=$value" "!(tINT<=$value)" "tINT=$value"
	done >>"$work/orderings"
	both_filtered "$work/orderings"

	# slapcat dies of equal values that were stored before.
	empty_site "$work/ref"
	sed -i 's/^sortvals/#&/' "$work/ref/slapd.conf"
	sed 's/^tCIM: b/tCIM: ZZ/' "$work/input.ldif" >"$work/equal.ldif"
	slapadd_site "$work/ref" -q -l "$work/equal.ldif"
	sed -i 's/^#sortvals/sortvals/' "$work/ref/slapd.conf"
	run_cat "$DITCAT" "$work/ditcat"
	check "sorted, but for equal values" test \
		"$(sed -n 's/^tCIM: //p' "$work/ditcat" | xargs)" = 'zz ZZ aaa'
}

# Values of X-ORDERED attributes, with prefixes and without. Filters look at prefixes since 2.7.
ordered() {
	local prefix value
	make_site "$work/ref" schema
	sed -i "/^database/i attributetype ( ditAttr:50 NAME 'tPlace' EQUALITY caseIgnoreMatch \
		ORDERING caseIgnoreOrderingMatch SYNTAX Text X-ORDERED 'VALUES' )" "$work/ref/slapd.conf"
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n'
		printf 'objectClass: extensibleObject\n'
		printf 'tPlace: %s\n' '{1}zz' '{0}b'
	} >"$work/input.ldif"
	slapadd_site "$work/ref" -l "$work/input.ldif"
	check "ordered: the load" ended "$work/ref" 0
	for prefix in '' '{1}' '{0}' '{3}' '{10}'; do
		for value in zz b '' '  zz'; do
			printf "(tPlace%s$prefix$value)\n" = '>=' '<=' := '~='
			printf "(!(tPlace=$prefix$value))\n"
		done
	done >"$work/places"
	both_filtered "$work/places"
}

# A rule for pieces that does not suit the equality rule, and a subtype with another rule.
mixed() {
	local attr
	make_site "$work/ref" schema
	sed -i "/^database/i attributetype ( ditAttr:51 NAME 'tMixed' EQUALITY caseExactMatch \
		SUBSTR caseIgnoreSubstringsMatch SYNTAX Text )
		/^database/i attributetype ( ditAttr:52 NAME 'tMixedSub' SUP tMixed EQUALITY \
		caseIgnoreMatch )" "$work/ref/slapd.conf"
	echo 'index tMixed,tMixedSub eq,sub' >>"$work/ref/slapd.conf"
	for attr in tMixed tMixedSub; do
		person "cn=$attr,dc=example,dc=com" | sed "/^sn/a objectClass: extensibleObject\n$attr: aB Cd"
	done | cat <(printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' \
		"authzTo: ldap:///dc=com??sub?(tMixed"{=aB*,=*B\ c*,Sub=aB*,Sub:=aB}\) '') - \
		>"$work/input.ldif"
	slapadd_site "$work/ref" -l "$work/input.ldif"
	check "mixed: the load" ended "$work/ref" 0
	make_site "$work/dit" schema
	sed "s,$work/ref,$work/dit,g" "$work/ref/slapd.conf" >"$work/dit/slapd.conf"
	ditadd_site "$work/dit" -l "$work/input.ldif"
	check "mixed: filters in authzTo" same_content --generated --ignore-integerkey \
		"$work/ref" "$work/dit"
	for attr in tMixed tMixedSub; do
		printf "($attr%s)\n" '=aB*' '=ab*' '=*B c*' '=*B C*' '=*cd' ':=ab cd' ':=aB Cd' '=ab cd'
	done >"$work/pieces"
	both_filtered "$work/pieces"
}

urls() {
	local url
	while IFS= read -r url; do
		run_cat slapcat "$work/slapcat" -H "$url"
		run_cat "$DITCAT" "$work/ditcat" -H "$url"
		# slapcat says no more than how it is to be used.
		[[ $'\n'$(<"$work/slapcat.stderr") = *$'\nusage: '* ]] &&
			sed -i '/-H takes/,$d' "$work/ditcat.stderr" &&
			: >"$work/slapcat.stderr"
		check "URL $url" same_output "$work/slapcat" "$work/ditcat"
	done <"$DIT_TEST_DATA/filters/urls"
}

# ---- all matching rules ----

# Below ou=1, ou=2 ... stand copies of the same entries, so that one export tries a filter on
# the entries of each.
copies=32

# accepted CHECK: for each attribute of values.conf the lines of tests/data/filters/values that
# slapadd takes, "ATTRIBUTE LINE"
accepted() {
	empty_site "$work/ref"
	awk -F '\t' 'NR == FNR { value[++n] = $1; next }
	FNR == 1 { print "dn: dc=x\nobjectClass: domain\ndc: x\n" }
	{
		for (i = 1; i <= n; i++) {
			print "dn: cn=" $1 "-" i ",dc=x\nobjectClass: device"
			print "objectClass: extensibleObject\ncn: " $1 "-" i
			print $1 value[i] "\n"
		}
	}' "$values" "$work/attrs" >"$work/input.ldif"
	slapadd_site "$work/ref" -c -o value-check="$1" -l "$work/input.ldif"
	slapcat -f "$work/ref/slapd.conf" | sed -n 's/^cn: \(t.*\)-\([0-9]*\)$/\1 \2/p'
}

# rules_site: three entries for each attribute, with the values that it takes, and one that has
# a value in its DN alone
rules_site() {
	make_site "$work/ref" values
	grep -o "NAME 't[A-Za-z0-9]*'" "$work/ref/slapd.conf" | cut -d "'" -f 2 \
		>"$work/attrs"
	accepted yes >"$work/checked"
	# A syntax without a function to check values takes nothing then.
	accepted no | awk 'NR == FNR { checked[$1]; print; next } !($1 in checked)' \
		"$work/checked" - >"$work/accepted"
	awk -v copies=$copies -F '[\t ]' '
	NR == FNR { FS = "\t"; $0 = $0; text[++n] = $1; in_dn[n] = $2; next }
	{ FS = " "; $0 = $0 }
	!($1 in count) { attr[++nattrs] = $1 }
	{ line[$1, ++count[$1]] = $2 }
	function put(dn, ou, lines) {
		printf "dn: %sou=%d,dc=x\nobjectClass: device\n", dn, ou
		printf "objectClass: extensibleObject\nou: %d\ncn: c\n%s\n", ou, lines
	}
	END {
		print "dn: dc=x\nobjectClass: domain\ndc: x\n"
		for (ou = 1; ou <= copies; ou++) {
			put("", ou)
			for (a = 1; a <= nattrs; a++) put_attr(attr[a], ou)
		}
	}
	function put_attr(name, ou, k, i, lines) {
		for (k = 1; k <= 3 && k <= count[name]; k++) {
			lines = ""
			for (i = k; i <= count[name]; i += 3)
				if (name !~ /^tOrdered/ || i == k)
					lines = lines name text[line[name, i]] "\n"
			put("cn=" name "-" k ",", ou, lines)
		}
		put(name "=" in_dn[line[name, 1]] ",", ou)
	}' "$values" "$work/accepted" >"$work/input.ldif"
	empty_site "$work/ref"
	slapadd_site "$work/ref" -c -s -l "$work/input.ldif"
}

# rule_filters: each rule without an attribute and with each, each operator, plain and negated
rule_filters() {
	awk -F '\t' '$1 == "matchingrule" { print $4; print $3 }' \
		"$DIT_SRCDIR/libraries/ldap/schema/builtin-schema.tsv" >"$work/rules"
	awk 'FILENAME == ARGV[1] { sub(/.*\t/, ""); value[++n] = $0; next }
	FILENAME == ARGV[2] { attr[++nattrs] = $1; next }
	FILENAME == ARGV[3] { lines[$1] = lines[$1] " " $2; next }
	{ rule[++nrules] = $1 }
	function put(item) { print "(" item ")\n(!(" item "))" }
	END {
		for (r = 1; r <= nrules; r++) {
			for (i = 0; i <= n; i++) {
				put(":" rule[r] ":=" value[i])
				put(":dn:" rule[r] ":=" value[i])
				put("entryDN:" rule[r] ":=" value[i])
				if (i % 8 == 0)
					put("objectClass:" rule[r] ":=" value[i])
			}
			for (a = 1; a <= nattrs; a++) put_attr(attr[a], rule[r])
		}
		nops = split("= ~= >= <= := :dn:=", op, " ")
		for (a = 1; a <= nattrs; a++)
			for (i = 0; i <= n; i++)
				for (o = 1; o <= nops; o++) put(attr[a] op[o] value[i])
	}
	function put_attr(name, by, taken, j, k) {
		k = split("0 1 12 15" lines[name], taken, " ")
		for (j = 1; j <= k && j <= 12; j++) {
			put(name ":" by ":=" value[taken[j]])
			put(name ":dn:" by ":=" value[taken[j]])
		}
	}' "$values" "$work/attrs" "$work/accepted" "$work/rules"
}

# same_bundle A B: the same exports; else which filters select something else
same_bundle() {
	local side n
	same_output "$1" "$2" >/dev/null && return
	diff "$1.stderr" "$2.stderr"
	diff <(grep '^dn: ' "$1") <(grep '^dn: ' "$2") |
		sed -n 's/^\([<>]\) .*ou=\([0-9]*\),.*/\1 \2/p' | sort -u |
		while read -r side n; do
			echo "$side ${bundle[n - 1]}"
		done
	return 1
}

# Each 401st filter, or all of them.
rules() {
	local values=$DIT_TEST_DATA/filters/values step=401 bundle=() filter i
	! lacks_syntax values || return
	[ -z "${DIT_LONG:-}" ] || step=1
	rules_site
	rule_filters | awk -v step=$step 'NR % step == 0' >"$work/filters"
	echo "rules: $(wc -l <"$work/filters") filters on" \
		"$(slapcat -f "$work/ref/slapd.conf" -a '(ou=1)' | grep -c '^dn: ') entries"
	while mapfile -t -n $copies bundle && [ ${#bundle[@]} -gt 0 ]; do
		filter='(|' i=0
		while [ $i -lt ${#bundle[@]} ]; do
			filter+="(&(ou=$((i + 1)))${bundle[i++]})"
		done
		run_cat slapcat "$work/slapcat" -a "$filter)"
		run_cat "$DITCAT" "$work/ditcat" -a "$filter)"
		check "rules ${bundle[0]} ..." same_bundle "$work/slapcat" "$work/ditcat"
	done <"$work/filters"
}

# doc/examples/scan_count.c counts what grep counts.
example() {
	local count
	count=$(slapcat -f "$work/ref/slapd.conf" | grep -ci '^cn:')
	"$DIT_BUILDDIR/tests/scan/scan_count" "$work/ref/slapd.conf" CN >"$work/count"
	check "example: $count values" grep -q "^$count values in " "$work/count"
	check "example: an entry" grep -q '^most: 1 in ' "$work/count"
	check "example: a wrong configuration is told" test -n \
		"$("$DIT_BUILDDIR/tests/scan/scan_count" /nonexistent cn 2>&1)"
}

# ---- where ditcat is not slapcat on purpose ----

# Values apart of attributes that the schema has lost; slapcat leaves them out, all or some.
lost() {
	make_site "$work/ref" schema
	sed -i "/^database/i attributetype ( ditAttr:53 NAME 'tLost' SYNTAX Text )
		/^database/i attributetype ( ditAttr:54 NAME 'tGone' SYNTAX Text )" "$work/ref/slapd.conf"
	echo 'multival default 2,1' >>"$work/ref/slapd.conf"
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\nobjectClass: extensibleObject\n'
		printf '%s\n' 'dc: example' tLost:\ {a,b,c} tGone:\ {a,b,c}
	} >"$work/input.ldif"
	slapadd_site "$work/ref" -l "$work/input.ldif"
	check "lost: the load" ended "$work/ref" 0
	sed -i '/ditAttr:5[34] /d' "$work/ref/slapd.conf"
	run_cat "$DITCAT" "$work/ditcat"
	check "lost: all values" test "$(grep -cix 't\(Lost\|Gone\): [abc]' "$work/ditcat")" = 6
}

# The subtree of -s: slapcat 2.5.13 dies of it, later ones write what the URL names.
subtree() {
	"$DITCAT" -f "$work/ref/slapd.conf" -s ou=hole,dc=example,dc=com >"$work/ditcat"
	slapcat -f "$work/ref/slapd.conf" -H ldap:///ou=hole,dc=example,dc=com \
		>"$work/slapcat"
	check "-s and -H name the same" cmp "$work/slapcat" "$work/ditcat"
	check "-s names something" grep -q '^dn: ' "$work/ditcat"
}

for part in ${CAT_PARTS:-each_fixture glued filters urls example subtree rules sorted ordered mixed lost}; do
	$part
done
finish
