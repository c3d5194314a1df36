/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a run of changes, composed: who owns what when.
 *
 * The stored state is never changed while changes are applied: it is read through the
 * output (names) and through a snapshot (entries). Each entry that a change touches has a
 * node, which is kept until the end.
 *
 * Threads: main, but for what has a tag.
 */
#ifndef DITKIT_MODIFY_IMPL_H
#define DITKIT_MODIFY_IMPL_H

#include <stdatomic.h>

#include "base/digest.h"
#include "entry/entry.h"
#include "entry/why.h"
#include "indexing/key_changes.h"
#include "job/csn_list.h"
#include "job/job.h"
#include "job/release_rules.h"
#include "ldif/ldif_reader.h"
#include "modify/modify.h"
#include "output/ad_numbers.h"
#include "output/record_output.h"
#include "pipeline/pipeline.h"
#include "reader/entry_reader.h"
#include "tree/page_writer.h"

/* ---- a change ---- */

enum modify_op {
	MODIFY_NOTHING, /* a record without a DN */
	MODIFY_ADD,
	MODIFY_DELETE,
	MODIFY_MODIFY,
	MODIFY_RENAME,
};

enum modify_how {
	MODIFY_HOW_ADD,
	MODIFY_HOW_DELETE,
	MODIFY_HOW_REPLACE,
	MODIFY_HOW_INCREMENT,
	MODIFY_HOW_SOFT_ADD,    /* a value that is there already is no error */
	MODIFY_HOW_REPLACE_ALL, /* all blocks of the attribute, with one */
};

/** One modification: an attribute and its values, which may be none. */
struct modify_mod {
	enum modify_how how;
	struct dit_attr attr;
};

/** A record of the input. It lives in the arena of its batch. */
struct modify_change {
	int error; /* 0; DIT_E_INVALID: refused, the notes say why; else the run ends */
	enum modify_op op;
	struct dit_entry_stamp stamp;
	struct dit_notes notes;
	struct dit_entry entry; /* its DN; of an added one all */
	struct modify_mod *mods;
	size_t nmods;
	struct dit_dn newrdn;
	struct dit_dn superior;
	bool has_superior;
	bool deletes_old;
};

/* ---- the state: modify_tree.c ---- */

enum modify_key {
	MODIFY_BY_ID,
	MODIFY_BY_NAME, /* and parent; those that are not gone */
};

/** A changed entry. Most attributes are as they are stored, and are not kept. */
struct modify_entry {
	uint32_t *places; /* of each attribute: its number in the stored entry, or
	                       * MODIFY_OWN: the next of the list below */
	struct dit_attr *own;
	uint32_t nattrs;
	uint32_t nown;
	uint32_t oc_flags;
	size_t places_size;
	size_t own_size;
};

#define MODIFY_OWN UINT32_MAX

/** A node of the tree that a change has touched, or a node above one. */
struct modify_node {
	uint64_t id;
	struct modify_node *parent; /* NULL: it is topmost */
	struct dit_span norm;       /* its RDN; of a topmost node the suffix */
	struct dit_span pretty;
	uint64_t nsubs; /* nodes below, and itself */
	bool is_gone;
	bool is_named;              /* it was given a name, though maybe the one it had */
	struct modify_entry *entry; /* as it is now; NULL: as it is stored, or gone */

	/* In the file. */
	bool is_stored;
	const struct modify_node *stored_parent;
	struct dit_span stored_norm;
	uint64_t stored_nsubs;
};

static inline uint64_t dit_modify_id(const struct modify_node *node)
{
	return node == NULL ? 0 : node->id;
}

/** Hash tables of nodes, which are in the arena of what is kept. */
struct modify_tree {
	struct modify_table {
		struct modify_node **slots; /* owned; NULL: free */
		size_t nslots;              /* 0, or a power of two */
		size_t n;
	} tables[2];
	uint64_t last_id;           /* the highest of an entry, now */
	uint64_t nstored;           /* the highest in the file */
	struct modify_node **nodes; /* all by ID, once they are listed; owned */
	size_t nnodes;
};

/* ---- the run ---- */

struct modify_slot {
	struct dit_ldif_batch batch;
	struct modify_change *changes; /* owned */
	size_t changes_size;
	uint64_t time_us;
};

/** [own: member]; the last one is main's, and has caches alone. */
struct modify_member {
	struct dit_entry_caches caches;
	/* For the keys of an entry; owned, as the next one. */
	struct dit_entry_reader *reader;
	struct dit_attr *attrs;
	size_t attrs_size;
	uint64_t npostings;
	int error;
};

/** Nodes whose keys are written together. */
struct modify_part {
	size_t begin;
	size_t end;
	_Atomic size_t next_db; /* [atomic: each database is drawn once a part] */
};

/* How equal values of an attribute are found; modify_values.c. */
struct modify_values {
	const struct dit_span *list; /* that they are looked for in; NULL: in none */
	bool is_lasting;             /* records that follow find the list there, too */
	bool has_order;              /* it can have a sorted copy, as far as is known */
	/* The sorted copy of the list. */
	uint32_t n;            /* values in the copy; 0: there is none */
	uint32_t nwanted;      /* values that were looked for since */
	struct dit_span *keys; /* sorted; owned, the bytes are the list's */
	size_t keys_size;
	uint32_t *places; /* in the list; owned */
	size_t places_size;
};

struct modifier {
	const struct dit_modify_opts *opts;
	struct dit_modify_stats *stats;
	struct dit_job job;
	const struct dit_database *db;

	/* [const] while members run */
	struct dit_release_rules rules;
	struct dit_entry_context adding;   /* of entries that are added */
	struct dit_entry_context changing; /* of those that are changed */
	struct dit_file_rules files;
	uint64_t *sorted; /* of the contexts; owned */
	struct dit_entry_clock clock;
	unsigned suffix_nrdns;
	bool keeps_csns; /* contextCSN is kept up: -w, or slapd would do it */

	/* The input. */
	struct dit_ldif_reader *reader;
	struct dit_pipeline *pipeline;
	struct modify_slot slots[DIT_PIPELINE_NSLOTS_MAX];
	struct modify_member *members;   /* one more than there are threads; owned */
	struct dit_key_changes *changes; /* each member is a producer; owned */
	struct modify_part part;

	/* The database. */
	struct dit_data_seal *seal;
	struct dit_record_output *output;
	const struct dit_published *published; /* while the output is put in place */
	struct dit_index_work *keys;           /* main's, to check values */
	struct dit_snapshot *snapshot;
	struct dit_ad_names names;
	struct dit_entry_reader *entries; /* main's */
	struct dit_ad_numbers numbers;
	struct dit_index_set *indexes;
	struct dit_split_rules *split_rules;

	/* The state. */
	struct dit_arena kept;    /* nodes, entries and values */
	struct dit_arena scratch; /* of one record */
	struct modify_tree tree;
	struct modify_values values;
	struct dit_csn_list csns;           /* with keeps_csns */
	char digest[DIT_DIGEST_TEXT_BYTES]; /* that the database has now; "": not known */
	struct {
		const char *file; /* NULL: there are none */
		uint64_t line;
	} unended; /* where changes begin whose end has not come yet */
	struct dit_progress_count {
		uint64_t done;
		uint64_t total;
	} count; /* of the last phases */
};

/** Main's caches, which come after those of the members. */
static inline struct dit_entry_caches *modify_caches(const struct modifier *modifier)
{
	return &modifier->members[modifier->job.nthreads].caches;
}

/* ---- modify_record.c: members, and the stages of the pipeline ---- */

/** Members, and the pipeline, whose threads write indexes as well. 0; -ENOMEM; errors of
 * reading; codes of pthread_create() */
int dit_modify_make_threads(struct modifier *modifier);

/* ---- modify_values.c ---- */

/** The number of an equal value; nvalues: there is none. @param nwanted  so many values,
 * with this one, are looked for one after the other */
uint32_t dit_modify_find_value(struct modifier *modifier, const struct dit_attr *attr,
                               struct dit_span wanted, uint32_t nwanted);
/** Values of a list move, or leave it. */
void dit_modify_forget_values(struct modifier *modifier);

/* ---- modify_tree.c ---- */

/**
 * The node of a DN without its first RDNs.
 *
 * @param ret  NULL: there is none, or it is the parent of the suffix
 *
 * @return 1; 0: there is none; DIT_E_CORRUPT, -ENOMEM, errors of reading
 */
int dit_modify_find(struct modifier *modifier, const struct dit_dn *dn, unsigned nless,
                    struct modify_node **ret);
/** The child of a node with this normal RDN. As above. @param parent  NULL: the root */
int dit_modify_find_child(struct modifier *modifier, struct modify_node *parent,
                          struct dit_span norm, struct modify_node **ret);
/** A node for the entry of an empty suffix, which has the ID 0, no name and no keys. It
 * may be a hole. Once. 0; -ENOMEM */
int dit_modify_meet_root(struct modifier *modifier, struct modify_node **ret);

/** A new node below another one (NULL: the root), with the next ID. 0; -ENOMEM;
 * DIT_E_TOOLONG: no ID is left */
int dit_modify_add_node(struct modifier *modifier, struct modify_node *parent,
                        struct dit_span norm, struct dit_span pretty,
                        struct modify_node **ret);
/** A node without nodes below goes. 0; errors as above */
int dit_modify_remove_node(struct modifier *modifier, struct modify_node *node);
/** A node gets another name, or moves with all nodes below. 0; -ENOMEM */
int dit_modify_move_node(struct modifier *modifier, struct modify_node *node,
                         struct modify_node *parent, struct dit_span norm,
                         struct dit_span pretty);
/** List all nodes. Once. 0; -ENOMEM */
int dit_modify_list_nodes(struct modify_tree *tree);
void dit_modify_tree_deinit(struct modify_tree *tree);

/* ---- modify_kept.c ---- */

/** A node's entry in whole: it is read, or new, then changed. The values of attributes
 * that are as stored are main's reader's, until it reads again. */
struct modify_edit {
	struct modifier *modifier;
	struct modify_node *node;
	struct dit_notes *notes; /* say why a modification is refused */

	/* In the scratch of the run. */
	struct dit_entry entry;  /* as it is now */
	struct dit_attr *stored; /* the stored attributes, if some are as stored */
	uint32_t nstored;
	struct dit_span unknown;      /* an attribute that the schema does not know */
	struct modify_before *before; /* modify_entry.c */
};

/**
 * Read the entry.
 *
 * @return 1; 0: it is a hole; DIT_E_UNSUPPORTED: it has an unknown attribute;
 *         DIT_E_CORRUPT, -ENOMEM, errors of reading
 */
int dit_modify_read(struct modify_edit *edit);
/** Set ret->attrs[], which have room, ret->nattrs and ret->oc_flags. Any thread.
 * @param stored  attributes of the stored entry */
void dit_modify_compose(const struct modify_entry *entry, const struct dit_attr *stored,
                        struct dit_entry *ret);
/** A new entry, all bytes included, becomes the node's. As the next one */
int dit_modify_keep(struct modify_edit *edit);
/** The same of an entry that is as dit_modify_read() has read it, but for attributes that
 * have lists of their own. All attributes get numbers, as slapd gives them record by
 * record. 0; as dit_ad_number() */
int dit_modify_keep_edited(struct modify_edit *edit);
/** The lists of an attribute are kept, and the bytes, if they would not last: those of a
 * new one, and some that were read. 0; -ENOMEM */
int dit_modify_own(struct modifier *modifier, struct dit_attr *attr, size_t room,
                   bool is_new);
/** Are the values stored apart (multival)? Exact changes lead to what slapd has stored,
 * by other steps: a value that is too long for that was never among so many. */
bool dit_modify_is_apart(const struct modifier *modifier, const struct dit_attr *attr);

/* ---- modify_entry.c ---- */

/**
 * Make modifications of an entry that was read, and the check of all of it. If one is
 * refused the node's entry is what it was.
 *
 * @param dn     that the entry will have; NULL: it is not checked
 * @param stamp  NULL: the entry does not get the stamps of a change
 *
 * @return 0; DIT_E_INVALID: the notes say why; else as dit_modify_keep_edited()
 */
int dit_modify_edit(struct modify_edit *edit, const struct dit_dn *dn,
                    const struct modify_mod *mods, size_t nmods,
                    const struct dit_entry_stamp *stamp);
/** Can keys be made of all values, and is the entry small enough? As dit_modify_edit() */
int dit_modify_check_fits(struct modifier *modifier, const struct dit_entry *entry,
                          struct dit_notes *notes);

/* ---- modify_apply.c ---- */

/** Make a change. 0: made; or left out; negative: the run ends, reported */
int dit_modify_apply(struct modifier *modifier, const struct dit_ldif_record *record,
                     struct modify_change *change);
/** With keeps_csns: the entry that has contextCSN gets the newest ones. Reports. */
int dit_modify_put_csns(struct modifier *modifier);

/* ---- modify_write.c ---- */

/** Everything that has changed goes into the output. Reports. */
int dit_modify_write(struct modifier *modifier);

/* ---- modify_state.c ---- */

/** Are the changes that begin with this record for the state of the database? 0; error,
 * reported */
int dit_modify_check_state(struct modifier *modifier,
                           const struct dit_ldif_record *record);
/** After that. Do its changes end with the record? */
void dit_modify_note_end(struct modifier *modifier, const struct dit_ldif_record *record);
/** Have all changes come to their end? 0; DIT_E_REFUSED, reported */
int dit_modify_check_end(const struct modifier *modifier);

/* ---- modify_memberof.c ---- */

/** Change what mends_memberof asks for. Reports. 0; error */
int dit_modify_mend_memberof(struct modifier *modifier);

/* ---- modify_run.c ---- */

/** Report a failure that concerns the database. @return @p r */
int dit_modify_fail(struct modifier *modifier, int r, const char *what);

#endif
