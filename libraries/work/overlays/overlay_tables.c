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

const struct dit_dn_text *dit_overlay_kept_find(const struct dit_overlays *overlays,
                                                uint64_t id)
{
	const struct overlay_table *table = &overlays->tables[KEPT];
	uint64_t key = dit_overlay_kept_key(id);
	size_t at = find_key(table, key);

	return at < table->n && table->list[at].key == key
	               ? (const struct dit_dn_text *)(uintptr_t)table->list[at].value
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

/* The table gets the pairs of all producers, by key and ID. */
static int join_table(struct dit_overlays *overlays, enum overlay_table_kind kind)
{
	struct overlay_table *table = &overlays->tables[kind];
	struct dit_radix radix = {.width = 2};
	struct dit_pair *spare = NULL;
	struct dit_pair *sorted = NULL;
	size_t n = 0;

	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		const struct overlay_table *from = &overlays->producers[i].tables[kind];

		for (size_t k = 0; k < from->n; k++) {
			dit_radix_count(&radix, from->list[k].key, 2, 1);
		}
		n += from->n;
	}
	if (n == 0) {
		return find_starts(table);
	}
	if (n > DIT_RADIX_MAX || DIT_GROW_LARGE(table->list, table->size, n) < 0) {
		return -ENOMEM;
	}
	dit_radix_count_end(&radix);
	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		struct overlay_table *from = &overlays->producers[i].tables[kind];

		for (size_t k = 0; k < from->n; k++) {
			table->list[dit_radix_place(&radix, from->list[k].key, 2, 1)] =
				from->list[k];
		}
		drop_table(from);
	}
	spare = dit_slab_get(table->size * sizeof(*spare));
	if (spare == NULL) {
		return -ENOMEM;
	}
	sorted = (struct dit_pair *)dit_radix_finish(&radix, &table->list->key,
	                                             &spare->key, n);
	dit_slab_put(sorted == spare ? table->list : spare, table->size * sizeof(*spare));
	table->list = sorted;
	table->n = n;
	return find_starts(table);
}

/* ---- in order: which entries does slapd refuse? ---- */

/* Can slapd refuse an entry for what this pair says? */
static bool is_doubtful(const struct dit_overlays *overlays, enum overlay_table_kind kind,
                        const struct dit_pair *pair)
{
	if (kind == MEMBERS) {
		const struct dit_memberof_rule *rule =
			&overlays->opts.rules->memberof[dit_overlay_rule(pair)];

		return (pair->value & FLAG_NO_GROUP) == 0 &&
		       (rule->dangling == DIT_DANGLING_ERROR || rule->is_needed);
	}
	return (pair->value & FLAG_SEEKS) != 0 && pair > overlays->tables[kind].list &&
	       pair[-1].key == pair->key;
}

/* Key: the entry, then the rule of memberof, then the table; value: the place in it. */
static int find_doubts(struct dit_overlays *overlays)
{
	struct overlay_table *doubts = &overlays->producers[0].tables[DOUBTS];
	int r = 0;

	for (unsigned kind = NAMES; kind <= VALUES; kind++) {
		const struct overlay_table *table = &overlays->tables[kind];

		for (size_t i = 0; i < table->n && r == 0; i++) {
			const struct dit_pair *pair = &table->list[i];
			uint32_t rule = kind == MEMBERS ? dit_overlay_rule(pair) : 0;

			if (is_doubtful(overlays, kind, pair)) {
				r = dit_overlay_push(
					doubts,
					dit_overlay_id(pair) << 9 | rule << 2 | kind, i);
			}
		}
	}
	return r ?: join_table(overlays, DOUBTS);
}

/* Does the group name nobody here? Or does an entry before this one have its name, or its
 * value? Whether an entry is refused depends on those before it alone. */
static bool is_wrong(const struct dit_overlays *overlays, enum overlay_table_kind kind,
                     const struct dit_pair *pair)
{
	struct dit_sum128 digest = {pair->key, extra_of(pair)};
	uint64_t id = dit_overlay_id(pair);
	uint64_t first = 0;

	if (kind == MEMBERS) {
		return dit_overlay_is_dangling(overlays, id, digest);
	}
	first = dit_overlay_first(overlays, kind, digest);
	return first != 0 && first < id;
}

/* A group is refused for one wrong member, or loses those; it may need one. */
static void refuse(struct dit_overlays *overlays)
{
	const struct overlay_table *doubts = &overlays->tables[DOUBTS];
	size_t next = 0;

	for (size_t first = 0; first < doubts->n; first = next) {
		uint64_t key = doubts->list[first].key;
		enum overlay_table_kind kind = key & 3;
		bool needs_one =
			kind == MEMBERS &&
			overlays->opts.rules->memberof[key >> 2 & 0x7f].is_needed;
		uint64_t id = key >> 9;
		size_t nwrong = 0;

		for (next = first; next < doubts->n && doubts->list[next].key == key;
		     next++) {
			nwrong += is_wrong(
				overlays, kind,
				&overlays->tables[kind].list[doubts->list[next].value]);
		}
		if (needs_one ? nwrong == next - first : nwrong > 0) {
			overlays->refused[id / 64] |= (uint64_t)1 << id % 64;
		}
	}
}

static int find_refused(struct dit_overlays *overlays)
{
	const struct overlay_table *doubts = &overlays->tables[DOUBTS];
	int r = find_doubts(overlays);

	if (r < 0 || doubts->n == 0) {
		return r;
	}
	overlays->nrefused = (doubts->list[doubts->n - 1].key >> 9) / 64 + 1;
	overlays->refused = calloc(overlays->nrefused, sizeof(*overlays->refused));
	if (overlays->refused == NULL) {
		return -ENOMEM;
	}
	refuse(overlays);
	drop_table(&overlays->tables[DOUBTS]);
	return 0;
}

int dit_overlays_join(struct dit_overlays *overlays)
{
	int r = 0;

	for (unsigned kind = 0; kind < DOUBTS && r == 0; kind++) {
		r = join_table(overlays, kind);
	}
	return r < 0 || !overlays->opts.in_order ? r : find_refused(overlays);
}
