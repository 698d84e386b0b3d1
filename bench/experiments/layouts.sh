#!/usr/bin/env bash
# Runs `secchi db ranwrite --compare-layout`, with the journal moved to a second device, under four conditions. Prints the counts from three
# sources for each: the run (its control group), the block trace recorded during the run, and /sys/block. Needs root. Usage: layouts.sh DIR
#
#   equal     two loop devices on the disk of DIR        disk        database on the disk of DIR itself, journal on a loop device
#   capped    first device capped at 200 writes/s        neighbour   fio writes 50 MB/s to the first device throughout, with direct I/O
set -euo pipefail
export LC_ALL=C
dir=${1:?directory}
secchi=$(realpath "${SECCHI:-target/release/secchi}")
conditions=${CONDITIONS:-disk equal capped neighbour} seconds=${SECONDS_EACH:-4}
mkdir -p "$dir"
dir=$(realpath "$dir")
group=/sys/fs/cgroup/blkio/secchi-layouts fio=''
# shellcheck source=bench/experiments/loops
. "$(dirname "$0")/loops"
end() {
    set +e
    [ -z "$fio" ] || kill "$fio" 2>/dev/null
    wait 2>/dev/null
    drop_disks
    rmdir "$group" 2>/dev/null
    rm -rf "$dir/own"
}
trap end EXIT
make_disks 2g one two
mkdir -p "$group" "$dir/own"
for condition in $conditions; do
    at=$dir/one/ran
    [ "$condition" = disk ] && at=$dir/own/ran
    inside='true'
    case $condition in
        capped)
            number=$(cat "/sys/block/${loops[0]#/dev/}/dev")
            echo "$number 200" >"$group/blkio.throttle.write_iops_device"
            inside="echo \$BASHPID > $group/cgroup.procs"
            ;;
        neighbour)
            fio --name=n --filename="$dir/one/neighbour" --size=512m --rw=write --bs=1m --direct=1 --rate=50m --time_based --runtime=3600 \
                >/dev/null 2>&1 &
            fio=$!
            until [ -s "$dir/one/neighbour" ]; do sleep 0.2; done
            ;;
    esac
    "$secchi" db setup "$at" --engine model --profile iris --size 16m >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    "$secchi" db create-globals "$at" -g 2 -s 30000 --value 256 >"$dir/log" 2>&1
    (eval "$inside"; exec "$secchi" db ranwrite "$at" -p 2 -t "$seconds" --write-back 1s --pause 0 --seed 7 --trace-blocks \
        --compare-layout "journal=$dir/two" --json >"$dir/$condition.json" 2>"$dir/$condition.err") && code=0 || code=$?
    python3 - "$condition" "$dir/$condition.json" "$code" "$secchi" <<'P'
import json, subprocess, sys
condition, path, code, secchi = sys.argv[1:]
found = json.load(open(path))["layouts"]
c = found["comparison"]
print(f"== {condition} (exit code {code}): {found['answer']}; binds {[s.get('binds') for s in found['sides']]}")
for f in c["figures"]:
    if f.get("declared", True):
        print("  ", f.get("subject"), f.get("metric") or f.get("name"), "ratio", f.get("ratio"), "p", f.get("p"), f.get("verdict") or f.get("answer"), {k: v for k, v in f.items() if k in ("why", "note")})
def first(x): return x if isinstance(x, str) else x.get("id") or x.get("run")
for side in ("a", "b"):
    run = first(c[side]["runs"][0])
    shown = subprocess.run([secchi, "report", run, "-o", f"{path}.{side}.json"], capture_output=True, text=True)
    try:
        record = json.load(open(f"{path}.{side}.json"))["record"]
    except OSError:
        print("   no record", shown.stderr[:200]); continue
    db = record["database"]
    for role in db["roles"]:
        print(f"   {side} told {role['role']}:", {k: role.get(k) for k in ("source", "reads", "writes", "write_bytes", "flushes")})
    for d in db["below"]["devices"]:
        print(f"   {side} counted {d['name']}: group", {k: (d.get("group") or {}).get(k) for k in ("reads", "writes", "write_bytes")},
              "device", {k: d["device"].get(k) for k in ("reads", "writes", "write_bytes", "flushes")})
    for part in record.get("blocks", []):
        trace = part["trace"]
        for d in trace["devices"]:
            roles = {}
            for role in d["roles"]:
                for kind, t in role["kinds"].items():
                    sizes = t.get("sizes") or {"exact": {}, "large_bytes": 0}
                    size = sum(int(k) * n for k, n in sizes["exact"].items()) + sizes["large_bytes"]
                    roles[f"{role['role']} {kind}"] = (t["ops"], size)
            counted = d["counted"]
            print(f"   {side} traced {d['name']} {trace['length'] / 1e9:.2f} s:", roles, "/sys/block in that time:",
                  {"reads, writes": counted["ops"], "bytes": [512 * n for n in counted["sectors"]], "flushes": counted["flushes"]})
P
    [ -z "$fio" ] || { kill "$fio"; wait "$fio" 2>/dev/null || true; fio=''; rm -f "$dir/one/neighbour"; }
    echo >"$group/blkio.throttle.write_iops_device" "$(cat "/sys/block/${loops[0]#/dev/}/dev") 0"
    "$secchi" db purge "$at" >"$dir/log" 2>&1 || { tail -3 "$dir/log"; exit 1; }
done
