/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of IDs that come in any order.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_ID_SET_H
#define DITKIT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero is empty. */
struct dit_id_set {
	uint32_t *slots; /* owned; 0: free */
	size_t nslots;   /* a power of two, or 0 */
	size_t n;
};

/** @param id  not 0. @return 0, also of an ID that is there; -ENOMEM */
int dit_id_set_add(struct dit_id_set *set, uint32_t id);
bool dit_id_set_has(const struct dit_id_set *set, uint32_t id);
void dit_id_set_deinit(struct dit_id_set *set);

#endif
