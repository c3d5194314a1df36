"$DITMODIFY" -V
"$DITMODIFY" --version
