/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of the keys of the longest lists: a key is a hash mostly, so values of
 * entries are tried until they give it.
 *
 *   dit_check_values_new()
 *   dit_check_values_try() ...     for each attribute of some entries
 *   dit_check_values_free()
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_CHECK_VALUES_H
#define DITKIT_CHECK_VALUES_H

#include "check/check_sizes.h"
#include "codec/entry_view.h"
#include "config/settings.h"
#include "reader/snapshot.h"

struct dit_check_values;

/**
 * @param sizes     borrowed; gets the values
 * @param snapshot  tells in which format keys are stored
 * @return 0; -ENOMEM; DIT_E_... of the indexes
 */
int dit_check_values_new(struct dit_check_values **ret, struct dit_check_sizes *sizes,
                         struct dit_snapshot *snapshot,
                         const struct dit_settings *settings,
                         const struct dit_database *db);
/** NULL is fine. */
void dit_check_values_free(struct dit_check_values *values);

/** Do attributes of this description have keys? A dit_ad_wanted_fn; ctx: the object. */
int dit_check_values_want(void *ctx, const struct dit_ad *ad);

/** @return 0; -ENOMEM */
int dit_check_values_try(struct dit_check_values *values,
                         const struct dit_attr_view *attr);

#endif
