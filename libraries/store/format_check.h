/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which generation of LMDB a data.mdb is of, told before liblmdb is asked, which says of
 * others only that the file is no LMDB file.
 */
#ifndef DITKIT_FORMAT_CHECK_H
#define DITKIT_FORMAT_CHECK_H

/**
 * Look at an open data.mdb.
 *
 * @return DIT_E_FORMAT: LMDB 1.0, so OpenLDAP 2.7 or later (storage.md 7). 0: anything
 *         else, unreadable ones included: liblmdb judges
 */
int dit_format_check(int data_fd);

#endif
