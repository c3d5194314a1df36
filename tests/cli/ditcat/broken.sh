# Without a database: slapcat's words.
"$DITCAT" -f slapd.conf
echo "$?"
"$DITCAT" -d 0 -f slapd.conf
echo "$?"
"$DITCAT" -f nonexistent.conf
echo "$?"
echo "no database" >db/data.mdb
"$DITCAT" -f slapd.conf
echo "$?"
