/* SPDX-License-Identifier: BSD-2-Clause */
/* Digests of files: the state of xxhash, and its canonical form in digits. */
#include "base/digest.h"

#include <errno.h>
#include <stdio.h>

#include <xxhash.h>

int dit_digest_new(struct dit_digest **ret)
{
	XXH3_state_t *state = XXH3_createState();

	if (state == NULL) {
		return -ENOMEM;
	}
	(void)XXH3_128bits_reset(state);
	*ret = (struct dit_digest *)state;
	return 0;
}

void dit_digest_free(struct dit_digest *digest)
{
	(void)XXH3_freeState((XXH3_state_t *)digest);
}

void dit_digest_add(struct dit_digest *digest, const void *bytes, size_t nbytes)
{
	(void)XXH3_128bits_update((XXH3_state_t *)digest, bytes, nbytes);
}

void dit_digest_text(const struct dit_digest *digest, char ret[DIT_DIGEST_TEXT_BYTES])
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical,
	                         XXH3_128bits_digest((const XXH3_state_t *)digest));
	for (size_t i = 0; i < sizeof(canonical.digest); i++) {
		(void)snprintf(ret + 2 * i, 3, "%02x", canonical.digest[i]);
	}
}
