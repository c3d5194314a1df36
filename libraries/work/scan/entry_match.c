/* SPDX-License-Identifier: BSD-2-Clause */
#include "scan/scan_snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/object.h"
#include "filter/filter_match.h"
#include "values/dn.h"

#define ARENA_BYTES 4096

static int refuse(const struct dit_job *job, const struct dit_entry_match_opts *opts,
                  bool is_filter)
{
	const char *text = is_filter ? opts->filter : opts->base;

	if (opts->is_slapcat) {
		dit_job_report(job, DIT_REPORT_PLAIN, "Invalid %s '%s'",
		               is_filter ? "filter" : "subtree DN", text);
	} else {
		dit_job_report(job, DIT_REPORT_ERROR, "%s: this is no %s", text,
		               is_filter ? "filter" : "DN");
	}
	return DIT_E_CONFIG;
}

int dit_entry_match_make(struct dit_entry_match *match, const struct dit_job *job,
                         const struct dit_schema *schema,
                         const struct dit_entry_match_opts *opts)
{
	struct dit_notes notes;
	struct dit_dn dn;
	int r = 0;

	*match = (struct dit_entry_match){
		.scope = opts->scope, .schema = schema, .has_base = opts->base != NULL};
	dit_arena_init(&match->arena, ARENA_BYTES);
	dit_notes_init(&notes, &match->arena);
	if (opts->filter != NULL) {
		r = dit_filter_read(schema, dit_span_of(opts->filter), &match->arena,
		                    &notes, &match->filter);
		dit_notes_tell(&notes, job->opts.report, job->opts.report_ctx);
	}
	if (r < 0) {
		return r == -ENOMEM ? r : refuse(job, opts, true);
	}
	if (match->has_base) {
		r = dit_dn_parse(schema, dit_span_of(opts->base), &match->arena, NULL,
		                 &dn);
		match->base = r < 0 ? DIT_SPAN("") : dn.norm;
	}
	return r == 0 || r == -ENOMEM ? r : refuse(job, opts, false);
}

int dit_entry_find_ads(const struct dit_job *job, struct dit_schema *schema,
                       const char *const *names, size_t n, const struct dit_ad ***ret)
{
	const struct dit_ad **ads = calloc(n + 1, sizeof(*ads));
	int r = ads == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = dit_ad_find(schema, NULL, dit_span_of(names[i]), &ads[i], NULL);
		if (r < 0 && r != -ENOMEM) {
			dit_job_report(job, DIT_REPORT_ERROR,
			               "%s: no such attribute is configured", names[i]);
			r = DIT_E_CONFIG;
		}
	}
	return DIT_HAND_OVER(r, ret, ads, free);
}

void dit_entry_match_below(struct dit_entry_match *match, struct dit_span suffix)
{
	if (!match->has_base && match->scope != DIT_SCOPE_SUBTREE) {
		match->has_base = true;
		match->base = suffix;
	}
}

static bool is_in_scope(const struct dit_entry_match *match,
                        const struct dit_entry_view *entry)
{
	struct dit_span dn = entry->norm_dn;
	bool is_base = false;

	if (!match->has_base) {
		return true;
	}
	is_base = dit_span_eq(dn, match->base);
	switch (match->scope) {
	case DIT_SCOPE_BASE:
		return is_base;
	case DIT_SCOPE_ONE:
		return !is_base && dn.len > 0 &&
		       dit_span_eq(dit_dn_parent(dn), match->base);
	case DIT_SCOPE_CHILDREN:
		return !is_base && dit_dn_is_below(dn, match->base);
	case DIT_SCOPE_SUBTREE:
		break;
	}
	return dit_dn_is_below(dn, match->base);
}

int dit_entry_matches(const struct dit_entry_match *match,
                      const struct dit_entry_view *entry, struct dit_arena *arena)
{
	struct dit_arena_mark mark;
	int r = 0;

	if (!is_in_scope(match, entry)) {
		return 0;
	}
	if (match->filter == NULL) {
		return 1;
	}
	mark = dit_arena_mark(arena);
	r = dit_filter_match(match->schema, match->filter, entry, arena);
	dit_arena_rewind(arena, mark);
	return r < 0 ? r : r == DIT_TRUE;
}
