/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of names, members, values and kept DNs: made of what producers have pushed,
 * and looked up.
 *
 * In order, an entry that slapd refuses is as if it was not there. So what can be refused
 * is looked at in the order of IDs.
 */
#include "overlays/overlays_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/grow.h"
#include "base/object.h"

#define ARENA_BYTES 4096

static void drop_table(struct overlay_table *table)
{
	DIT_FREE_LARGE(table->list, table->size);
	DIT_FREE_LARGE(table->starts, table->nstarts);
	*table = (struct overlay_table){.list = NULL};
}

int dit_overlays_new(struct dit_overlays **ret, const struct dit_overlays_opts *opts)
{
	struct dit_overlays *overlays = calloc(1, sizeof(*overlays));
	int r = 0;

	if (overlays == NULL) {
		return -ENOMEM;
	}
	overlays->opts = *opts;
	if (getrandom(&overlays->seed, sizeof(overlays->seed), 0) < 0) {
		r = -errno;
	}
	overlays->rootdn = dit_sum128_of(opts->rules->rootdn, overlays->seed);
	overlays->producers = calloc(opts->nproducers, sizeof(*overlays->producers));
	r = r < 0 || overlays->producers != NULL ? r : -ENOMEM;
	for (unsigned i = 0; i < opts->nproducers && r == 0; i++) {
		dit_arena_init(&overlays->producers[i].kept, ARENA_BYTES);
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

		for (unsigned kind = 0; kind < NTABLES; kind++) {
			drop_table(&producer->tables[kind]);
		}
		dit_arena_deinit(&producer->kept);
		dit_arena_deinit(&producer->scratch);
		free(producer->items);
	}
	for (unsigned kind = 0; kind < NTABLES; kind++) {
		drop_table(&overlays->tables[kind]);
	}
	free(overlays->producers);
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
	size_t at = table->starts[key >> table->shift];
	size_t end = table->starts[(key >> table->shift) + 1];

	while (at < end && table->list[at].key < key) {
		at++;
	}
	return at;
}

static bool has_digest(const struct dit_pair *pair, struct dit_sum128 digest)
{
	return pair->key == digest.high && extra_of(pair) == (digest.low & 0xffff);
}

const struct dit_pair *dit_overlay_next(const struct overlay_table *table,
                                        struct dit_sum128 digest,
                                        const struct dit_pair *before)
{
	size_t at = before == NULL ? find_key(table, digest.high)
	                           : (size_t)(before + 1 - table->list);

	while (at < table->n && table->list[at].key == digest.high &&
	       !has_digest(&table->list[at], digest)) {
		at++;
	}
	return at < table->n && table->list[at].key == digest.high ? &table->list[at]
	                                                           : NULL;
}

bool dit_overlay_is_refused(const struct dit_overlays *overlays, uint64_t id)
{
	return id / 64 < overlays->nrefused &&
	       (overlays->refused[id / 64] >> id % 64 & 1) != 0;
}

uint64_t dit_overlay_first(const struct dit_overlays *overlays,
                           enum overlay_table_kind kind, struct dit_sum128 digest)
{
	const struct dit_pair *at = NULL;

	do {
		at = dit_overlay_next(&overlays->tables[kind], digest, at);
	} while (at != NULL && ((at->value & FLAG_FOUND) == 0 ||
	                        dit_overlay_is_refused(overlays, dit_overlay_id(at))));
	return at == NULL ? 0 : dit_overlay_id(at);
}

void dit_overlay_kept_prefetch(const struct dit_overlays *overlays, uint64_t id)
{
	const struct overlay_table *table = &overlays->tables[KEPT];

	__builtin_prefetch(table->list +
	                   table->starts[dit_overlay_kept_key(id) >> table->shift]);
}

struct overlay_kept *dit_overlay_kept_find(const struct dit_overlays *overlays,
                                           uint64_t id)
{
	const struct overlay_table *table = &overlays->tables[KEPT];
	uint64_t key = dit_overlay_kept_key(id);
	size_t at = find_key(table, key);

	return at < table->n && table->list[at].key == key
	               ? (struct overlay_kept *)(uintptr_t)table->list[at].value
	               : NULL;
}

bool dit_overlay_is_dangling(const struct dit_overlays *overlays, uint64_t group,
                             struct dit_sum128 member)
{
	uint64_t id = 0;

	if (member.high == overlays->rootdn.high &&
	    (uint16_t)member.low == (uint16_t)overlays->rootdn.low) {
		return false;
	}
	id = dit_overlay_first(overlays, NAMES, member);
	return id == 0 || (overlays->opts.in_order && id >= group);
}

/* ---- tables are made ---- */

int dit_overlay_push(struct overlay_table *table, uint64_t key, uint64_t value)
{
	if (DIT_GROW_LARGE(table->list, table->size, table->n + 1) < 0) {
		return -ENOMEM;
	}
	table->list[table->n++] = (struct dit_pair){.key = key, .value = value};
	return 0;
}

/* By key; equal keys stay in their order. */
static int sort_keys(struct overlay_table *table)
{
	size_t bytes = table->size * sizeof(*table->list);
	struct dit_pair *spare = NULL;
	struct dit_pair *sorted = NULL;

	if (table->n == 0) {
		return 0;
	}
	spare = dit_slab_get(bytes);
	if (spare == NULL || table->n > DIT_RADIX_MAX) {
		dit_slab_put(spare, bytes);
		return -ENOMEM;
	}
	sorted = dit_radix_sort(table->list, spare, table->n);
	dit_slab_put(sorted == spare ? table->list : spare, bytes);
	table->list = sorted;
	return 0;
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
	if (DIT_GROW_LARGE(table->starts, table->nstarts, ((size_t)1 << nbits) + 1) < 0) {
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

/* The table gets the pairs of all producers, each of which has them by ID, in order of
 * ID. Those of KEPT have none, and any order will do. */
static void merge(struct dit_overlays *overlays, enum overlay_table_kind kind, size_t n)
{
	struct overlay_table *table = &overlays->tables[kind];

	while (table->n < n) {
		struct overlay_table *lowest = &overlays->producers[0].tables[kind];
		uint64_t first = UINT64_MAX;
		uint64_t second = UINT64_MAX; /* of the other producers */

		for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
			struct overlay_table *from = &overlays->producers[i].tables[kind];
			uint64_t id =
				from->nmerged == from->n
					? UINT64_MAX
					: dit_overlay_id(from->list + from->nmerged);

			if (id < first) {
				second = first;
				first = id;
				lowest = from;
			} else if (id < second) {
				second = id;
			}
		}
		do {
			table->list[table->n++] = lowest->list[lowest->nmerged++];
		} while (lowest->nmerged < lowest->n &&
		         dit_overlay_id(lowest->list + lowest->nmerged) < second);
	}
}

static int join_table(struct dit_overlays *overlays, enum overlay_table_kind kind)
{
	struct overlay_table *table = &overlays->tables[kind];
	size_t n = 0;
	int r = 0;

	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		n += overlays->producers[i].tables[kind].n;
	}
	r = n == 0 ? 0 : DIT_GROW_LARGE(table->list, table->size, n);
	if (r == 0) {
		merge(overlays, kind, n);
	}
	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		drop_table(&overlays->producers[i].tables[kind]);
	}
	r = r ?: sort_keys(table);
	return r ?: find_starts(table);
}

/* ---- in order: which entries does slapd refuse? ---- */

/* Can slapd refuse an entry for what this pair says? */
static bool is_doubtful(const struct dit_overlays *overlays, enum overlay_table_kind kind,
                        size_t at)
{
	const struct dit_pair *pair = &overlays->tables[kind].list[at];

	if (kind == MEMBERS) {
		return (pair->value & FLAG_NO_GROUP) == 0 &&
		       overlays->opts.rules->memberof[dit_overlay_rule(pair)].dangling !=
		               DIT_DANGLING_IGNORE;
	}
	return kind != KEPT && at > 0 && pair[-1].key == pair->key;
}

/* @param doubts  gets as key the entry, then the table; as value the place in it */
static int find_doubts(const struct dit_overlays *overlays, struct overlay_table *doubts)
{
	int r = 0;

	for (unsigned kind = 0; kind < NTABLES; kind++) {
		const struct overlay_table *table = &overlays->tables[kind];

		for (size_t i = 0; i < table->n && r == 0; i++) {
			if (is_doubtful(overlays, kind, i)) {
				r = dit_overlay_push(
					doubts,
					dit_overlay_id(&table->list[i]) << 2 | kind, i);
			}
		}
	}
	return r;
}

/* A group that names nobody is refused, or loses the member; it may need one. */
static bool is_group_refused(struct dit_overlays *overlays, const struct dit_pair *pair)
{
	const struct dit_memberof_rule *rule =
		&overlays->opts.rules->memberof[dit_overlay_rule(pair)];
	uint64_t group = dit_overlay_id(pair);
	struct dit_sum128 digest = {pair->key, extra_of(pair)};
	struct overlay_kept *kept = NULL;

	if (!dit_overlay_is_dangling(overlays, group, digest)) {
		return false;
	}
	if (rule->dangling == DIT_DANGLING_ERROR) {
		return true;
	}
	kept = dit_overlay_kept_find(overlays, group);
	return kept->nvalues > 0 && ++kept->nlost == kept->nvalues;
}

/* Does an entry before this one have the name, or the value? The pair of the entry before
 * knows what those before it say. */
static bool is_taken(const struct dit_overlays *overlays, struct overlay_table *table,
                     size_t at)
{
	struct dit_pair *pair = &table->list[at];
	struct dit_sum128 digest = {pair->key, extra_of(pair)};
	const struct dit_pair *before = pair;
	uint64_t id = 0;

	do {
		before--;
	} while (before > table->list && before->key == pair->key &&
	         !has_digest(before, digest));
	id = dit_overlay_id(before);
	if (has_digest(before, digest) &&
	    ((before->value & FLAG_TAKEN) != 0 ||
	     ((before->value & FLAG_FOUND) != 0 && id < dit_overlay_id(pair) &&
	      !dit_overlay_is_refused(overlays, id)))) {
		pair->value |= FLAG_TAKEN;
	}
	return (pair->value & FLAG_TAKEN) != 0;
}

/* Whether an entry is refused depends on those before it alone. */
static void refuse(struct dit_overlays *overlays, const struct overlay_table *doubts)
{
	for (size_t i = 0; i < doubts->n; i++) {
		enum overlay_table_kind kind = doubts->list[i].key & 3;
		struct overlay_table *table = &overlays->tables[kind];
		size_t at = doubts->list[i].value;
		uint64_t id = doubts->list[i].key >> 2;

		if (kind == MEMBERS ? is_group_refused(overlays, &table->list[at])
		                    : is_taken(overlays, table, at) &&
		                              (table->list[at].value & FLAG_SEEKS) != 0) {
			overlays->refused[id / 64] |= (uint64_t)1 << id % 64;
		}
	}
}

static int find_refused(struct dit_overlays *overlays)
{
	struct overlay_table doubts = {.n = 0};
	int r = find_doubts(overlays, &doubts);

	r = r ?: sort_keys(&doubts);
	if (r == 0 && doubts.n > 0) {
		overlays->nrefused = (doubts.list[doubts.n - 1].key >> 2) / 64 + 1;
		overlays->refused =
			calloc(overlays->nrefused, sizeof(*overlays->refused));
		r = overlays->refused == NULL ? -ENOMEM : 0;
	}
	if (r == 0) {
		refuse(overlays, &doubts);
	}
	drop_table(&doubts);
	return r;
}

int dit_overlays_join(struct dit_overlays *overlays)
{
	int r = 0;

	for (unsigned kind = 0; kind < NTABLES && r == 0; kind++) {
		r = join_table(overlays, kind);
	}
	return r < 0 || !overlays->opts.in_order ? r : find_refused(overlays);
}
