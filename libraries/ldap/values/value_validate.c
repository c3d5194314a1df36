/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Syntaxes: which values they accept, and their pretty forms (values.md 3.7).
 *
 * The table says which pattern or function belongs to which validator.
 */
#include "values/value.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "values/utf8_prep.h"
#include "values/value_scope.h"

/* Parts of nisNetgroupTriple and bootParameter. */
#define NETGROUP_PART "[-.;0-9A-Za-z]*"
#define PRINTABLE     "[0-9A-Za-z'()+,./:? =-]"
#define SID           DIT_HEX "{3}"
#define UUID          DIT_HEX "{8}-" DIT_HEX "{4}-" DIT_HEX "{4}-" DIT_HEX "{4}-" DIT_HEX "{12}"

static bool is_printables(struct dit_span text)
{
	return dit_pattern_of_parts(text, '$', PRINTABLE "+");
}

static bool is_nonempty_utf8(struct dit_span text)
{
	return text.len > 0 && dit_utf8_is_valid(text);
}

bool dit_is_integer(struct dit_span text)
{
	return dit_pattern_is(text, "0|-?[1-9]" DIT_DIGIT "*");
}

bool dit_is_numericoid(struct dit_span text)
{
	return dit_pattern_of_parts(text, '.', "0|[1-9]" DIT_DIGIT "*");
}

static bool is_oid_or_descriptor(struct dit_span text)
{
	return dit_pattern_is(text, DIT_ALPHA DIT_NAME "*") ||
	       (text.len > 0 && memchr(text.data, '.', text.len) != NULL &&
	        dit_is_numericoid(text));
}

/* A backslash introduces the digits of '$' or of a backslash. */
static bool is_postal_address(struct dit_span text)
{
	struct dit_span rest = text;

	while (rest.len > 0 && dit_pattern_cut(&rest, "\\24|\\5[Cc]|[^\\]+")) {
	}
	return rest.len == 0 && dit_utf8_is_valid(text);
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
	struct dit_span oid = {0};

	if (!dit_pattern_cut(&text, "{ *")) {
		return false;
	}
	oid = text;
	(void)dit_pattern_cut(&text, "[^ }]*");
	oid.len -= text.len;
	is_apart = dit_cut_spaces(&text);
	if (is_apart && dit_cut_prefix(&text, DIT_SPAN("criticality"))) {
		if (!dit_pattern_cut(&text, " +TRUE| +FALSE")) {
			return false;
		}
		is_apart = dit_cut_spaces(&text);
	}
	if (is_apart && dit_cut_prefix(&text, DIT_SPAN("controlValue"))) {
		if (!dit_pattern_cut(&text, " +\"")) {
			return false;
		}
		while (dit_pattern_cut(&text, DIT_HEX "{2}")) {
		}
		if (!dit_pattern_cut(&text, "\" *")) {
			return false;
		}
	}
	return dit_is_numericoid(oid) && dit_span_eq(text, DIT_SPAN("}"));
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
	if (!dit_pattern_is(value, UUID "|" SID)) {
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
	/* A value is valid if it fits, or this is true, or the form can be made. */
	const char *pattern;
	bool (*is_valid)(struct dit_span text);
	enum dit_dn_form form;
	dit_form_fn *make; /* NULL: no form but the value */
} syntaxes[] = {
	[DIT_VALID_NONE] = {.is_valid = is_anything},
	[DIT_VALID_ANY] = {.is_valid = is_anything},
	[DIT_VALID_UTF8] = {.is_valid = dit_utf8_is_valid},
	[DIT_VALID_UTF8_NONEMPTY] = {.is_valid = is_nonempty_utf8},
	[DIT_VALID_IA5] = {.is_valid = dit_ascii_is},
	[DIT_VALID_PRINTABLE] = {.pattern = PRINTABLE "+"},
	[DIT_VALID_PRINTABLES] = {.is_valid = is_printables},
	[DIT_VALID_COUNTRY] = {.pattern = PRINTABLE "{2}"},
	[DIT_VALID_NUMERIC] = {.pattern = "[0-9 ]+"},
	[DIT_VALID_INTEGER] = {.is_valid = dit_is_integer},
	[DIT_VALID_BOOLEAN] = {.pattern = "TRUE|FALSE"},
	[DIT_VALID_BIT_STRING] = {.pattern = DIT_BIT_STRING},
	[DIT_VALID_NUMERICOID] = {.is_valid = dit_is_numericoid},
	[DIT_VALID_OID_OR_DESCRIPTOR] = {.is_valid = is_oid_or_descriptor},
	[DIT_VALID_GENERALIZED_TIME] = {.is_valid = dit_is_time},
	[DIT_VALID_POSTAL_ADDRESS] = {.is_valid = is_postal_address},
	[DIT_VALID_DELIVERY_METHOD] = {.is_valid = is_delivery_method},
	[DIT_VALID_NIS_NETGROUP] = {.pattern = "(" NETGROUP_PART "," NETGROUP_PART
                                               "," NETGROUP_PART ")"},
	[DIT_VALID_BOOT_PARAMETER] = {.pattern = NETGROUP_PART "=" NETGROUP_PART
                                                               ":" PRINTABLE "*"},
	[DIT_VALID_SEQUENCE] = {.is_valid = dit_der_is_sequence},
	[DIT_VALID_CERTIFICATE] = {.is_valid = dit_der_is_certificate},
	[DIT_VALID_CERTIFICATE_LIST] = {.is_valid = dit_der_is_certificate_list},
	[DIT_VALID_ATTRIBUTE_CERTIFICATE] = {.is_valid =
                                                     dit_der_is_attribute_certificate},
	[DIT_VALID_PRIVATE_KEY] = {.is_valid = dit_der_is_private_key},
	[DIT_VALID_LOGGED_CONTROL] = {.is_valid = is_logged_control},
	[DIT_VALID_REJECT_ALL] = {.is_valid = is_nothing},
	[DIT_VALID_UUID] = {.pattern = UUID, .make = pretty_lower},
	[DIT_VALID_SID] = {.pattern = SID, .make = pretty_lower},
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

	if (syntaxes[validator].pattern != NULL) {
		return dit_pattern_is(value, syntaxes[validator].pattern) ? 0
		                                                          : DIT_E_INVALID;
	}
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
