/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the feed, with and without a thread:
 * - batches come in input order, each in a slot that nobody else holds;
 * - a returned slot is filled again;
 * - the end, and a reading error, come after the batches before them;
 * - a feed can be freed in the middle.
 */
#include "test.h"

#include <errno.h>

#include "bulk/load_feed.h"

#define NSLOTS   3
#define NRECORDS 40

struct feed_fixture {
	char *dir;
	char path[4200];
	struct dit_ldif_reader *reader;
	struct dit_ldif_batch batches[NSLOTS];
	struct dit_feed *feed;
};

static void write_input(const char *path, const char *end)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int i = 0; i < NRECORDS; i++) {
		(void)fprintf(file, "dn: cn=%d\ncn: %d\n\n", i, i);
	}
	(void)fputs(end, file);
	assert_int_equal(fclose(file), 0);
}

static void open_feed(struct feed_fixture *f, const char *end, bool is_threaded)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_batch *batches[NSLOTS];

	*f = (struct feed_fixture){.dir = test_scratch()};
	(void)snprintf(f->path, sizeof(f->path), "%s/in.ldif", f->dir);
	write_input(f->path, end);
	opts.path = f->path;
	opts.batch_records = 3;
	assert_int_equal(dit_ldif_reader_open(&f->reader, &opts), 0);
	for (int i = 0; i < NSLOTS; i++) {
		batches[i] = &f->batches[i];
	}
	assert_int_equal(dit_feed_new(&f->feed, f->reader, batches, NSLOTS, is_threaded),
	                 0);
}

static void close_feed(struct feed_fixture *f)
{
	dit_feed_free(f->feed);
	dit_ldif_reader_close(f->reader);
	for (int i = 0; i < NSLOTS; i++) {
		dit_ldif_batch_deinit(&f->batches[i]);
	}
	test_scratch_remove(f->dir);
}

/* Takes all batches, holding one while the next is taken; returns the final code. */
static int drain(struct feed_fixture *f, int *ret_nrecords)
{
	unsigned slot = 0;
	unsigned held = NSLOTS;
	int n = 0;
	int r = dit_feed_take(f->feed, &slot);

	while (r > 0) {
		assert_int_not_equal(slot, held);
		for (size_t i = 0; i < f->batches[slot].nrecords; i++) {
			char want[64];
			int len = snprintf(want, sizeof(want), "dn: cn=%d\n", n++);

			assert_memory_equal(f->batches[slot].records[i].text.data, want,
			                    (size_t)len);
		}
		if (held < NSLOTS) {
			dit_feed_return(f->feed, held);
		}
		held = slot;
		r = dit_feed_take(f->feed, &slot);
	}
	*ret_nrecords = n;
	return r;
}

static void batches_come_in_order(void **state)
{
	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		struct feed_fixture f;
		int n = 0;

		open_feed(&f, "", threaded != 0);
		assert_int_equal(drain(&f, &n), 0);
		assert_int_equal(n, NRECORDS);
		close_feed(&f);
	}
}

static void an_error_comes_after_the_batches_before_it(void **state)
{
	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		struct feed_fixture f;
		int n = 0;

		open_feed(&f, "include: file:///nonexistent/file.ldif\n\n",
		          threaded != 0);
		assert_true(drain(&f, &n) < 0);
		assert_int_equal(n, NRECORDS);
		assert_non_null(strstr(dit_ldif_reader_error(f.reader), "nonexistent"));
		close_feed(&f);
	}
}

static void a_feed_can_be_freed_in_the_middle(void **state)
{
	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		struct feed_fixture f;
		unsigned slot = 0;

		open_feed(&f, "", threaded != 0);
		assert_int_equal(dit_feed_take(f.feed, &slot), 1);
		close_feed(&f);
	}
	dit_feed_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_come_in_order),
		cmocka_unit_test(an_error_comes_after_the_batches_before_it),
		cmocka_unit_test(a_feed_can_be_freed_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
