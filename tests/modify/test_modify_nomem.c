/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at any moment of a run of changes: the n-th allocation fails, n
 * counting up until a run succeeds. Every run that fails says so, and changes nothing.
 */
#include "test.h"

#include "modify/modify_impl.h"
#include "modify_fixture.h"
#include "nomem.h"

#define ONE "dn: cn=one,ou=a,dc=x\nchangetype: modify\n"

/* So many values are looked up in a sorted copy. */
#define EIGHT(letter)                                                                    \
 "xWord: " letter "1\nxWord: " letter "2\nxWord: " letter "3\nxWord: " letter            \
 "4\nxWord: " letter "5\nxWord: " letter "6\nxWord: " letter "7\nxWord: " letter "8\n"
#define FORTY EIGHT("v") EIGHT("w") EIGHT("x") EIGHT("y") EIGHT("z")

/* Something of everything. */
static const char changes[] = ONE
	"add: xWord\n" FORTY "-\ndelete: xWord\n" FORTY "\n" ONE
	"add: xWord\nxWord: d\nxWord: e\n-\ndelete: xMember\nxMember: dc=x\n-\n"
	"increment: xInt\nxInt: 1\n-\nreplace: xSingle\nxSingle: t\n-\n"
	"add: xOrdered\nxOrdered: {1}q\n-\nadd: seeAlso\nseeAlso: dc=x\n\n" ONE
	"add: xWord\nxWord: f\nxWord: A\n\n" /* is refused */
	ONE
	"delete: xWord\nxWord: a\nxWord: b\nxWord: d\n-\ndelete: sn\n\n" /* this, too */
	"dn: ou=c,dc=x\nchangetype: add\nobjectClass: organizationalUnit\n\n"
	"dn: ou=d,ou=c,dc=x\nchangetype: add\nobjectClass: organizationalUnit\n"
	"objectClass: xThings\nxMember: cn=1\nxMember: cn=2\nxMember: cn=3\n\n"
	"dn: ou=c,dc=x\nchangetype: modrdn\nnewrdn: ou=e+xWord=q\ndeleteoldrdn: 1\n"
	"newsuperior: ou=b,dc=x\n\n" /* not allowed */
	"dn: ou=c,dc=x\nchangetype: modrdn\nnewrdn: ou=e\ndeleteoldrdn: 1\n"
	"newsuperior: ou=b,dc=x\n\n"
	"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=two\ndeleteoldrdn: 1\n"
	"newsuperior: ou=e,ou=b,dc=x\n\n"
	"dn: ou=a,dc=x\nchangetype: delete\n\n"
	"dn: ou=d,ou=e,ou=b,dc=x\nchangetype: delete\n\n"
	"dn: ou=g,dc=x\nchangetype: add\nobjectClass: organizationalUnit\n\n";

static const char want[] = "1 dc=x\n3 ou=b,dc=x\n4 cn=two,ou=e,ou=b,dc=x\n"
			   "5 ou=e,ou=b,dc=x\n6 ou=g,dc=x\n";

/* Reports are counted, not collected: collecting allocates. */
static void count_report(void *ctx, const struct dit_report *report)
{
	unsigned *n = ctx;

	(void)report;
	(*n)++;
}

static int ignore_reject(void *ctx, const struct dit_reject *reject)
{
	(void)ctx;
	return reject->reason == NULL ? -EINVAL : 0;
}

/* The run with an allocation that fails. @return how it ended */
static int run_with_failure(struct modify_fixture *f, unsigned threads, long n)
{
	struct dit_modify_opts opts = modify_fixture_opts(f);
	struct dit_modify_stats stats;
	unsigned nreports = 0;
	int r = 0;

	opts.threads = threads;
	opts.keep_going = true;
	opts.is_verbose = true;
	opts.write_context_csn = true;
	opts.report = count_report;
	opts.report_ctx = &nreports;
	opts.reject = f->is_sealed ? NULL : ignore_reject;
	countdown = n;
	r = dit_modify(&opts, &stats);
	n = countdown;
	countdown = -1;
	dit_modify_stats_deinit(&stats);
	if (r != 0) {
		assert_true(nreports > 0);
		assert_true(n < 0);
	}
	return n >= 0 ? 1 : r;
}

static void reload(struct modify_fixture *f)
{
	modify_fixture_load(f, modify_fixture_entries);
	/* An attribute of each kind of list. */
	assert_int_equal(modify_fixture_run(f, NULL,
	                                    ONE "add: xMember\nxMember: dc=x\n"
	                                        "xMember: cn=1\nxMember: cn=2\n"
	                                        "xMember: cn=3\n"),
	                 0);
	load_fixture_write(&f->load, changes);
}

/* A run may get over a failed allocation, but then it has done all. */
static void run_with_failures(struct modify_fixture *f, unsigned threads, long step)
{
	uint64_t before = 0;
	long n = 0;
	int r = 0;

	reload(f);
	before = load_fixture_digest(&f->load);
	for (n = 0; r <= 0; n += step) {
		r = run_with_failure(f, threads, n);
		if (r < 0 && (r != -ENOMEM || load_fixture_digest(&f->load) != before)) {
			fail_msg("allocation %ld failed with %d: another database, or "
			         "another error",
			         n, r);
		}
		if (r >= 0) {
			assert_listed(f, want);
			modify_fixture_check(f);
		}
		if (r == 0) {
			reload(f);
			before = load_fixture_digest(&f->load);
		}
		assert_true(n < 100000);
	}
	print_message("%ld allocations\n", n);
	assert_true(n > step);
}

TEST(any_allocation_may_fail)
{
	run_with_failures(modify_fixture_new("sortvals xWord\nmultival xMember 2,1\n"), 1,
	                  1);
}

TEST(any_allocation_may_fail_with_three_threads)
{
	run_with_failures(modify_fixture_new(""), 3, 7);
}

TEST(any_allocation_may_fail_with_2_7)
{
	run_with_failures(
		modify_fixture_new_for(DIT_OPENLDAP_2_7, "multival xMember 2,1\n"), 1,
		11);
}

/* Kept entries come in large blocks, so a run seldom gets one just here. */
TEST(an_entry_is_kept_or_not)
{
	long n = 0;
	int r = -ENOMEM;

	for (n = 0; r == -ENOMEM; n++) {
		struct modifier modifier = {.opts = NULL};
		struct modify_node node = {.entry = NULL};
		struct modify_edit edit = {
			.modifier = &modifier, .node = &node, .entry = {.oc_flags = 1}};

		dit_arena_init(&modifier.kept, 1);
		dit_arena_init(&modifier.scratch, 1);
		countdown = n;
		r = dit_modify_keep(&edit);
		countdown = -1;
		if (r == 0) {
			assert_int_equal(node.entry->oc_flags, 1);
		}
		dit_arena_deinit(&modifier.kept);
		dit_arena_deinit(&modifier.scratch);
	}
	assert_int_equal(r, 0);
	assert_true(n > 2);
}
