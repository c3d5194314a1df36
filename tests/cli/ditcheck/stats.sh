# The sizes of each database, as a table and as JSON; bytes and pages depend on nothing here.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITCHECK" --stats -v -f slapd.conf | sed '/^  transaction/,$d'
"$DITCHECK" --stats --json --database db | grep -A 23 '"database": "uid"'
