/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

void text_escape(char *ret, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text != '\0' && at + 4 < size; text++) {
		unsigned char c = (unsigned char)*text;
		bool is_plain = c >= 0x20 && c <= 0x7e;

		at += (size_t)snprintf(ret + at, size - at, is_plain ? "%c" : "\\%02x",
		                       c);
	}
	ret[at] = '\0';
}

struct json_t *json_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

struct json_t *json_text(const char *text)
{
	json_t *json = json_string(text);
	size_t size = 3 * strlen(text) + 5;
	char *escaped = NULL;

	if (json != NULL) {
		return json;
	}
	escaped = malloc(size);
	if (escaped != NULL) {
		text_escape(escaped, size, text);
		json = json_string(escaped);
	}
	free(escaped);
	return json;
}
