/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the configuration says about single attributes: whose values are sorted, and whose
 * are stored apart from their entries.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>

int load_sorted_make(struct loader *loader)
{
	const struct dit_settings *settings = loader->settings;
	size_t nwords = dit_schema_ntypes(settings->schema) / 64 + 1;

	if (settings->nsortvals == 0) {
		return 0;
	}
	loader->sorted = calloc(nwords, sizeof(*loader->sorted));
	if (loader->sorted == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < settings->nsortvals; i++) {
		uint32_t ordinal = settings->sortvals[i]->ordinal;

		loader->sorted[ordinal / 64] |= (uint64_t)1 << (ordinal % 64);
	}
	loader->context.sorted = loader->sorted;
	return 0;
}

int load_split_make(struct load_target *target)
{
	const struct dit_database *db = target->db;
	uint32_t n = 0;

	if (db->nmultivals == 0 && db->multival_hi == DIT_MULTIVAL_NONE) {
		return 0;
	}
	for (size_t i = 0; i < db->nmultivals; i++) {
		uint32_t ordinal = db->multivals[i].ad->ordinal;

		n = ordinal >= n ? ordinal + 1 : n;
	}
	target->split_limits = calloc((size_t)n + 1, sizeof(*target->split_limits));
	if (target->split_limits == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		target->split_limits[i] = db->multival_hi;
	}
	for (size_t i = 0; i < db->nmultivals; i++) {
		target->split_limits[db->multivals[i].ad->ordinal] = db->multivals[i].hi;
	}
	target->split_rules = (struct dit_split_rules){
		.limits = target->split_limits, .nlimits = n, .limit = db->multival_hi};
	target->has_split_rules = true;
	return 0;
}
