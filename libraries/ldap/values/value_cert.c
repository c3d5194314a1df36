/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates and revocation lists as their matching rules see them (values.md 4.12):
 *
 *     { serialNumber 'F1234567890ABCDE'H, issuer rdnSequence:"cn=root ca,o=x,c=us" }
 *     { issuer rdnSequence:"cn=root ca,o=x,c=us", thisUpdate "20261120190207Z" }
 *
 * slapd does not check certificates before it makes this of them: it steps into the two
 * outer elements, whatever their lengths say, past the version, and takes what it finds
 * there. Where it runs out of bytes the parts are empty. So they are where an element
 * breaks off, of which slapd reads on after the value; only broken names are refused.
 *
 * libldap makes text of names, as in slapd; here it gets its normal form, in which bytes
 * outside ASCII are escaped.
 */
#include <errno.h>
#include <ldap.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "values/number.h"
#include "values/value_scope.h"

/*
 * Is this the content of a name: SETs of SEQUENCEs of an OID and a value? libldap counts
 * the parts by their lengths and then reads them by what is in them, so both must agree.
 */
static bool is_name(struct dit_span name)
{
	struct dit_span rdn = {0};
	struct dit_span ava = {0};
	struct dit_span part = {0};

	while (name.len > 0) {
		if (!dit_der_take(&name, DIT_DER_SET, &rdn) || rdn.len == 0) {
			return false;
		}
		while (rdn.len > 0) {
			if (!dit_der_take(&rdn, DIT_DER_SEQUENCE, &ava) ||
			    !dit_der_take(&ava, DIT_DER_OID, &part) ||
			    dit_der_next(&ava, &part) == 0 || ava.len != 0) {
				return false;
			}
		}
	}
	return true;
}

/* libldap names types by their OIDs where it has a function to call. */
static int keep_oids(LDAPDN dn, unsigned flags, void *ctx)
{
	(void)dn;
	(void)flags;
	(void)ctx;
	return LDAP_SUCCESS;
}

/* @param text  of a DN; the result does not point into it */
static int normalize_name(const struct dit_value_scope *scope, struct dit_span text,
                          struct dit_span *ret)
{
	struct dit_dn_list list;
	int r = 0;

	dit_dn_list_init(&list, scope, DIT_DN_FORM_BIT(DIT_DN_NORM));
	list.is_hex = true;
	r = dit_dn_list_read(&list, text, UINT_MAX);
	return r < 0 ? r
	             : dit_dn_list_put(&list, DIT_DN_NORM, (struct dit_span){0}, NULL,
	                               ret);
}

/* The normal form of the name that @p in begins with. */
static int name_text(const struct dit_value_scope *scope, struct dit_span in,
                     struct dit_span *ret)
{
	struct berval der = {in.len, (char *)(uintptr_t)in.data};
	struct berval text = {0};
	struct dit_span content = {0};
	int r = DIT_E_INVALID;

	if (!dit_der_take(&in, DIT_DER_SEQUENCE, &content) || !is_name(content)) {
		return DIT_E_INVALID;
	}
	der.bv_len -= in.len;
	r = ldap_X509dn2bv(&der, &text, keep_oids, 0);
	if (r != LDAP_SUCCESS) {
		return r == LDAP_NO_MEMORY ? -ENOMEM : DIT_E_INVALID;
	}
	r = normalize_name(scope, (struct dit_span){text.bv_val, text.bv_len}, ret);
	ldap_memfree(text.bv_val);
	return r;
}

/*
 * Hexadecimal digits of a serial number, without a zero in front: "'AB'H".
 *
 * @param number  two's complement, content of an INTEGER
 *
 * @return 0; DIT_E_INVALID: it is longer than it needs to be; -ENOMEM
 */
static int serial_number(struct dit_span number, struct dit_arena *arena,
                         struct dit_span *ret)
{
	const unsigned char *s = (const unsigned char *)number.data;
	struct dit_text out = {.arena = arena};

	if (number.len == 0) {
		*ret = DIT_SPAN("'0'H");
		return 0;
	}
	/* Nine leading bits alike: there is a shorter encoding of this number. */
	if (number.len > 1 &&
	    ((s[0] == 0x00 && s[1] < 0x80) || (s[0] == 0xFF && s[1] >= 0x80))) {
		return DIT_E_INVALID;
	}
	dit_text_char(&out, '\'');
	for (size_t i = number.len > 1 && s[0] == 0x00 ? 1 : 0; i < number.len; i++) {
		if (out.n > 1 || s[i] >= 0x10) {
			dit_text_char(&out, "0123456789ABCDEF"[s[i] >> 4]);
		}
		dit_text_char(&out, "0123456789ABCDEF"[s[i] & 0x0F]);
	}
	dit_text_span(&out, DIT_SPAN("'H"));
	*ret = (struct dit_span){out.at, out.n};
	return out.failed ? -ENOMEM : 0;
}

/* Take the content that a head announced. @return false: it breaks off */
static bool take_content(struct dit_span *in, size_t len, struct dit_span *ret)
{
	if (len > in->len) {
		return false;
	}
	*ret = (struct dit_span){in->data, len};
	dit_cut(in, len);
	return true;
}

/* Take an element of any kind; none is an empty one. @return false: it breaks off */
static bool take_any(struct dit_span *in, struct dit_span *ret)
{
	size_t len = 0;

	(void)dit_der_head(in, &len);
	return take_content(in, len, ret);
}

/* The same, but of an element that breaks off nothing is taken, and nothing is left. */
static void take_what_is_there(struct dit_span *in, struct dit_span *ret)
{
	if (!take_any(in, ret)) {
		*ret = DIT_SPAN("");
		*in = DIT_SPAN("");
	}
}

/* ---- assertions of the certificate rules: a little of GSER (RFC 3641, RFC 4523) ---- */

/*
 *   certificate            { serialNumber 5, issuer rdnSequence:"CN=A" }
 *                          5$CN=A
 *   certificate list       { issuer rdnSequence:"CN=A", thisUpdate "20200101000000Z" }
 *   attribute certificate  { serialNumber 5, issuer { baseCertificateID {
 *                            issuer { directoryName:rdnSequence:"CN=A" },
 *                            serial 'AB'H } } }
 *
 * Components stand in either order, words in any case. The pretty form orders them and
 * has the pretty form of the name; the normal form is that of a certificate,
 * with numbers as hexadecimal digits.
 *
 * A certificate assertion that cannot be read is its own pretty form, in slapd:
 * value-check takes it, and a DN does if its normal form can be made.
 */

struct asserting {
	const struct dit_value_scope *scope;
	enum dit_dn_form form;
	struct dit_span in; /* what is left to read */
	int error;          /* of a name or of memory */
};

static int number_digits(struct asserting *a, struct dit_span text, struct dit_span *ret)
{
	struct dit_number number;

	if (text.len > DIT_NUMBER_TEXT_MAX) {
		return DIT_E_INVALID;
	}
	dit_number_read(&number, text);
	return serial_number(
		(struct dit_span){(const char *)dit_number_first(&number), number.len},
		a->scope->arena, ret);
}

/* Digits: a zero in front is alone, but for one after a sign. */
#define HEX_DIGITS(begin, end)                                                           \
 begin "0" end "|" begin "[1-9A-Fa-f]" DIT_HEX "*" end "|" begin end

/* A number; its text in the pretty form, "'AB'H" in the normal form. */
static bool take_number(struct asserting *a, struct dit_span *ret)
{
	static const char number[] = HEX_DIGITS("'", "'H") "|" HEX_DIGITS(
		"0[xX]", "") "|-" DIT_DIGIT "+|[1-9]" DIT_DIGIT "*|0";
	struct dit_span text = a->in;

	if (!dit_pattern_cut(&a->in, number)) {
		return false;
	}
	text.len -= a->in.len;
	*ret = text;
	if (a->form != DIT_DN_PRETTY) {
		a->error = number_digits(a, text, ret);
	}
	return a->error == 0;
}

/* Text in quotes, of which those in the text are doubled. */
static bool take_quoted(struct asserting *a, struct dit_span *ret)
{
	struct dit_text out = {.arena = a->scope->arena};

	if (!dit_cut_char(&a->in, '"')) {
		return false;
	}
	while (a->in.len > 0) {
		if (dit_cut_char(&a->in, '"') &&
		    !(a->in.len > 0 && a->in.data[0] == '"')) {
			*ret = out.n > 0 ? (struct dit_span){out.at, out.n}
			                 : DIT_SPAN("");
			a->error = out.failed ? -ENOMEM : 0;
			return !out.failed;
		}
		dit_text_char(&out, a->in.data[0]);
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

/* "05$cn=a", as it was before GSER. */
static bool take_old(struct asserting *a, struct dit_span ret[2])
{
	struct dit_span number = {0};

	if (!dit_cut_until(&a->in, '$', &number) ||
	    !dit_pattern_is(number, DIT_DIGIT "+")) {
		return false;
	}
	while (number.len > 1 && number.data[0] == '0') {
		dit_cut(&number, 1);
	}
	ret[0] = number;
	if (a->form == DIT_DN_NORM) {
		a->error = number_digits(a, number, &ret[0]);
	}
	a->error = a->error ?: dit_scope_dn(a->scope, a->form, a->in, &ret[1]);
	a->in.len = 0;
	return a->error == 0;
}

/*
 * The text that a rule compares, with '%' for its parts: numbers as above, names, the
 * time of a list. The forms of its assertions have these marks:
 *
 *     #0 "1 @1     a number, a name, a time, as part 0 or 1
 *     _            spaces, at least one; a space: any number of them
 *     [word]       may be missing
 */
struct kind {
	const char *text;
	const char *forms[4]; /* components stand in any order */
};

#define CERT_NAME "issuer_[rdnSequence:]\"1"
#define BASE_NAME "issuer_ { directoryName:rdnSequence:\"1 }"
#define BASE_IN   "issuer_ { baseCertificateID_ { "

static const struct kind certificate = {
	"{ serialNumber %, issuer rdnSequence:\"%\" }",
	{"{ serialNumber_#0 , " CERT_NAME " }", "{ " CERT_NAME " , serialNumber_#0 }"},
};
static const struct kind certificate_list = {
	"{ issuer rdnSequence:\"%\", thisUpdate \"%\" }",
	{"{ issuer_rdnSequence:\"0 , thisUpdate_@1 }",
         "{ thisUpdate_@1 , issuer_rdnSequence:\"0 }"},
};
static const struct kind attribute_certificate = {
	"{ serialNumber %, issuer { baseCertificateID { issuer { "
	"directoryName:rdnSequence:\"%\" }, serial % } } }",
	{"{ serialNumber_#0 , " BASE_IN BASE_NAME " , serial_#2 } } }",
         "{ serialNumber_#0 , " BASE_IN "serial_#2 , " BASE_NAME " } } }",
         "{ " BASE_IN BASE_NAME " , serial_#2 } } , serialNumber_#0 }",
         "{ " BASE_IN "serial_#2 , " BASE_NAME " } } , serialNumber_#0 }"},
};

/* Read an assertion. @return false: it has another form, or @p a has the error */
static bool take_form(struct asserting *a, const char *form, struct dit_span *ret)
{
	struct dit_span word = {0};
	bool fits = true;

	for (; fits && *form != '\0'; form++) {
		switch (*form) {
		case ' ':
			(void)dit_cut_spaces(&a->in);
			break;
		case '_':
			fits = dit_cut_spaces(&a->in);
			break;
		case '#':
			fits = take_number(a, &ret[*++form - '0']);
			break;
		case '"':
			fits = take_name(a, &ret[*++form - '0']);
			break;
		case '@':
			form++;
			fits = take_quoted(a, &ret[*form - '0']) &&
			       dit_is_utc_time(ret[*form - '0']);
			break;
		case '[':
			word = (struct dit_span){form + 1, strcspn(form, "]") - 1};
			(void)dit_cut_prefix(&a->in, word);
			form += word.len + 1;
			break;
		default:
			fits = dit_cut_prefix(&a->in, (struct dit_span){form, 1});
		}
	}
	return fits && a->in.len == 0;
}

/* 0 or -ENOMEM */
static int put_parts(const struct kind *kind, const struct dit_span *values,
                     struct dit_arena *arena, struct dit_span *ret)
{
	struct dit_span parts[7];
	struct dit_span rest = dit_span_of(kind->text);
	size_t n = 0;

	while (dit_cut_until(&rest, '%', &parts[n])) {
		parts[n + 1] = *values++;
		n += 2;
	}
	return dit_arena_join(arena, parts, n + 1, ret);
}

static int put_assertion(const struct dit_value_scope *scope, enum dit_dn_form form,
                         const struct kind *kind, struct dit_span value,
                         struct dit_span *ret)
{
	struct asserting a = {.scope = scope, .form = form};
	struct dit_span found[3] = {{0}};
	bool is_taken = false;

	if (value.len < 3) {
		return DIT_E_INVALID;
	}
	for (size_t i = 0; i < 4 && kind->forms[i] != NULL && !is_taken && a.error == 0;
	     i++) {
		a.in = value;
		is_taken = take_form(&a, kind->forms[i], found);
	}
	if (!is_taken && a.error == 0 && kind == &certificate) {
		a.in = value;
		is_taken = take_old(&a, found);
	}
	if (!is_taken) {
		return a.error ?: DIT_E_INVALID;
	}
	return put_parts(kind, found, scope->arena, ret);
}

/* ---- certificates ---- */

int dit_scope_certificate(const struct dit_value_scope *scope, enum dit_dn_form form,
                          struct dit_span value, struct dit_span *ret)
{
	struct dit_span values[2] = {{0}, DIT_SPAN("")}; /* number and issuer */
	struct dit_span skipped = {0};
	struct dit_span name = {0};
	struct dit_span rest = {0};
	unsigned tag = 0;
	size_t len = 0;
	int r = 0;

	if (form == DIT_DN_PRETTY || scope->is_assertion) {
		return put_assertion(scope, form, &certificate, value, ret);
	}
	if (value.len == 0) {
		return DIT_E_INVALID;
	}
	(void)dit_der_head(&value, &len); /* what is signed, and the signature */
	(void)dit_der_head(&value, &len); /* what is signed */
	if (value.len > 0 && (unsigned char)value.data[0] == DIT_DER_CONTEXT(0)) {
		(void)dit_der_head(&value, &len);
		take_what_is_there(&value, &skipped); /* version */
	}
	take_what_is_there(&value, &values[0]);
	take_what_is_there(&value, &skipped); /* algorithm */
	rest = value;
	tag = dit_der_head(&value, &len);
	if (!take_content(&value, len, &name)) {
		return DIT_E_INVALID;
	}
	r = serial_number(values[0], scope->arena, &values[0]);
	if (r == 0 && tag != 0 && name.len > 0) {
		r = tag == DIT_DER_SEQUENCE ? name_text(scope, rest, &values[1])
		                            : DIT_E_INVALID;
	}
	return r < 0 ? r : put_parts(&certificate, values, scope->arena, ret);
}

/*
 * Generalized time of an update. UTCTime is shorter, with two digits of the year: 70 - 99
 * are 19xx. slapd goes by the length, not by the tag.
 */
static int list_time(struct dit_span time, struct dit_arena *arena, struct dit_span *ret)
{
	struct dit_span parts[] = {DIT_SPAN(""), time};
	int r = 0;

	if (time.len == strlen("YYmmddHHMMSSZ")) {
		parts[0] = time.data[0] < '7' ? DIT_SPAN("20") : DIT_SPAN("19");
	} else if (time.len != strlen("YYYYmmddHHMMSSZ")) {
		return DIT_E_INVALID;
	}
	r = dit_arena_join(arena, parts, 2, ret);
	return r < 0 ? r : dit_is_utc_time(*ret) ? 0 : DIT_E_INVALID;
}

int dit_scope_certificate_list(const struct dit_value_scope *scope, enum dit_dn_form form,
                               struct dit_span value, struct dit_span *ret)
{
	struct dit_span values[2] = {{0}}; /* name and time */
	struct dit_span in = {0};
	struct dit_span content = {0};
	int r = 0;

	if (form == DIT_DN_PRETTY || scope->is_assertion) {
		return put_assertion(scope, form, &certificate_list, value, ret);
	}
	if (value.len == 0) {
		return DIT_E_INVALID;
	}
	if (!dit_der_take(&value, DIT_DER_SEQUENCE, &content) ||
	    !dit_der_take(&content, DIT_DER_SEQUENCE, &in)) {
		return DIT_E_INVALID;
	}
	if (in.len > 0 && (unsigned char)in.data[0] == DIT_DER_INTEGER &&
	    dit_der_version(&in) != 1) {
		return DIT_E_INVALID; /* a list that tells its version */
	}
	if (!dit_der_skip(&in, DIT_DER_SEQUENCE)) {
		return DIT_E_INVALID;
	}
	r = name_text(scope, in, &values[0]);
	(void)dit_der_skip(&in, DIT_DER_SEQUENCE);
	if (r == 0) {
		r = dit_der_take(&in, DIT_DER_UTC_TIME, &content) ||
		                    dit_der_take(&in, DIT_DER_GENERALIZED_TIME, &content)
		            ? list_time(content, scope->arena, &values[1])
		            : DIT_E_INVALID;
	}
	return r < 0 ? r : put_parts(&certificate_list, values, scope->arena, ret);
}

/*
 * The issuer, told by its certificate alone. slapd looks at little of it:
 * [0] { [0] { SEQUENCE { [4] { Name } }, INTEGER } }
 */
static bool take_issuer(struct dit_span *in, struct dit_span *ret_name,
                        struct dit_span *ret_number)
{
	struct dit_span form = {0};
	struct dit_span base = {0};
	struct dit_span names = {0};

	return dit_der_take(in, DIT_DER_CONTEXT(0), &form) &&
	       dit_der_next(&form, &base) != 0 && form.len == 0 &&
	       dit_der_next(&base, &names) != 0 &&
	       dit_der_take(&names, DIT_DER_CONTEXT(4), ret_name) && names.len == 0 &&
	       dit_der_take(&base, DIT_DER_INTEGER, ret_number) && base.len == 0;
}

int dit_scope_attribute_certificate(const struct dit_value_scope *scope,
                                    enum dit_dn_form form, struct dit_span value,
                                    struct dit_span *ret)
{
	struct dit_span
		values[3]; /* number; name and number of the issuer's certificate */
	struct dit_span skipped = {0};
	size_t len = 0;
	int r = 0;

	if (form == DIT_DN_PRETTY || scope->is_assertion) {
		return put_assertion(scope, form, &attribute_certificate, value, ret);
	}
	(void)dit_der_head(&value, &len);  /* what is signed, and the signature */
	(void)dit_der_head(&value, &len);  /* what is signed */
	if (!take_any(&value, &skipped) || /* version */
	    !take_any(&value, &skipped) || /* holder */
	    !take_issuer(&value, &values[1], &values[2]) ||
	    !take_any(&value, &skipped) || /* algorithm */
	    !dit_der_take(&value, DIT_DER_INTEGER, &values[0])) {
		return DIT_E_INVALID;
	}
	r = serial_number(values[0], scope->arena, &values[0]);
	r = r ?: name_text(scope, values[1], &values[1]);
	r = r ?: serial_number(values[2], scope->arena, &values[2]);
	return r < 0 ? r : put_parts(&attribute_certificate, values, scope->arena, ret);
}
