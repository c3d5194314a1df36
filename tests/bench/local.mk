# tests/bench/local.mk
noinst_PROGRAMS += \
	%D%/bench_sort \
	%D%/ditgen \
	%D%/measure \
	$(NULL)
%C%_bench_sort_SOURCES = %D%/bench_sort.c
%C%_bench_sort_LDADD = $(test_libs)
%C%_ditgen_SOURCES = %D%/ditgen.c
%C%_measure_SOURCES = %D%/measure.c
EXTRA_DIST += %D%/bench.sh
