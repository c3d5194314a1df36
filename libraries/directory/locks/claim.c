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

/* The other process, if the system names it: none in another container. */
static int say_holder(const struct flock *lock, struct dit_fault *fault)
{
	return dit_claim_say_process(lock->l_type == F_UNLCK ? 0 : lock->l_pid, fault);
}

/* LMDB locks byte 0: shared while an environment is open, exclusive to set it up. */
static struct flock byte_lock(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
}

static int lock_lock_file(int fd, struct dit_fault *fault)
{
	struct flock lock = byte_lock(F_WRLCK);

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		return 0;
	}
	if (errno != EACCES && errno != EAGAIN) {
		return -errno;
	}
	return fcntl(fd, F_OFD_GETLK, &lock) == 0 ? say_holder(&lock, fault) : DIT_E_BUSY;
}

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
	r = r < 0 ? r : lock_lock_file(claim.lock_fd, fault);
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
	const struct flock unlocked = byte_lock(F_UNLCK);

	if (claim->made_lock_file && end != DIT_CLAIM_PUBLISHED) {
		(void)unlinkat(claim->dir_fd, DIT_LOCK_NAME, 0);
	}
	/* Another thread may just start a program: until that runs, it has our files. */
	if (claim->lock_fd >= 0) {
		(void)fcntl(claim->lock_fd, F_OFD_SETLK, &unlocked);
	}
	dit_close(claim->lock_fd);
	(void)flock(claim->dir_fd, LOCK_UN);
	(void)close(claim->dir_fd);
	*claim = (struct dit_claim){.dir_fd = -1, .lock_fd = -1};
}
