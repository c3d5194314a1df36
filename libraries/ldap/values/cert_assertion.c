/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assertions of the certificate rules: a little of GSER (RFC 3641, RFC 4523).
 *
 *   certificate            { serialNumber 5, issuer rdnSequence:"CN=A" }
 *                          5$CN=A
 *   certificate list       { issuer rdnSequence:"CN=A", thisUpdate "20200101000000Z" }
 *   attribute certificate  { serialNumber 5, issuer { baseCertificateID {
 *                            issuer { directoryName:rdnSequence:"CN=A" },
 *                            serial 'AB'H } } }
 *
 * Components stand in either order, words in any case. The pretty form orders them and
 * has the pretty form of the name; the normal form is that of a certificate
 * (value_cert.c), with numbers as hexadecimal digits.
 *
 * A certificate assertion that cannot be read is its own pretty form, in slapd:
 * value-check takes it, and a DN does if its normal form can be made.
 */
#include <errno.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "values/number.h"
#include "values/value_scope.h"

struct asserting {
	const struct dit_value_scope *scope;
	enum dit_dn_form form;
	struct dit_span in; /* what is left to read */
	int error;          /* of a name or of memory */
};

static bool take(struct asserting *a, struct dit_span text)
{
	return dit_cut_prefix(&a->in, text);
}

/* A bracket or comma, with spaces on both sides. */
static bool take_mark(struct asserting *a, const char *mark)
{
	(void)dit_cut_spaces(&a->in);
	if (!take(a, dit_span_of(mark))) {
		return false;
	}
	(void)dit_cut_spaces(&a->in);
	return true;
}

/* A word and the spaces after it, of which there is at least one. */
static bool take_word(struct asserting *a, const char *word)
{
	return take(a, dit_span_of(word)) && dit_cut_spaces(&a->in);
}

/* Digits in a row; a zero in front must be alone unless @p any_zero. */
static bool take_digits(struct asserting *a, bool is_hex, bool any_zero)
{
	size_t n = 0;

	while (n < a->in.len && (is_hex ? dit_ascii_hex(a->in.data[n]) >= 0
	                                : dit_ascii_is_digit(a->in.data[n]))) {
		n++;
	}
	if (n > 1 && a->in.data[0] == '0' && !any_zero) {
		return false;
	}
	dit_cut(&a->in, n);
	return n > 0 || is_hex;
}

static int number_digits(struct asserting *a, struct dit_span text, struct dit_span *ret)
{
	struct dit_number number;

	if (text.len > DIT_NUMBER_TEXT_MAX) {
		return DIT_E_INVALID;
	}
	dit_number_read(&number, text);
	return dit_serial_number(
		(struct dit_span){(const char *)dit_number_first(&number), number.len},
		a->scope->arena, ret);
}

/* A number; its text in the pretty form, "'AB'H" in the normal form. */
static bool take_number(struct asserting *a, struct dit_span *ret)
{
	struct dit_span text = {a->in.data, 0};
	bool is_taken = false;

	if (take(a, DIT_SPAN("'"))) {
		is_taken = take_digits(a, true, false) && dit_cut_char(&a->in, '\'') &&
		           dit_cut_char(&a->in, 'H');
	} else if (take(a, DIT_SPAN("0x"))) {
		is_taken = take_digits(a, true, false);
	} else {
		bool is_negative = take(a, DIT_SPAN("-"));

		is_taken = take_digits(a, false, is_negative);
	}
	text.len = (size_t)(a->in.data - text.data);
	if (!is_taken || a->form == DIT_DN_PRETTY) {
		*ret = text;
		return is_taken;
	}
	a->error = number_digits(a, text, ret);
	return a->error == 0;
}

/* Text in quotes, of which those in the text are doubled. */
static bool take_quoted(struct asserting *a, struct dit_span *ret)
{
	char *start = dit_arena_bytes(a->scope->arena, a->in.len);
	char *to = start;

	if (start == NULL) {
		a->error = -ENOMEM;
		return false;
	}
	if (!take(a, DIT_SPAN("\""))) {
		return false;
	}
	while (a->in.len > 0) {
		if (take(a, DIT_SPAN("\"")) && !(a->in.len > 0 && a->in.data[0] == '"')) {
			*ret = (struct dit_span){start, (size_t)(to - start)};
			return true;
		}
		*to++ = a->in.data[0];
		dit_cut(&a->in, 1);
	}
	return false;
}

static bool take_name(struct asserting *a, struct dit_span *ret)
{
	struct dit_span dn = {0};

	if (!take_quoted(a, &dn)) {
		return false;
	}
	a->error = dit_scope_dn(a->scope, a->form, dn, ret);
	return a->error == 0;
}

/* One of the components of a certificate assertion; @p ret: number, name. */
static bool take_serial_or_issuer(struct asserting *a, struct dit_span ret[2])
{
	if (ret[0].data == NULL && take_word(a, "serialNumber")) {
		return take_number(a, &ret[0]);
	}
	if (ret[1].data == NULL && take_word(a, "issuer")) {
		(void)take(a, DIT_SPAN("rdnSequence:"));
		return take_name(a, &ret[1]);
	}
	return false;
}

static bool take_issuer_or_time(struct asserting *a, struct dit_span ret[2])
{
	if (ret[0].data == NULL && take_word(a, "issuer")) {
		return take(a, DIT_SPAN("rdnSequence:")) && take_name(a, &ret[0]);
	}
	if (ret[1].data == NULL && take_word(a, "thisUpdate")) {
		return take_quoted(a, &ret[1]) && dit_is_utc_time(ret[1]);
	}
	return false;
}

static bool take_base_part(struct asserting *a, struct dit_span ret[2])
{
	if (ret[0].data == NULL && take_word(a, "issuer")) {
		return take_mark(a, "{") &&
		       take(a, DIT_SPAN("directoryName:rdnSequence:")) &&
		       take_name(a, &ret[0]) && take_mark(a, "}");
	}
	if (ret[1].data == NULL && take_word(a, "serial")) {
		return take_number(a, &ret[1]);
	}
	return false;
}

/* Does the text begin and end with its brackets? */
static bool is_in_brackets(struct dit_span text)
{
	return text.len > 1 && text.data[0] == '{' && text.data[text.len - 1] == '}';
}

/* Two components in brackets, in either order. */
static bool take_pair(struct asserting *a, struct dit_span ret[2],
                      bool (*component)(struct asserting *a, struct dit_span ret[2]))
{
	return take_mark(a, "{") && component(a, ret) && take_mark(a, ",") &&
	       component(a, ret) && take_mark(a, "}");
}

/* @p ret: number, name and number of the issuer's certificate */
static bool take_serial_or_base(struct asserting *a, struct dit_span ret[3])
{
	if (ret[0].data == NULL && take_word(a, "serialNumber")) {
		return take_number(a, &ret[0]);
	}
	if (ret[1].data == NULL && take_word(a, "issuer")) {
		return take_mark(a, "{") && take_word(a, "baseCertificateID") &&
		       take_pair(a, &ret[1], take_base_part) && take_mark(a, "}");
	}
	return false;
}

/* "05$cn=a", as it was before GSER. */
static bool take_old(struct asserting *a, struct dit_span ret[2])
{
	struct dit_span number = a->in;

	if (!take_digits(a, false, true)) {
		return false;
	}
	number.len -= a->in.len;
	while (number.len > 1 && number.data[0] == '0') {
		dit_cut(&number, 1);
	}
	if (!take(a, DIT_SPAN("$"))) {
		return false;
	}
	ret[0] = number;
	if (a->form == DIT_DN_NORM) {
		a->error = number_digits(a, number, &ret[0]);
	}
	a->error = a->error ?: dit_scope_dn(a->scope, a->form, a->in, &ret[1]);
	a->in.len = 0;
	return a->error == 0;
}

static int result_of(const struct asserting *a, bool is_taken)
{
	if (a->error != 0) {
		return a->error;
	}
	return is_taken && a->in.len == 0 ? 0 : DIT_E_INVALID;
}

int dit_scope_cert_assertion(const struct dit_value_scope *scope, enum dit_dn_form form,
                             struct dit_span value, struct dit_span *ret)
{
	struct asserting a = {.scope = scope, .form = form, .in = value};
	struct dit_span found[2] = {{0}};
	int r = value.len < 3 ? DIT_E_INVALID : 0;

	if (r == 0) {
		r = result_of(&a, is_in_brackets(value)
		                          ? take_pair(&a, found, take_serial_or_issuer)
		                          : take_old(&a, found));
	}
	return r < 0 ? r : dit_put_parts(DIT_CERTIFICATE, found, scope->arena, ret);
}

int dit_scope_list_assertion(const struct dit_value_scope *scope, enum dit_dn_form form,
                             struct dit_span value, struct dit_span *ret)
{
	struct asserting a = {.scope = scope, .form = form, .in = value};
	struct dit_span found[2] = {{0}};
	int r = result_of(&a, is_in_brackets(value) &&
	                              take_pair(&a, found, take_issuer_or_time));

	return r < 0 ? r : dit_put_parts(DIT_CERTIFICATE_LIST, found, scope->arena, ret);
}

int dit_scope_attr_cert_assertion(const struct dit_value_scope *scope,
                                  enum dit_dn_form form, struct dit_span value,
                                  struct dit_span *ret)
{
	struct asserting a = {.scope = scope, .form = form, .in = value};
	struct dit_span found[3] = {{0}};
	int r = result_of(&a, is_in_brackets(value) &&
	                              take_pair(&a, found, take_serial_or_base));

	return r < 0 ? r
	             : dit_put_parts(DIT_ATTRIBUTE_CERTIFICATE, found, scope->arena, ret);
}
