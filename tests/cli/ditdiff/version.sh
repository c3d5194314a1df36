"$DITDIFF" -V
"$DITDIFF" --version
