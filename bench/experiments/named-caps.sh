#!/bin/bash
# Measures how often a quick `secchi qualify` names the cap that binds, and how often it names a wrong one.
#
# The matrix: caps of 3,000, 6,000, 12,000, 20,000 IOPS and of 94, 125, 250 MB/s by a kernel throttle. Each cap is visible (the
# control group can be read) or hidden (it is unmounted in the run's mount namespace). Each run has one block size or two, on a
# quiet machine or next to a busy core and 50 MB/s of writes. 56 runs of about 20 s. Needs root, cgroup v1 blkio, fio, python3.
#
#   bench/experiments/named-caps.sh SECCHI DIR DEVICE    e.g. target/release/secchi /var/tmp/experiment 254:0
#
# CAPS='3000iops 94mb', VISIBLE='seen hidden', SIZES='one two' and LOADS='quiet busy' select runs. Prints one line per run, then totals.
# named: the answer has the right kind and a figure within 5 %, or is "a cap or the device" for a hidden cap with one size.
# unnamed: the answer names nothing. WRONG: anything else.
set -euo pipefail
secchi=$(realpath "$1") dir=$2 device=$3
caps=${CAPS:-3000iops 6000iops 12000iops 20000iops 94mb 125mb 250mb}
group=/sys/fs/cgroup/blkio/secchi-named-caps-$$
mkdir -p "$dir/data" "$group"
jobs=()
end_jobs() {
  for job in "${jobs[@]}"; do kill "$job" 2>/dev/null || true; done
  for job in "${jobs[@]}"; do wait "$job" 2>/dev/null || true; done
  jobs=()
}
clean() {
  end_jobs
  rmdir "$group"
  rm -f "$dir/neighbour"
}
trap clean EXIT

disturb() {
  dd if=/dev/zero of="$dir/neighbour" bs=1M count=256 oflag=direct status=none
  fio --name=n --filename="$dir/neighbour" --size=256m --rw=randwrite --bs=64k --direct=1 --rate=50m --time_based \
    --runtime=1d --ioengine=libaio --iodepth=4 --output=/dev/null &
  jobs+=($!)
  sh -c 'while :; do :; done' &
  jobs+=($!)
}

throttle() { # KIND VALUE
  echo "$device $2" > "$group/blkio.throttle.read_$1_device"
}

judge() { # KIND VALUE VISIBLE SIZES < the run as JSON
  python3 -c '
import json, re, sys
kind, value, visible, sizes = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
run = json.load(sys.stdin)
judgement = run["judgement"]
found = []
for pattern in judgement["patterns"]:
    binding = pattern["binding"]
    if pattern["role"] == "probe" or binding["kind"] in ("unknown", "latency"):
        continue
    # A run with one size cannot decide more than this, and its answer lists the sizes that would decide.
    if binding["kind"] == "cap_or_device":
        found.append((True if (visible, sizes) == ("hidden", "one") else None, pattern["label"], binding["kind"]))
        continue
    wanted = ("limit_iops", "iops_cap", "cap") if kind == "iops" else ("limit_bandwidth", "bandwidth_cap", "cap")
    # Figure that a constraint allows in operations of this size, or the figure in its name: "IOPS cap near 6,000".
    allowed = [c["allows"] for c in binding["constraints"] if c["name"] in binding["names"] and "near" not in c["name"]]
    if kind == "bps":
        allowed = [a * pattern["mean_size"] for a in allowed]
    for name in binding["names"]:
        near = re.search(r"near ([\d,.]+)( MB/s)?", name)
        if near and bool(near[2]) == (kind == "bps"):
            allowed.append(float(near[1].replace(",", "")) * (1e6 if near[2] else 1))
    right = binding["kind"] in wanted and any(abs(a / value - 1) <= 0.05 for a in allowed)
    found.append((right, pattern["label"], binding["kind"]))
lines = {l["subject"]: l["text"] for l in judgement["answer"]["lines"]}
said = any(l["id"] in ("limit", "unnamed-cap", "cap-or-device") for l in judgement["answer"]["lines"])
wrong = "; ".join(f"{f[1]}: {f[2]}" for f in found if f[0] is False)
named = found and said and all(f[0] for f in found)
print("WRONG" if wrong else "named" if named else "unnamed", "|", wrong or lines.get("binds", ""))
' "$@"
}

rm -f "$dir/named-caps.txt"
for load in ${LOADS:-quiet busy}; do
  [ "$load" = quiet ] || disturb
  for cap in $caps; do
    for sizes in ${SIZES:-one two}; do
      for visible in ${VISIBLE:-seen hidden}; do
        case $cap/$sizes in
          *iops/one) kind=iops value=${cap%iops} bs=8k ;;
          *iops/two) kind=iops value=${cap%iops} bs=4k,8k ;;
          *mb/one) kind=bps value=$((${cap%mb} * 1000000)) bs=64k ;;
          *mb/two) kind=bps value=$((${cap%mb} * 1000000)) bs=64k,128k ;;
        esac
        throttle iops 0; throttle bps 0
        throttle "$kind" "$value"
        words=(qualify "$dir/data" --patterns randread --bs "$bs" --size 256m --max-depth 16 --json --store "$dir/store")
        began=$(date +%s)
        if [ "$visible" = seen ]; then
          bash -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$secchi" "${words[@]}"
        else
          # shellcheck disable=SC2016
          bash -c 'echo $$ > "$0/cgroup.procs"; shift 0; exec unshare -m sh -c "mount --make-rprivate /; umount -l /sys/fs/cgroup; exec \"\$@\"" sh "$@"' \
            "$group" "$secchi" "${words[@]}"
        fi > "$dir/run.json" 2> "$dir/run.err" || true
        [ -z "${KEEP:-}" ] || cp "$dir/run.json" "$dir/$load-$cap-$sizes-$visible.json"
        printf '%s | %s | %s | %s | %d s | %s\n' "$load" "$cap" "$visible" "$sizes" $(($(date +%s) - began)) \
          "$(judge "$kind" "$value" "$visible" "$sizes" < "$dir/run.json")" | tee -a "$dir/named-caps.txt"
      done
    done
  done
  end_jobs
done
awk -F' [|] ' '{ n[$6]++ } END { for (v in n) print v ": " n[v] }' "$dir/named-caps.txt"
