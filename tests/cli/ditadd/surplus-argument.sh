"$DITADD" -f slapd.conf people.ldif
