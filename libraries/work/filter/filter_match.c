/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter/filter_match.h"

#include <errno.h>
#include <string.h>

#include "base/cut.h"
#include "schema/schema_private.h"
#include "values/dn.h"
#include "values/value.h"
#include "values/value_order.h"

struct matching {
	const struct dit_schema *schema;
	const struct dit_entry_view *entry;
	struct dit_arena *arena;
};

/* ---- descriptions ---- */

/* One option; "lang-" stands for all that begin with it. */
static bool covers_option(struct dit_span wanted, struct dit_span option)
{
	bool is_range = wanted.data[wanted.len - 1] == '-';

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

static bool matches_value(const struct matching *m, const struct dit_filter *filter,
                          const struct dit_attr_type *type, struct dit_span value)
{
	switch (filter->kind) {
	case DIT_FILTER_APPROX:
		if (type->approx != NULL) {
			return dit_sounds_alike(value, filter->value);
		}
		if (type->equality != NULL &&
		    type->equality->normalizer == DIT_NORM_NAME_UID) {
			return dit_name_uid_alike(value, filter->value);
		}
		return dit_values_equal(m->schema, type, value, filter->value);
	case DIT_FILTER_GREATER:
		return type->ordering != NULL &&
		       dit_rule_compare(type->ordering, value, filter->value) >= 0;
	case DIT_FILTER_LESS:
		return type->ordering != NULL &&
		       dit_rule_compare(type->ordering, value, filter->value) <= 0;
	case DIT_FILTER_SUBSTRINGS:
		return dit_has_pieces(value, filter->pieces, filter->npieces);
	default:
		return dit_values_equal(m->schema, type, value, filter->value);
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

	if (!filter->has_rule &&
	    (normal != NULL || type->validator == DIT_VALID_CLASS_NAME)) {
		return dit_values_equal(m->schema, type, normal != NULL ? *normal : value,
		                        filter->value);
	}
	if (rule->normalizer == DIT_NORM_NONE) {
		return dit_rule_matches(rule, value, filter->value);
	}
	if (normal != NULL && type->equality != NULL &&
	    type->equality->normalizer == rule->normalizer) {
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

static int match_attrs(const struct matching *m, const struct dit_filter *filter)
{
	const struct dit_entry_view *entry = m->entry;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !concerns(filter, attr->ad)) {
			continue;
		}
		if (filter->kind == DIT_FILTER_PRESENT) {
			return DIT_TRUE;
		}
		for (uint32_t v = 0; v < attr->nvalues; v++) {
			/* As the equality rule compares them. */
			const struct dit_span *normal =
				attr->normal != NULL ? attr->normal : attr->values;
			int r = match_value(m, filter, attr->ad->type, attr->values[v],
			                    normal[v]);

			if (r != DIT_FALSE) {
				return r;
			}
		}
	}
	return DIT_FALSE;
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
		rest = dn.nrdns < 2 ? DIT_SPAN("")
		                    : (struct dit_span){dn.pretty.data + dn.pretty_at[1],
		                                        dn.pretty.len - dn.pretty_at[1]};
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
