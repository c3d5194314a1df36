/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of all refusals. */
#include "entry/why.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* clang-format off: rows of a table. */
static const struct dit_why_text texts[DIT_WHY_NKINDS] = {
	[DIT_WHY_NO_DN] = {"no-dn", "the record has no dn line",
                           "begin the record with \"dn: \" and its name"},
	[DIT_WHY_NOTHING] = {"nothing", "the record holds nothing but an entry number",
                             "remove the line"},
	[DIT_WHY_DN_INVALID] =
		{"dn-invalid", "\"{v}\" is no valid DN",
                 "write NAME=VALUE pairs with commas between them, with a backslash before "
                 "special characters, and values that fit their attributes"},
	[DIT_WHY_DN_TYPE] =
		{"dn-type",
                 "the DN names an attribute \"{d}\", which the schema does not define",
                 "include the schema file that defines it, or correct the name"},
	[DIT_WHY_DN_NESTED] = {"dn-nested",
                               "the DNs in the values of this DN nest too deeply",
                               "shorten the DN"},
	[DIT_WHY_DN_TWICE] = {"dn-twice", "the record has a second dn line",
                              "put a blank line before it, or remove it"},
	[DIT_WHY_DN_EMPTY] = {"dn-empty",
                              "an entry with the empty DN belongs to no database",
                              "remove the record"},
	[DIT_WHY_DN_SCOPE] =
		{"dn-scope", "\"{v}\" is not below the suffix \"{d}\"",
                 "choose the database that holds it with -b or -n, or correct the DN"},
	[DIT_WHY_CHANGE] =
		{"change", "the record changes an entry (changetype: {v})",
                 "apply it with ldapmodify; a load takes entries and \"changetype: add\""},
	[DIT_WHY_CONTROL] = {"control", "the record needs a control ({v})",
                             "apply it with ldapmodify, or remove the line"},

	[DIT_WHY_NO_COLON] =
		{"no-colon", "the line has no colon: \"{v}\"",
                 "write NAME: VALUE; if it continues the line above, begin it with a space"},
	[DIT_WHY_NUL] = {"nul", "the line holds a NUL byte",
                         "write the value in base64, with two colons after the name"},
	[DIT_WHY_NAME_EMPTY] = {"name-empty", "there is no name before the colon",
                                "write the attribute's name there, or remove the line"},
	[DIT_WHY_NAME_BYTES] = {"name-bytes",
                                "\"{a}\" cannot be the name of an attribute",
                                "use letters, digits, hyphens and dots"},
	[DIT_WHY_OPTION] = {"option", "the options of \"{a}\" are not valid: {d}",
                            "correct the part after the semicolon, or remove it"},
	[DIT_WHY_UNDEFINED] =
		{"undefined", "attribute \"{a}\" is not defined by the schema",
                 "include the schema file that defines it, or remove the line"},
	[DIT_WHY_TWO_NAMES] =
		{"two-names",
                 "attribute \"{d}\" can have one value, and comes under two names",
                 "remove one of the lines"},
	[DIT_WHY_BINARY] = {"binary", "attribute \"{a}\" is transferred in binary only",
                            "write the name as {a};binary, with the value in base64"},
	[DIT_WHY_BASE64] = {"base64",
                            "the base64 of attribute \"{a}\" is empty or damaged",
                            "export the value again, or remove the line"},
	[DIT_WHY_URL] =
		{"url", "the file of attribute \"{a}\" cannot be read",
                 "correct the path or the file's mode; see --no-urls and --special-urls"},

	[DIT_WHY_VALUE] = {"value",
                           "\"{v}\" is no valid value of attribute \"{a}\" (syntax {d})",
                           "correct the value"},
	[DIT_WHY_VALUE_NAME] =
		{"value-name",
                 "\"{v}\" in attribute \"{a}\" is not defined by the schema",
                 "include the schema file that defines it, or remove the line"},
	[DIT_WHY_VALUE_NESTED] =
		{"value-nested",
                 "the DNs or the filter in a value of attribute \"{a}\" nest too deeply",
                 "shorten the value"},
	[DIT_WHY_VALUE_TWICE] =
		{"value-twice", "attribute \"{a}\" has the value \"{v}\" more than once",
                 "remove one of the lines; case and blanks do not count where the attribute's "
                 "matching rule says so"},
	[DIT_WHY_VALUE_RULE] =
		{"value-rule",
                 "the matching rule of attribute \"{a}\" does not take \"{v}\"",
                 "correct the value"},
	[DIT_WHY_NO_VALIDATOR] =
		{"no-validator",
                 "slapd cannot check values of attribute \"{a}\" (syntax {d})",
                 "load without -o value-check=yes, or remove the line"},
	[DIT_WHY_RANGE_OPTION] = {"range-option",
                                  "\"{a}\" ends in an option that only searches use",
                                  "remove the option that ends in a hyphen"},
	[DIT_WHY_INDEX_KEY] = {"index-key", "value \"{v}\" of attribute \"{a}\": {d}",
                               "correct the value, or remove the index of the attribute"},

	[DIT_WHY_UNSUPPORTED] = {"unsupported",
                                 "slapd does not support attribute \"{a}\"",
                                 "remove the line"},
	[DIT_WHY_ROOTDSE] =
		{"root-dse",
                 "attribute \"{a}\" belongs to the root DSE, which slapd makes itself",
                 "remove the line"},
	[DIT_WHY_DYNAMIC] =
		{"dynamic",
                 "attribute \"{a}\" needs the overlay dds, which this database does not have",
                 "configure the overlay, or remove the line"},
	[DIT_WHY_PLACE] =
		{"place",
                 "attribute \"{a}\" is allowed only where the object class says so ({d})",
                 "add the object class, or remove the line"},
	[DIT_WHY_COLLECTIVE] =
		{"collective",
                 "attribute \"{a}\" is collective and belongs to subentries",
                 "use the attribute of the same name without \"c-\", or remove the line"},
	[DIT_WHY_SINGLE] = {"single", "attribute \"{a}\" can have one value only",
                            "remove the other lines of it"},
	[DIT_WHY_NOT_ALLOWED] =
		{"not-allowed", "no object class of the entry allows attribute \"{a}\"",
                 "add an object class that allows it, or remove the line"},

	[DIT_WHY_NO_CLASS] = {"no-class", "the entry has no object class",
                              "add objectClass lines; an entry needs a structural one"},
	[DIT_WHY_CLASS_UNDEFINED] =
		{"class-undefined", "object class \"{v}\" is not defined by the schema",
                 "include the schema file that defines it, or remove the line"},
	[DIT_WHY_CLASS_CHAIN] =
		{"class-chain",
                 "the structural classes {a} and {v} do not belong to one chain",
                 "keep one of them; an entry is one kind of thing"},
	[DIT_WHY_CLASS_NONE] =
		{"class-none", "none of the object classes is structural",
                 "add a structural one, such as person, organizationalUnit or domain"},
	[DIT_WHY_CLASS_OBSOLETE] = {"class-obsolete", "object class \"{v}\" is obsolete",
                                    "use the class that follows it, or remove the line"},
	[DIT_WHY_CLASS_ABSTRACT] =
		{"class-abstract",
                 "object class \"{v}\" is abstract, and no class below it is there",
                 "add a class that is derived from it, or remove the line"},
	[DIT_WHY_CLASS_ROOTDSE] =
		{"class-root-dse",
                 "object class \"{v}\" belongs to the root DSE, which slapd makes itself",
                 "remove the line"},
	[DIT_WHY_CLASS_SUBENTRY] = {"class-subentry",
                                    "object class \"{v}\" is allowed in subentries only",
                                    "add \"objectClass: subentry\", or remove the line"},
	[DIT_WHY_CLASS_DYNAMIC] =
		{"class-dynamic",
                 "object class \"{v}\" needs the overlay dds, which this database does not have",
                 "configure the overlay, or remove the line"},
	[DIT_WHY_CLASS_REQUIRES] =
		{"class-requires",
                 "object class \"{v}\" requires attribute \"{d}\", which the entry does not have",
                 "add a line with it, or remove the class"},
	[DIT_WHY_OWN_UNDEFINED] =
		{"own-undefined",
                 "structuralObjectClass \"{v}\" is not defined by the schema",
                 "remove the line; it is made again"},
	[DIT_WHY_OWN_KIND] = {"own-kind",
                              "structuralObjectClass \"{v}\" is not structural",
                              "remove the line; it is made again"},
	[DIT_WHY_OWN_OBSOLETE] = {"own-obsolete",
                                  "the structural class \"{v}\" is obsolete",
                                  "use the class that follows it"},
	[DIT_WHY_OWN_OTHER] =
		{"own-other",
                 "structuralObjectClass is \"{v}\", but the object classes make \"{d}\"",
                 "remove the line; it is made again"},
	[DIT_WHY_RULE_OBSOLETE] =
		{"rule-obsolete", "the content rule \"{d}\" is obsolete",
                 "remove the rule from the schema, or use another structural class"},
	[DIT_WHY_RULE_REQUIRES] =
		{"rule-requires",
                 "the content rule of the structural class requires attribute \"{d}\"",
                 "add a line with it"},
	[DIT_WHY_RULE_PRECLUDES] =
		{"rule-precludes",
                 "the content rule of the structural class precludes attribute \"{a}\"",
                 "remove the line"},
	[DIT_WHY_RULE_CLASS] =
		{"rule-class",
                 "the content rule \"{d}\" does not allow object class \"{v}\"",
                 "remove the line, or change the rule"},

	[DIT_WHY_NAMING_OPERATIONAL] =
		{"naming-operational",
                 "attribute \"{d}\" is operational and cannot name an entry",
                 "use another attribute in the RDN"},
	[DIT_WHY_NAMING_COLLECTIVE] =
		{"naming-collective",
                 "attribute \"{d}\" is collective and cannot name an entry",
                 "use another attribute in the RDN"},
	[DIT_WHY_NAMING_OBSOLETE] =
		{"naming-obsolete",
                 "attribute \"{d}\" is obsolete and cannot name an entry",
                 "use another attribute in the RDN"},
	[DIT_WHY_NAMING_RULE] =
		{"naming-rule",
                 "attribute \"{d}\" has no equality matching rule and cannot name an entry",
                 "use another attribute in the RDN"},
	[DIT_WHY_NAMING_VALUE] =
		{"naming-value",
                 "attribute \"{d}\" can have one value, and the entry's differs from the DN's",
                 "make them the same"},

	[DIT_WHY_EXISTS] = {"exists", "there is an entry \"{v}\" already",
                            "remove one of the two; -c leaves out the later one"},
	[DIT_WHY_STORED] =
		{"stored", "the database has an entry \"{v}\" already ({d})",
                 "move data.mdb away before the load; -c leaves out the entries that are there"},
	[DIT_WHY_RDN_SIZE] = {"rdn-size",
                              "the RDN of \"{v}\" is too long for the database",
                              "shorten the first component of the DN"},
	[DIT_WHY_ENTRY_SIZE] =
		{"entry-size", "the entry is larger than maxentrysize ({d} bytes)",
                 "raise maxentrysize in the configuration, or remove values"},
	[DIT_WHY_SPLIT_SIZE] =
		{"split-size",
                 "a value of the entry is too long to be stored apart (multival)",
                 "shorten the value, or configure multival otherwise"},
	[DIT_WHY_FOREIGN] = {"foreign", "\"{v}\" belongs to a database of type {d}",
                             "load it with that database's own tool, or give -g"},
	[DIT_WHY_NOT_STORABLE] =
		{"not-storable",
                 "attribute \"{a}\" is not defined by the schema, and cannot be stored with -s either",
                 "include the schema file that defines it, or remove the line"},
};
/* clang-format on */

const struct dit_why_text *dit_why_text(enum dit_why_kind kind)
{
	assert(kind > DIT_WHY_NONE && kind < DIT_WHY_NKINDS);
	return &texts[kind];
}

static struct dit_span until_nul(struct dit_span text)
{
	return text.data == NULL
	               ? DIT_SPAN("")
	               : (struct dit_span){text.data, strnlen(text.data, text.len)};
}

/* Copy @p text with the parts of its letters; if @p to is NULL, count. @return bytes */
static size_t fill_in(const char *text, const struct dit_span parts[4], char *to)
{
	static const char letters[] = "avdn";
	size_t len = 0;

	while (*text != '\0') {
		const char *letter = text[0] == '{' && text[1] != '\0' && text[2] == '}'
		                             ? strchr(letters, text[1])
		                             : NULL;
		struct dit_span part = letter != NULL ? parts[letter - letters]
		                                      : (struct dit_span){text, 1};

		if (to != NULL) {
			memcpy(to + len, part.data, part.len);
		}
		len += part.len;
		text += letter != NULL ? 3 : 1;
	}
	return len;
}

char *dit_why_fill(const struct dit_why *why, const char *text, struct dit_arena *arena)
{
	char number[sizeof("4294967295")];
	bool is_named = why->name.data != NULL || why->ad == NULL;
	const struct dit_span parts[] = {
		until_nul(is_named ? why->name : why->ad->name),
		until_nul(why->value),
		until_nul(why->detail),
		{number, (size_t)snprintf(number, sizeof(number), "%u", why->number)},
	};
	size_t len = fill_in(text, parts, NULL);
	char *ret = dit_arena_bytes(arena, len + 1);

	if (ret != NULL) {
		(void)fill_in(text, parts, ret);
		ret[len] = '\0';
	}
	return ret;
}

void dit_why_set(struct dit_notes *notes, struct dit_why why)
{
	struct dit_why *copy = dit_arena_alloc(notes->arena, sizeof(*copy));

	if (copy != NULL) {
		*copy = why;
		notes->why = copy;
	}
}
