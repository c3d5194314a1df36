/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDIF: one input cut twice, in small batches and in one, and parsed. Both must give the
 * same records, and parsing must leave them as they are.
 *
 * URLs are not followed: an input that could name a file is left out.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "ldif/ldif_parse.h"
#include "ldif/ldif_reader.h"

static bool may_name_a_file(const char *text, size_t size)
{
	for (size_t i = 0; i + 5 <= size; i++) {
		if (text[i] == ':' && text[i + 1] == '<') {
			return true;
		}
		if (strncasecmp(text + i, "file:", 5) == 0) {
			return true;
		}
	}
	return false;
}

static void parse(const struct dit_ldif_record *record, struct dit_arena *arena)
{
	struct dit_notes notes;
	struct dit_ldif_lines lines = {0};
	size_t nbytes = 0;

	dit_arena_reset(arena);
	dit_notes_init(&notes, arena);
	CHECK(dit_ldif_parse(NULL, record->text, NULL, &notes, &lines) == 0);
	for (size_t i = 0; i < lines.nlines; i++) {
		const struct dit_ldif_line *line = &lines.lines[i];

		CHECK(line->value.data != NULL || line->is_damaged);
		nbytes += line->name.len + line->value.len;
	}
	CHECK(nbytes <= record->text.len);
}

/* One record after the other, whatever the batches. */
struct cursor {
	struct dit_ldif_reader *reader;
	struct dit_ldif_batch batch;
	size_t at;
};

static void open_cursor(struct cursor *cursor, const char *path, size_t batch_bytes,
                        size_t batch_records)
{
	struct dit_ldif_reader_opts opts = DIT_LDIF_READER_OPTS_INIT;

	opts.path = path;
	opts.batch_bytes = batch_bytes;
	opts.batch_records = batch_records;
	*cursor = (struct cursor){0};
	CHECK(dit_ldif_reader_open(&cursor->reader, &opts, NULL) == 0);
}

static int next_record(struct cursor *cursor, struct dit_ldif_record *ret)
{
	if (cursor->at == cursor->batch.nrecords) {
		int r = dit_ldif_reader_next(cursor->reader, &cursor->batch);

		if (r <= 0) {
			return r;
		}
		CHECK(cursor->batch.nrecords > 0);
		cursor->at = 0;
	}
	*ret = cursor->batch.records[cursor->at++];
	return 1;
}

static void close_cursor(struct cursor *cursor)
{
	dit_ldif_reader_close(cursor->reader);
	dit_ldif_batch_deinit(&cursor->batch);
}

static void compare(const char *path, size_t batch_bytes)
{
	struct cursor whole;
	struct cursor pieces;
	struct dit_ldif_record a = {.line = 0};
	struct dit_ldif_record b = {.line = 0};
	struct dit_arena arena;
	int r = 0;

	dit_arena_init(&arena, 1024);
	open_cursor(&whole, path, 1 << 16, 1000);
	open_cursor(&pieces, path, batch_bytes, 3);
	do {
		r = next_record(&whole, &a);
		CHECK(next_record(&pieces, &b) == r);
		if (r > 0) {
			CHECK(a.line == b.line && a.file_line == b.file_line);
			CHECK(strcmp(a.file, path) == 0 && dit_span_eq(a.text, b.text));
			parse(&a, &arena);
			CHECK(dit_span_eq(a.text, b.text));
		}
	} while (r > 0);
	close_cursor(&whole);
	close_cursor(&pieces);
	dit_arena_deinit(&arena);
}

/* The first byte is the size of the small batches. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char path[64];
	int fd = -1;

	if (size == 0 || may_name_a_file(text + 1, size - 1)) {
		return 0;
	}
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(write(fd, text + 1, size - 1) == (ssize_t)(size - 1));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	compare(path, data[0] == 0 ? 1 : data[0]);
	(void)close(fd);
	return 0;
}
