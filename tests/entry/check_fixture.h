/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of records with the refusal or the entry that the check must make of them. */
#ifndef DITKIT_CHECK_FIXTURE_H
#define DITKIT_CHECK_FIXTURE_H

#include "test.h"

#include "entry/entry_fixture.h"
#include "entry/why.h"

/* As slapadd prints it. */
struct refusal {
	int code;
	const char *text;
};

static inline int check(struct entry_fixture *f, const char *record,
                        struct refusal *ret_refusal)
{
	int r = 0;

	assert_int_equal(fixture_read(f, record), 0);
	r = dit_entry_check(&f->context, &f->caches, &f->entry, &f->notes);
	if (r == DIT_E_INVALID) {
		ret_refusal->code = dit_refusals[f->notes.why->kind].code;
		ret_refusal->text = f->notes.why->text;
	}
	return r;
}

struct refusal_case {
	const char *record;
	int code;
	const char *text;
	const char *notes; /* "": none; up to the text; or, with a quote in it, in full */
};

static inline void expect_notes(struct entry_fixture *f, const struct refusal_case *c)
{
	char expected[1024] = "";

	if (*c->notes != '\0') {
		(void)snprintf(expected, sizeof(expected), "%s%s\n", c->notes,
		               strchr(c->notes, '\'') != NULL ? "" : c->text);
	}
	assert_string_equal(fixture_notes(f), expected);
}

static inline void expect_refusals(struct entry_fixture *f,
                                   const struct refusal_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct refusal refusal = {0};
		int r = check(f, cases[i].record, &refusal);

		if (r != DIT_E_INVALID || strcmp(refusal.text, cases[i].text) != 0) {
			print_message("record:\n%s%d %s\n%s", cases[i].record, r,
			              refusal.text == NULL ? "-" : refusal.text,
			              fixture_notes(f));
		}
		assert_int_equal(r, DIT_E_INVALID);
		assert_string_equal(refusal.text, cases[i].text);
		assert_int_equal(refusal.code, cases[i].code);
		expect_notes(f, &cases[i]);
	}
}

#define EXPECT_REFUSALS(f, cases)                                                        \
 expect_refusals(f, cases, sizeof(cases) / sizeof(cases[0]))

struct pass_case {
	const char *record;
	const char *expected; /* entry */
};

static inline void expect_passes(struct entry_fixture *f, const struct pass_case *cases,
                                 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct refusal refusal = {0};
		int r = check(f, cases[i].record, &refusal);

		if (r != 0) {
			print_message("record:\n%s%d %s\n", cases[i].record, r,
			              refusal.text);
		}
		assert_int_equal(r, 0);
		assert_string_equal(fixture_entry(f), cases[i].expected);
		assert_string_equal(fixture_notes(f), "");
	}
}

#define EXPECT_PASSES(f, cases) expect_passes(f, cases, sizeof(cases) / sizeof(cases[0]))

#define ANY         "objectClass: extensibleObject\n"
#define DEVICE      "objectClass: device\n" ANY "cn: x\n"
#define DEVICE_READ "objectClass: device | extensibleObject\ncn: x=x\n"

#endif
