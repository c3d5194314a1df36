/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary database, in the directory for temporary files:
 *
 *   ditkit-scratch-Xy12Zq      mode 0700; the process holds it with a lock (tmp_files.h),
 *                              so that the next one removes what a killed one has left
 *   ditkit-scratch-Xy12Zq/db   the directory of the database, which has its own locks
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/loader.h"
#include "system/file_io.h"
#include "system/tmp_files.h"

#define PREFIX    "ditkit-scratch-"
#define OWN       "/db"
#define LEVELS    3
#define NATTEMPTS 100

static int open_dir(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Files, and directories that are empty by now. */
static int remove_name(const void *ctx, int dir_fd, const char *name)
{
	const int *levels = ctx;
	int fd = *levels == 0 ? -1 : open_dir(dir_fd, name);

	if (fd >= 0) {
		int less = *levels - 1;

		(void)dit_name_each(fd, remove_name, &less);
		(void)close(fd);
	}
	/* Without a descriptor, too, if it is empty. */
	(void)unlinkat(dir_fd, name, 0);
	(void)unlinkat(dir_fd, name, AT_REMOVEDIR);
	return 0;
}

/* The directory for temporary files is open to all: the name may lead to anything. */
static int remove_if_left(const void *ctx, int tmp_fd, const char *name)
{
	const int levels = LEVELS;
	struct stat st;
	int fd = strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? open_dir(tmp_fd, name) : -1;
	(void)ctx;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & 07777) == 0700 && dit_leftover_is_one(fd)) {
		(void)remove_name(&levels, tmp_fd, name);
	}
	dit_close(fd);
	return 0;
}

static void remove_leftovers(const char *tmp)
{
	int fd = open_dir(AT_FDCWD, tmp);

	if (fd >= 0) {
		(void)dit_name_each(fd, remove_if_left, NULL);
		(void)close(fd);
	}
}

/* @return owned; NULL: no memory */
static char *template_of(const char *tmp)
{
	char *path = NULL;

	return asprintf(&path, "%s/" PREFIX "XXXXXX" OWN, tmp) < 0 ? NULL : path;
}

/* @return a descriptor that holds the directory; -EEXIST: another run has taken it for a
 * leftover; -errno. Then nothing is left of it. @param path  ends with OWN */
static int make(char *path)
{
	const int levels = LEVELS;
	char *end = path + strlen(path) - strlen(OWN);
	int fd = -1;
	int r = 0;

	*end = '\0';
	if (mkdtemp(path) == NULL) {
		return -errno;
	}
	fd = open_dir(AT_FDCWD, path);
	r = fd >= 0 ? dit_leftover_hold(fd) : errno == ENOENT ? -EEXIST : -errno;
	*end = '/';
	r = r < 0 ? r : mkdir(path, 0700) < 0 ? -errno : 0;
	if (r == 0) {
		return fd;
	}
	*end = '\0';
	if (r != -EEXIST) {
		(void)remove_name(&levels, AT_FDCWD, path);
	}
	dit_close(fd);
	return r;
}

int dit_load_scratch_make(struct loader *loader)
{
	struct dit_settings *settings = loader->job.chosen.settings;
	struct load_target *target = &loader->targets[0];
	const char *tmp = dit_tmp_dir(loader->opts->tmpdir);
	struct dit_database *db = NULL;
	char *path = NULL;
	int r = -EEXIST;

	if (loader->ntargets != 1 || target->is_foreign) {
		return dit_job_say(
			&loader->job, -EINVAL,
			"is_scratch is for one database of type mdb: set no_glue");
	}
	loader->job.interrupted = "Interrupted";
	remove_leftovers(tmp);
	for (unsigned i = 0; i < NATTEMPTS && r == -EEXIST; i++) {
		free(path);
		path = template_of(tmp);
		r = path == NULL ? -ENOMEM : make(path);
	}
	if (r < 0) {
		free(path);
		return dit_job_fail(&loader->job, r, tmp);
	}
	loader->stats->scratch = (uint64_t)r + 1;
	free(target->stats->directory);
	target->stats->directory = path;
	db = &settings->databases[target->db - settings->databases];
	db->data.directory = path;
	db->nindexes = 0;
	return 0;
}

void dit_load_scratch_remove(struct dit_load_stats *stats)
{
	const int levels = LEVELS;
	char *path = stats->scratch == 0 ? NULL : stats->databases[0].directory;

	if (path != NULL) {
		(void)rmdir(path); /* empty: without a descriptor */
		path[strlen(path) - strlen(OWN)] = '\0';
		(void)remove_name(&levels, AT_FDCWD, path);
		(void)close((int)stats->scratch - 1);
		stats->scratch = 0;
	}
}
