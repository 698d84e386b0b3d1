#!/bin/bash
# Runs the four cases of the first seed document, and prints the counters of the devices for each. The data directories are on
# three throttled loop devices, the journal on a fourth device.
#
#   1 sequential set, without and with the journal     3 random update of one size
#   2 sequential read by 1, 2 and 4 processes          4 random update of varying size
#
#   bench/experiments/database-cases.sh SECCHI DIR [ENGINE]    e.g. target/release/secchi /var/tmp/cases gtm
#
# RECORDS=n: subscripts of each global (40000). SECONDS_EACH=n: duration of the random cases (10). READ_IOPS, WRITE_IOPS: limits of
# each loop device (3000). ENGINE: gtm (default), postgres. Needs root, loop devices, cgroup v1 blkio; removes what it set up.
set -euo pipefail
secchi=$(realpath "$1") dir=$2 engine=${3:-gtm}
records=${RECORDS:-40000} time=${SECONDS_EACH:-10}
group=/sys/fs/cgroup/blkio/secchi-cases
mkdir -p "$dir"
dir=$(realpath "$dir") store=$(realpath "$dir")/store
loops=()

clean() {
  set +e
  "$secchi" db purge "$dir/ran" 2>/dev/null
  for name in d1 d2 d3 jrn; do umount "$dir/$name" 2>/dev/null; done
  for loop in "${loops[@]}"; do losetup -d "$loop"; done
  rm -f "$dir"/*.img
  rmdir "$dir"/{d1,d2,d3,jrn} 2>/dev/null
  rmdir "$group"
}
trap clean EXIT

mkdir "$group"
for name in d1 d2 d3 jrn; do
  truncate -s 2G "$dir/$name.img"
  loop=$(losetup --find --show --direct-io=on "$dir/$name.img")
  loops+=("$loop")
  mkfs.ext4 -q -F "$loop"
  mkdir -p "$dir/$name"
  mount "$loop" "$dir/$name"
  chmod 755 "$dir/$name"
  number=$(stat -c '%Hr:%Lr' "$loop")
  echo "$number ${READ_IOPS:-3000}" > "$group/blkio.throttle.read_iops_device"
  echo "$number ${WRITE_IOPS:-3000}" > "$group/blkio.throttle.write_iops_device"
done

# Run a command in the throttled control group.
in_group() { bash -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@"; }
db() { in_group "$secchi" db "$1" "$dir/ran" --store "$store" "${@:2}"; }
ids() { "$secchi" runs --ids --store "$store" | head -1; }

"$secchi" db setup "$dir/ran" --engine "$engine" --data "$dir/d1,$dir/d2,$dir/d3" --journal "$dir/jrn" --store "$store"
db create-globals -g 4 -s "$records" --value 256 > /dev/null

declare -A run
one() { # NAME VERB WORDS...
  db "$2" "${@:3}" > /dev/null
  run[$1]=$(ids)
  names+=("$1")
}
names=()
one "1 sequential set, no journal, 3 processes" seqwrite -p 3 --value 256 --journal-mode off
one "1 sequential set, journal, 3 processes" seqwrite -p 3 --value 256 --journal-mode on
for p in 1 2 4; do one "2 sequential read, $p processes" seqread -p "$p" --cache 1m; done
one "3 random update, 256 bytes, journal" ranwrite -p 3 -t "$time" --value 256 --pause 0 --journal-mode on
one "3 random update, 256 bytes, no journal" ranwrite -p 3 -t "$time" --value 256 --pause 0 --journal-mode off
one "4 random update, 200-255 bytes, journal" ranwrite -p 3 -t "$time" --value 200-255 --pause 0 --journal-mode on

for name in "${names[@]}"; do
  "$secchi" show --json --store "$store" "${run[$name]}" > "$dir/one.json"
  python3 - "$name" "$dir/one.json" << 'PYTHON'
import json, sys
record = json.load(open(sys.argv[2]))["record"]
ops = {"r": 0, "w": 0}
seconds = 0.0
for step in record["steps"]:
    own = [i for i in step["intervals"] if i.get("phase") == "measure"]
    for i in own:
        ops["r"] += i["per_op"][0]["tally"]["ops"]
        ops["w"] += i["per_op"][1]["tally"]["ops"]
    if own:
        seconds = max(seconds, (own[-1]["start"] + own[-1]["length"] - own[0]["start"]) / 1e9)
line = f"{sys.argv[1]:44} {ops['r']/seconds:9.0f} reads/s {ops['w']/seconds:9.0f} updates/s |"
for role in record["database"]["roles"]:
    def mean(n, b):
        return f"{b/n/1024:.1f} KiB" if n else "-"
    line += (f" {role['role']} ({role['source']}): {role['reads'] or 0} reads of {mean(role['reads'], role['read_bytes'])},"
             f" {role['writes'] or 0} writes of {mean(role['writes'], role['write_bytes'])}, {role['flushes']} flushes |")
print(line)
PYTHON
done
rm -f "$dir/one.json"
