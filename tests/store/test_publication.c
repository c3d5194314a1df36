/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several outputs are published together (publication.h): all steps in their order, from
 * the last output to the first, and each synced before the next one; after a
 * failure everything is taken back. The outputs are made up here: they note what is
 * called.
 */
#include "store/publication.h"

#include <errno.h>

#include "base/error.h"
#include "base/stop.h"
#include "test.h"

#define NOUTPUTS 3

struct fake {
	struct dit_output base;
	char name;
	const char *failing; /* steps that fail, by their letters */
};

static char calls[256];
static char failures[256];

static int note(struct dit_output *output, char step)
{
	const struct fake *fake = (struct fake *)output;
	size_t n = strlen(calls);

	(void)snprintf(calls + n, sizeof(calls) - n, "%c%c ", step, fake->name);
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

static int place(struct dit_output *output)
{
	return note(output, 'r');
}

static void settle(struct dit_output *output)
{
	(void)note(output, 's');
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
	.prepare = prepare,
	.commit = commit,
	.place = place,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

static void failed(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	static const char letters[] = {[DIT_PUBLISH_PREPARE] = 'p',
	                               [DIT_PUBLISH_COMMIT] = 'c',
	                               [DIT_PUBLISH_PLACE] = 'r',
	                               [DIT_PUBLISH_TAKE_BACK] = 't',
	                               [DIT_PUBLISH_END] = 'e'};
	size_t n = strlen(failures);

	assert_ptr_equal(ctx, failures);
	assert_true(error == -EIO || error == DIT_E_STOPPED);
	(void)snprintf(failures + n, sizeof(failures) - n, "%c%zu ", letters[step],
	               number);
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

static void all_appear_or_none(void **state)
{
	static const struct {
		const char *failing[NOUTPUTS];
		int want;
		const char *calls;
		const char *failures;
	} cases[] = {
		{{NULL}, 0, "p2 p1 p0 c2 s2 c1 s1 c0 r2 s2 r1 s1 r0 e2 e1 e0 ", ""},
		{{NULL, "p"}, -EIO, "p2 p1 t2 t1 t0 a0 a1 a2 ", "p1 "},
		{{"c"}, -EIO, "p2 p1 p0 c2 s2 c1 s1 c0 t2 t1 t0 a0 a1 a2 ", "c0 "},
		{{NULL, NULL, "r"},
	         -EIO,
	         "p2 p1 p0 c2 s2 c1 s1 c0 r2 t2 t1 t0 a0 a1 a2 ",
	         "r2 "},
		{{"r", "t", "t"},
	         -EIO,
	         "p2 p1 p0 c2 s2 c1 s1 c0 r2 s2 r1 s1 r0 t2 t1 t0 a0 a1 a2 ",
	         "r0 t2 t1 "},
		{{"e", "e"},
	         0,
	         "p2 p1 p0 c2 s2 c1 s1 c0 r2 s2 r1 s1 r0 e2 e1 e0 ",
	         "e1 e0 "},
	};

	(void)state;
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

static void gaps_are_passed_over(void **state)
{
	struct fake fake = {.base.ops = &ops, .name = '1'};
	struct dit_published items[NOUTPUTS] = {[1] = {.output = &fake.base}};

	(void)state;
	calls[0] = '\0';
	assert_int_equal(publish(items), 0);
	assert_string_equal(calls, "p1 c1 s1 r1 s1 e1 ");
	fake.failing = "r";
	items[1].output = &fake.base;
	calls[0] = '\0';
	assert_int_equal(publish(items), -EIO);
	assert_string_equal(calls, "p1 c1 s1 r1 t1 a1 ");
}

/* The flag is looked at before every step, until all are in place. */
static void who_wants_an_end_gets_one(void **state)
{
	static volatile sig_atomic_t flag;
	struct dit_stop stop = {.flag = &flag};
	struct dit_publish_opts opts = {.failed = failed,
	                                .before_commit = before_commit,
	                                .ctx = failures,
	                                .stop = &stop};
	struct fake fake = {.base.ops = &ops, .name = '0'};
	struct dit_published items[NOUTPUTS] = {{.output = &fake.base}};

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_appear_or_none),
		cmocka_unit_test(gaps_are_passed_over),
		cmocka_unit_test(who_wants_an_end_gets_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
