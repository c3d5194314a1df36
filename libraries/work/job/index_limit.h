/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many indexes a database can have: slapd opens no more named databases of LMDB than
 * it was built for, and does not start with more.
 *
 * Threads: constant data, any thread.
 */
#ifndef DITKIT_INDEX_LIMIT_H
#define DITKIT_INDEX_LIMIT_H

#include <stddef.h>

#include "base/openldap.h"

/**
 * @param version  not DIT_OPENLDAP_FOUND
 * @param patch    level of that release; 0 if it is not known: the limit of the first one
 *                 is the lowest
 *
 * @return indexes at most
 */
size_t dit_index_limit(enum dit_openldap_version version, unsigned patch);

#endif
