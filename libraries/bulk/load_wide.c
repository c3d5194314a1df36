/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index keys that have no ordinal (DIT_KEY_WIDE): long integer keys, 64-bit hashes beside
 * presence keys. They are rare, so they go through the general sorter, one record for
 * each posting, with an empty value and the key
 *
 *   2  number of the database, big-endian
 *   n  key bytes, 00 written as 00 FF
 *   2  00 00, so that a key sorts before those it is a prefix of
 *   8  ID, big-endian
 *
 * Equal records are the same pair inserted again: storage.md 5.4 wants to know that.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sort/posting_list.h"

struct load_wide {
	/* The record read ahead: the first of the next key. */
	bool has_record;
	unsigned db;
	char key[DIT_KEY_MAX];
	size_t key_len;
	uint64_t id;

	/* The list being collected. */
	char list_key[DIT_KEY_MAX];
	size_t list_key_len;
	struct dit_list list;
	const struct dit_late_table *late; /* of the postings */
};

int load_wide_push(struct load_target *target, unsigned producer, unsigned db,
                   struct dit_span key, uint32_t id)
{
	char out[2 + DIT_KEY_MAX * 2 + 2 + 8];
	size_t n = 0;

	if (key.len > DIT_KEY_MAX) {
		return DIT_E_TOOLONG;
	}
	out[n++] = (char)(db >> 8);
	out[n++] = (char)db;
	for (size_t i = 0; i < key.len; i++) {
		out[n++] = key.data[i];
		if (key.data[i] == '\0') {
			out[n++] = (char)0xff;
		}
	}
	out[n++] = '\0';
	out[n++] = '\0';
	for (int shift = 56; shift >= 0; shift -= 8) {
		out[n++] = (char)((uint64_t)id >> shift);
	}
	return dit_sorter_push(target->wide, producer, (struct dit_span){out, n},
	                       DIT_SPAN(""));
}

static int decode(struct load_wide *wide, struct dit_span record)
{
	const char *at = record.data;
	const char *end = record.data + record.len;

	if (record.len < 2 + 2 + 8) {
		return DIT_E_CORRUPT;
	}
	wide->db = (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
	wide->key_len = 0;
	for (at += 2;; at++) {
		if (end - at < 2 + 8 || wide->key_len == DIT_KEY_MAX) {
			return DIT_E_CORRUPT;
		}
		if (at[0] == '\0') {
			if (at[1] == '\0') {
				break;
			}
			wide->key[wide->key_len++] = '\0';
			at++;
		} else {
			wide->key[wide->key_len++] = at[0];
		}
	}
	wide->id = 0;
	for (at += 2; at < end; at++) {
		wide->id = wide->id << 8 | (unsigned char)*at;
	}
	return 0;
}

static int read_ahead(struct load_target *target)
{
	struct load_wide *wide = target->wide_lists;
	struct dit_sort_record record = {0};
	int r = 0;

	if (load_is_stopped(target->loader)) {
		return DIT_E_STOPPED;
	}
	r = dit_sorter_next(target->wide, &record);
	wide->has_record = r > 0;
	return r > 0 ? decode(wide, record.key) : r;
}

static int list_put(struct load_wide *wide, struct dit_output_table *table)
{
	struct dit_span key = {wide->list_key, wide->list_key_len};
	const uint64_t *ids = NULL;
	size_t nids = dit_list_finish(&wide->list, wide->late, &ids);
	struct dit_output_list list = {.ids = ids, .nids = nids};

	list.is_repeated =
		!wide->list.is_range && dit_list_is_repeated(&wide->list, wide->late);
	return dit_output_put_list(table, key, &list);
}

/* Collect and write the list of the key read ahead. */
static int write_list(struct load_target *target, unsigned db,
                      struct dit_output_table *table, struct dit_load_index_stats *stats)
{
	struct load_wide *wide = target->wide_lists;
	int r = 0;

	memcpy(wide->list_key, wide->key, wide->key_len);
	wide->list_key_len = wide->key_len;
	dit_list_reset(&wide->list);
	do {
		stats->npostings++;
		r = dit_list_add(&wide->list, wide->id);
		if (r == 0) {
			r = read_ahead(target);
		}
	} while (r == 0 && wide->has_record && wide->db == db &&
	         wide->key_len == wide->list_key_len &&
	         memcmp(wide->key, wide->list_key, wide->key_len) == 0);
	if (r < 0) {
		return r;
	}
	stats->nkeys++;
	return list_put(wide, table);
}

static int start(struct load_target *target)
{
	uint32_t list_max =
		(uint32_t)(((uint64_t)1 << target->loader->settings->idlexp) - 1);
	struct load_wide *wide = calloc(1, sizeof(*wide));

	if (wide == NULL) {
		return -ENOMEM;
	}
	target->wide_lists = wide;
	dit_list_init(&wide->list, list_max);
	wide->late = dit_postings_late(target->postings);
	return read_ahead(target);
}

int load_wide_write(struct load_target *target, unsigned db,
                    struct dit_output_table *table, struct dit_load_index_stats *stats)
{
	int r = 0;

	if (target->wide_lists == NULL) {
		r = start(target);
	}
	while (r == 0 && target->wide_lists->has_record && target->wide_lists->db == db) {
		r = write_list(target, db, table, stats);
	}
	return r;
}

void load_wide_free(struct load_target *target)
{
	if (target->wide_lists != NULL) {
		dit_list_deinit(&target->wide_lists->list);
		free(target->wide_lists);
		target->wide_lists = NULL;
	}
}
