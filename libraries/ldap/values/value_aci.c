/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access control information in entries (OpenLDAPaci): five parts, of which the fourth
 * says what the fifth is.
 *
 *     1.2# Entry #GRANT;r,w;CN,sn$deny;;[ALL]#Access-ID#CN=A, DC=X
 *     1.2#entry#grant;r,w;cn,sn$deny;;[all]#access-id#cn=a,dc=x
 *
 * Spaces around parts are dropped. Rights are separated by '$'; in each, permissions and
 * attributes alternate after the action. "[all]" stands for all the attributes with it.
 * A group, role or attribute that the schema does not know, or that holds no DNs, makes
 * the normal form empty: slapd takes such a value and it grants nothing.
 */
#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "values/value_scope.h"

static struct dit_span trim(struct dit_span text)
{
	dit_cut_spaces_around(&text);
	return text;
}

static bool put_word(struct dit_text *out, struct dit_span text, const char *const *words)
{
	const char *const *word = dit_ascii_find(trim(text), words);

	if (word != NULL) {
		dit_text_span(out, dit_span_of(*word));
	}
	return word != NULL;
}

/* Letters with commas between them; none at all are fine, and a comma at the end is. */
static bool is_permissions(struct dit_span list)
{
	bool has_more = list.len > 0;

	while (has_more) {
		struct dit_span part = {0};

		has_more = dit_cut_until(&list, ',', &part) && list.len > 0;
		part = trim(part);
		if (part.len != 1 || strchr("rwscxd", part.data[0]) == NULL) {
			return false;
		}
	}
	return true;
}

static int put_attributes(const struct dit_value_scope *scope, struct dit_span list,
                          struct dit_text *out)
{
	static const char *const brackets[] = {"[all]", "[entry]", "[children]", NULL};
	size_t start = out->n;
	bool has_more = true;

	while (has_more) {
		struct dit_span part = {0};
		struct dit_span rest = {0};
		const char *const *word = NULL;
		const struct dit_ad *ad = NULL;
		int r = 0;

		has_more = dit_cut_until(&list, ',', &part);
		part = trim(part);
		word = dit_ascii_find(part, brackets);
		if (word == brackets) {
			out->n = start;
			dit_text_span(out, dit_span_of(*word));
			return 0;
		}
		if (word != NULL) {
			dit_cut(&part, 1);
			part.len--;
		} else {
			rest = part;
			(void)dit_cut_until(&rest, '=',
			                    &part); /* slapd ignores the value */
			part = trim(part);
		}
		r = dit_scope_find_ad(scope, part, &ad);
		if (r < 0) {
			return r;
		}
		if (out->n > start) {
			dit_text_char(out, ',');
		}
		dit_text_span(out, ad->name);
	}
	return 0;
}

/* "grant;permissions;attributes;permissions;attributes..." */
static int put_right(const struct dit_value_scope *scope, struct dit_span right,
                     struct dit_text *out)
{
	static const char *const actions[] = {"grant", "deny", NULL};
	struct dit_span part = {0};
	bool has_more = dit_cut_until(&right, ';', &part);

	if (!has_more || !put_word(out, part, actions)) {
		return DIT_E_INVALID;
	}
	while (has_more) {
		int r = 0;

		has_more = dit_cut_until(&right, ';', &part);
		part = trim(part);
		if (!has_more || !is_permissions(part)) {
			return DIT_E_INVALID;
		}
		dit_text_char(out, ';');
		dit_text_span(out, part);
		dit_text_char(out, ';');
		has_more = dit_cut_until(&right, ';', &part);
		r = put_attributes(scope, trim(part), out);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static int put_rights(const struct dit_value_scope *scope, struct dit_span rights,
                      struct dit_text *out)
{
	bool has_more = true;
	int r = 0;

	while (r == 0 && has_more) {
		struct dit_span right = {0};

		has_more = dit_cut_until(&rights, '$', &right);
		r = put_right(scope, trim(right), out);
		if (has_more) {
			dit_text_char(out, '$');
		}
	}
	return r;
}

/*
 * "group/class/attribute", the latter two optional.
 *
 * @return 1: one of them is unknown
 */
static int put_group(const struct dit_value_scope *scope, struct dit_span type,
                     struct dit_text *out)
{
	static const char *const words[] = {"group", "role", NULL};
	struct dit_span part = {0};
	bool has_class = dit_cut_until(&type, '/', &part);
	bool has_attr = false;
	const struct dit_class *oc = NULL;
	const struct dit_ad *ad = NULL;
	int r = 0;

	if (!put_word(out, part, words)) {
		return DIT_E_INVALID;
	}
	if (!has_class) {
		return 0;
	}
	has_attr = dit_cut_until(&type, '/', &part);
	oc = dit_schema_find_class(scope->schema, part);
	if (oc == NULL) {
		return 1;
	}
	dit_text_char(out, '/');
	dit_text_span(out, dit_span_of(oc->name));
	if (!has_attr) {
		return 0;
	}
	r = dit_scope_find_ad(scope, type, &ad);
	if (r < 0) {
		return r == DIT_E_UNKNOWN ? 1 : r;
	}
	dit_text_char(out, '/');
	dit_text_span(out, ad->name);
	return 0;
}

static int put_dn(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span dn, struct dit_text *out)
{
	int r = dit_scope_dn(scope, form, dn, &dn);

	dit_text_char(out, '#');
	if (r == 0) {
		dit_text_span(out, dn);
	}
	return r;
}

/* @return 1: it is no attribute of DNs */
static int put_dn_attribute(const struct dit_value_scope *scope, struct dit_span name,
                            struct dit_text *out)
{
	const struct dit_ad *ad = NULL;
	int r = dit_scope_find_ad(scope, name, &ad);

	if (r == DIT_E_UNKNOWN ||
	    (r == 0 && ad->type->syntax->validator != DIT_VALID_DN)) {
		return 1;
	}
	if (r == 0) {
		dit_text_span(out, DIT_SPAN("dnattr#"));
		dit_text_span(out, ad->name);
	}
	return r;
}

/* The subject that has the rights. @return 1: none, for the schema does not know it */
static int put_subject(const struct dit_value_scope *scope, enum dit_dn_form form,
                       struct dit_span type, struct dit_span subject,
                       struct dit_text *out)
{
	static const char *const alone[] = {"public", "users", "self", NULL};
	static const char *const named[] = {"access-id", "subtree", "onelevel",
	                                    "children", NULL};
	static const char *const sets[] = {"set", "set-ref", NULL};
	bool is_unknown = false;
	int r = 0;

	if (put_word(out, type, alone)) {
		dit_text_char(out, '#');
		return 0;
	}
	if (put_word(out, type, sets)) {
		dit_text_char(out, '#');
		dit_text_span(out, subject);
		return 0;
	}
	if (dit_span_eq_nocase(type, DIT_SPAN("dnattr"))) {
		return put_dn_attribute(scope, subject, out);
	}
	if (put_word(out, type, named)) {
		return put_dn(scope, form, subject, out);
	}
	r = put_group(scope, type, out);
	if (r < 0) {
		return r;
	}
	is_unknown = r == 1;
	r = put_dn(scope, form, subject, out);
	return r == 0 && is_unknown ? 1 : r;
}

int dit_scope_aci(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span value, struct dit_span *ret)
{
	static const char *const scopes[] = {"entry", "children", "subtree", NULL};
	struct dit_text out = {.arena = scope->arena};
	struct dit_span parts[4] = {{0}};
	int r = 0;

	if (form == DIT_DN_PRETTY && scope->depth > 0) {
		return DIT_E_INVALID; /* not in DNs */
	}
	for (size_t i = 0; i < 4; i++) {
		if (!dit_cut_until(&value, '#', &parts[i])) {
			return DIT_E_INVALID;
		}
	}
	/* slapd forgets spaces between the type and its mark. */
	if (parts[3].len > 0 && parts[3].data[parts[3].len - 1] == ' ') {
		return DIT_E_INVALID;
	}
	parts[0] = trim(parts[0]);
	if (!dit_is_numericoid(parts[0])) {
		return DIT_E_INVALID;
	}
	dit_text_span(&out, parts[0]);
	dit_text_char(&out, '#');
	if (!put_word(&out, parts[1], scopes)) {
		return DIT_E_INVALID;
	}
	dit_text_char(&out, '#');
	r = put_rights(scope, trim(parts[2]), &out);
	if (r == 0) {
		dit_text_char(&out, '#');
		r = put_subject(scope, form, trim(parts[3]), value, &out);
	}
	if (r < 0) {
		return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
	}
	if (out.failed) {
		return -ENOMEM;
	}
	*ret = r == 1 ? DIT_SPAN("") : (struct dit_span){out.at, out.n};
	return 0;
}
