#!/usr/bin/env bash
# Compares the model with the engines that it models: the same inserts, in order and in random order, with data and journal each on a loop
# device. Prints a row for each run: I/O that reached the devices, by role (counted by control group and by /sys/block), data pages, and the
# engine's counts. Needs root. Usage: model-inserts.sh DIR ENGINE[,ENGINE...] NODES[,NODES...] [RATE]
set -euo pipefail
export LC_ALL=C
dir=${1:?directory} engines=${2:?engines} nodes=${3:?nodes} rate=${4:-100}
secchi=${SECCHI:-target/release/secchi}
base=${BASE:-30000} cache=${CACHE:-8m} value=${VALUE:-300} back=${BACK:-1h}
mkdir -p "$dir"
dir=$(realpath "$dir")
# shellcheck source=bench/experiments/loops
. "$(dirname "$0")/loops"
trap drop_disks EXIT
make_disks 3g data journal
stat_of() { awk '{ printf "%s %s %s %s %s ", $1, $3, $5, $7, $16 }' "/sys/block/${1#/dev/}/stat"; }
for engine in ${engines//,/ }; do
    for order in sequential random; do
        for n in ${nodes//,/ }; do
            at="$dir/data/ran"
            case $engine in
                model-*) how=(--engine model --profile "${engine#model-}" --data "$dir/data" --journal "$dir/journal") ;;
                sqlite) how=(--engine sqlite) ;;
                *) how=(--engine "$engine" --data "$dir/data" --journal "$dir/journal") ;;
            esac
            "$secchi" db setup "$at" "${how[@]}" --size 16m >"$dir/setup.log" 2>&1 || { tail -5 "$dir/setup.log"; exit 1; }
            "$secchi" db create-globals "$at" -g 2 -s "$base" --value "$value" >"$dir/create.log" 2>&1
            sync
            before="$(stat_of "${loops[0]}") $(stat_of "${loops[1]}")"
            code=0
            "$secchi" db insert "$at" -p 2 -n $((n / 2)) --txn 50 --value "$value" --cache "$cache" --order "$order" --seed 1 \
                --write-back "$back" --rate "$rate" --rate-process fixed -o "$dir/run.json" >"$dir/run.log" 2>&1 || code=$?
            sync
            after="$(stat_of "${loops[0]}") $(stat_of "${loops[1]}")"
            python3 - "$engine" "$order" "$n" "$dir/run.json" "$code" "$before" "$after" <<'P'
import json, sys
engine, order, n, path, code, before, after = sys.argv[1:]
db = json.load(open(path))["record"]["database"]
print(f"== {engine} {order} {n} (exit code {code})")
for role in db["roles"]:
    print("  ", role["role"], {k: role.get(k) for k in ("source", "reads", "read_bytes", "writes", "write_bytes", "flushes")})
for part in ("below", "after"):
    below = db.get(part) or {}
    for d in below.get("devices", []):
        own = d.get("group") or {}
        print("  ", part, d.get("name"), {k: v for k, v in d.items() if k not in ("name", "group")}, own)
b, a = ([float(x) for x in t.split()] for t in (before, after))
names = ("reads", "sectors read", "writes", "sectors written", "flushes")
for i, role in enumerate(("data", "journal")):
    print("   /sys/block", role, {m: int(a[5 * i + j] - b[5 * i + j]) for j, m in enumerate(names)})
counts = dict(db["counters"])
print("   counts", {k: v for k, v in counts.items() if v})
print("   growth", {k: v for k, v in (db.get("growth") or {}).items()})
P
            if [ "$engine" = gtm ] && [ -n "${INTEG:-}" ]; then $INTEG "$at"; fi
            if [ "$engine" = sqlite ] && [ -n "${SQLITE:-}" ]; then $SQLITE "$at"; fi
            "$secchi" db purge "$at" >"$dir/purge.log" 2>&1 || { tail -3 "$dir/purge.log"; exit 1; }
        done
    done
done
