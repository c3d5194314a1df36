#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The loads of golden.sh by ditadd --openldap=2.7, into data files of LMDB 1.0: the same
# records, exit status and messages, and some of them with pages of three sizes. ditcheck
# finds nothing wrong with the structure and the content of any of the files. ditcat prints
# the same from three of slapadd's own files and from ours.
#
#   files.sh [NAME...]
#   DIT_LONG=yes   pages of eight sizes
DIT_GOLDEN_FILES=yes exec bash "${0%/*}/golden.sh" "$@"
