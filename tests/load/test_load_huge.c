/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads of huge entries: into new databases by each writer, after stored entries, and
 * late, the same records come out.
 */
#include "test.h"

#include "base/error.h"
#include "load_fixture.h"

#define NHUGE 3

static const char operational[] = "structuralObjectClass: person\n"
				  "entryUUID: 00000000-0000-1000-8000-9%011u\n"
				  "creatorsName: cn=admin,dc=x\n"
				  "createTimestamp: 20260101000000Z\n"
				  "entryCSN: 20260102000000.%06uZ#000000#000#000000\n"
				  "modifiersName: cn=admin,dc=x\n"
				  "modifyTimestamp: 20260101000000Z\n";

/* Sizes from 1 to 3 MiB; the value has a normal form of its own. */
static void put_value(FILE *file, size_t mib, bool is_folded)
{
	(void)fputs("description: Some Text", file);
	for (size_t i = 0; i < mib << 15; i++) {
		(void)fprintf(file, "%s%08zx Some More of the Text  ",
		              is_folded ? "\n " : "", i);
	}
	(void)fputs("end\n", file);
}

static void put_person(FILE *file, unsigned number, const char *rdn, size_t mib)
{
	(void)fprintf(file, "\ndn: %s,dc=x\nobjectClass: person\ncn: p%u\nsn: Huge\n",
	              rdn, number);
	(void)fprintf(file, operational, number, number);
	if (mib > 0) {
		put_value(file, mib, number % 2 == 0);
	}
}

/* @param comes_late  the last huge entry comes after its child */
static void write_people(struct load_fixture *f, bool comes_late)
{
	FILE *file = NULL;

	load_fixture_write_people(f, 20);
	file = fopen(f->input, "a");
	assert_non_null(file);
	for (unsigned i = 1; i <= NHUGE; i++) {
		char rdn[20];

		if (i == NHUGE && comes_late) {
			put_person(file, 100, "cn=p100,cn=p3", 0);
		}
		(void)snprintf(rdn, sizeof(rdn), "cn=p%u", i);
		put_person(file, i, rdn, i);
		put_person(file, i + 50,
		           i == 1   ? "cn=p51"
		           : i == 2 ? "cn=p52"
		                    : "cn=p53",
		           0);
	}
	assert_int_equal(fclose(file), 0);
}

static uint64_t load(struct load_fixture *f, unsigned threads,
                     enum dit_load_writer writer)
{
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_load_stats stats;

	opts.threads = threads;
	opts.writer = writer;
	assert_int_equal(dit_load(&opts, &stats), 0);
	assert_true(stats.nentries >= 6);
	dit_load_stats_deinit(&stats);
	return load_fixture_digest(f);
}

TEST(each_way_stores_the_same)
{
	for (int comes_late = 0; comes_late < 2; comes_late++) {
		struct load_fixture f;
		uint64_t digest = 0;

		load_fixture_init(&f, "maxsize 1073741824\nindex description sub\n");
		write_people(&f, comes_late != 0);
		digest = load(&f, 1, DIT_LOAD_WRITER_APPEND);
		for (unsigned threads = 1; threads <= 3; threads++) {
			load_fixture_reset(&f);
			assert_int_equal(load(&f, threads, DIT_LOAD_WRITER_PAGES),
			                 digest);
		}
		load_fixture_deinit(&f);
	}
}

static void write_one(struct load_fixture *f, unsigned number, const char *rdn,
                      size_t mib)
{
	FILE *file = fopen(f->input, "w");

	assert_non_null(file);
	put_person(file, number, rdn, mib);
	assert_int_equal(fclose(file), 0);
}

/* In one load, and in a second one. */
TEST(a_stored_database_gets_the_same)
{
	struct load_fixture *f =
		load_fixture_new("maxsize 1073741824\nindex description sub\n");
	uint64_t digest = 0;
	FILE *file = NULL;

	load_fixture_write_people(f, 20);
	file = fopen(f->input, "a");
	assert_non_null(file);
	put_person(file, 1, "cn=p1", 2);
	assert_int_equal(fclose(file), 0);
	digest = load(f, 2, DIT_LOAD_WRITER_PAGES);
	load_fixture_reset(f);
	load_fixture_write_people(f, 20);
	(void)load(f, 2, DIT_LOAD_WRITER_PAGES);
	write_one(f, 1, "cn=p1", 2);
	{
		struct dit_load_opts opts = load_fixture_opts(f);

		assert_int_equal(load_fixture_run(&opts), 0);
	}
	assert_int_equal(load_fixture_digest(f), digest);
}

TEST(a_record_over_the_limit_ends_the_load)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);

	write_people(f, false);
	opts.record_max_bytes = 1u << 20;
	opts.keep_going = true;
	assert_int_equal(load_fixture_run(&opts), DIT_E_TOOLONG);
	assert_true(load_fixture_is_empty(f));
	assert_non_null(strstr(f->reports, "takes more than 1048576 bytes"));
}
