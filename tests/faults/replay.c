/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay --journal FILE --after DIR --scratch FILE --database PATH ... [--states N]
 *        [--seed N] [--reruns N --run COMMAND --run-in DIR] [--show N]
 *
 * Judge the states that a loss of power can leave after a run whose journal is FILE
 * (journal.h, disk.h). DIR is the directory as the run left it: first the journal is
 * compared with it.
 *
 *   --database PATH  data.mdb by its path below the directory. The first one is the
 *                    database that the run puts in place last.
 *   --states N       how many states at least (1000); each event is followed by some
 *   --seed N         for the states that are drawn (1)
 *   --reruns N       after N states with an old database: put the files into the empty
 *                    directory --run-in, run COMMAND; all must be new then, and nothing
 *                    else be there
 *   --any            after states with new databases, too
 *   --show N         show N wrong states (5)
 *
 * Each database must be whole, and the old one or the new one. If the first one is new,
 * all are. After the last event all are new.
 *
 * Exit status: 0 all right; 1 wrong states; 2 the journal cannot be played.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "judge.h"

#define MAX_DATABASES 4
#define TEXT          400

enum verdict {
	IS_OLD,
	IS_NEW,
	IS_WRONG
};

struct replay {
	/* options */
	const char *journal;
	const char *after;
	const char *scratch;
	const char *databases[MAX_DATABASES];
	size_t ndatabases;
	unsigned long nstates_wanted;
	unsigned long nreruns_wanted;
	const char *command;
	const char *run_in;
	bool runs_after_any;
	unsigned long nshown_most;

	struct disk *disk;
	struct judge *judge;
	struct disk_choice *choices;
	uint64_t random;
	uint64_t old[MAX_DATABASES];
	uint64_t new[MAX_DATABASES];
	uint64_t last_digest; /* of the last state that was run again */

	unsigned long nstates;
	unsigned long nold;
	unsigned long nnew;
	unsigned long nmixed;
	unsigned long nwrong;
	unsigned long nreruns;
	unsigned long nold_seen; /* for the choice of states that are run again */
};

static uint64_t draw(struct replay *replay, uint64_t below)
{
	replay->random ^= replay->random << 13;
	replay->random ^= replay->random >> 7;
	replay->random ^= replay->random << 17;
	return replay->random % below;
}

/* ---- one state ---- */

static void show(struct replay *replay, const char *text)
{
	char event[TEXT];
	size_t played = disk_nplayed(replay->disk);
	size_t nwaiting = disk_nwaiting(replay->disk);

	if (replay->nwrong++ >= replay->nshown_most) {
		return;
	}
	(void)printf("wrong: %s\n  after event %zu: %s\n", text, played - 1,
	             disk_describe(replay->disk, played - 1, event, sizeof(event)));
	for (size_t i = nwaiting > 8 ? nwaiting - 8 : 0; i < nwaiting; i++) {
		static const char *const hows[] = {
			[DISK_DROP] = "dropped",     [DISK_APPLY] = "there",
			[DISK_SECTORS] = "torn",     [DISK_SOME] = "some sectors of",
			[DISK_LENGTH] = "length of", [DISK_GARBAGE] = "old bytes under",
		};
		const struct disk_choice *choice = &replay->choices[i];

		(void)printf("  %s (%u-%u): %s\n", hows[choice->how], choice->first,
		             choice->last,
		             disk_describe(replay->disk, disk_event_of(replay->disk, i),
		                           event, sizeof(event)));
	}
}

static uint64_t content_of(const struct replay *replay, const struct disk_image *image,
                           size_t number)
{
	struct dit_span bytes = {NULL, 0};
	bool is_there = disk_image_find(image, replay->databases[number], &bytes);

	if (is_there && bytes.data == NULL) {
		bytes.data = "";
	}
	return judge_content(replay->judge, bytes);
}

static enum verdict verdict_of(struct replay *replay, const struct disk_image *image,
                               size_t number, char *text)
{
	uint64_t content = content_of(replay, image, number);

	if (content == replay->old[number]) {
		return IS_OLD;
	}
	if (content == replay->new[number]) {
		return IS_NEW;
	}
	(void)snprintf(text, TEXT, "%s: %s", replay->databases[number],
	               content == JUDGE_DAMAGED   ? judge_reason(replay->judge)
	               : content == JUDGE_NO_FILE ? "is not there"
	                                          : "neither the old nor the new one");
	return IS_WRONG;
}

/* The command on this state; and what it leaves. */
static void run_again(struct replay *replay, const struct disk_image *image)
{
	char text[TEXT];
	int status = disk_image_write(image, replay->run_in);

	if (status == 0) {
		status = system(replay->command); /* NOLINT(cert-env33-c) */
	}
	replay->nreruns++;
	if (status != 0) {
		(void)snprintf(text, sizeof(text), "the next run: status %d", status);
		show(replay, text);
	}
}

static bool is_to_run(struct replay *replay, const struct disk_image *image)
{
	unsigned long apart = replay->nstates_wanted / (replay->nreruns_wanted + 1) + 1;
	uint64_t digest = 0;

	if (replay->nreruns >= replay->nreruns_wanted ||
	    replay->nold_seen++ < replay->nreruns * apart) {
		return false;
	}
	digest = disk_image_digest(image);
	if (digest == replay->last_digest) {
		return false;
	}
	replay->last_digest = digest;
	return true;
}

static void judge_state(struct replay *replay)
{
	struct disk_image *image = disk_image_make(replay->disk, replay->choices);
	bool is_end = disk_nplayed(replay->disk) == disk_nevents(replay->disk);
	char text[TEXT] = "";
	unsigned count[3] = {0};
	enum verdict first = IS_OLD;

	if (image == NULL) {
		abort();
	}
	for (size_t i = 0; i < replay->ndatabases; i++) {
		enum verdict verdict = verdict_of(replay, image, i, text);

		first = i == 0 ? verdict : first;
		count[verdict]++;
	}
	replay->nstates++;
	if (count[IS_WRONG] > 0) {
		show(replay, text);
	} else if (is_end && count[IS_OLD] > 0) {
		show(replay, "the run has ended, and a database is the old one");
	} else if (first == IS_NEW && count[IS_OLD] > 0) {
		show(replay, "the first database is new and another one old");
	}
	replay->nold += count[IS_NEW] + count[IS_WRONG] == 0;
	replay->nnew += count[IS_OLD] + count[IS_WRONG] == 0;
	replay->nmixed += count[IS_OLD] > 0 && count[IS_NEW] > 0;
	if ((count[IS_OLD] == replay->ndatabases || replay->runs_after_any) &&
	    is_to_run(replay, image)) {
		run_again(replay, image);
	}
	disk_image_free(image);
}

/* ---- which states ---- */

static void choose_all(struct replay *replay, enum disk_how how)
{
	for (size_t i = 0; i < disk_nwaiting(replay->disk); i++) {
		replay->choices[i] = (struct disk_choice){.how = how};
	}
}

/* A part of a step; of a step that writes nothing, all or nothing. */
static void tear(struct replay *replay, size_t waiting)
{
	struct disk_choice *choice = &replay->choices[waiting];
	size_t nsectors = disk_nsectors(replay->disk, waiting);

	if (nsectors == 0) {
		choice->how = draw(replay, 2) == 0 ? DISK_DROP : DISK_APPLY;
		return;
	}
	choice->how = (enum disk_how)(DISK_SECTORS + draw(replay, 4));
	choice->chance = draw(replay, UINT64_MAX);
	choice->first = 0;
	choice->last = 0;
	if (nsectors > 1 && draw(replay, 2) == 0) {
		choice->last = (uint32_t)draw(replay, nsectors - 1);
	} else if (nsectors > 1) {
		choice->first = 1 + (uint32_t)draw(replay, nsectors - 1);
		choice->last = (uint32_t)nsectors;
	}
}

static void choose_by_chance(struct replay *replay)
{
	size_t n = disk_nwaiting(replay->disk);
	size_t one = draw(replay, n);
	unsigned kind = (unsigned)draw(replay, 6);

	for (size_t i = 0; i < n; i++) {
		struct disk_choice *choice = &replay->choices[i];
		bool is_there = false;

		switch (kind) {
		case 0: /* all but one */
			is_there = i != one;
			break;
		case 1: /* one alone */
			is_there = i == one;
			break;
		case 2: /* the first ones; the last of them torn */
			is_there = i < one;
			break;
		case 3: /* the last ones; the first of them torn */
			is_there = i > one;
			break;
		default:
			is_there = draw(replay, 2) == 0;
			break;
		}
		*choice = (struct disk_choice){.how = is_there ? DISK_APPLY : DISK_DROP};
		if (kind == 5 || ((kind == 2 || kind == 3) && i == one)) {
			tear(replay, i);
		}
	}
}

/* States that the power may leave between the event that was played and the next one. */
static void judge_moment(struct replay *replay, unsigned long wanted)
{
	unsigned long end = replay->nstates + wanted;
	size_t n = disk_nwaiting(replay->disk);

	choose_all(replay, DISK_DROP);
	judge_state(replay);
	if (n == 0) {
		return;
	}
	choose_all(replay, DISK_APPLY);
	judge_state(replay);
	while (replay->nstates < end) {
		choose_by_chance(replay);
		judge_state(replay);
	}
}

/* ---- the whole ---- */

/* The databases as they are now, with all that waits or without. */
static void look(struct replay *replay, enum disk_how how, uint64_t *contents)
{
	struct disk_image *image = NULL;

	choose_all(replay, how);
	image = disk_image_make(replay->disk, replay->choices);
	if (image == NULL) {
		abort();
	}
	for (size_t i = 0; i < replay->ndatabases; i++) {
		contents[i] = content_of(replay, image, i);
	}
	disk_image_free(image);
}

/* The journal to its end, for what is new then. */
static int look_at_end(struct replay *replay)
{
	struct disk_image *image = NULL;
	bool is_same = false;

	if (disk_read(&replay->disk, replay->journal) < 0) {
		(void)fprintf(stderr, "%s cannot be played\n", replay->journal);
		return -1;
	}
	replay->choices =
		calloc(disk_nevents(replay->disk) + 1, sizeof(*replay->choices));
	if (replay->choices == NULL) {
		return -1;
	}
	while (disk_nplayed(replay->disk) < disk_nevents(replay->disk)) {
		disk_play(replay->disk);
	}
	look(replay, DISK_APPLY, replay->new);
	choose_all(replay, DISK_APPLY);
	image = disk_image_make(replay->disk, replay->choices);
	is_same = image != NULL && disk_image_is(image, replay->after);
	disk_image_free(image);
	disk_free(replay->disk);
	replay->disk = NULL;
	return is_same ? 0 : -1;
}

static int judge_run(struct replay *replay)
{
	size_t nmoments = 0;

	if (look_at_end(replay) < 0 || disk_read(&replay->disk, replay->journal) < 0) {
		return -1;
	}
	look(replay, DISK_DROP, replay->old);
	for (size_t i = 0; i < replay->ndatabases; i++) {
		if (replay->new[i] <= JUDGE_NO_FILE || replay->old[i] == JUDGE_DAMAGED ||
		    replay->new[i] == replay->old[i]) {
			(void)fprintf(stderr, "%s: the run made no new database (%s)\n",
			              replay->databases[i], judge_reason(replay->judge));
			return -1;
		}
	}
	nmoments = disk_nevents(replay->disk) - disk_nplayed(replay->disk) + 1;
	for (size_t i = nmoments; i > 0; i--) {
		unsigned long rest = replay->nstates < replay->nstates_wanted
		                             ? replay->nstates_wanted - replay->nstates
		                             : 0;

		judge_moment(replay, (rest + i - 1) / i);
		if (i > 1) {
			disk_play(replay->disk);
		}
	}
	return 0;
}

static int parse(int argc, char **argv, struct replay *replay)
{
	static const struct option options[] = {
		{"journal", required_argument, NULL, 'j'},
		{"after", required_argument, NULL, 'a'},
		{"scratch", required_argument, NULL, 's'},
		{"database", required_argument, NULL, 'd'},
		{"states", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 'e'},
		{"reruns", required_argument, NULL, 'r'},
		{"run", required_argument, NULL, 'c'},
		{"run-in", required_argument, NULL, 'i'},
		{"any", no_argument, NULL, 'y'},
		{"show", required_argument, NULL, 'w'},
		{NULL, 0, NULL, 0},
	};
	int c = 0;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		const char **texts[] = {['j'] = &replay->journal,
		                        ['a'] = &replay->after,
		                        ['s'] = &replay->scratch,
		                        ['c'] = &replay->command,
		                        ['i'] = &replay->run_in};
		unsigned long *numbers[] = {['n'] = &replay->nstates_wanted,
		                            ['r'] = &replay->nreruns_wanted,
		                            ['w'] = &replay->nshown_most};

		if (strchr("jasci", c) != NULL) {
			*texts[c] = optarg;
		} else if (strchr("nrw", c) != NULL) {
			*numbers[c] = strtoul(optarg, NULL, 10);
		} else if (c == 'd' && replay->ndatabases < MAX_DATABASES) {
			replay->databases[replay->ndatabases++] = optarg;
		} else if (c == 'e') {
			replay->random = strtoul(optarg, NULL, 10) * 2 + 1;
		} else if (c == 'y') {
			replay->runs_after_any = true;
		} else {
			return -1;
		}
	}
	return replay->journal == NULL || replay->after == NULL ||
	                       replay->scratch == NULL || replay->ndatabases == 0 ||
	                       (replay->nreruns_wanted > 0 &&
	                        (replay->command == NULL || replay->run_in == NULL))
	               ? -1
	               : 0;
}

int main(int argc, char **argv)
{
	struct replay replay = {.nstates_wanted = 1000, .nshown_most = 5, .random = 3};
	int r = parse(argc, argv, &replay);

	if (r < 0) {
		(void)fprintf(stderr,
		              "usage: replay --journal FILE --after DIR --scratch "
		              "FILE --database PATH ... (see replay.c)\n");
		return 2;
	}
	replay.judge = judge_new(replay.scratch);
	if (replay.judge == NULL) {
		return 2;
	}
	r = judge_run(&replay);
	if (r == 0) {
		(void)printf(
			"%zu events, %lu states with %lu files: %lu old, %lu new, %lu "
			"mixed, %lu wrong; %lu runs afterwards\n",
			disk_nevents(replay.disk), replay.nstates,
			judge_nfiles(replay.judge), replay.nold, replay.nnew,
			replay.nmixed, replay.nwrong, replay.nreruns);
	}
	disk_free(replay.disk);
	free(replay.choices);
	judge_free(replay.judge);
	return r < 0 ? 2 : replay.nwrong > 0;
}
