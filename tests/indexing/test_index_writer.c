/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index writer (index_writer.h) brings every list of every database to its table,
 * once and in order, on one to sixteen threads, into an output that takes tables from all
 * threads, into one that takes parts of them as well, and into one that takes tables from
 * main alone. A failure anywhere ends it with that error. The output is made up here.
 */
#include "indexing/index_writer.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/grow.h"
#include "builders_fixture.h"

#define NKEYS      9000
#define NPARTS     4
#define NMEMBERS   16
#define LIST_BYTES 64 /* of a list, as the output keeps it */

/* A table, or a part of one. */
struct fake_table {
	struct fake *fake;
	char (*lists)[LIST_BYTES]; /* all it got, in order */
	size_t lists_size;
	uint64_t nlists;
	uint64_t nranges;
	uint64_t lengths[DIT_LIST_LENGTHS];
	bool is_open;
	bool is_finished;
	pthread_t opener;
};

struct fake {
	struct dit_output base;
	struct fake_table tables[NDBS][NPARTS];
	bool takes_parts;
	unsigned nparts[NDBS];  /* 0: it was not cut */
	_Atomic long countdown; /* lists until one fails; -1: none */
	_Atomic unsigned nopen;
	_Atomic bool is_wrong; /* opened as it must not be */
	pthread_t main;
	struct dit_stop stop;
};

__typeof__(dit_output_cut_index) __wrap_dit_output_cut_index;
__typeof__(dit_output_open_part) __wrap_dit_output_open_part;
__typeof__(dit_output_put_lists) __wrap_dit_output_put_lists;
__typeof__(dit_output_finish) __wrap_dit_output_finish;

static void keep_list(char *bytes, const struct dit_posting_list *list)
{
	size_t ids_bytes = list->nids * sizeof(*list->ids);

	assert_true(2 + list->key.len + ids_bytes <= LIST_BYTES);
	memset(bytes, 0, LIST_BYTES);
	bytes[0] = (char)list->key.len;
	bytes[1] = list->is_repeated ? 'r' : '-';
	memcpy(bytes + 2, list->key.data, list->key.len);
	memcpy(bytes + 2 + list->key.len, list->ids, ids_bytes);
}

static int put_list(struct fake_table *t, const struct dit_posting_list *list)
{
	if (!pthread_equal(pthread_self(), t->opener)) {
		t->fake->is_wrong = true;
	}
	if (atomic_load(&t->fake->countdown) >= 0 &&
	    atomic_fetch_sub(&t->fake->countdown, 1) == 0) {
		return -ENOSPC;
	}
	assert_int_equal(DIT_GROW(t->lists, t->lists_size, t->nlists + 1), 0);
	keep_list(t->lists[t->nlists++], list);
	if (list->nids == 3 && list->ids[0] == 0) {
		t->nranges++;
	} else {
		unsigned class = 0;

		while (list->nids >> (class + 1) > 0) {
			class ++;
		}
		t->lengths[class]++;
	}
	return 0;
}

int __wrap_dit_output_put_lists(struct dit_output_table *table,
                                const struct dit_posting_list *lists, size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put_list((struct fake_table *)table, &lists[i]);
	}
	return r;
}

int __wrap_dit_output_finish(struct dit_output_table *table, uint64_t *ret_bytes)
{
	struct fake_table *t = (struct fake_table *)table;

	t->is_finished = true;
	*ret_bytes = t->nlists * 10;
	t->is_open = false;
	t->fake->nopen--;
	return 0;
}

static int open_table(struct fake *fake, struct fake_table *table,
                      struct dit_output_table **ret)
{
	if (table->is_open || table->is_finished) {
		fake->is_wrong = true;
		return -EINVAL;
	}
	if (fake->nopen++ > 0 && !fake->base.is_parallel) {
		fake->is_wrong = true;
	}
	if (!fake->base.is_parallel && !pthread_equal(pthread_self(), fake->main)) {
		fake->is_wrong = true;
	}
	*table = (struct fake_table){
		.fake = fake, .is_open = true, .opener = pthread_self()};
	*ret = (struct dit_output_table *)table;
	return 0;
}

/* The database BYTES32 is in one piece. */
int __wrap_dit_output_cut_index(struct dit_output *output, size_t number, unsigned nparts)
{
	struct fake *fake = (struct fake *)output;

	if (!fake->takes_parts) {
		return 0;
	}
	if (number >= NDBS || nparts < 2 || nparts > NPARTS || fake->nparts[number] > 0) {
		fake->is_wrong = true;
		return -EINVAL;
	}
	if (number == BYTES32) {
		return 0;
	}
	fake->nparts[number] = nparts;
	return 1;
}

int __wrap_dit_output_open_part(struct dit_output *output, size_t number, unsigned part,
                                struct dit_output_table **ret)
{
	struct fake *fake = (struct fake *)output;

	if (number >= NDBS || (part > 0 && part >= fake->nparts[number])) {
		fake->is_wrong = true;
		return -EINVAL;
	}
	return open_table(fake, &fake->tables[number][part], ret);
}

/* All parts of a database become its first one. Those that were not opened are empty. */
static void join_parts(struct fake *fake, size_t db)
{
	struct fake_table *whole = &fake->tables[db][0];

	for (unsigned i = 1; i < NPARTS; i++) {
		struct fake_table *part = &fake->tables[db][i];

		assert_int_equal(DIT_GROW(whole->lists, whole->lists_size,
		                          whole->nlists + part->nlists + 1),
		                 0);
		if (part->nlists > 0) {
			memcpy(whole->lists[whole->nlists], part->lists,
			       part->nlists * LIST_BYTES);
		}
		whole->nlists += part->nlists;
		whole->nranges += part->nranges;
		for (unsigned k = 0; k < DIT_LIST_LENGTHS; k++) {
			whole->lengths[k] += part->lengths[k];
		}
		whole->is_finished &= i >= fake->nparts[db] || part->is_finished;
		free(part->lists);
		part->lists = NULL;
	}
}

static void forget(struct fake *fake)
{
	for (size_t db = 0; db < NDBS; db++) {
		free(fake->tables[db][0].lists);
	}
}

static void *run_member(void *writer)
{
	dit_index_writer_work(writer, 3);
	return NULL;
}

static uint64_t clock_us(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The costs are what the tables saw, within the time of the run. */
static void check_costs(const struct dit_index_stats *stats, const struct fake *fake,
                        unsigned nmembers, uint64_t since_us)
{
	uint64_t run_us = clock_us() - since_us;

	for (size_t db = 0; db < NDBS; db++) {
		const struct dit_index_cost *cost = &stats[db].cost;
		const struct fake_table *table = &fake->tables[db][0];

		assert_int_equal(stats[db].nkeys, table->nlists);
		assert_int_equal(cost->bytes, table->nlists * 10);
		assert_int_equal(cost->nranges, table->nranges);
		assert_memory_equal(cost->nlists, table->lengths, sizeof(cost->nlists));
		assert_true(cost->start_us + cost->time_us <= run_us);
		assert_int_equal(cost->thread,
		                 fake->base.is_parallel && nmembers > 1 ? 3 : 0);
	}
	assert_int_equal(fake->tables[WIDE][0].nranges, NKEYS / 5); /* above LIST_MAX */
}

/* Of members. */
static const unsigned numbers[] = {1, 2, 7, 8, 15, NMEMBERS};

#define NNUMBERS (sizeof(numbers) / sizeof(numbers[0]))

struct run {
	bool is_parallel;
	bool takes_parts;
	unsigned nmembers;
	unsigned nprocessors;
	long fail_at; /* -1: never */
	bool wants_end;
};

static int write_all(struct fixture *f, const struct run *run, struct fake *fake)
{
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(f);
	struct dit_builders *builders = new_builders(set, dir, 2);
	struct dit_index_writer_opts opts = {
		.builders = builders,
		.output = &fake->base,
		.ndbs = NDBS,
		.shared = {.nthreads = run->nmembers, .stop = &fake->stop},
		.nprocessors = run->nprocessors,
		.counts_lists = true};
	struct dit_index_writer *writer = NULL;
	pthread_t members[NMEMBERS];
	char key[32];
	int r = 0;

	opts.since_us = clock_us();
	memset(fake, 0, sizeof(*fake));
	fake->takes_parts = run->takes_parts;
	fake->base.is_parallel = run->is_parallel;
	fake->countdown = run->fail_at;
	fake->main = pthread_self();
	if (run->wants_end) {
		dit_stop_end(&fake->stop);
	}
	for (unsigned i = 0; i < NKEYS; i++) {
		for (unsigned db = INT32; db <= SHORT; db++) {
			uint64_t ordinal = db == SHORT ? (uint64_t)i << 40 | 5
			                               : (uint32_t)(i / 3 * 2654435761u);

			push(builders, i & 1, db, i + 1, ordinal);
			push(builders, i & 1, db, i + 1, ordinal);
		}
		(void)snprintf(key, sizeof(key), "%u", i / 5);
		push_key(builders, i & 1, WIDE, i + 1, key);
		push_key(builders, i & 1, OTHER_WIDE, i + 1, key);
	}
	assert_int_equal(dit_builders_finish(builders), 0);
	assert_int_equal(dit_index_writer_new(&writer, &opts), 0);
	for (unsigned i = 0; i < run->nmembers && run->nmembers > 1; i++) {
		assert_int_equal(pthread_create(&members[i], NULL, run_member, writer),
		                 0);
	}
	for (unsigned i = 0; i < run->nmembers && run->nmembers > 1; i++) {
		assert_int_equal(pthread_join(members[i], NULL), 0);
	}
	r = dit_index_writer_end(writer);
	for (size_t db = 0; db < NDBS; db++) {
		join_parts(fake, db);
	}
	if (r == 0) {
		struct dit_index_stats *stats = NULL;
		size_t n = 0;

		assert_int_equal(dit_index_writer_stats(writer, set, &stats, &n), 0);
		assert_int_equal(n, NDBS);
		assert_string_equal(stats[WIDE].name, dit_index_set_db(set, WIDE)->name);
		check_costs(stats, fake, run->nmembers, opts.since_us);
		dit_index_stats_free(stats, n);
	}
	dit_index_writer_free(writer);
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
	assert_true(r < 0 || fake->nopen == 0);
	assert_false(fake->is_wrong);
	return r;
}

static void assert_same_tables(const struct fake *got, const struct fake *want)
{
	for (size_t db = 0; db < NDBS; db++) {
		const struct fake_table *table = &got->tables[db][0];

		assert_true(table->is_finished);
		assert_int_equal(table->nlists, want->tables[db][0].nlists);
		assert_memory_equal(table->lists, want->tables[db][0].lists,
		                    table->nlists * LIST_BYTES);
	}
}

TEST(every_list_comes_to_its_table)
{
	const struct run alone = {.is_parallel = true, .nmembers = 1, .fail_at = -1};
	struct fake want;
	struct fake got;

	assert_int_equal(write_all(*state, &alone, &want), 0);
	assert_int_equal(want.tables[INT32][0].nlists, NKEYS / 3);
	assert_int_equal(want.tables[SHORT][0].nlists, NKEYS);
	assert_int_equal(want.tables[OTHER_WIDE][0].nlists, NKEYS / 5);
	for (unsigned k = 0; k < 3 * NNUMBERS; k++) {
		struct run run = {.is_parallel = k % 3 > 0,
		                  .takes_parts = k % 3 > 1,
		                  .nmembers = numbers[k / 3],
		                  .nprocessors = NMEMBERS,
		                  .fail_at = -1};

		assert_int_equal(write_all(*state, &run, &got), 0);
		assert_same_tables(&got, &want);
		forget(&got);
	}
	forget(&want);
}

/* Two of five databases can be cut, one of them by the output as well. They have a
 * quarter of all postings each. */
TEST(a_database_of_two_even_shares_is_cut)
{
	struct fake fake;

	for (unsigned k = 0; k < NNUMBERS; k++) {
		struct run run = {.is_parallel = true,
		                  .takes_parts = true,
		                  .nmembers = numbers[k],
		                  .nprocessors = NMEMBERS,
		                  .fail_at = -1};
		unsigned nparts = numbers[k] >= 16 ? 4 : numbers[k] >= 8 ? 2 : 0;

		assert_int_equal(write_all(*state, &run, &fake), 0);
		for (unsigned db = 0; db < NDBS; db++) {
			assert_int_equal(fake.nparts[db], db == INT32 ? nparts : 0);
		}
		for (unsigned part = 1; part < nparts; part++) {
			assert_true(fake.tables[INT32][part].nlists >
			            NKEYS / 3 / nparts / 2);
		}
		forget(&fake);
		run.nprocessors = 7;
		assert_int_equal(write_all(*state, &run, &fake), 0);
		assert_int_equal(fake.nparts[INT32], 0);
		forget(&fake);
	}
}

TEST(a_failure_ends_it_with_its_error)
{
	struct fake fake;

	for (long at = 0; at < 12000; at = at * 9 + 1) {
		for (unsigned k = 0; k < 9; k++) {
			struct run run = {.is_parallel = k % 3 > 0,
			                  .takes_parts = k % 3 > 1,
			                  .nmembers = 1 + k / 3 * 7,
			                  .nprocessors = NMEMBERS,
			                  .fail_at = at};

			assert_int_equal(write_all(*state, &run, &fake), -ENOSPC);
			forget(&fake);
		}
	}
}

TEST(a_stop_ends_the_writing)
{
	struct fake fake;

	for (unsigned k = 0; k < 9; k++) {
		struct run run = {.is_parallel = k % 3 > 0,
		                  .takes_parts = k % 3 > 1,
		                  .nmembers = 1 + k / 3 * 7,
		                  .nprocessors = NMEMBERS,
		                  .fail_at = -1,
		                  .wants_end = true};

		assert_int_equal(write_all(*state, &run, &fake), DIT_E_STOPPED);
		forget(&fake);
	}
}

MAIN_WITH(setup, NULL)
