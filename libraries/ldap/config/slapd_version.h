/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slapd that is installed: its release, and what is built into it. "slapd -VVV" says
 * both.
 *
 * Threads: any; the caller waits for slapd to end.
 */
#ifndef DITKIT_SLAPD_VERSION_H
#define DITKIT_SLAPD_VERSION_H

#include <stdbool.h>

#include "base/openldap.h"

/** The answer of a slapd. */
struct dit_slapd {
	bool is_found; /* it is there and told its release */
	/* its release; the oldest one known for an older slapd, the newest one known for
	 * a newer slapd; DIT_OPENLDAP_ASSUMED without a slapd */
	enum dit_openldap_version version;
	unsigned patch; /* the 10 of 2.6.10; 0: not known, or not of that release */
	/* overlays, and back ends as "back_mdb", each after a space: " ppolicy back_mdb";
	 * empty where only the back ends are built in that each slapd has */
	char built_in[1024];
};

/** Run a slapd. @param slapd  absolute path; run without a shell, argument "-VVV" */
void dit_slapd_look(const char *slapd, struct dit_slapd *ret);

#endif
