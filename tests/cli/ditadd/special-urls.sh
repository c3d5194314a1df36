# A file that the LDIF names is regular, or --special-urls is given; --no-urls reads none.
# A reader of /proc/kmsg waits for ever; what lies in /proc is not regular, whatever stat says.
mkfifo pipe
printf 'text' >file
head='dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: x
'
for url in "file://$PWD/file" "file://$PWD/pipe" file:///proc/version file:///dev/zero; do
	printf '%sdescription:< %s\n' "$head" "$url" >one.ldif
	printf 'include: %s\n\n%s' "$url" "$head" >two.ldif
	"$DITADD" -u -f slapd.conf -l one.ldif && echo "read: $url"
	"$DITADD" -u --no-urls -f slapd.conf -l one.ldif && echo "read: $url"
done
"$DITADD" -u -f slapd.conf -l two.ldif
"$DITADD" -u --no-urls -f slapd.conf -l two.ldif
printf '%sdescription:< file:///proc/version\n' "$head" >one.ldif
"$DITADD" -u --special-urls -f slapd.conf -l one.ldif && echo 'read: /proc/version'
printf '%sdescription:< file://%s/pipe\n' "$head" "$PWD" >one.ldif
printf 'from a pipe' >pipe &
"$DITADD" --special-urls -f slapd.conf -l one.ldif && slapcat -f slapd.conf | grep '^description'
wait
