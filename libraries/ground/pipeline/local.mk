# libraries/ground/pipeline/local.mk
libditkit_a_SOURCES += \
	%D%/pipeline.c \
	%D%/pipeline.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
