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

/* ---- storing ---- */

/* Room for the number of a description. */
static int grow_numbers(struct load_target *target, const struct dit_ad *ad)
{
	size_t size = (ad->ordinal + 1) * 2;
	uint32_t *numbers = NULL;

	if (ad->ordinal < target->ad_numbers_size) {
		return 0;
	}
	numbers = realloc(target->ad_numbers, size * sizeof(*numbers));
	if (numbers == NULL) {
		return -ENOMEM;
	}
	memset(numbers + target->ad_numbers_size, 0,
	       (size - target->ad_numbers_size) * sizeof(*numbers));
	target->ad_numbers = numbers;
	target->ad_numbers_size = size;
	return 0;
}

int load_number_ad(struct load_target *target, const struct dit_ad *ad)
{
	int r = ad == NULL ? 0 : grow_numbers(target, ad);

	if (r < 0) {
		return r;
	}
	if (target->nads == ADS_MAX) {
		return DIT_E_TOOLONG;
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
	if (ad != NULL) {
		target->ad_numbers[ad->ordinal] = (uint32_t)target->nads;
	}
	return 0;
}

/* The attribute numbers are filled in there. */
int load_put_entry(struct load_target *target, const struct load_item *item)
{
	const struct dit_encoded *encoded = &item->encoded;
	bool is_late = load_is_late(target, item->id);
	void *space = NULL;
	char *out = NULL;
	int r = is_late ? load_late_reserve(target, encoded->len, &space)
	                : load_store_reserve(target, item->id, encoded->len, &space);

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
			r = load_number_ad(target, ad);
			if (r < 0) {
				return r;
			}
		}
		memcpy(&word, at, sizeof(word));
		word |= target->ad_numbers[ad->ordinal];
		memcpy(at, &word, sizeof(word));
	}
	if (is_late) {
		r = load_late_put_entry(target, item->id, encoded->len);
	}
	return r < 0 || encoded->splits.n == 0 ? r : load_split_put(target, item);
}

static int stored(struct load_target *target, struct load_item *item)
{
	struct loader *loader = target->loader;
	int r = loader->opts->is_dry_run ? 0 : load_put_entry(target, item);

	if (r < 0) {
		return load_target_fail(target, r, "could not store an entry");
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

	return limit != 0 &&
	       item->encoded.size_limit_bytes + item->entry.unknown_bytes > limit;
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

/* @param hole  NULL: one that was there before this load */
static int fill_hole(struct load_target *target, struct load_item *item, uint32_t id,
                     struct load_hole *hole)
{
	int r = load_note_late(target, id);

	if (r < 0) {
		return load_fail(target->loader, r, "could not fill a hole");
	}
	if (hole != NULL) {
		hole->is_filled = true;
	}
	item->id = id;
	return stored(target, item);
}

/* Is the node still a hole? 1, 0, or an error. */
static int is_hole(struct load_target *target, uint32_t id, const struct load_hole *hole)
{
	struct dit_span record = {0};
	int r = 0;

	if (hole != NULL) {
		return !hole->is_filled;
	}
	if (id > target->output->stored.last_id) {
		return 0;
	}
	r = dit_output_find_entry(target->output, id, &record);
	return r < 0 ? r : r == 0;
}

static int resolve_known(struct load_target *target, const struct dit_ldif_record *record,
                         struct load_item *item, uint32_t id)
{
	struct load_hole *hole = load_find_hole(target, id);
	int r = 0;

	if (is_over_limit(target, item)) {
		return load_fail_entry_size(target->loader, record, item);
	}
	r = is_hole(target, id, hole);
	if (r < 0) {
		return load_fail(target->loader, r, "could not look up an entry");
	}
	if (r == 0) {
		return load_fail_duplicate(target->loader, record, item);
	}
	if (!has_storable_values(item)) {
		return fail_values(target, record, item);
	}
	return fill_hole(target, item, id, hole);
}

static int resolve_new(struct load_target *target, const struct dit_ldif_record *record,
                       struct load_item *item)
{
	uint32_t parent = 0;
	unsigned first = 0;
	int r = load_find_ancestor(target, item, &first, &parent);

	if (r < 0) {
		return load_fail(target->loader, r, "could not look up a node");
	}
	if (!load_names_fit(target, &item->entry.dn, first)) {
		return load_fail_name_size(target->loader, record, item);
	}
	if (is_over_limit(target, item)) {
		return load_fail_entry_size(target->loader, record, item);
	}
	if (!has_storable_values(item)) {
		return fail_values(target, record, item);
	}
	r = load_add_nodes(target, item, first, parent);
	if (r < 0) {
		return load_target_fail(target, r, "could not add a node to the tree");
	}
	return stored(target, item);
}

static int resolve_good(struct load_target *target, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	uint32_t id = 0;
	int r = 0;

	if (target->loader->opts->is_dry_run) {
		return stored(target, item);
	}
	if (target->is_foreign) {
		return load_fail_foreign(target->loader, record, item);
	}
	if (item->entry.dn.nrdns == 0) {
		return resolve_root(target, record, item);
	}
	r = load_find_self(target, item, &id);
	if (r < 0) {
		return load_fail(target->loader, r, "could not look up a node");
	}
	return id == 0 ? resolve_new(target, record, item)
	               : resolve_known(target, record, item, id);
}

static int resolve_item(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	loader->stats->nrecords++;
	switch (item->state) {
	case LOAD_GOOD:
		/* Diagnostics that refuse nothing, of lenient base64 for example. */
		load_tell_notes(loader, item);
		if (load_csn_note(loader, item) < 0) {
			return load_fail(loader, -ENOMEM, "could not read an entry");
		}
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
