/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cutting a record into lines, in two steps per line.
 *
 * 1. next_line() finds a logical line. Without folds it is a piece of the record's text.
 *    With folds it is copied, and each fold becomes two CR bytes, as in slapd, because
 *    the second step can see the difference:
 *
 *      description:     ->  description:\r\r : abc      plain value ": abc", not base64
 *       : abc
 *      descri           ->  descri\r\rption: abc        a name that no attribute has
 *       ption: abc
 *
 * 2. split_line() cuts it at the first colon. Whitespace in front of the name and of the
 *    value is dropped, CR counted as such; then every CR leaves the value, which undoes
 *    the folds and drops stray ones alike.
 *
 * Nearly all lines have neither fold nor CR: take_plain() makes them of one search for
 * the colon and one for LF, without a copy. Whether a record holds any CR or NUL is
 * looked up once.
 */
#include "ldif/ldif_parse.h"

#include <errno.h>

#include "base/error.h"
#include "ldif/base64.h"
#include "ldif/file_url.h"
#include "ldif/ldif_lines.h"

/* Lines to make room for at first: most entries have fewer; then it doubles. */
#define LINES_MIN 32

/* TAB, LF, VT, FF, CR. */
#define NCONTROLS 5

/* Bytes of a name or URL that a message shows at most. */
#define SHOWN_MAX 1000

/* A text on its way from line to value. */
struct text {
	struct dit_span span;
	bool is_copy; /* in the arena, ours to change */
};

struct parser {
	const char *first; /* first line kept; see is_end_mark() */
	const char *at;
	const char *end;
	bool has_cr;
	bool has_nul;
	bool trims_names;
	unsigned char ncontrols; /* from TAB on: blanks in front of a plain value */
	const struct dit_file_rules *files;
	struct dit_arena *arena;
	struct dit_notes *notes;
	struct dit_ldif_line *lines;
	size_t nlines;
	size_t lines_size;
	uint64_t file_bytes; /* of files that the record names, so far */
	bool has_comments;   /* seen so far */
};

static bool contains(struct dit_span span, char c)
{
	return span.len > 0 && memchr(span.data, c, span.len) != NULL;
}

static struct dit_span shown(struct dit_span span)
{
	span.len = span.len < SHOWN_MAX ? span.len : SHOWN_MAX;
	return span;
}

/* One physical line, without its LF and one CR before that. @return start of the next */
static const char *physical_line(const char *at, const char *end, struct dit_span *ret)
{
	const char *lf = memchr(at, '\n', (size_t)(end - at));

	ret->data = at;
	if (lf == NULL) {
		ret->len = (size_t)(end - at);
		return end;
	}
	ret->len = (size_t)(lf - at);
	if (ret->len > 0 && lf[-1] == '\r') {
		ret->len--;
	}
	return lf + 1;
}

/* The start of the first line that is not folded, from @p at on. */
static const char *skip_folds(const char *at, const char *end)
{
	struct dit_span ignored = {NULL, 0};

	while (at < end && *at == ' ') {
		at = physical_line(at, end, &ignored);
	}
	return at;
}

/*
 * slapd takes a line of CR CR LF, anywhere but at the very start of a record, for the
 * end of it: the lines after it are ignored.
 */
static bool is_end_mark(const struct parser *parser, struct dit_span line)
{
	return line.len == 1 && line.data[0] == '\r' && line.data != parser->first;
}

/*
 * The first line that is no comment is dropped if it begins with a digit (it once held
 * the entry's number), but not its folds: they go to what stands before it.
 *
 * Part of its callers, so that the parser can live in registers.
 */
static inline __attribute__((always_inline)) void skip_entry_number(struct parser *parser)
{
	struct dit_span line = {NULL, 0};
	const char *at = parser->at;

	while (at < parser->end && *at == '#') {
		at = physical_line(at, parser->end, &line);
		at = skip_folds(at, parser->end);
	}
	if (at == parser->end || *at < '0' || *at > '9') {
		return;
	}
	parser->has_comments = at != parser->at;
	parser->at = physical_line(at, parser->end, &line);
	if (at == parser->first) {
		parser->first = parser->at;
	} else {
		parser->at = skip_folds(parser->at, parser->end);
	}
}

/* Copy a line with its folds, up to @p next, each as two CR. @return 0 or -ENOMEM */
static int mark_folds(struct dit_arena *arena, const char *at, const char *next,
                      struct text *ret)
{
	char *start = dit_arena_bytes(arena, (size_t)(next - at));
	struct dit_span piece = {NULL, 0};
	char *to = start;

	if (start == NULL) {
		return -ENOMEM;
	}
	for (;;) {
		at = physical_line(at, next, &piece);
		memcpy(to, piece.data, piece.len);
		to += piece.len;
		if (at == next) {
			break;
		}
		at++; /* LF and space become two CR: never more than the text had */
		*to++ = '\r';
		*to++ = '\r';
	}
	dit_arena_trim(arena, start, (size_t)(to - start));
	ret->span = (struct dit_span){start, (size_t)(to - start)};
	ret->is_copy = true;
	return 0;
}

/*
 * The next logical line that is no comment. "#" decides only at the very start: after a
 * TAB it begins a name.
 *
 * @return 1: @p ret is set; 0: no more; -ENOMEM
 */
static int next_line(struct parser *parser, struct text *ret)
{
	while (parser->at < parser->end) {
		const char *start = parser->at;
		const char *next = physical_line(start, parser->end, &ret->span);
		bool is_folded = next < parser->end && *next == ' ';

		if (parser->has_cr && is_end_mark(parser, ret->span)) {
			if (next < parser->end) {
				dit_notes_add(
					parser->notes, DIT_REPORT_WARNING,
					"lines after a lone CR ignored, as slapd does");
			}
			return 0;
		}
		parser->at = is_folded ? skip_folds(next, parser->end) : next;
		if (*start == '#') {
			parser->has_comments = true;
			continue;
		}
		ret->is_copy = false;
		if (is_folded && mark_folds(parser->arena, start, parser->at, ret) < 0) {
			return -ENOMEM;
		}
		return 1;
	}
	return 0;
}

/* @return 0 or -ENOMEM */
static int remove_cr(struct dit_arena *arena, struct text *text)
{
	const char *from = text->span.data;
	const char *end = from + text->span.len;
	char *start = NULL;
	char *to = NULL;

	if (!contains(text->span, '\r')) {
		return 0;
	}
	start = text->is_copy ? (char *)from : dit_arena_bytes(arena, text->span.len);
	if (start == NULL) {
		return -ENOMEM;
	}
	to = start;
	while (from < end) {
		const char *cr = memchr(from, '\r', (size_t)(end - from));
		const char *piece_end = cr == NULL ? end : cr;

		memmove(to, from, (size_t)(piece_end - from));
		to += piece_end - from;
		from = cr == NULL ? end : cr + 1;
	}
	text->span = (struct dit_span){start, (size_t)(to - start)};
	text->is_copy = true;
	return 0;
}

/*
 * Blanks between name and colon stay part of the name, but as NUL bytes: slapd overwrites
 * them without shortening the name, and so its messages show it without them. Since
 * 2.6.12 it shortens the name.
 */
static int blank_name_end(const struct parser *parser, struct dit_span *name)
{
	struct dit_span copy = {NULL, 0};
	char *p = NULL;

	if (!dit_ldif_is_space(name->data[name->len - 1])) {
		return 0;
	}
	while (parser->trims_names && dit_ldif_is_space(name->data[name->len - 1])) {
		name->len--;
	}
	if (parser->trims_names) {
		return 0;
	}
	copy = dit_arena_copy(parser->arena, *name);
	if (copy.data == NULL) {
		return -ENOMEM;
	}
	p = (char *)copy.data + copy.len;
	while (dit_ldif_is_space(p[-1])) {
		*--p = '\0';
	}
	*name = copy;
	return 0;
}

static int decode_base64(struct parser *parser, struct text text,
                         struct dit_ldif_line *line)
{
	char *bytes = (char *)text.span.data;
	size_t len = 0;
	int stop = 0;

	if (!text.is_copy) {
		bytes = dit_arena_bytes(parser->arena, DIT_BASE64_ROOM(text.span.len));
		if (bytes == NULL) {
			return -ENOMEM;
		}
	}
	stop = dit_base64_decode(text.span, bytes, &len);
	line->value = (struct dit_span){bytes, len};
	if (stop != DIT_BASE64_COMPLETE) {
		/* slapd shows the character as a signed int. NUL would end our text. */
		line->is_damaged = true;
		dit_notes_add(parser->notes, DIT_REPORT_PLAIN,
		              "ldap_pvt_decode_b64_inplace: invalid base64 encoding char "
		              "(%.*s) 0x%x",
		              stop == 0 ? 0 : 1, &(char){(char)stop},
		              (unsigned)(signed char)stop);
	}
	return 0;
}

static int fetch_url(struct parser *parser, struct dit_span url,
                     struct dit_ldif_line *line)
{
	struct dit_file_rules rules = {.value_max = 0};
	int r = 0;

	/* All files of a record together have the bytes that one may have. */
	if (parser->files != NULL) {
		rules = *parser->files;
	}
	if (rules.value_max > 0) {
		rules.value_max = rules.value_max > parser->file_bytes
		                          ? rules.value_max - parser->file_bytes
		                          : 1;
	}
	r = dit_file_url_read(url, &rules, parser->arena, &line->value);
	if (r == 0) {
		parser->file_bytes += line->value.len;
	}
	if (r < 0 && r != -ENOMEM && r != DIT_E_STOPPED) {
		line->is_damaged = true;
		dit_notes_add(parser->notes, DIT_REPORT_PLAIN,
		              "ldif_parse_line: %.*s: URL \"%.*s\" fetch failed%s",
		              DIT_SPAN_ARGS(shown(line->name)), DIT_SPAN_ARGS(shown(url)),
		              dit_file_url_reason(r, parser->files));
		return 0;
	}
	return r;
}

/* Spaces, and as many control characters from TAB on as the parser says. */
static struct dit_span skip_blanks(const struct parser *parser, struct dit_span span)
{
	while (span.len > 0 &&
	       (span.data[0] == ' ' ||
	        (unsigned char)(span.data[0] - '\t') < parser->ncontrols)) {
		dit_cut(&span, 1);
	}
	return span;
}

/* Form and value: the text after the colon. @return 0 or -ENOMEM */
static int read_value(struct parser *parser, struct text text, struct dit_ldif_line *line)
{
	char mark = text.span.len > 0 ? text.span.data[0] : '\0';
	int r = 0;

	if (mark == ':' || mark == '<') {
		line->form = mark == ':' ? DIT_LDIF_BASE64 : DIT_LDIF_URL;
		dit_cut(&text.span, 1);
		text.span = dit_ldif_skip_space(text.span);
	} else {
		text.span = skip_blanks(parser, text.span);
	}
	if (parser->has_cr || text.is_copy) {
		r = remove_cr(parser->arena, &text);
	}
	if (r < 0) {
		return r;
	}
	if (line->form == DIT_LDIF_PLAIN) {
		line->value = text.span;
		return 0;
	}
	if (text.span.len == 0) {
		line->is_damaged = true;
		return 0;
	}
	return line->form == DIT_LDIF_BASE64 ? decode_base64(parser, text, line)
	                                     : fetch_url(parser, text.span, line);
}

/* Name, form and value of one logical line. @return 0 or -ENOMEM */
static int split_line(struct parser *parser, struct text text, struct dit_ldif_line *line)
{
	struct dit_span rest = dit_ldif_skip_space(text.span);
	const char *colon = rest.len == 0 ? NULL : memchr(rest.data, ':', rest.len);
	int r = 0;

	*line = (struct dit_ldif_line){.form = DIT_LDIF_PLAIN};
	if (parser->has_nul && contains(rest, '\0')) {
		/* slapd would glue the next line to what stands before the NUL. */
		dit_notes_add(parser->notes, DIT_REPORT_PLAIN,
		              "ldif_parse_line: a line holds a NUL byte; "
		              "such a value must be given as base64");
		colon = NULL;
	}
	if (colon == NULL) {
		line->value = rest;
		return 0;
	}
	line->name = (struct dit_span){rest.data, (size_t)(colon - rest.data)};
	if (line->name.len > 0) {
		r = blank_name_end(parser, &line->name);
	}
	if (r < 0) {
		return r;
	}
	if (line->name.len == 0 && parser->trims_names) {
		return 0; /* refused for its name; the value is not looked at */
	}
	text.span.data = colon + 1;
	text.span.len = (size_t)(rest.data + rest.len - colon - 1);
	return read_value(parser, text, line);
}

/* Room for one more line. @return 0 or -ENOMEM */
static int reserve_line(struct parser *parser)
{
	/* Copies: so the parser can live in registers. */
	struct dit_ldif_line *lines = parser->lines;
	size_t size = parser->lines_size;
	int r = parser->nlines < size ? 0
	                              : DIT_ARENA_DOUBLE(parser->arena, lines,
	                                                 parser->nlines, size, LINES_MIN);

	parser->lines = lines;
	parser->lines_size = size;
	return r;
}

/*
 * A line "name: value" of a record without CR and NUL, with nothing to undo: what
 * next_line() and split_line() would make of it. @return false: another line
 */
static inline bool take_plain(struct parser *parser, struct dit_ldif_line *line)
{
	const char *start = parser->at;
	const char *colon = dit_ldif_find_near(start, parser->end, ':', '\n');
	const char *lf = NULL;
	const char *value = NULL;

	if (colon == NULL || *colon == '\n' || colon == start || *start == '#' ||
	    dit_ldif_is_space(*start) || dit_ldif_is_space(colon[-1])) {
		return false;
	}
	lf = dit_ldif_find_near(colon, parser->end, '\n', '\n');
	if (lf == NULL) {
		lf = memchr(colon, '\n', (size_t)(parser->end - colon));
	}
	if (lf == NULL || (lf + 1 < parser->end && lf[1] == ' ')) {
		return false;
	}
	value = colon + 1; /* at the LF at most */
	if (*value == ':' || *value == '<') {
		return false;
	}
	value += *value == ' ' ? 1 : 0;
	if (value < lf && dit_ldif_is_space(*value)) {
		return false;
	}
	*line = (struct dit_ldif_line){.name = {start, (size_t)(colon - start)},
	                               .value = {value, (size_t)(lf - value)},
	                               .form = DIT_LDIF_PLAIN};
	parser->at = lf + 1;
	return true;
}

/* The next line that counts. @return 1; 0: no more; -ENOMEM, DIT_E_STOPPED */
static int take_line(struct parser *parser, struct dit_ldif_line *ret)
{
	struct text line = {{NULL, 0}, false};
	int r = next_line(parser, &line);

	if (r > 0) {
		r = split_line(parser, line, ret);
		r = r < 0 ? r : 1;
	}
	return r;
}

static int parse_lines(struct parser *parser)
{
	bool may_be_plain = !parser->has_cr && !parser->has_nul;

	while (parser->at < parser->end) {
		int r = reserve_line(parser);

		if (r == 0 && may_be_plain &&
		    take_plain(parser, &parser->lines[parser->nlines])) {
			r = 1;
		} else if (r == 0) {
			r = take_line(parser, &parser->lines[parser->nlines]);
		}
		if (r <= 0) {
			return r;
		}
		parser->lines[parser->nlines].last_note = parser->notes->last;
		parser->nlines++;
	}
	return 0;
}

int dit_ldif_parse(const struct dit_ldif_dialect *dialect, struct dit_span text,
                   const struct dit_file_rules *files, struct dit_notes *notes,
                   struct dit_ldif_lines *ret)
{
	struct parser parser = {
		.first = text.data,
		.at = text.data,
		.end = text.len == 0 ? text.data : text.data + text.len,
		.has_cr = contains(text, '\r'),
		.has_nul = contains(text, '\0'),
		.trims_names = dialect != NULL && dialect->trims_names,
		.ncontrols = dialect != NULL && dialect->keeps_controls ? 0 : NCONTROLS,
		.files = files,
		.arena = notes->arena,
		.notes = notes,
	};
	int r = 0;

	skip_entry_number(&parser);
	r = parse_lines(&parser);
	if (r < 0) {
		return r;
	}
	ret->lines = parser.lines;
	ret->nlines = parser.nlines;
	ret->has_comments = parser.has_comments;
	return 0;
}

/*
 * Cuts lines as next_line() does, which has one caller only: a second one, or the place
 * of each line in the parser, costs a load 1 % of its instructions.
 */
size_t dit_ldif_line_number(struct dit_span text, size_t index)
{
	struct parser parser = {
		.first = text.data,
		.at = text.data,
		.end = text.len == 0 ? text.data : text.data + text.len,
		.has_cr = contains(text, '\r'),
	};
	const char *start = NULL;
	bool is_last = false;
	size_t number = 0;

	skip_entry_number(&parser);
	start = parser.at;
	while (!is_last && parser.at < parser.end) {
		struct dit_span line = {NULL, 0};
		const char *next = physical_line(parser.at, parser.end, &line);

		if (parser.has_cr && is_end_mark(&parser, line)) {
			break;
		}
		start = parser.at;
		parser.at = skip_folds(next, parser.end);
		is_last = *start != '#' && index-- == 0;
	}
	for (const char *p = text.data; p < start; p++) {
		number += *p == '\n' ? 1 : 0;
	}
	return number;
}
