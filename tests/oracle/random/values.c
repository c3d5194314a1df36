/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of every kind, from short lists so that they meet each other in indexes. */
#include "random.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	"a",       "Harbour",   "harbour",  "of",       "EXAMPLE", "north",
	"South",   "42",        "x",        "Street",   "Straße",  "STRASSE",
	"Été",     "e\xCC\x81", "\xC4\xB0", "ﬁne",      "Ⅷ",       "漢字",
	"한글",    "ＡＢ",      "café",     "",         "-",       "_",
	"{0}",     "$",         "\\24",     "#",        "*",       "(x)",
	"o'clock", "tab\there", "\xC2\xA0", "\xC2\xAD", "😀",
};

/* Often one blank, sometimes none or more. */
static void add_blanks(struct rng *rng, struct text *out)
{
	unsigned n = rng_chance(rng, 80) ? 1 : rng_below(rng, 4);

	while (n-- > 0) {
		text_byte(out, ' ');
	}
}

static void add_words(struct rng *rng, struct text *out, bool is_ascii)
{
	unsigned n = 1 + rng_below(rng, rng_chance(rng, 3) ? 200 : 5);

	if (rng_chance(rng, 5)) {
		add_blanks(rng, out);
	}
	for (unsigned i = 0; i < n; i++) {
		const char *word = words[rng_below(rng, COUNT(words))];

		while (is_ascii && (word[0] & 0x80) != 0) {
			word = words[rng_below(rng, COUNT(words))];
		}
		if (i > 0) {
			add_blanks(rng, out);
		}
		if (is_ascii && strpbrk(word, "\xC3") != NULL) {
			continue;
		}
		text_string(out, word);
	}
	if (rng_chance(rng, 5)) {
		add_blanks(rng, out);
	}
}

static void add_octets(struct rng *rng, struct text *out)
{
	unsigned n = rng_below(rng, rng_chance(rng, 5) ? 6000 : 20);

	while (n-- > 0) {
		text_byte(out, (char)rng_below(rng, 256));
	}
}

static void add_digits(struct rng *rng, struct text *out, unsigned n)
{
	while (n-- > 0) {
		text_byte(out, (char)('0' + rng_below(rng, 10)));
	}
}

static void add_integer(struct rng *rng, struct text *out)
{
	static const char *const odd[] = {
		"0",   "-1",  "127",   "128",        "-128",       "-129",
		"255", "256", "65536", "2147483647", "4294967296", "-2147483649",
	};

	if (rng_chance(rng, 40)) {
		text_string(out, odd[rng_below(rng, COUNT(odd))]);
		return;
	}
	if (rng_chance(rng, 30)) {
		text_byte(out, '-');
	}
	text_byte(out, (char)('1' + rng_below(rng, 9)));
	add_digits(rng, out, rng_below(rng, rng_chance(rng, 10) ? 60 : 6));
}

static void add_time(struct rng *rng, struct text *out)
{
	char time[64];

	(void)snprintf(time, sizeof(time), "20%02u%02u%02u%02u%02u%02u",
	               rng_below(rng, 40), 1 + rng_below(rng, 12), 1 + rng_below(rng, 28),
	               rng_below(rng, 24), rng_below(rng, 60), rng_below(rng, 60));
	text_bytes(out, time, rng_chance(rng, 90) ? 14 : 10 + 2 * rng_below(rng, 3));
	if (rng_chance(rng, 10)) {
		text_string(out, rng_chance(rng, 50) ? ".50" : ",001");
	}
	text_string(out, rng_chance(rng, 90) ? "Z" : "+0130");
}

static void add_csn(struct rng *rng, struct text *out)
{
	char csn[64];

	(void)snprintf(csn, sizeof(csn),
	               "20%02u%02u%02u%02u%02u%02u.%06uZ#%06x#%03X#%06x",
	               rng_below(rng, 40), 1 + rng_below(rng, 12), 1 + rng_below(rng, 28),
	               rng_below(rng, 24), rng_below(rng, 60), rng_below(rng, 60),
	               rng_below(rng, 1000000), rng_below(rng, 9), rng_below(rng, 4096),
	               rng_below(rng, 3));
	text_string(out, csn);
}

static void add_uuid(struct rng *rng, struct text *out)
{
	static const char *const formats[] = {"%08x-%04x-%04x-%04x-%04x%08x",
	                                      "%08X-%04X-%04X-%04X-%04X%08X"};
	char uuid[64];
	unsigned part[6] = {(unsigned)rng_next(rng), rng_below(rng, 65536),
	                    rng_below(rng, 65536),   rng_below(rng, 65536),
	                    rng_below(rng, 65536),   (unsigned)rng_next(rng)};

	(void)snprintf(uuid, sizeof(uuid), rng_chance(rng, 80) ? formats[0] : formats[1],
	               part[0], part[1], part[2], part[3], part[4], part[5]);
	text_string(out, uuid);
}

static void add_dn(const struct tree *tree, struct rng *rng, struct text *out)
{
	if (tree->n == 0 || rng_chance(rng, 10)) {
		tree_spell(tree, NO_PARENT, false, rng, out);
		return;
	}
	tree_spell(tree, rng_below(rng, tree->n), false, rng, out);
}

static void add_phone(struct rng *rng, struct text *out)
{
	text_string(out, rng_chance(rng, 50) ? "+49 " : "");
	for (unsigned i = 0; i < 3; i++) {
		add_digits(rng, out, 1 + rng_below(rng, 2));
		text_byte(out, " -/("[rng_below(rng, 4)]);
	}
	add_digits(rng, out, 1);
}

/* One of a list. */
#define PICK(rng, list) (list)[rng_below((rng), COUNT(list))]

/* A value of no narrow kind; some kinds take it all the same. */
static void add_nonsense(struct rng *rng, struct text *out)
{
	static const char *const nonsense[] = {
		"x",   "0x10",  "007",  "caf\xE9", "\xED\xA0\x80",
		"cn=", "foo=x", "'2'B", "   ",
	};

	text_string(out, PICK(rng, nonsense));
}

void value_of_kind(enum kind kind, const struct tree *tree, struct rng *rng,
                   struct text *out)
{
	static const char *const booleans[] = {"TRUE", "FALSE", "true"};
	static const char *const bits[] = {"'0101'B", "''B", "'1'B", "'01'B"};
	static const char *const oids[] = {"1.2.3", "person", "PERSON", "2.5.6.6", "top"};
	static const char *const countries[] = {"DE", "de", "US", "USA", "X"};

	switch (kind) {
	case KIND_DIRECTORY:
	case KIND_EXACT:
		add_words(rng, out, false);
		break;
	case KIND_IA5:
	case KIND_IA5_EXACT:
		add_words(rng, out, rng_chance(rng, 90));
		break;
	case KIND_INTEGER:
		add_integer(rng, out);
		break;
	case KIND_NUMERIC:
		add_digits(rng, out, 1 + rng_below(rng, 4));
		add_blanks(rng, out);
		add_digits(rng, out, rng_below(rng, 4));
		break;
	case KIND_PHONE:
		add_phone(rng, out);
		break;
	case KIND_LIST:
		add_words(rng, out, false);
		text_byte(out, '$');
		add_words(rng, out, false);
		break;
	case KIND_DN:
		add_dn(tree, rng, out);
		break;
	case KIND_NAME_UID:
		add_dn(tree, rng, out);
		if (rng_chance(rng, 30)) {
			text_byte(out, '#');
			text_string(out, PICK(rng, bits));
		}
		break;
	case KIND_OCTETS:
	case KIND_BLOB:
		add_octets(rng, out);
		break;
	case KIND_TIME:
		add_time(rng, out);
		break;
	case KIND_CSN:
		add_csn(rng, out);
		break;
	case KIND_UUID:
		add_uuid(rng, out);
		break;
	case KIND_BOOLEAN:
		text_string(out, PICK(rng, booleans));
		break;
	case KIND_BITS:
		text_string(out, PICK(rng, bits));
		break;
	case KIND_OID:
		text_string(out, PICK(rng, oids));
		break;
	case KIND_COUNTRY:
		text_string(out, PICK(rng, countries));
		break;
	}
}

void value_make(enum kind kind, const struct tree *tree, struct rng *rng,
                struct text *out)
{
	if (rng_chance(rng, 2)) {
		add_nonsense(rng, out);
		return;
	}
	value_of_kind(kind, tree, rng, out);
}

void value_for_name(enum kind kind, struct rng *rng, struct text *out)
{
	static const char *const names[] = {
		"A",      "b",         "Alice",  "Straße",        "Été",
		"İ",      "漢",        "a, b",   "x + y",         "\"q\"",
		"#hash",  " lead",     "trail ", "a=b",           "semi;colon",
		"back\\", "<angle>",   "a\tb",   "many   blanks", "ﬁ",
		"Ⅷ",      "e\xCC\x81",
	};
	static const char *const countries[] = {"DE", "us", "Fr"};

	switch (kind) {
	case KIND_DIRECTORY:
	case KIND_EXACT:
		text_string(out, PICK(rng, names));
		add_digits(rng, out, rng_below(rng, 4));
		if (rng_chance(rng, 3)) {
			unsigned n = 200 + rng_below(rng, 60);

			while (n-- > 0) {
				text_byte(out, 'l');
			}
		}
		break;
	case KIND_INTEGER:
		text_byte(out, (char)('1' + rng_below(rng, 9)));
		add_digits(rng, out, rng_below(rng, 3));
		break;
	case KIND_NUMERIC:
		add_digits(rng, out, 3);
		text_string(out, " 5");
		break;
	case KIND_PHONE:
		text_string(out, "+49 1-");
		add_digits(rng, out, 3);
		break;
	case KIND_DN:
		text_string(out, "cn=Some  One,dc=");
		add_digits(rng, out, 2);
		break;
	case KIND_COUNTRY:
		text_string(out, PICK(rng, countries));
		break;
	default:
		text_string(out, "Ia5 ");
		add_digits(rng, out, 1 + rng_below(rng, 3));
		break;
	}
}
