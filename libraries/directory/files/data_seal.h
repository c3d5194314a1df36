/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The module and the key of sealed pages ("crypto" and "passphrase" of OpenLDAP 2.7,
 * page/page_seal.h), by the configuration; and whether a data file is sealed so.
 *
 *   dit_data_seal_open();  the format is given to all who open the file
 *   dit_data_seal_close()
 *
 * Threads: constant after the opening.
 */
#ifndef DITKIT_DATA_SEAL_H
#define DITKIT_DATA_SEAL_H

#include "files/fault.h"
#include "page/page_format.h"
#include "sort/run_file.h"
#include "system/crypto_module.h"

struct dit_data_settings; /* config/settings.h */

struct dit_data_seal {
	struct dit_crypto *crypto; /* owned */
	struct dit_page_format format;
	/* The same module encrypts temporary files, with a key of this work alone.
	 * NULL: the module does not encrypt, so temporary files are in clear text */
	struct dit_crypto *runs_crypto; /* owned */
	struct dit_run_cipher runs;
};

/**
 * Load the module of a database. A program that gives up root does so before.
 *
 * @param ret  NULL: the pages are not sealed
 *
 * @return 0; what dit_crypto_open() returns, with a fault
 */
int dit_data_seal_open(struct dit_data_seal **ret, const struct dit_data_settings *data,
                       struct dit_fault *fault);
/** NULL is fine. */
void dit_data_seal_close(struct dit_data_seal *seal);

/** The format of its files. NULL: they are not sealed */
static inline const struct dit_page_format *dit_data_seal_format(
	const struct dit_data_seal *seal)
{
	return seal == NULL ? NULL : &seal->format;
}

/** The cipher of temporary files. NULL: they are not encrypted */
static inline struct dit_run_cipher *dit_data_seal_runs(struct dit_data_seal *seal)
{
	return seal == NULL || seal->runs_crypto == NULL ? NULL : &seal->runs;
}

/** The format of files of LMDB 1.0 that are sealed so, or, with NULL, are not. */
static inline const struct dit_page_format *dit_data_format_10(
	const struct dit_page_format *sealed)
{
	return sealed == NULL ? &dit_lmdb_10 : sealed;
}

/** Is this a file of LMDB 1.0 that is sealed in any way? Others may write to it. */
bool dit_data_is_sealed(int data_fd);

/**
 * Is a file of LMDB 1.0 sealed as the configuration says, with its key? Others may write
 * to it.
 *
 * @param sealed  NULL: it shall not be sealed
 *
 * @return 0, also of an empty file, whose key cannot be known; DIT_E_UNSUPPORTED, with a
 *         fault: not so, or with another key; -ENOMEM
 */
int dit_data_seal_check(int data_fd, const struct dit_page_format *sealed,
                        struct dit_fault *fault);

#endif
