/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The digest of a state: the sum of the digests of its entries. Each range has a sum of
 * its own.
 */
#include <errno.h>

#include "base/error.h"
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

static int begin(void *ctx, struct dit_scan_range *range)
{
	(void)ctx;
	range->result = dit_scan_range_alloc(range, sizeof(struct dit_sum128));
	return range->result == NULL ? -ENOMEM : 0;
}

static int add_entry(void *ctx, struct dit_scan_range *range,
                     const struct dit_entry_view *entry)
{
	struct dit_sum128 digest;

	(void)ctx;
	if (entry->name_error < 0 || entry->record_error < 0) {
		return DIT_E_CORRUPT;
	}
	if (!entry->is_hole) {
		digest = dit_entry_view_digest(entry);
		dit_sum128_add(range->result, &digest);
	}
	return 0;
}

static int add_range(void *ctx, struct dit_scan_range *range)
{
	dit_sum128_add(ctx, range->result);
	return 0;
}

int dit_scan_digest(struct dit_entry_scan *scan, struct dit_sum128 *ret)
{
	static const struct dit_entry_scan_ops ops = {
		.begin = begin, .entry = add_entry, .in_order = add_range};

	*ret = (struct dit_sum128){0, 0};
	return dit_entry_scan_run(scan, &ops, ret);
}
