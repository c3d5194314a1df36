# libraries/directory/reader/local.mk
libditkit_a_SOURCES += \
	%D%/ad_names.c \
	%D%/ad_names.h \
	%D%/dn_reader.c \
	%D%/dn_reader.h \
	%D%/entry_reader.c \
	%D%/entry_reader.h \
	%D%/snapshot.c \
	%D%/snapshot.h \
	%D%/stored_order.c \
	%D%/stored_order.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
