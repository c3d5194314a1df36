/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of names, members and values: made of what producers have pushed, and looked
 * up.
 *
 * In order, an entry that slapd refuses is as if it was not there. So what can be refused
 * is looked at in the order of IDs.
 */
#include "overlays/overlays_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "base/slab.h"

#define ARENA_BYTES 4096

static void drop_pushed(struct overlay_pushed *pushed)
{
	for (size_t i = 0; i < pushed->nchunks; i++) {
		dit_slab_put(pushed->chunks[i], OVERLAY_CHUNK * sizeof(struct dit_pair));
	}
	free(pushed->chunks);
	*pushed = (struct overlay_pushed){.chunks = NULL};
}

/* A list with room for n + 1 pairs. */
static void drop_list(struct dit_pair *list, size_t n)
{
	dit_slab_put(list, (n + 1) * sizeof(*list));
}

int dit_overlays_new(struct dit_overlays **ret, const struct dit_overlays_opts *opts)
{
	struct dit_overlays *overlays = calloc(1, sizeof(*overlays));
	int r = overlays == NULL ? -ENOMEM : 0;

	if (r < 0) {
		return r;
	}
	overlays->opts = *opts;
	if (getrandom(&overlays->seed, sizeof(overlays->seed), 0) < 0) {
		r = -errno;
	}
	overlays->rootdn = dit_sum128_of(opts->rules->rootdn, overlays->seed);
	overlays->producers = calloc(opts->nproducers, sizeof(*overlays->producers));
	r = r < 0 || overlays->producers != NULL ? r : -ENOMEM;
	for (unsigned i = 0; i < opts->nproducers && r == 0; i++) {
		dit_arena_init(&overlays->producers[i].names, ARENA_BYTES);
		dit_arena_init(&overlays->producers[i].scratch, ARENA_BYTES);
	}
	return DIT_HAND_OVER(r, ret, overlays, dit_overlays_free);
}

void dit_overlays_free(struct dit_overlays *overlays)
{
	if (overlays == NULL) {
		return;
	}
	for (unsigned i = 0; overlays->producers != NULL && i < overlays->opts.nproducers;
	     i++) {
		struct overlay_producer *producer = &overlays->producers[i];

		for (unsigned k = 0; k < NTABLES; k++) {
			drop_pushed(&producer->pushed[k]);
		}
		dit_arena_deinit(&producer->names);
		dit_arena_deinit(&producer->scratch);
		free(producer->named);
		free(producer->items);
	}
	for (unsigned k = 0; k < NTABLES; k++) {
		drop_list(overlays->tables[k].list, overlays->tables[k].n);
		free(overlays->tables[k].starts);
	}
	free(overlays->producers);
	free(overlays->named);
	free(overlays->slots);
	free(overlays->refused);
	free(overlays);
}

/* ---- look-ups ---- */

static uint64_t extra_of(const struct dit_pair *pair)
{
	return pair->value >> 8 & 0xffff;
}

/* The first pair with this key or above. */
static size_t find_key(const struct overlay_table *table, uint64_t key)
{
	size_t low = table->starts[key >> table->shift];
	size_t high = table->starts[(key >> table->shift) + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->list[middle].key < key) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static size_t match_from(const struct overlay_table *table, size_t at,
                         struct dit_sum128 digest)
{
	while (at < table->n && table->list[at].key == digest.high &&
	       extra_of(&table->list[at]) != (digest.low & 0xffff)) {
		at++;
	}
	return at < table->n && table->list[at].key == digest.high ? at : table->n;
}

size_t dit_overlay_find(const struct overlay_table *table, struct dit_sum128 digest)
{
	return match_from(table, find_key(table, digest.high), digest);
}

size_t dit_overlay_find_next(const struct overlay_table *table, size_t at,
                             struct dit_sum128 digest)
{
	return match_from(table, at + 1, digest);
}

bool dit_overlay_is_refused(const struct dit_overlays *overlays, uint64_t id)
{
	return id / 64 < overlays->nrefused &&
	       (overlays->refused[id / 64] >> id % 64 & 1) != 0;
}

uint64_t dit_overlay_first(const struct dit_overlays *overlays,
                           enum overlay_table_kind kind, struct dit_sum128 digest)
{
	const struct overlay_table *table = &overlays->tables[kind];
	size_t at = dit_overlay_find(table, digest);

	while (at < table->n &&
	       ((table->list[at].value & FLAG_FOUND) == 0 ||
	        dit_overlay_is_refused(overlays, dit_overlay_id(&table->list[at])))) {
		at = dit_overlay_find_next(table, at, digest);
	}
	return at < table->n ? dit_overlay_id(&table->list[at]) : 0;
}

static size_t slot_of(const struct dit_overlays *overlays, uint64_t id)
{
	return (size_t)((id * 0x9e3779b97f4a7c15u) >> 32) & (overlays->nslots - 1);
}

static struct overlay_named *find_named(const struct dit_overlays *overlays, uint64_t id)
{
	size_t slot = slot_of(overlays, id);

	while (overlays->slots[slot] != 0 &&
	       overlays->named[overlays->slots[slot] - 1].id != id) {
		slot = (slot + 1) & (overlays->nslots - 1);
	}
	return overlays->slots[slot] == 0 ? NULL
	                                  : &overlays->named[overlays->slots[slot] - 1];
}

const struct dit_dn_text *dit_overlays_name(const struct dit_overlays *overlays,
                                            uint64_t id)
{
	const struct overlay_named *named = find_named(overlays, id);

	return named == NULL ? NULL : &named->dn;
}

bool dit_overlay_is_dangling(const struct dit_overlays *overlays, uint64_t group,
                             struct dit_sum128 member)
{
	uint64_t id = 0;

	if (member.high == overlays->rootdn.high && member.low == overlays->rootdn.low) {
		return false;
	}
	id = dit_overlay_first(overlays, NAMES, member);
	return id == 0 || (overlays->opts.in_order && id >= group);
}

/* ---- names are joined ---- */

static int compare_values(const void *a, const void *b)
{
	const struct dit_pair *x = a;
	const struct dit_pair *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Pairs of one key come in the order of producers. */
static void sort_ids(struct overlay_table *table)
{
	size_t end = 0;

	for (size_t i = 0; i < table->n; i = end) {
		for (end = i + 1;
		     end < table->n && table->list[end].key == table->list[i].key;
		     end++) {
		}
		if (end > i + 1) {
			qsort(table->list + i, end - i, sizeof(*table->list),
			      compare_values);
		}
	}
}

/* Where the keys begin that have the same highest bits: some eight pairs. */
static int find_starts(struct overlay_table *table)
{
	unsigned nbits = 1;
	size_t at = 0;

	while (nbits < 32 && table->n >> (nbits + 3) > 0) {
		nbits++;
	}
	table->shift = 64 - nbits;
	table->starts = calloc(((size_t)1 << nbits) + 1, sizeof(*table->starts));
	if (table->starts == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < (size_t)1 << nbits; i++) {
		table->starts[i] = (uint32_t)at;
		while (at < table->n && table->list[at].key >> table->shift == i) {
			at++;
		}
	}
	table->starts[(size_t)1 << nbits] = (uint32_t)at;
	return 0;
}

/* @param to  gets the pairs, which the producer has no more. @return how many */
static size_t move_pairs(struct overlay_pushed *pushed, struct dit_pair *to)
{
	size_t n = pushed->n;

	for (size_t at = 0; at < n; at += OVERLAY_CHUNK) {
		size_t len = n - at < OVERLAY_CHUNK ? n - at : OVERLAY_CHUNK;

		memcpy(to + at, pushed->chunks[at / OVERLAY_CHUNK], len * sizeof(*to));
	}
	drop_pushed(pushed);
	return n;
}

static int join_table(struct dit_overlays *overlays, enum overlay_table_kind kind)
{
	struct overlay_table *table = &overlays->tables[kind];
	unsigned nproducers = overlays->opts.nproducers;
	struct dit_pair *spare = NULL;
	struct dit_pair *all = NULL;
	size_t n = 0;

	for (unsigned i = 0; i < nproducers; i++) {
		n += overlays->producers[i].pushed[kind].n;
	}
	all = dit_slab_get((n + 1) * sizeof(*all));
	spare = dit_slab_get((n + 1) * sizeof(*spare));
	if (all == NULL || spare == NULL || n > DIT_RADIX_MAX) {
		drop_list(all, n);
		drop_list(spare, n);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < nproducers; i++) {
		table->n +=
			move_pairs(&overlays->producers[i].pushed[kind], all + table->n);
	}
	table->list = dit_radix_sort(all, spare, n);
	drop_list(table->list == all ? spare : all, n);
	sort_ids(table);
	return find_starts(table);
}

static int join_named(struct dit_overlays *overlays)
{
	unsigned n = overlays->opts.nproducers;

	for (unsigned i = 0; i < n; i++) {
		overlays->nnamed += overlays->producers[i].nnamed;
	}
	for (overlays->nslots = 1; overlays->nslots < 2 * overlays->nnamed + 1;) {
		overlays->nslots *= 2;
	}
	overlays->named = calloc(overlays->nnamed + 1, sizeof(*overlays->named));
	overlays->slots = calloc(overlays->nslots, sizeof(*overlays->slots));
	if (overlays->named == NULL || overlays->slots == NULL) {
		return -ENOMEM;
	}
	overlays->nnamed = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct overlay_producer *producer = &overlays->producers[i];

		for (size_t k = 0; k < producer->nnamed; k++) {
			size_t slot = slot_of(overlays, producer->named[k].id);

			while (overlays->slots[slot] != 0) {
				slot = (slot + 1) & (overlays->nslots - 1);
			}
			overlays->named[overlays->nnamed++] = producer->named[k];
			overlays->slots[slot] = (uint32_t)overlays->nnamed;
		}
	}
	return 0;
}

/* ---- in order: which entries does slapd refuse? ---- */

/* Can slapd refuse an entry for what this pair says? */
static bool is_doubtful(const struct dit_overlays *overlays, enum overlay_table_kind kind,
                        size_t at)
{
	const struct dit_pair *pair = &overlays->tables[kind].list[at];

	if (kind == MEMBERS) {
		return (pair->value & FLAG_NO_GROUP) == 0 &&
		       overlays->opts.rules->memberof[pair->value & RULE_MASK].dangling !=
		               DIT_DANGLING_IGNORE;
	}
	return at > 0 && pair[-1].key == pair->key;
}

/* @param doubts  key: the entry, then the table; value: the place in the table
 * @return how many */
static size_t find_doubts(const struct dit_overlays *overlays, struct dit_pair *doubts)
{
	size_t n = 0;

	for (unsigned kind = 0; kind < NTABLES; kind++) {
		const struct overlay_table *table = &overlays->tables[kind];

		for (size_t i = 0; i < table->n; i++) {
			if (!is_doubtful(overlays, kind, i)) {
				continue;
			}
			if (doubts != NULL) {
				doubts[n] = (struct dit_pair){
					dit_overlay_id(&table->list[i]) << 2 | kind, i};
			}
			n++;
		}
	}
	return n;
}

/* A group that names nobody is refused, or loses the member; it may need one. */
static bool is_group_refused(struct dit_overlays *overlays, const struct dit_pair *pair)
{
	const struct dit_memberof_rule *rule =
		&overlays->opts.rules->memberof[pair->value & RULE_MASK];
	uint64_t group = dit_overlay_id(pair);
	struct dit_sum128 digest = {pair->key, extra_of(pair)};
	struct overlay_named *named = NULL;

	/* The rest of the digest of rootdn is not in the pair. */
	if (digest.high == overlays->rootdn.high) {
		digest.low = overlays->rootdn.low;
	}
	if (!dit_overlay_is_dangling(overlays, group, digest)) {
		return false;
	}
	if (rule->dangling == DIT_DANGLING_ERROR) {
		return true;
	}
	named = find_named(overlays, group);
	return named->nvalues > 0 && ++named->nlost == named->nvalues;
}

/* Does an entry before this one have the name, or the value? The pair of the entry before
 * knows what those before it say. */
static bool is_taken(const struct dit_overlays *overlays, struct overlay_table *table,
                     size_t at)
{
	struct dit_pair *pair = &table->list[at];
	uint64_t id = dit_overlay_id(pair);
	size_t before = at;
	bool is_taken = false;

	do {
		before--;
	} while (before > 0 && table->list[before].key == pair->key &&
	         extra_of(&table->list[before]) != extra_of(pair));
	if (table->list[before].key == pair->key &&
	    extra_of(&table->list[before]) == extra_of(pair)) {
		uint64_t value = table->list[before].value;
		uint64_t other = value >> 24;

		is_taken = (value & FLAG_TAKEN) != 0 ||
		           ((value & FLAG_FOUND) != 0 && other < id &&
		            !dit_overlay_is_refused(overlays, other));
	}
	pair->value |= is_taken ? FLAG_TAKEN : 0;
	return is_taken;
}

static bool is_refused_for(struct dit_overlays *overlays, enum overlay_table_kind kind,
                           size_t at)
{
	struct overlay_table *table = &overlays->tables[kind];

	return kind == MEMBERS ? is_group_refused(overlays, &table->list[at])
	                       : is_taken(overlays, table, at) &&
	                                 (table->list[at].value & FLAG_SEEKS) != 0;
}

/* Whether an entry is refused depends on those before it alone. */
static void refuse(struct dit_overlays *overlays, const struct dit_pair *doubts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum overlay_table_kind kind = doubts[i].key & 3;
		uint64_t id = doubts[i].key >> 2;

		if (is_refused_for(overlays, kind, doubts[i].value)) {
			overlays->refused[id / 64] |= (uint64_t)1 << id % 64;
		}
	}
}

static int find_refused(struct dit_overlays *overlays)
{
	size_t n = find_doubts(overlays, NULL);
	struct dit_pair *doubts = dit_slab_get((n + 1) * sizeof(*doubts));
	struct dit_pair *spare = dit_slab_get((n + 1) * sizeof(*spare));
	struct dit_pair *sorted = NULL;
	int r = doubts == NULL || spare == NULL || n > DIT_RADIX_MAX ? -ENOMEM : 0;

	if (r == 0 && n > 0) {
		(void)find_doubts(overlays, doubts);
		sorted = dit_radix_sort(doubts, spare, n);
		overlays->nrefused = (sorted[n - 1].key >> 2) / 64 + 1;
		overlays->refused =
			calloc(overlays->nrefused, sizeof(*overlays->refused));
		r = overlays->refused == NULL ? -ENOMEM : 0;
	}
	if (r == 0) {
		refuse(overlays, sorted, n);
	}
	drop_list(doubts, n);
	drop_list(spare, n);
	return r;
}

int dit_overlays_join(struct dit_overlays *overlays)
{
	int r = join_named(overlays);

	for (unsigned kind = 0; kind < NTABLES && r == 0; kind++) {
		r = join_table(overlays, kind);
	}
	return r < 0 || !overlays->opts.in_order ? r : find_refused(overlays);
}
