# tests/walk/local.mk
check_PROGRAMS += \
	%D%/test_walk \
	%D%/test_walk_damage \
	$(NULL)
tests_libfixtures_a_SOURCES += %D%/walk_fixture.c %D%/walk_fixture.h
EXTRA_DIST += \
	%D%/walk_damages.h \
	$(NULL)
thread_tests += \
	%D%/test_walk \
	%D%/test_walk_damage \
	$(NULL)
