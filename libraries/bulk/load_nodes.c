/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nodes of the tree while entries come, on the coordinator: which there are, with
 * which IDs, and which of them are holes.
 *
 * Node i of a DN is what remains without its first i RDNs; node 0 is the entry itself,
 * the topmost one the suffix, taken as one RDN. New nodes are in the DN table. Those of a
 * database that holds entries already are looked up there when they are asked for, so
 * that ten entries can be added to ten million.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/big_endian.h"
#include "store/name_codec.h"

/* RDN number of the topmost node that is stored for a DN: the suffix, taken as one. */
static unsigned top_of(const struct load_target *target, const struct dit_dn *dn)
{
	unsigned below = target->suffix_nrdns == 0 ? 1 : target->suffix_nrdns;

	return dn->nrdns - below;
}

static struct dit_span tail(struct dit_span dn, const uint32_t *at, unsigned i)
{
	return (struct dit_span){dn.data + at[i], dn.len - at[i]};
}

static struct dit_span rdn(struct dit_span dn, const uint32_t *at, unsigned i,
                           unsigned top)
{
	struct dit_span span = tail(dn, at, i);

	if (i < top) {
		span.len = at[i + 1] - at[i] - 1; /* without the comma */
	}
	return span;
}

static struct dit_fingerprint fingerprint(const struct load_item *item, unsigned i)
{
	const struct dit_dn *dn = &item->entry.dn;

	if (i == 0) {
		return item->self;
	}
	if (i == 1) {
		return item->parent;
	}
	return dit_fingerprint_of(tail(dn->norm, dn->norm_at, i));
}

/*
 * The ID of node i in the database that holds entries already. Its nodes lie below one
 * another, so the way leads from the top; the new ones are in the table.
 */
static int find_stored(struct load_target *target, const struct load_item *item,
                       unsigned i, uint32_t *ret_id)
{
	const struct dit_dn *dn = &item->entry.dn;
	unsigned top = top_of(target, dn);
	uint64_t id = 0;

	for (unsigned k = top + 1; k > i; k--) {
		struct dit_span norm = rdn(dn->norm, dn->norm_at, k - 1, top);
		int r = dit_output_find_child(target->output, id, norm, &id);

		if (r <= 0) {
			*ret_id = 0;
			return r;
		}
		if (id > target->output->stored.last_id || id == 0) {
			return DIT_E_CORRUPT;
		}
	}
	*ret_id = (uint32_t)id;
	return 0;
}

/* Below its parent, which is known: one look instead of one at each level. */
static int find_stored_child(struct load_target *target, const struct load_item *item,
                             uint32_t parent, uint32_t *ret_id)
{
	const struct dit_dn *dn = &item->entry.dn;
	struct dit_span norm = rdn(dn->norm, dn->norm_at, 0, top_of(target, dn));
	uint64_t id = 0;
	int r = 0;

	*ret_id = 0;
	if (parent <= target->output->stored.last_id) {
		r = dit_output_find_child(target->output, parent, norm, &id);
	}
	if (r > 0 && id > target->output->stored.last_id) {
		return DIT_E_CORRUPT;
	}
	*ret_id = (uint32_t)id;
	return r < 0 ? r : 0;
}

/* The ID of node i of the item's DN, i > 0; 0: there is none. */
static int find_node(struct load_target *target, const struct load_item *item, unsigned i,
                     uint32_t *ret_id)
{
	struct dit_fingerprint f = fingerprint(item, i);
	uint32_t id = 0;
	int r = 0;

	if (i == 1 && target->last_parent_id != 0 &&
	    memcmp(&f, &target->last_parent, sizeof(f)) == 0) {
		*ret_id = target->last_parent_id;
		return 0;
	}
	id = dit_dn_table_find(target->names, &f);
	if (id == 0 && target->output->stored.has_names) {
		r = find_stored(target, item, i, &id);
	}
	if (i == 1 && r == 0 && id != 0) {
		target->last_parent = f;
		target->last_parent_id = id;
	}
	*ret_id = id;
	return r;
}

int load_find_self(struct load_target *target, const struct load_item *item,
                   uint32_t *ret_id)
{
	uint32_t parent = 0;
	int r = 0;

	*ret_id = dit_dn_table_find(target->names, &item->self);
	if (*ret_id != 0 || !target->output->stored.has_names) {
		return 0;
	}
	if (top_of(target, &item->entry.dn) > 0) {
		r = find_node(target, item, 1, &parent);
		if (r < 0 || parent == 0) {
			return r;
		}
	}
	return find_stored_child(target, item, parent, ret_id);
}

/*
 * Give one record of dn2i to the sorter. Its key sorts as the records lie in dn2i: by
 * ID, then self before children, then by length and bytes of the normal RDN.
 *
 *   key:    8 ID of the node it lies under, big-endian; 2 length | 1 << 15 for a child,
 *           big-endian; normal RDN
 *   value:  8 child's or parent's ID; pretty RDN
 */
static int push_name(struct load_target *target, uint32_t under, uint32_t other,
                     bool is_child, struct dit_span norm, struct dit_span pretty)
{
	char key[8 + 2 + DIT_NAME_STRINGS_MAX];
	char value[8 + DIT_NAME_STRINGS_MAX];

	dit_be_put(key, under, 8);
	key[8] = (char)((norm.len >> 8) | (is_child ? 0x80 : 0));
	key[9] = (char)norm.len;
	memcpy(key + 10, norm.data, norm.len);
	dit_be_put(value, other, 8);
	memcpy(value + 8, pretty.data, pretty.len);
	return dit_sorter_push(target->tree, 0, (struct dit_span){key, 10 + norm.len},
	                       (struct dit_span){value, 8 + pretty.len});
}

/* Add node i of the item's DN below @p parent. */
static int add_node(struct load_target *target, const struct load_item *item, unsigned i,
                    uint32_t parent, uint32_t *ret_id)
{
	const struct dit_dn *dn = &item->entry.dn;
	unsigned top = top_of(target, dn);
	struct dit_span norm = rdn(dn->norm, dn->norm_at, i, top);
	struct dit_span pretty = rdn(dn->pretty, dn->pretty_at, i, top);
	struct dit_fingerprint f = fingerprint(item, i);
	int r = dit_dn_table_add(target->names, &f, parent, ret_id);

	if (r == 0) {
		r = push_name(target, parent, *ret_id, true, norm, pretty);
	}
	if (r == 0) {
		r = push_name(target, *ret_id, parent, false, norm, pretty);
	}
	return r;
}

static int add_hole(struct load_target *target, const struct load_item *item, unsigned i,
                    uint32_t id)
{
	const struct dit_dn *dn = &item->entry.dn;
	struct dit_span norm = tail(dn->norm, dn->norm_at, i);
	void *space = NULL;

	if (target->nholes == target->holes_size) {
		size_t size = target->holes_size == 0 ? 64 : target->holes_size * 2;
		struct load_hole *holes = realloc(target->holes, size * sizeof(*holes));

		if (holes == NULL) {
			return -ENOMEM;
		}
		target->holes = holes;
		target->holes_size = size;
	}
	target->holes[target->nholes] =
		(struct load_hole){.id = id, .norm = strndup(norm.data, norm.len)};
	if (target->holes[target->nholes].norm == NULL) {
		return -ENOMEM;
	}
	target->nholes++;
	return load_store_reserve(target, id, 0, &space);
}

struct load_hole *load_find_hole(struct load_target *target, uint32_t id)
{
	size_t low = 0;
	size_t high = target->nholes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (target->holes[middle].id < id) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low < target->nholes && target->holes[low].id == id) {
		return &target->holes[low];
	}
	return NULL;
}

int load_note_late(struct load_target *target, uint32_t id)
{
	if (target->nlate + 2 > target->late_size) {
		size_t size = target->late_size == 0 ? 128 : target->late_size * 2;
		uint32_t *late = realloc(target->late, size * sizeof(*late));

		if (late == NULL) {
			return -ENOMEM;
		}
		target->late = late;
		target->late_size = size;
	}
	target->late[target->nlate++] = id;
	target->late[target->nlate++] = dit_dn_table_last(target->names) + 1;
	return 0;
}

bool load_names_fit(const struct load_target *target, const struct dit_dn *dn,
                    unsigned first)
{
	unsigned top = top_of(target, dn);

	for (unsigned i = 0; i < first; i++) {
		if (rdn(dn->norm, dn->norm_at, i, top).len +
		            rdn(dn->pretty, dn->pretty_at, i, top).len >
		    DIT_NAME_STRINGS_MAX) {
			return false;
		}
	}
	return true;
}

int load_find_ancestor(struct load_target *target, const struct load_item *item,
                       unsigned *ret_first, uint32_t *ret_id)
{
	unsigned top = top_of(target, &item->entry.dn);

	for (unsigned i = 1; i <= top; i++) {
		int r = find_node(target, item, i, ret_id);

		*ret_first = i;
		if (r < 0 || *ret_id != 0) {
			return r;
		}
	}
	*ret_id = 0;
	*ret_first = top + 1;
	return 0;
}

int load_add_nodes(struct load_target *target, struct load_item *item, unsigned first,
                   uint32_t parent)
{
	uint32_t id = 0;
	int r = 0;

	for (unsigned i = first - 1; i > 0; i--) {
		r = add_node(target, item, i, parent, &id);
		if (r == 0) {
			r = add_hole(target, item, i, id);
		}
		if (r < 0) {
			return r;
		}
		parent = id;
	}
	r = add_node(target, item, 0, parent, &id);
	item->id = id;
	return r;
}
