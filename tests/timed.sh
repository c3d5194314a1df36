#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run a test for make. The last line of its log says how long it took, for tally.sh:
#
#   SECONDS: WALL USER SYSTEM
TIMEFORMAT='SECONDS: %R %U %S'
time "$@"
