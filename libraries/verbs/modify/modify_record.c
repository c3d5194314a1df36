/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record of changes (RFC 2849): its type, its DN, its modifications. Values are read as
 * those of an entry are. Members read records, and main makes the changes in their order.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "modify/modify_impl.h"
#include "values/value.h"

struct reading {
	const struct modifier *modifier;
	struct dit_entry_caches *caches;
	struct dit_ldif_lines lines;
	size_t at; /* the next line */
	struct modify_change *change;
};

static struct dit_ldif_line *next_line(const struct reading *reading)
{
	return reading->at == reading->lines.nlines ? NULL
	                                            : &reading->lines.lines[reading->at];
}

static bool is_named(const struct dit_ldif_line *line, const char *name)
{
	return line != NULL && line->name.data != NULL &&
	       dit_span_eq_nocase(line->name, dit_span_of(name));
}

struct word {
	const char *name;
	int meaning;
};

/* The word of a table; NULL: it is another one. */
static const struct word *find_word(const struct word *words, struct dit_span text)
{
	while (words->name != NULL &&
	       !dit_span_eq_nocase(text, dit_span_of(words->name))) {
		words++;
	}
	return words->name == NULL || text.data == NULL ? NULL : words;
}

static int refuse_line(struct reading *reading, enum dit_why_kind kind,
                       const struct dit_ldif_line *line, const char *detail)
{
	struct dit_why why = {.kind = kind, .place = DIT_WHY_AT_DN};

	if (line != NULL) {
		why.place = DIT_WHY_AT_LINE;
		why.name = line->name;
		why.value = line->value;
	}
	why.detail = dit_span_of(detail);
	return dit_why_tell(&reading->change->notes, why);
}

/* ---- modifications ---- */

static const struct word hows[] = {
	{"add", MODIFY_HOW_ADD},
	{"delete", MODIFY_HOW_DELETE},
	{"replace", MODIFY_HOW_REPLACE},
	{"increment", MODIFY_HOW_INCREMENT},
	{NULL, 0},
};

static bool is_end(const struct dit_ldif_line *line)
{
	return line->name.data == NULL && dit_span_eq(line->value, DIT_SPAN("-"));
}

/* slapd lets the relax control change these. */
static bool is_manageable(const struct dit_ad *ad)
{
	static const struct dit_span names[] = {
		DIT_SPAN("creatorsName"),  DIT_SPAN("createTimestamp"),
		DIT_SPAN("modifiersName"), DIT_SPAN("modifyTimestamp"),
		DIT_SPAN("entryUUID"),     DIT_SPAN("entryTtl"),
	};
	bool is_listed = (ad->type->flags & DIT_TYPE_NO_USER_MOD) == 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		is_listed |= dit_span_eq_nocase(dit_span_of(ad->type->name), names[i]);
	}
	return is_listed;
}

static int refuse_ad(struct reading *reading, enum dit_why_kind kind,
                     const struct dit_ad *ad)
{
	return dit_why_tell(&reading->change->notes, dit_why_attr(kind, ad, ""));
}

/* Values that go: each valid. */
static int check_each(struct reading *reading, const struct dit_attr *attr)
{
	int r = 0;

	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		struct dit_attr one = {
			.ad = attr->ad, .values = attr->values + i, .nvalues = 1};
		struct dit_entry values = {.attrs = &one, .nattrs = 1};

		r = dit_attr_is_number(attr->ad->type, attr->values[i])
		            ? 0
		            : dit_entry_check_values(&reading->modifier->changing,
		                                     reading->caches, &values,
		                                     &reading->change->notes);
	}
	return r;
}

/* A brace at the beginning of an X-ORDERED value encloses a number, as C reads it. */
static bool is_placed(struct dit_span value)
{
	char *end = NULL;

	if (value.len == 0 || value.data[0] != '{') {
		return true;
	}
	(void)strtol(value.data + 1, &end, 0);
	return end > value.data + 1 && *end == '}';
}

/* Values that will be in the entry: each valid, none twice. */
static int check_values(struct reading *reading, struct dit_entry *values)
{
	const struct dit_attr *attr = values->attrs;

	for (uint32_t i = 0;
	     (attr->ad->type->flags & DIT_TYPE_ORDERED_VALUES) != 0 && i < attr->nvalues;
	     i++) {
		if (!is_placed(attr->values[i])) {
			return dit_why_tell(&reading->change->notes,
			                    dit_why_value(DIT_WHY_VALUE, attr->ad,
			                                  attr->values[i], i,
			                                  attr->ad->type->syntax->oid));
		}
	}
	if ((attr->ad->type->flags & DIT_TYPE_SINGLE) != 0 && attr->nvalues > 1) {
		return refuse_ad(reading, DIT_WHY_MOD_SINGLE, attr->ad);
	}
	return dit_entry_check_values(&reading->modifier->changing, reading->caches,
	                              values, &reading->change->notes);
}

static int read_values(struct reading *reading, size_t nlines, struct modify_mod *mod)
{
	struct dit_entry values;
	int r = dit_entry_read_lines(&reading->modifier->changing, reading->caches,
	                             next_line(reading), nlines, &reading->change->notes,
	                             &values);

	if (r == 0 && reading->modifier->adding.check_values) {
		r = mod->how == MODIFY_HOW_DELETE ? check_each(reading, values.attrs)
		                                  : check_values(reading, &values);
	}
	if (r == 0) {
		mod->attr = values.attrs[0];
	}
	return r;
}

/* A modification that ldapmodify sends without values. */
static bool is_sent_empty(enum modify_how how)
{
	return how == MODIFY_HOW_DELETE || how == MODIFY_HOW_REPLACE;
}

/* The attribute of a modification, from the line that begins it. */
static int read_ad(struct reading *reading, const struct dit_ldif_line *line,
                   const struct dit_ad **ret)
{
	const char *reason = NULL;
	int r = dit_ad_find(reading->modifier->changing.schema, NULL, line->value, ret,
	                    &reason);

	if (r == DIT_E_UNKNOWN || r == DIT_E_INVALID) {
		return dit_why_tell(&reading->change->notes,
		                    (struct dit_why){.kind = DIT_WHY_MOD_ATTR,
		                                     .place = DIT_WHY_AT_LINE,
		                                     .name = line->value,
		                                     .value = line->value,
		                                     .detail = dit_span_of(reason)});
	}
	if (r == 0 && !reading->modifier->opts->is_exact && !is_manageable(*ret)) {
		r = refuse_ad(reading, DIT_WHY_MOD_FIXED, *ret);
	}
	return r;
}

/* The lines of one modification have its name. @param ret_n  how many have values */
static int count_values(struct reading *reading, const struct dit_ldif_line *first,
                        size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = reading->at; i < reading->lines.nlines; i++) {
		const struct dit_ldif_line *line = &reading->lines.lines[i];

		if (is_end(line)) {
			break;
		}
		if (line->name.data == NULL ||
		    !dit_span_eq_nocase(line->name, first->value)) {
			return refuse_line(reading, DIT_WHY_MOD_LINE, line, "");
		}
		n++;
	}
	*ret_n = n;
	return 0;
}

static int read_mod(struct reading *reading, struct modify_mod *mod)
{
	const struct dit_ldif_line *line = next_line(reading);
	const struct word *how = find_word(hows, line->name);
	const struct dit_ad *ad = NULL;
	size_t nvalues = 0;
	int r = 0;

	if (how == NULL || line->value.data == NULL) {
		return refuse_line(reading, DIT_WHY_MOD_TYPE, line, "");
	}
	reading->at++;
	r = count_values(reading, line, &nvalues);
	if (r == 0 && (nvalues > 0 || is_sent_empty((enum modify_how)how->meaning))) {
		r = read_ad(reading, line, &ad);
	}
	*mod = (struct modify_mod){(enum modify_how)how->meaning, {.ad = ad}};
	if (r == 0 && nvalues > 0) {
		r = read_values(reading, nvalues, mod);
	}
	reading->at += nvalues;
	reading->at += reading->at < reading->lines.nlines; /* "-" */
	return r;
}

/* As ldapmodify sends them: without those that add nothing. */
static int read_mods(struct reading *reading)
{
	struct modify_change *change = reading->change;
	size_t most = reading->lines.nlines - reading->at;
	int r = 0;

	change->mods =
		dit_arena_alloc(change->notes.arena, (most + 1) * sizeof(*change->mods));
	if (change->mods == NULL) {
		return -ENOMEM;
	}
	while (r == 0 && next_line(reading) != NULL) {
		struct modify_mod *mod = &change->mods[change->nmods];

		r = read_mod(reading, mod);
		change->nmods += mod->attr.nvalues > 0 || is_sent_empty(mod->how);
	}
	return r;
}

/* ---- modrdn ---- */

static int parse_dn(struct reading *reading, const struct dit_ldif_line *line,
                    enum dit_why_kind kind, struct dit_dn *ret)
{
	int r = line->value.data == NULL
	                ? DIT_E_INVALID
	                : dit_dn_parse(reading->modifier->changing.schema, line->value,
	                               reading->change->notes.arena,
	                               &reading->caches->dns, ret);

	return r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED
	               ? refuse_line(reading, kind, line, "")
	               : r;
}

static int read_newrdn(struct reading *reading)
{
	const struct dit_ldif_line *line = next_line(reading);
	int r = 0;

	if (!is_named(line, "newrdn")) {
		return refuse_line(reading, DIT_WHY_MOD_LINES, line, "newrdn is missing");
	}
	reading->at++;
	r = parse_dn(reading, line, DIT_WHY_BAD_RDN, &reading->change->newrdn);
	return r == 0 && reading->change->newrdn.nrdns != 1
	               ? refuse_line(reading, DIT_WHY_BAD_RDN, line, "")
	               : r;
}

static int refuse_more(struct reading *reading)
{
	const struct dit_ldif_line *line = next_line(reading);

	return line == NULL ? 0
	                    : refuse_line(reading, DIT_WHY_MOD_LINES, line,
	                                  "there is a line too many");
}

static int read_rename(struct reading *reading)
{
	const struct dit_ldif_line *line = NULL;
	int r = read_newrdn(reading);

	line = next_line(reading);
	if (r == 0 && (!is_named(line, "deleteoldrdn") || line->value.data == NULL)) {
		r = refuse_line(reading, DIT_WHY_MOD_LINES, line,
		                "deleteoldrdn is missing");
	}
	if (r < 0) {
		return r;
	}
	reading->change->deletes_old = line->value.len == 0 || line->value.data[0] != '0';
	reading->at++;
	line = next_line(reading);
	if (is_named(line, "newsuperior")) {
		reading->at++;
		reading->change->has_superior = true;
		r = parse_dn(reading, line, DIT_WHY_BAD_SUPERIOR,
		             &reading->change->superior);
		/* ldapmodify passes over one line more, such as "-". */
		reading->at += next_line(reading) != NULL;
	}
	return r ?: refuse_more(reading);
}

/* ---- records ---- */

/* ldapmodify ends a name at the blanks in front of its colon. The parser has made NUL
 * bytes of them. */
static void trim_names(struct reading *reading)
{
	for (size_t i = reading->at; i < reading->lines.nlines; i++) {
		struct dit_span *name = &reading->lines.lines[i].name;

		while (name->len > 0 && name->data[name->len - 1] == '\0') {
			name->len--;
		}
	}
}

static int read_entry(struct reading *reading)
{
	const struct dit_entry_context *context = &reading->modifier->adding;
	struct dit_entry *entry = &reading->change->entry;
	struct dit_notes *notes = &reading->change->notes;
	struct dit_entry_caches *caches = reading->caches;
	int r = 0;

	trim_names(reading);
	r = dit_entry_read_parsed(context, caches, &reading->lines, notes, entry);
	r = r ?: dit_entry_check(context, caches, entry, notes);
	if (r == 0 && entry->has_unknown) {
		return DIT_E_INVALID; /* without schema check; the notes say why */
	}
	return r
	               ?: dit_entry_complete(context, caches, entry,
	                                     &reading->change->stamp, notes);
}

/* ManageDsaIT and relax say what is done anyway. */
static int skip_controls(struct reading *reading)
{
	const struct dit_ldif_line *line = next_line(reading);

	while (is_named(line, "control")) {
		struct dit_span oid = line->value;

		if ((!dit_cut_prefix(&oid, DIT_SPAN("2.16.840.1.113730.3.4.2")) &&
		     !dit_cut_prefix(&oid, DIT_SPAN("1.3.6.1.4.1.4203.666.5.12"))) ||
		    (oid.len > 0 && oid.data[0] != ' ')) {
			return refuse_line(reading, DIT_WHY_MOD_CONTROL, line, "");
		}
		reading->at++;
		line = next_line(reading);
	}
	return 0;
}

static const struct word ops[] = {
	{"add", MODIFY_ADD},
	{"delete", MODIFY_DELETE},
	{"modify", MODIFY_MODIFY},
	{"modrdn", MODIFY_RENAME},
	{"moddn", MODIFY_RENAME},
	{"rename", MODIFY_RENAME},
	{NULL, 0},
};

/* Without a changetype line the record is a modification, as slapmodify has it. */
static int read_op(struct reading *reading)
{
	const struct dit_ldif_line *line = next_line(reading);
	const struct word *op = NULL;

	reading->change->op = MODIFY_MODIFY;
	if (line == NULL || !is_named(line, "changetype")) {
		return 0;
	}
	op = find_word(ops, line->value);
	if (op == NULL) {
		return refuse_line(reading, DIT_WHY_MOD_TYPE, line, "");
	}
	reading->change->op = (enum modify_op)op->meaning;
	reading->at++;
	return 0;
}

/* ldapmodify refuses a change with base64 that it cannot read to the end. */
static int check_base64(const struct reading *reading)
{
	for (size_t i = 0; i < reading->lines.nlines; i++) {
		const struct dit_ldif_line *line = &reading->lines.lines[i];

		if (line->is_damaged && line->value.data != NULL) {
			return dit_why_set(&reading->change->notes,
			                   (struct dit_why){.kind = DIT_WHY_BASE64,
			                                    .place = DIT_WHY_AT_LINE,
			                                    .name = line->name,
			                                    .value = line->value})
			               ?: DIT_E_INVALID;
		}
	}
	return 0;
}

static int read_change(struct reading *reading)
{
	const struct dit_ldif_line *line = NULL;
	int r = check_base64(reading);

	while (r == 0 && !is_named(line = next_line(reading), "dn")) {
		if (line == NULL) {
			return 0;
		}
		if (line->name.data == NULL && !is_end(line)) {
			return refuse_line(reading, DIT_WHY_NO_COLON, line, "");
		}
		reading->at++;
	}
	if (r < 0) {
		return r;
	}
	r = parse_dn(reading, line, DIT_WHY_DN_INVALID, &reading->change->entry.dn);
	reading->lines.lines += reading->at; /* none of the entry is in front of it */
	reading->lines.nlines -= reading->at;
	reading->at = 1;
	r = r ?: skip_controls(reading);
	r = r ?: read_op(reading);
	if (r < 0) {
		return r;
	}
	switch (reading->change->op) {
	case MODIFY_ADD:
		return read_entry(reading);
	case MODIFY_MODIFY:
		return read_mods(reading);
	case MODIFY_RENAME:
		return read_rename(reading);
	case MODIFY_DELETE:
		return refuse_more(reading);
	case MODIFY_NOTHING:
		break;
	}
	return 0;
}

/* change->error says how that went. */
static void read_record(const struct modifier *modifier,
                        const struct dit_pipeline_share *share, size_t i)
{
	const struct modify_slot *slot = &modifier->slots[share->slot];
	struct modify_change *change = &slot->changes[i];
	struct reading reading = {.modifier = modifier,
	                          .caches = &modifier->members[share->member].caches,
	                          .change = change};
	int r = 0;

	*change = (struct modify_change){
		.op = MODIFY_NOTHING,
		.stamp =
			dit_entry_stamp_of(&modifier->clock, slot->time_us, (uint32_t)i)};
	dit_notes_init(&change->notes, share->arena);
	r = dit_ldif_parse(&modifier->adding.ldif, slot->batch.records[i].text,
	                   &modifier->files, &change->notes, &reading.lines);
	change->error = r ?: read_change(&reading);
}

/* ---- stages of the pipeline ---- */

static int fill(void *ctx, unsigned slot)
{
	struct modifier *modifier = ctx;

	return modifier->reader == NULL
	               ? 0
	               : dit_ldif_reader_next(modifier->reader,
	                                      &modifier->slots[slot].batch);
}

static int begin(void *ctx, unsigned slot_number, size_t *ret_nitems)
{
	struct modifier *modifier = ctx;
	struct modify_slot *slot = &modifier->slots[slot_number];
	size_t n = slot->batch.nrecords;

	slot->time_us = dit_entry_clock_next(&modifier->clock, n);
	*ret_nitems = n;
	return DIT_GROW(slot->changes, slot->changes_size, n + 1);
}

static int parse(void *ctx, const struct dit_pipeline_share *share)
{
	for (size_t i = share->first; i < share->end; i++) {
		read_record(ctx, share, i);
	}
	return 0; /* an error is told when its turn has come */
}

static int in_order(void *ctx, unsigned slot_number)
{
	struct modifier *modifier = ctx;
	struct modify_slot *slot = &modifier->slots[slot_number];
	int r = 0;

	for (size_t i = 0; i < slot->batch.nrecords && r == 0; i++) {
		r = dit_modify_apply(modifier, &slot->batch.records[i],
		                     &slot->changes[i]);
	}
	modifier->stats->bytes_read = slot->batch.bytes_read;
	dit_tick_often(dit_job_ticker(&modifier->job));
	return r;
}

int dit_modify_make_threads(struct modifier *modifier)
{
	const struct dit_pipeline_opts opts = {
		.ops = {.fill = fill,
	                .begin = begin,
	                .before_order = parse,
	                .in_order = in_order},
		.ctx = modifier,
		.shared = dit_job_shared(&modifier->job, modifier->seal),
		.name = "tool",
		.is_ahead = modifier->job.nthreads > 1};
	unsigned n = modifier->job.nthreads;
	int r = 0;

	modifier->members = calloc(n + 1, sizeof(*modifier->members));
	if (modifier->members == NULL) {
		return -ENOMEM;
	}
	r = dit_entry_caches_init(modify_caches(modifier));
	for (unsigned i = 0; i < n && r == 0; i++) {
		const struct dit_entry_reader_opts reader = {.snapshot =
		                                                     modifier->snapshot,
		                                             .reader = i,
		                                             .names = &modifier->names,
		                                             .without_dn = true};

		r = dit_entry_caches_init(&modifier->members[i].caches);
		r = r ?: dit_entry_reader_new(&modifier->members[i].reader, &reader);
	}
	return r ?: dit_pipeline_new(&modifier->pipeline, &opts);
}
