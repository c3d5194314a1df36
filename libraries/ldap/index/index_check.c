/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values over which slapd dies while it makes their keys: integers without a
 * single character or with a '-' in their middle, and texts for an approximate index that
 * are not UTF-8 (values.md 2.6). Nothing is lost if they are refused before they are
 * stored.
 */
#include <stddef.h>

#include "base/error.h"
#include "index/index_work.h"
#include "index/key_bytes.h"
#include "values/utf8_prep.h"

static const char *reason_against(const struct dit_index_def *def, unsigned intlen,
                                  struct dit_span value)
{
	bool is_phonetic = (def->kinds & DIT_INDEX_APPROX) != 0 ||
	                   def->eq_keys == DIT_INDEXER_METAPHONE;

	if (def->eq_keys == DIT_INDEXER_INTEGER &&
	    !dit_key_integer_is_sound(value, intlen)) {
		return value.len == 0 ? "an empty integer has no index key"
		                      : "not an integer, and has no index key";
	}
	if (is_phonetic && !dit_utf8_is_valid(value)) {
		return "text that is not UTF-8 has no approximate index key";
	}
	return NULL;
}

static int check_attr(const struct dit_index_work *work, struct dit_ad_defs defs,
                      const struct dit_attr *attr, struct dit_index_refusal *ret)
{
	const struct dit_span *values = dit_attr_keys(attr);
	unsigned intlen = work->set->params.intlen;

	for (uint16_t k = 0; k < defs.ndefs; k++) {
		const struct dit_index_def *def = work->defs[defs.first + k];

		for (uint32_t i = 0; def->needs_check && i < attr->nvalues; i++) {
			const char *reason = reason_against(def, intlen, values[i]);

			if (reason != NULL) {
				*ret = (struct dit_index_refusal){attr->ad, i, reason};
				return DIT_E_INVALID;
			}
		}
	}
	return 0;
}

int dit_index_check(struct dit_index_work *work, const struct dit_entry *entry,
                    struct dit_index_refusal *ret)
{
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		struct dit_ad_defs defs = {0};

		r = dit_index_work_defs(work, entry->attrs[i].ad, &defs);
		if (r == 0 && defs.needs_check) {
			r = check_attr(work, defs, &entry->attrs[i], ret);
		}
	}
	return r;
}
