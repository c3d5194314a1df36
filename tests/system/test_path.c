/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to a directory: a link is followed where only root and the own user could have
 * put it; from the first part on that somebody else can exchange there is none.
 */
#include "system/path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "test.h"

enum {
	ALICE = 54321,
	BOB = 54322
};

static char *top; /* of root, mode 0755 */

static const char *in_top(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

/*
 * The files below the scratch directory. "link/up" leads to "real": each path that is
 * followed ends there.
 */
static const struct {
	const char *name;
	uid_t owner;
	mode_t mode; /* 0: a link */
	const char *target;
} things[] = {
	{"real", 0, 0755, NULL},
	{"root", 0, 0755, NULL},
	{"root/link", 0, 0, "../real"},
	{"root/foreign", ALICE, 0, "../real"}, /* where root alone can have put it */
	{"root/group", 0, 0775, NULL},
	{"root/group/link", 0, 0, "../../real"},
	{"root/loop", 0, 0, "loop"},
	{"root/file", 0, 0, "file-itself"},
	{"alice", ALICE, 0755, NULL},
	{"alice/site", ALICE, 0755, NULL},
	{"alice/site/db", BOB, 0755, NULL},
	{"alice/link", ALICE, 0, "../real"},
	{"alice/roots", 0, 0, "../real"},
	{"alice/below", 0, 0755, NULL},
	{"alice/below/link", 0, 0, "../../real"},
	{"open", 0, 01777, NULL},
	{"open/roots", 0, 0, "../real"},
	{"open/alices", ALICE, 0, "../real"},
	{"open/mine", 0, 0755, NULL},
	{"open/mine/link", 0, 0, "../../real"},
	{"open/hers", ALICE, 0755, NULL},
	{"open/hers/link", ALICE, 0, "../../real"},
	{"free", 0, 0777, NULL},
	{"free/link", 0, 0, "../real"},
	{"way", 0, 0, "alice/site"},
};

static int setup(void **state)
{
	(void)state;
	top = test_scratch();
	if (geteuid() != 0) {
		return 0;
	}
	assert_int_equal(chmod(top, 0755), 0);
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		const char *path = in_top(things[i].name);

		if (things[i].mode == 0) {
			assert_int_equal(symlink(things[i].target, path), 0);
		} else {
			assert_int_equal(mkdir(path, 0700), 0);
			assert_int_equal(chmod(path, things[i].mode), 0);
		}
		assert_int_equal(lchown(path, things[i].owner, things[i].owner), 0);
	}
	return 0;
}

/* clang-format off */
static const struct {
	const char *name;
	const char *path;
	int as_root, as_alice; /* 0: it leads there */
	const char *says;      /* to root */
} cases[] = {
	{"a directory",                      "alice/site/db",        0, 0, ""},
	{"slashes and dots",                 "alice//./site/./db/",  0, 0, ""},
	{"link of root",                     "root/link",            0, 0, ""},
	{"link of another owner, of root's", "root/foreign",         0, 0, ""},
	{"directory of a group",             "root/group/link",      -ELOOP, 0, "user 0, mode 0775"},
	{"link in alice's directory",        "alice/link",           -ELOOP, 0,
		"\"link\" is a symbolic link and not followed"},
	{"a link of root's there",           "alice/roots",          -ELOOP, 0, "user 54321, mode 0755"},
	{"a directory of root's there",      "alice/below",          0, 0, ""},
	{"further down",                     "alice/below/link",     -ELOOP, 0, "user 54321"},
	{"back from alice's directory",      "alice/site/../site",   -ELOOP, 0,
		"\"..\" is the way back and not followed"},
	{"back, before it",                  "root/../alice/site",   0, 0, ""},
	{"root's link into it",              "way/db",               0, 0, ""},
	{"root's link in /tmp",              "open/roots",           0, 0, ""},
	{"alice's link in /tmp",             "open/alices",          -ELOOP, 0, "user 0, mode 1777"},
	{"link below root's in /tmp",        "open/mine/link",       0, 0, ""},
	{"link below alice's in /tmp",       "open/hers/link",       -ELOOP, 0, "user 54321, mode 0755"},
	{"where all may write",              "free/link",            -ELOOP, -ELOOP, "mode 0777"},
	{"a circle of links",                "root/loop",            -ELOOP, -ELOOP, ""},
	{"no such directory",                "root/none/db",         -ENOENT, -ENOENT, ""},
	{"a link that leads nowhere",        "root/file",            -ENOENT, -ENOENT, ""},
};
/* clang-format on */

#define NCASES (sizeof(cases) / sizeof(cases[0]))

static bool is_as_expected(size_t i, bool is_root)
{
	char why[DIT_PATH_WHY_BYTES] = "what was there";
	int expected = is_root ? cases[i].as_root : cases[i].as_alice;
	int fd = dit_path_open(in_top(cases[i].path), why);
	bool is_right = expected == 0 ? fd >= 0 && why[0] == '\0' : fd == expected;
	struct stat got;
	struct stat named;

	if (is_root && strstr(why, cases[i].says) == NULL) {
		is_right = false;
	}
	if (fd >= 0) {
		is_right = is_right && fstat(fd, &got) == 0 &&
		           stat(in_top(cases[i].path), &named) == 0 &&
		           got.st_ino == named.st_ino && close(fd) == 0;
	}
	if (!is_right) {
		print_error("%s, as %s: %d, \"%s\"\n", cases[i].name,
		            is_root ? "root" : "alice", fd, why);
	}
	return is_right;
}

SETUP_TEST(links_are_followed_where_only_root_and_we_could_put_them)
{
	size_t nright = 0;
	pid_t pid = 0;

	if (geteuid() != 0) {
		skip_because("only root can give a directory away");
	}
	for (size_t i = 0; i < NCASES; i++) {
		nright += is_as_expected(i, true);
	}
	assert_int_equal(nright, NCASES);
	pid = test_fork(); /* there is no way back */
	if (pid == 0) {
		nright = setgid(ALICE) == 0 && setuid(ALICE) == 0 ? 0 : NCASES;
		for (size_t i = 0; i < NCASES; i++) {
			nright += is_as_expected(i, false);
		}
		_exit(nright == NCASES ? 0 : 1);
	}
	assert_int_equal(test_wait(pid), 0);
}

SETUP_TEST(root_works_where_no_other_user_can_exchange_files)
{
	static const struct {
		const char *path;
		const char *says; /* NULL: root works there */
	} places[] = {
		{"root", NULL},
		{"root/link", NULL},
		{"open/mine", NULL},
		{"alice", "it belongs to user 54321, mode 0755"},
		{"root/group", "it belongs to user 0, mode 0775"},
		{"open", "it belongs to user 0, mode 1777"},
		{"alice/below", "a directory on the way belongs to user 54321"},
	};

	if (geteuid() != 0) {
		skip_because("only root can give a directory away");
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char why[DIT_PATH_WHY_BYTES];
		int fd = dit_path_open_to_work(in_top(places[i].path), why);

		if (places[i].says == NULL) {
			assert_true(fd >= 0);
			assert_int_equal(close(fd), 0);
		} else {
			assert_int_equal(fd, -EPERM);
			assert_non_null(strstr(why, "root does not work there"));
			assert_non_null(strstr(why, places[i].says));
		}
	}
}

SETUP_TEST(links_of_proc_are_followed)
{
	char path[64];
	struct stat got;
	struct stat real;
	int fd = open(top, O_PATH);
	int found = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/.", fd);
	found = dit_path_open(path, NULL);
	assert_true(found >= 0);
	assert_int_equal(fstat(found, &got), 0);
	assert_int_equal(stat(top, &real), 0);
	assert_true(got.st_ino == real.st_ino);
	assert_int_equal(close(found), 0);
	assert_int_equal(close(fd), 0);
}

SETUP_TEST(parent_is_found_with_the_last_part)
{
	static const struct {
		const char *path, *name;
		int r;
	} parents[] = {
		{"out", "out", 0},
		{"./", "", 0},
		{"/etc/passwd", "passwd", 0},
		{"/none/out", NULL, -ENOENT},
		{"/etc/passwd/out", NULL, -ENOTDIR},
	};

	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		const char *name = NULL;
		int fd = dit_path_open_parent(parents[i].path, &name, NULL);

		if (parents[i].r < 0) {
			assert_int_equal(fd, parents[i].r);
			assert_null(name);
		} else {
			assert_true(fd >= 0);
			assert_string_equal(name, parents[i].name);
			assert_int_equal(close(fd), 0);
		}
	}
}

SETUP_TEST(long_and_empty_paths_are_refused)
{
	char *path = test_alloc(PATH_MAX + 2);

	memset(path, '/', PATH_MAX + 1);
	path[PATH_MAX + 1] = '\0';
	assert_int_equal(dit_path_open(path, NULL), -ENAMETOOLONG);
	memset(path, 'x', 300);
	path[300] = '\0';
	assert_int_equal(dit_path_open(path, NULL), -ENAMETOOLONG);
	assert_int_equal(dit_path_open("", NULL), -ENOENT);
}
