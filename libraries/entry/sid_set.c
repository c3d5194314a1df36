/* SPDX-License-Identifier: BSD-2-Clause */
/* Server IDs of change sequence numbers. */
#include "entry/sid_set.h"

#include "base/error.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Three hexadecimal digits between the second # and the third. */
int dit_csn_sid(struct dit_span csn)
{
	size_t at = 0;
	int sid = 0;

	for (int n = 0; n < 2; n++) {
		while (at < csn.len && csn.data[at] != '#') {
			at++;
		}
		at++;
	}
	if (at + 3 >= csn.len || csn.data[at + 3] != '#') {
		return -1;
	}
	for (int i = 0; i < 3; i++) {
		int digit = hex_digit(csn.data[at + (size_t)i]);

		if (digit < 0) {
			return -1;
		}
		sid = sid * 16 + digit;
	}
	return sid;
}

int dit_sid_set_parse(const char *text, struct dit_sid_set *ret)
{
	struct dit_sid_set set = {{0}};
	unsigned sid = 0;
	bool has_digits = false;

	for (;; text++) {
		if (*text >= '0' && *text <= '9') {
			sid = sid * 10 + (unsigned)(*text - '0');
			has_digits = true;
			if (sid >= DIT_NSIDS) {
				return DIT_E_SYNTAX;
			}
			continue;
		}
		if (*text != ',' && *text != '\0') {
			return DIT_E_SYNTAX;
		}
		if (has_digits) {
			set.words[sid / 64] |= (uint64_t)1 << (sid % 64);
		}
		if (*text == '\0') {
			*ret = set;
			return 0;
		}
		sid = 0;
		has_digits = false;
	}
}
