/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways to damage the content: DAMAGE(kind that finds it, words in its line, name,
 * what is done). Included twice, for the functions and for the table of them. No include
 * guard, for that reason.
 */

/* clang-format off */ /* laid out by hand */

/* ---- ad2i ---- */

DAMAGE("ad-gap", "number 3 is missing", ad_gap,
       del_number(txn, 3);)
DAMAGE("ad-gap", "number 1 is missing", ad_gap_first,
       del_number(txn, 1);)
DAMAGE("ad-gap", "a number 0", ad_zero,
       put_number(txn, 0, "cn");)
DAMAGE("ad-name", "\"nonsense\": attribute type undefined", ad_unknown,
       put_number(txn, number_of(txn, "seeAlso"), "nonsense");)
DAMAGE("ad-name", "\"\\ff\\1b[31m\\22<b>\": AttributeDescription contains", ad_bytes,
       put_number(txn, number_of(txn, "seeAlso"), "\xff\x1b[31m\"<b>");)
DAMAGE("ad-name", "which slapd spells \"seeAlso\"", ad_spelling,
       put_number(txn, number_of(txn, "seeAlso"), "SEEALSO");)
DAMAGE("ad-twice", "have one name, cn", ad_twice,
       put_number(txn, number_of(txn, "seeAlso"), "cn");)

/* ---- id2e: records ---- */

DAMAGE("entry-record", "ID 6, cn=p3,ou=a,dc=x: ", entry_words,
       struct record *entry = get_entry(txn, 6); entry->words[3]++; put_entry(txn, 6, entry);)
DAMAGE("entry-record", "ID 6, cn=p3,ou=a,dc=x: ", entry_slots,
       struct record *entry = get_entry(txn, 6); entry->words[1]++; put_entry(txn, 6, entry);)
DAMAGE("entry-record", "ID 6, cn=p3,ou=a,dc=x: ", entry_count,
       struct record *entry = get_entry(txn, 6); entry->words[0] += 1000; put_entry(txn, 6, entry);)
DAMAGE("entry-record", "ID 6, cn=p3,ou=a,dc=x: ", entry_value_length,
       struct record *entry = get_entry(txn, 6); entry->words[6] = 1u << 30; put_entry(txn, 6, entry);)
DAMAGE("entry-record", "ID 6, cn=p3,ou=a,dc=x: ", entry_cut,
       struct record *entry = get_entry(txn, 6); entry->len -= 8; put_entry(txn, 6, entry);)
DAMAGE("entry-attribute", "has the number 999, which is not in ad2i", entry_number,
       struct record *entry = get_entry(txn, 6); entry->words[4] = 999; put_entry(txn, 6, entry);)
DAMAGE("entry-attribute", "which is no attribute description in ad2i", entry_forged,
       put_number(txn, number_of(txn, "seeAlso"), "sn: x\nseeAlso");)
DAMAGE("entry-classes", "ID 6, cn=p3,ou=a,dc=x: ", entry_flags,
       struct record *entry = get_entry(txn, 6); entry->words[2] ^= 1; put_entry(txn, 6, entry);)
DAMAGE("entry-classes", "other flags than 0x100", entry_other_class,
       struct record *entry = get_entry(txn, 6); change(entry, "person", "PERSON");
       entry->words[2] ^= 0x10000; put_entry(txn, 6, entry);)

/* ---- id2e: values ---- */

DAMAGE("value-normal", "ID 6, cn=p3,ou=a,dc=x, sn: ", normal_changed,
       struct record *entry = get_entry(txn, 6); change(entry, "common 3", "cammon 3"); put_entry(txn, 6, entry);)
DAMAGE("value-normal", "\"common 3\", not \"cammon 3\"", value_changed,
       struct record *entry = get_entry(txn, 6); change(entry, "Common 3", "Cammon 3"); put_entry(txn, 6, entry);)
DAMAGE("value-normal", "its rule refuses the value", normal_of_nothing,
       struct record *entry = get_entry(txn, 6); change(entry, "cn=P1, dc=x", "&&=P1, dc=x"); put_entry(txn, 6, entry);)
DAMAGE("value-normal", "ID 6, cn=p3,ou=a,dc=x, sn: the values have no normal forms", normal_missing,
       without_normal(txn, 6, "sn");)
DAMAGE("value-normal", "value #0 has a normal form; the attribute's rule makes none", normal_surplus,
       put_number(txn, number_of(txn, "seeAlso"), "userPassword");)
DAMAGE("value-order", "telephoneNumber: value #1 is not above", value_order,
       struct record *entry = get_entry(txn, 6); change(entry, "55503", "77503"); change(entry, "66603", "55503");
       change(entry, "77503", "66603"); change(entry, "+1 555-03", "+1 777-03"); change(entry, "+1 666-03", "+1 555-03");
       change(entry, "+1 777-03", "+1 666-03"); put_entry(txn, 6, entry);)
DAMAGE("value-unsorted", "telephoneNumber: the values are not sorted", value_not_sorted,
       without_sorted(txn, 6, "telephoneNumber");)
DAMAGE("name-value", "ID 6, cn=p3,ou=a,dc=x, cn: the entry does not have the value \"p3\"", name_value,
       struct record *entry = get_entry(txn, 6); change(entry, "p3", "p4"); change(entry, "p3", "p4"); put_entry(txn, 6, entry);)
DAMAGE("name-value", "ID 5, cn=p2,ou=a,dc=x, cn: ", entries_swapped,
       struct record *five = get_entry(txn, 5); struct record *six = get_entry(txn, 6);
       put_entry(txn, 6, five); put_entry(txn, 5, six);)
DAMAGE("name-absent", "ID 6, cn=p3,ou=a,dc=x, cn: the entry does not have the attribute whose", name_absent,
       struct record *entry = get_entry(txn, 6); entry->words[attr_word(txn, entry, "cn")] ^= number_of(txn, "cn") ^ number_of(txn, "ou"); put_entry(txn, 6, entry);)
DAMAGE("csn-format", "contextCSN: \"20260101000000.000005Z#0000000000#000000\" is no", csn_format,
       struct record *entry = get_entry(txn, 1); change(entry, "5Z#000000#000", "5Z#0000000000");
       change(entry, "5Z#000000#000", "5Z#0000000000"); put_entry(txn, 1, entry);)
DAMAGE("context-csn", "is newer than 20260101000000.000005Z", context_newer,
       struct record *entry = get_entry(txn, 1); change(entry, "000005Z", "000009Z");
       change(entry, "000005Z", "000009Z"); put_entry(txn, 1, entry);)
DAMAGE("context-csn", "is older than 20260101000000.000005Z", context_csn,
       struct record *entry = get_entry(txn, 1); change(entry, "000005Z", "000003Z");
       change(entry, "000005Z", "000003Z"); put_entry(txn, 1, entry);)

/* ---- id2e: which there are ---- */

DAMAGE("name-entry", "ID 6, cn=p3,ou=a,dc=x: ", entry_missing,
       del_id(txn, "id2e", 6);)
DAMAGE("entry-id", "ID 4294967296: the ID is above 4294967295", entry_high,
       put_entry(txn, 1ull << 32, get_entry(txn, 6));)
DAMAGE("entry-node", "id2e, ID 77: ", entry_surplus,
       put_entry(txn, 77, get_entry(txn, 6));)
DAMAGE("entry-node", "id2e: ", entry_zero,
       put_entry(txn, 0, get_entry(txn, 6));)
DAMAGE("posting-surplus", "ID 6, cn=p3,ou=a,dc=x: ", entry_emptied,
       struct record *entry = get_entry(txn, 6); entry->len = 0; put_entry(txn, 6, entry);)

/* ---- dn2i ---- */

DAMAGE("name-self", "has none of its own", self_missing,
       del_name(txn, 6, self("cn=p3", 2));)
DAMAGE("name-self", "more than one record of its own", self_twice,
       put_name(txn, 6, self("cn=p33", 2));)
DAMAGE("name-parent", "ID 6, cn=p3,ou=b,dc=x: its parent is the node with ID 3", self_parent,
       del_name(txn, 6, self("cn=p3", 2)); put_name(txn, 6, self("cn=p3", 3));)
DAMAGE("name-parent", "does not have the node below it", child_missing,
       del_name(txn, 2, child("cn=p3", 6, 1));)
DAMAGE("name-twice", "ID 2 and 3", child_twice,
       put_name(txn, 3, child("cn=p3", 6, 1));)
DAMAGE("name-self", "a record below ID 3 names the node", child_surplus,
       put_name(txn, 3, child("cn=p99", 99, 1));)
DAMAGE("name-differs", "ID 6, ", child_renamed,
       del_name(txn, 2, child("cn=p3", 6, 1)); put_name(txn, 2, child("cn=q3", 6, 1));)
DAMAGE("name-differs", "ID 6, ", child_pretty,
       del_name(txn, 2, child("cn=p3", 6, 1)); put_name(txn, 2, child2("cn=p3", "CN=P3", 6, 1));)
DAMAGE("name-count", "ID 6, cn=p3,ou=a,dc=x: ", count_of_leaf,
       del_name(txn, 2, child("cn=p3", 6, 1)); put_name(txn, 2, child("cn=p3", 6, 2));)
DAMAGE("name-count", "ID 2, ou=a,dc=x: ", count_of_unit,
       del_name(txn, 1, child("ou=a", 2, 4)); put_name(txn, 1, child("ou=a", 2, 3));)
DAMAGE("name-count", "ID 1, dc=x: ", count_of_suffix,
       del_name(txn, 0, child("dc=x", 1, 9)); put_name(txn, 0, child("dc=x", 1, UINT64_MAX));)
DAMAGE("name-loop", "circle: 2, 6, 2", loop,
       del_name(txn, 2, self("ou=a", 1)); put_name(txn, 2, self("ou=a", 6));
       del_name(txn, 1, child("ou=a", 2, 4)); put_name(txn, 6, child("ou=a", 2, 4));)
DAMAGE("name-loop", "circle: 6, 6", loop_of_one,
       del_name(txn, 6, self("cn=p3", 2)); put_name(txn, 6, self("cn=p3", 6));)
DAMAGE("name-loop", "circle: 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, ..., 1000 ", long_loop,
       put_circle(txn, 1000, 30);)
DAMAGE("name-loop", "circle: 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1000 ", loop_of_ten,
       put_circle(txn, 1000, 10);)
DAMAGE("name-normal", "\"cn=p33,ou=a,dc=x\", not \"cn=p3,ou=a,dc=x\"", name_normal,
       del_name(txn, 6, self("cn=p3", 2)); put_name(txn, 6, self2("cn=p33", "cn=p3", 2));
       del_name(txn, 2, child("cn=p3", 6, 1)); put_name(txn, 2, child2("cn=p33", "cn=p3", 6, 1));)
DAMAGE("name-normal", "ID 6: the name is no DN that slapd accepts", name_too_long,
       put_long_chain(txn);
       del_name(txn, 6, self("cn=p3", 2)); put_name(txn, 6, self("cn=p3", 1000));)
DAMAGE("name-normal", "no DN that slapd accepts", name_no_dn,
       del_name(txn, 6, self("cn=p3", 2)); put_name(txn, 6, self2("cn=p3", "==p3", 2));
       del_name(txn, 2, child("cn=p3", 6, 1)); put_name(txn, 2, child2("cn=p3", "==p3", 6, 1));)
DAMAGE("name-suffix", "the topmost node is not the suffix, \"dc=x\"", name_suffix,
       del_name(txn, 1, self("dc=x", 0)); put_name(txn, 1, self("dc=y", 0));
       del_name(txn, 0, child("dc=x", 1, 9)); put_name(txn, 0, child("dc=y", 1, 9));)
DAMAGE("name-root", "the root has no record of its own", name_root,
       del_name(txn, 0, dummy());)
DAMAGE("name-root", "there is no root", name_no_root,
       del_id(txn, "dn2i", 0);)
DAMAGE("name-record", "ID 3, ou=b,dc=x: a record of 6 bytes", name_record,
       put_name(txn, 3, bytes("\x80\x01zzzz", 6));)
DAMAGE("name-record", "dn2i, ID 3, ou=b,dc=x: ", name_record_zero,
       put_name(txn, 3, child("cn=p99", 0, 1));)
DAMAGE("name-entry", "ID 99, cn=p99,ou=b,dc=x: ", node_surplus,
       put_name(txn, 3, child("cn=p99", 99, 1)); put_name(txn, 99, self("cn=p99", 3));)

/* ---- id2v ---- */

DAMAGE("split-missing", "ID 6, cn=p3,ou=a,dc=x, description: ", split_missing,
       del_values(txn, 6, "description");)
DAMAGE("split-few", "counts 3 values, id2v has 2", split_few,
       del_value(txn, 6, "description", "three");)
DAMAGE("split-count", "counts 3 values, id2v has 4", split_many,
       put_value(txn, 6, "description", "four", "four");)
DAMAGE("split-surplus", "there is no entry", split_without_entry,
       put_value(txn, 77, "description", "four", "four");)
DAMAGE("split-surplus", "sn: the entry keeps no values", split_without_attribute,
       put_value(txn, 6, "sn", "four", "four");)
DAMAGE("split-record", "ID 6, cn=p3,ou=a,dc=x, description: ", split_record,
       del_value(txn, 6, "description", "three"); put_raw_value(txn, 6, "description", bytes("thre", 4));)
DAMAGE("split-order", "ID 6, cn=p3,ou=a,dc=x, description: ", split_order,
       disorder_values(txn, 6, "description");)
DAMAGE("value-normal", "description: value #2", split_normal,
       del_value(txn, 6, "description", "three"); put_value(txn, 6, "description", "thrae", "three");)

/* ---- indexes ---- */

DAMAGE("posting-missing", "sn, ID 6, cn=p3,ou=a,dc=x: the entry has the key", posting_removed,
       del_posting(txn, "sn", key_of(txn, "sn", 6, 0), 6);)
DAMAGE("posting-missing", "cn, ID 4, cn=p1,ou=a,dc=x: the entry and 4 others", postings_removed,
       del_key(txn, "cn", presence());)
DAMAGE("posting-surplus", "sn, ID 2, ou=a,dc=x: the entry is in the list", posting_added,
       put_posting(txn, "sn", presence(), 2);)
DAMAGE("posting-surplus", "sn, ID 77: the entry is in the list", posting_of_nobody,
       put_posting(txn, "sn", presence(), 77);)
DAMAGE("posting-surplus", "cn, ID 7, ", posting_moved,
       struct dit_span key = key_of(txn, "cn", 6, 1); del_posting(txn, "cn", key, 6);
       put_posting(txn, "cn", key, 7);)
DAMAGE("posting-surplus", "key ffffffff", key_added,
       put_posting(txn, "sn", bytes("\xff\xff\xff\xff", 4), 6);)
DAMAGE("posting-surplus", "uidNumber, ID 6, cn=p3,ou=a,dc=x: ", stale_key,
       put_posting(txn, "uidNumber", bytes("\x80\x00\x00\x63", 4), 6);)
DAMAGE("posting-missing", "objectClass, ID 6, cn=p3,ou=a,dc=x: ", class_posting_removed,
       del_posting(txn, "objectClass", key_of(txn, "objectClass", 6, 0), 6);)
DAMAGE("posting-missing", "seeAlso, ID 6, ", hidden_posting_removed,
       del_posting(txn, "seeAlso", key_of(txn, "seeAlso", 6, 0), 6);)
DAMAGE("index-range", "whose range 5 to 8 leaves it out", range_narrow,
       make_range(txn, "cn", presence(), 5, 8);)
DAMAGE("index-range", "whose range 2 to 6 leaves it out", range_short,
       make_range(txn, "cn", presence(), 2, 6);)
DAMAGE("index-range", "has 2 numbers", range_of_two,
       del_key(txn, "cn", presence()); put_posting(txn, "cn", presence(), 0); put_posting(txn, "cn", presence(), 9);)
DAMAGE("index-range", "has 4 numbers", range_of_four,
       make_range(txn, "cn", presence(), 1, 9); put_posting(txn, "cn", presence(), 5);)
DAMAGE("index-missing", "seeAlso: ", index_dropped,
       drop(txn, "seeAlso", true);)
DAMAGE("posting-missing", "seeAlso, ID 4, ", index_emptied,
       drop(txn, "seeAlso", false);)
DAMAGE("index-keys", "seeAlso: the keys have 8 bytes", index_of_wide_keys,
       drop(txn, "seeAlso", false); put_posting(txn, "seeAlso", bytes("12345678", 8), 6);)
DAMAGE("index-unused", "title: ", index_unused,
       make_index(txn, "title"); put_posting(txn, "title", presence(), 6);)
DAMAGE("index-pending", "ixck: ", index_pending,
       make_pending(txn);)
