/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules that encrypt the pages of a data file, or give them checksums: what slapd 2.7
 * loads for "crypto" of back-mdb. A module is a shared object with a function
 * MDB_crypto(), which returns a table of functions and sizes. The types below are the
 * binary interface of LMDB 1.0 for such modules.
 *
 *   dit_crypto_open();  dit_crypto_encrypt(), _decrypt(), _sum() ...;  dit_crypto_close()
 *
 * A module is code that runs with the rights of the process. Root loads none that
 * another user can exchange (system/path.h).
 *
 * Threads: after the opening any, at once. slapd calls a module from several threads as
 * well.
 */
#ifndef DITKIT_CRYPTO_MODULE_H
#define DITKIT_CRYPTO_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- the interface of modules ---- */

/** Bytes; the length comes first. */
struct dit_module_bytes {
	size_t len;
	void *data;
};

/** Make a key of the table's key_bytes from a passphrase. */
typedef int (*dit_module_key_fn)(const char *passphrase, struct dit_module_bytes *key);
/**
 * Encrypt (1) or decrypt (0). Input and output are of one length.
 *
 * @param keys  the key; what makes each page different (two words of 64 bits: the page's
 *              number, its transaction); the place of the page's MAC, or nothing
 *
 * @return 0; anything else: a failure
 */
typedef int (*dit_module_crypt_fn)(const struct dit_module_bytes *in,
                                   struct dit_module_bytes *out,
                                   const struct dit_module_bytes keys[3], int encrypts);
/** @param key  NULL: the pages are not encrypted */
typedef void (*dit_module_sum_fn)(const struct dit_module_bytes *in,
                                  struct dit_module_bytes *out,
                                  const struct dit_module_bytes *key);

struct dit_module_table {
	dit_module_key_fn key; /* NULL: the passphrase is the key, with zeros after it */
	dit_module_crypt_fn crypt; /* NULL: checksums alone */
	dit_module_sum_fn sum;     /* NULL: no checksums */
	int key_bytes;
	int mac_bytes; /* of a page's authentication; 0: none */
	int sum_bytes; /* of a page's checksum; 0: none */
};

typedef struct dit_module_table *(*dit_module_fn)(void);

/* ---- a module that is open ---- */

/** A MAC and a checksum are not longer: liblmdb's own limit for checksums. */
#define DIT_CRYPTO_TAG_MAX 256

/** The nonce of a call of the cipher. No two calls with one key may have the same. */
struct dit_crypto_nonce {
	unsigned long long words[2];
};

struct dit_crypto {
	/* [const] */
	void *library; /* owned */
	const struct dit_module_table *table;
	char *key;          /* owned, secret memory; NULL: nothing is encrypted */
	unsigned mac_bytes; /* 0: none */
	unsigned sum_bytes; /* 0: none */
};

/** Room for the words that an error code lacks. */
#define DIT_CRYPTO_WHY_BYTES 384

/**
 * Load a module and make the key.
 *
 * @param module      a path, or a name that the loader of the system looks for
 * @param passphrase  NULL: nothing is encrypted, and the module gives checksums at most
 * @param ret         the caller's; *ret is NULL if the module has nothing to do
 * @param ret_why     DIT_CRYPTO_WHY_BYTES; what is wrong, without the passphrase
 *
 * @return 0; DIT_E_UNSUPPORTED: it cannot be loaded, or is no such module; -EPERM: root
 *         does not load it; -ENOMEM
 */
int dit_crypto_open(struct dit_crypto **ret, const char *module, const char *passphrase,
                    char *ret_why);
/** NULL is fine. */
void dit_crypto_close(struct dit_crypto *crypto);

/** Are pages encrypted? Else they have checksums. */
static inline bool dit_crypto_encrypts(const struct dit_crypto *crypto)
{
	return crypto->key != NULL;
}

/**
 * Encrypt bytes in place.
 *
 * @param mac  mac_bytes, written; not among the bytes
 *
 * @return 0; -EIO: the module fails; -ENOMEM
 */
int dit_crypto_encrypt(const struct dit_crypto *crypto, struct dit_crypto_nonce nonce,
                       struct dit_module_bytes bytes, char *mac);
/**
 * Decrypt them.
 *
 * @return 0; DIT_E_CORRUPT: other bytes, another key or another nonce; -ENOMEM
 */
int dit_crypto_decrypt(const struct dit_crypto *crypto, struct dit_crypto_nonce nonce,
                       struct dit_module_bytes bytes, char *mac);
/** @param out  sum_bytes */
void dit_crypto_sum(const struct dit_crypto *crypto, struct dit_module_bytes in,
                    char *out);

#endif
