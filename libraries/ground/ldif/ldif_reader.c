/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cutting LDIF into records.
 *
 * A batch's buffer is filled piece by piece; each line is looked at once, for its LF and
 * its first bytes:
 *
 *     record 1   blank   record 2   blank   # comment   dn: cn=c ...
 *     |..........|       |..........|       |.................|     free      |
 *                                           chunk   at  searched  fill     limit
 *
 * chunk is where the present chunk of lines begins, at the first line not looked at yet,
 * searched the place up to which no LF follows. A chunk that holds something else than
 * comments is a record; comments in front of a record belong to its text.
 *
 * When the buffer is full, or the batch has its number of records, the unfinished chunk
 * is given back to the source and read again into the next batch. A chunk that alone is
 * larger than the buffer makes it grow; then limit doubles, for this batch only.
 *
 * "include:" puts another source on top of the stack: the bytes after that line are
 * given back to the file they came from, whose reading goes on when the new source ends.
 * The end of any file ends line, comment and record. At the bottom of the stack one
 * input follows the other.
 */
#include "ldif/ldif_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/errno_text.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "ldif/file_url.h"
#include "ldif/ldif_lines.h"
#include "ldif/ldif_source.h"

/* Files open at the same time. slapd ends when descriptors do, also with a loop. */
#define SOURCES_MAX 64
/* Included by included files. 40 files, each includes the next one twice: 2^40 reads. */
#define NESTED_MAX 100000

#define ERROR_BYTES (PATH_MAX + 256)

#define NAMES_BLOCK 1024

struct dit_ldif_reader {
	struct dit_ldif_reader_opts opts; /* the paths are used by open only */

	struct dit_ldif_source *inputs; /* all open; owned */
	size_t ninputs;
	size_t input;                    /* the one that is read */
	uint64_t inputs_read;            /* bytes of those before it */
	uint64_t size;                   /* bytes of all; 0: not known */
	struct dit_ldif_digest *digests; /* of those read to the end; owned; or NULL */
	struct dit_ldif_source included[SOURCES_MAX - 1]; /* the last one is read */
	unsigned nincluded;
	unsigned nnested;       /* included by included files so far */
	struct dit_arena names; /* of all files */

	uint64_t begin;       /* of the part that is read, in the only input */
	uint64_t line;        /* lines before "at", of all sources */
	uint64_t record_line; /* number of the next record */
	bool is_at_start; /* the source on top had comments only: "version: 1" may come */
	int failed;       /* first failure; every later call returns it */
	char error[ERROR_BYTES];
};

/* The batch being filled. Positions are bytes from the start of its buffer. */
struct window {
	struct dit_ldif_batch *batch;
	size_t chunk;
	size_t at;
	size_t searched;
	size_t fill;
	size_t limit;        /* fill goes no further; at most the buffer's size */
	uint64_t chunk_line; /* reader->line at the chunk's start */
	bool is_record;      /* the chunk holds more than comments */
	bool is_in_comment;  /* a comment came last; folded lines belong to it */
	size_t version_end;  /* after "version: 1" at the chunk's start; 0: not there */
	uint64_t version_line;
};

static const struct dit_stop *stop_of(const struct dit_ldif_reader *reader)
{
	return reader->opts.files == NULL ? NULL : reader->opts.files->stop;
}

static struct dit_ldif_source *top(struct dit_ldif_reader *reader)
{
	return reader->nincluded > 0 ? &reader->included[reader->nincluded - 1]
	                             : &reader->inputs[reader->input];
}

/* @return NULL: no memory */
static const char *keep_name(struct dit_ldif_reader *reader, struct dit_span name)
{
	return dit_arena_copy(&reader->names, name).data;
}

/* ---- inputs ---- */

/* @param path  NULL: standard input */
static int open_input(struct dit_ldif_reader *reader, const char *path)
{
	struct dit_ldif_source *input = &reader->inputs[reader->ninputs];
	/*
	 * A copy of standard input, so that closing is the same for all. To open a named
	 * pipe does not wait for its writer; reading does, until it is to stop.
	 */
	int fd = path == NULL ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
	                      : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r = fd < 0 ? -errno
	               : dit_ldif_source_open(input, fd, stop_of(reader),
	                                      reader->opts.is_threaded);

	if (r < 0) {
		return r;
	}
	reader->ninputs++;
	input->keeps_mark = reader->opts.keep_mark;
	input->name = keep_name(reader, dit_span_of(path ?: "standard input"));
	r = reader->digests == NULL ? 0 : dit_digest_new(&input->digest);
	return input->name == NULL ? -ENOMEM : r;
}

static int open_inputs(struct dit_ldif_reader *reader, const char **ret_failed)
{
	const struct dit_ldif_reader_opts *opts = &reader->opts;
	size_t n = opts->npaths == 0 ? 1 : opts->npaths;
	bool is_known = true;

	reader->inputs = calloc(n, sizeof(*reader->inputs));
	if (opts->keep_digests) {
		reader->digests = calloc(n, sizeof(*reader->digests));
	}
	if (reader->inputs == NULL || (opts->keep_digests && reader->digests == NULL)) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const char *path = opts->npaths == 0 ? opts->path : opts->paths[i];
		int r = open_input(reader, path);

		if (r < 0) {
			if (ret_failed != NULL) {
				*ret_failed = path;
			}
			return r;
		}
		is_known = is_known && reader->inputs[i].is_regular;
		reader->size += reader->inputs[i].size;
	}
	if (!is_known) {
		reader->size = 0;
	}
	return 0;
}

/* The next input is read, if there is one. */
static bool next_input(struct dit_ldif_reader *reader)
{
	struct dit_ldif_source *input = &reader->inputs[reader->input];

	if (reader->digests != NULL) {
		reader->digests[reader->input].nbytes = input->offset;
		dit_digest_text(input->digest, reader->digests[reader->input].text);
	}
	if (reader->input + 1 == reader->ninputs) {
		return false;
	}
	reader->inputs_read += input->nread;
	dit_ldif_source_close(input);
	reader->input++;
	reader->inputs[reader->input].lines_before = reader->line;
	reader->is_at_start = !reader->opts.keep_version;
	return true;
}

int dit_ldif_reader_open(struct dit_ldif_reader **ret,
                         const struct dit_ldif_reader_opts *opts, const char **ret_failed)
{
	struct dit_ldif_reader *reader = calloc(1, sizeof(*reader));
	int r = 0;

	if (reader == NULL) {
		return -ENOMEM;
	}
	reader->opts = *opts;
	dit_arena_init(&reader->names, NAMES_BLOCK);
	reader->record_line = 1;
	reader->is_at_start = !opts->keep_version;
	r = open_inputs(reader, ret_failed);
	return DIT_HAND_OVER(r, ret, reader, dit_ldif_reader_close);
}

void dit_ldif_reader_close(struct dit_ldif_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	while (reader->nincluded > 0) {
		dit_ldif_source_close(&reader->included[--reader->nincluded]);
	}
	for (size_t i = reader->input; i < reader->ninputs; i++) {
		dit_ldif_source_close(&reader->inputs[i]);
	}
	dit_arena_deinit(&reader->names);
	free(reader->inputs);
	free(reader->digests);
	free(reader);
}

uint64_t dit_ldif_reader_size(const struct dit_ldif_reader *reader)
{
	return reader->size;
}

const char *dit_ldif_reader_error(const struct dit_ldif_reader *reader)
{
	return reader->error;
}

const struct dit_ldif_digest *dit_ldif_reader_digests(
	const struct dit_ldif_reader *reader)
{
	return reader->digests;
}

/* The next chunk begins after the last line looked at. */
static void begin_chunk(const struct dit_ldif_reader *reader, struct window *w)
{
	w->chunk = w->at;
	w->chunk_line = reader->line;
	w->is_record = false;
	w->is_in_comment = false;
	w->version_end = 0;
}

/* A chunk is a record, or becomes one; its lines so far have @p len bytes.
 * @return 0; DIT_E_TOOLONG */
static int check_cost(struct dit_ldif_reader *reader, const struct window *w, size_t len)
{
	uint64_t nlines = reader->line - w->chunk_line;

	if (reader->opts.record_max == 0 ||
	    dit_ldif_record_cost(len, nlines) <= reader->opts.record_max) {
		return 0;
	}
	(void)snprintf(
		reader->error, sizeof(reader->error),
		"ldif_read_record: the record at line %lu takes more than %lu bytes of "
		"memory, as many as --max-record allows",
		reader->record_line, reader->opts.record_max);
	return DIT_E_TOOLONG;
}

/* A chunk has ended; its lines reach up to @p end. @return 0; -ENOMEM; DIT_E_TOOLONG */
static int end_chunk(struct dit_ldif_reader *reader, struct window *w, size_t end)
{
	int r = w->is_record ? check_cost(reader, w, end - w->chunk) : 0;

	if (r < 0) {
		return r;
	}
	if (w->is_record) {
		struct dit_ldif_record record = {
			.text = {w->batch->buffer + w->chunk, end - w->chunk},
			.line = reader->record_line,
			.file = top(reader)->name,
			.file_line = w->chunk_line - top(reader)->lines_before + 1,
		};

		if (record.line >= reader->opts.first_line) {
			r = DIT_APPEND(w->batch->records, w->batch->records_size,
			               w->batch->nrecords, record);
		}
		reader->record_line = reader->line + 1;
	} else if (w->version_end > 0) {
		reader->record_line = reader->line + 1;
		reader->is_at_start = false;
	}
	begin_chunk(reader, w);
	return r;
}

/*
 * The first lines of a file that are no comments. "version: 1" leaves the chunk when the
 * line after it is known: if that one is folded, the version is another one, and the
 * record is refused later.
 *
 * @return true: the line is "version: 1"
 */
static bool take_version(struct dit_ldif_reader *reader, struct window *w,
                         struct dit_span line)
{
	if (w->version_end == 0 && dit_ldif_is_version(line)) {
		w->version_end = w->at;
		w->version_line = reader->line;
		return true;
	}
	reader->is_at_start = false;
	if (w->version_end > 0 && line.data[0] != ' ') {
		w->chunk = w->version_end;
		w->chunk_line = w->version_line;
		reader->record_line = w->version_line + 1;
	}
	return false;
}

/* Why one more file cannot be included, for messages; NULL: it can. */
static const char *too_many(struct dit_ldif_reader *reader)
{
	if (reader->nincluded == SOURCES_MAX - 1) {
		return ": 64 files are open already";
	}
	if (reader->nincluded > 0 && reader->nnested++ == NESTED_MAX) {
		return ": included files have included 100000 files already";
	}
	return NULL;
}

/* Put a file on top of the stack. @return 0 or -errno */
static int push_source(struct dit_ldif_reader *reader, struct dit_span url)
{
	struct dit_ldif_source *source = &reader->included[reader->nincluded];
	int fd = -1;
	int r = 0;

	fd = dit_file_url_open(url, reader->opts.files);
	if (fd < 0) {
		return fd;
	}
	r = dit_ldif_source_open(source, fd, stop_of(reader), reader->opts.is_threaded);
	if (r < 0) {
		return r;
	}
	top(reader)->lines = reader->line - top(reader)->lines_before;
	reader->nincluded++;
	source->lines_before = reader->line;
	source->keeps_mark = reader->opts.keep_mark;
	source->name = keep_name(reader, url);
	if (source->name == NULL) {
		return -ENOMEM;
	}
	reader->is_at_start = !reader->opts.keep_version;
	return 0;
}

/*
 * Read on in the included file; the chunk begins again. The position stays where it is,
 * and so does the URL, which stands in front of it.
 */
static int include(struct dit_ldif_reader *reader, struct window *w, struct dit_span url)
{
	const char *reason = too_many(reader);
	int r = reason != NULL
	                ? -ELOOP
	                : dit_ldif_source_unread(top(reader), w->batch->buffer + w->at,
	                                         w->fill - w->at);

	if (r == 0) {
		w->fill = w->at;
		begin_chunk(reader, w);
		r = push_source(reader, url);
	}
	if (r < 0) {
		(void)snprintf(reader->error, sizeof(reader->error),
		               "ldif_read_record: include %.*s failed%s",
		               (int)(url.len < PATH_MAX ? url.len : PATH_MAX), url.data,
		               reason != NULL
		                       ? reason
		                       : dit_file_url_reason(r, reader->opts.files));
	}
	return r;
}

/* Look at the line that reaches up to @p end, its LF included. @return 0 or -errno */
static int take_line(struct dit_ldif_reader *reader, struct window *w, size_t end)
{
	struct dit_span line = {w->batch->buffer + w->at, end - w->at};
	struct dit_span url = {NULL, 0};
	size_t start = w->at;

	reader->line++;
	w->at = end;
	w->searched = end;
	if (dit_ldif_is_blank(line)) {
		return end_chunk(reader, w, start);
	}
	if (w->is_record) {
		return 0;
	}
	w->is_in_comment =
		line.data[0] == '#' || (w->is_in_comment && line.data[0] == ' ');
	if (w->is_in_comment) {
		return 0;
	}
	if (reader->is_at_start && take_version(reader, w, line)) {
		return 0;
	}
	if (dit_ldif_is_include(line, &url)) {
		return include(reader, w, url);
	}
	w->is_record = true;
	return 0;
}

/* Pass over the lines of a record: up to a blank one, or one that has no end yet. */
static void skip_lines(struct dit_ldif_reader *reader, struct window *w)
{
	struct dit_span text = {w->batch->buffer + w->at, w->fill - w->at};
	uint64_t nlines = 0;

	w->at += dit_ldif_skip_lines(text, &nlines);
	w->searched = w->at;
	reader->line += nlines;
}

/* Look at all whole lines there are, until the batch has its records. */
static int take_lines(struct dit_ldif_reader *reader, struct window *w)
{
	while (w->batch->nrecords < reader->opts.batch_records) {
		const char *buffer = w->batch->buffer;
		const char *lf = NULL;
		int r = 0;

		if (w->is_record && w->searched == w->at) {
			skip_lines(reader, w);
		}
		lf = memchr(buffer + w->searched, '\n', w->fill - w->searched);
		if (lf == NULL) {
			w->searched = w->fill;
			return 0;
		}
		r = take_line(reader, w, (size_t)(lf - buffer) + 1);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/* Let the buffer have at least w->limit bytes. No record may point into it. */
static int reserve(struct window *w)
{
	return DIT_GROW_LARGE(w->batch->buffer, w->batch->size, w->limit);
}

/* Why there is nothing more to read. @return @p r */
static int fail_read(struct dit_ldif_reader *reader, int r)
{
	const struct dit_ldif_source *source = top(reader);
	uint64_t nlines = reader->line - source->lines_before;
	char place[64] = "";

	if (r == DIT_E_STOPPED) {
		return r;
	}
	if (source->why[0] != '\0') {
		if (nlines > 0) {
			(void)snprintf(place, sizeof(place), ", after line %lu", nlines);
		}
		(void)snprintf(reader->error, sizeof(reader->error),
		               "ldif_read_record: %.*s: %s%s", PATH_MAX, source->name,
		               source->why, place);
		return r;
	}
	(void)snprintf(reader->error, sizeof(reader->error),
	               "ldif_read_record: reading %.*s failed: %s", PATH_MAX,
	               source->name, dit_errno_text(-r));
	return r;
}

/* A chunk may have its most and a blank line after it. */
#define BLANK_MAX 2

/*
 * The buffer is full of one unfinished chunk: move it to the front, or double.
 *
 * @return 0; -ENOMEM; DIT_E_TOOLONG
 */
static int make_room(struct dit_ldif_reader *reader, struct window *w)
{
	uint64_t most = reader->opts.record_max == 0
	                        ? UINT64_MAX
	                        : reader->opts.record_max + BLANK_MAX;

	if (w->chunk > 0) {
		memmove(w->batch->buffer, w->batch->buffer + w->chunk,
		        w->fill - w->chunk);
		w->at -= w->chunk;
		w->searched -= w->chunk;
		w->fill -= w->chunk;
		w->version_end -= w->version_end > 0 ? w->chunk : 0;
		w->chunk = 0;
		return 0;
	}
	if (w->fill >= most) {
		return check_cost(reader, w, w->fill);
	}
	if (w->limit > SIZE_MAX / 2) {
		return -ENOMEM;
	}
	w->limit = w->limit * 2 < most ? w->limit * 2 : (size_t)most;
	return reserve(w);
}

/* End the last line and chunk of the source on top, which has no more bytes. @return 0 or
 * -errno */
static int end_source(struct dit_ldif_reader *reader, struct window *w)
{
	int r = w->at < w->fill ? take_line(reader, w, w->fill) : 0;

	return r < 0 ? r : end_chunk(reader, w, w->fill);
}

/* Close the source on top. @return true: there is another one to read */
static bool leave_source(struct dit_ldif_reader *reader)
{
	if (reader->nincluded == 0) {
		return next_input(reader);
	}
	dit_ldif_source_close(top(reader));
	reader->nincluded--;
	top(reader)->lines_before = reader->line - top(reader)->lines;
	reader->is_at_start = false;
	return true;
}

/* @return 1: there is more to look at; 0: the input has ended; -errno */
static int read_more(struct dit_ldif_reader *reader, struct window *w)
{
	unsigned depth = reader->nincluded;
	ssize_t n = dit_ldif_source_read(top(reader), w->batch->buffer + w->fill,
	                                 w->limit - w->fill);
	int r = 0;

	if (n < 0) {
		return fail_read(reader, (int)n);
	}
	if (n > 0) {
		w->fill += (size_t)n;
		return 1;
	}
	r = end_source(reader, w);
	if (r < 0) {
		return r;
	}
	if (reader->nincluded > depth) {
		return 1; /* the last line was an include without LF */
	}
	return leave_source(reader);
}

/* @return 1: the batch is full; 0: the input has ended; -errno */
static int fill_batch(struct dit_ldif_reader *reader, struct window *w)
{
	int r = reserve(w);

	while (r >= 0) {
		r = take_lines(reader, w);
		if (r < 0 || w->batch->nrecords == reader->opts.batch_records) {
			return r < 0 ? r : 1;
		}
		if (w->fill == w->limit) {
			if (w->batch->nrecords > 0) {
				return 1;
			}
			r = make_room(reader, w);
			if (r < 0) {
				return r;
			}
		}
		r = read_more(reader, w);
		if (r == 0) {
			return 0;
		}
	}
	return r;
}

int dit_ldif_reader_next(struct dit_ldif_reader *reader, struct dit_ldif_batch *batch)
{
	struct window w = {
		.batch = batch,
		.limit = reader->opts.batch_bytes,
		.chunk_line = reader->line,
	};
	int r = 0;

	batch->nrecords = 0;
	if (reader->failed < 0) {
		return reader->failed;
	}
	r = fill_batch(reader, &w);
	if (r > 0) {
		r = dit_ldif_source_unread(top(reader), batch->buffer + w.chunk,
		                           w.fill - w.chunk);
		reader->line = w.chunk_line;
	}
	if (r < 0) {
		reader->failed = r;
		if (reader->error[0] == '\0' && r != DIT_E_STOPPED) {
			(void)snprintf(reader->error, sizeof(reader->error),
			               "ldif_read_record: out of memory");
		}
	}
	batch->bytes_read = reader->inputs_read + reader->inputs[reader->input].nread;
	return batch->nrecords > 0 ? 1 : r;
}

/* ---- windows ---- */

bool dit_ldif_reader_can_skip(const struct dit_ldif_reader *reader)
{
	bool can_skip = true;

	for (size_t i = 0; i < reader->ninputs; i++) {
		can_skip = can_skip && dit_ldif_source_can_skip(&reader->inputs[i]);
	}
	return can_skip;
}

void dit_ldif_reader_skip(struct dit_ldif_reader *reader, uint64_t position)
{
	struct dit_ldif_source *input = NULL;

	while (reader->nincluded > 0) {
		(void)leave_source(reader);
	}
	for (input = top(reader); position >= reader->inputs_read + input->size;
	     input = top(reader)) {
		dit_ldif_source_skip(input, input->size);
		if (!next_input(reader)) {
			return;
		}
	}
	if (position > reader->inputs_read + input->nread) {
		dit_ldif_source_skip(input, position - reader->inputs_read);
		/* As with -j: the record in which the position lies began before. */
		reader->opts.first_line = reader->record_line + 1;
		reader->is_at_start = false;
	}
}

/* ---- parts ---- */

int dit_ldif_reader_cut(struct dit_ldif_reader *reader, unsigned number, unsigned n)
{
	struct dit_ldif_source *input = reader->inputs;
	struct dit_ldif_part part = {0};
	int r = dit_ldif_part_find(input->fd, input->size, number, n, stop_of(reader),
	                           &part);

	assert(reader->ninputs == 1);
	if (r < 0) {
		return r;
	}
	input->offset = part.begin;
	input->end = part.end;
	input->size = part.end - part.begin;
	input->is_begun = part.begin > 0;
	reader->size = input->size;
	reader->is_at_start = reader->is_at_start && part.is_at_start;
	reader->begin = part.begin;
	return 0;
}

int dit_ldif_reader_count_before(const struct dit_ldif_reader *reader, uint64_t *ret)
{
	return dit_ldif_part_count_lines(reader->inputs->fd, reader->begin,
	                                 stop_of(reader), ret);
}

void dit_ldif_batch_deinit(struct dit_ldif_batch *batch)
{
	DIT_FREE_LARGE(batch->buffer, batch->size);
	free(batch->records);
	*batch = (struct dit_ldif_batch){0};
}
