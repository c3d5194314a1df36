/* SPDX-License-Identifier: BSD-2-Clause */
/* Server IDs of change sequence numbers. */
#include "entry/sid_set.h"

#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"

/*
 * The third part of a CSN. slapd reads the number with strtol: blanks, a sign and 0x may
 * stand in front.
 */
int dit_csn_sid(struct dit_span csn)
{
	struct dit_span part = {0};
	bool is_negative = false;
	size_t at = 0;
	int sid = 0;

	for (int i = 0; i < 3; i++) {
		if (!dit_cut_until(&csn, '#', &part)) {
			return -1;
		}
	}
	while (at < part.len && (part.data[at] == ' ' ||
	                         (part.data[at] >= '\t' && part.data[at] <= '\r'))) {
		at++;
	}
	if (at < part.len && (part.data[at] == '-' || part.data[at] == '+')) {
		is_negative = part.data[at++] == '-';
	}
	if (part.len - at > 2 && part.data[at] == '0' &&
	    (part.data[at + 1] | 0x20) == 'x') {
		at += 2;
	}
	if (at == part.len) {
		return -1;
	}
	for (; at < part.len; at++) {
		int digit = dit_ascii_hex(part.data[at]);

		if (digit < 0 || sid * 16 + digit >= DIT_NSIDS) {
			return -1;
		}
		sid = sid * 16 + digit;
	}
	return is_negative && sid > 0 ? -1 : sid;
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
