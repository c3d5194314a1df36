"$DITADD" -f slapd.conf -l nowhere.ldif
echo $?
ls db
