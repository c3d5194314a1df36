/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/export_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"

#define LINE_MAX_BYTES 64

/* ---- names ---- */

/*
 * slapd always writes these values in base64: passwords, values that its configuration
 * holds in binary form, and those that are transferred so. A password with options is
 * printed like any other value.
 */
static bool is_in_base64(struct dit_span name)
{
	static const char *const names[] = {
		"userPassword",
		"2.5.4.35",
		"olcRootPW",
		"1.3.6.1.4.1.4203.1.12.2.3.2.0.9",
		"olcTLSCACertificate",
		"1.3.6.1.4.1.4203.1.12.2.3.0.97",
		"olcTLSCertificate",
		"1.3.6.1.4.1.4203.1.12.2.3.0.98",
		"olcTLSCertificateKey",
		"1.3.6.1.4.1.4203.1.12.2.3.0.99",
		NULL,
	};

	return dit_ascii_is_one_of(name, names) ||
	       (name.len > 0 &&
	        memmem(name.data, name.len, ";binary", strlen(";binary")) != NULL);
}

static int make_name(struct dit_export_name *ret, const struct dit_ad_name *stored)
{
	char *text = NULL;

	if (stored->ad != NULL) {
		ret->text = stored->ad->name;
		dit_ldif_label_make(&ret->label, ret->text, is_in_base64(ret->text));
		return 0;
	}
	text = malloc(stored->name.len + 1);
	if (text == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < stored->name.len; i++) {
		char c = dit_ascii_lower(stored->name.data[i]);

		text[i] = dit_ascii_is_alpha(c) ? (char)(c - 'a' + 'A') : c;
	}
	ret->text = (struct dit_span){text, stored->name.len};
	ret->is_unknown = true;
	dit_ldif_label_make(&ret->label, ret->text, is_in_base64(ret->text));
	return 0;
}

int dit_export_names_make(struct dit_export_names *ret, const struct dit_ad_names *names)
{
	struct dit_export_names made = {.n = names->n};
	int r = 0;

	made.list = calloc(names->n + 1, sizeof(*made.list));
	if (made.list == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < names->n && r == 0; i++) {
		const struct dit_ad_name *stored = dit_ad_names_get(names, i);

		if (stored != NULL) {
			r = make_name(&made.list[i], stored);
			r = r ?: dit_export_name_member(&made.list[i], stored->ad);
		}
	}
	if (r < 0) {
		dit_export_names_deinit(&made);
		return r;
	}
	dit_ldif_label_make(&made.dn, DIT_SPAN("dn"), false);
	*ret = made;
	return 0;
}

void dit_export_names_deinit(struct dit_export_names *names)
{
	for (uint32_t i = 0; i < names->n; i++) {
		free((char *)names->list[i].member.data);
		if (names->list[i].is_unknown) {
			free((char *)names->list[i].text.data);
		}
	}
	free(names->list);
	*names = (struct dit_export_names){0};
}

/* ---- entries ---- */

static int put_id(struct dit_ldif_text *text, const char *format, uint64_t id)
{
	char line[LINE_MAX_BYTES];
	int len = snprintf(line, sizeof(line), format, (unsigned long)id);

	return dit_ldif_write_raw(text, (struct dit_span){line, (size_t)len});
}

int dit_export_put_entry(struct dit_ldif_text *text, const struct dit_export_names *names,
                         const struct dit_entry_view *entry, bool is_verbose)
{
	int r = is_verbose ? put_id(text, "# id=%08lx\n", entry->id) : 0;

	r = r ?: dit_ldif_write_values(text, &names->dn, &entry->dn, 1);
	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		r = dit_ldif_write_values(text, &names->list[attr->number].label,
		                          attr->values, attr->nvalues);
	}
	return r < 0 ? r : dit_ldif_write_raw(text, DIT_SPAN("\n"));
}

int dit_export_put_nothing(struct dit_ldif_text *text, uint64_t id)
{
	return put_id(text, "# no data for entry id=%08lx\n\n", id);
}
