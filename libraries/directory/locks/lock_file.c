/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock.mdb of LMDB 0.9 is made by liblmdb, in a file in memory, while the environment is
 * open: when the last process closes an environment, LMDB 0.9.31 makes the locks in the
 * file unusable (0.9.24 does not).
 *
 * lock.mdb of LMDB 1.0 is made here, since the liblmdb at hand does not know 1.0:
 * reader_table.h has its bytes, as liblmdb 1.0.1 makes them where it is built for 64
 * bits, little-endian, with mutexes of 40 bytes. Where mutexes have another size the file
 * stays empty. A slapd that has waited does not start with an empty file, nor with one
 * whose layout is not its own; the next one makes a new file. The number of the last
 * transaction leads to the meta page that counts: its lowest bit is the page's number.
 */
#include "locks/lock_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "files/files.h"
#include "files/format_check.h"
#include "locks/reader_table.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

#define LOCK_FILE_BYTES 8192 /* with room for LMDB's 126 readers (storage.md 1.1) */

/* ---- LMDB 0.9 ---- */

static ssize_t make_09(int staging_fd, int data_fd, int lock_fd, char *bytes)
{
	MDB_env *env = NULL;
	ssize_t n = -1;

	if (mdb_env_create(&env) != 0) {
		return -1;
	}
	if (dit_env_open_locked(env, staging_fd, data_fd, lock_fd, MDB_RDONLY, NULL) ==
	    0) {
		n = dit_read_at(lock_fd, bytes, LOCK_FILE_BYTES, 0);
	}
	mdb_env_close(env);
	return n;
}

static ssize_t content_09(int staging_fd, int data_fd, char *bytes)
{
	int lock_fd = memfd_create(DIT_LOCK_NAME, MFD_CLOEXEC);
	ssize_t n = -1;

	if (lock_fd >= 0) {
		n = make_09(staging_fd, data_fd, lock_fd, bytes);
		(void)close(lock_fd);
	}
	return n;
}

/* ---- LMDB 1.0 ---- */

static int init_mutexes(struct dit_lock_head *head)
{
	pthread_mutexattr_t attr;
	int r = pthread_mutexattr_init(&attr);

	if (r != 0) {
		return -r;
	}
	r = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (r == 0) {
		r = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	}
	if (r == 0) {
		r = pthread_mutex_init(&head->readers, &attr);
	}
	if (r == 0) {
		r = pthread_mutex_init(&head->writers, &attr);
	}
	(void)pthread_mutexattr_destroy(&attr);
	return -r;
}

static int last_transaction(int data_fd, uint64_t *ret)
{
	struct dit_metas metas;
	int r = dit_metas_read(data_fd, &dit_lmdb_10, &metas);

	if (r == 0) {
		*ret = dit_metas_newest(&metas)->transaction;
	}
	return r;
}

static ssize_t content_10(int data_fd, char *bytes)
{
	struct dit_lock_head head = {.magic = DIT_META_MAGIC, .layout = DIT_LOCK_LAYOUT};
	uint64_t transaction = 0;
	int r = dit_lock_layout_is_known() ? 0 : DIT_E_UNSUPPORTED;

	_Static_assert(sizeof(head) <= LOCK_FILE_BYTES, "there is room");
	if (r == 0) {
		r = last_transaction(data_fd, &transaction);
	}
	if (r == 0) {
		r = init_mutexes(&head);
	}
	if (r < 0) {
		return r;
	}
	atomic_init(&head.transaction, transaction);
	memset(bytes, 0, LOCK_FILE_BYTES);
	memcpy(bytes, &head, sizeof(head));
	return LOCK_FILE_BYTES;
}

/* ---- either ---- */

static bool write_content(int lock_fd, const char *bytes, ssize_t n)
{
	if (n <= 0) {
		return false;
	}
	if (dit_write_at(lock_fd, bytes, (size_t)n, 0) >= 0) {
		return true;
	}
	if (ftruncate(lock_fd, 0) != 0) {
		/* Nothing better can be done: slapd makes the file again if it is the
		 * first. */
	}
	return false;
}

void dit_lock_file_set_up(const struct dit_claim *claim, int staging_fd, int data_fd)
{
	char bytes[LOCK_FILE_BYTES];
	ssize_t n = -1;

	if (ftruncate(claim->lock_fd, 0) != 0) {
		return;
	}
	n = dit_format_check(data_fd) != 0 ? content_10(data_fd, bytes)
	                                   : content_09(staging_fd, data_fd, bytes);
	(void)write_content(claim->lock_fd, bytes, n);
}

void dit_lock_file_renew(const struct dit_claim *claim, int data_fd)
{
	int staging_fd = dit_staging_make(claim->dir_fd, NULL);

	/* Without that directory lock.mdb is emptied all the same (claim.h). */
	dit_lock_file_set_up(claim, staging_fd, data_fd);
	dit_staging_remove(claim->dir_fd, staging_fd);
}

/* slapd runs as the owner of the directory, and has to open the file. */
static bool is_owners(const struct dit_claim *claim, const struct stat *lock)
{
	struct stat dir;

	return fstat(claim->dir_fd, &dir) == 0 && lock->st_uid == dir.st_uid;
}

bool dit_lock_file_fill(const struct dit_claim *claim, int data_fd)
{
	char bytes[LOCK_FILE_BYTES];
	struct stat lock;

	if (fstat(claim->lock_fd, &lock) != 0) {
		return false;
	}
	if (claim->made_lock_file && !is_owners(claim, &lock)) {
		return false;
	}
	return lock.st_size > 0 ||
	       write_content(claim->lock_fd, bytes, content_10(data_fd, bytes));
}

int dit_lock_file_begin(int lock_fd, int data_fd, struct dit_fault *fault)
{
	char bytes[LOCK_FILE_BYTES];
	ssize_t n = content_10(data_fd, bytes);

	if (n == DIT_E_UNSUPPORTED) {
		return dit_fault_say(fault, DIT_E_UNSUPPORTED,
		                     DIT_LOCK_NAME " cannot be made on this machine, "
		                                   "where mutexes have %zu bytes",
		                     sizeof(pthread_mutex_t));
	}
	return n < 0 ? (int)n : dit_write_at(lock_fd, bytes, (size_t)n, 0);
}
