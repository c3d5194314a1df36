# The same as one JSON object.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
printf '\377\377' | dd of=db/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc status=none
"$DITCHECK" --quick --json --database db |
	sed 's/\("pages[a-z_]*": \)[0-9]*/\1N/; s/\("page": \)[0-9]*/\1N/; s/\("database": \).*,/\1"NAME",/'
echo "${PIPESTATUS[0]}"
