# tests/export/local.mk
check_PROGRAMS += \
	%D%/test_export \
	%D%/test_export_json \
	%D%/test_export_text \
	%D%/test_export_url \
	$(NULL)
%C%_test_export_json_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_export \
	$(NULL)
