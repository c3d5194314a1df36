/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Equal entries are found without a second look at them. Each side is scanned on all
 * threads; of each entry a record is sorted:
 *
 *   key     hash of the normal DN, 16 bytes, the most significant one first
 *   value   ID, sum of the values, hash of the entryUUID, hash of RDN and class
 *
 * The two sorted sequences are merged. A DN with one sum and one entryUUID on both sides
 * is an entry that is the same. If the sum alone differs the entry is changed in its
 * place; its IDs are noted. All others become items, which are few. Entries of the
 * configuration are items as well: there the order of changes depends on their names.
 *
 * The sum is that of the digests of all values, each with the name of its attribute: the
 * order of attributes and values does not count. The seed is random.
 *
 * Digests are made of such records as well. They have digests of entries for the sums.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/pairs.h"
#include "diff/diff_impl.h"
#include "filter/filter_match.h"
#include "schema/schema.h"
#include "system/tmp_files.h"
#include "values/dn.h"

#define KEY_BYTES sizeof(struct dit_sum128)

/* The result of a range. */
struct range_sum {
	uint64_t bad_id;          /* of an entry that cannot be read */
	struct dit_sum128 digest; /* as of a side */
	uint64_t top;
	bool has_holder_name;
};

/* ---- sums ---- */

bool dit_diff_is_content(const struct dit_diff *diff, const struct dit_ad *ad)
{
	return ad == NULL || diff->opts.exact || ad->type->usage == DIT_USAGE_USER ||
	       dit_ad_is_content(ad, diff->opts.operational);
}

bool dit_diff_is_compared(const struct dit_diff *diff, const struct dit_ad *ad)
{
	if (!dit_diff_is_content(diff, ad)) {
		return false;
	}
	for (size_t i = 0; i < diff->opts.nattrs; i++) {
		if (ad != NULL && dit_ad_is_below(ad, diff->ads[i])) {
			return true;
		}
	}
	return diff->opts.nattrs == 0;
}

uint64_t dit_diff_hash_of(const struct dit_diff *diff, const struct dit_attr_view *attr)
{
	return dit_sum128_seed(attr->normal == NULL ? attr->values[0] : attr->normal[0],
	                       diff->seed);
}

static void add_attr(const struct dit_diff *diff, const struct dit_attr_view *attr,
                     struct dit_sum128 *sum)
{
	if (attr->ad == NULL) {
		dit_sum128_add_values(sum, attr->values, attr->nvalues,
		                      dit_sum128_seed(attr->name, diff->seed));
		return;
	}
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		dit_ad_sum_value(attr->ad, attr->values[i], i, diff->seed, sum);
	}
}

static struct dit_diff_sum sum_up(const struct dit_diff *diff,
                                  const struct dit_entry_view *entry)
{
	struct dit_diff_sum ret = {.dn = dit_sum128_of(entry->norm_dn, diff->seed),
	                           .id = entry->id};

	if (diff->digests != NULL) {
		ret.sum = dit_entry_view_digest(entry);
		ret.uuid = entry->parent;
		return ret;
	}
	if (entry->is_hole) {
		return ret;
	}
	ret.sum = dit_sum128_of(dit_dn_first_rdn(entry->dn), diff->seed);
	ret.form = ret.sum.low;
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (dit_diff_is_compared(diff, attr->ad)) {
			add_attr(diff, attr, &ret.sum);
		}
		if (attr->ad == diff->uuid_ad && attr->nvalues > 0) {
			ret.uuid = dit_diff_hash_of(diff, attr);
		} else if (attr->ad == diff->class_ad && attr->nvalues > 0) {
			ret.form ^= dit_diff_hash_of(diff, attr);
		}
	}
	return ret;
}

const struct dit_attr_view *dit_diff_csns(const struct dit_entry_view *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (dit_span_eq(entry->attrs[i].name, DIT_SPAN("contextCSN"))) {
			return &entry->attrs[i];
		}
	}
	return NULL;
}

/* ---- a scan ---- */

struct scan {
	struct dit_diff *diff;
	unsigned side;
	const struct dit_diff_map *marked; /* NULL: all entries are sorted */
};

int dit_diff_fail_entry(struct dit_diff *diff, unsigned side, uint64_t id)
{
	diff->is_told = true;
	return dit_job_say(
		&diff->job, DIT_E_CORRUPT,
		"%s: entry %lu cannot be read: the database is damaged; ditcheck "
		"says how",
		diff->sides[side].directory, id);
}

static int begin_range(void *ctx, struct dit_scan_range *range)
{
	(void)ctx;
	range->result = dit_scan_range_alloc(range, sizeof(struct range_sum));
	return range->result == NULL ? -ENOMEM : 0;
}

static void drop_range(void *ctx, struct dit_scan_range *range)
{
	const struct scan *scan = ctx;
	const struct range_sum *sum = range->result;

	if (sum != NULL && sum->bad_id != 0) {
		(void)dit_diff_fail_entry(scan->diff, scan->side, sum->bad_id);
	}
}

static int count_range(void *ctx, struct dit_scan_range *range)
{
	const struct scan *scan = ctx;
	const struct range_sum *sum = range->result;
	struct dit_diff_side *side = &scan->diff->sides[scan->side];

	if (scan->marked == NULL) {
		dit_sum128_add(&side->digest, &sum->digest);
		side->top = sum->top != 0 ? sum->top : side->top;
	}
	scan->diff->has_holder_name |= sum->has_holder_name;
	side->nread += range->nread;
	dit_tick_often(&scan->diff->job.ticker);
	return 0;
}

/* A range tells this of its state. */
static void tell_entry(const struct dit_diff *diff, const struct dit_entry_view *entry,
                       struct range_sum *ret)
{
	ret->has_holder_name |= dit_diff_is_holder(entry->norm_dn);
	if (entry->is_hole) {
		return;
	}
	if (diff->opts.exact) {
		struct dit_sum128 digest = dit_entry_view_digest(entry);

		dit_sum128_add(&ret->digest, &digest);
	}
	if (entry->parent == 0 && dit_diff_csns(entry) != NULL) {
		ret->top = entry->id;
	}
}

static int sort_entry(const struct scan *scan, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	const struct dit_diff *diff = scan->diff;
	struct dit_diff_sum sum;
	struct dit_sum128 key;

	tell_entry(diff, entry, range->result);
	if (scan->marked != NULL &&
	    dit_diff_map_get(scan->marked, entry->parent) == NULL) {
		return 0;
	}
	sum = sum_up(diff, entry);
	if (diff->known != NULL && diff->known_side == scan->side &&
	    scan->marked == NULL && !entry->is_hole) {
		struct dit_sum128 both = sum.sum;

		dit_sum128_add(&both, &sum.dn);
		dit_known_push(diff->known, entry->id, &both, sum.uuid);
	}
	key = (struct dit_sum128){htobe64(sum.dn.high), htobe64(sum.dn.low)};
	return dit_sorter_push(diff->sides[scan->side].sorter, range->member,
	                       (struct dit_span){(const char *)&key, KEY_BYTES},
	                       (struct dit_span){(const char *)&sum + KEY_BYTES,
	                                         sizeof(sum) - KEY_BYTES});
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	const struct scan *scan = ctx;
	struct range_sum *sum = range->result;

	if (entry->name_error < 0 || entry->record_error < 0) {
		sum->bad_id = entry->id;
		return DIT_E_CORRUPT;
	}
	/* A hole may be an entry on the other side. Digests are of entries. */
	return entry->is_hole && scan->diff->digests != NULL
	               ? 0
	               : sort_entry(scan, range, entry);
}

static int new_sorter(struct dit_diff *diff, unsigned side)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	size_t least = DIT_SORT_SHARE_MIN * diff->job.nthreads;
	uint64_t share = dit_memory_share(diff->opts.memory_bytes) / 2;

	opts.nproducers = diff->job.nthreads;
	opts.memory_bytes = share < least ? least : (size_t)share;
	opts.tmpdir = dit_tmp_dir(diff->opts.tmpdir);
	opts.cipher = dit_data_seal_runs(diff->sides[side].seal);
	return dit_sorter_new(&diff->sides[side].sorter, &opts);
}

/* Will LDIF be compared with this side, as a whole? And is there room for its entries? */
static bool wants_known(const struct dit_diff *diff, unsigned side)
{
	return diff->opts.is_made[1 - side] && !diff->sides[1 - side].is_ready &&
	       !diff->has_match && !diff->opts.exact && diff->opts.nattrs == 0 &&
	       dit_known_bytes(dit_entry_scan_nrecords(diff->sides[side].scan)) <=
	               dit_memory_share(diff->opts.memory_bytes) / 3;
}

int dit_diff_scan(struct dit_diff *diff, unsigned side, const struct dit_diff_map *marked)
{
	static const struct dit_entry_scan_ops ops = {.begin = begin_range,
	                                              .entry = take_entry,
	                                              .in_order = count_range,
	                                              .drop = drop_range};
	struct scan scan = {diff, side, marked};
	struct dit_diff_side *it = &diff->sides[side];
	int r = new_sorter(diff, side);

	if (r == 0 && marked == NULL && wants_known(diff, side)) {
		diff->known_side = side;
		const struct dit_entry_sum_rule rule = {diff->seed,
		                                        diff->opts.operational};

		r = dit_known_new(&diff->known, dit_entry_scan_nrecords(it->scan), &rule);
	}
	it->nread = 0;
	r = r ?: dit_entry_scan_run(it->scan, &ops, &scan);
	if (r == DIT_E_CORRUPT && !diff->is_told) {
		diff->is_told = true;
		return dit_job_fail(&diff->job, r, it->directory);
	}
	return r ?: dit_sorter_seal(it->sorter);
}

/* ---- items ---- */

int dit_diff_next_sum(void *ctx)
{
	struct dit_diff_side *side = ctx;
	struct dit_diff_sum *ret = &side->at;
	struct dit_sort_record record;
	int r = dit_sorter_next(side->sorter, &record);

	if (r > 0) {
		memcpy(&ret->dn, record.key.data, KEY_BYTES);
		memcpy((char *)ret + KEY_BYTES, record.value.data,
		       sizeof(*ret) - KEY_BYTES);
		ret->dn.high = be64toh(ret->dn.high);
		ret->dn.low = be64toh(ret->dn.low);
	}
	return r;
}

static int order(const void *a, const void *b)
{
	return dit_compare_id_pairs(&((const struct dit_diff_side *)a)->at.dn,
	                            &((const struct dit_diff_side *)b)->at.dn);
}

static int add_item(struct dit_diff *diff, unsigned side, const struct dit_diff_sum *sum)
{
	struct dit_diff_side *it = &diff->sides[side];
	struct dit_diff_item *item = dit_arena_alloc(&diff->kept, sizeof(*item));

	if (item == NULL) {
		return -ENOMEM;
	}
	*item = (struct dit_diff_item){
		.id = sum->id, .dn = sum->dn.low, .uuid = sum->uuid, .sum = sum->sum};
	return DIT_APPEND(it->items, it->items_size, it->nitems, item);
}

int dit_diff_item(struct dit_diff *diff, unsigned side, uint64_t id,
                  struct dit_diff_item **ret)
{
	struct dit_diff_side *it = &diff->sides[side];
	int r = 0;

	*ret = dit_diff_map_get(&it->by_id, id);
	if (*ret == NULL) {
		r = add_item(diff, side, &(struct dit_diff_sum){.id = id});
		if (r == 0) {
			*ret = it->items[it->nitems - 1];
			(*ret)->is_equal = true;
			r = dit_diff_map_set(&it->by_id, id, *ret);
		}
	}
	return r;
}

static int compare_items(const void *a, const void *b)
{
	return dit_compare_ids(*(const void *const *)a, *(const void *const *)b);
}

/* They are read in the order of their IDs. */
static int index_items(struct dit_diff_side *side)
{
	int r = 0;

	dit_sort_items(side->items, side->nitems, sizeof(*side->items), compare_items);
	for (size_t i = 0; i < side->nitems && r == 0; i++) {
		r = dit_diff_map_set(&side->by_id, side->items[i]->id, side->items[i]);
	}
	return r;
}

static bool is_same(const struct dit_diff_sum *a, const struct dit_diff_sum *b)
{
	return a->sum.low == b->sum.low && a->sum.high == b->sum.high &&
	       a->uuid == b->uuid;
}

/* The form of a hole is 0. */
static bool stays_in_place(const struct dit_diff *diff)
{
	const struct dit_diff_sum *a = &diff->sides[0].at;
	const struct dit_diff_sum *b = &diff->sides[1].at;

	return a->uuid == b->uuid && a->form == b->form &&
	       !dit_diff_is_configuration(diff);
}

/* The sum of a hole is 0. */
static bool is_entry(const struct dit_diff *diff, unsigned side)
{
	const struct dit_diff_sum *sum = &diff->sides[side].at;

	return sum->sum.low != 0 || sum->sum.high != 0 ||
	       dit_diff_is_twin(diff, side, sum->id);
}

static void free_sorters(struct dit_diff *diff)
{
	for (unsigned side = 0; side < 2; side++) {
		dit_sorter_free(diff->sides[side].sorter);
		diff->sides[side].sorter = NULL;
	}
}

int dit_diff_collect(struct dit_diff *diff)
{
	struct dit_diff_side *sides = diff->sides;
	struct dit_pairs pairs = {.next = dit_diff_next_sum,
	                          .order = order,
	                          .sides = {&sides[0], &sides[1]}};
	int which = 0;
	int r = 0;

	while (r == 0 && (which = dit_pairs_next(&pairs)) > 0) {
		bool are_same = which == DIT_PAIR_BOTH &&
		                (is_same(&sides[0].at, &sides[1].at) ||
		                 dit_diff_is_twin(diff, 0, sides[0].at.id) ||
		                 dit_diff_is_twin(diff, 1, sides[1].at.id));
		bool is_item =
			!are_same && (which != DIT_PAIR_BOTH || !stays_in_place(diff));

		for (unsigned side = 0; side < 2 && r == 0; side++) {
			if (((unsigned)which & ((unsigned)DIT_PAIR_FIRST << side)) != 0) {
				diff->stats.nentries[side] += is_entry(diff, side);
				r = is_item ? add_item(diff, side, &sides[side].at) : 0;
			}
		}
		if (r == 0 && !are_same && !is_item) {
			r = DIT_APPEND(diff->changed, diff->changed_size, diff->nchanged,
			               (struct dit_diff_changed){sides[1].at.id,
			                                         sides[0].at.id});
		}
	}
	free_sorters(diff);
	r = r ?: which;
	r = r ?: index_items(&sides[0]);
	return r ?: index_items(&sides[1]);
}

int dit_diff_scan_children(struct dit_diff *diff, unsigned side,
                           const struct dit_diff_map *marked)
{
	struct dit_diff_sum *sum = &diff->sides[side].at;
	int r = dit_diff_scan(diff, side, marked);

	while (r == 0 && (r = dit_diff_next_sum(&diff->sides[side])) > 0) {
		struct dit_diff_item *item = NULL;
		struct dit_entry_view entry;

		r = 0;
		/* The scan has seen no content of a twin. */
		if (dit_diff_is_twin(diff, side, sum->id)) {
			r = dit_diff_read(diff, side, sum->id, &entry);
			*sum = r < 0 ? *sum : sum_up(diff, &entry);
		}
		r = r ?: dit_diff_item(diff, side, sum->id, &item);
		if (r == 0 && item->is_equal && !item->is_hole) {
			item->is_equal = false;
			item->uuid = sum->uuid;
			item->sum = sum->sum;
		}
	}
	free_sorters(diff);
	return r;
}

/* ---- objects by a hash ---- */

static struct dit_diff_slot *slot_of(const struct dit_diff_map *map, uint64_t key)
{
	size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 7) & (map->size - 1);

	while (map->slots[at].object != NULL && map->slots[at].key != key) {
		at = (at + 1) & (map->size - 1);
	}
	return &map->slots[at];
}

void *dit_diff_map_get(const struct dit_diff_map *map, uint64_t key)
{
	return map->size == 0 ? NULL : slot_of(map, key)->object;
}

static int grow_map(struct dit_diff_map *map)
{
	struct dit_diff_map more = {.size = map->size == 0 ? 64 : 2 * map->size};

	more.slots = calloc(more.size, sizeof(*more.slots));
	if (more.slots == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < map->size; i++) {
		if (map->slots[i].object != NULL) {
			*slot_of(&more, map->slots[i].key) = map->slots[i];
		}
	}
	more.n = map->n;
	free(map->slots);
	*map = more;
	return 0;
}

int dit_diff_map_set(struct dit_diff_map *map, uint64_t key, void *object)
{
	struct dit_diff_slot *slot = NULL;

	if (2 * map->n >= map->size && grow_map(map) < 0) {
		return -ENOMEM;
	}
	slot = slot_of(map, key);
	map->n += slot->object == NULL;
	*slot = (struct dit_diff_slot){.key = key, .object = object};
	return 0;
}

void dit_diff_map_deinit(struct dit_diff_map *map)
{
	free(map->slots);
	*map = (struct dit_diff_map){.slots = NULL};
}
