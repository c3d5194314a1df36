# tests/bench/local.mk
test_tools += \
	%D%/bench_records \
	%D%/bench_scan \
	%D%/bench_sort \
	%D%/ditgen \
	%D%/measure \
	$(NULL)
%C%_ditgen_LDADD =
%C%_measure_LDADD =
slow_scripts += %D%/syscalls.sh
EXTRA_DIST += \
	%D%/README.md \
	%D%/bench.sh \
	%D%/bench_lib.sh \
	%D%/bench_report.awk \
	%D%/bench_util.h \
	%D%/bundle.sh \
	%D%/bundle_run.sh \
	%D%/export.sh \
	%D%/figures.sh \
	%D%/figures_report.awk \
	%D%/index.sh \
	%D%/ladder.sh \
	%D%/long.sh \
	%D%/long_report.awk \
	%D%/merge.sh \
	%D%/move.sh \
	$(NULL)

# The benchmark with all it needs, for a machine that has nothing of it.
.PHONY: bench-bundle
bench-bundle: ditadd$(EXEEXT) tests/bench/ditgen$(EXEEXT) tests/bench/measure$(EXEEXT) \
		ditcheck$(EXEEXT)
	bash $(srcdir)/%D%/bundle.sh ditkit-bench.tar.gz
CLEANFILES += ditkit-bench.tar.gz
