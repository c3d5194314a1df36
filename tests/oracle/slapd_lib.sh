# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts that start slapd, after lib.sh: servers, one for each site, on
# sockets in their sites, and searches of many kinds.

for tool in slapd slapindex ldapsearch ldapmodify; do
	if ! command -v $tool >/dev/null; then
		skip "$tool is not installed (Debian: slapd, ldap-utils)"
	fi
done

base=dc=example,dc=com
declare -A url pid

stop_slapd() {
	local site
	for site in "${!pid[@]}"; do
		kill "${pid[$site]}" 2>/dev/null
		wait "${pid[$site]}" 2>/dev/null
	done
	pid=()
}
atexit+=(stop_slapd)

# start_slapd SITE: sets url and pid, returns when slapd answers
start_slapd() {
	local path=$work/$1/slapd.socket try
	url[$1]=ldapi://${path//\//%2F}
	LD_PRELOAD=${NOSYNC:-} slapd -d 0 -h "${url[$1]}" -f "$work/$1/slapd.conf" 2>"$work/$1/slapd.err" &
	pid[$1]=$!
	for ((try = 0; try < 12000; try++)); do
		if [ -S "$path" ] && ldapsearch -x -H "${url[$1]}" -s base -b '' 1.1 >/dev/null 2>&1; then
			return
		fi
		kill -0 "${pid[$1]}" 2>/dev/null || break
		pause 0.05
	done
	cat "$work/$1/slapd.err" >&2
	echo "slapd does not start" >&2
	exit 1
}

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

# slapcat_or_export SITE: everything the server shows
slapcat_or_export() {
	ldapsearch -x -LLL -o ldif-wrap=no -H "${url[$1]}" -b $base '*' '+'
}

# without_stamps: values that each server makes up when something is changed
without_stamps() {
	sed 's/^\(entryUUID\|entryCSN\|createTimestamp\|modifyTimestamp\): .*/\1/'
}
