/* SPDX-License-Identifier: BSD-2-Clause */
#include "scan/scan_snapshot.h"

struct dit_sum128 dit_entry_view_digest(const struct dit_entry_view *entry)
{
	struct dit_sum128 sum = {0, 0};

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (!dit_span_eq(attr->name, DIT_SPAN("contextCSN"))) {
			dit_sum128_add_values(&sum, attr->values, attr->nvalues,
			                      attr->ad == NULL
			                              ? dit_sum128_seed(attr->name, 0)
			                              : attr->ad->name_sum);
		}
	}
	return dit_sum128_of_entry(entry->norm_dn, &sum);
}
