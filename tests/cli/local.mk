# tests/cli/local.mk
script_tests += %D%/run.sh
EXTRA_DIST += %D%/ditadd
