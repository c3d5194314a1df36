/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of dn2i of a node, below its parent and its own, as LMDB 0.9 takes them. */
#ifndef DITKIT_NAME_FIXTURE_H
#define DITKIT_NAME_FIXTURE_H

#include "codec/name_codec.h"

/* @param out  DIT_NAME_RECORD_MAX bytes. @return length; DIT_E_TOOLONG */
static inline int encode_child(char *out, struct dit_span norm, struct dit_span pretty,
                               uint64_t id, uint64_t nsubs)
{
	const struct dit_name name = {norm, pretty, true, id, nsubs};

	return dit_name_encode(out, DIT_NAME_RECORD_MAX, &name);
}

/* Likewise. */
static inline int encode_self(char *out, struct dit_span norm, struct dit_span pretty,
                              uint64_t parent)
{
	const struct dit_name name = {norm, pretty, false, parent, 0};

	return dit_name_encode(out, DIT_NAME_RECORD_MAX, &name);
}

#endif
