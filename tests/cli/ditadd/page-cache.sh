# A load leaves pages in the page cache: the file is read ahead.
cat >one.ldif <<-LDIF
	dn: dc=example,dc=com
	objectClass: dcObject
	objectClass: organization
	dc: example
	o: x
LDIF
# asked PROGRAM ARGUMENT...: was the system asked to read the whole file at the end, in
# pieces of 2 MiB? What is read back during a load has other lengths.
asked() {
	strace -f -e trace=fadvise64 -o trace "$@" || echo "status $?"
	echo "$(grep -c ' 2097152, POSIX_FADV_WILLNEED) = 0' trace) of $((($(stat -c %s db/data.mdb) + 2097151) / 2097152))"
}
echo "a load: $(asked "$DITADD" -q -f slapd.conf -l one.ldif)"
echo "new indexes: $(asked "$DITINDEX" -q -f slapd.conf)"
# The first request of the load brings an interrupt: the others are not made. A shell may
# have us ignore it. With one thread nothing is read back during the load.
rm -rf db/*
ous() {
	seq "$1" "$2" | awk '{ print "dn: ou=" $1 ",dc=example,dc=com\nobjectClass: organizationalUnit\nou: " $1 "\n" }'
}
{ cat one.ldif; echo; ous 1 8000; } >ous.ldif
strace -f -e trace=fadvise64 -e inject=fadvise64:signal=INT -o trace \
	env --default-signal=INT "$DITADD" -q -T 1 -f slapd.conf -l ous.ldif 2>&1
echo "interrupted: status $?, $(grep -c 'WILLNEED) = 0' trace) requests, $("$DITCAT" -f slapd.conf | grep -c ^dn:) entries"
ous 8001 8001 >more.ldif
echo "what was there is left alone: $(asked "$DITADD" -q -f slapd.conf -l more.ldif |
	awk '{ print ($1 > 0 && $1 < $3) ? "yes" : "no: " $0 }')"
echo "dry run: $(asked "$DITADD" -u -f slapd.conf -l one.ldif)"
