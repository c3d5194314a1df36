# tests/local.mk
# Unit tests are check_PROGRAMS and unit_scripts; scripts that need slapd or compare
# programs are script_tests. "make check-unit" runs the first kind alone (sanitizers).
if HAVE_CMOCKA
script_tests =
unit_scripts =
# As script_tests; those that take longest. "make -j" starts them first.
slow_scripts =
# Those of script_tests that do more where DIT_LONG is "yes".
long_scripts =
# Scripts that need the engines of "./bootstrap machines", for "make check-machines".
machine_scripts =
# Unit tests that start threads, for the thread sanitizer: in "make check-threads" some of each
# kind of thread, in "make check-long-unit" those that take long, or do more where DIT_LONG is
# "yes". "make check-unit" leaves out the plain ones.
thread_tests =
long_units =
plain_units =

# For programs that include nomem.h.
nomem_flags = \
	-Wl,--wrap=malloc \
	-Wl,--wrap=calloc \
	-Wl,--wrap=realloc \
	-Wl,--wrap=reallocarray \
	-Wl,--wrap=strdup \
	-Wl,--wrap=dit_slab_get \
	-Wl,--wrap=dit_slab_grow

# For programs with an output of records of their own (indexing/fake_output.h).
record_output_wraps = \
	-Wl,--wrap=dit_output_entry_writer \
	-Wl,--wrap=dit_output_find_ad \
	-Wl,--wrap=dit_output_find_child \
	-Wl,--wrap=dit_output_find_entry \
	-Wl,--wrap=dit_output_find_name \
	-Wl,--wrap=dit_output_finish \
	-Wl,--wrap=dit_output_put_ad \
	-Wl,--wrap=dit_output_put_entry_pieces \
	-Wl,--wrap=dit_output_put_name \
	-Wl,--wrap=dit_output_put_split \
	-Wl,--wrap=dit_output_replace_entry \
	-Wl,--wrap=dit_output_reserve_entry
# And with a writer of its entries.
entry_writer_wraps = $(record_output_wraps) \
	-Wl,--wrap=dit_table_writer_hold \
	-Wl,--wrap=dit_table_writer_mark \
	-Wl,--wrap=dit_table_writer_release

# Programs that tests run. "make check" makes them.
test_tools =
EXTRA_PROGRAMS += $(test_tools)
check_DATA += $(test_tools)

# Every test program may use the fixtures and each object of the library and of servers/cli;
# its source is the file of its name.
check_LIBRARIES += tests/libfixtures.a
tests_libfixtures_a_SOURCES = %D%/test_main.c
test_libs = tests/libfixtures.a $(cli_libs) $(cmocka_LIBS)
LDADD = $(test_libs)

include tests/base/local.mk
include tests/bench/local.mk
include tests/check/local.mk
include tests/cli/local.mk
include tests/codec/local.mk
include tests/commit/local.mk
include tests/compare/local.mk
include tests/config/local.mk
include tests/diff/local.mk
include tests/entry/local.mk
include tests/export/local.mk
include tests/faults/local.mk
include tests/files/local.mk
include tests/filter/local.mk
include tests/fuzz/local.mk
include tests/golden/local.mk
include tests/index/local.mk
include tests/indexing/local.mk
include tests/job/local.mk
include tests/ldif/local.mk
include tests/load/local.mk
include tests/locks/local.mk
include tests/machines/local.mk
include tests/manuals/local.mk
include tests/modify/local.mk
include tests/oracle/local.mk
include tests/output/local.mk
include tests/overlays/local.mk
include tests/packaging/local.mk
include tests/page/local.mk
include tests/pipeline/local.mk
include tests/reader/local.mk
include tests/reindex/local.mk
include tests/result/local.mk
include tests/scan/local.mk
include tests/schema/local.mk
include tests/sort/local.mk
include tests/split/local.mk
include tests/system/local.mk
include tests/tree/local.mk
include tests/values/local.mk
include tests/walk/local.mk

AM_CPPFLAGS += -I$(top_srcdir)/tests $(cmocka_CFLAGS)
script_tests += \
	%D%/bootstrap.sh \
	%D%/citations.sh \
	%D%/format.sh \
	%D%/hardening.sh \
	%D%/headers.sh \
	%D%/platform.sh \
	%D%/rooms.sh \
	%D%/symbols.sh \
	$(NULL)
# In the order in which they are started. Each can run next to any other: it has a directory
# of its own in TMPDIR, listens on no port, and measures no speed.
unit_tests = $(unit_scripts) $(check_PROGRAMS)
# Without a sanitizer the fuzz targets have little to show: unit_scripts are in "check-unit" alone.
TESTS = $(slow_scripts) $(script_tests) $(check_PROGRAMS)
EXTRA_DIST += $(unit_scripts) $(script_tests) $(slow_scripts)

# Tests that call make are not part of the make that runs them.
AM_TESTS_ENVIRONMENT = \
	unset MAKEFLAGS MFLAGS MAKELEVEL; \
	DIT_SRCDIR='$(abs_top_srcdir)'; export DIT_SRCDIR; \
	DIT_BUILDDIR='$(abs_top_builddir)'; export DIT_BUILDDIR; \
	DIT_TEST_DATA='$(abs_top_srcdir)/tests/data'; export DIT_TEST_DATA; \
	DITADD='$(abs_top_builddir)/ditadd'; export DITADD; \
	DITCAT='$(abs_top_builddir)/ditcat'; export DITCAT; \
	DITCHECK='$(abs_top_builddir)/ditcheck'; export DITCHECK; \
	DITINDEX='$(abs_top_builddir)/ditindex'; export DITINDEX; \
	DITDIFF='$(abs_top_builddir)/ditdiff'; export DITDIFF; \
	DITMODIFY='$(abs_top_builddir)/ditmodify'; export DITMODIFY; \
	DITSPLIT='$(abs_top_builddir)/ditsplit'; export DITSPLIT; \
	OPENLDAP27='$(openldap27)'; export OPENLDAP27; \
	DITGEN='$(abs_top_builddir)/tests/bench/ditgen'; export DITGEN; \
	REPLAY='$(abs_top_builddir)/tests/faults/replay'; export REPLAY; \
	BROKENGEN='$(abs_top_builddir)/tests/oracle/brokengen'; export BROKENGEN; \
	HARDENING='$(hardening)'; export HARDENING; \
	HOSTILE='$(abs_top_builddir)/tests/cli/hostile'; export HOSTILE; \
	NOSYNC='$(abs_top_builddir)/tests/oracle/nosync.so'; export NOSYNC; \
	RANDCHANGES='$(abs_top_builddir)/tests/oracle/random/randchanges'; export RANDCHANGES; \
	RANDDIT='$(abs_top_builddir)/tests/oracle/random/randdit'; export RANDDIT; \
	SPOIL='$(abs_top_builddir)/tests/oracle/spoil'; export SPOIL; \
	TORTURE='$(abs_top_builddir)/tests/oracle/torture/torture'; export TORTURE; \
	VALGEN='$(abs_top_builddir)/tests/oracle/valgen'; export VALGEN; \
	CC='$(CC)'; export CC; \
	ASAN_OPTIONS='allocator_may_return_null=1'; export ASAN_OPTIONS; \
	TSAN_OPTIONS='allocator_may_return_null=1'; export TSAN_OPTIONS; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; \
	export LSAN_OPTIONS;

.PHONY: check-unit check-threads cppcheck tidy
.PHONY: build-unit build-threads
build-unit: $(BUILT_SOURCES) $(check_PROGRAMS) $(fuzz_targets)
build-threads: $(BUILT_SOURCES) $(thread_tests)
check-unit: build-unit
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(filter-out $(plain_units),$(unit_tests))'
check-threads: build-threads
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(thread_tests)'

# The same scripts with thousands of cases and large directories: an hour or more.
.PHONY: check-long
check-long: $(BUILT_SOURCES) $(check_DATA)
	DIT_LONG=yes $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(long_scripts)'

# Unit tests of thousands of rounds, for a build with the thread sanitizer.
.PHONY: check-long-unit
check-long-unit: $(BUILT_SOURCES) $(long_units) $(fuzz_targets)
	DIT_LONG=yes $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(long_units)'

# Loads on many machines, with the engines; as root.
.PHONY: check-machines
check-machines: $(BUILT_SOURCES) $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(machine_scripts)'

# The programs of each suite, as the names of their logs: for tests/tally.sh.
.PHONY: list-check list-check-unit list-check-threads list-check-long list-check-long-unit \
	list-check-machines
list-check:
	@echo $(TEST_LOGS)
list-check-unit:
	@$(MAKE) -s list-check TESTS='$(filter-out $(plain_units),$(unit_tests))'
list-check-threads:
	@$(MAKE) -s list-check TESTS='$(thread_tests)'
list-check-long:
	@$(MAKE) -s list-check TESTS='$(long_scripts)'
list-check-long-unit:
	@$(MAKE) -s list-check TESTS='$(long_units)'
list-check-machines:
	@$(MAKE) -s list-check TESTS='$(machine_scripts)'
else !HAVE_CMOCKA
.PHONY: check-unit check-threads check-long cppcheck list-check list-check-unit list-check-long tidy
check-local check-unit check-threads check-long list-check list-check-unit list-check-long:
	@echo 'There are no tests without cmocka: install it (Debian: libcmocka-dev), then' \
		'run configure again.' >&2; exit 1
endif !HAVE_CMOCKA

# clang-tidy over libraries and servers; minutes. "make tidy FILES=libraries/ground/base/stop.c"
# looks at that file alone. All files get the flags of config and of ditadd.
tidy: $(BUILT_SOURCES)
	@DIT_SRCDIR='$(abs_top_srcdir)' bash $(srcdir)/tests/tidy.sh -std=gnu11 $(DEFS) \
		$(AM_CPPFLAGS) $(ditadd_CPPFLAGS) $(CPPFLAGS) \
		-- $(FILES)

# cppcheck over the same files; minutes. FILES as above.
cppcheck: $(BUILT_SOURCES)
	@DIT_SRCDIR='$(abs_top_srcdir)' bash $(srcdir)/tests/cppcheck.sh \
		$(AM_CPPFLAGS) -I$(abs_top_srcdir)/servers/cli \
		-D_GNU_SOURCE -DDIT_PUBLIC= -- $(FILES)

EXTRA_DIST += %D%/README.md %D%/checks_lib.sh %D%/coverage.sh %D%/cppcheck.sh %D%/cppcheck.supp %D%/installed.sh %D%/lmdb_test.h %D%/lsan.supp %D%/nomem.h %D%/posting_changes.h %D%/schema_test.h %D%/tally.sh %D%/test.h %D%/tidy.sh %D%/timed.sh
EXTRA_DIST += %D%/roots/other-openldap.sh
