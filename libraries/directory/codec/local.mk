# libraries/directory/codec/local.mk
libditkit_a_SOURCES += \
	%D%/attr_values.c \
	%D%/attr_values.h \
	%D%/entry_codec.c \
	%D%/entry_codec.h \
	%D%/entry_view.h \
	%D%/name_codec.c \
	%D%/name_codec.h \
	%D%/split_codec.c \
	%D%/split_codec.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
