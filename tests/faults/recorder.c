/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD: writes a journal (journal.h) of what the program does to the
 * files below one directory.
 *
 *   DIT_RECORD_ROOT     that directory, as an absolute path without links
 *   DIT_RECORD_JOURNAL  the journal; made again
 *   DIT_RECORD_WITHOUT  "files", "directories" or "all": syncs of these do nothing, and
 *                       are not written down
 *
 * One lock is held during each call and its event, so the journal has the calls in the
 * order in which they happened. The functions make system calls themselves. Whoever
 * writes otherwise is not seen (stdio, system calls of its own); the replayer compares
 * the end of the journal with the directory, so nothing can be missed.
 *
 * Writes through a shared map are not seen either. liblmdb writes only its lock file that
 * way. That file means nothing after a loss of power: no process is left that
 * holds a lock, and the first that opens the database makes the file again.
 *
 * Threads: any.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "journal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX]; /* empty: nothing is recorded */
static int journal_fd = -1;
static bool syncs_files = true;
static bool syncs_directories = true;

static _Noreturn void give_up(const char *what)
{
	(void)dprintf(2, "recorder: %s: %s\n", what, strerror(errno));
	_exit(125);
}

/* ---- the journal ---- */

static void put(const void *data, size_t len)
{
	const char *bytes = data;

	while (len > 0) {
		long n = syscall(SYS_write, journal_fd, bytes, len);

		if (n <= 0) {
			give_up("journal");
		}
		bytes += n;
		len -= (size_t)n;
	}
}

static void tell(struct journal_event *event, const char *name, const char *other_name,
                 const void *data)
{
	int saved = errno;

	event->name_bytes = name == NULL ? 0 : (uint32_t)strlen(name);
	event->other_name_bytes = other_name == NULL ? 0 : (uint32_t)strlen(other_name);
	put(event, sizeof(*event));
	put(name, event->name_bytes);
	put(other_name, event->other_name_bytes);
	put(data, event->data_bytes);
	errno = saved;
}

static void tell_unknown(const char *call)
{
	struct journal_event event = {.kind = JOURNAL_UNKNOWN};

	tell(&event, call, NULL, NULL);
}

/* ---- places ---- */

/* Is the open file below the root, or the root? Then its number. */
static bool is_ours(int fd, uint64_t *ret_object)
{
	char link[64];
	char path[PATH_MAX];
	struct stat st;
	size_t len = strlen(root);
	ssize_t n = 0;
	int saved = errno;

	if (len == 0) {
		return false;
	}
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < (ssize_t)len || memcmp(path, root, len) != 0 ||
	    (n > (ssize_t)len && path[len] != '/') || fstat(fd, &st) != 0) {
		errno = saved;
		return false;
	}
	*ret_object = st.st_ino;
	errno = saved;
	return true;
}

/* A name in a directory below the root. */
struct place {
	uint64_t parent;
	char name[NAME_MAX + 1];
};

static bool find_place(int dir_fd, const char *path, struct place *ret)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash == NULL ? 0 : (size_t)(slash - path);
	bool is_found = false;
	int saved = errno;
	long fd = 0;

	if (root[0] == '\0' || len >= sizeof(folder) - 1) {
		return false;
	}
	memcpy(folder, path, len);
	folder[len] = '\0';
	(void)snprintf(ret->name, sizeof(ret->name), "%s",
	               slash == NULL ? path : slash + 1);
	fd = syscall(SYS_openat, dir_fd, slash == NULL ? "." : (len == 0 ? "/" : folder),
	             O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd >= 0) {
		is_found = is_ours((int)fd, &ret->parent);
		(void)syscall(SYS_close, (int)fd);
	}
	errno = saved;
	return is_found;
}

static uint64_t object_at(int dir_fd, const char *path)
{
	struct stat st;

	return fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
}

/* ---- what is there at the start ---- */

static void record_file(uint64_t parent, int dir_fd, const char *name, uint64_t object)
{
	struct journal_event event = {
		.kind = JOURNAL_OLD_FILE, .object = object, .parent = parent};
	struct stat st;
	long fd = syscall(SYS_openat, dir_fd, name, O_RDONLY | O_CLOEXEC, 0);
	char *bytes = NULL;

	if (fd < 0 || fstat((int)fd, &st) != 0) {
		give_up(name);
	}
	bytes = malloc((size_t)st.st_size + 1);
	if (bytes == NULL || pread((int)fd, bytes, (size_t)st.st_size, 0) != st.st_size) {
		give_up(name);
	}
	event.data_bytes = (uint64_t)st.st_size;
	tell(&event, name, NULL, bytes);
	free(bytes);
	(void)close((int)fd);
}

/* Takes the descriptor. */
static void record_directory(uint64_t object, int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry = NULL;

	if (dir == NULL) {
		give_up("directory");
	}
	while ((entry = readdir(dir)) != NULL) {
		struct journal_event event = {.kind = JOURNAL_OLD_DIRECTORY,
		                              .object = entry->d_ino,
		                              .parent = object};

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
			continue;
		}
		if (entry->d_type != DT_DIR) {
			record_file(object, fd, entry->d_name, entry->d_ino);
			continue;
		}
		tell(&event, entry->d_name, NULL, NULL);
		record_directory(entry->d_ino,
		                 (int)syscall(SYS_openat, fd, entry->d_name,
		                              O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
	}
	(void)closedir(dir);
}

__attribute__((constructor)) static void begin(void)
{
	const char *directory = getenv("DIT_RECORD_ROOT");
	const char *path = getenv("DIT_RECORD_JOURNAL");
	const char *without = getenv("DIT_RECORD_WITHOUT");
	struct journal_event event = {.kind = JOURNAL_ROOT};
	struct stat st;
	long fd = 0;

	if (directory == NULL || path == NULL) {
		return;
	}
	if (without != NULL && strcmp(without, "all") == 0) {
		syncs_files = false;
		syncs_directories = false;
	} else if (without != NULL) {
		syncs_files = strcmp(without, "files") != 0;
		syncs_directories = strcmp(without, "directories") != 0;
	}
	journal_fd = (int)syscall(SYS_openat, AT_FDCWD, path,
	                          O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fd = syscall(SYS_openat, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
	             0);
	if (journal_fd < 0 || fd < 0 || fstat((int)fd, &st) != 0) {
		give_up(journal_fd < 0 ? path : directory);
	}
	event.object = st.st_ino;
	tell(&event, NULL, NULL, NULL);
	record_directory(st.st_ino, (int)fd);
	(void)snprintf(root, sizeof(root), "%s", directory);
}

/* ---- open ---- */

static void tell_made(int fd, int flags, const struct place *place)
{
	struct journal_event event = {.kind = JOURNAL_MAKE_FILE};

	if (is_ours(fd, &event.object)) {
		bool has_name = (flags & O_TMPFILE) != O_TMPFILE;

		event.parent = place->parent;
		tell(&event, has_name ? place->name : NULL, NULL, NULL);
	}
}

static int record_open(int dir_fd, const char *path, int flags, mode_t mode)
{
	struct journal_event cut = {.kind = JOURNAL_RESIZE};
	struct place place = {.parent = 0};
	bool is_making = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
	long fd = 0;

	if (!is_making && (flags & O_TRUNC) == 0) {
		return (int)syscall(SYS_openat, dir_fd, path, flags, mode);
	}
	(void)pthread_mutex_lock(&lock);
	is_making = is_making && find_place(dir_fd, path, &place) &&
	            ((flags & O_TMPFILE) == O_TMPFILE ||
	             syscall(SYS_faccessat, dir_fd, path, F_OK) != 0);
	fd = syscall(SYS_openat, dir_fd, path, flags, mode);
	if (fd >= 0 && is_making) {
		tell_made((int)fd, flags, &place);
	} else if (fd >= 0 && (flags & O_TRUNC) != 0 && is_ours((int)fd, &cut.object)) {
		tell(&cut, NULL, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)fd;
}

static mode_t mode_of(int flags, va_list args)
{
	bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;

	return has_mode ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return record_open(AT_FDCWD, path, flags, mode);
}

int openat(int dir_fd, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return record_open(dir_fd, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
	return record_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir_fd, const char *path, int flags, ...)
	__attribute__((alias("openat")));
int creat64(const char *path, mode_t mode) __attribute__((alias("creat")));

/* The same calls in a program built with _FORTIFY_SOURCE: without a mode. */
int __openat_2(int dir_fd, const char *path, int flags)
{
	return record_open(dir_fd, path, flags, 0);
}

int __open_2(const char *path, int flags)
{
	return record_open(AT_FDCWD, path, flags, 0);
}

int __openat64_2(int dir_fd, const char *path, int flags)
	__attribute__((alias("__openat_2")));
int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

/* ---- writes ---- */

static void tell_write(int fd, uint64_t object, uint64_t at, const void *data, size_t n)
{
	struct journal_event event = {
		.kind = JOURNAL_WRITE, .object = object, .at = at, .data_bytes = n};

	if ((fcntl(fd, F_GETFL) & O_DSYNC) != 0) {
		event.flags = JOURNAL_IS_DURABLE;
	}
	tell(&event, NULL, NULL, data);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	uint64_t object = 0;
	long n = 0;

	(void)pthread_mutex_lock(&lock);
	n = syscall(SYS_pwrite64, fd, data, len, at);
	if (n > 0 && is_ours(fd, &object)) {
		tell_write(fd, object, (uint64_t)at, data, (size_t)n);
	}
	(void)pthread_mutex_unlock(&lock);
	return n;
}

/* Where the next write goes. */
static off_t place_of_next(int fd)
{
	return lseek(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
}

ssize_t write(int fd, const void *data, size_t len)
{
	uint64_t object = 0;
	off_t at = 0;
	bool ours = false;
	long n = 0;

	(void)pthread_mutex_lock(&lock);
	ours = is_ours(fd, &object);
	if (ours) {
		at = place_of_next(fd);
	}
	n = syscall(SYS_write, fd, data, len);
	if (n > 0 && ours) {
		tell_write(fd, object, (uint64_t)at, data, (size_t)n);
	}
	(void)pthread_mutex_unlock(&lock);
	return n;
}

/* As one write of all parts; the caller must be ready for a short one. */
ssize_t pwritev(int fd, const struct iovec *parts, int nparts, off_t at)
{
	char *bytes = NULL;
	size_t len = 0;
	ssize_t n = 0;

	for (int i = 0; i < nparts; i++) {
		len += parts[i].iov_len;
	}
	bytes = malloc(len + 1);
	if (bytes == NULL) {
		return -1;
	}
	len = 0;
	for (int i = 0; i < nparts; i++) {
		memcpy(bytes + len, parts[i].iov_base, parts[i].iov_len);
		len += parts[i].iov_len;
	}
	n = at == -1 ? write(fd, bytes, len) : pwrite(fd, bytes, len, at);
	free(bytes);
	return n;
}

ssize_t writev(int fd, const struct iovec *parts, int nparts)
{
	return pwritev(fd, parts, nparts, -1);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off_t at)
	__attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec *parts, int nparts, off_t at)
	__attribute__((alias("pwritev")));

/* ---- lengths ---- */

int ftruncate(int fd, off_t len)
{
	struct journal_event event = {.kind = JOURNAL_RESIZE, .at = (uint64_t)len};
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	r = syscall(SYS_ftruncate, fd, len);
	if (r == 0 && is_ours(fd, &event.object)) {
		tell(&event, NULL, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
	struct journal_event event = {.kind = JOURNAL_RESIZE};
	struct stat st;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	r = syscall(SYS_fallocate, fd, mode, at, len);
	if (r == 0 && is_ours(fd, &event.object) && fstat(fd, &st) == 0) {
		event.at = (uint64_t)st.st_size;
		if (mode != 0 && mode != FALLOC_FL_KEEP_SIZE) {
			tell_unknown("fallocate");
		} else {
			tell(&event, NULL, NULL, NULL);
		}
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int ftruncate64(int fd, off_t len) __attribute__((alias("ftruncate")));
int fallocate64(int fd, int mode, off_t at, off_t len)
	__attribute__((alias("fallocate")));

/* ---- syncs ---- */

static bool is_wanted(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (S_ISDIR(st.st_mode) ? syncs_directories : syncs_files);
}

static int record_sync(long call, int fd)
{
	struct journal_event event = {.kind = JOURNAL_SYNC};
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	if (!is_ours(fd, &event.object)) {
		r = syscall(call, fd);
	} else if (is_wanted(fd)) {
		r = syscall(call, fd);
		if (r == 0) {
			tell(&event, NULL, NULL, NULL);
		}
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int fsync(int fd)
{
	return record_sync(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return record_sync(SYS_fdatasync, fd);
}

/* The kernel promises nothing about what sync_file_range() has written, so it is no
 * event. */

void *mmap(void *address, size_t len, int protection, int flags, int fd, off_t at)
{
	struct journal_event event = {.kind = JOURNAL_MAP, .at = len};
	long r = syscall(SYS_mmap, address, len, protection, flags, fd, at);
	bool is_write = (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0;

	if (r != -1 && is_write && fd >= 0 && is_ours(fd, &event.object)) {
		(void)pthread_mutex_lock(&lock);
		tell(&event, NULL, NULL, NULL);
		(void)pthread_mutex_unlock(&lock);
	}
	return (void *)r; /* NOLINT(performance-no-int-to-ptr) */
}

void *mmap64(void *address, size_t len, int protection, int flags, int fd, off_t at)
	__attribute__((alias("mmap")));

/* ---- names ---- */

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	struct journal_event event = {.kind = JOURNAL_LINK};
	struct place place;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	r = syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
	if (r == 0 && find_place(to_fd, to, &place)) {
		event.parent = place.parent;
		event.object = object_at(to_fd, to);
		tell(&event, place.name, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	struct journal_event event = {.kind = JOURNAL_RENAME};
	struct place old;
	struct place new;
	bool is_from = false;
	bool is_to = false;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	is_from = find_place(from_fd, from, &old);
	is_to = find_place(to_fd, to, &new);
	r = syscall(SYS_renameat, from_fd, from, to_fd, to);
	if (r == 0 && is_from && is_to) {
		event.parent = old.parent;
		event.other_parent = new.parent;
		event.object = object_at(to_fd, to);
		tell(&event, old.name, new.name, NULL);
	} else if (r == 0 && is_from != is_to) {
		tell_unknown("rename into or out of the directory");
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	if (flags != 0) {
		errno = EINVAL; /* whoever uses them has another way */
		return -1;
	}
	return renameat(from_fd, from, to_fd, to);
}

int unlinkat(int dir_fd, const char *path, int flags)
{
	struct journal_event event = {.kind = JOURNAL_REMOVE};
	struct place place;
	bool ours = false;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	ours = find_place(dir_fd, path, &place);
	r = syscall(SYS_unlinkat, dir_fd, path, flags);
	if (r == 0 && ours) {
		event.parent = place.parent;
		tell(&event, place.name, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int mkdirat(int dir_fd, const char *path, mode_t mode)
{
	struct journal_event event = {.kind = JOURNAL_MAKE_DIRECTORY};
	struct place place;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	r = syscall(SYS_mkdirat, dir_fd, path, mode);
	if (r == 0 && find_place(dir_fd, path, &place)) {
		event.parent = place.parent;
		event.object = object_at(dir_fd, path);
		tell(&event, place.name, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int symlinkat(const char *target, int dir_fd, const char *path)
{
	struct journal_event event = {.kind = JOURNAL_MAKE_FILE};
	struct place place;
	long r = 0;

	(void)pthread_mutex_lock(&lock);
	r = syscall(SYS_symlinkat, target, dir_fd, path);
	if (r == 0 && find_place(dir_fd, path, &place)) {
		event.parent = place.parent;
		event.object = object_at(dir_fd, path);
		tell(&event, place.name, NULL, NULL);
	}
	(void)pthread_mutex_unlock(&lock);
	return (int)r;
}

int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}
