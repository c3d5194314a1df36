/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_estimate_load(), with samples of a part of the input: of a plain file,
 * a packed one, and a pipe, the numbers of entries and index keys are those of the load
 * within a third. A signal ends it, and nothing stays.
 */
#include "test.h"

#include <zlib.h>

#include "base/error.h"
#include "load/load.h"
#include "load_fixture.h"

#define NPEOPLE      6000
#define SAMPLE_BYTES (256u << 10)

static int setup(void **state)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");

	load_fixture_write_people(f, NPEOPLE);
	*state = f;
	return 0;
}

static void is_near(uint64_t estimated, uint64_t truth)
{
	assert_in_range(estimated, truth - truth / 3, truth + truth / 3);
}

/* Postings of a load. */
static uint64_t load(struct load_fixture *f)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;
	uint64_t npostings = 0;

	assert_int_equal(dit_load(&opts, &stats), 0);
	for (size_t i = 0; i < stats.databases[0].nindexes; i++) {
		npostings += stats.databases[0].indexes[i].npostings;
	}
	dit_load_stats_deinit(&stats);
	load_fixture_reset(f);
	return npostings;
}

static void expect_estimate(struct load_fixture *f, const char *path, uint64_t npostings)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_estimate estimate;

	print_message("%s\n", path);
	opts.input = path;
	assert_int_equal(dit_estimate_load(&opts, SAMPLE_BYTES, &estimate), 0);
	assert_false(estimate.is_whole);
	assert_in_range(estimate.sampled_bytes, SAMPLE_BYTES / 3, 3 * SAMPLE_BYTES);
	is_near(estimate.nentries, NPEOPLE);
	is_near(estimate.npostings, npostings);
	dit_estimate_deinit(&estimate);
	assert_true(load_fixture_is_empty(f));
}

static void pack(const char *from, const char *to)
{
	FILE *file = fopen(from, "r");
	gzFile packed = gzopen(to, "w");
	char bytes[4096];
	size_t n = 0;

	assert_non_null(file);
	assert_non_null(packed);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		assert_int_equal(gzwrite(packed, bytes, (unsigned)n), n);
	}
	assert_int_equal(gzclose(packed), Z_OK);
	(void)fclose(file);
}

SETUP_TEST(entries_and_keys_are_near_those_of_the_load)
{
	struct load_fixture *f = *state;
	uint64_t npostings = load(f);
	char *packed = test_text("%s.gz", f->input);
	char *pipe_path = test_text("%s.pipe", f->input);
	char *command = test_text("mkfifo '%s' && (cat '%s' >'%s' &)", pipe_path,
	                          f->input, pipe_path);

	pack(f->input, packed);
	expect_estimate(f, f->input, npostings);
	expect_estimate(f, packed, npostings);
	assert_int_equal(system(command), 0);
	expect_estimate(f, pipe_path, npostings);
}

SETUP_TEST(a_signal_ends_an_estimate)
{
	static const volatile sig_atomic_t stop = 1;
	struct dit_load_opts opts = load_fixture_opts(*state);
	struct dit_estimate estimate;

	opts.stop = &stop;
	assert_int_equal(dit_estimate_load(&opts, 0, &estimate), DIT_E_STOPPED);
	dit_estimate_deinit(&estimate);
	assert_true(load_fixture_is_empty(*state));
}
