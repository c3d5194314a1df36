/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters written again:
 *
 *     (&(CN=Foo)(foo=x)(sn= A *B))      (&(cn=foo)(?foo=x)(sn=a *b))
 *     (cn:dn:2.5.13.5:=A  B)            (cn:dn:2.5.13.5:=A B)
 *     (cn:foo:=x)  (&)  (!(|))          (?=undefined)  (?=true)  (?=true)
 *
 * An item that cannot be evaluated is marked with a '?' and keeps its value. An
 * extensible item leaves nothing in that position.
 */
#include <string.h>

#include "values/filter.h"

/* slapd escapes all that is not printable ASCII. */
static void put_value(struct dit_text *out, struct dit_span value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i];

		if ((unsigned char)c < ' ' || (unsigned char)c >= 0x7F ||
		    strchr("*()\\", c) != NULL) {
			dit_text_char(out, '\\');
			dit_text_char(out, "0123456789ABCDEF"[(unsigned char)c >> 4]);
			dit_text_char(out, "0123456789ABCDEF"[c & 0x0F]);
		} else {
			dit_text_char(out, c);
		}
	}
}

static void put_extensible(const struct dit_filter *filter, struct dit_text *out)
{
	if (!filter->is_defined) {
		dit_text_span(out, filter->is_error ? DIT_SPAN("?=error")
		                                    : DIT_SPAN("?=undefined"));
		return;
	}
	dit_text_span(out, filter->ad == NULL ? DIT_SPAN("") : filter->ad->name);
	dit_text_span(out, filter->has_dn ? DIT_SPAN(":dn") : DIT_SPAN(""));
	dit_text_span(out, filter->has_rule ? DIT_SPAN(":") : DIT_SPAN(""));
	dit_text_span(out, filter->rule_name);
	dit_text_span(out, DIT_SPAN(":="));
	put_value(out, filter->shown);
}

static void put_item(const struct dit_filter *filter, struct dit_text *out)
{
	static const char *const operators[] = {
		[DIT_FILTER_PRESENT] = "=*", [DIT_FILTER_EQUAL] = "=",
		[DIT_FILTER_APPROX] = "~=",  [DIT_FILTER_GREATER] = ">=",
		[DIT_FILTER_LESS] = "<=",    [DIT_FILTER_SUBSTRINGS] = "="};

	dit_text_span(out, filter->is_defined ? DIT_SPAN("") : DIT_SPAN("?"));
	dit_text_span(out, filter->ad == NULL ? filter->attr : filter->ad->name);
	dit_text_span(out, dit_span_of(operators[filter->written]));
	put_value(out, filter->shown);
	for (uint32_t i = 0;
	     i < filter->npieces && filter->written == DIT_FILTER_SUBSTRINGS; i++) {
		dit_text_span(out, i == 0 ? DIT_SPAN("") : DIT_SPAN("*"));
		put_value(out, filter->pieces[i]);
	}
}

static void put_set(const struct dit_filter *filter, struct dit_text *out)
{
	if (filter->first == NULL) {
		dit_text_span(out, filter->kind == DIT_FILTER_AND ? DIT_SPAN("?=true")
		                                                  : DIT_SPAN("?=false"));
		return;
	}
	dit_text_char(out, "&|!"[filter->kind]);
	for (const struct dit_filter *at = filter->first; at != NULL; at = at->next) {
		dit_filter_put(at, out);
	}
}

void dit_filter_put(const struct dit_filter *filter, struct dit_text *out)
{
	dit_text_char(out, '(');
	if (filter->kind <= DIT_FILTER_NOT) {
		put_set(filter, out);
	} else if (filter->written == DIT_FILTER_EXTENSIBLE) {
		put_extensible(filter, out);
	} else {
		put_item(filter, out);
	}
	dit_text_char(out, ')');
}
