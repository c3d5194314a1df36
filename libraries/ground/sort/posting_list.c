/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Posting lists.
 *
 * back-mdb looks at the length of a list before it inserts, so a list that holds `max`
 * IDs becomes a range at the next insertion, whatever ID that is (storage.md 5.4). Seen
 * from the end of a load, with all IDs of a key at hand:
 *
 *   more than max distinct IDs    range
 *   fewer                         list
 *   exactly max                   range if the entry that brought the last distinct ID
 *                                 inserted the key again, else list
 *
 * Example with max = 3, "7*" meaning that entry 7 has the key twice:
 *
 *   2 5 7     list                2* 5 7    list: no insertion after the third ID
 *   2 5 7*    range 2..7          2 5 7 9   range 2..9
 *
 * The last in input order is the highest ID, unless an entry has taken the place of a
 * hole: then the table of late IDs tells where it belongs.
 */
#include "sort/posting_list.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/ids.h"

static const struct dit_late_id *late_find(const struct dit_late_table *table,
                                           uint64_t id)
{
	return table->n == 0 ? NULL
	                     : bsearch(&id, table->ids, table->n, sizeof(*table->ids),
	                               dit_compare_ids);
}

void dit_list_init(struct dit_list *list, uint32_t max)
{
	assert(max >= 1);
	*list = (struct dit_list){.max = max};
}

void dit_list_deinit(struct dit_list *list)
{
	free(list->space);
	free(list->repeats);
	*list = (struct dit_list){.max = list->max};
}

int dit_list_add_slowly(struct dit_list *list, uint64_t id)
{
	if (list->is_range) {
		dit_list_add_range(list, id, id);
		return 0;
	}
	if (list->nids > 0) {
		assert(id >= list->ids[list->nids - 1]);
		if (id == list->ids[list->nids - 1]) {
			return dit_list_add_repeat(list);
		}
		if (list->nids >= list->max) {
			dit_list_add_range(list, id, id);
			return 0;
		}
	}
	if (list->nids == list->ids_size) {
		if (DIT_GROW(list->space, list->ids_size, list->nids + 1) < 0) {
			return -ENOMEM;
		}
		list->ids = list->space;
		list->ids_room = list->ids_size < list->max ? list->ids_size : list->max;
	}
	list->ids[list->nids++] = id;
	return 0;
}

int dit_list_add_repeat(struct dit_list *list)
{
	uint64_t id = 0;

	if (list->is_range) {
		return 0;
	}
	id = list->ids[list->nids - 1];
	if (list->nrepeats > 0 && list->repeats[list->nrepeats - 1] == id) {
		return 0;
	}
	return DIT_APPEND(list->repeats, list->repeats_size, list->nrepeats, id);
}

void dit_list_add_range(struct dit_list *list, uint64_t lowest, uint64_t highest)
{
	if (!list->is_range) {
		list->lowest = list->nids > 0 ? list->ids[0] : lowest;
		list->highest = list->nids > 0 ? list->ids[list->nids - 1] : highest;
		list->is_range = true;
	}
	list->nids = 0;
	list->nrepeats = 0;
	list->lowest = lowest < list->lowest ? lowest : list->lowest;
	list->highest = highest > list->highest ? highest : list->highest;
}

/** Where the items with keys up to @p last end: double steps, then halve them. Ranges are
 * long. */
static size_t end_of_key(const uint64_t *words, size_t n, unsigned width, uint64_t last)
{
	size_t low = 0; /* item low is one of them */
	size_t step = 1;

	while (low + step < n && words[(low + step) * width] <= last) {
		low += step;
		step *= 2;
	}
	while (step > 0) {
		if (low + step < n && words[(low + step) * width] <= last) {
			low += step;
		}
		step /= 2;
	}
	return low + 1;
}

/*
 * An item is a word with key and ID, or a word with the key and one with the ID. `width`
 * is a constant where this function is used. The IDs stand side by side, where the items
 * stood, and none is written before it is read.
 */
static inline __attribute__((always_inline)) ptrdiff_t take_items(struct dit_list *list,
                                                                  uint64_t *words,
                                                                  size_t n,
                                                                  unsigned width)
{
	const unsigned at_id = width - 1;
	uint64_t last = words[at_id];
	uint64_t last_of_key = width == 1 ? words[0] | UINT32_MAX : words[0];
	size_t max = list->max;
	size_t nids = 1;
	size_t i = 1;

	list->ids = words;
	words[0] = width == 1 ? (uint32_t)last : last;
	/* Four at once, up to a repeat: as a rule there is none. */
	while (n - i >= 4 && nids + 4 <= max && words[(i + 3) * width] <= last_of_key) {
		const uint64_t *four = &words[i * width + at_id];
		uint64_t a = four[0];
		uint64_t b = four[width];
		uint64_t c = four[(size_t)2 * width];
		uint64_t d = four[(size_t)3 * width];

		if (a == last || b == a || c == b || d == c) {
			break;
		}
		words[nids] = width == 1 ? (uint32_t)a : a;
		words[nids + 1] = width == 1 ? (uint32_t)b : b;
		words[nids + 2] = width == 1 ? (uint32_t)c : c;
		words[nids + 3] = width == 1 ? (uint32_t)d : d;
		last = d;
		nids += 4;
		i += 4;
	}
	for (; i < n && words[i * width] <= last_of_key; i++) {
		uint64_t id = words[i * width + at_id];

		if (id == last) {
			int r = 0;

			list->nids = nids;
			r = dit_list_add_repeat(list);
			if (r < 0) {
				return r;
			}
			continue;
		}
		if (nids == max) {
			break;
		}
		last = id;
		words[nids++] = width == 1 ? (uint32_t)id : id;
	}
	list->nids = nids;
	if (i < n && words[i * width] <= last_of_key) {
		uint64_t highest = 0;

		i += end_of_key(words + i * width, n - i, width, last_of_key);
		highest = words[(i - 1) * width + at_id];
		highest = width == 1 ? (uint32_t)highest : highest;
		dit_list_add_range(list, highest, highest);
	}
	return (ptrdiff_t)i;
}

ptrdiff_t dit_list_take(struct dit_list *list, uint64_t *words, size_t n, unsigned width)
{
	return width == 1 ? take_items(list, words, n, 1) : take_items(list, words, n, 2);
}

/** Is @p a inserted after @p b? Either may be NULL: an ID in its usual place. */
static bool is_later(uint64_t id_a, const struct dit_late_id *a, uint64_t id_b,
                     const struct dit_late_id *b)
{
	uint64_t place_a = a == NULL ? id_a : a->next_id;
	uint64_t place_b = b == NULL ? id_b : b->next_id;

	if (place_a != place_b) {
		return place_a > place_b;
	}
	if (a == NULL || b == NULL) {
		return a == NULL; /* late IDs come just before the usual one */
	}
	return a->sequence > b->sequence;
}

static uint64_t last_inserted(const struct dit_list *list,
                              const struct dit_late_table *late)
{
	uint64_t last = list->ids[list->nids - 1];
	const struct dit_late_id *last_late = late_find(late, last);

	if (late->n == 0) {
		return last;
	}
	for (size_t i = 0; i + 1 < list->nids; i++) {
		const struct dit_late_id *id_late = late_find(late, list->ids[i]);

		if (is_later(list->ids[i], id_late, last, last_late)) {
			last = list->ids[i];
			last_late = id_late;
		}
	}
	return last;
}

/* Repeats ascend, and most often the last ID is asked for. */
static bool is_repeated(const struct dit_list *list, uint64_t id)
{
	size_t i = list->nrepeats;

	while (i > 0 && list->repeats[i - 1] > id) {
		i--;
	}
	return i > 0 && list->repeats[i - 1] == id;
}

bool dit_list_is_last_repeated(const struct dit_list *list,
                               const struct dit_late_table *late)
{
	return is_repeated(list, last_inserted(list, late));
}

size_t dit_list_finish(struct dit_list *list, const struct dit_late_table *late,
                       const uint64_t **ret)
{
	if (!list->is_range && list->nids == list->max &&
	    dit_list_is_repeated(list, late)) {
		dit_list_add_range(list, list->ids[0], list->ids[list->nids - 1]);
	}
	if (!list->is_range) {
		*ret = list->ids;
		return list->nids;
	}
	list->range[0] = 0;
	list->range[1] = list->lowest;
	list->range[2] = list->highest;
	*ret = list->range;
	return DIT_RANGE_IDS;
}
