# Errors, wrong data, operations that never completed.
doubt-io-errors = operations failed, so no need can be met
seen-io-errors = { $failed } failed, { $done } completed
seen-io-errors-of = { $failed } failed ({ $codes }), { $done } completed
remedy-io-errors = check the kernel log (dmesg) and the device before anything else
doubt-written-over = blocks differ from what this job wrote: another job may have overwritten them
doubt-no-block-right = no block has the contents that verification expects
doubt-wrong-data = data is wrong: blocks differ from what was written
seen-wrong-blocks = { $wrong } of { $blocks } blocks read back are wrong
seen-wrong-blocks-as = { $wrong } of { $blocks } blocks read back are wrong: { $findings }
seen-also-wrote = { $job } wrote to the same place at the same time
remedy-own-file = give each job its own file
remedy-same-options = check that the job that wrote the data used the same options as the job that verifies it
remedy-wrong-data = do not trust this storage; check the kernel log (dmesg)
seen-verification-mixed = { $blocks } blocks were verified while the job ran
doubt-hung = operations never completed
seen-hung = { $n } operations pending at the end, the oldest for { $oldest }
remedy-hung = check the kernel log (dmesg); the device or the path to it is gone or stuck
doubt-no-io = no I/O was done
seen-no-io = no operation completed in the measured time
remedy-no-io = run longer, or check the errors and the kernel log (dmesg)
doubt-allowance = the network queued or dropped packets: the instance exceeded its allowance
seen-allowance = { $interface }: { $counter } { $rate } packets/s
remedy-allowance = use a larger instance, or reduce its other network traffic; the figures describe the network, not the storage

# A rate that is not at one level, or was measured too briefly.
doubt-level-changed = the rate changed level: the figures are those of the last level
doubt-level-changed-fio = the rate changed level: fio's figures above are means across the change; needs and `secchi show` use the last level
doubt-level-changed-mark = the rate changed level within a loop: the loop's figure is a mean across the change and is struck out
seen-bucket = if this was a burst bucket, it held about { $n } operations
remedy-level-changed = run longer to see which level lasts
doubt-not-settled = the rate did not settle: its mean is not meaningful, and no need can be met
doubt-not-settled-fio = the rate did not settle: fio's figures above are means of a changing rate; no need can be met
doubt-not-settled-mark = the rate did not settle within a loop: the loop's figure is a mean of a changing rate and is struck out
remedy-not-settled = run longer, or find what else uses the device
doubt-too-short = too few windows to compute a confidence interval or judge steadiness
seen-windows = { $n } windows
remedy-longer-runtime = use a longer runtime=, with time_based
remedy-more-time = run longer
remedy-more-effort = use --effort standard or thorough
remedy-most-effort = use --effort thorough
remedy-wavers = repeat when the device is quiet: the rate fluctuates too slowly for the time measured

# Limits of the control group that changed.
seen-none = none
doubt-limit-changed = a limit of secchi's control group changed during the measurement: the figures cover only the time after the change
doubt-limit-changed-steps = a limit of secchi's control group changed during the measurement: the rate was measured under several limits
seen-limit-changed = before { $at }: { $was }; after that: { $is }
seen-limit-changed-often = { $n } changes between { $first } and { $last }; before: { $was }; after: { $is }
remedy-limit-changed = repeat while the limits do not change
doubt-limits-differ = limits of secchi's control group changed during the run: each step is judged by the limits in force at the time
seen-limits-differ = at first: { $was }; from { $at } onwards: { $is }
remedy-limits-differ = compare only levels that were measured under the same limits

# Contents that are easier than data.
doubt-easy-contents = the data written is easier to compress or deduplicate than real data: storage that compresses or deduplicates writes less
seen-zeros-written = zeros are written
seen-pattern-written = a pattern of { $n } bytes is written repeatedly
seen-compresses = { $percent } % can be compressed away
seen-repeats = { $percent } % duplicates earlier blocks
remedy-easy-contents = write random data
remedy-easy-contents-fio = omit zero_buffers, buffer_pattern, buffer_compress_percentage and dedupe_percentage

# A load at a rate.
doubt-rate-not-sustained = the requested rate was not reached: response times are those of an unstable queue
seen-late = { $rate } of { $asked } operations per second, submitted up to { $late } late
remedy-lower-rate = request a lower rate
doubt-from-due = latencies at a fixed rate count from the time an operation was due, so a stall adds to the latency of every operation that it delayed; fio's figures count from submission
seen-from-due = from due: { $due }; from submission: { $sent }
seen-latency = mean { $mean }, longest { $longest }
seen-latency-p99 = mean { $mean }, p99 { $p99 }, longest { $longest }
doubt-unsent = some operations were due but not yet submitted at the end: their response times would be the longest, but are missing
seen-unsent = about { $left } of { $due } due operations were not submitted; the oldest had waited for { $waited }
remedy-unsent = request a lower rate, or allow more in flight

# The run as a whole.
seen-step = { $label } at depth { $n }
seen-the-run = the run
doubt-long-run = the run was long: it is recorded in intervals of { $length }
seen-long-run = counts, totals, histograms, minima and maxima, and fio's samples and logs are exact; times are accurate to one interval
doubt-max-written = the limit on bytes written was reached: workloads that write were cut short or left out
seen-max-written = { $written } of { $most }; cut short: { $cut }; left out: { $out }
remedy-max-written = raise --max-written (or use --yes), or choose workloads that only read
seen-ramp-bounded = { $label }: at most { $deepest } operations in flight, because deeper levels would be cut short
doubt-nothing-within-bound = nothing was measured within the limit of { $most } on bytes written (raise --max-written or use --yes)
doubt-file-system-full = the file system is full
remedy-file-system-full = free some space or use a larger volume, then run again
doubt-run-killed = the run was killed before it finished
doubt-run-running = the run is still running
doubt-run-stopped = the run was stopped before it finished
doubt-run-hung = the run was abandoned because operations did not complete
doubt-run-failed = errors ended the run
seen-steps-run = { $n } steps were run
doubt-device-cache = the working set is small: a cache in the device or its host may hold it
doubt-page-cache = the working set is less than twice the memory size: the page cache may hold it
seen-working-set = { $size } under test, { $memory } of memory
remedy-ping-direct = use -D to bypass the page cache
remedy-larger = use --size { $size } or more
remedy-larger-fio = use size={ $size } or more
doubt-read-modify-write = blocks smaller than the device's physical block are written: each may cost a read and a write
seen-read-modify-write = { $labels } on physical blocks of { $physical }
remedy-read-modify-write = use block sizes that are multiples of { $physical }

# Memory or a cache in place of the storage.
doubt-memory-backed = memory was measured, not storage
remedy-memory-backed = choose a target on a disk
doubt-direct-not-honoured = direct I/O was requested, but not all of it reached the device: a cache answered, or blocks had never been written
seen-charged = { $share } % of the { $asked } { $verb } was charged to secchi as device I/O
remedy-direct-not-honoured = fill the file again, or choose a file system that honours O_DIRECT
doubt-no-direct = direct I/O is not supported here, and the page cache answered: the figures do not describe the storage
remedy-no-direct = name a directory on the storage in question, or use --buffered to measure through the page cache
doubt-served-from-cache = part of the I/O was served by the page cache: this is not the rate of the storage
remedy-served-from-cache = measure with direct I/O, or on a file several times the size of memory

# Others on the device.
doubt-other-operations = secchi's control group was charged for operations that secchi did not request
seen-other-operations = { $asked } { $what } requested, { $charged } charged; up to { $edges } may have been in flight at the start or end
remedy-other-operations = run secchi alone in its control group
doubt-foreign-load = other processes used the device at the same time
doubt-taken-by-others = other processes used too much of the device: the remaining rate is not that of the storage
seen-foreign-load = the device processed { $share } % more { $what } than secchi requested
seen-ours-of-cap = secchi used { $ours } % of { $cap }, and other processes used the rest
remedy-foreign-load = repeat when the device is quiet

# Counts that contradict each other.
doubt-little = rate, latency and operations in flight contradict each other
seen-little = X*R / N = { $ratio }, allowed 1 +- { $allowed }
remedy-little = run the step longer; if it persists, report it as a bug in secchi
doubt-own-counts = secchi's own counts are inconsistent
seen-counts = { $submitted } submitted, but { $completed } completed + { $failed } failed + { $pending } pending; { $measured } in the intervals
seen-bytes = { $bytes } bytes moved in total by { $ops } { $op }s of { $size } each
seen-bytes-of-sizes = { $bytes } bytes moved in total by { $ops } { $op }s of { $low } to { $high } each
remedy-own-counts = report it as a bug in secchi
doubt-l0-spoilt = the latency with one operation in flight is higher than the rates of deeper levels imply: something slowed individual operations
seen-l0-spoilt = { $l0 } measured, but { $n } operations in flight reached { $rate } IOPS. That is { $used } % of the rate that this latency allows, so the true latency is at most { $most }
remedy-l0-spoilt = repeat when the device is quiet; check the power-saving settings of the CPU and the link

# The CPU: of the load generator, of others, of the hypervisor.
doubt-generator-bound = the load generator ran out of CPU: the rate is a lower bound for the storage
remedy-generator-bound = give secchi more CPU, or use a cheaper engine or fewer threads
of-cpu-quota = its control group's quota of { $quota } CPUs
of-cpus = { $n ->
    [1] one CPU
   *[other] { $n } CPUs
}
seen-threads-used = the generator's threads used { $share } % of { $of }
seen-generator = generator: { $share } % of { $of }
seen-throttled = the control group throttled the CPU in { $share } % of its periods
seen-busiest-thread = the generator's busiest thread was on a CPU { $share } % of the time
seen-near-ceiling = { $share } % of secchi's own ceiling ({ $ceiling } IOPS on the null engine)
seen-machine-idle = the machine was { $idle } % idle; secchi used { $ours } % of its CPU
seen-not-in-flight = only { $n } of the requested { $asked } operations were in flight
doubt-starved = other processes used the CPU: neither the rate nor the latencies are those of the storage
doubt-starved-in-part = other processes used the CPU part of the time: latencies are longer than those of the storage, and the rate may be lower
doubt-starved-on-the-way = other processes used the CPU during levels that lead up to the judged one: the figures of those levels are left out
doubt-size-left-out = other processes used the CPU or the device during these levels: their figures are left out; other sizes show the limit
seen-waited-cpu = the workers waited { $share } % of their time for a CPU
seen-waited-each = when an operation completed, its worker waited { $wait } for a CPU on average, { $share } % of the mean latency
seen-waits-untold = this kernel does not report how long the workers waited for a CPU
seen-others-cpu = other processes used { $used } of { $cpus ->
    [1] the only CPU
   *[other] { $cpus } CPUs
}
seen-idle = { $share } % of the CPU was idle
seen-stolen = the hypervisor gave { $share } % of the CPU to other machines
remedy-starved = repeat when nothing else needs the CPU, or give secchi dedicated CPUs or a higher priority (taskset, nice)
doubt-cpu-steal = the hypervisor gave CPU time of this machine to other machines
seen-cpu-steal = up to { $most } % in { $n } of { $all } steps
remedy-cpu-steal = repeat when the host is quieter; latencies suffer first
doubt-scheduling-noise = this machine's scheduling noise, { $gap } at p99.9, is as large as the measured tail
seen-p999 = { $p999 } at p99.9
remedy-scheduling-noise = do not attribute p99.9 and beyond to the device

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
doubt-burst = the first loops were faster than all later ones: burst credits or a cache were used up
remedy-burst = use the figures of the last loops, not of the best one; run longer
doubt-faster-later = later loops were faster than all earlier ones: a cache now holds the data, or the device had to wake up
remedy-faster-later = use a larger file, or more loops, and see which level lasts
doubt-loops-differ = the loops differ: the best loop shows what is possible, not what to expect
remedy-loops-differ = repeat when the device is quiet, with more or longer loops
doubt-compressible-data = the data is zeros: storage that compresses, deduplicates or skips zeros appears faster than it is
seen-zeros-hold = all { $size } under test are zeros
remedy-compressible-data = use random data, the default of --data
doubt-too-small = the file is smaller than the caches of disks and controllers, which may have held all of it
seen-gone-through = { $size } was accessed { $n } times in { $time }

# What a drive reports about itself.
doubt-drive-hot = the drive reached its warning temperature: it may have throttled itself
seen-hot = up to { $highest } °C, warning at { $warns }
remedy-drive-hot = cool the drive, and repeat: a hot drive throttles
doubt-drive-worn = the drive is near the end of its life: a new one of the same model may do better
seen-endurance = { $used } % of its endurance is used
seen-spare = { $left } % of its spare blocks are left, warning at { $least }
remedy-drive-worn = replace the drive before data is at risk
doubt-drive-errors = the drive reports internal errors: retries make it slower
seen-media-errors = { $n } media errors in its lifetime
seen-drive-warns = the drive's warnings: { $what }
drive-warns-reliability = degraded reliability
drive-warns-read-only = read-only mode
drive-warns-backup = failed memory backup
drive-warns-temperature = temperature
drive-warns-spare = few spare blocks
remedy-drive-errors = check the drive's log (nvme smart-log, smartctl -x), and replace the drive if the errors increase
doubt-slow-link = the drive's link is slower than the drive supports: the link may be the limit
seen-link = the link is PCIe { $is }, the drive supports { $best }
remedy-slow-link = use a slot with all the lanes and the full speed that the drive supports

# Bursts and stalls.
found-burst-bucket = { $label } burst at { $burst } IOPS for { $lasted }, then sustained { $refill }: a test of { $only } would have seen only the burst
seen-burst-rate = burst { $rate } IOPS ({ $bandwidth })
seen-refill-rate = refill { $rate } IOPS ({ $bandwidth })
seen-bucket-depth = a bucket of at least about { $n } operations ({ $gb } GB), not counting what earlier steps drained
seen-recovery = the bucket is full again after { $time } without load
remedy-burst-bucket = plan with the refill rate; let the bucket refill and run again to see the whole bucket
met-above-baseline = met, using burst credits above { $cap }
met-on-burst = met on burst credits only: the sustained rate is { $rate } IOPS and was not measured (the load ran for { $loaded }; full credits last { $lasts })
not-met-at-baseline = not met: the sustained rate is { $rate } IOPS, and the measured rate used burst credits (the load ran for { $loaded }; full credits last { $lasts }); use `for` to require a duration
figure-at-baseline = { $rate } IOPS at the baseline, { $measured } on credits
met-for-duration = met for the required duration, using burst credits above { $cap }; full credits last { $lasts }
need-held = held for { $time }; a burst bucket of { $n } operations or more cannot be ruled out: use `for` to require a longer time
found-stalls = { $label } stalled { $n ->
    [1] once, for { $longest }
   *[other] { $n } times, for up to { $longest }
}: nothing completed although operations were in flight
seen-stall = { $length } long, { $at } after the start of its step
seen-more-stalls = and { $n } more
seen-stalled = { $total } of { $measured } s in total: { $share } %
remedy-stalls = check the kernel log (dmesg) and what else uses the device; at a fixed rate, such a stall adds to every request it delays

# I/O layer by layer.
layers-whole-time = the whole time
layers-between-steps = between steps
layers-in-flight = { $label }, { $n } in flight
layers-and-others = { $label } and { $n } other workloads
layers-nothing-reached = no I/O reached a device: the layers above the devices answered all of it
layers-stands-on = { $device } is stacked on { $over }: requests that pass through { $device } are counted again one layer lower
layers-requests = { $n } { $n ->
    [1] { $what }
   *[other] { $what }s
}
layers-all-of-size = all of { $size }
layers-of-size = { $share } of { $size }
layers-mean-size = { $kib } KiB on average
layers-in-order = { $share } in order
layers-none-reached = { $device }: none of the { $n } requested { $what }s reached it: the page cache served or absorbed them
layers-part-reached = { $device }: { $share } of the requested bytes were { $what ->
    [read] read
   *[write] written
}: the page cache served the rest or still holds it
layers-more-bytes = { $device }: { $times } times the requested bytes, because of read-ahead, reads of whole pages, or I/O by other processes
layers-merged = { $device }: { $n } application { $what }s per request, with the same bytes in total: adjacent { $what }s were merged
layers-split = { $device }: { $n } requests per application { $what }, with the same bytes in total: split at extents and at the device's maximum request size
layers-became = { $device }: { $asked } application { $what }s became { $n } requests
layers-one-each = { $device }: each application { $what } was one request, neither merged nor split
layers-unmapped = { $device }: { $share } of the { $what } bytes ({ $n } requests) belong to no file with a known role
layers-unmapped-metadata = { $stray }, { $share } of them marked as metadata by the file system
layers-queue-merged = { $device }: { $entered } operations entered the block layer and { $left } requests left it: { $per } operations per request on average
layers-queue-split = { $device }: { $entered } operations entered the block layer and { $left } requests left it: large operations were split ({ $splits } times)
layers-count-same = { $device }: the kernel's own count is the same, { $n } requests
layers-count-flushes = { $device }: the kernel's own count has the same bytes, and { $n } more writes: flushes and writes of zeros
layers-count-differs = { $device }: the kernel's own count differs by { $reads } reads and { $writes } writes: { $why }
layers-events-lost = events were lost
layers-count-edges = requests in flight at the start and the end, and flushes and zeroing that the kernel counts among writes
doubt-trace-lost = the kernel's trace buffer was full: counts and sums of the block trace are too low
seen-trace-lost = { $lost } events lost, { $read } read
remedy-trace-lost = trace a slower load, or leave a CPU free for the trace; the kernel's own counts are complete
doubt-role-unmapped = some requests of the role { $role } could not be distinguished from other requests
doubt-absent = some reads found no object: they were counted but returned no data
seen-absent = { $absent } reads found no object; { $done } operations were counted
remedy-absent = write the objects first, with the same names and block size
