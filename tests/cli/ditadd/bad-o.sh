"$DITADD" -f slapd.conf -o schema-check=perhaps 2>&1 | head -1
"$DITADD" -f slapd.conf -o nonsense 2>&1 | head -1
"$DITADD" -f slapd.conf -o nonsense 2>/dev/null
