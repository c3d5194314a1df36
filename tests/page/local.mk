# tests/page/local.mk
check_PROGRAMS += \
	%D%/test_lmdb_10 \
	%D%/test_page_format \
	%D%/test_page_seal \
	%D%/test_page_source \
	%D%/test_tree_cursor \
	%D%/test_tree_visit \
	$(NULL)
tests_libfixtures_a_SOURCES += %D%/page_dump.c %D%/page_dump.h
