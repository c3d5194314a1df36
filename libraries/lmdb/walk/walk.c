/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole walk: meta pages, the free list, the main tree, the databases, the pages that
 * no tree has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/team.h"
#include "walk/walk_private.h"

/* Commits that may come in between, one after the other. */
#define BRIEF_ATTEMPTS 100

/* ---- sizes of databases, those of their lists included ---- */

static void tell_sizes(struct walk *walk)
{
	for (size_t i = 0; walk->opts->size != NULL && i < walk->ndatabases; i++) {
		struct walk_tree *tree = walk->databases[i];
		const struct dit_walk_size size = {
			.name = tree->name,
			.flags = tree->record.flags,
			.depth = atomic_load(&tree->depth),
			.nkeys = atomic_load(&tree->own[WALK_KEYS]),
			.nitems = atomic_load(&tree->all[WALK_ITEMS]),
			.nbranches = atomic_load(&tree->all[WALK_BRANCHES]),
			.nleaves = atomic_load(&tree->all[WALK_LEAVES]),
			.noverflows = atomic_load(&tree->all[WALK_OVERFLOWS]),
			.used_bytes = atomic_load(&tree->all[WALK_USED_BYTES]),
		};

		walk->opts->size(walk->opts->ctx, &size);
	}
}

/* ---- findings: names, counts, the callback ---- */

#define TEXT_MAX 400

#define NAME(kind, name) [kind] = (name),

static const char *const names[DIT_WALK_NKINDS] = {DIT_WALK_KINDS(NAME)};

const char *dit_walk_kind_name(enum dit_walk_kind kind)
{
	return kind < DIT_WALK_NKINDS ? names[kind] : "unknown";
}

static void report(const struct walk_spot *at, enum dit_walk_kind kind,
                   const char *format, va_list args)
{
	struct walk *walk = at->walk;
	const struct dit_walk_opts *opts = walk->opts;
	char text[TEXT_MAX];
	struct dit_walk_finding finding = {
		.kind = kind,
		.database = at->tree == NULL ? NULL : at->tree->database->name,
		.page = at->page,
		.node = at->node,
		.text = text,
	};

	(void)pthread_mutex_lock(&walk->lock);
	walk->by_kind[kind]++;
	walk->nfindings++;
	if (opts->found != NULL) {
		(void)vsnprintf(text, sizeof(text), format, args);
		opts->found(opts->ctx, &finding);
	}
	(void)pthread_mutex_unlock(&walk->lock);
}

void dit_walk_report(const struct walk_spot *at, enum dit_walk_kind kind,
                     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(at, kind, format, args);
	va_end(args);
}

bool dit_walk_refuse(const struct walk_spot *at, enum dit_walk_kind kind,
                     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(at, kind, format, args);
	va_end(args);
	atomic_store_explicit(&at->tree->is_cut, true, memory_order_relaxed);
	atomic_store_explicit(&at->tree->database->is_cut, true, memory_order_relaxed);
	atomic_store_explicit(&at->walk->is_cut, true, memory_order_relaxed);
	return false;
}

void dit_walk_fail(struct walk *walk, int error)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(&walk->error, &none, error);
}

bool dit_walk_is_over(struct walk *walk)
{
	if (dit_stop_is_set(walk->opts->shared.stop)) {
		dit_walk_fail(walk, DIT_E_STOPPED);
	}
	return atomic_load_explicit(&walk->error, memory_order_relaxed) != 0;
}

/* ---- the main tree's records ---- */

/* Flags that go together; only databases with lists have flags about items. */
static bool are_flags(unsigned flags)
{
	unsigned of_keys = DIT_DB_REVERSEKEY | DIT_DB_DUPSORT | DIT_DB_INTEGERKEY;
	unsigned of_items = DIT_DB_DUPFIXED | DIT_DB_INTEGERDUP | DIT_DB_REVERSEDUP;

	return (flags & ~(of_keys | of_items)) == 0 &&
	       ((flags & of_items) == 0 || (flags & DIT_DB_DUPSORT) != 0);
}

/* A database, whose record lies at that spot. 0 or -ENOMEM */
static int add_database(const struct walk_spot *at, struct dit_span name,
                        const struct dit_tree_record *record)
{
	struct walk *walk = at->walk;
	struct walk_tree *tree = malloc(sizeof(*tree) + name.len + 1);
	char *copy = NULL;

	if (tree == NULL ||
	    DIT_GROW(walk->databases, walk->databases_size, walk->ndatabases + 1) < 0) {
		free(tree);
		return -ENOMEM;
	}
	copy = (char *)(tree + 1);
	memcpy(copy, name.data, name.len);
	copy[name.len] = '\0';
	dit_walk_tree_init(tree, at, WALK_DATABASE, copy, record);
	tree->is_shared = true;
	tree->number = walk->ndatabases;
	walk->databases[walk->ndatabases++] = tree;
	return 0;
}

/* A name without the NUL that a format wants at its end. */
static bool is_name(const struct dit_page_format *format, struct dit_span key,
                    struct dit_span *ret)
{
	*ret = key;
	return dit_name_take_nul(format, ret) &&
	       memchr(ret->data, '\0', ret->len) == NULL;
}

void dit_walk_database(const struct walk_spot *at, const struct dit_node_view *node)
{
	struct walk *walk = at->walk;
	struct dit_tree_record record;
	struct dit_span name;
	int r = 0;

	if (node->value.len != sizeof(record)) {
		(void)dit_walk_refuse(at, DIT_WALK_NODE_VALUE,
		                      "the record of a database has %zu bytes, not %zu",
		                      node->value.len, sizeof(record));
		return;
	}
	if (!is_name(walk->format, node->key, &name) || name.len > at->tree->key_max ||
	    walk->ndatabases == WALK_DATABASES_MAX) {
		(void)dit_walk_refuse(
			at, DIT_WALK_TREE_NAME,
			"a database's name has %zu bytes and zeros among them, or there "
			"are more than %u databases",
			node->key.len, WALK_DATABASES_MAX);
		return;
	}
	memcpy(&record, node->value.data, sizeof(record));
	r = add_database(at, name, &record);
	if (r < 0) {
		dit_walk_fail(walk, r);
	}
}

/* ---- the databases ---- */

/* An empty tree has no root and counts nothing; one with a root has a level at least. */
static void check_root(const struct walk_tree *tree)
{
	const struct dit_tree_record *record = &tree->record;
	bool is_empty = record->root == DIT_PAGE_NONE;

	if (is_empty != (record->nitems == 0)) {
		dit_walk_report(
			&tree->at, DIT_WALK_TREE_ROOT,
			"the record of the tree says that it has %lu records, and %s "
			"root page",
			record->nitems, is_empty ? "no" : "a");
	}
	if (!are_flags(record->flags)) {
		dit_walk_report(
			&tree->at, DIT_WALK_TREE_FLAGS,
			"the record of the tree has flags 0x%x, which no database has",
			record->flags);
	}
}

/* Its root is a task; the counters of a tree without one are compared now. */
static int start_database(struct walk *walk, struct walk_tree *tree)
{
	const struct dit_walk_opts *opts = walk->opts;
	struct walk_place root = walk_root_of(tree);

	check_root(tree);
	if (opts->order != NULL) {
		opts->order(opts->ctx, dit_span_of(tree->name), tree->record.flags,
		            &tree->orders);
	}
	if (tree->record.root == DIT_PAGE_NONE) {
		dit_walk_tree_compare(tree);
		return 0;
	}
	return dit_walk_tasks_push(walk, &root);
}

static void run_member(void *ctx, unsigned number, uint64_t round)
{
	struct walk *walk = ctx;
	struct walk_member *member = calloc(1, sizeof(*member));

	(void)round;
	if (member == NULL) {
		dit_walk_fail(walk, -ENOMEM);
		return;
	}
	member->walk = walk;
	member->number = number;
	dit_walk_tasks_run(member);
	dit_walk_member_deinit(member);
	free(member);
}

static void tell(void *ctx)
{
	struct walk *walk = ctx;
	uint64_t done = atomic_load(&walk->nused) + atomic_load(&walk->nfreed);

	walk->opts->tell(walk->opts->ctx, done > walk->npages ? walk->npages : done,
	                 walk->npages, walk->page_bytes);
}

/* With a team. 0; -ENOMEM and other -errno */
static int walk_databases(struct walk *walk)
{
	struct dit_team *team = NULL;
	int r = 0;

	dit_monitor_init(&walk->monitor);
	dit_tick(&walk->ticker);
	for (size_t i = 0; i < walk->ndatabases && r == 0; i++) {
		r = start_database(walk, walk->databases[i]);
	}
	r = r
	            ?: dit_team_new(&team, walk->opts->shared.nthreads, "dit-walk",
	                            run_member, walk);
	if (r == 0) {
		dit_team_meet(team, NULL);
		dit_team_free(team, &walk->ticker);
	}
	if (r < 0) {
		dit_walk_fail(walk, r);
	}
	dit_walk_tasks_drop(walk);
	dit_monitor_deinit(&walk->monitor);
	return r;
}

/* ---- the trees that the meta page knows ---- */

static int visit_meta_tree(struct walk *walk, struct walk_tree *tree)
{
	struct walk_member *member = calloc(1, sizeof(*member));

	if (member == NULL) {
		return -ENOMEM;
	}
	member->walk = walk;
	check_root(tree);
	dit_walk_tree_visit(member, tree);
	dit_walk_member_deinit(member);
	free(member);
	return 0;
}

static int walk_free_tree(struct walk *walk)
{
	const struct walk_spot whole = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	struct walk_tree tree;

	dit_walk_tree_init(&tree, &whole, WALK_FREE_TREE, "(free)",
	                   &walk->meta.free_tree);
	/* Keys are numbers whatever a damaged flag says, and it has no lists. */
	tree.record.flags = DIT_DB_INTEGERKEY;
	dit_key_default_orders(DIT_DB_INTEGERKEY, &tree.orders);
	tree.orders.keys.bytes = sizeof(uint64_t);
	return visit_meta_tree(walk, &tree);
}

static int walk_main_tree(struct walk *walk)
{
	const struct walk_spot whole = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	struct walk_tree tree;
	int r = 0;

	dit_walk_tree_init(&tree, &whole, WALK_MAIN_TREE, "(main)",
	                   &walk->meta.main_tree);
	r = visit_meta_tree(walk, &tree);
	walk->has_all_databases = !atomic_load(&tree.is_cut);
	return r;
}

/* Pages after the end of the file are free ones that were never written. */
static void check_end(struct walk *walk)
{
	const struct walk_spot whole = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	uint64_t there = walk->npages;

	if (atomic_load(&walk->nfreed_behind) != walk->nbehind) {
		dit_walk_report(&whole, DIT_WALK_FILE_CUT,
		                "the file ends after %lu pages; %lu are in use", there,
		                there + walk->nbehind);
	}
}

/* ---- pages without an owner ---- */

static bool is_lost(const struct walk *walk, uint64_t page)
{
	return !dit_page_set_has(&walk->used, page) &&
	       !dit_page_set_has(&walk->freed, page);
}

static void find_lost_pages(struct walk *walk)
{
	struct walk_spot at = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	uint64_t nlost = 0;
	uint64_t end = 0;

	for (uint64_t page = 2; page < walk->npages; page = end) {
		end = page + 1;
		if (!is_lost(walk, page)) {
			continue;
		}
		while (end < walk->npages && is_lost(walk, end)) {
			end++;
		}
		nlost += end - page;
		if (!atomic_load(&walk->is_cut)) {
			at.page = page;
			dit_walk_report(
				&at, DIT_WALK_PAGE_LOST,
				"%lu page%s from here on %s in no tree and not in the "
				"free list",
				end - page, end - page == 1 ? "" : "s",
				end - page == 1 ? "is" : "are");
		}
	}
	if (nlost > 0 && atomic_load(&walk->is_cut)) {
		dit_walk_report(
			&at, DIT_WALK_PAGE_LOST,
			"%lu page%s not reached: below damage, or in no tree at all",
			nlost, nlost == 1 ? " was" : "s were");
	}
}

/* ---- the whole ---- */

/* After dit_walk_metas(). end() in every case */
static int begin(struct walk *walk)
{
	int r = dit_page_set_init(&walk->used, walk->npages);

	r = r ?: dit_page_set_init(&walk->freed, walk->npages);
	if (r < 0) {
		return r;
	}
	dit_page_source_init(&walk->source, walk->opts->fd, walk->format,
	                     walk->page_bytes, walk->npages);
	/* Nearly: the lowest page that is known comes first (walk_tasks.c). */
	(void)posix_fadvise(walk->opts->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

static void end(struct walk *walk)
{
	for (size_t i = 0; i < walk->ndatabases; i++) {
		free(walk->databases[i]);
	}
	free(walk->databases);
	dit_page_set_deinit(&walk->used);
	dit_page_set_deinit(&walk->freed);
	(void)pthread_mutex_destroy(&walk->lock);
}

static int walk_trees(struct walk *walk)
{
	int r = walk_free_tree(walk);

	check_end(walk);
	r = r ?: walk_main_tree(walk);
	return r < 0 || walk->opts->is_brief ? r : walk_databases(walk);
}

static int walk_pages(struct walk *walk)
{
	int r = begin(walk);

	if (r < 0) {
		return r;
	}
	if (walk->opts->tell != NULL) {
		walk->ticker = (struct dit_ticker){tell, walk, 0, 0};
	}
	r = walk_trees(walk);
	r = r ?: atomic_load(&walk->error);
	if (r == 0 && walk->opts->state == NULL && dit_walk_metas_have_changed(walk)) {
		r = -ESTALE;
	}
	if (r == 0 && !walk->opts->is_brief) {
		find_lost_pages(walk);
		tell_sizes(walk);
	}
	return r;
}

static void fill_stats(struct walk *walk, struct dit_walk_stats *ret)
{
	*ret = (struct dit_walk_stats){
		.format = walk->format->name,
		.transaction = walk->meta.transaction,
		.page_bytes = walk->page_bytes,
		.npages = walk->npages,
		.nused = atomic_load(&walk->nused),
		.nfree = atomic_load(&walk->nfreed),
		.ndatabases = walk->ndatabases,
		.has_all_databases = walk->has_all_databases,
		.nfindings = walk->nfindings,
	};
	memcpy(ret->by_kind, walk->by_kind, sizeof(ret->by_kind));
}

int dit_walk(const struct dit_walk_opts *opts, struct dit_walk_stats *ret)
{
	struct walk walk = {.opts = opts, .lock = PTHREAD_MUTEX_INITIALIZER};
	bool is_usable = false;
	int r = dit_walk_metas(&walk, &is_usable);

	if (r == 0 && is_usable) {
		r = walk_pages(&walk);
	}
	if (r == 0) {
		fill_stats(&walk, ret);
	}
	end(&walk);
	return r;
}

int dit_walk_brief(int fd, const struct dit_page_format *sealed,
                   const struct dit_meta *state, struct dit_walk_stats *ret)
{
	const struct dit_walk_opts opts = {.fd = fd,
	                                   .state = state,
	                                   .shared = {.nthreads = 1, .sealed = sealed},
	                                   .is_brief = true};
	int r = -ESTALE;

	for (unsigned i = 0; i < BRIEF_ATTEMPTS && r == -ESTALE; i++) {
		r = dit_walk(&opts, ret);
	}
	return r;
}

/* ---- some trees alone ---- */

struct found {
	struct dit_walked_tree *trees;
	size_t ntrees;
};

/* The first finding of each tree; others often follow from it. */
static void note_tree(void *ctx, const struct dit_walk_finding *finding)
{
	const struct found *found = ctx;

	for (size_t i = 0; i < found->ntrees; i++) {
		struct dit_walked_tree *tree = &found->trees[i];

		if (tree->is_damaged || strcmp(tree->name, finding->database) != 0) {
			continue;
		}
		tree->is_damaged = true;
		(void)snprintf(tree->text, sizeof(tree->text), "%s, page %lld: %s",
		               dit_walk_kind_name(finding->kind),
		               (long long)finding->page, finding->text);
	}
}

static int walk_each(struct walk *walk, const struct dit_walked_tree *trees,
                     size_t ntrees, const struct dit_page_set *others)
{
	const struct walk_spot none = {walk, NULL, DIT_WALK_NO_PAGE, -1};
	int r = begin(walk);

	if (r == 0) {
		(void)dit_page_set_add_all(&walk->freed, others);
	}
	for (size_t i = 0; i < ntrees && r == 0; i++) {
		r = trees[i].is_damaged ? 0
		                        : add_database(&none, dit_span_of(trees[i].name),
		                                       &trees[i].record);
	}
	r = r ?: walk_databases(walk);
	return r < 0 ? r : atomic_load(&walk->error);
}

int dit_walk_trees(const struct dit_walk_trees_opts *opts, struct dit_walked_tree *trees,
                   size_t ntrees, struct dit_page_set *ret)
{
	struct found found = {.trees = trees, .ntrees = ntrees};
	const struct dit_walk_opts walk_opts = {
		.fd = opts->pages->fd,
		.shared.nthreads = opts->nthreads,
		.order = opts->order,
		.found = note_tree,
		.ctx = &found,
	};
	struct walk walk = {
		.opts = &walk_opts,
		.format = opts->pages->format,
		.page_bytes = opts->pages->page_bytes,
		.npages = opts->pages->npages,
		.meta = {.transaction = UINT64_MAX},
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int r = 0;

	*ret = (struct dit_page_set){.words = NULL};
	r = walk_each(&walk, trees, ntrees, opts->others);
	r = r == 0 && walk.nfindings > 0 ? DIT_E_CORRUPT : r;
	if (r == 0) {
		*ret = walk.used;
		ret->count = atomic_load(&walk.nused);
		walk.used.words = NULL;
	}
	end(&walk);
	return r;
}

/* ---- the length of the file ---- */

int dit_walk_length(int fd, struct dit_file_lack *ret)
{
	const struct dit_walk_opts opts = {.fd = fd};
	struct walk walk = {.opts = &opts, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct dit_walk_stats stats;
	bool is_usable = false;
	struct stat status;
	int r = dit_walk_metas(&walk, &is_usable);

	end(&walk);
	/* liblmdb tells what is wrong with the meta pages. */
	if (r < 0 || !is_usable || walk.nbehind == 0) {
		return r;
	}
	if (fstat(fd, &status) != 0) {
		return -errno;
	}
	*ret = (struct dit_file_lack){.file_bytes = (uint64_t)status.st_size,
	                              .needed_bytes = (walk.npages + walk.nbehind) *
	                                              walk.page_bytes};
	r = dit_walk_brief(fd, NULL, NULL, &stats);
	/* Those who commit have the pages, or took them back. */
	if (r == -ESTALE) {
		return 0;
	}
	return r == 0 && stats.by_kind[DIT_WALK_FILE_CUT] > 0 ? DIT_E_CORRUPT : r;
}
