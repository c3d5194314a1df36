"$DITADD" -v -f slapd.conf -l "$DATA/ldif/children-first.ldif"
