/* SPDX-License-Identifier: BSD-2-Clause */
#include "result/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/error.h"
#include "base/slab.h"
#include "base/stop.h"
#include "system/file_io.h"
#include "system/tmp_files.h"

#define ATTEMPTS    100
#define NUMBER_LEN  16   /* digits at the end of a temporary name */
#define NEW_MODE    0666 /* less the umask: slapcat's */
#define CLOSED_MODE 0600 /* until it has the mode of what it replaces */

/* Files up to this length are written through the page cache; aligned. */
#define CACHED_BYTES (2 * DIT_DIRECT_BYTES)

/* A pipe holds two pieces: its reader has one while the next is made. Linux lets a user
 * have 64 pipes of this size. */
#define PIPE_BYTES (2 * DIT_DIRECT_BYTES)

/* So many short texts wait for a piece to be full: what a reader waits for comes soon. */
#define TEXTS_MAX 64

/* Bytes that are not written yet: of a longer file, or of what is written in place. */
struct dit_export_piece {
	char bytes[DIT_DIRECT_BYTES]; /* first, and so aligned as the piece is */
	size_t len;
	unsigned ntexts;        /* that began since the last write */
	_Atomic bool is_direct; /* [atomic: dit_direct_write() wants it; one thread] */
};

/* ---- opening ---- */

static bool is_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

/* Such a name leads to something that is open already, whatever its type. */
static bool is_of_system(const char *path)
{
	return is_device(path) || fnmatch("/proc/*/fd/*", path, FNM_PATHNAME) == 0;
}

/* "/dev//shm/name" is no device, and each user can make a link of that name. */
static bool is_hidden(const char *path)
{
	return is_of_system(path) &&
	       (strstr(path, "//") != NULL || strstr(path, "/.") != NULL);
}

static int open_of_system(struct dit_export_file *file, int flags)
{
	file->fd = open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | flags,
	                NEW_MODE);
	return file->fd < 0 ? -errno : 0;
}

/*
 * A pipe or a device. Meanwhile somebody may have put a link or a file there: it is not
 * written to. O_CREAT: the system looks whose pipe it is (fs.protected_fifos).
 */
static int open_in_place(struct dit_export_file *file)
{
	struct stat st;

	file->fd = openat(file->dir_fd, file->name,
	                  O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
	                  CLOSED_MODE);
	if (file->fd < 0 || fstat(file->fd, &st) < 0) {
		return -errno;
	}
	return S_ISREG(st.st_mode) ? -EEXIST : 0;
}

/*
 * In a directory like /tmp each user can make a file of any name. An export does not
 * replace such a file: it would keep that user as its owner. Where fs.protected_regular
 * is set, slapcat cannot write to the file either.
 */
static int check_owner(const struct dit_export_file *file, const struct stat *old)
{
	struct stat dir;

	if (fstat(file->dir_fd, &dir) < 0) {
		return -errno;
	}
	if (old->st_uid == geteuid() || old->st_uid == dir.st_uid) {
		return 0;
	}
	return (dir.st_mode & S_ISVTX) != 0 && (dir.st_mode & (S_IWGRP | S_IWOTH)) != 0
	               ? -EACCES
	               : 0;
}

/* ".name.1a2b3c4d5e6f7081" for "name". */
static int make_name(struct dit_export_file *file)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0) {
		return -errno;
	}
	free(file->temporary);
	if (asprintf(&file->temporary, ".%.200s.%016lx", file->name, number) < 0) {
		file->temporary = NULL;
		return -ENOMEM;
	}
	return 0;
}

/*
 * The owner, group and mode of the file that is replaced. A user that may not give files
 * away stays the owner; where the group differs, too, it gets the rights of all others.
 */
static int keep_rights(struct dit_export_file *file, const struct stat *old)
{
	mode_t mode = old->st_mode & 07777;

	if (fchown(file->fd, old->st_uid, old->st_gid) < 0) {
		if (errno != EPERM) {
			return -errno;
		}
		mode &= 0777;
		if (fchown(file->fd, (uid_t)-1, old->st_gid) < 0) {
			mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
		}
	}
	return fchmod(file->fd, mode) < 0 ? -errno : 0;
}

/* A run that was killed as it wrote the same file has left it there. */
static int remove_if_left(const void *ctx, int dir_fd, const char *name)
{
	const struct dit_export_file *file = ctx;
	size_t len = strlen(file->temporary) - NUMBER_LEN;
	struct stat st;
	int fd = -1;

	if (strcmp(name, file->temporary) == 0 ||
	    strncmp(name, file->temporary, len) != 0 ||
	    strlen(name + len) != NUMBER_LEN ||
	    strspn(name + len, "0123456789abcdef") != NUMBER_LEN) {
		return 0;
	}
	fd = openat(dir_fd, name,
	            O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    dit_leftover_is_one(fd)) {
		(void)unlinkat(dir_fd, name, 0);
	}
	dit_close(fd);
	return 0;
}

static int make_temporary(struct dit_export_file *file, mode_t mode)
{
	int r = make_name(file);

	if (r < 0) {
		return r;
	}
	file->fd = openat(file->dir_fd, file->temporary,
	                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (file->fd < 0) {
		return -errno;
	}
	r = dit_leftover_hold(file->fd);
	if (r < 0) {
		(void)close(file->fd);
		file->fd = -1;
		(void)unlinkat(file->dir_fd, file->temporary, 0);
	}
	return r;
}

static int open_temporary(struct dit_export_file *file, const struct stat *old)
{
	int r = -EEXIST;

	for (int i = 0; i < ATTEMPTS && r == -EEXIST; i++) {
		r = make_temporary(file, old == NULL ? NEW_MODE : CLOSED_MODE);
	}
	if (r < 0) {
		free(file->temporary); /* it is not ours */
		file->temporary = NULL;
		return r;
	}
	(void)dit_name_each(file->dir_fd, remove_if_left, file);
	return old == NULL ? 0 : keep_rights(file, old);
}

/* The file that is there, if it is no link. */
static int open_old(struct dit_export_file *file, const struct stat *old)
{
	int r = check_owner(file, old);

	if (r < 0) {
		return r;
	}
	if (strcmp(file->name, "data.mdb") == 0 || strcmp(file->name, "lock.mdb") == 0) {
		(void)snprintf(file->why, sizeof(file->why),
		               "this is a file of a database, which would be lost");
		return -EEXIST;
	}
	if (S_ISREG(old->st_mode)) {
		return faccessat(file->dir_fd, file->name, W_OK, 0) < 0
		               ? -errno
		               : open_temporary(file, old);
	}
	return open_in_place(file);
}

/* A link is replaced, unless it leads to a directory. */
static int open_link(struct dit_export_file *file)
{
	struct stat target;

	return fstatat(file->dir_fd, file->name, &target, 0) == 0 &&
	                       S_ISDIR(target.st_mode)
	               ? -EISDIR
	               : open_temporary(file, NULL);
}

static int open_in_directory(struct dit_export_file *file)
{
	struct stat old;

	if (file->path[0] == '\0') {
		return -ENOENT;
	}
	file->dir_fd = dit_path_open_parent(file->path, &file->name, file->why);
	if (file->dir_fd < 0) {
		return file->dir_fd;
	}
	if (file->name[0] == '\0') {
		return -EISDIR;
	}
	if (fstatat(file->dir_fd, file->name, &old, AT_SYMLINK_NOFOLLOW) < 0) {
		return errno == ENOENT ? open_temporary(file, NULL) : -errno;
	}
	return S_ISLNK(old.st_mode) ? open_link(file) : open_old(file, &old);
}

int dit_export_file_open(struct dit_export_file *file, const char *path, int system_flags,
                         const struct dit_stop *stop)
{
	*file = (struct dit_export_file){
		.stop = stop, .path = path, .fd = -1, .dir_fd = -1};
	if (path == NULL) {
		file->fd = STDOUT_FILENO;
		return 0;
	}
	if (is_hidden(path)) {
		(void)snprintf(file->why, sizeof(file->why),
		               "\"//\" or \"/.\" in the path of a device: leave it out");
		return -EINVAL;
	}
	return is_of_system(path) ? open_of_system(file, system_flags)
	                          : open_in_directory(file);
}

/* ---- the name, kept by another process ---- */

static int place(const struct dit_export_file *file)
{
	int r = renameat(file->dir_fd, file->temporary, file->dir_fd, file->name);

	return r < 0 ? -errno : 0;
}

/* The life of the keeper: a byte asks it to rename; an int comes back, 0 or -errno. The
 * end of the line is the end of the export. All signals are blocked: no EINTR. */
static void keep(const void *ctx, int fd)
{
	const struct dit_export_file *file = ctx;
	char order = 0;
	int r = -ECANCELED;

	if (read(fd, &order, 1) == 1) {
		r = place(file);
		(void)send(fd, &r, sizeof(r), MSG_NOSIGNAL);
	}
	if (r < 0) {
		(void)unlinkat(file->dir_fd, file->temporary, 0);
	}
}

static int ask_to_place(const struct dit_export_file *file)
{
	int answer = 0;
	int r = dit_keeper_ask(&file->keeper, "r", 1, &answer, sizeof(answer));

	return r < 0 ? r : answer;
}

int dit_export_file_keep(struct dit_export_file *file)
{
	return file->temporary == NULL || geteuid() != 0
	               ? 0
	               : dit_keeper_start(&file->keeper, file->dir_fd, keep, file);
}

/* ---- writing ---- */

static int wait_or_fail(const struct dit_export_file *file)
{
	if (errno != EINTR) {
		return -errno;
	}
	return dit_stop_is_set(file->stop) ? DIT_E_STOPPED : 0;
}

/* At once, through the page cache. */
static int write_all(struct dit_export_file *file, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t done = write(file->fd, bytes, len);

		if (done < 0) {
			int r = wait_or_fail(file);

			if (r < 0) {
				return r;
			}
			continue;
		}
		bytes += done;
		len -= (size_t)done;
		/* A signal while the pipe was full shows as a short write. */
		if (len > 0 && dit_stop_is_set(file->stop)) {
			return DIT_E_STOPPED;
		}
	}
	return 0;
}

static int begin_pieces(struct dit_export_file *file)
{
	int room = file->temporary == NULL ? fcntl(file->fd, F_GETPIPE_SZ) : -1;

	file->piece = dit_slab_get(sizeof(*file->piece));
	if (file->piece == NULL) {
		return -ENOMEM;
	}
	file->piece->len = 0;
	file->piece->ntexts = 0;
	atomic_init(&file->piece->is_direct,
	            file->temporary != NULL && dit_direct_begin(file->fd));
	if (room >= 0 && room < (int)PIPE_BYTES) {
		(void)fcntl(file->fd, F_SETPIPE_SZ, (int)PIPE_BYTES);
	}
	return 0;
}

/* It is the end of all that the file has got. */
static int write_piece(struct dit_export_file *file)
{
	struct dit_export_piece *piece = file->piece;
	size_t len = piece->len;

	piece->len = 0;
	piece->ntexts = 0;
	return file->temporary == NULL
	               ? write_all(file, piece->bytes, len)
	               : dit_direct_write(file->fd, &piece->is_direct, piece->bytes, len,
	                                  file->nbytes - len);
}

static int write_in_pieces(struct dit_export_file *file, const char *bytes, size_t len)
{
	int r = file->piece == NULL ? begin_pieces(file) : 0;

	while (len > 0 && r == 0) {
		struct dit_export_piece *piece = file->piece;
		size_t room = sizeof(piece->bytes) - piece->len;
		size_t n = len < room ? len : room;

		memcpy(piece->bytes + piece->len, bytes, n);
		piece->len += n;
		file->nbytes += n;
		bytes += n;
		len -= n;
		if (n == room) {
			r = write_piece(file);
		}
	}
	return r;
}

/* To a pipe or a device: calls with little cost more than the copy. */
static int write_in_place(struct dit_export_file *file, const char *bytes, size_t len)
{
	int r = write_in_pieces(file, bytes, len);

	return r == 0 && ++file->piece->ntexts >= TEXTS_MAX ? write_piece(file) : r;
}

/* The last piece, whose length is not aligned. */
static int write_rest(struct dit_export_file *file)
{
	int r = 0;

	if (file->piece == NULL || file->piece->len == 0) {
		return 0;
	}
	r = file->temporary == NULL ? 0 : dit_direct_end(file->fd);
	return r < 0 ? r : write_piece(file);
}

int dit_export_file_write(struct dit_export_file *file, const char *bytes, size_t len)
{
	uint64_t room = file->nbytes < CACHED_BYTES ? CACHED_BYTES - file->nbytes : 0;
	size_t n = len < room ? len : (size_t)room;
	int r = 0;

	if (file->temporary == NULL) {
		return write_in_place(file, bytes, len);
	}
	r = write_all(file, bytes, n);
	if (r < 0) {
		return r;
	}
	file->nbytes += n;
	return n == len ? 0 : write_in_pieces(file, bytes + n, len - n);
}

int dit_export_file_flush(struct dit_export_file *file)
{
	/* After an interrupt nobody waits for a slow reader. */
	return file->temporary == NULL && !dit_stop_is_set(file->stop) ? write_rest(file)
	                                                               : 0;
}

/* ---- the end ---- */

int dit_export_file_finish(struct dit_export_file *file)
{
	int r = write_rest(file);

	if (r < 0 || file->temporary == NULL) {
		return r;
	}
	if (fsync(file->fd) < 0) {
		return -errno;
	}
	r = file->keeper.pid != 0 ? ask_to_place(file) : place(file);
	if (r < 0) {
		return r;
	}
	free(file->temporary);
	file->temporary = NULL;
	r = dit_sync_directory(file->dir_fd);
	if (r < 0) {
		(void)snprintf(file->why, sizeof(file->why),
		               "the file is complete, but may be gone after a loss of "
		               "power: %s",
		               dit_errno_text(-r));
	}
	return r;
}

void dit_export_file_close(struct dit_export_file *file)
{
	dit_keeper_end(&file->keeper);
	if (file->temporary != NULL) {
		(void)unlinkat(file->dir_fd, file->temporary, 0);
		free(file->temporary);
	}
	if (file->fd >= 0 && file->path != NULL) {
		(void)close(file->fd);
	}
	if (file->dir_fd >= 0 && file->path != NULL) {
		(void)close(file->dir_fd);
	}
	dit_slab_put(file->piece, sizeof(*file->piece));
	*file = (struct dit_export_file){.fd = -1};
}
