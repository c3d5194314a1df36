/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd -VVV prints "@(#) $OpenLDAP: slapd 2.6.10+dfsg-1 (...) $", then what is built in,
 * if there is any, and ends. It gets no input, an empty environment and eight seconds.
 *
 *   Included static overlays:
 *       ppolicy
 *   Included static backends:
 *       config
 *       mdb
 *
 * slapd has the first line as one string, marked by "@(#)" so that what(1) finds it in
 * the file. To read the file takes 1 ms, to run slapd 15: with so many libraries it
 * starts. So slapd is run only if the file is no program of the system, has not one such
 * line, or has a sign of overlays or more back ends.
 */
#include "config/slapd_version.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "default_paths.h"
#include "ldif/file_url.h"

#define OUTPUT_BYTES 4096 /* 40 overlays and back ends take 700 */
#define PATIENCE_MS  8000 /* slapd answers in 20 ms, on a busy machine later */
#define LINE_BYTES   64   /* as much of a line as has the release */

const char *dit_slapd_path(void)
{
	return DIT_DEFAULT_SLAPD;
}

/* ---- the program ---- */

/* Both of its outputs go to the pipe. */
static int add_actions(posix_spawn_file_actions_t *actions, int out)
{
	int r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
	                                         O_RDONLY, 0);

	if (r == 0) {
		r = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	}
	if (r == 0) {
		r = posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO);
	}
	return r;
}

/* @return the process, or -1 */
static pid_t start(const char *slapd, int out)
{
	char name[] = "slapd";
	char option[] = "-VVV";
	char *const arguments[] = {name, option, NULL};
	char *const environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int r = posix_spawn_file_actions_init(&actions);

	if (r != 0) {
		return -1;
	}
	r = add_actions(&actions, out);
	if (r == 0) {
		r = posix_spawn(&pid, slapd, &actions, NULL, arguments, environment);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return r == 0 ? pid : -1;
}

/*
 * Its output, NUL-terminated. @return whether it was read to its end: it is no
 * longer than the buffer, and takes no longer than PATIENCE_MS.
 */
static bool read_output(int fd, char *buffer, size_t size)
{
	uint64_t end_us = dit_clock_us(CLOCK_MONOTONIC) + PATIENCE_MS * 1000;
	size_t used = 0;
	bool is_over = false;

	while (used < size - 1) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		uint64_t now_us = dit_clock_us(CLOCK_MONOTONIC);
		ssize_t n = 0;

		if (now_us >= end_us ||
		    poll(&wait, 1, (int)((end_us - now_us + 999) / 1000)) <= 0) {
			break;
		}
		n = read(fd, buffer + used, size - 1 - used);
		if (n <= 0) {
			is_over = true;
			break;
		}
		used += (size_t)n;
	}
	buffer[used] = '\0';
	return is_over;
}

/* Run it; the output is empty if it cannot be run. */
static void ask(const char *slapd, char *buffer, size_t size)
{
	int fds[2];
	pid_t pid = -1;

	buffer[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) < 0) {
		return;
	}
	pid = start(slapd, fds[1]);
	(void)close(fds[1]);
	if (pid > 0) {
		if (!read_output(fds[0], buffer, size)) {
			(void)kill(pid, SIGKILL);
		}
		(void)waitpid(pid, NULL, 0);
	}
	(void)close(fds[0]);
}

struct release {
	unsigned long major;
	unsigned long minor;
	unsigned long patch;
};

static const char before_release[] = "OpenLDAP: slapd ";

/* ---- the file ---- */

/* Where a line begins, at or after @p at; NULL: nowhere. */
static const char *find_line(const char *at, const char *end)
{
	static const char mark[] = "@(#) $OpenLDAP: slapd ";

	return memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1);
}

/* Is the text in the program, and after it a character that is not one of @p others? */
static bool has_text(struct dit_span program, const char *text, const char *others)
{
	const char *end = program.data + program.len;
	const char *at = program.data;

	do {
		at = memmem(at, (size_t)(end - at), text, strlen(text));
		at = at == NULL ? NULL : at + strlen(text);
	} while (at != NULL && at < end && strchr(others, *at) != NULL);
	return at != NULL && at < end;
}

/*
 * The class of the configuration of an overlay or of a back end, but for those of ldif
 * (2) and monitor (4), which are in each slapd; a type of otp, which has no class.
 */
static bool has_sign(struct dit_span program)
{
	return has_text(program, "OLcfgOvOc:", "") ||
	       has_text(program, "OLcfgDbOc:", "24") ||
	       has_text(program, "'oathSecret'", "");
}

/*
 * The line of a program.
 *
 * @param line  LINE_BYTES; NUL-terminated
 *
 * @return whether there is one, no other one, and no sign of more to tell
 */
static bool find_only_line(struct dit_span program, char *line)
{
	const char *end = program.data + program.len;
	bool is_found = false;

	if (program.len < 4 || memcmp(program.data, "\177ELF", 4) != 0 ||
	    has_sign(program)) {
		return false;
	}
	for (const char *at = find_line(program.data, end); at != NULL;
	     at = find_line(at + 1, end)) {
		size_t len = (size_t)(end - at);
		char found[LINE_BYTES] = "";

		memcpy(found, at, len < LINE_BYTES ? len : LINE_BYTES - 1);
		if (is_found && strcmp(found, line) != 0) {
			return false;
		}
		is_found = true;
		memcpy(line, found, LINE_BYTES);
	}
	return is_found;
}

/* Only a program that can be run is read. */
static bool look_into(const char *slapd, char *line)
{
	struct dit_span program = {0};
	struct dit_arena arena;
	bool is_found = false;

	dit_arena_init(&arena, LINE_BYTES);
	is_found = access(slapd, X_OK) == 0 &&
	           dit_file_read(slapd, &arena, &program) == 0 &&
	           find_only_line(program, line);
	dit_arena_deinit(&arena);
	return is_found;
}

/* ---- what it says ---- */

/* A number; *at is after it then. @return whether there is one */
static bool read_number(const char **at, unsigned long *ret)
{
	char *end = NULL;

	*ret = strtoul(*at, &end, 10);
	if (end == *at) {
		return false;
	}
	*at = end;
	return true;
}

/* "... slapd 2.6.10+dfsg-1 (..."; not of a build between releases. A patch level that is
 * no number is 0. */
static bool parse_release(const char *output, struct release *ret)
{
	const char *at = strstr(output, before_release);

	if (at == NULL) {
		return false;
	}
	at += strlen(before_release);
	if (!read_number(&at, &ret->major) || *at++ != '.' ||
	    !read_number(&at, &ret->minor)) {
		return false;
	}
	ret->patch = 0;
	if (*at++ == '.') {
		(void)read_number(&at, &ret->patch);
	}
	return true;
}

/* The indented words after their headings. */
static void parse_built_in(const char *output, char *ret, size_t size)
{
	static const char overlays[] = "Included static overlays:";
	static const char back_ends[] = "Included static backends:";
	const char *prefix = NULL;
	size_t used = 0;

	ret[0] = '\0';
	while (*output != '\0') {
		size_t len = strcspn(output, "\n");
		size_t blank = strspn(output, " ");

		if (strncmp(output, overlays, strlen(overlays)) == 0) {
			prefix = "";
		} else if (strncmp(output, back_ends, strlen(back_ends)) == 0) {
			prefix = "back_";
		} else if (prefix != NULL && blank > 0 && blank < len && used < size) {
			used += (size_t)snprintf(ret + used, size - used, " %s%.*s",
			                         prefix, (int)(len - blank),
			                         output + blank);
		}
		output += len + (output[len] == '\n');
	}
}

/* @return what it says of its release, in OUTPUT_BYTES */
static bool ask_release(const char *slapd, char *output, struct release *ret)
{
	if (!look_into(slapd, output)) {
		ask(slapd, output, OUTPUT_BYTES);
	}
	return parse_release(output, ret);
}

/* @return whether it is a release that we know; *ret is unchanged if not */
static bool version_of(const struct release *release, enum dit_openldap_version *ret)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%lu.%lu", release->major, release->minor);
	return dit_openldap_parse(name, ret) == 0;
}

void dit_slapd_look(const char *slapd, struct dit_slapd *ret)
{
	char output[OUTPUT_BYTES];
	struct release release = {0};

	*ret = (struct dit_slapd){.version = DIT_OPENLDAP_ASSUMED};
	ret->is_found = ask_release(slapd, output, &release);
	if (!ret->is_found) {
		return;
	}
	parse_built_in(output, ret->built_in, sizeof(ret->built_in));
	ret->version = DIT_OPENLDAP_NEWEST;
	if (release.major < 2 || (release.major == 2 && release.minor < 5)) {
		ret->version = DIT_OPENLDAP_2_5;
	}
	(void)version_of(&release, &ret->version);
}

unsigned dit_slapd_patch(const char *slapd, enum dit_openldap_version version)
{
	char output[OUTPUT_BYTES];
	struct release release = {0};
	enum dit_openldap_version found = DIT_OPENLDAP_FOUND;

	if (!ask_release(slapd, output, &release) || !version_of(&release, &found) ||
	    found != version || release.patch > UINT_MAX) {
		return 0;
	}
	return (unsigned)release.patch;
}
