/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a new database gets last: records of entries that fill holes, which come after
 * those with higher IDs, and values that are split out of their entries. They go through
 * a sorter, and from there, in order, to liblmdb, when all pages of the others are
 * written. A database that holds records already takes both as they come.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>

#include "base/big_endian.h"

#define KEY_ENTRY 0
#define KEY_SPLIT 1
/* kind, 8 ID, 2 number of the attribute, 4 place in its list; big-endian */
#define KEY_BYTES 15

static int push(struct load_target *target, char kind, uint32_t id, uint16_t ad,
                uint32_t place, struct dit_span record)
{
	char key[KEY_BYTES];

	key[0] = kind;
	dit_be_put(key + 1, id, 8);
	dit_be_put(key + 9, ad, 2);
	dit_be_put(key + 11, place, 4);
	return dit_sorter_push(target->late_records, 0,
	                       (struct dit_span){key, sizeof(key)}, record);
}

int load_late_reserve(struct load_target *target, size_t len, void **ret_space)
{
	if (len > target->late_space_size) {
		char *space = realloc(target->late_space, len);

		if (space == NULL) {
			return -ENOMEM;
		}
		target->late_space = space;
		target->late_space_size = len;
	}
	*ret_space = target->late_space;
	return 0;
}

int load_late_put_entry(struct load_target *target, uint32_t id, size_t len)
{
	return push(target, KEY_ENTRY, id, 0, 0,
	            (struct dit_span){target->late_space, len});
}

int load_late_put_split(struct load_target *target, uint32_t id, uint16_t ad,
                        const struct dit_span *records, uint32_t nrecords)
{
	int r = 0;

	for (uint32_t i = 0; i < nrecords && r == 0; i++) {
		r = push(target, KEY_SPLIT, id, ad, i, records[i]);
	}
	return r;
}

static int write_record(struct load_target *target, const struct dit_sort_record *record)
{
	const char *key = record->key.data;
	uint64_t id = dit_be_get(key + 1, 8);

	if (key[0] == KEY_ENTRY) {
		return dit_output_replace_entry(target->output, id, record->value);
	}
	return dit_output_put_split(target->output, id, (uint16_t)dit_be_get(key + 9, 2),
	                            (uint32_t)dit_be_get(key + 11, 4), record->value);
}

int load_late_write(struct load_target *target)
{
	struct dit_sort_record record = {0};
	int r = dit_sorter_seal(target->late_records);

	if (r == 0) {
		r = dit_sorter_next(target->late_records, &record);
	}
	while (r > 0) {
		r = write_record(target, &record);
		if (r == 0 && load_is_stopped(target->loader)) {
			r = DIT_E_STOPPED;
		}
		if (r == 0) {
			r = dit_sorter_next(target->late_records, &record);
		}
	}
	return r;
}

void load_late_free(struct load_target *target)
{
	dit_sorter_free(target->late_records);
	free(target->late_space);
}
