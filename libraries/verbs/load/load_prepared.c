/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The manifests of a load whose databases are not put in place (output/manifest.h). The
 * output adds what it knows, such as the digest of data.mdb.
 *
 * A database is prepared for a site: its suffix, the directories and suffixes of all
 * databases of the load, the release, and what the configuration says about stored bytes.
 * prepared.c makes the same fields of the site that publishes, and compares.
 */
#include "load/loader.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <jansson.h>

#include "base/version.h"
#include "output/manifest.h"

#define INPUT_BYTES 150 /* of the JSON of one input without its path */

/* Names of files have any bytes, JSON has UTF-8. NULL: no memory */
static json_t *text_json(struct dit_span text)
{
	const char *data = text.len == 0 ? "" : text.data;
	json_t *json = json_stringn(data, text.len);
	char *plain = json != NULL ? NULL : strndup(data, text.len);

	if (plain == NULL) {
		return json;
	}
	for (char *c = plain; *c != '\0'; c++) {
		*c = *c >= ' ' && *c <= '~' ? *c : '?';
	}
	json = json_string(plain);
	free(plain);
	return json;
}

static json_t *sum_json(const struct dit_sum128 *sum)
{
	char text[DIT_DIGEST_TEXT_BYTES];

	dit_sum128_text(sum, text);
	return json_string(text);
}

/* ---- the site ---- */

/* @return the array; NULL: no memory */
static json_t *append(json_t *array, json_t *item)
{
	if (json_array_append_new(array, item) != 0) {
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *databases_json(const struct dit_glue *glue)
{
	json_t *databases = json_array();

	for (size_t i = 0; i < glue->ndatabases; i++) {
		const struct dit_database *db = glue->databases[i];

		if (strcmp(db->type, "mdb") == 0) {
			databases = append(
				databases,
				json_pack("{s:o, s:o}", "directory",
			                  text_json(dit_span_of(db->data.directory)),
			                  "suffix", text_json(db->suffix_norm)));
		}
	}
	return databases;
}

/* A name with its numbers. The order of directives does not count. */
static void add(struct dit_sum128 *sum, struct dit_span name, const unsigned n[3])
{
	struct dit_span numbers = {(const char *)n, 3 * sizeof(n[0])};
	struct dit_sum128 one = dit_sum128_of(numbers, dit_sum128_seed(name, 0));

	dit_sum128_add(sum, &one);
}

/* index and its parameters, the width of hashes, idlexp */
static json_t *indexes_json(const struct dit_settings *settings,
                            const struct dit_database *db)
{
	const struct dit_index_params *params = &settings->index;
	struct dit_sum128 sum = {0, 0};

	add(&sum, DIT_SPAN("substrings"),
	    (unsigned[]){params->substr_if_minlen, params->substr_if_maxlen,
	                 params->substr_any_len});
	add(&sum, DIT_SPAN("keys"),
	    (unsigned[]){params->intlen, params->hash64, settings->idlexp});
	for (size_t i = 0; i < db->nindexes; i++) {
		add(&sum, db->indexes[i].ad->name,
		    (unsigned[]){db->indexes[i].kinds, 0, 0});
	}
	return sum_json(&sum);
}

/* multival, sortvals */
static json_t *values_json(const struct dit_settings *settings,
                           const struct dit_database *db)
{
	const struct dit_multival_rules *multival = &db->multival;
	struct dit_sum128 sum = {0, 0};

	add(&sum, DIT_SPAN(""), (unsigned[]){multival->hi, multival->lo, 0});
	for (size_t i = 0; i < multival->nspecs; i++) {
		const struct dit_multival_spec *spec = &multival->specs[i];

		add(&sum, spec->ad->name, (unsigned[]){spec->hi, spec->lo, 0});
	}
	for (size_t i = 0; i < settings->nsortvals; i++) {
		add(&sum, dit_span_of(settings->sortvals[i]->name),
		    (unsigned[]){0, 0, 1});
	}
	return sum_json(&sum);
}

json_t *dit_load_site_json(const struct dit_job *job, const struct dit_database *db)
{
	const struct dit_settings *settings = job->chosen.settings;
	struct dit_sum128 schema = dit_schema_digest(settings->schema);

	return json_pack("{s:o, s:o, s:s, s:{s:o, s:o, s:o}}", "suffix",
	                 text_json(db->suffix_norm), "databases",
	                 databases_json(&job->glue), "release",
	                 dit_openldap_name(job->chosen.openldap), "configuration",
	                 "indexes", indexes_json(settings, db), "values",
	                 values_json(settings, db), "schema", sum_json(&schema));
}

/* ---- what all databases of the load have ---- */

static json_t *set_json(void)
{
	struct dit_sum128 set;

	return getrandom(&set, sizeof(set), 0) == sizeof(set) ? sum_json(&set) : NULL;
}

static json_t *user_json(void)
{
	char buffer[4096];
	struct passwd entry;
	struct passwd *found = NULL;

	if (getpwuid_r(getuid(), &entry, buffer, sizeof(buffer), &found) == 0 &&
	    found != NULL) {
		return text_json(dit_span_of(found->pw_name));
	}
	return json_sprintf("%u", (unsigned)getuid());
}

/* The first of them, as many as surely fit: each byte of a path may become "\u0001". */
static json_t *inputs_json(const struct loader *loader)
{
	const struct dit_load_stats *stats = loader->stats;
	json_t *inputs = json_array();
	size_t bytes = 0;

	for (size_t i = 0; i < stats->ninputs; i++) {
		const struct dit_load_input *input = &stats->inputs[i];
		const char *path = input->path == NULL ? "-" : input->path;

		bytes += INPUT_BYTES + 6 * strlen(path);
		if (bytes > DIT_MANIFEST_MAX / 2) {
			break;
		}
		inputs = append(inputs, json_pack("{s:o, s:I, s:s}", "file",
		                                  text_json(dit_span_of(path)), "bytes",
		                                  (json_int_t)input->nbytes, "xxh128",
		                                  input->digest));
	}
	return inputs;
}

static json_t *common_json(const struct loader *loader)
{
	char host[HOST_NAME_MAX + 1] = "";
	char now[DIT_MANIFEST_TIME_BYTES];

	(void)gethostname(host, sizeof(host) - 1);
	dit_manifest_time(now);
	return json_pack(
		"{s:i, s:o, s:I, s:o, s:o, s:o, s:s, s:s}", "format", DIT_MANIFEST_FORMAT,
		"set", set_json(), "ninputs", (json_int_t)loader->stats->ninputs,
		"inputs", inputs_json(loader), "user", user_json(), "host",
		text_json(dit_span_of(host)), "time", now, "version", dit_version());
}

/* ---- of one database ---- */

/* @param common  gets the fields of this target in place of those of the one before */
static int put_manifest(struct load_target *target, json_t *common)
{
	struct loader *loader = target->loader;
	struct dit_output *output = loader->published[target->number].output;
	json_t *site = dit_load_site_json(&loader->job, target->db);
	json_t *own =
		json_pack("{s:I, s:o}", "entries", (json_int_t)target->stats->nentries,
	                  "content", sum_json(&target->content));
	int r = site == NULL || own == NULL || json_object_update(common, site) != 0 ||
	                        json_object_update(common, own) != 0
	                ? -ENOMEM
	                : dit_output_put_manifest(output, common, &loader->job.stop);

	json_decref(site);
	json_decref(own);
	return dit_load_target_fail(target, r, "could not write the manifest");
}

int dit_load_put_manifests(struct loader *loader)
{
	json_t *common = common_json(loader);
	int r = 0;

	if (common == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM,
		                    "could not write the manifest");
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		if (!loader->targets[i].is_foreign) {
			r = put_manifest(&loader->targets[i], common);
		}
	}
	json_decref(common);
	return r;
}
