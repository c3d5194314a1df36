/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "files/files.h"
#include "locks/claim.h"
#include "locks/process.h"
#include "system/file_io.h"

#define NEW_NAME   DIT_MANIFEST_NAME ".new"
#define WAIT_NS    50000000 /* between two looks whether the others have ended */
#define TELL_AFTER 20       /* looks */

void dit_manifest_time(char ret[DIT_MANIFEST_TIME_BYTES])
{
	time_t now = time(NULL);
	struct tm utc;

	(void)strftime(ret, DIT_MANIFEST_TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ",
	               gmtime_r(&now, &utc));
}

/* ---- the file ---- */

int dit_manifest_write(int folder_fd, const json_t *json)
{
	char *text = json_dumps(json, JSON_INDENT(1));
	int fd = -1;
	int r = 0;

	if (text == NULL) {
		return -ENOMEM;
	}
	(void)unlinkat(folder_fd, NEW_NAME, 0); /* of a killed process */
	fd = dit_file_make(folder_fd, NEW_NAME, 0600);
	if (fd < 0) {
		free(text);
		return fd;
	}
	r = dit_write_at(fd, text, strlen(text), 0);
	if (r == 0 && (fsync(fd) != 0 ||
	               renameat(folder_fd, NEW_NAME, folder_fd, DIT_MANIFEST_NAME) != 0 ||
	               fsync(folder_fd) != 0)) {
		r = -errno;
	}
	(void)close(fd);
	free(text);
	return r;
}

/* @param ret  owned */
static int read_text(int fd, char **ret, size_t *ret_len)
{
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	if (st.st_size > (off_t)DIT_MANIFEST_MAX) {
		return DIT_E_TOOLONG;
	}
	*ret = malloc((size_t)st.st_size + 1);
	if (*ret == NULL) {
		return -ENOMEM;
	}
	n = dit_read_at(fd, *ret, (size_t)st.st_size, 0);
	*ret_len = n < 0 ? 0 : (size_t)n;
	return n < 0 ? (int)n : 0;
}

/* ---- its content ---- */

/* "x" in the pattern is a hexadecimal digit in lower case, "0" a decimal one. */
static bool has_form(const char *text, const char *pattern)
{
	for (; *pattern != '\0' && *text != '\0'; text++, pattern++) {
		const char *allowed = *pattern == 'x'   ? "0123456789abcdef"
		                      : *pattern == '0' ? "0123456789"
		                                        : NULL;

		if (allowed == NULL ? *text != *pattern
		                    : strchr(allowed, *text) == NULL) {
			return false;
		}
	}
	return *text == *pattern;
}

static bool is_well_formed(const struct dit_manifest *manifest)
{
	static const char sum[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	static const char moment[] = "0000-00-00T00:00:00Z";

	return has_form(manifest->set, sum) && has_form(manifest->digest, sum) &&
	       has_form(manifest->content, sum) && has_form(manifest->time, moment) &&
	       has_form(manifest->release, "0.0") &&
	       (manifest->published == NULL || has_form(manifest->published, moment));
}

static int wrong_json(const json_error_t *error, struct dit_fault *fault,
                      const char *what)
{
	return json_error_code(error) == json_error_out_of_memory
	               ? -ENOMEM
	               : dit_fault_say(fault, DIT_E_INVALID, DIT_MANIFEST_NAME "%s",
	                               what);
}

static int unpack(struct dit_manifest *ret, struct dit_fault *fault)
{
	static const char lacks[] = " lacks a field, or one of them has another form";
	json_error_t error = {.line = 0};
	json_int_t nentries = 0;
	json_int_t bytes = 0;
	json_t *databases = NULL;
	json_t *configuration = NULL;
	int format = 0;

	if (json_unpack_ex(ret->json, &error, 0, "{s:i}", "format", &format) != 0) {
		return wrong_json(&error, fault, lacks);
	}
	if (format != DIT_MANIFEST_FORMAT) {
		return dit_fault_say(
			fault, DIT_E_INVALID,
			DIT_MANIFEST_NAME " has format %d, of another ditkit", format);
	}
	if (json_unpack_ex(
		    ret->json, &error, 0,
		    "{s:s, s:s, s:s, s:s, s:s, s:s, s?:s, s:I, s:I, s:o, s:o}", "set",
		    &ret->set, "suffix", &ret->suffix, "release", &ret->release, "xxh128",
		    &ret->digest, "content", &ret->content, "time", &ret->time,
		    "published", &ret->published, "entries", &nentries, "bytes", &bytes,
		    "databases", &databases, "configuration", &configuration) != 0) {
		return wrong_json(&error, fault, lacks);
	}
	if (!is_well_formed(ret) || nentries < 0 || bytes <= 0) {
		return dit_fault_say(fault, DIT_E_INVALID, DIT_MANIFEST_NAME "%s", lacks);
	}
	ret->nentries = (uint64_t)nentries;
	ret->bytes = (uint64_t)bytes;
	return 0;
}

/* -ENOENT: there is none; DIT_E_INVALID, with a fault: nobody can use it */
static int read_manifest(int folder_fd, struct dit_manifest *ret, struct dit_fault *fault)
{
	int fd = dit_file_open(folder_fd, DIT_MANIFEST_NAME, O_RDONLY, fault);
	json_error_t error = {.line = 0};
	char *text = NULL;
	size_t len = 0;
	int r = 0;

	if (fd < 0) {
		return fault->text[0] == '\0' ? fd : DIT_E_INVALID;
	}
	r = read_text(fd, &text, &len);
	(void)close(fd);
	if (r == DIT_E_TOOLONG) {
		r = dit_fault_say(fault, DIT_E_INVALID, DIT_MANIFEST_NAME " is too long");
	}
	if (r == 0) {
		ret->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
		r = ret->json == NULL ? wrong_json(&error, fault, " is no JSON")
		                      : unpack(ret, fault);
	}
	free(text);
	return r;
}

/* ---- states ---- */

/* 1: there is a data.mdb; 0: none; -errno */
static int find_data(int dir_fd, struct stat *ret)
{
	return fstatat(dir_fd, DIT_DATA_NAME, ret, AT_SYMLINK_NOFOLLOW) == 0 ? 1
	       : errno == ENOENT                                             ? 0
	                                                                     : -errno;
}

/* @return 0; DIT_E_INVALID with a fault: it is damaged; -errno */
static int look_at_data(struct dit_prepared *prepared, int dir_fd)
{
	uint64_t bytes = prepared->manifest.bytes;
	struct stat st;
	int r = find_data(prepared->fd, &st);

	if (r > 0) {
		prepared->state = DIT_PREPARED_READY;
		return S_ISREG(st.st_mode) && (uint64_t)st.st_size == bytes
		               ? 0
		               : dit_fault_say(&prepared->fault, DIT_E_INVALID,
		                               DIT_DATA_NAME " has %ld bytes, and %lu "
		                                             "in " DIT_MANIFEST_NAME,
		                               st.st_size, bytes);
	}
	if (r == 0 && prepared->manifest.published == NULL) {
		return dit_fault_say(&prepared->fault, DIT_E_INVALID,
		                     DIT_DATA_NAME " is not there");
	}
	r = r < 0 ? r : find_data(dir_fd, &st);
	prepared->state = DIT_PREPARED_PUBLISHED;
	return r != 0 ? (r < 0 ? r : 0)
	              : dit_fault_say(&prepared->fault, DIT_E_INVALID,
	                              "it was published, and " DIT_DATA_NAME
	                              " is not there any more");
}

int dit_prepared_look(int dir_fd, struct dit_prepared *ret)
{
	struct stat st;
	int r = 0;

	*ret = (struct dit_prepared){.fd = -1};
	r = dit_folder_open(dir_fd, DIT_PREPARED_NAME, &ret->fault);
	if (r == -ENOENT) {
		if (fstatat(dir_fd, DIT_STAGING_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			ret->state = DIT_PREPARED_UNFINISHED;
		}
		return 0;
	}
	if (r < 0) {
		return dit_fault_place(&ret->fault, r, DIT_PREPARED_NAME);
	}
	ret->fd = r;
	r = read_manifest(ret->fd, &ret->manifest, &ret->fault);
	if (r == -ENOENT) {
		ret->state = DIT_PREPARED_UNFINISHED;
		return 0;
	}
	r = r < 0 ? r : look_at_data(ret, dir_fd);
	if (r == DIT_E_INVALID) {
		ret->state = DIT_PREPARED_DAMAGED;
		return 0;
	}
	return r == 0 ? 0 : dit_fault_place(&ret->fault, r, DIT_PREPARED_NAME);
}

void dit_prepared_deinit(struct dit_prepared *prepared)
{
	json_decref(prepared->manifest.json);
	dit_close(prepared->fd);
	*prepared = (struct dit_prepared){.fd = -1};
}

/* ---- changes ---- */

static void tell(int fd, dit_prepared_wait_fn waits, void *ctx)
{
	struct dit_fault holder = {"another process"};

	(void)dit_claim_say_process(dit_process_with_flock(fd), &holder);
	waits(ctx, holder.text);
}

static int lock(int fd, const struct dit_stop *stop, dit_prepared_wait_fn waits,
                void *ctx)
{
	const struct timespec moment = {.tv_nsec = WAIT_NS};

	for (unsigned i = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK) {
			return -errno;
		}
		if (dit_stop_is_set(stop)) {
			return DIT_E_STOPPED;
		}
		if (i == TELL_AFTER) {
			tell(fd, waits, ctx);
		}
		(void)nanosleep(&moment, NULL);
	}
	return 0;
}

/* It was put in place, removed or replaced while we waited: the lock is of the folder
 * that has the name. */
int dit_prepared_lock(int dir_fd, const struct dit_stop *stop, dit_prepared_wait_fn waits,
                      void *ctx, struct dit_prepared *ret)
{
	int fd = dit_folder_open(dir_fd, DIT_PREPARED_NAME, NULL);
	struct stat locked;
	struct stat found;
	int r = fd < 0 ? 0 : lock(fd, stop, waits, ctx);

	*ret = (struct dit_prepared){.fd = -1};
	r = r ?: dit_prepared_look(dir_fd, ret);
	if (r == 0 && ret->fd >= 0 && fd >= 0 && fstat(fd, &locked) == 0 &&
	    fstat(ret->fd, &found) == 0 && locked.st_ino == found.st_ino) {
		(void)close(ret->fd);
		ret->fd = fd;
		return 0;
	}
	dit_close(fd);
	return r;
}

/* 0: it can be removed, or there is none */
static int check_removal(int dir_fd, struct dit_fault *fault)
{
	int fd = dit_folder_open(dir_fd, DIT_PREPARED_NAME, fault);
	int r = fd < 0 ? fd : dit_folder_check_files(fd, DIT_PREPARED_NAME, fault);

	dit_close(fd);
	return r == -ENOENT ? 0 : r;
}

/* One rename removes it, so a killed process leaves it whole or not at all. */
int dit_prepared_remove(int dir_fd, struct dit_fault *fault)
{
	int r = check_removal(dir_fd, fault);

	r = r < 0 ? r : dit_folder_clear(dir_fd, DIT_STAGING_NAME, fault);
	if (r == 0 &&
	    renameat(dir_fd, DIT_PREPARED_NAME, dir_fd, DIT_STAGING_NAME) != 0) {
		return errno == ENOENT
		               ? 0
		               : dit_fault_place(fault, -errno, DIT_PREPARED_NAME);
	}
	if (r == 0 && fsync(dir_fd) != 0) {
		r = -errno;
	}
	return r == 0 ? dit_folder_clear(dir_fd, DIT_STAGING_NAME, fault) : r;
}
