/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways to do damage: DAMAGE(kind that finds it, name, what is done to image).
 * Included twice, for the functions and for the table of them. No include guard, for that
 * reason.
 */

/* clang-format off */ /* laid out by hand */

/* ---- meta pages ---- */

DAMAGE(META_MAGIC, meta_magic,
       image_live(image)->magic ^= 1;)
DAMAGE(META_MAGIC, meta_magics,
       image_meta(image, 0)->magic = 0; image_meta(image, 1)->magic = 0;)
DAMAGE(META_VERSION, meta_version,
       image_live(image)->version = 2;)
DAMAGE(META_PAGE_SIZE, meta_page_size_first,
       image_meta(image, 0)->free_tree.item_bytes = 8192;)
DAMAGE(META_PAGE_SIZE, meta_page_size_second,
       image_meta(image, 1)->free_tree.item_bytes = 512;)
DAMAGE(META_PAGE_SIZE, meta_page_size_zero,
       image_meta(image, 0)->free_tree.item_bytes = 0;
       image_meta(image, 1)->free_tree.item_bytes = 0;)
DAMAGE(META_PAGE, meta_flags,
       image_page(image, 0)->flags = 0;)
DAMAGE(META_PAGE, meta_number,
       image_page(image, 1)->number = 0;)
DAMAGE(META_TRANSACTION, meta_transaction,
       image_live(image)->transaction++;)
DAMAGE(META_TRANSACTION, meta_transactions_apart,
       image_meta(image, 0)->transaction += 4;)
DAMAGE(META_TRANSACTION, meta_transactions_far_apart,
       image_meta(image, 1)->transaction += 1 << 20;)
DAMAGE(META_TRANSACTION, metas_swapped,
       swap_bytes(image_page(image, 0), image_page(image, 1), IMAGE_PAGE);)
DAMAGE(META_LAST_PAGE, meta_last_page_none,
       image_live(image)->last_page = 0;)
DAMAGE(FILE_CUT, meta_last_page_high,
       image_live(image)->last_page += 1000;)
DAMAGE(OVERFLOW_RANGE, meta_last_page_low,
       image_live(image)->last_page -= 3;)
DAMAGE(TREE_FLAGS, meta_free_flags,
       image_live(image)->free_tree.flags = 0;)
DAMAGE(TREE_FLAGS, meta_free_lists,
       image_live(image)->free_tree.flags |= MDB_DUPSORT;)
DAMAGE(TREE_FLAGS, meta_free_reversed,
       image_live(image)->free_tree.flags |= MDB_REVERSEKEY;)
DAMAGE(TREE_FLAGS, meta_free_items_of_one_size,
       image_live(image)->free_tree.flags |= MDB_DUPFIXED;)
DAMAGE(PAGE_RANGE, meta_main_root,
       image_live(image)->main_tree.root = 1 << 20;)
DAMAGE(PAGE_RANGE, meta_main_root_is_meta,
       image_live(image)->main_tree.root = 1;)
DAMAGE(TREE_ROOT, meta_main_root_none,
       image_live(image)->main_tree.root = DIT_PAGE_NONE;)
DAMAGE(TREE_ITEMS, meta_main_items,
       image_live(image)->main_tree.nitems++;)
DAMAGE(TREE_DEPTH, meta_main_depth,
       image_live(image)->main_tree.depth++;)
DAMAGE(TREE_FLAGS, meta_main_flags,
       image_live(image)->main_tree.flags = MDB_DUPFIXED;)
DAMAGE(PAGE_LOST, meta_free_root_none,
       image_live(image)->free_tree.root = DIT_PAGE_NONE;)
DAMAGE(TREE_ITEMS, meta_free_items,
       image_live(image)->free_tree.nitems--;)
DAMAGE(TREE_LEAVES, meta_free_leaves,
       image_live(image)->free_tree.nleaf_pages++;)

/* ---- the file ---- */

DAMAGE(FILE_CUT, file_cut_in_half,
       image->len /= 2;)
DAMAGE(FILE_CUT, file_cut_by_a_page,
       image->len -= IMAGE_PAGE;)
DAMAGE(FILE_CUT, file_cut_by_a_byte,
       image->len--;)
DAMAGE(FILE_CUT, file_cut_to_one_page,
       image->len = IMAGE_PAGE;)
DAMAGE(FILE_CUT, file_cut_to_some_bytes,
       image->len = 100;)

/* ---- pages ---- */

DAMAGE(PAGE_NUMBER, leaf_number,
       image_leaf(image, "cn", 1)->number++;)
DAMAGE(PAGE_NUMBER, branch_number,
       image_root(image, "cn")->number = 0;)
DAMAGE(PAGE_NUMBER, packed_number,
       list_leaf(image, "cn", 0, 1)->number = 7;)
DAMAGE(PAGE_NUMBER, main_number,
       main_leaf(image)->number = 3;)
DAMAGE(PAGE_NUMBER, free_number,
       free_leaf(image)->number = 3;)
DAMAGE(PAGE_FLAGS, leaf_flags_none,
       image_leaf(image, "cn", 1)->flags = 0;)
DAMAGE(PAGE_FLAGS, leaf_flags_meta,
       image_leaf(image, "id2e", 1)->flags = 8;)
DAMAGE(PAGE_FLAGS, leaf_flags_overflow,
       image_leaf(image, "id2e", 1)->flags = DIT_PAGE_OVERFLOW;)
DAMAGE(PAGE_FLAGS, leaf_flags_dirty,
       image_leaf(image, "id2e", 1)->flags |= DIT_PAGE_DIRTY;)
DAMAGE(PAGE_FLAGS, leaf_flags_packed,
       image_leaf(image, "cn", 1)->flags |= DIT_PAGE_LEAF2;)
DAMAGE(PAGE_TWICE, leaf_is_a_branch,
       image_leaf(image, "cn", 1)->flags = DIT_PAGE_BRANCH;)
DAMAGE(NODE_LENGTH, branch_is_a_leaf,
       image_root(image, "id2e")->flags = DIT_PAGE_LEAF;)
DAMAGE(NODE_PLACE, packed_is_a_leaf,
       list_leaf(image, "cn", 0, 0)->flags = DIT_PAGE_LEAF;)
DAMAGE(PAGE_BOUNDS, lower_odd,
       image_leaf(image, "cn", 1)->lower++;)
DAMAGE(PAGE_BOUNDS, lower_in_header,
       image_leaf(image, "cn", 1)->lower = 10;)
DAMAGE(PAGE_BOUNDS, lower_above_upper,
       image_leaf(image, "cn", 1)->lower =
       (uint16_t)(image_leaf(image, "cn", 1)->upper + 2);)
DAMAGE(PAGE_BOUNDS, upper_behind_page,
       image_root(image, "cn")->upper = IMAGE_PAGE + 2;)
DAMAGE(NODE_PLACE, upper_raised,
       image_leaf(image, "cn", 1)->upper += 2;)
DAMAGE(NODE_OVERLAP, upper_lowered,
       image_leaf(image, "cn", 1)->upper -= 2;)
DAMAGE(PAGE_BOUNDS, packed_lower,
       list_leaf(image, "cn", 0, 0)->lower -= 2;)
DAMAGE(PAGE_BOUNDS, packed_upper,
       list_leaf(image, "cn", 0, 0)->upper -= 2;)
DAMAGE(PAGE_EMPTY, leaf_empty,
       image_leaf(image, "cn", 1)->lower = 16;
       image_leaf(image, "cn", 1)->upper = IMAGE_PAGE;)
DAMAGE(PAGE_FLAGS, leaf_zeroed,
       memset(image_leaf(image, "id2e", 2), 0, IMAGE_PAGE);)
DAMAGE(NODE_OVERLAP, leaf_one_less,
       image_leaf(image, "cn", 1)->lower -= 2;)
DAMAGE(KEY_BRANCH, leaf_copied,
       memcpy(image_leaf(image, "cn", 1), image_leaf(image, "cn", 2),
                           IMAGE_PAGE);)
DAMAGE(KEY_BRANCH, leaves_swapped,
       swap_bytes(image_leaf(image, "cn", 1), image_leaf(image, "cn", 2),
                                  IMAGE_PAGE);)
DAMAGE(KEY_LENGTH, leaf_of_another_tree,
       memcpy(image_leaf(image, "cn", 1),
                                    image_leaf(image, "dn2i", 0), IMAGE_PAGE);)

/* ---- branches ---- */

DAMAGE(BRANCH_CHILDREN, one_child,
       leave_one_child(image_root(image, "cn"));)
DAMAGE(PAGE_RANGE, child_out_of_file,
       image_set_child(image_node(image_root(image, "cn"), 1), 99999);)
DAMAGE(PAGE_RANGE, child_far_out,
       image_set_child(image_node(image_root(image, "cn"), 1),
                                      0xffffffffffff);)
DAMAGE(PAGE_RANGE, child_is_meta,
       image_set_child(image_node(image_root(image, "cn"), 1), 0);)
DAMAGE(PAGE_TWICE, child_is_sibling,
       image_set_child(image_node(image_root(image, "cn"), 1),
       image_child(image_node(image_root(image, "cn"), 2)));)
DAMAGE(PAGE_TWICE, child_is_parent,
       image_set_child(image_node(image_root(image, "cn"), 1),
       image_root(image, "cn")->number);)
DAMAGE(PAGE_TWICE, child_of_another_tree,
       image_set_child(image_node(image_root(image, "cn"), 1),
       image_leaf(image, "id2e", 1)->number);)
DAMAGE(PAGE_FREE, child_is_free,
       image_set_child(image_node(image_root(image, "cn"), 1),
       freed(image, 0)[1]);)
DAMAGE(KEY_BRANCH, children_swapped,
       swap_bytes(image_node(image_root(image, "cn"), 1),
       image_node(image_root(image, "cn"), 2), 6);)
DAMAGE(KEY_BRANCH, branch_key_raised,
       image_key(image_node(image_root(image, "cn"), 1))[2]++;)
DAMAGE(KEY_BRANCH, branch_key_lowered,
       image_key(image_node(image_root(image, "cn"), 1))[0] = 'a';)
DAMAGE(KEY_ORDER, branch_keys_swapped,
       swap_bytes(image_slot(image_root(image, "cn"), 1),
       image_slot(image_root(image, "cn"), 2), 2);)
DAMAGE(KEY_LENGTH, branch_key_empty,
       image_node(image_root(image, "cn"), 1)->key_len = 0;)
DAMAGE(ITEM_BRANCH, list_branch_key,
       image_key(image_node(image_page(image,
       list(image, "cn", 0)->root), 1))[0]++;)
DAMAGE(ITEM_ORDER, list_branch_keys_swapped,
       swap_bytes(
       image_slot(image_page(image, list(image, "cn", 0)->root), 1),
       image_slot(image_page(image, list(image, "cn", 0)->root), 2), 2);)

/* ---- nodes ---- */

DAMAGE(NODE_PLACE, slot_in_header,
       *image_slot(image_leaf(image, "cn", 1), 3) = 4;)
DAMAGE(NODE_PLACE, slot_odd,
       *image_slot(image_leaf(image, "cn", 1), 3) += 1;)
DAMAGE(NODE_PLACE, slot_behind_page,
       *image_slot(image_leaf(image, "cn", 1), 3) = IMAGE_PAGE;)
DAMAGE(NODE_PLACE, slot_at_end,
       *image_slot(image_leaf(image, "cn", 1), 3) = IMAGE_PAGE - 4;)
DAMAGE(NODE_OVERLAP, slot_twice,
       *image_slot(image_leaf(image, "cn", 1), 3) =
       *image_slot(image_leaf(image, "cn", 1), 4);)
DAMAGE(NODE_OVERLAP, slot_inside_node,
       *image_slot(image_leaf(image, "id2e", 1), 3) += 8;)
DAMAGE(NODE_PLACE, branch_slot,
       *image_slot(image_root(image, "id2e"), 2) = 2;)
DAMAGE(NODE_LENGTH, key_len_huge,
       image_node(image_leaf(image, "cn", 1), 3)->key_len = 0xffff;)
DAMAGE(KEY_LENGTH, key_len_zero,
       image_node(image_leaf(image, "cn", 1), 3)->key_len = 0;)
DAMAGE(KEY_LENGTH, key_len_more,
       image_node(image_leaf(image, "cn", 1), 3)->key_len += 2;
       image_node(image_leaf(image, "cn", 1), 3)->low -= 2;)
DAMAGE(NODE_LENGTH, value_len_huge,
       image_node(image_leaf(image, "id2e", 1), 3)->high = 0x7fff;)
DAMAGE(NODE_OVERLAP, value_len_more,
       image_node(image_leaf(image, "id2e", 1), 3)->low += 2;)
DAMAGE(NODE_OVERLAP, value_len_less,
       image_node(image_leaf(image, "id2e", 1), 3)->low -= 2;)
DAMAGE(NODE_FLAGS, node_flags_unknown,
       image_node(image_leaf(image, "cn", 1), 3)->flags = 0x80;)
DAMAGE(NODE_FLAGS, node_flags_big,
       image_node(image_leaf(image, "cn", 1), 3)->flags = DIT_NODE_BIG;)
DAMAGE(NODE_FLAGS, node_flags_tree,
       image_node(image_leaf(image, "id2e", 1), 3)->flags =
       DIT_NODE_TREE;)
DAMAGE(NODE_FLAGS, node_flags_list,
       image_node(image_leaf(image, "id2e", 1), 3)->flags =
       DIT_NODE_LIST;)
DAMAGE(ITEM_LENGTH, node_flags_one_item,
       image_find(image, "cn", DIT_NODE_LIST, 0)->flags = 0;)
DAMAGE(NODE_FLAGS, free_flags,
       image_node(free_leaf(image), 0)->flags = DIT_NODE_TREE;)

/* ---- keys ---- */

DAMAGE(KEY_ORDER, key_raised,
       image_key(image_node(image_leaf(image, "cn", 1), 3))[0]++;)
DAMAGE(KEY_BRANCH, key_last_raised,
       image_key(image_node(image_leaf(image, "cn", 1),
       dit_page_count(&dit_lmdb_09, image_leaf(image, "cn", 1)) - 1))[0]++;)
DAMAGE(KEY_BRANCH, key_first_lowered,
       image_key(image_node(image_leaf(image, "cn", 1), 0))[0]--;)
DAMAGE(KEY_ORDER, key_twice,
       memcpy(image_key(image_node(image_leaf(image, "id2e", 1), 3)),
       image_key(image_node(image_leaf(image, "id2e", 1), 4)), 8);)
DAMAGE(KEY_ORDER, keys_swapped,
       swap_bytes(image_slot(image_leaf(image, "id2e", 1), 3),
       image_slot(image_leaf(image, "id2e", 1), 4), 2);)
DAMAGE(KEY_ORDER, number_high_byte,
       image_key(image_node(image_leaf(image, "dn2i", 0), 1))[7] = 1;)

/* ---- lists ---- */

DAMAGE(LIST_PAGE, inner_flags,
       inner(image, "cn", 0)->flags = DIT_PAGE_LEAF;)
DAMAGE(LIST_PAGE, inner_unpacked,
       inner(image, "cn", 0)->flags = SUB_FLAGS;)
DAMAGE(LIST_PAGE, inner_packed,
       inner(image, "dn2i", 0)->flags |= DIT_PAGE_LEAF2;)
DAMAGE(LIST_PAGE, inner_lower,
       inner(image, "cn", 0)->lower = 4;)
DAMAGE(LIST_PAGE, inner_lower_more,
       inner(image, "cn", 0)->lower += 2;)
DAMAGE(LIST_PAGE, inner_upper,
       inner(image, "cn", 0)->upper = IMAGE_PAGE;)
DAMAGE(LIST_PAGE, inner_empty,
       inner(image, "cn", 0)->lower = 16;)
DAMAGE(ITEM_LENGTH, inner_item_bytes,
       inner(image, "cn", 0)->item_bytes = 4;)
DAMAGE(ITEM_ORDER, inner_items_swapped,
       swap_bytes(items(inner(image, "cn", 1)),
       items(inner(image, "cn", 1)) + 1, 8);)
DAMAGE(ITEM_ORDER, inner_item_twice,
       items(inner(image, "cn", 1))[1] =
       items(inner(image, "cn", 1))[0];)
DAMAGE(ITEM_ORDER, inner_records_swapped,
       swap_bytes(image_slot(inner(image, "dn2i", 0), 1),
       image_slot(inner(image, "dn2i", 0), 2), 2);)
DAMAGE(LIST_PAGE, inner_record_place,
       *image_slot(inner(image, "dn2i", 0), 1) = 2000;)
DAMAGE(NODE_OVERLAP, inner_record_twice,
       *image_slot(inner(image, "dn2i", 0), 1) =
       *image_slot(inner(image, "dn2i", 0), 2);)
DAMAGE(LIST_PAGE, inner_record_value,
       image_node(inner(image, "dn2i", 0), 1)->key_len -= 2;
       image_node(inner(image, "dn2i", 0), 1)->low += 2;)
DAMAGE(LIST_PAGE, inner_record_len,
       image_node(inner(image, "dn2i", 0), 1)->key_len = 600;)
DAMAGE(NODE_OVERLAP, inner_one_less,
       inner(image, "dn2i", 0)->lower -= 2;)
DAMAGE(LIST_RECORD, list_flags,
       list(image, "cn", 0)->flags = 0;)
DAMAGE(LIST_RECORD, list_item_bytes,
       list(image, "cn", 0)->item_bytes = 4;)
DAMAGE(LIST_RECORD, list_no_item_bytes,
       list(image, "cn", 0)->item_bytes = 0;)
DAMAGE(TREE_DEPTH, list_depth,
       list(image, "cn", 0)->depth = 1;)
DAMAGE(TREE_DEPTH, list_depth_deep,
       list(image, "cn", 0)->depth = 30;)
DAMAGE(TREE_BRANCHES, list_branches,
       list(image, "cn", 0)->nbranch_pages = 0;)
DAMAGE(TREE_LEAVES, list_leaves,
       list(image, "cn", 0)->nleaf_pages++;)
DAMAGE(TREE_OVERFLOWS, list_overflows,
       list(image, "dn2i", 0)->noverflow_pages++;)
DAMAGE(TREE_ITEMS, list_items,
       list(image, "cn", 0)->nitems++;)
DAMAGE(LIST_RECORD, list_no_items,
       list(image, "cn", 0)->nitems = 0;)
DAMAGE(LIST_RECORD, list_root_none,
       list(image, "cn", 0)->root = DIT_PAGE_NONE;)
DAMAGE(PAGE_RANGE, list_root_out,
       list(image, "cn", 0)->root = 1 << 30;)
DAMAGE(PAGE_TWICE, list_root_of_another,
       list(image, "cn", 0)->root = list(image, "cn", 1)->root;)
DAMAGE(PAGE_LOST, list_root_is_a_leaf,
       list(image, "cn", 0)->root =
       list_leaf(image, "cn", 0, 0)->number;)
DAMAGE(LIST_RECORD, list_record_len,
       image_find(image, "cn", DIT_NODE_LIST | DIT_NODE_TREE, 0)->low =
       46;)
DAMAGE(ITEM_ORDER, packed_items_swapped,
       swap_bytes(items(list_leaf(image, "cn", 0, 1)) + 5,
       items(list_leaf(image, "cn", 0, 1)) + 6, 8);)
DAMAGE(ITEM_BRANCH, packed_first_lowered,
       items(list_leaf(image, "cn", 0, 1))[0] = 0;)
DAMAGE(ITEM_BRANCH, packed_last_raised,
       items(list_leaf(image, "cn", 0, 0))[
       dit_page_count(&dit_lmdb_09, list_leaf(image, "cn", 0, 0)) - 1] = 1 << 30;)
DAMAGE(ITEM_LENGTH, packed_item_bytes,
       list_leaf(image, "cn", 0, 1)->item_bytes = 16;)
DAMAGE(ITEM_ORDER, list_records_swapped,
       swap_bytes(image_slot(list_leaf(image, "dn2i", 0, 1), 1),
       image_slot(list_leaf(image, "dn2i", 0, 1), 2), 2);)
DAMAGE(NODE_VALUE, list_record_value,
       image_node(list_leaf(image, "dn2i", 0, 1), 1)->key_len -= 2;
       image_node(list_leaf(image, "dn2i", 0, 1), 1)->low += 2;)
DAMAGE(ITEM_LENGTH, item_len,
       image_node(image_leaf(image, "cn", 1), 3)->low -= 2;)

/* ---- long values ---- */

DAMAGE(PAGE_NUMBER, run_page_number,
       run(image, 0)->number++;)
DAMAGE(PAGE_FLAGS, run_flags,
       run(image, 0)->flags = DIT_PAGE_LEAF;)
DAMAGE(PAGE_TWICE, run_longer,
       run(image, 0)->lower++;)
DAMAGE(OVERFLOW_COUNT, run_shorter,
       run(image, 0)->lower--;)
DAMAGE(OVERFLOW_RANGE, run_huge,
       run(image, 0)->upper = 0xffff;)
DAMAGE(OVERFLOW_RANGE, run_out_of_file,
       *run_number(image, 0) = 1 << 20;)
DAMAGE(PAGE_TWICE, run_at_the_end,
       *run_number(image, 0) = image_live(image)->last_page;)
DAMAGE(OVERFLOW_RANGE, run_is_meta,
       *run_number(image, 0) = 0;)
DAMAGE(PAGE_TWICE, run_of_another,
       *run_number(image, 0) = *run_number(image, 1);)
DAMAGE(PAGE_TWICE, run_overlaps,
       *run_number(image, 0) = *run_number(image, 1) + 1;)
DAMAGE(OVERFLOW_COUNT, run_value_longer,
       image_find(image, "id2e", DIT_NODE_BIG, 0)->low += 4096;)
DAMAGE(OVERFLOW_COUNT, run_value_endless,
       image_find(image, "id2e", DIT_NODE_BIG, 0)->high = 0xffff;)

/* ---- records of databases ---- */

DAMAGE(TREE_DEPTH, tree_depth,
       image_database(image, "cn")->depth++;)
DAMAGE(TREE_DEPTH, tree_depth_none,
       image_database(image, "cn")->depth = 0;)
DAMAGE(TREE_BRANCHES, tree_branches,
       image_database(image, "id2e")->nbranch_pages++;)
DAMAGE(TREE_LEAVES, tree_leaves,
       image_database(image, "id2e")->nleaf_pages--;)
DAMAGE(TREE_OVERFLOWS, tree_overflows,
       image_database(image, "id2e")->noverflow_pages--;)
DAMAGE(TREE_ITEMS, tree_items,
       image_database(image, "dn2i")->nitems++;)
DAMAGE(TREE_ROOT, tree_no_items,
       image_database(image, "dn2i")->nitems = 0;)
DAMAGE(TREE_FLAGS, tree_flags_unknown,
       image_database(image, "cn")->flags |= 0x100;)
DAMAGE(TREE_FLAGS, tree_flags_alone,
       image_database(image, "id2e")->flags |= MDB_DUPFIXED;)
DAMAGE(NODE_FLAGS, tree_no_lists,
       image_database(image, "cn")->flags &= (uint16_t)~MDB_DUPSORT;)
DAMAGE(KEY_ORDER, tree_numbers,
       image_database(image, "cn")->flags |= MDB_INTEGERKEY;)
DAMAGE(KEY_ORDER, tree_no_numbers,
       image_database(image, "id2e")->flags = 0;)
DAMAGE(KEY_ORDER, tree_backward,
       image_database(image, "cn")->flags |= MDB_REVERSEKEY;)
DAMAGE(TREE_ROOT, tree_root_none,
       image_database(image, "cn")->root = DIT_PAGE_NONE;)
DAMAGE(PAGE_RANGE, tree_root_out,
       image_database(image, "cn")->root = 1 << 20;)
DAMAGE(PAGE_TWICE, tree_root_of_another,
       image_database(image, "cn")->root =
       image_database(image, "dn2i")->root;)
DAMAGE(PAGE_LOST, tree_root_is_a_leaf,
       image_database(image, "id2e")->root =
       image_leaf(image, "id2e", 0)->number;)
DAMAGE(PAGE_FREE, tree_root_is_free,
       image_database(image, "cn")->root = freed(image, 0)[1];)
DAMAGE(TREE_NAME, tree_name,
       image_key(image_node(main_leaf(image), 0))[1] = '\0';)
DAMAGE(KEY_ORDER, tree_names_swapped,
       swap_bytes(image_slot(main_leaf(image), 0),
       image_slot(main_leaf(image), 1), 2);)
DAMAGE(NODE_VALUE, tree_record_len,
       image_node(main_leaf(image), 0)->low = 40;)
DAMAGE(PAGE_LOST, tree_is_a_value,
       name_node(image, "cn")->flags = 0;)

/* ---- the free list ---- */

DAMAGE(FREE_KEY, free_key,
       image_key(image_node(free_leaf(image), 0))[6] = 1;)
DAMAGE(FREE_KEY, free_key_next,
       uint64_t next = image_live(image)->transaction + 1; struct image_header *page = free_leaf(image);
       memcpy(image_key(image_node(page, dit_page_count(&dit_lmdb_09, page) - 1)), &next, 8);)
DAMAGE(KEY_ORDER, free_keys_swapped,
       swap_bytes(image_slot(free_leaf(image), 0),
       image_slot(free_leaf(image), 1), 2);)
DAMAGE(FREE_COUNT, free_count_high,
       freed(image, 0)[0] += 1000;)
DAMAGE(FREE_COUNT, free_count_of_all_words,
       freed(image, 0)[0] = image_node(free_leaf(image), 0)->low / sizeof(image_word);)
DAMAGE(FREE_COUNT, free_count_endless,
       freed(image, 0)[0] = UINT64_MAX;)
DAMAGE(PAGE_LOST, free_count_low,
       freed_some(image)[0]--;)
DAMAGE(FREE_ORDER, free_order,
       swap_bytes(freed_some(image) + 1, freed_some(image) + 2, 8);)
DAMAGE(FREE_RANGE, free_out_of_file,
       freed(image, 0)[1] = 1 << 20;)
DAMAGE(FREE_RANGE, free_meta,
       freed_some(image)[freed_some(image)[0]] = 1;)
DAMAGE(FREE_TWICE, free_same_twice,
       freed_some(image)[2] = freed_some(image)[1];)
DAMAGE(FREE_TWICE, free_in_two_records,
       freed(image, 0)[1] = freed(image, 1)[1];)
DAMAGE(PAGE_FREE, free_used,
       freed(image, 0)[1] = image_leaf(image, "cn", 1)->number;)
DAMAGE(PAGE_FREE, free_used_by_the_list,
       freed(image, 0)[1] = free_leaf(image)->number;)
DAMAGE(FREE_COUNT, free_record_len,
       image_node(free_leaf(image), 0)->low -= 2;)

/* clang-format on */
