# libraries/verbs/export/local.mk
libditkit_a_SOURCES += \
	%D%/export.h \
	%D%/export_json.c \
	%D%/export_run.c \
	%D%/export_text.c \
	%D%/export_text.h \
	%D%/export_url.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
