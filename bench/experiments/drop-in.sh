#!/bin/bash
# Measures how well a program replaces fio, with tests and jobs written by others. Prints one table in Markdown.
#
#   FIO_SRC=CHECKOUT [JOBS=DIR] [COMMANDS=FILE] bench/experiments/drop-in.sh PROGRAM [PART ...]
#
# PROGRAM is called by a link named fio; use fio itself as the reference. FIO_SRC is a checkout of https://github.com/axboe/fio.
# JOBS is a directory of public job files: the table shows how many PROGRAM parses of those that the installed fio parses.
# COMMANDS is a file of public command lines, counted the same way: the last tab-separated column of each line, beginning with
# `fio`, without a shell. None of these jobs and commands are run. Parts: suite, the names of fio's other scripts (readonly,
# strided, jsonplus2csv_test, latency_percentiles, steadystate_tests, numberio_overlap, verify, log_compression), jobs, commands.
# By default, all parts are run, which takes about half an hour. Failures are listed on standard error, one per line.
set -euo pipefail
program=$(realpath "$(command -v "$1")")
shift
bench=$(realpath "$(dirname "$0")")
here=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$here"' EXIT
mkdir "$here/bin" "$here/home" "$here/work"
ln -s "$program" "$here/bin/fio"
export HOME="$here/home"
python=${XDG_CACHE_HOME:-/var/tmp}/secchi-fio-suite/bin/python
[ -x "$python" ] || { python3 -m venv "${python%/bin/python}" && "${python%python}pip" install -q scipy statsmodels; }

row() { printf '| %s | %s |\n' "$1" "$2"; }

suite() {
  XDG_CACHE_HOME=${XDG_CACHE_HOME:-/var/tmp} "$bench/fio-suite.sh" "$program" > "$here/suite" 2>&1 || true
  grep FAILED "$here/suite" >&2 || true
  row "t/run-fio-tests.py, t0001 to t0038" "$(grep -c PASSED "$here/suite") of $(grep -cE 'PASSED|FAILED' "$here/suite")"
}

script() { # NAME
  local words=(-f "$here/bin/fio" -a "$here/work/$1/art")
  mkdir -p "$here/work/$1"
  case $1 in
    steadystate_tests) words=("$here/bin/fio") ;;
    log_compression) words=(-f "$here/bin/fio") ;;
    jsonplus2csv_test) words=(-f "$here/bin/fio" -s "$FIO_SRC/tools/fio_jsonplus_clat2csv") ;;
    verify) words+=(-r "$FIO_SRC") ;;
  esac
  # Each script reports failures differently. The number at the end of the output counts, or else the exit status.
  (cd "$here/work/$1" && PYTHONPATH="$FIO_SRC/t" timeout 1800 "$python" "$FIO_SRC/t/$1.py" "${words[@]}") > "$here/said" 2>&1
  local code=$? numbers
  grep -iE 'fail|error' "$here/said" | grep -viE ' 0 failed|passed' | head -12 | sed "s/^/$1: /" | cut -c 1-200 >&2 || true
  numbers=$(grep -oiE '[0-9]+ (test\(?s?\)? )?passed[^|]*' "$here/said" | tail -1 || true)
  row "t/$1.py" "${numbers:-$([ "$code" = 0 ] && echo passed || echo "failed ($code)")}"
}

parsed() { # LISTING: a shell-quoted word list a line, after a name and a tab
  python3 - "$here/bin/fio" "$1" << 'PY'
import shlex, subprocess, sys
program, listing = sys.argv[1:]
asked = parsed = 0
def parse(fio, words):
    run = subprocess.run([fio, "--parse-only", *words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    return run.returncode == 0, run.stderr.strip().splitlines()
for line in open(listing, errors="replace"):
    name, text = line.rstrip("\n").split("\t", 1)
    try:
        words = shlex.split(text)
    except ValueError:
        continue
    if not parse("/usr/bin/fio", words)[0]:
        continue
    asked += 1
    good, said = parse(program, words)
    parsed += good
    if not good:
        print(f"{name}: {(said or ['?'])[-1][:160]}", file=sys.stderr)
print(f"{parsed} of {asked} ({100 * parsed / max(asked, 1):.1f} %)")
PY
}

jobs() {
  for file in "$JOBS"/*; do
    printf '%s\t%q\n' "$(basename "$file")" "$(realpath "$file")"
  done > "$here/jobs"
  row "public job files that fio parses" "$(cd "$here/work" && parsed "$here/jobs")"
}

commands() {
  awk -F '\t' '{ line = $NF; sub(/^ *fio +/, "", line); print NR "\t" line }' "$COMMANDS" > "$here/commands"
  row "public command lines that fio parses" "$(cd "$here/work" && parsed "$here/commands")"
}

parts=("$@")
[ "$#" -gt 0 ] || {
  parts=(suite readonly strided jsonplus2csv_test latency_percentiles steadystate_tests numberio_overlap verify log_compression)
  [ -z "${JOBS:-}" ] || parts+=(jobs)
  [ -z "${COMMANDS:-}" ] || parts+=(commands)
}
echo "| asked | $(basename "$program") |"
echo "|---|---|"
for part in "${parts[@]}"; do
  case $part in
    suite | jobs | commands) "$part" ;;
    *) script "$part" || true ;;
  esac
done
