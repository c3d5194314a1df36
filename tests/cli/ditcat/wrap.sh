# Lines are as long as slapcat makes them.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n' >in
printf 'description: %0100d\nentryUUID: 00000000-0000-1000-8000-000000000001\n' 7 >>in
"$DITADD" -f slapd.conf -l in
for wrap in 0 1 2 78 79 no 4294967295; do
	echo "$wrap: $("$DITCAT" -f slapd.conf -o ldif-wrap=$wrap | wc -lL)"
done
"$DITCAT" -f slapd.conf -o ldif_wrap=30 | grep -A3 description
