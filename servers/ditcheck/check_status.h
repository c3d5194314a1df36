/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit status of ditcheck. */
#ifndef DITCHECK_STATUS_H
#define DITCHECK_STATUS_H

enum status {
	STATUS_CLEAN,       /* or the same content */
	STATUS_FINDINGS,    /* or differences */
	STATUS_NOT_CHECKED, /* a file could not be read, or a finding not printed */
};

#endif
