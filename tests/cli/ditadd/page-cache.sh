# What a load leaves in the page cache: the file is read ahead, or it is not.
"$DITADD" --page-cache=hot -f slapd.conf 2>&1 | head -1
"$DITINDEX" --page-cache= -f slapd.conf 2>&1 | head -1
cat >one.ldif <<-LDIF
	dn: dc=example,dc=com
	objectClass: dcObject
	objectClass: organization
	dc: example
	o: x
LDIF
# asked PROGRAM ARGUMENT...: was the system asked to read the whole file?
asked() {
	strace -f -e trace=fadvise64 -o trace "$@" || echo "status $?"
	echo "$(grep -c 'WILLNEED) = 0' trace) of $((($(stat -c %s db/data.mdb) + 2097151) / 2097152))"
}
for how in warm cold; do
	rm -rf db/*
	echo "$how: $(asked "$DITADD" -q -f slapd.conf -l one.ldif --page-cache=$how)"
	echo "$how: $(asked "$DITINDEX" -q -f slapd.conf --page-cache=$how)"
done
rm -rf db/*
echo "through: $(asked "$DITADD" -q -f slapd.conf -l one.ldif --page-cache)"
rm -rf db/*
echo "a small file fits: $(asked "$DITADD" -q -f slapd.conf -l one.ldif)"
# The first request of the load brings an interrupt: the others are not made. A shell may
# have us ignore it.
rm -rf db/*
ous() {
	seq "$1" "$2" | awk '{ print "dn: ou=" $1 ",dc=example,dc=com\nobjectClass: organizationalUnit\nou: " $1 "\n" }'
}
{ cat one.ldif; echo; ous 1 8000; } >ous.ldif
strace -f -e trace=fadvise64 -e inject=fadvise64:signal=INT -o trace \
	env --default-signal=INT "$DITADD" -q -f slapd.conf -l ous.ldif 2>&1
echo "interrupted: status $?, $(grep -c 'WILLNEED) = 0' trace) requests, $("$DITCAT" -f slapd.conf | grep -c ^dn:) entries"
ous 8001 8001 >more.ldif
echo "what was there is left alone: $(asked "$DITADD" -q -f slapd.conf -l more.ldif |
	awk '{ print ($1 > 0 && $1 < $3) ? "yes" : "no: " $0 }')"
echo "dry run: $(asked "$DITADD" -u -f slapd.conf -l one.ldif)"
