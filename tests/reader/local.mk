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
%C%_test_ad_names_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entry_reader_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_snapshot_pages_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_file_open
