/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the LDIF reader (values.md 1.1, storage.md 6.5):
 * - records are cut, and their lines counted, as slapadd 2.5.13 does;
 * - the same records come from files and pipes, in batches of any size;
 * - "include:" switches files; its failure ends the input after the records before it;
 * - records before first_line are skipped;
 * - reading fails with a code and a text, and goes on failing.
 */
#include "ldif_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>

#include "ldif/ldif_reader.h"

#include "base/error.h"
#include "ldif_reader_cases.h"

/* The lines of a whole input. */
struct result {
	char *text; /* "LINE<TEXT>" of all records */
	size_t len;
	size_t nrecords;
	int end; /* 0 or -errno */
	char error[512];
};

static void result_free(struct result *result)
{
	free(result->text);
}

static void result_add(struct result *result, const struct dit_ldif_record *record)
{
	size_t room = record->text.len + 32;

	result->text = realloc(result->text, result->len + room);
	assert_non_null(result->text);
	result->len += (size_t)snprintf(result->text + result->len, room, "%llu<",
	                                (unsigned long long)record->line);
	memcpy(result->text + result->len, record->text.data, record->text.len);
	result->len += record->text.len;
	result->text[result->len++] = '>';
	result->nrecords++;
}

/* Two batches in turn, as the loader uses them. */
static struct result read_input(const struct dit_ldif_reader_opts *opts)
{
	struct result result = {0};
	struct dit_ldif_batch batches[2] = {{0}, {0}};
	struct dit_ldif_reader *reader = NULL;
	int turn = 0;
	int r = 0;

	assert_int_equal(dit_ldif_reader_open(&reader, opts, NULL), 0);
	while ((r = dit_ldif_reader_next(reader, &batches[turn])) > 0) {
		assert_in_range(batches[turn].nrecords, 1, opts->batch_records);
		for (size_t i = 0; i < batches[turn].nrecords; i++) {
			result_add(&result, &batches[turn].records[i]);
		}
		turn ^= 1;
	}
	result.end = r;
	(void)snprintf(result.error, sizeof(result.error), "%s",
	               dit_ldif_reader_error(reader));

	assert_int_equal(dit_ldif_reader_next(reader, &batches[turn]), r);
	assert_int_equal(batches[turn].nrecords, 0);
	dit_ldif_batch_deinit(&batches[0]);
	dit_ldif_batch_deinit(&batches[1]);
	dit_ldif_reader_close(reader);
	return result;
}

static void assert_results_equal(const struct result *a, const struct result *b)
{
	assert_int_equal(a->nrecords, b->nrecords);
	assert_int_equal(a->len, b->len);
	if (a->len > 0) {
		assert_memory_equal(a->text, b->text, a->len);
	}
	assert_int_equal(a->end, b->end);
	assert_string_equal(a->error, b->error);
}

static void write_case(const struct reader_case *c)
{
	char name[16];

	for (int i = 0; i < INCLUDES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "i%d", i);
		(void)remove(name);
		if (c->files[i] != NULL) {
			test_write_file(name, c->files[i], strlen(c->files[i]));
		}
	}
	test_write_file("input", c->input, strlen(c->input));
}

FIXTURE_TEST(every_case_gives_the_records_of_slapadd)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reader_case *c = &cases[i];
		struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
		struct result expected = {0};
		struct result result;

		print_message("%s\n", c->what);
		write_case(c);
		for (int k = 0; k < RECORDS_MAX && c->records[k].text != NULL; k++) {
			struct dit_ldif_record record = {
				.text = dit_span_of(c->records[k].text),
				.line = c->records[k].line};

			result_add(&expected, &record);
		}
		opts.path = "input";
		result = read_input(&opts);

		expected.end = result.end;
		(void)snprintf(expected.error, sizeof(expected.error), "%s",
		               c->error == NULL ? "" : c->error);
		assert_int_equal(result.end < 0, c->error != NULL);
		assert_results_equal(&result, &expected);
		result_free(&expected);
		result_free(&result);
	}
}

struct feeder {
	int fd;
	const char *bytes;
	size_t len;
	size_t piece;
};

static void *feed(void *arg)
{
	struct feeder *feeder = arg;

	for (size_t at = 0; at < feeder->len;) {
		size_t left = feeder->len - at;
		ssize_t n = write(feeder->fd, feeder->bytes + at,
		                  left < feeder->piece ? left : feeder->piece);

		if (n < 0) {
			break;
		}
		at += (size_t)n;
	}
	(void)close(feeder->fd);
	return NULL;
}

/* The same bytes through standard input, in pieces. */
static struct result read_pipe(struct dit_ldif_reader_opts opts, struct dit_span bytes,
                               size_t piece)
{
	struct feeder feeder = {.bytes = bytes.data, .len = bytes.len, .piece = piece};
	struct result result;
	int saved = dup(STDIN_FILENO);
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	feeder.fd = fds[1];
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
	opts.path = NULL;
	result = read_input(&opts);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);
	return result;
}

static void check_all_sizes(const char *path, struct dit_span bytes)
{
	static const size_t sizes[] = {1, 2, 3, 7, 16, 61, 1000, 1 << 20};
	static const size_t counts[] = {1, 2, 5, 2048};
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result whole;

	opts.path = path;
	whole = read_input(&opts);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			struct result result;

			opts.batch_bytes = sizes[i];
			opts.batch_records = counts[k];
			result = read_input(&opts);
			assert_results_equal(&result, &whole);
			result_free(&result);
			result = read_pipe(opts, bytes, sizes[i]);
			assert_results_equal(&result, &whole);
			result_free(&result);
		}
	}
	result_free(&whole);
}

FIXTURE_TEST(batches_of_any_size_give_the_same_records)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].what);
		write_case(&cases[i]);
		check_all_sizes("input", dit_span_of(cases[i].input));
	}
}

static void check_fixture(const char *path)
{
	enum {
		BYTES_MAX = 1 << 16
	};
	char *bytes = malloc(BYTES_MAX);
	FILE *file = fopen(path, "rb");
	size_t len = 0;

	assert_non_null(bytes);
	assert_non_null(file);
	len = fread(bytes, 1, BYTES_MAX, file);
	assert_int_equal(fclose(file), 0);

	/* The start of a large one is enough. */
	print_message("%s\n", path);
	test_write_file("input", bytes, len);
	check_all_sizes("input", (struct dit_span){bytes, len});
	free(bytes);
}

FIXTURE_TEST(all_fixtures_give_the_same_records)
{
	static const char *const folders[] = {"ldif", "errors"};
	struct fixture *f = *state;
	unsigned nfiles = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char folder[8192];
		char path[8704];
		struct dirent *item = NULL;
		const char *data = test_data(folders[i]);
		DIR *dir = NULL;

		(void)snprintf(folder, sizeof(folder), "%s%s%s",
		               data[0] == '/' ? "" : f->before, data[0] == '/' ? "" : "/",
		               data);
		dir = opendir(folder);
		assert_non_null(dir);
		while ((item = readdir(dir)) != NULL) {
			size_t len = strlen(item->d_name);

			if (len > 5 && strcmp(item->d_name + len - 5, ".ldif") == 0) {
				(void)snprintf(path, sizeof(path), "%s/%s", folder,
				               item->d_name);
				check_fixture(path);
				nfiles++;
			}
		}
		(void)closedir(dir);
	}
	assert_true(nfiles > 0);
}

/* slapd would open what stands before the NUL. */
FIXTURE_TEST(a_nul_byte_in_an_include_is_refused)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result result;

	test_write_file("input", "include: file:i0\0\n", 18);
	test_write_file("i0", "dn: a\n", 6);
	opts.path = "input";
	result = read_input(&opts);
	assert_int_equal(result.end, -EINVAL);
	assert_string_equal(result.error, "ldif_read_record: include file:i0 failed");
	result_free(&result);
}

FIXTURE_TEST(records_before_first_line_are_skipped)
{
	static const char input[] = "dn: a\n\n#\ndn: b\n\ninclude: file:i0\n\ndn: d\n";
	static const struct {
		uint64_t first_line;
		const char *records;
	} skips[] = {
		{1, "1<dn: a\n>3<#\ndn: b\n>6<dn: c\n>8<dn: d\n>"},
		{2, "3<#\ndn: b\n>6<dn: c\n>8<dn: d\n>"},
		{3, "3<#\ndn: b\n>6<dn: c\n>8<dn: d\n>"},
		{4, "6<dn: c\n>8<dn: d\n>"},
		{8, "8<dn: d\n>"},
		{9, ""},
	};

	test_write_file("input", input, strlen(input));
	test_write_file("i0", "dn: c\n", 6);
	for (size_t i = 0; i < sizeof(skips) / sizeof(skips[0]); i++) {
		struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
		struct result result;

		opts.path = "input";
		opts.first_line = skips[i].first_line;
		opts.batch_bytes = i + 1;
		result = read_input(&opts);
		assert_int_equal(result.end, 0);
		assert_int_equal(result.len, strlen(skips[i].records));
		if (result.len > 0) {
			assert_memory_equal(result.text, skips[i].records, result.len);
		}
		result_free(&result);
	}
}

/* Skipping, blank lines and old records leave room; only a record needs more. */
FIXTURE_TEST(the_version_is_kept_if_asked_for)
{
	static const char input[] = "version: 1\ndn: a\n\ninclude: file:i0\n";
	static const char records[] = "1<version: 1\ndn: a\n>4<version: 1\ndn: b\n>";
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result result;

	test_write_file("input", input, strlen(input));
	test_write_file("i0", "version: 1\ndn: b\n", 17);
	opts.path = "input";
	opts.keep_version = true;

	result = read_input(&opts);

	assert_int_equal(result.len, strlen(records));
	assert_memory_equal(result.text, records, result.len);
	result_free(&result);
}

FIXTURE_TEST(the_buffer_grows_to_the_largest_record_only)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_batch batch = {0};
	struct dit_ldif_reader *reader = NULL;
	FILE *file = fopen("input", "wb");

	assert_non_null(file);
	for (int i = 0; i < 1000; i++) {
		(void)fprintf(file, "dn: cn=%d\n\n\n\n", i);
	}
	(void)fprintf(file, "dn: cn=last\nsn: %0100d\n", 0);
	assert_int_equal(fclose(file), 0);

	opts.path = "input";
	opts.batch_bytes = 16;
	opts.first_line = 3990;
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
	assert_int_equal(dit_ldif_reader_next(reader, &batch), 1);
	assert_int_equal(batch.size, 16);
	while (dit_ldif_reader_next(reader, &batch) > 0) {
	}
	assert_int_equal(batch.size, 128);
	dit_ldif_reader_close(reader);
	dit_ldif_batch_deinit(&batch);
}

/* The lines of a record count, with their ends; pieces of every size are read. */
FIXTURE_TEST(a_record_over_the_limit_is_refused)
{
	static const char *const ends[] = {"", "\n", "\n\n", "\r\n\r\n",
	                                   "\n\ndn: cn=x\n"};
	char want[200];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		/* The blank line that ends a record is one of its lines. */
		uint64_t cost = dit_ldif_record_cost(500 + (i == 0   ? 0
		                                            : i == 3 ? 2
		                                                     : 1),
		                                     i < 2 ? 2 : 3);
		FILE *file = fopen("input", "wb");

		assert_non_null(file);
		(void)fprintf(file, "dn: x\n\ndn: y\nsn: %0490d%s", 0, ends[i]);
		assert_int_equal(fclose(file), 0);
		for (size_t piece = 1; piece < 600; piece++) {
			for (int room = 0; room < 2; room++) {
				struct dit_ldif_reader_opts opts =
					DIT_LDIF_READER_OPTS_INIT;
				struct dit_ldif_batch batch = {0};
				struct dit_ldif_reader *reader = NULL;
				size_t n = 0;
				int r = 1;

				opts.path = "input";
				opts.batch_bytes = piece;
				opts.record_max = cost - 1 + (unsigned)room;
				(void)snprintf(want, sizeof(want),
				               "ldif_read_record: the record at line 3 "
				               "takes more than %ju bytes of memory, as "
				               "many as --max-record allows",
				               (uintmax_t)cost - 1);
				assert_int_equal(
					dit_ldif_reader_open(&reader, &opts, NULL), 0);
				while ((r = dit_ldif_reader_next(reader, &batch)) > 0) {
					n += batch.nrecords;
				}
				assert_int_equal(r, room == 1 ? 0 : DIT_E_TOOLONG);
				assert_int_equal(n, room == 0 ? 1 : i == 4 ? 3 : 2);
				assert_string_equal(dit_ldif_reader_error(reader),
				                    room == 1 ? "" : want);
				dit_ldif_reader_close(reader);
				dit_ldif_batch_deinit(&batch);
			}
		}
	}
}

FIXTURE_TEST(the_size_and_the_bytes_read_show_the_progress)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_batch batch = {0};
	struct dit_ldif_reader *reader = NULL;

	char text[3 * 800]; /* records, each longer than the first look at the input */

	memset(text, 'a', sizeof(text));
	for (size_t at = 0; at < sizeof(text); at += 800) {
		memcpy(text + at, "dn: ", 4);
		memcpy(text + at + 798, "\n\n", 2);
	}
	test_write_file("input", text, sizeof(text));
	opts.path = "input";
	opts.batch_bytes = 801;
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
	assert_int_equal(dit_ldif_reader_size(reader), sizeof(text));
	assert_int_equal(dit_ldif_reader_next(reader, &batch), 1);
	assert_int_equal(batch.bytes_read, 801);
	assert_int_equal(dit_ldif_reader_next(reader, &batch), 1);
	assert_int_equal(dit_ldif_reader_next(reader, &batch), 1);
	assert_int_equal(batch.bytes_read, sizeof(text));
	assert_int_equal(dit_ldif_reader_next(reader, &batch), 0);
	dit_ldif_reader_close(reader);
	dit_ldif_batch_deinit(&batch);
}

/* Standard input from a file whose start is already read: "(read x; ditadd) < file". */
FIXTURE_TEST(a_file_is_read_from_its_current_offset)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result result;
	int saved = dup(STDIN_FILENO);
	int fd = -1;

	test_write_file("input", "dn: a\n\ndn: b\n", 13);
	fd = open("input", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(fd), 0);
	result = read_input(&opts);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);

	assert_int_equal(result.len, 9);
	assert_memory_equal(result.text, "1<dn: b\n>", 9);
	result_free(&result);
}

FIXTURE_TEST(a_missing_input_is_reported)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_reader *reader = NULL;

	opts.path = "missing";
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), -ENOENT);
	assert_null(reader);
	dit_ldif_reader_close(NULL);
}

FIXTURE_TEST(a_directory_cannot_be_read)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result result;

	opts.path = ".";
	result = read_input(&opts);
	assert_int_equal(result.end, -EISDIR);
	assert_string_equal(result.error,
	                    "ldif_read_record: reading . failed: Is a directory");
	result_free(&result);
}

FIXTURE_TEST(closed_standard_input_is_reported)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_reader *reader = NULL;
	int saved = dup(STDIN_FILENO);
	int r = 0;

	assert_int_equal(close(STDIN_FILENO), 0);
	r = dit_ldif_reader_open(&reader, &opts, NULL);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);
	assert_int_equal(r, -EBADF);
}

/* Lets the address sanitizer answer NULL, as the system does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

FIXTURE_TEST(lack_of_memory_is_reported)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result result;

	test_write_file("input", "dn: a\n", 6);
	opts.path = "input";
	opts.batch_bytes = SIZE_MAX / 2;
	result = read_input(&opts);
	assert_int_equal(result.end, -ENOMEM);
	assert_string_equal(result.error, "ldif_read_record: out of memory");
	result_free(&result);
}
