/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <zlib.h>

#include "arguments.h"
#include "run_facts.h"

#define BUFFER_BYTES (128 << 10)

struct filter_log_file {
	const char *path;
	gzFile file; /* reads files that are not packed, too */
	bool is_begun;
};

int filter_log_open(struct filter_log *log, const char *path)
{
	struct filter_log_file *files =
		realloc(log->files, (log->nfiles + 1) * sizeof(*files));
	int fd = -1;

	if (files == NULL) {
		return -ENOMEM;
	}
	log->files = files;
	if (log->line == NULL) {
		log->line = malloc(FILTER_LOG_LINE);
		if (log->line == NULL) {
			return -ENOMEM;
		}
	}
	fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
	                            : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	files[log->nfiles] = (struct filter_log_file){path, gzdopen(fd, "rb"), false};
	if (files[log->nfiles].file == NULL) {
		(void)close(fd);
		return -ENOMEM;
	}
	(void)gzbuffer(files[log->nfiles++].file, BUFFER_BYTES);
	return 0;
}

/* ---- lines ---- */

/* The rest of a line that is too long. */
static void skip_line(gzFile file)
{
	int c = 0;

	do {
		c = gzgetc(file);
	} while (c >= 0 && c != '\n');
}

/* Why a file has ended. Packed data before its damage counts. -EIO: the disk gives no
 * more */
static int tell_end(const struct filter_log_file *file)
{
	int error = 0;

	(void)gzerror(file->file, &error);
	if (error >= 0) {
		return 0;
	}
	return common_say(error == Z_ERRNO ? -EIO : 0, "%s: %s", file->path,
	                  error == Z_ERRNO       ? strerror(errno)
	                  : error == Z_BUF_ERROR ? "the gzip data is cut off"
	                  : error == Z_MEM_ERROR ? "no memory"
	                                         : "the gzip data is damaged");
}

/* The first line of a file. -EIO after a message: packed by something else than gzip */
static int look_at_start(const struct filter_log_file *file, struct dit_span line)
{
	static const struct {
		const char *program;
		struct dit_span mark;
		size_t at;
	} formats[] = {
		{"zstd", DIT_SPAN("\x28\xb5\x2f\xfd"), 0},
		{"xz", DIT_SPAN("7zXZ"), 1},
		{"bzip2", DIT_SPAN("1AY&SY"), 4},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct dit_span mark = formats[i].mark;

		if (line.len >= formats[i].at + mark.len &&
		    memcmp(line.data + formats[i].at, mark.data, mark.len) == 0) {
			return common_say(-EIO,
			                  "%s: packed by %s; unpack it: %s -dc LOG "
			                  "| ditcheck ... --filter-log=-",
			                  file->path, formats[i].program,
			                  formats[i].program);
		}
	}
	return 0;
}

/* 1: ret is a line without blanks at its end, terminated by NUL; too long: data is NULL.
 * 0; -EIO */
static int next_line(struct filter_log *log, struct dit_span *ret)
{
	while (log->at < log->nfiles) {
		struct filter_log_file *file = &log->files[log->at];
		bool is_first = !file->is_begun;
		size_t len = 0;
		int c = 0;

		while (len + 1 < FILTER_LOG_LINE && (c = gzgetc(file->file)) >= 0 &&
		       c != '\n') {
			log->line[len++] = (char)c;
		}
		if (c < 0) {
			if (tell_end(file) < 0) {
				return -EIO;
			}
			log->at++;
			if (len == 0) {
				continue;
			}
		}
		if (is_first &&
		    look_at_start(file, (struct dit_span){log->line, len}) < 0) {
			return -EIO;
		}
		file->is_begun = true;
		log->nlines++;
		if (len + 1 == FILTER_LOG_LINE) {
			skip_line(file->file);
			*ret = (struct dit_span){NULL, 0};
			return 1;
		}
		while (len > 0 &&
		       (log->line[len - 1] == '\r' || log->line[len - 1] == ' ')) {
			len--;
		}
		log->line[len] = '\0';
		*ret = (struct dit_span){log->line, len};
		return 1;
	}
	return 0;
}

/* ---- what a line says ---- */

static char *find(struct dit_span line, const char *text)
{
	return line.data == NULL ? NULL : memmem(line.data, line.len, text, strlen(text));
}

/* Items that slapd does not understand have a '?': "(?foo=a)" -> "(foo=a)", and
 * "(?=undefined)" -> "(x=undefined)", which is no known attribute either. */
static void mend_filter(char *filter, size_t *len)
{
	size_t n = 0;

	for (size_t i = 0; i < *len; i++) {
		bool is_mark = filter[i] == '?' && i > 0 && filter[i - 1] == '(';

		if (is_mark && i + 1 < *len && filter[i + 1] == '=') {
			filter[n++] = 'x';
		} else if (!is_mark) {
			filter[n++] = filter[i];
		}
	}
	*len = n;
}

/* From after ' SRCH base="' on. A DN and a filter may hold quotes: the DN ends where the
 * scope begins, the filter with the line. */
static bool read_search(char *base, char *end, struct dit_check_search *ret)
{
	static const char mark[] = "\" scope=";
	static const char filter_mark[] = " filter=\"";
	char *scope = strstr(base, mark);
	char *filter = scope == NULL ? NULL : strstr(scope, filter_mark);
	size_t len = 0;

	if (filter == NULL || end[-1] != '"') {
		return false;
	}
	filter += sizeof(filter_mark) - 1;
	if (end - 1 < filter) {
		return false;
	}
	len = (size_t)(end - 1 - filter);
	mend_filter(filter, &len);
	ret->base = (struct dit_span){base, (size_t)(scope - base)};
	ret->scope = scope[sizeof(mark) - 1] == '0' ? 0 : 2;
	ret->filter = (struct dit_span){filter, len};
	return true;
}

/* Is this a line of slapd's log? */
static bool is_slapds(struct dit_span line)
{
	return find(line, "conn=") != NULL || find(line, ": conn ") != NULL ||
	       find(line, "slapd") != NULL;
}

/* True: it is a search. */
static bool read_line(struct filter_log *log, struct dit_span line,
                      struct dit_check_search *ret)
{
	static const char mark[] = " SRCH base=\"";
	char *found = find(line, mark);
	size_t blanks = line.data == NULL ? 0 : strspn(line.data, " \t\r");

	if (found != NULL &&
	    read_search(found + sizeof(mark) - 1, (char *)line.data + line.len, ret)) {
		return true;
	}
	if (found == NULL && line.data != NULL && line.data[blanks] == '(') {
		line.len -= blanks;
		mend_filter((char *)line.data + blanks, &line.len);
		*ret = (struct dit_check_search){
			.scope = 2, .filter = {line.data + blanks, line.len}};
		return true;
	}
	if (found == NULL && line.data != NULL &&
	    (line.data[blanks] == '\0' || line.data[blanks] == '#' || is_slapds(line))) {
		log->nothers++;
	} else {
		log->nunread++;
	}
	return false;
}

int filter_log_next(void *ctx, struct dit_check_search *ret)
{
	struct filter_log *log = ctx;
	struct dit_span line;
	int r = 0;

	while ((r = next_line(log, &line)) > 0) {
		if (read_line(log, line, ret)) {
			log->nsearches++;
			return 1;
		}
	}
	return r;
}

static json_t *path_json(const void *log, size_t i)
{
	return json_text(((const struct filter_log *)log)->files[i].path);
}

struct json_t *filter_log_json(const struct filter_log *log)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I}", "files",
	                 json_list(log->nfiles, path_json, log), "lines",
	                 (json_int_t)log->nlines, "searches", (json_int_t)log->nsearches,
	                 "other_lines", (json_int_t)log->nothers, "unread_lines",
	                 (json_int_t)log->nunread);
}

void filter_log_deinit(struct filter_log *log)
{
	for (size_t i = 0; i < log->nfiles; i++) {
		(void)gzclose_r(log->files[i].file);
	}
	free(log->files);
	free(log->line);
	*log = (struct filter_log){.nfiles = 0};
}
