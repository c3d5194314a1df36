/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN (-w, storage.md 6.3): for every server ID the highest entryCSN of the load
 * goes into the suffix entry of a database, or, where the database is configured so, into
 * its subentry cn=ldapsync, which is made if there is none.
 *
 * A stored contextCSN stays unless one of its values is exceeded, or is of a server that
 * is removed; then all known ones are written. The values have no normal forms and are
 * not indexed, and a new subentry has no operational attributes, as slapd itself writes
 * them.
 */
#include "load/loader.h"

#include <errno.h>

#include "base/error.h"

#define ARENA_BYTES 4096

/* ---- the highest of the load ---- */

int dit_load_csn_start(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_schema *schema = loader->job.chosen.settings->schema;
	struct load_csn *csn = &loader->csn;
	int r = 0;

	if ((!opts->write_context_csn && opts->remove_sids == NULL) ||
	    !loader->job.chosen.db->lastmod || opts->is_dry_run) {
		return 0;
	}
	csn->is_wanted = true;
	dit_arena_init(&csn->arena, ARENA_BYTES);
	r = dit_ad_find(schema, NULL, DIT_SPAN("entryCSN"), &csn->entry_csn, NULL);
	return r < 0 ? r
	             : dit_ad_find(schema, NULL, DIT_SPAN("contextCSN"),
	                           &csn->context_csn, NULL);
}

void dit_load_csn_deinit(struct load_csn *csn)
{
	dit_arena_deinit(&csn->arena);
	dit_csn_list_deinit(&csn->list);
}

int dit_load_csn_note(struct loader *loader, const struct dit_entry *entry)
{
	struct load_csn *csn = &loader->csn;
	const struct dit_attr *attr =
		csn->is_wanted ? dit_entry_find(entry, csn->entry_csn) : NULL;
	struct dit_span text = {0};
	int r = 0;

	if (attr == NULL || attr->nvalues == 0) {
		return 0;
	}
	text = attr->normal != NULL ? attr->normal[0] : attr->values[0];
	if (dit_csn_list_sid(text) < 0) {
		dit_job_report(&loader->job, DIT_REPORT_REMARK,
		               "could not extract SID from entryCSN=%.*s, entry "
		               "dn=\"%.*s\"",
		               DIT_SPAN_ARGS(text), DIT_SPAN_ARGS(entry->dn.pretty));
		return 0;
	}
	r = dit_csn_list_take(&csn->list, text, 0);
	return r < 0 ? r : 0;
}

/* ---- an entry that is there ---- */

/* Take over what the entry has. 1: one of its values is exceeded, or is removed; 0;
 * DIT_E_UNSUPPORTED: they are in id2v; -ENOMEM */
static int merge_stored(struct loader *loader, const struct dit_stored_attr *attr)
{
	const struct dit_sid_set *removed = loader->reading.context.removed_sids;
	int is_exceeded = attr->values == NULL ? DIT_E_UNSUPPORTED : 0;

	for (uint32_t i = 0; is_exceeded >= 0 && i < attr->nvalues; i++) {
		struct dit_span value = attr->values[i];
		int sid = dit_csn_list_sid(value);
		int r = 0;

		if (removed != NULL && dit_sid_set_has(removed, sid)) {
			is_exceeded = 1;
			continue;
		}
		r = dit_csn_list_take(&loader->csn.list, value, 0);
		if (r < 0) {
			return r;
		}
		is_exceeded = is_exceeded || r > 0;
	}
	return is_exceeded;
}

static int change_entry(struct load_target *target, uint32_t id)
{
	struct loader *loader = target->loader;
	struct load_csn *csn = &loader->csn;
	struct dit_stored_entry entry = {0};
	struct dit_stored_attr attr = {0};
	struct dit_span record = {0};
	uint32_t at = 0;
	int r = dit_output_find_entry(target->output, id, &record);

	if (r <= 0) {
		return r; /* a hole stays one */
	}
	r = dit_ad_number(&target->numbers, csn->context_csn, &attr.ad_number);
	r = r ?: dit_entry_decode(record, &csn->arena, &entry);
	while (r == 0 && at < entry.nattrs &&
	       entry.attrs[at].ad_number != attr.ad_number) {
		at++;
	}
	if (r == 0 && at < entry.nattrs) {
		r = merge_stored(loader, &entry.attrs[at]);
		if (r <= 0) {
			return r;
		}
	}
	attr.nvalues = (uint32_t)csn->list.n;
	attr.values = r < 0 ? NULL : dit_csn_list_values(&csn->list, &csn->arena);
	if (attr.values == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	r = dit_entry_set_attr(&entry, at, &attr, &csn->arena, &record);
	r = r ?: dit_output_replace_entry(target->output, id, record);
	if (r == 0 && loader->opts->is_verbose) {
		/* slapadd's words */
		dit_job_report(&loader->job, DIT_REPORT_ADDED,
		               "modified: \"(null)\" (%08lx)", (unsigned long)id);
	}
	return r;
}

/* When the output takes changes; only the attribute must have its number now. */
static int change_later(struct load_target *target, uint32_t id)
{
	struct load_csn *csn = &target->loader->csn;
	uint32_t number = 0;
	int r = id == 0 ? 0 : dit_dn_tree_find_hole(target->tree, id);

	if (r != 0) {
		return r < 0 ? r : 0;
	}
	csn->must_rewrite = true;
	csn->id = id;
	return dit_ad_number(&target->numbers, csn->context_csn, &number);
}

/* ---- a new subentry ---- */

/* The subentry with its DN given becomes complete. Its values are only read. */
static int make_subentry(struct loader *loader, struct dit_entry *entry)
{
	static const struct dit_span classes[] = {
		{"top", 3}, {"subentry", 8}, {"syncProviderSubentry", 20}};
	static const struct dit_span structural = {"subentry", 8};
	static const struct dit_span cn = {"ldapsync", 8};
	static const struct dit_span everything = {"{}", 2};
	struct dit_arena *arena = &loader->csn.arena;
	struct dit_span *values = dit_csn_list_values(&loader->csn.list, arena);
	const struct {
		const char *name;
		const struct dit_span *values;
		uint32_t nvalues;
	} attrs[] = {{"objectClass", classes, 3},
	             {"structuralObjectClass", &structural, 1},
	             {"cn", &cn, 1},
	             {"subtreeSpecification", &everything, 1},
	             {"contextCSN", values, (uint32_t)loader->csn.list.n}};
	int r = values == NULL ? -ENOMEM : 0;

	entry->oc_flags = DIT_OC_COMPUTED | DIT_OC_SYNC_PROVIDER | DIT_OC_SUBENTRY |
	                  DIT_OC_OPERATIONAL | DIT_OC_HIDDEN | DIT_OC_BUILTIN;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]) && r == 0; i++) {
		const struct dit_ad *ad = NULL;
		struct dit_attr *attr = NULL;

		r = dit_ad_find(loader->job.chosen.settings->schema, NULL,
		                dit_span_of(attrs[i].name), &ad, NULL);
		attr = r < 0 ? NULL : dit_entry_add(entry, ad, arena);
		if (attr == NULL) {
			return r < 0 ? r : -ENOMEM;
		}
		attr->values = (struct dit_span *)attrs[i].values;
		attr->nvalues = attrs[i].nvalues;
	}
	return r;
}

static int add_subentry(struct load_target *target, struct dit_entry *entry,
                        const struct dit_dn_tree_name *name,
                        struct dit_dn_tree_node *node)
{
	struct loader *loader = target->loader;
	struct dit_encoded encoded = {0};
	int r = make_subentry(loader, entry);

	r = r < 0 ? r
	          : dit_entry_encode(entry, target->split_rules, &loader->csn.arena,
	                             &encoded);
	if (r == 0 && !dit_dn_tree_fits(target->tree, name, node)) {
		r = DIT_E_TOOLONG;
	}
	r = r < 0 ? r : dit_load_add_nodes(target, name, node);
	r = r < 0 ? r : dit_entries_put(target->entries, node->id, &encoded);
	/* The members are at rest; one of them does its part. */
	r = r < 0 ? r : dit_dn_tree_push(target->tree, 0, name, node);
	return r < 0 ? r
	             : dit_builders_push_entry(target->builders, 0,
	                                       loader->members[0].keys[target->number],
	                                       entry, node->id);
}

/* ---- the decision ---- */

static int write_csn(struct load_target *target)
{
	struct loader *loader = target->loader;
	struct dit_dn_tree_name name = {0};
	struct dit_entry entry = {0};
	struct dit_dn_tree_node node;
	int r = dit_csn_entry_dn(target->db, loader->job.chosen.settings->schema,
	                         &loader->csn.arena, &entry.dn);

	if (r < 0) {
		return r;
	}
	if (entry.dn.nrdns == 0) {
		/* slapadd says nothing if there is no such entry. */
		return dit_entries_has_root(target->entries) ? change_later(target, 0)
		                                             : 0;
	}
	dit_dn_tree_name_init(&name, &loader->name_key, &entry.dn);
	r = dit_dn_tree_find(target->tree, &name, &node);
	if (r < 0) {
		return r;
	}
	if (node.id != 0) {
		return change_later(target, node.id);
	}
	if (target->db->sync_use_subentry) {
		return add_subentry(target, &entry, &name, &node);
	}
	dit_job_report(&loader->job, DIT_REPORT_ERROR, "context entry is missing");
	loader->stats->nmissing++;
	return 0;
}

static int told(struct load_target *target, int r)
{
	return dit_load_target_fail(target, r, "could not write contextCSN");
}

int dit_load_csn_write(struct load_target *target)
{
	const struct loader *loader = target->loader;

	return loader->csn.list.n == 0 || loader->stats->nfailed > 0
	               ? 0
	               : told(target, write_csn(target));
}

int dit_load_csn_rewrite(struct load_target *target)
{
	const struct load_csn *csn = &target->loader->csn;

	return csn->must_rewrite ? told(target, change_entry(target, csn->id)) : 0;
}
