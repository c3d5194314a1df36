/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File formats (storage.md 1.1, 7). A meta page comes first in all of them:
 *
 *   LMDB 0.9   16 bytes of page header, then magic be ef c0 de, version 1
 *   LMDB 1.0   24 bytes of page header, then the same magic, version 3
 *
 * Whether pages are encrypted, which 1.0 knows, does not show there and does not matter.
 */
#include "store/format_check.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "pages/lmdb_format.h"

#define MAGIC_AT_09 16
#define MAGIC_AT_10 24

static uint32_t word_at(const char *bytes, size_t at)
{
	uint32_t word = 0;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

int dit_format_check(int data_fd)
{
	char head[MAGIC_AT_10 + sizeof(uint32_t)];
	ssize_t n = pread(data_fd, head, sizeof(head), 0);

	if (n != (ssize_t)sizeof(head) || word_at(head, MAGIC_AT_09) == DIT_META_MAGIC) {
		return 0;
	}
	return word_at(head, MAGIC_AT_10) == DIT_META_MAGIC ? DIT_E_FORMAT : 0;
}
