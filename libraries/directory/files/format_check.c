/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File formats (storage.md 1.1, 7). A meta page comes first in all of them:
 *
 *   LMDB 0.9   16 bytes of page header, then magic be ef c0 de, version 1
 *   LMDB 1.0   24 bytes of page header, then the same magic, version 3
 */
#include "files/format_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "page/lmdb_format.h"
#include "page/meta_pages.h"
#include "page/page_format.h"
#include "walk/walk.h"

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

	if (n != (ssize_t)sizeof(head) ||
	    word_at(head, dit_lmdb_09.header_bytes) == DIT_META_MAGIC) {
		return 0;
	}
	return word_at(head, MAGIC_AT_10) == DIT_META_MAGIC ? DIT_E_FORMAT : 0;
}

/* True also of another version, and where there is no second meta page. */
static bool has_page_bytes(int data_fd)
{
	struct dit_metas metas;
	int r = dit_metas_read(data_fd, &dit_lmdb_09, &metas);

	return r == 0 ? dit_metas_newest(&metas)->free_tree.item_bytes == metas.page_bytes
	              : r != DIT_LMDB_INVALID;
}

int dit_format_check_metas(int data_fd, struct dit_fault *fault)
{
	char head[MAGIC_AT_10];

	if (pread(data_fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    word_at(head, dit_lmdb_09.header_bytes) != DIT_META_MAGIC) {
		return DIT_LMDB_INVALID;
	}
	return has_page_bytes(data_fd)
	               ? 0
	               : dit_fault_say(
				 fault, DIT_E_CORRUPT,
				 DIT_DATA_NAME
				 " is damaged (%s: the meta pages give no size of a "
				 "page): see what \"ditcheck --quick\" says",
				 dit_walk_kind_name(DIT_WALK_META_PAGE_SIZE));
}

int dit_format_check_state(int data_fd, struct dit_fault *fault)
{
	const struct dit_page_format *format =
		dit_format_check(data_fd) != 0 ? &dit_lmdb_10 : &dit_lmdb_09;
	struct dit_metas metas;

	if (dit_metas_read(data_fd, format, &metas) != 0 ||
	    dit_metas_are_neighbours(&metas)) {
		return 0;
	}
	return dit_fault_say(fault, DIT_E_CORRUPT,
	                     DIT_DATA_NAME
	                     " is damaged (%s: its two meta pages are of the "
	                     "transactions %llu and %llu): see what \"ditcheck --quick\" "
	                     "says",
	                     dit_walk_kind_name(DIT_WALK_META_TRANSACTION),
	                     (unsigned long long)metas.list[0].transaction,
	                     (unsigned long long)metas.list[1].transaction);
}

static int check_size(int data_fd, struct dit_fault *fault)
{
	struct dit_file_lack lack;
	int r = dit_walk_length(data_fd, &lack);

	return r != DIT_E_CORRUPT
	               ? r
	               : dit_fault_say(fault, r,
	                               DIT_DATA_NAME
	                               " is cut off: it has %llu bytes, its meta pages "
	                               "count %llu",
	                               (unsigned long long)lack.file_bytes,
	                               (unsigned long long)lack.needed_bytes);
}

static int check_data(int fd, const struct dit_page_format *format,
                      struct dit_fault *fault)
{
	bool is_10 = format->version == dit_lmdb_10.version;
	int r = 0;

	if ((dit_format_check(fd) == DIT_E_FORMAT) != is_10) {
		return DIT_E_FORMAT;
	}
	r = check_size(fd, fault);
	return r < 0 || !is_10
	               ? r
	               : dit_data_seal_check(fd, format->crypto == NULL ? NULL : format,
	                                     fault);
}

int dit_data_open(int dir_fd, int flags, const struct dit_page_format *format,
                  struct dit_fault *fault)
{
	int fd = dit_file_open(dir_fd, DIT_DATA_NAME, flags, fault);
	int r = fd < 0 ? fd : check_data(fd, format, fault);

	if (fd >= 0 && r < 0) {
		(void)close(fd);
	}
	return r < 0 ? r : fd;
}
