/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a unit that are encrypted, and those that are summed up. */
#include "page/page_seal.h"

#include <string.h>

#include "base/error.h"

/* Made of the number and the transaction of a page. */
#define CLEAR_BYTES sizeof(struct dit_crypto_nonce)

struct dit_page_format dit_page_format_sealed(const struct dit_crypto *crypto)
{
	struct dit_page_format format = dit_lmdb_10;

	format.tail_bytes = crypto->mac_bytes + crypto->sum_bytes;
	format.crypto = crypto;
	return format;
}

bool dit_page_seal_fits(const struct dit_page_format *format, size_t page_bytes)
{
	/* Half of the smallest page: the format's own sizes stay positive. */
	return format->tail_bytes <= page_bytes / 4;
}

/* The bytes before the checksum. */
static struct dit_module_bytes summed(const struct dit_page_format *format,
                                      const char *unit, size_t len)
{
	return (struct dit_module_bytes){len - format->tail_bytes, (char *)unit};
}

/* The bytes that are encrypted. */
static struct dit_module_bytes hidden(const struct dit_page_format *format, char *unit,
                                      size_t len)
{
	return (struct dit_module_bytes){len - CLEAR_BYTES - format->crypto->mac_bytes,
	                                 unit + CLEAR_BYTES};
}

static struct dit_crypto_nonce nonce_of(const char *unit)
{
	struct dit_crypto_nonce nonce;

	memcpy(&nonce, unit, sizeof(nonce));
	return nonce;
}

int dit_page_seal(const struct dit_page_format *format, char *unit, size_t len)
{
	const struct dit_crypto *crypto = format->crypto;

	if (crypto->sum_bytes > 0) {
		dit_crypto_sum(crypto, summed(format, unit, len),
		               unit + len - format->tail_bytes);
	}
	return dit_crypto_encrypts(crypto)
	               ? dit_crypto_encrypt(crypto, nonce_of(unit),
	                                    hidden(format, unit, len),
	                                    unit + len - crypto->mac_bytes)
	               : 0;
}

static bool is_zero(const char *bytes, size_t n)
{
	while (n > 0 && bytes[n - 1] == 0) {
		n--;
	}
	return n == 0;
}

bool dit_page_sum_is_right(const struct dit_page_format *format, const char *unit,
                           size_t len)
{
	const struct dit_crypto *crypto = format->crypto;
	const char *stored = unit + len - format->tail_bytes;
	char sum[DIT_CRYPTO_TAG_MAX];

	if (!dit_crypto_encrypts(crypto) && is_zero(stored, crypto->sum_bytes)) {
		return true;
	}
	dit_crypto_sum(crypto, summed(format, unit, len), sum);
	return memcmp(sum, stored, crypto->sum_bytes) == 0;
}

int dit_page_unseal(const struct dit_page_format *format, char *unit, size_t len)
{
	const struct dit_crypto *crypto = format->crypto;
	int r = 0;

	if (!dit_crypto_encrypts(crypto)) {
		return 0;
	}
	r = dit_crypto_decrypt(crypto, nonce_of(unit), hidden(format, unit, len),
	                       unit + len - crypto->mac_bytes);
	return r < 0 || crypto->sum_bytes == 0 || dit_page_sum_is_right(format, unit, len)
	               ? r
	               : DIT_E_CORRUPT;
}
