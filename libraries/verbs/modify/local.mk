# libraries/verbs/modify/local.mk
libditkit_a_SOURCES += \
	%D%/modify.h \
	%D%/modify_run.c \
	$(NULL)
