# libraries/local.mk
pkgconfig_DATA += libraries/ditkit.pc
pkginclude_HEADERS += \
	%D%/ground/base/before_open.h \
	%D%/ground/base/error.h \
	%D%/ground/base/openldap.h \
	%D%/ground/base/path.h \
	%D%/ground/base/progress.h \
	%D%/ground/base/report.h \
	%D%/ground/base/span.h \
	%D%/ground/base/version.h \
	%D%/bulk/check.h \
	%D%/bulk/estimate.h \
	%D%/bulk/export.h \
	%D%/bulk/export_file.h \
	%D%/bulk/export_keeper.h \
	%D%/bulk/index_cost.h \
	%D%/bulk/load.h \
	%D%/bulk/reindex.h \
	%D%/bulk/scan.h \
	%D%/ground/sort/sort.h \
	%D%/verbs/compare/compare.h \
	%D%/directory/codec/entry_view.h \
	$(NULL)
