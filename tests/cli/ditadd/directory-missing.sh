rmdir db
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
