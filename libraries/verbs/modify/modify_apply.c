/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A change is made, or refused, in the order in which slapd looks for errors
 * (doc/spec/changes.md).
 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "codec/entry_codec.h"
#include "modify/modify_impl.h"

/* A change that is made. */
struct work {
	struct modifier *modifier;
	const struct dit_ldif_record *record;
	struct modify_change *change;
	struct modify_edit edit; /* its node and, once that is read or made, its entry */
};

/* ---- records that are left out ---- */

/* The last note says why a record is refused, in slapmodify's words where it has them. */
static void note_refusal(const struct dit_ldif_record *record,
                         struct modify_change *change)
{
	struct dit_notes *notes = &change->notes;
	const struct dit_why *why = notes->why;
	const struct dit_refusal *refusal =
		&dit_refusals[why == NULL ? DIT_WHY_NONE : why->kind];
	const char *text = refusal->text != NULL ? refusal->text : refusal->what;
	uint64_t line = record->line;
	char code[16] = "";

	if (why != NULL &&
	    (why->kind == DIT_WHY_DN_SCOPE || why->kind == DIT_WHY_DN_EMPTY)) {
		return; /* it has been noted */
	}
	if (why == NULL ||
	    (change->error != 0 && refusal->code == 0 && refusal->text == NULL)) {
		dit_notes_add(notes, DIT_REPORT_ERROR, "could not parse entry (line=%lu)",
		              line);
		return;
	}
	if (why->kind == DIT_WHY_NO_ENTRY) {
		dit_notes_add(notes, DIT_REPORT_ERROR,
		              "no such entry \"%.*s\" in database (lineno=%lu)",
		              DIT_SPAN_ARGS(change->entry.dn.pretty), line);
		return;
	}
	if (refusal->code != 0) {
		(void)snprintf(code, sizeof(code), "(%d) ", refusal->code);
	}
	text = dit_why_fill(why, text, notes->arena);
	dit_notes_add(notes, DIT_REPORT_ERROR, "dn=\"%.*s\" (line=%lu): %s%s",
	              DIT_SPAN_ARGS(change->entry.dn.pretty), line, code,
	              text == NULL ? "" : text);
}

static int leave_out(struct modifier *modifier, const struct dit_ldif_record *record,
                     struct modify_change *change)
{
	const struct dit_modify_opts *opts = modifier->opts;
	const struct dit_job_rejects rejects = {opts->reject, opts->reject_ctx,
	                                        opts->keep_going, opts->max_rejects};
	struct dit_reject reject = {.record = record->text.data,
	                            .record_len = record->text.len,
	                            .line = record->line};
	struct dit_arena *arena = change->notes.arena;
	struct dit_explanation explanation = {.text = ""};
	int r = change->notes.why == NULL
	                ? 0
	                : dit_explain(&modifier->adding, change->notes.why, record->text,
	                              arena, &explanation);

	modifier->stats->nrefused++;
	note_refusal(record, change);
	for (const struct dit_note *n = change->notes.first; n != NULL; n = n->next) {
		dit_job_report(&modifier->job, n->kind, "%s", n->text);
	}
	if (r == 0 && explanation.text[0] != '\0') {
		dit_job_report(&modifier->job, DIT_REPORT_EXPLANATION, "%s:%lu: %s",
		               record->file, record->file_line + explanation.line,
		               explanation.text);
	}
	reject.reason = change->notes.last == NULL ? "" : change->notes.last->text;
	reject.dn = r < 0 ? NULL : dit_arena_copy(arena, change->entry.dn.pretty).data;
	return dit_job_leave_out(&modifier->job, &rejects, &reject,
	                         modifier->stats->nrefused);
}

static int refuse_dn(struct work *work, enum dit_why_kind kind, struct dit_span dn)
{
	return dit_why_tell(&work->change->notes,
	                    dit_why_dn(kind, dn, work->modifier->db->suffix));
}

static int refuse(struct work *work, enum dit_why_kind kind)
{
	return refuse_dn(work, kind, work->change->entry.dn.pretty);
}

static int refuse_parent(struct work *work, enum dit_why_kind kind)
{
	bool is_new = work->change->op == MODIFY_RENAME;
	const char *which = is_new ? "new superior" : "parent";

	return dit_why_tell(&work->change->notes,
	                    dit_why_dn(kind, (struct dit_span){0}, dit_span_of(which)));
}

/* ---- what is there ---- */

static bool is_suffix(const struct work *work, const struct dit_dn *dn)
{
	return work->modifier->suffix_nrdns > 0 &&
	       dn->nrdns == work->modifier->suffix_nrdns;
}

static int find_entry(struct work *work)
{
	int r = dit_modify_find(work->modifier, &work->change->entry.dn, 0,
	                        &work->edit.node);

	return r == 0 ? refuse(work, DIT_WHY_NO_ENTRY) : r < 0 ? r : 0;
}

/* The entry, to be changed. */
static int load_entry(struct work *work)
{
	int r = find_entry(work);

	if (r < 0) {
		return r;
	}
	r = dit_modify_read(&work->edit);
	if (r == DIT_E_UNSUPPORTED) {
		return dit_why_tell(
			&work->change->notes,
			(struct dit_why){.kind = DIT_WHY_MOD_ATTR,
		                         .place = DIT_WHY_AT_DN,
		                         .name = work->edit.unknown,
		                         .detail = DIT_SPAN("attribute type undefined")});
	}
	return r == 0 ? refuse(work, DIT_WHY_NO_ENTRY) : r < 0 ? r : 0;
}

/* 1; 0: the node is a hole. @param ret  object class flags */
static int read_flags(struct modifier *modifier, const struct modify_node *node,
                      uint32_t *ret)
{
	struct dit_span record;
	int r = 1;

	if (node->entry != NULL) {
		*ret = node->entry->oc_flags;
		return 1;
	}
	r = dit_output_find_entry(modifier->output, node->id, &record);
	return r <= 0 ? r : (dit_entry_decode_flags(record, ret) ?: 1);
}

/* Can there be entries below this one? */
static int check_parent(struct work *work, const struct modify_node *parent,
                        enum dit_why_kind missing, struct dit_span shown)
{
	uint32_t flags = 0;
	int r = parent == NULL ? 0 : read_flags(work->modifier, parent, &flags);

	/* It has become one since, or is a hole; they are where they were. */
	if (r >= 0 && parent != NULL && work->modifier->opts->is_exact) {
		return 0;
	}
	if (r <= 0) {
		return r < 0 ? r : refuse_dn(work, missing, shown);
	}
	if ((flags & DIT_OC_ALIAS) != 0) {
		return refuse_parent(work, DIT_WHY_PARENT_ALIAS);
	}
	if ((flags & DIT_OC_REFERRAL) != 0) {
		return refuse_parent(work, DIT_WHY_PARENT_REFERRAL);
	}
	return (flags & DIT_OC_SUBENTRY) != 0 && work->change->op == MODIFY_ADD
	               ? refuse_parent(work, DIT_WHY_PARENT_SUBENTRY)
	               : 0;
}

/* ---- sizes ---- */

/* Does the name fit the database? */
static int check_name(struct work *work, struct dit_span norm, struct dit_span pretty)
{
	const struct dit_name name = {.norm = norm, .pretty = pretty, .is_child = true};
	char *record = dit_arena_bytes(&work->modifier->scratch, DIT_NAME_RECORD_LONGEST);

	if (record == NULL) {
		return -ENOMEM;
	}
	return dit_name_encode(record, work->modifier->output->base.key_max, &name) < 0
	               ? refuse(work, DIT_WHY_RDN_SIZE)
	               : 0;
}

/* ---- the changes ---- */

static int add(struct work *work)
{
	struct modifier *modifier = work->modifier;
	const struct dit_entry *given = &work->change->entry;
	const struct dit_dn *dn = &work->change->entry.dn;
	bool is_top = is_suffix(work, dn) || dn->nrdns == 1;
	struct dit_span norm = is_top ? dn->norm : dit_dn_first_rdn(dn->norm);
	struct dit_span pretty = is_top ? dn->pretty : dit_dn_first_rdn(dn->pretty);
	struct modify_node *parent = NULL;
	int r = dit_modify_find(modifier, dn, 0, &work->edit.node);

	if (r != 0) {
		return r < 0 ? r : refuse(work, DIT_WHY_TAKEN);
	}
	r = check_name(work, norm, pretty);
	r = r ?: dit_modify_check_fits(modifier, given, &work->change->notes);
	if (r == 0 && !is_top) {
		r = dit_modify_find(modifier, dn, 1, &parent);
		r = r < 0 ? r : check_parent(work, parent, DIT_WHY_NO_PARENT, dn->pretty);
	}
	if (r < 0) {
		return r;
	}
	r = dit_modify_add_node(modifier, parent, norm, pretty, &work->edit.node);
	work->edit.entry = *given;
	r = r ?: dit_modify_keep(&work->edit);
	modifier->stats->nadded += r == 0;
	return r;
}

static int delete (struct work *work)
{
	uint32_t flags = 0;
	int r = find_entry(work);

	if (r < 0) {
		return r;
	}
	r = read_flags(work->modifier, work->edit.node, &flags);
	if (r <= 0) {
		return r < 0 ? r : refuse(work, DIT_WHY_NO_ENTRY);
	}
	if (work->edit.node->nsubs > 1) {
		return refuse(work, DIT_WHY_NOT_LEAF);
	}
	work->modifier->stats->ndeleted++;
	return dit_modify_remove_node(work->modifier, work->edit.node);
}

static int modify(struct work *work)
{
	const struct modify_change *change = work->change;
	int r = load_entry(work);

	r = r
	            ?: dit_modify_edit(&work->edit, &change->entry.dn, change->mods,
	                               change->nmods, &change->stamp);
	work->modifier->stats->nmodified += r == 0;
	return r;
}

/* ---- modrdn ---- */

/* A value of an RDN goes or comes. */
static int take_name(struct work *work, const struct dit_ava *ava, enum modify_how how,
                     struct modify_mod *ret)
{
	struct dit_arena *arena = work->change->notes.arena;
	struct dit_span *values = dit_arena_calloc(arena, 2, sizeof(*values));
	int r = 0;

	if (values == NULL) {
		return -ENOMEM;
	}
	values[0] = ava->value;
	r = dit_name_normal(work->modifier->changing.schema, ava, arena, &values[1]);
	*ret = (struct modify_mod){.how = how,
	                           .attr = {.ad = &ava->type->ad,
	                                    .values = values,
	                                    .normal = r > 0 ? &values[1] : NULL,
	                                    .nvalues = 1}};
	return r < 0 ? r : 0;
}

/* The last value of an RDN comes first. */
static int edit_names(struct work *work)
{
	const struct modify_change *change = work->change;
	const struct dit_dn *newrdn = &change->newrdn;
	struct dit_dn dn = change->entry.dn;
	unsigned nold = change->deletes_old ? dn.navas : 0;
	unsigned nmods = nold + newrdn->navas;
	struct modify_mod *mods =
		dit_arena_alloc(change->notes.arena, nmods * sizeof(*mods));
	int r = mods == NULL ? -ENOMEM : 0;

	for (unsigned i = 0; i < nmods && r == 0; i++) {
		r = i < nold ? take_name(work, &dn.avas[nold - 1 - i], MODIFY_HOW_DELETE,
		                         &mods[i])
		             : take_name(work, &newrdn->avas[nmods - 1 - i],
		                         MODIFY_HOW_SOFT_ADD, &mods[i]);
	}
	dn.avas = newrdn->avas;
	dn.navas = newrdn->navas;
	return r ?: dit_modify_edit(&work->edit, &dn, mods, nmods, &change->stamp);
}

/* All that can be known without looking at entries. */
static int check_rename(struct work *work)
{
	const struct modify_change *change = work->change;
	const struct dit_dn *dn = &change->entry.dn;
	const struct dit_glue *glue = &work->modifier->job.glue;

	for (unsigned i = 0; i < change->newrdn.navas; i++) {
		if (change->newrdn.avas[i].type->equality == NULL) {
			return dit_why_tell(
				&work->change->notes,
				dit_why_dn(
					DIT_WHY_NAMING_RULE, (struct dit_span){0},
					dit_span_of(change->newrdn.avas[i].type->name)));
		}
	}
	if (change->has_superior && dit_dn_is_below(change->superior.norm, dn->norm)) {
		return refuse_dn(work, DIT_WHY_BELOW_ITSELF, change->superior.pretty);
	}
	if (is_suffix(work, dn)) {
		bool is_renamed =
			!dit_span_eq(change->newrdn.norm, dit_dn_first_rdn(dn->norm));

		return refuse(work, change->has_superior || is_renamed
		                            ? DIT_WHY_OTHER_PLACE
		                            : DIT_WHY_SUFFIX_NAME);
	}
	/* The root is the parent of topmost entries, if the suffix is empty. */
	return !change->has_superior ||
	                       (change->superior.nrdns == 0
	                                ? dn->nrdns == 1
	                                : dit_glue_find(glue, &change->superior) == 0)
	               ? 0
	               : refuse(work, DIT_WHY_OTHER_PLACE);
}

/* The node that the entry will be below. */
static int find_superior(struct work *work, struct modify_node **ret)
{
	const struct modify_change *change = work->change;
	int r = 0;

	if (!change->has_superior) {
		*ret = work->edit.node->parent;
		return 0;
	}
	r = dit_modify_find(work->modifier, &change->superior, 0, ret);
	if (r < 0 || (r > 0 && *ret == work->edit.node->parent)) {
		return r < 0 ? r : 0; /* slapd looks at a new parent alone */
	}
	return check_parent(work, *ret, DIT_WHY_NO_SUPERIOR, change->superior.pretty);
}

/* Another entry has the new DN. */
static int refuse_name(struct work *work)
{
	const struct modify_change *change = work->change;
	const struct dit_dn *dn = &change->entry.dn;
	struct dit_span parts[] = {change->newrdn.pretty, DIT_SPAN(","),
	                           change->has_superior ? change->superior.pretty
	                                                : dit_dn_parent(dn->pretty)};
	struct dit_span taken;

	return dit_arena_join(change->notes.arena, parts, parts[2].len > 0 ? 3 : 1,
	                      &taken) < 0
	               ? -ENOMEM
	               : refuse_dn(work, DIT_WHY_TAKEN, taken);
}

static int rename_entry(struct work *work)
{
	struct modifier *modifier = work->modifier;
	const struct dit_dn *newrdn = &work->change->newrdn;
	struct modify_node *other = NULL;
	struct modify_node *parent = NULL;
	int r = check_rename(work);

	r = r ?: load_entry(work);
	r = r ?: find_superior(work, &parent);
	r = r ?: dit_modify_find_child(modifier, parent, newrdn->norm, &other);
	if (r > 0) {
		r = other == work->edit.node ? 0 : refuse_name(work);
	}
	r = r ?: check_name(work, newrdn->norm, newrdn->pretty);
	r = r ?: edit_names(work);
	if (r < 0) {
		return r;
	}
	modifier->stats->nrenamed++;
	return dit_modify_move_node(modifier, work->edit.node, parent, newrdn->norm,
	                            newrdn->pretty);
}

/* ---- a record ---- */

static const struct {
	const char *word;
	int (*make)(struct work *work);
} operations[] = {[MODIFY_ADD] = {"add", add},
                  [MODIFY_DELETE] = {"delete", delete},
                  [MODIFY_MODIFY] = {"modify", modify},
                  [MODIFY_RENAME] = {"modrdn", rename_entry}};

static int check_scope(struct work *work)
{
	const struct dit_dn *dn = &work->change->entry.dn;

	/* Entries of subordinate databases are not in this one. */
	return dn->nrdns > 0 && dit_glue_find(&work->modifier->job.glue, dn) == 0
	               ? 0
	               : dit_glue_refuse(&work->modifier->job.glue, work->modifier->db,
	                                 dn, work->record->line, &work->change->notes);
}

static const struct dit_ad *ad_of(const struct modifier *modifier, struct dit_span name)
{
	return &dit_schema_find_type(modifier->changing.schema, name)->ad;
}

/* The newest CSN of each server, for contextCSN. A deletion has one too, which no entry
 * keeps. */
static int note_csn(struct work *work)
{
	struct modifier *modifier = work->modifier;
	struct dit_entry entry = work->edit.entry;
	const struct dit_attr *attr = NULL;
	int r = 0;

	if (!modifier->keeps_csns) {
		return 0;
	}
	if (work->change->op == MODIFY_DELETE) {
		r = dit_entry_grow(&entry, &modifier->scratch);
		if (r == 0) {
			r = dit_entry_mark_modified(
				&modifier->changing, modify_caches(modifier), &entry,
				&work->change->stamp, &modifier->scratch, NULL, 0);
		}
	}
	attr = r < 0 ? NULL
	             : dit_entry_find(&entry, ad_of(modifier, DIT_SPAN("entryCSN")));
	return attr == NULL ? r : dit_csn_list_take(&modifier->csns, attr->values[0], 0);
}

int dit_modify_apply(struct modifier *modifier, const struct dit_ldif_record *record,
                     struct modify_change *change)
{
	struct work work = {.modifier = modifier,
	                    .record = record,
	                    .change = change,
	                    .edit = {.modifier = modifier, .notes = &change->notes}};
	int r = change->error;

	if (record->text.data[0] == '#') {
		int state = dit_modify_check_state(modifier, record);

		if (state < 0) {
			return state;
		}
	}
	if (modifier->unended.file != NULL) {
		dit_modify_note_end(modifier, record);
	} else if (r < 0 || change->op != MODIFY_NOTHING) {
		modifier->digest[0] = '\0';
	}
	if (r == 0 && change->op == MODIFY_NOTHING) {
		return 0;
	}
	modifier->stats->nrecords++;
	dit_arena_reset(&modifier->scratch);
	r = r ?: check_scope(&work);
	r = r ?: operations[change->op].make(&work);
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		return leave_out(modifier, record, change);
	}
	r = r < 0 ? r : note_csn(&work);
	if (r < 0) {
		return dit_modify_fail(modifier, r, modifier->db->data.directory);
	}
	if (modifier->opts->is_verbose) {
		dit_job_report(&modifier->job, DIT_REPORT_ADDED, "%s: \"%.*s\" (%08lx)",
		               operations[change->op].word,
		               DIT_SPAN_ARGS(change->entry.dn.norm), work.edit.node->id);
	}
	return 0;
}

/* ---- contextCSN ---- */

/*
 * The entry's own CSNs are merged with the new ones; if none is newer, and none is of
 * another server, it stays. If it has none, a slapd with syncprov looks at all entries
 * when it starts, so only -w writes some.
 */
static int put_csns(struct modify_edit *edit)
{
	struct modifier *modifier = edit->modifier;
	const struct dit_ad *ad = ad_of(modifier, DIT_SPAN("contextCSN"));
	const struct dit_attr *stored = dit_entry_find(&edit->entry, ad);
	struct modify_mod mod = {MODIFY_HOW_REPLACE, {.ad = ad}};
	bool is_newer = stored == NULL && modifier->opts->write_context_csn;
	int r = 0;

	for (uint32_t i = 0; stored != NULL && i < stored->nvalues && r >= 0; i++) {
		r = dit_csn_list_take(&modifier->csns, stored->values[i], 0);
		is_newer |= r > 0;
	}
	is_newer |= stored != NULL && modifier->csns.n > stored->nvalues;
	if (r < 0 || !is_newer) {
		return r < 0 ? r : 0;
	}
	mod.attr.values = dit_csn_list_values(&modifier->csns, &modifier->scratch);
	mod.attr.nvalues = (uint32_t)modifier->csns.n;
	return mod.attr.values == NULL ? -ENOMEM
	                               : dit_modify_edit(edit, NULL, &mod, 1, NULL);
}

int dit_modify_put_csns(struct modifier *modifier)
{
	struct dit_notes notes;
	struct modify_edit edit = {.modifier = modifier, .notes = &notes};
	struct dit_dn dn;
	int r = 0;

	if (modifier->csns.n == 0) {
		return 0;
	}
	dit_arena_reset(&modifier->scratch);
	dit_notes_init(&notes, &modifier->scratch);
	r = dit_csn_entry_dn(modifier->db, modifier->changing.schema, &modifier->scratch,
	                     &dn);
	if (r == 0) {
		r = dn.nrdns == 0 ? (dit_modify_meet_root(modifier, &edit.node) ?: 1)
		                  : dit_modify_find(modifier, &dn, 0, &edit.node);
	}
	r = r <= 0 ? r : dit_modify_read(&edit);
	if (r == 0) {
		/* slapmodify says nothing of the empty suffix. */
		if (dn.nrdns > 0 && modifier->opts->write_context_csn) {
			dit_job_report(&modifier->job, DIT_REPORT_ERROR,
			               "context entry is missing");
		}
		return 0;
	}
	r = r < 0 ? r : put_csns(&edit);
	return r < 0 ? dit_modify_fail(modifier, r, "could not write contextCSN") : 0;
}
