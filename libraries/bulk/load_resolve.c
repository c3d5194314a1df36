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

static uint32_t find_node(struct load_target *target, const struct load_item *item,
                          unsigned i)
{
	struct dit_fingerprint f = fingerprint(item, i);
	uint32_t id = 0;

	if (i == 1 && target->last_parent_id != 0 &&
	    memcmp(&f, &target->last_parent, sizeof(f)) == 0) {
		return target->last_parent_id;
	}
	id = dit_dn_table_find(target->names, &f);
	if (i == 1 && id != 0) {
		target->last_parent = f;
		target->last_parent_id = id;
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
static int push_name(struct load_target *target, uint32_t under, uint32_t other,
                     bool is_child, struct dit_span norm, struct dit_span pretty)
{
	char key[8 + 2 + DIT_NAME_STRINGS_MAX];
	char value[8 + DIT_NAME_STRINGS_MAX];

	put_be64(key, under);
	key[8] = (char)((norm.len >> 8) | (is_child ? 0x80 : 0));
	key[9] = (char)norm.len;
	memcpy(key + 10, norm.data, norm.len);
	put_be64(value, other);
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
	return dit_staging_reserve_entry(target->staging, id, 0, &space);
}

/* Holes have ascending IDs. */
static struct load_hole *find_hole(struct load_target *target, uint32_t id)
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

static int note_late(struct load_target *target, uint32_t id)
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
	target->late[target->nlate++] = dit_dn_table_size(target->names) + 1;
	return 0;
}

/* True if all nodes 0 .. first - 1 of a DN fit a record of dn2i (storage.md 3.6). */
static bool names_fit(const struct load_target *target, const struct dit_dn *dn,
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

/* The entry's nearest ancestor that exists is node @p first (top + 1: the root). */
static unsigned find_ancestor(struct load_target *target, const struct load_item *item,
                              uint32_t *ret_id)
{
	unsigned top = top_of(target, &item->entry.dn);

	for (unsigned i = 1; i <= top; i++) {
		*ret_id = find_node(target, item, i);
		if (*ret_id != 0) {
			return i;
		}
	}
	*ret_id = 0;
	return top + 1;
}

static int add_nodes(struct load_target *target, struct load_item *item, unsigned first,
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

/* ---- storing ---- */

static int number_ad(struct load_target *target, const struct dit_ad *ad)
{
	if (target->nads == ADS_MAX) {
		return DIT_E_TOOLONG;
	}
	if (ad->ordinal >= target->ad_numbers_size) {
		size_t size = (ad->ordinal + 1) * 2;
		uint32_t *numbers = realloc(target->ad_numbers, size * sizeof(*numbers));

		if (numbers == NULL) {
			return -ENOMEM;
		}
		memset(numbers + target->ad_numbers_size, 0,
		       (size - target->ad_numbers_size) * sizeof(*numbers));
		target->ad_numbers = numbers;
		target->ad_numbers_size = size;
	}
	if (target->nads == target->ads_size) {
		size_t size = target->ads_size == 0 ? 64 : target->ads_size * 2;
		const struct dit_ad **ads = realloc(target->ads, size * sizeof(*ads));

		if (ads == NULL) {
			return -ENOMEM;
		}
		target->ads = ads;
		target->ads_size = size;
	}
	target->ads[target->nads++] = ad;
	target->ad_numbers[ad->ordinal] = (uint32_t)target->nads;
	return 0;
}

/* Copy the record into the database and fill in the attribute numbers there. */
static int put_entry(struct load_target *target, const struct load_item *item)
{
	const struct dit_encoded *encoded = &item->encoded;
	void *space = NULL;
	char *out = NULL;
	int r = dit_staging_reserve_entry(target->staging, item->id, encoded->len,
	                                  &space);

	if (r < 0) {
		return r;
	}
	out = space;
	memcpy(out, encoded->bytes, encoded->len);
	for (uint32_t i = 0; i < encoded->nattrs; i++) {
		const struct dit_ad *ad = encoded->ads[i];
		char *at = out + (size_t)encoded->ad_words[i] * 4;
		uint32_t word = 0;

		if (ad->ordinal >= target->ad_numbers_size ||
		    target->ad_numbers[ad->ordinal] == 0) {
			r = number_ad(target, ad);
			if (r < 0) {
				return r;
			}
		}
		memcpy(&word, at, sizeof(word));
		word |= target->ad_numbers[ad->ordinal];
		memcpy(at, &word, sizeof(word));
	}
	return encoded->splits.n == 0 ? 0 : load_split_put(target, item);
}

static int stored(struct load_target *target, struct load_item *item)
{
	struct loader *loader = target->loader;
	int r = loader->opts->is_dry_run ? 0 : put_entry(target, item);

	if (r < 0) {
		return load_fail(loader, r, "could not store an entry");
	}
	loader->stats->nentries++;
	if (target->stats != NULL) {
		target->stats->nentries++;
	}
	target->last_stored = loader->stats->nentries;
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

static bool has_storable_values(const struct load_item *item)
{
	return !item->entry.has_unknown && !item->encoded.splits.is_too_long;
}

static int fail_values(struct load_target *target, const struct dit_ldif_record *record,
                       const struct load_item *item)
{
	return item->entry.has_unknown
	               ? load_fail_unknown(target->loader, record, item)
	               : load_fail_split_size(target->loader, record, item);
}

static bool is_over_limit(const struct load_target *target, const struct load_item *item)
{
	uint64_t limit = target->db->maxentrysize_bytes;

	return limit != 0 && item->encoded.size_limit_bytes > limit;
}

/* The entry with the empty DN has ID 0 and no place in the tree (storage.md 3.3). */
static int resolve_root(struct load_target *target, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	if (is_over_limit(target, item)) {
		return load_fail_entry_size(target->loader, record, item);
	}
	if (target->has_root_entry) {
		return load_fail_duplicate(target->loader, record, item);
	}
	if (!has_storable_values(item)) {
		return fail_values(target, record, item);
	}
	target->has_root_entry = true;
	return stored(target, item);
}

static int fill_hole(struct load_target *target, struct load_item *item,
                     struct load_hole *hole)
{
	int r = note_late(target, hole->id);

	if (r < 0) {
		return r;
	}
	hole->is_filled = true;
	item->id = hole->id;
	return stored(target, item);
}

static int resolve_new(struct load_target *target, const struct dit_ldif_record *record,
                       struct load_item *item)
{
	uint32_t parent = 0;
	unsigned first = find_ancestor(target, item, &parent);
	int r = 0;

	if (!names_fit(target, &item->entry.dn, first)) {
		return load_fail_name_size(target->loader, record, item);
	}
	if (is_over_limit(target, item)) {
		return load_fail_entry_size(target->loader, record, item);
	}
	if (!has_storable_values(item)) {
		return fail_values(target, record, item);
	}
	r = add_nodes(target, item, first, parent);
	if (r < 0) {
		return load_fail(target->loader, r, "could not add a node to the tree");
	}
	return stored(target, item);
}

static int resolve_good(struct load_target *target, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	struct load_hole *hole = NULL;
	uint32_t id = 0;

	if (target->loader->opts->is_dry_run) {
		return stored(target, item);
	}
	if (target->is_foreign) {
		return load_fail_foreign(target->loader, record, item);
	}
	if (item->entry.dn.nrdns == 0) {
		return resolve_root(target, record, item);
	}
	id = dit_dn_table_find(target->names, &item->self);
	if (id == 0) {
		return resolve_new(target, record, item);
	}
	if (is_over_limit(target, item)) {
		return load_fail_entry_size(target->loader, record, item);
	}
	hole = find_hole(target, id);
	if (hole == NULL || hole->is_filled) {
		return load_fail_duplicate(target->loader, record, item);
	}
	if (!has_storable_values(item)) {
		return fail_values(target, record, item);
	}
	return fill_hole(target, item, hole);
}

static int resolve_item(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	loader->stats->nrecords++;
	switch (item->state) {
	case LOAD_GOOD:
		/* Diagnostics that refuse nothing, of lenient base64 for example. */
		load_tell_notes(loader, item);
		return resolve_good(&loader->targets[item->target], record, item);
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

static void report_missing(struct load_target *target)
{
	struct loader *loader = target->loader;
	bool is_first = true;

	for (size_t i = 0; i < target->nholes; i++) {
		const struct load_hole *hole = &target->holes[i];

		if (hole->is_filled) {
			continue;
		}
		if (is_first) {
			load_report(loader, DIT_REPORT_MISSING,
			            "Error, entries missing!");
			is_first = false;
		}
		loader->stats->nmissing++;
		load_report(loader, DIT_REPORT_MISSING, "  entry %lu: %s",
		            (unsigned long)hole->id, hole->norm);
	}
}

/*
 * slapadd tells when it closes a database, so that one comes last that got the latest
 * entry. (It closes a database whenever the next entry is another's, and then also lists
 * holes that are filled later.)
 */
void load_report_missing(struct loader *loader)
{
	uint64_t told = 0; /* targets that got no entry have no holes */

	for (;;) {
		struct load_target *next = NULL;

		for (unsigned i = 0; i < loader->ntargets; i++) {
			struct load_target *target = &loader->targets[i];

			if (target->last_stored > told &&
			    (next == NULL || target->last_stored < next->last_stored)) {
				next = target;
			}
		}
		if (next == NULL) {
			return;
		}
		told = next->last_stored;
		report_missing(next);
	}
}
