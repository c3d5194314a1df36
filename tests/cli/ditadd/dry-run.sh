# Everything is checked, nothing is opened: the directory stays empty.
"$DITADD" --dry-run -v --openldap=2.5 -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
"$DITADD" -u -c -f slapd.conf -l "$DATA/errors/schema-attributes.ldif"
echo $?
"$DITADD" -u -f slapd.conf -l "$DATA/errors/schema-attributes.ldif"
echo $?
ls -A db
