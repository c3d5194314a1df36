# tests/modify/local.mk
check_PROGRAMS += \
	%D%/test_modify \
	%D%/test_modify_nomem \
	%D%/test_modify_run \
	%D%/test_modify_tree \
	$(NULL)
tests_libfixtures_a_SOURCES += %D%/modify_fixture.c %D%/modify_fixture.h
%C%_test_modify_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_modify_run \
	$(NULL)
long_units += \
	%D%/test_modify_nomem \
	%D%/test_modify_tree \
	$(NULL)
