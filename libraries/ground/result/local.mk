# libraries/ground/result/local.mk
libditkit_a_SOURCES += \
	%D%/export_file.c \
	%D%/export_file.h \
	%D%/export_pack.c \
	%D%/export_pack.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
