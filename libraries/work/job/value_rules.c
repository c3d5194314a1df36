/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sortvals and multival: from the settings to tables by ordinal.
 */
#include "job/value_rules.h"

#include <errno.h>
#include <stdlib.h>

int dit_sorted_types_make(const struct dit_settings *settings, uint64_t **ret)
{
	size_t nwords = dit_schema_ntypes(settings->schema) / 64 + 1;

	*ret = NULL;
	if (settings->nsortvals == 0) {
		return 0;
	}
	*ret = calloc(nwords, sizeof(**ret));
	if (*ret == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < settings->nsortvals; i++) {
		uint32_t ordinal = settings->sortvals[i]->ordinal;

		(*ret)[ordinal / 64] |= (uint64_t)1 << (ordinal % 64);
	}
	return 0;
}

int dit_split_rules_make(const struct dit_database *db, struct dit_split_rules **ret)
{
	struct {
		struct dit_split_rules rules;
		uint32_t limits[];
	} *made = NULL;
	uint32_t n = 0;

	*ret = NULL;
	if (db->multival.nspecs == 0 && db->multival.hi == DIT_MULTIVAL_NONE) {
		return 0;
	}
	for (size_t i = 0; i < db->multival.nspecs; i++) {
		uint32_t ordinal = db->multival.specs[i].ad->ordinal;

		n = ordinal >= n ? ordinal + 1 : n;
	}
	made = calloc(1, sizeof(*made) + 2 * (size_t)n * sizeof(made->limits[0]));
	if (made == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		made->limits[i] = db->multival.hi;
		made->limits[n + i] = db->multival.lo;
	}
	for (size_t i = 0; i < db->multival.nspecs; i++) {
		const struct dit_multival_spec *spec = &db->multival.specs[i];

		if (spec->hi != DIT_MULTIVAL_NONE) {
			made->limits[spec->ad->ordinal] = spec->hi;
			made->limits[n + spec->ad->ordinal] = spec->lo;
		}
	}
	made->rules = (struct dit_split_rules){.limits = made->limits,
	                                       .nlimits = n,
	                                       .limit = db->multival.hi,
	                                       .least = made->limits + n,
	                                       .least_of_others = db->multival.lo,
	                                       .record_max = DIT_SPLIT_RECORD_MAX};
	*ret = &made->rules;
	return 0;
}
