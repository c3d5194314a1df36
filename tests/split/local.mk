# tests/split/local.mk
check_PROGRAMS += %D%/test_split
thread_tests += \
	%D%/test_split \
	$(NULL)
