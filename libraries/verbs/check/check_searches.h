/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches that somebody has made, given to the databases that they reach.
 *
 * A search reaches the database that holds its base, and those whose suffix is below.
 * Unreadable lines are counted, and no error: logs are cut, and hold what anybody has
 * sent to slapd.
 *
 * Threads: one.
 */
#ifndef DITKIT_CHECK_SEARCHES_H
#define DITKIT_CHECK_SEARCHES_H

#include "check/check_use.h"

struct dit_check_searches_opts {
	const struct dit_settings *settings;
	struct dit_check_use **uses; /* of the databases that are wanted */
	size_t nuses;
	dit_check_search_fn next;
	void *ctx;
	const volatile sig_atomic_t *stop; /* may be NULL */
};

/** @return 0; DIT_E_STOPPED; -ENOMEM; an error of the callback */
int dit_check_searches_read(const struct dit_check_searches_opts *opts);

#endif
