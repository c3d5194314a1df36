# Options of slapadd that are not built yet are refused by name, not ignored.
"$DITADD" -f slapd.conf -w
echo $?
ls db
