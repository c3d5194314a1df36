/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LevelDB, through its C interface.
 *
 *   ordered  in key order, in write batches
 *   random   entry by entry, in write batches
 *
 * Sync policies: sync (a write batch is on disk before the next begins), wal (it is in
 * the log, which is not synced; LevelDB cannot do without its log).
 *
 * Settings that are not LevelDB's own: a Bloom filter of 10 bits, half of the cache for
 * blocks and half for the two memory tables.
 */
#include "stores.h"

#include <leveldb/c.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1000 /* records in a write batch by default */

struct level {
	struct store_job *job;
	leveldb_options_t *options;
	leveldb_cache_t *cache;
	leveldb_filterpolicy_t *filter;
	leveldb_t *db;

	leveldb_writeoptions_t *write_options; /* writing */
	leveldb_writebatch_t *batch;
	uint64_t nbatch;

	leveldb_readoptions_t *read_options; /* reading */
	leveldb_iterator_t *entries;
	leveldb_iterator_t *postings;
};

static void check(char *error)
{
	if (error != NULL) {
		stores_die("LevelDB", error);
	}
}

static void open_db(struct level *level, const struct store_job *job)
{
	char *error = NULL;

	level->options = leveldb_options_create();
	level->cache = leveldb_cache_create_lru(job->cache_bytes / 2);
	level->filter = leveldb_filterpolicy_create_bloom(10);
	leveldb_options_set_create_if_missing(level->options, 1);
	leveldb_options_set_cache(level->options, level->cache);
	leveldb_options_set_filter_policy(level->options, level->filter);
	leveldb_options_set_write_buffer_size(level->options, job->cache_bytes / 4);
	leveldb_options_set_compression(level->options,
	                                job->compress ? leveldb_snappy_compression
	                                              : leveldb_no_compression);
	level->db = leveldb_open(level->options, job->dir, &error);
	check(error);
}

static void close_db(struct level *level)
{
	leveldb_close(level->db);
	leveldb_options_destroy(level->options);
	leveldb_cache_destroy(level->cache);
	leveldb_filterpolicy_destroy(level->filter);
}

/* ---- writing ---- */

static void flush_batch(struct level *level)
{
	char *error = NULL;

	leveldb_write(level->db, level->write_options, level->batch, &error);
	check(error);
	leveldb_writebatch_clear(level->batch);
	stores_count(level->job, level->nbatch);
	level->nbatch = 0;
}

static void put(struct level *level, const void *key, size_t key_len, const void *value,
                size_t len)
{
	uint64_t limit = level->job->batch > 0 ? level->job->batch : BATCH;

	leveldb_writebatch_put(level->batch, key, key_len, value, len);
	if (++level->nbatch >= limit) {
		flush_batch(level);
	}
}

static void put_posting(struct level *level, const struct posting *posting)
{
	uint8_t key[STORES_KEY_MAX];

	put(level, key, stores_posting_key(posting, key), "", 0);
}

static void write_all(struct level *level, const struct stores_input *in, bool by_entry)
{
	const struct posting *postings = by_entry ? in->shuffled : in->sorted;
	size_t at = 0;

	for (size_t offset = 0; offset < in->entries_bytes;) {
		const struct entry_head *head = stores_entry_at(in, &offset);
		uint8_t key[STORES_KEY_MAX];

		put(level, key, stores_entry_key(head->id, key), head + 1, head->len);
		while (by_entry && at < in->npostings && postings[at].id <= head->id) {
			put_posting(level, &postings[at++]);
		}
	}
	while (at < in->npostings) {
		put_posting(level, &postings[at++]);
	}
}

/** All of it on disk: there is no call for that, but a synced write syncs the log. */
static void settle(struct level *level)
{
	struct store_job *job = level->job;
	double start = stores_now();

	leveldb_writeoptions_set_sync(level->write_options, 1);
	flush_batch(level);
	job->settle_s = stores_now() - start;
	if (job->compact) {
		leveldb_compact_range(level->db, NULL, 0, NULL, 0);
		job->compact_s = stores_now() - start - job->settle_s;
	}
}

static void level_write(struct store_job *job, const struct stores_input *in)
{
	struct level level = {.job = job};
	double start = stores_now();

	open_db(&level, job);
	level.write_options = leveldb_writeoptions_create();
	leveldb_writeoptions_set_sync(level.write_options,
	                              strcmp(job->sync, "sync") == 0);
	level.batch = leveldb_writebatch_create();
	write_all(&level, in, strcmp(job->method, "random") == 0);
	flush_batch(&level);
	job->write_s = stores_now() - start;
	settle(&level);
	leveldb_writebatch_destroy(level.batch);
	leveldb_writeoptions_destroy(level.write_options);
	close_db(&level);
}

/* ---- reading ---- */

static void *level_open(const struct store_job *job)
{
	struct level *level = calloc(1, sizeof(*level));

	if (level == NULL) {
		stores_die("LevelDB", "out of memory");
	}
	open_db(level, job);
	level->read_options = leveldb_readoptions_create();
	level->entries = leveldb_create_iterator(level->db, level->read_options);
	level->postings = leveldb_create_iterator(level->db, level->read_options);
	return level;
}

static void level_close(void *store)
{
	struct level *level = store;

	leveldb_iter_destroy(level->entries);
	leveldb_iter_destroy(level->postings);
	leveldb_readoptions_destroy(level->read_options);
	close_db(level);
	free(level);
}

static int level_get_entry(void *store, uint64_t id, uint8_t *ret_first, size_t *ret_len)
{
	struct level *level = store;
	uint8_t key[STORES_KEY_MAX];
	size_t key_len = stores_entry_key(id, key);
	char *error = NULL;
	char *value = leveldb_get(level->db, level->read_options, (const char *)key,
	                          key_len, ret_len, &error);

	check(error);
	if (value == NULL) {
		return 0;
	}
	*ret_first = (uint8_t)value[0];
	leveldb_free(value);
	return 1;
}

/** The iterator's key; NULL at the end, and where the other kind of keys begins. */
static const uint8_t *key_at(leveldb_iterator_t *iterator, bool is_entry, size_t *ret_len)
{
	char *error = NULL;

	if (!leveldb_iter_valid(iterator)) {
		leveldb_iter_get_error(iterator, &error);
		check(error);
		return NULL;
	}
	const uint8_t *key = (const uint8_t *)leveldb_iter_key(iterator, ret_len);
	return (key[0] == 0) == is_entry ? key : NULL;
}

static int entry_at(struct level *level, uint64_t *ret_id)
{
	size_t len = 0;
	const uint8_t *key = key_at(level->entries, true, &len);

	if (key == NULL) {
		return 0;
	}
	*ret_id = stores_parse_entry(key);
	return 1;
}

static int level_seek_entry(void *store, uint64_t id, uint64_t *ret_id)
{
	struct level *level = store;
	uint8_t key[STORES_KEY_MAX];
	size_t len = stores_entry_key(id, key);

	leveldb_iter_seek(level->entries, (const char *)key, len);
	return entry_at(level, ret_id);
}

static int level_next_entry(void *store, uint64_t *ret_id)
{
	struct level *level = store;

	leveldb_iter_next(level->entries);
	return entry_at(level, ret_id);
}

static int posting_at(struct level *level, struct posting *ret)
{
	size_t len = 0;
	const uint8_t *key = key_at(level->postings, false, &len);

	if (key == NULL) {
		return 0;
	}
	stores_parse_posting(key, len, ret);
	return 1;
}

static int level_seek(void *store, const struct posting *from, struct posting *ret)
{
	struct level *level = store;
	uint8_t key[STORES_KEY_MAX];
	size_t len = stores_posting_key(from, key);

	leveldb_iter_seek(level->postings, (const char *)key, len);
	return posting_at(level, ret);
}

static int level_next(void *store, struct posting *ret)
{
	struct level *level = store;

	leveldb_iter_next(level->postings);
	return posting_at(level, ret);
}

const struct store_ops store_leveldb = {
	.name = "leveldb",
	.methods = "ordered random",
	.syncs = "sync wal",
	.write = level_write,
	.open = level_open,
	.close = level_close,
	.get_entry = level_get_entry,
	.seek_entry = level_seek_entry,
	.next_entry = level_next_entry,
	.seek = level_seek,
	.next = level_next,
};
