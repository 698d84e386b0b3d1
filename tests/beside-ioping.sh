#!/bin/sh
# Runs ioping and secchi ping alternately on one directory: prints the medians of the rounds and the range of the means.
#   tests/beside-ioping.sh SECCHI ROUNDS DIRECTORY [OPTIONS OF BOTH]
# To run in a control group, first: echo $$ > /sys/fs/cgroup/blkio/GROUP/cgroup.procs
secchi=$1 rounds=$2 dir=$3
shift 3
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
for round in $(seq "$rounds"); do
    echo "ioping $(ioping -B "$@" "$dir")"
    echo "secchi $("$secchi" ping --store "$store" -B "$@" "$dir" 2>/dev/null)"
done | python3 -c '
import sys, statistics
rows = {}
for line in sys.stdin:
    name, *fields = line.split()
    rows.setdefault(name, []).append([int(f) for f in fields])
for name, list in rows.items():
    of = lambda at: statistics.median(r[at] for r in list)
    print(f"{name}: rounds {len(list)}, requests {of(0):.0f}, min {of(4):.0f} ns, mean {of(5):.0f} ns, mdev {of(7):.0f} ns, "
          f"means {min(r[5] for r in list)}..{max(r[5] for r in list)}")
'
