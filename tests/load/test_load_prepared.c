/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads whose databases are prepared and then published: the database is the one that a
 * load makes; the digest of the content depends on the entries alone.
 */
#include "load_fixture.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/digest.h"
#include "base/error.h"
#include "load/prepared.h"
#include "test.h"

typedef int (*prepared_fn)(const struct dit_prepared_opts *opts,
                           struct dit_prepared_stats *ret);

static int call(struct load_fixture *f, prepared_fn what, struct dit_prepared_stats *ret)
{
	struct dit_load_opts load = load_fixture_opts(f);
	struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;

	opts.conf = f->conf;
	opts.report = load.report;
	opts.report_ctx = load.report_ctx;
	return what(&opts, ret);
}

static int call_alone(struct load_fixture *f, prepared_fn what)
{
	struct dit_prepared_stats stats;
	int r = call(f, what, &stats);

	dit_prepared_stats_deinit(&stats);
	return r;
}

static int prepare(struct dit_load_opts *opts)
{
	int r = 0;

	opts->is_prepared = true;
	r = load_fixture_run(opts);
	return r;
}

/* The digest of the content of the first database, after a prepared load. */
static struct dit_sum128 content(struct load_fixture *f, struct dit_load_opts *opts)
{
	struct dit_prepared_stats stats;
	struct dit_sum128 sum = {0, 0};

	assert_int_equal(prepare(opts), 0);
	assert_int_equal(call(f, dit_prepared_status, &stats), 0);
	assert_int_equal(stats.databases[0].state, DIT_PREPARED_READY);
	assert_int_equal(
		sscanf(stats.databases[0].content, "%16lx%16lx", &sum.high, &sum.low), 2);
	assert_true(sum.high != 0 && sum.low != 0);
	dit_prepared_stats_deinit(&stats);
	return sum;
}

static void assert_same(struct dit_sum128 a, struct dit_sum128 b)
{
	assert_int_equal(a.high, b.high);
	assert_int_equal(a.low, b.low);
}

TEST(sums_of_disjoint_loads_and_threads_give_one_digest)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_sum128 whole;
	struct dit_sum128 first;
	struct dit_sum128 rest;
	char second[4300];

	load_fixture_write_people(f, 300);
	whole = content(f, &opts);
	opts.threads = 3;
	opts.batch_records = 7;
	opts.is_quick = true;
	assert_same(content(f, &opts), whole);

	(void)snprintf(second, sizeof(second), "%s.rest", f->input);
	load_fixture_split(f, 100, second);
	first = content(f, &opts);
	opts.input = second;
	rest = content(f, &opts);
	dit_sum128_add(&first, &rest);
	assert_same(first, whole);

	opts.inputs = (const char *const[]){second, f->input};
	opts.ninputs = 2;
	assert_same(content(f, &opts), whole);
}

TEST(the_digest_is_of_values_and_not_of_their_order)
{
	static const char *const ldifs[] = {
		"dn: dc=x\nobjectClass: domain\ndc: x\no: a\no: b\n",
		"dn: DC=x\no: b\norganizationName: a\ndomainComponent: x\n"
		"objectClass: domain\n",
		"dn: dc=x\nobjectClass: domain\ndc: x\no: a\no: c\n",
		"dn: dc=x\nobjectClass: domain\ndc: x\no: a\ndescription: b\n",
		"dn: dc=x\nobjectClass: domain\ndc: X\no: a\no: b\n",
	};
	struct dit_sum128 sums[5];

	for (size_t i = 0; i < 5; i++) {
		struct load_fixture f;
		struct dit_load_opts opts;

		load_fixture_init(&f, "");
		load_fixture_write(&f, ldifs[i]);
		opts = load_fixture_opts(&f);
		sums[i] = content(&f, &opts);
		load_fixture_deinit(&f);
	}
	assert_same(sums[0], sums[1]);
	for (size_t i = 2; i < 5; i++) {
		assert_true(sums[i].low != sums[0].low && sums[i].high != sums[0].high);
	}
}

TEST(a_sum_carries)
{
	struct dit_sum128 sum = {UINT64_MAX, UINT64_MAX};
	const struct dit_sum128 two = {1, 2};

	dit_sum128_add(&sum, &two);
	assert_same(sum, (struct dit_sum128){1, 1});
}

TEST(what_is_published_is_what_a_load_makes)
{
	static const enum dit_load_writer writers[] = {DIT_LOAD_WRITER_PAGES,
	                                               DIT_LOAD_WRITER_APPEND};
	struct load_fixture *f = load_fixture_new_glued("");
	uint64_t loaded = 0;

	load_fixture_load_people(f, 200);
	loaded = load_fixture_digest(f);
	for (size_t i = 0; i < 2; i++) {
		struct dit_load_opts opts = load_fixture_opts(f);

		load_fixture_reset(f);
		opts.writer = writers[i];
		assert_int_equal(prepare(&opts), 0);
		assert_int_equal(load_fixture_digest(f), 0);
		assert_int_equal(call_alone(f, dit_prepared_publish), 0);
		assert_int_equal(load_fixture_digest(f), loaded);
		assert_int_equal(call_alone(f, dit_prepared_abandon), 0);
		assert_int_equal(load_fixture_digest(f), loaded);
	}
}

/* In one step for all databases; without entries of the load they are empty then. */
TEST(what_a_prepared_load_needs_is_told)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_estimate estimate;

	load_fixture_write_people(f, 20);
	opts.is_prepared = true;
	assert_int_equal(dit_estimate_load(&opts, 0, &estimate), 0);
	assert_true(estimate.nentries >= 20);
	dit_estimate_deinit(&estimate);
	assert_true(load_fixture_is_empty(f));
}

TEST(entries_are_replaced_if_the_caller_says_so)
{
	struct dit_prepared_opts publish = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	uint64_t loaded = 0;

	load_fixture_load_people(f, 20);
	loaded = load_fixture_digest(f);
	load_fixture_reset(f);
	load_fixture_load_people(f, 200);
	load_fixture_write_people(f, 20);
	assert_int_equal(prepare(&opts), DIT_E_NOTEMPTY);
	opts.replaces = true;
	assert_int_equal(prepare(&opts), 0);
	assert_int_equal(call_alone(f, dit_prepared_publish), DIT_E_NOTEMPTY);
	assert_true(load_fixture_digest(f) != loaded);
	publish.conf = f->conf;
	publish.replaces = true;
	assert_int_equal(dit_prepared_publish(&publish, &stats), 0);
	dit_prepared_stats_deinit(&stats);
	assert_int_equal(load_fixture_digest(f), loaded);
	opts.only_if_empty = true;
	assert_int_equal(prepare(&opts), -EINVAL);
}

TEST(what_is_stopped_changes_nothing)
{
	static const volatile sig_atomic_t stop = 1;
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_prepared_opts publish = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;

	load_fixture_write_people(f, 20);
	opts.is_dry_run = true;
	assert_int_equal(prepare(&opts), -EINVAL);
	opts.is_dry_run = false;
	opts.stop = &stop;
	assert_int_equal(prepare(&opts), DIT_E_STOPPED);
	assert_true(load_fixture_is_empty(f));
	opts.stop = NULL;
	assert_int_equal(prepare(&opts), 0);
	publish.conf = f->conf;
	publish.stop = &stop;
	assert_int_equal(dit_prepared_publish(&publish, &stats), DIT_E_STOPPED);
	dit_prepared_stats_deinit(&stats);
	assert_int_equal(load_fixture_digest(f), 0);
	assert_int_equal(call_alone(f, dit_prepared_abandon), 0);
	assert_true(load_fixture_is_empty(f));
}

/* Shards by hash have the same suffix and configuration. */
TEST(what_was_prepared_in_another_directory_is_refused)
{
	struct load_fixture shards[2];

	for (size_t i = 0; i < 2; i++) {
		struct dit_load_opts opts;

		load_fixture_init(&shards[i], "");
		load_fixture_write_people(&shards[i], 20);
		opts = load_fixture_opts(&shards[i]);
		assert_int_equal(prepare(&opts), 0);
	}
	for (size_t i = 0; i < 2; i++) { /* exchanged, and put back */
		char paths[2][4300];

		(void)snprintf(paths[0], 4300, "%s/ditkit-prepared", shards[0].database);
		(void)snprintf(paths[1], 4300, "%s/ditkit-prepared", shards[1].database);
		assert_int_equal(renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1],
		                           RENAME_EXCHANGE),
		                 0);
		assert_int_equal(call_alone(&shards[0], dit_prepared_publish),
		                 i == 0 ? DIT_E_INVALID : 0);
		assert_int_equal(load_fixture_digest(&shards[0]) == 0, i == 0);
	}
	assert_non_null(strstr(shards[0].reports, "prepared for another directory"));
	for (size_t i = 0; i < 2; i++) {
		load_fixture_deinit(&shards[i]);
	}
}

static void change_manifest(const char *directory, const char *part, const char *key,
                            json_t *value)
{
	char *path = test_text("%s/ditkit-prepared/manifest.json", directory);
	json_t *json = NULL;
	json_t *in = NULL;

	json = json_load_file(path, 0, NULL);
	assert_non_null(json);
	in = part == NULL ? json : json_object_get(json, part);
	assert_int_equal(json_object_set_new(in, key, value), 0);
	assert_int_equal(json_dump_file(json, path, 0), 0);
	json_decref(json);
}

TEST(each_difference_is_refused_with_its_name)
{
	static const char other[] = "0123456789abcdef0123456789abcdef";
	static const struct {
		const char *part;
		const char *key;
		const char *value; /* NULL: a database more */
		const char *words;
	} cases[] = {
		{"configuration", "indexes", other,
	         "another configuration than that here: indexes"},
		{"configuration", "values", other, "than that here: values"},
		{"configuration", "schema", other, "than that here: schema"},
		{NULL, "release", "2.4", "it was prepared for OpenLDAP 2.4"},
		{NULL, "suffix", "dc=y", "another suffix than"},
		{NULL, "set", other, "it was not prepared together with that in"},
		{NULL, "databases", NULL, "together with other databases"},
	};
	struct load_fixture *f = load_fixture_new_glued("");

	load_fixture_write_people(f, 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_load_opts opts = load_fixture_opts(f);
		json_t *value =
			cases[i].value != NULL
				? json_string(cases[i].value)
				: json_pack("[{s:s}, {s:s}, {s:s}]", "suffix", "dc=x",
		                            "suffix", "ou=dept 3,dc=x", "suffix", "dc=z");

		assert_int_equal(prepare(&opts), 0);
		change_manifest(f->subordinate, cases[i].part, cases[i].key, value);
		assert_int_equal(call_alone(f, dit_prepared_publish), DIT_E_INVALID);
		if (strstr(f->reports, cases[i].words) == NULL) {
			fail_msg("\"%s\" is not in \"%s\"", cases[i].words, f->reports);
		}
		assert_int_equal(load_fixture_digest(f), 0);
	}
}

/* The configuration with the first @p from in it replaced. */
static void edit_conf(const struct load_fixture *f, const char *from, const char *to)
{
	char text[8192] = "";
	FILE *file = fopen(f->conf, "r+");
	char *at = NULL;

	assert_non_null(file);
	(void)fread(text, 1, sizeof(text) - 1, file);
	at = strstr(text, from);
	assert_non_null(at);
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	rewind(file);
	(void)fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(fclose(file), 0);
}

TEST(each_rule_of_stored_bytes_counts)
{
	static const struct {
		const char *from;
		const char *to;
		const char *part;
	} cases[] = {
		{"if_minlen 2", "if_minlen 1", "indexes"},
		{"if_maxlen 4", "if_maxlen 5", "indexes"},
		{"any_len 4", "any_len 5", "indexes"},
		{"intlen 4", "intlen 8", "indexes"},
		{"hash64 off", "hash64 on", "indexes"},
		{"idlexp 16", "idlexp 20", "indexes"},
		{"cn,sn,uid pres,eq,sub", "cn,sn,uid sub", "indexes"},
		{"default 100,50", "default 90,50", "values"},
		{"default 100,50", "default 100,9", "values"},
		{"cn 7,5", "cn 9,5", "values"},
		{"cn 7,5", "cn 7,4", "values"},
		{"sortvals cn\n", "", "values"},
	};
	struct load_fixture *f =
		load_fixture_new("multival default 100,50\nmultival cn 7,5\nsortvals cn\n"
	                         "index_substr_if_minlen 2\nindex_substr_if_maxlen 4\n"
	                         "index_substr_any_len 4\nindex_intlen 4\n"
	                         "index_hash64 off\n");
	struct dit_load_opts opts = load_fixture_opts(f);

	edit_conf(f, "database mdb\n", "backend mdb\nidlexp 16\ndatabase mdb\n");
	load_fixture_write_people(f, 20);
	assert_int_equal(prepare(&opts), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[64];

		(void)snprintf(words, sizeof(words), "than that here: %s\n",
		               cases[i].part);
		free(f->reports);
		f->reports = strdup("");
		edit_conf(f, cases[i].from, cases[i].to);
		assert_int_equal(call_alone(f, dit_prepared_publish), DIT_E_INVALID);
		if (strstr(f->reports, words) == NULL) {
			fail_msg("\"%s\" is not in \"%s\"", words, f->reports);
		}
		if (cases[i].to[0] != '\0') {
			edit_conf(f, cases[i].to, cases[i].from);
		}
	}
}

static void spoil(const char *directory)
{
	char *path = test_text("%s/ditkit-prepared/data.mdb", directory);
	char byte = 0;
	int fd = -1;

	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, 9000), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, 9000), 1);
	assert_int_equal(close(fd), 0);
}

TEST(a_spoilt_or_too_large_file_is_refused)
{
	struct load_fixture *f = load_fixture_new("maxsize 100000\n");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_prepared_opts publish = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;

	load_fixture_write_people(f, 300);
	opts.may_grow = true;
	assert_int_equal(prepare(&opts), 0);
	assert_int_equal(call_alone(f, dit_prepared_publish), DIT_E_FULL);
	publish.conf = f->conf;
	publish.may_grow = true;
	spoil(f->database);
	assert_int_equal(dit_prepared_publish(&publish, &stats), DIT_E_CORRUPT);
	dit_prepared_stats_deinit(&stats);
	spoil(f->database);
	assert_int_equal(dit_prepared_publish(&publish, &stats), 0);
	dit_prepared_stats_deinit(&stats);
}

/* As after a kill between two renames. */
TEST(what_is_published_in_part_is_published_whole)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	uint64_t published = 0;
	char from[4300];
	char to[4300];

	load_fixture_write_people(f, 20);
	assert_int_equal(prepare(&opts), 0);
	assert_int_equal(call_alone(f, dit_prepared_publish), 0);
	published = load_fixture_digest_of(f->subordinate);
	(void)snprintf(from, sizeof(from), "%s/data.mdb", f->subordinate);
	(void)snprintf(to, sizeof(to), "%s/ditkit-prepared/data.mdb", f->subordinate);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(call_alone(f, dit_prepared_publish), 0);
	assert_int_equal(load_fixture_digest_of(f->subordinate), published);
}

static void stop_when_told(void *ctx, const struct dit_report *report)
{
	*(volatile sig_atomic_t *)ctx = strstr(report->text, "waiting for") != NULL;
}

TEST(a_publication_waits_for_who_has_the_lock)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_prepared_opts publish = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	volatile sig_atomic_t stop = 0;
	char path[4300];
	int fd = -1;

	load_fixture_write_people(f, 20);
	assert_int_equal(prepare(&opts), 0);
	(void)snprintf(path, sizeof(path), "%s/ditkit-prepared", f->database);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	publish.conf = f->conf;
	publish.stop = &stop;
	publish.report = stop_when_told;
	publish.report_ctx = (void *)&stop;
	assert_int_equal(dit_prepared_publish(&publish, &stats), DIT_E_STOPPED);
	dit_prepared_stats_deinit(&stats);
	assert_int_equal(load_fixture_digest(f), 0);
	assert_int_equal(close(fd), 0);
}

/* The chosen database goes last: as long as it is there, all can be abandoned again. */
TEST(an_abandon_that_fails_leaves_the_chosen_database)
{
	struct load_fixture *f = load_fixture_new_glued("");
	struct dit_load_opts opts = load_fixture_opts(f);
	struct dit_prepared_stats stats;
	char inside[4300];

	load_fixture_write_people(f, 20);
	assert_int_equal(prepare(&opts), 0);
	(void)snprintf(inside, sizeof(inside), "%s/ditkit-prepared/.rsync",
	               f->subordinate);
	assert_int_equal(mkdir(inside, 0700), 0);
	assert_int_equal(call_alone(f, dit_prepared_abandon), -EISDIR);
	assert_non_null(strstr(f->reports, ".rsync in it is a directory: remove it"));
	assert_int_equal(call(f, dit_prepared_status, &stats), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(stats.databases[i].state, DIT_PREPARED_READY);
	}
	dit_prepared_stats_deinit(&stats);
	assert_int_equal(rmdir(inside), 0);
	assert_int_equal(call_alone(f, dit_prepared_abandon), 0);
	assert_true(load_fixture_is_empty(f));
}
