# tests/export/local.mk
check_PROGRAMS += \
	%D%/test_export \
	%D%/test_export_text \
	%D%/test_export_url \
	$(NULL)
thread_tests += \
	%D%/test_export \
	$(NULL)
