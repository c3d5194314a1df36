/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The database gets what has changed, in the order of its keys:
 *
 *   main     id2e: entries that are gone, changed or new; ad2i
 *   main     dn2i: names that go or come, and the counts above them
 *   members  keys of a part of the entries, as they were and as they are; then indexes,
 *            one after the other; again with the next part
 *   main     id2v
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "modify/modify_impl.h"

/* Memory of the changes of an entry's keys: of all its keys, or of some. */
#define WHOLE_BYTES (16u << 10)
#define SOME_BYTES  (2u << 10)
#define LEAST_PART  (64u << 20)
/* A part needs so many times its estimate at most: nothing goes to temporary files. */
#define PART_FACTOR 16

/* A stored entry has it, or a new one. */
static bool has_content(const struct modify_node *node)
{
	return node->is_gone ? node->is_stored : node->entry != NULL;
}

/* ---- id2e, ad2i ---- */

/* A changed entry. It was read before. */
static int read_whole(struct modifier *modifier, struct modify_node *node,
                      struct modify_edit *ret)
{
	int r = 0;

	*ret = (struct modify_edit){.modifier = modifier, .node = node};
	r = dit_modify_read(ret);

	return r == 0 ? DIT_E_CORRUPT : r < 0 ? r : 0;
}

static int put_entry(struct modifier *modifier, struct modify_node *node)
{
	struct dit_encoded encoded;
	struct dit_encoded_cursor cursor = {.encoded = &encoded};
	const struct dit_pieces pieces = {.next = dit_encoded_next, .ctx = &cursor};
	struct modify_edit whole;
	int r = 0;

	dit_arena_reset(&modifier->scratch);
	r = read_whole(modifier, node, &whole);
	r = r
	            ?: dit_entry_encode(&whole.entry, modifier->split_rules,
	                                &modifier->scratch, &encoded);
	if (r < 0 || encoded.splits.is_too_long) {
		return r < 0 ? r : DIT_E_TOOLONG; /* slapd never had that */
	}
	dit_ad_numbers_fill(&modifier->numbers, &encoded);
	return dit_output_put_entry_pieces(modifier->output, node->id, encoded.len,
	                                   &pieces);
}

static int write_entries(struct modifier *modifier)
{
	int r = 0;

	for (size_t i = 0; i < modifier->tree.nnodes && r == 0; i++) {
		struct modify_node *node = modifier->tree.nodes[i];

		if (!has_content(node)) {
			continue;
		}
		r = node->is_gone ? dit_output_remove_entry(modifier->output, node->id)
		                  : put_entry(modifier, node);
		modifier->stats->nentries++;
		dit_tick_often(dit_job_ticker(&modifier->job));
		if (r == 0 && dit_stop_is_set(&modifier->job.stop)) {
			r = DIT_E_STOPPED;
		}
	}
	return r ?: dit_ad_numbers_write(&modifier->numbers, modifier->output);
}

/* ---- dn2i ---- */

struct name_change {
	uint64_t under;
	struct dit_name name;
	bool goes;
};

struct name_changes {
	struct name_change *list; /* owned */
	size_t n;
	size_t size;
};

/* A node has a record of its own, and one under its parent. */
static int change_name(struct name_changes *changes, const struct modify_node *node,
                       bool is_child, bool goes)
{
	uint64_t parent = dit_modify_id(goes ? node->stored_parent : node->parent);
	struct name_change change = {
		.under = is_child ? parent : node->id,
		.name = {.norm = goes ? node->stored_norm : node->norm,
	                 .id = is_child ? node->id : parent,
	                 .is_child = is_child},
		.goes = goes};

	if (!goes) {
		change.name.pretty = node->pretty;
		change.name.nsubs = is_child ? node->nsubs : 0;
	}
	return DIT_APPEND(changes->list, changes->size, changes->n, change);
}

static int collect_names(struct name_changes *changes, const struct modify_node *node)
{
	bool comes = !node->is_gone && node->is_named;
	int r = 0;

	if (node->is_stored && (node->is_gone || node->is_named)) {
		r = change_name(changes, node, true, true);
		r = r ?: change_name(changes, node, false, true);
	}
	if (comes || (!node->is_gone && node->nsubs != node->stored_nsubs)) {
		r = r ?: change_name(changes, node, true, false);
	}
	return r < 0 || !comes ? r : change_name(changes, node, false, false);
}

static int compare_records(const struct name_change *x, const struct name_change *y)
{
	if (x->under != y->under) {
		return x->under < y->under ? -1 : 1;
	}
	return DIT_ORDER_OF(x->name.is_child, y->name.is_child)
	               ?: DIT_ORDER_OF(x->name.norm.len, y->name.norm.len)
	               ?: memcmp(x->name.norm.data, y->name.norm.data, x->name.norm.len);
}

/* As the records lie in dn2i; a record that comes is after one that goes. */
static int compare_changes(const void *a, const void *b)
{
	const struct name_change *x = a;
	const struct name_change *y = b;

	return compare_records(x, y) ?: y->goes - x->goes;
}

static int put_names(struct modifier *modifier, const struct name_changes *changes)
{
	size_t most = modifier->output->base.key_max;
	char *record = dit_arena_bytes(&modifier->scratch, most);
	int r = record == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < changes->n && r == 0; i++) {
		const struct name_change *change = &changes->list[i];
		struct dit_span bytes = {record, 0};
		int len = 0;

		if (i + 1 < changes->n && compare_records(change, change + 1) == 0) {
			continue; /* an entry has the name now, maybe the same one */
		}
		len = dit_name_encode(record, most, &change->name);
		bytes.len = len < 0 ? 0 : (size_t)len;
		r = len < 0 ? len
		    : change->goes
		            ? dit_output_remove_name(modifier->output, change->under,
		                                     bytes)
		            : dit_output_put_name(modifier->output, change->under, bytes);
	}
	return r;
}

static int write_names(struct modifier *modifier)
{
	struct name_changes changes = {.list = NULL};
	int r = 0;

	for (size_t i = 0; i < modifier->tree.nnodes && r == 0; i++) {
		r = collect_names(&changes, modifier->tree.nodes[i]);
	}
	/* slapd has one of the root, before the first name (storage.md 3.1). */
	if (r == 0 && changes.n > 0 && !modifier->output->stored.has_names) {
		r = DIT_APPEND(changes.list, changes.size, changes.n,
		               (struct name_change){.name = {.norm = DIT_SPAN(""),
		                                             .pretty = DIT_SPAN("")}});
	}
	if (r == 0 && changes.n > 0) {
		qsort(changes.list, changes.n, sizeof(*changes.list), compare_changes);
		r = put_names(modifier, &changes);
	}
	free(changes.list);
	return r;
}

/* ---- indexes ---- */

static int make_keys(const struct modifier *modifier, unsigned number,
                     const struct modify_node *node)
{
	struct modify_member *member = &modifier->members[number];
	const struct modify_entry *entry = node->entry;
	struct dit_stored_version older = {.reason = NULL};
	struct dit_entry newer = {.nattrs = 0};
	int r = node->is_stored
	                ? dit_stored_keys_read(modifier->changes->keys[number],
	                                       member->reader, node->id, false, &older)
	                : 0;

	if (r < 0 && r != DIT_E_INVALID) {
		return r;
	}
	if (entry != NULL) {
		if (DIT_GROW(member->attrs, member->attrs_size, entry->nattrs + 1) < 0) {
			return -ENOMEM;
		}
		newer.attrs = member->attrs;
		dit_modify_compose(entry, older.entry.attrs, &newer);
	}
	/* A stored entry that cannot have keys was left out of the indexes. */
	return dit_key_changes_take(modifier->changes, number, node->id, &older.entry,
	                            &newer);
}

/* A member does no more after an error of its own, or an interrupt. */
static bool goes_on(const struct modifier *modifier, struct modify_member *member)
{
	if (member->error == 0 && dit_stop_is_set(&modifier->job.stop)) {
		member->error = DIT_E_STOPPED;
	}
	return member->error == 0;
}

/* Keys of a member's share of a part. */
static void make_share(void *ctx, unsigned number)
{
	const struct modifier *modifier = ctx;
	struct modify_member *member = &modifier->members[number];
	size_t begin = modifier->part.begin;
	size_t n = modifier->part.end - begin;
	unsigned nmembers = modifier->job.nthreads;

	for (size_t i = begin + n * number / nmembers;
	     i < begin + n * (number + 1) / nmembers && goes_on(modifier, member); i++) {
		const struct modify_node *node = modifier->tree.nodes[i];

		if (has_content(node) && node->id > 0) {
			member->error = make_keys(modifier, number, node);
		}
	}
}

/* The changes of all members. */
static int change_index(const struct modifier *modifier, struct modify_member *member,
                        size_t db)
{
	struct dit_changed_lists lists;
	const struct dit_list_changes changes = {dit_changed_lists_next, &lists};
	int r = dit_changed_lists_open(&lists, modifier->changes, db);

	r = r ?: dit_output_change_index(&modifier->output->base, db, &changes);
	member->npostings += lists.n;
	dit_changed_lists_close(&lists);
	return r;
}

static void change_indexes(void *ctx, unsigned number)
{
	struct modifier *modifier = ctx;
	struct modify_member *member = &modifier->members[number];
	size_t ndbs = dit_index_set_ndbs(modifier->indexes);
	size_t db = 0;

	while (goes_on(modifier, member) &&
	       (db = atomic_fetch_add_explicit(&modifier->part.next_db, 1,
	                                       memory_order_relaxed)) < ndbs) {
		member->error = change_index(modifier, member, db);
	}
}

static uint64_t part_bytes(const struct modifier *modifier)
{
	uint64_t half = dit_memory_share(modifier->opts->memory_bytes) / 2;

	return half < LEAST_PART ? LEAST_PART : half;
}

/* A part whose keys fit half of the memory, about. False: there are no more. */
static bool next_part(struct modifier *modifier)
{
	uint64_t room = part_bytes(modifier);
	struct modify_part *part = &modifier->part;
	uint64_t bytes = 0;

	part->begin = part->end;
	while (part->end < modifier->tree.nnodes && bytes <= room) {
		const struct modify_node *node = modifier->tree.nodes[part->end++];

		bytes += node->is_gone || !node->is_stored ? WHOLE_BYTES : SOME_BYTES;
	}
	return part->end > part->begin;
}

static int write_part(struct modifier *modifier)
{
	struct dit_pipeline *pipeline = modifier->pipeline;
	int r = dit_key_changes_begin(modifier->changes);

	if (r < 0) {
		return r;
	}
	dit_pipeline_begin_work(pipeline, make_share, modifier);
	r = modifier->part.begin > 0 ? dit_output_reach(&modifier->output->base) : 0;
	modifier->count.done = modifier->part.begin;
	dit_pipeline_end_work(pipeline);
	r = r ?: dit_key_changes_finish(modifier->changes);
	if (r == 0) {
		atomic_store_explicit(&modifier->part.next_db, 0, memory_order_relaxed);
		dit_pipeline_begin_work(pipeline, change_indexes, modifier);
		dit_pipeline_end_work(pipeline);
	}
	return r;
}

static int write_indexes(struct modifier *modifier)
{
	const struct dit_builders_opts opts = {
		.indexes = modifier->indexes,
		.shared = dit_job_shared(&modifier->job, modifier->seal),
		.memory_bytes = PART_FACTOR * part_bytes(modifier)};
	int r = dit_key_changes_new(&modifier->changes, &opts);

	while (r == 0 && next_part(modifier)) {
		r = write_part(modifier);
	}
	for (unsigned i = 0; i < modifier->job.nthreads && r == 0; i++) {
		r = modifier->members[i].error;
		modifier->stats->npostings += modifier->members[i].npostings;
	}
	return r;
}

/* ---- id2v ---- */

/** The values of an attribute in id2v go, or come. */
struct split_change {
	uint32_t order; /* the first; twice the attribute's number, and 1: they come */
	const struct dit_split *split; /* NULL: they go */
};

/* @param was_there  values have gone */
static int put_split(struct modifier *modifier, uint64_t id,
                     const struct split_change *change, bool was_there)
{
	const struct dit_split *split = change->split;
	uint16_t number = (uint16_t)(change->order / 2);
	int r = 0;

	if (split == NULL) {
		return dit_output_remove_splits(modifier->output, id, number);
	}
	for (uint32_t i = 0; i < split->nrecords && r == 0; i++) {
		r = dit_output_put_split(modifier->output, id, number, i + was_there,
		                         split->records[i]);
	}
	return r;
}

/* The changes of the records of an entry: attributes whose values are in id2v now, and
 * those whose values will be. @param ret  in the scratch */
static int find_splits(struct modifier *modifier, struct modify_node *node,
                       struct split_change **ret, size_t *ret_n)
{
	struct dit_splits splits = {.n = 0};
	struct dit_entry_view view = {.nattrs = 0};
	struct modify_edit whole;
	size_t n = 0;
	int r = 0;

	if (!node->is_gone && modifier->split_rules != NULL) {
		r = read_whole(modifier, node, &whole);
		r = r
		            ?: dit_split_encode(&whole.entry, modifier->split_rules,
		                                &modifier->scratch, &splits);
	}
	if (r == 0 && node->is_stored) {
		r = dit_entry_reader_seek(modifier->entries, node->id, &view);
	}
	*ret = dit_arena_alloc(&modifier->scratch,
	                       ((size_t)view.nattrs + splits.n + 1) * sizeof(**ret));
	if (r < 0 || *ret == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	for (uint32_t i = 0; view.id == node->id && i < view.nattrs; i++) {
		if (view.attrs[i].is_split) {
			(*ret)[n++] =
				(struct split_change){.order = 2 * view.attrs[i].number};
		}
	}
	for (uint32_t i = 0; i < splits.n; i++) {
		uint32_t number =
			dit_ad_number_known(&modifier->numbers, splits.list[i].ad);

		(*ret)[n++] = (struct split_change){2 * number + 1, &splits.list[i]};
	}
	*ret_n = n;
	return 0;
}

static int write_splits_of(struct modifier *modifier, struct modify_node *node)
{
	struct split_change *all = NULL;
	size_t n = 0;
	int r = 0;

	dit_arena_reset(&modifier->scratch);
	r = find_splits(modifier, node, &all, &n);
	if (n > 0) {
		qsort(all, n, sizeof(*all), dit_compare_numbers);
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = put_split(modifier, node->id, &all[i],
		              i > 0 && all[i - 1].order == (all[i].order & ~1u));
	}
	return r;
}

static int write_splits(struct modifier *modifier)
{
	const struct dit_stored_db *stored = dit_snapshot_db(modifier->snapshot, "id2v");
	int r = dit_output_begin_changes(modifier->output);

	if (r < 0 || (modifier->split_rules == NULL &&
	              (stored == NULL || stored->nrecords == 0))) {
		return r;
	}
	for (size_t i = 0; i < modifier->tree.nnodes && r == 0; i++) {
		if (has_content(modifier->tree.nodes[i])) {
			r = write_splits_of(modifier, modifier->tree.nodes[i]);
		}
	}
	return r;
}

/* ---- all ---- */

int dit_modify_write(struct modifier *modifier)
{
	int r = dit_modify_list_nodes(&modifier->tree);

	modifier->count.total = modifier->tree.nnodes;
	dit_job_tell(&modifier->job, DIT_MODIFY_INDEXES);
	r = r ?: write_entries(modifier);
	r = r ?: write_names(modifier);
	r = r ?: write_indexes(modifier);
	r = r ?: write_splits(modifier);
	return r < 0 ? dit_modify_fail(modifier, r, modifier->db->data.directory) : 0;
}
