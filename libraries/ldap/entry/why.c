/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a record is refused, filled into the texts of refusals.tsv. For an explanation the
 * record is cut into lines once more, and the line is looked for by its name and value:
 * so nothing has to be remembered of records that are good.
 */
#include "entry/why.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "entry/entry.h"
#include "values/dn_parse.h"

/* More of a value is not shown. */
#define SHOWN_MAX 60
/* A detail of ours may name a file and some entries. */
#define DETAIL_MAX 240

/* ---- the texts of refusals.tsv, filled ---- */

static struct dit_span until_nul(struct dit_span text)
{
	return text.data == NULL
	               ? DIT_SPAN("")
	               : (struct dit_span){text.data, strnlen(text.data, text.len)};
}

char *dit_why_fill(const struct dit_why *why, const char *text, struct dit_arena *arena)
{
	static const char letters[] = "avdn";
	char number[sizeof("4294967295")];
	bool is_named = why->name.data != NULL || why->ad == NULL;
	const struct dit_span parts[] = {
		until_nul(is_named ? why->name : why->ad->name),
		until_nul(why->value),
		until_nul(why->detail),
		{number, (size_t)snprintf(number, sizeof(number), "%u", why->number)},
	};
	struct dit_text out = {.arena = arena};

	while (*text != '\0') {
		const char *letter = text[0] == '{' && text[1] != '\0' && text[2] == '}'
		                             ? strchr(letters, text[1])
		                             : NULL;

		dit_text_span(&out, letter != NULL ? parts[letter - letters]
		                                   : (struct dit_span){text, 1});
		text += letter != NULL ? 3 : 1;
	}
	dit_text_char(&out, '\0');
	return out.failed ? NULL : out.at;
}

int dit_why_set(struct dit_notes *notes, struct dit_why why)
{
	struct dit_why *copy = dit_arena_alloc(notes->arena, sizeof(*copy));

	if (copy == NULL) {
		return -ENOMEM;
	}
	*copy = why;
	notes->why = copy;
	return 0;
}

int dit_why_tell(struct dit_notes *notes, struct dit_why why)
{
	const struct dit_refusal *refusal = &dit_refusals[why.kind];
	const char *line = refusal->line == NULL
	                           ? NULL
	                           : dit_why_fill(&why, refusal->line, notes->arena);

	(void)dit_why_set(notes, why);
	if (line != NULL) {
		dit_notes_add(notes, refusal->report, "%s", line);
	}
	return DIT_E_INVALID;
}

/* ---- the line ---- */

static bool is_of_attr(const struct dit_entry_context *context,
                       const struct dit_ldif_line *line, const struct dit_ad *ad)
{
	const struct dit_ad *found = NULL;

	return line->name.len > 0 && ad != NULL &&
	       dit_ad_find(context->schema, NULL, line->name, &found, NULL) == 0 &&
	       found == ad;
}

static bool is_meant(const struct dit_entry_context *context, const struct dit_why *why,
                     const struct dit_ldif_line *line)
{
	switch (why->place) {
	case DIT_WHY_AT_RECORD:
		return false; /* it is the first line */
	case DIT_WHY_AT_DN:
		return dit_span_eq_nocase(line->name, DIT_SPAN("dn"));
	case DIT_WHY_AT_LINE:
		if (why->name.data == NULL) {
			return line->name.data == NULL &&
			       dit_span_eq(line->value, why->value);
		}
		return line->name.data != NULL && dit_span_eq(line->name, why->name);
	case DIT_WHY_AT_VALUE:
		return is_of_attr(context, line, why->ad) && line->value.data != NULL &&
		       dit_span_eq(line->value, why->value);
	case DIT_WHY_AT_ATTR:
		return is_of_attr(context, line, why->ad);
	}
	return false;
}

/* The number of the line among the parsed ones; the dn line if it is not there. */
static size_t find_line(const struct dit_entry_context *context,
                        const struct dit_why *why, const struct dit_ldif_lines *lines)
{
	static const struct dit_why dn = {.place = DIT_WHY_AT_DN};
	size_t found = 0;
	bool is_found = false;

	for (size_t i = 0; i < lines->nlines; i++) {
		if (is_meant(context, why, &lines->lines[i])) {
			found = i;
			is_found = true;
			/* Attributes and DNs: the last one is meant. */
			if (why->place == DIT_WHY_AT_LINE) {
				break;
			}
		}
	}
	if (!is_found && why->place != DIT_WHY_AT_RECORD && why->place != DIT_WHY_AT_DN) {
		return find_line(context, &dn, lines);
	}
	return found;
}

/* ---- the DN ---- */

/* The first type of a DN that the schema does not define; empty: all are defined. */
static struct dit_span undefined_type(const struct dit_schema *schema, struct dit_span dn,
                                      struct dit_arena *arena)
{
	struct dit_dn_scan scan = {dn.data, dn.data + dn.len, arena};
	struct dit_raw_ava raw;
	int r = 0;

	do {
		raw = (struct dit_raw_ava){.type = DIT_SPAN("")};
		r = dit_dn_scan_ava(&scan, &raw);
		if (raw.type.len > 0 && dit_schema_find_type(schema, raw.type) == NULL) {
			return raw.type;
		}
	} while (r == 0 && (raw.stop == ',' || raw.stop == '+'));
	return DIT_SPAN("");
}

/* ---- the text ---- */

/* Make a text printable, and not too long. @return 0 or -ENOMEM */
static int show(struct dit_span *text, size_t max, struct dit_arena *arena)
{
	bool is_cut = text->len > max;
	size_t len = is_cut ? max : text->len;
	struct dit_text out = {.arena = arena};

	assert(len == 0 || text->data != NULL);
	/* No character of UTF-8 is cut in two. */
	while (is_cut && len > 0 && ((unsigned char)text->data[len] & 0xc0) == 0x80) {
		len--;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text->data[i];

		dit_text_char(&out, c < 0x20 || c == 0x7f ? '?' : (char)c);
	}
	dit_text_span(&out, is_cut ? DIT_SPAN("...") : DIT_SPAN(""));
	dit_text_char(&out, '\0'); /* an empty text is one, too */
	*text = (struct dit_span){out.at, out.n - 1};
	return out.failed ? -ENOMEM : 0;
}

/* NULL: no memory */
static char *make_text(const struct dit_why *why, struct dit_arena *arena)
{
	const struct dit_refusal *refusal = &dit_refusals[why->kind];
	const struct dit_span parts[] = {dit_span_of(refusal->what),
	                                 DIT_SPAN("; "),
	                                 dit_span_of(refusal->advice),
	                                 {"", 1}};
	struct dit_why shown = *why;
	struct dit_span sentence;

	if (shown.name.data == NULL && shown.ad != NULL) {
		shown.name = shown.ad->name;
	}
	if (show(&shown.name, SHOWN_MAX, arena) < 0 ||
	    show(&shown.value, SHOWN_MAX, arena) < 0 ||
	    show(&shown.detail, DETAIL_MAX, arena) < 0 ||
	    dit_arena_join(arena, parts, 4, &sentence) < 0) {
		return NULL;
	}
	return dit_why_fill(&shown, sentence.data, arena);
}

int dit_explain(const struct dit_entry_context *context, const struct dit_why *why,
                struct dit_span record, struct dit_arena *arena,
                struct dit_explanation *ret)
{
	/* No file is read a second time: a pipe would have nothing more to say. */
	static const struct dit_file_rules no_files = {.refuse_all = true};
	struct dit_why told = *why;
	struct dit_ldif_lines lines = {0};
	struct dit_notes notes;
	int r = 0;

	dit_notes_init(&notes, arena);
	r = dit_ldif_parse(&context->ldif, record, &no_files, &notes, &lines);
	if (r < 0) {
		return r;
	}
	if (why->kind == DIT_WHY_DN_INVALID) {
		told.detail = undefined_type(context->schema, why->value, arena);
		told.kind = told.detail.len > 0 ? DIT_WHY_DN_TYPE : DIT_WHY_DN_INVALID;
	}
	ret->text = make_text(&told, arena);
	if (ret->text == NULL) {
		return -ENOMEM;
	}
	ret->line =
		lines.nlines == 0
			? 0
			: dit_ldif_line_number(record, find_line(context, &told, &lines));
	return 0;
}
