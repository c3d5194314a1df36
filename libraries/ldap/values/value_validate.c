/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Syntaxes: which values they accept (values.md 3.7).
 *
 * Small character-level grammars, one predicate each, and the table that says which
 * predicate belongs to which validator.
 */
#include "values/value.h"

#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "values/der.h"
#include "values/utf8_prep.h"
#include "values/value_scope.h"

#define SID_LEN  3
#define UUID_LEN 36

static bool is_printable_char(char c)
{
	return dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) ||
	       (c != '\0' && strchr("'()+,-./:? =", c) != NULL);
}

/* Characters of the parts of nisNetgroupTriple and bootParameter. */
static bool is_netgroup_char(char c)
{
	return dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) ||
	       (c != '\0' && strchr("-.;", c) != NULL);
}

/* Are all characters of that kind? Yes if there are none. */
static bool all_are(struct dit_span text, bool (*is_kind)(char c))
{
	for (size_t i = 0; i < text.len; i++) {
		if (!is_kind(text.data[i])) {
			return false;
		}
	}
	return true;
}

static bool is_printable(struct dit_span text)
{
	return text.len > 0 && all_are(text, is_printable_char);
}

static bool is_printables(struct dit_span text)
{
	struct dit_span part = {0};

	while (dit_cut_until(&text, '$', &part)) {
		if (!is_printable(part)) {
			return false;
		}
	}
	return is_printable(part);
}

static bool is_numeric_char(char c)
{
	return dit_ascii_is_digit(c) || c == ' ';
}

static bool is_numeric(struct dit_span text)
{
	return text.len > 0 && all_are(text, is_numeric_char);
}

static bool is_nonempty_utf8(struct dit_span text)
{
	return text.len > 0 && dit_utf8_is_valid(text);
}

static bool is_country(struct dit_span text)
{
	return text.len == 2 && is_printable(text);
}

static bool is_boolean(struct dit_span text)
{
	return dit_span_eq(text, DIT_SPAN("TRUE")) ||
	       dit_span_eq(text, DIT_SPAN("FALSE"));
}

bool dit_is_integer(struct dit_span text)
{
	if (dit_span_eq(text, DIT_SPAN("0"))) {
		return true;
	}
	(void)dit_cut_char(&text, '-');
	return text.len > 0 && text.data[0] != '0' && all_are(text, dit_ascii_is_digit);
}

static bool is_bit(char c)
{
	return c == '0' || c == '1';
}

bool dit_is_bit_string(struct dit_span text)
{
	return text.len >= strlen("''B") && text.data[0] == '\'' &&
	       text.data[text.len - 2] == '\'' && text.data[text.len - 1] == 'B' &&
	       all_are((struct dit_span){text.data + 1, text.len - strlen("''B")},
	               is_bit);
}

/* Digit groups without leading zeros, joined by dots. */
bool dit_is_numericoid(struct dit_span text)
{
	bool at_start = true;
	bool is_zero = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '.') {
			if (at_start) {
				return false;
			}
			at_start = true;
		} else if (!dit_ascii_is_digit(c) || (!at_start && is_zero)) {
			return false;
		} else {
			is_zero = at_start && c == '0';
			at_start = false;
		}
	}
	return !at_start;
}

static bool is_oid_or_descriptor(struct dit_span text)
{
	if (text.len > 0 && dit_ascii_is_alpha(text.data[0])) {
		return all_are(text, dit_ascii_is_name);
	}
	return text.len > 0 && memchr(text.data, '.', text.len) != NULL &&
	       dit_is_numericoid(text);
}

static bool is_hex_char(char c)
{
	return dit_ascii_hex(c) >= 0;
}

bool dit_is_hex(struct dit_span text)
{
	return all_are(text, is_hex_char);
}

static bool is_sid(struct dit_span text)
{
	return text.len == SID_LEN && dit_is_hex(text);
}

bool dit_is_uuid(struct dit_span text)
{
	if (text.len != UUID_LEN) {
		return false;
	}
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text.data[i] != '-' : !is_hex_char(text.data[i])) {
			return false;
		}
	}
	return true;
}

static bool is_address_line(struct dit_span line)
{
	for (size_t i = 0; i < line.len; i++) {
		struct dit_span pair = {line.data + i + 1, 2};

		if (line.data[i] == '\\' &&
		    (line.len - i < 3 || (!dit_span_eq(pair, DIT_SPAN("24")) &&
		                          !dit_span_eq_nocase(pair, DIT_SPAN("5C"))))) {
			return false;
		}
	}
	return dit_utf8_is_valid(line);
}

static bool is_postal_address(struct dit_span text)
{
	struct dit_span line = {0};

	while (dit_cut_until(&text, '$', &line)) {
		if (!is_address_line(line)) {
			return false;
		}
	}
	return is_address_line(line);
}

static bool is_delivery_word(struct dit_span word)
{
	static const char *const words[] = {
		"any",   "mhs",   "physical", "telex",    "teletex",
		"g3fax", "g4fax", "ia5",      "videotex", "telephone",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (dit_span_eq_nocase(word, dit_span_of(words[i]))) {
			return true;
		}
	}
	return false;
}

/* Words between '$'; spaces only around the '$'. */
static bool is_delivery_method(struct dit_span text)
{
	struct dit_span word = {0};

	while (dit_cut_until(&text, '$', &word)) {
		while (word.len > 0 && word.data[word.len - 1] == ' ') {
			word.len--;
		}
		(void)dit_cut_spaces(&text);
		if (!is_delivery_word(word)) {
			return false;
		}
	}
	return is_delivery_word(word);
}

static bool is_netgroup_triple(struct dit_span text)
{
	struct dit_span part = {0};

	if (text.len < strlen("(,,)") || text.data[0] != '(' ||
	    text.data[text.len - 1] != ')') {
		return false;
	}
	dit_cut(&text, 1);
	text.len--;
	for (int i = 0; i < 2; i++) {
		if (!dit_cut_until(&text, ',', &part) ||
		    !all_are(part, is_netgroup_char)) {
			return false;
		}
	}
	return all_are(text, is_netgroup_char);
}

static bool is_boot_parameter(struct dit_span text)
{
	struct dit_span key = {0};
	struct dit_span server = {0};

	return dit_cut_until(&text, '=', &key) && all_are(key, is_netgroup_char) &&
	       dit_cut_until(&text, ':', &server) && all_are(server, is_netgroup_char) &&
	       all_are(text, is_printable_char);
}

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

/*
 * Controls of a request as the overlay accesslog writes them down:
 *
 *   {1.2.840.113556.1.4.319 criticality TRUE controlValue "30050201020400"}
 *
 * criticality and controlValue may be missing, and come in this order. Words are read in
 * either case, but for TRUE and FALSE; the control value is pairs of hexadecimal digits.
 * There may be more spaces than one, and around the whole inside the braces.
 */
static bool is_logged_control(struct dit_span text)
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

static bool is_anything(struct dit_span text)
{
	(void)text;
	return true;
}

static bool is_nothing(struct dit_span text)
{
	(void)text;
	return false;
}

/* Those that need neither schema nor arena. */
static bool (*const predicates[])(struct dit_span text) = {
	[DIT_VALID_NONE] = is_anything,
	[DIT_VALID_ANY] = is_anything,
	[DIT_VALID_UTF8] = dit_utf8_is_valid,
	[DIT_VALID_UTF8_NONEMPTY] = is_nonempty_utf8,
	[DIT_VALID_IA5] = dit_ascii_is,
	[DIT_VALID_PRINTABLE] = is_printable,
	[DIT_VALID_PRINTABLES] = is_printables,
	[DIT_VALID_COUNTRY] = is_country,
	[DIT_VALID_NUMERIC] = is_numeric,
	[DIT_VALID_INTEGER] = dit_is_integer,
	[DIT_VALID_BOOLEAN] = is_boolean,
	[DIT_VALID_BIT_STRING] = dit_is_bit_string,
	[DIT_VALID_NUMERICOID] = dit_is_numericoid,
	[DIT_VALID_OID_OR_DESCRIPTOR] = is_oid_or_descriptor,
	[DIT_VALID_GENERALIZED_TIME] = dit_is_time,
	[DIT_VALID_POSTAL_ADDRESS] = is_postal_address,
	[DIT_VALID_DELIVERY_METHOD] = is_delivery_method,
	[DIT_VALID_NIS_NETGROUP] = is_netgroup_triple,
	[DIT_VALID_BOOT_PARAMETER] = is_boot_parameter,
	[DIT_VALID_UUID] = dit_is_uuid,
	[DIT_VALID_SEQUENCE] = dit_der_is_sequence,
	[DIT_VALID_CERTIFICATE] = dit_der_is_certificate,
	[DIT_VALID_CERTIFICATE_LIST] = dit_der_is_certificate_list,
	[DIT_VALID_ATTRIBUTE_CERTIFICATE] = dit_der_is_attribute_certificate,
	[DIT_VALID_PRIVATE_KEY] = dit_der_is_private_key,
	[DIT_VALID_CSN] = dit_is_csn,
	[DIT_VALID_SID] = is_sid,
	[DIT_VALID_LOGGED_CONTROL] = is_logged_control,
	[DIT_VALID_REJECT_ALL] = is_nothing,
};

/* Those that make a form of the value; the one that must exist. */
static const struct {
	dit_form_fn make;
	enum dit_dn_form form;
} forms[] = {
	[DIT_VALID_DN] = {dit_scope_dn, DIT_DN_NONE},
	[DIT_VALID_NAME_UID] = {dit_scope_name_uid, DIT_DN_NONE},
	[DIT_VALID_RDN] = {dit_scope_rdn, DIT_DN_NONE},
	[DIT_VALID_AUTHZ] = {dit_scope_authz, DIT_DN_NORM},
	[DIT_VALID_CERT_EXACT_ASSERTION] = {dit_scope_cert_assertion, DIT_DN_PRETTY},
	[DIT_VALID_CERTLIST_EXACT_ASSERTION] = {dit_scope_list_assertion, DIT_DN_PRETTY},
	[DIT_VALID_ATTRCERT_EXACT_ASSERTION] = {dit_scope_attr_cert_assertion,
                                                DIT_DN_PRETTY},
	[DIT_VALID_ACI] = {dit_scope_aci, DIT_DN_PRETTY},
};

int dit_scope_validate(const struct dit_value_scope *scope, enum dit_validator validator,
                       struct dit_span value)
{
	struct dit_span ret = {0};

	if ((size_t)validator < sizeof(predicates) / sizeof(predicates[0]) &&
	    predicates[validator] != NULL) {
		return predicates[validator](value) ? 0 : DIT_E_INVALID;
	}
	if ((size_t)validator < sizeof(forms) / sizeof(forms[0]) &&
	    forms[validator].make != NULL) {
		return forms[validator].make(scope, forms[validator].form, value, &ret);
	}
	return DIT_E_UNSUPPORTED;
}

int dit_value_validate(const struct dit_schema *schema, enum dit_validator validator,
                       struct dit_span value)
{
	struct dit_value_scope scope = {.schema = schema};
	struct dit_arena arena;
	int r = 0;

	/* Only DNs with escaped characters allocate. */
	dit_arena_init(&arena, 1024);
	scope.arena = &arena;
	r = dit_scope_validate(&scope, validator, value);
	dit_arena_deinit(&arena);
	return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
}
