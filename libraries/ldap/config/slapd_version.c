/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd -VVV prints "@(#) $OpenLDAP: slapd 2.6.10+dfsg-1 (...) $", then what is built in,
 * if there is any, and ends. It gets no input, next to no environment and eight seconds.
 * At first it looks up the name of the host: a silent name server gets one second.
 *
 *   Included static overlays:
 *       ppolicy
 *   Included static backends:
 *       config
 *       mdb
 */
#include "config/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/span.h"

#define OUTPUT_BYTES 4096 /* 40 overlays and back ends take 700 */
#define PATIENCE_MS  8000 /* slapd answers in 20 ms, on a busy machine later */

/* ---- the program ---- */

/* Both of its outputs go to the pipe. */
static int add_actions(posix_spawn_file_actions_t *actions, int out)
{
	int r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
	                                         O_RDONLY, 0);

	r = r ?: posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	return r ?: posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO);
}

/* 0; -errno */
static int start(pid_t *ret, const char *slapd, int out)
{
	char name[] = "slapd";
	char option[] = "-VVV";
	char *const arguments[] = {name, option, NULL};
	char resolver[] = "RES_OPTIONS=timeout:1 attempts:1";
	char *const environment[] = {resolver, NULL};
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r != 0) {
		return -r;
	}
	r = add_actions(&actions, out);
	r = r ?: posix_spawn(ret, slapd, &actions, NULL, arguments, environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/*
 * Its output, NUL-terminated. Signals for the program do not count. @return whether it
 * was read to its end: it is no longer than the buffer, and takes no longer than
 * PATIENCE_MS.
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

		if (now_us >= end_us) {
			break;
		}
		n = poll(&wait, 1, (int)((end_us - now_us + 999) / 1000));
		if (n > 0) {
			n = read(fd, buffer + used, size - 1 - used);
		} else if (n == 0) {
			break;
		}
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			is_over = true;
			break;
		}
		used += (size_t)n;
	}
	buffer[used] = '\0';
	return is_over;
}

/* Is it a lack of processes, memory or descriptors? */
static bool is_shortage(int r)
{
	return r == -EAGAIN || r == -ENOMEM || r == -EMFILE || r == -ENFILE;
}

/* Run it; the output is empty if it cannot be run. 0; -errno: only now it cannot */
static int ask(const char *slapd, char *buffer, size_t size)
{
	int fds[2];
	pid_t pid = -1;
	int r = 0;

	buffer[0] = '\0';
	if (access(slapd, X_OK) < 0) {
		return 0;
	}
	if (pipe2(fds, O_CLOEXEC) < 0) {
		return -errno;
	}
	r = start(&pid, slapd, fds[1]);
	(void)close(fds[1]);
	if (r == 0) {
		if (!read_output(fds[0], buffer, size)) {
			(void)kill(pid, SIGKILL);
		}
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
			continue;
		}
	}
	(void)close(fds[0]);
	return is_shortage(r) ? r : 0;
}

/* ---- what it says ---- */

struct release {
	unsigned long major;
	unsigned long minor;
	unsigned long patch;
};

/* "... slapd 2.6.10+dfsg-1 (..."; not of a build between releases. A patch level that is
 * no number is 0. */
static bool parse_release(const char *output, struct release *ret)
{
	const char *at = strstr(output, "OpenLDAP: slapd ");

	return at != NULL && sscanf(at, "OpenLDAP: slapd %lu.%lu.%lu", &ret->major,
	                            &ret->minor, &ret->patch) >= 2;
}

/* Is it a back end that each slapd has? */
static bool is_everywhere(const char *prefix, struct dit_span name)
{
	static const char *const names[] = {"config", "ldif", "monitor", NULL};

	return *prefix != '\0' && dit_ascii_is_one_of(name, names);
}

/* The indented words after their headings. */
static void parse_built_in(const char *output, char *ret, size_t size)
{
	static const char overlays[] = "Included static overlays:";
	static const char back_ends[] = "Included static backends:";
	const char *prefix = NULL;
	bool has_more = false;
	size_t used = 0;

	while (*output != '\0') {
		size_t len = strcspn(output, "\n");
		size_t blank = strspn(output, " ");

		if (strncmp(output, overlays, strlen(overlays)) == 0) {
			prefix = "";
		} else if (strncmp(output, back_ends, strlen(back_ends)) == 0) {
			prefix = "back_";
		} else if (prefix != NULL && blank > 0 && blank < len && used < size) {
			struct dit_span name = {output + blank, len - blank};

			used += (size_t)snprintf(ret + used, size - used, " %s%.*s",
			                         prefix, DIT_SPAN_ARGS(name));
			has_more = has_more || !is_everywhere(prefix, name);
		}
		output += len + (output[len] == '\n');
	}
	if (!has_more) {
		ret[0] = '\0';
	}
}

int dit_slapd_look(const char *slapd, struct dit_slapd *ret)
{
	char output[OUTPUT_BYTES];
	char name[64];
	struct release release = {0};
	int r = 0;

	*ret = (struct dit_slapd){.version = DIT_OPENLDAP_ASSUMED};
	r = ask(slapd, output, sizeof(output));
	ret->is_found = parse_release(output, &release);
	if (!ret->is_found) {
		return r;
	}
	parse_built_in(output, ret->built_in, sizeof(ret->built_in));
	ret->version = DIT_OPENLDAP_NEWEST;
	if (release.major < 2 || (release.major == 2 && release.minor < 5)) {
		ret->version = DIT_OPENLDAP_2_5;
	}
	(void)snprintf(name, sizeof(name), "%lu.%lu", release.major, release.minor);
	if (dit_openldap_parse(name, &ret->version) == 0 && release.patch <= UINT_MAX) {
		ret->patch = (unsigned)release.patch;
	}
	return 0;
}
