/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims: flock on the directory, then LMDB's own lock. */
#include "locks/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "files/files.h"
#include "locks/process.h"
#include "system/file_io.h"

static int make_lock_file(struct dit_claim *claim, mode_t mode)
{
	claim->lock_fd = dit_file_make(claim->dir_fd, DIT_LOCK_NAME, mode);
	if (claim->lock_fd < 0) {
		/* EEXIST: a process has just started to use the database. */
		return claim->lock_fd == -EEXIST ? DIT_E_BUSY : claim->lock_fd;
	}
	claim->made_lock_file = true;
	return 0;
}

static int open_lock_file(struct dit_claim *claim, mode_t mode, struct dit_fault *fault)
{
	claim->lock_fd = dit_file_open(claim->dir_fd, DIT_LOCK_NAME, O_RDWR, fault);
	if (claim->lock_fd >= 0) {
		return 0;
	}
	return claim->lock_fd == -ENOENT ? make_lock_file(claim, mode) : claim->lock_fd;
}

int dit_claim_say_process(long number, struct dit_fault *fault)
{
	char name[DIT_PROCESS_NAME_BYTES];

	if (number <= 0) {
		return DIT_E_BUSY;
	}
	dit_process_name(number, name);
	return dit_fault_say(fault, DIT_E_BUSY, "%s", name);
}

/* ---- locks on bytes ---- */

static struct flock lock_of(short type, off_t at, off_t len)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = len};
}

int dit_byte_lock(int lock_fd, short type, off_t at)
{
	struct flock lock = lock_of(type, at, 1);

	return fcntl(lock_fd, F_OFD_SETLK, &lock) == 0 ? 0
	       : errno == EACCES                       ? -EAGAIN
	                                               : -errno;
}

int dit_byte_find_lock(int lock_fd, short type, off_t at, off_t len, struct flock *ret)
{
	*ret = lock_of(type, at, len);
	return fcntl(lock_fd, F_OFD_GETLK, ret) != 0 ? -errno : ret->l_type != F_UNLCK;
}

int dit_byte_say_holder(int lock_fd, short type, struct dit_fault *fault)
{
	struct flock lock;
	bool is_found = dit_byte_find_lock(lock_fd, type, 0, 1, &lock) > 0;

	return dit_claim_say_process(is_found ? lock.l_pid : 0, fault);
}

/* ---- claims ---- */

/* Takes the directory: it is closed if it is not locked. */
static int lock_directory(int dir_fd)
{
	int r = 0;

	if (flock(dir_fd, LOCK_EX | LOCK_NB) != 0) {
		r = errno == EWOULDBLOCK ? DIT_E_BUSY : -errno;
		(void)close(dir_fd);
	}
	return r;
}

/* The directory first, for only that also works between two claims of one process. */
int dit_claim_take(struct dit_claim *ret, int dir_fd, mode_t mode,
                   struct dit_fault *fault)
{
	struct dit_claim claim = {.dir_fd = dir_fd, .lock_fd = -1};
	int r = lock_directory(dir_fd);

	if (r < 0) {
		return r;
	}
	r = open_lock_file(&claim, mode, fault);
	/* LMDB's is shared while an environment is open, exclusive to set it up. */
	r = r < 0 ? r : dit_byte_lock(claim.lock_fd, F_WRLCK, 0);
	r = r != -EAGAIN ? r : dit_byte_say_holder(claim.lock_fd, F_WRLCK, fault);
	if (r == DIT_E_BUSY) {
		/* Another process uses this lock.mdb now. */
		claim.made_lock_file = false;
	}
	if (r < 0) {
		dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
		return r;
	}
	*ret = claim;
	return 0;
}

int dit_claim_take_directory(struct dit_claim *ret, int dir_fd)
{
	int r = lock_directory(dir_fd);

	if (r == 0) {
		*ret = (struct dit_claim){.dir_fd = dir_fd, .lock_fd = -1};
	}
	return r;
}

void dit_claim_drop(struct dit_claim *claim, enum dit_claim_end end)
{
	if (claim->made_lock_file && end != DIT_CLAIM_PUBLISHED) {
		(void)unlinkat(claim->dir_fd, DIT_LOCK_NAME, 0);
	}
	/* Another thread may just start a program: until that runs, it has our files. */
	if (claim->lock_fd >= 0) {
		(void)dit_byte_lock(claim->lock_fd, F_UNLCK, 0);
	}
	dit_close(claim->lock_fd);
	(void)flock(claim->dir_fd, LOCK_UN);
	(void)close(claim->dir_fd);
	*claim = (struct dit_claim){.dir_fd = -1, .lock_fd = -1};
}
