/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index writer (index_writer.h) brings every list of every database to its table,
 * once and in order, on one to eight threads, into an output that takes tables from all
 * threads and into one that takes them from main alone. A failure anywhere ends it with
 * that error. The output is made up here and keeps what it gets as text.
 */
#include "build/index_writer.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "builders_fixture.h"

#define NKEYS 3000

struct fake_table {
	struct dit_output_table base;
	struct fake *fake;
	uint64_t digest; /* of all it got, in order */
	uint64_t nlists;
	uint64_t nranges;
	uint64_t lengths[DIT_LIST_LENGTHS];
	bool is_open;
	bool is_finished;
	pthread_t opener;
};

struct fake {
	struct dit_output base;
	struct fake_table tables[NDBS];
	_Atomic long countdown; /* lists until one fails; -1: none */
	_Atomic unsigned nopen;
	_Atomic bool is_wrong; /* opened as it must not be */
	_Atomic bool is_held;  /* members wait in it */
	pthread_t main;
	struct dit_stop stop;
};

static uint64_t digest(uint64_t seed, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i++) {
		seed = (seed ^ at[i]) * 0x100000001b3;
	}
	return seed;
}

static int put_list(struct fake_table *t, const struct dit_output_list *list)
{
	while (t->fake->is_held && !pthread_equal(pthread_self(), t->fake->main)) {
		(void)sched_yield();
	}
	if (!pthread_equal(pthread_self(), t->opener)) {
		t->fake->is_wrong = true;
	}
	if (atomic_load(&t->fake->countdown) >= 0 &&
	    atomic_fetch_sub(&t->fake->countdown, 1) == 0) {
		return -ENOSPC;
	}
	t->digest = digest(t->digest, list->key.data, list->key.len);
	t->digest = digest(t->digest, list->ids, list->nids * sizeof(*list->ids));
	t->digest = digest(t->digest, &list->is_repeated, 1);
	t->nlists++;
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

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put_list((struct fake_table *)table, &lists[i]);
	}
	return r;
}

static void drop(struct dit_output_table *table)
{
	struct fake_table *t = (struct fake_table *)table;

	t->is_open = false;
	t->fake->nopen--;
}

static int finish(struct dit_output_table *table)
{
	struct fake_table *t = (struct fake_table *)table;

	t->is_finished = true;
	*table->ret_bytes = t->nlists * 10;
	drop(table);
	return 0;
}

static const struct dit_output_table_ops table_ops = {.put_lists = put_lists,
                                                      .finish = finish,
                                                      .drop = drop};

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	struct fake *fake = (struct fake *)output;
	struct fake_table *table = &fake->tables[number];

	if (number >= NDBS || table->is_open || table->is_finished) {
		fake->is_wrong = true;
		return -EINVAL;
	}
	if (fake->nopen++ > 0 && !output->is_parallel) {
		fake->is_wrong = true;
	}
	if (!output->is_parallel && !pthread_equal(pthread_self(), fake->main)) {
		fake->is_wrong = true;
	}
	*table = (struct fake_table){.base.ops = &table_ops,
	                             .fake = fake,
	                             .is_open = true,
	                             .opener = pthread_self()};
	*ret = &table->base;
	return 0;
}

static const struct dit_output_ops ops = {.open_index = open_index};

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
		const struct fake_table *table = &fake->tables[db];

		assert_int_equal(stats[db].nkeys, table->nlists);
		assert_int_equal(cost->bytes, table->nlists * 10);
		assert_int_equal(cost->nranges, table->nranges);
		assert_memory_equal(cost->nlists, table->lengths, sizeof(cost->nlists));
		assert_true(cost->start_us + cost->time_us <= run_us);
		assert_int_equal(cost->thread,
		                 fake->base.is_parallel && nmembers > 1 ? 3 : 0);
	}
	assert_int_equal(fake->tables[WIDE].nranges, NKEYS / 5); /* above LIST_MAX */
}

struct run {
	bool is_parallel;
	unsigned nmembers;
	long fail_at; /* -1: never */
	bool wants_end;
};

static int write_all(struct fixture *f, const struct run *run, struct fake *fake)
{
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(f);
	struct dit_builders *builders = new_builders(set, dir, 2);
	struct dit_index_writer_opts opts = {.builders = builders,
	                                     .output = &fake->base,
	                                     .ndbs = NDBS,
	                                     .nmembers = run->nmembers,
	                                     .counts_lists = true,
	                                     .stop = &fake->stop};
	struct dit_index_writer *writer = NULL;
	pthread_t members[8];
	char key[32];
	int r = 0;

	opts.since_us = clock_us();
	memset(fake, 0, sizeof(*fake));
	fake->base.ops = &ops;
	fake->base.is_parallel = run->is_parallel;
	fake->countdown = run->fail_at;
	fake->main = pthread_self();
	if (run->wants_end) {
		dit_stop_end(&fake->stop);
	}
	fake->is_held = run->wants_end; /* else members may be done before main looks */
	for (unsigned i = 0; i < NKEYS; i++) {
		for (unsigned db = INT32; db <= SHORT; db++) {
			uint64_t ordinal = db == SHORT ? (uint64_t)i << 40 | 5 : i / 3;

			push(builders, i & 1, db, i + 1, ordinal);
			push(builders, i & 1, db, i + 1, ordinal);
		}
		(void)snprintf(key, sizeof(key), "%u", i / 5);
		push_key(builders, i & 1, WIDE, i + 1, key);
		push_key(builders, i & 1, OTHER_WIDE, i + 1, key);
	}
	assert_int_equal(dit_builders_seal(builders), 0);
	assert_int_equal(dit_index_writer_new(&writer, &opts), 0);
	for (unsigned i = 0; i < run->nmembers && run->nmembers > 1; i++) {
		assert_int_equal(pthread_create(&members[i], NULL, run_member, writer),
		                 0);
	}
	r = dit_index_writer_wait(writer);
	if (r < 0) {
		dit_index_writer_cancel(writer);
	}
	fake->is_held = false;
	for (unsigned i = 0; i < run->nmembers && run->nmembers > 1; i++) {
		assert_int_equal(pthread_join(members[i], NULL), 0);
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
	assert_int_equal(fake->nopen, 0);
	assert_false(fake->is_wrong);
	return r;
}

static void every_list_comes_to_its_table(void **state)
{
	const struct run alone = {.is_parallel = true, .nmembers = 1, .fail_at = -1};
	struct fake want;
	struct fake got;

	assert_int_equal(write_all(*state, &alone, &want), 0);
	assert_int_equal(want.tables[INT32].nlists, NKEYS / 3);
	assert_int_equal(want.tables[SHORT].nlists, NKEYS);
	assert_int_equal(want.tables[OTHER_WIDE].nlists, NKEYS / 5);
	for (unsigned nmembers = 1; nmembers <= 8; nmembers++) {
		for (int is_parallel = 0; is_parallel < 2; is_parallel++) {
			struct run run = {.is_parallel = is_parallel != 0,
			                  .nmembers = nmembers,
			                  .fail_at = -1};

			assert_int_equal(write_all(*state, &run, &got), 0);
			for (size_t db = 0; db < NDBS; db++) {
				assert_true(got.tables[db].is_finished);
				assert_int_equal(got.tables[db].nlists,
				                 want.tables[db].nlists);
				assert_int_equal(got.tables[db].digest,
				                 want.tables[db].digest);
			}
		}
	}
}

static void a_failure_ends_it_with_its_error(void **state)
{
	struct fake fake;

	for (long at = 0; at < 6000; at = at * 3 + 1) {
		for (unsigned k = 0; k < 6; k++) {
			struct run run = {.is_parallel = (k & 1) != 0,
			                  .nmembers = 1 + k / 2 * 2,
			                  .fail_at = at};

			assert_int_equal(write_all(*state, &run, &fake), -ENOSPC);
		}
	}
}

static void a_stop_ends_the_writing(void **state)
{
	struct fake fake;

	for (unsigned k = 0; k < 6; k++) {
		struct run run = {.is_parallel = (k & 1) != 0,
		                  .nmembers = 1 + k / 2 * 2,
		                  .fail_at = -1,
		                  .wants_end = true};

		assert_int_equal(write_all(*state, &run, &fake), DIT_E_STOPPED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_list_comes_to_its_table),
		cmocka_unit_test(a_failure_ends_it_with_its_error),
		cmocka_unit_test(a_stop_ends_the_writing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
