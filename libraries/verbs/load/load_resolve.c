/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order-dependent part of a load, on main: is the DN new, where is its parent, which
 * ID does it get, what is to be said about it. The objects of the database do the work;
 * here is decided what becomes of a record.
 */
#include "load/loader.h"

#include <errno.h>

#include "base/grow.h"

/* A limit on IDs or on attribute descriptions: what a message says about it. */
struct limit {
	const char *before;
	unsigned n;
	const char *after;
};

/* The load ends at this record.
 *
 * @param what   could not be done
 * @param limit  was reached, if @p r is DIT_E_TOOLONG */
static int fail(struct load_target *target, const struct dit_ldif_record *record,
                const struct load_item *item, int r, const char *what,
                const struct limit *limit)
{
	if (r != DIT_E_TOOLONG) {
		return dit_load_target_fail(target, r, what);
	}
	return dit_job_say(&target->loader->job, r,
	                   "could not add entry dn=\"%.*s\" (%s:%lu): %s %u%s",
	                   DIT_SPAN_ARGS(item->entry.dn.pretty), record->file,
	                   record->file_line, limit->before, limit->n, limit->after);
}

/* The node is enough where another database has the entry. */
static int put(struct load_target *target, struct load_item *item)
{
	struct loader *loader = target->loader;

	if (loader->opts->is_dry_run) {
		return 0;
	}
	if (item->twin == 0) {
		return dit_entries_put_later(target->entries, item->id, &item->encoded,
		                             &item->place);
	}
	return dit_entries_put_hole(target->entries, item->id)
	               ?: dit_known_note(loader->known, item->id, item->twin);
}

static int stored(struct load_target *target, const struct dit_ldif_record *record,
                  struct load_item *item)
{
	struct loader *loader = target->loader;
	int r = put(target, item);

	if (r < 0) {
		return fail(target, record, item, r, "could not store an entry",
		            &(struct limit){"a database has", DIT_AD_NUMBER_MAX,
		                            " attribute descriptions at most"});
	}
	loader->stats->nentries++;
	loader->stats->nmemberships_added += item->nmissing;
	loader->stats->nmemberships_removed += item->nsurplus;
	target->record_bytes += item->encoded.len;
	dit_sum128_add(&target->content, &item->digest);
	if (target->stats != NULL) {
		target->stats->nentries++;
	}
	target->last_stored = loader->stats->nentries;
	if (!loader->opts->is_verbose) {
		return 0;
	}
	if (loader->opts->is_dry_run && loader->stats->openldap < DIT_OPENLDAP_2_6) {
		dit_job_report(&loader->job, DIT_REPORT_ADDED, "added: \"%.*s\"",
		               DIT_SPAN_ARGS(item->entry.dn.pretty));
	} else {
		dit_job_report(&loader->job, DIT_REPORT_ADDED, "added: \"%.*s\" (%08lx)",
		               DIT_SPAN_ARGS(item->entry.dn.pretty),
		               (unsigned long)item->id);
	}
	return 0;
}

static bool is_over_limit(const struct load_target *target, const struct load_item *item)
{
	uint64_t limit = target->db->maxentrysize_bytes;

	return limit != 0 &&
	       item->encoded.size_limit_bytes + item->entry.unknown_bytes > limit;
}

/* The first reason against an entry, in slapd's order. @param there  against a second
 * one of its name; NONE: there is none */
static enum dit_why_kind objection(const struct load_target *target,
                                   const struct load_item *item, enum dit_why_kind there)
{
	return is_over_limit(target, item)        ? DIT_WHY_ENTRY_SIZE
	       : there != DIT_WHY_NONE            ? there
	       : item->entry.has_unknown          ? DIT_WHY_NOT_STORABLE
	       : item->encoded.splits.is_too_long ? DIT_WHY_SPLIT_SIZE
	                                          : DIT_WHY_NONE;
}

/* The entry with the empty DN has ID 0 and no place in the tree (storage.md 3.3). */
static int resolve_root(struct load_target *target, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	enum dit_why_kind there = !dit_entries_has_root(target->entries) ? DIT_WHY_NONE
	                          : target->output->stored.has_root_entry
	                                  ? DIT_WHY_STORED
	                                  : DIT_WHY_EXISTS;
	enum dit_why_kind why = objection(target, item, there);

	return why != DIT_WHY_NONE ? dit_load_fail(target->loader, record, item, why)
	                           : stored(target, record, item);
}

static int fill_hole(struct load_target *target, const struct dit_ldif_record *record,
                     struct load_item *item, uint32_t id)
{
	int r = dit_builders_note_late(target->builders, id,
	                               dit_dn_tree_next_id(target->tree));

	r = r ?: dit_dn_tree_fill(target->tree, id);
	if (r < 0) {
		return dit_job_fail(&target->loader->job, r, "could not fill a hole");
	}
	item->id = id;
	return stored(target, record, item);
}

static int resolve_known(struct load_target *target, const struct dit_ldif_record *record,
                         struct load_item *item, uint32_t id)
{
	/* An entry that is too large is told whatever the tree says. */
	int r = is_over_limit(target, item) ? 0 : dit_dn_tree_find_hole(target->tree, id);
	enum dit_why_kind why = DIT_WHY_NONE;

	if (r < 0) {
		return dit_job_fail(&target->loader->job, r,
		                    "could not look up an entry");
	}
	why = objection(target, item,
	                r > 0                                  ? DIT_WHY_NONE
	                : id <= target->output->stored.last_id ? DIT_WHY_STORED
	                                                       : DIT_WHY_EXISTS);
	return why != DIT_WHY_NONE ? dit_load_fail(target->loader, record, item, why)
	                           : fill_hole(target, record, item, id);
}

int dit_load_add_nodes(struct load_target *target, const struct dit_dn_tree_name *name,
                       struct dit_dn_tree_node *node)
{
	int r = dit_dn_tree_add(target->tree, name, node);

	for (unsigned i = 1; i < node->nnodes && r == 0; i++) {
		r = dit_entries_put_hole(target->entries, node->id - node->nnodes + i);
	}
	return r;
}

static int resolve_new(struct load_target *target, const struct dit_ldif_record *record,
                       struct load_item *item, const struct dit_dn_tree_node *node)
{
	enum dit_why_kind why = dit_dn_tree_fits(target->tree, &item->name, node)
	                                ? objection(target, item, DIT_WHY_NONE)
	                                : DIT_WHY_RDN_SIZE;
	int r = 0;

	if (why != DIT_WHY_NONE) {
		return dit_load_fail(target->loader, record, item, why);
	}
	item->node = *node;
	r = dit_load_add_nodes(target, &item->name, &item->node);
	item->id = item->node.id;
	if (r < 0) {
		return fail(target, record, item, r, "could not add a node to the tree",
		            &(struct limit){"no ID is left below", DIT_DN_TREE_ID_MAX + 1,
		                            ": export the database and load it again"});
	}
	return stored(target, record, item);
}

static int resolve_good(struct load_target *target, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	struct dit_dn_tree_node node;
	int r = 0;

	if (target->loader->opts->is_dry_run) {
		dit_load_look_note(target, &item->entry.dn);
		return stored(target, record, item);
	}
	if (target->is_foreign) {
		return dit_load_fail(target->loader, record, item, DIT_WHY_FOREIGN);
	}
	if (item->entry.dn.nrdns == 0) {
		return resolve_root(target, record, item);
	}
	r = dit_dn_tree_find(target->tree, &item->name, &node);
	if (r < 0) {
		return dit_job_fail(&target->loader->job, r, "could not look up a node");
	}
	return node.id == 0 ? resolve_new(target, record, item, &node)
	                    : resolve_known(target, record, item, node.id);
}

/* The one thing that is damaged in a record that is stored: base64 (ldif_parse.c). */
static void tell_damage(const struct loader *loader, const struct dit_ldif_record *record,
                        const struct load_item *item)
{
	const struct dit_note *note = item->notes.first;

	while (note != NULL && note->kind != DIT_REPORT_PLAIN) {
		note = note->next;
	}
	if (note != NULL && loader->opts->explain) {
		dit_job_report(
			&loader->job, DIT_REPORT_EXPLANATION,
			"%s:%lu: \"%.*s\" has damaged base64, whose value ends where "
			"the damage begins; export the value again",
			record->file, record->file_line,
			DIT_SPAN_ARGS(item->entry.dn.pretty));
	}
}

static int resolve_item(struct loader *loader, const struct dit_ldif_record *record,
                        struct load_item *item)
{
	loader->stats->nrecords++;
	switch (item->state) {
	case LOAD_GOOD:
		/* Diagnostics that refuse nothing, of lenient base64 for example. */
		dit_load_tell_notes(loader, item);
		tell_damage(loader, record, item);
		if (dit_load_csn_note(loader, &item->entry) < 0) {
			return dit_job_fail(&loader->job, -ENOMEM,
			                    "could not read an entry");
		}
		return resolve_good(&loader->targets[item->target], record, item);
	case LOAD_UNREADABLE:
	case LOAD_REFUSED:
		return dit_load_refuse(loader, record, item);
	case LOAD_BROKEN:
		break;
	}
	return dit_job_fail(&loader->job, item->error, "could not read an entry");
}

/* Items that main looks ahead, for the DN table: it would wait for memory at each of
 * them. */
#define AHEAD 4

static void prefetch_item(const struct loader *loader, const struct load_item *item)
{
	const struct dit_dn_tree *tree = loader->targets[item->target].tree;

	if (item->state != LOAD_GOOD) {
		return;
	}
	if (tree != NULL && item->entry.dn.nrdns > 0) {
		dit_dn_tree_prefetch(tree, &item->name);
	}
}

static int resolve(struct loader *loader, struct load_slot *slot)
{
	size_t n = slot->batch.nrecords;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		if (i + 2 * AHEAD < n) {
			__builtin_prefetch(&slot->items[i + 2 * AHEAD].name);
			__builtin_prefetch(&slot->items[i + 2 * AHEAD].encoded);
		}
		if (i + AHEAD < n) {
			prefetch_item(loader, &slot->items[i + AHEAD]);
		}
		r = resolve_item(loader, &slot->batch.records[i], &slot->items[i]);
	}
	return r;
}

/* ---- stages ---- */

int dit_load_fill(void *ctx, unsigned slot)
{
	struct loader *loader = ctx;

	return dit_ldif_reader_next(loader->input.reader,
	                            &loader->input.slots[slot].batch);
}

int dit_load_begin(void *ctx, unsigned number, size_t *ret_nitems)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->input.slots[number];

	slot->time_us = dit_entry_clock_next(&loader->clock, slot->batch.nrecords);
	*ret_nitems = slot->batch.nrecords;
	slot->first = loader->input.nrecords;
	loader->input.nrecords += slot->batch.nrecords;
	return DIT_GROW(slot->items, slot->items_size, slot->batch.nrecords + 1);
}

static int end_batch(struct load_target *target)
{
	int r = target->entries == NULL ? 0 : dit_entries_end_batch(target->entries);

	return dit_load_target_fail(target, r, "could not store an entry");
}

/* A batch whose resolving fails still goes nowhere, since the load ends. */
int dit_load_in_order(void *ctx, unsigned number)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->input.slots[number];
	int r = resolve(loader, slot);

	r = r ?: dit_load_each(loader, end_batch);
	loader->stats->bytes_read = slot->batch.bytes_read;
	r = r ?: dit_load_estimate(loader);
	if (r == 0) {
		dit_job_tell(&loader->job, DIT_LOAD_ENTRIES);
	}
	return r;
}

/* ---- holes that are left ---- */

static void report_missing(const struct load_target *target)
{
	struct loader *loader = target->loader;
	const struct dit_dn_tree *tree = target->tree;
	bool is_first = true;

	for (size_t i = 0; i < tree->nholes; i++) {
		if (tree->holes[i].is_filled) {
			continue;
		}
		if (is_first) {
			dit_job_report(&loader->job, DIT_REPORT_MISSING,
			               "Error, entries missing!");
			is_first = false;
		}
		loader->stats->nmissing++;
		dit_job_report(&loader->job, DIT_REPORT_MISSING, "  entry %lu: %s",
		               (unsigned long)tree->holes[i].id, tree->holes[i].norm);
	}
}

/*
 * slapadd tells when it closes a database, so that one comes last that got the latest
 * entry. (It closes a database whenever the next entry is another's, and then also lists
 * holes that are filled later.)
 */
void dit_load_report_missing(struct loader *loader)
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
		if (next->tree != NULL) {
			report_missing(next);
		}
	}
}
