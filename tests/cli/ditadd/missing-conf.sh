"$DITADD" -f nowhere.conf
