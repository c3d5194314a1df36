/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of an errno, which stays valid and is the same in all locales.
 *
 * strerror(3) of glibc translates, and its texts for unknown numbers belong to one
 * thread. A C library without strerrordesc_np(3), such as musl, has constant texts in
 * the C locale.
 */
#ifndef DITKIT_ERRNO_TEXT_H
#define DITKIT_ERRNO_TEXT_H

#include <string.h>

/** @return the text, constant; NULL, if the C library does not know the number */
static inline const char *dit_errno_text(int error)
{
#ifdef __GLIBC__
	return strerrordesc_np(error);
#else
	return strerror(error);
#endif
}

#endif
