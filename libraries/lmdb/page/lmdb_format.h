/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LMDB's file formats, as far as we write and check them without liblmdb: what all of
 * them share. page_format.h has what differs.
 *
 * A file is an array of pages; pages 0 and 1 are meta pages, of which the one with the
 * higher transaction number counts. All numbers are in the machine's byte order; ditkit
 * is for little-endian machines of 64 bits, where a page number is a 64-bit word.
 *
 *   page     header, slots growing up, nodes growing down
 *   leaf     node: header, key, value; or a list's page or the record of its tree
 *   branch   node: header with the child's number, key; the first one's key is empty
 *   leaf 2   items of one size, packed after the header: no slots, no nodes
 *   overflow a value too long for a leaf: header, bytes; further pages have no header
 *
 * A page begins with its number, 8 bytes, and its header ends with struct dit_page_words.
 *
 * Facts from liblmdb's own files, checked by tests/output/test_table.c, which has liblmdb
 * read, extend and shrink what we wrote.
 */
#ifndef DITKIT_LMDB_FORMAT_H
#define DITKIT_LMDB_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define DIT_PAGE_BRANCH   0x01u
#define DIT_PAGE_LEAF     0x02u
#define DIT_PAGE_OVERFLOW 0x04u
#define DIT_PAGE_DIRTY    0x10u /* in the file only with SUB: may be changed in place */
#define DIT_PAGE_LEAF2    0x20u
#define DIT_PAGE_SUB      0x40u /* lies inside a node */

/* The end of every page's header. */
struct dit_page_words {
	uint16_t item_bytes; /* of leaf 2 pages */
	uint16_t flags;      /* DIT_PAGE_... */
	uint16_t lower;      /* end of the slots: 2 for each node or item */
	uint16_t upper;      /* start of the nodes; leaf 2: lower + free bytes */
};
static_assert(sizeof(struct dit_page_words) == 8, "format");

/* How many overflow pages there are: in the first one, in place of lower and upper. */
static inline uint32_t dit_page_overflow_count(const struct dit_page_words *words)
{
	return words->lower | (uint32_t)words->upper << 16;
}

/* The words of the first of so many overflow pages. */
static inline struct dit_page_words dit_overflow_words(uint64_t npages)
{
	return (struct dit_page_words){
		.flags = DIT_PAGE_OVERFLOW,
		.lower = (uint16_t)npages,
		.upper = (uint16_t)(npages >> 16),
	};
}

#define DIT_NODE_BIG  0x01u /* the value is a struct dit_big_value */
#define DIT_NODE_TREE 0x02u /* the value is a struct dit_tree_record */
#define DIT_NODE_LIST 0x04u /* the value is a list's page, or with TREE its tree */

/* Flags of a named database, as the record of its tree keeps them. */
#define DIT_DB_REVERSEKEY 0x02u
#define DIT_DB_DUPSORT    0x04u
#define DIT_DB_INTEGERKEY 0x08u
#define DIT_DB_DUPFIXED   0x10u
#define DIT_DB_INTEGERDUP 0x20u
#define DIT_DB_REVERSEDUP 0x40u

/* Results of liblmdb, with its numbers: error.h keeps their range for them. Rooms that
 * do not call liblmdb use them, too; lmdb_append.c compares both lists. */
enum dit_lmdb_code {
	DIT_LMDB_KEYEXIST = -30799,         /* records out of order */
	DIT_LMDB_NOTFOUND = -30798,         /* no such record, or database */
	DIT_LMDB_VERSION_MISMATCH = -30794, /* another version of the format */
	DIT_LMDB_INVALID = -30793,          /* no file of LMDB */
	DIT_LMDB_DBS_FULL = -30791,         /* too many named databases */
	DIT_LMDB_READERS_FULL = -30790,     /* no slot in the table of readers */
	DIT_LMDB_BAD_VALSIZE = -30781,      /* a key or value too long, or empty */
};

/* The key follows, then, in leaves, the value; the next node begins at an even offset. */
struct dit_node_header {
	uint16_t low; /* size of the value in two halves; branch: the child's number in */
	uint16_t high; /* three parts, low first, the flags third */
	uint16_t flags;
	uint16_t key_len;
};
static_assert(sizeof(struct dit_node_header) == 8, "format");

/* A tree: a named database in the main tree, or a long list in its node. */
struct dit_tree_record {
	uint32_t item_bytes; /* of leaf 2 pages; 0: the leaves have nodes */
	uint16_t flags;      /* persistent flags, MDB_... */
	uint16_t depth;      /* 1: the root is a leaf */
	uint64_t nbranch_pages;
	uint64_t nleaf_pages;
	uint64_t noverflow_pages;
	uint64_t nitems;
	uint64_t root; /* DIT_PAGE_NONE: empty */
};
static_assert(sizeof(struct dit_tree_record) == 48, "format");

#define DIT_PAGE_NONE UINT64_MAX

/* Where the pages of a long value are. Formats have the first word, or all three. */
struct dit_big_value {
	uint64_t first_page;
	uint64_t transaction; /* of that page */
	uint64_t npages;
};
static_assert(sizeof(struct dit_big_value) == 24, "format");

/* After the header of pages 0 and 1. The free tree's item_bytes is the page size. */
struct dit_meta {
	uint32_t magic;
	uint32_t version; /* of a struct dit_page_format */
	uint64_t address;
	uint64_t map_bytes;
	struct dit_tree_record free_tree;
	struct dit_tree_record main_tree;
	uint64_t last_page;
	uint64_t transaction;
};
static_assert(sizeof(struct dit_meta) == 136, "format");

#define DIT_META_MAGIC 0xBEEFC0DEu

#endif
