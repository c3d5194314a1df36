/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members' part of a load: parse new records; copy resolved ones into their places,
 * make their keys. The items of a share are neighbours, so they share caches (parent DN,
 * object classes).
 */
#include "load/loader.h"

#include <stdio.h>

#include "entry/entry.h"
#include "entry/why.h"
#include "values/dn.h"

/* ---- parse ---- */

static int check_item(struct loader *loader, struct load_member *member,
                      struct load_item *item, uint64_t line)
{
	const struct dit_why *why = NULL;
	char code[16] = "";
	const struct dit_dn *dn = &item->entry.dn;
	int target = dit_glue_find(&loader->job.glue, dn);
	int r = 0;

	if (target < 0) {
		return dit_glue_refuse(&loader->job.glue, loader->job.chosen.db, dn, line,
		                       &item->notes);
	}
	item->target = (uint32_t)target;
	r = dit_entry_check(&loader->reading.context, &member->caches, &item->entry,
	                    &item->notes);
	if (r != DIT_E_INVALID) {
		return r;
	}
	why = item->notes.why;
	if (dit_refusals[why->kind].code != 0) {
		(void)snprintf(code, sizeof(code), "(%d) ", dit_refusals[why->kind].code);
	}
	dit_notes_add(&item->notes, DIT_REPORT_ERROR, "dn=\"%.*s\" (line=%lu): %s%s",
	              DIT_SPAN_ARGS(dn->pretty), line, code, why->text);
	return r;
}

static void why_index_key(struct load_item *item, const struct dit_index_refusal *refusal)
{
	struct dit_why why = {.kind = DIT_WHY_INDEX_KEY,
	                      .place = DIT_WHY_AT_ATTR,
	                      .ad = refusal->ad,
	                      .detail = dit_span_of(refusal->reason)};
	const struct dit_attr *attr = dit_entry_find(&item->entry, refusal->ad);

	if (attr != NULL && refusal->value < attr->nvalues) {
		why.place = DIT_WHY_AT_VALUE;
		why.value = attr->values[refusal->value];
	}
	(void)dit_why_set(&item->notes, why);
}

/* Some values end slapadd; here only their record is left out. */
static int check_keys(struct load_member *member, struct load_item *item, uint64_t line)
{
	struct dit_index_refusal refusal = {0};
	struct dit_index_work *keys = member->keys[item->target];
	int r = keys == NULL ? 0 : dit_index_check(keys, &item->entry, &refusal);

	if (r == DIT_E_INVALID) {
		why_index_key(item, &refusal);
		dit_notes_add(&item->notes, DIT_REPORT_ERROR,
		              "dn=\"%.*s\" (line=%lu): %.*s: value #%u: %s",
		              DIT_SPAN_ARGS(item->entry.dn.pretty), line,
		              DIT_SPAN_ARGS(refusal.ad->name), refusal.value,
		              refusal.reason);
	}
	return r;
}

/* Sets the item's state from an error of a stage. */
static void item_fail(struct load_item *item, int r, enum load_state if_invalid)
{
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		item->state = if_invalid;
	} else {
		item->state = LOAD_BROKEN;
		item->error = r;
	}
}

/* The entry with the same content in another database; 0: none. The one with the empty DN
 * is no node, and is stored. @param dn  of the entry; its other lines are @p lines */
static uint64_t find_twin(const struct loader *loader, struct load_member *member,
                          const struct dit_dn *dn, const struct dit_ldif_lines *lines,
                          struct dit_arena *arena)
{
	const struct dit_known *known = loader->known;
	const struct dit_entry_sum_rule *rule = NULL;
	struct dit_entry_lines_sum all;
	struct dit_sum128 part;

	if (known == NULL || dn->nrdns == 0) {
		return 0;
	}
	rule = dit_known_rule(known);
	if (dit_entry_sum_lines(&loader->reading.context, &member->caches, lines, rule,
	                        arena, &all) < 0) {
		return 0;
	}
	part = dit_sum128_of(dit_dn_first_rdn(dn->pretty), rule->seed);
	dit_sum128_add(&all.sum, &part);
	part = dit_sum128_of(dn->norm, rule->seed);
	dit_sum128_add(&all.sum, &part);
	return dit_known_find(known, &all.sum, all.uuid);
}

/* The DN is enough where another database has the entry. */
static int read_item(const struct loader *loader, struct load_member *member,
                     const struct dit_ldif_record *record, struct load_item *item)
{
	const struct dit_entry_context *context = &loader->reading.context;
	struct dit_ldif_lines lines = {0};
	struct dit_dn dn = {0};
	int r = dit_ldif_parse(&context->ldif, record->text, context->files, &item->notes,
	                       &lines);

	r = r ?: dit_entry_read_dn(context, &member->caches, &lines, &item->notes, &dn);
	if (r == 0) {
		item->twin = find_twin(loader, member, &dn, &lines, item->notes.arena);
	}
	if (r == 0 && item->twin == 0) {
		r = dit_entry_read_lines(context, &member->caches, lines.lines,
		                         lines.nlines, &item->notes, &item->entry);
	}
	if (r == 0) {
		item->entry.dn = dn;
	}
	return r;
}

/* The rest of the work on an entry that has to be stored. */
static int finish_item(struct loader *loader, const struct dit_pipeline_share *share,
                       const struct dit_ldif_record *record, struct load_item *item,
                       const struct dit_entry_stamp *stamp)
{
	struct load_member *member = &loader->members[share->member];
	struct dit_arena *arena = share->arena;
	const struct dit_split_rules *rules = NULL;
	bool is_asked = loader->ahead.overlays != NULL;
	int r = is_asked ? dit_load_ahead_start(loader, member, record, item, arena) : 0;

	r = r ?: check_item(loader, member, item, record->line);
	r = r ?: check_keys(member, item, record->line);
	r = r
	            ?: dit_entry_complete(&loader->reading.context, &member->caches,
	                                  &item->entry, stamp, &item->notes);
	r = r < 0 || !is_asked ? r : dit_load_ahead_end(loader, item, arena);
	rules = loader->targets[item->target].split_rules;
	return r ?: dit_split_join(&item->entry, rules, arena)
	               ?: dit_entry_encode(&item->entry, rules, arena, &item->encoded);
}

static void begin_item(struct loader *loader, const struct dit_pipeline_share *share,
                       size_t index)
{
	struct load_member *member = &loader->members[share->member];
	struct load_slot *slot = &loader->input.slots[share->slot];
	const struct dit_ldif_record *record = &slot->batch.records[index];
	struct load_item *item = &slot->items[index];
	int r = 0;

	*item = (struct load_item){.state = LOAD_GOOD, .number = slot->first + index + 1};
	dit_notes_init(&item->notes, share->arena);
	if (dit_load_is_stopped(loader)) {
		item_fail(item, DIT_E_STOPPED, LOAD_REFUSED);
		return;
	}
	r = read_item(loader, member, record, item);
	if (r < 0) {
		item_fail(item, r, LOAD_UNREADABLE);
	}
}

static void end_item(struct loader *loader, const struct dit_pipeline_share *share,
                     size_t index)
{
	struct load_slot *slot = &loader->input.slots[share->slot];
	const struct dit_ldif_record *record = &slot->batch.records[index];
	struct load_item *item = &slot->items[index];
	struct dit_entry_stamp stamp =
		dit_entry_stamp_of(&loader->clock, slot->time_us, (uint32_t)index);
	int r = 0;

	if (item->state != LOAD_GOOD) {
		return;
	}
	if (loader->opts->is_prepared) {
		item->digest = dit_entry_digest(&item->entry);
	}
	r = item->twin != 0 ? 0 : finish_item(loader, share, record, item, &stamp);
	if (r < 0) {
		item_fail(item, r, LOAD_REFUSED);
		return;
	}
	dit_ad_numbers_fill(&loader->targets[item->target].numbers, &item->encoded);
	dit_dn_tree_name_init(&item->name, &loader->name_key, &item->entry.dn);
}

/* ---- stages ---- */

/* An item's error is told when its turn comes. Overlays hear of all entries of the share
 * before they are asked about the first one. */
int dit_load_parse(void *ctx, const struct dit_pipeline_share *share)
{
	struct loader *loader = ctx;
	bool is_asked = loader->ahead.overlays != NULL;

	for (size_t i = share->first; i < share->end; i++) {
		begin_item(loader, share, i);
		if (!is_asked) {
			end_item(loader, share, i);
		}
	}
	if (is_asked) {
		dit_load_ahead_expect(loader, share);
	}
	for (size_t i = share->first; i < share->end && is_asked; i++) {
		end_item(loader, share, i);
	}
	return 0;
}

int dit_load_key(void *ctx, const struct dit_pipeline_share *share)
{
	struct loader *loader = ctx;
	struct load_member *member = &loader->members[share->member];
	struct load_slot *slot = &loader->input.slots[share->slot];
	int r = 0;

	for (size_t i = share->first; i < share->end && r == 0; i++) {
		struct load_item *item = &slot->items[i];
		const struct load_target *target = &loader->targets[item->target];

		if (dit_load_is_stopped(loader)) {
			return DIT_E_STOPPED;
		}
		dit_entries_fill(target->entries, &item->place);
		if (item->node.id != 0) {
			r = dit_dn_tree_push(target->tree, member->number, &item->name,
			                     &item->node);
		}
		if (item->id != 0 && item->twin == 0 && r == 0) {
			r = dit_builders_push_entry(target->builders, member->number,
			                            member->keys[item->target],
			                            &item->entry, item->id);
		}
	}
	return r;
}
