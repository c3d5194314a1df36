/* SPDX-License-Identifier: BSD-2-Clause */
/* The style sheet of a report: phone and desktop, light and dark, print. */
#ifndef DITKIT_CLI_REPORT_STYLE_H
#define DITKIT_CLI_REPORT_STYLE_H

extern const char report_style[];

#endif
