/* SPDX-License-Identifier: BSD-2-Clause */
/* Several outputs, put in place together. */
#include "output/publication.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stop.h"
#include "files/files.h"
#include "system/file_io.h"

struct publication {
	struct dit_published *items;
	size_t n;
	const struct dit_publish_opts *opts;
};

/* ---- where the names lead ---- */

/* Does an error of looking for a name say that the name leads nowhere? */
static bool is_absence(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -ELOOP;
}

/*
 * The name of a database may have been given to another directory, or in the directory to
 * another file. 1: it leads to the open file; 0: elsewhere; -errno: not known.
 *
 * @param name  of the file; NULL: the directory itself
 */
static int leads_to(const char *directory, const char *name, int fd)
{
	int dir_fd = dit_directory_open(directory, NULL);
	struct stat there = {.st_ino = 0};
	struct stat ours = {.st_ino = 0};
	int r = dir_fd < 0 ? dir_fd : 0;

	if (r == 0 &&
	    (fstat(fd, &ours) < 0 ||
	     (name == NULL ? fstat(dir_fd, &there)
	                   : fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW)) < 0)) {
		r = -errno;
	}
	dit_close(dir_fd);
	if (r < 0) {
		return is_absence(r) ? 0 : r;
	}
	return there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

/* The fate of an open file, in words that follow its name. */
static void say_fate(int fd, struct dit_fault *ret)
{
	char path[DIT_FD_PATH_BYTES];
	char target[sizeof(ret->text) / 2];
	struct stat ours;
	ssize_t n = -1;

	if (fstat(fd, &ours) == 0 && ours.st_nlink > 0 &&
	    dit_fd_path(fd, path, NULL) == 0) {
		n = readlink(path, target, sizeof(target));
	}
	if (n > 0) {
		(void)dit_fault_say(ret, 0, "is %.*s now", (int)n, target);
	} else {
		(void)dit_fault_say(ret, 0, "was removed");
	}
}

static int find(const struct dit_output *output, bool is_again, struct dit_fault *fault)
{
	const struct dit_output_target *target = &output->target;
	bool is_directory = !is_again && target->dir_fd >= 0;
	int fd = is_directory ? target->dir_fd : target->data_fd;
	struct dit_fault fate = {""};
	int r = target->directory == NULL
	                ? 1
	                : leads_to(target->directory,
	                           is_directory ? NULL : target->data_name, fd);

	if (r < 0 && !is_again) {
		return dit_fault_say(
			fault, r, "the name cannot be looked at (%s): nothing is changed",
			dit_strerror(r));
	}
	if (r != 0) {
		return 0; /* after the commit an error of looking says nothing */
	}
	say_fate(fd, &fate);
	return is_again ? dit_fault_say(fault, -ESTALE,
	                                "the data is in place, but the name %s "
	                                "does not lead there any more: the file %s",
	                                target->data_name, fate.text)
	                : dit_fault_say(fault, -ESTALE,
	                                "the %s that was opened %s: nothing is changed",
	                                is_directory ? "directory" : DIT_DATA_NAME,
	                                fate.text);
}

/* ---- the steps ---- */

static int run_step(struct dit_published *item, enum dit_publish_step step)
{
	bool is_again = step == DIT_PUBLISH_FIND_AGAIN;

	return is_again || step == DIT_PUBLISH_FIND
	               ? find(item->output, is_again, &item->fault)
	               : dit_output_do(item->output, step);
}

static bool can_fail_alone(enum dit_publish_step step)
{
	return step == DIT_PUBLISH_TAKE_BACK || step == DIT_PUBLISH_FIND_AGAIN ||
	       step == DIT_PUBLISH_END;
}

/*
 * 0, or the error that ends the publication; of steps that can fail alone the last error.
 * The changes of one output are on the disk before the next one changes anything: a loss
 * of power keeps the order.
 */
static int step_all(const struct publication *p, enum dit_publish_step step)
{
	int error = 0;

	for (size_t i = p->n; i > 0; i--) {
		struct dit_published *item = &p->items[i - 1];
		int r = 0;

		if (item->output == NULL) {
			continue;
		}
		r = !can_fail_alone(step) && dit_stop_is_set(p->opts->stop)
		            ? DIT_E_STOPPED
		            : run_step(item, step);
		if (step == DIT_PUBLISH_END) {
			item->output = NULL; /* freed */
		} else {
			item->bytes = item->output->bytes;
			item->kept_bytes = item->output->kept_bytes;
		}
		if (r != 0) {
			p->opts->failed(p->opts->ctx, i - 1, step, r);
		}
		if (r < 0 && !can_fail_alone(step)) {
			return r;
		}
		error = r < 0 ? r : error;
	}
	return error;
}

int dit_publish(struct dit_published *items, size_t n,
                const struct dit_publish_opts *opts)
{
	static const enum dit_publish_step steps[] = {
		DIT_PUBLISH_FIND, DIT_PUBLISH_COMMIT, DIT_PUBLISH_RENAME};
	struct publication p = {.items = items, .n = n, .opts = opts};
	int r = step_all(&p, DIT_PUBLISH_PREPARE);

	if (r == 0 && opts->before_commit != NULL) {
		r = opts->before_commit(opts->ctx);
	}
	for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(steps[0]); i++) {
		r = step_all(&p, steps[i]);
	}
	if (r == 0) {
		r = step_all(&p, DIT_PUBLISH_FIND_AGAIN);
		(void)step_all(&p, DIT_PUBLISH_END);
		return r;
	}
	(void)step_all(&p, DIT_PUBLISH_TAKE_BACK);
	for (size_t i = 0; i < n; i++) {
		dit_output_abandon(items[i].output);
		items[i].output = NULL;
	}
	return r;
}
