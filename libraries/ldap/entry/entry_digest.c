/* SPDX-License-Identifier: BSD-2-Clause */
#include "entry/entry_digest.h"

struct dit_sum128 dit_entry_digest(const struct dit_entry *entry)
{
	struct dit_sum128 parts[2] = {dit_sum128_of(entry->dn.norm, 0)};

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		uint64_t seed = dit_sum128_seed(attr->ad->name, 0);

		for (uint32_t v = 0; v < attr->nvalues; v++) {
			struct dit_sum128 value = dit_sum128_of(attr->values[v], seed);

			dit_sum128_add(&parts[1], &value);
		}
	}
	return dit_sum128_of((struct dit_span){(const char *)parts, sizeof(parts)}, 0);
}
