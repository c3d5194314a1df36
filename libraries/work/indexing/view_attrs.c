/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/view_attrs.h"

#include <errno.h>

#include "base/grow.h"

int dit_view_attrs_take(struct dit_view_attrs *list, const struct dit_entry_view *view,
                        struct dit_entry *ret)
{
	if (DIT_GROW(list->attrs, list->size, (size_t)view->nattrs + 1) < 0) {
		return -ENOMEM;
	}
	ret->attrs = list->attrs;
	ret->nattrs = 0;
	for (uint32_t i = 0; i < view->nattrs; i++) {
		const struct dit_attr_view *attr = &view->attrs[i];

		if (attr->ad == NULL) {
			continue;
		}
		/* The lists are only read, as the header demands. */
		list->attrs[ret->nattrs++] =
			(struct dit_attr){.ad = attr->ad,
		                          .values = (struct dit_span *)attr->values,
		                          .normal = (struct dit_span *)attr->normal,
		                          .nvalues = attr->nvalues,
		                          .is_sorted = attr->is_sorted};
	}
	return 0;
}
