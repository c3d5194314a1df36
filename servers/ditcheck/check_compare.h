/* SPDX-License-Identifier: BSD-2-Clause */
/* --compare: the content of two databases is compared. */
#ifndef DITCHECK_COMPARE_H
#define DITCHECK_COMPARE_H

#include <signal.h>

#include "check_options.h"

/**
 * Check the structure of both, compare them, print the differences.
 *
 * @param stop  a value other than 0 ends the work
 */
enum status compare(struct check_options *options, const volatile sig_atomic_t *stop);

#endif
