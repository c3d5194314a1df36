/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions (RFC 4512 section 4.1) -> definitions.
 *
 * The text is taken apart by libldap, as slapd does it: what it lets pass passes here,
 * and its error texts are the ones administrators know.
 */
#include "schema/schema_private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <ldap.h>
#include <ldap_schema.h>

#include "base/ascii.h"
#include "base/error.h"

/*
 * At the end of the text libldap's scanner takes the NUL for a token and steps over it,
 * so what it calls the rest may begin after the end. It gets a copy with more of them.
 */
#define END_NULS 64

/* A description that libldap reads. */
struct reading {
	const char *keyword;
	char *copy; /* NULL: no memory, which libldap takes for an empty text */
	const char *rest;
	int code;
};

static struct reading begin(const struct dit_schema *schema, const char *keyword,
                            const char *text)
{
	struct reading reading = {.keyword = keyword};
	size_t len = strlen(text);

	assert(!schema->is_frozen);
	reading.copy = calloc(1, len + END_NULS);
	if (reading.copy != NULL) {
		memcpy(reading.copy, text, len);
	}
	return reading;
}

/* Read or not: without an element "KEYWORD: Unexpected token before REST". */
static int end(struct reading *reading, bool is_read, struct dit_schema_error *error)
{
	int r = is_read ? 0 : -ENOMEM;

	if (!is_read && reading->copy != NULL && reading->code != LDAP_SCHERR_OUTOFMEM) {
		dit_schema_say(error, "%s: %s before %s", reading->keyword,
		               ldap_scherr2str(reading->code),
		               reading->rest == NULL ? "" : reading->rest);
		r = DIT_E_SYNTAX;
	}
	free(reading->copy);
	return r;
}

static int oid_missing(struct dit_schema_error *error, const char *keyword)
{
	dit_schema_say(error, "%s: OID is missing", keyword);
	return DIT_E_SYNTAX;
}

/* Only the first value counts; others than these two mean nothing. */
static unsigned ordered_flag(LDAPSchemaExtensionItem *const *extensions)
{
	for (; extensions != NULL && *extensions != NULL; extensions++) {
		const char *value = NULL;

		if (dit_ascii_strcasecmp((*extensions)->lsei_name, "X-ORDERED") != 0 ||
		    (*extensions)->lsei_values == NULL) {
			continue;
		}
		value = (*extensions)->lsei_values[0];
		if (value != NULL && dit_ascii_strcasecmp(value, "VALUES") == 0) {
			return DIT_TYPE_ORDERED_VALUES;
		}
		if (value != NULL && dit_ascii_strcasecmp(value, "SIBLINGS") == 0) {
			return DIT_TYPE_ORDERED_SIBLINGS;
		}
	}
	return 0;
}

static int define_parsed_type(struct dit_schema *schema, const LDAPAttributeType *at,
                              struct dit_schema_error *error)
{
	struct dit_type_def def = {
		.oid = at->at_oid,
		.names = dit_names_of(at->at_names),
		.sup = at->at_sup_oid,
		.equality = at->at_equality_oid,
		.ordering = at->at_ordering_oid,
		.substr = at->at_substr_oid,
		.syntax = at->at_syntax_oid,
		.usage = DIT_USAGE_USER,
		.flags = ordered_flag(at->at_extensions),
	};

	if (at->at_oid == NULL) {
		return oid_missing(error, "attributetype");
	}
	/* values.md 3.3 rule 9; the OID is shown as it was written. */
	if (at->at_usage != LDAP_SCHEMA_USER_APPLICATIONS) {
		dit_schema_say(error, "attributetype: \"%s\" is operational", at->at_oid);
		return DIT_E_INVALID;
	}
	def.flags |= at->at_obsolete ? DIT_TYPE_OBSOLETE : 0;
	def.flags |= at->at_single_value ? DIT_TYPE_SINGLE : 0;
	def.flags |= at->at_collective ? DIT_TYPE_COLLECTIVE : 0;
	def.flags |= at->at_no_user_mod ? DIT_TYPE_NO_USER_MOD : 0;
	return dit_define_type(schema, &def, error);
}

int dit_schema_define_type(struct dit_schema *schema, const char *text,
                           struct dit_schema_error *error)
{
	struct reading reading = begin(schema, "attributetype", text);
	LDAPAttributeType *at = ldap_str2attributetype(
		reading.copy, &reading.code, &reading.rest, LDAP_SCHEMA_ALLOW_ALL);
	int r = end(&reading, at != NULL, error);

	if (r < 0) {
		return r;
	}
	r = define_parsed_type(schema, at, error);
	ldap_attributetype_free(at);
	return r;
}

static int define_parsed_class(struct dit_schema *schema, const LDAPObjectClass *oc,
                               const char *text, struct dit_schema_error *error)
{
	struct dit_class_def def = {
		.oid = oc->oc_oid,
		.names = dit_names_of(oc->oc_names),
		.sups = dit_names_of(oc->oc_sup_oids),
		.kind = DIT_CLASS_STRUCTURAL,
		.must = dit_names_of(oc->oc_at_oids_must),
		.may = dit_names_of(oc->oc_at_oids_may),
		.is_obsolete = oc->oc_obsolete != 0,
	};

	if (oc->oc_oid == NULL) {
		return oid_missing(error, "objectclass");
	}
	if (oc->oc_kind == LDAP_SCHEMA_ABSTRACT) {
		def.kind = DIT_CLASS_ABSTRACT;
	} else if (oc->oc_kind == LDAP_SCHEMA_AUXILIARY) {
		def.kind = DIT_CLASS_AUXILIARY;
	}
	return dit_define_class(schema, &def, text, error);
}

int dit_schema_define_class(struct dit_schema *schema, const char *text,
                            struct dit_schema_error *error)
{
	struct reading reading = begin(schema, "objectclass", text);
	LDAPObjectClass *oc = ldap_str2objectclass(reading.copy, &reading.code,
	                                           &reading.rest, LDAP_SCHEMA_ALLOW_ALL);
	int r = end(&reading, oc != NULL, error);

	if (r < 0) {
		return r;
	}
	r = define_parsed_class(schema, oc, text, error);
	ldap_objectclass_free(oc);
	return r;
}

/* X-SUBST 'OID': the new syntax behaves as that one (values.md 3.5). */
static int substitute(const struct dit_schema *schema, const LDAPSyntax *syn,
                      const char *text, struct dit_syntax_def *def,
                      struct dit_schema_error *error)
{
	LDAPSchemaExtensionItem **ext = syn->syn_extensions;
	const struct dit_syntax *model = NULL;

	while (ext != NULL && *ext != NULL && strcmp((*ext)->lsei_name, "X-SUBST") != 0) {
		ext++;
	}
	if (ext == NULL || *ext == NULL) {
		return 0;
	}
	if ((*ext)->lsei_values == NULL || (*ext)->lsei_values[0] == NULL ||
	    (*ext)->lsei_values[1] != NULL) {
		(void)dit_schema_fail(error, DIT_E_INVALID, "ldapsyntax",
		                      "Substitute syntax not specified", text);
		(void)snprintf(
			error->detail, sizeof(error->detail),
			"syn_add(%s): exactly one substitute syntax must be present",
			syn->syn_oid);
		return DIT_E_INVALID;
	}
	model = dit_schema_find_syntax(schema, dit_span_of((*ext)->lsei_values[0]));
	if (model == NULL) {
		(void)dit_schema_fail(error, DIT_E_UNKNOWN, "ldapsyntax",
		                      "Substitute syntax not found", text);
		(void)snprintf(error->detail, sizeof(error->detail),
		               "syn_add(%s): substitute syntax %s not found",
		               syn->syn_oid, (*ext)->lsei_values[0]);
		return DIT_E_UNKNOWN;
	}
	def->validator = model->validator;
	def->flags = model->flags;
	return 0;
}

int dit_schema_define_syntax(struct dit_schema *schema, const char *text,
                             struct dit_schema_error *error)
{
	struct dit_syntax_def def = {.validator = DIT_VALID_NONE};
	struct reading reading = begin(schema, "ldapsyntax", text);
	LDAPSyntax *syn = ldap_str2syntax(reading.copy, &reading.code, &reading.rest,
	                                  LDAP_SCHEMA_ALLOW_ALL);
	int r = end(&reading, syn != NULL, error);

	if (r < 0) {
		return r;
	}
	def.oid = syn->syn_oid;
	r = def.oid == NULL ? oid_missing(error, "ldapsyntax")
	                    : substitute(schema, syn, text, &def, error);
	r = r ?: dit_define_syntax(schema, &def, error);
	ldap_syntax_free(syn);
	return r;
}

int dit_schema_define_content_rule(struct dit_schema *schema, const char *text,
                                   struct dit_schema_error *error)
{
	struct reading reading = begin(schema, "ditcontentrule", text);
	LDAPContentRule *cr = ldap_str2contentrule(reading.copy, &reading.code,
	                                           &reading.rest, LDAP_SCHEMA_ALLOW_ALL);
	int r = end(&reading, cr != NULL, error);

	if (r < 0) {
		return r;
	}
	r = cr->cr_oid == NULL ? oid_missing(error, "ditcontentrule")
	                       : dit_define_content_rule(schema, cr, text, error);
	ldap_contentrule_free(cr);
	return r;
}
