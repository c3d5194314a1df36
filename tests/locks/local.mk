# tests/locks/local.mk
check_PROGRAMS += \
	%D%/test_lmdb_reader \
	%D%/test_lock_file \
	%D%/test_mapped \
	%D%/test_reader_table \
	%D%/test_spare \
	$(NULL)
%C%_test_spare_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs
%C%_test_reader_table_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read \
	-Wl,--wrap=dit_file_open
%C%_test_mapped_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nanosleep
thread_tests += \
	%D%/test_lmdb_reader \
	%D%/test_reader_table \
	$(NULL)
EXTRA_DIST += %D%/holder.h
