/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the LDIF reader with several inputs, and with packed ones:
 * - several inputs are read as one, and each record knows its file and its line in it;
 * - packed input gives the records of the plain one: files, pipes, included files, in
 *   batches of any size, with and without a thread;
 * - what is no LDIF, or is damaged, is told with its name;
 * - each input has a digest of its bytes, packed as they are;
 * - plain inputs are read on from any position, packed ones are not.
 */
#include <pthread.h>

#include <xxhash.h>
#include <zlib.h>

#include "base/error.h"
#include "ldif/ldif_reader.h"
#include "ldif/ldif_source.h"
#include "ldif_fixture.h"

static void write_gzip(const char *path, const char *text, size_t len)
{
	gzFile file = gzopen(path, "wb1");

	assert_non_null(file);
	assert_int_equal(gzwrite(file, text, (unsigned)len), len);
	assert_int_equal(gzclose(file), Z_OK);
}

static size_t size_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	long size = 0;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_int_equal(fclose(file), 0);
	return (size_t)size;
}

struct result {
	char text[100000]; /* "LINE FILE:LINE<TEXT>" of all records */
	size_t len;
	uint64_t nbytes;
	uint64_t size;
	int end;
	char error[512];
};

static struct result *read_all(const struct dit_ldif_reader_opts *opts)
{
	struct result *result = calloc(1, sizeof(*result));
	struct dit_ldif_batch batch = {0};
	struct dit_ldif_reader *reader = NULL;

	assert_non_null(result);
	assert_int_equal(dit_ldif_reader_open(&reader, opts, NULL), 0);
	result->size = dit_ldif_reader_size(reader);
	while ((result->end = dit_ldif_reader_next(reader, &batch)) > 0) {
		for (size_t i = 0; i < batch.nrecords; i++) {
			const struct dit_ldif_record *record = &batch.records[i];
			int n = snprintf(result->text + result->len,
			                 sizeof(result->text) - result->len,
			                 "%llu %s:%llu<%.*s>",
			                 (unsigned long long)record->line, record->file,
			                 (unsigned long long)record->file_line,
			                 DIT_SPAN_ARGS(record->text));

			result->len += (size_t)n;
			assert_true(result->len < sizeof(result->text));
		}
	}
	result->nbytes = batch.bytes_read;
	(void)snprintf(result->error, sizeof(result->error), "%s",
	               dit_ldif_reader_error(reader));
	dit_ldif_reader_close(reader);
	dit_ldif_batch_deinit(&batch);
	return result;
}

FIXTURE_TEST(several_inputs_are_read_as_one)
{
	static const char *const paths[] = {"a", "empty", "b", "c"};
	static const char expected[] = "1 a:1<dn: a\n>"
				       "3 a:3<#\ndn: b>"
				       "6 b:2<dn: c\n>"
				       "8 file:i:2<# x\ndn: d\n>"
				       "14 file:i:5<dn: e\n>"
				       "16 file:j:1<dn: j>"
				       "19 file:i:9<dn: k>"
				       "20 b:6<dn: f\n>"
				       "21 c:1<dn: g\n>";

	test_write_text("a", "dn: a\n\n#\ndn: b");
	test_write_text("empty", "");
	test_write_text("b", "version: 1\ndn: c\n\n\ninclude: file:i\ndn: f\n");
	test_write_text("i", "\n# x\ndn: d\n\ndn: e\n\n\ninclude: file:j\ndn: k");
	test_write_text("j", "dn: j");
	test_write_text("c", "dn: g\n");
	for (size_t bytes = 1; bytes < 100; bytes++) {
		struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
		struct result *result = NULL;

		opts.paths = paths;
		opts.npaths = 4;
		opts.batch_bytes = bytes;
		opts.batch_records = 1 + bytes % 3;
		result = read_all(&opts);
		assert_int_equal(result->end, 0);
		assert_string_equal(result->text, expected);
		assert_int_equal(result->size,
		                 size_of("a") + size_of("b") + size_of("c"));
		assert_int_equal(result->nbytes, result->size);
		free(result);
	}
}

FIXTURE_TEST(an_input_that_cannot_be_opened_is_named)
{
	static const char *const paths[] = {"a", "missing", "b"};
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_reader *reader = NULL;
	const char *failed = NULL;

	test_write_text("a", "dn: a\n");
	opts.paths = paths;
	opts.npaths = 3;
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, &failed), -ENOENT);
	assert_ptr_equal(failed, paths[1]);
	assert_null(reader);
}

FIXTURE_TEST(packed_files_give_the_records_of_plain_ones)
{
	static const char *const plain[] = {"a", "b"};
	static const char *const packed[] = {"a.gz", "b"};
	char text[3000];
	size_t len = 0;
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct result *expected = NULL;

	for (int i = 0; i < 100; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		                        "dn: cn=%d\nsn: %d\n\n", i, i);
	}
	test_write_file("a", text, len);
	write_gzip("a.gz", text, len);
	test_write_text("b", "include: file:a\n\ndn: b\n");
	opts.paths = plain;
	opts.npaths = 2;
	opts.first_line = 7;
	expected = read_all(&opts);
	assert_int_equal(expected->end, 0);
	test_write_text("b", "include: file:a.gz\n\ndn: b\n");

	opts.paths = packed;
	for (size_t bytes = 1; bytes < 5000; bytes += bytes / 3 + 1) {
		for (int threaded = 0; threaded < 2; threaded++) {
			struct result *result = NULL;
			char *name = NULL;

			opts.batch_bytes = bytes;
			opts.is_threaded = threaded != 0;
			result = read_all(&opts);
			assert_int_equal(result->end, 0);
			assert_int_equal(result->nbytes, size_of("a.gz") + size_of("b"));
			while ((name = strstr(result->text, "a.gz:")) != NULL) {
				memmove(name + 1, name + 4, strlen(name + 3));
			}
			assert_string_equal(result->text, expected->text);
			free(result);
		}
	}
	free(expected);
}

struct feeder {
	int fd;
	const char *bytes;
	size_t len;
};

static void *feed_slowly(void *ctx)
{
	const struct feeder *feeder = ctx;

	for (size_t i = 0; i < feeder->len; i++) {
		assert_int_equal(write(feeder->fd, feeder->bytes + i, 1), 1);
	}
	assert_int_equal(close(feeder->fd), 0);
	return NULL;
}

static struct result *read_pipe(const char *bytes, size_t len, bool is_threaded)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct feeder feeder = {.bytes = bytes, .len = len};
	struct result *result = NULL;
	int saved = dup(STDIN_FILENO);
	pthread_t thread;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	feeder.fd = fds[1];
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(pthread_create(&thread, NULL, feed_slowly, &feeder), 0);
	opts.batch_bytes = 7;
	opts.is_threaded = is_threaded;
	result = read_all(&opts);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);
	return result;
}

FIXTURE_TEST(pipes_may_be_packed)
{
	static const char text[] = "dn: a\n\ndn: b\n";
	static const char expected[] =
		"1 standard input:1<dn: a\n>3 standard input:3<dn: b\n>";
	char packed[200];
	size_t len = 0;
	FILE *file = NULL;

	write_gzip("a.gz", text, strlen(text));
	file = fopen("a.gz", "rb");
	assert_non_null(file);
	len = fread(packed, 1, sizeof(packed), file);
	assert_int_equal(fclose(file), 0);
	for (int threaded = 0; threaded < 2; threaded++) {
		struct result *result = read_pipe(text, strlen(text), threaded != 0);

		assert_int_equal(result->end, 0);
		assert_string_equal(result->text, expected);
		assert_int_equal(result->size, 0);
		free(result);
		result = read_pipe(packed, len, threaded != 0);
		assert_int_equal(result->end, 0);
		assert_string_equal(result->text, expected);
		assert_int_equal(result->nbytes, len);
		free(result);
		result = read_pipe(packed, len - 1, threaded != 0);
		assert_int_equal(result->end, DIT_E_INVALID);
		free(result);
	}
}

static struct result *read_one(const char *path)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;

	opts.path = path;
	opts.batch_bytes = 64;
	opts.record_max = 4096;
	opts.is_threaded = true;
	return read_all(&opts);
}

static void assert_refused(const char *path, int code, const char *error)
{
	struct result *result = read_one(path);

	assert_string_equal(result->error, error);
	assert_int_equal(result->end, code);
	free(result);
}

FIXTURE_TEST(a_message_names_an_input_that_is_no_ldif)
{
	char zeros[5000] = {0};
	char packed[5000];
	size_t len = 0;
	FILE *file = NULL;

	test_write_file("a.bin", "abc\0\1\n", 6);
	assert_refused("a.bin", DIT_E_INVALID,
	               "ldif_read_record: a.bin: no LDIF, but binary data");
	test_write_file("a.zip", "PK\3\4zzz\n", 8);
	assert_refused("a.zip", DIT_E_INVALID,
	               "ldif_read_record: a.zip: no LDIF, but a zip archive");
	write_gzip("zeros.gz", zeros, sizeof(zeros));
	assert_refused("zeros.gz", DIT_E_INVALID,
	               "ldif_read_record: zeros.gz: no LDIF, but binary data");
	file = fopen("zeros.gz", "rb");
	assert_non_null(file);
	len = fread(packed, 1, sizeof(packed), file);
	assert_int_equal(fclose(file), 0);
	write_gzip("twice.gz", packed, len);
	assert_refused("twice.gz", DIT_E_INVALID,
	               "ldif_read_record: twice.gz: no LDIF, but compressed twice");
	test_write_text("a", "include: file:a.bin\n");
	assert_refused("a", DIT_E_INVALID,
	               "ldif_read_record: file:a.bin: no LDIF, but binary data");
}

FIXTURE_TEST(a_message_names_the_place_of_damage)
{
	char text[2000] = "dn: a\n\ndn: b\nb: ";
	char packed[5000];
	size_t len = 0;
	FILE *file = NULL;
	struct result *result = NULL;
	char expected[200];

	for (size_t i = strlen(text); i < sizeof(text) - 1; i++) {
		text[i] = (char)('a' + i * i % 23);
	}
	write_gzip("a.gz", text, strlen(text));
	file = fopen("a.gz", "rb");
	assert_non_null(file);
	len = fread(packed, 1, sizeof(packed), file);
	assert_int_equal(fclose(file), 0);
	test_write_file("a.gz", packed, len - 9);
	result = read_one("a.gz");
	assert_int_equal(result->end, DIT_E_INVALID);
	assert_string_equal(result->text, "1 a.gz:1<dn: a\n>");
	(void)snprintf(expected, sizeof(expected),
	               "ldif_read_record: a.gz: its gzip data is cut off at byte %zu, "
	               "after line 3",
	               len - 9);
	assert_string_equal(result->error, expected);
	free(result);
}

/* A small file may unpack to a line without end, or to lines without end. */
FIXTURE_TEST(a_record_over_the_memory_limit_is_refused)
{
	static const struct {
		const char *name;
		const char *line;
		size_t nlines;
		bool is_packed;
		int end;
	} cases[] = {
		{"a long line", "b", 20000, false, DIT_E_TOOLONG},
		{"a long line, packed", "b", 20000, true, DIT_E_TOOLONG},
		{"lines that fit", "\nl:", 17, false, 0},
		{"short lines", "\nl:", 22, false, DIT_E_TOOLONG},
		{"short lines, packed", "\nl:", 22, true, DIT_E_TOOLONG},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[20100] = "dn: a\n\ndn: ";
		struct result *result = NULL;

		for (size_t n = 0; n < cases[i].nlines; n++) {
			strcat(text, cases[i].line);
		}
		if (cases[i].is_packed) {
			write_gzip("bomb", text, strlen(text));
		} else {
			test_write_text("bomb", text);
		}
		result = read_one("bomb");
		print_message("%s\n", cases[i].name);
		assert_int_equal(result->end, cases[i].end);
		if (cases[i].end < 0) {
			assert_string_equal(
				result->error,
				"ldif_read_record: the record at line 3 takes more than "
				"4096 bytes of memory, as many as --max-record allows");
			assert_string_equal(result->text, "1 bomb:1<dn: a\n>");
		}
		free(result);
	}
}

/* The next record: its first line, or "" at the end. */
static void expect_next(struct dit_ldif_reader *reader, const char *line)
{
	struct dit_ldif_batch batch = {0};
	int r = dit_ldif_reader_next(reader, &batch);

	assert_int_equal(r, line[0] == '\0' ? 0 : 1);
	if (r > 0) {
		assert_memory_equal(batch.records[0].text.data, line, strlen(line));
	}
	dit_ldif_batch_deinit(&batch);
}

FIXTURE_TEST(reading_goes_on_at_the_first_record_after_a_position)
{
	static const struct {
		uint64_t positions[2];
		const char *records[2]; /* read after each position */
	} cases[] = {
		{{0, 1}, {"dn: a\n", "dn: b\n"}},
		{{3, 14}, {"dn: b\n", "dn: c\n"}},
		{{14, 18}, {"dn: c\n", "dn: d\n"}},
		{{15, 22}, {"dn: d\n", ""}},
		{{23, 500}, {"", ""}},
	};
	const char *const paths[] = {"one", "empty", "two"};
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;

	test_write_text("one", "dn: a\n\ndn: b\n\n");
	test_write_text("empty", "");
	test_write_text("two", "dn: c\n\n\ndn: d\n");
	opts.paths = paths;
	opts.npaths = 3;
	opts.batch_records = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_ldif_reader *reader = NULL;

		print_message("%llu\n", (unsigned long long)cases[i].positions[0]);
		assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
		assert_true(dit_ldif_reader_can_skip(reader));
		for (unsigned k = 0; k < 2; k++) {
			dit_ldif_reader_skip(reader, cases[i].positions[k]);
			expect_next(reader, cases[i].records[k]);
		}
		dit_ldif_reader_close(reader);
	}
}

/* As xxh128sum prints it, in one call of the library. */
static void digest_whole_file(const char *path, char ret[33])
{
	char bytes[40000];
	FILE *file = fopen(path, "rb");
	XXH128_hash_t hash;

	assert_non_null(file);
	hash = XXH3_128bits(bytes, fread(bytes, 1, sizeof(bytes), file));
	assert_int_equal(fclose(file), 0);
	(void)snprintf(ret, 33, "%016llx%016llx", (unsigned long long)hash.high64,
	               (unsigned long long)hash.low64);
}

FIXTURE_TEST(each_input_has_a_digest_of_its_bytes)
{
	static const char *const paths[] = {"mark", "packed", "empty", "includes"};
	char text[30000];

	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] = i % 9 == 0 ? '\n' : (char)('a' + i * i % 23);
	}
	test_write_text("mark", "\357\273\277dn: a\n\ndn: b");
	write_gzip("packed", text, sizeof(text));
	test_write_text("empty", "");
	test_write_text("includes", "include: file:mark\ndn: c\n");
	for (size_t bytes = 1; bytes < 2000; bytes *= 3) {
		struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
		struct dit_ldif_batch batch = {0};
		struct dit_ldif_reader *reader = NULL;
		const struct dit_ldif_digest *digests = NULL;

		opts.paths = paths;
		opts.npaths = 4;
		opts.batch_bytes = bytes;
		opts.is_threaded = bytes % 4 == 1;
		opts.keep_digests = true;
		assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
		while (dit_ldif_reader_next(reader, &batch) > 0) {
		}
		digests = dit_ldif_reader_digests(reader);
		for (unsigned i = 0; i < 4; i++) {
			char expected[33];

			digest_whole_file(paths[i], expected);
			assert_string_equal(digests[i].text, expected);
			assert_int_equal(digests[i].nbytes, size_of(paths[i]));
		}
		dit_ldif_reader_close(reader);
		dit_ldif_batch_deinit(&batch);
	}
}

FIXTURE_TEST(packed_inputs_have_no_positions)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_reader *reader = NULL;

	write_gzip("packed", "dn: a\n", 6);
	opts.path = "packed";
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
	assert_false(dit_ldif_reader_can_skip(reader));
	dit_ldif_reader_close(reader);
}
