# tests/check/local.mk
check_PROGRAMS += \
	%D%/test_check \
	%D%/test_check_damage \
	%D%/test_check_findings \
	%D%/test_check_index \
	%D%/test_check_loops \
	%D%/test_check_sizes \
	%D%/test_check_snapshot \
	%D%/test_check_sums \
	%D%/test_check_tree_sums \
	%D%/test_check_use \
	%D%/test_one_bit \
	$(NULL)
%C%_test_check_SOURCES = \
	tests/load/load_fixture.c \
	tests/load/load_fixture.h \
	%D%/test_check.c \
	%D%/told_fixture.h \
	$(NULL)
%C%_test_check_LDADD = $(test_libs)
%C%_test_check_damage_SOURCES = \
	%D%/content_damages.h \
	%D%/content_records.h \
	tests/load/load_fixture.c \
	tests/load/load_fixture.h \
	%D%/test_check_damage.c \
	$(NULL)
%C%_test_check_damage_LDADD = $(test_libs)
%C%_test_check_index_SOURCES = tests/build/builders_fixture.h %D%/test_check_index.c
%C%_test_check_index_LDADD = $(test_libs)
%C%_test_check_loops_SOURCES = %D%/test_check_loops.c
%C%_test_check_loops_LDADD = $(test_libs)
%C%_test_check_loops_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_findings_SOURCES = %D%/test_check_findings.c
%C%_test_check_findings_LDADD = $(test_libs)
%C%_test_check_findings_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_sizes_SOURCES = %D%/test_check_sizes.c
%C%_test_check_sizes_LDADD = $(test_libs)
%C%_test_check_sizes_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_sums_SOURCES = tests/build/builders_fixture.h %D%/test_check_sums.c
%C%_test_check_sums_LDADD = $(test_libs)
%C%_test_check_sums_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_tree_sums_SOURCES = tests/codec/name_fixture.h %D%/test_check_tree_sums.c
%C%_test_check_tree_sums_LDADD = $(test_libs)
%C%_test_check_tree_sums_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_snapshot_SOURCES = \
	tests/load/load_fixture.c \
	tests/load/load_fixture.h \
	%D%/test_check_snapshot.c \
	%D%/told_fixture.h \
	$(NULL)
%C%_test_check_snapshot_LDADD = $(test_libs)
%C%_test_check_use_SOURCES = %D%/test_check_use.c
%C%_test_check_use_LDADD = $(test_libs)
%C%_test_check_use_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_one_bit_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_one_bit.c
%C%_test_one_bit_LDADD = $(test_libs)
