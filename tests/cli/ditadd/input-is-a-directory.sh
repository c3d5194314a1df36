"$DITADD" -f slapd.conf -l db
echo $?
ls db
