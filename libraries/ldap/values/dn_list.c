/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From AVAs to the forms of a DN.
 *
 *     "SN=b+CN=A\,B, DC=x"
 *     rdn  cn  pretty "A,B"  norm "a,b"
 *          sn  pretty "b"    norm "b"
 *     rdn  dc  pretty "x"    norm "x"
 *     "cn=A\2CB+sn=b,dc=x"  "cn=a\2Cb+sn=b,dc=x"
 *
 * The normal form is made of the pretty value if both are asked for, else of the value as
 * it was written; for a few syntaxes that makes a difference (values.md 5.3).
 */
#include "values/value_scope.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "values/dn.h"
#include "values/dn_parse.h"
#include "values/utf8_prep.h"
#include "values/value.h"

void dit_dn_list_init(struct dit_dn_list *list, const struct dit_value_scope *scope,
                      unsigned forms)
{
	*list = (struct dit_dn_list){.inner = *scope, .forms = forms};
	list->inner.depth++;
	list->inner.is_assertion = true;
}

const struct dit_attr_type *dit_dn_list_type(struct dit_dn_list *list,
                                             struct dit_span name)
{
	const struct dit_attr_type *type = list->last_type;

	if (type != NULL && dit_span_eq(type->ad.name, name)) {
		return type; /* "dc=example,dc=com" */
	}
	type = dit_schema_find_type(list->inner.schema, name);
	if (type != NULL && (type->flags & DIT_TYPE_ORDERED_VALUES) != 0) {
		return NULL;
	}
	list->last_type = type;
	return type;
}

/* Insert in order of type names; a type may occur once. */
static int rdn_insert(struct dit_dn_rdn *rdn, struct dit_dn_item *item)
{
	struct dit_dn_item **at = &rdn->items;

	for (; *at != NULL; at = &(*at)->next) {
		int order = strcmp(item->type->name, (*at)->type->name);

		if (order == 0) {
			return DIT_E_INVALID;
		}
		if (order < 0) {
			break;
		}
	}
	item->next = *at;
	*at = item;
	rdn->nitems++;
	return 0;
}

static int add_rdn(struct dit_dn_list *list)
{
	struct dit_dn_rdn *rdn = dit_arena_calloc(list->inner.arena, 1, sizeof(*rdn));

	if (rdn == NULL) {
		return -ENOMEM;
	}
	if (list->last == NULL) {
		list->first = rdn;
	} else {
		list->last->next = rdn;
	}
	list->last = rdn;
	list->n++;
	return 0;
}

bool dit_dn_takes_ascii(enum dit_validator validator)
{
	return validator == DIT_VALID_UTF8_NONEMPTY || validator == DIT_VALID_IA5 ||
	       validator == DIT_VALID_UTF8 || validator == DIT_VALID_ANY ||
	       validator == DIT_VALID_NONE;
}

bool dit_dn_keeps_plain(enum dit_normalizer normalizer)
{
	return normalizer == DIT_NORM_UTF8_FOLD || normalizer == DIT_NORM_IA5_FOLD ||
	       normalizer == DIT_NORM_UTF8_EXACT || normalizer == DIT_NORM_IA5_EXACT;
}

enum dit_normalizer dit_dn_normalizer(const struct dit_attr_type *type)
{
	enum dit_normalizer normalizer = DIT_NORM_NONE;

	if (type->equality != NULL) {
		normalizer = type->equality->normalizer;
	}
	return normalizer == DIT_NORM_UUID16 ? DIT_NORM_NONE : normalizer;
}

static int validate(const struct dit_dn_list *list, const struct dit_attr_type *type,
                    struct dit_span value, bool is_ascii)
{
	if (is_ascii && dit_dn_takes_ascii(type->validator)) {
		return 0;
	}
	return dit_scope_validate(&list->inner, type->validator, value);
}

/* Set one form of an AVA. Values of any syntax must be UTF-8 to be written. */
static int item_set(struct dit_dn_item *item, enum dit_dn_form form,
                    struct dit_span value, bool value_is_plain)
{
	if (value.len == 0 || !dit_utf8_is_valid(value)) {
		return DIT_E_INVALID;
	}
	item->value[form] = value;
	item->is_plain[form] = value_is_plain;
	return 0;
}

/* values.md 5.2; @p raw becomes the pretty value. */
static int make_pretty(const struct dit_dn_list *list, struct dit_dn_item *item,
                       struct dit_raw_ava *raw)
{
	enum dit_validator validator = item->type->validator;
	int r = 0;

	if (!dit_has_pretty(validator)) {
		r = validate(list, item->type, raw->value, raw->is_ascii);
	} else {
		r = dit_scope_pretty(&list->inner, validator, raw->value, &raw->value);
		if (r == 0) {
			raw->is_ascii = dit_ascii_is(raw->value);
			raw->is_plain = dit_dn_is_plain(raw->value);
		}
	}
	return r < 0 ? r : item_set(item, DIT_DN_PRETTY, raw->value, raw->is_plain);
}

/* values.md 5.3 */
static int make_norm(const struct dit_dn_list *list, struct dit_dn_item *item,
                     const struct dit_raw_ava *raw)
{
	enum dit_normalizer normalizer = dit_dn_normalizer(item->type);
	struct dit_span norm = raw->value;
	bool norm_is_plain = raw->is_plain;
	int r = validate(list, item->type, raw->value, raw->is_ascii);

	if (r < 0) {
		return r;
	}
	if (normalizer != DIT_NORM_NONE) {
		r = dit_scope_normalize(&list->inner, normalizer, raw->value, &norm);
		if (r < 0) {
			return r;
		}
		if (!norm_is_plain || !raw->is_ascii || !dit_dn_keeps_plain(normalizer)) {
			norm_is_plain = dit_dn_is_plain(norm);
		}
	}
	return item_set(item, DIT_DN_NORM, norm, norm_is_plain);
}

/*
 * Only an authorization rule makes something of nothing: the empty DN. Where a DN is only
 * validated slapd refuses it in quotes, and dies of it at the end.
 */
static bool may_be_empty(const struct dit_dn_list *list, const struct dit_attr_type *type,
                         const struct dit_raw_ava *raw)
{
	bool is_validated = list->forms == 0;

	return type->validator == DIT_VALID_AUTHZ &&
	       !(is_validated && (raw->is_copy || raw->stop == '\0'));
}

static int add_ava(struct dit_dn_list *list, struct dit_raw_ava raw)
{
	struct dit_dn_item *item = dit_arena_calloc(list->inner.arena, 1, sizeof(*item));
	int r = 0;

	if (item == NULL) {
		return -ENOMEM;
	}
	item->type = dit_dn_list_type(list, raw.type);
	if (item->type == NULL) {
		return DIT_E_INVALID;
	}
	if (raw.value.len == 0 && !may_be_empty(list, item->type, &raw)) {
		return DIT_E_INVALID;
	}
	if (list->forms == 0) {
		/* Validation alone takes a type twice. */
		return validate(list, item->type, raw.value, raw.is_ascii);
	}
	if ((list->forms & DIT_DN_FORM_BIT(DIT_DN_PRETTY)) != 0) {
		r = make_pretty(list, item, &raw);
	}
	if (r == 0 && (list->forms & DIT_DN_FORM_BIT(DIT_DN_NORM)) != 0) {
		r = make_norm(list, item, &raw);
	}
	if (r == DIT_E_UNKNOWN) {
		return DIT_E_INVALID;
	}
	return r < 0 ? r : rdn_insert(list->last, item);
}

int dit_dn_list_check(const struct dit_dn_list *list, struct dit_span text)
{
	/* A normal form alone may be of any length. */
	if (text.len > DIT_DN_MAX && list->forms != DIT_DN_FORM_BIT(DIT_DN_NORM)) {
		return DIT_E_INVALID;
	}
	if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) {
		return DIT_E_INVALID;
	}
	return list->inner.depth > DIT_DN_DEPTH_MAX ? DIT_E_UNSUPPORTED : 0;
}

/* @param scan  at the start of an RDN @param ret_stop  the text after it */
static int read_rdn(struct dit_dn_list *list, struct dit_dn_scan *scan, char *ret_stop)
{
	struct dit_raw_ava raw = {0};
	int r = add_rdn(list);

	do {
		r = r ?: dit_dn_scan_ava(scan, &raw);
		r = r ?: add_ava(list, raw);
	} while (r == 0 && raw.stop == '+');
	*ret_stop = raw.stop;
	return r;
}

int dit_dn_list_read(struct dit_dn_list *list, struct dit_span text, unsigned nrdns)
{
	struct dit_dn_scan scan = {text.data, text.data + text.len, list->inner.arena};
	char stop = text.len > 0 ? ',' : '\0';
	int r = dit_dn_list_check(list, text);

	while (r == 0 && stop == ',' && list->n < nrdns) {
		r = read_rdn(list, &scan, &stop);
	}
	if (r == 0 && stop != '\0' && list->n < nrdns) {
		r = DIT_E_INVALID;
	}
	return r;
}

/* The most bytes of a form, with a comma at its end. */
static size_t max_len(const struct dit_dn_list *list, enum dit_dn_form form)
{
	size_t len = 0;

	for (const struct dit_dn_rdn *rdn = list->first; rdn != NULL; rdn = rdn->next) {
		for (const struct dit_dn_item *i = rdn->items; i != NULL; i = i->next) {
			bool is_plain = i->is_plain[form] && !list->is_hex;

			len += i->type->ad.name.len + strlen("=+") +
			       (is_plain ? 1 : DIT_DN_ESCAPED_MAX) * i->value[form].len;
		}
	}
	return len;
}

static char *put_rdn(const struct dit_dn_list *list, struct dit_dn_rdn *rdn,
                     enum dit_dn_form form, char *to)
{
	for (struct dit_dn_item *item = rdn->items; item != NULL; item = item->next) {
		struct dit_span name = item->type->ad.name;
		struct dit_span *value = &item->value[form];

		memcpy(to, name.data, name.len);
		to += name.len;
		*to++ = '=';
		if (item->is_plain[form] && !list->is_hex) {
			memcpy(to, value->data, value->len);
			value->data = to;
			to += value->len;
		} else {
			to = dit_dn_escape(to, *value, list->is_hex);
		}
		if (item->next != NULL) {
			*to++ = '+';
		}
	}
	return to;
}

int dit_dn_list_put(struct dit_dn_list *list, enum dit_dn_form form, struct dit_span tail,
                    uint32_t *at, struct dit_span *ret)
{
	char *start = NULL;
	char *to = NULL;

	if (list->n == 0) {
		*ret = DIT_SPAN("");
		return 0;
	}
	start = dit_arena_bytes(list->inner.arena, max_len(list, form) + tail.len);
	if (start == NULL) {
		return -ENOMEM;
	}
	to = start;
	for (struct dit_dn_rdn *rdn = list->first; rdn != NULL; rdn = rdn->next) {
		if (at != NULL) {
			*at++ = (uint32_t)(to - start);
		}
		to = put_rdn(list, rdn, form, to);
		if (rdn->next != NULL || tail.len > 0) {
			*to++ = ',';
		}
	}
	to = dit_span_put(to, tail);
	*ret = (struct dit_span){start, (size_t)(to - start)};
	dit_arena_trim(list->inner.arena, start, ret->len);
	return 0;
}
