# Findings, one a line, and their sum; exit status 1. Page 2 is no page any more.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
printf '\377\377' | dd of=db/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc status=none
"$DITCHECK" --quick -f slapd.conf | sed 's/page [0-9]*/page N/; s/^[A-Za-z0-9]*, page/NAME, page/'
echo "${PIPESTATUS[0]}"
# No database at all.
"$DITCHECK" -f slapd.conf --database "$DATA/ldif/bare.ldif" 2>&1
echo "LDIF: $?"
