#!/usr/bin/env bash
# Compares the commits of an engine with those of its model, in the order A B B A, at one rate. Run it on a quiet machine, with nothing else
# on its CPUs and disk. Prints commit p50 and p99 of every run, the contents of a commit by counts (journal writes and bytes, flushes), and
# the ratios of the medians. Needs root. Usage: commits.sh DIR [PROFILE] [ROUNDS]
#
# PROFILE: postgres (the distribution's PostgreSQL), postgres-18 (SECCHI_PG_BIN must name the programs of version 18), gtm, sqlite-wal (one
# session, all on one device). Defaults: SECONDS_EACH=20 RATE=80 NODES=100000 TXN=50
set -euo pipefail
export LC_ALL=C
dir=${1:?directory} profile=${2:-postgres} rounds=${3:-3}
store=''
program=$(realpath "${SECCHI:-target/release/secchi}")
seconds=${SECONDS_EACH:-20} rate=${RATE:-80} nodes=${NODES:-100000}
mkdir -p "$dir"
dir=$(realpath "$dir")
# shellcheck source=bench/experiments/loops
. "$(dirname "$0")/loops"
trap 'drop_disks; rm -rf "$store"' EXIT
make_disks 3g data journal
# secchi's store is in memory: on the disk, its sync each second could affect one commit in a hundred.
store=$(mktemp -d -p /dev/shm)
secchi() { "$program" "$@" --store "$store"; }
case $profile in
    postgres*) real=postgres ;;
    sqlite-wal) real=sqlite ;;
    *) real=$profile ;;
esac
sessions=2 places=(--data "$dir/data" --journal "$dir/journal")
# An SQLite database has one directory and one writer.
[ $real = sqlite ] && sessions=1 places=()
for engine in A B; do
    how=(--engine "$real")
    [ $engine = B ] && how=(--engine model --profile "$profile")
    secchi db setup "$dir/data/$engine" "${how[@]}" "${places[@]}" --size 16m >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    secchi db create-globals "$dir/data/$engine" -g 2 -s "$nodes" >"$dir/log" 2>&1
done
run() {
    secchi db ranwrite "$dir/data/$1" -p $sessions -t "$seconds" --txn "${TXN:-50}" --rate "$rate" --rate-process fixed --seed 1 --cache 16m \
        --write-back 1h --warm-up 2 -o "$dir/$2.json" >"$dir/log" 2>&1 || [ $? -le 2 ]
}
: >"$dir/all"
for ((i = 1; i <= rounds; i++)); do
    for engine in A B B A; do
        n=$(wc -l <"$dir/all")
        run "$engine" "$n"
        echo "$engine $n" >>"$dir/all"
    done
done
python3 - "$dir" <<'P'
import json, statistics, sys
dir = sys.argv[1]
medians = {p: {"A": [], "B": []} for p in ("p50", "p99")}
for line in open(f"{dir}/all"):
    engine, n = line.split()
    document = json.load(open(f"{dir}/{n}.json"))
    record, judged = document["record"], document["judgement"]["database"]
    commit = judged["waves"][0]["commits"]
    commits = commit["count"]
    told = {r["role"]: r for r in record["database"]["roles"]}.get("journal", {})
    each = {k: round((told.get(k) or 0) / commits, 3) for k in ("writes", "write_bytes", "flushes")}
    p50, p99 = (float("nan") if commit[k] is None else commit[k] / 1e6 for k in ("p50", "p99"))
    for name, value in (("p50", p50), ("p99", p99)):
        medians[name][engine].append(value)
    print(f"{engine} {commits} commits: p50 {p50:.3f} ms, p99 {p99:.3f} ms; of the journal for each: {each}; doubts: {[c['id'] for c in document['judgement']['caveats'] if c['severity'] != 'note']}")
    counts = {k: v for k, v in record["database"]["counters"] if "wal_" in k or "shared_sync" in k}
    print("   counts", counts)
for name, of in medians.items():
    a, b = (statistics.median(of[e]) for e in "AB")
    print(f"medians of {name}: engine {a:.3f} ms, model {b:.3f} ms, ratio {b / a:.2f}")
P
for engine in A B; do secchi db purge "$dir/data/$engine" >"$dir/log" 2>&1; done
