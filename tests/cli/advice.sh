#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditcheck --stats --report --filter-log: a database that earns each piece of advice, and one
# that earns none; what the advice says to do makes it go. The figures of the page are those
# of the JSON. Logs that cannot be read are told.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITCHECK:?}" "${DITINDEX:?}"

# conf MAXSIZE INDEX...
conf() {
	{
		cat <<-CONF
			include $schema/core.schema
			include $schema/cosine.schema
			include $schema/inetorgperson.schema
			modulepath /usr/lib/ldap
			moduleload back_mdb
			database mdb
			suffix "dc=example,dc=com"
			directory $work/db
			maxsize $1
		CONF
		shift
		printf 'index %s\n' "$@"
	} >my.conf
}

# advice WHAT EXPECTED OPTION...: kinds and indexes of the advice; the page has them as well
advice() {
	local what=$1 expected=$2
	shift 2
	"$DITCHECK" --stats -f my.conf --json --report=page.html "$@" >out.json 2>err ||
		fail "$what: $(cat err)"
	flat out.json >flat
	awk '
		$1 ~ /^advice\.[0-9]+\.kind$/ { gsub(/"/, "", $2); split($1, at, "."); k[at[2]] = $2 }
		$1 ~ /^advice\.[0-9]+\.indexes\.[0-9]+$/ {
			gsub(/"/, "", $2); split($1, at, "."); n[at[2]] = n[at[2]] " " $2
		}
		END { for (i = 0; i in k; i++) print k[i] n[i] }' flat >kinds
	is "$what" "$(paste -sd ';' kinds)" "$expected"
	is "$what: the page" "$(grep -o '<li data-kind="[a-z-]*"' page.html | cut -d '"' -f 2)" \
		"$(sed 's/ .*//' kinds)"
	# The terminal has a heading for each.
	"$DITCHECK" --stats -f my.conf "$@" >out 2>err || fail "$what: exit status $?"
	is "$what: lines" "$(grep -cE '^ ?[0-9]+\. ' out)" "$(wc -l <kinds)"
	is "$what: the word Advice" "$(grep -c '^Advice$' out)" "$([ -s kinds ] && echo 1 || echo 0)"
}

# ---- 66,000 entries: more than a list of IDs holds ----

awk 'BEGIN {
	print "dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization"
	print "dc: example\no: Example\n"
	srand(7)
	for (i = 1; i <= 66000; i++) {
		text = ""
		for (k = 0; k < 7; k++)
			text = text sprintf("%06x", rand() * 16777216)
		printf "dn: uid=u%d,dc=example,dc=com\nobjectClass: inetOrgPerson\n", i
		printf "uid: u%d\ncn: Name %d\nsn: x\ntitle: clerk\nemployeeNumber: %d\n", i, i,
			i * 7919
		printf "description: %s\n\n", text
	}
}' >people.ldif

mkdir db
conf 1073741824 'objectClass eq' 'uid eq'
"$DITADD" -q -d 0 -f my.conf -l people.ldif || fail "load"
advice "a sound configuration" ""
grep -q 'Nothing to change was seen' page.html || fail "the page of a sound configuration"

# ---- one that earns all ----

rm db/*
conf 1073741824 'uid pres,eq' 'title eq' 'employeeNumber eq,sub' 'pager eq' 'description sub'
"$DITADD" -q -d 0 -f my.conf -l people.ldif || fail "second load"
conf 1073741824 'uid pres,eq' 'title eq' 'employeeNumber eq,sub' 'pager eq'
all='sub-numeric employeeNumber;ranges-only title;pres-everywhere uid;index-empty pager'
advice "many" "class-missing objectClass;index-unconfigured description;$all"
step=$(sed -n '/indexes that are not configured/,/do /s/^ *do  *ditindex/ditindex/p' out)
is "the step" "$step" "ditindex -f my.conf --drop-unconfigured"
"$DITCHECK" --stats -f my.conf --openldap=2.6 >out 2>err || fail "a release: exit status $?"
is "the last step names the release" "$(sed -n 's/^and then: //p' out)" \
	"ditindex -f my.conf --openldap 2.6 --drop-unconfigured"
"$DITINDEX" ${step#ditindex} || fail "$step"
advice "the pages of that index are free" "class-missing objectClass;free-large;$all"
used=$(($(awk '$1 == "files.0.pages_used" { print $2 }' flat) * 4096))
conf $((used * 10 / 9)) 'uid pres,eq' 'title eq' 'employeeNumber eq,sub' 'pager eq'
advice "maxsize" "maxsize-full;class-missing objectClass;free-large;$all"

# Half of the searches are about uid, a tenth about cn.
awk 'BEGIN {
	for (i = 0; i < 1000; i++) {
		filter = i % 10 == 0 ? "(cn=Name " i ")" : i % 2 ? "(uid=u" i ")" : "(uid=*)"
		printf "Nov 22 06:25:%02d ldap1 slapd[812]: conn=%d op=1 SRCH ", i % 60, i
		printf "base=\"dc=example,dc=com\" scope=2 deref=0 filter=\"%s\"\n", filter
		printf "Nov 22 06:25:%02d ldap1 slapd[812]: conn=%d op=1 SRCH attr=cn\n", i % 60, i
	}
	print "nobody knows this line"
	print "(&(broken"
}' >slapd.log
some='maxsize-full;class-missing objectClass;search-unindexed cn;free-large'
some="$some;index-unused title employeeNumber;$all"
advice "a log" "$some" --filter-log=slapd.log
sed -n '/^All of it/,$p' out | sed -n '/^index/p; /^maxsize/p; /^and then/p' >block
is "the block to copy" "$(paste -sd ';' block)" "index uid,pager,objectClass,cn eq;maxsize 1073741824;\
and then: ditindex -f my.conf --drop-unconfigured"
is "unread lines" "$(cat err)" "ditcheck: 2 of 2002 lines of the log could not be read"
gzip -k slapd.log
advice "a packed log" "$some" --filter-log=slapd.log.gz
for pack in zstd xz bzip2; do
	"$pack" -c slapd.log >slapd.log.$pack
	"$DITCHECK" --stats -f my.conf --filter-log=slapd.log --filter-log=slapd.log.$pack \
		>out.json 2>err && fail "$pack: the log was read"
	is "$pack" "$(head -n 1 err)" "ditcheck: slapd.log.$pack: packed by $pack; unpack it: $pack -dc\
 LOG | ditcheck ... --filter-log=-"
done
cut -d '"' -f 4 slapd.log | grep '^(' >filters
advice "filters alone" "$some" --filter-log=filters
"$DITCHECK" --stats -f my.conf --filter-log=- --json <filters >out.json || fail "a pipe"
flat out.json >flat
is "a pipe: searches" "$(awk '$1 == "filter_log.searches" { print $2 }' flat)" 1001
is "of cn" "$(awk '$1 == "configuration.0.searches.missing.0.searches" { print $2 }' flat)" 100

# ---- the page has the figures of the JSON ----

"$DITCHECK" --stats -f my.conf --json --report=page.html --filter-log=slapd.log >out.json 2>/dev/null
flat out.json >flat
sed 's/<tr /\n&/g' page.html | awk '
	/^<tr / { row = "" }
	match($0, /^<tr data-index="[^"]*"/) { row = substr($0, 17, RLENGTH - 17) }
	row != "" {
		line = $0
		while (match(line, /data-label="(size|per entry|keys|postings|longest list)"><data value="[0-9]+"/)) {
			one = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			split(one, part, "\"")
			print row, part[2], part[4]
		}
	}' | sort >got
awk '
	$1 ~ /^databases\.[0-9]+\.(database|index|bytes|entries|keys|postings|longest\.0\.postings)$/ {
		split($1, at, ".")
		name = substr($1, length(at[1] at[2]) + 3)
		gsub(/"/, "", $2)
		value[at[2], name] = $2
		last = at[2] > last + 0 ? at[2] : last
	}
	END {
		for (i = 0; i <= last; i++) {
			if (value[i, "index"] != "true")
				continue
			row = value[i, "database"]
			bytes = value[i, "bytes"]
			if (bytes > 0) print row, "size", bytes
			each = int(bytes / value[i, "entries"])
			if (each > 0) print row, "per entry", each
			print row, "keys", value[i, "keys"]
			print row, "postings", value[i, "postings"]
			print row, "longest list", value[i, "longest.0.postings"] + 0
		}
	}' flat | sort >expected
nchecks=$((nchecks + 1))
diff expected got >diff || { fail "the page has other figures ('>') than the JSON"; cat diff; }
is "rows of figures" "$([ "$(wc -l <got)" -ge 16 ] && echo many)" many
is "searches on the page" "$(grep -o '<data value="[0-9]*">[0-9,]*</data> searches' page.html)" \
	'<data value="1000">1,000</data> searches'

# ---- what the advice says to do makes it go ----

conf 1073741824 'objectClass eq' 'uid eq' 'employeeNumber eq' 'cn eq'
"$DITINDEX" -f my.conf --drop-unconfigured || fail "ditindex"
advice "done, except what no search asked for" \
	"free-large;index-unused employeeNumber" --filter-log=slapd.log

# ---- what cannot be ----

# refused WHAT MESSAGE OPTION...
refused() {
	local what=$1 message=$2
	shift 2
	"$DITCHECK" "$@" >out 2>err
	is "$what: exit status" $? 2
	is "$what: message" "$(head -1 err)" "$message"
}
refused "no log" "ditcheck: no.log: No such file or directory" --stats -f my.conf \
	--filter-log=no.log
refused "a folder" "ditcheck: db: Is a directory" --stats -f my.conf --filter-log=db
refused "no place for the page" "ditcheck: no/page.html: No such file or directory" --stats \
	-f my.conf --report=no/page.html
refused "a full disk" "ditcheck: /dev/full: No space left on device" --stats -f my.conf \
	--report=/dev/full
refused "without --stats" "ditcheck: --report and --filter-log are for --stats" -f my.conf \
	--report=x.html
refused "without a configuration" \
	"ditcheck: --filter-log needs a configuration, and --database reads none without -f or -F" --stats \
	--database db --filter-log=slapd.log
rm page.html
"$DITCHECK" --stats --database db --report=page.html >out || fail "--database"
grep -q 'data-kind="free-large"' page.html || fail "--database: no advice"
head -c 1000 slapd.log.gz >cut.gz
"$DITCHECK" --stats -f my.conf --filter-log=cut.gz >out 2>err || fail "a log that is cut"
is "a log that is cut" "$(head -1 err)" "ditcheck: cut.gz: the gzip data is cut off"

finish
