/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences in words: one line each, and only as many as somebody will read. */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "codec/name_codec.h"

/* Longer values are cut in the report. */
#define SHOWN_BYTES 200

static void open_line(struct dit_compare *c)
{
	c->line = c->error < 0 ? NULL : open_memstream(&c->text, &c->text_len);
	if (c->line == NULL) {
		c->error = -ENOMEM;
		return;
	}
	dit_compare_put_name(c, dit_span_of(c->db));
	dit_compare_put(c, ": ");
}

void dit_compare_line_begin(struct dit_compare *c)
{
	c->ntotal++;
	c->ndb++;
	if (c->differs != NULL && c->ndb <= c->opts.nreports_max) {
		open_line(c);
	}
}

void dit_compare_line_end(struct dit_compare *c)
{
	struct dit_report report = {.kind = DIT_REPORT_DIAGNOSTIC};

	if (c->line == NULL) {
		return;
	}
	/* glibc's fclose() succeeds without memory for the text. */
	if (fclose(c->line) != 0 || c->text == NULL) {
		c->error = -ENOMEM;
	} else {
		report.text = c->text;
		c->differs(c->differs_ctx, &report);
	}
	c->line = NULL;
	free(c->text);
	c->text = NULL;
}

/* Counts at the end of a database; no differences. */
static void say_count(struct dit_compare *c, uint64_t n, const char *what)
{
	open_line(c);
	dit_compare_put(c, "%" PRIu64 " %s", n, what);
	dit_compare_line_end(c);
}

int dit_compare_db_end(struct dit_compare *c, int r)
{
	if (c->differs != NULL && c->ndb > c->opts.nreports_max) {
		say_count(c, c->ndb - c->opts.nreports_max, "more differences");
	}
	if (c->differs != NULL && c->nreordered > 0) {
		say_count(c, c->nreordered,
		          c->nreordered == 1
		                  ? "entry differs in the order of values alone"
		                  : "entries differ in the order of values alone");
	}
	c->ndb = 0;
	c->nreordered = 0;
	return r != 0 ? r : c->error;
}

void dit_compare_say(struct dit_compare *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_compare_line_begin(c);
	if (c->line != NULL) {
		(void)vfprintf(c->line, format, args);
	}
	dit_compare_line_end(c);
	va_end(args);
}

void dit_compare_put(struct dit_compare *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (c->line != NULL) {
		(void)vfprintf(c->line, format, args);
	}
	va_end(args);
}

void dit_compare_put_hex(struct dit_compare *c, struct dit_span bytes)
{
	for (size_t i = 0; i < bytes.len && i < SHOWN_BYTES && c->line != NULL; i++) {
		dit_compare_put(c, "%02x", (unsigned char)bytes.data[i]);
	}
	if (bytes.len > SHOWN_BYTES) {
		dit_compare_put(c, "... (%zu bytes)", bytes.len);
	}
}

static void put_escaped(struct dit_compare *c, struct dit_span bytes)
{
	for (size_t i = 0; i < bytes.len && i < SHOWN_BYTES && c->line != NULL; i++) {
		unsigned char byte = (unsigned char)bytes.data[i];

		if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\') {
			dit_compare_put(c, "\\%02x", byte);
		} else {
			dit_compare_put(c, "%c", byte);
		}
	}
}

void dit_compare_put_name(struct dit_compare *c, struct dit_span name)
{
	put_escaped(c, name);
	dit_compare_put(c, "%s", name.len > SHOWN_BYTES ? "..." : "");
}

void dit_compare_put_quoted(struct dit_compare *c, struct dit_span bytes)
{
	dit_compare_put(c, "\"");
	put_escaped(c, bytes);
	dit_compare_put(c, "\"");
	if (bytes.len > SHOWN_BYTES) {
		dit_compare_put(c, "... (%zu bytes)", bytes.len);
	}
}

static void put_name(struct dit_compare *c, struct dit_span value)
{
	struct dit_name name;

	if (dit_name_decode(value, &name) < 0) {
		dit_compare_put(c, "damaged record ");
		dit_compare_put_hex(c, value);
		return;
	}
	if (name.is_child) {
		dit_compare_put(c, "child %" PRIu64 ", ", name.id);
	} else {
		dit_compare_put(c, "self, parent %" PRIu64 ", ", name.id);
	}
	dit_compare_put_quoted(c, name.norm);
	dit_compare_put(c, ", pretty ");
	dit_compare_put_quoted(c, name.pretty);
	if (name.is_child) {
		dit_compare_put(c, ", subtree %" PRIu64, name.nsubs);
	}
}

void dit_compare_put_value(struct dit_compare *c, const char *db, struct dit_span value)
{
	if (strcmp(db, "dn2i") == 0) {
		put_name(c, value);
	} else if (strcmp(db, "ad2i") == 0 || strcmp(db, "id2v") == 0) {
		dit_compare_put_quoted(c, value);
	} else if (strcmp(db, "id2e") == 0) {
		dit_compare_put(c, value.len == 0 ? "a hole" : "an entry of %zu bytes",
		                value.len);
	} else {
		dit_compare_put_hex(c, value);
	}
}
