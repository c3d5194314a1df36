/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN in a load (-w): when it is noted and written, and what is said about it.
 * The values are chosen in context_csn.c.
 */
#include "load/loader.h"

int dit_load_csn_start(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;

	if ((!opts->write_context_csn && opts->remove_sids == NULL) ||
	    !loader->job.chosen.db->lastmod || opts->is_dry_run) {
		return 0;
	}
	return dit_context_csn_new(&loader->csn, loader->job.chosen.settings->schema,
	                           loader->reading.context.removed_sids);
}

int dit_load_csn_note(struct loader *loader, const struct load_item *item)
{
	struct dit_span bad = {0};
	int r = 0;

	if (loader->csn == NULL) {
		return 0;
	}
	r = dit_context_csn_note(loader->csn, &item->entry, &bad);
	if (r != DIT_E_INVALID) {
		return r;
	}
	dit_job_report(&loader->job, DIT_REPORT_REMARK,
	               "could not extract SID from entryCSN=%.*s, entry dn=\"%.*s\"",
	               DIT_SPAN_ARGS(bad), DIT_SPAN_ARGS(item->entry.dn.pretty));
	return 0;
}

static int end_deed(struct load_target *target,
                    const struct dit_context_csn_result *result)
{
	struct loader *loader = target->loader;

	switch (result->deed) {
	case DIT_CONTEXT_CSN_CHANGED:
		if (loader->opts->is_verbose) {
			/* slapadd's words */
			dit_job_report(&loader->job, DIT_REPORT_ADDED,
			               "modified: \"(null)\" (%08lx)",
			               (unsigned long)result->id);
		}
		return 0;
	case DIT_CONTEXT_CSN_ADDED:
		/* The members are at rest; one of them makes the keys. */
		return dit_load_key_entry(&loader->members[0], target->number,
		                          result->added, result->id);
	case DIT_CONTEXT_CSN_MISSING:
		dit_job_report(&loader->job, DIT_REPORT_ERROR,
		               "context entry is missing");
		loader->stats->nmissing++;
		return 0;
	case DIT_CONTEXT_CSN_NOTHING:
	case DIT_CONTEXT_CSN_LATER:
		break;
	}
	return 0;
}

int dit_load_csn_write(struct load_target *target)
{
	struct loader *loader = target->loader;
	struct dit_context_csn_place place = {.suffix = target->db->suffix,
	                                      .use_subentry =
	                                              target->db->sync_use_subentry,
	                                      .split_rules = target->split_rules,
	                                      .output = target->output,
	                                      .numbers = &target->numbers,
	                                      .tree = target->tree,
	                                      .key = &loader->name_key,
	                                      .entries = target->entries};
	struct dit_context_csn_result result = {0};
	int r = 0;

	if (loader->csn == NULL || loader->stats->nfailed > 0) {
		return 0;
	}
	r = dit_context_csn_write(loader->csn, &place, &result);
	if (r == 0) {
		r = end_deed(target, &result);
	}
	return r < 0 ? dit_load_target_fail(target, r, "could not write contextCSN") : 0;
}

int dit_load_csn_rewrite(struct load_target *target)
{
	struct loader *loader = target->loader;
	struct dit_context_csn_result result = {0};
	int r = 0;

	if (loader->csn == NULL) {
		return 0;
	}
	r = dit_context_csn_rewrite(loader->csn, &result);
	if (r == 0) {
		r = end_deed(target, &result);
	}
	return r < 0 ? dit_load_target_fail(target, r, "could not write contextCSN") : 0;
}
