#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations: slapadd and ditadd take the same ones, and refuse the others in
# the same words. 150 of them, or as many as the first argument says; the second is the
# seed. DIT_LONG=yes: thousands.
. "${0%/*}/lib.sh"

count=${1:-$([ "${DIT_LONG:-no}" = yes ] && echo 5000 || echo 150)}
seed=${2:-$RANDOM}

# snippets N SEED: N configurations, one to a line, "\n" for a new line
snippets() {
	awk -v n="$1" -v seed="$2" '
	function pick(list,   items, k) {
		k = split(list, items, "|")
		return items[1 + int(rand() * k)]
	}
	function number() {
		return pick("0|1|2|3|4|5|8|10|16|17|30|31|255|256|4095|4096|010|0x10|-1|" \
			"4294967295|4294967296|99999999999999999999|1x|x|\"\"|+5|1.5")
	}
	function flag() { return pick("on|off|TRUE|no|yes|false|maybe|1|\"\"") }
	function attr() {
		return pick("cn|CN|commonName|2.5.4.3|sn|uid|member|seeAlso|entryDN|" \
			"uidNumber|telephoneNumber|userCertificate|objectClass|" \
			"userCertificate;binary|cn;lang-de|cn;LANG-DE|cn;x-no|nope|" \
			"entryUUID|entryCSN|jpegPhoto|mail|dc|homePostalAddress|" \
			"facsimileTelephoneNumber|createTimestamp|default|Default")
	}
	function attrs(   s, k) {
		s = attr()
		for (k = int(rand() * 3); k > 0; k--)
			s = s "," (rand() < 0.1 ? "" : attr())
		return s
	}
	function kinds(   s, k) {
		s = kind()
		for (k = int(rand() * 3); k > 0; k--)
			s = s "," (rand() < 0.1 ? "" : kind())
		return s
	}
	function kind() {
		return pick("pres|eq|sub|approx|PRES|Eq|substr|subinitial|subany|" \
			"subfinal|nolang|nosubtypes|notags|none|presx|eq")
	}
	function dn() {
		return pick("dc=x|\"dc=y\"|\"ou=a, dc=x\"|\"cn=A+sn=B,dc=x\"|\"\"|foo|" \
			"nope=x|\"dc=a,,dc=b\"|\"cn=\\2c,dc=z\"|2.5.4.3=v|\"dc=x,\"|" \
			"\"dc=\\\"q\\\"\"|dc=example,dc=com|cn=config|cn=monitor")
	}
	function option() {
		return pick("lang-|x-|x|a_b|9x|binary|range=|x-a|X-A|é|a-b-|-")
	}
	function definition(   name) {
		name = pick("d1|d2|d3|cn|2d|d-4")
		return pick("attributetype|attributetypes|objectclass|ditcontentrule|" \
			"ldapsyntax") " ( " pick("1.2.3.1|1.2.3.2|m:1|2.5.4.3|2.5.6.6|x") \
			pick("| NAME \x27" name "\x27| NAME ( \x27" name "\x27 \x27e1\x27 )") \
			pick("| SUP name| SUP top| SUP nope| DESC \x27d\x27| OBSOLETE") \
			pick("| SYNTAX 1.3.6.1.4.1.1466.115.121.1.15| SYNTAX 1.2.3|" \
				" EQUALITY caseIgnoreMatch| MUST cn| MAY ( cn $ sn )|" \
				" AUX pkiUser| STRUCTURAL| AUXILIARY| SINGLE-VALUE") \
			pick(" )| )| )| )|")
	}
	function global(   r) {
		r = int(rand() * 16)
		if (r == 0) return "index_substr_if_minlen " number()
		if (r == 1) return "index_substr_if_maxlen " number()
		if (r == 2) return "index_substr_any_len " number()
		if (r == 3) return "index_substr_any_step " number()
		if (r == 4) return "index_intlen " number()
		if (r == 5) return "index_hash64 " flag()
		if (r == 6) return "tool-threads " number()
		if (r == 7) return "serverID " number() pick("|| ldap://a| ldaps://b| x")
		if (r == 8) return "sortvals " attr() pick("| " attr())
		if (r == 9) return "attributeoptions" pick("| " option()) pick("| " option())
		if (r == 10) return "objectidentifier " pick("m|n|2x") " " \
			pick("1.2.3|m:4|n:1|nope|1.2.x")
		if (r == 11) return "moduleload " pick("syncprov|ppolicy|back_ldap|" \
			"nosuch|back_mdb|memberof|dds|accesslog.la")
		if (r == 12) return "include " pick("nowhere|/etc|a b") pick("|")
		if (r == 13) return "bogus" number()
		if (r == 14) return pick("suffix " dn() "|database nope|backend nope|" \
			"access \"open|index cn eq|database config|database monitor")
		return definition()
	}
	function local(   r) {
		r = int(rand() * 22)
		if (r < 5) return "index " attrs() pick("| " kinds() "| " kinds() "| " kinds())
		if (r < 7) return "multival " attrs() " " number() pick(",|,|,| ,|") number()
		if (r == 7) return "maxsize " number()
		if (r == 8) return "maxreaders " number()
		if (r == 9) return "maxentrysize " number()
		if (r == 10) return "mode " pick("0600|640|-rw-r-----|rw|-rwz------|0x1ff|9|0600x|x")
		if (r == 11) return "envflags " pick("nosync|writemap|MAPASYNC|bogus|nordahead") \
			pick("| nometasync| x")
		if (r == 12) return "checkpoint " number() pick("| " number())
		if (r == 13) return "dbnosync" pick("| " flag())
		if (r == 14) return "searchstack " number()
		if (r == 15) return "rtxnsize " number()
		if (r == 16) return pick("lastmod|hidden|disabled|sync_use_subentry") " " flag()
		if (r == 17) return "rootdn " dn()
		if (r == 18) return "directory " pick("/nonexistent|/etc/passwd|@DB@/.|\"\"")
		if (r == 19) return "bogus" number()
		if (r == 20) return "overlay " pick("nosuch|x y")
		return global()
	}
	function backend() { return pick("|||backend mdb\\nidlexp " number() "|backend mdb") }
	BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			text = "include @SCHEMA@/core.schema\\n" \
				"include @SCHEMA@/cosine.schema\\ninclude @SCHEMA@/nis.schema\\n" \
				"modulepath " ENVIRON["DIT_MODULE_PATH"] "\\nmoduleload back_mdb\\n"
			for (k = int(rand() * 3); k > 0; k--)
				text = text spoil(global()) "\\n"
			text = text backend() "\\ndatabase mdb\\nsuffix " \
				(rand() < 0.9 ? "dc=x" : dn()) "\\ndirectory @DB@\\n"
			for (k = int(rand() * 4); k > 0; k--)
				text = text spoil(local()) "\\n"
			if (rand() < 0.2)
				text = text "database mdb\\nsuffix " dn() \
					"\\ndirectory @DB@-other\\n" spoil(local()) "\\n"
			print text
		}
	}
	# Lexical variants of one directive.
	function spoil(line,   r, at) {
		r = rand()
		# Arguments of modules and access rules are not looked at here.
		if (r < 0.88 || line ~ /^(moduleload|access)/) return line
		at = index(line, " ")
		if (at == 0) return line
		if (r < 0.90) return substr(line, 1, at) "\t\"" substr(line, at + 1)
		if (r < 0.92) return toupper(substr(line, 1, at)) substr(line, at + 1)
		if (r < 0.94) return substr(line, 1, at - 1) "\\n\t" substr(line, at + 1)
		if (r < 0.95) return substr(line, 1, at) "\\\\\\n" substr(line, at + 1)
		if (r < 0.97) return line " extra"
		if (r < 0.98) return "# " line "\\n " line
		return substr(line, 1, at - 1)
	}'
}

# one_snippet TEXT: both on the same configuration, without a database
one_snippet() {
	local text neutral=$neutral$no_grammar
	printf -v text '%b' "$1"
	fill_in_both <<<"$text"
	slapadd_site "$work/ref" -u -l /dev/null
	ditadd_site "$work/dit" -u -l /dev/null
	if [ "$(<"$work/ref/exit")" -gt 1 ]; then
		ndied=$((ndied + 1))
		check "seed $seed, $1: taken or refused" grep -q '^[01]$' "$work/dit/exit"
		return
	fi
	naccepted=$((naccepted + 1 - $(<"$work/ref/exit")))
	check "seed $seed, $1" same_messages "$work/ref" "$work/dit"
}

ndied=0
naccepted=0
make_site "$work/ref"
make_site "$work/dit"
while read -r text; do
	one_snippet "$text"
done < <(snippets "$count" "$seed")
echo "$naccepted of $count accepted, slapadd died of $ndied"
check "some were accepted, some refused" \
	[ "$naccepted" -gt 0 -a "$naccepted" -lt "$count" ]

finish
