/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attributes of a stored entry, for functions that take entries which were read from
 * LDIF. Only attributes that the schema knows are taken.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_VIEW_ATTRS_H
#define DITKIT_VIEW_ATTRS_H

#include <stddef.h>

#include "codec/entry_view.h"
#include "entry/entry.h"

/** Zero: empty. Freed with free(attrs). */
struct dit_view_attrs {
	struct dit_attr *attrs; /* owned */
	size_t size;
};

/**
 * Set ret->attrs and ret->nattrs.
 *
 * @param ret  its lists point into @p view, its attributes into @p list, until the next
 *             call; they may only be read
 *
 * @return 0; -ENOMEM
 */
int dit_view_attrs_take(struct dit_view_attrs *list, const struct dit_entry_view *view,
                        struct dit_entry *ret);

#endif
