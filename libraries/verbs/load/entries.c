/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries go into the output, at once or through the sorter of what waits.
 */
#include "load/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"
#include "sort/sort.h"
#include "tree/table_writer.h"

/* Keys of what waits: kind, 8 ID, 2 number of the attribute, 4 place of the value in its
 * list; big-endian. */
#define KEY_ENTRY 0
#define KEY_SPLIT 1
#define KEY_BYTES 15

struct dit_entries {
	/* [const] */
	struct dit_record_output *output;
	struct dit_ad_numbers *numbers;
	struct dit_shared shared;

	uint64_t next_id; /* lower ones come late */
	bool has_root;
	struct dit_sorter *waiting;
	char *space; /* for the record of a late entry */
	size_t space_size;

	struct dit_table_writer *writer; /* of the pages; NULL: liblmdb makes them */
	size_t lasting_max;              /* bytes of a record whose room lasts */
	size_t marks[2]; /* after the last batch but one; after the last one */
};

int dit_entries_new(struct dit_entries **ret, struct dit_record_output *output,
                    struct dit_ad_numbers *numbers, size_t memory_bytes,
                    const struct dit_shared *shared)
{
	struct dit_sorter_opts sorter = {.size = sizeof(sorter),
	                                 .nproducers = 1,
	                                 .memory_bytes = memory_bytes > DIT_SORT_SHARE_MIN
	                                                         ? memory_bytes
	                                                         : DIT_SORT_SHARE_MIN,
	                                 .tmpdir = shared->tmpdir,
	                                 .cipher = shared->cipher};
	struct dit_entries *entries = calloc(1, sizeof(*entries));
	int r = 0;

	if (entries == NULL) {
		return -ENOMEM;
	}
	entries->output = output;
	entries->numbers = numbers;
	entries->shared = *shared;
	entries->has_root = output->stored.has_root_entry;
	if (output->stored.last_id > 0) {
		entries->next_id = output->stored.last_id + 1;
	}
	r = dit_sorter_new(&entries->waiting, &sorter);
	r = r ?: dit_output_entry_writer(output, &entries->writer);
	if (entries->writer != NULL) {
		entries->lasting_max =
			dit_table_writer_hold(entries->writer, sizeof(uint64_t));
	}
	return DIT_HAND_OVER(r, ret, entries, dit_entries_free);
}

void dit_entries_free(struct dit_entries *entries)
{
	if (entries == NULL) {
		return;
	}
	dit_sorter_free(entries->waiting);
	free(entries->space);
	free(entries);
}

bool dit_entries_has_root(const struct dit_entries *entries)
{
	return entries->has_root;
}

/* ---- what waits ---- */

static int wait_with(struct dit_entries *entries, char kind, uint32_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	char key[KEY_BYTES];

	key[0] = kind;
	dit_be_put(key + 1, id, 8);
	dit_be_put(key + 9, ad, 2);
	dit_be_put(key + 11, place, 4);
	return dit_sorter_push(entries->waiting, 0, (struct dit_span){key, sizeof(key)},
	                       record);
}

static int write_waiting(struct dit_entries *entries,
                         const struct dit_sort_record *record)
{
	const char *key = record->key.data;
	uint64_t id = dit_be_get(key + 1, 8);

	if (key[0] == KEY_ENTRY) {
		return dit_output_replace_entry(entries->output, id, record->value);
	}
	return dit_output_put_split(entries->output, id, (uint16_t)dit_be_get(key + 9, 2),
	                            (uint32_t)dit_be_get(key + 11, 4), record->value);
}

int dit_entries_write_late(struct dit_entries *entries)
{
	struct dit_sort_record record = {0};
	int r = dit_sorter_seal(entries->waiting);

	if (r < 0) {
		return r;
	}
	for (;;) {
		r = dit_sorter_next(entries->waiting, &record);
		if (r <= 0) {
			return r;
		}
		r = write_waiting(entries, &record);
		if (r < 0) {
			return r;
		}
		dit_tick_often(entries->shared.ticker);
		if (dit_stop_is_set(entries->shared.stop)) {
			return DIT_E_STOPPED;
		}
	}
}

uint64_t dit_entries_run_bytes(const struct dit_entries *entries)
{
	return dit_sorter_run_bytes(entries->waiting);
}

/* ---- values of id2v ---- */

/* All attributes have their numbers, by which the sorter puts them in order. */
static int put_splits(struct dit_entries *entries, uint32_t id,
                      const struct dit_splits *splits)
{
	int r = 0;

	for (uint32_t k = 0; k < splits->n; k++) {
		const struct dit_split *split = &splits->list[k];
		uint32_t ad = dit_ad_number_known(entries->numbers, split->ad);

		for (uint32_t i = 0; i < split->nrecords && r == 0; i++) {
			r = wait_with(entries, KEY_SPLIT, id, (uint16_t)ad, i,
			              split->records[i]);
		}
	}
	return r;
}

/* ---- records of id2e ---- */

static bool is_late(const struct dit_entries *entries, uint32_t id)
{
	return id < entries->next_id;
}

void dit_entries_fill(const struct dit_entries *entries, struct dit_entries_place *place)
{
	if (place->space != NULL) {
		dit_ad_numbers_fill(entries->numbers, place->encoded);
		memcpy(place->space, place->encoded->bytes, place->encoded->len);
	}
}

/* Room for the next record. */
static int reserve(struct dit_entries *entries, uint32_t id, size_t len, void **ret_space)
{
	entries->next_id = (uint64_t)id + 1;
	return dit_output_reserve_entry(entries->output, id, len, ret_space);
}

int dit_entries_end_batch(struct dit_entries *entries)
{
	struct dit_table_writer *writer = entries->writer;
	int r = 0;

	if (writer == NULL) {
		return 0;
	}
	r = dit_table_writer_release(writer, entries->marks[0]);
	entries->marks[0] = entries->marks[1];
	entries->marks[1] = dit_table_writer_mark(writer);
	return r;
}

int dit_entries_end_batches(struct dit_entries *entries)
{
	return entries->writer == NULL
	               ? 0
	               : dit_table_writer_release(entries->writer, entries->marks[1]);
}

/* Descriptions that are new get their numbers. */
static int give_numbers(struct dit_entries *entries, const struct dit_encoded *encoded)
{
	for (uint32_t i = 0; i < encoded->nopen; i++) {
		uint32_t number = 0;
		int r = dit_ad_number(entries->numbers, encoded->ads[i], &number);

		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/* Its record is copied here and now. */
static int put_now(struct dit_entries *entries, uint32_t id, struct dit_encoded *encoded)
{
	struct dit_encoded_cursor cursor = {.encoded = encoded};
	const struct dit_pieces record = {.next = dit_encoded_next, .ctx = &cursor};
	int r = 0;

	dit_ad_numbers_fill(entries->numbers, encoded);
	if (!is_late(entries, id)) {
		entries->next_id = (uint64_t)id + 1;
		return dit_output_put_entry_pieces(entries->output, id, encoded->len,
		                                   &record);
	}
	r = DIT_GROW(entries->space, entries->space_size, encoded->len);
	if (r < 0) {
		return r;
	}
	dit_encoded_next(&cursor, entries->space, encoded->len);
	return wait_with(entries, KEY_ENTRY, id, 0, 0,
	                 (struct dit_span){entries->space, encoded->len});
}

static int put_in_place(struct dit_entries *entries, uint32_t id,
                        struct dit_encoded *encoded, struct dit_entries_place *ret)
{
	void *space = NULL;
	int r = reserve(entries, id, encoded->len, &space);

	if (r == 0) {
		*ret = (struct dit_entries_place){.encoded = encoded, .space = space};
	}
	return r;
}

int dit_entries_put_later(struct dit_entries *entries, uint32_t id,
                          struct dit_encoded *encoded, struct dit_entries_place *ret)
{
	bool must_wait = is_late(entries, id);
	int r = give_numbers(entries, encoded);

	*ret = (struct dit_entries_place){.space = NULL};
	if (r == 0) {
		r = must_wait || encoded->values != NULL ||
		                    encoded->len > entries->lasting_max
		            ? put_now(entries, id, encoded)
		            : put_in_place(entries, id, encoded, ret);
	}
	if (r < 0) {
		return r;
	}
	entries->has_root = entries->has_root || id == 0;
	return put_splits(entries, id, &encoded->splits);
}

int dit_entries_put(struct dit_entries *entries, uint32_t id, struct dit_encoded *encoded)
{
	struct dit_entries_place place;
	int r = dit_entries_put_later(entries, id, encoded, &place);

	if (r == 0) {
		dit_entries_fill(entries, &place);
	}
	return r;
}

int dit_entries_put_hole(struct dit_entries *entries, uint32_t id)
{
	void *space = NULL;

	return is_late(entries, id) ? 0 : reserve(entries, id, 0, &space);
}
