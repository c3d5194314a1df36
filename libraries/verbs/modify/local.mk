# libraries/verbs/modify/local.mk
libditkit_a_SOURCES += \
	%D%/modify.h \
	%D%/modify_apply.c \
	%D%/modify_entry.c \
	%D%/modify_impl.h \
	%D%/modify_kept.c \
	%D%/modify_memberof.c \
	%D%/modify_record.c \
	%D%/modify_run.c \
	%D%/modify_state.c \
	%D%/modify_tree.c \
	%D%/modify_values.c \
	%D%/modify_write.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
