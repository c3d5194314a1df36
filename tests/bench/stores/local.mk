# tests/bench/stores/local.mk
# LMDB beside RocksDB and LevelDB. Built and run by targets of its own; nothing of ditkit is
# linked with them.
EXTRA_DIST += %D%/stores.sh %D%/stores_smoke.sh

if HAVE_STORES
EXTRA_PROGRAMS += %D%/bench_stores
CLEANFILES += %D%/bench_stores$(EXEEXT)
%C%_bench_stores_SOURCES = \
	%D%/bench_stores.c \
	%D%/store_leveldb.c \
	%D%/store_lmdb.c \
	%D%/store_rocksdb.c \
	%D%/stores.h \
	%D%/stores_input.c \
	$(NULL)
%C%_bench_stores_CPPFLAGS = -D_GNU_SOURCE $(lmdb_CFLAGS) $(rocksdb_CFLAGS)
%C%_bench_stores_LDADD = $(lmdb_LIBS) $(rocksdb_LIBS) $(leveldb_LIBS)
bench_stores_program = %D%/bench_stores$(EXEEXT)
else
bench_stores_program = no-bench-stores

no-bench-stores:
	@echo "RocksDB and LevelDB are not installed (Debian: librocksdb-dev, libleveldb-dev)" >&2
	@exit 1
endif

.PHONY: bench-stores check-stores
bench-stores: $(bench_stores_program) ditadd$(EXEEXT) tests/bench/ditgen$(EXEEXT) \
		tests/bench/measure$(EXEEXT)
check-stores: bench-stores
	$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/%D%/stores_smoke.sh
