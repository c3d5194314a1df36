# tests/locks/local.mk
check_PROGRAMS += \
	%D%/test_lmdb_reader \
	%D%/test_lock_file \
	%D%/test_mapped \
	%D%/test_private_dir \
	%D%/test_reader_table \
	$(NULL)
%C%_test_mapped_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nanosleep
%C%_test_private_dir_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock -Wl,--wrap=mkdtemp
thread_tests += \
	%D%/test_lmdb_reader \
	%D%/test_reader_table \
	$(NULL)
EXTRA_DIST += %D%/holder.h
