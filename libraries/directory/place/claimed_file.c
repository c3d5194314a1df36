/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/claimed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "place/files.h"
#include "place/format_check.h"
#include "place/lock_file.h"
#include "place/spare.h"

int dit_claimed_file_open(struct dit_claimed_file *ret, const char *directory,
                          mode_t mode, bool is_lmdb_10, struct dit_fault *fault)
{
	struct dit_claimed_file file = {.data_fd = -1, .spare_fd = -1};
	int r = dit_directory_open(directory, fault);

	if (r >= 0) {
		r = dit_claim_take(&file.claim, r, mode, fault);
	}
	if (r < 0) {
		return r;
	}
	r = is_lmdb_10 ? dit_data_open_10(file.claim.dir_fd, O_RDWR, fault)
	               : dit_data_open(file.claim.dir_fd, O_RDWR, fault);
	if (r < 0) {
		dit_claim_drop(&file.claim, DIT_CLAIM_PUBLISHED);
		return r;
	}
	file.data_fd = r;
	file.spare_fd = dit_spare_keep(file.claim.dir_fd);
	*ret = file;
	return 0;
}

void dit_claimed_file_use_spare(struct dit_claimed_file *file)
{
	if (file->spare_fd >= 0) {
		(void)close(file->spare_fd);
		file->spare_fd = -1;
	}
}

void dit_claimed_file_close(struct dit_claimed_file *file)
{
	dit_claimed_file_use_spare(file);
	dit_lock_file_renew(&file->claim, file->data_fd);
	(void)close(file->data_fd);
	dit_claim_drop(&file->claim, DIT_CLAIM_PUBLISHED);
}
