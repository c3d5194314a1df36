/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matching rules: the normal form in which values are compared and indexed
 * (values.md 4).
 */
#include "values/value.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "values/utf8_prep.h"
#include "values/value_scope.h"

#define UUID_LEN   36
#define UUID_BYTES 16

/* values.md 4.2; spaces alone give the empty string. */
static int normalize_ia5(struct dit_span text, bool fold, struct dit_arena *arena,
                         struct dit_span *ret)
{
	unsigned flags = fold ? DIT_ASCII_FOLD : 0;
	char *to = dit_arena_bytes(arena, text.len + DIT_ASCII_SLACK);
	ptrdiff_t n = 0;

	if (to == NULL) {
		return -ENOMEM;
	}
	n = dit_ascii_squeeze(text, flags | DIT_ASCII_NO_NUL, to);
	if (n < 0) { /* a NUL ends the value */
		text.len = strnlen(text.data, text.len);
		n = dit_ascii_squeeze(text, flags | DIT_ASCII_ANY, to);
	}
	dit_arena_trim(arena, to, (size_t)n);
	*ret = (struct dit_span){to, (size_t)n};
	return 0;
}

/* Leave out spaces and @p also; nothing left becomes one space (values.md 4.3, 4.4). */
static int normalize_without(struct dit_span text, char also, struct dit_arena *arena,
                             struct dit_span *ret)
{
	char *to = NULL;
	size_t n = 0;

	if (text.len == 0) {
		return DIT_E_INVALID;
	}
	to = dit_arena_bytes(arena, text.len);
	if (to == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < text.len; i++) {
		to[n] = text.data[i];
		n += text.data[i] != ' ' && text.data[i] != also;
	}
	if (n == 0) {
		to[n++] = ' ';
	}
	dit_arena_trim(arena, to, n);
	*ret = (struct dit_span){to, n};
	return 0;
}

/* slapd reads numeric strings up to a NUL. */
static int normalize_numeric(struct dit_span text, struct dit_arena *arena,
                             struct dit_span *ret)
{
	const char *nul = text.len == 0 ? NULL : memchr(text.data, '\0', text.len);

	if (nul == text.data && text.len > 0) {
		*ret = DIT_SPAN(" ");
		return 0;
	}
	if (nul != NULL) {
		text.len = (size_t)(nul - text.data);
	}
	return normalize_without(text, ' ', arena, ret);
}

/*
 * values.md 4.7: the text to its 16 bytes. slapd looks at the first 36 characters only
 * and skips dashes wherever they are; digits past the 32nd do not count. Bytes for which
 * there are no digits are undefined there and zero here.
 */
static int normalize_uuid(struct dit_span text, struct dit_arena *arena,
                          struct dit_span *ret)
{
	unsigned char *to = NULL;
	size_t ndigits = 0;
	int first = 0; /* digit of a byte */

	if (text.len < UUID_LEN) {
		return DIT_E_INVALID;
	}
	to = dit_arena_calloc(arena, UUID_BYTES, 1);
	if (to == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < UUID_LEN; i++) {
		int digit = dit_ascii_hex(text.data[i]);

		if (text.data[i] == '-') {
			continue;
		}
		if (digit < 0) {
			return DIT_E_INVALID;
		}
		if (ndigits % 2 == 0) {
			first = digit;
		} else if (ndigits < 2 * UUID_BYTES) {
			to[ndigits / 2] = (unsigned char)(first << 4 | digit);
		}
		ndigits++;
	}
	*ret = (struct dit_span){(const char *)to, UUID_BYTES};
	return 0;
}

/* values.md 4.8: "( 1.2.3 NAME 'x' )" is represented by its first word. */
static int normalize_first(const struct dit_value_scope *scope, struct dit_span text,
                           bool (*is_valid)(struct dit_span text), struct dit_span *ret)
{
	struct dit_span word = {0};
	char close = '\0';

	if (scope->is_assertion) {
		*ret = text.len > 0 ? text : DIT_SPAN("");
		return 0;
	}
	if (text.len < 3 || (text.data[0] != '(' && text.data[0] != '{')) {
		return DIT_E_INVALID;
	}
	close = text.data[0] == '(' ? ')' : '}';
	if (text.data[text.len - 1] != close) {
		return DIT_E_INVALID;
	}
	dit_cut(&text, 1);
	text.len--;
	(void)dit_cut_spaces(&text);
	(void)dit_cut_until(&text, ' ', &word);
	if (!is_valid(word)) {
		return DIT_E_INVALID;
	}
	*ret = word;
	return 0;
}

/* An attribute's name becomes the OID of its type; options do not matter. */
static int normalize_type(const struct dit_value_scope *scope, struct dit_span value,
                          struct dit_span *ret)
{
	const struct dit_attr_type *type = NULL;
	struct dit_span name = {0};

	(void)dit_cut_until(&value, ';', &name);
	type = dit_schema_find_type(scope->schema, name);
	if (type == NULL) {
		return DIT_E_INVALID;
	}
	*ret = dit_span_of(type->oid);
	return 0;
}

int dit_scope_normalize(const struct dit_value_scope *scope,
                        enum dit_normalizer normalizer, struct dit_span value,
                        struct dit_span *ret)
{
	struct dit_arena *arena = scope->arena;

	switch (normalizer) {
	case DIT_NORM_UTF8_FOLD:
		return dit_utf8_prep(value, true, arena, ret);
	case DIT_NORM_UTF8_EXACT:
		return dit_utf8_prep(value, false, arena, ret);
	case DIT_NORM_IA5_FOLD:
		return normalize_ia5(value, true, arena, ret);
	case DIT_NORM_IA5_EXACT:
		return normalize_ia5(value, false, arena, ret);
	case DIT_NORM_NUMERIC:
		return normalize_numeric(value, arena, ret);
	case DIT_NORM_TELEPHONE:
		return normalize_without(value, '-', arena, ret);
	case DIT_NORM_POSTAL_LIST:
		*ret = value;
		return dit_scope_lines(scope, true, true, ret);
	case DIT_NORM_GENERALIZED_TIME:
		return dit_time_normalize(value, arena, ret);
	case DIT_NORM_UUID16:
		return normalize_uuid(value, arena, ret);
	case DIT_NORM_FIRST_COMPONENT_INTEGER:
		return normalize_first(scope, value, dit_is_integer, ret);
	case DIT_NORM_FIRST_COMPONENT_OID:
		return normalize_first(scope, value, dit_is_numericoid, ret);
	case DIT_NORM_CSN:
		return dit_csn_normalize(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_CSN_SID:
		/* The assertion is the server ID alone. */
		return scope->is_assertion
		               ? dit_scope_pretty(scope, DIT_VALID_SID, value, ret)
		               : dit_csn_sid_normalize(value, arena, ret);
	case DIT_NORM_DN:
		return dit_scope_dn(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_RDN:
		return dit_scope_rdn(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_NAME_UID:
		return dit_scope_name_uid(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_AUTHZ:
		return dit_scope_authz(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_CERT_EXACT:
		return dit_scope_certificate(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_CERTLIST_EXACT:
		return dit_scope_certificate_list(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_UTC_TIME:
		return dit_utc_time_normalize(value, arena, ret);
	case DIT_NORM_TYPE_OID:
		return normalize_type(scope, value, ret);
	case DIT_NORM_ACI:
		return dit_scope_aci(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_ATTRCERT_EXACT:
		return dit_scope_attribute_certificate(scope, DIT_DN_NORM, value, ret);
	case DIT_NORM_NONE:
		break;
	}
	return DIT_E_UNSUPPORTED;
}

int dit_value_normalize(const struct dit_schema *schema, enum dit_normalizer normalizer,
                        struct dit_span value, struct dit_arena *arena,
                        struct dit_span *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};

	/* Nearly all values: at once. */
	if (normalizer == DIT_NORM_UTF8_FOLD || normalizer == DIT_NORM_UTF8_EXACT) {
		return dit_utf8_prep(value, normalizer == DIT_NORM_UTF8_FOLD, arena, ret);
	}
	return dit_scope_normalize(&scope, normalizer, value, ret);
}

/* n as in a numeric string. */
size_t dit_value_order_prefix(struct dit_span value)
{
	size_t n = 1;

	if (value.len == 0 || value.data[0] != '{') {
		return 0;
	}
	while (n < value.len &&
	       (dit_ascii_is_digit(value.data[n]) || value.data[n] == ' ')) {
		n++;
	}
	return n > 1 && n < value.len && value.data[n] == '}' ? n + 1 : 0;
}

size_t dit_attr_order_prefix(const struct dit_attr_type *type, struct dit_span value)
{
	return dit_type_is_ordered(type) ? dit_value_order_prefix(value) : 0;
}

/* Values may have a prefix. Apart from its caller: few types have such values. */
static __attribute__((noinline)) int normalize_ordered(const struct dit_schema *schema,
                                                       enum dit_normalizer normalizer,
                                                       struct dit_span value,
                                                       struct dit_arena *arena,
                                                       struct dit_span *ret)
{
	size_t n = dit_value_order_prefix(value);
	struct dit_span parts[] = {{value.data, n}, {value.data + n, value.len - n}};
	int r = 0;

	if (n == 0) {
		return dit_value_normalize(schema, normalizer, value, arena, ret);
	}
	r = dit_value_normalize(schema, normalizer, parts[1], arena, &parts[1]);
	return r < 0 ? r : dit_arena_join(arena, parts, 2, ret);
}

int dit_attr_normalize(const struct dit_schema *schema, const struct dit_attr_type *type,
                       struct dit_span value, struct dit_arena *arena,
                       struct dit_span *ret)
{
	enum dit_normalizer normalizer = type->equality->normalizer;

	/*
	 * attributeTypes, objectClasses and their kin have a validator of their own, for
	 * names in requests. slapd applies it to values as well, which are descriptions:
	 * it takes none at all.
	 */
	if (normalizer == DIT_NORM_FIRST_COMPONENT_OID &&
	    type->validator != type->syntax->validator) {
		return DIT_E_INVALID;
	}
	if (dit_type_is_ordered(type)) {
		return normalize_ordered(schema, normalizer, value, arena, ret);
	}
	return dit_value_normalize(schema, normalizer, value, arena, ret);
}
