# tests/export/local.mk
check_PROGRAMS += \
	%D%/test_export \
	%D%/test_export_text \
	%D%/test_export_url \
	$(NULL)
%C%_test_export_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_export.c
%C%_test_export_LDADD = $(test_libs)
%C%_test_export_text_SOURCES = %D%/test_export_text.c
%C%_test_export_text_LDADD = $(test_libs)
%C%_test_export_url_SOURCES = %D%/test_export_url.c
%C%_test_export_url_LDADD = $(test_libs)
