# A file appears when it is complete; nothing else is left.
"$DITADD" -f slapd.conf -l "$DATA/ldif/operational.ldif"
mkdir out
umask 027
"$DITCAT" -f slapd.conf -l out/a.ldif && "$DITCAT" -f slapd.conf | cmp - out/a.ldif
stat -c '%n %A' out/*
echo 'an old export' >out/a.ldif
chmod 604 out/a.ldif
"$DITCAT" -f slapd.conf -b dc=other -l out/a.ldif
"$DITCAT" -f slapd.conf -a '(' -l out/new.ldif
cat out/a.ldif
"$DITCAT" -f slapd.conf -l out/a.ldif
stat -c '%n %A' out/*
ls -A out
"$DITCAT" -f slapd.conf -l /dev/stdout | cmp - out/a.ldif
