/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definitions that apply to an attribute description, found once for each thread.
 */
#include "index/index_work.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int dit_index_work_new(struct dit_index_work **ret, const struct dit_index_set *set)
{
	struct dit_index_work *work = calloc(1, sizeof(*work));

	if (work == NULL) {
		return -ENOMEM;
	}
	work->set = set;
	*ret = work;
	return 0;
}

void dit_index_work_free(struct dit_index_work *work)
{
	if (work == NULL) {
		return;
	}
	free(work->classes);
	free(work->ads);
	free(work->defs);
	free(work->keys);
	free(work);
}

static bool def_applies(const struct dit_index_def *def, const struct dit_attr_type *type,
                        const struct dit_ad *ad, bool is_tagged)
{
	if (def->type != type || (def->options.len > 0) != is_tagged) {
		return false;
	}
	return !is_tagged || dit_span_eq(def->options, ad->options);
}

/** Append the definitions of @p type itself, either those with options or the others. */
static int add_own_defs(struct dit_index_work *work, const struct dit_attr_type *type,
                        const struct dit_ad *ad, bool is_tagged)
{
	const struct dit_index_set *set = work->set;

	for (size_t i = 0; i < set->ndefs; i++) {
		const struct dit_index_def *def = &set->defs[i];

		if (!def_applies(def, type, ad, is_tagged)) {
			continue;
		}
		if (DIT_APPEND(work->defs, work->defs_size, work->ndefs, def) < 0) {
			return -ENOMEM;
		}
	}
	return 0;
}

/** Append the definitions of one type on the way down, those of its supertypes first. */
static int add_defs_of_type(struct dit_index_work *work, const struct dit_attr_type *type,
                            const struct dit_ad *ad)
{
	int r = type->sup == NULL ? 0 : add_defs_of_type(work, type->sup, ad);

	r = r ?: add_own_defs(work, type, ad, false);
	return r < 0 ? r : add_own_defs(work, type, ad, true);
}

int dit_index_mark_dbs(struct dit_index_work *work, const struct dit_ad *ad, bool *marks)
{
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
		marks[work->defs[defs.first + k]->db] = true;
	}
	return r;
}

int dit_index_has_mark(struct dit_index_work *work, const struct dit_ad *ad,
                       const bool *marks)
{
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t k = 0; k < defs.ndefs && r == 0; k++) {
		r = marks == NULL || marks[work->defs[defs.first + k]->db];
	}
	return r;
}

int dit_index_work_learn(struct dit_index_work *work, const struct dit_ad *ad,
                         struct dit_ad_defs *ret)
{
	size_t first = work->ndefs;
	int r = 0;

	if (ad->ordinal >= work->nads) {
		r = DIT_GROW_CLEARED(work->ads, work->nads, (size_t)ad->ordinal + 1);
	}
	r = r ?: add_defs_of_type(work, ad->type, ad);
	if (r < 0) {
		work->ndefs = first;
		return r;
	}
	*ret = (struct dit_ad_defs){
		.is_known = true,
		.ndefs = (uint16_t)(work->ndefs - first),
		.first = (uint32_t)first,
	};
	for (size_t i = first; i < work->ndefs; i++) {
		ret->needs_check |= work->defs[i]->needs_check;
	}
	work->ads[ad->ordinal] = *ret;
	return 0;
}
