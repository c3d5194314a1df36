# libraries/local.mk
pkgconfig_DATA += libraries/ditkit.pc
pkginclude_HEADERS += \
	%D%/ground/base/before_open.h \
	%D%/ground/base/clock.h \
	%D%/ground/base/error.h \
	%D%/ground/base/openldap.h \
	%D%/ground/system/path.h \
	%D%/ground/base/progress.h \
	%D%/ground/base/report.h \
	%D%/ground/base/span.h \
	%D%/ground/base/version.h \
	%D%/verbs/check/check.h \
	%D%/verbs/estimate.h \
	%D%/verbs/diff/diff.h \
	%D%/verbs/export/export.h \
	%D%/ground/result/export_file.h \
	%D%/ground/system/keeper.h \
	%D%/work/indexing/index_cost.h \
	%D%/verbs/load/load.h \
	%D%/verbs/load/prepared.h \
	%D%/verbs/modify/modify.h \
	%D%/directory/output/prepared_state.h \
	%D%/verbs/reindex/reindex.h \
	%D%/verbs/split/split.h \
	%D%/work/scan/scan.h \
	%D%/ground/sort/sort.h \
	%D%/verbs/compare/compare.h \
	%D%/directory/codec/entry_view.h \
	$(NULL)
EXTRA_DIST += \
	%D%/directory/README.md \
	%D%/ground/README.md \
	%D%/ldap/README.md \
	%D%/lmdb/README.md \
	%D%/verbs/README.md \
	%D%/work/README.md \
	$(NULL)
