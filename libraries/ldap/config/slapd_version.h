/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slapd that is installed: its release, and what is built into it. The release stands
 * in slapd's file. If it does not, or if the file has overlays, slapd is asked, with
 * -VVV.
 *
 * Threads: any; the caller waits for a program that is asked to end.
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
	/* overlays, and back ends as "back_mdb", each after a space: " ppolicy back_mdb";
	 * empty where only the back ends are built in that each slapd has */
	char built_in[1024];
};

/** The slapd of configure --with-slapd. Static. */
const char *dit_slapd_path(void);

/** @param slapd  absolute path; if need be run without a shell, arguments "-VVV" */
void dit_slapd_look(const char *slapd, struct dit_slapd *ret);

/**
 * Its patch level: the 10 of 2.6.10. It is looked for again.
 *
 * @param version  the release in question
 *
 * @return 0 also without a slapd, and if it is of another release
 */
unsigned dit_slapd_patch(const char *slapd, enum dit_openldap_version version);

#endif
