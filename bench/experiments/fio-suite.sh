#!/bin/bash
# Counts how many of fio's own tests (t/run-fio-tests.py, t0001 to t0038) a program passes that replaces fio.
#
#   FIO_SRC=CHECKOUT bench/experiments/fio-suite.sh PROGRAM [TEST ...]    e.g. target/release/secchi, or fio itself
#
# PROGRAM is called by a link named fio. Needs python3 with scipy and statsmodels (installed once, into a separate directory)
# and about 6 GiB; takes two minutes. Prints one line per test: passed, or FAILED with the reason and the first line of its
# standard error. Prints the count at the end. fio's suite treats any output on standard error as a failure.
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
# -k: ignore requirements that the suite checks against fio's build, because they do not concern this program.
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
