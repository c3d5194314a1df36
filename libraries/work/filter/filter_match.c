/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter/filter_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cut.h"
#include "index/key_bytes.h"
#include "schema/schema_private.h"
#include "values/dn.h"
#include "values/value.h"
#include "values/value_order.h"

struct matching {
	const struct dit_schema *schema;
	const struct dit_entry_view *entry;
	struct dit_arena *arena;
};

/* ---- values: both are in the form that the rule compares ---- */

#define NUMBER_MAX 32 /* digits of a number whose bits are asked for */

/* ---- orders ---- */

static int by_bytes(struct dit_span a, struct dit_span b, size_t ignored)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n <= ignored ? 0 : memcmp(a.data, b.data, n - ignored);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* As an ordering rule sees them: negative, 0, positive. */
static int rule_compare(const struct dit_rule *ordering, struct dit_span value,
                        struct dit_span asserted)
{
	if (ordering->syntax->validator == DIT_VALID_INTEGER) {
		return dit_rule_order(ordering)(value, asserted);
	}
	/* The 'Z' after a time is not compared: a fraction may be in its place. */
	return by_bytes(value, asserted,
	                ordering->normalizer == DIT_NORM_GENERALIZED_TIME ? 1 : 0);
}

/* ---- sounds ---- */

/* Do the words that are asserted sound like words of the value, in their order? Without
 * words nothing is asserted, and no value matches. */
static bool sounds_alike(struct dit_span value, struct dit_span asserted)
{
	struct dit_sound wanted;
	struct dit_sound sound;
	bool has_wanted = true;
	bool has_sound = true;
	bool is_heard = false;

	while (has_wanted) {
		has_wanted = dit_sound_next(&asserted, &wanted);
		if (wanted.is_empty) {
			continue;
		}
		do {
			if (!has_sound) {
				return false;
			}
			has_sound = dit_sound_next(&value, &sound);
			/* A word of digits has no key, and sounds like any other such. */
		} while (sound.len != wanted.len ||
		         memcmp(sound.key, wanted.key, sound.len) != 0);
		is_heard = true;
	}
	return is_heard;
}

/* ---- rules by name ---- */

static bool is_child(struct dit_span value, struct dit_span asserted)
{
	/* No name is a child of the empty one. */
	return asserted.len > 0 && dit_span_eq(dit_dn_parent(value), asserted);
}

static bool is_subordinate(struct dit_span value, struct dit_span asserted)
{
	return !dit_span_eq(value, asserted) && dit_dn_is_below(value, asserted);
}

static bool is_superior(struct dit_span value, struct dit_span asserted)
{
	return is_subordinate(asserted, value);
}

/* @return false: it is too large for slapd */
static bool read_number(struct dit_span text, long *ret)
{
	char digits[NUMBER_MAX + 1];
	size_t n = text.len < NUMBER_MAX ? text.len : NUMBER_MAX;

	if (n > 0) {
		memcpy(digits, text.data, n);
	}
	digits[n] = '\0';
	errno = 0;
	*ret = strtol(digits, NULL, 10);
	return errno != ERANGE;
}

static enum dit_truth match_bits(struct dit_span value, struct dit_span asserted,
                                 bool is_all)
{
	long bits = 0;
	long wanted = 0;

	if (!read_number(value, &bits) || !read_number(asserted, &wanted)) {
		return DIT_UNDEFINED;
	}
	bits &= wanted;
	return (is_all ? bits == wanted : bits != 0) ? DIT_TRUE : DIT_FALSE;
}

static const struct {
	const char *oid;
	bool (*match)(struct dit_span value, struct dit_span asserted);
} named[] = {
	{"1.3.6.1.4.1.4203.666.4.4", sounds_alike},
	{"1.3.6.1.4.1.4203.666.4.5", sounds_alike},
	{"1.3.6.1.4.1.4203.666.4.8", is_child},
	{"1.3.6.1.4.1.4203.666.4.9", dit_dn_is_below},
	{"1.3.6.1.4.1.4203.666.4.10", is_subordinate},
	{"1.3.6.1.4.1.4203.666.4.11", is_superior},
};

static bool is_ordering(const struct dit_rule *rule)
{
	static const char suffix[] = "OrderingMatch";
	size_t n = strlen(rule->name);

	return n >= strlen(suffix) &&
	       strcmp(rule->name + n - strlen(suffix), suffix) == 0;
}

enum dit_truth dit_rule_matches(const struct dit_rule *rule, struct dit_span value,
                                struct dit_span asserted)
{
	bool is_all = strcmp(rule->oid, "1.2.840.113556.1.4.803") == 0;

	if (is_all || strcmp(rule->oid, "1.2.840.113556.1.4.804") == 0) {
		return match_bits(value, asserted, is_all);
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (strcmp(rule->oid, named[i].oid) == 0) {
			return named[i].match(value, asserted);
		}
	}
	if (is_ordering(rule)) {
		return rule_compare(rule, value, asserted) < 0;
	}
	return dit_rule_order(rule)(value, asserted) == 0;
}

/* ---- pieces ---- */

/* Pieces as in struct dit_filter. */
static bool has_pieces(struct dit_span value, const struct dit_span *pieces, uint32_t n)
{
	struct dit_span first = pieces[0];
	struct dit_span last = pieces[n - 1];

	if (value.len < first.len + last.len ||
	    memcmp(value.data, first.data, first.len) != 0 ||
	    memcmp(value.data + value.len - last.len, last.data, last.len) != 0) {
		return false;
	}
	dit_cut(&value, first.len);
	value.len -= last.len;
	for (uint32_t i = 1; i + 1 < n; i++) {
		const char *at = pieces[i].len == 0
		                         ? value.data
		                         : memmem(value.data, value.len, pieces[i].data,
		                                  pieces[i].len);

		if (at == NULL) {
			return false;
		}
		value.len -= (size_t)(at - value.data) + pieces[i].len;
		value.data = at + pieces[i].len;
	}
	return true;
}

/* ---- descriptions ---- */

/* One option; "lang-de-" stands for all that begin with it, and for "lang-de". */
static bool covers_option(struct dit_span wanted, struct dit_span option)
{
	bool is_range = wanted.data[wanted.len - 1] == '-';

	if (is_range && option.len + 1 == wanted.len) {
		wanted.len--;
	}
	return option.len >= wanted.len && (is_range || option.len == wanted.len) &&
	       memcmp(option.data, wanted.data, wanted.len) == 0;
}

/* The options may be nowhere, but then there are none. */
static bool next_option(struct dit_span *options, struct dit_span *ret)
{
	(void)dit_cut_until(options, ';', ret);
	return ret->len > 0;
}

static bool has_option(struct dit_span options, struct dit_span wanted)
{
	struct dit_span option;

	while (next_option(&options, &option)) {
		if (covers_option(wanted, option)) {
			return true;
		}
	}
	return false;
}

bool dit_ad_is_below(const struct dit_ad *ad, const struct dit_ad *wanted)
{
	struct dit_span options = wanted->options;
	struct dit_span option;

	if (ad == wanted) {
		return true;
	}
	if ((wanted->is_binary && !ad->is_binary) ||
	    !dit_type_is_a(ad->type, wanted->type)) {
		return false;
	}
	while (next_option(&options, &option)) {
		if (!has_option(ad->options, option)) {
			return false;
		}
	}
	return true;
}

static bool is_named(const struct dit_ad *ad, const char *name)
{
	return ad != NULL && strcmp(ad->type->name, name) == 0;
}

/* ---- values of an attribute ---- */

/* A class equals those above it. One that the schema lacks is undefined. */
static enum dit_truth equals(const struct matching *m, const struct dit_attr_type *type,
                             struct dit_span value, struct dit_span asserted)
{
	if (type->validator == DIT_VALID_CLASS_NAME &&
	    dit_schema_find_class(m->schema, value) == NULL) {
		return DIT_UNDEFINED;
	}
	return (dit_type_is_ordered(type)
	                ? dit_value_match_order(type).by_value(value, asserted) == 0
	                : dit_values_equal(m->schema, type, value, asserted))
	               ? DIT_TRUE
	               : DIT_FALSE;
}

static int matches_value(const struct matching *m, const struct dit_filter *filter,
                         const struct dit_attr_type *type, struct dit_span value)
{
	struct dit_span asserted = filter->value;
	int order = 0;

	/* Values have their prefix "{n}" in front. Up to 2.6 it is passed over. */
	if (dit_type_is_ordered(type) && filter->kind != DIT_FILTER_SUBSTRINGS &&
	    dit_prefixes_decide(&value, &asserted, &order) &&
	    m->schema->openldap >= DIT_OPENLDAP_2_7) {
		return filter->kind == DIT_FILTER_GREATER ? order >= 0
		       : filter->kind == DIT_FILTER_LESS  ? order <= 0
		                                          : order == 0;
	}
	switch (filter->kind) {
	case DIT_FILTER_APPROX:
		if (type->approx != NULL) {
			return sounds_alike(value, asserted);
		}
		if (type->equality != NULL &&
		    type->equality->normalizer == DIT_NORM_NAME_UID) {
			return dit_name_uid_alike(value, asserted);
		}
		return equals(m, type, value, asserted);
	case DIT_FILTER_GREATER:
		return type->ordering != NULL &&
		       rule_compare(type->ordering, value, asserted) >= 0;
	case DIT_FILTER_LESS:
		return type->ordering != NULL &&
		       rule_compare(type->ordering, value, asserted) <= 0;
	case DIT_FILTER_SUBSTRINGS:
		return has_pieces(value, filter->pieces, filter->npieces);
	default:
		return equals(m, type, value, asserted);
	}
}

/*
 * A value by the filter's rule.
 *
 * @param normal  its form by the equality rule of the type; NULL: that of a DN, which is
 *                another one
 */
static int match_by_rule(const struct matching *m, const struct dit_filter *filter,
                         const struct dit_attr_type *type, struct dit_span value,
                         const struct dit_span *normal)
{
	const struct dit_rule *rule = filter->rule;
	int r = 0;

	/* A subtype may have another equality rule than the named type. */
	if (!filter->has_rule && !dit_type_is_ordered(type) &&
	    ((normal != NULL && type->equality == rule) ||
	     type->validator == DIT_VALID_CLASS_NAME)) {
		return equals(m, type, normal != NULL ? *normal : value, filter->value);
	}
	if (rule->normalizer == DIT_NORM_NONE) {
		return dit_rule_matches(rule, value, filter->value);
	}
	/* A prefix "{n}" belongs to the value here. */
	if (normal != NULL && type->equality != NULL &&
	    (dit_type_is_ordered(type)
	             ? type->equality == rule
	             : type->equality->normalizer == rule->normalizer)) {
		return dit_rule_matches(rule, *normal, filter->value);
	}
	r = dit_value_normalize(m->schema, rule->normalizer, value, m->arena, &value);
	if (r < 0) {
		return r == -ENOMEM ? r : DIT_FALSE;
	}
	return dit_rule_matches(rule, value, filter->value);
}

static int match_value(const struct matching *m, const struct dit_filter *filter,
                       const struct dit_attr_type *type, struct dit_span value,
                       struct dit_span normal)
{
	return filter->kind == DIT_FILTER_EXTENSIBLE
	               ? match_by_rule(m, filter, type, value, &normal)
	               : matches_value(m, filter, type, normal);
}

/* ---- items ---- */

static bool concerns(const struct dit_filter *filter, const struct dit_ad *ad)
{
	return filter->ad != NULL ? dit_ad_is_below(ad, filter->ad)
	                          : dit_rule_suits(filter->rule, ad->type);
}

/* An ordering looks at the first or the last of sorted values alone. */
static bool is_looked_at(const struct dit_filter *filter,
                         const struct dit_attr_view *attr, uint32_t number)
{
	if (!attr->is_sorted) {
		return true;
	}
	return filter->kind == DIT_FILTER_GREATER
	               ? number + 1 == attr->nvalues
	               : filter->kind != DIT_FILTER_LESS || number == 0;
}

/* slapd seeks in sorted classes as in other sorted values. But a class is the wanted one,
 * or one below it, or not: from then on slapd goes to the left. One that the schema lacks
 * changes no direction. */
static int seek_class(const struct matching *m, const struct dit_filter *filter,
                      const struct dit_attr_view *attr)
{
	const struct dit_span *values = attr->values;
	bool is_left = false;
	uint32_t n = attr->nvalues;

	while (n > 0) {
		uint32_t half = n / 2;
		int r = equals(m, attr->ad->type, values[half], filter->value);

		if (r == DIT_TRUE) {
			return r;
		}
		is_left |= r == DIT_FALSE;
		values += is_left ? 0 : half + 1;
		n = is_left ? half : n - half - 1;
	}
	return DIT_FALSE;
}

static int match_attr(const struct matching *m, const struct dit_filter *filter,
                      const struct dit_attr_view *attr)
{
	/* As the equality rule compares them. */
	const struct dit_span *normal =
		attr->normal != NULL ? attr->normal : attr->values;
	const struct dit_attr_type *type = attr->ad->type;
	int r = DIT_FALSE;

	if (attr->is_sorted && attr->nvalues > 1 && filter->kind == DIT_FILTER_EQUAL &&
	    type->validator == DIT_VALID_CLASS_NAME) {
		return seek_class(m, filter, attr);
	}
	for (uint32_t v = 0; v < attr->nvalues && r == DIT_FALSE; v++) {
		if (is_looked_at(filter, attr, v)) {
			r = match_value(m, filter, type, attr->values[v], normal[v]);
		}
	}
	return r;
}

static int match_attrs(const struct matching *m, const struct dit_filter *filter)
{
	const struct dit_entry_view *entry = m->entry;
	int truth = DIT_FALSE;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];
		int r = DIT_FALSE;

		if (attr->ad == NULL || !concerns(filter, attr->ad)) {
			continue;
		}
		r = filter->kind == DIT_FILTER_PRESENT ? DIT_TRUE
		                                       : match_attr(m, filter, attr);
		if (r == DIT_UNDEFINED && filter->kind != DIT_FILTER_EXTENSIBLE) {
			truth = r; /* unless another attribute matches */
		} else if (r != DIT_FALSE) {
			return r;
		}
	}
	return truth;
}

/* The values in all RDNs. */
static int match_dn(const struct matching *m, const struct dit_filter *filter)
{
	struct dit_span rest = m->entry->dn;

	while (rest.len > 0) {
		struct dit_dn dn;
		int r = dit_dn_parse(m->schema, rest, m->arena, NULL, &dn);

		if (r < 0) {
			return r == -ENOMEM ? r : DIT_FALSE;
		}
		for (unsigned i = 0; i < dn.navas; i++) {
			const struct dit_ava *ava = &dn.avas[i];

			if (!concerns(filter, &ava->type->ad)) {
				continue;
			}
			r = match_by_rule(m, filter, ava->type, ava->value, NULL);
			if (r != DIT_FALSE) {
				return r;
			}
		}
		rest = dit_dn_parent(dn.pretty);
	}
	return DIT_FALSE;
}

static int match_item(const struct matching *m, const struct dit_filter *filter)
{
	bool is_present = filter->kind == DIT_FILTER_PRESENT;
	int r = DIT_FALSE;

	if (is_named(filter->ad, "entryDN")) {
		r = is_present ? DIT_TRUE
		               : match_value(m, filter, filter->ad->type, m->entry->dn,
		                             m->entry->norm_dn);
	} else if (is_named(filter->ad, "subschemaSubentry")) {
		r = is_present ? DIT_TRUE : DIT_FALSE;
	} else {
		r = match_attrs(m, filter);
	}
	return r == DIT_FALSE && filter->has_dn ? match_dn(m, filter) : r;
}

/* ---- filters ---- */

static int match_filter(const struct matching *m, const struct dit_filter *filter);

/* @param decisive  the value of a child that decides: that of no child is the other */
static int match_set(const struct matching *m, const struct dit_filter *filter,
                     enum dit_truth decisive)
{
	int truth = decisive == DIT_TRUE ? DIT_FALSE : DIT_TRUE;

	for (const struct dit_filter *at = filter->first; at != NULL; at = at->next) {
		int r = match_filter(m, at);

		if (r < 0 || r == (int)decisive) {
			return r;
		}
		if (r == DIT_UNDEFINED) {
			truth = DIT_UNDEFINED;
		}
	}
	return truth;
}

static int match_filter(const struct matching *m, const struct dit_filter *filter)
{
	int r = 0;

	switch (filter->kind) {
	case DIT_FILTER_AND:
		return match_set(m, filter, DIT_FALSE);
	case DIT_FILTER_OR:
		return match_set(m, filter, DIT_TRUE);
	case DIT_FILTER_NOT:
		r = match_filter(m, filter->first);
		return r < 0 || r == DIT_UNDEFINED ? r : r == DIT_FALSE;
	case DIT_FILTER_UNDEFINED:
		return DIT_UNDEFINED;
	default:
		return match_item(m, filter);
	}
}

int dit_filter_match(const struct dit_schema *schema, const struct dit_filter *filter,
                     const struct dit_entry_view *entry, struct dit_arena *arena)
{
	struct matching matching = {schema, entry, arena};

	return match_filter(&matching, filter);
}
