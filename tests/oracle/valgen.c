/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * valgen [--rule=NAME] [--seed=N] [--first=N] [--count=N] --unicode=unicode-tables.tsv
 * valgen --list
 *
 * Write LDIF whose values try out one attribute type of tests/data/conf/values.conf, all
 * of them in turn (NAME "all", the default), or the DNs of entries (NAME "dn"). Each
 * value has an entry of its own, or shares it with few others, as one bad value refuses
 * the record. The records are the same for the same seed everywhere, and record N is the
 * same whatever --first and --count are, so that one that differs can be looked at alone.
 *
 *   valgen --rule=tCIM --count=100000 --unicode=libraries/ldap/values/unicode-tables.tsv
 */
#include "oracle/valgen.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 65536
#define ONLY_DN    SIZE_MAX

struct options {
	const char *rule;
	const char *unicode;
	uint64_t seed;
	uint64_t first;
	uint64_t count;
	bool is_list;
	bool is_rdn; /* the value names the entry */
};

static void put_base64(const char *name, const struct buf *value)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *s = (const unsigned char *)value->data;

	(void)printf("%s:%s", name, value->n == 0 ? " " : ": ");
	for (size_t i = 0; i < value->n; i += 3) {
		size_t left = value->n - i;
		uint32_t w = (uint32_t)s[i] << 16;

		w |= left > 1 ? (uint32_t)s[i + 1] << 8 : 0;
		w |= left > 2 ? s[i + 2] : 0;
		(void)putchar(digits[w >> 18]);
		(void)putchar(digits[w >> 12 & 63]);
		(void)putchar(left > 1 ? digits[w >> 6 & 63] : '=');
		(void)putchar(left > 2 ? digits[w & 63] : '=');
	}
	(void)putchar('\n');
}

static void put_values(struct gen *g, const struct value_type *type, struct buf *b)
{
	char name[64];
	/* When two ordered values are the same is a question of its own. */
	bool is_alone = strncmp(type->name, "tOrdered", strlen("tOrdered")) == 0;

	(void)snprintf(name, sizeof(name), "%s%s", type->name,
	               type->is_binary ? ";binary" : "");
	for (size_t n = one_in(g, 8) && !is_alone ? 1 + pick(g, 4) : 1; n > 0; n--) {
		b->n = 0;
		type->make(g, b);
		if (b->n > 0 || type->takes_empty) {
			put_base64(name, b);
		}
	}
}

static void put_record(struct gen *g, size_t type, bool is_rdn, struct buf *b)
{
	if (type == ONLY_DN || is_rdn) {
		b->n = 0;
		if (is_rdn) {
			put_rdn_of(g, &value_types[type], b);
			put_str(b, ",dc=x");
		} else {
			put_entry_dn(g, b);
		}
		put_base64("dn", b);
		(void)printf("objectClass: person\nobjectClass: extensibleObject\n"
		             "cn: x\nsn: x\n\n");
		return;
	}
	(void)printf("dn: cn=%llu,dc=x\nobjectClass: device\n"
	             "objectClass: extensibleObject\n",
	             (unsigned long long)g->number);
	put_values(g, &value_types[type], b);
	(void)putchar('\n');
}

/* The type of a record under "all": each in turn, then a DN. */
static size_t type_of(const struct options *options, uint64_t number)
{
	const char *name = options->rule + (options->is_rdn ? strlen("rdn:") : 0);
	size_t type = 0;

	if (strcmp(name, "dn") == 0) {
		return ONLY_DN;
	}
	if (strcmp(name, "all") == 0) {
		type = (size_t)(number % (nvalue_types + 4));
		return type < nvalue_types ? type : ONLY_DN;
	}
	while (type < nvalue_types && strcmp(value_types[type].name, name) != 0) {
		type++;
	}
	if (type == nvalue_types) {
		(void)fprintf(stderr, "valgen: no such attribute type: %s\n",
		              options->rule);
		exit(2);
	}
	return type;
}

/* The first column of code points of unicode-tables.tsv. */
static size_t read_points(const char *name, uint32_t *points)
{
	FILE *file = fopen(name, "r");
	char line[512];
	size_t n = 0;

	if (file == NULL) {
		perror(name);
		exit(2);
	}
	while (n < POINTS_MAX && fgets(line, sizeof(line), file) != NULL) {
		const char *input = strchr(line, '\t');
		char *end = NULL;
		unsigned long c = input == NULL ? 0 : strtoul(input + 1, &end, 16);

		if (input != NULL && end != input + 1) {
			points[n++] = (uint32_t)c;
		}
	}
	(void)fclose(file);
	if (n == 0) {
		(void)fprintf(stderr, "valgen: %s: no code points\n", name);
		exit(2);
	}
	return n;
}

static void parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{"rule", required_argument, NULL, 'r'},
		{"seed", required_argument, NULL, 's'},
		{"first", required_argument, NULL, 'f'},
		{"count", required_argument, NULL, 'c'},
		{"unicode", required_argument, NULL, 'u'},
		{"list", no_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	int c = 0;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'r':
			options->rule = optarg;
			break;
		case 's':
			options->seed = strtoull(optarg, NULL, 10);
			break;
		case 'f':
			options->first = strtoull(optarg, NULL, 10);
			break;
		case 'c':
			options->count = strtoull(optarg, NULL, 10);
			break;
		case 'u':
			options->unicode = optarg;
			break;
		case 'l':
			options->is_list = true;
			break;
		default:
			exit(2);
		}
	}
	if (optind != argc || (!options->is_list && options->unicode == NULL)) {
		(void)fprintf(stderr, "usage: valgen [--rule=NAME] [--seed=N] "
		                      "[--first=N] [--count=N] --unicode=FILE\n"
		                      "       valgen --list\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static uint32_t points[POINTS_MAX];
	static struct buf b;
	struct options options = {.rule = "all", .seed = 1, .count = 1000};
	struct gen g = {.points = points};

	parse(argc, argv, &options);
	options.is_rdn = strncmp(options.rule, "rdn:", strlen("rdn:")) == 0;
	if (options.is_list) {
		(void)puts("dn");
		for (size_t i = 0; i < nvalue_types; i++) {
			(void)puts(value_types[i].name);
			if (value_types[i].in_dns) {
				(void)printf("rdn:%s\n", value_types[i].name);
			}
		}
		return 0;
	}
	g.npoints = read_points(options.unicode, points);
	(void)printf("dn: dc=x\nobjectClass: domain\ndc: x\n\n");
	for (uint64_t i = 0; i < options.count; i++) {
		g.number = options.first + i;
		g.state = options.seed * 0x9E3779B97F4A7C15u ^ g.number << 20;
		(void)next_random(&g);
		put_record(&g, type_of(&options, g.number), options.is_rdn, &b);
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("valgen");
		return 1;
	}
	return 0;
}
