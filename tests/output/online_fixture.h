/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of online.h: a database with entries and an index database, and another
 * process, which has it open by liblmdb and changes it when it is told to.
 */
#ifndef DITKIT_ONLINE_FIXTURE_H
#define DITKIT_ONLINE_FIXTURE_H

#include <fcntl.h>

#include "online_other_10.h"
#include "output/online.h"
#include "store_fixture.h"
#include "walk/walk.h"

#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
#define NENTRIES    3000

/* ---- another process ---- */

enum order_kind {
	ORDER_COUNT,  /* answer: the IDs of the index, in 8 bits */
	ORDER_PUT,    /* entries get values of a fill byte, and the index a key of them */
	ORDER_DELETE, /* entries */
	ORDER_SPLIT,  /* one entry gets a value in id2v */
	ORDER_DROP,   /* the index database */
};

struct order {
	enum order_kind kind;
	uint64_t first; /* of the entries */
	uint64_t n;
	uint64_t step;
	unsigned char fill;
};

struct other {
	pid_t pid;
	int orders;
	int answers;
};

static inline void other_put(MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_len,
                             const void *value, size_t len)
{
	MDB_val k = {key_len, (void *)key};
	MDB_val v = {len, (void *)value};

	if (mdb_put(txn, dbi, &k, &v, 0) != 0) {
		_exit(3);
	}
}

/* Some values are long. */
static inline size_t other_value_len(uint64_t id)
{
	return id % 200 == 3 ? 5000 : 90;
}

static inline const char *other_value(const struct order *order)
{
	static char value[5000];

	memset(value, order->fill, sizeof(value));
	return value;
}

static inline void other_change(MDB_txn *txn, MDB_dbi entries, MDB_dbi index,
                                const struct order *order)
{
	const char *value = other_value(order);
	uint32_t key = order->fill;

	for (uint64_t i = 0; i < order->n; i++) {
		uint64_t id = order->first + i * order->step;
		MDB_val k = {sizeof(id), &id};

		if (order->kind == ORDER_DELETE) {
			if (mdb_del(txn, entries, &k, NULL) != 0) {
				_exit(8);
			}
			continue;
		}
		other_put(txn, entries, &id, sizeof(id), value, other_value_len(id));
		other_put(txn, index, &key, sizeof(key), &id, sizeof(id));
	}
}

static inline void other_split(MDB_txn *txn, uint64_t id)
{
	char key[sizeof(id) + sizeof(uint16_t)] = {0};
	MDB_dbi dbi = 0;

	memcpy(key, &id, sizeof(id));
	if (mdb_dbi_open(txn, "id2v", 0, &dbi) != 0) {
		_exit(10);
	}
	other_put(txn, dbi, key, sizeof(key), "a value", 7);
}

/* How many IDs the index has, as this process sees it. */
static inline unsigned char other_count(MDB_txn *txn, MDB_dbi index)
{
	MDB_stat stat = {0};

	if (mdb_stat(txn, index, &stat) != 0) {
		_exit(6);
	}
	return (unsigned char)stat.ms_entries;
}

static inline unsigned char other_obey(MDB_env *env, MDB_dbi entries, MDB_dbi index,
                                       const struct order *order)
{
	unsigned flags = order->kind == ORDER_COUNT ? MDB_RDONLY : 0;
	unsigned char answer = 0;
	MDB_txn *txn = NULL;

	if (mdb_txn_begin(env, NULL, flags, &txn) != 0) {
		_exit(4);
	}
	if (order->kind == ORDER_COUNT) {
		answer = other_count(txn, index);
	} else if (order->kind == ORDER_SPLIT) {
		other_split(txn, order->first);
	} else if (order->kind == ORDER_DROP) {
		if (mdb_drop(txn, index, 1) != 0) {
			_exit(9);
		}
	} else {
		other_change(txn, entries, index, order);
	}
	if (mdb_txn_commit(txn) != 0) {
		_exit(5);
	}
	return answer;
}

/* ---- the same with LMDB 1.0 ---- */

static inline void other_10_change(const struct other_10 *other,
                                   const struct order *order)
{
	const char *value = other_value(order);
	uint32_t key = order->fill;
	uint64_t *ids = calloc(order->n, sizeof(*ids));
	struct dit_ids_change change = {.added = ids};
	struct dit_key_orders orders;
	struct dit_tree_merge *merge = other_10_merge(other, "id2e", &orders);

	for (uint64_t i = 0; i < order->n; i++) {
		struct dit_span id = {(const char *)&ids[i], sizeof(ids[i])};

		ids[i] = order->first + i * order->step;
		other_10_must(order->kind == ORDER_DELETE
		                      ? dit_tree_merge_remove(merge, id)
		                      : dit_tree_merge_put(
						merge, id,
						(struct dit_span){
							value, other_value_len(ids[i])}));
	}
	other_10_finish(other, "id2e", merge);
	change.nadded = other_10_leave_stored(other, "cn", key, ids, order->n);
	if (order->kind == ORDER_PUT && change.nadded > 0) {
		merge = other_10_merge(other, "cn", &orders);
		other_10_must(dit_tree_merge_ids(
			merge, (struct dit_span){(const char *)&key, sizeof(key)},
			&change));
		other_10_finish(other, "cn", merge);
	}
	free(ids);
}

/* Another attribute each time. */
static inline void other_10_split(const struct other_10 *other, uint64_t id)
{
	static char number;
	char key[sizeof(id) + sizeof(uint16_t)] = {0};
	struct dit_key_orders orders;
	struct dit_tree_merge *merge = other_10_merge(other, "id2v", &orders);

	memcpy(key, &id, sizeof(id));
	key[sizeof(id)] = ++number;
	other_10_must(dit_tree_merge_record(merge, (struct dit_span){key, sizeof(key)},
	                                    (struct dit_span){"a value", 7}));
	other_10_finish(other, "id2v", merge);
}

static inline unsigned char other_10_obey(struct other_10 *other,
                                          const struct order *order)
{
	const struct dit_page_old_opts old = {.nthreads = 1};
	unsigned char answer = 0;

	other_10_begin(other);
	if (order->kind == ORDER_COUNT) {
		answer = (unsigned char)other_10_tree(other, "cn").nitems;
	} else if (order->kind == ORDER_SPLIT) {
		other_10_split(other, order->first);
	} else if (order->kind == ORDER_DROP) {
		other_10_must(dit_page_commit_drop(other->commit, DIT_SPAN("cn")));
		other_10_must(dit_page_commit_give_old(other->commit, &old));
	} else {
		other_10_change(other, order);
	}
	other_10_end(other, order->kind != ORDER_COUNT);
	return answer;
}

/* ---- either ---- */

static inline void other_answer(int answers, unsigned char answer)
{
	if (write(answers, &answer, 1) != 1) {
		_exit(7);
	}
}

static inline void other_10_serve(const char *dir, int orders, int answers)
{
	struct other_10 other;
	struct order order;

	other_10_open(&other, dir);
	other_answer(answers, 0);
	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		other_answer(answers, other_10_obey(&other, &order));
	}
	other_10_close(&other);
	_exit(0);
}

static inline void other_serve(const char *dir, int orders, int answers)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi entries = 0;
	MDB_dbi index = 0;
	struct order order;

	if (mdb_env_create(&env) != 0 || mdb_env_set_maxdbs(env, 8) != 0 ||
	    mdb_env_set_mapsize(env, FIXTURE_MAXSIZE) != 0 ||
	    mdb_env_open(env, dir, MDB_NOSYNC, 0600) != 0 ||
	    mdb_txn_begin(env, NULL, 0, &txn) != 0 ||
	    mdb_dbi_open(txn, "id2e", 0, &entries) != 0 ||
	    mdb_dbi_open(txn, "cn", 0, &index) != 0 || mdb_txn_commit(txn) != 0) {
		_exit(2);
	}
	other_answer(answers, 0);
	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		other_answer(answers, other_obey(env, entries, index, &order));
	}
	mdb_env_close(env);
	_exit(0);
}

/* Until it has the database open: another one that opens it keeps it out for a moment. */
static inline void other_start(struct other *other, const char *dir)
{
	unsigned char answer = 0;
	int orders[2];
	int answers[2];

	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(answers), 0);
	other->pid = test_fork();
	if (other->pid == 0) {
		(void)close(orders[1]);
		(void)close(answers[0]);
		(fixture_is_lmdb_10 ? other_10_serve : other_serve)(dir, orders[0],
		                                                    answers[1]);
	}
	(void)close(orders[0]);
	(void)close(answers[1]);
	other->orders = orders[1];
	other->answers = answers[0];
	assert_int_equal(read(other->answers, &answer, 1), 1);
}

static inline unsigned other_order(const struct other *other, struct order order)
{
	unsigned char answer = 0;

	assert_int_equal(write(other->orders, &order, sizeof(order)), sizeof(order));
	assert_int_equal(read(other->answers, &answer, 1), 1);
	return answer;
}

/* 0: count; else this entry and those 100 and 200 after it get other values. */
static inline unsigned other_do(const struct other *other, unsigned char first)
{
	struct order order = {.kind = first == 0 ? ORDER_COUNT : ORDER_PUT,
	                      .first = first,
	                      .n = 3,
	                      .step = 100,
	                      .fill = first};

	return other_order(other, order);
}

static inline void other_end(struct other *other)
{
	(void)close(other->orders);
	(void)close(other->answers);
	assert_int_equal(test_wait(other->pid), 0);
}

/* ---- a database ---- */

static inline char *make_database_of(uint64_t nentries)
{
	static char value[3000];
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	const uint64_t ids[] = {1, 2};

	for (uint64_t id = 1; id <= nentries; id++) {
		fixture_put_entry(staging, id, value, id % 10 == 0 ? 3000 : 100);
	}
	fixture_begin_index(staging, "cn", false);
	fixture_put_key("aaaa", 4, ids, 2);
	(void)fixture_publish(staging);
	return dir;
}

static inline char *make_database(void)
{
	return make_database_of(NENTRIES);
}

static inline void found(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_error("%s: page %lld: %s\n", dit_walk_kind_name(finding->kind),
	            (long long)finding->page, finding->text);
}

static inline void assert_sound(const char *dir)
{
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.shared = {.nthreads = 1, .sealed = fixture_sealed},
	                             .found = found};
	char *path = test_text("%s/data.mdb", dir);

	opts.fd = open(path, O_RDONLY);
	assert_true(opts.fd >= 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	(void)close(opts.fd);
}

#endif
