/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of LDIF: plain or in base64, folded or not, with comments between them. */
#include "random.h"

#include <stdio.h>
#include <string.h>

/* Can the value stand after one colon as it is? */
static bool is_plain(const struct text *value)
{
	if (value->len > 0 && strchr(" :<\t\v\f", value->data[0]) != NULL) {
		return false;
	}
	for (size_t i = 0; i < value->len; i++) {
		if (value->data[i] == '\0' || value->data[i] == '\n' ||
		    value->data[i] == '\r') {
			return false;
		}
	}
	return true;
}

static void add_base64(const struct text *value, struct text *out)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < value->len; i += 3) {
		size_t n = value->len - i < 3 ? value->len - i : 3;
		unsigned char group[3] = {0};
		uint32_t bits = 0;

		memcpy(group, value->data + i, n);
		bits = (uint32_t)group[0] << 16 | (uint32_t)group[1] << 8 | group[2];
		for (unsigned j = 0; j < 4; j++) {
			text_byte(out,
			          j <= n ? alphabet[bits >> (18 - 6 * j) & 63] : '=');
		}
	}
}

/* One line, folded where chance will. */
static void add_line(const char *line_end, const struct text *line, size_t fold_from,
                     struct rng *rng, struct text *out)
{
	bool is_folded = rng_chance(rng, 15);

	for (size_t i = 0; i < line->len; i++) {
		if (is_folded && i >= fold_from && rng_chance(rng, 5)) {
			text_string(out, line_end);
			text_byte(out, ' ');
		}
		text_byte(out, line->data[i]);
	}
	text_string(out, line_end);
}

void ldif_pair(const char *line_end, const struct text *name, const struct text *value,
               struct rng *rng, struct text *out)
{
	static const char *const colons[] = {": ", ":", ":   "};
	struct text line = {0};
	size_t fold_from = name->len + 3;

	text_bytes(&line, name->data, name->len);
	if (value->len > 0 && (!is_plain(value) || rng_chance(rng, 5))) {
		text_string(&line, ":: ");
		add_base64(value, &line);
	} else {
		text_string(
			&line,
			colons[rng_chance(rng, 90) ? 0 : rng_below(rng, COUNT(colons))]);
		text_bytes(&line, value->data, value->len);
	}
	add_line(line_end, &line, fold_from, rng, out);
	if (rng_chance(rng, 1)) {
		text_string(out, "# a comment");
		text_string(out, line_end);
	}
	text_free(&line);
}

void ldif_string_pair(const char *line_end, const char *name, const char *value,
                      struct rng *rng, struct text *out)
{
	struct text n = {0};
	struct text v = {0};

	text_string(&n, name);
	text_string(&v, value);
	ldif_pair(line_end, &n, &v, rng, out);
	text_free(&n);
	text_free(&v);
}
