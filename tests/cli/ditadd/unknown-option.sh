"$DITADD" -Z 2>&1 | sed 's,^[^ ]*ditadd: ,ditadd: ,'
"$DITADD" --nonsense 2>&1 | sed 's,^[^ ]*ditadd: ,ditadd: ,'
"$DITADD" --memory 2>&1 | sed 's,^[^ ]*ditadd: ,ditadd: ,'
"$DITADD" -l 2>&1 | sed 's,^[^ ]*ditadd: ,ditadd: ,'
"$DITADD" -Z 2>/dev/null
