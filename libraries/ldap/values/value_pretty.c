/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pretty forms: the presentation of a value that slapd prefers, stored only inside DNs
 * (values.md 3.7, last paragraph).
 */
#include "values/value.h"

#include <errno.h>

#include "base/ascii.h"
#include "base/error.h"
#include "values/value_scope.h"

static int pretty_lower(struct dit_span value, struct dit_arena *arena,
                        struct dit_span *ret)
{
	char *to = dit_arena_bytes(arena, value.len);

	if (to == NULL) {
		return -ENOMEM;
	}
	dit_ascii_copy_lower(to, value);
	*ret = (struct dit_span){to, value.len};
	return 0;
}

static int pretty_class_name(const struct dit_schema *schema, struct dit_span value,
                             struct dit_span *ret)
{
	const struct dit_class *oc = dit_schema_find_class(schema, value);

	if (oc == NULL) {
		return DIT_E_INVALID;
	}
	*ret = dit_span_of(oc->name);
	return 0;
}

int dit_scope_pretty(const struct dit_value_scope *scope, enum dit_pretty pretty,
                     struct dit_span value, struct dit_span *ret)
{
	int r = 0;

	switch (pretty) {
	case DIT_PRETTY_NONE:
		*ret = value.len > 0 ? value : DIT_SPAN("");
		return 0;
	case DIT_PRETTY_DN:
		return dit_scope_dn(scope, DIT_DN_PRETTY, value, ret);
	case DIT_PRETTY_NAME_UID:
		return dit_scope_name_uid(scope, DIT_DN_PRETTY, value, ret);
	case DIT_PRETTY_RDN:
		return dit_scope_rdn(scope, DIT_DN_PRETTY, value, ret);
	case DIT_PRETTY_LOWERCASE:
		/*
		 * The syntaxes tell themselves apart: a UUID is longer than a server
		 * ID.
		 */
		if (!dit_is_uuid(value) &&
		    dit_scope_validate(scope, DIT_VALID_SID, value) < 0) {
			return DIT_E_INVALID;
		}
		return pretty_lower(value, scope->arena, ret);
	case DIT_PRETTY_CSN:
		return dit_csn_normalize(value, scope->arena, ret);
	case DIT_PRETTY_CLASS_NAME:
		return pretty_class_name(scope->schema, value, ret);
	case DIT_PRETTY_AUTHZ:
		return dit_scope_authz(scope, DIT_DN_PRETTY, value, ret);
	case DIT_PRETTY_ACI:
		/* Not in DNs. */
		return scope->depth > 0 ? DIT_E_INVALID
		                        : dit_scope_aci(scope, value, ret);
	case DIT_PRETTY_CERT_EXACT_ASSERTION:
		r = dit_scope_cert_assertion(scope, DIT_DN_PRETTY, value, ret);
		if (r == DIT_E_INVALID) {
			*ret = value; /* slapd keeps what it cannot read */
			r = 0;
		}
		return r;
	case DIT_PRETTY_CERTLIST_EXACT_ASSERTION:
		return dit_scope_list_assertion(scope, DIT_DN_PRETTY, value, ret);
	case DIT_PRETTY_ATTRCERT_EXACT_ASSERTION:
		return dit_scope_attr_cert_assertion(scope, DIT_DN_PRETTY, value, ret);
	}
	return DIT_E_UNSUPPORTED;
}

int dit_value_pretty(const struct dit_schema *schema, enum dit_pretty pretty,
                     struct dit_span value, struct dit_arena *arena, struct dit_span *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};

	int r = dit_scope_pretty(&scope, pretty, value, ret);

	return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
}
