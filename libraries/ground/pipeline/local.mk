# libraries/ground/pipeline/local.mk
noinst_LTLIBRARIES += %D%/libpipeline.la
rooms += %D%/libpipeline.la
%C%_libpipeline_la_SOURCES = \
	%D%/pipeline.c \
	%D%/pipeline.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
