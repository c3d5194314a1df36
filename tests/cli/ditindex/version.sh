"$DITINDEX" -V
"$DITINDEX" --version
