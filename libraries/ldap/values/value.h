/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of attributes: validation, pretty form, normal form (values.md 3.7 and 4).
 *
 * A result lies in the arena; if no byte had to change, it is the input itself. So it is
 * valid as long as both.
 *
 * Threads: no state; the schema is shared and constant, the arena belongs to the caller.
 */
#ifndef DITKIT_VALUE_H
#define DITKIT_VALUE_H

#include "base/arena.h"
#include "schema/schema.h"

/** Does @p validator accept @p value? @return 0, DIT_E_INVALID, DIT_E_UNSUPPORTED */
int dit_value_validate(const struct dit_schema *schema, enum dit_validator validator,
                       struct dit_span value);

/** Does slapd prefer a presentation of such values? It stores it in DNs only. */
static inline bool dit_has_pretty(enum dit_validator validator)
{
	return validator >= DIT_VALID_UUID;
}

/**
 * Pretty form of a value that @p validator accepts (values.md 3.7, last paragraph). Where
 * there is none it is the value itself, accepted or not.
 *
 * @return 0; DIT_E_INVALID; DIT_E_UNSUPPORTED; -ENOMEM
 */
int dit_value_pretty(const struct dit_schema *schema, enum dit_validator validator,
                     struct dit_span value, struct dit_arena *arena,
                     struct dit_span *ret);

/**
 * Normal form of one value under a normaliser other than DIT_NORM_NONE.
 *
 * @param ret  on success the normal form; may be empty; never NULL data
 *
 * @return 0;
 *         DIT_E_INVALID: the rule refuses the value;
 *         DIT_E_UNKNOWN: the same, because the value names an unknown attribute type;
 *         DIT_E_UNSUPPORTED: DNs in values of DNs nest too deeply;
 *         -ENOMEM
 */
int dit_value_normalize(const struct dit_schema *schema, enum dit_normalizer normalizer,
                        struct dit_span value, struct dit_arena *arena,
                        struct dit_span *ret);

/**
 * Normal form of an attribute value: the equality rule's normaliser, with the ordering
 * prefix "{n}" of X-ORDERED 'VALUES' types put back in front (values.md 3.5). Only for
 * types whose equality rule has a normaliser. Returns as dit_value_normalize().
 */
int dit_attr_normalize(const struct dit_schema *schema, const struct dit_attr_type *type,
                       struct dit_span value, struct dit_arena *arena,
                       struct dit_span *ret);

/** Length of an ordering prefix "{n}" at the start of @p value; 0: there is none. */
size_t dit_value_order_prefix(struct dit_span value);

/**
 * Length of the ordering prefix "{n}" that is no part of the value: 0 if there is none,
 * or if the type is not X-ORDERED (values.md 3.5).
 */
size_t dit_attr_order_prefix(const struct dit_attr_type *type, struct dit_span value);

/** "{n}" alone has no normal form: it stands for a value of an X-ORDERED attribute. */
static inline bool dit_attr_is_number(const struct dit_attr_type *type,
                                      struct dit_span value)
{
	return value.len > 0 && dit_attr_order_prefix(type, value) == value.len;
}

/** True if values of the type are stored with a separate normal form (values.md 2.3). */
static inline bool dit_attr_has_normal(const struct dit_attr_type *type)
{
	return type->equality != NULL && type->equality->normalizer != DIT_NORM_NONE;
}

#endif
