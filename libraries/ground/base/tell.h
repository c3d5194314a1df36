/* SPDX-License-Identifier: BSD-2-Clause */
/* A report is made from a format and handed on (report.h). */
#ifndef DITKIT_TELL_H
#define DITKIT_TELL_H

#include <stdarg.h>

#include "base/report.h"

/** Texts up to here need no memory: a path of PATH_MAX bytes, and words around it. */
#define DIT_TELL_BYTES 4608

/**
 * @param report  NULL: none
 *
 * When memory has run out, a text of DIT_TELL_BYTES or more is told without its end.
 */
void dit_tell(dit_report_fn report, void *ctx, enum dit_report_kind kind,
              const char *format, va_list args) __attribute__((format(printf, 4, 0)));

#endif
