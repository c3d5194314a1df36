/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of glue: the table in job.h, with nested and foreign subordinates; a
 * subordinate without a superior is refused; the empty DN goes to a database with an
 * empty suffix only.
 */
#include "test.h"

#include "base/error.h"
#include "job/job.h"
#include "nomem.h"

#define SUFFIX(text)                                                                     \
 .type = "mdb", .has_suffix = true, .suffix = {text, sizeof(text) - 1},                  \
 .suffix_norm = {text, sizeof(text) - 1}

enum {
	CONFIG,
	NESTED,
	LEFT,
	RIGHT,
	SUPERIOR,
	OTHER,
	NDATABASES
};

static struct dit_database databases[NDATABASES + 1] = {
	[CONFIG] = {.number = 0, SUFFIX("cn=config")},
	[NESTED] = {.number = 1, SUFFIX("ou=n,ou=l,dc=x"), .is_subordinate = true},
	[LEFT] = {.number = 2, SUFFIX("ou=l,dc=x"), .is_subordinate = true},
	[RIGHT] = {.number = 3, SUFFIX("ou=r,dc=x"), .is_subordinate = true},
	[SUPERIOR] = {.number = 4, SUFFIX("dc=x")},
	[OTHER] = {.number = 5, SUFFIX("dc=y")},
	[NDATABASES] = {.number = 6, SUFFIX("ou=o,dc=z"), .is_subordinate = true}};

static struct dit_settings settings = {.databases = databases, .ndatabases = NDATABASES};

static struct dit_job job_of(const struct dit_database *chosen, struct dit_settings *of,
                             struct dit_job_opts opts)
{
	return (struct dit_job){.opts = opts, .chosen = {.settings = of, .db = chosen}};
}

static struct dit_glue glue_of(int chosen, struct dit_job_opts opts)
{
	struct dit_job job = job_of(&databases[chosen], &settings, opts);

	assert_int_equal(dit_job_glue(&job), 0);
	return job.glue;
}

/* The database that gets a DN; -1: none. */
static int where(const struct dit_glue *glue, const char *norm)
{
	struct dit_dn dn = {.pretty = dit_span_of(norm), .norm = dit_span_of(norm)};
	int i = dit_glue_find(glue, &dn);

	return i < 0 ? -1 : (int)(glue->databases[i] - databases);
}

TEST(entries_go_to_the_subordinates)
{
	for (int has_suffix = 0; has_suffix < 2; has_suffix++) {
		struct dit_glue glue = glue_of(
			SUPERIOR,
			(struct dit_job_opts){.database = -1,
		                              .suffix = has_suffix != 0 ? "dc=x" : NULL});

		(void)state;
		assert_int_equal(glue.ndatabases, 4);
		assert_int_equal(where(&glue, "cn=a,dc=x"), SUPERIOR);
		assert_int_equal(where(&glue, "cn=a,ou=r,dc=x"), RIGHT);
		assert_int_equal(where(&glue, "ou=l,dc=x"), LEFT);
		assert_int_equal(where(&glue, "cn=a,ou=n,ou=l,dc=x"), NESTED);
		assert_int_equal(where(&glue, "cn=a,dc=y"), -1);
		assert_int_equal(where(&glue, "cn=a,dc=none"), -1);
		assert_int_equal(where(&glue, ""), -1);
		free(glue.databases);
	}
}

TEST(without_glue_the_superior_takes_all_or_refuses)
{
	struct dit_glue all =
		glue_of(SUPERIOR, (struct dit_job_opts){.database = -1, .no_glue = true});
	struct dit_glue suffix = glue_of(
		SUPERIOR,
		(struct dit_job_opts){.database = -1, .no_glue = true, .suffix = "dc=x"});

	assert_int_equal(all.ndatabases, 1);
	assert_int_equal(where(&all, "cn=a,ou=r,dc=x"), SUPERIOR);
	assert_int_equal(suffix.ndatabases, 1);
	assert_int_equal(where(&suffix, "cn=a,ou=r,dc=x"), -1);
	assert_int_equal(where(&suffix, "cn=a,dc=x"), SUPERIOR);
	free(all.databases);
	free(suffix.databases);
}

TEST(a_number_keeps_the_subordinates_entries_out)
{
	struct dit_glue superior =
		glue_of(SUPERIOR, (struct dit_job_opts){.database = 4});
	struct dit_glue right = glue_of(RIGHT, (struct dit_job_opts){.database = 3});
	struct dit_dn dn = {.norm = dit_span_of("cn=a,ou=r,dc=x")};

	assert_int_equal(superior.ndatabases, 4);
	assert_int_equal(where(&superior, "cn=a,ou=r,dc=x"), -1);
	assert_ptr_equal(dit_glue_select(&superior, &dn), &databases[RIGHT]);
	assert_int_equal(right.ndatabases, 1);
	assert_int_equal(where(&right, "cn=a,ou=r,dc=x"), RIGHT);
	assert_int_equal(where(&right, "cn=a,dc=x"), -1);
	free(superior.databases);
	free(right.databases);
}

TEST(a_hidden_subordinate_gets_its_entries_by_number_too)
{
	struct dit_glue superior = {0};

	databases[RIGHT].is_hidden = true;
	superior = glue_of(SUPERIOR, (struct dit_job_opts){.database = 4});
	assert_int_equal(where(&superior, "cn=a,ou=r,dc=x"), RIGHT);
	assert_int_equal(where(&superior, "cn=a,ou=l,dc=x"), -1);
	databases[RIGHT].is_hidden = false;
	free(superior.databases);
}

TEST(the_empty_dn_needs_an_empty_suffix)
{
	struct dit_database root = {.number = 1, .type = "mdb", .has_suffix = true};
	struct dit_settings alone = {.databases = &root, .ndatabases = 1};
	struct dit_job job = job_of(&root, &alone, (struct dit_job_opts){.database = -1});
	struct dit_dn dn = {.norm = DIT_SPAN("")};

	assert_int_equal(dit_job_glue(&job), 0);
	assert_int_equal(dit_glue_find(&job.glue, &dn), 0);
	free(job.glue.databases);
}

static void note_report(void *ctx, const struct dit_report *report)
{
	if (report->kind == DIT_REPORT_DIAGNOSTIC) {
		(void)snprintf(ctx, 64, "%s", report->text);
	}
}

TEST(a_subordinate_without_a_superior_is_refused)
{
	struct dit_settings all = {.databases = databases, .ndatabases = NDATABASES + 1};
	char text[64] = "";
	struct dit_job job = job_of(&databases[OTHER], &all,
	                            (struct dit_job_opts){.database = -1,
	                                                  .report = note_report,
	                                                  .report_ctx = text});

	assert_int_equal(dit_job_glue(&job), DIT_E_CONFIG);
	assert_string_equal(text, "glue: no superior found for sub ou=o,dc=z!");
	job.opts.no_glue = true;
	assert_no_memory(dit_job_glue(&job));
	assert_int_equal(dit_job_glue(&job), 0);
	free(job.glue.databases);
	/* the front end */
	all.ndatabases = NDATABASES;
	all.is_frontend_subordinate = true;
	job.opts.no_glue = false;
	assert_int_equal(dit_job_glue(&job), DIT_E_CONFIG);
	assert_string_equal(text, "glue: no superior found for sub !");
}
