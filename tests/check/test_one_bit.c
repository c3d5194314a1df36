/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small databases with one bit turned, anywhere in the file, under all tools that read a
 * database. A check succeeds, whatever it finds, or says that the file is sealed. An
 * export or a reindexing succeeds, or says why not. None of them dies. A reindexing that
 * fails leaves the file as it was, but for pages that --online has reserved.
 *
 *   DIT_LONG=yes   all bits of the meta pages, and 10,000 drawn, not 60;
 *                  DIT_BITS=N: so many drawn
 *   DIT_SEED=N     for the bits that are drawn; else by the clock
 */
#include "test.h"

#include <time.h>

#include "check/check.h"
#include "export/export.h"
#include "load/load_fixture.h"
#include "page/meta_pages.h"
#include "reindex/reindex.h"

#define NPEOPLE   20
#define BITS      60
#define BITS_LONG 10000

struct site {
	struct load_fixture fixture;
	enum dit_openldap_version openldap;
	char file[4300];
	char *whole; /* the file's bytes without a change */
	size_t len;
	size_t byte; /* that is changed */
	unsigned bit;
	unsigned nreports; /* of the latest run */
};

/* ---- the file ---- */

/* The file with the bit turned, and no lock.mdb. */
static void put_back(const struct site *site)
{
	char lock[4300];
	FILE *file = NULL;
	char byte = (char)(site->whole[site->byte] ^ (char)(1u << site->bit));

	(void)snprintf(lock, sizeof(lock), "%s/lock.mdb", site->fixture.database);
	assert_true(unlink(lock) == 0 || errno == ENOENT);
	/* A reindexing for 2.7 may have put another file in its place. */
	assert_int_equal(unlink(site->file), 0);
	file = fopen(site->file, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(site->whole, 1, site->byte, file), site->byte);
	assert_int_equal(fwrite(&byte, 1, 1, file), 1);
	assert_int_equal(
		fwrite(site->whole + site->byte + 1, 1, site->len - site->byte - 1, file),
		site->len - site->byte - 1);
	assert_int_equal(fclose(file), 0);
}

static bool is_as_before(const struct site *site)
{
	size_t len = 0;
	char *bytes = test_read_file(site->file, &len);
	bool is_same = len == site->len;

	for (size_t i = 0; i < len && is_same; i++) {
		char byte = site->whole[i];

		byte = i == site->byte ? (char)(byte ^ (char)(1u << site->bit)) : byte;
		is_same = bytes[i] == byte;
	}
	free(bytes);
	return is_same;
}

static void site_init(struct site *site, enum dit_openldap_version openldap)
{
	struct dit_load_opts opts;

	memset(site, 0, sizeof(*site));
	site->openldap = openldap;
	load_fixture_init(&site->fixture, "multival cn 1,1\n");
	load_fixture_write_people(&site->fixture, NPEOPLE);
	opts = load_fixture_opts(&site->fixture);
	opts.openldap = openldap;
	assert_int_equal(load_fixture_run(&opts), 0);
	(void)snprintf(site->file, sizeof(site->file), "%s/data.mdb",
	               site->fixture.database);
	site->whole = test_read_file(site->file, &site->len);
}

static void site_deinit(struct site *site)
{
	free(site->whole);
	load_fixture_deinit(&site->fixture);
}

/* ---- the tools ---- */

static void count_report(void *ctx, const struct dit_report *report)
{
	struct site *site = ctx;

	site->nreports += report->text[0] != '\0';
}

static void check(struct site *site)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	int r = 0;

	opts.conf = site->fixture.conf;
	opts.openldap = site->openldap;
	opts.threads = 2;
	opts.memory_bytes = 16 << 20;
	opts.report = count_report;
	opts.report_ctx = site;
	site->nreports = 0;
	r = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	/* The bit may say that a module has sealed the file. */
	if (r == DIT_E_UNSUPPORTED && site->openldap == DIT_OPENLDAP_2_7 &&
	    site->nreports > 0) {
		return;
	}
	if (r != 0) {
		fail_msg("check: %s", dit_strerror(r));
	}
}

static void export(struct site *site, bool keep_going)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	int r = 0;

	opts.conf = site->fixture.conf;
	opts.openldap = site->openldap;
	opts.output = "/dev/null";
	opts.threads = 2;
	opts.keep_going = keep_going;
	opts.report = count_report;
	opts.report_ctx = site;
	site->nreports = 0;
	r = dit_export(&opts, &stats);
	if (r != 0 && site->nreports == 0) {
		fail_msg("export: %s, and no report", dit_strerror(r));
	}
}

static void reindex(struct site *site, bool is_online)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;
	int r = 0;

	opts.conf = site->fixture.conf;
	opts.openldap = site->openldap;
	opts.tmpdir = site->fixture.tmpdir;
	opts.threads = 2;
	opts.memory_bytes = 16 << 20;
	opts.online = is_online;
	opts.report = count_report;
	opts.report_ctx = site;
	site->nreports = 0;
	r = dit_reindex(&opts, &stats);
	dit_reindex_stats_deinit(&stats);
	if (r != 0 && site->nreports == 0) {
		fail_msg("reindex: %s, and no report", dit_strerror(r));
	}
	if (r != 0 && !is_online && !is_as_before(site)) {
		fail_msg("reindex: %s, and the file has changed", dit_strerror(r));
	}
}

/* ---- bits ---- */

static unsigned number_from(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : (unsigned)strtoul(text, NULL, 10);
}

/* @param at  in the file */
static void turn_bit(struct site *site, size_t at)
{
	site->byte = at / 8;
	site->bit = at % 8;
	put_back(site);
	check(site);
	export(site, false);
	export(site, true);
	reindex(site, false);
	if (site->openldap != DIT_OPENLDAP_2_7) {
		put_back(site);
		reindex(site, true);
	}
}

static void turn_bits_of_metas(struct site *site)
{
	size_t n = 8 * (DIT_HEADER_BYTES_MAX + sizeof(struct dit_meta));

	for (size_t i = 0; i < n; i++) {
		turn_bit(site, i);
		turn_bit(site, 8 * (size_t)getpagesize() + i);
	}
}

static void turn_bits(enum dit_openldap_version openldap)
{
	bool is_long = getenv("DIT_LONG") != NULL;
	unsigned nbits = number_from("DIT_BITS", is_long ? BITS_LONG : BITS);
	unsigned seed = number_from("DIT_SEED", (unsigned)time(NULL));
	struct site site;

	(void)printf("%u bits, seed %u\n", nbits, seed);
	(void)fflush(stdout);
	srandom(seed);
	site_init(&site, openldap);
	if (is_long) {
		turn_bits_of_metas(&site);
	}
	for (unsigned i = 0; i < nbits; i++) {
		turn_bit(&site, (size_t)random() % (8 * site.len));
	}
	site_deinit(&site);
}

TEST(no_bit_of_lmdb_09_ends_a_tool)
{
	turn_bits(DIT_OPENLDAP_2_6);
}

TEST(no_bit_of_lmdb_10_ends_a_tool)
{
	turn_bits(DIT_OPENLDAP_2_7);
}
