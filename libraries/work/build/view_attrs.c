/* SPDX-License-Identifier: BSD-2-Clause */
#include "build/view_attrs.h"

#include <errno.h>

#include "base/grow.h"

int dit_view_attrs_take(struct dit_view_attrs *list, const struct dit_entry_view *view,
                        struct dit_entry *ret)
{
	struct dit_attr *attrs = dit_grow(list->attrs, &list->size,
	                                  (size_t)view->nattrs + 1, sizeof(*attrs));

	if (attrs == NULL) {
		return -ENOMEM;
	}
	list->attrs = attrs;
	ret->attrs = attrs;
	ret->nattrs = 0;
	for (uint32_t i = 0; i < view->nattrs; i++) {
		const struct dit_attr_view *attr = &view->attrs[i];

		if (attr->ad == NULL) {
			continue;
		}
		/* The lists are only read, as the header demands. */
		attrs[ret->nattrs++] =
			(struct dit_attr){.ad = attr->ad,
		                          .values = (struct dit_span *)attr->values,
		                          .normal = (struct dit_span *)attr->normal,
		                          .nvalues = attr->nvalues,
		                          .is_sorted = attr->is_sorted};
	}
	return 0;
}
