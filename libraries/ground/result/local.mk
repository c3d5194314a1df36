# libraries/ground/result/local.mk
noinst_LTLIBRARIES += %D%/libresult.la
rooms += %D%/libresult.la
%C%_libresult_la_SOURCES = \
	%D%/export_file.c \
	%D%/export_file.h \
	%D%/export_keeper.c \
	%D%/export_keeper.h \
	%D%/export_pack.c \
	%D%/export_pack.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
