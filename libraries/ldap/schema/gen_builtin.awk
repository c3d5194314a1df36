# SPDX-License-Identifier: BSD-2-Clause
#
# builtin-schema.tsv -> builtin_schema.c: the hard-coded schema as tables of schema_private.h.
#
#	awk -f gen_builtin.awk builtin-schema.tsv > builtin_schema.c
#
# One line of the input is one element; it stands after those that it names. A word that no
# table below knows ends the run with a message and status 1, so that a misspelt flag breaks
# the build and not the data.
# Columns: 1 kind, 2 source, 3 OID, 4 names, 5 superior, 6 equality, 7 ordering, 8 substr,
# 9 syntax, 10 usage, 11 flags, 12 class kind, 13 must, 14 may, 15 validator or
# normaliser, 16 indexer, 17 note, 18 releases of OpenLDAP that have the
# element: "from 2.6", "to 2.5". "-" is empty. An element that a release changes has a line
# for each form.
#
# A module whose element is defined before is refused, but for: elements of the configuration,
# those of the monitor, and what has the flag "again", if the definition before has the same OID
# and names; what has the flag "unless-named", if another element has the name.

BEGIN {
	FS = "\t"
	RFC_SYNTAX = "1.3.6.1.4.1.1466.115.121.1."
	CONFIG_OID = "^1\\.3\\.6\\.1\\.4\\.1\\.4203\\.1\\.12\\.2\\."

	split("none NONE any ANY utf8 UTF8 utf8-nonempty UTF8_NONEMPTY ia5 IA5 " \
	      "printable PRINTABLE printables PRINTABLES country COUNTRY " \
	      "numeric NUMERIC integer INTEGER boolean BOOLEAN bitString BIT_STRING " \
	      "numericoid NUMERICOID generalizedTime GENERALIZED_TIME " \
	      "postalAddress POSTAL_ADDRESS deliveryMethod DELIVERY_METHOD " \
	      "nisNetgroupTriple NIS_NETGROUP bootParameter BOOT_PARAMETER uuid UUID " \
	      "sequence SEQUENCE certificate CERTIFICATE " \
	      "certificateList CERTIFICATE_LIST " \
	      "attributeCertificate ATTRIBUTE_CERTIFICATE privateKey PRIVATE_KEY " \
	      "csn CSN sid SID dn DN nameUID NAME_UID rdn RDN authz AUTHZ aci ACI " \
	      "certExactAssertion CERT_EXACT_ASSERTION " \
	      "certListExactAssertion CERTLIST_EXACT_ASSERTION " \
	      "attrCertExactAssertion ATTRCERT_EXACT_ASSERTION " \
	      "reject-all REJECT_ALL loggedControl LOGGED_CONTROL", words, " ")
	table(validator, "DIT_VALID_")

	split("none NONE utf8-fold UTF8_FOLD utf8-exact UTF8_EXACT ia5-fold IA5_FOLD " \
	      "ia5-exact IA5_EXACT numeric NUMERIC telephone TELEPHONE " \
	      "postal-list POSTAL_LIST generalizedTime GENERALIZED_TIME uuid16 UUID16 " \
	      "first-component-integer FIRST_COMPONENT_INTEGER " \
	      "first-component-oid FIRST_COMPONENT_OID csn CSN csn-sid CSN_SID dn DN " \
	      "rdn RDN nameUID NAME_UID authz AUTHZ cert-exact CERT_EXACT " \
	      "certlist-exact CERTLIST_EXACT attrcert-exact ATTRCERT_EXACT " \
	      "aci ACI utcTime UTC_TIME type-oid TYPE_OID", words, " ")
	table(normalizer, "DIT_NORM_")

	split("none NONE hash HASH substr SUBSTR integer-key INTEGER time-key TIME " \
	      "nameUID-hash NAME_UID metaphone METAPHONE", words, " ")
	table(indexer, "DIT_INDEXER_")

	split("eq EQUALITY approx EQUALITY ordering ORDERING substr SUBSTR ext EXTENDED",
	      words, " ")
	table(rule_usage, "DIT_RULE_")

	split("userApplications USER directoryOperation DIRECTORY " \
	      "distributedOperation DISTRIBUTED dSAOperation DSA", words, " ")
	table(type_usage, "DIT_USAGE_")

	# "0": known, but without an effect on stored data.
	split("single TYPE_SINGLE collective TYPE_COLLECTIVE " \
	      "no-user-mod TYPE_NO_USER_MOD obsolete TYPE_OBSOLETE " \
	      "x-ordered-values TYPE_ORDERED_VALUES " \
	      "x-ordered-siblings TYPE_ORDERED_SIBLINGS " \
	      "rootDSE-only TYPE_ROOTDSE_ONLY alias-only TYPE_ALIAS_ONLY " \
	      "referral-only TYPE_REFERRAL_ONLY subentry-only TYPE_SUBENTRY_ONLY " \
	      "dynamic-only TYPE_DYNAMIC_ONLY " \
	      "administrativeRole-check TYPE_ADMIN_ROLE " \
	      "dynamic TYPE_DYNAMIC manageable 0 final 0 abstract 0 again 0 unless-named 0",
	      words, " ")
	table(type_flag, "DIT_")

	split("binary SYNTAX_BINARY ber SYNTAX_OPAQUE " \
	      "blob SYNTAX_OPAQUE dn 0", words, " ")
	table(syntax_flag, "DIT_")

	split("alias OC_ALIAS referral OC_REFERRAL subentry OC_SUBENTRY " \
	      "dynamicObject OC_DYNAMIC glue OC_GLUE " \
	      "sync-provider OC_SYNC_PROVIDER sync-consumer OC_SYNC_CONSUMER " \
	      "operational OC_OPERATIONAL hidden OC_HIDDEN obsolete 0 " \
	      "rootDSE-only 0 alias-check 0 referral-check 0 subentry-check 0 " \
	      "dynamic-check 0", words, " ")
	table(class_flag, "DIT_")

	split("rootDSE-only ROOTDSE alias-check ALIAS referral-check REFERRAL " \
	      "subentry-check SUBENTRY dynamic-check DYNAMIC", words, " ")
	table(class_check, "DIT_CLASS_CHECK_")

	split("ABSTRACT ABSTRACT STRUCTURAL STRUCTURAL AUXILIARY AUXILIARY", words, " ")
	table(class_kind, "DIT_CLASS_")

	split("2.5 2_5 2.6 2_6 2.7 2_7", words, " ")
	table(release, "DIT_OPENLDAP_")

	print "/* Made by gen_builtin.awk from builtin-schema.tsv; edit those. */"
	print "#include \"schema/schema_private.h\"\n"
	print "#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})"
}

# Fill a table from pairs in words[]; "0" stays "0".
function table(map, prefix, i)
{
	for (i = 1; i in words; i += 2) {
		map[words[i]] = words[i + 1] == "0" ? "0" : prefix words[i + 1]
		delete words[i]
		delete words[i + 1]
	}
}

function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}

# The C name of a word; marks like "(not enforced)" after it do not count.
function word(map, key)
{
	sub(/[ (].*/, "", key)
	if (!(key in map)) {
		fail("unknown word \"" key "\"")
	}
	return map[key]
}

function flags(map, list, parts, n, i, out)
{
	out = ""
	n = list == "-" ? 0 : split(list, parts, ",")
	for (i = 1; i <= n; i++) {
		if (word(map, parts[i]) != "0") {
			out = out (out == "" ? "" : " | ") word(map, parts[i])
		}
	}
	return out == "" ? "0" : out
}

function string(text)
{
	return text == "-" || text == "" ? "NULL" : "\"" text "\""
}

function strings(list)
{
	if (list == "-" || list == "") {
		return "NULL"
	}
	gsub(/,/, "\", \"", list)
	return "LIST(\"" list "\")"
}

# The list after "key" in the note, up to ";".
function note(key, at, rest)
{
	at = index($17, key)
	if (at == 0) {
		return "-"
	}
	rest = substr($17, at + length(key))
	sub(/;.*/, "", rest)
	return rest
}

# "15,26" -> full OIDs of RFC 4517.
function rfc_syntaxes(list)
{
	if (list == "-") {
		return list
	}
	gsub(/,/, "," RFC_SYNTAX, list)
	return RFC_SYNTAX list
}

# The kinds are mixed in the input (a module brings types and classes), so each table is
# collected in text[kind] and printed at the end.
function begin_element(kind)
{
	# "core (only when ...)": what Debian's build has in any case.
	source = $2
	sub(/ .*/, "", source)
	open_kind = kind
	text[kind] = text[kind] "\t{\n"
	field("origin.is_built_in", "true")
	if (source ~ /^module:/) {
		field("origin.module", string(substr(source, length("module:") + 1)))
	}
	field("origin.releases", releases($18), "{0}")
	if ($11 ~ /unless-named/) {
		field("origin.again", "DIT_AGAIN_BY_NAME")
	} else if ($11 ~ /again/ || $3 ~ CONFIG_OID || source ~ /^module:monitor_/) {
		field("origin.again", "DIT_AGAIN_ALIKE")
	}
	field("oid", string($3))
}

# "from 2.6" -> "{.first = DIT_OPENLDAP_2_6}"
function releases(text, parts)
{
	if (text == "-") {
		return "{0}"
	}
	split(text, parts, " ")
	if (parts[1] != "from" && parts[1] != "to") {
		fail("releases are \"from N\" or \"to N\", not \"" text "\"")
	}
	return "{." (parts[1] == "from" ? "first" : "last") " = " \
		word(release, parts[2]) "}"
}

function end_element()
{
	text[open_kind] = text[open_kind] "\t},\n"
}

function field(name, value, none)
{
	if (value != none) {
		text[open_kind] = text[open_kind] "\t\t." name " = " value ",\n"
	}
}

FNR == 1 {
	next
}

NF != 18 {
	fail("expected 18 columns, got " NF)
}

$1 == "oidmacro" {
	begin_element("macro")
	field("name", string($4))
	end_element()
	next
}

$1 == "syntax" {
	begin_element("syntax")
	field("validator", word(validator, $15))
	field("flags", flags(syntax_flag, $11), "0")
	field("superiors", strings(rfc_syntaxes(note("substitutable for "))), "NULL")
	field("joins", string(note("appended to compat list of ")), "NULL")
	end_element()
	next
}

$1 == "matchingrule" {
	begin_element("rule")
	field("names", strings($4))
	field("syntax", string($9))
	field("compatible", strings(note("compat=")), "NULL")
	field("approx", string(note("approx=")), "NULL")
	field("usage", word(rule_usage, $10))
	field("is_extensible", $11 ~ /extensible/ ? "true" : "false")
	field("is_unsupported", $11 ~ /unsupported/ ? "true" : "false")
	field("normalizer", word(normalizer, $15))
	field("indexer", word(indexer, $16))
	end_element()
	next
}

$1 == "attributetype" {
	sub(/\{.*/, "", $9) # the length is never enforced
	begin_element("type")
	field("names", strings($4))
	field("sup", string($5), "NULL")
	field("equality", string($6), "NULL")
	field("ordering", string($7), "NULL")
	field("substr", string($8), "NULL")
	field("syntax", string($9), "NULL")
	field("usage", word(type_usage, $10))
	field("flags", flags(type_flag, $11), "0")
	if ($17 ~ /prettied to class/) {
		field("validator", "DIT_VALID_CLASS_NAME")
	} else if ($17 ~ /oid-or-descriptor/) {
		field("validator", "DIT_VALID_OID_OR_DESCRIPTOR")
	} else if ($17 ~ /not valid in a DN/) {
		field("validator", "DIT_VALID_REJECT_ALL")
	}
	if ($15 != "-") {
		field("normalizer", word(normalizer, $15))
	}
	end_element()
	next
}

$1 == "objectclass" {
	begin_element("class")
	field("names", strings($4))
	field("sups", strings($5), "NULL")
	field("kind", word(class_kind, $12))
	field("must", strings($13), "NULL")
	field("may", strings($14), "NULL")
	field("oc_flags", "DIT_OC_BUILTIN | " flags(class_flag, $11))
	n = split($11, parts, ",")
	for (i = 1; i <= n; i++) {
		if (parts[i] in class_check) {
			field("check", class_check[parts[i]])
		}
	}
	if ($11 ~ /obsolete/) {
		field("is_obsolete", "true")
	}
	end_element()
	next
}

{
	fail("unknown kind \"" $1 "\"")
}

END {
	if (failed) {
		exit 1
	}
	split("macro macros syntax syntaxes rule rules type types class classes", words, " ")
	for (i = 1; i in words; i += 2) {
		printf "\nstatic const struct dit_%s_def %s_table[] = {\n", words[i], words[i]
		printf "%s};\n", text[words[i]]
	}
	print "\n#define COUNT(table) (sizeof(table) / sizeof((table)[0]))\n"
	print "#define DEFS(table) {table, COUNT(table), sizeof((table)[0])}\n"
	print "const struct dit_builtin_defs dit_builtin_schema[DIT_BUILTIN_KINDS] = {"
	for (i = 1; i in words; i += 2) {
		printf "\t[DIT_BUILTIN_%s] = DEFS(%s_table),\n", toupper(words[i + 1]), words[i]
	}
	print "};"
}
