# Settings of slapd's other tools change nothing, and are told in slapd's words.
"$DITADD" -f slapd.conf -q -o ldif-wrap=no -l "$DATA/ldif/bare.ldif"
"$DITINDEX" -f slapd.conf -o ldif_wrap=3 -o LDIF-WRAP -o schema-check=no -o value-check=maybe
echo "ditindex: $?"
"$DITMODIFY" -f slapd.conf -u -o ldif-wrap=no -l /dev/null
echo "ditmodify: $?"
"$DITCAT" -f slapd.conf -o Schema-Check=no -o value-check >/dev/null
echo "ditcat: $?"
