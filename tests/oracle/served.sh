#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian's slapd serves three databases with the same content: slapadd's, ditadd's, and
# one without any index, where every filter is tested on every entry. Searches of every
# kind on every indexed attribute must find the same entries in all three; so must they
# after the same additions, changes, renames and removals; and slapcat, slapindex and
# slapadd must work on ditadd's database as on slapadd's.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

for tool in slapd slapindex ldapsearch ldapmodify; do
	if ! command -v $tool >/dev/null; then
		echo "$tool is not installed (Debian: slapd, ldap-utils)" >&2
		[ -n "${CI:-}" ] && exit 1
		exit 77
	fi
done

base=dc=example,dc=com
declare -A url pid

# ---- three sites, loaded from one LDIF with all operational attributes ----

# serve_conf SITE: what the default configuration lacks for being changed over LDAP
serve_conf() {
	make_site "$work/$1"
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$1/slapd.conf"
}

# some_fixtures: records of several fixtures, the suffix entry of the first only. Left out
# are some whose values order otherwise in slapd's index than in slapd's filter test: a
# year past the range of time keys (t3, t6), integers with leading zeros or a sign (n26,
# n27).
some_fixtures() {
	local data=$DIT_TEST_DATA/ldif name
	cat "$data/operational.ldif"
	for name in numbers options unicode dn-values; do
		echo
		awk 'BEGIN { RS = ""; ORS = "\n\n" }
			!/^dn: *(uid=n2[67],|cn=t[36],)?dc=example,dc=com/' \
			"$data/$name.ldif"
	done
	"$DITGEN" --entries 342 | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		!/^dn: (ou=People,)?dc=example,dc=com/'
}

for site in ref dit scan; do
	serve_conf $site
done
sed -i '/^index/d' "$work/scan/slapd.conf"

some_fixtures >"$work/some.ldif"
slapadd_site "$work/ref" -q -l "$work/some.ldif"
check "loading the fixtures" diff "$work/ref/exit" - <<<0
slapcat -f "$work/ref/slapd.conf" >"$work/input.ldif"
for site in ref scan; do
	empty_site "$work/$site"
	slapadd_site "$work/$site" -q -l "$work/input.ldif"
done
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "loading" same_messages "$work/ref" "$work/dit"
check "content before serving" same_content --ignore-integerkey "$work/ref" "$work/dit"

# ---- slapd ----

stop_slapd() {
	local site
	for site in "${!pid[@]}"; do
		kill "${pid[$site]}" 2>/dev/null
		wait "${pid[$site]}" 2>/dev/null
	done
	pid=()
}
atexit+=(stop_slapd)

# start_slapd SITE: on a free port of 127.0.0.1; sets url and pid
start_slapd() {
	local try wait_for
	for ((try = 0; try < 20; try++)); do
		url[$1]=ldap://127.0.0.1:$((20000 + RANDOM % 40000))
		slapd -d 0 -h "${url[$1]}" -f "$work/$1/slapd.conf" \
			2>"$work/$1/slapd.err" &
		pid[$1]=$!
		for ((wait_for = 0; wait_for < 50; wait_for++)); do
			# Somebody else's server on this port would not be ours to test.
			if ! kill -0 "${pid[$1]}" 2>/dev/null; then
				break
			elif ldapsearch -x -H "${url[$1]}" -s base -b $base 1.1 \
				>/dev/null 2>&1; then
				return
			fi
			sleep 0.1
		done
		wait "${pid[$1]}" 2>/dev/null
	done
	cat "$work/$1/slapd.err" >&2
	echo "slapd does not start" >&2
	exit 1
}

# ---- searches ----

# make_filters: from an export on stdin and the configuration of the first site. For some
# values of each indexed attribute: equality, and substrings cut at several places; for
# each attribute presence, a value that does not occur, and order where the rule has one.
# Values are written as \xx escapes, byte by byte.
make_filters() {
	awk -v conf="$work/ref/slapd.conf" '
	BEGIN {
		for (i = 0; i < 256; i++) {
			code[sprintf("%c", i)] = sprintf("\\%02x", i)
		}
		alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
			"abcdefghijklmnopqrstuvwxyz0123456789+/"
		while ((getline line < conf) > 0) {
			if (line !~ /^index /) {
				continue
			}
			n = split(line, word, /[ \t]+/)
			n = split(word[2], name, ",")
			for (i = 1; i <= n; i++) {
				indexed[tolower(name[i])] = name[i]
				kinds[name[i]] = word[3]
			}
		}
		split("uidNumber gidNumber shadowLastChange entryCSN createTimestamp " \
		      "modifyTimestamp", word, " ")
		for (i in word) {
			ordered[word[i]] = 1
		}
	}
	function plain(text,   i) {
		nbytes = length(text)
		for (i = 1; i <= nbytes; i++) {
			byte[i] = code[substr(text, i, 1)]
		}
	}
	function base64(text,   i, j, word, count) {
		nbytes = 0
		for (i = 1; i + 3 <= length(text); i += 4) {
			word = 0
			count = 3
			for (j = 0; j < 4; j++) {
				c = substr(text, i + j, 1)
				word = word * 64
				if (c == "=") {
					count--
				} else {
					word += index(alphabet, c) - 1
				}
			}
			for (j = 0; j < count; j++) {
				byte[++nbytes] = \
					sprintf("\\%02x", int(word / 65536) % 256)
				word *= 256
			}
		}
	}
	function slice(from, to,   i, text) {
		text = ""
		for (i = from < 1 ? 1 : from; i <= to && i <= nbytes; i++) {
			text = text byte[i]
		}
		return text
	}
	function filters(attr, value,   third) {
		value = slice(1, nbytes)
		print attr "=" value
		if (attr in ordered) {
			print attr ">=" value
			print attr "<=" value
			print "&(" attr ">=" value ")(!(" attr "=" value "))"
		}
		if (kinds[attr] !~ /sub/ || nbytes < 2) {
			return
		}
		third = int(nbytes / 3)
		print attr "=" slice(1, 3) "*"
		print attr "=*" slice(nbytes - 3, nbytes)
		if (nbytes >= 6) {
			print attr "=*" slice(third, third + 3) "*"
			print attr "=" slice(1, 2) "*" slice(nbytes - 1, nbytes)
			print attr "=*" slice(2, 6) "*" slice(nbytes - 2, nbytes)
		}
	}
	function unfolded(line,   colon, attr) {
		colon = index(line, ":")
		attr = substr(line, 1, colon - 1)
		if (!(tolower(attr) in indexed) || length(line) > 400) {
			return
		}
		attr = indexed[tolower(attr)]
		if (used[attr, line]++ || ++seen[attr] % (1 + int(seen[attr] / 8)) != 0) {
			return
		}
		if (++taken[attr] > 14) {
			return
		}
		if (substr(line, colon, 2) == "::") {
			base64(substr(line, colon + 3))
		} else {
			plain(substr(line, colon + 2))
		}
		filters(attr)
	}
	/^ / { held = held substr($0, 2); next }
	{ unfolded(held); held = $0 }
	END {
		unfolded(held)
		for (i in indexed) {
			print indexed[i] "=*"
			print indexed[i] "=no such value"
			print "!(" indexed[i] "=*)"
			if (kinds[indexed[i]] ~ /sub/) {
				print indexed[i] "=no su*va*ue"
			}
		}
		print "&(objectClass=person)(|(sn=smi*)(givenName=*a*)(!(cn=*e*)))"
		print "objectClass=top"
		print "objectClass=2.5.6.6"
		print "|(name=smith)(name=brandt)"
	}' | sort -u
}

# search SITE BASE SCOPE FILE: the names found by each filter of the file, and errors; a
# line is the filter and one of these, sorted, since without indexes the order is another
search() {
	ldapsearch -x -H "${url[$1]}" -b "$2" -s "$3" -L -o ldif-wrap=no -c -f "$4" \
		'(%s)' 1.1 2>&1 |
		awk '/^# filter: / { filter = substr($0, 11) }
			/^dn:/ || /^[A-Z].*\(-*[0-9]*\)$/ { print filter, $0 }' |
		sort
}

# search_everywhere WHEN: all filters, in several places of the tree
search_everywhere() {
	local scope where site
	slapcat_or_export ref | make_filters >"$work/filters"
	awk 'NR % 4 == 0' "$work/filters" >"$work/filters.some"
	while read -r scope filters where; do
		for site in ref dit scan; do
			search $site "$where" "$scope" "$work/$filters" \
				>"$work/$site/found"
		done
		for site in dit scan; do
			check "$1: $site finds as slapadd's, $scope $where" \
				diff -a "$work/ref/found" "$work/$site/found"
		done
	done <<-PLACES
		sub filters $base
		sub filters.some ou=People,$base
		one filters.some ou=People,$base
		one filters.some $base
		base filters.some uid=mbrandt,ou=People,$base
		base filters.some ou=nowhere,$base
	PLACES
	echo "$1: $(wc -l <"$work/filters") filters," \
		"$(search ref $base sub "$work/filters" | grep -c ' dn:') names found"
}

# slapcat_or_export SITE: everything the server shows
slapcat_or_export() {
	ldapsearch -x -LLL -o ldif-wrap=no -H "${url[$1]}" -b $base '*' '+'
}

for site in ref dit scan; do
	start_slapd $site
done
search_everywhere 'as loaded'

# A database that slapd has open is not touched.
cp "$work/dit/db/data.mdb" "$work/before.mdb"
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "refused while slapd runs" diff "$work/dit/exit" - <<<1
check "untouched while slapd runs" cmp "$work/before.mdb" "$work/dit/db/data.mdb"

# ---- changes ----

for site in ref dit scan; do
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$DIT_TEST_DATA/served/changes.ldif" >"$work/$site/modify" 2>&1
	echo "$?" >>"$work/$site/modify"
done
for site in dit scan; do
	check "$site: results of the changes" diff "$work/ref/modify" "$work/$site/modify"
done
search_everywhere 'after changes'
stop_slapd

# without_stamps: values that each server makes up when something is changed
without_stamps() {
	sed 's/^\(entryUUID\|entryCSN\|createTimestamp\|modifyTimestamp\): .*/\1/'
}

for site in ref dit scan; do
	slapcat -f "$work/$site/slapd.conf" 2>&1 | without_stamps >"$work/$site/slapcat"
done
for site in dit scan; do
	check "$site: slapcat" diff -a "$work/ref/slapcat" "$work/$site/slapcat"
done
check "content after changes" same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"

# ---- slapd's other tools on our database ----

for options in '-q' '-q -t' 'cn uidNumber'; do
	# On both: changes by slapd may have dropped keys that another value needs.
	for site in ref dit; do
		# shellcheck disable=SC2086 # several words
		check "$site: slapindex $options" \
			slapindex -f "$work/$site/slapd.conf" $options
	done
	check "content after slapindex $options" same_content --generated \
		--ignore-integerkey "$work/ref" "$work/dit"
done
for site in ref dit; do
	slapadd_site "$work/$site" -l "$DIT_TEST_DATA/served/more.ldif"
done
check "slapadd into our database" same_messages "$work/ref" "$work/dit"
check "content after slapadd" same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"

finish
