/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One sorted sequence of records, read from any key on.
 *
 * Where to begin in a run, its fences tell: the first record of each block, by the first
 * eight bytes of its key. The record looked for follows the last fence before it; where
 * eight bytes do not decide, that fence's record is read.
 *
 *     key        blocks   | aaa aab aba | abb bca | bcb caa |      from: abc
 *     fences              aaa           abb       bcb
 *                                       ^ read from here
 */
#include <errno.h>

#include "base/error.h"
#include "base/grow.h"
#include "sort/sorter_private.h"

#define HEAD 8 /* lengths of key and value in a run */

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

int dit_sort_source_next(struct dit_sort_source *source)
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

static bool is_before(const struct dit_sort_source *source, struct dit_span key)
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
		if (is_before(source, from)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	source->at = low;
	return dit_sort_source_next(source);
}

/** Read the record of a fence. 1; DIT_E_CORRUPT; -ENOMEM; -errno */
static int read_fence(struct dit_sort_source *source, size_t i)
{
	int r = dit_run_reader_seek(&source->reader, &source->run->segment,
	                            source->run->fences[i].place);

	if (r == 0) {
		r = run_next(source);
	}
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
			is_low = is_before(source, from);
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
	int r = 0;

	if (from.data != NULL) {
		r = count_fences_before(source, from, &n);
	}
	if (r == 0) {
		r = read_fence(source, n == 0 ? 0 : n - 1);
	}
	while (r > 0 && from.data != NULL && is_before(source, from)) {
		r = run_next(source);
	}
	return r;
}

int dit_sort_source_start(struct dit_sort_source *source, struct dit_span from)
{
	return source->run != NULL ? run_start(source, from) : memory_start(source, from);
}
