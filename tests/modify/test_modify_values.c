/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members that come and go one at a time, some of them refused, against a model: lists
 * that are long enough for a sorted copy (modify/modify_values.c), in one run.
 */
#include "test.h"

#include "modify_fixture.h"

#define NMEMBERS 16000u

/* The members of a group in their order. */
struct model {
	unsigned list[NMEMBERS];
	unsigned n;
	bool is_there[NMEMBERS];
	unsigned nrefused;
};

static void add(struct model *model, unsigned member)
{
	if (model->is_there[member]) {
		model->nrefused++;
		return;
	}
	model->is_there[member] = true;
	model->list[model->n++] = member;
}

static void delete (struct model *model, unsigned member)
{
	unsigned at = 0;

	if (!model->is_there[member]) {
		model->nrefused++;
		return;
	}
	while (model->list[at] != member) {
		at++;
	}
	model->is_there[member] = false;
	model->n--;
	memmove(model->list + at, model->list + at + 1,
	        (model->n - at) * sizeof(*model->list));
}

/* A record for a member of group 0 or 1. */
static void change(FILE *file, struct model *models, unsigned group, const char *how,
                   unsigned member)
{
	(void)fprintf(
		file,
		"dn: cn=%s\nchangetype: modify\n%s: xMember\nxMember: cn=m%u,dc=x\n\n",
		group == 0 ? "one,ou=a,dc=x" : "two,dc=x", how, member);
	(how[0] == 'a' ? add : delete)(&models[group], member);
}

/* The first members of both groups. */
static void load(struct modify_fixture *f, struct model *models, unsigned n)
{
	const char *one = strstr(modify_fixture_entries, "objectClass: person");
	char *ldif = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&ldif, &len);

	assert_non_null(file);
	(void)fprintf(file, "%sdn: cn=two,dc=x\n%s", modify_fixture_entries, one);
	assert_int_equal(fclose(file), 0);
	modify_fixture_load(f, ldif);
	free(ldif);
	file = open_memstream(&ldif, &len);
	assert_non_null(file);
	for (unsigned group = 0; group < 2; group++) {
		(void)fprintf(file, "dn: cn=%s\nchangetype: modify\nadd: xMember\n",
		              group == 0 ? "one,ou=a,dc=x" : "two,dc=x");
		for (unsigned i = 0; i < n; i++) {
			(void)fprintf(file, "xMember: cn=m%u,dc=x\n", i * 3);
			add(&models[group], i * 3);
		}
		(void)fputc('\n', file);
	}
	assert_int_equal(fclose(file), 0);
	run_well(f, ldif);
	free(ldif);
}

static void assert_model(struct modify_fixture *f, const char *dn,
                         const struct model *model)
{
	char *shown = modify_fixture_show(f, dn);
	const char *at = strstr(shown, ", xMember: ");

	for (unsigned i = 0; i < model->n; i++) {
		char line[100];

		(void)snprintf(line, sizeof(line), ", xMember: cn=m%u,dc=x",
		               model->list[i]);
		assert_non_null(at);
		assert_memory_equal(at, line, strlen(line));
		at += strlen(line);
	}
	assert_string_equal(at, "");
	free(shown);
}

static void run(struct modify_fixture *f, const struct model *models, const char *changes)
{
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	assert_true(models[0].nrefused > 0);
	assert_int_equal(f->stats.nrefused, models[0].nrefused + models[1].nrefused);
	modify_fixture_check(f);
	assert_model(f, "cn=one,ou=a,dc=x", &models[0]);
	assert_model(f, "cn=two,dc=x", &models[1]);
}

/* The first 40 members leave and others come, in a record that is refused then. */
static void change_in_vain(FILE *file, struct model *model)
{
	(void)fprintf(file,
	              "dn: cn=one,ou=a,dc=x\nchangetype: modify\ndelete: xMember\n");
	for (unsigned i = 0; i < 40; i++) {
		(void)fprintf(file, "xMember: cn=m%u,dc=x\n", model->list[i]);
	}
	(void)fprintf(file, "-\nadd: xMember\n");
	for (unsigned i = 0; i < 40; i++) {
		(void)fprintf(file, "xMember: cn=m%u,dc=x\n", 700 + i);
	}
	(void)fprintf(file, "-\nadd: xMember\nxMember: cn=m%u,dc=x\n\n", 700);
	model->nrefused++;
}

TEST(members_come_and_go_in_two_groups)
{
	struct modify_fixture *f = modify_fixture_new("lastmod off\n");
	struct model *models = calloc(2, sizeof(*models));
	char *changes = NULL;
	size_t len = 0;
	uint64_t random = 1;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(models);
	assert_non_null(file);
	load(f, models, 180);
	for (unsigned i = 0; i < 6000; i++) {
		unsigned group = i / 300 % 2;
		bool is_add = i / 50 % 2 == 0 || test_random(&random) % 8 == 0;

		change(file, models, group, is_add ? "add" : "delete",
		       (unsigned)(test_random(&random) % 700));
		if (models[0].n >= 40 && test_random(&random) % 40 == 0) {
			change_in_vain(file, &models[0]);
			change(file, models, 0, "add", models[0].list[3]);
		}
	}
	assert_int_equal(fclose(file), 0);
	run(f, models, changes);
	free(changes);
	free(models);
}

/* More come than are looked at one by one after the sorted copy. */
TEST(thousands_come_to_a_huge_group)
{
	struct modify_fixture *f = modify_fixture_new("lastmod off\n");
	struct model *models = calloc(2, sizeof(*models));
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(models);
	assert_non_null(file);
	load(f, models, 2100); /* room for 4096 */
	for (unsigned i = 0; i < 9000; i++) {
		change(file, models, 0, "add", (i * 3) % NMEMBERS);
	}
	assert_int_equal(fclose(file), 0);
	run(f, models, changes);
	free(changes);
	free(models);
}
