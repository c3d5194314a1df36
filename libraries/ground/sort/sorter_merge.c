/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The merge of sorted records, read from any key on.
 *
 * Where to begin in a run, its fences tell: the first record of each block, by the first
 * eight bytes of its key. The record looked for follows the last fence before it; where
 * eight bytes do not decide, that fence's record is read.
 *
 *     key        blocks   | aaa aab aba | abb bca | bcb caa |      from: abc
 *     fences              aaa           abb       bcb
 *                                       ^ read from here
 *
 * A heap holds the sources by their current record: by key, and where keys are equal,
 * older sources first. So records of equal keys come out in the order in which they were
 * pushed, which is also the order in which their values are combined.
 *
 * A record read from a run is gone when its source moves on. Without a merge function
 * the record on top is given out as it is and its source moves on at the next call; with
 * one, key and value are copied first, since the next record has to be looked at.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "sort/sorter_private.h"

#define ARENA_BLOCK 1024
#define ARENA_KEEP  ((size_t)64 << 10)
#define HEAD        8 /* lengths of key and value in a run */

/* ---- a source ---- */

static void set_record(struct dit_sort_source *source, const char *bytes, size_t key_len,
                       size_t value_len)
{
	source->record.key = (struct dit_span){bytes, key_len};
	source->record.value = (struct dit_span){bytes + key_len, value_len};
	source->prefix = dit_sort_prefix(source->order, source->record.key);
}

/** Copy a record that straddles blocks. */
static int gather(struct dit_sort_source *source, size_t size, const char **ret)
{
	int r = 0;

	if (DIT_GROW(source->buffer, source->buffer_size, size) < 0) {
		return -ENOMEM;
	}
	r = dit_run_read(&source->reader, source->buffer, size);
	*ret = source->buffer;
	return r;
}

static int run_next(struct dit_sort_source *source)
{
	struct dit_run_reader *reader = &source->reader;
	const char *bytes = NULL;
	uint32_t lens[2] = {0, 0};
	size_t size = 0;
	int r = 0;

	if (reader->at == reader->limit) {
		r = dit_run_fill(reader);
		if (r <= 0) {
			return r;
		}
	}
	if (reader->limit - reader->at < HEAD) {
		return DIT_E_CORRUPT; /* lengths never straddle blocks */
	}
	memcpy(lens, reader->at, HEAD);
	reader->at += HEAD;
	if (lens[0] > DIT_SORT_PART_MAX || lens[1] > DIT_SORT_PART_MAX) {
		return DIT_E_CORRUPT;
	}
	size = (size_t)lens[0] + lens[1];
	bytes = reader->at;
	if ((size_t)(reader->limit - reader->at) >= size) {
		reader->at += size;
	} else {
		r = gather(source, size, &bytes);
		if (r < 0) {
			return r;
		}
	}
	set_record(source, bytes, lens[0], lens[1]);
	return 1;
}

static void set_item(struct dit_sort_source *source, const struct dit_pair *item)
{
	const struct dit_sort_stored *stored = dit_sort_stored(item);

	set_record(source, stored->bytes, stored->key_len, stored->value_len);
}

static int source_next(struct dit_sort_source *source)
{
	if (source->run != NULL) {
		return run_next(source);
	}
	if (source->at == source->nitems) {
		return 0;
	}
	set_item(source, &source->items[source->at++]);
	return 1;
}

static bool is_below(const struct dit_sort_source *source, struct dit_span key)
{
	return dit_sort_compare(source->order, source->record.key, key) < 0;
}

static int memory_start(struct dit_sort_source *source, struct dit_span from)
{
	size_t low = 0;
	size_t high = from.data == NULL ? 0 : source->nitems;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		set_item(source, &source->items[middle]);
		if (is_below(source, from)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	source->at = low;
	return source_next(source);
}

/** Read the record of a fence. 1; DIT_E_CORRUPT; -ENOMEM; -errno */
static int read_fence(struct dit_sort_source *source, size_t i)
{
	int r = dit_run_reader_seek(&source->reader, &source->run->segment,
	                            source->run->fences[i].place);

	r = r ?: run_next(source);
	return r == 0 ? DIT_E_CORRUPT : r;
}

/** How many fences come before @p from. 0 and up; negative errors */
static int count_fences_before(struct dit_sort_source *source, struct dit_span from,
                               size_t *ret)
{
	uint64_t prefix = dit_sort_prefix(source->order, from);
	size_t low = 0;
	size_t high = source->run->nfences;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t other = source->run->fences[middle].prefix;
		bool is_low = other < prefix;

		if (other == prefix) {
			int r = read_fence(source, middle);

			if (r < 0) {
				return r;
			}
			is_low = is_below(source, from);
		}
		if (is_low) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	*ret = low;
	return 0;
}

static int run_start(struct dit_sort_source *source, struct dit_span from)
{
	size_t n = 0;
	int r = from.data == NULL ? 0 : count_fences_before(source, from, &n);

	r = r ?: read_fence(source, n == 0 ? 0 : n - 1);
	while (r > 0 && from.data != NULL && is_below(source, from)) {
		r = run_next(source);
	}
	return r;
}

/* ---- the values of one key ---- */

/*
 * Combining the values of one key.
 *
 * Values are combined two by two like the digits of a counter: level i holds the value of
 * 2^i pushed ones, or nothing, older ones above.
 *
 *     a           0: a
 *     a b         0:       1: ab
 *     a b c       0: c     1: ab
 *     a b c d     0:       1:       2: abcd
 *
 * So merges whose results grow, as lists do, copy each byte once per level, not once per
 * value. The results of level i live in an arena of level i + 1, which ends together
 * with the value that lies there: at most two values are in an arena at a time.
 */
static void combiner_init(struct dit_sort_combiner *combiner, dit_sort_merge_fn merge,
                          void *ctx)
{
	*combiner = (struct dit_sort_combiner){.merge = merge, .ctx = ctx};
	for (unsigned i = 0; i <= DIT_SORT_LEVELS; i++) {
		dit_arena_init(&combiner->levels[i].arena, ARENA_BLOCK);
	}
}

static void combiner_deinit(struct dit_sort_combiner *combiner)
{
	for (unsigned i = 0; i <= DIT_SORT_LEVELS; i++) {
		dit_arena_deinit(&combiner->levels[i].arena);
	}
}

/** Forget a level. Blocks of growing sizes would pile up in a mere reset. */
static void clear(struct dit_sort_combiner *combiner, unsigned level)
{
	struct dit_arena *arena = &combiner->levels[level].arena;

	combiner->levels[level].is_used = false;
	if (arena->total_bytes > ARENA_KEEP) {
		dit_arena_deinit(arena);
	} else {
		dit_arena_reset(arena);
	}
}

static void combiner_reset(struct dit_sort_combiner *combiner)
{
	/* Results of the highest level lie one above. */
	for (unsigned i = 0; i <= combiner->nlevels; i++) {
		clear(combiner, i);
	}
	combiner->nlevels = 0;
}

static bool is_part(struct dit_span part, struct dit_span whole)
{
	return (uintptr_t)part.data >= (uintptr_t)whole.data &&
	       (uintptr_t)part.data < (uintptr_t)whole.data + whole.len;
}

static int copy(struct dit_arena *arena, struct dit_span *span)
{
	*span = dit_arena_copy(arena, *span);
	return span->data == NULL ? -ENOMEM : 0;
}

/** Combine the value at @p level with a newer one; the result lives one level higher. */
static int combine(struct dit_sort_combiner *combiner, unsigned level,
                   struct dit_span key, struct dit_span newer, struct dit_span *ret)
{
	struct dit_arena *arena = &combiner->levels[level + 1].arena;
	struct dit_span older = combiner->levels[level].value;
	struct dit_span value = {NULL, 0};
	int r = combiner->merge(combiner->ctx, key, older, newer, arena, &value);

	if (r < 0) {
		return r;
	}
	if (is_part(value, older) || is_part(value, newer)) {
		r = copy(arena, &value);
	}
	*ret = value;
	return r;
}

/** Add the next value; it is copied if @p is_passing. 0; -ENOMEM; the merge's error */
static int combiner_add(struct dit_sort_combiner *combiner, struct dit_span key,
                        struct dit_span value, bool is_passing)
{
	unsigned level = 0;
	int r = is_passing ? copy(&combiner->levels[0].arena, &value) : 0;

	while (r == 0 && combiner->levels[level].is_used) {
		assert(level + 1 < DIT_SORT_LEVELS);
		r = combine(combiner, level, key, value, &value);
		clear(combiner, level);
		level++;
	}
	combiner->levels[level].value = value;
	combiner->levels[level].is_used = true;
	if (level >= combiner->nlevels) {
		combiner->nlevels = level + 1;
	}
	return r;
}

/** The value of all; valid until reset. */
static int combiner_finish(struct dit_sort_combiner *combiner, struct dit_span key,
                           struct dit_span *ret)
{
	struct dit_span value = {NULL, 0};
	bool has_value = false;
	int r = 0;

	for (unsigned level = 0; level < combiner->nlevels && r == 0; level++) {
		if (!combiner->levels[level].is_used) {
			continue;
		}
		if (has_value) {
			r = combine(combiner, level, key, value, &value);
		} else {
			value = combiner->levels[level].value;
			has_value = true;
		}
	}
	*ret = value;
	return r;
}

void *dit_sort_alloc(struct dit_arena *arena, size_t size)
{
	return dit_arena_alloc(arena, size);
}

/* ---- the merge ---- */

int dit_sort_merge_init(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                        size_t max)
{
	*merge = (struct dit_sort_merge){.order = &sorter->order};
	combiner_init(&merge->combiner, sorter->opts.merge, sorter->opts.merge_ctx);
	dit_arena_init(&merge->key, ARENA_BLOCK);
	merge->sources = calloc(max + 1, sizeof(*merge->sources));
	if (merge->sources == NULL || dit_heap_init(&merge->heap, max) < 0) {
		dit_sort_merge_deinit(merge);
		return -ENOMEM;
	}
	return 0;
}

void dit_sort_merge_deinit(struct dit_sort_merge *merge)
{
	for (size_t i = 0; i < merge->nsources; i++) {
		if (merge->sources[i].run != NULL) {
			dit_run_reader_close(&merge->sources[i].reader);
			free(merge->sources[i].buffer);
		}
	}
	free(merge->sources);
	dit_heap_deinit(&merge->heap);
	combiner_deinit(&merge->combiner);
	dit_arena_deinit(&merge->key);
	*merge = (struct dit_sort_merge){0};
}

static struct dit_sort_source *add_source(struct dit_sort_merge *merge)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];

	source->order = merge->order;
	source->number = merge->nsources++;
	return source;
}

void dit_sort_merge_add_items(struct dit_sort_merge *merge, const struct dit_pair *items,
                              size_t nitems)
{
	struct dit_sort_source *source = add_source(merge);

	source->items = items;
	source->nitems = nitems;
}

int dit_sort_merge_add_run(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                           const struct dit_sort_run *run)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];
	int r = dit_run_reader_open(&source->reader, run->fd, sorter->block_bytes,
	                            &run->segment, sorter->opts.cipher);

	if (r == 0) {
		add_source(merge)->run = run;
	}
	return r;
}

static bool is_before(const void *x, const void *y)
{
	const struct dit_sort_source *a = x;
	const struct dit_sort_source *b = y;
	int order = 0;

	if (a->prefix != b->prefix) {
		return a->prefix < b->prefix;
	}
	order = dit_sort_compare(a->order, a->record.key, b->record.key);
	return order != 0 ? order < 0 : a->number < b->number;
}

int dit_sort_merge_start(struct dit_sort_merge *merge,
                         const struct dit_sort_bounds *bounds)
{
	merge->bounds = *bounds;
	merge->heap.n = 0;
	merge->is_given = false;
	merge->error = 0;
	for (size_t i = 0; i < merge->nsources; i++) {
		struct dit_sort_source *source = &merge->sources[i];
		int r = source->run != NULL ? run_start(source, bounds->from)
		                            : memory_start(source, bounds->from);

		if (r < 0) {
			merge->error = r;
			return r;
		}
		if (r > 0) {
			dit_heap_add(&merge->heap, source, is_before);
		}
	}
	return 0;
}

/** Move the source on top to its next record. */
static int advance(struct dit_sort_merge *merge)
{
	int r = source_next(dit_heap_top(&merge->heap));

	if (r < 0) {
		return r;
	}
	dit_heap_settle(&merge->heap, r == 0, is_before);
	return 0;
}

/** The next record to come; NULL at the end of what is to be read. */
static const struct dit_sort_source *top(const struct dit_sort_merge *merge)
{
	const struct dit_sort_bounds *bounds = &merge->bounds;
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);
	int order = 0;

	if (merge->heap.n == 0 || bounds->to.data == NULL) {
		return merge->heap.n == 0 ? NULL : source;
	}
	order = dit_sort_compare(merge->order, source->record.key, bounds->to);
	return order < 0 || (order == 0 && bounds->has_to) ? source : NULL;
}

/** Does the source on top have another value of this key? */
static bool is_on_top(const struct dit_sort_merge *merge, struct dit_span key)
{
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);

	if (merge->heap.n == 0) {
		return false;
	}
	if (merge->order->compare == NULL) {
		return dit_span_eq(source->record.key, key);
	}
	return dit_sort_compare(merge->order, source->record.key, key) == 0;
}

/** Add the value on top to those of its key, and move on. */
static int take_value(struct dit_sort_merge *merge, struct dit_span key)
{
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);
	int r = combiner_add(&merge->combiner, key, source->record.value,
	                     source->run != NULL);

	return r < 0 ? r : advance(merge);
}

static int next_combined(struct dit_sort_merge *merge,
                         const struct dit_sort_source *source,
                         struct dit_sort_record *ret)
{
	struct dit_sort_record record = source->record;
	int r = 0;

	combiner_reset(&merge->combiner);
	if (source->run != NULL) {
		dit_arena_reset(&merge->key);
		record.key = dit_arena_copy(&merge->key, record.key);
		if (record.key.data == NULL) {
			return -ENOMEM;
		}
	}
	do {
		r = take_value(merge, record.key);
	} while (r == 0 && is_on_top(merge, record.key));
	r = r ?: combiner_finish(&merge->combiner, record.key, &record.value);
	if (r < 0) {
		return r;
	}
	*ret = record;
	return 1;
}

static int next(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	const struct dit_sort_source *source = NULL;

	if (merge->is_given) {
		int r = advance(merge);

		if (r < 0) {
			return r;
		}
		merge->is_given = false;
	}
	source = top(merge);
	if (source == NULL) {
		return 0;
	}
	if (merge->combiner.merge != NULL) {
		return next_combined(merge, source, ret);
	}
	*ret = source->record;
	merge->is_given = true;
	return 1;
}

int dit_sort_merge_next(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	if (merge->error == 0) {
		int r = next(merge, ret);

		if (r >= 0) {
			return r;
		}
		merge->error = r;
	}
	return merge->error;
}
