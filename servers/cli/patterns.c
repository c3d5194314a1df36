/* SPDX-License-Identifier: BSD-2-Clause */
#include "patterns.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "run_facts.h"

#define COLUMNS 78 /* of text that is wrapped */

/* ---- markup ---- */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		break;
	}
	if ((unsigned char)c < 0x20 && c != '\n' && c != '\t') {
		return "\xef\xbf\xbd"; /* XML has no place for them */
	}
	return NULL;
}

static void html_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		const char *escaped = entity(*text);

		if (escaped != NULL) {
			(void)fputs(escaped, out);
		} else {
			(void)fputc(*text, out);
		}
	}
}

/* ---- fields ---- */

/* A field of a pattern: "-22 bytes:share:keys" */
struct field {
	int width; /* columns; negative: from the left; 0: as it comes */
	char path[48];
	char how[48];
	char other[48];
};

/* By its path; NULL: there is none. */
static const json_t *find(const struct filler *filler, const char *path)
{
	const json_t *at = path[0] == '/' ? filler->json : filler->row;

	path += path[0] == '/' ? 1 : 0;
	while (at != NULL && *path != '\0') {
		char name[40];
		size_t len = strcspn(path, ".");

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, path);
		at = json_is_array(at) ? json_array_get(at, strtoul(name, NULL, 10))
		                       : json_object_get(at, name);
		path += len + (path[len] == '.' ? 1 : 0);
	}
	return at;
}

static double number(const struct filler *filler, const char *path)
{
	return json_number_value(find(filler, path));
}

static const char *text_of(const struct filler *filler, const char *path)
{
	const char *text = json_string_value(find(filler, path));

	return text == NULL ? "" : text;
}

static void put(const struct filler *filler, const struct field *field, const char *text)
{
	if (filler->is_page) {
		html_text(filler->out, text);
	} else if (field->width == 0) {
		text_put(filler->out, text, strlen(text));
	} else if (field->width < 0 && strlen(text) > (size_t)-field->width) {
		(void)fprintf(filler->out, "%s\n%*s", text, field->width, "");
	} else {
		(void)fprintf(filler->out, "%*s", field->width, text);
	}
}

/* @param value  the figure, as the JSON has it */
static void put_figure(const struct filler *filler, const struct field *field,
                       const char *value, const char *text)
{
	if (filler->is_page) {
		(void)fprintf(filler->out, "<data value=\"%s\">%s</data>", value, text);
	} else {
		put(filler, field, text);
	}
}

/* ---- figures ---- */

static bool is(const struct field *field, const char *how)
{
	return strcmp(field->how, how) == 0;
}

static void show_whole(const struct filler *filler, const struct field *field, uint64_t n,
                       const char *text)
{
	char value[24];

	(void)snprintf(value, sizeof(value), "%lu", n);
	put_figure(filler, field, value, text);
}

static void show_bytes(const struct filler *filler, const struct field *field, double x)
{
	uint64_t n = (uint64_t)x;

	if (n == 0 && strcmp(field->other, "0") != 0) {
		put(filler, field, "-");
	} else {
		show_whole(filler, field, n, figure_bytes(n).text);
	}
}

static void put_percent(const struct filler *filler, double x, double of)
{
	(void)fprintf(filler->out, "%.3f", of > 0 ? 100 * x / of : 0);
}

static void show_figure(const struct filler *filler, const struct field *field)
{
	double x = number(filler, field->path);
	double other = number(filler, field->other);
	char text[40];

	if (is(field, "count") ||
	    (is(field, "known") && find(filler, field->path) != NULL)) {
		show_whole(filler, field, (uint64_t)x, figure_count((uint64_t)x).text);
	} else if (is(field, "bytes")) {
		show_bytes(filler, field, x);
	} else if (is(field, "each")) {
		show_bytes(filler, field, other > 0 ? x / other : 0);
	} else if (is(field, "seconds")) {
		(void)snprintf(text, sizeof(text), "%.6f", x);
		put_figure(filler, field, text, figure_seconds(x).text);
	} else if (is(field, "part")) {
		/* Without its value as data: the JSON has another figure. */
		put(filler, field, figure_seconds(x / strtod(field->other, NULL)).text);
	} else if (is(field, "share")) {
		put(filler, field, figure_share(x, other).text);
	} else if (is(field, "percent")) {
		put_percent(filler, x, other);
	} else if (is(field, "ms")) {
		(void)snprintf(text, sizeof(text), "%.3f", x);
		put(filler, field, text);
	} else if (is(field, "plural")) {
		put(filler, field, x == 1 ? "" : "s");
	}
}

/* ---- text ---- */

static void show_strings(const struct filler *filler, const struct field *field)
{
	const json_t *array = find(filler, field->path);
	const char *between = is(field, "list")    ? "</li><li>"
	                      : is(field, "lines") ? "\n"
	                                           : " ";
	int indent = (int)strtol(field->other, NULL, 10);

	for (size_t i = 0; i < json_array_size(array); i++) {
		(void)fprintf(filler->out, "%s%*s", i == 0 ? "" : between,
		              i == 0 ? 0 : indent, "");
		put(filler, field, json_string_value(json_array_get(array, i)));
	}
}

static void show_text(const struct filler *filler, const struct field *field)
{
	const json_t *value = find(filler, field->path);
	const char *text = text_of(filler, field->path);
	size_t indent = strtoul(field->other, NULL, 10);
	struct wrap wrap = {
		.out = filler->out, .width = COLUMNS, .indent = indent, .column = indent};
	char buf[4 * 511 + 5]; /* four characters for each of 511 bytes at most */

	if (is(field, "") && json_is_integer(value)) {
		(void)snprintf(buf, sizeof(buf), "%lld",
		               (long long)json_integer_value(value));
		put(filler, field, buf);
	} else if (is(field, "")) {
		put(filler, field, text);
	} else if (is(field, "escaped")) { /* names out of a damaged file */
		text_escape(buf, sizeof(buf), text);
		put(filler, field, buf);
	} else if (is(field, "raw")) {
		(void)fputs(text, filler->out);
	} else if (is(field, "phase")) {
		put(filler, field,
		    strcmp(text, "publish") == 0 ? "sync and put in place" : text);
	} else if (is(field, "wrap")) {
		wrap_text(&wrap, text);
	} else if (is(field, "list") || is(field, "lines") || is(field, "words")) {
		show_strings(filler, field);
	}
}

/* ---- figures of all rows ---- */

/* A figure of a row, or what stands for it. */
static double measure(const json_t *row, const struct field *field)
{
	const struct filler filler = {.row = row};
	double n = number(&filler, field->path);

	return n > 0 || field->other[0] == '\0' ? n : number(&filler, field->other);
}

/* The greatest value of a field; 0: none is above it. */
static double greatest_of(const json_t *rows, const char *path)
{
	double max = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		max = fmax(max, fact_seconds(json_array_get(rows, i), path));
	}
	return max;
}

static void take_lengths(const json_t *index, uint64_t *classes)
{
	const json_t *lengths = json_object_get(index, "list_lengths");

	for (size_t i = 0; i < json_array_size(lengths); i++) {
		const json_t *length = json_array_get(lengths, i);
		uint64_t from = fact_number(length, "from");
		unsigned class = 0;

		while (from > 1 && class < PATTERN_CLASSES - 1) {
			from /= 2;
			class ++;
		}
		classes[class] += fact_number(length, "keys");
	}
}

unsigned pattern_lengths(const json_t *rows, uint64_t classes[PATTERN_CLASSES])
{
	unsigned n = PATTERN_CLASSES;

	memset(classes, 0, PATTERN_CLASSES * sizeof(*classes));
	for (size_t i = 0; i < json_array_size(rows); i++) {
		take_lengths(json_array_get(rows, i), classes);
	}
	while (n > 0 && classes[n - 1] == 0) {
		n--;
	}
	return n;
}

/* Columns as high as the logarithm of what they stand for: few keys are seen, too. */
static void show_lengths(const struct filler *filler)
{
	uint64_t classes[PATTERN_CLASSES];
	unsigned n = pattern_lengths(filler->rows, classes);
	double max = 1;

	memset(classes, 0, sizeof(classes));
	take_lengths(filler->row, classes);
	for (unsigned i = 0; i < n; i++) {
		max = fmax(max, log2((double)classes[i] + 1));
	}
	for (unsigned i = 0; i < n; i++) {
		(void)fputs("<i class=\"entries\" style=\"height:", filler->out);
		put_percent(filler, log2((double)classes[i] + 1), max);
		(void)fputs("%\"></i>", filler->out);
	}
}

static void show_of_rows(const struct filler *filler, const struct field *field)
{
	uint64_t greatest = (uint64_t)greatest_of(filler->rows, field->path);
	double max = 0;
	size_t i = 0;
	char text[24];

	if (is(field, "greatest")) {
		put(filler, field,
		    strcmp(field->other, "bytes") == 0 ? figure_bytes(greatest).text
		                                       : figure_count(greatest).text);
	} else if (is(field, "bar")) {
		for (i = 0; i < json_array_size(filler->rows); i++) {
			max = fmax(max, measure(json_array_get(filler->rows, i), field));
		}
		put_percent(filler, measure(filler->row, field), max);
	} else if (is(field, "number")) {
		while (json_array_get(filler->rows, i) != filler->row) {
			i++;
		}
		(void)snprintf(text, sizeof(text), "%zu", i + 1);
		put(filler, field, text);
	} else if (is(field, "lengths")) {
		show_lengths(filler);
	}
}

/* ---- patterns ---- */

/* From after '{' on. @return the '}' */
static const char *read_field(struct field *field, const char *at)
{
	char *const parts[] = {field->path, field->how, field->other};
	char *end = NULL;

	*field = (struct field){.width = (int)strtol(at, &end, 10)};
	at = end + (*end == ' ' ? 1 : 0);
	for (size_t i = 0; i < 3; i++) {
		size_t n = strcspn(at, i < 2 ? ":}" : "}");

		(void)snprintf(parts[i], sizeof(field->path), "%.*s", (int)n, at);
		at += n + (at[n] == ':' ? 1 : 0);
	}
	return at;
}

static const char *fill_field(const struct filler *filler, const char *at)
{
	struct field field;
	const char *end = read_field(&field, at);

	show_figure(filler, &field);
	show_text(filler, &field);
	show_of_rows(filler, &field);
	return end;
}

static bool has(const struct filler *filler, const char *path)
{
	const json_t *value = find(filler, path);

	return number(filler, path) != 0 || text_of(filler, path)[0] != '\0' ||
	       json_is_true(value) || json_object_size(value) > 0;
}

/* From after '[' on. */
static bool is_empty(const struct filler *filler, const char *at)
{
	struct field field;

	(void)read_field(&field, strchr(at, '{') + 1);
	return !has(filler, field.path);
}

/* ---- blocks ---- */

#define BLOCK_BEGIN "<!--"
#define BLOCK_END   "<!--end-->"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* @return after the end of the block, in which others may be */
static const char *pass_block(const char *inside)
{
	const char *at = strstr(inside, BLOCK_BEGIN);

	while (at != NULL && !begins(at, BLOCK_END)) {
		at = strstr(pass_block(at + strlen(BLOCK_BEGIN)), BLOCK_BEGIN);
	}
	assert(at != NULL);
	return at + strlen(BLOCK_END);
}

/* The rows of an array; of an object its members. */
static void fill_rows(struct filler filler, json_t *rows, const char *pattern)
{
	const char *key = NULL;
	json_t *value = NULL;

	filler.rows = rows;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		filler.row = json_array_get(rows, i);
		pattern_fill(&filler, pattern);
	}
	json_object_foreach(rows, key, value)
	{
		json_t *row = json_pack("{s:s, s:O}", "key", key, "value", value);

		filler.row = row;
		pattern_fill(&filler, pattern);
		json_decref(row);
	}
}

/* From after "<!--" on. @return after the block */
static const char *fill_block(struct filler filler, const char *at)
{
	const char *inside = strstr(at, "-->") + strlen("-->");
	char verb[8] = "";
	char path[48] = "";
	const json_t *rows = NULL;

	(void)sscanf(at, "%7s %47[^-]", verb, path);
	rows = find(&filler, path);
	if (strcmp(verb, "each") == 0) {
		fill_rows(filler, (json_t *)rows, inside);
	} else if (strcmp(verb, "above") == 0 || strcmp(verb, "if") == 0) {
		if (verb[0] == 'i' ? has(&filler, path)
		                   : greatest_of(filler.rows, path) > 0) {
			pattern_fill(&filler, inside);
		}
	} else if (rows != NULL && (!json_is_array(rows) || json_array_size(rows) > 0)) {
		filler.rows = rows;
		pattern_fill(&filler, inside);
	}
	return pass_block(inside);
}

void pattern_fill(const struct filler *filler, const char *at)
{
	while (*at != '\0' && !begins(at, BLOCK_END)) {
		if (begins(at, BLOCK_BEGIN)) {
			at = fill_block(*filler, at + strlen(BLOCK_BEGIN));
		} else if (*at == '{') {
			at = fill_field(filler, at + 1) + 1;
		} else if (*at == '[' && is_empty(filler, at + 1) != (at[1] == '!')) {
			at = strchr(at, ']') + 1;
		} else {
			if (*at != '[' && *at != ']') {
				(void)fputc(*at, filler->out);
			}
			at += *at == '[' && at[1] == '!' ? 2 : 1;
		}
	}
}
