/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DER, as far as certificates need it: elements one after the other, and the skeletons of
 * the structures that have a syntax of their own (values.md 3.7).
 *
 * Threads: no state.
 */
#ifndef DITKIT_DER_H
#define DITKIT_DER_H

#include <stdbool.h>

#include "base/span.h"

/* Identifier octets; none here has a number above 30. */
#define DIT_DER_INTEGER          0x02u
#define DIT_DER_BIT_STRING       0x03u
#define DIT_DER_OCTET_STRING     0x04u
#define DIT_DER_OID              0x06u
#define DIT_DER_UTC_TIME         0x17u
#define DIT_DER_GENERALIZED_TIME 0x18u
#define DIT_DER_SEQUENCE         0x30u
#define DIT_DER_SET              0x31u
#define DIT_DER_CONTEXT(n)       (0xA0u | (n)) /* constructed */

/**
 * Take identifier and length of the next element off the front of @p in.
 *
 * @param ret_len  of its content, which may be longer than what is left; 0 if there is no
 *                 element
 *
 * @return first octet of the identifier; 0: they are not whole, and nothing was taken, or
 *         the length is indefinite
 */
unsigned dit_der_head(struct dit_span *in, size_t *ret_len);

/**
 * Take the next element off the front of @p in.
 *
 * @param ret_content  points into @p in
 *
 * @return its identifier octet; 0: there is no whole element, nothing was taken
 */
unsigned dit_der_next(struct dit_span *in, struct dit_span *ret_content);

/** As dit_der_next(), and the element must be of that kind. */
bool dit_der_take(struct dit_span *in, unsigned tag, struct dit_span *ret_content);

/** Take an element of that kind, if that is what comes next. */
bool dit_der_skip(struct dit_span *in, unsigned tag);

/** Take a small INTEGER. @return its value, 0 if it has no content; -1: there is none */
int dit_der_version(struct dit_span *in);

/** Two bytes and the first is that of a SEQUENCE. */
bool dit_der_is_sequence(struct dit_span value);

bool dit_der_is_certificate(struct dit_span value);
bool dit_der_is_certificate_list(struct dit_span value);
bool dit_der_is_attribute_certificate(struct dit_span value);
bool dit_der_is_private_key(struct dit_span value);

#endif
