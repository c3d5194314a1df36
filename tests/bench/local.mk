# tests/bench/local.mk
noinst_PROGRAMS += \
	%D%/bench_records \
	%D%/bench_scan \
	%D%/bench_sort \
	%D%/ditgen \
	%D%/measure \
	$(NULL)
%C%_bench_records_SOURCES = \
	%D%/bench_records.c \
	%D%/bench_util.h \
	$(NULL)
%C%_bench_records_LDADD = $(test_libs)
%C%_bench_scan_SOURCES = \
	%D%/bench_scan.c \
	%D%/bench_util.h \
	$(NULL)
%C%_bench_scan_LDADD = $(test_libs)
%C%_bench_sort_SOURCES = \
	%D%/bench_sort.c \
	%D%/bench_util.h \
	$(NULL)
%C%_bench_sort_LDADD = $(test_libs)
%C%_ditgen_SOURCES = %D%/ditgen.c
%C%_measure_SOURCES = %D%/measure.c
slow_scripts += %D%/syscalls.sh
EXTRA_DIST += \
	%D%/README.md \
	%D%/bench.sh \
	%D%/bench_lib.sh \
	%D%/bench_report.awk \
	%D%/bundle.sh \
	%D%/export.sh \
	%D%/figures.sh \
	%D%/figures_report.awk \
	%D%/index.sh \
	%D%/bundle_run.sh \
	%D%/ladder.sh \
	%D%/long.sh \
	%D%/merge.sh \
	%D%/long_report.awk \
	%D%/move.sh \
	$(NULL)

# The benchmark with all it needs, for a machine that has nothing of it.
.PHONY: bench-bundle
bench-bundle: ditadd$(EXEEXT) tests/bench/ditgen$(EXEEXT) tests/bench/measure$(EXEEXT) \
		ditcheck$(EXEEXT)
	bash $(srcdir)/%D%/bundle.sh ditkit-bench.tar.gz
CLEANFILES += ditkit-bench.tar.gz
