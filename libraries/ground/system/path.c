/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk from directory to directory. The kernel follows no link: where one may be
 * followed, the text of its target takes its place in the path. Links of /proc alone have
 * no such text; root's part of /proc belongs to the kernel.
 */
#include "system/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "system/file_io.h"

#define LINKS_MAX 40 /* the kernel's */

struct walk {
	int fd;          /* owned; where the walk is */
	struct stat dir; /* of fd */
	/* Somebody else can exchange a part; the last directory in which he can. */
	bool is_foreign;
	struct stat foreign;
	unsigned nlinks;
	char rest[PATH_MAX]; /* parts to go */
	char *why;
};

/* ---- who can exchange what ---- */

static bool is_ours(uid_t user)
{
	return user == 0 || user == geteuid();
}

/* Users other than root decide themselves which group may write in their directories. */
static bool can_others_exchange(const struct stat *dir, const struct stat *part)
{
	mode_t writers = geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;

	if (!is_ours(dir->st_uid)) {
		return true;
	}
	return (dir->st_mode & writers) != 0 &&
	       ((dir->st_mode & S_ISVTX) == 0 || !is_ours(part->st_uid));
}

static void look_at(struct walk *walk, const struct stat *part)
{
	if (can_others_exchange(&walk->dir, part)) {
		walk->is_foreign = true;
		walk->foreign = walk->dir;
	}
}

static int refuse(const struct walk *walk, const char *part)
{
	(void)snprintf(
		walk->why, DIT_PATH_WHY_BYTES,
		"\"%.200s\" is %s and not followed, for another user can exchange "
		"it: a directory on the way belongs to user %u, mode %04o; give the "
		"real path",
		part, strcmp(part, "..") == 0 ? "the way back" : "a symbolic link",
		(unsigned)walk->foreign.st_uid, (unsigned)walk->foreign.st_mode & 07777);
	return -ELOOP;
}

/* Another user can exchange files in it. */
static bool is_shared(const struct stat *dir)
{
	return dir->st_uid != 0 || (dir->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* @return 0; -EPERM with words: another user can exchange what root would work on */
static int check_work(const struct walk *walk)
{
	bool is_itself = is_shared(&walk->dir);
	const struct stat *dir = is_itself ? &walk->dir : &walk->foreign;

	if (geteuid() != 0 || (!is_itself && !walk->is_foreign)) {
		return 0;
	}
	(void)snprintf(walk->why, DIT_PATH_WHY_BYTES,
	               "root does not work there, for another user can exchange files: "
	               "%s belongs to user %u, mode %04o",
	               is_itself ? "it" : "a directory on the way", (unsigned)dir->st_uid,
	               (unsigned)dir->st_mode & 07777);
	return -EPERM;
}

/* ---- steps ---- */

/* Takes the descriptor. */
static int enter(struct walk *walk, int fd)
{
	if (fd < 0) {
		return -errno;
	}
	dit_close(walk->fd);
	walk->fd = fd;
	return fstat(fd, &walk->dir) < 0 ? -errno : 0;
}

/* In front of the parts that are still to go. */
static int put_parts(struct walk *walk, const char *parts, size_t n)
{
	size_t len = strlen(walk->rest);

	if (n + 1 + len >= sizeof(walk->rest)) {
		return -ENAMETOOLONG;
	}
	memmove(walk->rest + n + 1, walk->rest, len + 1);
	memcpy(walk->rest, parts, n);
	walk->rest[n] = '/';
	return 0;
}

static int put_target(struct walk *walk, int link_fd)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target));
	int r = n < 0 ? -errno : put_parts(walk, target, (size_t)n);

	return r == 0 && target[0] == '/'
	               ? enter(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC))
	               : r;
}

static int follow(struct walk *walk, const char *part, int link_fd)
{
	struct stat st;
	struct statfs fs;

	if (fstat(link_fd, &st) < 0 || fstatfs(link_fd, &fs) < 0) {
		return -errno;
	}
	if (++walk->nlinks > LINKS_MAX) {
		return -ELOOP;
	}
	if (S_ISDIR(st.st_mode)) { /* by now; it may be a place to mount at */
		return put_parts(walk, part, strlen(part));
	}
	if (!S_ISLNK(st.st_mode)) {
		return -ENOTDIR;
	}
	look_at(walk, &st);
	if (walk->is_foreign) {
		return refuse(walk, part);
	}
	return fs.f_type == PROC_SUPER_MAGIC
	               ? enter(walk,
	                       openat(walk->fd, part, O_PATH | O_DIRECTORY | O_CLOEXEC))
	               : put_target(walk, link_fd);
}

static int step(struct walk *walk, const char *part)
{
	/* O_DIRECTORY has an automounter mount what belongs here. */
	int fd = openat(walk->fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_back = strcmp(part, "..") == 0;
	struct stat st;
	int r = 0;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
		fd = openat(walk->fd, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 ? -errno : follow(walk, part, fd);
		dit_close(fd);
		return r;
	}
	if (fd < 0) {
		return -errno;
	}
	r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0 && is_back && walk->is_foreign) {
		r = refuse(walk, part);
	}
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	if (!is_back) {
		look_at(walk, &st);
	}
	return enter(walk, fd);
}

/* The next part goes from the rest into @p ret. @return its length; 0: there is none */
static size_t take_part(struct walk *walk, char ret[PATH_MAX])
{
	size_t skipped = strspn(walk->rest, "/");
	size_t len = strcspn(walk->rest + skipped, "/");

	memcpy(ret, walk->rest + skipped, len);
	ret[len] = '\0';
	memmove(walk->rest, walk->rest + skipped + len,
	        strlen(walk->rest + skipped + len) + 1);
	return len;
}

/*
 * The first @p len bytes of the path.
 *
 * @param to_work  refuse root where it is not alone
 */
static int walk_path(const char *path, size_t len, bool to_work, char *why)
{
	char unread[DIT_PATH_WHY_BYTES];
	char part[PATH_MAX];
	struct walk walk = {.fd = -1, .why = why == NULL ? unread : why};
	int r = 0;

	walk.why[0] = '\0';
	if (len >= sizeof(walk.rest)) {
		return -ENAMETOOLONG;
	}
	memcpy(walk.rest, path, len);
	r = enter(&walk,
	          open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	while (r == 0 && take_part(&walk, part) > 0) {
		r = step(&walk, part);
	}
	if (r == 0 && to_work) {
		r = check_work(&walk);
	}
	if (r < 0 && walk.fd >= 0) {
		(void)close(walk.fd);
	}
	return r < 0 ? r : walk.fd;
}

static int open_path(const char *path, bool to_work, char *ret_why)
{
	if (path[0] == '\0') {
		if (ret_why != NULL) {
			ret_why[0] = '\0';
		}
		return -ENOENT;
	}
	return walk_path(path, strlen(path), to_work, ret_why);
}

int dit_path_open(const char *path, char *ret_why)
{
	return open_path(path, false, ret_why);
}

int dit_path_open_to_work(const char *path, char *ret_why)
{
	return open_path(path, true, ret_why);
}

int dit_path_open_parent(const char *path, const char **ret_name, char *ret_why)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	int fd = walk_path(path, (size_t)(name - path), false, ret_why);

	if (fd >= 0) {
		*ret_name = name;
	}
	return fd;
}
