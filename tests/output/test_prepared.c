/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepared databases: the state that a directory is in, whatever somebody has put there;
 * and the steps by which one appears, and is put in place or taken back.
 */
#include "test.h"

#include <errno.h>
#include <sys/file.h>

#include <jansson.h>

#include "base/error.h"
#include "output/manifest.h"
#include "store_fixture.h"

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

static void each_content_has_its_state(void **state)
{
	(void)state;
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

static void links_and_endless_files_are_not_followed(void **state)
{
	char *dir = test_scratch();
	struct dit_prepared prepared;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	(void)state;

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
	assert_int_equal(
		truncate(fixture_path(dir, "ditkit-prepared/manifest.json"), 1 << 30), 0);
	assert_int_equal(look(dir, &prepared), DIT_PREPARED_DAMAGED);
	assert_string_equal(prepared.fault.text, "manifest.json is too long");
	dit_prepared_deinit(&prepared);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
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
	assert_int_equal(dit_output_prepare(&staging->base), 0);
	(void)snprintf(text, sizeof(text), "%s}", fields);
	manifest = json_loads(text, 0, NULL);
	assert_int_equal(dit_output_put_manifest(&staging->base, manifest, NULL), 0);
	json_decref(manifest);
	return &staging->base;
}

static void a_prepared_one_replaces_another_and_is_taken_back(void **state)
{
	char *dir = test_scratch();
	struct dit_output *output = prepare_one(dir);
	struct stat first;
	struct stat st;
	(void)state;

	assert_int_equal(state_of(dir), DIT_PREPARED_UNFINISHED);
	assert_int_equal(dit_output_place(output), 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_READY);
	assert_int_equal(dit_output_take_back(output), 0);
	dit_output_abandon(output);
	assert_directory_holds(dir, "");

	output = prepare_one(dir);
	assert_int_equal(dit_output_place(output), 0);
	assert_int_equal(dit_output_end(output), 0);
	assert_directory_holds(dir, "ditkit-prepared ");
	assert_int_equal(stat(fixture_path(dir, "ditkit-prepared/data.mdb"), &first), 0);
	for (int i = 0; i < 2; i++) {
		output = prepare_one(dir);
		assert_int_equal(dit_output_place(output), 0);
		if (i == 0) {
			assert_int_equal(dit_output_take_back(output), 0);
			dit_output_abandon(output);
		} else {
			assert_int_equal(dit_output_end(output), 0);
		}
		assert_directory_holds(dir, "ditkit-prepared ");
		assert_int_equal(stat(fixture_path(dir, "ditkit-prepared/data.mdb"), &st),
		                 0);
		assert_int_equal(st.st_ino == first.st_ino, i == 0);
	}
	assert_int_equal(state_of(dir), DIT_PREPARED_READY);
	test_scratch_remove(dir);
}

static struct dit_output *open_prepared(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_output *output = NULL;
	struct dit_prepared prepared;

	assert_int_equal(look(dir, &prepared), DIT_PREPARED_READY);
	assert_int_equal(dit_output_open_prepared(&output, &opts, &prepared), 0);
	assert_int_equal(
		dit_output_check_prepared(output, prepared.manifest.digest, NULL), 0);
	assert_int_equal(
		dit_output_check_prepared(output, prepared.manifest.content, NULL),
		DIT_E_CORRUPT);
	assert_int_equal(dit_output_prepare(output), 0);
	assert_int_equal(dit_output_commit(output), 0);
	dit_prepared_deinit(&prepared);
	assert_int_equal(dit_output_place(output), 0);
	assert_int_equal(state_of(dir), DIT_PREPARED_PUBLISHED);
	return output;
}

static void a_published_one_is_taken_back_and_published_again(void **state)
{
	(void)state;
	for (int has_old = 0; has_old < 2; has_old++) {
		char *dir = test_scratch();
		struct dit_output *output = prepare_one(dir);

		assert_int_equal(dit_output_place(output), 0);
		assert_int_equal(dit_output_end(output), 0);
		if (has_old == 1) {
			test_write_text(fixture_path(dir, "data.mdb"), "");
		}
		output = open_prepared(dir);
		assert_int_equal(dit_output_take_back(output), 0);
		dit_output_abandon(output);
		assert_int_equal(state_of(dir), DIT_PREPARED_READY);
		assert_directory_holds(dir, has_old == 1 ? "data.mdb ditkit-prepared "
		                                         : "ditkit-prepared ");

		assert_int_equal(dit_output_end(open_prepared(dir)), 0);
		assert_directory_holds(dir, "data.mdb ditkit-prepared lock.mdb ");
		test_scratch_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_content_has_its_state),
		cmocka_unit_test(links_and_endless_files_are_not_followed),
		cmocka_unit_test(a_prepared_one_replaces_another_and_is_taken_back),
		cmocka_unit_test(a_published_one_is_taken_back_and_published_again),
	};
	int nfailed = cmocka_run_group_tests_name("LMDB 0.9", tests, NULL, NULL);

	return nfailed +
	       cmocka_run_group_tests_name("LMDB 1.0", tests, fixture_use_lmdb_10, NULL);
}
