# tests/pages/local.mk
check_PROGRAMS += %D%/test_page_writer
%C%_test_page_writer_SOURCES = %D%/test_page_writer.c
%C%_test_page_writer_LDADD = $(test_libs)
%C%_test_page_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=openat \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pwrite
