# A longer record ends the load, a longer file that a record names refuses the record.
for size in 0 x -1 '' 1.5G 99999999999T; do
	"$DITADD" --max-record "$size" -f slapd.conf 2>&1 | head -1
done
head='dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: x
'
printf '%sdescription: %0100d\n' "$head" 0 >one.ldif
size=$(stat -c %s one.ldif)
"$DITADD" -u -f slapd.conf -l one.ldif --max-record "$size" && echo "read: all $size bytes"
"$DITADD" -c -f slapd.conf -l one.ldif --max-record $((size - 1)) || echo "refused: $?"
"$DITADD" -c -f slapd.conf --max-record $((size - 1)) <one.ldif || echo "refused: $?"
printf '%0300d' 0 >value
mkfifo pipe
printf '%sdescription:< file://%s/value\n' "$head" "$PWD" >value.ldif
printf '%sdescription:< file://%s/pipe\n' "$head" "$PWD" >pipe.ldif
for size in 300 299; do
	"$DITADD" -u -f slapd.conf -l value.ldif --max-record $size && echo "read: $size bytes"
	cat value >pipe &
	"$DITADD" -u -f slapd.conf -l pipe.ldif --special-urls --max-record $size &&
		echo "read: $size bytes"
	wait
done 2>err
sed "s,$PWD,DIR,g" err
ls db
