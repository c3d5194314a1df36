# tests/manuals/local.mk
script_tests += %D%/examples.sh %D%/lint.sh %D%/picture.sh %D%/programs.sh
long_scripts += %D%/sinks.sh
EXTRA_DIST += %D%/sinks.sh
EXTRA_DIST += %D%/examples.awk %D%/search_log.awk

# An example that programs.sh compiles against the installed library.
test_tools += %D%/load_watch
%C%_load_watch_SOURCES = doc/examples/load_watch.c
