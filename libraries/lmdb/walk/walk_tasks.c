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
#include "base/monitor.h"
#include "sort/merge_heap.h"
#include "walk/walk_private.h"

#define FEW 8

struct task {
	struct walk_place place;
	char keys[]; /* of the bounds */
};

struct walk_tasks {
	/* [const] */
	unsigned nmembers;

	/* [atomic: a guess for dit_walk_tasks_are_few()] */
	_Atomic size_t count;

	struct dit_monitor monitor; /* tells: a task, or there will be none any more */
	/* [lock: monitor] */
	struct dit_heap heap; /* of tasks, the lowest page first */
	size_t size;
	unsigned nbusy; /* members at work, which can make more tasks */
};

int dit_walk_tasks_new(struct walk_tasks **ret, unsigned nmembers)
{
	struct walk_tasks *tasks = calloc(1, sizeof(*tasks));

	if (tasks == NULL) {
		return -ENOMEM;
	}
	tasks->nmembers = nmembers;
	dit_monitor_init(&tasks->monitor);
	*ret = tasks;
	return 0;
}

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

void dit_walk_tasks_free(struct walk_tasks *tasks)
{
	if (tasks == NULL) {
		return;
	}
	for (size_t i = 0; i < tasks->heap.n; i++) {
		struct task *task = tasks->heap.sources[i];

		end_task(task->place.at.tree);
		free(task);
	}
	dit_monitor_deinit(&tasks->monitor);
	dit_heap_deinit(&tasks->heap);
	free(tasks);
}

bool dit_walk_tasks_are_few(struct walk_tasks *tasks)
{
	return atomic_load_explicit(&tasks->count, memory_order_relaxed) <
	       (size_t)FEW * tasks->nmembers;
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

int dit_walk_tasks_push(struct walk_tasks *tasks, const struct walk_place *place)
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
	dit_monitor_enter(&tasks->monitor);
	r = DIT_GROW(tasks->heap.sources, tasks->size, tasks->heap.n + 1);
	if (r == 0) {
		dit_heap_add(&tasks->heap, task, is_lower);
		/* A list is part of its database, which is complete when the list is. */
		if (atomic_fetch_add(&tree->ntasks, 1) == 0 && tree->role == WALK_LIST) {
			atomic_fetch_add(&tree->database->ntasks, 1);
		}
		atomic_store_explicit(&tasks->count, tasks->heap.n, memory_order_relaxed);
		dit_monitor_tell(&tasks->monitor);
	}
	dit_monitor_leave(&tasks->monitor);
	if (r != 0) {
		free(task);
	}
	return r;
}

/* ---- doing them ---- */

/* The next task; NULL: there is none, and no thread is left that could make one. */
static struct task *take(struct walk_tasks *tasks, bool was_busy)
{
	struct task *task = NULL;

	dit_monitor_enter(&tasks->monitor);
	if (was_busy) {
		tasks->nbusy--;
	}
	while (tasks->heap.n == 0 && tasks->nbusy > 0) {
		dit_monitor_wait(&tasks->monitor);
	}
	if (tasks->heap.n > 0) {
		task = dit_heap_top(&tasks->heap);
		dit_heap_settle(&tasks->heap, true, is_lower);
		tasks->nbusy++;
		atomic_store_explicit(&tasks->count, tasks->heap.n, memory_order_relaxed);
	} else {
		dit_monitor_tell(&tasks->monitor);
	}
	dit_monitor_leave(&tasks->monitor);
	return task;
}

void dit_walk_tasks_run(struct walk_tasks *tasks, struct walk_member *member)
{
	struct task *task = take(tasks, false);

	while (task != NULL) {
		dit_walk_visit(member, &task->place);
		end_task(task->place.at.tree);
		free(task);
		task = take(tasks, true);
	}
}
