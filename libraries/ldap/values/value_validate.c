/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Syntaxes: which values they accept, and their pretty forms (values.md 3.7).
 *
 * Small character-level grammars, one predicate each, and the table that says which
 * predicate belongs to which validator.
 */
#include "values/value.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
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

/* Are all parts between '$' of that kind? */
static bool all_parts_are(struct dit_span text, bool (*is_kind)(struct dit_span part))
{
	struct dit_span part = {0};

	while (dit_cut_until(&text, '$', &part)) {
		if (!is_kind(part)) {
			return false;
		}
	}
	return is_kind(part);
}

static bool is_printables(struct dit_span text)
{
	return all_parts_are(text, is_printable);
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

static bool is_uuid(struct dit_span text)
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
	return all_parts_are(text, is_address_line);
}

static bool is_delivery_word(struct dit_span word)
{
	static const char *const words[] = {
		"any",   "mhs", "physical", "telex",     "teletex", "g3fax",
		"g4fax", "ia5", "videotex", "telephone", NULL,
	};

	return dit_ascii_is_one_of(word, words);
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

/* ---- pretty forms ---- */

/* The syntaxes tell themselves apart: a UUID is longer than a server ID. */
static int pretty_lower(const struct dit_value_scope *scope, enum dit_dn_form form,
                        struct dit_span value, struct dit_span *ret)
{
	char *to = NULL;

	(void)form;
	if (!is_uuid(value) && !is_sid(value)) {
		return DIT_E_INVALID;
	}
	to = dit_arena_bytes(scope->arena, value.len);
	if (to == NULL) {
		return -ENOMEM;
	}
	dit_ascii_copy_lower(to, value);
	*ret = (struct dit_span){to, value.len};
	return 0;
}

static int pretty_class_name(const struct dit_value_scope *scope, enum dit_dn_form form,
                             struct dit_span value, struct dit_span *ret)
{
	const struct dit_class *oc = dit_schema_find_class(scope->schema, value);

	(void)form;
	if (oc == NULL) {
		return DIT_E_INVALID;
	}
	*ret = dit_span_of(oc->name);
	return 0;
}

/* ---- the table ---- */

static const struct {
	bool (*is_valid)(struct dit_span text); /* NULL: if the form can be made */
	dit_form_fn *make;                      /* NULL: no form but the value */
	enum dit_dn_form form;                  /* that a valid value must have */
} syntaxes[] = {
	[DIT_VALID_NONE] = {.is_valid = is_anything},
	[DIT_VALID_ANY] = {.is_valid = is_anything},
	[DIT_VALID_UTF8] = {.is_valid = dit_utf8_is_valid},
	[DIT_VALID_UTF8_NONEMPTY] = {.is_valid = is_nonempty_utf8},
	[DIT_VALID_IA5] = {.is_valid = dit_ascii_is},
	[DIT_VALID_PRINTABLE] = {.is_valid = is_printable},
	[DIT_VALID_PRINTABLES] = {.is_valid = is_printables},
	[DIT_VALID_COUNTRY] = {.is_valid = is_country},
	[DIT_VALID_NUMERIC] = {.is_valid = is_numeric},
	[DIT_VALID_INTEGER] = {.is_valid = dit_is_integer},
	[DIT_VALID_BOOLEAN] = {.is_valid = is_boolean},
	[DIT_VALID_BIT_STRING] = {.is_valid = dit_is_bit_string},
	[DIT_VALID_NUMERICOID] = {.is_valid = dit_is_numericoid},
	[DIT_VALID_OID_OR_DESCRIPTOR] = {.is_valid = is_oid_or_descriptor},
	[DIT_VALID_GENERALIZED_TIME] = {.is_valid = dit_is_time},
	[DIT_VALID_POSTAL_ADDRESS] = {.is_valid = is_postal_address},
	[DIT_VALID_DELIVERY_METHOD] = {.is_valid = is_delivery_method},
	[DIT_VALID_NIS_NETGROUP] = {.is_valid = is_netgroup_triple},
	[DIT_VALID_BOOT_PARAMETER] = {.is_valid = is_boot_parameter},
	[DIT_VALID_SEQUENCE] = {.is_valid = dit_der_is_sequence},
	[DIT_VALID_CERTIFICATE] = {.is_valid = dit_der_is_certificate},
	[DIT_VALID_CERTIFICATE_LIST] = {.is_valid = dit_der_is_certificate_list},
	[DIT_VALID_ATTRIBUTE_CERTIFICATE] = {.is_valid =
                                                     dit_der_is_attribute_certificate},
	[DIT_VALID_PRIVATE_KEY] = {.is_valid = dit_der_is_private_key},
	[DIT_VALID_LOGGED_CONTROL] = {.is_valid = is_logged_control},
	[DIT_VALID_REJECT_ALL] = {.is_valid = is_nothing},
	[DIT_VALID_UUID] = {.is_valid = is_uuid, .make = pretty_lower},
	[DIT_VALID_SID] = {.is_valid = is_sid, .make = pretty_lower},
	[DIT_VALID_CSN] = {.is_valid = dit_is_csn, .make = dit_csn_normalize},
	[DIT_VALID_CLASS_NAME] = {.is_valid = is_oid_or_descriptor,
                                  .make = pretty_class_name},
	[DIT_VALID_DN] = {.make = dit_scope_dn, .form = DIT_DN_NONE},
	[DIT_VALID_NAME_UID] = {.make = dit_scope_name_uid, .form = DIT_DN_NONE},
	[DIT_VALID_RDN] = {.make = dit_scope_rdn, .form = DIT_DN_NONE},
	[DIT_VALID_AUTHZ] = {.make = dit_scope_authz, .form = DIT_DN_NORM},
	[DIT_VALID_CERT_EXACT_ASSERTION] = {.make = dit_scope_certificate,
                                            .form = DIT_DN_PRETTY},
	[DIT_VALID_CERTLIST_EXACT_ASSERTION] = {.make = dit_scope_certificate_list,
                                                .form = DIT_DN_PRETTY},
	[DIT_VALID_ATTRCERT_EXACT_ASSERTION] = {.make = dit_scope_attribute_certificate,
                                                .form = DIT_DN_PRETTY},
	[DIT_VALID_ACI] = {.make = dit_scope_aci, .form = DIT_DN_PRETTY},
};

int dit_scope_validate(const struct dit_value_scope *scope, enum dit_validator validator,
                       struct dit_span value)
{
	struct dit_span ret = {0};

	if (syntaxes[validator].is_valid != NULL) {
		return syntaxes[validator].is_valid(value) ? 0 : DIT_E_INVALID;
	}
	return syntaxes[validator].make(scope, syntaxes[validator].form, value, &ret);
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

int dit_scope_pretty(const struct dit_value_scope *scope, enum dit_validator validator,
                     struct dit_span value, struct dit_span *ret)
{
	int r = 0;

	if (!dit_has_pretty(validator)) {
		*ret = value.len > 0 ? value : DIT_SPAN("");
		return 0;
	}
	r = syntaxes[validator].make(scope, DIT_DN_PRETTY, value, ret);
	if (r == DIT_E_INVALID && validator == DIT_VALID_CERT_EXACT_ASSERTION) {
		*ret = value; /* slapd keeps what it cannot read */
		r = 0;
	}
	return r;
}

int dit_value_pretty(const struct dit_schema *schema, enum dit_validator validator,
                     struct dit_span value, struct dit_arena *arena, struct dit_span *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};
	int r = dit_scope_pretty(&scope, validator, value, ret);

	return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
}
