/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Controls of a request as the overlay accesslog writes them down:
 *
 *   {1.2.840.113556.1.4.319 criticality TRUE controlValue "30050201020400"}
 *
 * criticality and controlValue may be missing, and come in this order. Words are read in
 * either case, but for TRUE and FALSE; the control value is pairs of hexadecimal digits.
 * There may be more spaces than one, and around the whole inside the braces.
 */
#include <string.h>

#include "base/cut.h"
#include "values/value_scope.h"

/* As it is written, in one case. */
static bool cut_exactly(struct dit_span *text, struct dit_span wanted)
{
	if (text->len < wanted.len || memcmp(text->data, wanted.data, wanted.len) != 0) {
		return false;
	}
	dit_cut(text, wanted.len);
	return true;
}

static struct dit_span take_until_any(struct dit_span *text, const char *ends)
{
	struct dit_span ret = {text->data, 0};

	while (ret.len < text->len &&
	       memchr(ends, ret.data[ret.len], strlen(ends)) == NULL) {
		ret.len++;
	}
	dit_cut(text, ret.len);
	return ret;
}

static bool take_truth(struct dit_span *text)
{
	return dit_cut_spaces(text) && (cut_exactly(text, DIT_SPAN("TRUE")) ||
	                                cut_exactly(text, DIT_SPAN("FALSE")));
}

static bool take_octets(struct dit_span *text)
{
	struct dit_span octets = {0};

	if (!dit_cut_spaces(text) || !dit_cut_char(text, '"')) {
		return false;
	}
	octets = take_until_any(text, "\"");
	return dit_cut_char(text, '"') && octets.len % 2 == 0 && dit_is_hex(octets);
}

bool dit_is_logged_control(struct dit_span text)
{
	bool is_apart = false; /* spaces stand before what comes */

	if (!dit_cut_char(&text, '{')) {
		return false;
	}
	(void)dit_cut_spaces(&text);
	if (!dit_is_numericoid(take_until_any(&text, " }"))) {
		return false;
	}
	is_apart = dit_cut_spaces(&text);
	if (is_apart && dit_cut_prefix(&text, DIT_SPAN("criticality"))) {
		if (!take_truth(&text)) {
			return false;
		}
		is_apart = dit_cut_spaces(&text);
	}
	if (is_apart && dit_cut_prefix(&text, DIT_SPAN("controlValue"))) {
		if (!take_octets(&text)) {
			return false;
		}
		(void)dit_cut_spaces(&text);
	}
	return dit_cut_char(&text, '}') && text.len == 0;
}
