/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name and optional UID (uniqueMember): "cn=a,dc=x" or "cn=a,dc=x#'0101'B"
 * (values.md 4.10).
 *
 * The text after the last '#' is a UID only if it is a bit string; "cn=a#b" is a DN.
 */
#include <string.h>

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
	struct dit_span parts[2]; /* DN and UID */
	int r = 0;

	dit_name_uid_split(text, &parts[0], &parts[1]);
	r = dit_scope_dn(scope, form, parts[0], &parts[0]);
	if (r == 0 && parts[1].len == 0) {
		*ret = parts[0];
		return 0;
	}
	return r < 0 ? r : dit_arena_join(scope->arena, parts, 2, ret);
}
