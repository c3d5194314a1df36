# Of a database of OpenLDAP 2.7 the structure is checked, and who asks for the content hears
# that there was no check of it.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >in.ldif
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
"$DITCHECK" -f slapd.conf
echo $?
"$DITCHECK" --quick -f slapd.conf
echo $?
