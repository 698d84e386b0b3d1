#!/bin/bash
# How often does a quick `secchi qualify` name the cap that binds, and how often a wrong one?
#
# Caps of 500, 3,000, 6,000, 20,000 IOPS and of 20, 94, 250 MB/s by a kernel throttle, each one told (the control group can
# be read) and not told (it is unmounted in a mount namespace of the run's own), in turn, until RUNS are done. Beside it a
# neighbour: one busy core, and 50 MB/s of writes. Needs root, cgroup v1 blkio, fio, python3; some 20 s a run.
#
#   bench/experiments/named-caps.sh SECCHI DIR DEVICE [RUNS]    e.g. target/release/secchi /var/tmp/experiment 254:0 100
#
# ALONE=1 leaves the neighbour out. CAPS='3000iops 94mb' chooses. One line a run: cap, told, verdict, what was named.
# named: the answer says what binds, by kind and figure within 5 %; unnamed: it says nothing; WRONG: anything else.
set -euo pipefail
secchi=$(realpath "$1") dir=$2 device=$3 runs=${4:-100}
caps=${CAPS:-500iops 3000iops 6000iops 20000iops 20mb 94mb 250mb}
group=/sys/fs/cgroup/blkio/secchi-named-caps
mkdir -p "$dir/data" "$group"
jobs=()
clean() {
  for job in "${jobs[@]}"; do kill "$job" 2>/dev/null || true; done
  wait
  rmdir "$group"
  rm -f "$dir/neighbour"
}
trap clean EXIT

if [ -z "${ALONE:-}" ]; then
  dd if=/dev/zero of="$dir/neighbour" bs=1M count=256 oflag=direct status=none
  fio --name=n --filename="$dir/neighbour" --size=256m --rw=randwrite --bs=64k --direct=1 --rate=50m --time_based \
    --runtime=1d --ioengine=libaio --iodepth=4 --output=/dev/null &
  jobs+=($!)
  sh -c 'while :; do :; done' &
  jobs+=($!)
fi

throttle() { # KIND VALUE
  echo "$device $2" > "$group/blkio.throttle.read_$1_device"
}

judge() { # KIND VALUE < the run as JSON
  python3 -c '
import json, re, sys
kind, value = sys.argv[1], float(sys.argv[2])
run = json.load(sys.stdin)
judgement = run["judgement"]
found = []
for pattern in judgement["patterns"]:
    binding = pattern["binding"]
    if pattern["role"] == "probe" or binding["kind"] in ("unknown", "latency"):
        continue
    wanted = ("limit_iops", "iops_cap") if kind == "iops" else ("limit_bandwidth", "bandwidth_cap")
    # What a row allows in operations of this size, or the figure that is named: "IOPS cap near 6,000".
    allowed = [c["allows"] for c in binding["constraints"] if c["name"] in binding["names"] and "near" not in c["name"]]
    if kind == "bps":
        allowed = [a * pattern["mean_size"] for a in allowed]
    for name in binding["names"]:
        near = re.search(r"near ([\d,.]+)( MB/s)?", name)
        if near:
            allowed.append(float(near[1].replace(",", "")) * (1e6 if near[2] else 1))
    right = binding["kind"] in wanted and any(abs(a / value - 1) <= 0.05 for a in allowed)
    found.append((right, pattern["label"], binding["kind"]))
lines = {l["subject"]: l["text"] for l in judgement["answer"]["lines"]}
said = any(l["id"] in ("limit", "unnamed-cap") for l in judgement["answer"]["lines"])
verdict = "WRONG" if not all(f[0] for f in found) else "named" if found and said else "unnamed"
wrong = "; ".join(f"{f[1]}: {f[2]}" for f in found if not f[0])
print(verdict, "|", wrong or lines.get("binds", ""))
' "$1" "$2"
}

done=0
while :; do
  for cap in $caps; do
    for told in told untold; do
      [ "$done" -lt "$runs" ] || exit 0
      case $cap in
        *iops) kind=iops value=${cap%iops} sizes=4k,8k,16k ;;
        *mb) kind=bps value=$((${cap%mb} * 1000000)) sizes=32k,64k,128k ;;
      esac
      throttle iops 0; throttle bps 0
      throttle "$kind" "$value"
      words=(qualify "$dir/data" --patterns randread --bs "$sizes" --size 256m --max-depth 16 --json --store "$dir/store")
      began=$(date +%s.%N)
      if [ "$told" = told ]; then
        bash -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$secchi" "${words[@]}"
      else
        # shellcheck disable=SC2016
        bash -c 'echo $$ > "$0/cgroup.procs"; shift 0; exec unshare -m sh -c "mount --make-rprivate /; umount -l /sys/fs/cgroup; exec \"\$@\"" sh "$@"' \
          "$group" "$secchi" "${words[@]}"
      fi > "$dir/run.json" 2> "$dir/run.err" || true
      took=$(echo "$(date +%s.%N) - $began" | bc)
      printf '%s | %s | %.0f s | %s\n' "$cap" "$told" "$took" "$(judge "$kind" "$value" < "$dir/run.json")"
      done=$((done + 1))
    done
  done
done
