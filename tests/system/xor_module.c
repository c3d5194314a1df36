/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A crypto module for tests alone (xor_crypto.h). XOR_MODULE of the environment names
 * what is wrong with it, or what it leaves out; without it nothing is.
 */
#include <stdlib.h>

/* slapd has no libxxhash to link. */
#define XXH_INLINE_ALL
#include "xor_crypto.h"

struct dit_module_table *MDB_crypto(void);

static int fail_key(const char *passphrase, struct dit_module_bytes *key)
{
	(void)passphrase, (void)key;
	return 1;
}

static int fail_crypt(const struct dit_module_bytes *in, struct dit_module_bytes *out,
                      const struct dit_module_bytes keys[3], int encrypts)
{
	(void)in, (void)out, (void)keys, (void)encrypts;
	return 1;
}

struct dit_module_table *MDB_crypto(void)
{
	static struct dit_module_table table;
	const char *wanted = getenv("XOR_MODULE");
	const struct {
		const char *name;
		struct dit_module_table table;
	} tables[] = {
		{"", xor_table},
		{"mac", {xor_key, xor_crypt, NULL, XOR_KEY_BYTES, XOR_MAC_BYTES, 0}},
		{"sum", {NULL, NULL, xor_sum, 0, 0, XOR_SUM_BYTES}},
		{"bare", {xor_key, xor_crypt, NULL, XOR_KEY_BYTES, 0, 0}},
		{"no-key-function",
	         {NULL, xor_crypt, NULL, XOR_KEY_BYTES, XOR_MAC_BYTES, 0}},
		{"no-sum-size", {xor_key, xor_crypt, xor_sum, XOR_KEY_BYTES, 0, 0}},
		{"long-mac", {xor_key, xor_crypt, NULL, XOR_KEY_BYTES, 4096, 0}},
		{"negative-mac", {xor_key, xor_crypt, NULL, XOR_KEY_BYTES, -16, 0}},
		{"long-sum", {xor_key, xor_crypt, xor_sum, XOR_KEY_BYTES, 16, 257}},
		{"long-key", {xor_key, xor_crypt, NULL, 2049, XOR_MAC_BYTES, 0}},
		{"no-key", {xor_key, xor_crypt, NULL, 0, XOR_MAC_BYTES, 0}},
		{"failing-key",
	         {fail_key, xor_crypt, NULL, XOR_KEY_BYTES, XOR_MAC_BYTES, 0}},
		{"failing", {xor_key, fail_crypt, NULL, XOR_KEY_BYTES, XOR_MAC_BYTES, 0}},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (strcmp(wanted == NULL ? "" : wanted, tables[i].name) == 0) {
			table = tables[i].table;
			return &table;
		}
	}
	return NULL;
}
