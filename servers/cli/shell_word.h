/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of commands that are printed for people to type. */
#ifndef DITKIT_COMMON_SHELL_WORD_H
#define DITKIT_COMMON_SHELL_WORD_H

#include <stdio.h>

/** Print a word for a shell, in quotes where it needs some. */
void shell_word(FILE *out, const char *text);

#endif
