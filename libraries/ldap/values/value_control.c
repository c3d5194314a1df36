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

#include "base/ascii.h"
#include "values/value_scope.h"

static bool take_char(struct dit_span *text, char c)
{
	if (text->len == 0 || text->data[0] != c) {
		return false;
	}
	text->data++;
	text->len--;
	return true;
}

static bool take_spaces(struct dit_span *text)
{
	bool is_any = false;

	while (take_char(text, ' ')) {
		is_any = true;
	}
	return is_any;
}

static bool take_text(struct dit_span *text, struct dit_span wanted,
                      bool (*is_same)(struct dit_span a, struct dit_span b))
{
	if (text->len < wanted.len ||
	    !is_same((struct dit_span){text->data, wanted.len}, wanted)) {
		return false;
	}
	text->data += wanted.len;
	text->len -= wanted.len;
	return true;
}

static struct dit_span take_until_any(struct dit_span *text, const char *ends)
{
	struct dit_span ret = {text->data, 0};

	while (ret.len < text->len &&
	       memchr(ends, ret.data[ret.len], strlen(ends)) == NULL) {
		ret.len++;
	}
	text->data += ret.len;
	text->len -= ret.len;
	return ret;
}

static bool take_truth(struct dit_span *text)
{
	return take_spaces(text) && (take_text(text, DIT_SPAN("TRUE"), dit_span_eq) ||
	                             take_text(text, DIT_SPAN("FALSE"), dit_span_eq));
}

static bool take_octets(struct dit_span *text)
{
	struct dit_span octets = {0};

	if (!take_spaces(text) || !take_char(text, '"')) {
		return false;
	}
	octets = take_until_any(text, "\"");
	return take_char(text, '"') && octets.len % 2 == 0 && dit_is_hex(octets);
}

bool dit_is_logged_control(struct dit_span text)
{
	bool is_apart = false; /* spaces stand before what comes */

	if (!take_char(&text, '{')) {
		return false;
	}
	(void)take_spaces(&text);
	if (!dit_is_numericoid(take_until_any(&text, " }"))) {
		return false;
	}
	is_apart = take_spaces(&text);
	if (is_apart && take_text(&text, DIT_SPAN("criticality"), dit_span_eq_nocase)) {
		if (!take_truth(&text)) {
			return false;
		}
		is_apart = take_spaces(&text);
	}
	if (is_apart && take_text(&text, DIT_SPAN("controlValue"), dit_span_eq_nocase)) {
		if (!take_octets(&text)) {
			return false;
		}
		(void)take_spaces(&text);
	}
	return take_char(&text, '}') && text.len == 0;
}
