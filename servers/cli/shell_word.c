/* SPDX-License-Identifier: BSD-2-Clause */
#include "shell_word.h"

#include <string.h>

void shell_word(FILE *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:=,@+";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('\'', out);
	for (; *text != '\0'; text++) {
		(void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
	}
	(void)fputc('\'', out);
}
