/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place/files.h"
#include "place/format_check.h"
#include "place/private_dir.h"

/*
 * LMDB would make a missing lock.mdb with the permissions of whoever reads; slapd could
 * then not open it any more. So it is made here, as data.mdb is.
 */
static int make_lock_file(int dir_fd, int data_fd)
{
	struct stat st;
	int fd = dit_file_make(dir_fd, DIT_LOCK_NAME, 0600);

	if (fd >= 0 && (fstat(data_fd, &st) != 0 || fchmod(fd, st.st_mode & 0777) != 0 ||
	                (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) != 0))) {
		/* It may be in use already, so it stays. */
	}
	return fd;
}

/* Several may come at once: one of them makes it. */
static int open_lock_file(int dir_fd, int data_fd, bool makes_one,
                          struct dit_fault *fault)
{
	int fd = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, fault);

	if (fd == -ENOENT && makes_one) {
		fd = make_lock_file(dir_fd, data_fd);
	}
	return fd == -EEXIST ? dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, fault) : fd;
}

static int open_files(struct dit_door *door, int dir_fd, bool makes_lock,
                      struct dit_fault *fault)
{
	int fd = dit_data_open(dir_fd, O_RDONLY, fault);

	if (fd < 0) {
		return fd;
	}
	door->data_fd = fd;
	fd = open_lock_file(dir_fd, door->data_fd, makes_lock, fault);
	if (fd < 0) {
		return fd == -EROFS || (fd == -ENOENT && !makes_lock) ? 0 : fd;
	}
	door->lock_fd = fd;
	return 0;
}

static int open_door(struct dit_door *ret, const char *directory, bool makes_lock,
                     struct dit_fault *fault)
{
	int dir_fd = dit_directory_open(directory, fault);
	int r = 0;

	*ret = DIT_DOOR_CLOSED;
	if (dir_fd < 0) {
		return dir_fd;
	}
	r = open_files(ret, dir_fd, makes_lock, fault);
	(void)close(dir_fd);
	return r;
}

int dit_door_open(struct dit_door *ret, const char *directory, struct dit_fault *fault)
{
	return open_door(ret, directory, true, fault);
}

int dit_door_open_as_is(struct dit_door *ret, const char *directory,
                        struct dit_fault *fault)
{
	return open_door(ret, directory, false, fault);
}

/* By way of a private directory, in which liblmdb finds both files by name. */
static int open_with_locks(const struct dit_door *door, MDB_env *env, unsigned flags,
                           struct dit_fault *fault)
{
	struct dit_private_dir dir;
	int r = dit_private_dir_make(&dir, fault);

	if (r == 0) {
		r = dit_env_open_locked(env, dir.fd, door->data_fd, door->lock_fd, flags,
		                        fault);
		dit_private_dir_remove(&dir);
	}
	return r;
}

int dit_door_open_env(const struct dit_door *door, MDB_env *env, unsigned flags,
                      struct dit_fault *fault)
{
	if (door->lock_fd >= 0) {
		return open_with_locks(door, env, flags, fault);
	}
	/* No process writes to a read-only file system: no locks are needed there. */
	return (flags & MDB_RDONLY) == 0
	               ? -EROFS
	               : dit_env_open_file(env, door->data_fd, flags, fault);
}

void dit_door_close(struct dit_door *door)
{
	if (door->lock_fd >= 0) {
		(void)close(door->lock_fd);
	}
	if (door->data_fd >= 0) {
		(void)close(door->data_fd);
	}
	*door = DIT_DOOR_CLOSED;
}
