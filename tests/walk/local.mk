# tests/walk/local.mk
check_PROGRAMS += \
	%D%/test_walk \
	%D%/test_walk_damage \
	$(NULL)
%C%_test_walk_SOURCES = %D%/test_walk.c %D%/walk_fixture.c %D%/walk_fixture.h
%C%_test_walk_LDADD = $(test_libs)
%C%_test_walk_damage_SOURCES = \
	%D%/test_walk_damage.c \
	%D%/walk_damages.h \
	%D%/walk_fixture.c \
	%D%/walk_fixture.h \
	$(NULL)
%C%_test_walk_damage_LDADD = $(test_libs)
