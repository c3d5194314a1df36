/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many indexes a database can have: slapd opens no more named databases of LMDB than it
 * was built for, and does not start with more.
 *
 * Threads: constant data, any thread.
 */
#ifndef DITKIT_INDEX_LIMIT_H
#define DITKIT_INDEX_LIMIT_H

#include <stddef.h>

/**
 * @param minor  of OpenLDAP 2.minor.patch
 * @param patch  0 if it is not known: the limit of the first release is the lowest
 *
 * @return indexes at most
 */
size_t dit_index_limit(unsigned minor, unsigned patch);

#endif
