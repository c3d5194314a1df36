/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of the system that hold nothing else. */
#include "system/secret.h"

#include <string.h>
#include <sys/mman.h>

void *dit_secret_new(size_t len)
{
	void *secret = mmap(NULL, len, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (secret == MAP_FAILED) {
		return NULL;
	}
	(void)madvise(secret, len, MADV_DONTDUMP);
	(void)mlock(secret, len); /* a system may allow none */
	return secret;
}

char *dit_secret_text(const char *text)
{
	size_t len = strlen(text) + 1;
	char *secret = dit_secret_new(len);

	return secret == NULL ? NULL : memcpy(secret, text, len);
}

void dit_secret_free(void *secret, size_t len)
{
	if (secret != NULL) {
		explicit_bzero(secret, len);
		(void)munmap(secret, len);
	}
}

void dit_secret_text_free(char *text)
{
	if (text != NULL) {
		dit_secret_free(text, strlen(text) + 1);
	}
}
