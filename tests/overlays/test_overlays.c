/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlays ask the same of entries as a model that looks at each pair of entries. */
#include "overlays/overlays.h"

#include "base/error.h"
#include "nomem.h"
#include "test.h"

#define NENTRIES  14
#define NUNKNOWN  3 /* names that no entry has */
#define NROUNDS   400
#define PRODUCERS 3

static const char head[] = "attributetype ( 2.5.4.31 NAME 'member' "
			   "SUP distinguishedName )\n"
			   "attributetype ( 2.5.4.50 NAME 'uniqueMember' "
			   "EQUALITY uniqueMemberMatch "
			   "SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 )\n"
			   "objectclass ( 2.5.6.9 NAME 'groupOfNames' SUP top "
			   "STRUCTURAL MUST ( member $ cn ) )\n"
			   "objectclass ( 2.5.6.17 NAME 'groupOfUniqueNames' SUP top "
			   "STRUCTURAL MUST ( uniqueMember $ cn ) )\n"
			   "objectclass ( 2.16.840.1.113730.3.2.33 NAME 'groupOfURLs' "
			   "SUP top STRUCTURAL MUST cn MAY labeledURI )\n"
			   "moduleload memberof\nmoduleload refint\nmoduleload unique\n"
			   "moduleload dynlist\n"
			   "database mdb\nsuffix cn=x\ndirectory .\n";

/* ---- rules ---- */

struct fixture {
	char *dir;
	struct dit_settings *settings;
	struct dit_job job;
	struct dit_overlay_rules rules;
	char report[512];
};

static void collect(void *ctx, const struct dit_report *report)
{
	struct fixture *f = ctx;

	test_append(f->report, "%s\n", report->text);
}

/* Lines of overlays, at the end of the configuration. */
static int read_rules(struct fixture *f, const char *lines)
{
	char path[4096];
	const struct dit_settings_source source = {.file = path,
	                                           .openldap = DIT_OPENLDAP_2_7};
	FILE *file = NULL;
	int r = 0;

	*f = (struct fixture){.dir = test_scratch()};
	(void)snprintf(path, sizeof(path), "%s/slapd.conf", f->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	(void)fprintf(file, "%s%s", head, lines);
	assert_int_equal(fclose(file), 0);
	r = dit_settings_read(&f->settings, &source, collect, f);
	assert_int_equal(r, 0);
	f->job.chosen.settings = f->settings;
	f->job.opts.report = collect;
	f->job.opts.report_ctx = f;
	return dit_overlay_rules_make(&f->job, &f->settings->databases[1], true,
	                              &f->rules);
}

static void drop_rules(struct fixture *f)
{
	dit_overlay_rules_deinit(&f->rules);
	dit_settings_free(f->settings);
}

TEST(directives_become_rules)
{
	struct fixture f;

	assert_int_equal(
		read_rules(
			&f,
			"rootdn cn=root,cn=x\noverlay memberof\n"
			"overlay memberof\nmemberof-group-oc groupOfUniqueNames\n"
			"memberof-member-ad uniqueMember\n"
			"memberof-memberof-ad seeAlso\nmemberof-dn cn=O\n"
			"memberof-dangling DROP\n"
			"overlay refint\nrefint_attributes member description\n"
			"refint_attributes seeAlso\nrefint_nothing cn=none\n"
			"overlay unique\n"
			"unique_uri \"strict ignore ldap:///?cn?one\" ldap:///?sn?sub\n"
			"unique_uri ldap:///cn=a,cn=x?cn,description?sub?(cn=a)\n"),
		0);
	assert_int_equal(f.rules.nmemberof, 2);
	assert_string_equal(f.rules.memberof[0].member->name.data, "member");
	assert_string_equal(f.rules.memberof[0].group->name, "groupOfNames");
	assert_true(
		dit_span_eq(f.rules.memberof[0].dn.pretty, dit_span_of("cn=root,cn=x")));
	assert_int_equal(f.rules.memberof[0].dangling, DIT_DANGLING_IGNORE);
	assert_string_equal(f.rules.memberof[1].memberof->name.data, "seeAlso");
	assert_int_equal(f.rules.memberof[1].dangling, DIT_DANGLING_DROP);
	assert_true(dit_span_eq(f.rules.memberof[1].dn.norm, dit_span_of("cn=o")));
	assert_int_equal(f.rules.nrefint, 3);
	assert_true(dit_span_eq(f.rules.refint[0].nothing, dit_span_of("cn=none")));
	assert_int_equal(f.rules.nunique, 2);
	/* The last directive is the first of its list. */
	assert_int_equal(f.rules.unique[0].nads, 2);
	assert_false(f.rules.unique[0].is_ignored);
	assert_non_null(f.rules.unique[0].match.filter);
	assert_true(f.rules.unique[1].is_ignored);
	assert_int_equal(f.rules.unique[1].match.scope, DIT_SCOPE_ONE);
	drop_rules(&f);
}

TEST(the_older_directives_of_unique_are_one_rule)
{
	struct fixture f;

	assert_int_equal(
		read_rules(&f,
	                   "overlay unique\nunique_base \"cn=a,cn=x\"\n"
	                   "unique_attributes cn\nunique_attributes description uid\n"),
		0);
	assert_int_equal(f.rules.nunique, 1);
	assert_int_equal(f.rules.unique[0].nads, 3);
	assert_true(dit_span_eq(f.rules.unique[0].match.base, dit_span_of("cn=a,cn=x")));
	drop_rules(&f);
}

TEST(attrsets_of_dynlist_are_rules)
{
	struct fixture f;

	assert_int_equal(
		read_rules(&f, "overlay dynlist\n"
	                       "dynlist-attrset groupOfURLs labeledURI\n"
	                       "dynlist-attrset groupOfNames "
	                       "ldap:///cn=a,cn=x??one?(cn=b) labeledURI member+memberOf@"
	                       "groupOfNames*\n"
	                       "dynlist-attrset groupOfURLs labeledURI seeAlso:member\n"
	                       "dynlist-attrpair member labeledURI\n"
	                       "attrpair uniqueMember labeledURI\n"),
		0);
	assert_int_equal(f.rules.ndynlist, 5);
	assert_string_equal(f.rules.dynlist[0].group->name, "groupOfURLs");
	assert_string_equal(f.rules.dynlist[0].url->name.data, "labeledURI");
	assert_false(f.rules.dynlist[0].lists_members);
	assert_false(f.rules.dynlist[0].match.has_base);
	assert_string_equal(f.rules.dynlist[1].group->name, "groupOfNames");
	assert_true(f.rules.dynlist[1].lists_members);
	assert_int_equal(f.rules.dynlist[1].match.scope, DIT_SCOPE_ONE);
	assert_true(dit_span_eq(f.rules.dynlist[1].match.base, dit_span_of("cn=a,cn=x")));
	assert_non_null(f.rules.dynlist[1].match.filter);
	assert_false(f.rules.dynlist[2].lists_members);
	assert_true(f.rules.dynlist[3].lists_members);
	assert_string_equal(f.rules.dynlist[4].group->name, "groupOfURLs");
	drop_rules(&f);
}

TEST(directives_that_slapd_refuses_are_told)
{
	static const struct {
		const char *lines;
		const char *report;
	} cases[] = {
		{"overlay memberof\nmemberof-group-oc nothing\n",
	         "memberof-group-oc: unable to find group objectClass \"nothing\"\n"},
		{"overlay memberof\nmemberof-member-ad nothing\n",
	         "memberof-member-ad: no such attribute: \"nothing\"\n"},
		{"overlay memberof\nmemberof-memberof-ad cn\n",
	         "memberof-memberof-ad: neither DN nor nameUID syntax: \"cn\"\n"},
		{"overlay memberof\nmemberof-dangling perhaps\n",
	         "memberof-dangling: invalid \"perhaps\"\n"},
		{"overlay memberof\nmemberof-dn nothing\n",
	         "memberof-dn: invalid DN \"nothing\"\n"},
		{"overlay refint\nrefint_attributes nothing\n",
	         "refint_attributes: no such attribute: \"nothing\"\n"},
		{"overlay unique\nunique_uri ldap:///?cn\n",
	         "unique_uri: uri with base scope will always be unique: "
	         "\"ldap:///?cn\"\n"},
		{"overlay unique\nunique_uri http:///?cn?sub\n",
	         "unique_uri: invalid ldap urilist \"http:///?cn?sub\"\n"},
		{"overlay unique\nunique_uri ldap:///?nothing?sub\n",
	         "nothing: no such attribute is configured\n"},
		{"overlay unique\nunique_uri ldap:///?cn?sub?(cn=\n",
	         "(cn=: this is no filter\n"},
		{"overlay unique\nunique_uri ldap:///?cn?sub?(|(cn=a)(!(cn>=x)))\n",
	         "unique_uri: slapd adds no entry that may match, as this is undefined: "
	         "\"ldap:///?cn?sub?(|(cn=a)(!(cn>=x)))\"\n"},
		{"overlay dynlist\ndynlist-attrset nothing labeledURI\n",
	         "dynlist-attrset: unable to find ObjectClass \"nothing\"\n"},
		{"overlay dynlist\ndynlist-attrset groupOfURLs nothing member\n",
	         "dynlist-attrset: no such attribute: \"nothing\"\n"},
		{"overlay dynlist\ndynlist-attrset groupOfURLs cn member\n",
	         "dynlist-attrset: no subtype of labeledURI: \"cn\"\n"},
		{"overlay dynlist\ndynlist-attrset groupOfURLs ldap:///cn=x\n",
	         "dynlist-attrset: no such attribute: \"\"\n"},
		{"overlay dynlist\ndynlist-attrset groupOfURLs ldap:///?x?y labeledURI\n",
	         "dynlist-attrset: unable to parse URI \"ldap:///?x?y\"\n"},
		{"overlay dynlist\nattrpair member nothing\n",
	         "attrpair: no such attribute: \"nothing\"\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		assert_int_equal(read_rules(&f, cases[i].lines), DIT_E_CONFIG);
		assert_string_equal(f.report, cases[i].report);
		drop_rules(&f);
	}
}

/* ---- entries, and a model of them ---- */

struct model_entry {
	unsigned name;    /* number of its name */
	unsigned members; /* bits: those with a name in `member` */
	unsigned stored;  /* in memberOf */
	unsigned value;   /* of cn, which is to be unique; 0: none */
	bool is_group;
};

/* An entry as a reader shows it. */
struct shown {
	struct dit_entry_view view;
	struct dit_attr_view attrs[4];
	struct dit_span values[4][NENTRIES + NUNKNOWN];
	char dn[32];
};

static struct dit_span name_of(unsigned i)
{
	static char names[NENTRIES + NUNKNOWN][16];

	(void)snprintf(names[i], sizeof(names[i]), "cn=%u,cn=x", i);
	return dit_span_of(names[i]);
}

static void show_attr(const struct fixture *f, struct shown *shown, const char *name,
                      unsigned bits)
{
	struct dit_attr_view *attr = &shown->attrs[shown->view.nattrs];
	struct dit_span *values = shown->values[shown->view.nattrs];
	uint32_t n = 0;

	for (unsigned i = 0; i < NENTRIES + NUNKNOWN; i++) {
		if ((bits >> i & 1) != 0) {
			values[n++] = name_of(i);
		}
	}
	*attr = (struct dit_attr_view){.nvalues = n, .values = values};
	assert_int_equal(dit_ad_find(f->settings->schema, NULL, dit_span_of(name),
	                             &attr->ad, NULL),
	                 0);
	shown->view.nattrs += n > 0;
}

static void show(const struct fixture *f, const struct model_entry *entry, unsigned i,
                 struct shown *ret)
{
	*ret = (struct shown){.view = {.id = i + 1}};
	ret->view.dn = name_of(entry->name);
	ret->view.norm_dn = ret->view.dn;
	ret->view.attrs = ret->attrs;
	show_attr(f, ret, "objectClass", 1);
	ret->values[0][0] = dit_span_of(entry->is_group ? "groupOfNames" : "top");
	show_attr(f, ret, "member", entry->members);
	show_attr(f, ret, "memberOf", entry->stored);
	show_attr(f, ret, "cn", entry->value);
}

static unsigned some_bits(unsigned nbits, unsigned limit)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < nbits; i++) {
		bits |= 1u << ((unsigned)rand() % limit);
	}
	return bits;
}

static void make_model(struct model_entry *model)
{
	for (unsigned i = 0; i < NENTRIES; i++) {
		model[i] = (struct model_entry){.name = i, .is_group = rand() % 3 == 0};
		model[i].stored = some_bits((unsigned)rand() % 3, NENTRIES + 1);
		if (model[i].is_group || rand() % 6 == 0) {
			model[i].members =
				some_bits(1 + (unsigned)rand() % 4, NENTRIES + 1);
		}
		if (rand() % 3 == 0) {
			model[i].value = 1u << ((unsigned)rand() % 5);
		}
	}
}

/* Take all entries, by any producer. */
static struct dit_overlays *take_all(const struct fixture *f,
                                     const struct model_entry *model,
                                     const struct dit_overlays_opts *opts)
{
	struct dit_overlays *overlays = NULL;

	assert_int_equal(dit_overlays_new(&overlays, opts), 0);
	for (unsigned i = 0; i < NENTRIES; i++) {
		struct shown shown;

		show(f, &model[i], i, &shown);
		assert_int_equal(dit_overlays_take(overlays, (unsigned)rand() % PRODUCERS,
		                                   &shown.view),
		                 0);
	}
	assert_int_equal(dit_overlays_join(overlays), 0);
	return overlays;
}

/* The answer about an entry: bits of entries by kind. */
struct answer {
	unsigned by_kind[DIT_OVERLAY_TWICE + 1];
	const struct dit_dn_text *name; /* of the other entry of the last item */
};

static struct answer ask(const struct fixture *f, struct dit_overlays *overlays,
                         const struct model_entry *model, unsigned i)
{
	struct dit_overlay_asked asked;
	struct answer answer = {.name = NULL};
	struct shown shown;

	show(f, &model[i], i, &shown);
	assert_int_equal(dit_overlays_ask(overlays, (unsigned)rand() % PRODUCERS,
	                                  &shown.view, &asked),
	                 0);
	for (size_t k = 0; k < asked.n; k++) {
		const struct dit_overlay_item *item = &asked.items[k];

		answer.name = item->name;
		unsigned bits = item->kind == DIT_OVERLAY_DANGLING  ? model[i].members
		                : item->kind == DIT_OVERLAY_SURPLUS ? model[i].stored
		                                                    : 0;

		/* Of a value its name, else the other entry. */
		for (uint32_t n = item->number; n > 0; n--) {
			bits &= bits - 1;
		}
		answer.by_kind[item->kind] |=
			bits != 0 ? bits & -bits : 1u << (item->other - 1);
	}
	return answer;
}

static unsigned groups_of(const struct model_entry *model, unsigned i, unsigned accepted)
{
	unsigned groups = 0;

	for (unsigned g = 0; g < NENTRIES; g++) {
		if (g != i && model[g].is_group &&
		    (model[g].members >> model[i].name & 1) != 0 &&
		    (accepted >> g & 1) != 0) {
			groups |= 1u << g;
		}
	}
	return groups;
}

TEST(memberships_are_those_of_the_model)
{
	static const unsigned all = (1u << NENTRIES) - 1;
	struct model_entry model[NENTRIES];
	struct fixture f;

	assert_int_equal(read_rules(&f, "overlay memberof\nmemberof-dangling error\n"),
	                 0);
	for (unsigned round = 0; round < NROUNDS; round++) {
		const struct dit_overlays_opts opts = {.rules = &f.rules,
		                                       .nproducers = PRODUCERS};
		struct dit_overlays *overlays = NULL;

		srand(round);
		make_model(model);
		overlays = take_all(&f, model, &opts);
		for (unsigned i = 0; i < NENTRIES; i++) {
			struct answer answer = ask(&f, overlays, model, i);
			unsigned groups = groups_of(model, i, all);
			unsigned dangling =
				model[i].is_group ? model[i].members & ~all : 0;

			assert_int_equal(answer.by_kind[DIT_OVERLAY_MISSING],
			                 groups & ~model[i].stored);
			assert_int_equal(answer.by_kind[DIT_OVERLAY_MEMBER],
			                 groups & model[i].stored);
			assert_int_equal(answer.by_kind[DIT_OVERLAY_SURPLUS],
			                 model[i].stored & ~groups);
			assert_int_equal(answer.by_kind[DIT_OVERLAY_DANGLING], dangling);
		}
		dit_overlays_free(overlays);
	}
	drop_rules(&f);
}

/* Bits of the names that some entries have; and the first of these that has a value. */
static unsigned names_of(const struct model_entry *model, unsigned entries)
{
	unsigned names = 0;

	for (unsigned i = 0; i < NENTRIES; i++) {
		names |= (entries >> i & 1) << model[i].name;
	}
	return names;
}

static unsigned first_with(const struct model_entry *model, unsigned entries,
                           unsigned value)
{
	for (unsigned i = 0; i < NENTRIES && value != 0; i++) {
		if ((entries >> i & 1) != 0 && model[i].value == value) {
			return 1u << i;
		}
	}
	return 0;
}

/* slapd gives its group to a member that comes later, and to no other one. */
TEST(with_addcheck_an_entry_that_is_no_group_may_have_members)
{
	struct model_entry model[NENTRIES] = {{0}};
	struct fixture f;
	const struct dit_overlays_opts opts = {.rules = &f.rules,
	                                       .nproducers = PRODUCERS};
	struct dit_overlays *overlays = NULL;
	struct answer answer;

	assert_int_equal(read_rules(&f, "overlay memberof\nmemberof-addcheck on\n"), 0);
	for (unsigned i = 0; i < NENTRIES; i++) {
		model[i].name = i;
	}
	model[0].members = 6;
	model[1].stored = 9;
	overlays = take_all(&f, model, &opts);
	answer = ask(&f, overlays, model, 1);
	assert_int_equal(answer.by_kind[DIT_OVERLAY_MEMBER], 1);
	assert_int_equal(answer.by_kind[DIT_OVERLAY_SURPLUS], 8);
	answer = ask(&f, overlays, model, 2);
	assert_int_equal(answer.by_kind[DIT_OVERLAY_MISSING], 0);
	dit_overlays_free(overlays);
	drop_rules(&f);
}

/* As slapd adds them one by one. @return the entries that it accepts */
static unsigned add_in_order(const struct model_entry *model, enum dit_dangling dangling)
{
	unsigned accepted = 0;

	for (unsigned i = 0; i < NENTRIES; i++) {
		unsigned known = names_of(model, accepted);
		bool is_refused = model[i].is_group && dangling == DIT_DANGLING_ERROR &&
		                  (model[i].members & ~known) != 0;

		is_refused |= model[i].is_group && dangling == DIT_DANGLING_DROP &&
		              (model[i].members & known) == 0;
		is_refused |= (known >> model[i].name & 1) != 0;
		is_refused |= first_with(model, accepted, model[i].value) != 0;
		accepted |= is_refused ? 0 : 1u << i;
	}
	return accepted;
}

/* Some entries have the name of another one. */
static void make_doubles(struct model_entry *model)
{
	for (unsigned i = 0; i < NENTRIES; i++) {
		if (rand() % 4 == 0) {
			model[i].name = (unsigned)rand() % NENTRIES;
		}
	}
}

static void compare_in_order(const struct fixture *f, enum dit_dangling dangling)
{
	struct model_entry model[NENTRIES];

	for (unsigned round = 0; round < NROUNDS; round++) {
		const struct dit_overlays_opts opts = {
			.rules = &f->rules, .nproducers = PRODUCERS, .in_order = true};
		struct dit_overlays *overlays = NULL;
		unsigned accepted = 0;

		srand(round);
		make_model(model);
		make_doubles(model);
		accepted = add_in_order(model, dangling);
		overlays = take_all(f, model, &opts);
		for (unsigned i = 0; i < NENTRIES; i++) {
			struct answer answer = ask(f, overlays, model, i);
			unsigned before = accepted & ((1u << i) - 1);
			unsigned groups =
				groups_of(model, i, accepted) & ~((1u << i) - 1);
			unsigned lost =
				model[i].is_group
					? model[i].members & ~names_of(model, before)
					: 0;

			assert_int_equal(answer.by_kind[DIT_OVERLAY_DANGLING], lost);
			assert_int_equal(answer.by_kind[DIT_OVERLAY_TWICE],
			                 first_with(model, before, model[i].value));
			assert_int_equal(answer.by_kind[DIT_OVERLAY_MISSING] |
			                         answer.by_kind[DIT_OVERLAY_MEMBER],
			                 (accepted >> i & 1) != 0 ? groups : 0);
		}
		dit_overlays_free(overlays);
	}
}

TEST(groups_with_unknown_members_are_refused_in_order)
{
	struct fixture f;

	assert_int_equal(read_rules(&f, "overlay memberof\nmemberof-dangling error\n"
	                                "overlay unique\nunique_uri ldap:///?cn?sub\n"),
	                 0);
	compare_in_order(&f, DIT_DANGLING_ERROR);
	drop_rules(&f);
}

TEST(groups_that_lose_all_members_are_refused_in_order)
{
	struct fixture f;

	assert_int_equal(read_rules(&f, "overlay memberof\nmemberof-dangling drop\n"
	                                "overlay unique\nunique_uri ldap:///?cn?sub\n"),
	                 0);
	compare_in_order(&f, DIT_DANGLING_DROP);
	drop_rules(&f);
}

TEST(a_value_belongs_to_its_first_entry)
{
	struct model_entry model[NENTRIES];
	struct fixture f;

	assert_int_equal(read_rules(&f, "overlay unique\nunique_uri ldap:///?cn?sub\n"),
	                 0);
	for (unsigned round = 0; round < NROUNDS; round++) {
		const struct dit_overlays_opts opts = {.rules = &f.rules,
		                                       .nproducers = PRODUCERS,
		                                       .in_order = round % 2 == 0};
		struct dit_overlays *overlays = NULL;

		srand(round);
		make_model(model);
		overlays = take_all(&f, model, &opts);
		for (unsigned i = 0; i < NENTRIES; i++) {
			struct answer answer = ask(&f, overlays, model, i);
			unsigned first = 0;

			while (model[first].value != model[i].value) {
				first++;
			}
			assert_int_equal(answer.by_kind[DIT_OVERLAY_TWICE],
			                 first == i || model[i].value == 0 ? 0
			                                                   : 1u << first);
			if (first != i && model[i].value != 0) {
				assert_non_null(answer.name);
				assert_true(
					dit_span_eq(answer.name->pretty, name_of(first)));
			}
		}
		dit_overlays_free(overlays);
	}
	drop_rules(&f);
}

/* ---- failures ---- */

static int run_once(const struct fixture *f, const struct model_entry *model)
{
	const struct dit_overlays_opts opts = {
		.rules = &f->rules, .nproducers = 1, .in_order = true};
	struct dit_overlay_asked asked;
	struct dit_overlays *overlays = NULL;
	struct shown shown;
	int r = dit_overlays_new(&overlays, &opts);

	for (unsigned i = 0; i < NENTRIES && r == 0; i++) {
		show(f, &model[i], i, &shown);
		r = dit_overlays_take(overlays, 0, &shown.view);
	}
	r = r < 0 ? r : dit_overlays_join(overlays);
	for (unsigned i = 0; i < NENTRIES && r == 0; i++) {
		show(f, &model[i], i, &shown);
		r = dit_overlays_ask(overlays, 0, &shown.view, &asked);
	}
	dit_overlays_free(overlays);
	return r;
}

TEST(any_allocation_may_fail)
{
	struct model_entry model[NENTRIES];
	struct fixture f;

	assert_int_equal(read_rules(&f, "overlay memberof\nmemberof-dangling drop\n"
	                                "overlay refint\nrefint_attributes member\n"
	                                "overlay unique\nunique_uri ldap:///?cn?sub\n"),
	                 0);
	srand(7);
	make_model(model);
	assert_true(calls_until_memory(run_once(&f, model)) > 10);
	drop_rules(&f);
}

TEST(an_id_has_40_bits)
{
	struct model_entry model = {.is_group = false};
	struct dit_overlays *overlays = NULL;
	struct fixture f;
	struct shown shown;

	assert_int_equal(read_rules(&f, "overlay memberof\n"), 0);
	assert_int_equal(
		dit_overlays_new(&overlays, &(struct dit_overlays_opts){.rules = &f.rules,
	                                                                .nproducers = 1}),
		0);
	show(&f, &model, 0, &shown);
	shown.view.id = (uint64_t)1 << 40;
	assert_int_equal(dit_overlays_take(overlays, 0, &shown.view), DIT_E_TOOLONG);
	shown.view.id--;
	assert_int_equal(dit_overlays_take(overlays, 0, &shown.view), 0);
	dit_overlays_free(overlays);
	drop_rules(&f);
}
