/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directives of overlays become rules, with slapd's defaults and checks. If a
 * directive with one value stands there several times, the last one counts; it is the
 * first of its list (overlays.md 1, 4, 5).
 */
#include "overlays/overlays_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/grow.h"
#include "scan/scan_snapshot.h"
#include "values/dn.h"

#define ARENA_BYTES 4096

#define SYNTAX_DN "1.3.6.1.4.1.1466.115.121.1.12"

struct making {
	const struct dit_job *job;
	const struct dit_database *db;
	struct dit_schema *schema;
	struct dit_overlay_rules *rules;
	size_t refint_size;
	size_t unique_size;
	size_t dynlist_size;
};

/* ---- directives ---- */

/* The first argument of a directive that has one value; NULL: it is not there. */
static const char *value_of(const struct dit_overlay *overlay, const char *keyword)
{
	const struct dit_overlay_line *line = overlay->lines;

	while (line != NULL && strcmp(line->keyword, keyword) != 0) {
		line = line->next;
	}
	return line == NULL ? NULL : line->args[0];
}

static int refuse(const struct making *making, const char *keyword, const char *why,
                  const char *value)
{
	return dit_job_say(making->job, DIT_E_CONFIG, "%s: %s \"%s\"", keyword, why,
	                   value);
}

static int find_ad(const struct making *making, const char *keyword, const char *name,
                   const struct dit_ad **ret)
{
	int r = dit_ad_find(making->schema, NULL, dit_span_of(name), ret, NULL);

	return r == 0 || r == -ENOMEM
	               ? r
	               : refuse(making, keyword, "no such attribute:", name);
}

static int read_dn(const struct making *making, const char *keyword, const char *text,
                   struct dit_dn *ret)
{
	int r = dit_dn_parse(making->schema, dit_span_of(text), &making->rules->arena,
	                     NULL, ret);

	return r == 0 || r == -ENOMEM ? r : refuse(making, keyword, "invalid DN", text);
}

/* ---- memberof ---- */

/* slapd's syntaxes of members: a DN; a DN with a bit string (uniqueMember). */
static int find_member_ad(const struct making *making, const struct dit_overlay *overlay,
                          const char *keyword, const char *usual,
                          const struct dit_ad **ret)
{
	const char *name = value_of(overlay, keyword) ?: usual;
	int r = find_ad(making, keyword, name, ret);

	if (r == 0 && strcmp((*ret)->type->syntax->oid, SYNTAX_DN) != 0 &&
	    strcmp((*ret)->type->syntax->oid, SYNTAX_NAME_UID) != 0) {
		r = refuse(making, keyword, "neither DN nor nameUID syntax:", name);
	}
	return r;
}

static int read_dangling(const struct making *making, const struct dit_overlay *overlay,
                         enum dit_dangling *ret)
{
	static const char keyword[] = "memberof-dangling";
	static const char *const words[] = {[DIT_DANGLING_IGNORE] = "ignore",
	                                    [DIT_DANGLING_DROP] = "drop",
	                                    [DIT_DANGLING_ERROR] = "error"};
	const char *word = value_of(overlay, keyword) ?: words[DIT_DANGLING_IGNORE];
	unsigned i = 0;

	while (i <= DIT_DANGLING_ERROR && dit_ascii_strcasecmp(word, words[i]) != 0) {
		i++;
	}
	*ret = i;
	return i > DIT_DANGLING_ERROR ? refuse(making, keyword, "invalid", word) : 0;
}

static bool is_on(const char *word)
{
	return word != NULL &&
	       (dit_ascii_strcasecmp(word, "on") == 0 ||
	        dit_ascii_strcasecmp(word, "true") == 0 ||
	        dit_ascii_strcasecmp(word, "yes") == 0 || strcmp(word, "1") == 0);
}

static int make_memberof(struct making *making, const struct dit_overlay *overlay,
                         struct dit_memberof_rule *ret)
{
	const char *class = value_of(overlay, "memberof-group-oc") ?: "groupOfNames";
	const char *dn_text = value_of(overlay, "memberof-dn");
	struct dit_dn dn = {.pretty = making->db->rootdn,
	                    .norm = making->db->rootdn_norm};
	int r = find_member_ad(making, overlay, "memberof-member-ad", "member",
	                       &ret->member);

	r = r
	            ?: find_member_ad(making, overlay, "memberof-memberof-ad", "memberOf",
	                              &ret->memberof);
	r = r ?: read_dangling(making, overlay, &ret->dangling);
	if (r == 0 && dn_text != NULL) {
		r = read_dn(making, "memberof-dn", dn_text, &dn);
	}
	if (dn.norm.len > 0) {
		ret->dn = (struct dit_dn_text){.pretty = dn.pretty, .norm = dn.norm};
	}
	ret->has_addcheck = is_on(value_of(overlay, "memberof-addcheck"));
	ret->group = dit_schema_find_class(making->schema, dit_span_of(class));
	if (r == 0 && ret->group == NULL) {
		r = refuse(making, "memberof-group-oc",
		           "unable to find group objectClass", class);
	}
	ret->is_needed = r == 0 && ret->dangling == DIT_DANGLING_DROP &&
	                 DIT_IS_LISTED(ret->member->type, ret->group->must);
	return r;
}

/* ---- refint ---- */

static int make_refint(struct making *making, const struct dit_overlay *overlay)
{
	struct dit_overlay_rules *rules = making->rules;
	const char *nothing = value_of(overlay, "refint_nothing");
	struct dit_refint_rule rule = {NULL};
	struct dit_dn dn = {.nrdns = 0};
	int r = nothing == NULL ? 0 : read_dn(making, "refint_nothing", nothing, &dn);

	rule.nothing = dn.norm;
	for (const struct dit_overlay_line *line = overlay->lines; line != NULL && r == 0;
	     line = line->next) {
		for (size_t i = 0; strcmp(line->keyword, "refint_attributes") == 0 &&
		                   line->args[i] != NULL && r == 0;
		     i++) {
			r = find_ad(making, line->keyword, line->args[i], &rule.ad);
			r = r
			            ?: DIT_APPEND(rules->refint, making->refint_size,
			                          rules->nrefint, rule);
		}
	}
	return r;
}

/* ---- unique ---- */

static int add_unique(struct making *making, const struct dit_entry_match_opts *match,
                      const char *const *names, bool is_ignored)
{
	struct dit_overlay_rules *rules = making->rules;
	struct dit_unique_rule rule = {.is_ignored = is_ignored};
	int r = 0;

	while (names != NULL && names[rule.nads] != NULL) {
		rule.nads++;
	}
	r = dit_entry_match_make(&rule.match, making->job, making->schema, match);
	dit_entry_match_below(&rule.match, making->db->suffix_norm);
	r = r
	            ?: dit_entry_find_ads(making->job, making->schema, names, rule.nads,
	                                  &rule.ads);
	r = r ?: DIT_APPEND(rules->unique, making->unique_size, rules->nunique, rule);
	if (r < 0) {
		dit_arena_deinit(&rule.match.arena);
		free(rule.ads);
	}
	return r;
}

int dit_overlay_url_read(const char *text, struct dit_entry_match_opts *match,
                         LDAPURLDesc **ret)
{
	static const enum dit_scope scopes[] = {[LDAP_SCOPE_BASE] = DIT_SCOPE_BASE,
	                                        [LDAP_SCOPE_ONELEVEL] = DIT_SCOPE_ONE,
	                                        [LDAP_SCOPE_SUBTREE] = DIT_SCOPE_SUBTREE,
	                                        [LDAP_SCOPE_SUBORDINATE] =
	                                                DIT_SCOPE_CHILDREN};
	int r = ldap_url_parse(text, ret);

	if (r != LDAP_URL_SUCCESS) {
		return r == LDAP_URL_ERR_MEM ? -ENOMEM : DIT_E_INVALID;
	}
	match->scope = scopes[(*ret)->lud_scope];
	match->base =
		(*ret)->lud_dn == NULL || *(*ret)->lud_dn == '\0' ? NULL : (*ret)->lud_dn;
	match->filter = (*ret)->lud_filter;
	return 0;
}

/* slapd stores its filter with a mark at such a part, and cannot read that again. */
static bool has_undefined(const struct dit_filter *filter)
{
	bool r = false;

	for (; filter != NULL && !r; filter = filter->next) {
		r = filter->kind == DIT_FILTER_UNDEFINED || has_undefined(filter->first);
	}
	return r;
}

static int add_url(struct making *making, const char *text, bool is_ignored)
{
	static const char keyword[] = "unique_uri";
	struct dit_entry_match_opts match = {.base = NULL};
	const struct dit_overlay_rules *rules = making->rules;
	LDAPURLDesc *url = NULL;
	int r = dit_overlay_url_read(text, &match, &url);

	if (r == DIT_E_INVALID) {
		r = refuse(making, keyword, "invalid ldap urilist", text);
	} else if (r == 0 && match.scope == DIT_SCOPE_BASE) {
		r = refuse(making, keyword,
		           "uri with base scope will always be unique:", text);
	}
	r = r
	            ?: add_unique(making, &match, (const char *const *)url->lud_attrs,
	                          is_ignored);
	ldap_free_urldesc(url);
	if (r == 0 && has_undefined(rules->unique[rules->nunique - 1].match.filter)) {
		r = refuse(making, keyword,
		           "slapd adds no entry that may match, as this is undefined:",
		           text);
	}
	return r;
}

/* "strict" and "serialize" concern changes alone. slapd takes the first argument in
 * slapd.conf, and the whole value in cn=config. */
static int make_domain(struct making *making, const struct dit_overlay_line *line)
{
	bool is_ignored = false;
	int r = 0;

	for (size_t i = 0;
	     line->args[i] != NULL && (i == 0 || line->is_attribute) && r == 0; i++) {
		char *words = strdup(line->args[i]);
		char *rest = words;
		const char *word = NULL;

		r = words == NULL ? -ENOMEM : 0;
		while (r == 0 && (word = strsep(&rest, " ")) != NULL) {
			if (dit_ascii_strcasecmp(word, "ignore") == 0) {
				is_ignored = true;
			} else if (*word != '\0' &&
			           dit_ascii_strcasecmp(word, "strict") != 0 &&
			           dit_ascii_strcasecmp(word, "serialize") != 0) {
				r = add_url(making, word, is_ignored);
			}
		}
		free(words);
	}
	return r;
}

/* The older directives: one domain with all that they name. */
static int make_legacy(struct making *making, const struct dit_overlay *overlay)
{
	const struct dit_entry_match_opts match = {
		.base = value_of(overlay, "unique_base")};
	const char **names = NULL;
	size_t n = 0;
	size_t size = 0;
	bool is_ignored = value_of(overlay, "unique_ignore") != NULL;
	int r = 0;

	for (const struct dit_overlay_line *line = overlay->lines; line != NULL && r == 0;
	     line = line->next) {
		for (size_t i = 0; strcmp(line->keyword, "unique_base") != 0 &&
		                   line->args[i] != NULL && r == 0;
		     i++) {
			r = DIT_APPEND(names, size, n, line->args[i]);
		}
	}
	r = r ?: DIT_APPEND(names, size, n, NULL);
	r = r ?: add_unique(making, &match, names, is_ignored);
	free(names);
	return r;
}

static int make_unique(struct making *making, const struct dit_overlay *overlay)
{
	bool has_uri = value_of(overlay, "unique_uri") != NULL;
	int r = 0;

	if (!has_uri) {
		return overlay->lines == NULL ? 0 : make_legacy(making, overlay);
	}
	for (const struct dit_overlay_line *line = overlay->lines; line != NULL && r == 0;
	     line = line->next) {
		r = make_domain(making, line);
	}
	return r;
}

/* ---- dynlist ---- */

/* "group-oc [uri] URL-ad [map ...]"; of the older directives "member-ad URL-ad" */
static int make_attrset(struct making *making, const struct dit_overlay_line *line)
{
	struct dit_overlay_rules *rules = making->rules;
	bool is_pair = strcmp(line->keyword, "dynlist-attrset") != 0;
	const char *class = is_pair ? "groupOfURLs" : line->args[0];
	const char *const *at = line->args + 1;
	const struct dit_attr_type *labeled =
		dit_schema_find_type(making->schema, DIT_SPAN("labeledURI"));
	struct dit_entry_match_opts match = {.scope = DIT_SCOPE_SUBTREE};
	struct dit_dynlist_rule rule = {
		.group = dit_schema_find_class(making->schema, dit_span_of(class))};
	LDAPURLDesc *url = NULL;
	int r = rule.group != NULL ? 0
	                           : refuse(making, line->keyword,
	                                    "unable to find ObjectClass", class);

	if (r == 0 && dit_ascii_strncasecmp(*at, "ldap://", strlen("ldap://")) == 0 &&
	    dit_overlay_url_read(*at++, &match, &url) < 0) {
		r = refuse(making, line->keyword, "unable to parse URI", at[-1]);
	}
	r = r ?: find_ad(making, line->keyword, *at ?: "", &rule.url);
	if (r == 0 && !dit_type_is_a(rule.url->type, labeled)) {
		r = refuse(making, line->keyword, "no subtype of labeledURI:", *at);
	}
	r = r ?: dit_entry_match_make(&rule.match, making->job, making->schema, &match);
	rule.lists_members = is_pair || (r == 0 && at[1] != NULL);
	for (at++; !is_pair && r == 0 && *at != NULL; at++) {
		rule.lists_members &= strchr(*at, ':') == NULL;
	}
	r = r ?: DIT_APPEND(rules->dynlist, making->dynlist_size, rules->ndynlist, rule);
	if (r < 0) {
		dit_arena_deinit(&rule.match.arena);
	}
	ldap_free_urldesc(url);
	return r;
}

/* Those that were configured before the line come before it. */
static int make_dynlist(struct making *making, const struct dit_overlay_line *line)
{
	int r = line->next == NULL ? 0 : make_dynlist(making, line->next);

	return r ?: make_attrset(making, line);
}

/* ---- all ---- */

static bool is_called(const struct dit_overlay *overlay, const char *name)
{
	return overlay->name != NULL && strcmp(overlay->name, name) == 0;
}

static size_t count_memberof(const struct dit_database *db)
{
	size_t n = 0;

	for (const struct dit_overlay *at = db->overlays; at != NULL; at = at->next) {
		n += is_called(at, "memberof");
	}
	return n;
}

int dit_overlay_rules_make(const struct dit_job *job, const struct dit_database *db,
                           bool with_all, struct dit_overlay_rules *ret)
{
	struct making making = {.job = job,
	                        .db = db,
	                        .schema = job->chosen.settings->schema,
	                        .rules = ret};
	size_t number = count_memberof(db);
	int r = 0;

	*ret = (struct dit_overlay_rules){.schema = making.schema,
	                                  .object_class = dit_schema_find_type(
						  making.schema, DIT_SPAN("objectClass")),
	                                  .rootdn = db->rootdn_norm,
	                                  .nmemberof = number};
	dit_arena_init(&ret->arena, ARENA_BYTES);
	ret->memberof = calloc(number + 1, sizeof(*ret->memberof));
	r = ret->memberof == NULL ? -ENOMEM : 0;
	for (const struct dit_overlay *at = db->overlays; at != NULL && r == 0;
	     at = at->next) {
		if (is_called(at, "memberof")) {
			r = make_memberof(&making, at, &ret->memberof[--number]);
		} else if (with_all && is_called(at, "refint")) {
			r = make_refint(&making, at);
		} else if (with_all && is_called(at, "unique")) {
			r = make_unique(&making, at);
		} else if (with_all && is_called(at, "dynlist") && at->lines != NULL) {
			r = make_dynlist(&making, at->lines);
		}
	}
	for (uint32_t i = 0; i < ret->nmemberof && r == 0; i++) {
		struct dit_memberof_rule *rule = &ret->memberof[i];

		while (ret->memberof[rule->first].memberof != rule->memberof) {
			rule->first++;
		}
	}
	return r;
}

int dit_overlay_rules_lack(const struct dit_job *job, const struct dit_database *db,
                           const char *name)
{
	return dit_job_say(job, DIT_E_CONFIG,
	                   "the configuration has no overlay %s for the database in %s",
	                   name, db->data.directory);
}

void dit_overlay_rules_deinit(struct dit_overlay_rules *rules)
{
	for (size_t i = 0; i < rules->nunique; i++) {
		dit_arena_deinit(&rules->unique[i].match.arena);
		free(rules->unique[i].ads);
	}
	for (size_t i = 0; i < rules->ndynlist; i++) {
		dit_arena_deinit(&rules->dynlist[i].match.arena);
	}
	free(rules->dynlist);
	free(rules->unique);
	free(rules->refint);
	free(rules->memberof);
	dit_arena_deinit(&rules->arena);
	*rules = (struct dit_overlay_rules){.nmemberof = 0};
}
