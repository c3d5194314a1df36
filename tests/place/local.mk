# tests/place/local.mk
check_PROGRAMS += \
	%D%/test_files \
	%D%/test_lock_file \
	%D%/test_mapped \
	%D%/test_private_dir \
	%D%/test_lmdb_reader \
	%D%/test_reader_table \
	%D%/test_spare \
	%D%/test_strerror \
	$(NULL)
%C%_test_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access -Wl,--wrap=mkdirat
%C%_test_mapped_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=nanosleep
%C%_test_private_dir_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock -Wl,--wrap=mkdtemp
%C%_test_spare_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs
thread_tests += \
	%D%/test_lmdb_reader \
	%D%/test_reader_table \
	$(NULL)
EXTRA_DIST += %D%/holder.h
