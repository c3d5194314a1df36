/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * randdit: a random directory, the same for the same seed everywhere.
 *
 *   randdit SEED conf      its slapd.conf, with place holders as in tests/data/conf
 *   randdit SEED ldif      its LDIF
 *   randdit SEED options   options of slapadd and ditadd to load it with, in one line
 *
 * Everything is chosen at random: the suffix, attribute types of the run's own, indexes
 * and their parameters; the tree, the order of its entries (children before parents,
 * parents that never come), how each name and attribute is spelled, which lines are
 * folded, in base64, with comments between them; and what is wrong with one record in
 * ten. Quick mode meets no store errors: after one slapadd -q forgets the batch
 * (storage.md 6.6).
 */
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan {
	struct rng rng;
	struct attributes attributes;
	struct tree tree;
	const char *suffix;
	const char *suffix_class;
	const char *line_end;
	bool is_quick;
	bool goes_on;
	bool checks_schema;
	bool checks_values;
	bool has_store_errors;
	bool has_multival; /* values are different, then: slapadd spoils equal ones */
	unsigned nentries;
	unsigned wrong_percent;
};

static void make_plan(struct plan *plan, uint64_t seed)
{
	static const char *const suffixes[][2] = {
		{"dc=example,dc=com", "domain"},
		{"dc=example,dc=com", "domain"},
		{"o=Big Org", "organization"},
		{"ou=deep,o=Somewhere,c=DE", "organizationalUnit"},
		{"", "organization"},
	};
	struct rng rng = rng_stream(seed, 1);
	unsigned suffix = rng_below(&rng, COUNT(suffixes));

	*plan = (struct plan){
		.suffix = suffixes[suffix][0],
		.suffix_class = suffixes[suffix][1],
		.line_end = rng_chance(&rng, 15) ? "\r\n" : "\n",
		.is_quick = rng_chance(&rng, 50),
		.goes_on = rng_chance(&rng, 85),
		.checks_schema = rng_chance(&rng, 85),
		.checks_values = rng_chance(&rng, 15),
		.nentries = 5 + rng_below(&rng, rng_chance(&rng, 20) ? 400 : 60),
		.wrong_percent = rng_chance(&rng, 30) ? 0 : rng_below(&rng, 15),
	};
	plan->has_multival = rng_chance(&rng, 30);
	plan->has_store_errors = !plan->is_quick && plan->wrong_percent > 0;
	attributes_init(&plan->attributes, &rng);
	plan->tree.suffix = plan->suffix;
}

/* ---- options ---- */

static void print_options(struct plan *plan, struct rng *rng)
{
	(void)printf("-v%s%s%s%s", plan->is_quick ? " -q" : "",
	             plan->goes_on ? " -c" : "", plan->checks_schema ? "" : " -s",
	             plan->checks_values ? " -o value-check=yes" : "");
	if (rng_chance(rng, 10)) {
		(void)printf(" -j %u", rng_below(rng, 200));
	}
	if (rng_chance(rng, 10)) {
		(void)printf(" -S %u", rng_below(rng, 4096));
	}
	if (rng_chance(rng, 20)) {
		(void)printf(" -w");
	}
	(void)printf("\n");
}

/* ---- configuration ---- */

/* Kinds whose values can be made different by a number at the end. */
static bool can_be_split(enum kind kind)
{
	return kind <= KIND_IA5_EXACT || kind == KIND_LIST || kind == KIND_OCTETS ||
	       kind == KIND_BLOB;
}

/* A few attributes that may have many values; at least one. */
static void print_some(struct plan *plan, const char *first, const char *between,
                       bool is_split, struct rng *rng)
{
	unsigned percent = 1 + rng_below(rng, 60);

	for (unsigned i = 0; i < plan->attributes.n; i++) {
		if (!plan->attributes.list[i].is_single &&
		    (!is_split || can_be_split(plan->attributes.list[i].kind)) &&
		    (i == 0 || rng_chance(rng, percent))) {
			(void)printf("%s%s", i == 0 ? first : between,
			             plan->attributes.list[i].names[0]);
		}
	}
}

static void print_parameters(struct plan *plan, struct rng *rng)
{
	if (rng_chance(rng, 30)) {
		(void)printf("index_hash64 on\n");
	}
	if (rng_chance(rng, 30)) {
		(void)printf("index_intlen %u\n", 4 + rng_below(rng, 20));
	}
	if (rng_chance(rng, 30)) {
		unsigned min = 1 + rng_below(rng, 4);

		(void)printf("index_substr_if_maxlen %u\nindex_substr_if_minlen %u\n",
		             4 + rng_below(rng, 5), min);
	}
	if (rng_chance(rng, 30)) {
		(void)printf("index_substr_any_len %u\n", 1 + rng_below(rng, 6));
	}
	if (rng_chance(rng, 50)) {
		(void)printf("attributeoptions lang- x-\n");
	}
	if (rng_chance(rng, 25)) {
		print_some(plan, "sortvals ", " ", false, rng);
		(void)printf("\n");
	}
	if (rng_chance(rng, 20)) {
		(void)printf("backend mdb\nidlexp %u\n", 16 + rng_below(rng, 4));
	}
}

static void print_indexes(struct plan *plan, struct rng *rng)
{
	struct text line = {0};
	unsigned percent = rng_below(rng, 100);

	for (unsigned i = 0; i < plan->attributes.n; i++) {
		const struct attribute *attribute = &plan->attributes.list[i];

		if (!rng_chance(rng, percent)) {
			continue;
		}
		text_clear(&line);
		text_string(&line, "index ");
		attribute_spell(attribute, rng, &line);
		text_string(&line, " ");
		attribute_index_types(attribute, rng, &line);
		text_string(&line, "\n");
		if (attribute->kind <= KIND_BLOB && rng_chance(rng, 10)) {
			text_string(&line, "index ");
			text_string(&line, attribute->names[0]);
			text_string(&line, ";lang-de ");
			attribute_index_types(attribute, rng, &line);
			text_string(&line, "\n");
		}
		(void)fwrite(line.data, 1, line.len, stdout);
	}
	if (rng_chance(rng, percent)) {
		(void)printf("index objectClass pres,eq\n");
	}
	if (rng_chance(rng, percent)) {
		(void)printf("index name eq,sub\nindex distinguishedName eq\n");
	}
	text_free(&line);
}

static void print_conf(struct plan *plan, struct rng *rng)
{
	static const char *const files[] = {"core", "cosine", "nis", "inetorgperson",
	                                    "openldap"};
	struct text own = {0};

	for (unsigned i = 0; i < COUNT(files); i++) {
		(void)printf("include @SCHEMA@/%s.schema\n", files[i]);
	}
	(void)printf("modulepath /usr/lib/ldap\nmoduleload back_mdb\n");
	attributes_define(&plan->attributes, &own);
	(void)fwrite(own.data, 1, own.len, stdout);
	text_free(&own);
	print_parameters(plan, rng);
	(void)printf("database mdb\nsuffix \"%s\"\ndirectory @DB@\nmaxsize 268435456\n"
	             "envflags nosync\n",
	             plan->suffix);
	if (rng_chance(rng, 70)) {
		(void)printf("rootdn \"CN = Admin+SN=x, %s\"\n",
		             plan->suffix[0] == '\0' ? "dc=a" : plan->suffix);
	}
	if (rng_chance(rng, 15)) {
		(void)printf("lastmod off\n");
	}
	if (plan->has_multival) {
		print_some(plan, "multival ", ",", true, rng);
		(void)printf(" %u,1\n", 1 + rng_below(rng, 3));
	}
	if (rng_chance(rng, 10)) {
		(void)printf("maxentrysize %u\n", 500 + rng_below(rng, 3000));
	}
	print_indexes(plan, rng);
}

/* ---- LDIF ---- */

static void add_classes(const struct plan *plan, unsigned node, struct rng *rng,
                        struct text *out)
{
	static const char *const sets[][3] = {
		{"inetOrgPerson", NULL, NULL},
		{"PERSON", "top", NULL},
		{"organizationalUnit", NULL, NULL},
		{"device", "2.5.6.0", NULL},
		{"groupOfNames", NULL, NULL},
		{"account", "posixAccount", "shadowAccount"},
		{"inetOrgPerson", "organizationalPerson", "person"},
		{"alias", NULL, NULL},
		{"referral", NULL, NULL},
		{"glue", NULL, NULL},
		{"person", "device", NULL},
		{"organizationalRole", "dcObject", NULL},
		{"noSuchClass", "person", NULL},
	};
	unsigned set = rng_below(rng, rng_chance(rng, 90) ? 7 : COUNT(sets));

	if (node == NO_PARENT && rng_chance(rng, 95)) {
		ldif_string_pair(plan->line_end, "objectClass", plan->suffix_class, rng,
		                 out);
	} else {
		for (unsigned i = 0; i < 3 && sets[set][i] != NULL; i++) {
			ldif_string_pair(plan->line_end,
			                 rng_chance(rng, 90) ? "objectClass" : "2.5.4.0",
			                 sets[set][i], rng, out);
		}
	}
	if (rng_chance(rng, 85)) {
		ldif_string_pair(plan->line_end, "objectClass", "extensibleObject", rng,
		                 out);
	}
	if (rng_chance(rng, 40)) {
		ldif_string_pair(plan->line_end, "objectClass", "oAux", rng, out);
	}
	if (rng_chance(rng, 90)) {
		ldif_string_pair(plan->line_end, "sn", "Needed", rng, out);
		ldif_string_pair(plan->line_end, "cn", "Needed", rng, out);
		ldif_string_pair(plan->line_end, "member", plan->suffix, rng, out);
	}
	if (rng_chance(rng, 90)) {
		ldif_string_pair(plan->line_end, "o", "Needed", rng, out);
		ldif_string_pair(plan->line_end, "homeDirectory", "/", rng, out);
		ldif_string_pair(plan->line_end, "uid", "needed", rng, out);
	}
	if (rng_chance(rng, 3)) {
		ldif_string_pair(plan->line_end, "aliasedObjectName", plan->suffix, rng,
		                 out);
	}
}

static void add_attribute(const struct plan *plan, struct rng *rng, struct text *out)
{
	static const char *const options[] = {";lang-de",         ";LANG-en",
	                                      ";lang-de;lang-en", ";lang-en;lang-de",
	                                      ";x-own",           ";lang-de;x-a"};
	const struct attribute *attribute =
		&plan->attributes.list[rng_below(rng, plan->attributes.n)];
	unsigned nvalues = 1;
	struct text name = {0};
	struct text value = {0};

	if (!attribute->is_single || rng_chance(rng, 1)) {
		nvalues += rng_chance(rng, 30)
		                   ? rng_below(rng, rng_chance(rng, 3) ? 60 : 4)
		                   : 0;
	}
	while (nvalues-- > 0) {
		text_clear(&name);
		text_clear(&value);
		attribute_spell(attribute, rng, &name);
		if (rng_chance(rng, 10)) {
			text_string(
				&name,
				options[rng_below(
					rng, rng_chance(rng, 90) ? 4 : COUNT(options))]);
		}
		value_make(attribute->kind, &plan->tree, rng, &value);
		/* slapadd crashes on an empty integer and on an empty numeric string. */
		if (value.len == 0 && (attribute->kind == KIND_INTEGER ||
		                       attribute->kind == KIND_NUMERIC)) {
			text_string(&value, "1");
		}
		if (plan->has_multival && can_be_split(attribute->kind)) {
			char number[16];

			(void)snprintf(number, sizeof(number), "~%u", nvalues);
			text_string(&value, number);
		}
		ldif_pair(plan->line_end, &name, &value, rng, out);
	}
	text_free(&name);
	text_free(&value);
}

/* A line that spoils the record, or may. */
static void add_wrong_line(const struct plan *plan, struct rng *rng, struct text *out)
{
	static const char *const lines[] = {
		"no colon at all",
		"fooAttr: x",
		"cn;x-y-z-unknown: x",
		"cn;binary: x",
		"description::",
		"description:< file:///nonexistent/file",
		"description:: YW@J",
		"description:: caf=",
		"telephoneNumber:",
		"seeAlso: not a name",
		"structuralObjectClass: device",
		"hasSubordinates: TRUE",
		"entryUUID: short",
		"description : x",
		"ref: ldap://x",
		"userCertificate:: MAA=",
		"dn: cn=second",
		"objectClass: top",
		"cn;lang-: x",
		": x",
	};
	unsigned i = rng_below(rng, COUNT(lines));

	/* With -s an unknown name is a store error. */
	if (!plan->checks_schema && plan->is_quick && i >= 1 && i <= 2) {
		i = 0;
	}
	text_string(out, lines[i]);
	text_string(out, plan->line_end);
}

static void add_dn(const struct plan *plan, unsigned node, struct rng *rng,
                   struct text *out)
{
	struct text name = {0};
	struct text value = {0};

	text_string(&name, rng_chance(rng, 95) ? "dn" : "DN");
	if (node == NO_PARENT) {
		tree_spell(&plan->tree, node, rng_chance(rng, 50), rng, &value);
	} else {
		tree_spell(&plan->tree, node, rng_chance(rng, 70), rng, &value);
	}
	ldif_pair(plan->line_end, &name, &value, rng, out);
	text_free(&name);
	text_free(&value);
}

static void add_entry(const struct plan *plan, unsigned node, struct rng *rng,
                      struct text *out)
{
	bool is_wrong = rng_chance(rng, plan->wrong_percent);
	unsigned nattributes = rng_below(rng, 9);
	bool is_late = rng_chance(rng, 3);

	if (rng_chance(rng, 3)) {
		text_string(out, rng_chance(rng, 50) ? "# comment" : "17 old number");
		text_string(out, plan->line_end);
	}
	if (!is_late && !(is_wrong && rng_chance(rng, 5))) {
		add_dn(plan, node, rng, out);
	}
	if (!is_wrong || rng_chance(rng, 90)) {
		add_classes(plan, node, rng, out);
	}
	for (unsigned i = 0; i < nattributes; i++) {
		if (is_wrong && rng_chance(rng, 30)) {
			add_wrong_line(plan, rng, out);
		}
		add_attribute(plan, rng, out);
	}
	if (is_late) {
		add_dn(plan, node, rng, out);
	}
	for (unsigned i = 0; i < 1 + (rng_chance(rng, 5) ? rng_below(rng, 4) : 0); i++) {
		text_string(out, plan->line_end);
	}
}

/* Grow a tree; then the order: mostly as it grew, some moved, some lost, some twice. */
static unsigned *make_order(struct plan *plan, struct rng *rng, unsigned *ret_n)
{
	unsigned *order = calloc(2 * (size_t)plan->nentries + 2, sizeof(*order));
	unsigned n = 0;

	if (order == NULL) {
		perror("randdit");
		exit(2);
	}
	if (rng_chance(rng, 95)) {
		order[n++] = NO_PARENT;
	}
	for (unsigned i = 0; i < plan->nentries; i++) {
		unsigned parent =
			i == 0 || rng_chance(rng, 30)
				? NO_PARENT
				: rng_below(rng, i < 8 || rng_chance(rng, 30) ? i : 8);
		unsigned node = tree_grow(&plan->tree, &plan->attributes, parent, rng);

		if (rng_chance(rng, 97)) {
			order[n++] = node;
		}
		if (plan->has_store_errors && rng_chance(rng, 2)) {
			order[n++] = rng_below(rng, node + 1);
		}
	}
	for (unsigned i = 0; n > 1 && i < n * rng_below(rng, 30) / 100; i++) {
		unsigned a = rng_below(rng, n);
		unsigned b = rng_below(rng, n);
		unsigned kept = order[a];

		order[a] = order[b];
		order[b] = kept;
	}
	*ret_n = n;
	return order;
}

static void print_ldif(struct plan *plan, struct rng *rng)
{
	unsigned n = 0;
	unsigned *order = make_order(plan, rng, &n);
	struct text out = {0};

	for (unsigned i = 0; i < n; i++) {
		text_clear(&out);
		add_entry(plan, order[i], rng, &out);
		(void)fwrite(out.data, 1, out.len, stdout);
	}
	text_free(&out);
	free(order);
}

int main(int argc, char **argv)
{
	struct plan plan;
	uint64_t seed = 0;
	struct rng rng;

	if (argc != 3) {
		(void)fprintf(stderr, "usage: randdit SEED conf|ldif|options\n");
		return 2;
	}
	seed = strtoull(argv[1], NULL, 10);
	make_plan(&plan, seed);
	rng = rng_stream(seed, 2 + (uint64_t)(unsigned char)argv[2][0]);
	switch (argv[2][0]) {
	case 'c':
		print_conf(&plan, &rng);
		break;
	case 'l':
		print_ldif(&plan, &rng);
		break;
	default:
		print_options(&plan, &rng);
		break;
	}
	tree_free(&plan.tree);
	return ferror(stdout) != 0 || fflush(stdout) != 0;
}
