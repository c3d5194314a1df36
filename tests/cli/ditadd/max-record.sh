# A record of more memory ends the load; longer files that a record names refuse the record.
for size in x -1 '' 1.5G 99999999999T; do
	"$DITADD" --max-record "$size" -f slapd.conf 2>&1 | head -1
done
head='dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: x
'
printf '%sdescription: %0100d\n' "$head" 0 >one.ldif
size=$(($(stat -c %s one.ldif) + $(grep -c "" one.ldif) * 200))
"$DITADD" -u -f slapd.conf -l one.ldif --max-record "$size" && echo "read: all $size bytes"
"$DITADD" -c -f slapd.conf -l one.ldif --max-record $((size - 1)) || echo "refused: $?"
"$DITADD" -c -f slapd.conf --max-record $((size - 1)) <one.ldif || echo "refused: $?"
printf '%03000d' 0 >value
mkfifo pipe
printf '%sdescription:< file://%s/value\n' "$head" "$PWD" >value.ldif
printf '%sdescription:< file://%s/pipe\n' "$head" "$PWD" >pipe.ldif
printf '%sdescription:< file://%s/value\n' "$(cat value.ldif)
" "$PWD" >twice.ldif
for size in 3000 2999; do
	"$DITADD" -u -f slapd.conf -l value.ldif --max-record $size && echo "read: $size bytes"
	"$DITADD" -u -f slapd.conf -l twice.ldif --max-record $size
	cat value >pipe &
	"$DITADD" -u -f slapd.conf -l pipe.ldif --special-urls --max-record $size &&
		echo "read: $size bytes"
	wait
done 2>err
sed "s,$PWD,DIR,g" err
ls db
