/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of samples of LDIF:
 * - a small input is given out whole, each record once, with weight 1;
 * - of a large file the weights tell the number of records and of bytes, also where a few
 *   records are a thousand times as long as the others;
 * - the sample begins with the first record of the file and has the last one;
 * - comments, "version:" and "include:" are no entries;
 * - packed files and pipes are read to the end, or, when that is not wanted, a packed
 *   file's beginning is the sample and a pipe is refused;
 * - what cannot be read is named.
 */
#include <errno.h>

#include <zlib.h>

#include "base/error.h"
#include "ldif/ldif_sample.h"
#include "test.h"

struct found {
	unsigned n;
	double records;
	double long_records;
	double bytes;
	char first[200];
	char last[200];
	bool has_last; /* of the file */
	int stop_at;
};

static int take(void *ctx, const struct dit_ldif_sample_record *record)
{
	struct found *found = ctx;

	assert_true(record->weight >= 1);
	assert_memory_equal(record->text.data, "dn: ", 4);
	/* The blank line belongs to no record. */
	assert_true(record->text.len < 2 ||
	            record->text.data[record->text.len - 1] != '\n' ||
	            (record->text.data[record->text.len - 2] != '\n' &&
	             record->text.data[record->text.len - 2] != '\r'));
	if (found->n == 0) {
		(void)snprintf(found->first, sizeof(found->first), "%.*s",
		               record->text.len < 100 ? (int)record->text.len : 100,
		               record->text.data);
	}
	(void)snprintf(found->last, sizeof(found->last), "%.*s",
	               record->text.len < 100 ? (int)record->text.len : 100,
	               record->text.data);
	if (record->text.len > 10 && memcmp(record->text.data, "dn: cn=end\n", 11) == 0) {
		found->has_last = true;
	}
	found->n++;
	found->records += record->weight;
	found->bytes += record->weight * (double)record->text.len;
	found->long_records += record->text.len > 10000 ? record->weight : 0;
	return found->stop_at > 0 && (int)found->n == found->stop_at ? -EIO : 0;
}

static int sample_file(const char *path, uint64_t budget, bool beginning_only,
                       struct found *found, struct dit_ldif_sample *ret)
{
	const char *failed = NULL;
	struct dit_stop stop = {.flag = NULL}; /* waits for the writer of a pipe */
	struct dit_ldif_sample_opts opts = {.paths = &path,
	                                    .stop = &stop,
	                                    .npaths = 1,
	                                    .budget_bytes = budget,
	                                    .window_bytes = 1024,
	                                    .beginning_only = beginning_only};

	*found = (struct found){.n = 0};
	return dit_ldif_sample(&opts, take, found, ret, &failed);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

static void write_records(FILE *file, unsigned n, size_t value_len)
{
	for (unsigned i = 0; i < n; i++) {
		(void)fprintf(file, "dn: cn=%u\ncn: %u\n", i, i);
		for (size_t k = 0; k < value_len; k += 70) {
			(void)fprintf(file, "description: %060u\n", i);
		}
		(void)fputc('\n', file);
	}
}

static char *dir;
static char path[4200];

static int setup(void **state)
{
	(void)state;
	dir = test_scratch();
	(void)snprintf(path, sizeof(path), "%s/x.ldif", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_scratch_remove(dir);
	return 0;
}

static void a_small_file_is_given_out_whole(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;

	(void)state;
	write_text(path, "version: 1\n\n# one\n#  two\n dn: no\ndn: cn=a\ncn: a\n\n"
	                 "# nothing\n\ninclude: file:///x\n\n"
	                 "dn: cn=b\r\ncn: b\r\n\r\n\n\ndn: cn=c\ncn: c");
	assert_int_equal(sample_file(path, 1 << 20, false, &found, &sample), 0);
	assert_int_equal(found.n, 3);
	assert_string_equal(found.first, "dn: cn=a\ncn: a\n");
	assert_string_equal(found.last, "dn: cn=c\ncn: c");
	assert_true(sample.is_whole);
	assert_float_equal(found.records, 3, 0);
	assert_int_equal(sample.nsampled, 3);
}

static void an_empty_file_gives_no_sample(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;

	(void)state;
	write_text(path, "");
	assert_int_equal(sample_file(path, 1 << 20, false, &found, &sample), 0);
	assert_int_equal(found.n, 0);
	assert_int_equal(sample.bytes, 0);
}

static void weights_give_the_number_of_records(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;
	FILE *file = fopen(path, "w");

	(void)state;
	write_records(file, 20000, 140);
	(void)fputs("dn: cn=end\n", file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(sample_file(path, 200000, false, &found, &sample), 0);
	assert_false(sample.is_whole);
	assert_memory_equal(found.first, "dn: cn=0\n", 9);
	assert_true(found.has_last);
	assert_in_range(found.n, 500, 4000);
	assert_in_range((unsigned)found.records, 19000, 21000);
	assert_true(sample.sampled_bytes < 500000);
	/* The same again. */
	double before = found.records;

	assert_int_equal(sample_file(path, 200000, false, &found, &sample), 0);
	assert_float_equal(found.records, before, 0);
}

/* 10,000 short records of a hundred bytes, and 60 of 100,000. */
static void long_records_among_short_ones_are_weighted(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;
	FILE *file = fopen(path, "w");

	(void)state;
	write_records(file, 10000, 70);
	write_records(file, 60, 100000);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(sample_file(path, 1500000, false, &found, &sample), 0);
	assert_in_range((unsigned)found.long_records, 50, 70);
	/* The windows in the short ones are few. */
	assert_in_range((unsigned)found.records, 7500, 12600);
	assert_true(found.bytes > 0.97 * (double)sample.bytes &&
	            found.bytes < 1.03 * (double)sample.bytes);
}

static void several_files_are_one_input(void **state)
{
	char second[4300];
	const char *paths[] = {path, second};
	const char *failed = NULL;
	struct dit_ldif_sample_opts opts = {.paths = paths,
	                                    .npaths = 2,
	                                    .budget_bytes = 100000,
	                                    .window_bytes = 1024};
	struct dit_ldif_sample sample;
	struct found found = {.n = 0};

	(void)state;
	(void)snprintf(second, sizeof(second), "%s/second", dir);
	for (unsigned i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "w");

		write_records(file, 5000, 70 + 70 * i);
		assert_int_equal(fclose(file), 0);
	}
	assert_int_equal(dit_ldif_sample(&opts, take, &found, &sample, &failed), 0);
	assert_in_range((unsigned)found.records, 9500, 10500);
}

static void pack(const char *target)
{
	FILE *file = fopen(path, "r");
	gzFile packed = gzopen(target, "w");
	char bytes[4096];
	size_t n = 0;

	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		assert_int_equal(gzwrite(packed, bytes, (unsigned)n), n);
	}
	assert_int_equal(gzclose(packed), Z_OK);
	(void)fclose(file);
}

static void a_packed_file_is_read_to_its_end(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;
	char packed[4300];
	FILE *file = fopen(path, "w");

	(void)state;
	(void)snprintf(packed, sizeof(packed), "%s/x.gz", dir);
	write_records(file, 20000, 140);
	assert_int_equal(fclose(file), 0);
	pack(packed);
	assert_int_equal(sample_file(packed, 400000, false, &found, &sample), 0);
	assert_false(sample.is_whole);
	assert_false(sample.is_beginning);
	assert_in_range((unsigned)found.records, 16000, 24000);
	assert_in_range(sample.text_bytes, 3300000, 3500000);
	/* Its beginning alone. */
	assert_int_equal(sample_file(packed, 400000, true, &found, &sample), 0);
	assert_true(sample.is_beginning);
	assert_in_range((unsigned)(found.records * sample.scale), 15000, 25000);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	struct dit_ldif_sample sample;
	struct found found;
	char command[8800];
	int r = 0;

	(void)state;
	(void)snprintf(
		command, sizeof(command),
		"mkfifo '%s.fifo' && (printf 'dn: cn=a\\n\\ndn: cn=b\\n' >'%s.fifo' &)",
		path, path);
	assert_int_equal(system(command), 0);
	(void)snprintf(command, sizeof(command), "%s.fifo", path);
	r = sample_file(command, 1000, false, &found, &sample);
	assert_int_equal(r, 0);
	assert_int_equal(found.n, 2);
	assert_true(sample.is_whole);
	assert_int_equal(sample_file(command, 1000, true, &found, &sample),
	                 DIT_E_UNSUPPORTED);
}

static void an_unreadable_input_is_named(void **state)
{
	const char *missing = "/nonexistent/x.ldif";
	const char *paths[] = {path};
	const char *failed = NULL;
	struct dit_ldif_sample_opts opts = {
		.paths = &missing, .npaths = 1, .budget_bytes = 1000};
	struct dit_ldif_sample sample;
	struct found found = {.n = 0};

	(void)state;
	assert_int_equal(dit_ldif_sample(&opts, take, &found, &sample, &failed), -ENOENT);
	assert_string_equal(failed, missing);
	write_text(path, "\001\002\003 binary");
	assert_int_equal(sample_file(path, 1000, false, &found, &sample), DIT_E_INVALID);
	opts = (struct dit_ldif_sample_opts){
		.paths = paths, .npaths = 1, .budget_bytes = 1000, .record_max = 1000};
	write_text(path, "dn: a\nl:\nl:\nl:\nl:\n");
	assert_int_equal(dit_ldif_sample(&opts, take, &found, &sample, &failed),
	                 DIT_E_TOOLONG);
}

static void an_error_of_the_callback_ends_the_sample(void **state)
{
	const char *paths[] = {path};
	const char *failed = NULL;
	struct dit_ldif_sample_opts opts = {
		.paths = paths, .npaths = 1, .budget_bytes = 1000};
	struct dit_ldif_sample sample;
	struct found found = {.stop_at = 2};

	(void)state;
	write_text(path, "dn: cn=a\n\ndn: cn=b\n\ndn: cn=c\n");
	assert_int_equal(dit_ldif_sample(&opts, take, &found, &sample, &failed), -EIO);
	assert_int_equal(found.n, 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_small_file_is_given_out_whole),
		CASE(an_empty_file_gives_no_sample),
		CASE(weights_give_the_number_of_records),
		CASE(long_records_among_short_ones_are_weighted),
		CASE(several_files_are_one_input),
		CASE(a_packed_file_is_read_to_its_end),
		CASE(a_pipe_is_read_to_its_end),
		CASE(an_unreadable_input_is_named),
		CASE(an_error_of_the_callback_ends_the_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
