/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the feed, with and without a thread:
 * - slots come in the order of filling, each one that no other thread holds;
 * - a returned slot is filled again;
 * - the end, and an error, come after the slots before them, and again when asked again;
 * - a feed can be freed in the middle.
 */
#include "test.h"

#include "base/feed.h"

#define NSLOTS   3
#define NBATCHES 40

static const char *const names[] = {NULL, "feed"};

struct fake_input {
	int slots[NSLOTS];
	int n;
	int nbatches;
	int end; /* what the source says after its last batch */
	int ncalls_behind;
};

static int fill(void *ctx, unsigned slot)
{
	struct fake_input *input = ctx;

	if (input->n == input->nbatches) {
		input->ncalls_behind++;
		return input->end;
	}
	input->slots[slot] = input->n++;
	return 1;
}

/* Takes all batches, holding one while the next is taken; returns the final code. */
static int drain(struct fake_input *input, struct dit_feed *feed)
{
	unsigned slot = 0;
	unsigned held = NSLOTS;
	int n = 0;
	int r = dit_feed_take(feed, NULL, &slot);

	while (r > 0) {
		assert_int_not_equal(slot, held);
		assert_int_equal(input->slots[slot], n++);
		if (held < NSLOTS) {
			dit_feed_return(feed);
		}
		held = slot;
		r = dit_feed_take(feed, NULL, &slot);
	}
	assert_int_equal(n, input->nbatches);
	assert_int_equal(dit_feed_take(feed, NULL, &slot), r);
	return r;
}

TEST(slots_come_in_order)
{
	static const int ends[] = {0, -5};

	for (int threaded = 0; threaded < 2; threaded++) {
		for (int nbatches = 0; nbatches <= NBATCHES; nbatches += NBATCHES) {
			for (int e = 0; e < 2; e++) {
				struct fake_input input = {.nbatches = nbatches,
				                           .end = ends[e]};
				struct dit_feed *feed = NULL;

				assert_int_equal(dit_feed_new(&feed, NSLOTS,
				                              names[threaded], fill,
				                              &input),
				                 0);
				assert_int_equal(drain(&input, feed), ends[e]);
				dit_feed_free(feed);
				assert_int_equal(input.ncalls_behind, 1);
			}
		}
	}
}

TEST(a_feed_can_be_freed_in_the_middle)
{
	for (int threaded = 0; threaded < 2; threaded++) {
		struct fake_input input = {.nbatches = NBATCHES};
		struct dit_feed *feed = NULL;
		unsigned slot = 0;

		assert_int_equal(
			dit_feed_new(&feed, NSLOTS, names[threaded], fill, &input), 0);
		assert_int_equal(dit_feed_take(feed, NULL, &slot), 1);
		dit_feed_free(feed);
		assert_true(input.n <= NSLOTS);
	}
	dit_feed_free(NULL);
}
