# shellcheck shell=bash
# Sourced by the cases orphan.sh: slapd.conf gets a subordinate database without the one
# that it belongs to, next to another one, and the directory has an empty database.
"$DITADD" -q -f slapd.conf </dev/null
cat >>slapd.conf <<END
database mdb
suffix "dc=elsewhere"
subordinate
directory $PWD/db
END
