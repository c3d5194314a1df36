/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indexes that get more lists (claimed_output.c), of both formats and in both ways, next
 * to arrays that get the same:
 * - the same IDs, round by round, with lists of all lengths, short and long keys, IDs
 *   above and below those that are stored, ranges that come into being;
 * - the same when liblmdb changes the file between two rounds;
 * - the file is sound to the last page and counter;
 * - a damaged page is an error, or does no harm.
 */
#include "test.h"

#include <fcntl.h>

#include "output/new_output_impl.h"
#include "output/output.h"
#include "table_fixture.h"

#define LIST_MAX  1500
#define NINDEXES  3
#define NKEYS     4000
#define IDS_MAX   2500
#define ROUNDS    6
#define NDAMAGED  150
#define FILE_PAGE 4096

static const struct {
	const char *name;
	bool is_integerkey;
} indexes[NINDEXES] = {{"cn", true}, {"mail", false}, {"sn", false}};

/* The content of the indexes. A range is 0, lowest, highest. */
static struct list {
	uint64_t *ids;
	size_t n;
} lists[NINDEXES][NKEYS];

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static struct dit_record_output *open_output(const char *dir)
{
	struct dit_output_opts opts = {.directory = dir,
	                               .mode = 0600,
	                               .ndbs = 16,
	                               .maxsize_bytes = FIXTURE_MAXSIZE,
	                               .list_max = LIST_MAX,
	                               .writer = DIT_WRITER_DEFAULT,
	                               .is_lmdb_10 = fixture_is_lmdb_10};
	struct dit_record_output *output = NULL;

	assert_int_equal(dit_output_open(&output, &opts), 0);
	for (size_t i = 0; i < NINDEXES; i++) {
		struct dit_output_index index = {.name = indexes[i].name,
		                                 .is_integerkey =
		                                         indexes[i].is_integerkey};

		assert_int_equal(dit_output_add_index(&output->base, &index), 0);
	}
	return output;
}

/* Keys of the third index are up to 400 bytes long: few of them fit a branch page. */
static struct dit_span key_of(size_t number, unsigned k, char *out)
{
	size_t len = number == 2 ? 4 + (k * 7919u) % 400 : 4;

	memset(out, 'x', len);
	out[0] = (char)(k >> 24);
	out[1] = (char)(k >> 16);
	out[2] = (char)(k >> 8);
	out[3] = (char)k;
	if (number == 0) {
		memcpy(out, &k, sizeof(k));
	}
	return (struct dit_span){out, len};
}

/* ---- the arrays ---- */

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void forget_lists(void)
{
	for (size_t i = 0; i < NINDEXES * NKEYS; i++) {
		free(lists[i / NKEYS][i % NKEYS].ids);
		lists[i / NKEYS][i % NKEYS] = (struct list){NULL, 0};
	}
}

/* The rule of slapd for lists (storage.md 5.4). */
static void add_ids(struct list *list, const uint64_t *ids, size_t n, bool is_repeated)
{
	bool was_range = list->n > 0 && list->ids[0] == 0;

	list->ids = realloc(list->ids, (list->n + n) * sizeof(*ids));
	assert_non_null(list->ids);
	memcpy(list->ids + list->n, ids, n * sizeof(*ids));
	list->n += n;
	qsort(list->ids, list->n, sizeof(*ids), compare_ids);
	if (was_range || list->n > LIST_MAX || (list->n == LIST_MAX && is_repeated)) {
		list->ids[1] = list->ids[was_range ? 1 : 0];
		list->ids[2] = list->ids[list->n - 1];
		list->ids[0] = 0;
		list->n = 3;
	}
}

/* ---- rounds ---- */

/* How many IDs a key gets in a round; most keys none. */
static size_t ids_of(unsigned k, unsigned round, unsigned *seed)
{
	if (round == 0) {
		return k % 2 == 0 ? 0 : k % 97 == 1 ? 900 : k % 31 == 3 ? 100 : 1 + k % 3;
	}
	if (next_random(seed) % 40 != 0) {
		return 0;
	}
	return k % 97 == 1 ? 700 : 1 + next_random(seed) % 5;
}

static int put_index(struct dit_record_output *output, size_t number, unsigned round)
{
	/* In the fourth round IDs lie between those that are stored. */
	uint64_t first = round == 3 ? 2 : 10 + (uint64_t)round * 4 * IDS_MAX;
	struct dit_output_table *table = NULL;
	uint64_t *ids = calloc(IDS_MAX, sizeof(*ids));
	unsigned seed = round + 1;
	char key[512];
	int r = 0;

	/* Only a new table is made in parts. */
	if (round > 0) {
		assert_int_equal(dit_output_cut_index(&output->base, number, 2), 0);
	}
	r = dit_output_open_part(&output->base, number, 0, &table);
	for (unsigned k = 0; k < NKEYS && r == 0; k++) {
		struct dit_posting_list list = {.key = key_of(number, k, key),
		                                .ids = ids,
		                                .nids = ids_of(k, round, &seed),
		                                .is_repeated = k % 5 == 0};

		for (size_t i = 0; i < list.nids; i++) {
			ids[i] = first + 4 * i + (round == 3 ? 1 : 0);
		}
		if (list.nids > 0) {
			r = dit_output_put_lists(table, &list, 1);
			add_ids(&lists[number][k], ids, list.nids, list.is_repeated);
		}
	}
	r = r ?: dit_output_finish(table, NULL);
	free(ids);
	return r;
}

static int put_round(struct dit_record_output *output, unsigned round)
{
	void *space = NULL;
	int r = dit_output_reserve_entry(output, 1 + round, 5, &space);

	if (r == 0) {
		memcpy(space, "entry", 5);
	}
	for (size_t number = 0; number < NINDEXES && r == 0; number++) {
		r = put_index(output, number, round);
	}
	return r < 0 ? r : dit_output_begin_changes(output);
}

static int publish(struct dit_record_output *output)
{
	int r = dit_output_do(&output->base, DIT_PUBLISH_PREPARE);

	return r < 0 ? r : dit_output_do(&output->base, DIT_PUBLISH_COMMIT);
}

static void make(const char *dir)
{
	struct dit_record_output *output = open_output(dir);

	forget_lists();
	assert_int_equal(put_round(output, 0), 0);
	assert_int_equal(publish(output), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_END), 0);
}

/* @return 0, or why the database is what it was */
static int add_round(const char *dir, unsigned round)
{
	struct dit_record_output *output = open_output(dir);
	int r = put_round(output, round);

	assert_true(output->is_merged);
	r = r ?: publish(output);
	if (r < 0) {
		dit_output_abandon(&output->base);
		return r;
	}
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME), 0);
	return dit_output_do(&output->base, DIT_PUBLISH_END);
}

/* ---- checks ---- */

static unsigned number_of(size_t index, struct dit_span key)
{
	const unsigned char *bytes = (const unsigned char *)key.data;
	unsigned k = 0;

	assert_true(key.len >= sizeof(k));
	memcpy(&k, bytes, sizeof(k));
	if (index > 0) {
		k = (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 |
		    (unsigned)bytes[2] << 8 | bytes[3];
	}
	assert_true(k < NKEYS);
	return k;
}

/* @return how many IDs there are */
static size_t assert_index(const char *dir, size_t number)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	unsigned last = NKEYS;
	size_t n = 0;
	size_t at = 0;

	assert_int_equal(
		dit_snapshot_open_readers(&snapshot, dir,
	                                  &(struct dit_snapshot_opts){.nreaders = 1}),
		0);
	assert_int_equal(
		dit_snapshot_cursor_open(&cursor, snapshot, 0, indexes[number].name), 0);
	for (; dit_tree_cursor_next(cursor, &key, &value) > 0; n++, at++) {
		unsigned k = number_of(number, key);

		assert_true(k == last || last == NKEYS || at == lists[number][last].n);
		at = k == last ? at : 0;
		assert_true(at < lists[number][k].n);
		assert_memory_equal(value.data, &lists[number][k].ids[at], value.len);
		last = k;
	}
	for (unsigned k = 0; k < NKEYS; k++) {
		at += lists[number][k].n;
	}
	assert_int_equal(at, n + (last == NKEYS ? 0 : lists[number][last].n));
	dit_tree_cursor_close(cursor);
	dit_snapshot_close(snapshot);
	return n;
}

static int open_data(const char *dir, int flags)
{
	char *path = test_text("%s/data.mdb", dir);
	int fd = -1;

	fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void assert_sound(const char *dir)
{
	struct dit_fault fault = {.text = ""};
	int fd = open_data(dir, O_RDONLY);

	if (dit_data_check_whole(fd, NULL, NULL, &fault) != 0) {
		fail_msg("%s", fault.text);
	}
	(void)close(fd);
}

static void assert_lists(const char *dir, unsigned round)
{
	assert_sound(dir);
	for (size_t i = 0; i < NINDEXES; i++) {
		assert_true(assert_index(dir, i) > 10000);
	}
	assert_int_equal(fixture_count(dir), 1 + round);
}

TEST(merged_indexes_hold_what_arrays_hold)
{
	char *dir = test_scratch();

	make(dir);
	for (unsigned round = 1; round < ROUNDS; round++) {
		assert_int_equal(add_round(dir, round), 0);
		assert_lists(dir, round);
	}
	test_scratch_remove(dir);
}

/* Some keys go, others get an ID more. */
static void change_with_liblmdb(const char *dir, unsigned round)
{
	MDB_env *env = test_env(dir, MDB_NOSYNC, 0);
	MDB_txn *txn = NULL;
	unsigned seed = 100 + round;
	char key[512];

	assert_int_equal(mdb_env_set_mapsize(env, FIXTURE_MAXSIZE), 0);
	txn = test_txn(env, 0);
	for (size_t i = 0; i < NINDEXES; i++) {
		MDB_dbi dbi = test_dbi(txn, indexes[i].name, 0);

		for (unsigned k = next_random(&seed) % 30; k < NKEYS;
		     k += 1 + next_random(&seed) % 60) {
			struct dit_span span = key_of(i, k, key);
			uint64_t id = 1000000 + round;
			MDB_val name = {span.len, key};
			MDB_val value = {sizeof(id), &id};
			bool is_there = lists[i][k].n > 0;

			if (next_random(&seed) % 2 == 0) {
				assert_int_equal(mdb_del(txn, dbi, &name, NULL),
				                 is_there ? 0 : MDB_NOTFOUND);
				lists[i][k].n = 0;
			} else if (!is_there || lists[i][k].ids[0] != 0) {
				assert_int_equal(mdb_put(txn, dbi, &name, &value, 0), 0);
				add_ids(&lists[i][k], &id, 1, false);
			}
		}
	}
	test_commit(txn);
}

/* liblmdb changes pages that we have made, and we those that it has made. */
TEST_IN("LMDB 0.9", liblmdb_and_we_take_turns)
{
	char *dir = test_scratch();

	make(dir);
	for (unsigned round = 1; round < ROUNDS; round++) {
		change_with_liblmdb(dir, round);
		assert_int_equal(add_round(dir, round), 0);
		assert_lists(dir, round);
	}
	assert_no_page_is_lost(dir);
}

/* A word of a page of the indexes is another one. */
static void damage(int fd, off_t npages, unsigned *seed)
{
	off_t page = 2 + (off_t)(next_random(seed) % (unsigned)(npages - 2));
	unsigned places = next_random(seed) % 2 == 0 ? 40 : FILE_PAGE;
	off_t at = page * FILE_PAGE + (off_t)(next_random(seed) % (places / 2) * 2);
	uint16_t word = (uint16_t)next_random(seed);

	assert_int_equal(pwrite(fd, &word, sizeof(word), at), sizeof(word));
}

TEST(a_damaged_page_is_an_error_or_does_no_harm)
{
	char *dir = test_scratch();
	unsigned nrefused = 0;
	unsigned seed = 7;
	off_t size = 0;
	char *bytes = NULL;
	int fd = -1;

	make(dir);
	assert_int_equal(add_round(dir, 1), 0);
	fd = open_data(dir, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
	for (unsigned i = 0; i < NDAMAGED; i++) {
		struct dit_output_opts opts = {.directory = dir,
		                               .mode = 0600,
		                               .ndbs = 16,
		                               .maxsize_bytes = FIXTURE_MAXSIZE,
		                               .list_max = LIST_MAX,
		                               .writer = DIT_WRITER_DEFAULT,
		                               .is_lmdb_10 = fixture_is_lmdb_10};
		struct dit_record_output *output = NULL;

		damage(fd, size / FILE_PAGE, &seed);
		if (dit_output_open(&output, &opts) == 0) {
			dit_output_abandon(&output->base);
			nrefused += add_round(dir, 2) < 0;
		}
		assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
		assert_int_equal(ftruncate(fd, size), 0);
	}
	assert_true(nrefused > 5);
	assert_int_equal(add_round(dir, 2), 0);
	assert_sound(dir);
	free(bytes);
	(void)close(fd);
}

int main(void)
{
	int nfailed = test_run("LMDB 0.9", NULL, NULL) +
	              test_run("LMDB 1.0", fixture_use_lmdb_10, NULL);

	forget_lists();
	return nfailed;
}
