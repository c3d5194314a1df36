/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DER elements and the skeletons of certificates, lists of them and keys.
 *
 * As slapd's reader has it, a length may be written longer than it needs to be, and an
 * indefinite one is no element and yet is stepped over. The skeletons name the elements
 * of the top levels in order and do not look into them (RFC 5280 section 4.1 and 5.1, RFC
 * 5755 section 4.1, RFC 5208 section 5).
 */
#include "values/value_scope.h"

#include <stdint.h>

#define LENGTH_LONG  0x80u /* the other bits count the octets of the length */
#define NUMBER_LONG  0x1Fu /* the number of the identifier is in the next octets */
#define MORE_FOLLOWS 0x80u /* in those octets */

/* Octets of an identifier: one, or more if the number does not fit into five bits. */
static size_t identifier_len(struct dit_span in)
{
	size_t n = 1;

	if (((unsigned char)in.data[0] & NUMBER_LONG) != NUMBER_LONG) {
		return 1;
	}
	while (n < in.len && ((unsigned char)in.data[n] & MORE_FOLLOWS) != 0) {
		n++;
	}
	return n + 1;
}

unsigned dit_der_head(struct dit_span *in, size_t *ret_len)
{
	const unsigned char *s = (const unsigned char *)in->data;
	size_t at = in->len == 0 ? 0 : identifier_len(*in);
	bool is_indefinite = false;
	uint64_t len = 0;

	*ret_len = 0;
	if (in->len <= at) {
		return 0;
	}
	len = s[at++];
	if ((len & LENGTH_LONG) != 0) {
		size_t n = len & ~(uint64_t)LENGTH_LONG;

		if (n > sizeof(len) || in->len - at < n) {
			return 0;
		}
		is_indefinite = n == 0;
		for (len = 0; n > 0; n--) {
			len = len << 8 | s[at++];
		}
	}
	in->data += at;
	in->len -= at;
	*ret_len = len;
	return is_indefinite ? 0 : s[0];
}

unsigned dit_der_next(struct dit_span *in, struct dit_span *ret_content)
{
	struct dit_span rest = *in;
	size_t len = 0;
	unsigned tag = dit_der_head(&rest, &len);

	if (tag == 0 || (tag & NUMBER_LONG) == NUMBER_LONG || len > rest.len) {
		return 0;
	}
	*ret_content = (struct dit_span){rest.data, len};
	in->data = rest.data + len;
	in->len = rest.len - len;
	return tag;
}

bool dit_der_take(struct dit_span *in, unsigned tag, struct dit_span *ret_content)
{
	if (in->len == 0 || (unsigned char)in->data[0] != tag) {
		return false;
	}
	return dit_der_next(in, ret_content) == tag;
}

bool dit_der_skip(struct dit_span *in, unsigned tag)
{
	struct dit_span content = {0};

	return dit_der_take(in, tag, &content);
}

bool dit_der_is_sequence(struct dit_span value)
{
	return value.len >= 2 && (unsigned char)value.data[0] == DIT_DER_SEQUENCE;
}

/*
 * Into the two levels of SEQUENCE around what is signed. slapd goes through all of it as
 * one row of elements, whatever these two say how long they are.
 */
static bool enter_signed(struct dit_span *in)
{
	size_t len = 0;

	return dit_der_head(in, &len) == DIT_DER_SEQUENCE &&
	       dit_der_head(in, &len) == DIT_DER_SEQUENCE;
}

/* Signature algorithm and signature. */
static bool skip_signature(struct dit_span *in)
{
	return dit_der_skip(in, DIT_DER_SEQUENCE) && dit_der_skip(in, DIT_DER_BIT_STRING);
}

/* Is there no other element? */
static bool is_end(struct dit_span in)
{
	size_t len = 0;

	return dit_der_head(&in, &len) == 0;
}

static bool is_whole_signature(struct dit_span in)
{
	return skip_signature(&in) && is_end(in);
}

int dit_der_version(struct dit_span *in)
{
	struct dit_span content = {0};
	uint32_t version = 0;

	if (!dit_der_take(in, DIT_DER_INTEGER, &content) ||
	    content.len > sizeof(version)) {
		return -1;
	}
	for (size_t i = 0; i < content.len; i++) {
		version = version << 8 | (unsigned char)content.data[i];
	}
	return version <= INT8_MAX ? (int)version : -1;
}

/* Unique identifiers need version 2, extensions version 3; versions count from 0. */
static bool skip_certificate_end(struct dit_span *in, int version)
{
	struct dit_span extensions = {0};

	for (unsigned tag = 0x81u; tag <= 0x82u; tag++) {
		if (dit_der_skip(in, tag) && version < 1) {
			return false;
		}
	}
	return !dit_der_take(in, DIT_DER_CONTEXT(3), &extensions) ||
	       (version >= 2 && dit_der_skip(&extensions, DIT_DER_SEQUENCE));
}

bool dit_der_is_certificate(struct dit_span value)
{
	struct dit_span wrapped = {0};
	int version = 0;

	if (!enter_signed(&value)) {
		return false;
	}
	if (dit_der_take(&value, DIT_DER_CONTEXT(0), &wrapped)) {
		version = dit_der_version(&wrapped);
	}
	return version >= 0 && dit_der_skip(&value, DIT_DER_INTEGER) && /* number */
	       dit_der_skip(&value, DIT_DER_SEQUENCE) &&                /* algorithm */
	       dit_der_skip(&value, DIT_DER_SEQUENCE) &&                /* issuer */
	       dit_der_skip(&value, DIT_DER_SEQUENCE) &&                /* validity */
	       dit_der_skip(&value, DIT_DER_SEQUENCE) &&                /* subject */
	       dit_der_skip(&value, DIT_DER_SEQUENCE) &&                /* public key */
	       skip_certificate_end(&value, version) && is_whole_signature(value);
}

static bool skip_time(struct dit_span *in)
{
	return dit_der_skip(in, DIT_DER_UTC_TIME) ||
	       dit_der_skip(in, DIT_DER_GENERALIZED_TIME);
}

/*
 * Revoked certificates, a SEQUENCE of SEQUENCEs. Without them the signature algorithm
 * comes next, a SEQUENCE as well: what is inside tells.
 */
static void skip_revoked(struct dit_span *in)
{
	struct dit_span inside = *in;
	size_t len = 0;

	if (dit_der_head(&inside, &len) == DIT_DER_SEQUENCE &&
	    (len == 0 || dit_der_skip(&inside, DIT_DER_SEQUENCE))) {
		(void)dit_der_skip(in, DIT_DER_SEQUENCE);
	}
}

bool dit_der_is_certificate_list(struct dit_span value)
{
	struct dit_span extensions = {0};
	int version = 0;

	if (!enter_signed(&value)) {
		return false;
	}
	if (value.len > 0 && (unsigned char)value.data[0] == DIT_DER_INTEGER) {
		version = dit_der_version(&value);
		if (version != 1) {
			return false; /* version 2 is the only one that says so */
		}
	}
	if (!dit_der_skip(&value, DIT_DER_SEQUENCE) || /* algorithm */
	    !dit_der_skip(&value, DIT_DER_SEQUENCE) || /* issuer */
	    !skip_time(&value)) {
		return false;
	}
	(void)skip_time(&value); /* next update */
	skip_revoked(&value);
	if (dit_der_take(&value, DIT_DER_CONTEXT(0), &extensions) &&
	    (version < 1 ||
	     (extensions.len > 0 && !dit_der_skip(&extensions, DIT_DER_SEQUENCE)))) {
		return false;
	}
	return skip_signature(&value); /* and what follows is not looked at */
}

bool dit_der_is_attribute_certificate(struct dit_span value)
{
	if (!enter_signed(&value) || dit_der_version(&value) != 1 ||
	    !dit_der_skip(&value, DIT_DER_SEQUENCE) || /* holder */
	    (!dit_der_skip(&value, DIT_DER_CONTEXT(0)) &&
	     !dit_der_skip(&value, DIT_DER_SEQUENCE)) || /* issuer */
	    !dit_der_skip(&value, DIT_DER_SEQUENCE) ||   /* algorithm */
	    !dit_der_skip(&value, DIT_DER_INTEGER) ||    /* serial number */
	    !dit_der_skip(&value, DIT_DER_SEQUENCE) ||   /* validity */
	    !dit_der_skip(&value, DIT_DER_SEQUENCE)) {   /* attributes */
		return false;
	}
	(void)dit_der_skip(&value, DIT_DER_BIT_STRING); /* issuer's unique identifier */
	if (is_whole_signature(value)) {
		return true;
	}
	return dit_der_skip(&value, DIT_DER_SEQUENCE) && /* extensions */
	       is_whole_signature(value);
}

/* The key is followed by attributes in a SET, or by no element. */
bool dit_der_is_private_key(struct dit_span value)
{
	size_t len = 0;

	if (dit_der_head(&value, &len) != DIT_DER_SEQUENCE ||
	    !dit_der_skip(&value, DIT_DER_INTEGER) ||      /* version */
	    !dit_der_skip(&value, DIT_DER_SEQUENCE) ||     /* algorithm */
	    !dit_der_skip(&value, DIT_DER_OCTET_STRING)) { /* key */
		return false;
	}
	(void)dit_der_skip(&value, DIT_DER_SET);
	return is_end(value);
}
