# libraries/ground/ldif/local.mk
libditkit_a_SOURCES += \
	%D%/base64.c \
	%D%/base64.h \
	%D%/file_url.c \
	%D%/file_url.h \
	%D%/input_kind.c \
	%D%/input_kind.h \
	%D%/ldif_lines.c \
	%D%/ldif_lines.h \
	%D%/ldif_parse.c \
	%D%/ldif_parse.h \
	%D%/ldif_part.c \
	%D%/ldif_reader.c \
	%D%/ldif_reader.h \
	%D%/ldif_source.c \
	%D%/ldif_source.h \
	%D%/ldif_write.c \
	%D%/ldif_write.h \
	%D%/unpack.c \
	%D%/unpack.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
