/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of postings (sort/postings.h): what is held stays within the budget, and is
 * little more than the keys.
 */
#include "sort/postings.h"

#include "postings_fixture.h"
#include "sort/postings_private.h"
#include "test.h"

TEST(memory_stays_within_the_budget)
{
	static const struct postings_plan plan = {"memory", 4, 2, 8 << 20, 30,   40000,
	                                          9000,     4, 0, 0,       false};
	struct postings_held held;
	struct postings_load load;

	postings_load_begin(&load, &plan);
	postings_load_run(&load, postings_load_push, 2);
	held = postings_load_held(&load);
	assert_true(held.nruns >= 1);
	assert_true(held.memory_bytes <= plan.memory_bytes + 2 * (256 << 10));
	assert_int_equal(dit_postings_finish(load.postings), 0);
	postings_load_sort(&load);
	postings_load_run(&load, postings_load_check, 4);
	postings_load_end(&load);
}

/** Push an entry: distinct keys, the same number to each of some streams. */
static void push_entry_as(struct postings_load *load, unsigned producer, unsigned first,
                          unsigned step, uint64_t id, unsigned nkeys)
{
	uint64_t keys[64];

	for (unsigned s = first; s < load->plan->nstreams; s += step) {
		for (unsigned i = 0; i < nkeys; i++) {
			keys[i] = postings_load_key(s, id * 64 + i);
		}
		assert_int_equal(
			dit_postings_push(load->postings, producer, s, id, keys, nkeys),
			0);
	}
}

static void push_entry(struct postings_load *load, unsigned first, unsigned step,
                       uint64_t id, unsigned nkeys)
{
	push_entry_as(load, 0, first, step, id, nkeys);
}

/* Odd streams are wide. Half a chunk of each stream may be empty. */
TEST(unsorted_pairs_take_little_more_than_their_keys)
{
	static const struct {
		unsigned first;
		unsigned nkeys;
		double expected; /* bytes a pair */
	} cases[] = {
		{0, 1, 8.0},  {0, 10, 4.4}, {0, 50, 4.08},
		{1, 1, 12.0}, {1, 10, 8.4}, {1, 50, 8.08},
	};
	static const struct postings_plan plan = {"compact", 4, 1, 256 << 20, 60,   0,
	                                          1,         1, 0, 0,         false};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct postings_held held;
		uint64_t nentries = 1000000 / cases[i].nkeys;
		double each = 0;
		struct postings_load load;

		postings_load_begin(&load, &plan);
		for (uint64_t id = 1; id <= nentries; id++) {
			push_entry(&load, cases[i].first, 2, id, cases[i].nkeys);
		}
		held = postings_load_held(&load);
		each = (double)held.memory_bytes / (double)held.npushed;
		print_message("  %u keys: %.2f bytes\n", cases[i].nkeys, each);
		assert_int_equal(held.nruns, 0);
		assert_true(each >= cases[i].expected && each < cases[i].expected + 0.1);
		postings_load_end(&load);
	}
}

/** Memory held but for the buffer that runs are written through. */
static size_t held_bytes(const struct postings_load *load)
{
	return postings_load_held(load).memory_bytes -
	       load->postings->producers[0]->writer.buffer.size_bytes;
}

/* Chunks and scratch together, after each push; and the share is made use of. */
TEST(a_memory_share_is_used_up_but_not_exceeded)
{
	static const struct {
		const char *name;
		unsigned nstreams;
		unsigned first;
		unsigned step;
		unsigned nkeys;
		unsigned cost; /* of a pair, in bytes: units and scratch of the largest */
	} cases[] = {
		{"one stream, one key", 1, 0, 1, 1, 8 + 16},
		{"one stream", 1, 0, 1, 50, 4 + 16},
		{"one wide stream, one key", 2, 1, 2, 1, 12 + 32},
		{"one wide stream", 2, 1, 2, 50, 8 + 32},
		{"two streams", 4, 0, 2, 50, 4 + 16 / 2},
		{"all", 4, 0, 1, 50, 6 + 32 / 4},
		{"all, one key", 4, 0, 1, 1, 10 + 32 / 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct postings_plan plan = {
			"share", cases[i].nstreams, 1, 1 << 20, 60, 0, 1, 1, 0, 0, false};
		struct postings_held held = {0};
		size_t peak = 0;
		struct postings_load load;

		print_message("  %s\n", cases[i].name);
		postings_load_begin(&load, &plan);
		for (uint64_t id = 1; held.npushed < 400000; id++) {
			push_entry(&load, cases[i].first, cases[i].step, id,
			           cases[i].nkeys);
			peak = held_bytes(&load) > peak ? held_bytes(&load) : peak;
			assert_true(peak <= plan.memory_bytes);
			held = postings_load_held(&load);
		}
		print_message("  %zu KiB, %lu runs of %lu pairs\n", peak >> 10,
		              (unsigned long)held.nruns,
		              (unsigned long)(held.npushed / held.nruns));
		assert_true(held.nruns >= 2);
		assert_true(peak > plan.memory_bytes * 9 / 10);
		assert_true(held.nruns * plan.memory_bytes * 9 / 10 <=
		            held.npushed * cases[i].cost);
		postings_load_end(&load);
	}
}

/* The memory of a producer's pairs while all their streams are sorted, as cursors do. */
static size_t sorted_bytes(const struct dit_producer *producer)
{
	size_t bytes = producer->nchunks * producer->chunk_bytes;

	for (unsigned i = 0; i < producer->postings->nstreams; i++) {
		bytes += 2 * sizeof(uint64_t) * producer->buckets[i].npairs *
		         dit_stream_width(producer->postings, i);
	}
	return bytes;
}

TEST(streams_that_are_sorted_side_by_side_fit_the_budget)
{
	static const struct postings_plan plan = {
		"side by side", 4, 4, 8 << 20, 60, 0, 1, 1, 0, 0, false};
	struct postings_held held = {0};
	struct postings_load load;
	size_t peak = 0;

	postings_load_begin(&load, &plan);
	for (uint64_t id = 1; held.nruns == 0; id++) {
		size_t bytes = 0;

		push_entry_as(&load, id % 4, 0, 1, id, 50);
		for (unsigned i = 0; i < 4; i++) {
			bytes += sorted_bytes(load.postings->producers[i]);
		}
		peak = bytes > peak ? bytes : peak;
		held = postings_load_held(&load);
	}
	assert_in_range(peak, plan.memory_bytes * 8 / 10, plan.memory_bytes);
	postings_load_end(&load);
}

/* Scratch of the time with one stream, chunks of the time with many. */
TEST(a_memory_share_is_not_exceeded_when_streams_change)
{
	static const struct postings_plan plan = {"change", 4, 1, 1 << 20, 60,   0,
	                                          1,        1, 0, 0,       false};
	struct postings_held held = {0};
	size_t peak = 0;
	struct postings_load load;

	postings_load_begin(&load, &plan);
	for (uint64_t id = 1; held.npushed < 2000000; id++) {
		bool has_one_stream = held.npushed / 400000 % 2 == 1;

		push_entry(&load, 0, has_one_stream ? 4 : 1, id, 50);
		peak = held_bytes(&load) > peak ? held_bytes(&load) : peak;
		held = postings_load_held(&load);
	}
	print_message("  %zu KiB, %lu runs\n", peak >> 10, (unsigned long)held.nruns);
	assert_true(peak <= plan.memory_bytes);
	postings_load_end(&load);
}

/* Three producers at the same pace, with 50, 45 and 10 keys an entry. */
TEST(producers_write_their_runs_together)
{
	static const struct postings_plan plan = {"together", 1, 3, 3 << 20, 60,   0,
	                                          1,          1, 0, 0,       false};
	static const unsigned nkeys[] = {50, 45, 10};
	struct dit_producer **producers = NULL;
	struct postings_load load;
	uint64_t id = 0;

	postings_load_begin(&load, &plan);
	postings_load_use_tiny_chunks(&load);
	producers = load.postings->producers;
	while (producers[1]->nruns == 0) {
		/* Nobody begins before the share of the first one is used up. */
		assert_int_equal(producers[0]->nruns, 0);
		id++;
		for (unsigned p = 0; p < 3; p++) {
			push_entry_as(&load, p, 0, 1, id, nkeys[p]);
		}
		while (producers[0]->nruns > 0 && producers[1]->nruns == 0) {
			push_entry_as(&load, 1, 0, 1, ++id, nkeys[1]);
		}
	}
	print_message("  %lu and %lu pairs\n",
	              (unsigned long)producers[0]->buckets[0].npushed,
	              (unsigned long)producers[1]->buckets[0].npushed);
	assert_int_equal(producers[0]->nruns, 1);
	/* The share of the second one has room for as many pairs as that of the first. */
	assert_true(producers[1]->buckets[0].npushed * 100 <
	            producers[0]->buckets[0].npushed * 95);
	/* The third one has most of its share left, and goes on. */
	while (producers[0]->nruns < 2) {
		id++;
		push_entry_as(&load, 0, 0, 1, id, nkeys[0]);
		push_entry_as(&load, 2, 0, 1, id, nkeys[2]);
	}
	assert_int_equal(producers[1]->nruns, 1);
	assert_int_equal(producers[2]->nruns, 0);
	postings_load_end(&load);
}
