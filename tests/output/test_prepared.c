/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepared databases: the state that a directory is in, whatever somebody has put there;
 * and the steps by which one appears, and is put in place or taken back.
 */
#include "test.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <jansson.h>

#include "base/error.h"
#include "output/manifest.h"
#include "store_fixture.h"

/* ---- is it on the disk? ---- */

/* This is to be synced while one path is there and another one is not. */
static const char *synced_path; /* NULL: nobody looks */
static char synced_when[4300];
static char synced_unless[4300];
static bool is_synced;

/* In place of the C library's. */
int fsync(int fd)
{
	struct stat synced;
	struct stat st;

	if (synced_path != NULL && fstat(fd, &synced) == 0 &&
	    stat(synced_path, &st) == 0 && synced.st_ino == st.st_ino &&
	    access(synced_when, F_OK) == 0 && access(synced_unless, F_OK) != 0) {
		is_synced = true;
	}
	return (int)syscall(SYS_fsync, fd);
}

/* @param when  below the directory, as @p unless; "": in any case */
static void watch(const char *dir, const char *path, const char *when, const char *unless)
{
	static char watched[4300];

	(void)snprintf(watched, sizeof(watched), "%s/%s", dir, path);
	(void)snprintf(synced_when, sizeof(synced_when), "%s/%s", dir, when);
	(void)snprintf(synced_unless, sizeof(synced_unless), "%s/%s", dir,
	               unless[0] == '\0' ? "none" : unless);
	synced_path = watched;
	is_synced = false;
}

static void expect_synced(void)
{
	assert_true(is_synced);
	synced_path = NULL;
}

static bool refuses_exchange; /* as some file systems do */

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	if (refuses_exchange && (flags & RENAME_EXCHANGE) != 0) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static const char fields[] =
	"{\"format\": 1, \"set\": \"0123456789abcdef0123456789abcdef\","
	" \"suffix\": \"dc=x\", \"release\": \"2.5\", \"xxh128\": \""
	"0123456789abcdef"
	"0123456789abcdef\", \"content\": \"0123456789abcdef0123456789abcdef\","
	" \"time\": \"2026-01-31T23:59:59Z\", \"entries\": 1, \"bytes\": 4,"
	" \"databases\": [], \"configuration\": {}";

static const struct {
	const char *more;  /* after the fields above; NULL: no manifest */
	const char *whole; /* the manifest in place of them */
	const char *data;  /* data.mdb; NULL: none */
	enum dit_prepared_state state;
	const char *fault;
} cases[] = {
	{"}", NULL, "1234", DIT_PREPARED_READY, ""},
	{", \"published\": \"2026-01-31T23:59:59Z\"}", NULL, NULL, DIT_PREPARED_DAMAGED,
         "it was published, and data.mdb is not there any more"},
	{", \"published\": \"2026-01-31T23:59:59Z\"}", NULL, "1234", DIT_PREPARED_READY,
         ""},
	{NULL, NULL, "1234", DIT_PREPARED_UNFINISHED, ""},
	{NULL, NULL, NULL, DIT_PREPARED_UNFINISHED, ""},
	{"}", NULL, NULL, DIT_PREPARED_DAMAGED, "data.mdb is not there"},
	{"}", NULL, "12345", DIT_PREPARED_DAMAGED,
         "data.mdb has 5 bytes, and 4 in manifest.json"},
	{", \"published\": \"\\u001b[2J\"}", NULL, "1234", DIT_PREPARED_DAMAGED,
         "manifest.json lacks a field, or one of them has another form"},
	{", \"published\": \"2026-01-31T23:59:59Z!\"}", NULL, "1234",
         DIT_PREPARED_DAMAGED,
         "manifest.json lacks a field, or one of them has another form"},
	{", \"published\": \"2026\"}", NULL, "1234", DIT_PREPARED_DAMAGED,
         "manifest.json lacks a field, or one of them has another form"},
	{", \"bytes\": 5}", NULL, "1234", DIT_PREPARED_DAMAGED,
         "manifest.json is no JSON"},
	{NULL, "{\"format\": 2}", "1234", DIT_PREPARED_DAMAGED,
         "manifest.json has format 2, of another ditkit"},
	{NULL, "{\"format\": 1}", "1234", DIT_PREPARED_DAMAGED,
         "manifest.json lacks a field, or one of them has another form"},
	{NULL, "", "1234", DIT_PREPARED_DAMAGED, "manifest.json is no JSON"},
};

static enum dit_prepared_state look(const char *dir, struct dit_prepared *ret)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	assert_int_equal(dit_prepared_look(fd, ret), 0);
	assert_int_equal(close(fd), 0);
	return ret->state;
}

static enum dit_prepared_state state_of(const char *dir)
{
	struct dit_prepared prepared;
	enum dit_prepared_state state = look(dir, &prepared);

	dit_prepared_deinit(&prepared);
	return state;
}

TEST(each_content_has_its_state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_prepared prepared;
		char text[1024];

		assert_int_equal(mkdir(fixture_path(dir, "ditkit-prepared"), 0700), 0);
		(void)snprintf(text, sizeof(text), "%s%s", fields,
		               cases[i].more == NULL ? "" : cases[i].more);
		if (cases[i].more != NULL || cases[i].whole != NULL) {
			test_write_text(
				fixture_path(dir, "ditkit-prepared/manifest.json"),
				cases[i].more != NULL ? text : cases[i].whole);
		}
		if (cases[i].data != NULL) {
			test_write_text(fixture_path(dir, "ditkit-prepared/data.mdb"),
			                cases[i].data);
		}
		print_message("case %zu\n", i);
		assert_int_equal(look(dir, &prepared), cases[i].state);
		assert_string_equal(prepared.fault.text, cases[i].fault);
		dit_prepared_deinit(&prepared);
		test_scratch_remove(dir);
	}
}

TEST(links_and_endless_files_are_not_followed)
{
	char *dir = test_scratch();
	struct dit_prepared prepared;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	assert_int_equal(symlink("/etc", fixture_path(dir, "ditkit-prepared")), 0);
	assert_int_equal(dit_prepared_look(fd, &prepared), -ENOTDIR);
	assert_string_equal(prepared.fault.text,
	                    "ditkit-prepared in it is no directory: remove it");
	dit_prepared_deinit(&prepared);
	assert_int_equal(unlink(fixture_path(dir, "ditkit-prepared")), 0);
	assert_int_equal(mkdir(fixture_path(dir, "ditkit-prepared"), 0700), 0);
	assert_int_equal(symlink("/etc/passwd",
	                         fixture_path(dir, "ditkit-prepared/manifest.json")),
	                 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_DAMAGED);
	assert_int_equal(unlink(fixture_path(dir, "ditkit-prepared/manifest.json")), 0);
	test_write_text(fixture_path(dir, "ditkit-prepared/manifest.json"), "");
	for (off_t more = 0; more < 2; more++) {
		assert_int_equal(
			truncate(fixture_path(dir, "ditkit-prepared/manifest.json"),
		                 (1 << 20) + more),
			0);
		assert_int_equal(look(dir, &prepared), DIT_PREPARED_DAMAGED);
		assert_string_equal(prepared.fault.text,
		                    more == 0 ? "manifest.json is no JSON"
		                              : "manifest.json is too long");
		dit_prepared_deinit(&prepared);
	}
	assert_int_equal(close(fd), 0);
}

/* A link has a length as well; and no database is empty. */
TEST(what_is_no_database_is_damage)
{
	char *dir = test_scratch();
	char text[1024];

	assert_int_equal(mkdir(fixture_path(dir, "ditkit-prepared"), 0700), 0);
	(void)snprintf(text, sizeof(text), "%s}", fields);
	test_write_text(fixture_path(dir, "ditkit-prepared/manifest.json"), text);
	assert_int_equal(symlink("1234", fixture_path(dir, "ditkit-prepared/data.mdb")),
	                 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_DAMAGED);
	assert_int_equal(unlink(fixture_path(dir, "ditkit-prepared/data.mdb")), 0);
	*(strstr(text, "\"bytes\": ") + strlen("\"bytes\": ")) = '0';
	test_write_text(fixture_path(dir, "ditkit-prepared/manifest.json"), text);
	test_write_text(fixture_path(dir, "ditkit-prepared/data.mdb"), "");
	assert_int_equal(state_of(dir), DIT_PREPARED_DAMAGED);
}

TEST(a_manifest_is_on_the_disk_before_and_after_its_name)
{
	char *dir = test_scratch();
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	json_t *json = json_object();

	watch(dir, "manifest.json.new", "", "manifest.json");
	assert_int_equal(dit_manifest_write(fd, json), 0);
	expect_synced();
	assert_int_equal(unlink(fixture_path(dir, "manifest.json")), 0);
	test_write_text(fixture_path(dir, "manifest.json.new"), "of a killed process");
	watch(dir, "", "manifest.json", "manifest.json.new");
	assert_int_equal(dit_manifest_write(fd, json), 0);
	expect_synced();
	assert_directory_holds(dir, "manifest.json ");
	json_decref(json);
	assert_int_equal(close(fd), 0);
}

/* ---- steps ---- */

static struct dit_output *prepare_one(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *staging = NULL;
	json_t *manifest = NULL;
	char text[1024];
	char entry[16] = "";

	opts.is_prepared = true;
	assert_int_equal(dit_output_open(&staging, &opts), 0);
	fixture_put_entry(staging, 1, entry, sizeof(entry));
	assert_int_equal(dit_output_do(&staging->base, DIT_PUBLISH_PREPARE), 0);
	(void)snprintf(text, sizeof(text), "%s}", fields);
	manifest = json_loads(text, 0, NULL);
	assert_int_equal(dit_output_put_manifest(&staging->base, manifest, NULL), 0);
	json_decref(manifest);
	return &staging->base;
}

TEST(a_prepared_one_replaces_another_and_is_taken_back)
{
	char *dir = test_scratch();
	struct dit_output *output = prepare_one(dir);
	struct stat first;
	struct stat st;

	assert_int_equal(state_of(dir), DIT_PREPARED_UNFINISHED);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_READY);
	watch(dir, "", "ditkit-staging/data.mdb", "ditkit-prepared");
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_TAKE_BACK), 0);
	expect_synced();
	dit_output_abandon(output);
	assert_directory_holds(dir, "");

	output = prepare_one(dir);
	watch(dir, "", "ditkit-prepared/data.mdb", "");
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	expect_synced();
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
	assert_directory_holds(dir, "ditkit-prepared ");
	assert_int_equal(stat(fixture_path(dir, "ditkit-prepared/data.mdb"), &first), 0);
	for (int i = 0; i < 2; i++) {
		output = prepare_one(dir);
		assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
		if (i == 0) {
			assert_int_equal(dit_output_do(output, DIT_PUBLISH_TAKE_BACK), 0);
			dit_output_abandon(output);
		} else {
			assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
		}
		assert_directory_holds(dir, "ditkit-prepared ");
		assert_int_equal(stat(fixture_path(dir, "ditkit-prepared/data.mdb"), &st),
		                 0);
		assert_int_equal(st.st_ino == first.st_ino, i == 0);
	}
	assert_int_equal(state_of(dir), DIT_PREPARED_READY);

	/* Without an exchange of names the old one counts as unfinished first. */
	output = prepare_one(dir);
	refuses_exchange = true;
	watch(dir, "ditkit-prepared", "ditkit-prepared/data.mdb",
	      "ditkit-prepared/manifest.json");
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	expect_synced();
	refuses_exchange = false;
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_READY);
}

static struct dit_output *open_prepared(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_output *output = NULL;
	struct dit_prepared prepared;
	char other[33] = "";

	assert_int_equal(look(dir, &prepared), DIT_PREPARED_READY);
	(void)strncpy(other, prepared.manifest.digest, sizeof(other) - 1);
	other[31] = other[31] == '0' ? '1' : '0';
	assert_int_equal(dit_output_open_prepared(&output, &opts, &prepared), 0);
	assert_int_equal(
		dit_output_check_prepared(output, prepared.manifest.digest, NULL), 0);
	assert_int_equal(dit_output_check_prepared(output, other, NULL), DIT_E_CORRUPT);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_PREPARE), 0);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_COMMIT), 0);
	dit_prepared_deinit(&prepared);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_PUBLISHED);
	return output;
}

TEST(a_published_one_is_taken_back_and_published_again)
{
	for (int has_old = 0; has_old < 2; has_old++) {
		char *dir = test_scratch();
		struct dit_output *output = prepare_one(dir);

		assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
		assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
		if (has_old == 1) {
			test_write_text(fixture_path(dir, "data.mdb"), "");
		}
		output = open_prepared(dir);
		assert_int_equal(dit_output_do(output, DIT_PUBLISH_TAKE_BACK), 0);
		dit_output_abandon(output);
		assert_int_equal(state_of(dir), DIT_PREPARED_READY);
		assert_directory_holds(dir, has_old == 1 ? "data.mdb ditkit-prepared "
		                                         : "ditkit-prepared ");

		assert_int_equal(dit_output_do(open_prepared(dir), DIT_PUBLISH_END), 0);
		assert_directory_holds(dir, "data.mdb ditkit-prepared lock.mdb ");
		test_scratch_remove(dir);
	}
}

/* ---- removed ---- */

static void put_prepared(const char *dir)
{
	struct dit_output *output = prepare_one(dir);

	assert_int_equal(dit_output_do(output, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(dit_output_do(output, DIT_PUBLISH_END), 0);
}

TEST(nothing_changes_where_a_directory_cannot_be_removed)
{
	static const char *const folders[] = {"ditkit-prepared", "ditkit-staging"};
	char *dir = test_scratch();
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	put_prepared(dir);
	for (size_t i = 0; i < 2; i++) {
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_record_output *output = NULL;
		struct dit_fault fault = {""};
		char folder[4200];
		char inside[4300];
		char told[100];

		(void)snprintf(folder, sizeof(folder), "%s/%s", dir, folders[i]);
		(void)snprintf(inside, sizeof(inside), "%s/.rsync", folder);
		(void)snprintf(told, sizeof(told),
		               "%s/.rsync in it is a directory: remove it", folders[i]);
		(void)mkdir(folder, 0700);
		assert_int_equal(mkdir(inside, 0700), 0);
		assert_int_equal(dit_prepared_remove(fd, &fault), -EISDIR);
		assert_string_equal(fault.text, told);
		opts.is_prepared = true;
		opts.fault = &fault;
		fault.text[0] = '\0';
		assert_int_equal(dit_output_open(&output, &opts), -EISDIR);
		assert_string_equal(fault.text, told);
		assert_int_equal(rmdir(inside), 0);
		assert_int_equal(state_of(dir), DIT_PREPARED_READY);
	}
	assert_int_equal(dit_prepared_remove(fd, NULL), 0);
	assert_directory_holds(dir, "");
	assert_int_equal(close(fd), 0);
}

/* The renamed folder is on the disk before the first file in it goes. */
TEST(a_removal_is_synced_before_files_go)
{
	char *dir = test_scratch();
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	put_prepared(dir);
	watch(dir, "", "ditkit-staging/data.mdb", "");
	assert_int_equal(dit_prepared_remove(fd, NULL), 0);
	expect_synced();
	assert_directory_holds(dir, "");
	assert_int_equal(close(fd), 0);
}

/* ---- locked by somebody else ---- */

struct holder {
	const char *dir;
	int fd; /* has the lock */
	enum {
		STAYS,
		ENDS,
		REPLACES
	} does;
	volatile sig_atomic_t stop;
	char told[400];
};

static void note_wait(void *ctx, const char *text)
{
	struct holder *holder = ctx;
	char old[4300];

	(void)snprintf(holder->told, sizeof(holder->told), "%s", text);
	if (holder->does == STAYS) {
		holder->stop = 1;
		return;
	}
	if (holder->does == REPLACES) {
		(void)snprintf(old, sizeof(old), "%s/old", holder->dir);
		assert_int_equal(
			rename(fixture_path(holder->dir, "ditkit-prepared"), old), 0);
		assert_int_equal(
			mkdir(fixture_path(holder->dir, "ditkit-prepared"), 0700), 0);
	}
	assert_int_equal(flock(holder->fd, LOCK_UN), 0);
}

TEST(a_lock_of_others_is_told_and_waited_for)
{
	static const int results[] = {DIT_E_STOPPED, 0, 0};
	char *dir = test_scratch();
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	struct stat found;
	struct stat named;
	char *me = test_text("process %d", (int)getpid());

	put_prepared(dir);
	for (int does = STAYS; does <= REPLACES; does++) {
		const char *path = fixture_path(dir, "ditkit-prepared");
		struct holder holder = {.dir = dir, .does = does};
		struct dit_stop stop = {.flag = &holder.stop};
		struct dit_prepared prepared;

		holder.fd = open(path, O_RDONLY | O_DIRECTORY);
		assert_int_equal(flock(holder.fd, LOCK_SH), 0);
		assert_int_equal(
			dit_prepared_lock(fd, &stop, note_wait, &holder, &prepared),
			results[does]);
		assert_non_null(strstr(holder.told, me));
		if (does != STAYS) {
			path = fixture_path(dir, "ditkit-prepared");
			assert_int_equal(fstat(prepared.fd, &found), 0);
			assert_int_equal(stat(path, &named), 0);
			assert_true(found.st_ino == named.st_ino);
		}
		if (does == ENDS) { /* it is ours now */
			assert_int_equal(flock(holder.fd, LOCK_SH | LOCK_NB), -1);
		}
		dit_prepared_deinit(&prepared);
		assert_int_equal(close(holder.fd), 0);
	}
	assert_int_equal(close(fd), 0);
}

MAIN_OF_BOTH_LMDB
