/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests alone, and no protection at all: a cipher with the interface of LMDB's crypto
 * modules (system/crypto_module.h). Bytes are turned by a stream of xxhash, and MAC and
 * checksum are xxhash with the key in front.
 */
#ifndef DITKIT_XOR_CRYPTO_H
#define DITKIT_XOR_CRYPTO_H

#include <stdint.h>
#include <string.h>

#include <xxhash.h>

#include "system/crypto_module.h"

#define XOR_KEY_BYTES 24
#define XOR_MAC_BYTES 16
#define XOR_SUM_BYTES 8

static inline int xor_key(const char *passphrase, struct dit_module_bytes *key)
{
	for (size_t i = 0; i < key->len; i++) {
		((unsigned char *)key->data)[i] = (unsigned char)XXH3_64bits_withSeed(
			passphrase, strlen(passphrase), i + 1);
	}
	return 0;
}

static inline uint64_t xor_seed(const struct dit_module_bytes keys[3])
{
	return XXH3_64bits_withSeed(keys[0].data, keys[0].len,
	                            XXH3_64bits(keys[1].data, keys[1].len));
}

static inline void xor_mac(const struct dit_module_bytes *bytes, uint64_t seed,
                           unsigned char mac[XOR_MAC_BYTES])
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(bytes->data, bytes->len, ~seed);

	memcpy(mac, &hash, XOR_MAC_BYTES);
}

static inline int xor_crypt(const struct dit_module_bytes *in,
                            struct dit_module_bytes *out,
                            const struct dit_module_bytes keys[3], int encrypts)
{
	const char *from = in->data;
	char *to = out->data;
	uint64_t seed = xor_seed(keys);
	unsigned char mac[XOR_MAC_BYTES];

	if (!encrypts && keys[2].len > 0) {
		xor_mac(in, seed, mac);
		if (memcmp(mac, keys[2].data, XOR_MAC_BYTES) != 0) {
			return 1;
		}
	}
	for (size_t i = 0; i < in->len; i += 8) {
		size_t left = in->len - i;
		size_t n = left < 8 ? left : 8;
		uint64_t word = 0;

		memcpy(&word, from + i, n);
		word ^= XXH3_64bits_withSeed(&i, sizeof(i), seed);
		memcpy(to + i, &word, n);
	}
	if (encrypts && keys[2].len > 0) {
		xor_mac(out, seed, keys[2].data);
	}
	return 0;
}

static inline void xor_sum(const struct dit_module_bytes *in,
                           struct dit_module_bytes *out,
                           const struct dit_module_bytes *key)
{
	uint64_t seed = key == NULL ? 0 : XXH3_64bits(key->data, key->len);
	uint64_t sum = XXH3_64bits_withSeed(in->data, in->len, seed) | 1; /* never 0 */

	memcpy(out->data, &sum, out->len);
}

static const struct dit_module_table xor_table = {
	.key = xor_key,
	.crypt = xor_crypt,
	.sum = xor_sum,
	.key_bytes = XOR_KEY_BYTES,
	.mac_bytes = XOR_MAC_BYTES,
	.sum_bytes = XOR_SUM_BYTES,
};

/** As dit_crypto_open() makes it, with MAC and checksum. The key is static. */
static inline struct dit_crypto xor_crypto(const char *passphrase,
                                           char key[XOR_KEY_BYTES])
{
	struct dit_module_bytes bytes = {XOR_KEY_BYTES, key};

	(void)xor_key(passphrase, &bytes);
	return (struct dit_crypto){.table = &xor_table,
	                           .key = key,
	                           .mac_bytes = XOR_MAC_BYTES,
	                           .sum_bytes = XOR_SUM_BYTES};
}

#endif
