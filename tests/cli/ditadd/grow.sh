sed -i 's/^maxsize.*/maxsize 65536/' slapd.conf
"$DITADD" --grow -f slapd.conf -l "$DATA/ldif/operational.ldif"
echo $?
ls db
