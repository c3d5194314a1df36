/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads by the append writer make the database that our own pages make, on any number of
 * threads and with runs; it is the default, and told, where liblmdb's file format is not
 * the one we know (the linker takes its description away: --wrap=dit_metas_read); and it
 * has no meaning for a database that holds records already.
 */
#include "test.h"

#include "load_fixture.h"
#include "page/meta_pages.h"

static bool is_unknown;

int __real_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret);
int __wrap_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret);

int __wrap_dit_metas_read(int fd, const struct dit_page_format *format,
                          struct dit_metas *ret)
{
	return is_unknown ? MDB_VERSION_MISMATCH : __real_dit_metas_read(fd, format, ret);
}

/* The writer that made the pages. */
static enum dit_load_writer load(struct load_fixture *f, enum dit_load_writer writer,
                                 unsigned threads, uint64_t memory_bytes)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;
	enum dit_load_writer used = DIT_LOAD_WRITER_DEFAULT;

	opts.writer = writer;
	opts.threads = threads;
	opts.memory_bytes = memory_bytes;
	opts.batch_records = 7;
	opts.is_verbose = true;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_int_equal(stats.ndatabases, 1);
	used = stats.databases[0].writer;
	if (used != DIT_LOAD_WRITER_DEFAULT) {
		assert_int_equal(stats.databases[0].is_unknown_format, is_unknown);
	}
	dit_load_stats_deinit(&stats);
	return used;
}

TEST(both_writers_make_the_same)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	uint64_t want = 0;

	load_fixture_write_people(f, 3000);
	assert_int_equal(load(f, DIT_LOAD_WRITER_DEFAULT, 1, 64 << 20),
	                 DIT_LOAD_WRITER_PAGES);
	want = load_fixture_digest(f);
	for (unsigned threads = 1; threads <= 8; threads++) {
		load_fixture_reset(f);
		load_fixture_write_people(f, 3000);
		assert_int_equal(load(f, DIT_LOAD_WRITER_APPEND, threads,
		                      threads % 2 == 0 ? 8 << 20 : 64 << 20),
		                 DIT_LOAD_WRITER_APPEND);
		assert_int_equal(load_fixture_digest(f), want);
		assert_null(strstr(f->reports, "file format"));
	}
}

TEST(an_unknown_format_makes_it_the_default)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	uint64_t want = 0;

	load_fixture_write_people(f, 50);
	assert_int_equal(load(f, DIT_LOAD_WRITER_PAGES, 2, 64 << 20),
	                 DIT_LOAD_WRITER_PAGES);
	want = load_fixture_digest(f);
	load_fixture_reset(f);
	load_fixture_write_people(f, 50);
	is_unknown = true;
	opts.writer = DIT_LOAD_WRITER_PAGES;
	assert_int_equal(load_fixture_run(&opts), MDB_VERSION_MISMATCH);
	assert_non_null(strstr(f->reports, "writes another file format than the one"));
	assert_true(load_fixture_is_empty(f));
	assert_int_equal(load(f, DIT_LOAD_WRITER_DEFAULT, 2, 64 << 20),
	                 DIT_LOAD_WRITER_APPEND);
	is_unknown = false;
	assert_non_null(strstr(f->reports, "liblmdb writes all pages"));
	assert_int_equal(load_fixture_digest(f), want);
}

TEST(a_database_with_records_has_no_writer)
{
	struct load_fixture *f = load_fixture_new("maxsize 1000000000\n");

	load_fixture_write_people(f, 5);
	assert_int_equal(load(f, DIT_LOAD_WRITER_APPEND, 1, 64 << 20),
	                 DIT_LOAD_WRITER_APPEND);
	load_fixture_write(f, "dn: ou=dept 9,dc=x\nobjectClass: organizationalUnit\n"
	                      "ou: dept 9\n");
	assert_int_equal(load(f, DIT_LOAD_WRITER_APPEND, 1, 64 << 20),
	                 DIT_LOAD_WRITER_DEFAULT);
}
