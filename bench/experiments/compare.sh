#!/bin/bash
# Measures how often `secchi compare` reports a difference that does not exist, and how often it finds a difference of -3 %.
#
# Runs reads of 4 KiB with 16 in flight, 0.6 s per run, under kernel throttles of 6000 (A) and 5820 (B) IOPS. The order is
# A A B A A B ..., so that a drift of the machine affects both. Then makes 200 comparisons of five A with five A (windows of
# ten, each starting five runs after the previous one), and 100 of five A with five B. Needs root, cgroup v1 blkio, 25 minutes.
#
#   bench/experiments/compare.sh run SECCHI DIR DEVICE    e.g. run target/release/secchi /var/tmp/experiment 254:0
#   bench/experiments/compare.sh judge SECCHI DIR
#
# TRIPLES=n runs A A B n times. CAP_A=0 CAP_B=0 removes the throttles, so that only the variation of the device remains.
set -euo pipefail
phase=$1 secchi=$(realpath "$2") dir=$3
triples=${TRIPLES:-505}
groups=/sys/fs/cgroup/blkio

one() { # GROUP: a run inside a throttle; its id goes to the list of that side
  local before
  bash -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$groups/secchi-exp-$1" \
    "$secchi" fio --name=r --filename="$dir/t.dat" --size=256m --rw=randread --bs=4k --direct=1 --ioengine=libaio \
    --iodepth=16 --time_based --runtime=600ms --ramp_time=100ms --store="$dir/store" --output=/dev/null
  # shellcheck disable=SC2012
  before=$(ls -t "$dir/store/runs" | sed -n 1p)
  echo "${before%.journal}" >> "$dir/$1.ids"
}

run() {
  local device=$1
  mkdir -p "$dir"
  : > "$dir/a.ids"; : > "$dir/b.ids"
  "$secchi" fio --name=w --filename="$dir/t.dat" --size=256m --rw=write --bs=1m --direct=1 --ioengine=libaio \
    --store="$dir/fill" --output=/dev/null
  mkdir "$groups/secchi-exp-a" "$groups/secchi-exp-b"
  trap 'rmdir "$groups/secchi-exp-a" "$groups/secchi-exp-b"' EXIT
  echo "$device ${CAP_A:-6000}" > "$groups/secchi-exp-a/blkio.throttle.read_iops_device"
  echo "$device ${CAP_B:-5820}" > "$groups/secchi-exp-b/blkio.throttle.read_iops_device"
  for _ in $(seq "$triples"); do one a; one a; one b; done
}

# Counts the answers (`changed`, `same`, `cannot_tell`) to comparisons of two lists of ids, one comparison per line.
answers() { # < lines of "ids -- ids"
  while read -r line; do
    # shellcheck disable=SC2086
    "$secchi" compare --store "$dir/store" --metric iops --json $line 2>/dev/null |
      sed -n 's/.*"answer":"\([a-z_]*\)".*/\1/p' || true # 1 and 2 are answers
  done | sort | uniq -c
}

judge() {
  mapfile -t a < "$dir/a.ids"
  mapfile -t b < "$dir/b.ids"
  echo "A against A, 5 + 5 runs:"
  for ((i = 0; i + 10 <= ${#a[@]}; i += 5)); do
    # ABBA ABBA AB, so that a drift affects both.
    echo "${a[i]} ${a[i + 3]} ${a[i + 4]} ${a[i + 7]} ${a[i + 8]} -- ${a[i + 1]} ${a[i + 2]} ${a[i + 5]} ${a[i + 6]} ${a[i + 9]}"
  done | answers
  echo "A against B, 5 + 5 runs:"
  for ((i = 0; i + 5 <= ${#b[@]}; i += 5)); do
    # Take one of the two A before each B, alternately the first and the second.
    echo "${a[2 * i]} ${a[2 * i + 3]} ${a[2 * i + 4]} ${a[2 * i + 7]} ${a[2 * i + 8]} -- ${b[*]:i:5}"
  done | answers
}

case $phase in
  run) run "$4" ;;
  judge) judge ;;
  *) echo "run or judge?" >&2; exit 64 ;;
esac
