/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of findings: all are counted by kind, the first ones in their order are kept
 * whatever comes when, and they are told in that order. No memory is an error.
 */
#include "test.h"

#include <pthread.h>

#include "check/check_findings.h"
#include "nomem.h"

#define NTHREADS 4
#define NEACH    300

struct told {
	char text[20000];
	size_t len;
};

static void note(void *ctx, const struct dit_check_finding *finding)
{
	struct told *told = ctx;

	assert_string_equal(finding->file, "data.mdb");
	told->len += (size_t)snprintf(
		told->text + told->len, sizeof(told->text) - told->len,
		"%s|%s|%lld|%ld|%llu|%s|%s|%s\n",
		finding->database == NULL ? "" : finding->database, finding->kind,
		(long long)finding->page, finding->node, (unsigned long long)finding->id,
		finding->dn == NULL ? "" : finding->dn,
		finding->attribute == NULL ? "" : finding->attribute, finding->text);
	assert_true(told->len < sizeof(told->text));
}

static void find(struct dit_check_findings *findings, const char *database, uint64_t id,
                 const char *text)
{
	struct dit_check_finding place = DIT_CHECK_PLACE(database);

	place.id = id;
	dit_check_report(findings, DIT_CHECK_DATABASE_FLAGS, &place, "%s", text);
}

TEST(findings_are_told_in_order)
{
	struct dit_check_findings *findings = NULL;
	struct dit_check_finding place = DIT_CHECK_PLACE("cn");
	uint64_t by_kind[DIT_CHECK_NKINDS] = {0};
	struct told told = {.len = 0};

	assert_int_equal(
		dit_check_findings_new(&findings, 0, DIT_CHECK_MEMBERSHIP_MISSING), 0);
	find(findings, "sn", 1, "a");
	find(findings, "cn", 7, "b");
	find(findings, NULL, 0, "the file");
	place.dn = "cn=x";
	place.id = 3;
	place.attribute = "sn";
	dit_check_report(findings, DIT_WALK_KEY_ORDER, &place, "number %d", 5);
	place.attribute = "cn";
	dit_check_report(findings, DIT_WALK_KEY_ORDER, &place, "number %d", 6);
	place = (struct dit_check_finding)DIT_CHECK_PLACE("cn");
	place.page = 9;
	place.node = 2;
	dit_check_report(findings, DIT_WALK_KEY_ORDER, &place, "page");
	place.node = 1;
	dit_check_report(findings, DIT_WALK_KEY_ORDER, &place, "page");

	assert_int_equal(dit_check_findings_count(findings, false, by_kind), 7);
	assert_int_equal(by_kind[DIT_WALK_KEY_ORDER], 4);
	assert_int_equal(dit_check_findings_tell(findings, "data.mdb", note, &told), 0);
	assert_string_equal(told.text, "|database-flags|-1|-1|0|||the file\n"
	                               "cn|key-order|-1|-1|3|cn=x|cn|number 6\n"
	                               "cn|key-order|-1|-1|3|cn=x|sn|number 5\n"
	                               "cn|database-flags|-1|-1|7|||b\n"
	                               "cn|key-order|9|1|0|||page\n"
	                               "cn|key-order|9|2|0|||page\n"
	                               "sn|database-flags|-1|-1|1|||a\n");
	dit_check_findings_free(findings);
}

TEST(notes_are_counted_apart_and_told_last)
{
	struct dit_check_findings *findings = NULL;
	struct dit_check_finding place = DIT_CHECK_PLACE("cn");
	struct told told = {.len = 0};

	assert_int_equal(
		dit_check_findings_new(&findings, 1, DIT_CHECK_MEMBERSHIP_MISSING), 0);
	dit_check_report(findings, DIT_CHECK_INDEX_UNUSED, &place, "unused");
	dit_check_report(findings, DIT_CHECK_HOLE, &place, "a hole");
	find(findings, "sn", 1, "a");
	find(findings, "sn", 2, "b");
	assert_int_equal(dit_check_findings_count(findings, false, NULL), 2);
	assert_int_equal(dit_check_findings_count(findings, true, NULL), 2);
	assert_int_equal(dit_check_findings_tell(findings, "data.mdb", note, &told), 0);
	assert_string_equal(told.text, "sn|database-flags|-1|-1|1|||a\n"
	                               "cn|hole|-1|-1|0|||a hole\n");
	dit_check_findings_free(findings);
}

/* ---- many, from many threads ---- */

struct finder {
	struct dit_check_findings *findings;
	unsigned number;
};

static void *find_many(void *arg)
{
	struct finder *finder = arg;

	for (uint64_t i = 0; i < NEACH; i++) {
		find(finder->findings, "cn", 1 + i * NTHREADS + finder->number, "x");
	}
	return NULL;
}

TEST(the_first_ones_are_kept_whoever_finds_them_when)
{
	struct dit_check_findings *findings = NULL;
	struct told told = {.len = 0};
	pthread_t threads[NTHREADS];
	struct finder finders[NTHREADS];

	assert_int_equal(
		dit_check_findings_new(&findings, 3, DIT_CHECK_MEMBERSHIP_MISSING), 0);
	for (unsigned i = 0; i < NTHREADS; i++) {
		finders[i] = (struct finder){findings, i};
		assert_int_equal(
			pthread_create(&threads[i], NULL, find_many, &finders[i]), 0);
	}
	for (unsigned i = 0; i < NTHREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	find(findings, "ad2i", 0, "late");
	assert_int_equal(dit_check_findings_count(findings, false, NULL),
	                 NTHREADS * NEACH + 1);
	assert_int_equal(dit_check_findings_tell(findings, "data.mdb", note, &told), 0);
	assert_string_equal(told.text, "ad2i|database-flags|-1|-1|0|||late\n"
	                               "cn|database-flags|-1|-1|1|||x\n"
	                               "cn|database-flags|-1|-1|2|||x\n");
	dit_check_findings_free(findings);
}

/* ---- errors ---- */

static int find_without_memory(void)
{
	struct dit_check_findings *findings = NULL;
	struct dit_check_finding place = DIT_CHECK_PLACE("cn");
	struct told told = {.len = 0};
	int r = dit_check_findings_new(&findings, 0, DIT_CHECK_MEMBERSHIP_MISSING);

	if (r < 0) {
		return r;
	}
	place.dn = "cn=x";
	place.attribute = "sn";
	dit_check_report(findings, DIT_WALK_KEY_ORDER, &place, "x");
	r = dit_check_findings_tell(findings, "data.mdb", note, &told);
	assert_true(r == 0 || told.len == 0);
	dit_check_findings_free(findings);
	return r;
}

TEST(no_memory_is_an_error)
{
	/* the object, the list, four texts, and none */
	assert_int_equal(calls_until_memory(find_without_memory()), 7);
}

TEST(every_kind_has_a_name)
{
	for (unsigned kind = 0; kind < DIT_CHECK_NKINDS; kind++) {
		assert_non_null(dit_check_kind_name(kind));
		for (unsigned other = 0; other < kind; other++) {
			assert_string_not_equal(dit_check_kind_name(kind),
			                        dit_check_kind_name(other));
		}
	}
}
