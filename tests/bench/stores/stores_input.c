/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input of the comparison: taken from a database that ditadd made with --index-keys bytes
 * (whose key order is byte order, the one all stores share), kept in three flat files:
 * entries, sorted (postings in key order), shuffled (postings in the order in which a
 * program that stores entry by entry comes upon them).
 */
#include "stores.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DBS_MAX 250

static void check(const char *what, int r)
{
	if (r != MDB_SUCCESS) {
		stores_die(what, mdb_strerror(r));
	}
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	if (f == NULL) {
		stores_die(path, strerror(errno));
	}
	return f;
}

static void put(FILE *f, const void *data, size_t len)
{
	if (len > 0 && fwrite(data, len, 1, f) != 1) {
		stores_die("writing the input", strerror(errno));
	}
}

static void finish(FILE *f)
{
	if (fclose(f) != 0) {
		stores_die("writing the input", strerror(errno));
	}
}

/* ---- keys of RocksDB and LevelDB ---- */

static void put_id(uint8_t *to, uint64_t id)
{
	uint64_t swapped = __builtin_bswap64(id);

	memcpy(to, &swapped, sizeof(swapped));
}

static uint64_t get_id(const uint8_t *from)
{
	uint64_t swapped = 0;

	memcpy(&swapped, from, sizeof(swapped));
	return __builtin_bswap64(swapped);
}

size_t stores_posting_key(const struct posting *posting, uint8_t ret[STORES_KEY_MAX])
{
	ret[0] = (uint8_t)(posting->db + 1);
	memcpy(ret + 1, posting->key, posting->key_len);
	put_id(ret + 1 + posting->key_len, posting->id);
	return (size_t)posting->key_len + 9;
}

size_t stores_entry_key(uint64_t id, uint8_t ret[STORES_KEY_MAX])
{
	ret[0] = 0;
	put_id(ret + 1, id);
	return 9;
}

void stores_parse_posting(const uint8_t *key, size_t len, struct posting *ret)
{
	*ret = (struct posting){.db = (uint8_t)(key[0] - 1)};
	if (len < 9 || len > STORES_KEY_MAX) {
		stores_die("reading", "a key of impossible length");
	}
	ret->key_len = (uint8_t)(len - 9);
	memcpy(ret->key, key + 1, ret->key_len);
	ret->id = get_id(key + len - 8);
}

uint64_t stores_parse_entry(const uint8_t *key)
{
	return get_id(key + 1);
}

bool stores_same_key(const struct posting *a, const struct posting *b)
{
	return a->db == b->db && a->key_len == b->key_len &&
	       memcmp(a->key, b->key, a->key_len) == 0;
}

/* ---- from a database ---- */

static void extract_entries(MDB_txn *txn, FILE *f)
{
	static const uint8_t zeros[8];
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val data;
	MDB_dbi dbi = 0;

	check("id2e", mdb_dbi_open(txn, "id2e", 0, &dbi));
	check("id2e", mdb_cursor_open(txn, dbi, &cursor));
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == MDB_SUCCESS) {
		struct entry_head head = {.len = data.mv_size};

		memcpy(&head.id, key.mv_data, sizeof(head.id));
		put(f, &head, sizeof(head));
		put(f, data.mv_data, data.mv_size);
		put(f, zeros, -data.mv_size & 7);
	}
	mdb_cursor_close(cursor);
}

/** Postings must ascend as RocksDB's keys will, else no file could be ingested. */
static void check_order(const struct posting *last, const struct posting *posting)
{
	uint8_t a[STORES_KEY_MAX];
	uint8_t b[STORES_KEY_MAX];
	size_t alen = stores_posting_key(last, a);
	size_t blen = stores_posting_key(posting, b);
	int order = memcmp(a, b, alen < blen ? alen : blen);

	if (order > 0 || (order == 0 && alen >= blen)) {
		stores_die("index", "keys are not in byte order: load the database with "
		                    "--index-keys bytes, all keys of an index of one "
		                    "length");
	}
}

static void extract_index(MDB_txn *txn, const char *name, unsigned number, FILE *f)
{
	struct posting last = {.db = (uint8_t)number};
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val data;
	MDB_dbi dbi = 0;
	bool is_first = true;

	check(name, mdb_dbi_open(txn, name, 0, &dbi));
	check(name, mdb_cursor_open(txn, dbi, &cursor));
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == MDB_SUCCESS) {
		struct posting posting = {.db = (uint8_t)number,
		                          .key_len = (uint8_t)key.mv_size};

		if (key.mv_size > POSTING_KEY_MAX || data.mv_size != sizeof(uint64_t)) {
			stores_die(name, "keys are longer than this program allows");
		}
		memcpy(posting.key, key.mv_data, key.mv_size);
		memcpy(&posting.id, data.mv_data, sizeof(posting.id));
		if (!is_first) {
			check_order(&last, &posting);
		}
		put(f, &posting, sizeof(posting));
		last = posting;
		is_first = false;
	}
	mdb_cursor_close(cursor);
}

static bool is_index(const char *name)
{
	static const char *const others[] = {"ad2i", "dn2i", "id2e", "id2v", "ixck"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(name, others[i]) == 0) {
			return false;
		}
	}
	return true;
}

/** @return the number of index databases */
static unsigned extract_indexes(MDB_txn *txn, FILE *f)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val data;
	MDB_dbi names = 0;
	unsigned n = 0;

	check("names", mdb_dbi_open(txn, NULL, 0, &names));
	check("names", mdb_cursor_open(txn, names, &cursor));
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == MDB_SUCCESS) {
		char name[256];

		(void)snprintf(name, sizeof(name), "%.*s", (int)key.mv_size,
		               (const char *)key.mv_data);
		if (is_index(name)) {
			extract_index(txn, name, n++, f);
		}
	}
	mdb_cursor_close(cursor);
	return n;
}

/* ---- shuffled ---- */

static const void *map(const char *dir, const char *name, size_t *ret_bytes)
{
	char path[4096];
	struct stat st;
	const void *data = NULL;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		stores_die(path, strerror(errno));
	}
	*ret_bytes = (size_t)st.st_size;
	if (st.st_size > 0) {
		data = mmap(NULL, *ret_bytes, PROT_READ, MAP_SHARED, fd, 0);
		if (data == MAP_FAILED) {
			stores_die(path, strerror(errno));
		}
	}
	(void)close(fd);
	return data;
}

/** Counting sort by ID; within an ID key order stays. */
static void shuffle(const char *dir)
{
	size_t bytes = 0;
	const struct posting *sorted = map(dir, "sorted", &bytes);
	size_t n = bytes / sizeof(*sorted);
	uint64_t id_max = 0;

	for (size_t i = 0; i < n; i++) {
		id_max = sorted[i].id > id_max ? sorted[i].id : id_max;
	}
	size_t *start = calloc(id_max + 2, sizeof(*start));
	struct posting *shuffled = malloc(n > 0 ? bytes : 1);
	if (start == NULL || shuffled == NULL) {
		stores_die("sorting postings by ID", "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		start[sorted[i].id + 1]++;
	}
	for (uint64_t id = 0; id <= id_max; id++) {
		start[id + 1] += start[id];
	}
	for (size_t i = 0; i < n; i++) {
		shuffled[start[sorted[i].id]++] = sorted[i];
	}
	FILE *f = create(dir, "shuffled");
	put(f, shuffled, bytes);
	finish(f);
	free(start);
	free(shuffled);
	if (bytes > 0) {
		(void)munmap((void *)sorted, bytes);
	}
}

void stores_extract(const char *database, const char *dir)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;

	check(database, mdb_env_create(&env));
	check(database, mdb_env_set_maxdbs(env, DBS_MAX + 5));
	check(database, mdb_env_open(env, database, MDB_RDONLY, 0));
	check(database, mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));

	FILE *f = create(dir, "entries");
	extract_entries(txn, f);
	finish(f);
	f = create(dir, "sorted");
	unsigned n = extract_indexes(txn, f);
	finish(f);
	mdb_txn_abort(txn);
	mdb_env_close(env);

	f = create(dir, "ndbs");
	(void)fprintf(f, "%u\n", n);
	finish(f);
	shuffle(dir);
}

/* ---- for the writers ---- */

static unsigned read_number(const char *dir, const char *name)
{
	char path[4096];
	unsigned n = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%u", &n) != 1 || n > DBS_MAX) {
		stores_die(path, "cannot be read");
	}
	(void)fclose(f);
	return n;
}

const struct entry_head *stores_entry_at(const struct stores_input *in, size_t *offset)
{
	const struct entry_head *head = (const void *)(in->entries + *offset);

	*offset += sizeof(*head) + ((head->len + 7) & ~(uint64_t)7);
	return head;
}

void stores_input_open(const char *dir, struct stores_input *ret)
{
	size_t bytes = 0;

	ret->ndbs = read_number(dir, "ndbs");
	ret->sorted = map(dir, "sorted", &bytes);
	ret->npostings = bytes / sizeof(*ret->sorted);
	ret->shuffled = map(dir, "shuffled", &bytes);
	ret->entries = map(dir, "entries", &ret->entries_bytes);
	ret->nentries = 0;
	for (size_t offset = 0; offset < ret->entries_bytes; ret->nentries++) {
		(void)stores_entry_at(ret, &offset);
	}
}
