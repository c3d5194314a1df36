/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two stored entries, attribute by attribute. In one format attribute numbers are
 * compared as they are, and the names in the report are those of each side's own ad2i.
 * Across formats attributes are found by name.
 *
 * slapadd 2.5 stores an attribute twice whose lines stand apart and name it differently,
 * as "cn: a" and "commonName: b" do. A load of what slapcat writes of it has one block:
 *
 *   cn: a      sn: x      cn: b       is      cn: a b      sn: x
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "codec/entry_codec.h"

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
	const struct dit_ad_name *name = dit_ad_names_get(&side->names, number);

	return name == NULL ? DIT_SPAN("") : name->name;
}

void dit_compare_put_entry(struct dit_compare *c, const struct dit_entry_view *entry)
{
	if (!c->is_across) {
		dit_compare_put(c, "key ");
		dit_compare_put_hex(c, c->key);
	} else if (entry->name_error < 0) {
		dit_compare_put(c, "ID %" PRIu64, entry->id);
	} else {
		dit_compare_put_quoted(c, entry->dn);
	}
}

/* Start the line of a difference between two entries. */
static void begin_entry(struct dit_compare *c, const struct dit_entry_view *entry)
{
	dit_compare_line_begin(c);
	dit_compare_put_entry(c, entry);
	dit_compare_put(c, ", ");
}

static void put_attr_names(struct dit_compare *c, const struct dit_entry_view *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		dit_compare_put(c, "%s%u=", i == 0 ? "" : " ", entry->attrs[i].number);
		dit_compare_put_name(c, entry->attrs[i].name);
	}
}

static bool same_numbers(const struct dit_entry_view *a, const struct dit_entry_view *b)
{
	if (a->nattrs != b->nattrs) {
		return false;
	}
	for (uint32_t i = 0; i < a->nattrs; i++) {
		if (a->attrs[i].number != b->attrs[i].number) {
			return false;
		}
	}
	return true;
}

/* ---- values ---- */

struct value {
	struct dit_span pretty;
	struct dit_span normal;
};

enum sameness {
	DIFFERENT,
	SAME,
	REORDERED, /* the same values in another order */
};

static int compare_values(const void *a, const void *b)
{
	const struct value *x = a;
	const struct value *y = b;
	int order = dit_span_compare(x->pretty, y->pretty);

	return order != 0 ? order : dit_span_compare(x->normal, y->normal);
}

/* Readers of an entry without normal forms take the values for them. */
static struct value value_of(const struct dit_attr_view *attr, uint32_t i)
{
	return (struct value){attr->values[i],
	                      attr->normal == NULL ? attr->values[i] : attr->normal[i]};
}

/* Generated values have one length, whatever they are. */
static bool same_value(struct value a, struct value b, bool is_generated)
{
	return is_generated ? a.pretty.len == b.pretty.len : compare_values(&a, &b) == 0;
}

static bool same_in_order(const struct dit_attr_view *a, const struct dit_attr_view *b,
                          bool is_generated)
{
	for (uint32_t i = 0; i < a->nvalues; i++) {
		if (!same_value(value_of(a, i), value_of(b, i), is_generated)) {
			return false;
		}
	}
	return true;
}

static struct value *sorted(struct dit_compare *c, const struct dit_attr_view *attr)
{
	struct value *values = dit_compare_alloc(c, attr->nvalues, sizeof(*values));

	for (uint32_t i = 0; values != NULL && i < attr->nvalues; i++) {
		values[i] = value_of(attr, i);
	}
	if (values != NULL) {
		qsort(values, attr->nvalues, sizeof(*values), compare_values);
	}
	return values;
}

/* The values that both attributes have. Without memory: the same */
static enum sameness same_values(struct dit_compare *c, const struct dit_attr_view *a,
                                 const struct dit_attr_view *b)
{
	bool is_generated = c->opts.ignore_generated && dit_compare_is_generated(a->name);
	const struct value *x = NULL;
	const struct value *y = NULL;

	if (a->nvalues != b->nvalues) {
		return DIFFERENT;
	}
	if (same_in_order(a, b, is_generated)) {
		return SAME;
	}
	x = sorted(c, a);
	y = sorted(c, b);
	if (x == NULL || y == NULL) {
		return SAME;
	}
	for (uint32_t i = 0; i < a->nvalues; i++) {
		if (compare_values(&x[i], &y[i]) != 0) {
			return DIFFERENT;
		}
	}
	return REORDERED;
}

/* Order alone is no difference, but for an exact comparison, and is noted. */
static bool is_difference(struct dit_compare *c, enum sameness sameness)
{
	if (sameness == REORDERED && !c->opts.is_exact) {
		c->is_reordered = true;
		return false;
	}
	return sameness != SAME;
}

/* ---- blocks ---- */

/* By number; those of one number as they are stored. */
static int compare_numbers(const void *a, const void *b)
{
	const struct dit_attr_view *const x = *(const struct dit_attr_view *const *)a;
	const struct dit_attr_view *const y = *(const struct dit_attr_view *const *)b;

	return x->number != y->number ? (x->number > y->number ? 1 : -1)
	                              : (x > y) - (x < y);
}

/* Most entries have few attributes, whose numbers are close to each other. */
static bool may_have_blocks(const struct dit_entry_view *entry)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		uint64_t bit = UINT64_C(1) << entry->attrs[i].number % 64;

		if ((seen & bit) != 0) {
			return true;
		}
		seen |= bit;
	}
	return false;
}

/* All values of @p n blocks. */
static void join(struct dit_compare *c, const struct dit_attr_view *const *blocks,
                 size_t n, struct dit_attr_view *ret)
{
	size_t nvalues = 0;
	size_t at = 0;
	struct dit_span *values = NULL;
	struct dit_span *normal = NULL;
	bool has_normal = false;

	for (size_t i = 0; i < n; i++) {
		nvalues += blocks[i]->nvalues;
		has_normal = has_normal || blocks[i]->normal != NULL;
	}
	values = dit_compare_alloc(c, nvalues, sizeof(*values));
	normal = dit_compare_alloc(c, nvalues, sizeof(*normal));
	if (values == NULL || normal == NULL) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		for (uint32_t v = 0; v < blocks[i]->nvalues; v++) {
			struct value value = value_of(blocks[i], v);

			values[at] = value.pretty;
			normal[at++] = value.normal;
		}
	}
	ret->nvalues = (uint32_t)nvalues;
	ret->values = values;
	ret->normal = has_normal ? normal : NULL;
}

/* How many blocks from the first one on are of its attribute. Values in id2v have one. */
static size_t count_blocks(const struct dit_attr_view *const *blocks, size_t n)
{
	size_t end = 1;

	while (end < n && blocks[end]->number == blocks[0]->number &&
	       blocks[0]->values != NULL && blocks[end]->values != NULL) {
		end++;
	}
	return end;
}

/* @return were there attributes of several blocks? */
static bool join_blocks(struct dit_compare *c, struct dit_entry_view *entry)
{
	size_t nattrs = entry->nattrs;
	const struct dit_attr_view **blocks = NULL;
	struct dit_attr_view *attrs = NULL;
	bool *is_joined = NULL; /* with one that comes before */
	uint32_t n = 0;

	if (!may_have_blocks(entry)) {
		return false;
	}
	blocks = dit_compare_alloc(c, nattrs, sizeof(*blocks));
	attrs = dit_compare_alloc(c, nattrs, sizeof(*attrs));
	is_joined = dit_compare_alloc(c, nattrs, sizeof(*is_joined));
	if (blocks == NULL || attrs == NULL || is_joined == NULL) {
		return false;
	}
	for (size_t i = 0; i < nattrs; i++) {
		blocks[i] = &entry->attrs[i];
		attrs[i] = entry->attrs[i];
	}
	qsort(blocks, nattrs, sizeof(*blocks), compare_numbers);
	for (size_t i = 0; i < nattrs;) {
		size_t several = count_blocks(blocks + i, nattrs - i);

		if (several > 1) {
			join(c, blocks + i, several, &attrs[blocks[i] - entry->attrs]);
		}
		for (size_t end = i++ + several; i < end; i++) {
			is_joined[blocks[i] - entry->attrs] = true;
		}
	}
	for (size_t i = 0; i < nattrs; i++) {
		if (!is_joined[i]) {
			attrs[n++] = attrs[i];
		}
	}
	entry->attrs = attrs;
	entry->nattrs = n;
	return n < nattrs;
}

void dit_compare_join_blocks(struct dit_compare *c, struct dit_entry_view entries[2])
{
	bool several[2] = {false, false};

	for (int i = 0; i < 2 && !c->opts.is_exact; i++) {
		several[i] = join_blocks(c, &entries[i]);
	}
	c->is_reordered = several[0] != several[1];
}

void dit_compare_entry_end(struct dit_compare *c, uint64_t before)
{
	c->nreordered += c->is_reordered && c->ndb == before;
}

/* ---- attributes ---- */

/*
 * Across formats the configuration decides whether values are sorted or kept apart, and
 * the order of such values is not the input's.
 */
static enum sameness same_attr(struct dit_compare *c, const struct dit_attr_view *a,
                               const struct dit_attr_view *b)
{
	bool is_kept_alike = a->is_sorted == b->is_sorted && a->is_split == b->is_split;

	if (c->is_across) {
		enum sameness sameness = same_values(c, a, b);

		return sameness == REORDERED && !is_kept_alike ? SAME : sameness;
	}
	if (!is_kept_alike ||
	    (c->opts.is_exact && (a->normal == NULL) != (b->normal == NULL))) {
		return DIFFERENT;
	}
	if (a->values == NULL || b->values == NULL) {
		return a->values == b->values && a->nvalues == b->nvalues ? SAME
		                                                          : DIFFERENT;
	}
	return same_values(c, a, b);
}

static void put_attr(struct dit_compare *c, const struct dit_attr_view *attr)
{
	if (!c->is_across) {
		dit_compare_put(c, "%s%s", attr->is_sorted ? "sorted, " : "",
		                attr->is_split ? "in id2v, " : "");
	}
	dit_compare_put(c, "%u", attr->nvalues);
	if (attr->values != NULL) {
		dit_compare_put(c, ":");
		dit_compare_put_values(c, attr->values, attr->nvalues);
	}
	if (attr->normal != NULL) {
		dit_compare_put(c, ", normal:");
		dit_compare_put_values(c, attr->normal, attr->nvalues);
	}
}

/* @param attrs  of both sides; one may be NULL */
static void say_attr(struct dit_compare *c, const struct dit_entry_view *entry,
                     const struct dit_attr_view *const attrs[2])
{
	begin_entry(c, entry);
	dit_compare_put_name(c, attrs[attrs[0] == NULL ? 1 : 0]->name);
	if (attrs[0] == NULL || attrs[1] == NULL) {
		dit_compare_put(c, ", only in the %s",
		                attrs[0] == NULL ? "second" : "first");
	}
	for (int i = 0; i < 2; i++) {
		if (attrs[i] != NULL) {
			dit_compare_put(c, i == 1 && attrs[0] != NULL ? " | " : ": ");
			put_attr(c, attrs[i]);
		}
	}
	dit_compare_line_end(c);
}

/* The one that stands there, since numbers are the same; across formats that of the name.
 * NULL: none */
static const struct dit_attr_view *find_attr(const struct dit_compare *c,
                                             const struct dit_entry_view *entry,
                                             uint32_t place, struct dit_span name)
{
	if (!c->is_across || (place < entry->nattrs &&
	                      dit_span_eq_nocase(entry->attrs[place].name, name))) {
		return &entry->attrs[place];
	}
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (dit_span_eq_nocase(entry->attrs[i].name, name)) {
			return &entry->attrs[i];
		}
	}
	return NULL;
}

void dit_compare_attrs(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	const struct dit_attr_view *attrs[2] = {NULL, NULL};

	for (uint32_t i = 0; i < entries[0].nattrs; i++) {
		attrs[0] = &entries[0].attrs[i];
		attrs[1] = find_attr(c, &entries[1], i, attrs[0]->name);
		if (attrs[1] == NULL ||
		    is_difference(c, same_attr(c, attrs[0], attrs[1]))) {
			say_attr(c, &entries[0], attrs);
		}
	}
	attrs[0] = NULL;
	for (uint32_t i = 0; i < entries[1].nattrs && c->is_across; i++) {
		attrs[1] = &entries[1].attrs[i];
		if (find_attr(c, &entries[0], i, attrs[1]->name) == NULL) {
			say_attr(c, &entries[0], attrs);
		}
	}
}

/* ---- two records ---- */

static void say_numbers(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	begin_entry(c, &entries[0]);
	dit_compare_put(c, "attributes ");
	put_attr_names(c, &entries[0]);
	dit_compare_put(c, " | ");
	put_attr_names(c, &entries[1]);
	dit_compare_line_end(c);
}

static void say_flags(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	begin_entry(c, &entries[0]);
	dit_compare_put(c, "object class flags %#x | %#x", entries[0].oc_flags,
	                entries[1].oc_flags);
	dit_compare_line_end(c);
}

static void compare_decoded(struct dit_compare *c, struct dit_entry_view entries[2])
{
	dit_compare_join_blocks(c, entries);
	if (!same_numbers(&entries[0], &entries[1])) {
		say_numbers(c, entries);
		return;
	}
	if (entries[0].oc_flags != entries[1].oc_flags) {
		say_flags(c, entries);
	}
	dit_compare_attrs(c, entries);
}

/* A hole on one side, or a record that cannot be read: no details. */
static void say_whole(struct dit_compare *c, const struct dit_span values[2],
                      const char *remark)
{
	const struct dit_entry_view none = {.nattrs = 0};

	begin_entry(c, &none);
	dit_compare_put_value(c, "id2e", values[0]);
	dit_compare_put(c, " | ");
	dit_compare_put_value(c, "id2e", values[1]);
	dit_compare_put(c, "%s", remark);
	dit_compare_line_end(c);
}

/* @return 0; DIT_E_CORRUPT; -ENOMEM */
static int decode(struct dit_compare *c, int side, struct dit_span record,
                  struct dit_entry_view *ret)
{
	struct dit_stored_entry entry;
	struct dit_attr_view *attrs = NULL;
	int r = dit_entry_decode(record, &c->arena, &entry);

	if (r < 0) {
		return r;
	}
	attrs = dit_compare_alloc(c, (size_t)entry.nattrs + 1, sizeof(*attrs));
	if (attrs == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < entry.nattrs; i++) {
		const struct dit_stored_attr *attr = &entry.attrs[i];

		attrs[i] = (struct dit_attr_view){
			.number = attr->ad_number,
			.name = ad_name(&c->sides[side], attr->ad_number),
			.is_sorted = attr->is_sorted,
			.is_split = attr->is_split,
			.nvalues = attr->nvalues,
			.values = attr->values,
			.normal = attr->normal,
		};
	}
	*ret = (struct dit_entry_view){
		.oc_flags = entry.oc_flags, .nattrs = entry.nattrs, .attrs = attrs};
	return 0;
}

void dit_compare_entries(struct dit_compare *c, struct dit_span key,
                         const struct dit_span values[2])
{
	struct dit_entry_view entries[2];
	uint64_t before = c->ndb;

	c->key = key;
	if (values[0].len == 0 || values[1].len == 0) {
		say_whole(c, values, "");
		return;
	}
	dit_arena_reset(&c->arena);
	for (int i = 0; i < 2; i++) {
		int r = decode(c, i, values[i], &entries[i]);

		if (r == DIT_E_CORRUPT) {
			say_whole(c, values,
			          i == 0 ? ", the first is damaged"
			                 : ", the second is damaged");
			return;
		}
		if (r < 0) {
			c->error = r;
			return;
		}
	}
	compare_decoded(c, entries);
	dit_compare_entry_end(c, before);
}
