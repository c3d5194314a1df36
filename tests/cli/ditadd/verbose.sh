"$DITADD" -v --openldap=2.5 -f slapd.conf -l "$DATA/ldif/children-first.ldif"
