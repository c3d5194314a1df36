# tests/reader/local.mk
check_PROGRAMS += \
	%D%/test_ad_names \
	%D%/test_dn_reader \
	%D%/test_entry_reader \
	%D%/test_id_ranges \
	%D%/test_snapshot \
	%D%/test_snapshot_pages \
	%D%/test_stored_order \
	$(NULL)
%C%_test_ad_names_SOURCES = tests/output/store_fixture.h %D%/test_ad_names.c
%C%_test_ad_names_LDADD = $(test_libs)
%C%_test_ad_names_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entry_reader_SOURCES = tests/output/store_fixture.h %D%/test_entry_reader.c
%C%_test_entry_reader_LDADD = $(test_libs)
%C%_test_entry_reader_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_dn_reader_SOURCES = tests/output/store_fixture.h %D%/test_dn_reader.c
%C%_test_dn_reader_LDADD = $(test_libs)
%C%_test_id_ranges_SOURCES = tests/output/store_fixture.h %D%/test_id_ranges.c
%C%_test_id_ranges_LDADD = $(test_libs)
%C%_test_snapshot_SOURCES = tests/output/store_fixture.h %D%/test_snapshot.c
%C%_test_snapshot_LDADD = $(test_libs)
%C%_test_snapshot_pages_SOURCES = tests/output/store_fixture.h %D%/test_snapshot_pages.c
%C%_test_snapshot_pages_LDADD = $(test_libs)
%C%_test_snapshot_pages_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_file_open
%C%_test_stored_order_SOURCES = %D%/test_stored_order.c
%C%_test_stored_order_LDADD = $(test_libs)
