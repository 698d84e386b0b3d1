# Lists and clauses put together.
list-next = { $first }, { $next }
list-then = { $first }; { $next }
list-and = { $first } and { $last }
list-more = { $n } more
list-and-more = and { $n } more
list-told-and-more = { $told }; and { $n } more
list-others = { $n } others
told-of = { $what }: { $told }
told-with = { $told } ({ $aside })

# Labels in the margin, of at most eight columns.
label-verdict = VERDICT
label-partial = PARTIAL
label-limit = LIMIT
label-need = NEED
label-trust = TRUST
label-tags = TAGS
label-note = NOTE
label-run = run
label-all = all
label-host = host
label-storage = storage
label-devices = devices
label-target = target
label-targets = targets
label-fill = fill
label-engine = engine
label-sampled = sampled
label-typed = typed
label-again = show
label-try = try:

# Heads of tables: as short as the figures under them.
head-binds = binds
head-what-binds = what binds
head-engine = engine
head-operations = ops
head-time = time
head-cpu-each = CPU/op
head-share = share
head-used = used
head-target = target
head-allows = IOPS limit
head-limit = limit
head-device = device
head-median = median

# Kinds of operations and of stages, and what a target is.
op-read = read
op-write = write
op-trim = trim
op-flush = flush
op-reads = reads
op-writes = writes
op-trims = trims
op-flushes = flushes
role-probe = probe
role-ramp = ramp
role-sweep = sweep
role-fixed = fixed
kind-file = file
kind-device = device
kind-null = nothing (null target)
kind-served = on a server
cache-direct = direct
cache-page = through the page cache

# The answer on one screen.
show-its-flushes = flushes
show-more-doubts = and { $n } more doubts and notes
show-took = took { $time }, nothing written
show-took-written = took { $time }, { $written } written
show-took-of-disk = took { $time }, { $written } written, { $share }
show-more-workloads = { $command } ({ $n ->
    [one] { $n } more workload
   *[other] { $n } more workloads
})

# How a run ended that is not complete.
partial-complete = completed after { $time }
partial-interrupted = killed after { $time }, before it finished
partial-running = still running, { $time } so far
partial-stopped = the run was stopped after { $time }
partial-hung = the run was aborted after { $time }: some operations never completed
partial-failed = the run failed with errors after { $time }
partial-damaged = the run's journal is damaged from { $time } onwards: the rest is not a valid measurement

# Needs and doubts.
need-word-met = MET
need-word-not-met = NOT MET
need-word-undecided = UNDECIDED
need-at = { $need }  (at { $depth } in flight)
need-count-met = { $n } met
need-count-not-met = { $n } not met
need-count-undecided = { $n } undecided
need-counts = { $n ->
    [one] 1 need: { $told }
   *[other] { $n } needs: { $told }
}
trust-none = no doubts found
trust-in-verdict = { $id }, see the verdict
trust-invalid = { $n } invalid
trust-doubts = { $n ->
    [one] { $n } doubt
   *[other] { $n } doubts
}
trust-notes = { $n ->
    [one] { $n } note
   *[other] { $n } notes
}
trust-in-steps = in { $n } of { $all } steps: { $told }
trust-at = { $what } at { $depths }
trust-from-to = { $from } to { $to } { $what }

# Headings of the result screen.
show-delivered = delivered vs. purchased
show-probes = probes
show-as-given = fixed levels
show-findings = findings
show-measured-on = measured on
show-block-sizes = block sizes, { $mode }
show-in-flight = { $n } in flight
show-no-level = no level was measured
show-chart-iops = IOPS, by operations in flight
show-chart-p99 = p99 latency

# What binds, and how far the next limit is.
binds-mark = binds
binds-at = at { $name }
binds-headroom = { $room } headroom
binds-wider = and { $n } others with more headroom

# Knee, N*, L0 and the sustained rate.
knee-label = knee
knee-at-once = already at 1 in flight
knee-at-most = at { $at } in flight or fewer
knee-between = between { $below } and { $at } in flight
knee-and-mean = { $place }; the mean latency at { $at } is { $mean }
knee-not-reached = not reached at { $deepest } in flight
knee-not-resolved = not resolved: { $why }
knee-agree = levels { $from } to { $to } agree, but are too few or too short to confirm a knee
nstar-least = the highest rate needs at least { $n } operations in flight
nstar-least-seen = the highest rate seen needs at least { $n } operations in flight
nstar-without-l0 = { $told } (computed with { $at_most } in place of L0)
nstar-gave = { $told }; a level with { $n } in flight had a mean latency of { $mean }
nstar-gave-share = { $told }; a level with { $n } in flight reached { $share } of that rate at a mean latency of { $mean }
nstar-struck = { $told }; computed from an invalid rate
lzero-mean = { $l0 } mean latency with one operation in flight
lzero-mean-rate = { $l0 } mean latency with one operation in flight: { $rate } IOPS per operation in flight
lzero-doubted = { $l0 } mean latency with one operation in flight, doubtful: the rate with { $n } in flight implies at most { $at_most } per operation
sustained-label = sustained
sustained-struck = IOPS, invalid: { $why }
sustained-changed = { $rate } IOPS after a level change
sustained-interval = { $rate } { $half } (95 % CI within this run, { $n } windows)
sustained-seconds = { $rate }, single-second rates from { $low } to { $high }
sustained-p99 = { $p99 } [{ $low }, { $high }]: 95 % CI, block bootstrap over seconds

# Notes under the table of levels.
level-struck = invalid: { $why }
level-settled = settled after { $after }
level-changed = changed level: { $course }; figures are those of the last level
level-not-settled = not settled: { $why }
level-few-windows = too few windows to judge whether the rate is steady
level-no-interval = no interval: { $why }
level-failed = { $n ->
    [one] { $n } operation failed; it is excluded from rates and latencies
   *[other] { $n } operations failed; they are excluded from rates and latencies
}
level-little = Little's law does not hold: X*R/N = { $share }, should be 1
level-see = see TRUST: { $ids }
level-mix = each row combines { $ops }
level-too-short = too short to judge whether the rate is steady
level-too-few = too few: fewer than 10 samples beyond the percentile
level-best = highest rate
level-held = held { $time }
level-held-changed = held, measured for { $time } after the rate changed
level-steady = steady
level-no-sign = blank: too short to decide
no-room = columns omitted for lack of width: { $heads }

# Where it was measured.
host-on = on { $hypervisor }
host-cpus = { $n ->
    [one] { $n } CPU
   *[other] { $n } CPUs
}
host-allowed = { $what } (the control group allows { $most })
host-memory = { $memory } memory
host-sampled = { $series } counters, read { $looks } times, at a cost of { $share } % of one core ({ $each } of CPU time per sample)
host-filled = { $bytes } written in { $time }, including the flush: { $rate }
host-ceiling = secchi itself can do { $one } IOPS per thread with one in flight, { $deep } with 32
host-place = { $kind } { $path }, { $size }, { $cache }
host-run = { $id }, { $how } after { $time }, { $tool }, exit code { $code }
host-run-part = { $id }, { $how } after { $time } ({ $share } of the planned time), { $tool }, exit code { $code }

# The storage under the target.
stack-raw = raw device, no file system
stack-filesystem = { $fs } on { $place }, { $free } free of { $size }
stack-filesystem-options = { $fs } on { $place } ({ $options }), { $free } free of { $size }
stack-backed = backed by { $file }
stack-cache = { $mode } cache
stack-scheduler = scheduler { $name }
stack-queue = queue depth { $n }
stack-largest = largest request { $size }
stack-blocks = logical/physical block { $logical }/{ $physical } B
stack-rotates = rotational
stack-discards = supports discard
stack-serial = serial { $serial }

# A run as Markdown.
markdown-incomplete = Incomplete: { $told }
markdown-tags = Tags: { $tags }
markdown-invalid = Invalid
markdown-doubt = Doubt
markdown-note = Note
head-count = count

# The plan: what was found, and what would be done.
label-plan = PLAN
label-opens = opens
label-memory = memory
label-direct = direct
label-limits = limits
label-chosen = chosen
label-clock = clock
label-ceiling = ceiling
label-writes = writes
label-then = then
label-plan-needs = needs
plan-found = found on this machine
plan-done = planned steps
plan-at-most = at most { $time }
plan-null-target = null target
plan-of-one = { $command }: { $kind } { $path }, { $size }, { $cache }; { $n } stages ({ $time }); nothing has been written yet
plan-of-several = { $command }: { $several } targets at the same time ({ $paths }), { $size } each, { $cache }; { $n } stages ({ $time }); nothing has been written yet
plan-memory = { $available } available of { $memory }
plan-memory-allowed = the control group allows { $limit }
plan-no-direct = not possible here: { $why }
plan-direct-grain = in multiples of { $grain } (found by { $how })
plan-direct-unknown = the alignment required for direct I/O is unknown
plan-no-limits = no limits declared (--limit), and none found in control groups
plan-head-on = op
plan-head-crossover = crossover
plan-head-burst = burst
plan-head-for = type
plan-head-depth = in flight
plan-head-pace = pace
plan-head-each = each
plan-head-most = at most
plan-declared = declared
plan-on-all = all
plan-on-of = { $op } on { $targets }
plan-works = works here
engine-undecided = auto: chosen by a trial after the target is filled
engine-asked = { $engine }, as requested
engine-chosen = { $engine }, { $reason }: { $tried }
engine-by-trying = by a trial of { $block } reads with { $depth } in flight
engine-confirmed = as in run { $run }, confirmed { $how }
engine-replaced = instead of { $before } (used in run { $run }), chosen { $how }
engine-all-failed = every engine had I/O errors ({ $tried }), so { $engine } is used
engine-tried = { $engine } { $rate } IOPS, { $cpu } CPU per I/O
engine-tried-failed = { $engine }: { $trouble }
engine-tried-errors = I/O errors
engine-tried-nothing = { $engine }: nothing completed in { $rounds } tries
plan-clock = { $clock }, { $cost } per reading; a thread spinning for { $spin } lost its CPU for at most { $most } at a time (p99.9 { $p999 }, { $long } times above 1 ms)
plan-ceiling = secchi itself, without storage: { $one } IOPS per thread with one in flight, { $deep } with 32
plan-no-ceiling = secchi's own ceiling was not measured
plan-levels = { $first } to { $last }, { $n } levels
plan-passes = { $levels }, { $n } passes
plan-as-ramp = end of the ramp
plan-pace-even = { $rate } IOPS, evenly spaced
plan-pace-poisson = { $rate } IOPS, Poisson
plan-early = Levels end early when steady; ramps end early when more depth does not raise the rate.
plan-no-fill = nothing to fill: the test file is complete
plan-fill = the target is first filled with { $bytes } of incompressible data
plan-no-writes = no stage writes
plan-writes = { $n } of { $all } stages write, for at most { $time }, as fast as the storage allows
plan-writes-at-most = { $n } of { $all } stages write, for at most { $time }, as fast as the storage allows (at most { $most } under the declared limits)
plan-bound = at most { $most } in total (--max-written; no limit with --yes)
announce-max-written = writes at most { $most } in total, including the fill of the test file (to allow more: --max-written SIZE or --yes)
plan-share = { $bytes } is { $share }
plan-written-before = { $bytes } have already been written to this disk
plan-kept = the test file is kept after the run
plan-removed = the test file is removed after the run
plan-hang = the run is aborted if an operation takes longer than { $time }
plan-error-first = the first I/O error ends a step
plan-error-count = { $n } I/O errors end a step
plan-error-go-on = I/O errors are counted but do not end a step

# Comparisons.
label-differs = differs
compare-differs = { $name }: { $a } in A, { $b } in B
compare-worse = B is worse in { $figures }
compare-better = B is better in { $figures }
compare-also-better = better in { $figures }
compare-all-same = everything is the same within { $within }
compare-one-same = { $figure } is the same within { $within }
compare-several-same = { $figures } are the same within { $within }
compare-open = cannot tell whether { $figures } changed
compare-open-more = cannot tell whether { $figures } changed: { $n ->
    [one] { $n } more run is needed on each side
   *[other] { $n } more runs are needed on each side
}
compare-runs = { $n ->
    [one] { $n } run: { $runs }
   *[other] { $n } runs: { $runs }
}
compare-runs-by = { $n ->
    [one] { $n } run by { $tools }: { $runs }
   *[other] { $n } runs by { $tools }: { $runs }
}
compare-head-figure = figure
compare-head-interval = 95 % interval
compare-head-scatter = sd A, B
compare-head-answer = answer
range = { $low } to { $high }
compare-changed-better = changed, better
compare-changed-worse = changed, worse
compare-answer-same = same within { $within }
compare-answer-more = { $n ->
    [one] cannot tell: add { $n } run
   *[other] cannot tell: add { $n } runs
}
compare-answer-open = cannot tell
compare-legend = A, B: medians of the runs (one dot per run, relative to the median of A). change: median of the ratios of every run of B to every run of A (Hodges-Lehmann), with its 95 % interval. p: rank test of the runs (Mann-Whitney). A figure is the same within { $within } if its interval is between 1/{ $ratio } and { $ratio }.
compare-legend-holm = A, B: medians of the runs (one dot per run, relative to the median of A). change: median of the ratios of every run of B to every run of A (Hodges-Lehmann), with its 95 % interval. p: rank test of the runs (Mann-Whitney), corrected for { $n } figures (Holm). A figure is the same within { $within } if its interval is between 1/{ $ratio } and { $ratio }.
metric-device-writes = device writes
several-needs-met = { $met } of { $all } runs meet their needs
several-range = { $workload } { $low } to { $high } per second (±{ $half })
several-compare = to compare two configurations, measure five runs of each: secchi compare A... -- B...
several-relative = Changes are relative to the first run.

# The table of stored runs.
runs-none = no runs are stored yet; run `secchi qualify PATH` to create one
runs-head-command = command
runs-head-took = took
runs-head-tags = tags
runs-note = note: { $note }

# A trend over time.
label-runs = RUNS
label-doubt = DOUBT
label-figures = FIGURES
label-level = LEVEL
label-levels = LEVELS
label-change = CHANGE
trend-plan = plan { $plan }
trend-runs = { $n ->
    [one] { $n } run, { $from } to { $to }
   *[other] { $n } runs, { $from } to { $to }
}
trend-no-figures = none of the runs has a valid figure
trend-changes = { $n ->
    [0] no change
    [one] { $n } change
   *[other] { $n } changes
}
trend-no-change-told = no change and no mean reported: { $why }
trend-mean = mean { $mean } ({ $range })
trend-level = { $n ->
    [one] { $figure }; { $n } run, #{ $from } ({ $begin }) to #{ $to } ({ $end })
   *[other] { $figure }; { $n } runs, #{ $from } ({ $begin }) to #{ $to } ({ $end })
}
trend-not-drawn = the chart omits the first { $n } runs
trend-table = runs, newest last
trend-head-exit = exit
trend-further = the charts above and --json show { $n } further figures
trend-dash = - = invalid, or not measured

# The line of a run in progress.
doing-fill = filling
doing-left = { $left } left

# Pages.

# The screen of a database run.
label-what = what
label-how = how
label-set = set
label-with = with
label-checked = checked
dbview-database = database
dbview-what = { $name }, { $directory }: { $data } of data in pages of { $page }
dbview-nodes = node names: { $names }
dbview-growth = Growth
dbview-new-nodes = { $n } new nodes
dbview-before = before
dbview-after-growth = after
dbview-grown = length
dbview-allocated = allocated
dbview-all-files = all files
dbview-inserted-in-order = each key follows the previous one; file sizes are lengths, but `all files` is the space allocated in the database's directories
dbview-inserted-anywhere = keys at random positions among the existing ones; file sizes are lengths, but `all files` is the space allocated in the database's directories
dbview-amplified = { $written } written to the devices until everything was written back, for { $bytes } of values: { $factor } bytes per byte of values
dbview-amplified-device = { $written } written to the devices by all processes until everything was written back, for { $bytes } of values: { $factor } bytes per byte of values
dbview-indexes = { $n ->
    [one] one secondary index
   *[other] { $n } secondary indexes
 } per global
dbview-past-cache = files bypass the page cache
dbview-through-cache = files use the page cache
dbview-cache = engine cache { $cache }, { $files }
dbview-journal-on = journal on, { $commit }
dbview-journal-off = journal OFF, { $commit }
dbview-group = other runs in group { $group }
dbview-updates = updates
dbview-inserts = inserts
dbview-commits = commits
dbview-transactions = transactions
dbview-reads = reads
dbview-blocks = blocks
dbview-workers = { $n ->
    [one] { $n } worker
   *[other] { $n } workers
}
dbview-class-workers = { $class } with { $n } workers
dbview-waves = { $n } waves
dbview-blocks-read = blocks of { $block } read from the database's own files, bypassing all caches
dbview-engine-blocks = blocks of { $page } read by the engine itself, bypassing the page cache and the engine's cache; the engine's counters may omit these reads
dbview-engine-blocks-cached = blocks of { $page } read by the engine itself, through the page cache; the engine's counters may omit these reads
dbview-batch = transactions of { $batch } updates, each timed from its start to the end of its commit
dbview-batch-reads = { $percent } % of the batches are reads
dbview-law-poisson = at random intervals
dbview-law-fixed = at even intervals
dbview-arrivals = { $asked } batches/s were due { $law }; { $begun } batches/s were started, with delays of { $p50 } (p50), { $p99 } (p99) and { $longest } (max); latencies count from the due time
dbview-pause = a pause of { $asked } was requested after each batch and lasted { $made } on average; pauses took up { $share } of the time and are not included in latencies
dbview-moved = changed level: { $moved }; figures are those of the last level
dbview-moved-no-rate = changed level: { $moved }; there is no single rate
dbview-rate = { $rate } operations/s
dbview-few = -: fewer than 10 operations beyond the percentile
dbview-head-processes = processes
dbview-head-asked = due/s
dbview-head-reads = reads/s
dbview-head-updates = updates/s
dbview-head-writes = writes/s
dbview-head-gain = gain
dbview-last-gain = last gain of 10 % or more
dbview-best = highest rate
dbview-accepted = accepted: { $wanted }
dbview-met = met: { $needs }
dbview-of-reads = latencies are those of reads
dbview-of-transactions = latencies are those of whole transactions
dbview-of-updates = latencies are those of updates
dbview-accepted-up-to = accepted up to { $n } processes
dbview-none-accepted = no process count was accepted
dbview-chart-rate = operations/s, by processes
dbview-hosts = by host
dbview-below = I/O below the engine
dbview-counted-by = counted by
dbview-row-all = all
dbview-row-everybody = all I/O
dbview-whole-of = all of { $names }
dbview-by-group = counted for the control group of the engine's processes, during the { $time } of measurement
dbview-by-processes = counted for the engine's processes by kernel accounting (which counts writes when they are issued), during the { $time } of measurement
dbview-by-device = counted for whole devices (I/O of all processes) during the { $time } of measurement
dbview-others-estimated = other processes caused an estimated { $share } of the I/O
dbview-others-unknown = the share of other processes is unknown
dbview-others = { $share } of the device's bytes come from other processes and the file system's journal
dbview-others-range = { $least } to { $most } of the device's bytes come from other processes and the file system's journal
dbview-sent = between { $least } and { $most } written: the control group was charged for the first figure, and the processes issued the second. The kernel may write a page later, or write it once although it was issued twice
dbview-not-told-apart = the I/O cannot be separated by process: { $why }
dbview-after-processes = after the run: { $written } written and { $read } read by the engine's processes in { $time }
dbview-after-devices = after the run: { $written } written and { $read } read on the whole devices in { $time }
dbview-mgstat = engine counters, named as in mgstat
dbview-mgstat-absent = not reported by this engine: { $names }
dbview-most = max
dbview-in-run = total
dbview-engine = engine
dbview-counted = counters
dbview-write-back = write-back phases
dbview-between = transactions between
dbview-during = transactions during
dbview-commits-between = commits between
dbview-commits-during = commits during
dbview-waits = time spent waiting for files: { $roles }
dbview-waited = { $role } (sessions: { $sessions } of their call time, writers: { $writers } of the run)
layout-worth = it is worth moving { $moved }: { $figures }
layout-worse = it is not worth moving { $moved }: { $figures }
layout-no-difference = no difference above { $share } from moving { $moved }: { $figures }
layout-mixed = moving { $moved } makes some figures better and some worse: { $figures }
layout-cannot-tell = these runs do not show whether it is worth moving { $moved }: { $figures }
layout-binds = the { $role } volume binds: sessions wait for it { $share } of their time
layout-binds-none = no volume binds: sessions wait most for { $role }, { $share } of their time
layout-binds-unknown = this engine does not report what sessions wait for
layout-grows = { $n ->
    [one] updates outpaced write-back in 1 run
   *[other] updates outpaced write-back in { $n } runs
}
layout-lies = { $role } in { $at }
layout-lies-on = { $role } in { $at } ({ $devices })
layout-untested = medians of the runs, not tested for significance; A is the current layout
layout-more = --full also shows the location of each role, the chart, commits by phase, remarks and the runs
dbview-times = { $n ->
    [one] once, { $mean } on average, { $most } at most, { $share } of the run
   *[other] { $n } times, { $mean } on average, { $most } at most, { $share } of the run
}
dbview-pages = { $pages } pages each
dbview-backlog = backlog
dbview-backlog-is = { $most } pages at most, { $last } at the end
dbview-backlog-level = { $told }: write-back keeps up
dbview-backlog-grows = { $told }: the backlog grows by { $slope } pages/s, which is not sustainable
dbview-backlog-gathers = { $told }: nothing was written back during the run
dbview-backlog-short = { $told }; too few samples to show whether it grows
dbview-no-history = no runs on this database yet; run `secchi db ranread DIR` to create one
dbview-head-batch = batch
dbview-head-date = date
dbview-head-clock = time
dbview-head-journal = journal
dbview-head-commit = commit
dbview-on = on
dbview-off = off
dbview-partial = partial
dbview-history-legend = latency of reads if there are any, otherwise of whole transactions
dbview-history-earlier = --full also lists { $n } earlier batches
dbview-rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}

# Results of a trace of the block layer.
traced-layers = I/O layer by layer: { $label }
traced-device = I/O at the device: { $label }
traced-more = histograms, processes and layers of each step: secchi show --json
traced-processes-legend = reads and writes as they enter the block layer, before merging; kernel threads such as kworker submit the background writes of the page cache, and a process that syncs submits its own
traced-aside = { $length } traced, using { $share } of a CPU
traced-none = no request reached a device
traced-4m = 4 MiB or more
traced-fewer = not shown: { $n } columns with fewer requests
traced-head-bytes = bytes
traced-head-size = mean size
traced-head-mostly = top size
traced-head-order = in order
traced-head-time = mean time
traced-head-queued = queued
traced-head-layer = layer
layer-application = application
layer-calls = system calls
layer-process = process, to block devices
layer-dirtied = page cache, dirtied
layer-written-back = page cache, written back
layer-queued = block layer, before merging
layer-requests = block layer, after merging

# Figures of a run in the list of runs.
listed-rate = { $rate } { $kind }/s
listed-no-rate = { $kind } with no single rate

# The summary of a watch.
view-alarms = alarms
view-head-alert = alert
view-head-of = on
view-head-worst = worst
view-head-since = start
view-to-the-end = to the end
view-devices = devices, I/O of all processes
view-looks = { $looks ->
    [1] { $looks } sample over { $time }
   *[other] { $looks } samples over { $time }
}
view-head-slowest = slowest
view-head-merged = merged
view-head-queue = queue
view-head-busy = busy
view-devices-legend = mean time: from queueing to completion, weighted by requests; slowest: the worst mean of one interval; busy: share of time with a request in flight. This is not utilization: a device that serves requests in parallel shows 100 % long before its limit
view-idle = idle
view-flushes = { $n } flushes
view-discards = { $n } discards
view-limits = limits, summed second by second
view-full-from = at the limit: 97 % or more
view-head-cap = cap
view-head-full = at limit
view-head-longest = longest
view-never = never
view-shares-full = { $cap }, while at the limit: { $shares }
view-shares-all = { $cap }, over the whole time: { $shares }
view-sum-of-maxima = the individual maxima add up to { $sum }, but did not occur at the same time
view-left-out = excludes the I/O of { $names }, which is already counted in the underlying device
view-command = command
view-process = process { $pid }
label-command = command
label-used = used
view-used-bytes = { $read } read from and { $written } written to block devices
view-used-wait = wait4 reports { $read } read and { $written } written
view-used-cpu = { $user } user and { $system } system CPU time
view-used-switches = { $n } context switches
view-used-memory = at most { $memory } resident
view-used-with-children = { $told }, including child processes that the command waited for
view-processes = processes, each with its children
view-head-process = process
view-head-read = read
view-head-written = written
view-head-user = CPU user
view-head-system = system
view-head-switches = switches/s
view-hidden = no access
view-processes-legend = bytes that the kernel sent to block devices for the process; CPU in percent of one core
view-top = processes with the most I/O
view-head-program = program
view-head-read-calls = read calls
view-head-write-calls = write calls
view-head-wait = I/O wait
view-head-most-bytes = max MB/s
view-top-others = others
view-top-legend = counted from the interval in which a process was first among those with the most I/O; earlier I/O is part of `others`. I/O of a child process after its last sample counts for the parent that waited for it. Writes are counted when they dirty the page cache; calls include pipes and sockets, but not io_uring and Linux AIO
view-top-no-waits = the time that processes wait for I/O is unknown: the kernel does not account for it (sysctl kernel.task_delayacct=1 enables this for processes started afterwards)
view-groups = control groups of the processes
view-charged = I/O as charged, before merging
view-head-group = group
view-head-most-iops = max IOPS
view-head-stopped = stopped
view-head-memory = memory
view-no-io = no I/O counted
view-group-free = { $name }: process { $processes }; no limits
view-group-allowed = { $name }: process { $processes }; allowed: { $allowed }
view-machine = machine
view-machine-aside = mean, and maximum over one interval
label-waiting = waiting
label-cpu = CPU
view-and-most = { $mean } (max { $most })
view-cpu-user = user { $told }
view-cpu-system = system { $told }
view-cpu-wait = waiting for I/O { $told }
view-cpu-stolen = stolen { $told }
view-dirty = dirty { $told }
view-writeback = being written back { $told }
view-available = available { $told }
view-some-io = for I/O (some tasks) { $told }
view-all-io = for I/O (all tasks) { $told }
view-some-memory = for memory (some tasks) { $told }
view-some-cpu = for a CPU (some tasks) { $told }
view-on-the-way = during the watch
view-more-notes = and { $n } more: secchi show --json lists them all

# Lines of a watch while it goes on.
view-no-look-io = no I/O
view-late = late sample: these are means over { $seconds } s
view-cpu = CPU { $user } % user, { $system } system, { $wait } iowait, { $steal } stolen
view-memory = dirty { $dirty }, being written { $back }
view-waiting = waiting for I/O { $share } %
view-idle-devices = { $n ->
    [one] { $n } idle device
   *[other] { $n } idle devices
}
view-process-line = process { $name }: { $told }
view-process-bytes = { $read } read, { $written } written
view-process-calls = { $reads } read and { $writes } write calls/s
view-top-line = top: { $process }: { $told }
view-top-line-in = top: { $process } in { $group }: { $told }
view-top-wait = { $share } % waiting for I/O
view-core = { $share } % of a core
view-group-line = group { $name }: { $told }
view-group-line-allowed = group { $name }: { $told } (allowed: { $allowed })
view-group-io = { $rate } IOPS { $bytes } on { $device }
view-group-stopped = throttled { $share } % by its CPU quota
view-group-memory = memory { $memory }
view-submitters-line = { $device } by process: { $processes }
view-submitter = { $process } { $rate } IOPS { $bytes }

# The live display of a watch.
view-every = every { $time }
view-held = PAUSED, { $n } new samples
view-late-board = late: means over { $seconds } s
view-all-together = total
view-no-sizes = no sizes: trace the block layer with --trace-blocks, as root (b: charts)
view-sizes-last = request sizes at { $name }, in the last interval: { $time }
view-sizes-all = request sizes at { $name }, since the start: { $time }
view-over = { $name }, on top of { $devices }
view-taller = (to see more, enlarge the terminal or read the summary at the end)
view-mean-time = latency
view-plot-queue = queue
view-in-flight = in flight
view-plot-most = max { $most }
view-first-look = waiting for the first sample
view-limits-line = limits  { $told }
view-cpu-board = CPU %  user { $user } system { $system } iowait { $wait } stolen { $steal }   waiting for I/O % { $some }   dirty MiB { $dirty } writeback { $back }
view-foot = q quit  ? keys  up/down device  b sizes  +/- { $span }  p pause  s sum  r roles
view-keys = keys
view-keys-move = up, down, tab   another device; charts are of the chosen one
view-keys-sum = s               sum of all devices, except those stacked on others
view-keys-sizes = b               request sizes since the start, then of the last
view-keys-sizes-more = interval, then the charts (with --trace-blocks)
view-keys-span = +  -            longer or shorter time span
view-keys-hold = p, space        pause the display; sampling continues
view-keys-roles = r               roles, or kernel names
view-keys-help = ?               show or hide this help
view-keys-quit = q, Ctrl-C       end the watch and show its summary
view-keys-await = await: mean time from queueing to completion. busy: time with a request
view-keys-busy = in flight; a device that works in parallel is not saturated at 100 %.

# A disk mark.
mark-asked = { $loops ->
    [one] { $size } { $times } { $loops } loop of { $seconds } s, { $data }
   *[other] { $size } { $times } { $loops } loops of { $seconds } s, { $data }
}
mark-asked-cached = { $asked }, through the page cache
mark-zeros = zeros
mark-random = random data
mark-nothing = nothing was measured
mark-read = read { $rate }
mark-write = write { $rate }
mark-mix = mix { $rate }
mark-not-valid = not valid: { $trouble }; { $told }
mark-stopped = stopped early; { $told }
mark-no-end = killed before it finished; { $told }
mark-running = still running; { $told }
mark-hung = hung: { $reason }; { $told }
mark-failed = failed: { $reason }; { $told }
mark-damaged = damaged, no measurement: { $reason }; { $told }
mark-heading-read = READ
mark-heading-write = WRITE
mark-heading-mix = MIX  { $reads } % reads, { $writes } % writes, at the same time
mark-head-loops = loops
mark-loop-of = loop { $turn } of { $planned }
mark-loops-of = { $done } of { $planned }
mark-try = { $doubt }; try: { $remedy }
mark-sum = sum of { $n } hosts: { $hosts }
mark-by-host = BY HOST, in the best loop
mark-from-to = from { $slowest } to { $fastest }
mark-one-loop = one loop each; MB/s = 10^6 bytes/s
mark-best-of = best of { $n } loops, and the median; MB/s = 10^6 bytes/s
mark-again = to show these results as a picture or text:
mark-legend = MB/s = 10^6 bytes/s; IOPS, mean and p99 are those of the best loop.

# Doubts after the outputs of fio and ioping.
fio-trust-nothing = no doubts found
fio-trust-incomplete = incomplete
fio-trust-invalid = INVALID
fio-trust-doubt = DOUBT
fio-trust-note = note
fio-trust-verified = { $blocks } blocks were read back and compared, no mismatch
fio-trust-interrupted = killed before it finished
fio-trust-running = still running
fio-trust-stopped = the run was stopped before it finished
fio-trust-hung = some operations never completed; the figures cover those that did
fio-trust-failed = the run failed with errors
fio-trust-damaged = the journal of the run is damaged: the figures cover what could be read
fio-trust-thin = { $name }: percentiles from { $first } upwards have fewer than 10 operations beyond them ({ $ops } operations in total)
ping-not-valid = not valid
ping-doubt = doubt
ping-from-due = latencies count from the due time; service time alone: avg { $avg }, max { $max }; longest delay before sending: { $wait }

# Bytes written, as a share of the disk.
share-tiny = less than 0.01 %
share-of-disk = { $share } of { $name } ({ $size })
share-of-disk-and-endurance = { $share } of { $name } ({ $size }), { $endurance } of its endurance
