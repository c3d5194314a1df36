/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at any moment: the n-th allocation fails, n counting up until a
 * load succeeds. Every failed load says why and changes nothing.
 *
 * Allocations of LMDB and libldap are theirs to handle.
 */
#include "test.h"

#include "load_fixture.h"
#include "nomem.h"

static bool with_memberof;

/* Reports are counted, not collected: collecting allocates. */
static void count_report(void *ctx, const struct dit_report *report)
{
	unsigned *n = ctx;

	(void)report;
	(*n)++;
}

/* The IDs of all databases there are. */
static uint64_t digest_all(const struct load_fixture *f)
{
	return load_fixture_digest(f) ^ load_fixture_digest_of(f->subordinate) * 3;
}

/* Once with all the memory there is: what every successful load must give. */
static uint64_t complete_digest(struct load_fixture *f)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;
	uint64_t digest = 0;

	opts.write_context_csn = true;
	opts.with_memberof = with_memberof;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.nmemberships_added > 0, with_memberof);
	dit_load_stats_deinit(&stats);
	digest = digest_all(f);
	assert_int_not_equal(digest, 0);
	load_fixture_reset(f);
	return digest;
}

static int load_with_failure(struct load_fixture *f, unsigned threads, long n)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	unsigned nreports = 0;
	int r = 0;

	opts.threads = threads;
	opts.batch_records = 4;
	opts.write_context_csn = true;
	opts.report = count_report;
	opts.report_ctx = &nreports;
	opts.reject = NULL;
	opts.with_memberof = with_memberof;
	countdown = n;
	r = load_fixture_run(&opts);
	if (r != 0 && nreports == 0) {
		fail_msg("allocation %ld failed with %d and nobody said so", n, r);
	}
	return r;
}

/* A load may get over a failed allocation, but then its result is complete, too. */
static void run_with_failures(struct load_fixture *f, unsigned threads, long step)
{
	uint64_t want = 0;
	bool has_failed = true;
	long n = 0;

	load_fixture_write_people(f, 20);
	want = complete_digest(f);
	for (n = 0; has_failed; n += step) {
		int r = load_with_failure(f, threads, n);

		has_failed = countdown < 0;
		countdown = -1;
		if (r != 0 && !load_fixture_is_empty(f)) {
			fail_msg("allocation %ld failed with %d and left something", n,
			         r);
		}
		if (r == 0) {
			assert_int_equal(digest_all(f), want);
			load_fixture_reset(f);
		}
		assert_true(n < 100000);
	}
	assert_true(n > step);
}

TEST(any_allocation_may_fail_with_one_thread)
{
	run_with_failures(load_fixture_new(""), 1, 1);
}

TEST(any_allocation_may_fail_with_two_threads)
{
	run_with_failures(load_fixture_new(""), 2, 7);
}

TEST(any_allocation_may_fail_with_two_databases)
{
	run_with_failures(load_fixture_new_glued(""), 1, 3);
}

/* Memberships of groups, for which the input is read twice. */
TEST(any_allocation_may_fail_with_memberships)
{
	static const char overlay[] =
		"moduleload memberof\noverlay memberof\n"
		"memberof-group-oc person\nmemberof-member-ad seeAlso\n";

	with_memberof = true;
	run_with_failures(load_fixture_new(overlay), 1, 1);
	run_with_failures(load_fixture_new(overlay), 2, 7);
	with_memberof = false;
}

static void write_more_people(struct load_fixture *f)
{
	char command[9000];

	load_fixture_write_people(f, 40);
	(void)snprintf(
		command, sizeof(command),
		"cd '%s' && awk 'BEGIN{RS=\"\"; ORS=\"\\n\\n\"} NR > 24 && NR < 45' in.ldif "
		">rest.ldif && mv rest.ldif in.ldif",
		f->dir);
	assert_int_equal(system(command), 0);
}

static void load_completely(struct load_fixture *f)
{
	struct dit_load_opts opts = load_fixture_opts(f);

	opts.write_context_csn = true;
	assert_int_equal(load_fixture_run(&opts), 0);
}

/* Over a database that holds entries: on failure exactly those are there. */
TEST(any_allocation_may_fail_over_other_entries)
{
	struct load_fixture *f = load_fixture_new_glued("");
	uint64_t before = 0;
	uint64_t want = 0;
	bool has_failed = true;
	long n = 0;

	load_fixture_write_people(f, 20);
	load_completely(f);
	write_more_people(f);
	load_completely(f);
	want = digest_all(f);
	load_fixture_reset(f);
	load_fixture_write_people(f, 20);
	load_completely(f);
	before = digest_all(f);
	write_more_people(f);
	for (n = 0; has_failed; n += 5) {
		int r = load_with_failure(f, 1, n);

		has_failed = countdown < 0;
		countdown = -1;
		if (digest_all(f) != (r == 0 ? want : before)) {
			fail_msg("allocation %ld failed with %d: another database", n, r);
		}
		if (r == 0 && has_failed) {
			load_fixture_reset(f);
			load_fixture_write_people(f, 20);
			load_completely(f);
			write_more_people(f);
		}
		assert_true(n < 100000);
	}
	assert_true(n > 5);
}
