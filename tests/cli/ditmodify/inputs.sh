# Several inputs are read as one, in their order: files, packed ones, a folder, standard input.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
add() { # add NAME
	printf 'dn: cn=%s,dc=example,dc=com\nchangetype: add\nobjectClass: device\ncn: %s\n' "$1" "$1"
}
mkdir folder
add a >a.ldif
add b | gzip >b.ldif.gz
add c >folder/1.ldif
add d | zstd -q >folder/2.ldif.zst
printf 'dn: cn=e,dc=example,dc=com\nchangetype: delete\n' >z.ldif
add e | "$DITMODIFY" -v -f slapd.conf -l a.ldif b.ldif.gz -l folder - z.ldif
echo $?
# -j counts the lines of all of them.
printf 'dn: cn=b,dc=example,dc=com\nchangetype: delete\n' >z.ldif
"$DITMODIFY" -v -j 5 -f slapd.conf -l a.ldif -l z.ldif
echo $?
"$DITMODIFY" -f slapd.conf missing.ldif
echo $?
printf '\037\213\010nothing' >damaged.gz
"$DITMODIFY" -c -f slapd.conf damaged.gz
echo $?
printf 'title:< file:///etc/hostname\n' | cat a.ldif - >url.ldif
sed -i 's/cn=a,/cn=u,/; s/cn: a/cn: u/' url.ldif
"$DITMODIFY" -s --no-urls -d 0 -f slapd.conf url.ldif
echo $?
"$DITMODIFY" -f slapd.conf </dev/null
echo $?
"$DITCAT" -f slapd.conf | grep ^dn
