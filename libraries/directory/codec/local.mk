# libraries/directory/codec/local.mk
noinst_LTLIBRARIES += %D%/libcodec.la
rooms += %D%/libcodec.la
%C%_libcodec_la_SOURCES = \
	%D%/entry_codec.c \
	%D%/entry_codec.h \
	%D%/entry_view.h \
	%D%/name_codec.c \
	%D%/name_codec.h \
	%D%/split_codec.c \
	%D%/split_codec.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
