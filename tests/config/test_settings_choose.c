/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which database a load is for, and which an entry belongs to (config.md 5).
 */
#include "config/conf_fixture.h"

#define MDB(suffix) "database mdb\nsuffix " suffix "\n"

/* clang-format off */
static const char many[] =
	CONF_SCHEMA
	"database ldap\nsuffix dc=ldap\nsuffix dc=ldap2\n"
	MDB("dc=a,dc=x") "hidden on\n"
	MDB("dc=b,dc=x") "disabled on\n"
	MDB("dc=x")
	"database monitor\n"
	MDB("dc=y");
/* clang-format on */

struct choose_case {
	const char *conf;
	int number;
	const char *suffix;
	int chosen; /* number of the database; -1: refused */
	const char *reports;
};

static const struct choose_case choose_cases[] = {
/* clang-format off */
#define NO_BACKEND(dn) "E slap_init no backend for \"" dn "\"\n"
#define BAD_SUFFIX(dn) "E slap_init invalid suffix (\"" dn "\")\n"
#define NO_TOOL "E database doesn't support necessary operations.\n"
#define RANGE(n) "Database number selected via -n is out of range\n" \
	"Must be in the range 0 to " #n " (the number of configured databases)\n"
#define NOT_FIRST(n) "The first database does not allow slapadd; " \
	"using the first available one (" #n ")\n"
{many, -1, NULL, -1, NO_TOOL},
{many, 0, NULL, -1, "E could not open database.\n"},
{many, 1, NULL, -1, NO_TOOL},
{many, 2, NULL, 2, ""},
{many, 3, NULL, 3, ""},
{many, 4, NULL, 4, ""},
{many, 5, NULL, -1, NO_TOOL},
{many, 7, NULL, -1, RANGE(6)},
{many, -1, "dc=x", 4, ""},
{many, -1, "UID = Q , DC=b,dc=x", 4, ""},
{many, -1, "dc=y", 6, ""},
{many, -1, "dc=ldap2", -1, NO_TOOL},
{many, -1, "cn=monitor", -1, NO_TOOL},
{many, -1, "cn=config", -1, "E could not open database.\n"},
{many, -1, "DC=Foo , dc=z", -1, NO_BACKEND("DC=Foo , dc=z")},
{many, -1, "", -1, NO_BACKEND("")},
{many, -1, "foo=x", -1, BAD_SUFFIX("foo=x")},
{many, -1, "x", -1, BAD_SUFFIX("x")},
{CONF_SCHEMA MDB("dc=x") MDB("dc=y"), -1, NULL, 1, ""},
{CONF_SCHEMA MDB("dc=x") "hidden on\n", -1, NULL, 1, ""},
{CONF_SCHEMA "database monitor\n" MDB("dc=x"), -1, NULL, 2, NOT_FIRST(2)},
{CONF_SCHEMA "database ldap\nsuffix dc=a,dc=x\nsubordinate\n" MDB("dc=x"),
 -1, NULL, 2, ""},
{"database monitor\n", -1, NULL, -1, "Available database(s) do not allow slapadd\n"},
{"", -1, NULL, -1, "Available database(s) do not allow slapadd\n"},
{"", 1, NULL, -1, RANGE(0)},
{"database mdb\n", -1, NULL, -1,
 "mdb_db_open: need suffix.\n"
 "backend_startup_one (type=mdb, suffix=\"(null)\"): bi_db_open failed! (-1)\n"
 "slap_startup failed\n"},
{"database mdb\nsuffix \"\"\n", -1, "cn=x", 1, ""},
	/* clang-format on */
};

CONF_TEST(chosen_as_by_slapadd)
{
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(choose_cases) / sizeof(choose_cases[0]); i++) {
		const struct choose_case *c = &choose_cases[i];
		struct dit_settings *s = conf_accept(f, c->conf);
		const struct dit_settings_choice choice = {.number = c->number,
		                                           .suffix = c->suffix};
		const struct dit_database *d = NULL;
		int r = dit_settings_choose(s, &choice, conf_collect, f, &d);

		if (strcmp(f->reports, c->reports) != 0 ||
		    r != (c->chosen < 0 ? DIT_E_CONFIG : 0) ||
		    (c->chosen < 0 ? d != NULL : d->number != c->chosen)) {
			print_error("case %zu: %d %s", i, r, f->reports);
			fail();
		}
	}
}

CONF_TEST(the_words_are_those_of_the_tool)
{
	struct conf_fixture *f = *state;
	const struct dit_settings_choice choice = {.number = -1, .tool = "slapcat"};
	struct dit_settings *s = conf_accept(f, "database monitor\n");
	const struct dit_database *d = NULL;

	assert_int_equal(dit_settings_choose(s, &choice, conf_collect, f, &d),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "Available database(s) do not allow slapcat\n");
}

CONF_TEST(entries_belong_to_the_first_database_above_them)
{
	static const struct {
		const char *dn;
		int number;
	} cases[] = {
		{"dc=x", 4},      {"cn=a,dc=x", 4},
		{"dc=a,dc=x", 4}, {"cn=1,dc=b,dc=x", 4},
		{"dc=y", 6},      {"cn=q,dc=ldap2", 1},
		{"cn=config", 0}, {"cn=monitor", 5},
		{"dc=xx", -1},    {"", -1},
	};
	struct dit_settings *s = conf_accept(*state, many);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_database *d =
			dit_settings_select(s, dit_span_of(cases[i].dn), false);

		assert_int_equal(d == NULL ? -1 : d->number, cases[i].number);
	}
}
