# Figures, and where they were measured.
figure-after-change = { $rate } IOPS after the rate changed
figure-at-depth-and-above = { $figure } at depth { $depth } and above
figure-at-depth-after-change = { $figure } at depth { $depth } after the rate changed
figure-at-most = up to { $figure }
figure-between = { $low } to { $high } IOPS, without a steady level
figure-at-size = { $figure } at { $size }
figure-on-credits = { $figure }, while its credits last
figure-promised = { $figure }, within the promised { $share } %
figure-counted = { $figure }; limit exceeded for { $share } % of the time, according to EBS's own counters
figures-lower-bounds = { $figures } are lower bounds; { $reasons }
and-more = { $some } and { $n } more
one-or-another = { $first } or { $second }
one-and-another = { $first } and { $second }
sizes-from-to = { $least } to { $most } { $mode }
workloads-all = all { $n } workloads
workloads-of = { $n } of { $all } workloads

# Rows of limits.
row-iops-of = { $value } { $op } IOPS
row-bandwidth-of = { $value } { $op } bandwidth
row-cgroup = the { $name }'s { $figure }
row-declared = the declared limit `{ $name }` of { $figure }
row-published = the { $name }'s published { $figure }
row-published-burst = the { $name }'s published burst of { $figure }
row-cgroup-briefly = the { $name }'s limit
row-declared-briefly = the declared limit `{ $name }`
row-published-briefly = the { $name }'s published limit
row-changed-since = { $row } (changed since then)

# What limits a workload.
binds-one = { $what } is { $predicate }: { $detail }
binds-several = { $what } are { $predicate }: { $detail }
binds-without-rate = not judged because there is no steady rate
binds-without-figure = not judged because there is no valid figure
no-level = { $what } did not settle: { $why }
no-figure = { $what } has no figure to judge: { $why }
limited-by = limited by { $limit }
limited-as-counted = limited by { $limit }, according to EBS's own counters
counted-exceeded = the limit was exceeded for { $share } % of the time; { $figure }
limited-at-equals = limited by { $limit }, which equals { $equal }
limited-undecidable = limited by { $names }; this run cannot show which one
limited-by-generator = limited by the load generator's CPU, not by the storage
limited-by-busy-cpu = limited by this machine's CPU, which was busy with other processes
limited-by-latency = limited by latency
limited-by-device = limited by the device
limited-by-cap-or-device = limited by a cap or by the device (this run cannot distinguish them)
limited-by-virtual-disk = limited by the virtual disk as seen from this guest, with no known limit reached
rise-per-doubling = still rising by { $percent } % per doubling of the depth
rise-tail = p99 from { $low } to { $high }
rise-between = { $low } to { $high } at similar depths
limited-by-iops-near = limited by a cap of about { $iops } IOPS that is not among the given limits
limited-by-either-cap = limited by a throttle: a cap of about { $iops } IOPS or { $bandwidth } that is not among the given limits
limited-by-bandwidth-near = limited by a cap of about { $bandwidth } that is not among the given limits
limited-by-crossing = limited by a cap of about { $iops } IOPS or a cap of about { $bandwidth }; the two caps cross at this block size
not-limited-as-asked = not limited at the requested rate
both-allow = both allow { $allows } IOPS ({ $rate } measured); { $deciders }
all-allow = all allow { $allows } IOPS ({ $rate } measured); { $deciders }
decider-deeper = a greater depth would show which limit binds
decider-cpu = more CPU for secchi would show which limit binds
decider-sizes = a run at { $half } or { $double } would show which limit binds
decider-another-size = a run at another block size would show which limit binds
decider-another-mix = a run with another read/write mix would show which limit binds
decider-raise-one = no block size would show which limit binds: raise one of the limits, or load a second volume at the same time (if the total rate of both volumes stays the same, the limit is shared)
lower-bound = { $figure } is a lower bound; { $reasons }
came-of-asked = { $came } of { $asked } operations per second were delivered; the run did not search for a limit
came-of-most = { $came } IOPS were delivered (requested maximum: { $most }); the run did not search for a limit
one-in-flight = one operation in flight, { $each } per operation: { $figure }
in-flight-give = { $n } operations in flight at { $each } each give { $give } IOPS ({ $measured }); a deeper queue would give more
measured = { $rate } measured
measured-after-change = { $rate } measured after the rate changed
same-over = the rate is the same at { $sizes }
same-over-both = the IOPS are equal at { $iops }, and the bandwidth is equal at { $bandwidth }

# Why no limit is named.
unclear-rising = { $what } was not saturated: { $rising }
unclear-noisy = { $what } reached { $figure }; its limit is unknown: the levels are too noisy
unclear-brief = { $what } reached { $figure }: { $agree }, but the levels are too few or too short to name a cap; { $longer }
unclear-why = { $what } reached { $figure }; { $why }
several-rising-at = { $what }: { $rising }; { $some } were not saturated at depth { $deepest }
several-rising = { $what }: { $rising }; { $some } were not saturated at the greatest depth tried
several-noisy = { $what } reached { $figure }; the limit of { $some } is unknown: the levels are too noisy
several-brief = { $what } reached { $figure }: { $agree }; the levels of { $some } are too few or too short to name a cap: { $longer }
several-why = { $what } reached { $figure }; { $some }: { $why }
several-no-level = { $what } did not settle
why-from-cache = the page cache answered, not the storage
depths-agree = the rates at depths { $from } to { $to } agree within { $within } %
longer-names-caps = { $option } can identify caps
longer-repeats = { $option } repeats the levels
longer-quiet = repeat the run when the device is idle
hint-quiet = repeat the run when the device is idle
hint-repeat = repeat the run
hint-deeper = increase the depth
hint-more-time = run longer
hint-declare = declare limits with --limit
hint-not-saturated = the storage was not shown to be saturated

# Evidence of what limits.
no-interval = (no interval: { $why })
seen-at-depth = { $figure } { $interval } at depth { $depth }
seen-held = { $figure } { $interval } held at depth { $depth }
constraint-used = { $name } allows { $allows } IOPS here: { $used } % used
constraint-next = next limit: { $name } allows { $allows } IOPS, { $times } times this rate
remark-generator-busy = remark: the generator was busy ({ $reasons }), but the rate matches the limit
remark-by-chance = remark: this rate matches { $row } by chance: { $what } exceeded that limit later
remark-passed-before = remark: { $what } exceeded { $row } earlier: a burst ended, or the limit is wrong
remark-others-cpu = other processes used the CPU: { $seen }
remark-cap-shared = other processes used the device at the same time: if the cap includes their I/O, the cap may be as high as { $sum } IOPS at this size
remark-device = latency grew with depth, but the rate did not; the generator was idle
remark-device-away = latency grew with depth, but the rate did not; the generator was idle, and no known limit was near
remark-cap-or-device = a cap would look the same; smaller and larger block sizes (--bs) would show the difference
no-cap-counted = no cap: the storage's own counters show that no limit was exceeded
no-cap-sizes = no cap: smaller blocks reached higher IOPS, and larger blocks reached a higher bandwidth
no-cap-bend = no cap: the rate flattened gradually, not abruptly as at a cap
seen-pauses = a few requests took up to { $longest }, but most took { $median } (mean { $mean }): this indicates a throttle
same-with-flushes = { $writes } writes and { $flushes } flushes a second; { $what } without flushes reached { $rate } IOPS
remark-virtual-disk = the rate rose by a few percent with each doubling of the depth while latency grew: from inside the guest, a limit of the disk cannot be distinguished from a limit of its host
remark-virtual-disk-scatters = the rate differed between levels of similar depth, which a cap would not cause: from inside the guest, a limit of the disk cannot be distinguished from load on its host
seen-counted = time during which limits were exceeded, according to EBS: { $limits }
seen-counted-none = according to EBS, none of its limits was exceeded

# The first sentence.
nothing-measured = nothing was measured
more-below = { $n } more below
trouble-before = { $what }; before that: { $said }
trouble-left = { $what }; from the remaining data: { $said }
trouble-so-far = { $what }; so far: { $said }
ended-by-errors = stopped by errors
journal-damaged = no valid measurement: the run's journal is damaged
stopped-early = stopped before it finished
without-end = killed before it finished
still-running = still running
not-valid = not valid: { $statement } ({ $evidence })
not-valid-and-more = not valid: { $statement } ({ $evidence }; and { $n } more)
hung = hung: operations did not complete
hung-operations = hung: { $n } operations in { $of } did not complete, the oldest pending for { $oldest }
ping-none-counted = no requests counted
ping-times = { $count } requests: { $times }
time-mean = mean { $time }
time-max = max { $time }

# Levels a step was at.
course-until = { $rate } until { $time }
course-then = then { $rate }
course-more = { $n ->
    [one] 1 more level
   *[other] { $n } more levels
}
course-stalled = { $course }: nothing completed in the last { $lasted }
course-too-short = { $course }: the last level lasted { $lasted }, which is too short to judge
course-fell = the rate fell steadily by { $by } %, from { $from } to { $to } IOPS
course-rose = the rate rose steadily by { $by } %, from { $from } to { $to } IOPS
course-rose-far = the rate rose steadily from { $from } to { $to } IOPS
course-repeats = the rate rises and falls between { $low } and { $high } IOPS every { $period }
course-alternates = the rate alternates between { $low } and { $high } IOPS

# Why there is no figure or no interval.
listed-with-another = this figure is listed for another operation of the run
nothing-completed = nothing completed
no-level-long-enough = no level lasted long enough
too-few-windows = too few windows
windows-wanted = { $wanted } windows needed, { $had } available
came-to-no-level = the rate did not settle
came-to-no-level-as = the rate did not settle: { $why }
not-at-one-level = the rate changed: { $course }
not-measured = not measured
not-settled = not settled
not-settled-as = not settled: { $why }
not-told = not available
no-samples = no samples
no-latency = no latency
too-few-seconds = too few seconds ({ $n })
too-few-samples = too few samples ({ $n }) for { $percentile }
too-few-operations = too few operations ({ $n }) for { $percentile }
records-without-size = no bytes were counted
journal-of-run-damaged = the run's journal is damaged
came-to-no-end = the run did not finish: its figures cover only what was recorded

# Why a need is met, not met or undecided.
need-at-level = { $what } at the required level ({ $phase })
need-unmeasured = the run did not measure { $what }; this command does: { $command }
need-unmeasured-kind = the run did not measure { $what }; this command does: { $command }
need-met-too-short = met for only { $lasted } of the required { $lasting }; this command runs long enough: { $command }
need-unsettled-may-meet = no settled level meets every clause; the level at depth { $depth } might, but its rate did not settle
need-met-fleetingly = met only by an earlier level that did not last; the clauses are those of the closest level that lasted
need-met-on-the-way = met by an earlier level; the level held afterwards, at depth { $depth }, is not valid: { $struck }
need-not-met-on-the-way = not met by an earlier level; the level held afterwards, at depth { $depth }, is not valid: { $struck }
need-no-level = the rate did not settle: { $why }
need-not-valid = the figures are not valid: { $why }
need-from-cache = the page cache answered, so the figures do not describe the storage
need-limit-changed = a limit set on secchi's control group changed during the measurement
need-generator = the generator ran out of CPU: the storage may do better
need-others = other processes used the device at the same time: without that load the storage may do better
need-others-cpu = other processes used the CPU part of the time: without that load the storage may do better
need-closest = no level meets every clause; this level comes closest
need-too-close = the figure is too close to the bound, or there are too few samples, to decide
need-errors = operations failed in this run, so no need can be met
need-few-operations = { $n ->
    [one] { $n } operation is
   *[other] { $n } operations are
} too few to judge a need
need-met-by-last = met only by the last level: { $course }

# Findings.
found-beyond-limit = { $what } delivered { $share } % of { $row }: the limit is wrong, or something else was measured
found-beyond-limit-several = { $what } delivered up to { $share } % of { $row }: the limit is wrong, or something else was measured
remedy-beyond-limit = check the limit, and check that the target is on the purchased storage
doubt-limit-not-counted = the rate matches a limit, but EBS's own counters do not show that this limit was exceeded
seen-limit-not-counted = { $what }: the rate matches { $limit }; according to EBS, every limit was exceeded for less than 1 % of the time
remedy-limit-not-counted = check the limits that you specified; look for a cap above the volume: a control group, a mapped device, the application
found-above-limit = { $what } runs above { $row }: possibly a burst, merged requests, a wrong limit, or a cache
found-above-limit-several = { $what } run above { $row }: possibly a burst, merged requests, a wrong limit, or a cache
found-above-published = { $what } runs above { $row }: possibly a wrong limit, one that has been raised, or a cache
found-above-published-several = { $what } run above { $row }: possibly a wrong limit, one that has been raised, or a cache
remedy-above-limit = check the limit; run until the burst ends; check the doubts about caching
found-burst-credits = { $what } runs above { $row } on burst credits, which run out
found-burst-credits-several = { $what } run above { $row } on burst credits, which run out
seen-credits = loaded for { $loaded }; full credits last for { $lasts } at this rate
remedy-burst-credits = plan with the baseline; run until the burst ends
found-merged = { $what } exceeds { $row }, which counts adjacent sequential operations as one: only random operations can test this limit
found-merged-several = { $what } exceed { $row }, which counts adjacent sequential operations as one: only random operations can test this limit
found-published-limits = the limits are published caps, not guarantees
published-on = published { $date }
published-undated = published without a date, may have changed since
published-long-ago = published { $date }, may have risen since
above-published = { $what } exceeds the maximum of { $most } published on { $date }, which may have risen since: the value is accepted
above-published-undated = { $what } exceeds the published maximum of { $most }, which is undated and may have risen since: the value is accepted
found-below-all-limits = { $what } stays below every known limit; the nearest is { $row }
found-below-all-limits-several = { $what } stay below every known limit; the nearest is { $row }
remedy-below-all-limits = look for another cause: a shared path, a smaller instance cap, the file system
found-retrograde = { $what } slows down at higher depth: keep the depth at { $depth } or below
found-retrograde-from-one = { $what } slows down at higher depth: keep the depth at { $depth }
found-not-sustained = { $what } does not sustain the rate reached in its ramp: a burst ended, or other processes used the device
seen-in-ramp = { $rate } IOPS in the ramp for { $seconds } s
seen-held-for = { $rate } IOPS held for { $seconds } s
remedy-not-sustained = plan with the sustained rate; run longer to see the burst end and the credits recover
found-crossover = { $mode }: the IOPS cap binds up to { $up_to }, and the bandwidth cap binds from { $from }; the two caps cross at { $cross } KiB

# Comparisons and trends.
compare-left-out = figures that not all runs have are left out: { $names }
compare-held-at = at depth { $depth } in { $n } runs
compare-ramp-level = { $what } was held { $held }: the comparison uses the ramp's level at depth { $depth }
compare-runs-left-out = { $n } of { $all } runs left out: { $why }
compare-no-ratio = a value is zero: there is no ratio
compare-no-figure = no run has this figure
compare-few-runs = { $n ->
    [one] { $n } run per side is too few for a decision
   *[other] { $n } runs per side are too few for a decision
}
compare-few-runs-for = { $n ->
    [one] { $n } run per side is too few to compare { $figures } figures
   *[other] { $n } runs per side are too few to compare { $figures } figures
}
compare-few-runs-apart = { $n } runs on one side and { $m } on the other are too few for a decision
compare-few-runs-apart-for = { $n } runs on one side and { $m } on the other are too few to compare { $figures } figures
compare-scatter = the runs vary too much: more than { $most } runs would be needed
compare-in-order = all runs of { $first } were made before those of { $last }, so drift in the storage would look like a change; use `secchi ab` to alternate the runs
compare-of-runs = { $n } of { $all } runs: { $remark }
trend-needs-runs = { $needed } runs are needed to detect a change, but only { $n } have this figure

# Lines for fio and ping runs in lists of runs.
run-not-valid-then = not valid: { $why }; { $told }
run-fio = fio: { $jobs ->
    [one] 1 job
   *[other] { $jobs } jobs
}, { $iops } IOPS, { $rate }
run-fio-moved = fio: { $jobs ->
    [one] 1 job
   *[other] { $jobs } jobs
}, rate changed: { $one }
run-fio-one-moved = fio: { $jobs ->
    [one] 1 job
   *[other] { $jobs } jobs
}, no steady rate; one job: { $first }
run-fio-ended = fio: { $jobs ->
    [one] 1 job
   *[other] { $jobs } jobs
}: { $why }
run-latency = mean latency { $mean }
run-latency-from-due = mean latency { $due } from the due time, { $sent } from submission
run-ping = ping: { $count } requests, avg { $mean }, p99 { $p99 }, max { $max }
run-ping-few = ping: { $count } requests, avg { $mean }, max { $max }
run-ping-nothing = ping: no requests counted
limit-unconfirmed = { $limit } is published, but measurements contradict it: results are not compared with it
