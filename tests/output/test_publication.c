/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several outputs are published together (publication.h): all steps in their order, from
 * the last output to the first; after a failure everything is taken back. The outputs are
 * made up here: they note what is called. And a name that does not lead to the database
 * any more is an error, told with the place of the file.
 */
#include "output/publication.h"

#include <fcntl.h>

#include "base/error.h"
#include "base/stop.h"
#include "test.h"

#define NOUTPUTS 3

struct fake {
	struct dit_output base;
	char name;
	const char *failing; /* steps that fail, by their letters */
	char at;             /* the step in which a command changes the names */
	const char *command;
};

static char calls[256];
static char failures[256];

static int note(struct dit_output *output, char step)
{
	const struct fake *fake = (struct fake *)output;

	test_append(calls, "%c%c ", step, fake->name);
	if (fake->at == step) {
		assert_int_equal(system(fake->command), 0);
	}
	return fake->failing != NULL && strchr(fake->failing, step) != NULL ? -EIO : 0;
}

static int prepare(struct dit_output *output)
{
	output->bytes = 4096;
	return note(output, 'p');
}

static int commit(struct dit_output *output)
{
	return note(output, 'c');
}

static int rename_file(struct dit_output *output)
{
	return note(output, 'r');
}

static int take_back(struct dit_output *output)
{
	return note(output, 't');
}

static int end(struct dit_output *output)
{
	return note(output, 'e');
}

static void abandon(struct dit_output *output)
{
	(void)note(output, 'a');
}

static const struct dit_output_ops ops = {
	.steps = {[DIT_PUBLISH_PREPARE] = prepare,
                  [DIT_PUBLISH_COMMIT] = commit,
                  [DIT_PUBLISH_RENAME] = rename_file,
                  [DIT_PUBLISH_TAKE_BACK] = take_back,
                  [DIT_PUBLISH_END] = end},
	.abandon = abandon,
};

static void failed(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	static const char letters[] = {
		[DIT_PUBLISH_PREPARE] = 'p',    [DIT_PUBLISH_FIND] = 'f',
		[DIT_PUBLISH_FIND_AGAIN] = 'g', [DIT_PUBLISH_COMMIT] = 'c',
		[DIT_PUBLISH_RENAME] = 'r',     [DIT_PUBLISH_TAKE_BACK] = 't',
		[DIT_PUBLISH_END] = 'e'};

	assert_ptr_equal(ctx, failures);
	assert_true(error == -EIO || error == DIT_E_STOPPED || error == -ESTALE);
	test_append(failures, "%c%zu ", letters[step], number);
}

static int before_commit(void *ctx)
{
	assert_ptr_equal(ctx, failures);
	(void)strcat(calls, "b ");
	return 0;
}

static int fail_before_commit(void *ctx)
{
	(void)before_commit(ctx);
	return -EPIPE;
}

static int publish(struct dit_published *items)
{
	struct dit_publish_opts opts = {.failed = failed, .ctx = failures};

	return dit_publish(items, NOUTPUTS, &opts);
}

TEST(all_appear_or_none)
{
	static const struct {
		const char *failing[NOUTPUTS];
		int want;
		const char *calls;
		const char *failures;
	} cases[] = {
		{{NULL}, 0, "p2 p1 p0 c2 c1 c0 r2 r1 r0 e2 e1 e0 ", ""},
		{{NULL, "p"}, -EIO, "p2 p1 t2 t1 t0 a0 a1 a2 ", "p1 "},
		{{"c"}, -EIO, "p2 p1 p0 c2 c1 c0 t2 t1 t0 a0 a1 a2 ", "c0 "},
		{{NULL, NULL, "r"},
	         -EIO,
	         "p2 p1 p0 c2 c1 c0 r2 t2 t1 t0 a0 a1 a2 ",
	         "r2 "},
		{{"r", "t", "t"},
	         -EIO,
	         "p2 p1 p0 c2 c1 c0 r2 r1 r0 t2 t1 t0 a0 a1 a2 ",
	         "r0 t2 t1 "},
		{{"e", "e"}, 0, "p2 p1 p0 c2 c1 c0 r2 r1 r0 e2 e1 e0 ", "e1 e0 "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake fakes[NOUTPUTS];
		struct dit_published items[NOUTPUTS];

		for (size_t k = 0; k < NOUTPUTS; k++) {
			fakes[k] = (struct fake){.base.ops = &ops,
			                         .name = (char)('0' + k),
			                         .failing = cases[i].failing[k]};
			items[k] = (struct dit_published){.output = &fakes[k].base};
		}
		calls[0] = '\0';
		failures[0] = '\0';
		assert_int_equal(publish(items), cases[i].want);
		assert_string_equal(calls, cases[i].calls);
		assert_string_equal(failures, cases[i].failures);
		for (size_t k = 0; k < NOUTPUTS; k++) {
			assert_null(items[k].output);
		}
		assert_int_equal(items[2].bytes, 4096);
	}
}

TEST(gaps_are_passed_over)
{
	struct fake fake = {.base.ops = &ops, .name = '1'};
	struct dit_published items[NOUTPUTS] = {[1] = {.output = &fake.base}};

	calls[0] = '\0';
	assert_int_equal(publish(items), 0);
	assert_string_equal(calls, "p1 c1 r1 e1 ");
	fake.failing = "r";
	items[1].output = &fake.base;
	calls[0] = '\0';
	assert_int_equal(publish(items), -EIO);
	assert_string_equal(calls, "p1 c1 r1 t1 a1 ");
}

/* The flag is looked at before every step, until all are in place. */
TEST(a_raised_flag_ends_the_publication)
{
	static volatile sig_atomic_t flag;
	struct dit_stop stop = {.flag = &flag};
	struct dit_publish_opts opts = {.failed = failed,
	                                .before_commit = before_commit,
	                                .ctx = failures,
	                                .stop = &stop};
	struct fake fake = {.base.ops = &ops, .name = '0'};
	struct dit_published items[NOUTPUTS] = {{.output = &fake.base}};

	calls[0] = '\0';
	failures[0] = '\0';
	assert_int_equal(dit_publish(items, NOUTPUTS, &opts), 0);
	assert_string_equal(calls, "p0 b c0 r0 e0 ");
	items[0].output = &fake.base;
	flag = 1;
	calls[0] = '\0';
	assert_int_equal(dit_publish(items, NOUTPUTS, &opts), DIT_E_STOPPED);
	assert_string_equal(calls, "t0 a0 ");
	assert_string_equal(failures, "p0 ");
	items[0].output = &fake.base;
	flag = 0;
	opts.before_commit = fail_before_commit;
	calls[0] = '\0';
	assert_int_equal(dit_publish(items, NOUTPUTS, &opts), -EPIPE);
	assert_string_equal(calls, "p0 b t0 a0 ");
	assert_string_equal(failures, "p0 ");
}

/* ---- names that lead elsewhere ---- */

struct name_case {
	const char *name;
	bool is_new; /* the directory is looked up before the commit, not the file */
	char at;
	const char *command; /* in the scratch directory; db is the database's */
	int want;
	const char *calls;
	const char *text; /* of the fault; %s: the scratch directory */
};

static void publish_one(const struct name_case *this)
{
	char *dir = test_scratch();
	char path[4200];
	char command[8600];
	char text[4400];
	struct fake fake = {.base.ops = &ops, .name = '0', .at = this->at};
	struct dit_published items[NOUTPUTS] = {{.output = &fake.base}};

	(void)snprintf(command, sizeof(command), "cd %s && mkdir db && echo >db/data.mdb",
	               dir);
	assert_int_equal(system(command), 0);
	(void)snprintf(command, sizeof(command), "cd %s && %s", dir, this->command);
	fake.command = command;
	(void)snprintf(path, sizeof(path), "%s/db", dir);
	fake.base.target = (struct dit_output_target){
		.directory = path,
		.data_name = "data.mdb",
		.dir_fd = this->is_new ? open(path, O_RDONLY) : -1};
	(void)snprintf(text, sizeof(text), "%s/db/data.mdb", dir);
	fake.base.target.data_fd = open(text, O_RDONLY);
	calls[0] = '\0';
	failures[0] = '\0';
	assert_int_equal(publish(items), this->want);
	(void)snprintf(text, sizeof(text), this->text, dir);
	assert_string_equal(items[0].fault.text, text);
	assert_string_equal(calls, this->calls);
	(void)close(fake.base.target.data_fd);
	if (this->is_new) {
		(void)close(fake.base.target.dir_fd);
	}
	test_scratch_remove(dir);
}

#define ALL_CALLS   "p0 c0 r0 e0 "
#define ENDED_CALLS "p0 t0 a0 "
#define BEFORE      "the data.mdb that was opened "
#define DIRECTORY   "the directory that was opened "
#define AFTER                                                                            \
 "the data is in place, but the name data.mdb does not lead there any more: "            \
 "the file "
#define UNCHANGED ": nothing is changed"

TEST(names_that_lead_elsewhere_are_told)
{
	static const struct name_case cases[] = {
		{"nothing happens", false, 'p', "true", 0, ALL_CALLS, ""},
		{"a new one, nothing happens", true, 'p', "true", 0, ALL_CALLS, ""},
		{"file removed before", false, 'p', "rm db/data.mdb", -ESTALE,
	         ENDED_CALLS, BEFORE "was removed" UNCHANGED},
		{"file exchanged before", false, 'p',
	         "mv db/data.mdb old && echo >db/data.mdb", -ESTALE, ENDED_CALLS,
	         BEFORE "is %s/old now" UNCHANGED},
		{"a link in its place before", false, 'p',
	         "mv db/data.mdb old && ln -s ../old db/data.mdb", -ESTALE, ENDED_CALLS,
	         BEFORE "is %s/old now" UNCHANGED},
		{"directory removed before", false, 'p', "rm -r db", -ESTALE, ENDED_CALLS,
	         BEFORE "was removed" UNCHANGED},
		{"directory moved before", false, 'p', "mv db away", -ESTALE, ENDED_CALLS,
	         BEFORE "is %s/away/data.mdb now" UNCHANGED},
		{"a new one, directory exchanged before", true, 'p',
	         "mv db away && cp -r away db", -ESTALE, ENDED_CALLS,
	         DIRECTORY "is %s/away now" UNCHANGED},
		{"a new one, directory removed before", true, 'p', "rm -r db", -ESTALE,
	         ENDED_CALLS, DIRECTORY "was removed" UNCHANGED},
		{"file removed after", false, 'c', "rm db/data.mdb", -ESTALE, ALL_CALLS,
	         AFTER "was removed"},
		{"directory moved after", true, 'r', "mv db away", -ESTALE, ALL_CALLS,
	         AFTER "is %s/away/data.mdb now"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].name);
		publish_one(&cases[i]);
		assert_string_equal(failures, cases[i].want == 0         ? ""
		                              : cases[i].calls[3] == 't' ? "f0 "
		                                                         : "g0 ");
	}
}
