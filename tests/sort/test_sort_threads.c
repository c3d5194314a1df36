/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views of a sorter (<ditkit/sort.h>) that are opened while threads push. A view has
 * a beginning of what each producer pushed, no less than what had been pushed before.
 */
#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>

#include <ditkit/sort.h>

#include "sort_merges.h"
#include "test.h"

#define NPRODUCERS 3
#define NREADERS   2
#define NRECORDS   40000u /* of each producer */

struct traffic {
	struct dit_sorter *sorter;
	atomic_uint npushed[NPRODUCERS]; /* pushes that have returned */
	atomic_uint next_producer;
	atomic_uint next_reader;
	atomic_bool is_over;
	bool has_sums;
	atomic_uint nviews;
};

/* The keys of a producer are scattered over all. */
static uint32_t key_number(const struct traffic *t, unsigned producer, uint32_t i)
{
	return t->has_sums ? i % 97 : (i * NPRODUCERS + producer) * 2654435761u;
}

static void *produce(void *arg)
{
	struct traffic *t = arg;
	unsigned producer = atomic_fetch_add(&t->next_producer, 1);

	for (uint32_t i = 0; i < NRECORDS; i++) {
		uint32_t key = htobe32(key_number(t, producer, i));
		uint64_t value = t->has_sums ? 1 : (uint64_t)producer << 32 | i;
		int r = dit_sorter_push(
			t->sorter, producer,
			(struct dit_span){(const char *)&key, sizeof(key)},
			(struct dit_span){(const char *)&value, sizeof(value)});

		if (r < 0) {
			return "push failed";
		}
		atomic_store(&t->npushed[producer], i + 1);
	}
	return NULL;
}

static const char *check_kept(const struct traffic *t, struct dit_sort_cursor *cursor,
                              const unsigned *before, const unsigned *after)
{
	static _Thread_local bool seen[NPRODUCERS][NRECORDS];
	unsigned n[NPRODUCERS] = {0};
	struct dit_sort_record record = {0};
	uint64_t value = 0;
	int r = 0;

	memset(seen, 0, sizeof(seen));
	while ((r = dit_sort_cursor_next(cursor, &record)) > 0) {
		memcpy(&value, record.value.data, sizeof(value));
		seen[value >> 32][(uint32_t)value] = true;
		n[value >> 32]++;
	}
	for (unsigned p = 0; p < NPRODUCERS && r == 0; p++) {
		uint32_t key = 0;

		if (n[p] < before[p] || n[p] > after[p] + 1) {
			return "a view lacks records, or has later ones";
		}
		if (n[p] > 0 && memchr(seen[p], 0, n[p]) != NULL) {
			return "a view has not the first records";
		}
		if (n[p] == 0) {
			continue;
		}
		key = htobe32(key_number(t, p, n[p] - 1));
		r = dit_sort_cursor_get(
			cursor, (struct dit_span){(char *)&key, sizeof(key)}, &record);
		if (r != 1 || memcmp(&(uint64_t){(uint64_t)p << 32 | (n[p] - 1)},
		                     record.value.data, 8) != 0) {
			return "a key is not found";
		}
		r = 0;
	}
	return r < 0 ? "a cursor failed" : NULL;
}

static const char *check_sums(struct dit_sort_cursor *cursor, const unsigned *before,
                              const unsigned *after)
{
	uint64_t sums[2] = {0};
	unsigned low = 0;
	unsigned high = 0;

	for (unsigned i = 0; i < 2; i++) { /* twice: it does not change */
		struct dit_sort_record record = {0};
		struct dit_span open = {NULL, 0};

		if (dit_sort_cursor_range(cursor, open, open) < 0) {
			return "a cursor failed";
		}
		while (dit_sort_cursor_next(cursor, &record) > 0) {
			uint64_t value = 0;

			memcpy(&value, record.value.data, sizeof(value));
			sums[i] += value;
		}
	}
	for (unsigned p = 0; p < NPRODUCERS; p++) {
		low += before[p];
		high += after[p] + 1;
	}
	return sums[0] == sums[1] && sums[0] >= low && sums[0] <= high
	               ? NULL
	               : "wrong sums in a view";
}

/**
 * Open a view and check it. Blind: without a look at npushed, which would put what the
 * producers did before it in order with what follows, and hide their races from TSan.
 */
static const char *look(struct traffic *t, bool is_blind)
{
	unsigned before[NPRODUCERS] = {0};
	unsigned after[NPRODUCERS] = {NRECORDS, NRECORDS, NRECORDS};
	struct dit_sort_view *view = NULL;
	struct dit_sort_cursor *cursor = NULL;
	const char *wrong = NULL;

	for (unsigned p = 0; p < NPRODUCERS && !is_blind; p++) {
		before[p] = atomic_load(&t->npushed[p]);
	}
	if (dit_sort_view_open(&view, t->sorter) < 0) {
		return "no view";
	}
	for (unsigned p = 0; p < NPRODUCERS && !is_blind; p++) {
		after[p] = atomic_load(&t->npushed[p]);
	}
	if (dit_sort_cursor_open(&cursor, view) < 0) {
		wrong = "no cursor";
	} else if (t->has_sums) {
		wrong = check_sums(cursor, before, after);
	} else {
		wrong = check_kept(t, cursor, before, after);
	}
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(view);
	atomic_fetch_add(&t->nviews, 1);
	return wrong;
}

static void *read_views(void *arg)
{
	struct traffic *t = arg;
	bool is_blind = atomic_fetch_add(&t->next_reader, 1) % 2 == 0;
	const char *wrong = NULL;

	while (wrong == NULL && !atomic_load(&t->is_over)) {
		wrong = look(t, is_blind);
	}
	return (void *)(uintptr_t)wrong;
}

static void run_traffic(bool has_sums)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct traffic t = {.has_sums = has_sums};
	pthread_t threads[NPRODUCERS + NREADERS];
	char *tmpdir = test_scratch();
	void *wrong = NULL;

	opts.nproducers = NPRODUCERS;
	opts.memory_bytes = NPRODUCERS * DIT_SORT_SHARE_MIN;
	opts.tmpdir = tmpdir;
	opts.merge = has_sums ? merge_sum : NULL;
	opts.fan_in = 2;
	assert_int_equal(dit_sorter_new(&t.sorter, &opts), 0);
	for (unsigned i = 0; i < NPRODUCERS + NREADERS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL,
		                                i < NPRODUCERS ? produce : read_views,
		                                &t),
		                 0);
	}
	for (unsigned i = 0; i < NPRODUCERS + NREADERS; i++) {
		if (i == NPRODUCERS) {
			assert_null(look(&t, false)); /* all of it */
			atomic_store(&t.is_over, true);
		}
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		if (wrong != NULL) {
			fail_msg("%s", (const char *)wrong);
		}
	}
	assert_true(dit_sorter_nruns(t.sorter) > 0);
	assert_int_equal(dit_sorter_seal(t.sorter), 0);
	assert_null(look(&t, false));
	print_message("  %u views\n", atomic_load(&t.nviews));
	dit_sorter_free(t.sorter);
	test_scratch_remove(tmpdir);
}

TEST(views_are_consistent_while_producers_go_on)
{
	run_traffic(false);
	run_traffic(true);
}
