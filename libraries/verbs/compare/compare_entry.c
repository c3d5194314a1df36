/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two entries, attribute by attribute. Attributes are found by name, in any order, and
 * their values are sets:
 *
 *   id2e: "cn=a,dc=x", mail, only in the second: "a@x"
 *   id2e: "cn=a,dc=x", sn: "Roe" | "Rue"
 *
 * slapadd 2.5 stores an attribute twice whose lines stand apart and name it differently,
 * as "cn: a" and "commonName: b" do. A load of what slapcat writes of it has one block:
 *
 *   cn: a      sn: x      cn: b       is      cn: a b      sn: x
 *
 * In a load of what the other database holds, and in OpenLDAP 2.7 next to 2.5 or 2.6
 * (storage-2.7.md 2.1 to 2.6), these differ: IDs, numbers of attribute descriptions, the
 * order of attributes, upper and lower case in their names. Whether values are sorted or
 * kept apart is a matter of the configuration, and so is their order then.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>

#include "base/grow.h"
#include "codec/attr_values.h"
#include "codec/entry_codec.h"

/* Shown of each side. */
#define SHOWN_VALUES 20

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

/* ---- lines ---- */

void dit_compare_put_entry(struct dit_compare *c, const struct dit_entry_view *entry)
{
	if (entry->name_error < 0) {
		dit_compare_put(c, "ID %" PRIu64, entry->id);
	} else {
		dit_compare_put_quoted(c, entry->dn);
	}
}

static void say_entry(struct dit_compare *c, const struct dit_entry_view *entry,
                      const char *what)
{
	dit_compare_line_begin(c);
	dit_compare_put_entry(c, entry);
	dit_compare_put(c, ", %s", what);
	dit_compare_line_end(c);
}

static void say_names(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	dit_compare_line_begin(c);
	dit_compare_put_entry(c, &entries[0]);
	dit_compare_put(c, " | ");
	dit_compare_put_entry(c, &entries[1]);
	dit_compare_line_end(c);
}

/* ---- values ---- */

static int compare_values(const void *a, const void *b)
{
	const struct dit_value *x = a;
	const struct dit_value *y = b;
	int order = dit_span_compare(x->pretty, y->pretty);

	return order != 0 ? order : dit_span_compare(x->normal, y->normal);
}

/* Generated values have one length, whatever they are. */
static bool same_in_order(const struct dit_compare *c, const struct dit_attr_view *a,
                          const struct dit_attr_view *b)
{
	bool is_generated = c->opts.ignore_generated && dit_compare_is_generated(a->name);
	bool are_same = a->nvalues == b->nvalues;

	for (uint32_t i = 0; i < a->nvalues && are_same; i++) {
		struct dit_value values[2] = {dit_attr_value(a, i), dit_attr_value(b, i)};

		are_same = is_generated ? values[0].pretty.len == values[1].pretty.len
		                        : compare_values(&values[0], &values[1]) == 0;
	}
	return are_same;
}

static bool is_kept_alike(const struct dit_attr_view *a, const struct dit_attr_view *b)
{
	return a->is_sorted == b->is_sorted && a->is_split == b->is_split;
}

/* ---- an attribute on both ---- */

/* @param with_normal  the values are the same on both sides, their normal forms differ */
static void put_values(struct dit_compare *c, const struct dit_attr_values *values,
                       bool with_normal)
{
	for (size_t i = 0; i < values->n && i < SHOWN_VALUES; i++) {
		dit_compare_put(c, " ");
		dit_compare_put_quoted(c, values->list[i].pretty);
		if (with_normal) {
			dit_compare_put(c, ", normal ");
			dit_compare_put_quoted(c, values->list[i].normal);
		}
	}
	if (values->n > SHOWN_VALUES) {
		dit_compare_put(c, " ... (%zu values)", values->n);
	}
}

static void say_values(struct dit_compare *c, const struct dit_attr_values both[2])
{
	bool are_both = both[0].n > 0 && both[1].n > 0;
	bool with_normal =
		are_both && dit_span_eq(both[0].list[0].pretty, both[1].list[0].pretty);

	dit_compare_line_begin(c);
	dit_compare_put_entry(c, both[0].entry);
	dit_compare_put(c, ", ");
	dit_compare_put_name(c, both[both[0].first == NULL].first->name);
	dit_compare_put(c, "%s",
	                are_both         ? ":"
	                : both[0].n == 0 ? ", only in the second:"
	                                 : ", only in the first:");
	put_values(c, &both[0], with_normal);
	dit_compare_put(c, "%s", are_both ? " |" : "");
	put_values(c, &both[1], with_normal);
	dit_compare_line_end(c);
}

static int sort_values(struct dit_compare *c, struct dit_attr_values *values)
{
	int r = dit_attr_values_take(values, 0, &c->arena);

	dit_sort_items(values->list, r < 0 ? 0 : values->n, sizeof(*values->list),
	               compare_values);
	return r;
}

static void compare_attr(struct dit_compare *c, struct dit_attr_values both[2])
{
	const struct dit_attr_view *a = both[0].first;
	const struct dit_attr_view *b = both[1].first;
	size_t n[2];

	if (a != NULL && b != NULL && dit_attr_values_next(&both[0], a) == NULL &&
	    dit_attr_values_next(&both[1], b) == NULL && same_in_order(c, a, b)) {
		return;
	}
	if (sort_values(c, &both[0]) < 0 || sort_values(c, &both[1]) < 0) {
		c->error = -ENOMEM;
		return;
	}
	n[0] = both[0].n;
	n[1] = both[1].n;
	dit_pairs_subtract((void *const[]){both[0].list, both[1].list}, n,
	                   sizeof(struct dit_value), compare_values);
	both[0].n = n[0];
	both[1].n = n[1];
	if (n[0] > 0 || n[1] > 0) {
		say_values(c, both);
	} else if (a != NULL && b != NULL && is_kept_alike(a, b) &&
	           (both[0].nblocks != both[1].nblocks || !same_in_order(c, a, b))) {
		c->is_reordered = true;
	}
}

static void compare_attrs(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	struct dit_attr_values both[2] = {{.entry = &entries[0]}, {.entry = &entries[1]}};
	struct dit_pairs pairs = dit_attr_pairs(both);

	c->is_reordered = false;
	while (dit_pairs_next(&pairs) > 0) {
		compare_attr(c, both);
	}
}

/* ---- two entries ---- */

/* An attribute as its record has it; values that are in id2v are only counted. */
static struct dit_attr_view view_of(const struct dit_compare *c, int side,
                                    const struct dit_stored_attr *attr)
{
	const struct dit_ad_name *name =
		dit_ad_names_get(&c->sides[side].names, attr->ad_number);

	return (struct dit_attr_view){
		.name = name == NULL ? (struct dit_span){NULL, 0} : name->name,
		.number = attr->ad_number,
		.is_sorted = attr->is_sorted,
		.is_split = attr->is_split,
		.nvalues = attr->nvalues,
		.values = attr->values,
		.normal = attr->normal,
	};
}

/* Two records without the values that are in id2v: slapadd stores records whose counts
 * those do not agree with (split_codec.h), and a load of ours does as it does. The
 * padding after the last value does not count. */
static bool same_records(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	struct dit_stored_entry both[2];
	bool are_same = true;

	for (int side = 0; side < 2; side++) {
		int r = dit_entry_decode(entries[side].record, &c->arena, &both[side]);

		if (r < 0) {
			c->error = r == -ENOMEM ? r : c->error;
			return r != -ENOMEM &&
			       dit_span_eq(entries[0].record, entries[1].record);
		}
	}
	are_same =
		both[0].nattrs == both[1].nattrs && both[0].oc_flags == both[1].oc_flags;
	for (uint32_t i = 0; i < both[0].nattrs && are_same; i++) {
		struct dit_attr_view a = view_of(c, 0, &both[0].attrs[i]);
		struct dit_attr_view b = view_of(c, 1, &both[1].attrs[i]);

		are_same =
			a.number == b.number && is_kept_alike(&a, &b) &&
			(a.normal == NULL) == (b.normal == NULL) &&
			(a.is_split ? a.nvalues == b.nvalues : same_in_order(c, &a, &b));
	}
	return are_same;
}

static void compare_two(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	uint64_t before = c->ndb;

	dit_arena_reset(&c->arena);
	if (entries[0].record_error < 0 || entries[1].record_error < 0) {
		if (!same_records(c, entries)) {
			say_entry(c, &entries[0],
			          entries[0].record_error < 0 ? "the first is damaged"
			                                      : "the second is damaged");
		}
		return;
	}
	if (!dit_span_eq(entries[0].dn, entries[1].dn)) {
		say_names(c, entries);
	}
	if (entries[0].oc_flags != entries[1].oc_flags) {
		say_entry(c, &entries[0], "the flags of object classes differ");
	}
	compare_attrs(c, entries);
	if (c->ndb > before) {
		return;
	}
	if (c->opts.is_exact &&
	    (c->is_across ? c->is_reordered : !same_records(c, entries))) {
		say_entry(c, &entries[0], "stored in another order or form");
	} else {
		c->nreordered += c->is_reordered;
	}
}

void dit_compare_views(struct dit_compare *c, int which)
{
	const struct dit_entry_view entries[2] = {c->sides[0].view, c->sides[1].view};

	if (which == DIT_PAIR_BOTH) {
		compare_two(c, entries);
	} else {
		bool is_second = which == DIT_PAIR_SECOND;

		say_entry(c, &entries[is_second],
		          is_second ? "only in the second" : "only in the first");
	}
}

bool dit_compare_stored(struct dit_compare *c, struct dit_span key,
                        const struct dit_span records[2])
{
	int which = DIT_PAIR_NONE;
	uint64_t id = 0;

	if (key.len != sizeof(id) || c->sides[0].reader == NULL ||
	    c->sides[1].reader == NULL) {
		return false;
	}
	memcpy(&id, key.data, sizeof(id));
	for (int i = 0; i < 2; i++) {
		struct dit_compare_side *side = &c->sides[i];
		int r = dit_entry_reader_show(side->reader, id, records[i], &side->view);

		if (r < 0) {
			c->error = r;
			return true;
		}
		which |= side->view.is_hole ? 0 : DIT_PAIR_FIRST << i;
	}
	dit_compare_views(c, which);
	return true;
}
