# tests/modify/local.mk
check_PROGRAMS += \
	%D%/test_modify \
	%D%/test_modify_nomem \
	%D%/test_modify_run \
	%D%/test_modify_tree \
	%D%/test_modify_values \
	$(NULL)
tests_libfixtures_a_SOURCES += %D%/modify_fixture.c %D%/modify_fixture.h
# In modify_fixture.c.
no_syncs = -Wl,--wrap=fsync -Wl,--wrap=fdatasync
%C%_test_modify_LDFLAGS = $(AM_LDFLAGS) $(no_syncs)
%C%_test_modify_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) $(no_syncs)
%C%_test_modify_run_LDFLAGS = $(AM_LDFLAGS) $(no_syncs)
%C%_test_modify_tree_LDFLAGS = $(AM_LDFLAGS) $(no_syncs)
%C%_test_modify_values_LDFLAGS = $(AM_LDFLAGS) $(no_syncs)
thread_tests += \
	%D%/test_modify_run \
	$(NULL)
long_units += \
	%D%/test_modify_nomem \
	%D%/test_modify_tree \
	$(NULL)
