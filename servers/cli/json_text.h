/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of any bytes, where JSON wants UTF-8. */
#ifndef DITKIT_COMMON_JSON_TEXT_H
#define DITKIT_COMMON_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** Write @p text with \xx, two hexadecimal digits, for each byte that is no printable
 * ASCII. Text that does not fit @p size is left out. */
void text_escape(char *ret, size_t size, const char *text);

/** A JSON number. Returns owned; NULL: no memory */
struct json_t *json_number(uint64_t n);

/** A JSON string; what is no UTF-8 is escaped. Returns owned; NULL: no memory */
struct json_t *json_text(const char *text);

#endif
