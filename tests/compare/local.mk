# tests/compare/local.mk
check_PROGRAMS += \
	%D%/test_compare \
	%D%/test_compare_pairs \
	$(NULL)
thread_tests += \
	%D%/test_compare \
	%D%/test_compare_pairs \
	$(NULL)
