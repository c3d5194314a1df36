"$DITADD" -f slapd.conf -o schema-check=perhaps 2>&1 | head -1
"$DITADD" -f slapd.conf -o nonsense 2>&1 | head -1
"$DITADD" -f slapd.conf -o syslog-levels=LOCAL4 2>&1 | head -1
"$DITADD" -f slapd.conf -o slp=on -o syslog-level=LOCAL4 -o syslog-user=LOCAL4 -o SYSLOG=1 -o nonsense 2>&1 | head -1
"$DITADD" -f slapd.conf -o nonsense 2>/dev/null
