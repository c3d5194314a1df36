/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of change records. */
#include "entry/entry_change.h"

#include <string.h>

#include "base/cut.h"
#include "base/error.h"
#include "entry/why.h"

#define MANAGE_DSA_IT "2.16.840.1.113730.3.4.2"

static bool is_named(const struct dit_entry_context *context,
                     const struct dit_ldif_line *line, struct dit_span name)
{
	return dit_span_eq_nocase(line->name, name) &&
	       dit_schema_find_type(context->schema, name) == NULL;
}

/* Cut off the first word, and the blanks after it. */
static struct dit_span take_word(struct dit_span *text)
{
	struct dit_span word = {text->data, 0};

	while (word.len < text->len && strchr(" :", text->data[word.len]) == NULL) {
		word.len++;
	}
	dit_cut(text, word.len);
	(void)dit_cut_spaces(text);
	return word;
}

/* Note why: the line, of which @p shown is told. */
static void why_line(struct dit_notes *notes, enum dit_why_kind kind,
                     const struct dit_ldif_line *line, struct dit_span shown)
{
	dit_why_set(notes, (struct dit_why){.kind = kind,
	                                    .place = DIT_WHY_AT_LINE,
	                                    .name = line->name,
	                                    .value = shown});
}

static int take_type(const struct dit_ldif_line *line, struct dit_span dn,
                     struct dit_notes *notes)
{
	struct dit_span rest = line->value;

	if (rest.data != NULL && dit_span_eq_nocase(take_word(&rest), DIT_SPAN("add")) &&
	    rest.len == 0) {
		return 0;
	}
	why_line(notes, DIT_WHY_CHANGE, line, line->value);
	dit_notes_add(notes, DIT_REPORT_ERROR,
	              "dn=\"%.*s\": changetype \"%.*s\" adds no entry; use ldapmodify",
	              DIT_SPAN_ARGS(dn), DIT_SPAN_ARGS(line->value));
	return DIT_E_INVALID;
}

/* "1.2.3", "1.2.3 true", "1.2.3 false: value" */
static int take_control(const struct dit_ldif_line *line, struct dit_span dn,
                        struct dit_notes *notes)
{
	struct dit_span rest = line->value;
	struct dit_span oid = {NULL, 0};
	bool is_critical = false;

	if (rest.data != NULL) {
		oid = take_word(&rest);
		is_critical = dit_span_eq_nocase(take_word(&rest), DIT_SPAN("true"));
	}
	if (dit_span_eq(oid, DIT_SPAN(MANAGE_DSA_IT))) {
		return 0;
	}
	if (is_critical) {
		why_line(notes, DIT_WHY_CONTROL, line, oid);
		dit_notes_add(
			notes, DIT_REPORT_ERROR,
			"dn=\"%.*s\": control %.*s is critical and unknown here; use "
			"ldapmodify",
			DIT_SPAN_ARGS(dn), DIT_SPAN_ARGS(oid));
		return DIT_E_INVALID;
	}
	dit_notes_add(notes, DIT_REPORT_WARNING, "dn=\"%.*s\": control %.*s ignored",
	              DIT_SPAN_ARGS(dn), DIT_SPAN_ARGS(oid));
	return 0;
}

int dit_entry_take_change(const struct dit_entry_context *context, struct dit_span dn,
                          struct dit_ldif_line *lines, size_t *nlines, size_t at,
                          struct dit_notes *notes)
{
	size_t end = at;
	int r = 0;

	while (r == 0 && end < *nlines &&
	       is_named(context, &lines[end], DIT_SPAN("control"))) {
		r = take_control(&lines[end++], dn, notes);
	}
	if (r == 0 && end < *nlines &&
	    is_named(context, &lines[end], DIT_SPAN("changetype"))) {
		r = take_type(&lines[end++], dn, notes);
	}
	if (r == 0 && end > at) {
		memmove(&lines[at], &lines[end], (*nlines - end) * sizeof(*lines));
		*nlines -= end - at;
	}
	return r;
}
