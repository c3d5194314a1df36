/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Naming values: is the value of an RDN among those of an attribute? For the files of
 * this room only.
 *
 * Threads: no state.
 */
#ifndef DITKIT_ENTRY_NAMES_H
#define DITKIT_ENTRY_NAMES_H

#include <stdbool.h>

#include "entry/entry.h"

/**
 * The values with which those of the attribute are compared.
 *
 * @return 0; what dit_attr_normalize() returns
 */
int dit_name_value(const struct dit_schema *schema, const struct dit_ava *ava,
                   struct dit_arena *arena, struct dit_span *ret);

/** @param asserted  of dit_name_value() */
bool dit_attr_has_name_value(const struct dit_schema *schema, const struct dit_attr *attr,
                             struct dit_span asserted);

#endif
