# -d 0 leaves the diagnostic lines out.
"$DITADD" -d 0 -c -f slapd.conf -l "$DATA/errors/mixed.ldif"
