# Success says nothing, and no progress is shown where stderr is no terminal.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
ls db
