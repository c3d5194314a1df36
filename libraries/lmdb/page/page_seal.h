/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sealed pages: those of a file of LMDB 1.0 that a module has encrypted or given
 * checksums (system/crypto_module.h). The meta pages are never sealed.
 *
 * A unit is a page of a tree, or all pages of a long value:
 *
 *   place     bytes          content
 *   0         16             number and transaction of the page: never encrypted
 *   16        ..             as in other files, encrypted
 *   end       sum_bytes      checksum of all bytes before it, as they are before they are
 *                            encrypted; encrypted as they are
 *   end       mac_bytes      MAC of the encrypted bytes
 *
 * Where pages are encrypted each checksum is right. liblmdb does not look at the others,
 * and writes none with MDB_WRITEMAP (slapadd -q, "envflags writemap"): there may be an
 * old one, or zeros.
 *
 * So nodes end, and a long value ends, tail_bytes before the end of their unit. Number
 * and transaction make each encryption different: a unit is sealed once, when it has
 * both, and no page is written twice by a transaction with other bytes.
 *
 * Threads: no state; any number of threads.
 */
#ifndef DITKIT_PAGE_SEAL_H
#define DITKIT_PAGE_SEAL_H

#include "page/page_format.h"
#include "system/crypto_module.h"

/** LMDB 1.0 with a module. @param crypto  borrowed; outlives the format */
struct dit_page_format dit_page_format_sealed(const struct dit_crypto *crypto);

/** May pages have this size? The tail leaves room for nodes, then. */
bool dit_page_seal_fits(const struct dit_page_format *format, size_t page_bytes);

/**
 * Seal a unit in place.
 *
 * @param format  sealed
 *
 * @return 0; -ENOMEM; -EIO: the module fails
 */
int dit_page_seal(const struct dit_page_format *format, char *unit, size_t len);
/**
 * Open a unit in place.
 *
 * @return 0; -ENOMEM; DIT_E_CORRUPT: it is encrypted, and was changed, or has another key
 */
int dit_page_unseal(const struct dit_page_format *format, char *unit, size_t len);
/** Has a unit that is open the right checksum, or none? */
bool dit_page_sum_is_right(const struct dit_page_format *format, const char *unit,
                           size_t len);

#endif
