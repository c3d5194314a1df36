/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes that entries are made of, and how their names can be written. */
#include "random.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct attribute common[] = {
	{{"cn", "commonName", "2.5.4.3"},              KIND_DIRECTORY, false, true,  true},
	{{"sn", "surname", "2.5.4.4"},                 KIND_DIRECTORY, false, true,  true},
	{{"ou", "organizationalUnitName", "2.5.4.11"}, KIND_DIRECTORY, false, true,  true},
	{{"o", "organizationName", "2.5.4.10"},        KIND_DIRECTORY, false, true,  true},
	{{"l", "localityName", "2.5.4.7"},             KIND_DIRECTORY, false, true,  true},
	{{"uid", "userid", "0.9.2342.19200300.100.1.1"}, KIND_DIRECTORY, false, true, true},
	{{"description", "2.5.4.13", NULL},            KIND_DIRECTORY, false, true,  true},
	{{"title", "2.5.4.12", NULL},                  KIND_DIRECTORY, false, true,  true},
	{{"st", "stateOrProvinceName", NULL},          KIND_DIRECTORY, false, true,  true},
	{{"givenName", "gn", "2.5.4.42"},              KIND_DIRECTORY, false, true,  true},
	{{"street", "streetAddress", NULL},            KIND_DIRECTORY, false, true,  false},
	{{"postalCode", NULL, NULL},                   KIND_DIRECTORY, false, true,  false},
	{{"displayName", NULL, NULL},                  KIND_DIRECTORY, true,  true,  false},
	{{"employeeNumber", NULL, NULL},               KIND_DIRECTORY, true,  true,  true},
	{{"preferredLanguage", NULL, NULL},            KIND_DIRECTORY, true,  true,  false},
	{{"businessCategory", "2.5.4.15", NULL},       KIND_DIRECTORY, false, true,  false},
	{{"labeledURI", NULL, NULL},                   KIND_EXACT,     false, false, true},
	{{"mail", "rfc822Mailbox", NULL},              KIND_IA5,       false, true,  true},
	{{"dc", "domainComponent", NULL},              KIND_IA5,       true,  true,  true},
	{{"gecos", NULL, NULL},                        KIND_IA5,       true,  true,  false},
	{{"homeDirectory", NULL, NULL},                KIND_IA5_EXACT, true,  false, false},
	{{"memberUid", NULL, NULL},                    KIND_IA5_EXACT, false, true,  true},
	{{"uidNumber", "1.3.6.1.1.1.1.0", NULL},       KIND_INTEGER,   true,  false, true},
	{{"gidNumber", NULL, NULL},                    KIND_INTEGER,   true,  false, true},
	{{"shadowMax", NULL, NULL},                    KIND_INTEGER,   true,  false, false},
	{{"x121Address", NULL, NULL},                  KIND_NUMERIC,   false, true,  true},
	{{"internationaliSDNNumber", NULL, NULL},      KIND_NUMERIC,   false, true,  false},
	{{"telephoneNumber", "2.5.4.20", NULL},        KIND_PHONE,     false, true,  true},
	{{"mobile", "mobileTelephoneNumber", NULL},    KIND_PHONE,     false, true,  false},
	{{"postalAddress", NULL, NULL},                KIND_LIST,      false, true,  false},
	{{"member", "2.5.4.31", NULL},                 KIND_DN,        false, false, true},
	{{"owner", NULL, NULL},                        KIND_DN,        false, false, false},
	{{"seeAlso", NULL, NULL},                      KIND_DN,        false, false, false},
	{{"manager", NULL, NULL},                      KIND_DN,        false, false, false},
	{{"uniqueMember", NULL, NULL},                 KIND_NAME_UID,  false, false, false},
	{{"userPassword", "2.5.4.35", NULL},           KIND_OCTETS,    false, false, false},
	{{"jpegPhoto", NULL, NULL},                    KIND_BLOB,      false, false, false},
	{{"audio", NULL, NULL},                        KIND_BLOB,      false, false, false},
	{{"c", "countryName", "2.5.4.6"},              KIND_COUNTRY,   true,  false, true},
	{{"createTimestamp", NULL, NULL},              KIND_TIME,      true,  false, false},
	{{"modifyTimestamp", NULL, NULL},              KIND_TIME,      true,  false, false},
	{{"entryCSN", NULL, NULL},                     KIND_CSN,       true,  false, false},
	{{"entryUUID", NULL, NULL},                    KIND_UUID,      true,  false, false},
	{{"creatorsName", NULL, NULL},                 KIND_DN,        true,  false, false},
};

/* The syntaxes of the run's own attributes. Syntaxes below 1.3.6.1.4.1.1466.115.121.1. */
static const struct own_kind {
	enum kind kind;
	const char *equality;
	const char *substr; /* or NULL */
	const char *syntax;
} own_kinds[] = {
	{KIND_DIRECTORY, "caseIgnoreMatch", "caseIgnoreSubstringsMatch", "15"},
	{KIND_DIRECTORY, "caseIgnoreMatch", NULL, "44"},
	{KIND_EXACT, "caseExactMatch", "caseExactSubstringsMatch", "15"},
	{KIND_IA5, "caseIgnoreIA5Match", "caseIgnoreIA5SubstringsMatch", "26"},
	{KIND_IA5_EXACT, "caseExactIA5Match", "caseExactIA5SubstringsMatch", "26"},
	{KIND_INTEGER, "integerMatch", NULL, "27"},
	{KIND_NUMERIC, "numericStringMatch", "numericStringSubstringsMatch", "36"},
	{KIND_PHONE, "telephoneNumberMatch", "telephoneNumberSubstringsMatch", "50"},
	{KIND_LIST, "caseIgnoreListMatch", "caseIgnoreListSubstringsMatch", "41"},
	{KIND_DN, "distinguishedNameMatch", NULL, "12"},
	{KIND_NAME_UID, "uniqueMemberMatch", NULL, "34"},
	{KIND_OCTETS, "octetStringMatch", "octetStringSubstringsMatch", "40"},
	{KIND_TIME, "generalizedTimeMatch", NULL, "24"},
	{KIND_BOOLEAN, "booleanMatch", NULL, "7"},
	{KIND_BITS, "bitStringMatch", NULL, "6"},
	{KIND_OID, "objectIdentifierMatch", NULL, "38"},
};
/* clang-format on */

/* Own attribute I is of own_kinds[...]; the choice is kept in its kind and has_sub. */
static const struct own_kind *find_own_kind(const struct attribute *attribute)
{
	for (unsigned i = 0; i < COUNT(own_kinds); i++) {
		if (own_kinds[i].kind == attribute->kind &&
		    (own_kinds[i].substr != NULL) == attribute->has_sub) {
			return &own_kinds[i];
		}
	}
	return NULL;
}

void attributes_init(struct attributes *attributes, struct rng *rng)
{
	*attributes = (struct attributes){.n = COUNT(common)};
	memcpy(attributes->list, common, sizeof(common));
	attributes->nown = rng_below(rng, OWN_MAX + 1);
	for (unsigned i = 0; i < attributes->nown; i++) {
		const struct own_kind *kind =
			&own_kinds[rng_below(rng, COUNT(own_kinds))];
		struct attribute *attribute = &attributes->list[attributes->n++];
		char *name = attributes->own_names[i][0];
		char *oid = attributes->own_names[i][1];

		(void)snprintf(name, sizeof(attributes->own_names[i][0]), "o%c%u",
		               "AbCd"[rng_below(rng, 4)], i);
		(void)snprintf(oid, sizeof(attributes->own_names[i][1]),
		               "1.3.6.1.4.1.99999.7.%u", i);
		*attribute = (struct attribute){
			.names = {name, oid, NULL},
			.kind = kind->kind,
			.is_single = rng_chance(rng, 20),
			.has_sub = kind->substr != NULL,
			.can_name = kind->kind <= KIND_INTEGER,
		};
	}
}

void attributes_define(const struct attributes *attributes, struct text *out)
{
	const struct attribute *own = attributes->list + attributes->n - attributes->nown;
	char line[256];

	for (unsigned i = 0; i < attributes->nown; i++) {
		const struct own_kind *kind = find_own_kind(&own[i]);

		(void)snprintf(line, sizeof(line),
		               "attributetype ( %s NAME '%s' EQUALITY %s\n\t",
		               own[i].names[1], own[i].names[0], kind->equality);
		text_string(out, line);
		if (kind->substr != NULL) {
			text_string(out, "SUBSTR ");
			text_string(out, kind->substr);
		}
		(void)snprintf(line, sizeof(line),
		               " SYNTAX 1.3.6.1.4.1.1466.115.121.1.%s%s )\n",
		               kind->syntax, own[i].is_single ? " SINGLE-VALUE" : "");
		text_string(out, line);
	}
	text_string(out, "objectclass ( 1.3.6.1.4.1.99999.8.1 NAME 'oAux' AUXILIARY "
	                 "MAY ( description");
	for (unsigned i = 0; i < attributes->nown; i++) {
		text_string(out, " $ ");
		text_string(out, own[i].names[rng_below(&(struct rng){i}, 2)]);
	}
	text_string(out, " ) )\n");
}

void attribute_index_types(const struct attribute *attribute, struct rng *rng,
                           struct text *out)
{
	static const char *const subs[] = {"sub", "subany", "subinitial,subfinal"};
	bool has_eq = attribute->kind != KIND_BLOB && rng_chance(rng, 75);
	bool has_sub = attribute->has_sub && rng_chance(rng, 50);

	if (has_eq) {
		text_string(out, "eq");
	}
	if (has_sub) {
		text_string(out, has_eq ? "," : "");
		text_string(out, subs[rng_below(rng, COUNT(subs))]);
	}
	if ((!has_eq && !has_sub) || rng_chance(rng, 40)) {
		text_string(out, has_eq || has_sub ? ",pres" : "pres");
	}
	if (attribute->kind <= KIND_IA5_EXACT && rng_chance(rng, 15)) {
		text_string(out, ",approx");
	}
}

void attribute_spell(const struct attribute *attribute, struct rng *rng, struct text *out)
{
	const char *name = attribute->names[0];
	bool is_mixed = rng_chance(rng, 20);

	if (rng_chance(rng, 15)) {
		unsigned i = rng_below(rng, 3);

		name = attribute->names[i] == NULL ? name : attribute->names[i];
	}
	for (; *name != '\0'; name++) {
		text_byte(out, is_mixed && rng_chance(rng, 50)
		                       ? (char)toupper((unsigned char)*name)
		                       : *name);
	}
}
