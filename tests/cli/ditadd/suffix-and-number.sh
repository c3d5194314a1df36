"$DITADD" -f slapd.conf -b dc=example,dc=com -n 1
