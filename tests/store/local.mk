# tests/store/local.mk
check_PROGRAMS += \
	%D%/test_ad_names \
	%D%/test_append \
	%D%/test_compare \
	%D%/test_compare_across \
	%D%/test_dn_reader \
	%D%/test_entry_codec \
	%D%/test_entry_edit \
	%D%/test_entry_reader \
	%D%/test_existing \
	%D%/test_existing_full \
	%D%/test_files \
	%D%/test_id_ranges \
	%D%/test_list_merge \
	%D%/test_lock_file \
	%D%/test_name_codec \
	%D%/test_grown_table \
	%D%/test_index_output \
	%D%/test_online \
	%D%/test_online_rounds \
	%D%/test_output \
	%D%/test_private_dir \
	%D%/test_publication \
	%D%/test_publish \
	%D%/test_readers \
	%D%/test_rebuilt_output \
	%D%/test_snapshot \
	%D%/test_snapshot_pages \
	%D%/test_spare \
	%D%/test_split_codec \
	%D%/test_staging \
	%D%/test_staging_own \
	%D%/test_staging_split \
	%D%/test_store \
	%D%/test_stored_lists \
	%D%/test_stored_order \
	%D%/test_strerror \
	%D%/test_table \
	%D%/test_table_changes \
	$(NULL)
%C%_test_ad_names_SOURCES = %D%/store_fixture.h %D%/test_ad_names.c
%C%_test_ad_names_LDADD = $(test_libs)
%C%_test_ad_names_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entry_reader_SOURCES = %D%/store_fixture.h %D%/test_entry_reader.c
%C%_test_entry_reader_LDADD = $(test_libs)
%C%_test_entry_reader_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_append_SOURCES = %D%/store_fixture.h %D%/test_append.c
%C%_test_append_LDADD = $(test_libs)
%C%_test_append_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read
%C%_test_compare_SOURCES = %D%/store_fixture.h %D%/test_compare.c
%C%_test_compare_LDADD = $(test_libs)
%C%_test_compare_across_SOURCES = %D%/store_fixture.h %D%/test_compare_across.c
%C%_test_compare_across_LDADD = $(test_libs)
%C%_test_dn_reader_SOURCES = %D%/store_fixture.h %D%/test_dn_reader.c
%C%_test_dn_reader_LDADD = $(test_libs)
%C%_test_entry_codec_SOURCES = %D%/test_entry_codec.c
%C%_test_entry_codec_LDADD = $(test_libs)
%C%_test_entry_edit_SOURCES = %D%/test_entry_edit.c
%C%_test_entry_edit_LDADD = $(test_libs)
%C%_test_existing_SOURCES = %D%/store_fixture.h %D%/test_existing.c
%C%_test_existing_LDADD = $(test_libs)
%C%_test_existing_full_SOURCES = %D%/store_fixture.h %D%/test_existing_full.c
%C%_test_existing_full_LDADD = $(test_libs)
%C%_test_files_SOURCES = %D%/store_fixture.h %D%/test_files.c
%C%_test_files_LDADD = $(test_libs)
%C%_test_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access -Wl,--wrap=mkdirat
%C%_test_id_ranges_SOURCES = %D%/store_fixture.h %D%/test_id_ranges.c
%C%_test_id_ranges_LDADD = $(test_libs)
%C%_test_name_codec_SOURCES = %D%/test_name_codec.c
%C%_test_name_codec_LDADD = $(test_libs)
%C%_test_index_output_SOURCES = %D%/store_fixture.h %D%/test_index_output.c
%C%_test_index_output_LDADD = $(test_libs)
%C%_test_online_SOURCES = %D%/online_fixture.h %D%/store_fixture.h %D%/test_online.c
%C%_test_online_LDADD = $(test_libs)
%C%_test_online_rounds_SOURCES = %D%/online_fixture.h %D%/store_fixture.h \
	%D%/test_online_rounds.c
%C%_test_online_rounds_LDADD = $(test_libs)
%C%_test_online_rounds_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fdatasync \
	-Wl,--wrap=mdb_txn_renew
%C%_test_list_merge_SOURCES = %D%/test_list_merge.c
%C%_test_list_merge_LDADD = $(test_libs)
%C%_test_stored_lists_SOURCES = %D%/test_stored_lists.c
%C%_test_stored_lists_LDADD = $(test_libs)
%C%_test_grown_table_SOURCES = %D%/store_fixture.h %D%/test_grown_table.c
%C%_test_grown_table_LDADD = $(test_libs)
%C%_test_output_SOURCES = %D%/store_fixture.h %D%/test_output.c
%C%_test_output_LDADD = $(test_libs)
%C%_test_private_dir_SOURCES = %D%/test_private_dir.c
%C%_test_private_dir_LDADD = $(test_libs)
%C%_test_private_dir_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock -Wl,--wrap=mkdtemp
%C%_test_publication_SOURCES = %D%/test_publication.c
%C%_test_publication_LDADD = $(test_libs)
%C%_test_publish_SOURCES = %D%/store_fixture.h %D%/test_publish.c
%C%_test_publish_LDADD = $(test_libs)
%C%_test_publish_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
%C%_test_readers_SOURCES = %D%/store_fixture.h %D%/test_readers.c
%C%_test_readers_LDADD = $(test_libs)
%C%_test_lock_file_SOURCES = %D%/store_fixture.h %D%/test_lock_file.c
%C%_test_lock_file_LDADD = $(test_libs)
%C%_test_rebuilt_output_SOURCES = %D%/store_fixture.h %D%/test_rebuilt_output.c
%C%_test_rebuilt_output_LDADD = $(test_libs)
%C%_test_rebuilt_output_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatvfs
%C%_test_snapshot_SOURCES = %D%/store_fixture.h %D%/test_snapshot.c
%C%_test_snapshot_LDADD = $(test_libs)
%C%_test_snapshot_pages_SOURCES = %D%/store_fixture.h %D%/test_snapshot_pages.c
%C%_test_snapshot_pages_LDADD = $(test_libs)
%C%_test_snapshot_pages_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_file_open
%C%_test_spare_SOURCES = %D%/test_spare.c
%C%_test_spare_LDADD = $(test_libs)
%C%_test_spare_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs
%C%_test_split_codec_SOURCES = %D%/test_split_codec.c
%C%_test_split_codec_LDADD = $(test_libs)
%C%_test_staging_SOURCES = %D%/store_fixture.h %D%/test_staging.c
%C%_test_staging_LDADD = $(test_libs)
%C%_test_staging_own_SOURCES = \
	%D%/test_staging_own.c \
	tests/page/page_dump.c \
	tests/page/page_dump.h \
	$(NULL)
%C%_test_staging_own_LDADD = $(test_libs)
%C%_test_staging_split_SOURCES = %D%/store_fixture.h %D%/test_staging_split.c
%C%_test_staging_split_LDADD = $(test_libs)
%C%_test_store_SOURCES = %D%/store_fixture.h %D%/test_store.c
%C%_test_store_LDADD = $(test_libs)
%C%_test_stored_order_SOURCES = %D%/test_stored_order.c
%C%_test_stored_order_LDADD = $(test_libs)
%C%_test_strerror_SOURCES = %D%/test_strerror.c
%C%_test_strerror_LDADD = $(test_libs)
%C%_test_table_changes_SOURCES = %D%/store_fixture.h %D%/table_fixture.h \
	%D%/test_table_changes.c
%C%_test_table_changes_LDADD = $(test_libs)
%C%_test_table_SOURCES = %D%/table_fixture.h %D%/store_fixture.h %D%/test_table.c
%C%_test_table_LDADD = $(test_libs)
