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

/* slapd keeps what it cannot read. */
static int pretty_cert_assertion(const struct dit_value_scope *scope,
                                 enum dit_dn_form form, struct dit_span value,
                                 struct dit_span *ret)
{
	int r = dit_scope_cert_assertion(scope, form, value, ret);

	if (r == DIT_E_INVALID) {
		*ret = value;
		r = 0;
	}
	return r;
}

static const dit_form_fn forms[] = {
	[DIT_PRETTY_DN] = dit_scope_dn,
	[DIT_PRETTY_NAME_UID] = dit_scope_name_uid,
	[DIT_PRETTY_RDN] = dit_scope_rdn,
	[DIT_PRETTY_AUTHZ] = dit_scope_authz,
	[DIT_PRETTY_ACI] = dit_scope_aci,
	[DIT_PRETTY_CERT_EXACT_ASSERTION] = pretty_cert_assertion,
	[DIT_PRETTY_CERTLIST_EXACT_ASSERTION] = dit_scope_list_assertion,
	[DIT_PRETTY_ATTRCERT_EXACT_ASSERTION] = dit_scope_attr_cert_assertion,
};

int dit_scope_pretty(const struct dit_value_scope *scope, enum dit_pretty pretty,
                     struct dit_span value, struct dit_span *ret)
{
	if ((size_t)pretty < sizeof(forms) / sizeof(forms[0]) && forms[pretty] != NULL) {
		return forms[pretty](scope, DIT_DN_PRETTY, value, ret);
	}
	switch (pretty) {
	case DIT_PRETTY_NONE:
		*ret = value.len > 0 ? value : DIT_SPAN("");
		return 0;
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
	default:
		return DIT_E_UNSUPPORTED;
	}
}

int dit_value_pretty(const struct dit_schema *schema, enum dit_pretty pretty,
                     struct dit_span value, struct dit_arena *arena, struct dit_span *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};

	int r = dit_scope_pretty(&scope, pretty, value, ret);

	return r == DIT_E_UNKNOWN ? DIT_E_INVALID : r;
}
