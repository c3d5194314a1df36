/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A write may be cut short by a signal, a limit or a disk that fills up; a read by a
 * signal, or because a pipe holds no more at the moment.
 */
#include "system/file_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"

/* Between two questions whether to end. */
#define READ_BYTES_MAX ((size_t)8 << 20)
/* The system is not asked to begin with less: the sync at the end writes it. */
#define BEGIN_BYTES (64u << 10)

int dit_write_at(int fd, const void *data, size_t len, uint64_t at)
{
	const char *next = data;

	while (len > 0) {
		ssize_t n = pwrite(fd, next, len, (off_t)at);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n < 0 ? -errno : -EIO;
		}
		next += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

ssize_t dit_read_at(int fd, void *data, size_t len, uint64_t at)
{
	char *next = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, next + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return -errno;
		}
		if (n == 0) {
			break;
		}
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t dit_read_some(int fd, void *data, size_t len, const struct dit_stop *stop)
{
	for (;;) {
		int r = dit_stop_wait_input(stop, fd);
		ssize_t n = 0;

		if (r < 0) {
			return r;
		}
		n = read(fd, data, len);
		if (n >= 0) {
			return n;
		}
		if (errno != EINTR && errno != EAGAIN) {
			return -errno;
		}
	}
}

ssize_t dit_read_full(int fd, void *data, size_t len, const struct dit_stop *stop)
{
	char *next = data;
	size_t done = 0;

	while (done < len) {
		size_t most = len - done < READ_BYTES_MAX ? len - done : READ_BYTES_MAX;
		ssize_t n = dit_read_some(fd, next + done, most, stop);

		if (n < 0) {
			return n;
		}
		if (n == 0) {
			break;
		}
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int dit_name_each(int dir_fd, dit_name_fn look, const void *ctx)
{
	/* With a place of its own, and to be read. */
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry = NULL;
	int r = 0;

	if (dir == NULL) {
		r = -errno;
		dit_close(fd);
		return r;
	}
	while (r == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		const char *name = entry->d_name;

		r = strcmp(name, ".") == 0 || strcmp(name, "..") == 0
		            ? 0
		            : look(ctx, fd, name);
	}
	r = r == 0 && entry == NULL ? -errno : r;
	(void)closedir(dir);
	return r;
}

/* ---- past the page cache ---- */

bool dit_direct_begin(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0;
}

int dit_direct_end(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0 ? -errno : 0;
}

int dit_cached_write(int fd, const char *data, size_t len, uint64_t at)
{
	int r = dit_write_at(fd, data, len, at);

#ifdef SYNC_FILE_RANGE_WRITE
	if (r == 0 && len >= BEGIN_BYTES) {
		(void)sync_file_range(fd, (off_t)at, (off_t)len, SYNC_FILE_RANGE_WRITE);
	}
#endif
	return r;
}

/* File systems say that they cannot in dit_direct_begin(), or here. */
int dit_direct_write(int fd, _Atomic bool *is_direct, const char *data, size_t len,
                     uint64_t at)
{
	int r = 0;

	if (!atomic_load_explicit(is_direct, memory_order_relaxed)) {
		return dit_cached_write(fd, data, len, at);
	}
	r = dit_write_at(fd, data, len, at);
	if (r == -EINVAL && dit_direct_end(fd) == 0) {
		atomic_store_explicit(is_direct, false, memory_order_relaxed);
		r = dit_cached_write(fd, data, len, at);
	}
	return r;
}

/* ---- to the disk ---- */

static int sync_piece(int fd, uint64_t at, uint64_t bytes)
{
	const unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
	                     SYNC_FILE_RANGE_WAIT_AFTER;

	if (sync_file_range(fd, (off64_t)at, (off64_t)bytes, how) == 0) {
		return 0;
	}
	/* Other errors: this file system cannot do it; fsync() can. */
	return errno == EIO || errno == ENOSPC || errno == EDQUOT ? -errno : 0;
}

int dit_sync_pieces(int fd, uint64_t bytes, uint64_t *ret_done, struct dit_ticker *ticker)
{
	int r = 0;

	if (ticker == NULL || bytes <= DIT_SYNC_PIECE_BYTES) {
		return 0;
	}
	for (uint64_t at = 0; at < bytes && r == 0; at += DIT_SYNC_PIECE_BYTES) {
		uint64_t left = bytes - at;

		if (left > DIT_SYNC_PIECE_BYTES) {
			left = DIT_SYNC_PIECE_BYTES;
		}
		r = sync_piece(fd, at, left);
		if (ret_done != NULL) {
			*ret_done = at + left;
		}
		dit_tick(ticker);
	}
	return r;
}

int dit_sync_directory(int fd)
{
	int dir_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (dir_fd >= 0) {
		r = fsync(dir_fd) < 0 && errno != EINVAL ? -errno : 0;
		(void)close(dir_fd);
	}
	return r;
}

/* ---- what a file can do ---- */

void dit_file_size_signal_block(sigset_t *ret_previous)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &set, ret_previous);
}

void dit_file_size_signal_restore(const sigset_t *previous)
{
	const struct timespec at_once = {0, 0};
	sigset_t set;

	if (!sigismember(previous, SIGXFSZ)) {
		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGXFSZ);
		while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR) {
			continue;
		}
	}
	(void)pthread_sigmask(SIG_SETMASK, previous, NULL);
}

/* File systems whose content the kernel makes up while it is read. */
static const uint32_t made_up[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,    DEBUGFS_MAGIC,  TRACEFS_MAGIC,
	SECURITYFS_MAGIC,    SELINUX_MAGIC,  SMACK_MAGIC,    CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,   BINFMTFS_MAGIC, NSFS_MAGIC,
	EFIVARFS_MAGIC,      PSTOREFS_MAGIC, 0x62656570, /* configfs */
	0x65735543,                                      /* fusectl */
	0x67596969,                                      /* rpc_pipefs */
};

int dit_regular_file_check(int fd)
{
	struct stat st;
	struct statfs fs;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0) {
		return -errno;
	}
	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++) {
		if ((uint32_t)fs.f_type == made_up[i]) {
			return 0;
		}
	}
	return S_ISREG(st.st_mode);
}
