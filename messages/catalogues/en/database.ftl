# Doubts about runs of a database.
db-of-model = these figures come from a model of the engine's I/O, not from the engine itself: they exclude the engine's locks and most of the CPU work of the engine and its clients
db-of-model-remedy = compare these figures with those of the engine on a machine where the engine can be installed; the profile lists the source of each figure and the reference it was checked against
db-records-missing = some of the requested records do not exist
db-records-missing-remedy = count the records with secchi db count-subscripts, then recreate them with secchi db create-globals
db-operations-failed = engine operations failed
db-operations-failed-seen = { $failed } failed, { $done } completed
db-operations-failed-remedy = check the engine's log and the kernel log
db-cached-reads = reads were answered from memory: their rate and latency are not those of the storage
db-cached-reads-seen = { $ratio }: { $value }, expected at least { $least }
db-cached-reads-remedy = make the data at least twice as large as memory, or bypass all caches by reading blocks: secchi db ranread
db-counts-of-others = I/O was counted only for whole devices, and other processes used them: ratios that involve device I/O are left out
db-counts-of-others-remedy = run secchi as root or as the engine's user, so that the engine's processes are counted; or repeat when the devices are quiet
db-counts-estimated = an estimated { $share } % of the counted I/O ({ $source }) is from other processes
db-counts-impossible = { $bytes } bytes were written for each byte updated: no engine writes that much
db-counts-not-apart = { $why }; the engine's I/O could not be counted separately: { $missing }
db-foreign-load = other processes used the device at the same time
db-foreign-load-perhaps = other processes may have used the device at the same time: two counts of the engine's I/O disagree
db-foreign-load-range = { $least } to { $most } on { $devices } came from other processes: { $low } to { $high } % of all I/O
db-foreign-load-seen = { $rate } on { $devices } came from other processes: { $share } % of all I/O
db-foreign-load-remedy = repeat the run when the device is quiet
db-fits-cache = the data is less than twice the size of the engine's cache: much of it is served from the cache
db-fits-cache-seen = { $data } of data, { $holds } of cache
db-fits-controller = the data is less than four times the size of the controller's cache: much of it is served from the cache
db-fits-controller-seen = { $data } of data, { $holds } of controller cache
db-fits-memory = the data is less than twice the size of memory: much of it is served from memory
db-fits-memory-seen = { $data } of data, { $holds } of memory
db-hosts-apart = the hosts did not start or end together: each host and each worker is measured over its own period
db-hosts-differ = the databases of the hosts differ: the totals combine figures from different databases
db-host-has = { $host }: { $engine } { $version }, pages of { $page }, cache { $cache }, { $commit }
db-not-stopped = { $engine } could not be stopped cleanly
db-fits-remedy = enlarge the data with `secchi db insert { $directory } --grow-to { $needed }` (run `secchi db create-globals { $directory }` first if it has no globals), or use --cached to measure the caches
db-lazy-commits = commits do not wait until they are durable: a crash loses the latest ones
db-lazy-commits-remedy = repeat the run with durable commits, and compare
db-journal-switched-off = { $engine } switched its journal off during the run: later commits are not durable
db-journal-switched-off-remedy = free up space on the journal's file system or use a larger volume, then run again; if it was not full, check the engine's log
db-journal-unknown = { $engine } did not report at the end of the run whether its journal was still on: commits may not be durable
db-journal-unwritten = commits were reported durable, but the engine did not make its journal durable
db-journal-unwritten-writes = { $commits } commits, but no write to the journal
db-journal-unwritten-flushes = { $commits } commits, but no flush of the journal
db-journal-unwritten-remedy = check the engine's log and its journal settings; the measured rate is that of commits in memory
db-rate-not-kept = the requested rate was not reached: batches that were due but not started are missing from the latencies, although they would have been the slowest
db-rate-not-kept-seen = { $begun } of the { $asked } batches due per second were started; the latest started { $longest } late
db-rate-not-kept-remedy = lower --rate, or use more processes (-p)
db-started-again = transactions were restarted: the engine applied their updates more than once, and its own counters include each attempt
db-started-again-seen = { $again } restarts in { $commits } commits; the engine's SET and KIL counters total { $sets }
db-started-again-remedy = use a larger --cache: if a block is evicted before the commit, its transaction restarts; node counts, the journal and Gloupds include only what was committed
db-values-cut = the model truncated values that are longer than their slot in a page: a real engine would move or split them and write more data than these figures show
db-values-cut-seen = { $n } of { $of } updates; the journal contains the full values
db-values-cut-remedy = create the globals with values as long as the longest update (create-globals --value)
db-tpcb-inconsistent = TPC-B balances and history do not agree: another client wrote to the tables, or the database lost acknowledged updates
db-inserts-not-settled = the inserted nodes could not be counted after the run: the next command on this database will count them
db-inserts-lost = the database has fewer new nodes than acknowledged inserts: the engine lost some, or another client removed them
db-inserts-lost-seen = { $found } found, { $told } acknowledged
db-no-journal = updates were not journaled: they cannot be recovered, and the figures do not include journal writes
db-no-journal-remedy = repeat the run with --journal-mode on, and compare
db-mostly-pause = the workers paused most of the time: the pause determines the rate, but the latencies are valid
db-mostly-pause-seen = { $share } % of their time, with a pause of { $asked } requested after each batch
db-mostly-pause-remedy = lower --pause, or use more workers, to see what the storage can do
db-pause-longer = pauses were longer than requested: the machine is short of CPU, or its timer is coarse
db-pause-longer-seen = { $made } on average, { $asked } requested
db-pause-longer-remedy = use fewer workers, or give the machine more CPU
db-values-alike = values are too short to differ: an engine may skip writing an identical value
db-values-alike-seen = values of { $short } bytes; a unique number takes { $needed } bytes
db-values-alike-remedy = use --value { $needed } or more
db-backlog-grows = updates arrive faster than they are written back: this rate cannot be sustained
db-backlog-grows-seen = the backlog grows by { $slope } pages a second, up to { $most }
db-backlog-grows-remedy = use fewer workers or a longer --pause until the backlog stops growing; or use faster data devices
db-never-written-back = the engine did not write back any pages during the run: these figures do not include the cost of write-back
db-never-written-back-seen = { $most } pages accumulated
db-never-written-back-remedy = run longer than the engine's write-back interval

# Who counted what reached the devices.
db-counted-group = control group, { $devices }
db-counted-processes = process I/O counts
db-counted-processes-on = process I/O counts, { $devices }
db-counted-whole = all I/O of { $devices }
db-counted-device = device { $devices }

# Ratios, and what they show.
db-ratio-reads-per-block = device reads per block read
db-ratio-reads-per-record = device reads per record read
db-ratio-reads-per-engine = device reads per engine read
db-ratio-engine-reads = engine reads per record read
db-ratio-writes-per-update = device writes per update
db-ratio-bytes-per-byte = device bytes per byte updated
db-ratio-writes-per-engine = device writes per engine write
db-ratio-flushes-per-engine = flushes per engine write
db-ratio-flushes-per-commit = flushes per commit
db-remark-cache = a cache answered: this is not the rate of the storage
db-remark-page-cache = the page cache answered the engine's reads
db-remark-memory = most reads were answered from memory: this is not the rate of the storage
db-remark-flushed = near 1: each write is followed by a flush (O_DSYNC on a device without FUA)
db-remark-sent = up to { $most }: the processes issued more than was charged to their control group

# Limits against what the devices did.
db-beyond-limit = the device reached { $share } of limit `{ $limit }`: the limit is wrong, or something else was measured
db-beyond-limit-remedy = check the limit, and check that the database is on the purchased storage
db-limit-others = the devices reached { $share } of limit `{ $limit }`: other processes used them, or this limit does not apply
db-limit-binds = limit `{ $limit }` binds: the devices reached { $share } of it
db-limit-does-not-bind = limit `{ $limit }` does not bind: the devices reached { $share } of it
db-limit-seen = { $rate } of { $cap } on average over { $seconds } s
db-binds = { $limit }: the devices reached { $rate } of { $cap } ({ $share })
db-binds-throttle = probably a throttle: the rate is flat, p50 is at most { $p50 } and p99 is { $p99 } or more, as if operations waited for a budget to refill
db-do-raise = raise { $limit }, which is used up, and run again
db-do-find-cap = look for an undeclared cap (a control group's io.max or blkio, the hypervisor, the volume) and declare it with --limit
db-share-tiny = less than 0.01 %

# Needs on what a database does.
db-need-closest = no number of workers meets every clause; this is the closest
db-need-fits = { $data } of data fits into caches: enlarge the data with `secchi db insert { $directory } --grow-to { $needed }` (run `secchi db create-globals { $directory }` first if it has no globals), or accept cached figures with --cached
db-need-too-short = met for { $time } of the required { $lasting }; run { $command }
db-need-no-level-why = the rate did not settle: { $why }
db-need-not-valid = the figures are not valid: { $why }
db-need-no-bytes = { $kind ->
    [commits] commits have no bandwidth: require a bandwidth for updates instead
   *[transactions] transactions have no bandwidth: require a bandwidth for updates instead
}
db-need-bytes-not-counted = no bytes were counted: require iops instead
db-no-windows = no windows
db-subscripts = { $globals ->
    [one] { $globals } global, { $all } subscripts
   *[other] { $globals } globals, { $all } subscripts
}

# The first sentence about a database run.
db-nothing-measured = nothing was measured
db-nothing = no operations
db-titled = { $title }: { $said }
db-with-indexes = { $said } (with { $n ->
    [one] one secondary index
   *[other] { $n } secondary indexes
 })
db-workers = { $n ->
    [one] { $n } worker
   *[other] { $n } workers
}
db-workers-moved = { $workers } ({ $moved })
db-workers-last-level = { $workers }, figures of the last level ({ $moved })
db-reads = { $rate } reads/s
db-reads-no-rate = reads at no steady rate
db-updates = { $rate } updates/s
db-updates-no-rate = updates at no steady rate
db-tps = { $rate } tps
db-inserts = { $rate } inserts/s
db-inserts-no-rate = inserts at no steady rate
db-grew = { $nodes } new nodes, { $bytes } of values: data files grew by { $data }
db-grew-within = { $nodes } new nodes, { $bytes } of values: they fit into free space in the data files
db-grew-and-written = { $grew }; { $factor } bytes written to the devices for each byte inserted
db-mean = mean { $mean }
db-mean-and-p99 = mean { $mean }, p99 { $p99 }
db-rate-and-latency = { $rate }, { $latency }
db-rate-with-latency = { $rate } ({ $latency })
db-rate-at = { $rate } at { $workers }
db-batches = { $rate } in transactions of { $batch }
db-batches-and-commits = { $rate } in transactions of { $batch } (commit { $latency })
db-updates-latency = { $rate }, updates { $latency }
db-then-more = { $n ->
    [one] { $first }; then { $n } more step, at { $rates }
   *[other] { $first }; then { $n } more steps, the last at { $rates }
}
db-not-sustainable = { $said }; not sustainable: the write-back backlog grows by { $pages } pages/s
db-reached-not-told = the I/O that reached the devices is unknown: other processes used them
db-reached-devices = the devices completed { $writes } writes/s, { $bytes }: { $each } writes per update
db-reached-devices-bytes = the devices wrote { $bytes }
db-reached-processes = the engine's processes issued { $writes } writes/s, { $bytes }: { $each } writes per update
db-reached-processes-bytes = the engine's processes wrote { $bytes }
db-reached-sent = { $reached } (the processes issued up to { $most })
db-reached-and-flushes = { $reached }; { $flushes } device flushes/s
db-ramp-gains = the rate rises up to { $n ->
    [one] { $n } worker
   *[other] { $n } workers
}: { $told }
db-ramp-accepted = accepted up to { $n ->
    [one] { $n } worker
   *[other] { $n } workers
} ({ $wanted }): { $told }
db-ramp-refused = not accepted even at { $workers } ({ $wanted }): { $told }
db-ramp-most = { $said }; the maximum is { $rates } at { $workers }
db-limit-level = { $rate } transactions/s requested from { $workers }
db-limit-told = { $rate }, { $kind ->
    [commits] commits
    [transactions] transactions
    [reads] reads
   *[updates] updates
} { $latency }
db-limit-met = { $needs } is met up to { $level }: { $told }
db-limit-then-not = { $first }; not met at { $level }
db-limit-then-undecided = { $first }; undecided at { $level }
db-limit-not-reached = { $first }; that was the highest level measured
db-limit-undecided = { $needs } is undecided even at { $level }: { $told }
db-limit-missed = { $needs } is not met even at { $level }: { $told }
