/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every enumeration, every number with a range, and every pair of options that exclude
 * each other, of every struct of options: a wrong one is refused with the name of its
 * field before anything is done, and a possible one is taken.
 */
#include "test.h"

#include "check/check.h"
#include "compare/compare.h"
#include "export/export.h"
#include "load/load_fixture.h"
#include "load/prepared.h"
#include "reindex/reindex.h"
#include "scan/scan.h"
#include "sort/sort.h"
#include "split/split.h"

struct field {
	size_t at; /* in the options */
	size_t size;
	uint64_t value;
};

/* A call of a verb that would succeed, but for a field or two. */
struct call {
	struct load_fixture *f;
	const struct field *fields; /* two; size 0: none */
	dit_report_fn report;
	void *report_ctx;
	char map[4300];
	char output[4300];
};

static void put(void *opts, const struct field *fields)
{
	for (size_t i = 0; i < 2; i++) {
		memcpy((char *)opts + fields[i].at, &fields[i].value, fields[i].size);
	}
}

/* The first fields of all options but those of sorts. */
#define BEGIN(call, opts)                                                                \
 (opts).conf = (call)->f->conf;                                                          \
 (opts).report = (call)->report;                                                         \
 (opts).report_ctx = (call)->report_ctx;                                                 \
 put(&(opts), (call)->fields)

static int load(const struct call *call)
{
	struct dit_load_opts opts = load_fixture_opts(call->f);
	int r = 0;

	load_fixture_reset(call->f);
	BEGIN(call, opts);
	r = load_fixture_run(&opts);
	assert_true(r == 0 || load_fixture_is_empty(call->f));
	return r;
}

static int estimate_load(const struct call *call)
{
	struct dit_load_opts opts = load_fixture_opts(call->f);
	struct dit_estimate estimate;
	int r = 0;

	BEGIN(call, opts);
	r = dit_estimate_load(&opts, 0, &estimate);
	dit_estimate_deinit(&estimate);
	return r;
}

static int reindex(const struct call *call)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;
	int r = 0;

	BEGIN(call, opts);
	r = dit_reindex(&opts, &stats);
	dit_reindex_stats_deinit(&stats);
	return r;
}

static int estimate_reindex(const struct call *call)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_estimate estimate;
	int r = 0;

	BEGIN(call, opts);
	r = dit_estimate_reindex(&opts, 0, &estimate);
	dit_estimate_deinit(&estimate);
	return r;
}

static int export(const struct call *call)
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	int r = 0;

	BEGIN(call, opts);
	opts.output = call->output;
	r = dit_export(&opts, &stats);
	assert_int_equal(unlink(call->output), r < 0 ? -1 : 0);
	return r;
}

static int check(const struct call *call)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	int r = 0;

	BEGIN(call, opts);
	r = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return r;
}

/* No configuration is read. */
static int check_path(const struct call *call)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	int r = 0;

	BEGIN(call, opts);
	opts.conf = NULL;
	opts.path = call->f->database;
	opts.is_quick = true;
	r = dit_check(&opts, &stats);
	dit_check_stats_deinit(&stats);
	return r;
}

/* Both are different databases. */
static int compare(const struct call *call)
{
	struct dit_compare_opts opts = DIT_COMPARE_OPTS_INIT;
	uint64_t n = 0;

	BEGIN(call, opts);
	opts.conf = NULL;
	opts.first = call->f->database;
	opts.second = call->f->subordinate;
	return dit_compare(&opts, NULL, NULL, &n);
}

static int scan(const struct call *call)
{
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
	struct dit_entry_scan *scan = NULL;
	int r = 0;

	BEGIN(call, opts);
	r = dit_entry_scan_open(&scan, &opts);
	if (r == 0) {
		dit_entry_scan_close(scan);
	}
	return r;
}

static int scan_path(const struct call *call)
{
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
	struct dit_entry_scan *scan = NULL;
	int r = 0;

	BEGIN(call, opts);
	opts.conf = NULL;
	opts.path = call->f->database;
	r = dit_entry_scan_open(&scan, &opts);
	if (r == 0) {
		dit_entry_scan_close(scan);
	}
	return r;
}

static int split(const struct call *call)
{
	const char *inputs[] = {call->f->input};
	struct dit_split_opts opts = DIT_SPLIT_OPTS_INIT;
	struct dit_split_stats stats;
	int r = 0;

	opts.map = call->map;
	opts.output = call->output;
	opts.inputs = inputs;
	opts.ninputs = 1;
	BEGIN(call, opts);
	r = dit_split(&opts, &stats);
	assert_int_equal(stats.nshards, r < 0 ? 0 : 1); /* no file was begun */
	dit_split_stats_deinit(&stats);
	return r;
}

static int status(const struct call *call)
{
	struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	int r = 0;

	BEGIN(call, opts);
	r = dit_prepared_status(&opts, &stats);
	dit_prepared_stats_deinit(&stats);
	return r;
}

/* It has no reports. */
static int sort(const struct call *call)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	int r = 0;

	put(&opts, call->fields);
	r = dit_sorter_new(&sorter, &opts);
	if (r == 0) {
		dit_sorter_free(sorter);
	}
	return r;
}

/* clang-format off */
#define FIELD(type, name, value)                                                         \
	{offsetof(struct type, name), sizeof(((struct type *)NULL)->name), (uint64_t)(value)}
#define COMMON(verb, type)                                                               \
	{verb, {FIELD(type, openldap, 4)}, 1, "openldap can be 0 to 3, not 4"},          \
	{verb, {FIELD(type, database, -2)}, (uint64_t)-1,                                \
	 "database can be -1 or more, not -2"},                                          \
	{verb, {FIELD(type, threads, 1025)}, 2, "threads can be 0 to 1024, not 1025"}
#define SCAN dit_entry_scan_opts
#define WITHOUT_DN FIELD(SCAN, without_dn, true)
#define NOT_WITHOUT_DN "cannot be given with without_dn"

static const struct {
	int (*verb)(const struct call *call);
	struct field fields[2];
	uint64_t good; /* in place of the last value */
	const char *words;
} cases[] = {
	{load, {FIELD(dit_load_opts, is_dry_run, true), FIELD(dit_load_opts, is_prepared, true)},
	 false, "a dry run prepares nothing"},
	{load, {FIELD(dit_load_opts, is_prepared, true), FIELD(dit_load_opts, directory, "db")},
	 0, "directory and is_prepared exclude each other"},
	COMMON(load, dit_load_opts),
	{load, {FIELD(dit_load_opts, directory, "")}, 0, "directory is empty"},
	{load, {FIELD(dit_load_opts, sid, 4096)}, 4095, "sid can be 0 to 4095, not 4096"},
	{load, {FIELD(dit_load_opts, sid, 99999)}, 1, "sid can be 0 to 4095, not 99999"},
	{load, {FIELD(dit_load_opts, writer, 3)}, 2, "writer can be 0 to 2, not 3"},
	{load, {FIELD(dit_load_opts, memory_bytes, DIT_LOAD_MEMORY_MIN - 1)},
	 DIT_LOAD_MEMORY_MIN, "MiB of memory are needed"},
	COMMON(estimate_load, dit_load_opts),
	{estimate_load, {FIELD(dit_load_opts, directory, "")}, 0, "directory is empty"},
	{estimate_load, {FIELD(dit_load_opts, sid, 4096)}, 4095, "sid can be 0 to 4095"},
	{estimate_load, {FIELD(dit_load_opts, memory_bytes, DIT_LOAD_MEMORY_MIN - 1)},
	 DIT_LOAD_MEMORY_MIN, "MiB of memory are needed"},
	COMMON(reindex, dit_reindex_opts),
	{reindex, {FIELD(dit_reindex_opts, memory_bytes, DIT_REINDEX_MEMORY_MIN - 1)},
	 DIT_REINDEX_MEMORY_MIN, "memory_bytes can be "},
	{reindex, {FIELD(dit_reindex_opts, online, true),
	           FIELD(dit_reindex_opts, drop_unconfigured, true)},
	 false, "can be removed only while slapd does not run"},
	COMMON(estimate_reindex, dit_reindex_opts),
	COMMON(export, dit_export_opts),
	{export, {FIELD(dit_export_opts, directory, "")}, 0, "directory is empty"},
	{export, {FIELD(dit_export_opts, scope, 4)}, 3, "scope can be 0 to 3, not 4"},
	{export, {FIELD(dit_export_opts, scope, 99)}, 1, "scope can be 0 to 3, not 99"},
	{export, {FIELD(dit_export_opts, compression, 3)}, 2, "compression can be 0 to 2"},
	COMMON(check, dit_check_opts),
	{check, {FIELD(dit_check_opts, memory_bytes, (16 << 20) - 1)}, 16 << 20,
	 "memory_bytes can be 16777216 to "},
	COMMON(check_path, dit_check_opts),
	COMMON(compare, dit_compare_opts),
	COMMON(scan, SCAN),
	{scan, {FIELD(SCAN, scope, 4)}, 3, "scope can be 0 to 3, not 4"},
	{scan, {WITHOUT_DN, FIELD(SCAN, scope, 1)}, 0, NOT_WITHOUT_DN},
	{scan, {WITHOUT_DN, FIELD(SCAN, filter, "(cn=*)")}, 0, NOT_WITHOUT_DN},
	{scan, {WITHOUT_DN, FIELD(SCAN, base, "dc=x")}, 0, NOT_WITHOUT_DN},
	COMMON(scan_path, SCAN),
	{scan_path, {FIELD(SCAN, filter, "(cn=*)")}, 0, "need a configuration"},
	COMMON(split, dit_split_opts),
	{split, {FIELD(dit_split_opts, compression, 3)}, 2, "compression can be 0 to 2"},
	{split, {FIELD(dit_split_opts, nparts, 2), FIELD(dit_split_opts, part, 2)}, 1,
	 "there is no part 2 of 2"},
	COMMON(status, dit_prepared_opts),
	{sort, {FIELD(dit_sorter_opts, nproducers, 0)}, 1, ""},
	{sort, {FIELD(dit_sorter_opts, fan_in, 1)}, 2, ""},
	{sort, {FIELD(dit_sorter_opts, memory_bytes, DIT_SORT_SHARE_MIN - 1)},
	 DIT_SORT_SHARE_MIN, ""},
	{sort, {FIELD(dit_sorter_opts, nproducers, 3),
	        FIELD(dit_sorter_opts, memory_bytes, 3 * DIT_SORT_SHARE_MIN - 1)},
	 3 * DIT_SORT_SHARE_MIN, ""},
};
/* clang-format on */

TEST(each_wrong_option_is_refused_and_a_possible_one_is_taken)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts told;
	struct call call = {.f = f};

	load_fixture_load_people(f, 20);
	told = load_fixture_opts(f);
	call.report = told.report;
	call.report_ctx = told.report_ctx;
	(void)snprintf(call.map, sizeof(call.map), "%s/map", f->dir);
	(void)snprintf(call.output, sizeof(call.output), "%s/out", f->dir);
	test_write_text(call.map, "shard a\nbelow \"\" to a\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct field good[2] = {cases[i].fields[0], cases[i].fields[1]};
		int r = 0;

		free(f->reports);
		f->reports = strdup("");
		call.fields = cases[i].fields;
		r = cases[i].verb(&call);
		if (r != -EINVAL || strstr(f->reports, cases[i].words) == NULL) {
			fail_msg("case %zu: %d, \"%s\", and not \"%s\"", i, r, f->reports,
			         cases[i].words);
		}
		good[good[1].size > 0 ? 1 : 0].value = cases[i].good;
		call.fields = good;
		r = cases[i].verb(&call);
		if (r != 0) {
			fail_msg("case %zu (%s): %d, %s", i, cases[i].words, r,
			         f->reports);
		}
	}
}
