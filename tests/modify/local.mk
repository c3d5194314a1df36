# tests/modify/local.mk
check_PROGRAMS += \
	%D%/test_modify \
	%D%/test_modify_tree \
	$(NULL)
tests_libfixtures_a_SOURCES += %D%/modify_fixture.c %D%/modify_fixture.h
