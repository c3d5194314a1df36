# libraries/local.mk
pkgconfig_DATA += libraries/ditkit.pc
pkginclude_HEADERS += \
	%D%/base/before_open.h \
	%D%/base/error.h \
	%D%/base/openldap.h \
	%D%/base/path.h \
	%D%/base/progress.h \
	%D%/base/report.h \
	%D%/base/span.h \
	%D%/base/version.h \
	%D%/bulk/check.h \
	%D%/bulk/estimate.h \
	%D%/bulk/export.h \
	%D%/bulk/export_file.h \
	%D%/bulk/export_keeper.h \
	%D%/bulk/index_cost.h \
	%D%/bulk/load.h \
	%D%/bulk/reindex.h \
	%D%/bulk/scan.h \
	%D%/sort/sort.h \
	%D%/store/compare.h \
	%D%/store/entry_view.h \
	$(NULL)
