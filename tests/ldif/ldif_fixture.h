/* SPDX-License-Identifier: BSD-2-Clause */
/* A working directory of a test's own: relative URLs begin there. */
#ifndef DITKIT_LDIF_FIXTURE_H
#define DITKIT_LDIF_FIXTURE_H

#include "test.h"

struct fixture {
	char *dir;
	char before[4096];
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	assert_non_null(getcwd(f->before, sizeof(f->before)));
	f->dir = test_scratch();
	assert_int_equal(chdir(f->dir), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(chdir(f->before), 0);
	return 0;
}

#endif
