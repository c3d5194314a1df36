/* SPDX-License-Identifier: BSD-2-Clause */
/* Server IDs of change sequence numbers. */
#include "entry/sid_set.h"

#include <stdlib.h>

#include "base/cut.h"
#include "base/error.h"

/* The third part of a CSN. slapd reads the number with strtol(), which stops at '#'. */
int dit_csn_sid(struct dit_span csn)
{
	struct dit_span part = {0};
	char *end = NULL;
	long sid = 0;

	for (int i = 0; i < 3; i++) {
		if (!dit_cut_until(&csn, '#', &part)) {
			return -1;
		}
	}
	sid = strtol(part.data, &end, 16);
	return part.len == 0 || end != part.data + part.len || sid < 0 || sid >= DIT_NSIDS
	               ? -1
	               : (int)sid;
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
