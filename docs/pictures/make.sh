#!/bin/bash
# Makes the pictures of README from a kept run: the terminal's first screen, and the head of its page.
#
#   docs/pictures/make.sh SECCHI RUN [--store DIR]      needs chromium, python3, script(1)
set -euo pipefail
secchi=$(realpath "$1") run=$2
shift 2
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
shot() { # PAGE PICTURE WIDTH HEIGHT
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$3,$4" --virtual-time-budget=30000 \
    --run-all-compositor-stages-before-draw --screenshot="$2" "file://$1" > /dev/null 2>&1
}
"$secchi" report "$run" "$@" -o "$work/page.html" 2> /dev/null
shot "$work/page.html" "$here/page.png" 1100 1250
script -qec "stty cols 80 rows 24; TERM=xterm-256color '$secchi' show '$run' $*" /dev/null > "$work/screen"
python3 - "$work/screen" "$run" > "$work/screen.html" << 'PY'
import html, re, sys
text = open(sys.argv[1]).read().replace("\r", "").rstrip()
colours = {"31": "#ff8080", "32": "#7fd6a2", "33": "#f0c46b", "34": "#8ab4ff", "35": "#d49be8", "36": "#5cc1e0"}
out, style = [], ""
for part in re.split(r"(\x1b\[[0-9;]*m)", text):
    if not part.startswith("\x1b["):
        out.append(f'<span style="{style}">{html.escape(part)}</span>')
        continue
    style = ""
    for code in part[2:-1].split(";"):
        style += {"1": "font-weight:700;", "2": "opacity:.65;"}.get(code, f"color:{colours[code]};" if code in colours else "")
text = re.sub(r" --store \S+", "", "".join(out))
print(f"""<meta charset="utf-8"><body style="margin:0;background:#10181f"><pre style="margin:18px 22px;color:#e6edf2;font:15px/1.35 'DejaVu Sans Mono',monospace"><span style="opacity:.65">$ secchi show last</span>
{text}</pre>""")
PY
lines=$(wc -l < "$work/screen")
shot "$work/screen.html" "$here/terminal.png" 780 $((lines * 21 + 70))
