/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Change sequence numbers: the highest of each server.
 *
 *   20260101120000.000000Z#000000#001#000000      of server 001
 *
 * Threads: a list belongs to one thread.
 */
#ifndef DITKIT_CSN_LIST_H
#define DITKIT_CSN_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "config/settings.h"
#include "values/dn.h"

/** Slapd's have 40 bytes. */
#define DIT_CSN_MAX 63

struct dit_csn {
	unsigned sid;
	uint64_t id; /* of the entry that it was taken from */
	size_t len;
	char text[DIT_CSN_MAX];
};

/** Zero is an empty one. */
struct dit_csn_list {
	struct dit_csn *list; /* by ascending server ID */
	size_t n;
	size_t size;
};

void dit_csn_list_deinit(struct dit_csn_list *list);

/** The server ID of a text that fits a list; or -1. */
int dit_csn_list_sid(struct dit_span csn);

/** Longer ones are higher. Less than 0, 0, more than 0. */
int dit_csn_compare(struct dit_span a, const struct dit_csn *b);

/** NULL: none of this server. */
struct dit_csn *dit_csn_list_find(const struct dit_csn_list *list, unsigned sid);

/**
 * Take a value into the list if it is the highest of its server.
 *
 * @return 1: the list has a higher one; 0, also if the text fits no list; -ENOMEM
 */
int dit_csn_list_take(struct dit_csn_list *list, struct dit_span text, uint64_t id);

/** The texts, which point into the list. @return in the arena; NULL: no memory */
struct dit_span *dit_csn_list_values(const struct dit_csn_list *list,
                                     struct dit_arena *arena);

/** The DN of the entry that has the contextCSN of a database (storage.md 6.3). As
 * dit_dn_parse(). @param arena  of the DN */
int dit_csn_entry_dn(const struct dit_database *db, const struct dit_schema *schema,
                     struct dit_arena *arena, struct dit_dn *ret);

#endif
