/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of each attribute on its own (values.md 7.2 A and G). */
#include "entry/entry_check.h"

/* Bits of a type that any of these checks looks at; most types have none. */
#define PLACE_FLAGS                                                                      \
 (DIT_TYPE_ROOTDSE_ONLY | DIT_TYPE_ALIAS_ONLY | DIT_TYPE_REFERRAL_ONLY |                 \
  DIT_TYPE_SUBENTRY_ONLY | DIT_TYPE_DYNAMIC_ONLY | DIT_TYPE_ADMIN_ROLE |                 \
  DIT_TYPE_COLLECTIVE)

/* The class that an entry needs to have attributes with a flag. */
static const struct {
	unsigned type_flag;
	unsigned oc_flag;
	const char *place;
} places[] = {
	{DIT_TYPE_ALIAS_ONLY, DIT_OC_ALIAS, "the alias"},
	{DIT_TYPE_REFERRAL_ONLY, DIT_OC_REFERRAL, "the referral"},
	{DIT_TYPE_SUBENTRY_ONLY, DIT_OC_SUBENTRY, "the subentry"},
	{DIT_TYPE_DYNAMIC_ONLY, DIT_OC_DYNAMIC, "dynamic object"},
};

static int check_place(struct dit_entry_check *check, const struct dit_ad *ad)
{
	unsigned flags = ad->type->flags;

	if ((flags & DIT_TYPE_ADMIN_ROLE) != 0) {
		return dit_check_refuse_attr(check, DIT_WHY_UNSUPPORTED, ad, "");
	}
	if ((flags & DIT_TYPE_ROOTDSE_ONLY) != 0 && check->entry->dn.nrdns > 0) {
		return dit_check_refuse_attr(check, DIT_WHY_ROOTDSE, ad, "");
	}
	if ((flags & DIT_TYPE_DYNAMIC_ONLY) != 0 && !check->context->allow_dynamic) {
		return dit_check_refuse_attr(check, DIT_WHY_DYNAMIC, ad, "");
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if ((flags & places[i].type_flag) != 0 &&
		    (check->entry->oc_flags & places[i].oc_flag) == 0) {
			return dit_check_refuse_attr(check, DIT_WHY_PLACE, ad,
			                             places[i].place);
		}
	}
	/* Subentries for collective attributes do not exist in standard builds. */
	if ((flags & DIT_TYPE_COLLECTIVE) != 0 &&
	    (check->entry->oc_flags & DIT_OC_COLLECTIVE) == 0) {
		return dit_check_refuse_attr(check, DIT_WHY_COLLECTIVE, ad, "");
	}
	return 0;
}

int dit_check_attr_places(struct dit_entry_check *check)
{
	for (uint32_t i = 0; i < check->entry->nattrs; i++) {
		const struct dit_attr *attr = &check->entry->attrs[i];
		unsigned flags = attr->ad->type->flags;
		int r = 0;

		if ((flags & PLACE_FLAGS) != 0) {
			r = check_place(check, attr->ad);
			if (r < 0) {
				return r;
			}
		}
		if ((flags & DIT_TYPE_SINGLE) != 0 && attr->nvalues > 1) {
			return dit_check_refuse_attr(check, DIT_WHY_SINGLE, attr->ad, "");
		}
	}
	return 0;
}

int dit_check_attrs_allowed(struct dit_entry_check *check)
{
	if (check->set->is_extensible) {
		return 0;
	}
	for (uint32_t i = 0; i < check->entry->nattrs; i++) {
		const struct dit_ad *ad = check->entry->attrs[i].ad;

		if (ad->type->usage == DIT_USAGE_USER &&
		    !dit_class_set_allows(check->set, ad->type)) {
			return dit_check_refuse_attr(check, DIT_WHY_NOT_ALLOWED, ad, "");
		}
	}
	return 0;
}
