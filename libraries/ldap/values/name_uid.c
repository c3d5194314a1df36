/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name and optional UID (uniqueMember): "cn=a,dc=x" or "cn=a,dc=x#'0101'B"
 * (values.md 4.10).
 *
 * The text after the last '#' is a UID only if it is a bit string; "cn=a#b" is a DN.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "values/value_scope.h"

void dit_name_uid_split(struct dit_span text, struct dit_span *ret_dn,
                        struct dit_span *ret_uid)
{
	const char *mark = text.len == 0 ? NULL : memrchr(text.data, '#', text.len);
	size_t n = mark == NULL ? text.len : (size_t)(mark - text.data);

	*ret_dn = text;
	*ret_uid = DIT_SPAN("");
	if (n < text.len &&
	    dit_is_bit_string((struct dit_span){mark + 1, text.len - n - 1})) {
		ret_dn->len = n;
		*ret_uid = (struct dit_span){mark, text.len - n};
	}
}

int dit_scope_name_uid(const struct dit_value_scope *scope, enum dit_dn_form form,
                       struct dit_span text, struct dit_span *ret)
{
	struct dit_span dn = {0};
	struct dit_span uid = {0};
	char *to = NULL;
	int r = 0;

	dit_name_uid_split(text, &dn, &uid);
	r = dit_scope_dn(scope, form, dn, &dn);
	if (r < 0) {
		return r;
	}
	if (uid.len == 0) {
		*ret = dn;
		return 0;
	}
	to = dit_arena_bytes(scope->arena, dn.len + uid.len);
	if (to == NULL) {
		return -ENOMEM;
	}
	memcpy(to, dn.data, dn.len);
	memcpy(to + dn.len, uid.data, uid.len);
	*ret = (struct dit_span){to, dn.len + uid.len};
	return 0;
}
