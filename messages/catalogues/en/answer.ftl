# The answer: figures and what they refer to.
figure-of = { $did } of { $cap } ({ $share })
figure-at-least = at least { $figure }
figure-in-flight = { $figure } with { $n } in flight
figure-at-depth = { $figure } at depth { $depth }
figure-rising = { $figure } and still rising
figure-per-doubling = { $figure }, +{ $percent } % per doubling
figure-rising-at = { $figure }, still rising at depth { $deepest }
figure-of-size = { $size } at { $figure }

# Why something is not known.
why-rising = still rising
why-noisy = the levels are too noisy
why-brief = the levels are too few or too short
why-lower = { $name } is the lower limit
why-burst = this rate uses burst credits, which run out
why-cpu = this machine's CPU was too slow
why-few = too few operations in flight
why-undecidable = this run cannot show which limit binds
why-others = other processes used the device
why-others-hide = other processes used the device, which hides its limit
why-deeper-struck = the levels at greater depths are not valid
why-others-cpu = other processes used the CPU
why-generator = the load generator may be the bottleneck
why-no-limit = no limit is known here
why-away = far from every known limit
why-no-level = the rate did not settle
why-no-more = no higher rate was requested

# What binds.
limit-undecided = undecided
limit-unknown = unknown
limit-few = too few in flight
limit-cpu = this machine's CPU
limit-device = the device
limit-device-defined = the device: the storage as this machine sees it, without a cap
limit-cap = a cap
limit-cap-or-device = a cap or the device
limit-virtual-disk = the virtual disk as this guest sees it
limit-iops-cap = an IOPS cap
limit-bandwidth-cap = a bandwidth cap
limit-undecidable = { $names } (this run cannot show which one)
limit-unnamed = { $name } that is not among the given limits
binds-not-reached = no limit reached, for { $what }: { $figure }
binds-not-known = unknown, for { $what }: { $figure }, { $why }
binds-no-rate = no steady rate, for { $what }: { $figure }
binds-no-figure = unknown, for { $what }: { $why }
binds-nothing = nothing, for { $what }: { $figure }
binds-limit = { $limit }, for { $what }: { $figure }
binds-others = { $binds }; { $n ->
    [one] { $n } other workload differs
   *[other] { $n } other workloads differ
}

# Whether what was bought is delivered.
bought-more = more than bought: { $what } reached { $measured }, { $row }; the limit is wrong, or something else was measured
bought-more-somewhere = more than bought: the limit is wrong, or something else was measured
bought-less = less than bought: { $what } reached { $measured }, { $row }
bought-row = { $measured }, { $row }
bought-rows = { $first }; { $second }
bought-delivered = delivered: { $shown }
bought-in-part = delivered: { $shown }; not shown: { $row }, { $why }
bought-not-shown = not shown: { $what } reached { $measured }, { $row }; { $why }
bought-not-tested = not shown: no valid figure to compare with what was bought

# Whether the needs are met.
need-figure = { $metric } is { $measured }
need-and-figure = { $need }: { $figure }
needs-met = met { $need }
needs-not-met = not met { $need }
needs-undecided = undecided { $need }
needs-some-met = all { $all } met; the first: { $need }
needs-some-not-met = { $n } of { $all } not met; the first: { $need }
needs-some-undecided = { $n } of { $all } undecided; the first: { $need }

# What to do next.
do-device = check the kernel log (dmesg) for device errors, then run again
do-again = repeat the run and let it finish
do-wait = wait until the run has finished
do-measure = measure what is missing: { $command }
do-ask = specify what was bought (--limit, --volume) or needed (--need) to get a verdict
do-judge = compare the figures with what was bought or needed: { $command }
do-faster-storage = use faster storage: a single operation takes { $alone }, but at most { $most } is allowed
do-fewer = keep fewer operations in flight, or use faster storage: a single operation takes { $alone }
do-raise = raise { $limit }: { $wanted } are needed, but it delivered { $figure }
do-raise-baseline = raise { $limit }: { $wanted } are needed, but it sustains only { $baseline } IOPS after its burst
do-keep = keep at least { $n } operations in flight: that many are required for { $wanted } if each takes { $cycle }
do-faster-device = use a faster device: { $wanted } are needed, but it delivered { $figure }
do-find-cap = look for an undeclared cap, such as one on the instance, the host or a shared path
do-seller = ask the vendor why { $row } is not reached, and quote this run's ID
do-lift = raise { $name } and run again: { $name } is below { $row }
do-quiet = repeat the run while nothing else uses the device
do-deeper = increase the depth until the rate stops rising: { $option }
do-another-size = add block sizes to distinguish a cap from the device: { $option }
do-longer = repeat the run with { $option }: longer levels can identify the limit

# Words before the lines of the answer in a terminal, of at most eight columns.
label-bought = BOUGHT
label-needs = NEEDS
label-binds = BINDS
label-do = DO
