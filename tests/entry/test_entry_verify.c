/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the verifier: an entry as it is read, checked and completed has no flaw;
 * one that was changed has the flaw that fits the change, and no other.
 */
#include "test.h"

#include <errno.h>

#include "entry/entry_fixture.h"
#include "entry/entry_verify.h"
#include "values/value.h"

struct told {
	char text[1000];
	size_t len;
};

static const char *const names[] = {
	[DIT_FLAW_NORMAL] = "normal",
	[DIT_FLAW_NORMAL_REFUSED] = "refused",
	[DIT_FLAW_NORMAL_MISSING] = "missing",
	[DIT_FLAW_NORMAL_SURPLUS] = "surplus",
	[DIT_FLAW_ORDER] = "order",
	[DIT_FLAW_UNSORTED] = "unsorted",
	[DIT_FLAW_CLASSES] = "classes",
	[DIT_FLAW_NAME_VALUE] = "name",
};

static void note(void *ctx, const struct dit_flaw *flaw)
{
	struct told *told = ctx;

	told->len += (size_t)snprintf(
		told->text + told->len, sizeof(told->text) - told->len,
		"%s %s %u \"%.*s\" \"%.*s\" %x\n", names[flaw->kind],
		flaw->ad == NULL ? "-" : flaw->ad->name.data, flaw->value,
		DIT_SPAN_ARGS(flaw->stored), DIT_SPAN_ARGS(flaw->made), flaw->flags);
	assert_true(told->len < sizeof(told->text));
}

static struct dit_attr *attr_of(struct entry_fixture *f, const char *name)
{
	const struct dit_attr_type *type =
		dit_schema_find_type(f->schema, dit_span_of(name));
	struct dit_attr *attr = NULL;

	assert_non_null(type);
	attr = dit_entry_find(&f->entry, &type->ad);
	assert_non_null(attr);
	return attr;
}

static void read_entry(struct entry_fixture *f, const char *ldif)
{
	static const struct dit_entry_stamp stamp = {.time_us = 1000000};
	struct dit_entry_refusal refusal;

	if (fixture_read(f, ldif) < 0) {
		fail_msg("%s", ldif);
	}
	if (dit_entry_check(&f->context, &f->caches, &f->entry, &f->arena, &f->notes,
	                    &refusal) < 0) {
		fail_msg("%s", refusal.text);
	}
	assert_int_equal(
		dit_entry_complete(&f->context, &f->entry, &stamp, &f->arena, &f->notes),
		0);
}

static void verify(struct entry_fixture *f, struct told *told)
{
	struct dit_verifier_opts opts = {.schema = f->schema,
	                                 .sorted = f->context.sorted,
	                                 .found = note,
	                                 .ctx = told};
	struct dit_verifier *verifier = NULL;

	*told = (struct told){.len = 0};
	assert_int_equal(dit_verifier_new(&verifier, &opts), 0);
	for (uint32_t i = 0; i < f->entry.nattrs; i++) {
		assert_int_equal(dit_verify_attr(verifier, &f->entry.attrs[i], true), 0);
	}
	assert_int_equal(dit_verify_classes(verifier, attr_of(f, "objectClass"),
	                                    f->entry.oc_flags),
	                 0);
	assert_int_equal(dit_verify_names(verifier, &f->entry), 0);
	dit_verifier_free(verifier);
}

#define ENTRY                                                                            \
 "dn: cn=A  b+sn=B,dc=x\nobjectClass: top\nobjectClass: person\n"                        \
 "cn: A  b\nsn: B\ntelephoneNumber: +1 5\ntelephoneNumber: +1 44\nseeAlso: CN=X,DC=Y\n"

static void assert_flaws(struct entry_fixture *f, const char *expected)
{
	struct told told;

	verify(f, &told);
	assert_string_equal(told.text, expected);
}

static void entries_that_are_read_have_no_finding(void **state)
{
	struct entry_fixture *f = *state;
	static const char *const records[] = {
		ENTRY,
		/* Naming values that are added, one of them with a rule of its own. */
		"dn: cn=A+tUUID=597AE2F6-16A6-1027-98F4-D28B5365DC14,dc=x\n"
		"objectClass: device\nobjectClass: extensibleObject\n",
	};

	f->context.lastmod = true;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		read_entry(f, records[i]);
		assert_flaws(f, "");
	}
	f->context.lastmod = false;
}

static void normal_forms_are_made_again(void **state)
{
	struct entry_fixture *f = *state;

	read_entry(f, ENTRY);
	attr_of(f, "cn")->normal[0] = DIT_SPAN("a c");
	assert_flaws(f, "normal cn 0 \"a c\" \"a b\" 0\nname cn 0 \"A  b\" \"\" 0\n");

	read_entry(f, ENTRY);
	attr_of(f, "seeAlso")->values[0] = DIT_SPAN("no DN");
	assert_flaws(f, "refused seeAlso 0 \"cn=x,dc=y\" \"\" 0\n");

	read_entry(f, ENTRY);
	attr_of(f, "cn")->normal = NULL;
	assert_flaws(f, "missing cn 0 \"\" \"\" 0\nname cn 0 \"A  b\" \"\" 0\n");

	/* All values are their own normal forms: slapd's own entries have none then. */
	read_entry(f, "dn: cn=a,dc=x\nobjectClass: device\ncn: a\n");
	attr_of(f, "cn")->normal = NULL;
	assert_flaws(f, "");

	read_entry(f, ENTRY);
	attr_of(f, "objectClass")->normal = attr_of(f, "objectClass")->values;
	assert_flaws(f, "surplus objectClass 0 \"\" \"\" 0\n");
}

static void order_is_checked_for_sorted_types(void **state)
{
	struct entry_fixture *f = *state;
	uint64_t sorted[64] = {0};
	const struct dit_attr_type *type =
		dit_schema_find_type(f->schema, DIT_SPAN("telephoneNumber"));
	struct dit_attr *attr = NULL;
	struct dit_span value;

	read_entry(f, ENTRY);
	sorted[type->ordinal / 64] |= (uint64_t)1 << (type->ordinal % 64);
	f->context.sorted = sorted;
	assert_flaws(f, "unsorted telephoneNumber 0 \"\" \"\" 0\n");

	read_entry(f, ENTRY);
	assert_flaws(f, "");
	attr = attr_of(f, "telephoneNumber");
	value = attr->values[0];
	attr->values[0] = attr->values[1];
	attr->values[1] = value;
	value = attr->normal[0];
	attr->normal[0] = attr->normal[1];
	attr->normal[1] = value;
	assert_flaws(f, "order telephoneNumber 1 \"\" \"\" 0\n");
	f->context.sorted = NULL;
}

static void flags_are_those_of_the_classes(void **state)
{
	struct entry_fixture *f = *state;

	read_entry(f, ENTRY);
	f->entry.oc_flags ^= DIT_OC_ALIAS;
	assert_flaws(f, "classes - 0 \"\" \"\" 10100\n");
}

static void naming_values_must_be_there(void **state)
{
	struct entry_fixture *f = *state;

	read_entry(f, ENTRY);
	attr_of(f, "sn")->values[0] = DIT_SPAN("C");
	attr_of(f, "sn")->normal[0] = DIT_SPAN("c");
	assert_flaws(f, "name sn 0 \"B\" \"\" 0\n");
	f->entry.oc_flags |= DIT_OC_GLUE;
	assert_flaws(f, "classes - 0 \"\" \"\" 10100\n");
}

static int setup(void **state)
{
	static struct entry_fixture fixture;

	*state = &fixture;
	return entry_fixture_init(&fixture);
}

static int teardown(void **state)
{
	entry_fixture_deinit(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_that_are_read_have_no_finding),
		cmocka_unit_test(normal_forms_are_made_again),
		cmocka_unit_test(order_is_checked_for_sorted_types),
		cmocka_unit_test(flags_are_those_of_the_classes),
		cmocka_unit_test(naming_values_must_be_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
