/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD: one call of the program fails.
 *
 *   DIT_FAIL_KIND   which calls are counted: see kinds[]
 *   DIT_FAIL_AT     the number of the call that fails, from 1 on
 *   DIT_FAIL_ERROR  errno of the failure; else the first one of its kind
 *   DIT_FAIL_LATER  set: all later calls of the kind fail, too
 *   DIT_FAIL_MARK   a file that is made when a call fails
 *   DIT_FAIL_LEAKS  a file that gets the number of blocks that the program itself, not
 *                   its libraries, has not freed at its end
 *
 * Writes to standard output and standard error are not counted: messages must come
 * through. Allocations of the program and of libc are counted; libldap and liblmdb handle
 * theirs themselves. glibc 2.36 dies when memory ends while it looks up a user; so none
 * ends there.
 *
 * Threads: any.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
	NO_KIND,
	ALLOC,
	READ,
	WRITE,
	SYNC,
	RENAME,
	LENGTH,
	OPEN,
	MAP,
	THREAD,
	RANDOM
};

static const struct {
	const char *name;
	int error;
} kinds[] = {
	[ALLOC] = {"alloc", ENOMEM},   [READ] = {"read", EIO},
	[WRITE] = {"write", ENOSPC},   [SYNC] = {"sync", EIO},
	[RENAME] = {"rename", EIO},    [LENGTH] = {"length", EIO},
	[OPEN] = {"open", EMFILE},     [MAP] = {"map", ENOMEM},
	[THREAD] = {"thread", EAGAIN}, [RANDOM] = {"random", ENOSYS},
};

static enum kind kind; /* set once, before the program starts */
static long fail_at;
static int fail_error;
static bool fails_later;
static const char *mark;
static const char *leaks;
static atomic_long ncalls;

/* The code of the program, and of the libraries whose allocations are not counted. */
#define MAX_RANGES 32
static struct range {
	uintptr_t from;
	uintptr_t to;
	bool is_program;
} ranges[MAX_RANGES];
static size_t nranges;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

/* ---- which call fails ---- */

static bool must_fail(enum kind of)
{
	long n = 0;

	if (of != kind) {
		return false;
	}
	n = atomic_fetch_add(&ncalls, 1) + 1;
	if (n < fail_at || (n > fail_at && !fails_later)) {
		return false;
	}
	if (mark != NULL && n == fail_at) {
		(void)syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark,
		                                 O_WRONLY | O_CREAT, 0600));
	}
	errno = fail_error;
	return true;
}

static int note_range(struct dl_phdr_info *info, size_t size, void *ctx)
{
	bool is_program = nranges == 0; /* comes first */

	(void)size;
	(void)ctx;
	if (!is_program && strstr(info->dlpi_name, "/libldap") == NULL &&
	    strstr(info->dlpi_name, "/liblber") == NULL &&
	    strstr(info->dlpi_name, "/liblmdb") == NULL &&
	    strstr(info->dlpi_name, "/libsasl") == NULL &&
	    strstr(info->dlpi_name, "/libgnutls") == NULL) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum && nranges < MAX_RANGES; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
			uintptr_t from = info->dlpi_addr + part->p_vaddr;

			ranges[nranges++] =
				(struct range){from, from + part->p_memsz, is_program};
		}
	}
	return 0;
}

static const struct range *range_of(const void *caller)
{
	for (size_t i = 0; i < nranges; i++) {
		if ((uintptr_t)caller >= ranges[i].from &&
		    (uintptr_t)caller < ranges[i].to) {
			return &ranges[i];
		}
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("DIT_FAIL_KIND");
	const char *at = getenv("DIT_FAIL_AT");
	const char *error = getenv("DIT_FAIL_ERROR");
	enum kind wanted = NO_KIND;

	(void)dl_iterate_phdr(note_range, NULL);
	leaks = getenv("DIT_FAIL_LEAKS");
	mark = getenv("DIT_FAIL_MARK");
	fails_later = getenv("DIT_FAIL_LATER") != NULL;
	for (unsigned i = ALLOC; name != NULL && i <= RANDOM; i++) {
		wanted = strcmp(name, kinds[i].name) == 0 ? i : wanted;
	}
	if (at == NULL || wanted == NO_KIND) {
		return;
	}
	fail_at = strtol(at, NULL, 10);
	fail_error = error == NULL ? kinds[wanted].error : (int)strtol(error, NULL, 10);
	kind = wanted;
}

/* ---- blocks of the program ---- */

#define NSLOTS (1u << 20)
#define GONE   ((void *)1)
static void *blocks[NSLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(const void *block)
{
	return (size_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 44);
}

static void *keep(void *block, const void *caller)
{
	const struct range *range = leaks == NULL ? NULL : range_of(caller);
	size_t i = slot_of(block);

	if (block == NULL || range == NULL || !range->is_program) {
		return block;
	}
	(void)pthread_mutex_lock(&lock);
	while (blocks[i] != NULL && blocks[i] != GONE) {
		i = (i + 1) % NSLOTS;
	}
	blocks[i] = block;
	(void)pthread_mutex_unlock(&lock);
	return block;
}

static void forget(const void *block)
{
	size_t i = slot_of(block);

	if (leaks == NULL || block == NULL) {
		return;
	}
	(void)pthread_mutex_lock(&lock);
	while (blocks[i] != NULL && blocks[i] != block) {
		i = (i + 1) % NSLOTS;
	}
	if (blocks[i] == block) {
		blocks[i] = GONE;
	}
	(void)pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void count_blocks(void)
{
	unsigned n = 0;
	int fd = -1;

	if (leaks == NULL) {
		return;
	}
	kind = NO_KIND;
	for (size_t i = 0; i < NSLOTS; i++) {
		n += blocks[i] != NULL && blocks[i] != GONE;
	}
	fd = (int)syscall(SYS_openat, AT_FDCWD, leaks, O_WRONLY | O_CREAT | O_TRUNC,
	                  0600);
	(void)dprintf(fd, "%u\n", n);
}

static _Thread_local bool looks_up_user;

static bool alloc_fails(const void *caller)
{
	const struct range *range = NULL;

	if (kind != ALLOC || looks_up_user) {
		return false;
	}
	range = range_of(caller);
	return (range == NULL || range->is_program) && must_fail(ALLOC);
}

void *malloc(size_t size)
{
	const void *caller = __builtin_return_address(0);

	return alloc_fails(caller) ? NULL : keep(__libc_malloc(size), caller);
}

void *calloc(size_t n, size_t size)
{
	const void *caller = __builtin_return_address(0);

	return alloc_fails(caller) ? NULL : keep(__libc_calloc(n, size), caller);
}

static void *resize(void *block, size_t size, const void *caller)
{
	void *moved = NULL;

	if (alloc_fails(caller)) {
		return NULL;
	}
	/* Another thread may get the old place as soon as it is free. */
	forget(block);
	moved = __libc_realloc(block, size);
	return keep(moved == NULL && size > 0 ? block : moved, caller) == moved ? moved
	                                                                        : NULL;
}

void *realloc(void *block, size_t size)
{
	return resize(block, size, __builtin_return_address(0));
}

void *reallocarray(void *block, size_t n, size_t size)
{
	size_t total = 0;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(block, total, __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	const void *caller = __builtin_return_address(0);

	return alloc_fails(caller) ? NULL
	                           : keep(__libc_memalign(alignment, size), caller);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	const void *caller = __builtin_return_address(0);
	void *block = alloc_fails(caller)
	                      ? NULL
	                      : keep(__libc_memalign(alignment, size), caller);

	if (block == NULL) {
		return ENOMEM;
	}
	*ret = block;
	return 0;
}

void free(void *block)
{
	forget(block);
	__libc_free(block);
}

/* ---- calls ---- */

ssize_t read(int fd, void *data, size_t len)
{
	return must_fail(READ) ? -1 : syscall(SYS_read, fd, data, len);
}

ssize_t pread(int fd, void *data, size_t len, off_t at)
{
	return must_fail(READ) ? -1 : syscall(SYS_pread64, fd, data, len, at);
}

ssize_t write(int fd, const void *data, size_t len)
{
	return fd > 2 && must_fail(WRITE) ? -1 : syscall(SYS_write, fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	return must_fail(WRITE) ? -1 : syscall(SYS_pwrite64, fd, data, len, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
	return fd > 2 && must_fail(WRITE) ? -1 : syscall(SYS_writev, fd, parts, n);
}

ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t at)
{
	return must_fail(WRITE) ? -1
	                        : syscall(SYS_pwritev, fd, parts, n, (long)at,
	                                  (long)((uint64_t)at >> 32));
}

int fsync(int fd)
{
	return must_fail(SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return must_fail(SYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int msync(void *address, size_t len, int flags)
{
	return must_fail(SYNC) ? -1 : (int)syscall(SYS_msync, address, len, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return must_fail(RENAME) ? -1
	                         : (int)syscall(SYS_renameat, from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	return must_fail(RENAME)
	               ? -1
	               : (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int ftruncate(int fd, off_t len)
{
	return must_fail(LENGTH) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
	return must_fail(LENGTH) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, len);
}

int openat(int dir_fd, const char *path, int flags, ...)
{
	bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	mode = has_mode ? va_arg(args, mode_t) : 0;
	va_end(args);
	return must_fail(OPEN) ? -1 : (int)syscall(SYS_openat, dir_fd, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	mode = has_mode ? va_arg(args, mode_t) : 0;
	va_end(args);
	return openat(AT_FDCWD, path, flags, mode);
}

void *mmap(void *address, size_t len, int protection, int flags, int fd, off_t at)
{
	if (must_fail(MAP)) {
		return MAP_FAILED;
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	return (void *)syscall(SYS_mmap, address, len, protection, flags, fd, at);
}

int pthread_create(pthread_t *ret, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *arg)
{
	typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
	                      void *);
	create_fn *real = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");

	return must_fail(THREAD) ? fail_error : real(ret, attributes, start, arg);
}

ssize_t getrandom(void *data, size_t len, unsigned flags)
{
	return must_fail(RANDOM) ? -1 : syscall(SYS_getrandom, data, len, flags);
}

ssize_t pread64(int fd, void *data, size_t len, off_t at) __attribute__((alias("pread")));
ssize_t pwrite64(int fd, const void *data, size_t len, off_t at)
	__attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec *parts, int n, off_t at)
	__attribute__((alias("pwritev")));
int ftruncate64(int fd, off_t len) __attribute__((alias("ftruncate")));
int fallocate64(int fd, int mode, off_t at, off_t len)
	__attribute__((alias("fallocate")));
int openat64(int dir_fd, const char *path, int flags, ...)
	__attribute__((alias("openat")));
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
void *mmap64(void *address, size_t len, int protection, int flags, int fd, off_t at)
	__attribute__((alias("mmap")));

/* ---- users ---- */

struct passwd *getpwuid(uid_t uid)
{
	typedef struct passwd *get_fn(uid_t uid);
	get_fn *real = (get_fn *)dlsym(RTLD_NEXT, "getpwuid");
	struct passwd *found = NULL;

	looks_up_user = true;
	found = real(uid);
	looks_up_user = false;
	return found;
}

int getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
               struct passwd **ret)
{
	typedef int get_fn(uid_t uid, struct passwd * entry, char *buffer, size_t size,
	                   struct passwd **ret);
	get_fn *real = (get_fn *)dlsym(RTLD_NEXT, "getpwuid_r");
	int r = 0;

	looks_up_user = true;
	r = real(uid, entry, buffer, size, ret);
	looks_up_user = false;
	return r;
}

int initgroups(const char *name, gid_t group)
{
	typedef int init_fn(const char *name, gid_t group);
	init_fn *real = (init_fn *)dlsym(RTLD_NEXT, "initgroups");
	int r = 0;

	looks_up_user = true;
	r = real(name, group);
	looks_up_user = false;
	return r;
}

/* ---- the same calls in a program built with _FORTIFY_SOURCE ---- */

int __openat_2(int dir_fd, const char *path, int flags)
{
	return openat(dir_fd, path, flags);
}

int __open_2(const char *path, int flags)
{
	return openat(AT_FDCWD, path, flags);
}

ssize_t __read_chk(int fd, void *data, size_t len, size_t room)
{
	return len > room ? (abort(), -1) : read(fd, data, len);
}

ssize_t __pread_chk(int fd, void *data, size_t len, off_t at, size_t room)
{
	return len > room ? (abort(), -1) : pread(fd, data, len, at);
}

int __openat64_2(int dir_fd, const char *path, int flags)
	__attribute__((alias("__openat_2")));
int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
ssize_t __pread64_chk(int fd, void *data, size_t len, off_t at, size_t room)
	__attribute__((alias("__pread_chk")));
