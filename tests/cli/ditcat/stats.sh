# --stats goes to standard error: standard output is the LDIF's.
"$DITADD" -f slapd.conf -l "$DATA/ldif/operational.ldif"
"$DITCAT" -T 2 -f slapd.conf --stats -H 'ldap:///dc=example,dc=com??base' | head -1
