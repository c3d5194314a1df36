# A dry run does not mind what is in the database.
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITADD" -u -f slapd.conf -l "$DATA/ldif/bare.ldif"
