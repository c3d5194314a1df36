/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nearly all values are ASCII that JSON takes as it is. Such a value is copied, and its
 * copy is looked at in blocks. If a byte says that the value needs more, it is written
 * again by the general function. Blanks after the copy fill the last block.
 *
 * A comma follows each value. The last one of an attribute becomes the bracket.
 */
#include "export/export_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "ldif/base64.h"
#include "schema/schema.h"
#include "values/utf8_prep.h"

#define OCTET_STRING    "1.3.6.1.4.1.1466.115.121.1.40"
#define CHARACTER_BYTES 8 /* "\u001f", and the zero byte of sprintf() */
#define ENTRY_ID_BYTES  32

/* ---- members ---- */

static enum dit_export_kind kind_of(const struct dit_syntax *syntax)
{
	if ((syntax->flags & DIT_SYNTAX_OPAQUE) != 0) {
		return DIT_EXPORT_BINARY;
	}
	if (strcmp(syntax->oid, OCTET_STRING) == 0) {
		return DIT_EXPORT_OCTETS;
	}
	return syntax->validator == DIT_VALID_BOOLEAN   ? DIT_EXPORT_BOOLEAN
	       : syntax->validator == DIT_VALID_INTEGER ? DIT_EXPORT_INTEGER
	                                                : DIT_EXPORT_STRING;
}

/* "dn" and "id" are ours: a type of such a name has its OID. A description has no byte
 * that JSON would escape. */
int dit_export_name_member(struct dit_export_name *name, const struct dit_ad *ad)
{
	bool is_ours = dit_span_eq_nocase(name->text, DIT_SPAN("dn")) ||
	               dit_span_eq_nocase(name->text, DIT_SPAN("id"));
	struct dit_span shown =
		is_ours && ad != NULL ? dit_span_of(ad->type->oid) : name->text;
	char *text = NULL;
	int len = asprintf(&text, ",\"%.*s\":[", DIT_SPAN_ARGS(shown));

	if (len < 0) {
		return -ENOMEM;
	}
	name->member = (struct dit_span){text, (size_t)len};
	name->kind = ad == NULL ? DIT_EXPORT_STRING : kind_of(ad->type->syntax);
	return 0;
}

/* ---- values ---- */

typedef signed char block __attribute__((vector_size(16)));

/* Does JSON take these bytes as they are? A block may follow them. Above 0x7f a byte is
 * negative. */
static inline bool is_plain(const char *text, size_t len)
{
	block plain = (block){0} == 0;
	uint64_t halves[2];

	for (size_t at = 0; at < len; at += sizeof(plain)) {
		block bytes;

		memcpy(&bytes, text + at, sizeof(bytes));
		plain &= (bytes >= ' ') & (bytes != '"') & (bytes != '\\');
	}
	memcpy(halves, &plain, sizeof(halves));
	return (halves[0] & halves[1]) == UINT64_MAX;
}

/* Is it written as JSON and slapd do, within the bounds of int64_t? */
static bool is_number(struct dit_span value)
{
	bool is_negative = value.len > 1 && value.data[0] == '-';
	int64_t n = 0;

	if (value.len == 0 || (value.data[is_negative] == '0' && value.len > 1)) {
		return false;
	}
	for (size_t i = is_negative; i < value.len; i++) {
		int digit = value.data[i] - '0';

		if (!dit_ascii_is_digit(value.data[i]) ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, is_negative ? -digit : digit, &n)) {
			return false;
		}
	}
	return true;
}

static int put_base64(struct dit_ldif_text *text, struct dit_span value)
{
	int r = dit_ldif_write_raw(text, DIT_SPAN("{\"base64\":\""));

	r = r ?: dit_ldif_reserve(text, DIT_BASE64_TEXT(value.len));
	if (r == 0) {
		text->len += dit_base64_encode(value, text->data + text->len);
	}
	return r ?: dit_ldif_write_raw(text, DIT_SPAN("\"},"));
}

static int put_character(struct dit_ldif_text *text, struct dit_span c)
{
	char *at = NULL;

	if (dit_ldif_reserve(text, CHARACTER_BYTES) < 0) {
		return -ENOMEM;
	}
	at = text->data + text->len;
	if ((unsigned char)c.data[0] < ' ') {
		at += sprintf(at, "\\u%04x", (unsigned)c.data[0]);
	} else {
		if (c.data[0] == '"' || c.data[0] == '\\') {
			*at++ = '\\';
		}
		at = mempcpy(at, c.data, c.len);
	}
	text->len = (size_t)(at - text->data);
	return 0;
}

/* Any value: with escapes, or in base64. UTF-8 is that of RFC 3629; slapd's has more. */
static int put_general(struct dit_ldif_text *text, enum dit_export_kind kind,
                       struct dit_span value)
{
	size_t start = text->len;
	int r = dit_ldif_write_raw(text, DIT_SPAN("\""));

	for (struct dit_span rest = value; rest.len > 0 && r == 0;) {
		uint32_t c = 0;
		size_t len = dit_utf8_decode(rest, &c);

		if (len == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ||
		    (c < ' ' && kind == DIT_EXPORT_OCTETS)) {
			text->len = start;
			return put_base64(text, value);
		}
		r = put_character(text, (struct dit_span){rest.data, len});
		dit_cut(&rest, len);
	}
	return r ?: dit_ldif_write_raw(text, DIT_SPAN("\","));
}

static int put_text(struct dit_ldif_text *text, enum dit_export_kind kind,
                    struct dit_span value)
{
	char *at = NULL;

	if (dit_ldif_reserve(text, value.len + 2 * sizeof(block)) < 0) {
		return -ENOMEM;
	}
	at = text->data + text->len;
	*at++ = '"';
	if (value.len > 0) {
		memcpy(at, value.data, value.len);
	}
	memset(at + value.len, ' ', sizeof(block));
	if (!is_plain(at, value.len)) {
		return put_general(text, kind, value);
	}
	memcpy(at + value.len, "\",", 2);
	text->len += value.len + 3;
	return 0;
}

static int put_value(struct dit_ldif_text *text, enum dit_export_kind kind,
                     struct dit_span value)
{
	if (kind == DIT_EXPORT_BINARY) {
		return put_base64(text, value);
	}
	if (kind == DIT_EXPORT_BOOLEAN && dit_span_eq(value, DIT_SPAN("TRUE"))) {
		return dit_ldif_write_raw(text, DIT_SPAN("true,"));
	}
	if (kind == DIT_EXPORT_BOOLEAN && dit_span_eq(value, DIT_SPAN("FALSE"))) {
		return dit_ldif_write_raw(text, DIT_SPAN("false,"));
	}
	if (kind == DIT_EXPORT_INTEGER && is_number(value)) {
		return dit_ldif_write_raw(text, value)
		               ?: dit_ldif_write_raw(text, DIT_SPAN(","));
	}
	return put_text(text, kind, value);
}

/* ---- entries ---- */

/* Can an attribute be stored twice, as slapadd 2.5 does where lines stand apart? No: all
 * numbers have bits of their own. */
static bool may_repeat(const struct dit_entry_view *entry)
{
	uint64_t seen = 0;
	bool r = false;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		uint64_t bit = (uint64_t)1 << entry->attrs[i].number % 64;

		r |= (seen & bit) != 0;
		seen |= bit;
	}
	return r;
}

/* The first one has the values of all. */
static bool is_repeated(const struct dit_attr_view *attrs, uint32_t at)
{
	uint32_t i = 0;

	while (attrs[i].number != attrs[at].number) {
		i++;
	}
	return i < at;
}

static int put_member(struct dit_ldif_text *text, const struct dit_export_name *name,
                      const struct dit_attr_view *attr, const struct dit_attr_view *end)
{
	size_t start = text->len;
	size_t begun = start + name->member.len;
	int r = dit_ldif_write_raw(text, name->member);

	for (const struct dit_attr_view *same = attr; same < end && r == 0; same++) {
		uint32_t n = same->number == attr->number ? same->nvalues : 0;

		for (uint32_t i = 0; i < n && r == 0; i++) {
			r = put_value(text, name->kind, same->values[i]);
		}
	}
	if (r == 0 && text->len == begun) {
		text->len = start;
	} else if (r == 0) {
		text->data[text->len - 1] = ']';
	}
	return r;
}

int dit_export_put_json(struct dit_ldif_text *text, const struct dit_export_names *names,
                        const struct dit_entry_view *entry, bool with_id)
{
	char id[ENTRY_ID_BYTES];
	bool repeats = may_repeat(entry);
	int r = dit_ldif_write_raw(text, DIT_SPAN("{\"dn\":"));

	r = r ?: put_text(text, DIT_EXPORT_STRING, entry->dn);
	if (r < 0) {
		return r;
	}
	text->len--; /* a member begins with its comma */
	if (with_id) {
		(void)snprintf(id, sizeof(id), ",\"id\":%lu", (unsigned long)entry->id);
		r = dit_ldif_write_raw(text, dit_span_of(id));
	}
	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		if (!repeats || !is_repeated(entry->attrs, i)) {
			r = put_member(text, &names->list[entry->attrs[i].number],
			               &entry->attrs[i],
			               entry->attrs + (repeats ? entry->nattrs : i + 1));
		}
	}
	return r < 0 ? r : dit_ldif_write_raw(text, DIT_SPAN("}\n"));
}
