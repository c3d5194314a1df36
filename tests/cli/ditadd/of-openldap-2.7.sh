# A database of OpenLDAP 2.7 (LMDB 1.0: magic and version after 24 bytes) is told by name.
{
	head -c 24 /dev/zero
	printf '\336\300\357\276\003\0\0\0'
	head -c 8160 /dev/zero
} >db/data.mdb
cp db/data.mdb before
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
cmp before db/data.mdb && ls -A db
# So is one whose pages the module of "crypto" encrypts (flag 0x2000 of the first meta page)
# or gives checksums (their size is the last word of that page).
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n' >in.ldif
for patch in '53 \040' '4094 \010'; do
	rm -rf db/* before
	"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
	printf "${patch#* }" | dd of=db/data.mdb bs=1 seek="${patch% *}" conv=notrunc status=none
	cp -r db before
	for command in "$DITADD -q -l in.ldif" "$DITADD --estimate -c -l in.ldif" "$DITADD -q --openldap=2.6 -l in.ldif" "$DITCAT -c" \
		"$DITINDEX" "$DITINDEX --online" "$DITINDEX --estimate" "$DITCHECK" "$DITCHECK --quick" "$DITCHECK --stats"; do
		read -ra words <<<"$command"
		case $command in *--openldap*) ;; *) words+=(--openldap=2.7) ;; esac
		"${words[@]}" -f slapd.conf 2>&1
		echo "${command##*/}: $?"
	done
	"$DITCHECK" --compare before db 2>&1
	echo "--compare: $?"
	diff -r before db
done
