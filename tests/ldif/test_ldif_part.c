/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of parts: whatever a file holds, and however many parts there are, the records
 * of all parts are those of the whole file, each of them once and in its order; their
 * lines are those of the whole file.
 */
#include "ldif_fixture.h"

#include <fcntl.h>

#include "base/error.h"
#include "ldif/ldif_reader.h"
#include "ldif/ldif_source.h"

#define PARTS_MAX 17

struct records {
	char text[200000]; /* "FILE:LINE<TEXT>" of each */
	size_t len;
};

/* @param n  0: the whole file */
static void read_part(struct records *ret, unsigned number, unsigned n,
                      size_t batch_bytes)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;
	struct dit_ldif_batch batch = {0};
	struct dit_ldif_reader *reader = NULL;
	uint64_t before = 0;

	opts.path = "input";
	opts.batch_bytes = batch_bytes;
	assert_int_equal(dit_ldif_reader_open(&reader, &opts, NULL), 0);
	if (n > 0) {
		assert_true(dit_ldif_reader_can_skip(reader));
		assert_int_equal(dit_ldif_reader_cut(reader, number, n), 0);
		assert_int_equal(dit_ldif_reader_count_before(reader, &before), 0);
	}
	while (dit_ldif_reader_next(reader, &batch) > 0) {
		for (size_t i = 0; i < batch.nrecords; i++) {
			const struct dit_ldif_record *record = &batch.records[i];
			bool is_own = strcmp(record->file, "input") == 0;

			ret->len += (size_t)sprintf(
				ret->text + ret->len, "%s:%llu<", record->file,
				(unsigned long long)(record->file_line +
			                             (is_own ? before : 0)));
			memcpy(ret->text + ret->len, record->text.data, record->text.len);
			ret->len += record->text.len;
			ret->text[ret->len++] = '>';
			assert_true(ret->len < sizeof(ret->text) - 70000);
		}
	}
	assert_string_equal(dit_ldif_reader_error(reader), "");
	dit_ldif_reader_close(reader);
	dit_ldif_batch_deinit(&batch);
}

static void parts_are_the_whole(const char *text, size_t len)
{
	static struct records whole;
	static struct records parts;

	test_write_file("input", text, len);
	whole.len = 0;
	read_part(&whole, 0, 0, 1 << 16);
	for (unsigned n = 1; n <= PARTS_MAX; n++) {
		parts.len = 0;
		for (unsigned number = 0; number < n; number++) {
			read_part(&parts, number, n, n % 2 == 0 ? 1 << 16 : 1 + len % 50);
		}
		if (parts.len != whole.len ||
		    memcmp(parts.text, whole.text, whole.len) != 0) {
			fail_msg("%u parts of \"%.*s\":\n%.*s\nand not\n%.*s", n,
			         (int)len, text, (int)parts.len, parts.text,
			         (int)whole.len, whole.text);
		}
	}
}

FIXTURE_TEST(parts_of_each_case_are_the_whole)
{
	static const char *const cases[] = {
		"",
		"\n",
		"\r\n",
		"dn: a",
		"dn: a\n\ndn: b\n\ndn: c\n",
		"dn: a\r\n\r\ndn: b\r\n\r\ndn: c",
		"dn: a\n\r\n\ndn: b\r\n\n\r\ndn: c\r",
		"\n\n\n\ndn: a\n\n\n\n\n\n\n\n\n\ndn: b\n\n\n\n\n\n",
		"\357\273\277dn: a\n\ndn: b\n",
		"\357\273\277\ndn: a\n\ndn: b\n",
		"\357\273\277\n\n\n\n\n\ndn: a\n\ndn: b\n",
		"\357\273\277version: 1\ndn: a\n\ndn: b\n",
		"version: 1\n\ndn: a\n\nversion: 1\n\ndn: b\n\nversion: 1\ndn: c\n",
		"version: 1\n\nversion: 1\n\nversion: 1\n\nversion: 1\n\n",
		"# c\n\n# c\n d\n\n#\n\nversion: 1\n# e\ndn: a\n\n# f\n\n# g\n h\n\ndn: b\n",
		"# c\n\n f\n\nversion: 1\n\ndn: a\n",
		"version: 1\n x\n\ndn: a\n",
		"dn: a\n\ninclude: file:other\ndn: b\n\ndn: c\n\ninclude: file:other\n\ndn: d",
		"include: file:other\ninclude: file:other\n\nversion: 1\n\ninclude: file:other",
		"dn: a\n \n b\n\n \n\ndn: c\n\r\r\n\ndn: d\n",
	};

	static const char other[] = "version: 1\ndn: o\n\ndn: p\n\n\n";

	test_write_file("other", other, sizeof(other) - 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parts_are_the_whole(cases[i], strlen(cases[i]));
	}
}

FIXTURE_TEST(parts_of_any_text_are_the_whole)
{
	static const char *const pieces[] = {
		"\n",
		"\n",
		"\n\n",
		"\r\n",
		"\r",
		"\r\n\r\n",
		"# c\n",
		"# c\r\n d\r\n",
		"dn: a\n",
		" b\n",
		"dn",
		":: Y2M9",
		"version: 1\n",
		"version: 1\r\n",
		"include: file:other\n",
		"\357\273\277",
		"x",
		"description: ",
	};
	static char text[40000];
	uint64_t seed = 7;

	static const char other[] = "version: 1\ndn: o\n\ndn: p\n\n\n";

	test_write_file("other", other, sizeof(other) - 1);
	for (unsigned round = 0; round < 400; round++) {
		size_t npieces = 1 + round % 40;
		size_t len = 0;

		for (size_t i = 0; i < npieces; i++) {
			const char *piece = NULL;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			piece = pieces[(seed >> 33) %
			               (sizeof(pieces) / sizeof(pieces[0]))];
			len += (size_t)sprintf(text + len, "%s", piece);
			if (seed >> 60 == 0 && len > 512) {
				text[len++] = '\0';
			}
			if (seed >> 57 == 1) {
				memset(text + len, 'y', 700);
				len += 700;
			}
		}
		parts_are_the_whole(text, len);
	}
}

/* With as many parts as bytes, part R begins at byte R or after it. */
FIXTURE_TEST(a_part_begins_with_the_first_chunk_at_its_place)
{
	static const struct {
		const char *text;
		uint64_t chunk;
	} cases[] = {
		{"dn: a\n\ndn: b\n", 7},
		{"dn: a\r\n\r\ndn: b\n", 9},
		{"dn: a\n\r\n\n\r\ndn: b", 11},
		{"\357\273\277\ndn: b\n", 4},
		{"\357\273\277\r\n\r\ndn: b\n", 7},
		{"\n\ndn: b\n", 2},
		{"\357\273\277dn: b\n", 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned size = (unsigned)strlen(cases[i].text);
		int fd = -1;

		test_write_file("input", cases[i].text, size);
		fd = open("input", O_RDONLY);
		assert_true(fd >= 0);
		for (unsigned at = 1; at < size; at++) {
			struct dit_ldif_part part = {0};

			assert_int_equal(
				dit_ldif_part_find(fd, size, at, size, NULL, &part), 0);
			assert_int_equal(part.begin,
			                 at <= cases[i].chunk ? cases[i].chunk : size);
		}
		assert_int_equal(close(fd), 0);
	}
}

FIXTURE_TEST(the_search_reads_on_over_many_buffers)
{
	static char text[1 << 20];
	struct dit_ldif_part part = {0};
	const volatile sig_atomic_t flag = 1;
	const struct dit_stop stop = {.flag = &flag};
	int fd = -1;

	memset(text, 'x', sizeof(text));
	memcpy(text + 65535, "\r\n\r\n", 4);
	memcpy(text + 3 * 65536 - 1, "\n\n", 2);
	test_write_file("input", text, sizeof(text));
	fd = open("input", O_RDONLY);
	assert_true(fd >= 0);
	for (unsigned number = 0; number < 64; number++) {
		uint64_t place = number * sizeof(text) / 64;

		assert_int_equal(
			dit_ldif_part_find(fd, sizeof(text), number, 64, NULL, &part), 0);
		assert_int_equal(part.begin, place == 0               ? 0
		                             : place <= 65539         ? 65539
		                             : place <= 3 * 65536 + 1 ? 3 * 65536 + 1
		                                                      : sizeof(text));
	}
	assert_int_equal(dit_ldif_part_find(fd, sizeof(text), 1, 64, &stop, &part),
	                 DIT_E_STOPPED);
	assert_int_equal(close(fd), 0);
	assert_int_equal(dit_ldif_part_find(fd, sizeof(text), 1, 64, NULL, &part),
	                 -EBADF);
}
