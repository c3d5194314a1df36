# tests/tree/local.mk
check_PROGRAMS += \
	%D%/test_page_writer \
	%D%/test_table_edit \
	$(NULL)
%C%_test_page_writer_SOURCES = %D%/test_page_writer.c
%C%_test_page_writer_LDADD = $(test_libs)
%C%_test_page_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=openat \
	-Wl,--wrap=__openat_2 \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pwrite
%C%_test_table_edit_SOURCES = %D%/test_table_edit.c
%C%_test_table_edit_LDADD = $(test_libs)
