/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of one entry: its parts in slapd's order (values.md 7). */
#include "entry/entry_check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* slapd formats refusals into a buffer of 256 bytes; longer texts are cut. */
#define TEXT_MAX 255

static void add_note(struct dit_entry_check *check, enum dit_refusal_note note,
                     const char *text)
{
	struct dit_notes *notes = check->notes;
	struct dit_span dn = check->entry->dn.pretty;

	switch (note) {
	case DIT_NOTE_NONE:
		break;
	case DIT_NOTE_ENTRY_COMMA:
		dit_notes_add(notes, DIT_REPORT_DIAGNOSTIC, "Entry (%.*s), %s",
		              DIT_SPAN_ARGS(dn), text);
		break;
	case DIT_NOTE_ENTRY_COLON:
		dit_notes_add(notes, DIT_REPORT_DIAGNOSTIC, "Entry (%.*s): %s",
		              DIT_SPAN_ARGS(dn), text);
		break;
	case DIT_NOTE_CHECK:
	case DIT_NOTE_CHECK_ONLY:
		dit_notes_add(notes, DIT_REPORT_DIAGNOSTIC,
		              "entry_check_schema(%.*s): %s", DIT_SPAN_ARGS(dn), text);
		break;
	}
}

int dit_check_refuse(struct dit_entry_check *check, int code, enum dit_refusal_note note,
                     const char *format, ...)
{
	char *text = dit_arena_bytes(check->arena, TEXT_MAX + 1);
	va_list args;

	if (text == NULL) {
		return -ENOMEM;
	}
	va_start(args, format);
	(void)vsnprintf(text, TEXT_MAX + 1, format, args);
	va_end(args);
	add_note(check, note, text);
	check->refusal->code = code;
	check->refusal->text = note == DIT_NOTE_CHECK_ONLY ? "(null)" : text;
	return DIT_E_INVALID;
}

/* Look up what every check needs, at the first one. @return 0 or -ENOMEM */
static int work_prepare(struct dit_entry_work *work, const struct dit_schema *schema)
{
	static const struct dit_span object_class = DIT_SPAN("objectClass");
	static const struct dit_span structural_class = DIT_SPAN("structuralObjectClass");

	if (work->seen == NULL) {
		work->seen = calloc(dit_schema_ntypes(schema), sizeof(*work->seen));
		if (work->seen == NULL) {
			return -ENOMEM;
		}
		work->object_class = &dit_schema_find_type(schema, object_class)->ad;
		work->structural_class =
			&dit_schema_find_type(schema, structural_class)->ad;
	}
	work->check++;
	if (work->check == 0) {
		memset(work->seen, 0, dit_schema_ntypes(schema) * sizeof(*work->seen));
		work->check = 1;
	}
	return 0;
}

static int find_set(struct dit_entry_check *check, const struct dit_attr *attr)
{
	return dit_class_sets_find(&check->work->classes, check->context->schema,
	                           attr->values, attr->nvalues, &check->set);
}

/*
 * Note which types are there, and find the object classes: the flags come from the first
 * block (storage.md 4.5), everything else from the last (values.md 2.2). There are two
 * with -q only, if the lines are not together.
 */
static int survey(struct dit_entry_check *check)
{
	struct dit_entry *entry = check->entry;
	const struct dit_attr *first = NULL;
	const struct dit_attr *last = NULL;
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		dit_check_see(check, attr->ad->type);
		if (attr->ad == check->work->object_class) {
			first = first == NULL ? attr : first;
			last = attr;
		} else if (attr->ad == check->work->structural_class) {
			check->structural = attr->values;
		}
	}
	entry->oc_flags = DIT_OC_COMPUTED;
	if (first == NULL) {
		return 0;
	}
	check->classes = last->values;
	r = find_set(check, first);
	if (r < 0) {
		return r;
	}
	entry->oc_flags = check->set->oc_flags;
	return last == first ? 0 : find_set(check, last);
}

/* From 2.7 on before all other checks, of glue entries too, and without a text. */
static int check_names_first(struct dit_entry_check *check)
{
	int r = 0;

	if (dit_entry_find(check->entry, check->work->object_class) == NULL) {
		return 0; /* that is told instead */
	}
	r = dit_check_names(check);
	if (r == DIT_E_INVALID) {
		check->refusal->text = "(null)";
	}
	return r;
}

static int check_schema(struct dit_entry_check *check)
{
	/* In slapd's order: the first that refuses is told. */
	static int (*const checks[])(struct dit_entry_check * check) = {
		dit_check_attr_places, dit_check_structural,    dit_check_names,
		dit_check_classes,     dit_check_attrs_allowed,
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		int r = 0;

		if (checks[i] == dit_check_names && check->context->names_first) {
			continue; /* done, and some values would not be found again */
		}
		r = checks[i](check);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

int dit_entry_check(const struct dit_entry_context *context,
                    struct dit_entry_caches *caches, struct dit_entry *entry,
                    struct dit_arena *arena, struct dit_notes *notes,
                    struct dit_entry_refusal *ret_refusal)
{
	struct dit_entry_check check = {.context = context,
	                                .work = caches->work,
	                                .entry = entry,
	                                .arena = arena,
	                                .notes = notes,
	                                .refusal = ret_refusal};
	int r = work_prepare(caches->work, context->schema);

	if (r == 0 && context->names_first && context->check_schema) {
		r = check_names_first(&check);
	}
	if (r == 0) {
		r = survey(&check);
	}
	if (r < 0) {
		return r;
	}
	if (check.classes == NULL) {
		dit_why_set(notes, (struct dit_why){.kind = DIT_WHY_NO_CLASS,
		                                    .place = DIT_WHY_AT_DN});
		return dit_check_refuse(&check, 0, DIT_NOTE_NONE,
		                        "no objectClass attribute");
	}
	if (context->check_schema) {
		r = check_schema(&check);
	}
	if (r == 0 && context->check_values) {
		r = dit_check_values(&check);
	}
	return r;
}
