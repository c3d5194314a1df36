/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditgen: write a made-up directory as LDIF, the same for the same arguments everywhere.
 *
 *   ditgen --entries 100000 --seed 1 > big.ldif
 *
 * Nothing is kept of an entry once it is written, so there may be any number of them.
 * With --progress FILE the number written so far is in FILE, as text, every
 * PROGRESS_ENTRIES and at the end.
 *
 * The tree: the suffix, ou=People with DEPARTMENTS departments in it, people below the
 * departments. A person has 25 attributes and objectClass in about 900 bytes of LDIF
 * and, under the index list of bench.sh, some 235 postings. Two names in three come from
 * short lists, the front of each far more often than its end, as in life: some keys are
 * in most entries, most keys in few. Numbers make uid and mail unique.
 *
 *   dn: uid=dMorqu19957,ou=Works 30,ou=People,dc=example,dc=com
 *   objectClass: top
 *   ...
 *   cn: Dorpetel Morquiber
 *   ...
 *   uidNumber: 29957
 *
 * Randomness is SplitMix64 (Steele, Lea, Flood 2014): eight lines, no state to seed but
 * one word, and independent of the C library.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPARTMENTS      40u
#define PROGRESS_ENTRIES 1024u
#define OUTPUT_BUFFER    (1u << 16) /* a pipe's worth */
#define SUFFIX           "dc=example,dc=com"
#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))

static const char *const given_names[] = {
	"James",  "Mary",    "Robert",    "Patricia", "John",    "Jennifer", "Michael",
	"Linda",  "David",   "Elizabeth", "William",  "Barbara", "Richard",  "Susan",
	"Joseph", "Jessica", "Thomas",    "Sarah",    "Carlos",  "Karen",    "Daniel",
	"Nancy",  "Mehmet",  "Lisa",      "Mark",     "Yuki",    "Donald",   "Olga",
	"Steven", "Sandra",  "Paul",      "Ashley",   "Andrew",  "Fatima",   "Kenneth",
	"Emily",  "George",  "Ingrid",    "Joshua",   "Amina",   "Kevin",    "Wei",
	"Brian",  "Priya",   "Edward",    "Chloe",    "Ronald",  "Zoe",
};

static const char *const surnames[] = {
	"Smith",        "Johnson",  "Williams",  "Brown",    "Jones",     "Garcia",
	"Miller",       "Davis",    "Rodriguez", "Martinez", "Hernandez", "Lopez",
	"Wilson",       "Anderson", "Taylor",    "Moore",    "Jackson",   "Martin",
	"Lee",          "Thompson", "White",     "Harris",   "Sanchez",   "Clark",
	"Ramirez",      "Lewis",    "Robinson",  "Walker",   "Young",     "Allen",
	"King",         "Wright",   "Scott",     "Torres",   "Nguyen",    "Hill",
	"Flores",       "Green",    "Adams",     "Nelson",   "Baker",     "Hall",
	"Rivera",       "Campbell", "Mitchell",  "Carter",   "Roberts",   "Schmidt",
	"Kowalski",     "Ivanov",   "Yamamoto",  "Haddad",   "Okafor",    "Lindqvist",
	"Papadopoulos",
};

/* Rare names of people, towns and streets are made of three of these: 8000 more. */
static const char *const syllables[] = {
	"al", "ber", "ca",  "dor", "el", "far", "gu",  "hen", "is", "jo",
	"ka", "lin", "mor", "na",  "ov", "pet", "qui", "ro",  "sa", "tun",
};

static const char *const titles[] = {
	"Engineer",   "Analyst",     "Sales Manager", "Accountant", "Technician",
	"Consultant", "Team Leader", "Buyer",         "Designer",   "Administrator",
};

static const char *const towns[] = {
	"London", "Berlin", "Paris",  "Madrid", "Vienna", "Prague", "Oslo",  "Lisbon",
	"Dublin", "Athens", "Zurich", "Turin",  "Leeds",  "Gdansk", "Ghent", "Malmo",
};

static const char *const states[] = {
	"North", "South", "West", "East", "Central", "Upper Valley", "Coast", "Islands",
};

static const char *const streets[] = {
	"High Street", "Main Road",    "Church Lane", "Mill Road",
	"Park Avenue", "Station Road", "Garden Walk", "Bridge Street",
};

static const char *const departments[] = {
	"Sales",     "Research", "Finance", "Support",
	"Logistics", "Legal",    "Works",   "Training",
};

static const char *const employments[] = {
	"full time",
	"part time",
	"contractor",
	"guest",
};

static const char *const shells[] = {"/bin/bash", "/bin/sh", "/bin/zsh"};

static const char *const subjects[] = {
	"Looks after", "Answers for", "Works on", "Helps with", "Reports on",
};

static const char *const things[] = {
	"orders",    "invoices", "returns", "machines",
	"contracts", "networks", "audits",  "projects",
};

struct generator {
	uint64_t state; /* of the random numbers */
	bool operational;
	uint64_t nentries; /* written so far, the next entry's number */
};

static uint64_t next_random(struct generator *gen)
{
	uint64_t z = gen->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/** A number below @p n, all equally likely (the bias of modulo is no matter here). */
static unsigned below(struct generator *gen, unsigned n)
{
	return (unsigned)(next_random(gen) % n);
}

/** An index below @p n, small ones likelier: of two draws the smaller, or its half. */
static unsigned skewed(struct generator *gen, unsigned n)
{
	unsigned a = below(gen, n);
	unsigned b = below(gen, n);
	unsigned least = a < b ? a : b;

	return below(gen, 2) == 0 ? least / 2 : least;
}

#define PICK(gen, list) ((list)[skewed((gen), COUNT(list))])

#define NAME_SIZE 24

/** One name in three is rare. */
static void make_name(struct generator *gen, const char *const *names, unsigned nnames,
                      char name[NAME_SIZE])
{
	if (below(gen, 3) > 0) {
		(void)snprintf(name, NAME_SIZE, "%s", names[skewed(gen, nnames)]);
		return;
	}
	name[0] = '\0';
	for (int i = 0; i < 3; i++) {
		strcat(name, syllables[below(gen, COUNT(syllables))]);
	}
	name[0] &= ~0x20;
}

/** The attributes that slapadd would generate, made from the entry's number. */
static void write_operational(const struct generator *gen, const char *structural)
{
	uint64_t n = gen->nentries;
	unsigned second = (unsigned)(n % 60);
	unsigned minute = (unsigned)(n / 60 % 60);
	unsigned hour = (unsigned)(n / 3600 % 24);
	unsigned day = (unsigned)(n / 86400 % 28) + 1;

	printf("structuralObjectClass: %s\n", structural);
	printf("entryUUID: %08" PRIx64 "-1d17-4a00-8000-%012" PRIx64 "\n",
	       n * 2654435761u & 0xffffffffu, n);
	printf("creatorsName: cn=admin," SUFFIX "\n");
	printf("createTimestamp: 202401%02u%02u%02u%02uZ\n", day, hour, minute, second);
	printf("entryCSN: 202402%02u%02u%02u%02u.%06uZ#000000#000#000000\n", day, hour,
	       minute, second, (unsigned)(n % 1000000));
	printf("modifiersName: cn=admin," SUFFIX "\n");
	printf("modifyTimestamp: 202402%02u%02u%02u%02uZ\n", day, hour, minute, second);
}

static void end_entry(struct generator *gen, const char *structural)
{
	if (gen->operational) {
		write_operational(gen, structural);
	}
	putchar('\n');
	gen->nentries++;
}

static void write_department_dn(unsigned number)
{
	printf("ou=%s %02u,ou=People," SUFFIX, departments[number % COUNT(departments)],
	       number);
}

/** Entry number @p n of the tree's upper part: the suffix, ou=People, the departments. */
static void write_node(struct generator *gen, uint64_t n)
{
	if (n == 0) {
		printf("dn: " SUFFIX
		       "\nobjectClass: dcObject\nobjectClass: organization\n"
		       "dc: example\no: Example\n");
		end_entry(gen, "organization");
	} else if (n == 1) {
		printf("dn: ou=People," SUFFIX "\nobjectClass: organizationalUnit\n"
		       "ou: People\n");
		end_entry(gen, "organizationalUnit");
	} else {
		unsigned number = (unsigned)(n - 2);

		printf("dn: ");
		write_department_dn(number);
		printf("\nobjectClass: organizationalUnit\nou: %s %02u\n",
		       departments[number % COUNT(departments)], number);
		end_entry(gen, "organizationalUnit");
	}
}

static void write_names(struct generator *gen, uint64_t n, const char *given,
                        const char *surname)
{
	printf("objectClass: top\nobjectClass: person\n"
	       "objectClass: organizationalPerson\nobjectClass: inetOrgPerson\n"
	       "objectClass: posixAccount\n");
	printf("uid: %c%.5s%" PRIu64 "\n", given[0] | 0x20, surname, n);
	printf("cn: %s %s\nsn: %s\ngivenName: %s\n", given, surname, surname, given);
	printf("initials: %c%c\ndisplayName: %s, %s (%s, staff number %" PRIu64
	       ", Example Trading Company)\n",
	       given[0], surname[0], surname, given, PICK(gen, departments), n);
	printf("mail: %c.%s%" PRIu64 "@example.com\n", given[0], surname, n);
	printf("title: %s\n", PICK(gen, titles));
}

static void write_places(struct generator *gen)
{
	/* One draw to a statement: the order of arguments is the compiler's choice. */
	unsigned exchange = below(gen, 2000);
	unsigned line = below(gen, 10000);
	unsigned network = below(gen, 1000);
	unsigned subscriber = below(gen, 1000000);
	const char *state = PICK(gen, states);
	unsigned house = 1 + skewed(gen, 2000);
	unsigned code = 10000 + skewed(gen, 90000);
	unsigned wing = below(gen, 6);
	unsigned storey = below(gen, 9);
	unsigned room = below(gen, 200);
	char town[NAME_SIZE];
	char street[NAME_SIZE];

	make_name(gen, towns, COUNT(towns), town);
	make_name(gen, streets, COUNT(streets), street);

	printf("telephoneNumber: +44 20 %04u %04u\n", exchange, line);
	printf("mobile: +44 7%03u %06u\n", network, subscriber);
	printf("l: %s\nst: %s\n", town, state);
	printf("street: %u %s\n", house, street);
	printf("postalCode: %05u\n", code);
	printf("roomNumber: %c%u.%03u\n", "ABCDEF"[wing], storey, room);
}

static void write_work(struct generator *gen, uint64_t n, unsigned department)
{
	const char *employment = PICK(gen, employments);
	const char *subject = PICK(gen, subjects);
	const char *thing = PICK(gen, things);
	const char *given = PICK(gen, given_names);
	const char *surname = PICK(gen, surnames);
	unsigned desk = below(gen, 10000);

	printf("ou: %s %02u\n", departments[department % COUNT(departments)], department);
	printf("departmentNumber: %u\n", 1000 + department);
	printf("employeeNumber: E%08" PRIu64 "\nemployeeType: %s\n", n, employment);
	printf("description: %s %s %04u\n", subject, thing, desk);
	printf("manager: cn=%s %s,cn=Heads of Departments and Teams,", given, surname);
	write_department_dn(below(gen, DEPARTMENTS));
	putchar('\n');
}

static void write_account(struct generator *gen, uint64_t n, const char *surname)
{
	printf("uidNumber: %" PRIu64 "\n", 10000 + n);
	printf("gidNumber: %u\n", 500 + skewed(gen, 50));
	printf("homeDirectory: /srv/export/nfs/home/permanent-staff/%c/%s.%" PRIu64 "\n",
	       surname[0], surname, n);
	printf("loginShell: %s\n", PICK(gen, shells));
}

static void write_person(struct generator *gen, uint64_t n)
{
	char given[NAME_SIZE];
	char surname[NAME_SIZE];
	unsigned department = skewed(gen, DEPARTMENTS);

	make_name(gen, given_names, COUNT(given_names), given);
	make_name(gen, surnames, COUNT(surnames), surname);

	printf("dn: uid=%c%.5s%" PRIu64 ",", given[0] | 0x20, surname, n);
	write_department_dn(department);
	putchar('\n');
	write_names(gen, n, given, surname);
	write_places(gen);
	write_work(gen, n, department);
	write_account(gen, n, surname);
	end_entry(gen, "inetOrgPerson");
}

static bool parse_number(const char *text, uint64_t *ret)
{
	char *end = NULL;
	unsigned long long value = strtoull(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0') {
		return false;
	}
	*ret = value;
	return true;
}

static int usage(void)
{
	(void)fprintf(stderr, "usage: ditgen [--entries N] [--seed S] [--operational] "
	                      "[--progress FILE]\n");
	return 1;
}

/** Overwrite the number in the file; numbers grow, so the old one is covered. */
static bool tell_progress(int fd, uint64_t nentries)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64 "\n", nentries);

	return fd < 0 || pwrite(fd, text, (size_t)len, 0) == len;
}

int main(int argc, char **argv)
{
	struct generator gen = {.state = 1};
	uint64_t nentries = 1000;
	int progress_fd = -1;

	for (int i = 1; i < argc; i++) {
		bool has_value = i + 1 < argc;

		if (strcmp(argv[i], "--operational") == 0) {
			gen.operational = true;
		} else if (strcmp(argv[i], "--entries") == 0 && has_value) {
			if (!parse_number(argv[++i], &nentries)) {
				return usage();
			}
		} else if (strcmp(argv[i], "--seed") == 0 && has_value) {
			if (!parse_number(argv[++i], &gen.state)) {
				return usage();
			}
		} else if (strcmp(argv[i], "--progress") == 0 && has_value) {
			progress_fd = open(argv[++i], O_WRONLY | O_CREAT | O_TRUNC, 0644);
			if (progress_fd < 0) {
				perror(argv[i]);
				return 1;
			}
		} else {
			return usage();
		}
	}

	(void)setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	while (gen.nentries < nentries) {
		if (gen.nentries % PROGRESS_ENTRIES == 0 &&
		    !tell_progress(progress_fd, gen.nentries)) {
			return 1;
		}
		if (gen.nentries < 2 + DEPARTMENTS) {
			write_node(&gen, gen.nentries);
		} else {
			write_person(&gen, gen.nentries - (2 + DEPARTMENTS));
		}
	}
	return fflush(stdout) == 0 && !ferror(stdout) &&
	                       tell_progress(progress_fd, gen.nentries)
	               ? 0
	               : 1;
}
