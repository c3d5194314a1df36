/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes as LDIF: the lines that ldapmodify reads. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/version.h"
#include "diff/diff_impl.h"
#include "output/manifest.h"
#include "values/dn.h"

#define FLUSH_BYTES ((size_t)256 << 10)

int dit_diff_flush(struct dit_diff *diff)
{
	int r = diff->write == NULL || diff->text.len == 0
	                ? 0
	                : diff->write(diff->write_ctx, diff->text.data, diff->text.len);

	diff->text.len = 0;
	diff->is_told = r < 0; /* by the caller */
	return r;
}

int dit_diff_dn(struct dit_diff *diff, const struct dit_diff_node *node,
                struct dit_span *ret)
{
	size_t len = 0;
	char *text = NULL;

	for (const struct dit_diff_node *at = node; at != NULL; at = at->parent) {
		len += at->name->rdn.len + 1;
	}
	text = dit_arena_bytes(&diff->arena, len);
	if (text == NULL) {
		return -ENOMEM;
	}
	*ret = (struct dit_span){text, len - 1};
	for (const struct dit_diff_node *at = node; at != NULL; at = at->parent) {
		text = dit_span_put(text, at->name->rdn);
		*text++ = ',';
	}
	return 0;
}

static int write_text(struct dit_diff *diff, const char *name, struct dit_span value)
{
	return dit_ldif_write_value(&diff->text, dit_span_of(name), value, false);
}

/* The CSNs tell what servers knew in the second state. */
static int write_csns(struct dit_diff *diff)
{
	struct dit_entry_view entry;
	const struct dit_attr_view *csns = NULL;
	int r = dit_diff_read(diff, 1, diff->sides[1].top, &entry);

	csns = r < 0 ? NULL : dit_diff_csns(&entry);
	for (uint32_t i = 0; csns != NULL && i < csns->nvalues && r == 0; i++) {
		r = dit_ldif_write_value(&diff->text, DIT_SPAN("# contextCSN"),
		                         csns->values[i], false);
	}
	return r;
}

int dit_diff_write_header(struct dit_diff *diff)
{
	char texts[2][DIT_DIGEST_TEXT_BYTES];
	char header[200];
	char made[DIT_MANIFEST_TIME_BYTES];
	int r = 0;

	for (unsigned side = 0; side < 2; side++) {
		dit_sum128_text(&diff->sides[side].digest, texts[side]);
	}
	dit_manifest_time(made);
	(void)snprintf(header, sizeof(header),
	               DIT_CHANGES_LINE "\n" DIT_CHANGES_FROM "%s\n" DIT_CHANGES_TO
	                                "%s\n# made: %s, %s\n",
	               texts[0], texts[1], made, dit_version());
	r = dit_ldif_write_raw(&diff->text, dit_span_of(header));
	return r < 0 || diff->sides[1].top == 0 ? r : write_csns(diff);
}

bool dit_diff_is_holder(struct dit_span dn)
{
	return dit_cut_prefix(&dn, DIT_SPAN(DIT_DIFF_HOLDER));
}

/* The subtree right below the suffix that has the entry; the suffix, if none has it below
 * its topmost entry. Temporary entries do not count. */
static int count_branch(struct dit_diff *diff, struct dit_span dn)
{
	unsigned depth = dit_dn_depth(dn);
	unsigned least = diff->suffix_nrdns + (depth > diff->suffix_nrdns + 1);

	for (; depth > least && !dit_diff_is_holder(dn); depth--) {
		dn = dit_dn_parent(dn);
	}
	return dit_diff_is_holder(dn) ? 0 : dit_diff_count(diff, dn, &diff->branches);
}

int dit_diff_begin(struct dit_diff *diff, struct dit_span dn, const char *type)
{
	struct dit_span before = diff->nwritten > 0 ? DIT_SPAN("\n")
	                         : diff->opts.exact ? DIT_SPAN("") /* the header */
	                                            : DIT_SPAN(DIT_CHANGES_LINE "\n");
	int r = dit_ldif_write_raw(&diff->text, before);

	r = r ?: write_text(diff, "dn", dn);
	r = r ?: count_branch(diff, dn);
	return r ?: write_text(diff, "changetype", dit_span_of(type));
}

int dit_diff_end(struct dit_diff *diff)
{
	diff->nwritten++;
	dit_tick_often(&diff->job.ticker);
	if (dit_stop_is_set(&diff->job.stop)) {
		return DIT_E_STOPPED;
	}
	return diff->text.len < FLUSH_BYTES ? 0 : dit_diff_flush(diff);
}

int dit_diff_write_end(struct dit_diff *diff)
{
	int r = 0;

	if (diff->opts.exact || diff->nwritten > 0) {
		r = dit_ldif_write_raw(&diff->text, DIT_SPAN(DIT_CHANGES_END "\n\n"));
	}
	return r ?: dit_diff_flush(diff);
}

/* ---- changes ---- */

static int begin_node(struct dit_diff *diff, const struct dit_diff_node *node,
                      const char *type)
{
	struct dit_span dn;
	int r = 0;

	dit_arena_reset(&diff->arena);
	r = dit_diff_dn(diff, node, &dn);
	return r ?: dit_diff_begin(diff, dn, type);
}

int dit_diff_add(struct dit_diff *diff, const struct dit_diff_node *node)
{
	struct dit_entry_view entry;
	int r = dit_diff_read(diff, 1, node->item[1]->id, &entry);

	r = r ?: dit_diff_begin(diff, entry.dn, "add");
	for (uint32_t i = 0; i < entry.nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry.attrs[i];

		if (!dit_diff_is_content(diff, attr->ad)) {
			continue;
		}
		for (uint32_t v = 0; v < attr->nvalues && r == 0; v++) {
			r = dit_ldif_write_value(&diff->text, attr->name, attr->values[v],
			                         false);
		}
	}
	return r ?: dit_diff_end(diff);
}

int dit_diff_delete(struct dit_diff *diff, const struct dit_diff_node *node)
{
	int r = begin_node(diff, node, "delete");

	return r ?: dit_diff_end(diff);
}

int dit_diff_rename(struct dit_diff *diff, const struct dit_diff_node *node,
                    const struct dit_diff_node *parent, struct dit_span rdn)
{
	struct dit_span superior;
	int r = begin_node(diff, node, "modrdn");

	r = r ?: write_text(diff, "newrdn", rdn);
	r = r
	            ?: write_text(diff, "deleteoldrdn",
	                          node->takes_old ? DIT_SPAN("1") : DIT_SPAN("0"));
	if (r == 0 && parent != node->parent) {
		r = dit_diff_dn(diff, parent, &superior);
		r = r ?: write_text(diff, "newsuperior", superior);
	}
	return r ?: dit_diff_end(diff);
}

/* ---- holders ---- */

int dit_diff_add_holder(struct dit_diff *diff, const struct dit_diff_node *node)
{
	int r = begin_node(diff, node, "add");

	r = r ?: write_text(diff, "objectClass", DIT_SPAN("organizationalUnit"));
	diff->stats.ntemporary++;
	return r ?: dit_diff_end(diff);
}
