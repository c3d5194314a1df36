/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The release of the slapd that is installed: it stands in slapd's file. If it does not,
 * slapd is asked, with -VV.
 *
 * Threads: any; the caller waits for a program that is asked to end.
 */
#ifndef DITKIT_SLAPD_VERSION_H
#define DITKIT_SLAPD_VERSION_H

#include <stdbool.h>

#include "base/openldap.h"

/** The slapd of configure --with-slapd. Static. */
const char *dit_slapd_path(void);

/**
 * @param slapd      absolute path; if need be run without a shell, arguments "-VV"
 * @param ret_found  whether it is there and told its release
 *
 * @return its release; the oldest one known for an older slapd, the newest one known for
 *         a newer slapd and without a slapd
 */
enum dit_openldap_version dit_slapd_version(const char *slapd, bool *ret_found);

/**
 * Its patch level: the 10 of 2.6.10. It is looked for again.
 *
 * @param version  the release in question
 *
 * @return 0 also without a slapd, and if it is of another release
 */
unsigned dit_slapd_patch(const char *slapd, enum dit_openldap_version version);

#endif
