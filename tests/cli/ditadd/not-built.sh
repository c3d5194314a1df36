# Options of slapadd that are not built yet are refused by name, not ignored.
"$DITADD" -F /etc/ldap/slapd.d
echo $?
"$DITADD" -f slapd.conf -w
echo $?
ls db
