/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at any moment: the n-th allocation fails, n counting up until an
 * entry is read, checked, completed and encoded without a failure.
 *
 * The linker wraps the allocations of our objects. Arenas with the smallest blocks make
 * nearly every piece an allocation.
 */
#include "test.h"

#include "codec/entry_codec.h"
#include "entry/entry_fixture.h"
#include "nomem.h"

struct outcome {
	int r;
};

/* One entry from first to last, with caches and arena of its own. */
static struct outcome make_entry(struct entry_fixture *f, const char *record)
{
	static const struct dit_entry_stamp stamp = {.time_us = 1700000000123456};
	static const struct dit_split_rules rules = {.limit = 1,
	                                             .record_max = DIT_SPLIT_RECORD_MAX};
	struct outcome outcome = {0};
	struct dit_stored_entry stored;
	struct dit_encoded encoded;

	dit_arena_init(&f->arena, 64);
	outcome.r = dit_entry_caches_init(&f->caches);
	if (outcome.r == 0) {
		outcome.r = fixture_read(f, record);
	}
	if (outcome.r == 0) {
		outcome.r =
			dit_entry_check(&f->context, &f->caches, &f->entry, &f->notes);
	}
	if (outcome.r == 0) {
		outcome.r = dit_entry_complete(&f->context, &f->caches, &f->entry, &stamp,
		                               &f->notes);
	}
	if (outcome.r == 0) {
		outcome.r = dit_entry_encode(&f->entry, &rules, &f->arena, &encoded);
	}
	if (outcome.r == 0) {
		struct dit_span bytes = {encoded.bytes, encoded.len};

		outcome.r = dit_entry_decode(bytes, &f->arena, &stored);
	}
	return outcome;
}

static void fail_at_each_allocation(const char *record, int expected)
{
	struct entry_fixture f = {0};
	struct outcome outcome = {0};
	static uint64_t all[64]; /* every type is sorted */
	bool has_failed = true;
	long n = 0;

	assert_int_equal(fixture_schema_new(&f.schema), 0);
	f.context = (struct dit_entry_context){.schema = f.schema,
	                                       .check_schema = true,
	                                       .check_values = true,
	                                       .sorted = all,
	                                       .lastmod = true};
	assert_true(dit_schema_ntypes(f.schema) < 64 * 64);
	memset(all, 0xff, sizeof(all));
	for (n = 0; has_failed; n++) {
		countdown = n;
		outcome = make_entry(&f, record);
		has_failed = countdown < 0;
		countdown = -1;
		/* what a failed cache entry or note costs is time or text */
		if (!has_failed || outcome.r != -ENOMEM) {
			assert_int_equal(outcome.r, expected);
		}
		dit_entry_caches_deinit(&f.caches);
		dit_arena_deinit(&f.arena);
	}
	assert_true(n > 20);
	dit_schema_free(f.schema);
}

#define CLASSES_AND_VALUES                                                               \
 "objectClass: cRule\nobjectClass: auxA\nou: 1\nou: 2\ntNone:: eA==\n"                   \
 "description: folded\n  line\n"                                                         \
 "tOrd: {1}a\ntOrd: {2}b\n"                                                              \
 "sn: q\xCC\x87\xCC\xA3\nou: 3\nou: 4\nou: 5\nou: 6\nou: 7\nou: 8\nou: 9\n"

TEST(an_entry_is_made_or_enomem_returned)
{
	fail_at_each_allocation("dn: cn=A+sn=B+ou=X\n" CLASSES_AND_VALUES, 0);
	fail_at_each_allocation("dn: cn=A+sn=B+mail=x\n" CLASSES_AND_VALUES,
	                        DIT_E_INVALID); /* mail is not allowed */
	fail_at_each_allocation(
		"dn: tUUID=AAAAAAAA-bbbb-1111-2222-333333333333\n" CLASSES_AND_VALUES,
		DIT_E_INVALID);
}
