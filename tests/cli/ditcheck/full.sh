# Findings that cannot be printed: exit status 2.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITCHECK" --quick --database db >/dev/full
