/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members' work, stages of the pipeline: parse new records, make the keys of stored
 * entries.
 *
 * Threads: members; dit_load_key_entry(): whoever has the member.
 */
#ifndef DITKIT_LOAD_PARSE_H
#define DITKIT_LOAD_PARSE_H

#include "load/loader.h"

int dit_load_parse(void *ctx, const struct dit_pipeline_share *share);

int dit_load_key(void *ctx, const struct dit_pipeline_share *share);

int dit_load_key_entry(struct load_member *member, uint32_t target,
                       const struct dit_entry *entry, uint32_t id);

#endif
