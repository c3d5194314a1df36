# Packed input that is cut off or damaged is told with its place; nothing is stored.
for i in $(seq 2000); do
	printf 'dn: cn=%d,dc=example,dc=com\nobjectClass: organizationalRole\ncn: %d\n\n' $i $i
done >people
(sed '/^$/q' "$DATA/ldif/bare.ldif"; cat people) >people.ldif
for tool in gzip zstd xz bzip2; do
	$tool -kc people.ldif >people.ldif.$tool
	head -c -3 people.ldif.$tool >cut
	"$DITADD" -q -f slapd.conf -l cut 2>&1 | sed 's/[0-9][0-9]*/N/g'
	"$DITADD" -q -c -f slapd.conf -l cut >/dev/null 2>&1
	echo "$? $(ls db)"
	# The bytes that came of damage are no records.
	cp people.ldif.$tool hurt
	printf 'XXXX' | dd of=hurt bs=1 seek=$(($(stat -c %s hurt) / 2)) conv=notrunc 2>/dev/null
	"$DITADD" -q -f slapd.conf -l hurt 2>&1 | sed 's/[0-9][0-9]*/N/g'
	(cat people.ldif.$tool; echo dn:) >more
	"$DITADD" -q -f slapd.conf -l more 2>&1 | sed 's/[0-9][0-9]*/N/g'
	ls db
done
gzip -c <people.ldif | gzip -c >twice.gz
"$DITADD" -q -f slapd.conf -l twice.gz
