/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: pages to visit with all that is below them, handed to whoever is free.
 *
 * They are handed out in the order of page numbers, the lowest first. Trees are written
 * from their leaves to their root, so a root lies after its leaves: by the time that the
 * reading ahead reaches a root, the pages below it are in memory.
 *
 * A member makes tasks only while there are fewer than FEW for each member, so that the
 * memory of all tasks is bounded: one branch page makes some hundred.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "walk/walk_private.h"

#define FEW 8

struct task {
	struct walk_place place;
	char keys[]; /* of the bounds */
};

/* A tree has one task less; the last one compares its counters. */
static void end_task(struct walk_tree *tree)
{
	if (atomic_fetch_sub(&tree->ntasks, 1) != 1) {
		return;
	}
	dit_walk_tree_compare(tree);
	if (tree->role == WALK_LIST) {
		end_task(tree->database);
		free(tree);
	}
}

void dit_walk_tasks_drop(struct walk *walk)
{
	for (size_t i = 0; i < walk->tasks.n; i++) {
		struct task *task = walk->tasks.sources[i];

		end_task(task->place.at.tree);
		free(task);
	}
	dit_heap_deinit(&walk->tasks);
}

bool dit_walk_tasks_are_few(struct walk *walk)
{
	return atomic_load_explicit(&walk->ntasks, memory_order_relaxed) <
	       (size_t)FEW * walk->opts->shared.nthreads;
}

static bool is_lower(const void *a, const void *b)
{
	const struct task *x = a;
	const struct task *y = b;

	return x->place.at.page < y->place.at.page;
}

/* ---- making them ---- */

static void copy_bound(struct walk_bound *bound, char **space)
{
	if (bound->is_set) {
		memcpy(*space, bound->key.data, bound->key.len);
		bound->key.data = *space;
		*space += bound->key.len;
	}
}

static size_t bytes_of(const struct walk_bound *bound)
{
	return bound->is_set ? bound->key.len : 0;
}

int dit_walk_tasks_push(struct walk *walk, const struct walk_place *place)
{
	struct walk_tree *tree = place->at.tree;
	struct task *task = malloc(sizeof(*task) + bytes_of(&place->lowest) +
	                           bytes_of(&place->highest));
	char *space = NULL;
	int r = 0;

	if (task == NULL) {
		return -ENOMEM;
	}
	task->place = *place;
	space = task->keys;
	copy_bound(&task->place.lowest, &space);
	copy_bound(&task->place.highest, &space);
	dit_monitor_enter(&walk->monitor);
	r = DIT_GROW(walk->tasks.sources, walk->tasks_size, walk->tasks.n + 1);
	if (r == 0) {
		dit_heap_add(&walk->tasks, task, is_lower);
		/* A list is part of its database, which is complete when the list is. */
		if (atomic_fetch_add(&tree->ntasks, 1) == 0 && tree->role == WALK_LIST) {
			atomic_fetch_add(&tree->database->ntasks, 1);
		}
		atomic_store_explicit(&walk->ntasks, walk->tasks.n, memory_order_relaxed);
		dit_monitor_tell(&walk->monitor);
	}
	dit_monitor_leave(&walk->monitor);
	if (r != 0) {
		free(task);
	}
	return r;
}

/* ---- doing them ---- */

/* The next task; NULL: there is none, and no thread is left that could make one. */
static struct task *take(struct walk *walk, bool was_busy)
{
	struct task *task = NULL;

	dit_monitor_enter(&walk->monitor);
	if (was_busy) {
		walk->nbusy--;
	}
	while (walk->tasks.n == 0 && walk->nbusy > 0) {
		dit_monitor_wait(&walk->monitor);
	}
	if (walk->tasks.n > 0) {
		task = dit_heap_top(&walk->tasks);
		dit_heap_settle(&walk->tasks, true, is_lower);
		walk->nbusy++;
		atomic_store_explicit(&walk->ntasks, walk->tasks.n, memory_order_relaxed);
	} else {
		dit_monitor_tell(&walk->monitor);
	}
	dit_monitor_leave(&walk->monitor);
	return task;
}

void dit_walk_tasks_run(struct walk_member *member)
{
	struct task *task = take(member->walk, false);

	while (task != NULL) {
		dit_walk_visit(member, &task->place);
		end_task(task->place.at.tree);
		free(task);
		task = take(member->walk, true);
	}
}
