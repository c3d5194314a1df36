/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From record to entry (values.md 1.4, 1.5, 2), in three passes over the record's lines.
 *
 * 1. The DN: dn lines may stand anywhere; slapd looks at all of them before it looks at
 *    any attribute, so their errors come first. Lines of a change record that stand
 *    after the dn line are taken out here.
 *
 * 2. Runs: neighbouring lines of one name, gathered without -q; entry_runs.c.
 *
 * 3. Blocks: neighbouring runs of one description become one block, whatever their names.
 *    Values stay where the parser left them; their normal forms go to the arena. Errors
 *    are told in this order, not in that of the lines. A block of a type under sortvals
 *    is sorted when the description of the next one is known.
 */
#include "entry/entry.h"

#include <errno.h>

#include "base/cut.h"
#include "base/error.h"
#include "entry/entry_work.h"
#include "entry/why.h"
#include "values/value.h"

#define MANAGE_DSA_IT "2.16.840.1.113730.3.4.2"

/* Blocks that the check and completion may add to an entry: structural class, two naming
 * attributes, six operational ones. */
#define ATTRS_SPARE 9

struct reading {
	const struct dit_entry_context *context;
	struct dit_entry_caches *caches;
	struct dit_entry_work *work;
	struct dit_arena *arena;
	struct dit_notes *notes;
	struct dit_ldif_line *lines; /* dn lines taken out after pass 1 */
	size_t nlines;
	bool has_comments;
	uint32_t nruns;
	size_t nbefore; /* lines of the chain being read, before the current run */
	struct dit_attr *block; /* being read; NULL: none */
	struct dit_span
		*values; /* of the block being read; all blocks share two arrays */
	struct dit_span *normal;
};

/* ---- pass 1: the DN ---- */

static bool is_dn(const struct dit_ldif_line *line)
{
	return line->name.len == 2 && !line->is_damaged &&
	       dit_span_eq_nocase(line->name, DIT_SPAN("dn"));
}

static int read_dn(struct reading *reading, const struct dit_ldif_line *line,
                   struct dit_dn *ret)
{
	struct dit_span text = line->value;
	int r = dit_dn_parse(reading->context->schema, text, reading->arena,
	                     &reading->caches->dns, ret);

	if (r < 0) {
		dit_notes_cut(reading->notes, line->last_note);
	}
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		enum dit_why_kind kind =
			r == DIT_E_INVALID ? DIT_WHY_DN_INVALID : DIT_WHY_DN_NESTED;

		(void)dit_why_tell(reading->notes, dit_why_dn(kind, text, DIT_SPAN("")));
	}
	return r;
}

/* Read the dn line and take it out of the list. @param ret_at  the line after it */
static int find_dn(struct reading *reading, struct dit_dn *ret, size_t *ret_at)
{
	bool is_found = false;

	for (size_t i = 0; i < reading->nlines; i++) {
		const struct dit_ldif_line *line = &reading->lines[i];
		int r = 0;

		if (!is_dn(line)) {
			continue;
		}
		/* slapd ends at a bad dn line: those after it are never decoded. */
		if (is_found) {
			dit_notes_cut(reading->notes, line->last_note);
			return dit_why_tell(
				reading->notes,
				dit_why_dn(DIT_WHY_DN_TWICE, line->value, ret->pretty));
		}
		r = read_dn(reading, line, ret);
		if (r < 0) {
			return r;
		}
		is_found = true;
		*ret_at = i;
	}
	/* slapd says nothing about a record that was nothing but an entry number. */
	if (!is_found) {
		bool has_lines = reading->nlines > 0 || reading->has_comments;

		return dit_why_tell(reading->notes,
		                    (struct dit_why){.kind = has_lines
		                                                     ? DIT_WHY_NO_DN
		                                                     : DIT_WHY_NOTHING});
	}
	/* Mostly it is the first one, so those before it move, and not those after it. */
	memmove(reading->lines + 1, reading->lines, *ret_at * sizeof(*reading->lines));
	reading->lines++;
	reading->nlines--;
	return 0;
}

/* ---- lines of change records ---- */

/*
 * "control:" and "changetype:" lines after the dn line (RFC 2849):
 *
 *     dn: cn=a,dc=x
 *     control: 1.2.3.4 false
 *     changetype: add
 *     cn: a
 *
 * A name that is an attribute of the schema is left alone. "changetype: add" says what
 * happens anyway, other change types are refused. A control that is not critical is
 * ignored with a warning, as RFC 4511 section 4.1.11 has it for controls that a server
 * does not know. A critical one is refused, but for ManageDsaIT: referrals are entries
 * like any other here.
 */
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

/* Refuse a line, of which @p shown is told. */
static int refuse_change(struct dit_notes *notes, enum dit_why_kind kind,
                         const struct dit_ldif_line *line, struct dit_span shown,
                         struct dit_span dn)
{
	return dit_why_tell(notes, (struct dit_why){.kind = kind,
	                                            .place = DIT_WHY_AT_LINE,
	                                            .name = line->name,
	                                            .value = shown,
	                                            .detail = dn});
}

static int take_type(const struct dit_ldif_line *line, struct dit_span dn,
                     struct dit_notes *notes)
{
	struct dit_span rest = line->value;

	if (rest.data != NULL && dit_span_eq_nocase(take_word(&rest), DIT_SPAN("add")) &&
	    rest.len == 0) {
		return 0;
	}
	return refuse_change(notes, DIT_WHY_CHANGE, line, line->value, dn);
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
		return refuse_change(notes, DIT_WHY_CONTROL, line, oid, dn);
	}
	dit_notes_add(notes, DIT_REPORT_WARNING, "dn=\"%.*s\": control %.*s ignored",
	              DIT_SPAN_ARGS(dn), DIT_SPAN_ARGS(oid));
	return 0;
}

/* Does the line look like one of them? Nearly no record has any. */
static bool may_be_change(const struct dit_ldif_line *line)
{
	return line->name.len == sizeof("changetype") - 1 ||
	       line->name.len == sizeof("control") - 1;
}

/* Take these lines, from line @p at on, out of the list. */
static int take_change(struct reading *reading, struct dit_span dn, size_t at)
{
	struct dit_ldif_line *lines = reading->lines;
	size_t end = at;
	int r = 0;

	if (at == reading->nlines || !may_be_change(&lines[at]) ||
	    reading->context->is_strict) {
		return 0;
	}
	while (r == 0 && end < reading->nlines &&
	       is_named(reading->context, &lines[end], DIT_SPAN("control"))) {
		r = take_control(&lines[end++], dn, reading->notes);
	}
	if (r == 0 && end < reading->nlines &&
	    is_named(reading->context, &lines[end], DIT_SPAN("changetype"))) {
		r = take_type(&lines[end++], dn, reading->notes);
	}
	if (r == 0 && end > at) {
		memmove(&lines[at], &lines[end],
		        (reading->nlines - end) * sizeof(*lines));
		reading->nlines -= end - at;
	}
	return r;
}

/* ---- pass 3: blocks ---- */

/* @param number  of the value among those of its attribute */
static int refuse_value(struct reading *reading, enum dit_why_kind kind,
                        const struct dit_ad *ad, struct dit_span value, uint32_t number)
{
	return dit_why_tell(reading->notes, dit_why_value(kind, ad, value, number,
	                                                  ad->type->syntax->oid));
}

/*
 * The line has no value: its base64 is damaged, or its file cannot be read.
 *
 * @param name  of the attribute, as slapd shows it
 */
static int refuse_no_value(struct reading *reading, const struct dit_ldif_line *line,
                           struct dit_span name, size_t number)
{
	return dit_why_tell(reading->notes,
	                    (struct dit_why){.kind = line->form == DIT_LDIF_URL
	                                                     ? DIT_WHY_URL
	                                                     : DIT_WHY_BASE64,
	                                     .place = DIT_WHY_AT_LINE,
	                                     .name = line->name,
	                                     .detail = name,
	                                     .number = (uint32_t)number});
}

static int normalize(struct reading *reading, const struct dit_ad *ad,
                     struct dit_span value, uint32_t number)
{
	const struct dit_schema *schema = reading->context->schema;
	bool is_dn_value = ad->type->equality->normalizer == DIT_NORM_DN &&
	                   dit_attr_order_prefix(ad->type, value) == 0;
	int r = is_dn_value ? dit_dn_normalize(schema, value, reading->arena,
	                                       &reading->caches->values, reading->normal)
	                    : dit_attr_normalize(schema, ad->type, value, reading->arena,
	                                         reading->normal);

	if (r >= 0) {
		return r;
	}
	if (r == DIT_E_INVALID || r == DIT_E_UNKNOWN) {
		bool is_unknown = r == DIT_E_UNKNOWN ||
		                  ad->type->equality->normalizer == DIT_NORM_TYPE_OID;

		return refuse_value(reading,
		                    is_unknown ? DIT_WHY_VALUE_NAME : DIT_WHY_VALUE, ad,
		                    value, number);
	}
	if (r == DIT_E_UNSUPPORTED) {
		(void)refuse_value(reading, DIT_WHY_VALUE_NESTED, ad, value, 0);
	}
	return r;
}

/* A value that has no pretty form stays as it is: the check of values refuses it. */
static int make_pretty(const struct reading *reading, const struct dit_attr_type *type,
                       struct dit_span *value)
{
	size_t n = dit_attr_order_prefix(type, *value);
	struct dit_span parts[] = {{value->data, n}, {value->data + n, value->len - n}};
	int r = dit_value_pretty(reading->context->schema, type->validator, parts[1],
	                         reading->arena, &parts[1]);

	if (r < 0 || n > 0) {
		return r == 0 ? dit_arena_join(reading->arena, parts, 2, value)
		              : (r == -ENOMEM ? r : 0);
	}
	*value = parts[1];
	return 0;
}

static int read_value(struct reading *reading, struct dit_attr *attr,
                      const struct dit_ldif_line *line)
{
	const struct dit_ad *ad = attr->ad;
	struct dit_span value = line->value;
	int r = 0;

	if (value.data == NULL) {
		return refuse_no_value(reading, line, ad->name, attr->nvalues);
	}
	if (reading->context->is_request && dit_has_pretty(ad->type->validator)) {
		r = make_pretty(reading, ad->type, &value);
	}
	if (r == 0 && attr->normal != NULL) {
		r = normalize(reading, ad, value, attr->nvalues);
		reading->normal++;
	}
	if (r < 0) {
		return r;
	}
	*reading->values++ = value;
	attr->nvalues++;
	return 0;
}

/* Without schema check slapd takes any name that could be one (values.md 3.6). */
static bool may_be_name(const struct dit_entry_run *run)
{
	return strcmp(run->reason, "empty AttributeDescription") != 0 &&
	       strcmp(run->reason,
	              "AttributeDescription contains inappropriate characters") != 0;
}

static int end_block(struct reading *reading)
{
	struct dit_attr *attr = reading->block;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = 0;

	reading->block = NULL;
	if (attr == NULL || !dit_entry_is_sorted(reading->context, attr->ad->type)) {
		return 0;
	}
	attr->is_sorted = true;
	r = attr->nvalues < 2 ? 0 : dit_attr_sort(attr, reading->arena, &twice);
	return twice == DIT_VALUES_UNIQUE
	               ? r
	               : refuse_value(reading, DIT_WHY_VALUE_TWICE, attr->ad,
	                              attr->values[twice], twice);
}

/* An attribute and a value add this to an entry's size (storage.md 4.8). */
#define ATTR_BYTES  8
#define VALUE_BYTES 5

/* slapd makes a definition of its own for it, once, and says so in capitals. */
static int accept_unknown(struct reading *reading, const struct dit_entry_run *run,
                          struct dit_entry *entry)
{
	struct dit_span name = dit_arena_copy(reading->arena, run->name);
	char *p = (char *)name.data;
	int r = 0;

	if (p == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (p[i] >= 'a' && p[i] <= 'z') {
			p[i] = (char)(p[i] - 'a' + 'A');
		}
	}
	/* The entry cannot be stored, whatever else it has. */
	(void)dit_why_tell(reading->notes, (struct dit_why){.kind = DIT_WHY_NOT_STORABLE,
	                                                    .place = DIT_WHY_AT_LINE,
	                                                    .name = run->name,
	                                                    .detail = name});
	if (reading->notes->last != NULL) {
		reading->notes->last->is_once = true;
	}
	entry->has_unknown = true;
	entry->unknown_bytes += ATTR_BYTES;
	for (size_t i = 0; i < run->nlines; i++) {
		entry->unknown_bytes +=
			reading->lines[run->first + i].value.len + VALUE_BYTES;
	}
	r = end_block(reading);
	for (size_t i = 0; i < run->nlines && r == 0; i++) {
		const struct dit_ldif_line *line = &reading->lines[run->first + i];

		if (line->value.data == NULL) {
			r = refuse_no_value(reading, line, name, reading->nbefore + i);
		}
	}
	return r;
}

/* Why a name that is no attribute's is refused; slapd has one line for all of them. */
static enum dit_why_kind name_kind(const struct dit_entry_run *run, struct dit_span value)
{
	if (run->name.data == NULL) {
		return value.len > 0 && memchr(value.data, '\0', value.len) != NULL
		               ? DIT_WHY_NUL
		               : DIT_WHY_NO_COLON;
	}
	if (run->name.len == 0) {
		return DIT_WHY_NAME_EMPTY;
	}
	if (memchr(run->name.data, ';', run->name.len) != NULL &&
	    strstr(run->reason, "option") != NULL) {
		return DIT_WHY_OPTION;
	}
	return may_be_name(run) ? DIT_WHY_UNDEFINED : DIT_WHY_NAME_BYTES;
}

/* A line without a colon has no name; slapd then shows the line. */
static int refuse_name(struct reading *reading, const struct dit_entry_run *run)
{
	struct dit_span value = reading->lines[run->first].value;
	struct dit_why why = {.kind = DIT_WHY_TWO_NAMES,
	                      .place = DIT_WHY_AT_LINE,
	                      .name = run->name,
	                      .value = value};

	if (run->renamed == NULL) {
		why.kind = name_kind(run, value);
		why.detail = dit_span_of(run->reason);
		dit_notes_add(reading->notes, DIT_REPORT_DIAGNOSTIC,
		              "<= str2entry: %s(%.*s): %s",
		              reading->context->check_schema ? "str2ad"
		                                             : "slap_str2undef_ad",
		              DIT_SPAN_ARGS(run->name.data == NULL ? value : run->name),
		              run->reason);
	} else {
		why.detail = run->renamed->name;
	}
	return dit_why_tell(reading->notes, why);
}

/* slapd tells this with the first value, and before it sorts the block in front. */
static int check_transfer(struct reading *reading, const struct dit_ad *ad)
{
	if ((ad->type->syntax->flags & DIT_SYNTAX_BINARY) == 0 || ad->is_binary) {
		return 0;
	}
	return dit_why_tell(reading->notes,
	                    dit_why_attr(DIT_WHY_BINARY, ad, ad->type->syntax->oid));
}

/* End the block that is read, and begin one for @p ad. */
static int begin_block(struct reading *reading, const struct dit_ad *ad,
                       struct dit_entry *entry)
{
	struct dit_attr *attr = NULL;
	int r = check_transfer(reading, ad);

	if (r == 0 && reading->context->sorted != NULL) {
		r = end_block(reading); /* not called for nothing, for each block */
	}
	if (r < 0) {
		return r;
	}
	attr = dit_entry_add(entry, ad, reading->arena);
	if (attr == NULL) {
		return -ENOMEM;
	}
	attr->values = reading->values;
	attr->normal = dit_attr_has_normal(ad->type) ? reading->normal : NULL;
	reading->block = attr;
	return 0;
}

/* Add a run's values to the newest block, or to a new one. */
static int read_run(struct reading *reading, const struct dit_entry_run *run,
                    struct dit_entry *entry)
{
	int r = 0;

	if (run->ad == NULL && run->renamed == NULL && !reading->context->check_schema &&
	    may_be_name(run)) {
		return accept_unknown(reading, run, entry);
	}
	if (run->ad == NULL) {
		return refuse_name(reading, run);
	}
	if (reading->block == NULL || reading->block->ad != run->ad) {
		r = begin_block(reading, run->ad, entry);
	}
	for (size_t i = 0; r == 0 && i < run->nlines; i++) {
		r = read_value(reading, reading->block, &reading->lines[run->first + i]);
	}
	return r;
}

/* In a request each attribute comes under one name. */
static int check_name(struct reading *reading, const struct dit_entry_run *run,
                      const struct dit_entry_run *head, const struct dit_entry *entry)
{
	bool is_again = run == head ? dit_entry_find(entry, run->ad) != NULL
	                            : !dit_span_eq_nocase(run->name, head->name);

	return !is_again ? 0
	                 : dit_why_tell(reading->notes,
	                                dit_why_attr(DIT_WHY_MOD_NAMES, run->ad, ""));
}

static int read_runs(struct reading *reading, struct dit_entry *entry)
{
	const struct dit_entry_run *runs = reading->work->runs;
	int r = 0;

	for (uint32_t head = 1; r == 0 && head <= reading->nruns; head++) {
		if (!runs[head].is_head) {
			continue;
		}
		reading->nbefore = 0;
		for (uint32_t i = head; r == 0 && i != 0; i = runs[i].next) {
			if (reading->context->is_request && runs[i].ad != NULL) {
				r = check_name(reading, &runs[i], &runs[head], entry);
			}
			r = r ?: read_run(reading, &runs[i], entry);
			reading->nbefore += runs[i].nlines;
		}
	}
	return r < 0 ? r : end_block(reading);
}

static int read_attrs(struct reading *reading, struct dit_entry *entry)
{
	struct dit_arena *arena = reading->arena;
	int r = dit_entry_find_runs(reading->context, reading->caches, reading->lines,
	                            reading->nlines, &reading->nruns);

	if (r < 0) {
		return r;
	}
	entry->attrs_size = reading->nruns + ATTRS_SPARE;
	entry->attrs = dit_arena_alloc(arena, entry->attrs_size * sizeof(*entry->attrs));
	reading->values =
		dit_arena_alloc(arena, reading->nlines * sizeof(*reading->values));
	reading->normal =
		dit_arena_alloc(arena, reading->nlines * sizeof(*reading->normal));
	if (entry->attrs == NULL || reading->values == NULL || reading->normal == NULL) {
		return -ENOMEM;
	}
	return read_runs(reading, entry);
}

int dit_entry_read_dn(const struct dit_entry_context *context,
                      struct dit_entry_caches *caches, struct dit_ldif_lines *lines,
                      struct dit_notes *notes, struct dit_dn *ret)
{
	struct reading reading = {.context = context,
	                          .caches = caches,
	                          .arena = notes->arena,
	                          .notes = notes,
	                          .lines = lines->lines,
	                          .nlines = lines->nlines,
	                          .has_comments = lines->has_comments};
	size_t after_dn = 0;
	int r = find_dn(&reading, ret, &after_dn);

	r = r ?: take_change(&reading, ret->pretty, after_dn);
	lines->lines = reading.lines;
	lines->nlines = reading.nlines;
	return r;
}

int dit_entry_read_lines(const struct dit_entry_context *context,
                         struct dit_entry_caches *caches, struct dit_ldif_line *lines,
                         size_t nlines, struct dit_notes *notes, struct dit_entry *ret)
{
	struct reading reading = {.context = context,
	                          .caches = caches,
	                          .work = caches->work,
	                          .arena = notes->arena,
	                          .notes = notes,
	                          .lines = lines,
	                          .nlines = nlines};

	*ret = (struct dit_entry){.nattrs = 0};
	return read_attrs(&reading, ret);
}

int dit_entry_read_parsed(const struct dit_entry_context *context,
                          struct dit_entry_caches *caches,
                          const struct dit_ldif_lines *lines, struct dit_notes *notes,
                          struct dit_entry *ret)
{
	struct dit_ldif_lines rest = *lines;
	struct dit_entry entry = {0};
	struct dit_dn dn;
	int r = dit_entry_read_dn(context, caches, &rest, notes, &dn);

	r = r
	            ?: dit_entry_read_lines(context, caches, rest.lines, rest.nlines,
	                                    notes, &entry);
	if (r == 0) {
		*ret = entry;
		ret->dn = dn;
	}
	return r;
}

int dit_entry_read(const struct dit_entry_context *context,
                   struct dit_entry_caches *caches, struct dit_span record,
                   struct dit_notes *notes, struct dit_entry *ret)
{
	struct dit_ldif_lines lines = {0};
	int r = dit_ldif_parse(&context->ldif, record, context->files, notes, &lines);

	return r ?: dit_entry_read_parsed(context, caches, &lines, notes, ret);
}

/* Two lines are no entryUUID. */
static int sum_uuid(const struct dit_entry_context *context, const struct dit_ad *ad,
                    const struct dit_ldif_line *line, struct dit_arena *arena,
                    const struct dit_entry_sum_rule *rule, uint64_t *uuid)
{
	struct dit_span normal;
	int r = *uuid != 0 ? DIT_E_UNKNOWN
	                   : dit_attr_normalize(context->schema, ad->type, line->value,
	                                        arena, &normal);

	if (r < 0) {
		return r == -ENOMEM ? r : DIT_E_UNKNOWN;
	}
	*uuid = dit_sum128_seed(normal, rule->seed);
	return 0;
}

int dit_entry_sum_lines(const struct dit_entry_context *context,
                        struct dit_entry_caches *caches,
                        const struct dit_ldif_lines *lines,
                        const struct dit_entry_sum_rule *rule, struct dit_arena *arena,
                        struct dit_entry_lines_sum *ret)
{
	const struct dit_ad *before = NULL;
	uint32_t place = 0;
	int r = 0;

	*ret = (struct dit_entry_lines_sum){.uuid = 0};
	for (size_t i = 0; i < lines->nlines && r == 0; i++) {
		const struct dit_ldif_line *line = &lines->lines[i];
		const struct dit_ad *ad = NULL;

		r = line->value.data == NULL
		            ? DIT_E_UNKNOWN
		            : dit_ad_find(context->schema, &caches->work->ads, line->name,
		                          &ad, NULL);
		if (r < 0) {
			return r;
		}
		place = ad == before ? place + 1 : 0;
		before = ad;
		if (dit_ad_is_content(ad, rule->operational)) {
			dit_ad_sum_value(ad, line->value, place, rule->seed, &ret->sum);
		}
		if (dit_span_eq(ad->name, DIT_SPAN("entryUUID"))) {
			r = sum_uuid(context, ad, line, arena, rule, &ret->uuid);
		}
	}
	return r;
}
