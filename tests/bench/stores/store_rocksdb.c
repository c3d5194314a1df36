/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RocksDB, through its C interface.
 *
 *   ingest   in key order into SST files of SST_BYTES, which the database then takes over
 *   ordered  in key order, in write batches
 *   random   entry by entry, in write batches
 *
 * Sync policies: sync (a write batch is on disk before the next begins), wal (it is in
 * the log, which is not synced), nowal (it is only in memory until that is full). They do
 * not matter to ingest, where "none" stands for them.
 *
 * Settings that are not RocksDB's own: a Bloom filter of 10 bits for look-ups of entries,
 * half of the cache for blocks and half for memory tables, threads for compactions as
 * many as processors.
 */
#include "stores.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SST_BYTES      (256u << 20)
#define SSTS_MAX       4096
#define BATCH          1000 /* records in a write batch by default */
#define COMPRESSION_NO 0
#define COMPRESSION_LZ 4 /* LZ4 */

struct rocks {
	struct store_job *job;
	rocksdb_options_t *options;
	rocksdb_t *db;
	rocksdb_cache_t *cache;

	rocksdb_writeoptions_t *write_options; /* writing */
	rocksdb_writebatch_t *batch;
	uint64_t nbatch; /* records in it */

	rocksdb_envoptions_t *env_options; /* ingesting */
	rocksdb_sstfilewriter_t *sst;
	char *ssts[SSTS_MAX];
	unsigned nssts;
	uint64_t sst_bytes;

	rocksdb_readoptions_t *read_options; /* reading */
	rocksdb_iterator_t *entries;
	rocksdb_iterator_t *postings;
};

static void check(char *error)
{
	if (error != NULL) {
		stores_die("RocksDB", error);
	}
}

static void make_options(struct rocks *rocks, const struct store_job *job)
{
	rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();

	rocks->options = rocksdb_options_create();
	rocks->cache = rocksdb_cache_create_lru(job->cache_bytes / 2);
	rocksdb_block_based_options_set_block_cache(table, rocks->cache);
	rocksdb_block_based_options_set_filter_policy(
		table, rocksdb_filterpolicy_create_bloom_full(10));
	rocksdb_options_set_block_based_table_factory(rocks->options, table);
	rocksdb_block_based_options_destroy(table);
	rocksdb_options_set_create_if_missing(rocks->options, 1);
	rocksdb_options_set_compression(rocks->options,
	                                job->compress ? COMPRESSION_LZ : COMPRESSION_NO);
	rocksdb_options_increase_parallelism(rocks->options,
	                                     (int)sysconf(_SC_NPROCESSORS_ONLN));
	/* Two memory tables: one is filled while the other is written. */
	rocksdb_options_set_write_buffer_size(rocks->options, job->cache_bytes / 4);
}

static void open_db(struct rocks *rocks, const struct store_job *job)
{
	char *error = NULL;

	make_options(rocks, job);
	rocks->db = rocksdb_open(rocks->options, job->dir, &error);
	check(error);
}

static void close_db(struct rocks *rocks)
{
	rocksdb_close(rocks->db);
	rocksdb_options_destroy(rocks->options);
	rocksdb_cache_destroy(rocks->cache);
}

/* ---- SST files ---- */

static void sst_finish(struct rocks *rocks)
{
	char *error = NULL;

	if (rocks->sst != NULL) {
		rocksdb_sstfilewriter_finish(rocks->sst, &error);
		check(error);
		rocksdb_sstfilewriter_destroy(rocks->sst);
		rocks->sst = NULL;
	}
}

static void sst_begin(struct rocks *rocks)
{
	char *error = NULL;
	char path[4096];

	if (rocks->nssts == SSTS_MAX) {
		stores_die("RocksDB", "too many files to ingest");
	}
	(void)snprintf(path, sizeof(path), "%s/ingest-%06u", rocks->job->dir,
	               rocks->nssts);
	rocks->ssts[rocks->nssts] = strdup(path);
	if (rocks->ssts[rocks->nssts++] == NULL) {
		stores_die("RocksDB", "out of memory");
	}
	rocks->sst = rocksdb_sstfilewriter_create(rocks->env_options, rocks->options);
	rocksdb_sstfilewriter_open(rocks->sst, path, &error);
	check(error);
	rocks->sst_bytes = 0;
}

static void sst_put(struct rocks *rocks, const void *key, size_t key_len,
                    const void *value, size_t len)
{
	char *error = NULL;

	if (rocks->sst == NULL || rocks->sst_bytes > SST_BYTES) {
		sst_finish(rocks);
		sst_begin(rocks);
	}
	rocksdb_sstfilewriter_put(rocks->sst, key, key_len, value, len, &error);
	check(error);
	rocks->sst_bytes += key_len + len;
	stores_count(rocks->job, 1);
}

static void sst_ingest(struct rocks *rocks)
{
	rocksdb_ingestexternalfileoptions_t *options =
		rocksdb_ingestexternalfileoptions_create();
	char *error = NULL;

	sst_finish(rocks);
	rocksdb_ingestexternalfileoptions_set_move_files(options, 1);
	rocksdb_ingest_external_file(rocks->db, (const char *const *)rocks->ssts,
	                             rocks->nssts, options, &error);
	check(error);
	rocksdb_ingestexternalfileoptions_destroy(options);
	for (unsigned i = 0; i < rocks->nssts; i++) {
		free(rocks->ssts[i]);
	}
}

/* ---- write batches ---- */

static void flush_batch(struct rocks *rocks)
{
	char *error = NULL;

	rocksdb_write(rocks->db, rocks->write_options, rocks->batch, &error);
	check(error);
	rocksdb_writebatch_clear(rocks->batch);
	stores_count(rocks->job, rocks->nbatch);
	rocks->nbatch = 0;
}

static void batch_put(struct rocks *rocks, const void *key, size_t key_len,
                      const void *value, size_t len)
{
	uint64_t limit = rocks->job->batch > 0 ? rocks->job->batch : BATCH;

	rocksdb_writebatch_put(rocks->batch, key, key_len, value, len);
	if (++rocks->nbatch >= limit) {
		flush_batch(rocks);
	}
}

static void put(struct rocks *rocks, const void *key, size_t key_len, const void *value,
                size_t len)
{
	if (rocks->env_options != NULL) {
		sst_put(rocks, key, key_len, value, len);
	} else {
		batch_put(rocks, key, key_len, value, len);
	}
}

static void put_entry(struct rocks *rocks, const struct entry_head *head)
{
	uint8_t key[STORES_KEY_MAX];

	put(rocks, key, stores_entry_key(head->id, key), head + 1, head->len);
}

static void put_posting(struct rocks *rocks, const struct posting *posting)
{
	uint8_t key[STORES_KEY_MAX];

	put(rocks, key, stores_posting_key(posting, key), "", 0);
}

static void write_all(struct rocks *rocks, const struct stores_input *in, bool by_entry)
{
	const struct posting *postings = by_entry ? in->shuffled : in->sorted;
	size_t at = 0;

	for (size_t offset = 0; offset < in->entries_bytes;) {
		const struct entry_head *head = stores_entry_at(in, &offset);

		put_entry(rocks, head);
		while (by_entry && at < in->npostings && postings[at].id <= head->id) {
			put_posting(rocks, &postings[at++]);
		}
	}
	while (at < in->npostings) {
		put_posting(rocks, &postings[at++]);
	}
}

/** All of it on disk; then everything merged. */
static void settle(struct rocks *rocks)
{
	struct store_job *job = rocks->job;
	rocksdb_flushoptions_t *options = rocksdb_flushoptions_create();
	char *error = NULL;
	double start = stores_now();

	rocksdb_flushoptions_set_wait(options, 1);
	rocksdb_flush(rocks->db, options, &error);
	check(error);
	rocksdb_flushoptions_destroy(options);
	job->settle_s = stores_now() - start;
	if (job->compact) {
		rocksdb_compact_range(rocks->db, NULL, 0, NULL, 0);
		job->compact_s = stores_now() - start - job->settle_s;
	}
}

static void rocks_write(struct store_job *job, const struct stores_input *in)
{
	struct rocks rocks = {.job = job};
	double start = stores_now();

	open_db(&rocks, job);
	if (strcmp(job->method, "ingest") == 0) {
		rocks.env_options = rocksdb_envoptions_create();
		write_all(&rocks, in, false);
		sst_ingest(&rocks);
		rocksdb_envoptions_destroy(rocks.env_options);
	} else {
		rocks.write_options = rocksdb_writeoptions_create();
		rocksdb_writeoptions_set_sync(rocks.write_options,
		                              strcmp(job->sync, "sync") == 0);
		rocksdb_writeoptions_disable_WAL(rocks.write_options,
		                                 strcmp(job->sync, "nowal") == 0);
		rocks.batch = rocksdb_writebatch_create();
		write_all(&rocks, in, strcmp(job->method, "random") == 0);
		flush_batch(&rocks);
		rocksdb_writebatch_destroy(rocks.batch);
		rocksdb_writeoptions_destroy(rocks.write_options);
	}
	job->write_s = stores_now() - start;
	settle(&rocks);
	close_db(&rocks);
}

/* ---- reading ---- */

static void *rocks_open(const struct store_job *job)
{
	struct rocks *rocks = calloc(1, sizeof(*rocks));

	if (rocks == NULL) {
		stores_die("RocksDB", "out of memory");
	}
	open_db(rocks, job);
	rocks->read_options = rocksdb_readoptions_create();
	rocks->entries = rocksdb_create_iterator(rocks->db, rocks->read_options);
	rocks->postings = rocksdb_create_iterator(rocks->db, rocks->read_options);
	return rocks;
}

static void rocks_close(void *store)
{
	struct rocks *rocks = store;

	rocksdb_iter_destroy(rocks->entries);
	rocksdb_iter_destroy(rocks->postings);
	rocksdb_readoptions_destroy(rocks->read_options);
	close_db(rocks);
	free(rocks);
}

static int rocks_get_entry(void *store, uint64_t id, uint8_t *ret_first, size_t *ret_len)
{
	struct rocks *rocks = store;
	uint8_t key[STORES_KEY_MAX];
	size_t key_len = stores_entry_key(id, key);
	char *error = NULL;
	rocksdb_pinnableslice_t *slice = rocksdb_get_pinned(
		rocks->db, rocks->read_options, (const char *)key, key_len, &error);

	check(error);
	if (slice == NULL) {
		return 0;
	}
	*ret_first = *(const uint8_t *)rocksdb_pinnableslice_value(slice, ret_len);
	rocksdb_pinnableslice_destroy(slice);
	return 1;
}

/** The iterator's key; NULL at the end, and where the other kind of keys begins. */
static const uint8_t *key_at(rocksdb_iterator_t *iterator, bool is_entry, size_t *ret_len)
{
	char *error = NULL;

	if (!rocksdb_iter_valid(iterator)) {
		rocksdb_iter_get_error(iterator, &error);
		check(error);
		return NULL;
	}
	const uint8_t *key = (const uint8_t *)rocksdb_iter_key(iterator, ret_len);
	return (key[0] == 0) == is_entry ? key : NULL;
}

static int entry_at(struct rocks *rocks, uint64_t *ret_id)
{
	size_t len = 0;
	const uint8_t *key = key_at(rocks->entries, true, &len);

	if (key == NULL) {
		return 0;
	}
	*ret_id = stores_parse_entry(key);
	return 1;
}

static int rocks_seek_entry(void *store, uint64_t id, uint64_t *ret_id)
{
	struct rocks *rocks = store;
	uint8_t key[STORES_KEY_MAX];
	size_t len = stores_entry_key(id, key);

	rocksdb_iter_seek(rocks->entries, (const char *)key, len);
	return entry_at(rocks, ret_id);
}

static int rocks_next_entry(void *store, uint64_t *ret_id)
{
	struct rocks *rocks = store;

	rocksdb_iter_next(rocks->entries);
	return entry_at(rocks, ret_id);
}

static int posting_at(struct rocks *rocks, struct posting *ret)
{
	size_t len = 0;
	const uint8_t *key = key_at(rocks->postings, false, &len);

	if (key == NULL) {
		return 0;
	}
	stores_parse_posting(key, len, ret);
	return 1;
}

static int rocks_seek(void *store, const struct posting *from, struct posting *ret)
{
	struct rocks *rocks = store;
	uint8_t key[STORES_KEY_MAX];
	size_t len = stores_posting_key(from, key);

	rocksdb_iter_seek(rocks->postings, (const char *)key, len);
	return posting_at(rocks, ret);
}

static int rocks_next(void *store, struct posting *ret)
{
	struct rocks *rocks = store;

	rocksdb_iter_next(rocks->postings);
	return posting_at(rocks, ret);
}

const struct store_ops store_rocksdb = {
	.name = "rocksdb",
	.methods = "ingest ordered random",
	.syncs = "none sync wal nowal",
	.write = rocks_write,
	.open = rocks_open,
	.close = rocks_close,
	.get_entry = rocks_get_entry,
	.seek_entry = rocks_seek_entry,
	.next_entry = rocks_next_entry,
	.seek = rocks_seek,
	.next = rocks_next,
};
