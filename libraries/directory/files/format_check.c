/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/format_check.h"

#include <stdbool.h>
#include <unistd.h>

#include "base/error.h"
#include "files/data_seal.h"
#include "files/files.h"
#include "page/lmdb_format.h"
#include "page/meta_pages.h"
#include "system/file_io.h"
#include "walk/walk.h"

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
	char head[DIT_HEADER_BYTES_MAX];

	if (dit_read_at(data_fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    dit_meta_version(data_fd) != dit_lmdb_09.version) {
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
		dit_meta_version(data_fd) == dit_lmdb_10.version ? &dit_lmdb_10
								 : &dit_lmdb_09;
	struct dit_metas metas;

	if (dit_metas_read(data_fd, format, &metas) != 0 ||
	    dit_metas_are_neighbours(&metas)) {
		return 0;
	}
	return dit_fault_say(fault, DIT_E_CORRUPT,
	                     DIT_DATA_NAME
	                     " is damaged (%s: its two meta pages are of the "
	                     "transactions %lu and %lu): see what \"ditcheck --quick\" "
	                     "says",
	                     dit_walk_kind_name(DIT_WALK_META_TRANSACTION),
	                     metas.list[0].transaction, metas.list[1].transaction);
}

static int check_size(int data_fd, struct dit_fault *fault)
{
	struct dit_file_lack lack;
	int r = dit_walk_length(data_fd, &lack);

	return r != DIT_E_CORRUPT
	               ? r
	               : dit_fault_say(fault, r,
	                               DIT_DATA_NAME
	                               " is cut off: it has %lu bytes, its meta pages "
	                               "count %lu",
	                               lack.file_bytes, lack.needed_bytes);
}

static int check_data(int fd, const struct dit_page_format *format,
                      struct dit_fault *fault)
{
	bool is_10 = format->version == dit_lmdb_10.version;
	char byte = 0;
	int r = (int)dit_read_at(fd, &byte, 1, 0);

	if (r < 0) {
		return r;
	}
	if ((dit_meta_version(fd) == dit_lmdb_10.version) != is_10) {
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
