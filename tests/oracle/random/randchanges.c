/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * randchanges: random directories and histories of changes to them, the same for the
 * same seed everywhere.
 *
 *   randchanges SEED conf N     a slapd.conf with N databases, with place holders as
 *                               in tests/data/conf; the directory of I is @DB@-I
 *   randchanges SEED ldif I     what database I holds first: its suffix is dc=hI; if I is
 *                               odd, each attribute that changes have is there
 *   randchanges SEED changes I  LDIF changes to it; a comment numbers each record, and
 *                               where slapd needs the relax control, it is there
 *
 * A model of the directory goes along, so that most changes fit what is there: values
 * that are deleted are there, and parents live. It does not know the schema, and takes
 * a change for done that a server may refuse; so values, names and entries that are
 * not there are used as well. One record in ten is wrong by plan.
 *
 * Not made, since slapd itself is wrong there: an attribute that is added, deleted and
 * added again in one record in which it was not before (keys stay in indexes); indexes
 * of an attribute and of its supertype; new values for a time that slapd has made (it
 * dies).
 */
#include "random_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- configuration ---- */

/* Each run draws it again. */
static bool has_multival(uint64_t seed, unsigned database)
{
	return rng_chance(&(struct rng){seed * 1009 + database}, 30);
}

static void print_indexes(const struct attributes *attributes, struct rng *rng)
{
	unsigned percent = rng_below(rng, 100);
	struct text line = {0};

	for (unsigned i = 0; i < attributes->n; i++) {
		if (rng_chance(rng, percent)) {
			text_clear(&line);
			text_string(&line, "index ");
			attribute_spell(&attributes->list[i], rng, &line);
			text_string(&line, " ");
			attribute_index_types(&attributes->list[i], rng, &line);
			text_string(&line, "\n");
			(void)fwrite(line.data, 1, line.len, stdout);
		}
	}
	(void)printf("index objectClass,structuralObjectClass pres,eq\n");
	text_free(&line);
}

static void print_list(const struct attributes *attributes, const char *first,
                       bool is_split, struct rng *rng)
{
	const char *before = first;

	for (unsigned i = 0; i < attributes->n; i++) {
		const struct attribute *attribute = &attributes->list[i];

		if (!attribute->is_single &&
		    (!is_split || can_be_split(attribute->kind)) &&
		    (is_split || rng_chance(rng, 20))) {
			(void)printf("%s%s", before, attribute->names[0]);
			before = is_split ? "," : " ";
		}
	}
}

static void print_database(const struct attributes *attributes, uint64_t seed,
                           unsigned database, struct rng *rng)
{
	(void)printf("database mdb\nsuffix dc=h%u\nrootdn \"CN = Admin+SN=x,dc=h%u\"\n"
	             "rootpw secret\ndirectory @DB@-%u\nmaxsize 16777216\n"
	             "envflags nosync\n",
	             database, database, database);
	if (rng_chance(rng, 10)) {
		(void)printf("lastmod off\n");
	}
	if (has_multival(seed, database)) {
		print_list(attributes, "multival ", true, rng);
		(void)printf(" %u,%u\n", 3 + rng_below(rng, 3), 1 + rng_below(rng, 3));
	}
	print_indexes(attributes, rng);
}

static void print_conf(const struct attributes *attributes, uint64_t seed, unsigned n)
{
	static const char *const files[] = {"core", "cosine", "nis", "inetorgperson"};
	struct rng rng = rng_stream(seed, 2);
	struct text own = {0};

	for (unsigned i = 0; i < COUNT(files); i++) {
		(void)printf("include @SCHEMA@/%s.schema\n", files[i]);
	}
	(void)printf("modulepath /usr/lib/ldap\nmoduleload back_mdb\n"
	             "attributeoptions lang- x-\nsizelimit unlimited\n");
	attributes_define(attributes, &own);
	text_string(&own, "attributetype ( 1.3.6.1.4.1.99999.9.1 NAME 'inOrder' "
	                  "EQUALITY caseIgnoreMatch\n\t"
	                  "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORDERED 'VALUES' )\n");
	(void)fwrite(own.data, 1, own.len, stdout);
	text_free(&own);
	if (rng_chance(&rng, 30)) {
		(void)printf("index_intlen %u\n", 4 + rng_below(&rng, 20));
	}
	if (rng_chance(&rng, 30)) {
		(void)printf("index_substr_any_len %u\n", 2 + rng_below(&rng, 4));
	}
	if (rng_chance(&rng, 50)) {
		print_list(attributes, "sortvals ", false, &rng);
		(void)printf("\n");
	}
	for (unsigned i = 1; i <= n; i++) {
		print_database(attributes, seed, i, &rng);
	}
}

/* ---- the directory ---- */

static const char *const operational[RELAX_ONLY] = {"createTimestamp", "modifyTimestamp",
                                                    "entryUUID", "creatorsName"};

static bool is_operational(const struct attribute *attribute)
{
	return attribute->kind == KIND_TIME || attribute->kind == KIND_CSN ||
	       attribute->kind == KIND_UUID ||
	       strcmp(attribute->names[0], "creatorsName") == 0;
}

static bool is_used(const struct history *h, const struct attribute *attribute)
{
	for (unsigned i = 0; i < h->nused; i++) {
		if (h->used[i] == attribute) {
			return true;
		}
	}
	return false;
}

/* Every attribute, with every option where those are used: none is new to the database
 * later. slapd spoils values that are new and many at once. */
static void add_all_attributes(struct history *h)
{
	static const char *const stamps =
		"creatorsName: cn=a\ncreateTimestamp: 20200102030405Z\n"
		"modifiersName: cn=a\nmodifyTimestamp: 20200102030405Z\n"
		"entryUUID: 00000000-0000-4000-8000-000000000000\n"
		"entryCSN: 20200102030405.000000Z#000000#000#000000\n";
	struct text name = {0};
	struct text value = {0};

	text_string(&h->out, stamps);
	for (unsigned i = 0; i <= h->attributes.n; i++) {
		const struct attribute *attribute =
			i < h->attributes.n ? &h->attributes.list[i] : &in_order;

		if (is_operational(attribute) || strcmp(attribute->names[0], "dc") == 0) {
			continue;
		}
		for (unsigned option = 0; option <= NOPTIONS; option++) {
			text_clear(&name);
			text_string(&name, attribute->names[0]);
			text_string(&name,
			            option == 0 ? "" : history_options[option - 1]);
			if (option == 0 || (is_used(h, attribute) && !h->has_multival)) {
				history_value(h, attribute, &value);
				history_pair(h, &name, &value);
			}
		}
	}
	text_free(&name);
	text_free(&value);
}

static void add_root(struct history *h)
{
	text_string(&h->out, "dn: ");
	text_string(&h->out, h->suffix);
	text_string(&h->out, "\nobjectClass: domain\nobjectClass: extensibleObject\n");
	if (h->knows_all) {
		add_all_attributes(h);
		text_string(&h->out, "\ndn: cn=alias,");
		text_string(&h->out, h->suffix);
		text_string(&h->out,
		            "\nobjectClass: alias\nobjectClass: extensibleObject\n"
		            "cn: alias\naliasedObjectName: dc=com\n");
	}
	text_string(&h->out, LINE_END);
}

/* A long one is refused, and with it the entries below. */
static void names_shorten(struct node *names)
{
	for (unsigned i = 0; i < names->navas; i++) {
		if (names->avas[i].value.len > 60) {
			names->avas[i].value.len = 60;
		}
	}
}

static void make_directory(struct history *h)
{
	unsigned n = 5 + rng_below(&h->rng, 25);

	h->is_first = true;
	add_root(h);
	for (unsigned i = 0; i < n; i++) {
		unsigned parent = i == 0 || rng_chance(&h->rng, 30)
		                          ? NO_PARENT
		                          : rng_below(&h->rng, i);
		unsigned node = tree_grow(&h->tree, &h->attributes, parent, &h->rng);

		entry_of(h, node)->is_alive = true;
		names_shorten(&h->tree.nodes[node]);
		if (entry_is_taken(h, node)) {
			h->entries[node].is_alive = false;
			continue;
		}
		history_dn(h, "dn", node);
		history_entry(h, node);
		text_string(&h->out, LINE_END);
	}
	h->is_first = false;
}

/* ---- a history ---- */

static void history_init(struct history *h, uint64_t seed, unsigned database)
{
	h->rng = rng_stream(seed, 100 + database);
	h->has_multival = has_multival(seed, database);
	h->knows_all = h->has_multival || database % 2 != 0;
	(void)snprintf(h->suffix, sizeof(h->suffix), "dc=h%u", database);
	h->tree.suffix = h->suffix;
	if (rng_chance(&h->rng, 50)) {
		h->used[h->nused++] = &in_order;
	}
	while (h->nused < COUNT(h->used) - RELAX_ONLY) {
		const struct attribute *attribute =
			&h->attributes.list[rng_below(&h->rng, h->attributes.n)];

		if (!is_used(h, attribute) && !is_operational(attribute)) {
			h->used[h->nused++] = attribute;
		}
	}
	for (unsigned i = 0; i < RELAX_ONLY; i++) {
		for (unsigned j = 0; j < h->attributes.n; j++) {
			if (strcmp(h->attributes.list[j].names[0], operational[i]) == 0) {
				h->used[h->nused++] = &h->attributes.list[j];
			}
		}
	}
}

static void history_free(struct history *h)
{
	for (unsigned i = 0; i < h->size; i++) {
		while (h->entries[i].n > 0) {
			entry_remove(&h->entries[i], 0);
		}
		free(h->entries[i].values);
	}
	free(h->entries);
	tree_free(&h->tree);
	text_free(&h->out);
}

int main(int argc, char **argv)
{
	struct history h = {0};
	struct rng rng = {0};
	uint64_t seed = 0;
	unsigned number = 0;

	if (argc != 4) {
		(void)fprintf(stderr,
		              "usage: randchanges SEED conf|ldif|changes NUMBER\n");
		return 2;
	}
	seed = strtoull(argv[1], NULL, 10);
	number = (unsigned)strtoul(argv[3], NULL, 10);
	rng = rng_stream(seed, 1);
	attributes_init(&h.attributes, &rng);
	for (unsigned i = h.attributes.n - h.attributes.nown; i < h.attributes.n; i++) {
		/* A printable string is none of the names. */
		h.attributes.list[i].can_name &= h.attributes.list[i].has_sub;
	}
	if (strcmp(argv[2], "conf") == 0) {
		print_conf(&h.attributes, seed, number);
	} else {
		history_init(&h, seed, number);
		make_directory(&h);
		if (strcmp(argv[2], "changes") == 0) {
			text_clear(&h.out);
			history_change(&h);
		}
		(void)fwrite(h.out.data, 1, h.out.len, stdout);
		history_free(&h);
	}
	return ferror(stdout) != 0 || fflush(stdout) != 0;
}
