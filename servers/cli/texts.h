/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of the programs, as patterns (patterns.h). gen_text.awk makes them of files with
 * these names. */
#ifndef DITKIT_CLI_TEXTS_H
#define DITKIT_CLI_TEXTS_H

extern const char check_end_txt[];
extern const char check_file_txt[];
extern const char diff_summary_txt[];
extern const char estimate_txt[];
extern const char report_page_html[];
extern const char report_page_css[];
extern const char summary_txt[];

#endif
