# tests/place/local.mk
check_PROGRAMS += \
	%D%/test_files \
	%D%/test_lock_file \
	%D%/test_private_dir \
	%D%/test_lmdb_reader \
	%D%/test_reader_table \
	%D%/test_spare \
	%D%/test_strerror \
	$(NULL)
%C%_test_files_SOURCES = tests/output/store_fixture.h %D%/test_files.c
%C%_test_files_LDADD = $(test_libs)
%C%_test_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access -Wl,--wrap=mkdirat
%C%_test_private_dir_SOURCES = %D%/test_private_dir.c
%C%_test_private_dir_LDADD = $(test_libs)
%C%_test_private_dir_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock -Wl,--wrap=mkdtemp
%C%_test_lmdb_reader_SOURCES = tests/output/store_fixture.h %D%/test_lmdb_reader.c
%C%_test_lmdb_reader_LDADD = $(test_libs)
%C%_test_lock_file_SOURCES = tests/output/store_fixture.h %D%/test_lock_file.c
%C%_test_lock_file_LDADD = $(test_libs)
%C%_test_reader_table_SOURCES = tests/output/store_fixture.h %D%/test_reader_table.c
%C%_test_reader_table_LDADD = $(test_libs)
%C%_test_spare_SOURCES = %D%/test_spare.c
%C%_test_spare_LDADD = $(test_libs)
%C%_test_spare_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs
%C%_test_strerror_SOURCES = %D%/test_strerror.c
%C%_test_strerror_LDADD = $(test_libs)
