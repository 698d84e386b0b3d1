#!/bin/bash
# How many of fio's own tests (t/run-fio-tests.py, t0001 to t0038) does a program pass that stands in fio's place?
#
#   FIO_SRC=CHECKOUT bench/experiments/fio-suite.sh PROGRAM [TEST ...]    e.g. target/release/secchi, or fio itself
#
# PROGRAM is called by a link named fio. Needs python3 with scipy and statsmodels (installed into a directory of its own, once)
# and some 6 GiB; takes two minutes. One line a test: passed, or FAILED and why, with the first line of its standard error; then
# the count. fio's suite takes any byte on standard error for a failure.
set -euo pipefail
: "${FIO_SRC:?a checkout of https://github.com/axboe/fio}"
program=$(realpath "$(command -v "$1")")
shift
here=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$here"' EXIT
python=${XDG_CACHE_HOME:-$HOME/.cache}/secchi-fio-suite/bin/python
[ -x "$python" ] || { python3 -m venv "${python%/bin/python}" && "${python%python}pip" install -q scipy statsmodels; }
mkdir "$here/bin" "$here/home"
ln -s "$program" "$here/bin/fio"
tests=("$@")
[ "$#" -gt 0 ] || mapfile -t tests < <(seq 1 38)
cd "$here"
# -k: what the suite finds missing by fio's own build has nothing to do with this program.
HOME="$here/home" "$python" "$FIO_SRC/t/run-fio-tests.py" -k -f "$here/bin/fio" -r "$FIO_SRC" -a "$here/art" -o "${tests[@]}" \
  > "$here/out" 2>&1 || true
grep -E '^Test [0-9]+ (PASSED|FAILED)' "$here/out" | while read -r _ number verdict rest; do
  verdict=${verdict%:}
  printf 't%04d %s' "$number" "$verdict"
  if [ "$verdict" != PASSED ]; then
    printf ' | %s' "$(cut -c 1-80 <<< "$rest")"
    said=$(cat "$here/art/$(printf %04d "$number")"/*stderr 2> /dev/null | head -1 | cut -c 1-140)
    [ -z "$said" ] || printf ' | %s' "$said"
  fi
  echo
done
tail -1 "$here/out"
