# Too small a maxsize is told with one that would do, before the end.
sed -i 's/^maxsize.*/maxsize 65536/' slapd.conf
"$DITADD" -f slapd.conf -l "$DATA/ldif/operational.ldif"
echo $?
ls -A db
