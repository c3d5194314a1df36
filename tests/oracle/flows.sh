#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The uses of slapadd in a server's life, with ditadd in its place: an entry of every
# class in the schema files that slapd comes with; export and import again and again, also
# between the two loaders; other indexes and another suffix of hashes; a branch moved to a
# database of its own; a server filled, changed, exported and filled again.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}"

# ---- every class of the schema files ----

# every_schema SITE
every_schema() {
	make_site "$1"
	{
		for name in core cosine nis inetorgperson openldap collective corba dyngroup \
			java misc duaconf namedobject pmi dsee msuser; do
			echo "include $DIT_SCHEMA_DIR/$name.schema"
		done
		cat <<-CONF
			modulepath $DIT_MODULE_PATH
			moduleload back_mdb
			sizelimit unlimited
			database mdb
			suffix "$base"
			rootdn "cn=Admin,$base"
			rootpw secret
			directory $1/db
			maxsize 1073741824
			index objectClass,cn,sn,uid pres,eq
			index name eq,sub
		CONF
	} >"$1/slapd.conf"
}

# entries_of_classes: from the configuration on stdin, an entry for each structural and
# auxiliary class with everything that it must and may have
entries_of_classes() {
	awk '
	BEGIN {
		sample[12] = sample[34] = "cn=Some  One,dc=example,dc=com"
		sample[7] = "TRUE"
		sample[36] = "12 34"
		sample[50] = sample[22] = "+1 23-45"
		sample[24] = "20220101000000Z"
		sample[38] = "2.5.6.6"
		sample[41] = "Line  1$Line 2"
		sample[11] = "DE"
		sample[6] = "\x27010\x27B"
		sample[26] = "Ia5  Text@"
	}
	function words(text, key, ret,   n, i, rest) {
		n = split("", ret)
		if (!match(text, " " key " ")) {
			return 0
		}
		rest = substr(text, RSTART + RLENGTH)
		if (substr(rest, 1, 1) == "(") {
			rest = substr(rest, 2, index(rest, ")") - 2)
			gsub(/[$\x27]/, " ", rest)
			return split(rest, ret, /[ ]+/)
		}
		n = split(rest, ret, /[ ]/)
		for (i = 2; i <= n; i++) {
			delete ret[i]
		}
		gsub(/\x27/, "", ret[1])
		return 1
	}
	function first(list, n,   i) {
		for (i = 1; i <= n; i++) {
			if (list[i] != "") {
				return list[i]
			}
		}
		return ""
	}
	function syntax_of(type,   t) {
		t = type
		while (t != "" && syntax[tolower(t)] == "") {
			t = sup[tolower(t)]
		}
		sub(/.*\./, "", syntax[tolower(t)])
		return syntax[tolower(t)]
	}
	function add(type, n,   s, value) {
		if (type == "" || tolower(type) == "objectclass" || done[n, tolower(type)]++) {
			return
		}
		s = syntax_of(type)
		value = (s in sample) ? sample[s] : "Some  Text"
		if (s == "27") {
			value = n
		}
		if (s == "8" || s == "9" || s == "10") {
			print type ";binary:: MAA="
		} else {
			print type ": " value
		}
	}
	function all_of(class, n,   i, list, m, c) {
		c = tolower(class)
		m = split(has[c], list, " ")
		for (i = 1; i <= m; i++) {
			add(list[i], n)
		}
		m = split(supers[c], list, " ")
		for (i = 1; i <= m; i++) {
			all_of(list[i], n)
		}
	}
	/^olcAttributeTypes: / {
		n = words($0, "NAME", w)
		name = first(w, n)
		k = words($0, "SUP", s)
		parent = k ? s[1] : ""
		k = words($0, "SYNTAX", s)
		for (i = 1; i <= n; i++) {
			sup[tolower(w[i])] = parent
			syntax[tolower(w[i])] = k ? s[1] : ""
			sub(/\{.*/, "", syntax[tolower(w[i])])
		}
	}
	/^olcObjectClasses: / {
		n = words($0, "NAME", w)
		name = first(w, n)
		lists = ""
		for (j = 1; j <= 2; j++) {
			k = words($0, j == 1 ? "MUST" : "MAY", s)
			for (i = 1; i <= k; i++) {
				lists = lists " " s[i]
			}
		}
		has[tolower(name)] = lists
		k = words($0, "SUP", s)
		for (i = 1; i <= k; i++) {
			supers[tolower(name)] = supers[tolower(name)] " " s[i]
		}
		kind[name] = / ABSTRACT /  ? "abstract" : / AUXILIARY / ? "auxiliary" : "structural"
		order[++nclasses] = name
	}
	END {
		print "dn: dc=example,dc=com\nobjectClass: domain\n"
		for (i = 1; i <= nclasses; i++) {
			name = order[i]
			if (kind[name] == "abstract" || name == "") {
				continue
			}
			print "dn: cn=class " i ",dc=example,dc=com\nobjectClass: " name
			if (kind[name] == "auxiliary") {
				print "objectClass: device"
			}
			print "objectClass: extensibleObject"
			all_of(name, i)
			print ""
		}
	}'
}

for site in ref dit; do
	every_schema "$work/$site"
done
# slaptest and slapd die of dsee.schema; the loaders read it.
mkdir "$work/tree"
slapadd_site "$work/ref" -l /dev/null
grep -v dsee.schema "$work/ref/slapd.conf" >"$work/tree.conf"
check "configuration as a tree" slaptest -f "$work/tree.conf" -F "$work/tree"
find "$work/tree" -name '*.ldif' | sort | while read -r file; do
	awk '/^ / { held = held substr($0, 2); next } { print held; held = $0 }
		END { print held }' "$file"
done | entries_of_classes >"$work/input.ldif"
check "there are many classes" test "$(grep -c ^dn: "$work/input.ldif")" -gt 90
for options in '-c' '-c -q' '-c -o value-check=yes'; do
	empty_site "$work/ref"
	empty_site "$work/dit"
	# shellcheck disable=SC2086 # several words
	slapadd_site "$work/ref" -v $options -l "$work/input.ldif"
	# shellcheck disable=SC2086
	ditadd_site "$work/dit" -v $options -T 2 --memory 8M -l "$work/input.ldif"
	check "every class $options: messages" same_messages "$work/ref" "$work/dit"
	check "every class $options: content" same_content --generated \
		--ignore-integerkey "$work/ref" "$work/dit"
	[ "$options" = '-c' ] && check "most are stored" test \
		"$(grep -c ^added "$work/ref/stderr")" -gt 70
done

# ---- export and import ----

make_site "$work/ref"
make_site "$work/dit"
make_site "$work/again" kinds
slapcat_site() {
	slapcat -f "$work/$1/slapd.conf" >"$work/$1/export" 2>&1
}

# round NAME LDIF: by each loader, exported, loaded by the other one, exported: all the same
round() {
	local name=$1 input=$2
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" -q -c -l "$input"
	slapcat_site ref
	ditadd_site "$work/dit" -q -l "$work/ref/export"
	slapcat_site dit
	check "$name: ours of slapadd's export" cmp "$work/ref/export" "$work/dit/export"
	empty_site "$work/ref"
	slapadd_site "$work/ref" -q -l "$work/dit/export"
	check "$name: slapadd's of our export" same_content --ignore-integerkey \
		"$work/ref" "$work/dit"
	# Other indexes: the entries are the same, and the indexes are slapadd's.
	empty_site "$work/again"
	ditadd_site "$work/again" -q --index-keys=bytes -l "$work/dit/export"
	slapcat_site again
	check "$name: with other indexes" cmp "$work/dit/export" "$work/again/export"
	mv "$work/again/db" "$work/again/ours"
	mkdir "$work/again/db"
	slapadd_site "$work/again" -q -l "$work/dit/export"
	check "$name: with other indexes, content" "$DITCHECK" --compare \
		"$work/again/db" "$work/again/ours"
	rm -rf "$work/again/ours"
}

for name in operational unicode options rdns interleaved sizes dn-values; do
	round "$name" "$DIT_TEST_DATA/ldif/$name.ldif"
done
"$DITGEN" --entries 3000 >"$work/input.ldif"
round generated "$work/input.ldif"

# ---- a server filled, changed, exported and filled again ----

for site in ref dit; do
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$site/slapd.conf"
	empty_site "$work/$site"
done
slapadd_site "$work/ref" -q -l "$DIT_TEST_DATA/ldif/operational.ldif"
ditadd_site "$work/dit" -q -l "$DIT_TEST_DATA/ldif/operational.ldif"
for ((turn = 1; turn <= 3; turn++)); do
	for site in ref dit; do
		start_slapd $site
		ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
			-f "$DIT_TEST_DATA/served/changes.ldif" >"$work/$site/modify" 2>&1
		slapcat_or_export $site | without_stamps | sort >"$work/$site/all"
	done
	check "turn $turn: results of the changes" diff "$work/ref/modify" \
		"$work/dit/modify"
	check "turn $turn: what is served" cmp "$work/ref/all" "$work/dit/all"
	stop_slapd
	# A new machine: all from the export; slapd's stamps differ from here on.
	for site in ref dit; do
		slapcat_site $site
		empty_site "$work/$site"
	done
	slapadd_site "$work/ref" -q -l "$work/ref/export"
	ditadd_site "$work/dit" -q -l "$work/dit/export"
	check "turn $turn: content" same_content --generated --ignore-integerkey \
		"$work/ref" "$work/dit"
done

finish
