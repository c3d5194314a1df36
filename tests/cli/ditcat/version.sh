"$DITCAT" -V
"$DITCAT" --version
