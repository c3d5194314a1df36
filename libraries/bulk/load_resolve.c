/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order-dependent part of a load, on the coordinator: is the DN new, where is its
 * parent, which ID and attribute numbers does it get, what is to be said about it.
 *
 * IDs (storage.md 6.1, 3.4). Records get 1, 2, 3 ... in input order. A missing parent is
 * created as a *hole*: a node of the tree without entry, topmost first, each with the
 * next ID. A later record of that DN fills it and takes its ID; the spelling in the tree
 * stays that of the first reference:
 *
 *     dc=x               1
 *     cn=c,ou=B,ou=A,dc=x   2 = hole ou=A, 3 = hole ou=B, 4
 *     ou=A,dc=x          2, filled
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/name_codec.h"

#define ADS_MAX 65535 /* storage.md 2 */

/* ---- the tree ---- */

/* RDN number of the topmost node that is stored for a DN: the suffix, taken as one. */
static unsigned top_of(const struct loader *loader, const struct dit_dn *dn)
{
	unsigned below = loader->suffix_nrdns == 0 ? 1 : loader->suffix_nrdns;

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

static uint32_t find_node(struct loader *loader, const struct load_item *item, unsigned i)
{
	struct dit_fingerprint f = fingerprint(item, i);
	uint32_t id = 0;

	if (i == 1 && loader->last_parent_id != 0 &&
	    memcmp(&f, &loader->last_parent, sizeof(f)) == 0) {
		return loader->last_parent_id;
	}
	id = dit_dn_table_find(loader->names, &f);
	if (i == 1 && id != 0) {
		loader->last_parent = f;
		loader->last_parent_id = id;
	}
	return id;
}

static void put_be64(char *out, uint64_t value)
{
	for (int i = 0; i < 8; i++) {
		out[i] = (char)(value >> (56 - 8 * i));
	}
}

/*
 * Give one record of dn2i to the sorter. Its key sorts as the records lie in dn2i: by
 * ID, then self before children, then by length and bytes of the normal RDN.
 *
 *   key:    8 ID of the node it lies under, big-endian; 2 length | 1 << 15 for a child,
 *           big-endian; normal RDN
 *   value:  8 child's or parent's ID; pretty RDN
 */
static int push_name(struct loader *loader, uint32_t under, uint32_t other, bool is_child,
                     struct dit_span norm, struct dit_span pretty)
{
	char key[8 + 2 + DIT_NAME_STRINGS_MAX];
	char value[8 + DIT_NAME_STRINGS_MAX];

	put_be64(key, under);
	key[8] = (char)((norm.len >> 8) | (is_child ? 0x80 : 0));
	key[9] = (char)norm.len;
	memcpy(key + 10, norm.data, norm.len);
	put_be64(value, other);
	memcpy(value + 8, pretty.data, pretty.len);
	return dit_sorter_push(loader->tree, 0, (struct dit_span){key, 10 + norm.len},
	                       (struct dit_span){value, 8 + pretty.len});
}

/* Add node i of the item's DN below @p parent. */
static int add_node(struct loader *loader, const struct load_item *item, unsigned i,
                    uint32_t parent, uint32_t *ret_id)
{
	const struct dit_dn *dn = &item->entry.dn;
	unsigned top = top_of(loader, dn);
	struct dit_span norm = rdn(dn->norm, dn->norm_at, i, top);
	struct dit_span pretty = rdn(dn->pretty, dn->pretty_at, i, top);
	struct dit_fingerprint f = fingerprint(item, i);
	int r = dit_dn_table_add(loader->names, &f, parent, ret_id);

	if (r == 0) {
		r = push_name(loader, parent, *ret_id, true, norm, pretty);
	}
	if (r == 0) {
		r = push_name(loader, *ret_id, parent, false, norm, pretty);
	}
	return r;
}

static int add_hole(struct loader *loader, const struct load_item *item, unsigned i,
                    uint32_t id)
{
	const struct dit_dn *dn = &item->entry.dn;
	struct dit_span norm = tail(dn->norm, dn->norm_at, i);
	void *space = NULL;

	if (loader->nholes == loader->holes_size) {
		size_t size = loader->holes_size == 0 ? 64 : loader->holes_size * 2;
		struct load_hole *holes = realloc(loader->holes, size * sizeof(*holes));

		if (holes == NULL) {
			return -ENOMEM;
		}
		loader->holes = holes;
		loader->holes_size = size;
	}
	loader->holes[loader->nholes] =
		(struct load_hole){.id = id, .norm = strndup(norm.data, norm.len)};
	if (loader->holes[loader->nholes].norm == NULL) {
		return -ENOMEM;
	}
	loader->nholes++;
	return dit_staging_reserve_entry(loader->staging, id, 0, &space);
}

/* Holes have ascending IDs. */
static struct load_hole *find_hole(struct loader *loader, uint32_t id)
{
	size_t low = 0;
	size_t high = loader->nholes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (loader->holes[middle].id < id) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low < loader->nholes && loader->holes[low].id == id) {
		return &loader->holes[low];
	}
	return NULL;
}

static int note_late(struct loader *loader, uint32_t id)
{
	if (loader->nlate + 2 > loader->late_size) {
		size_t size = loader->late_size == 0 ? 128 : loader->late_size * 2;
		uint32_t *late = realloc(loader->late, size * sizeof(*late));

		if (late == NULL) {
			return -ENOMEM;
		}
		loader->late = late;
		loader->late_size = size;
	}
	loader->late[loader->nlate++] = id;
	loader->late[loader->nlate++] = dit_dn_table_size(loader->names) + 1;
	return 0;
}

/* True if all nodes 0 .. first - 1 of a DN fit a record of dn2i (storage.md 3.6). */
static bool names_fit(const struct loader *loader, const struct dit_dn *dn,
                      unsigned first)
{
	unsigned top = top_of(loader, dn);

	for (unsigned i = 0; i < first; i++) {
		if (rdn(dn->norm, dn->norm_at, i, top).len +
		            rdn(dn->pretty, dn->pretty_at, i, top).len >
		    DIT_NAME_STRINGS_MAX) {
			return false;
		}
	}
	return true;
}

/* The entry's nearest ancestor that exists is node @p first (top + 1: the root). */
static unsigned find_ancestor(struct loader *loader, const struct load_item *item,
                              uint32_t *ret_id)
{
	unsigned top = top_of(loader, &item->entry.dn);

	for (unsigned i = 1; i <= top; i++) {
		*ret_id = find_node(loader, item, i);
		if (*ret_id != 0) {
			return i;
		}
	}
	*ret_id = 0;
	return top + 1;
}

static int add_nodes(struct loader *loader, struct load_item *item, unsigned first,
                     uint32_t parent)
{
	uint32_t id = 0;
	int r = 0;

	for (unsigned i = first - 1; i > 0; i--) {
		r = add_node(loader, item, i, parent, &id);
		if (r == 0) {
			r = add_hole(loader, item, i, id);
		}
		if (r < 0) {
			return r;
		}
		parent = id;
	}
	r = add_node(loader, item, 0, parent, &id);
	item->id = id;
	return r;
}

/* ---- storing ---- */

static int number_ad(struct loader *loader, const struct dit_ad *ad)
{
	if (loader->nads == ADS_MAX) {
		return DIT_E_TOOLONG;
	}
	if (ad->ordinal >= loader->ad_numbers_size) {
		size_t size = (ad->ordinal + 1) * 2;
		uint32_t *numbers = realloc(loader->ad_numbers, size * sizeof(*numbers));

		if (numbers == NULL) {
			return -ENOMEM;
		}
		memset(numbers + loader->ad_numbers_size, 0,
		       (size - loader->ad_numbers_size) * sizeof(*numbers));
		loader->ad_numbers = numbers;
		loader->ad_numbers_size = size;
	}
	if (loader->nads == loader->ads_size) {
		size_t size = loader->ads_size == 0 ? 64 : loader->ads_size * 2;
		const struct dit_ad **ads = realloc(loader->ads, size * sizeof(*ads));

		if (ads == NULL) {
			return -ENOMEM;
		}
		loader->ads = ads;
		loader->ads_size = size;
	}
	loader->ads[loader->nads++] = ad;
	loader->ad_numbers[ad->ordinal] = (uint32_t)loader->nads;
	return 0;
}

/* Copy the record into the database and fill in the attribute numbers there. */
static int put_entry(struct loader *loader, const struct load_item *item)
{
	const struct dit_encoded *encoded = &item->encoded;
	void *space = NULL;
	char *out = NULL;
	int r = dit_staging_reserve_entry(loader->staging, item->id, encoded->len,
	                                  &space);

	if (r < 0) {
		return r;
	}
	out = space;
	memcpy(out, encoded->bytes, encoded->len);
	for (uint32_t i = 0; i < encoded->nattrs; i++) {
		const struct dit_ad *ad = encoded->ads[i];

		if (ad->ordinal >= loader->ad_numbers_size ||
		    loader->ad_numbers[ad->ordinal] == 0) {
			r = number_ad(loader, ad);
			if (r < 0) {
				return r;
			}
		}
		memcpy(out + (size_t)encoded->ad_words[i] * 4,
		       &loader->ad_numbers[ad->ordinal], sizeof(uint32_t));
	}
	return 0;
}

static int stored(struct loader *loader, struct load_item *item)
{
	int r = loader->staging == NULL ? 0 : put_entry(loader, item);

	if (r < 0) {
		return load_fail(loader, r, "could not store an entry");
	}
	loader->stats->nentries++;
	if (!loader->opts->is_verbose) {
		return 0;
	}
	if (loader->opts->is_dry_run) {
		load_report(loader, DIT_REPORT_ADDED, "added: \"%.*s\"",
		            DIT_SPAN_ARGS(item->entry.dn.pretty));
	} else {
		load_report(loader, DIT_REPORT_ADDED, "added: \"%.*s\" (%08lx)",
		            DIT_SPAN_ARGS(item->entry.dn.pretty),
		            (unsigned long)item->id);
	}
	return 0;
}

/* The entry with the empty DN has ID 0 and no place in the tree (storage.md 3.3). */
static int resolve_root(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	if (loader->has_root_entry) {
		return load_fail_duplicate(loader, record, item);
	}
	loader->has_root_entry = true;
	return stored(loader, item);
}

static int fill_hole(struct loader *loader, struct load_item *item,
                     struct load_hole *hole)
{
	int r = note_late(loader, hole->id);

	if (r < 0) {
		return r;
	}
	hole->is_filled = true;
	item->id = hole->id;
	return stored(loader, item);
}

static int resolve_new(struct loader *loader, const struct dit_ldif_record *record,
                       struct load_item *item)
{
	uint64_t limit = loader->db->maxentrysize_bytes;
	uint32_t parent = 0;
	unsigned first = find_ancestor(loader, item, &parent);
	int r = 0;

	if (!names_fit(loader, &item->entry.dn, first)) {
		return load_fail_name_size(loader, record, item);
	}
	if (limit != 0 && item->encoded.size_limit_bytes > limit) {
		return load_fail_entry_size(loader, record, item);
	}
	if (item->entry.has_unknown) {
		return load_fail_unknown(loader, record, item);
	}
	r = add_nodes(loader, item, first, parent);
	if (r < 0) {
		return load_fail(loader, r, "could not add a node to the tree");
	}
	return stored(loader, item);
}

static int resolve_good(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	uint64_t limit = loader->db->maxentrysize_bytes;
	struct load_hole *hole = NULL;
	uint32_t id = 0;

	if (loader->staging == NULL) {
		return stored(loader, item);
	}
	if (item->entry.dn.nrdns == 0) {
		return resolve_root(loader, record, item);
	}
	id = dit_dn_table_find(loader->names, &item->self);
	if (id == 0) {
		return resolve_new(loader, record, item);
	}
	if (limit != 0 && item->encoded.size_limit_bytes > limit) {
		return load_fail_entry_size(loader, record, item);
	}
	hole = find_hole(loader, id);
	if (hole == NULL || hole->is_filled) {
		return load_fail_duplicate(loader, record, item);
	}
	if (item->entry.has_unknown) {
		return load_fail_unknown(loader, record, item);
	}
	return fill_hole(loader, item, hole);
}

static int resolve_item(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	loader->stats->nrecords++;
	switch (item->state) {
	case LOAD_GOOD:
		/* Diagnostics that refuse nothing, of lenient base64 for example. */
		load_tell_notes(loader, item);
		return resolve_good(loader, record, item);
	case LOAD_UNREADABLE:
	case LOAD_REFUSED:
		return load_refuse(loader, record, item);
	case LOAD_BROKEN:
		break;
	}
	return load_fail(loader, item->error, "could not read an entry");
}

int load_resolve(struct loader *loader, struct load_slot *slot)
{
	int r = 0;

	for (size_t i = 0; i < slot->batch.nrecords && r == 0; i++) {
		r = resolve_item(loader, &slot->batch.records[i], &slot->items[i]);
	}
	return r;
}

void load_report_missing(struct loader *loader)
{
	for (size_t i = 0; i < loader->nholes; i++) {
		const struct load_hole *hole = &loader->holes[i];

		if (hole->is_filled) {
			continue;
		}
		if (loader->stats->nmissing == 0) {
			load_report(loader, DIT_REPORT_MISSING,
			            "Error, entries missing!");
		}
		loader->stats->nmissing++;
		load_report(loader, DIT_REPORT_MISSING, "  entry %lu: %s",
		            (unsigned long)hole->id, hole->norm);
	}
}
