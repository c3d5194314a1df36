/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the rounds of online.h: what others change in any round, while the tables
 * catch up with earlier changes, is in the tables in the end, and nothing else; there are
 * not more rounds than useful; a run that fails or dies in any round leaves what was.
 *
 * The index of these tests has a key for each entry, the first byte of its value. It is
 * made by the callback from the two states that it is given, and compared in the end with
 * the entries.
 */
#include <limits.h>

#include "base/error.h"
#include "base/grow.h"
#include "files/fault.h"
#include "online_fixture.h"
#include "output/online_impl.h"
#include "page/page_source.h"
#include "posting_changes.h"
#include "seal_watch.h"

#define LIST_MAX   100000
#define CALLS_MAX  (DIT_ONLINE_ROUNDS + 2)
#define KEY_BYTES  4
#define NO_KEY     256u
#define ORDERS_MAX 8

/* The other process does this before the rounds, and in each call of the callback. */
typedef void (*meanwhile_fn)(const struct other *other, unsigned call);

struct run {
	struct dit_output *output;
	struct dit_snapshot *snapshot;
	struct other *other;
	meanwhile_fn meanwhile;
	unsigned ncalls;
	unsigned readers[2]; /* of the last call */
	int error;           /* of call error_at */
	unsigned error_at;
	bool dies;
	bool is_unsynced;
	struct posting_change *changes;
	size_t nchanges;
	char (*keys)[KEY_BYTES];
	struct posting_changes given;
	struct dit_fault fault;
	struct dit_online_times times;
};

/* ---- calls that fail ---- */

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
__typeof__(dit_page_source_open) __real_dit_page_source_open;
__typeof__(dit_page_source_open) __wrap_dit_page_source_open;

/* Calls until the failing one; -1: none fails. */
static int nsyncs = -1;
static int nmaps = -1; /* of a newer state */

/* Syncs and reads while the output holds LMDB's write lock. */
static const struct dit_online *watched; /* NULL: none */
static unsigned nlocked;
static unsigned nread_locked;

int __wrap_fdatasync(int fd)
{
	nlocked += watched != NULL && watched->is_locked;
	if (nsyncs >= 0 && nsyncs-- == 0) {
		errno = EIO;
		return -1;
	}
	return __real_fdatasync(fd);
}

int __wrap_dit_page_source_open(struct dit_page_source *ret, int fd,
                                const struct dit_page_format *format,
                                const struct dit_metas *metas)
{
	return nmaps >= 0 && nmaps-- == 0
	               ? -ENOMEM
	               : __real_dit_page_source_open(ret, fd, format, metas);
}

/* ---- pages that are read ---- */

__typeof__(dit_page_row_read) __real_dit_page_row_read;
__typeof__(dit_page_row_read) __wrap_dit_page_row_read;

static unsigned nread; /* calls */

int __wrap_dit_page_row_read(struct dit_page_row *row,
                             const struct dit_page_source *source, uint64_t number,
                             unsigned wanted, char **ret)
{
	nread++;
	nread_locked += watched != NULL && watched->is_locked;
	return __real_dit_page_row_read(row, source, number, wanted, ret);
}

/* ---- the index of first bytes ---- */

static unsigned key_of(struct dit_snapshot *snapshot, unsigned reader, uint64_t id)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	unsigned found = NO_KEY;

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, reader, "id2e"), 0);
	if (dit_tree_cursor_seek(cursor, (struct dit_span){(const char *)&id, sizeof(id)},
	                         &key, &value) == 1 &&
	    memcmp(key.data, &id, sizeof(id)) == 0) {
		found = (unsigned char)value.data[0];
	}
	dit_tree_cursor_close(cursor);
	return found;
}

static void add_change(struct run *run, uint64_t id, unsigned key, bool is_added)
{
	size_t n = run->nchanges++;

	memset(run->keys[n], 0, KEY_BYTES);
	run->keys[n][0] = (char)key;
	run->changes[n] = (struct posting_change){
		.key = {run->keys[n], KEY_BYTES}, .id = id, .is_added = is_added};
}

static int compare(const void *a, const void *b)
{
	const struct dit_key_order keys = {.kind = DIT_ORDER_BYTES};

	return posting_change_compare(&keys, a, b);
}

static int follow(void *ctx, const struct dit_online_changed *changed,
                  struct dit_list_changes *ret)
{
	const unsigned older = changed->older;
	const unsigned newer = changed->newer;
	const uint64_t *ids = changed->ids;
	const size_t nids = changed->nids;
	struct run *run = ctx;

	assert_true(run->ncalls < CALLS_MAX);
	assert_int_not_equal(older, newer);
	assert_true(older == 0 || older == run->readers[1] || run->ncalls == 0);
	run->readers[0] = older;
	run->readers[1] = newer;
	run->changes = realloc(run->changes, 2 * nids * sizeof(*run->changes));
	run->keys = realloc(run->keys, 2 * nids * sizeof(*run->keys));
	assert_non_null(run->changes);
	assert_non_null(run->keys);
	assert_null(ret->next);
	run->nchanges = 0;
	for (size_t i = 0; i < nids; i++) {
		unsigned old_key = key_of(run->snapshot, older, ids[i]);
		unsigned new_key = key_of(run->snapshot, newer, ids[i]);

		assert_true(i == 0 || ids[i] > ids[i - 1]);
		if (old_key != new_key && old_key != NO_KEY) {
			add_change(run, ids[i], old_key, false);
		}
		if (old_key != new_key && new_key != NO_KEY) {
			add_change(run, ids[i], new_key, true);
		}
	}
	qsort(run->changes, run->nchanges, sizeof(*run->changes), compare);
	free(run->given.ids);
	run->given = (struct posting_changes){.list = run->changes, .n = run->nchanges};
	*ret = (struct dit_list_changes){posting_changes_next, &run->given};
	if (run->dies && run->ncalls == run->error_at) {
		_exit(9);
	}
	run->meanwhile(run->other, run->ncalls);
	return run->ncalls++ == run->error_at ? run->error : 0;
}

/* The table as the snapshot's entries have it, or the entries of a database. */
static void collect(struct dit_snapshot *snapshot, struct dit_output_table *table,
                    uint64_t *lists[256], size_t counts[256])
{
	struct dit_tree_cursor *cursor = NULL;
	size_t sizes[256] = {0};
	struct dit_span key;
	struct dit_span value;

	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2e"), 0);
	while (dit_tree_cursor_next(cursor, &key, &value) == 1) {
		unsigned k = (unsigned char)value.data[0];

		assert_int_equal(DIT_GROW(lists[k], sizes[k], counts[k] + 1), 0);
		memcpy(&lists[k][counts[k]++], key.data, sizeof(**lists));
	}
	dit_tree_cursor_close(cursor);
	for (unsigned k = 0; k < 256 && table != NULL; k++) {
		const char bytes[KEY_BYTES] = {(char)k, 0, 0, 0};
		const struct dit_posting_list list = {
			.key = {bytes, KEY_BYTES}, .ids = lists[k], .nids = counts[k]};

		if (counts[k] > 0) {
			assert_int_equal(dit_output_put_lists(table, &list, 1), 0);
		}
	}
}

static void free_lists(uint64_t *lists[256])
{
	for (unsigned k = 0; k < 256; k++) {
		free(lists[k]);
	}
}

static void write_index(struct run *run)
{
	const struct dit_output_index index = {.name = "cn"};
	struct dit_output_table *table = NULL;
	uint64_t *lists[256] = {NULL};
	size_t counts[256] = {0};

	assert_int_equal(dit_output_add_index(run->output, &index), 0);
	assert_int_equal(dit_output_open_part(run->output, 0, 0, &table), 0);
	collect(run->snapshot, table, lists, counts);
	assert_int_equal(dit_output_finish(table, NULL), 0);
	free_lists(lists);
}

/* The stored index is that of the stored entries. */
static void assert_index(const char *dir)
{
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span ids;
	uint64_t *lists[256] = {NULL};
	size_t counts[256] = {0};

	collect(snapshot, NULL, lists, counts);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "cn"), 0);
	while (dit_tree_cursor_next_list(cursor, &key, &ids) == 1) {
		unsigned k = (unsigned char)key.data[0];
		size_t at = 0;

		assert_int_equal(key.len, KEY_BYTES);
		do {
			size_t n = ids.len / sizeof(uint64_t);

			assert_true(at + n <= counts[k]);
			assert_memory_equal(ids.data, lists[k] + at, ids.len);
			at += n;
		} while (dit_tree_cursor_more_items(cursor, &ids) == 1);
		assert_int_equal(at, counts[k]);
		counts[k] = 0;
	}
	for (unsigned k = 0; k < 256; k++) {
		assert_int_equal(counts[k], 0);
	}
	dit_tree_cursor_close(cursor);
	test_release(snapshot);
	free_lists(lists);
}

/* ---- a run ---- */

/* @param before  is called when the table of the snapshot is finished */
static int run_online(struct run *run, const char *dir, struct other *other,
                      meanwhile_fn meanwhile)
{
	const struct dit_online_opts opts = {
		.directory = dir,
		.shared = {.nthreads = 1, .sealed = fixture_sealed},
		.conf = {.map_bytes = FIXTURE_MAXSIZE},
		.list_max = LIST_MAX,
		.is_unsynced = run->is_unsynced,
		.times = &run->times,
		.fault = &run->fault,
		.changed = follow,
		.ctx = run};
	int r = 0;

	seal_watch_forget();
	run->other = other;
	run->meanwhile = meanwhile;
	assert_int_equal(dit_online_open(&run->output, &run->snapshot, &opts), 0);
	watched = (const struct dit_online *)run->output;
	write_index(run);
	meanwhile(other, UINT_MAX);
	r = dit_output_do(run->output, DIT_PUBLISH_COMMIT);
	watched = NULL;
	dit_output_abandon(run->output);
	free(run->given.ids);
	free(run->changes);
	free(run->keys);
	return r;
}

static void order(const struct other *other, enum order_kind kind, uint64_t first,
                  uint64_t n, unsigned fill)
{
	struct order order = {.kind = kind,
	                      .first = first,
	                      .n = n,
	                      .step = 1,
	                      .fill = (unsigned char)fill};

	(void)other_order(other, order);
}

static void assert_rounds(const struct run *run, const uint64_t *wanted, unsigned n)
{
	assert_int_equal(run->times.nrounds, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(run->times.rounds[i].nchanged, wanted[i]);
	}
}

static void change_in_each(const struct other *other, unsigned call)
{
	switch (call) {
	case UINT_MAX:
		order(other, ORDER_PUT, 1, 40, 1);
		order(other, ORDER_PUT, NENTRIES + 1, 40, 2);
		order(other, ORDER_DELETE, 50, 11, 0);
		return;
	case 0:
		order(other, ORDER_PUT, 1, 20, 3);
		order(other, ORDER_DELETE, NENTRIES + 1, 10, 0);
		order(other, ORDER_DELETE, 21, 2, 0);
		order(other, ORDER_PUT, 50, 1, 4);
		return;
	case 1:
		order(other, ORDER_PUT, 1, 10, 5);
		order(other, ORDER_PUT, NENTRIES + 11, 2, 1);
		order(other, ORDER_SPLIT, 200, 1, 0);
		return;
	case 2:
		order(other, ORDER_PUT, 30, 1, 6);
		order(other, ORDER_DELETE, 1, 1, 0);
		return;
	default:
		return; /* the lock is held: no other process writes */
	}
}

/*
 * Added, changed and removed before the first round; changed again, removed, and added
 * again when a round has caught up with that.
 */
TEST(changes_in_each_round_reach_the_new_indexes)
{
	const uint64_t wanted[] = {91, 33, 13, 2};
	char *dir = make_database();
	struct run run = {.error_at = UINT_MAX};
	struct other other;

	other_start(&other, dir);
	assert_int_equal(run_online(&run, dir, &other, change_in_each), 0);
	assert_rounds(&run, wanted, 4);
	assert_int_equal(run.ncalls, 4);
	assert_int_equal(run.times.nchanged, 92); /* each once */
	assert_index(dir);
	/* The other process sees the new index, and changes it. */
	assert_int_equal(other_do(&other, 0), (unsigned char)(NENTRIES + 17));
	order(&other, ORDER_PUT, 1, 3, 9);
	assert_int_equal(other_do(&other, 0), (unsigned char)(NENTRIES + 20));
	assert_sound(dir);
	other_end(&other);
	assert_sound(dir);
}

static void change_nothing(const struct other *other, unsigned call)
{
	(void)other, (void)call;
}

static void change_once(const struct other *other, unsigned call)
{
	if (call == UINT_MAX) {
		order(other, ORDER_PUT, 1, 40, 1);
	}
}

TEST(rounds_without_changes_end)
{
	const uint64_t nothing[] = {0, 0};
	const uint64_t once[] = {40, 0, 0};
	char *dir = make_database();
	struct run run = {.error_at = UINT_MAX};
	struct other other;

	other_start(&other, dir);
	assert_int_equal(run_online(&run, dir, &other, change_nothing), 0);
	assert_rounds(&run, nothing, 2);
	assert_int_equal(run.ncalls, 0);
	assert_index(dir);
	run = (struct run){.error_at = UINT_MAX};
	assert_int_equal(run_online(&run, dir, &other, change_once), 0);
	assert_rounds(&run, once, 3);
	assert_int_equal(run.ncalls, 1);
	assert_int_equal(run.times.nchanged, 40);
	assert_index(dir);
	other_end(&other);
	assert_sound(dir);
}

static const unsigned fewer[] = {1500, 1050, 735, 514, 360, 252, 176, 123, 86};

static void change_fewer(const struct other *other, unsigned call)
{
	unsigned i = call + 1; /* UINT_MAX: 0 */

	if (i < sizeof(fewer) / sizeof(fewer[0])) {
		order(other, ORDER_PUT, 1, fewer[i], 10 + i);
	}
}

static void change_as_many(const struct other *other, unsigned call)
{
	if (call == UINT_MAX || call < 2) {
		order(other, ORDER_PUT, 100 + (call + 1) * 50, 100, 20 + call);
	}
}

TEST(rounds_are_bounded)
{
	uint64_t wanted[DIT_ONLINE_ROUNDS + 1];
	const uint64_t as_many[] = {100, 100, 100};
	char *dir = make_database();
	struct run run = {.error_at = UINT_MAX};
	struct other other;

	for (unsigned i = 0; i <= DIT_ONLINE_ROUNDS; i++) {
		wanted[i] = fewer[i];
	}
	other_start(&other, dir);
	assert_int_equal(run_online(&run, dir, &other, change_fewer), 0);
	assert_rounds(&run, wanted, DIT_ONLINE_ROUNDS + 1);
	assert_int_equal(run.times.nchanged, fewer[0]);
	assert_index(dir);
	run = (struct run){.error_at = UINT_MAX};
	assert_int_equal(run_online(&run, dir, &other, change_as_many), 0);
	assert_rounds(&run, as_many, 3);
	assert_int_equal(run.times.nchanged, 200);
	assert_index(dir);
	other_end(&other);
	assert_sound(dir);
}

/* Calls that read pages in a run. */
static unsigned count_reads(uint64_t nentries, meanwhile_fn meanwhile)
{
	char *dir = make_database_of(nentries);
	struct run run = {.error_at = UINT_MAX};
	struct other other;

	other_start(&other, dir);
	nread = 0;
	nread_locked = 0;
	assert_int_equal(run_online(&run, dir, &other, meanwhile), 0);
	assert_index(dir);
	other_end(&other);
	test_scratch_remove(dir);
	return nread;
}

TEST(rounds_cost_the_changes_and_not_the_file)
{
	unsigned costs[2];
	unsigned locked[2];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t nentries = i == 0 ? NENTRIES : 16 * NENTRIES;

		costs[i] = count_reads(nentries, change_once);
		locked[i] = nread_locked;
		costs[i] -= count_reads(nentries, change_nothing);
	}
	print_message("%u and %u reads\n", costs[0], costs[1]);
	/* In sealed files a cursor reads the entries as well. */
	assert_in_range(costs[0], 1, fixture_sealed == NULL ? 200 : 400);
	/* Trees that are a page higher. */
	assert_true(costs[1] <= 2 * costs[0]);
	print_message("%u and %u reads with the lock\n", locked[0], locked[1]);
	assert_in_range(locked[0], 1, 50);
	assert_true(locked[1] <= 2 * locked[0]);
}

/* ---- runs that end in a round ---- */

/* The changes of change_in_each() can be made again. */
static void put_back(const struct other *other)
{
	order(other, ORDER_PUT, 1, 60, 8);
	order(other, ORDER_PUT, NENTRIES + 1, 10, 8);
}

TEST(a_failure_in_each_round_leaves_a_sound_file)
{
	char *dir = make_database();
	struct other other;
	struct run run;

	other_start(&other, dir);
	for (unsigned call = 0; call < 4; call++) {
		run = (struct run){.error_at = call, .error = -EIO};
		assert_int_equal(run_online(&run, dir, &other, change_in_each), -EIO);
		assert_int_equal(run.ncalls, call + 1);
		assert_sound(dir);
		/* The old index, with what the other process put into it. */
		assert_true(other_do(&other, 0) > 1);
		put_back(&other);
	}
	run = (struct run){.error_at = UINT_MAX};
	assert_int_equal(run_online(&run, dir, &other, change_in_each), 0);
	assert_index(dir);
	other_end(&other);
	assert_sound(dir);
}

static int *count; /* nsyncs or nmaps */
static int fails_at;

static void change_and_fail(const struct other *other, unsigned call)
{
	change_in_each(other, call);
	if (call == UINT_MAX) {
		*count = fails_at;
	}
}

/* With each sync, and with each newer state. */
TEST(each_call_that_fails_leaves_a_sound_file)
{
	char *dir = make_database();
	int *const counts[] = {&nsyncs, &nmaps};
	const int errors[] = {-EIO, -ENOMEM};
	struct other other;

	other_start(&other, dir);
	for (unsigned i = 0; i < 2; i++) {
		int r = 0;
		int n = 0;

		do {
			struct run run = {.error_at = UINT_MAX};

			count = counts[i];
			fails_at = n++;
			r = run_online(&run, dir, &other, change_and_fail);
			assert_int_equal(r, *count == -1 ? errors[i] : 0);
			*count = -1;
			assert_sound(dir);
			put_back(&other);
		} while (r != 0);
		/* Before the rounds, in each of four, twice at the end. */
		assert_in_range(n, 5, 12);
	}
	assert_int_equal(run_online(&(struct run){.error_at = UINT_MAX}, dir, &other,
	                            change_in_each),
	                 0);
	assert_index(dir);
	other_end(&other);
	assert_sound(dir);
}

/* slapd leaves the syncs out: nobody waits for a sync, and it comes in the end. */
TEST(others_do_not_wait_for_what_they_have_not_synced)
{
	char *dir = make_database();
	struct other other;
	int r = -EIO;

	other_start(&other, dir);
	nlocked = 0;
	for (int n = 0; r != 0; n++) {
		struct run run = {.error_at = UINT_MAX, .is_unsynced = true};
		bool has_said = false;

		count = &nsyncs;
		fails_at = n;
		r = run_online(&run, dir, &other, change_and_fail);
		assert_int_equal(r, nsyncs == -1 ? -EIO : 0);
		nsyncs = -1;
		has_said = strstr(run.fault.text, "the new indexes are in place") != NULL;
		assert_true(has_said || r == 0 || run.times.nrounds == 0);
		if (has_said || r == 0) {
			assert_index(dir);
		}
		assert_sound(dir);
		put_back(&other);
	}
	assert_int_equal(nlocked, 0);
	assert_int_equal(run_online(&(struct run){.error_at = UINT_MAX}, dir, &other,
	                            change_nothing),
	                 0);
	assert_true(nlocked > 0);
	other_end(&other);
}

/* Pages of the snapshot that slapd has not synced are on the disk before pages are given
 * out; nobody waits for that sync. */
TEST(pages_are_reserved_after_a_sync)
{
	char *dir = make_database();
	struct dit_fault fault = {""};
	const struct dit_online_opts opts = {
		.directory = dir,
		.shared = {.nthreads = 1, .sealed = fixture_sealed},
		.conf = {.map_bytes = FIXTURE_MAXSIZE},
		.is_unsynced = true,
		.fault = &fault};
	struct dit_output *output = NULL;
	struct dit_snapshot *snapshot = NULL;

	assert_int_equal(dit_online_open(&output, &snapshot, &opts), 0);
	watched = (const struct dit_online *)output;
	nlocked = 0;
	nsyncs = 0;
	assert_int_equal(dit_output_expect_postings(output, 100000), -EIO);
	assert_int_equal(nsyncs, -1);
	assert_int_equal(nlocked, 0);
	assert_int_equal(dit_output_expect_postings(output, 100000), 0);
	watched = NULL;
	dit_output_abandon(output);
	assert_sound(dir);
}

TEST(a_death_in_each_round_leaves_a_sound_file)
{
	char *dir = make_database();
	struct other other;
	struct run run;

	other_start(&other, dir);
	for (unsigned call = 0; call < 4; call++) {
		pid_t pid = test_fork();

		if (pid == 0) {
			run = (struct run){.error_at = call, .dies = true};
			(void)run_online(&run, dir, &other, change_in_each);
			_exit(1);
		}
		assert_int_equal(WEXITSTATUS(test_wait(pid)), 9);
		assert_sound(dir);
		put_back(&other);
	}
	run = (struct run){.error_at = UINT_MAX};
	assert_int_equal(run_online(&run, dir, &other, change_in_each), 0);
	assert_index(dir);
	other_end(&other);
	assert_sound(dir);
}

static void drop_index(const struct other *other, unsigned call)
{
	if (call == UINT_MAX) {
		order(other, ORDER_PUT, 1, 40, 1);
	} else {
		order(other, ORDER_DROP, 0, 0, 0);
	}
}

TEST(an_index_removed_during_the_run_is_an_error)
{
	char *dir = make_database();
	struct run run = {.error_at = UINT_MAX};
	struct other other;

	other_start(&other, dir);
	assert_int_equal(run_online(&run, dir, &other, drop_index), DIT_E_CORRUPT);
	assert_string_equal(run.fault.text,
	                    "index database \"cn\" was removed during the run");
	other_end(&other);
	assert_sound(dir);
}

/* ---- any changes ---- */

static unsigned seed;

static unsigned any(unsigned below)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % below;
}

static void change_anything(const struct other *other, unsigned call)
{
	unsigned norders = call == UINT_MAX ? 40 : 30 / (call * call + 1);

	for (unsigned i = 0; i < norders && call + 1 < 4; i++) {
		unsigned n = 1 + any(call == UINT_MAX ? 30 : 4);

		order(other, ORDER_PUT, 1 + any(NENTRIES + 500), n, any(256));
		if (any(4) == 0) {
			uint64_t first = 1 + any(NENTRIES);

			order(other, ORDER_PUT, first, 5, 1);
			order(other, ORDER_DELETE, first, 5, 0);
		}
	}
}

TEST(random_changes_reach_the_new_indexes)
{
	char *dir = make_database();
	struct other other;
	unsigned nrounds = 0;

	other_start(&other, dir);
	for (unsigned i = 0; i < 12; i++) {
		struct run run = {.error_at = UINT_MAX};

		seed = 77 + i;
		assert_int_equal(run_online(&run, dir, &other, change_anything), 0);
		nrounds += run.times.nrounds;
		assert_index(dir);
		assert_sound(dir);
	}
	assert_true(nrounds > 30);
	other_end(&other);
	assert_sound(dir);
}

int main(void)
{
	/* Two processes that wait for each other's lock would wait for ever. */
	(void)alarm(3600);
	return test_run("LMDB 0.9", NULL, NULL) +
	       test_run("LMDB 1.0", fixture_use_lmdb_10, NULL) +
	       test_run("sealed", fixture_use_sealed, NULL);
}
