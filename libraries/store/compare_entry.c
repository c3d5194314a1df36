/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two stored entries, attribute by attribute. Attribute numbers are compared as they are;
 * the names in the report are those of each side's own ad2i.
 */
#include "store/compare_impl.h"

#include <errno.h>

#include "base/error.h"
#include "store/entry_codec.h"

bool dit_compare_is_generated(struct dit_span name)
{
	/* storage.md 8; contextCSN is written by -w and repeats an entryCSN. */
	static const char *const generated[] = {
		"contextCSN", "createTimestamp", "entryCSN",
		"entryUUID",  "modifyTimestamp",
	};

	for (size_t i = 0; i < sizeof(generated) / sizeof(generated[0]); i++) {
		if (dit_span_eq(name, dit_span_of(generated[i]))) {
			return true;
		}
	}
	return false;
}

static struct dit_span ad_name(const struct dit_compare_side *side, uint32_t number)
{
	return number < side->nads ? side->ads[number] : DIT_SPAN("");
}

static void begin_entry(struct dit_compare *c, struct dit_span key)
{
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, key);
	dit_compare_put(c, ", ");
}

static void put_attr_names(struct dit_compare *c, int side,
                           const struct dit_stored_entry *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		struct dit_span name =
			ad_name(&c->sides[side], entry->attrs[i].ad_number);

		dit_compare_put(c, "%s%u=", i == 0 ? "" : " ", entry->attrs[i].ad_number);
		dit_compare_put_name(c, name);
	}
}

static bool same_numbers(const struct dit_stored_entry *a,
                         const struct dit_stored_entry *b)
{
	if (a->nattrs != b->nattrs) {
		return false;
	}
	for (uint32_t i = 0; i < a->nattrs; i++) {
		if (a->attrs[i].ad_number != b->attrs[i].ad_number) {
			return false;
		}
	}
	return true;
}

/* Generated values have one length, whatever they are. */
static bool same_spans(const struct dit_span *a, const struct dit_span *b, uint32_t n,
                       bool is_generated)
{
	if (a == NULL || b == NULL) {
		return a == b;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (is_generated ? a[i].len != b[i].len : !dit_span_eq(a[i], b[i])) {
			return false;
		}
	}
	return true;
}

/* Who reads an entry without normal forms takes the values for them. */
static const struct dit_span *normal_of(const struct dit_compare *c,
                                        const struct dit_stored_attr *attr)
{
	return attr->normal == NULL && !c->opts.is_exact ? attr->values : attr->normal;
}

static bool same_attr(const struct dit_compare *c, const struct dit_stored_attr *a,
                      const struct dit_stored_attr *b)
{
	bool is_generated = c->opts.ignore_generated &&
	                    dit_compare_is_generated(ad_name(&c->sides[0], a->ad_number));

	return a->nvalues == b->nvalues && a->is_sorted == b->is_sorted &&
	       a->is_split == b->is_split &&
	       same_spans(a->values, b->values, a->nvalues, is_generated) &&
	       same_spans(normal_of(c, a), normal_of(c, b), a->nvalues, is_generated);
}

static void put_attr(struct dit_compare *c, const struct dit_stored_attr *attr)
{
	dit_compare_put(c, "%s%s%u", attr->is_sorted ? "sorted, " : "",
	                attr->is_split ? "in id2v, " : "", attr->nvalues);
	if (attr->values != NULL) {
		dit_compare_put(c, ":");
		dit_compare_put_values(c, attr->values, attr->nvalues);
	}
	if (attr->normal != NULL) {
		dit_compare_put(c, ", normal:");
		dit_compare_put_values(c, attr->normal, attr->nvalues);
	}
}

static int compare_attrs(struct dit_compare *c, struct dit_span key,
                         const struct dit_stored_entry entries[2])
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < entries[0].nattrs; i++) {
		const struct dit_stored_attr *a = &entries[0].attrs[i];
		const struct dit_stored_attr *b = &entries[1].attrs[i];
		struct dit_span name = ad_name(&c->sides[0], a->ad_number);

		if (same_attr(c, a, b)) {
			continue;
		}
		r = dit_compare_line_begin(c);
		if (r < 0) {
			return r;
		}
		begin_entry(c, key);
		dit_compare_put_name(c, name);
		dit_compare_put(c, ": ");
		put_attr(c, a);
		dit_compare_put(c, " | ");
		put_attr(c, b);
		r = dit_compare_line_end(c);
	}
	return r;
}

static int say_unequal(struct dit_compare *c, struct dit_span key, const char *what,
                       uint64_t a, uint64_t b)
{
	int r = dit_compare_line_begin(c);

	if (r < 0) {
		return r;
	}
	begin_entry(c, key);
	dit_compare_put(c, "%s %#llx | %#llx", what, (unsigned long long)a,
	                (unsigned long long)b);
	return dit_compare_line_end(c);
}

static int compare_decoded(struct dit_compare *c, struct dit_span key,
                           const struct dit_stored_entry entries[2])
{
	int r = 0;

	if (!same_numbers(&entries[0], &entries[1])) {
		r = dit_compare_line_begin(c);
		if (r < 0) {
			return r;
		}
		begin_entry(c, key);
		dit_compare_put(c, "attributes ");
		put_attr_names(c, 0, &entries[0]);
		dit_compare_put(c, " | ");
		put_attr_names(c, 1, &entries[1]);
		return dit_compare_line_end(c);
	}
	if (entries[0].oc_flags != entries[1].oc_flags) {
		r = say_unequal(c, key, "object class flags", entries[0].oc_flags,
		                entries[1].oc_flags);
	}
	return r < 0 ? r : compare_attrs(c, key, entries);
}

/* A hole on one side, or a record that cannot be read: no details. */
static int say_whole(struct dit_compare *c, struct dit_span key,
                     const struct dit_span values[2], const char *remark)
{
	int r = dit_compare_line_begin(c);

	if (r < 0) {
		return r;
	}
	begin_entry(c, key);
	dit_compare_put_value(c, "id2e", values[0]);
	dit_compare_put(c, " | ");
	dit_compare_put_value(c, "id2e", values[1]);
	dit_compare_put(c, "%s", remark);
	return dit_compare_line_end(c);
}

int dit_compare_entries(struct dit_compare *c, struct dit_span key,
                        const struct dit_span values[2])
{
	struct dit_stored_entry entries[2];
	int r = 0;

	if (dit_span_eq(values[0], values[1])) {
		return 0;
	}
	if (values[0].len == 0 || values[1].len == 0) {
		return say_whole(c, key, values, "");
	}
	dit_arena_reset(&c->arena);
	for (int i = 0; i < 2; i++) {
		r = dit_entry_decode(values[i], &c->arena, &entries[i]);
		if (r == DIT_E_CORRUPT) {
			return say_whole(c, key, values,
			                 i == 0 ? ", the first is damaged"
			                        : ", the second is damaged");
		}
		if (r < 0) {
			return r;
		}
	}
	return compare_decoded(c, key, entries);
}
