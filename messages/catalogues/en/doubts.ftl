# Errors, wrong data, operations that never came back.
doubt-io-errors = operations failed: no need may pass on such storage
seen-io-errors = { $failed } failed beside { $done } completed
seen-io-errors-of = { $failed } failed beside { $done } completed ({ $codes })
remedy-io-errors = read the kernel log; check the device before anything else
doubt-written-over = blocks are not what this job wrote there: another may have written over them
doubt-no-block-right = not one block is what verification expects
doubt-wrong-data = data is wrong: blocks are not what was written there
seen-wrong-blocks = { $wrong } of { $blocks } blocks read back are wrong
seen-wrong-blocks-as = { $wrong } of { $blocks } blocks read back are wrong: { $findings }
seen-also-wrote = { $job } wrote to the same place at the same time
remedy-own-file = give each job a file of its own
remedy-same-options = check that the job which wrote used the same options
remedy-wrong-data = do not trust this storage; read the kernel log
seen-verification-mixed = { $blocks } blocks were verified while the job ran
doubt-hung = operations never came back
seen-hung = { $n } pending at the end, the oldest { $oldest } old
remedy-hung = read the kernel log; the device or its path is gone or stuck
doubt-no-io = no I/O was done
seen-no-io = not one operation completed in the measured time
remedy-no-io = give it more time, or look at the errors and the log
doubt-allowance = the network held packets back: the instance used up what it is allowed
seen-allowance = { $interface }: { $counter } { $rate } packets/s
remedy-allowance = a larger instance, or less beside it on the network; the figures are the network's

# A rate that is not at one level, or was measured too briefly.
doubt-level-changed = the rate changed level: its figures are those of the last level
doubt-level-changed-fio = the rate changed level: fio's figures above are means across the change; needs and `secchi show` go by the last level
doubt-level-changed-mark = the rate changed level within a loop: its figure is a mean across the change, and struck
seen-bucket = as a burst bucket it held about { $n } operations
remedy-level-changed = run longer to see which level stays
doubt-not-settled = the rate did not settle: it has no mean, and no need can be met by it
doubt-not-settled-fio = the rate did not settle: fio's figures above are means that are true of no moment; no need can be met
doubt-not-settled-mark = the rate did not settle within a loop: its figure is true of no moment, and struck
remedy-not-settled = run longer, or find what else uses the device
doubt-too-short = too few windows for an interval or a regime
seen-windows = { $n } windows
remedy-longer-runtime = give it a longer runtime=, with time_based
remedy-more-time = give it more time
remedy-more-effort = use --effort standard or thorough
remedy-most-effort = use --effort thorough
remedy-wavers = repeat when the device is quiet: the rate wavers too slowly for the time there was

# Limits of the control group that changed.
seen-none = none
doubt-limit-changed = a limit of our control group changed while this was measured: its figures are from after that
doubt-limit-changed-steps = a limit of our control group changed while this was measured: its rate is of no one limit
seen-limit-changed = after { $at }: { $is }, before it { $was }
seen-limit-changed-often = { $n } times from { $first } to { $last }: { $was } before, { $is } in the end
remedy-limit-changed = repeat while the limits stand still
doubt-limits-differ = limits of our control group changed during the run: each step is held against its own
seen-limits-differ = from { $at } on: { $is }, at first { $was }
remedy-limits-differ = compare only levels under the same limits

# Contents that are easier than data.
doubt-easy-contents = what is written is easier than data: storage that compresses or knows blocks again writes less
seen-zeros-written = zeros are written
seen-pattern-written = a pattern of { $n } bytes is written over and over
seen-compresses = { $percent } % compresses away
seen-repeats = { $percent } % repeats earlier blocks
remedy-easy-contents = write random data
remedy-easy-contents-fio = leave zero_buffers, buffer_pattern, buffer_compress_percentage and dedupe_percentage out

# A load at a rate.
doubt-rate-not-sustained = the rate asked for was not reached: response times are of an unstable queue
seen-late = { $rate } of { $asked } per second, submissions up to { $late } late
remedy-lower-rate = ask for a lower rate
doubt-from-due = latencies of a load at a rate count from when an operation was due, so that a stall is in each that it delayed; fio's figures count from its submission
seen-from-due = from due: { $due }; from submission: { $sent }
seen-latency = mean { $mean }, longest { $longest }
seen-latency-p99 = mean { $mean }, p99 { $p99 }, longest { $longest }
doubt-unsent = operations that were due when it ended had not been sent: they are in no response time, and would be the longest
seen-unsent = about { $left } of { $due } due; the oldest of them had waited for { $waited }
remedy-unsent = ask for a lower rate, or let more be in flight

# The run as a whole.
seen-step = { $label } at { $n }
seen-the-run = the run
doubt-long-run = the run was long: it is kept in intervals of { $length } from its beginning on
seen-long-run = counts, totals, histograms, the least and the largest, and fio's samples and logs are exact; a moment is told to within such an interval
doubt-max-written = what may be written was written: workloads that write were cut short or left out
seen-max-written = { $written } of { $most }; cut short: { $cut }; left out: { $out }
remedy-max-written = raise --max-written (or --yes), or choose patterns that read
seen-ramp-bounded = { $label }: nothing deeper than { $deepest } in flight, which would be cut short
doubt-nothing-within-bound = nothing was measured within the bound of { $most } on writes (allow more with --max-written SIZE or --yes)
doubt-file-system-full = the file system is full
remedy-file-system-full = free some space or take a larger volume, then run again
doubt-run-killed = the run was killed before its end
doubt-run-running = the run is still running
doubt-run-stopped = the run was stopped before its end
doubt-run-hung = the run was given up because operations did not come back
doubt-run-failed = the run was ended by errors
seen-steps-run = { $n } steps run
doubt-device-cache = the working set is small: a cache in the device or its host may hold it
doubt-page-cache = the working set is below twice the memory: the page cache may hold it
seen-working-set = { $size } under test, { $memory } of memory
remedy-ping-direct = use -D to pass the page cache by
remedy-larger = use --size { $size } or more
remedy-larger-fio = use size={ $size } or more
doubt-read-modify-write = blocks smaller than the device's physical block are written: each may cost a read and a write
seen-read-modify-write = { $labels } on physical blocks of { $physical }
remedy-read-modify-write = write blocks of { $physical } or multiples

# Memory or a cache in place of the storage.
doubt-memory-backed = memory was measured, no storage
seen-files-in-memory = { $filesystem } keeps its files in memory
remedy-memory-backed = choose a target on a disk
doubt-direct-not-honoured = direct I/O was asked for, but not all of it reached the device: a cache or never-written blocks answered
seen-charged = { $share } % of the { $asked } { $verb } were charged to us as device I/O
remedy-direct-not-honoured = fill the file again, or choose a file system that honours O_DIRECT
doubt-no-direct = direct I/O is not to be had here, and the page cache answered: this is not the storage
remedy-no-direct = name a directory on the storage in question, or ask for the page cache with --buffered
doubt-served-from-cache = part of the I/O was served by the page cache: this is not the rate of the storage
remedy-served-from-cache = measure with direct I/O, or on a file several times the size of memory

# Others on the device.
doubt-other-operations = our control group was charged with other operations than ours
seen-other-operations = { $asked } { $what } asked, { $charged } charged, { $edges } may have been in flight
remedy-other-operations = run the tool alone in its control group
doubt-foreign-load = others used the device at the same time
doubt-taken-by-others = others used too much of the device: what was left of it is no figure of the storage
seen-foreign-load = { $share } % more { $what } on the device than ours
seen-ours-of-cap = of { $cap } we used { $ours } %, and they had more than the rest
remedy-foreign-load = repeat when the device is quiet

# Counts that contradict each other.
doubt-little = rate, latency and operations in flight contradict each other
seen-little = X*R / N = { $ratio }, allowed 1 +- { $allowed }
remedy-little = run the step longer; if it stays, report it as a bug of the tool
doubt-own-counts = the tool's own counts do not add up
seen-counts = submitted { $submitted } against { $completed } completed + { $failed } failed + { $pending } pending; { $measured } in the intervals
seen-bytes = { $ops } { $op }s of { $size } each moved { $bytes } bytes
seen-bytes-of-sizes = { $ops } { $op }s of { $low } to { $high } each moved { $bytes } bytes
remedy-own-counts = report it as a bug of the tool
doubt-l0-spoilt = the latency with one in flight is larger than deeper levels allow: something slowed single operations
seen-l0-spoilt = { $l0 } each; but { $n } in flight did { $rate } IOPS, { $used } % of what that allows, which leaves { $most } at most
remedy-l0-spoilt = repeat when the device is quiet; look at power saving of CPU and link

# The CPU: of the load generator, of others, of the hypervisor.
doubt-generator-bound = the load generator ran out of CPU: the rate is a lower bound of the storage
remedy-generator-bound = give the tool more CPU, or use a cheaper engine or fewer threads
of-cpu-quota = its control group's quota of { $quota } CPUs
of-cpus = { $n ->
    [1] one CPU
   *[other] { $n } CPUs
}
seen-threads-used = its threads used { $share } % of { $of }
seen-generator = generator: { $share } % of { $of }
seen-throttled = the control group took the CPU away in { $share } % of its periods
seen-busiest-thread = its busiest thread was on a CPU { $share } % of the time
seen-near-ceiling = { $share } % of its own ceiling of { $ceiling } on the null engine
seen-machine-idle = the machine was { $idle } % idle, { $ours } % of it ours
seen-not-in-flight = only { $n } of { $asked } operations were in flight
doubt-starved = others had the CPU: neither the rate nor the latencies are the storage's
doubt-starved-in-part = others had the CPU for a part of the time: latencies are longer than the storage's, and the rate may be lower
doubt-starved-on-the-way = others had the CPU on the way to the level that is judged: those figures are left out
doubt-size-left-out = others had the CPU or the device during these levels: their figures are left out, other sizes show the limit
seen-waited-cpu = the workers waited { $share } % of their time for a CPU
seen-waited-each = when an operation was done its worker waited { $wait } for a CPU, { $share } % of the mean latency
seen-waits-untold = how long the workers waited for a CPU this kernel does not tell
seen-others-cpu = others used { $used } of { $cpus ->
    [1] the only CPU
   *[other] { $cpus } CPUs
}
seen-idle = { $share } % was idle
seen-stolen = the hypervisor gave { $share } % to other machines
remedy-starved = repeat when nothing else needs the CPU, or give secchi CPUs of its own or a higher priority (taskset, nice)
doubt-cpu-steal = the hypervisor gave CPU time of this machine to others
seen-cpu-steal = up to { $most } % in { $n } of { $all } steps
remedy-cpu-steal = repeat when the host is quieter; latencies suffer first
doubt-scheduling-noise = this machine's scheduling noise, { $gap } at p99.9, is as large as the tail measured
seen-p999 = { $p999 } at p99.9
remedy-scheduling-noise = do not read p99.9 and beyond as the device's

# Loops of a disk mark.
seen-range = { $low } to { $high }
seen-loops = { $rates } in { $n ->
    [1] one loop
   *[other] { $n } loops
}
seen-first-loops = { $rates } in { $n ->
    [1] the first loop
   *[other] the first { $n } loops
}
seen-then = { $first }, then { $then }
doubt-burst = the first loops were faster than all after them: a burst, or a cache that was used up
remedy-burst = read the last loops, not the best one; run longer
doubt-faster-later = later loops were faster than all before them: a cache holds the data by now, or the device had to wake up
remedy-faster-later = use a larger file, or more loops, and see which level stays
doubt-loops-differ = the loops differ: the best one tells what is possible, not what to expect
remedy-loops-differ = repeat when the device is quiet, with more or longer loops
doubt-compressible-data = the data is zeros: storage that compresses, deduplicates or leaves out zeros shows more than it has
seen-zeros-hold = all { $size } under test hold zeros
remedy-compressible-data = use random data, which is what --data does when it is left out
doubt-too-small = the file is smaller than caches of disks and controllers are: they may have held all of it
seen-gone-through = { $size } were gone through { $n } times in { $time }

# What a drive tells of itself.
doubt-drive-hot = the drive is as hot as it warns of: it may have slowed itself down
seen-hot = up to { $highest } °C, it warns at { $warns }
remedy-drive-hot = cool it, and repeat: a hot drive is slower than itself
doubt-drive-worn = the drive is near the end of its life: a new one of its kind may do better
seen-endurance = { $used } % of its endurance is used
seen-spare = { $left } % of its spare blocks are left, it warns at { $least }
remedy-drive-worn = replace it before its data depends on it
doubt-drive-errors = the drive reports errors of its own: retries make it slower
seen-media-errors = { $n } media errors in its life
seen-drive-warns = it warns of { $what }
drive-warns-reliability = reliability
drive-warns-read-only = read-only
drive-warns-backup = backup
drive-warns-temperature = temperature
drive-warns-spare = spare blocks
remedy-drive-errors = look at its log (nvme smart-log, smartctl -x), and replace it if they grow
doubt-slow-link = the drive is linked below what it can do: the link may be what binds
seen-link = PCIe { $is }, it can do { $best }
remedy-slow-link = put it into a slot of as many lanes and as much speed as it has

# Bursts and stalls.
found-burst-bucket = { $label } burst at { $burst } IOPS for { $lasted }, then gave { $refill }: a test of { $only } would have seen only the burst
seen-burst-rate = burst { $rate } IOPS ({ $bandwidth })
seen-refill-rate = refill { $rate } IOPS ({ $bandwidth })
seen-bucket-depth = a bucket of about { $n } operations ({ $gb } GB) at the least: what earlier steps drained is not in it
seen-recovery = full again after { $time } without load
remedy-burst-bucket = plan with the refill rate; let it rest and run again to see the whole bucket
met-above-baseline = met; above { $cap } it ran on burst credits
met-on-burst = met on burst credits only: { $rate } IOPS is what lasts, and it was not measured ({ $loaded } of load, the burst lasts { $lasts })
not-met-at-baseline = not met: { $rate } IOPS is what lasts; the rate measured was on burst credits ({ $loaded } of load, full credits last { $lasts }); `for` demands a duration
figure-at-baseline = { $rate } IOPS at the baseline, { $measured } on credits
met-for-duration = met for the duration demanded, on burst credits above { $cap }; full credits last { $lasts }
need-held = held for { $time }; a burst bucket of { $n } operations or more is not excluded, `for` demands longer
found-stalls = { $label } stood still { $n ->
    [1] once, for { $longest }
   *[other] { $n } times, for up to { $longest }
}: nothing completed though operations were in flight
seen-stall = { $length } at { $at } of its step
seen-more-stalls = and { $n } more
seen-stalled = { $total } of { $measured } s in all: { $share } %
remedy-stalls = look at the kernel log and at what else uses the device; under a load of fixed rate such a stall is in every request it delays

# I/O layer by layer.
layers-whole-time = the whole time
layers-between-steps = between steps
layers-in-flight = { $label }, { $n } in flight
layers-and-others = { $label } and { $n } others
layers-nothing-reached = nothing reached a device: all of it was answered above
layers-stands-on = { $device } stands on { $over }: what it sends down is in the figures of that again, one layer lower
layers-requests = { $n } { $n ->
    [1] { $what }
   *[other] { $what }s
}
layers-all-of-size = all of { $size }
layers-of-size = { $share } of { $size }
layers-mean-size = { $kib } KiB in the mean
layers-in-order = { $share } in order
layers-none-reached = { $device }: none of the { $n } { $what }s asked for reached it: the page cache took them
layers-part-reached = { $device }: { $share } of the bytes asked for were { $what ->
    [read] read
   *[write] written
}: the page cache answered, or still holds, the rest
layers-more-bytes = { $device }: { $times } times the bytes asked for: read-ahead, whole pages for parts of them, or others' I/O
layers-merged = { $device }: { $n } { $what }s of the application per request, the same bytes: neighbours were put together
layers-split = { $device }: { $n } requests per { $what } of the application, the same bytes: extents and the device's largest request cut them
layers-became = { $device }: { $asked } { $what }s of the application became { $n } requests
layers-one-each = { $device }: each { $what } of the application was one request, neither merged nor split
layers-unmapped = { $device }: { $share } of the { $what } bytes ({ $n } requests) belong to no file of a known role
layers-unmapped-metadata = { $stray }, { $share } of them marked as metadata by the file system
layers-queue-merged = { $device }: { $entered } operations entered the block layer and { $left } requests left it, { $per } merged into one
layers-queue-split = { $device }: { $entered } operations entered the block layer and { $left } requests left it: large ones were split ({ $splits } times)
layers-count-same = { $device }: the kernel's own count is the same, { $n } requests
layers-count-flushes = { $device }: the kernel's own count has the same bytes, and { $n } writes more: flushes and writes of zeros
layers-count-differs = { $device }: the kernel's own count differs by { $reads } reads and { $writes } writes: { $why }
layers-events-lost = events were lost
layers-count-edges = requests in flight at the ends, and flushes and zeroing that the kernel counts among writes
doubt-trace-lost = the kernel's trace buffer was full: counts and sums of the block trace are too low
seen-trace-lost = { $lost } events lost, { $read } read
remedy-trace-lost = trace a slower load, or leave a CPU to the trace; the kernel's own counts beside it are whole
doubt-role-unmapped = requests of the role { $role } could not all be told from others
doubt-absent = reads found nothing: they were counted, but no data came for them
seen-absent = { $absent } reads found no object; { $done } operations were counted
remedy-absent = write the objects first, with the same names and block size
