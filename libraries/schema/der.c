/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DER elements and the skeletons of certificates, lists of them and keys.
 *
 * Definite lengths only; a length may be written longer than it needs to be, as slapd's
 * reader takes that too. The skeletons name the elements of the top levels in order and
 * do not look into them (RFC 5280 section 4.1 and 5.1, RFC 5755 section 4.1, RFC 5208
 * section 5).
 */
#include "schema/der.h"

#include <stdint.h>

#define LENGTH_LONG 0x80u /* the other bits count the octets of the length */

unsigned dit_der_next(struct dit_span *in, struct dit_span *ret_content)
{
	const unsigned char *s = (const unsigned char *)in->data;
	size_t at = 2;
	size_t len = 0;

	if (in->len < 2 || (s[0] & 0x1F) == 0x1F) {
		return 0;
	}
	len = s[1];
	if ((len & LENGTH_LONG) != 0) {
		size_t n = len & ~(size_t)LENGTH_LONG;

		if (n == 0 || n > sizeof(uint32_t) || in->len - at < n) {
			return 0;
		}
		for (len = 0; n > 0; n--) {
			len = len << 8 | s[at++];
		}
	}
	if (len > in->len - at) {
		return 0;
	}
	*ret_content = (struct dit_span){in->data + at, len};
	in->data += at + len;
	in->len -= at + len;
	return s[0];
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

/* The two levels of SEQUENCE around what is signed; @p ret_outer: what follows it. */
static bool open_signed(struct dit_span value, struct dit_span *ret_inner,
                        struct dit_span *ret_outer)
{
	return dit_der_take(&value, DIT_DER_SEQUENCE, ret_outer) && value.len == 0 &&
	       dit_der_take(ret_outer, DIT_DER_SEQUENCE, ret_inner);
}

/* Signature algorithm and signature, nothing behind. */
static bool is_signature(struct dit_span outer)
{
	return dit_der_skip(&outer, DIT_DER_SEQUENCE) &&
	       dit_der_skip(&outer, DIT_DER_BIT_STRING) && outer.len == 0;
}

/* A small INTEGER; @return its value, -1 if it is none */
static int take_version(struct dit_span *in)
{
	struct dit_span content = {0};

	if (!dit_der_take(in, DIT_DER_INTEGER, &content) || content.len != 1) {
		return -1;
	}
	return (unsigned char)content.data[0];
}

/* Unique identifiers need version 2, extensions version 3; versions count from 0. */
static bool is_certificate_end(struct dit_span in, int version)
{
	struct dit_span extensions = {0};

	for (unsigned n = 1; n <= 2; n++) {
		unsigned tag = 0x80u | n; /* primitive: a BIT STRING with implicit tag */

		if (dit_der_skip(&in, tag) && version < 1) {
			return false;
		}
	}
	if (dit_der_take(&in, DIT_DER_CONTEXT(3), &extensions) &&
	    (version < 2 || !dit_der_skip(&extensions, DIT_DER_SEQUENCE))) {
		return false;
	}
	return in.len == 0;
}

bool dit_der_is_certificate(struct dit_span value)
{
	struct dit_span in = {0};
	struct dit_span outer = {0};
	struct dit_span wrapped = {0};
	int version = 0;

	if (!open_signed(value, &in, &outer)) {
		return false;
	}
	if (dit_der_take(&in, DIT_DER_CONTEXT(0), &wrapped)) {
		version = take_version(&wrapped);
	}
	return version >= 0 && dit_der_skip(&in, DIT_DER_INTEGER) && /* serial number */
	       dit_der_skip(&in, DIT_DER_SEQUENCE) &&                /* algorithm */
	       dit_der_skip(&in, DIT_DER_SEQUENCE) &&                /* issuer */
	       dit_der_skip(&in, DIT_DER_SEQUENCE) &&                /* validity */
	       dit_der_skip(&in, DIT_DER_SEQUENCE) &&                /* subject */
	       dit_der_skip(&in, DIT_DER_SEQUENCE) &&                /* public key */
	       is_certificate_end(in, version) && is_signature(outer);
}

static bool skip_time(struct dit_span *in)
{
	return dit_der_skip(in, DIT_DER_UTC_TIME) ||
	       dit_der_skip(in, DIT_DER_GENERALIZED_TIME);
}

bool dit_der_is_certificate_list(struct dit_span value)
{
	struct dit_span in = {0};
	struct dit_span outer = {0};
	struct dit_span extensions = {0};
	int version = 0;

	if (!open_signed(value, &in, &outer)) {
		return false;
	}
	if (in.len > 0 && (unsigned char)in.data[0] == DIT_DER_INTEGER) {
		version = take_version(&in);
		if (version != 1) {
			return false; /* version 2 is the only one that says so */
		}
	}
	if (!dit_der_skip(&in, DIT_DER_SEQUENCE) || /* algorithm */
	    !dit_der_skip(&in, DIT_DER_SEQUENCE) || /* issuer */
	    !skip_time(&in)) {
		return false;
	}
	(void)skip_time(&in);                      /* next update */
	(void)dit_der_skip(&in, DIT_DER_SEQUENCE); /* revoked certificates */
	if (dit_der_take(&in, DIT_DER_CONTEXT(0), &extensions) &&
	    (version < 1 || !dit_der_skip(&extensions, DIT_DER_SEQUENCE))) {
		return false;
	}
	return in.len == 0 && is_signature(outer);
}

bool dit_der_is_attribute_certificate(struct dit_span value)
{
	struct dit_span in = {0};
	struct dit_span outer = {0};

	if (!open_signed(value, &in, &outer) || take_version(&in) != 1 ||
	    !dit_der_skip(&in, DIT_DER_SEQUENCE) || /* holder */
	    (!dit_der_skip(&in, DIT_DER_CONTEXT(0)) &&
	     !dit_der_skip(&in, DIT_DER_SEQUENCE)) || /* issuer */
	    !dit_der_skip(&in, DIT_DER_SEQUENCE) ||   /* algorithm */
	    !dit_der_skip(&in, DIT_DER_INTEGER) ||    /* serial number */
	    !dit_der_skip(&in, DIT_DER_SEQUENCE) ||   /* validity */
	    !dit_der_skip(&in, DIT_DER_SEQUENCE)) {   /* attributes */
		return false;
	}
	(void)dit_der_skip(&in, DIT_DER_BIT_STRING); /* issuer's unique identifier */
	(void)dit_der_skip(&in, DIT_DER_SEQUENCE);   /* extensions */
	return in.len == 0 && is_signature(outer);
}

bool dit_der_is_private_key(struct dit_span value)
{
	struct dit_span in = {0};

	if (!dit_der_take(&value, DIT_DER_SEQUENCE, &in) || value.len != 0 ||
	    take_version(&in) < 0 ||                    /* 0 or, with the public key, 1 */
	    !dit_der_skip(&in, DIT_DER_SEQUENCE) ||     /* algorithm */
	    !dit_der_skip(&in, DIT_DER_OCTET_STRING)) { /* key */
		return false;
	}
	(void)dit_der_skip(&in, DIT_DER_CONTEXT(0)); /* attributes */
	(void)dit_der_skip(&in, 0x81u);              /* public key */
	return in.len == 0;
}
