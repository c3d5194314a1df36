# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: BSD-2-Clause
# The settings of all files of this folder. A copy of the folder is /srv/ditkit, on storage
# that all machines see. /srv/ditkit/db/SHARD is on the disk of the shard's own machine.
LDIF=/srv/ditkit/ldif               # the input: files *.ldif*, packed or not
MAP=/srv/ditkit/map                 # which entries go to which shard
PARTS=/srv/ditkit/parts             # ditsplit writes here, ditadd --prepare reads here
NPARTS=4                            # parts into which the input is split
HOSTS='n0 n1 n2 n3'                 # machines that split
SHARDS='a:n1 b:n2 c:n3'             # shards, each with the machine that builds and serves it
