## Ways to make writes durable: `secchi durable`, and syncs that are too fast to be durable
durable-standing-kept = kept
durable-standing-doubtful = doubtful
durable-standing-broken = BROKEN
durable-standing-unseen = unknown
durable-standing-refused = refused
durable-all = { $n ->
    [one] the only promise
   *[other] all { $n } promises
}
durable-found-kept = { $what } kept down to { $layer }
durable-found-doubtful = { $what } doubtful: { $layer } answers faster than a storage medium can
durable-found-broken = { $what } BROKEN at { $layer }
durable-found-unseen = { $what }: cannot be determined here
durable-found-refused = { $what }: not supported here
durable-found-rate = fdatasync: { $rate } commits/s, p50 { $p50 }
durable-seen-errors = { $n ->
    [one] { $n } operation failed, and none succeeded
   *[other] { $n } operations failed, and none succeeded
}
durable-seen-option = { $filesystem } is mounted with { $option }: no sync reaches a device
durable-seen-few = only { $n } commits: too few to count flushes
durable-seen-through = { $device } reports that it caches no writes (write through), so the kernel sends it no flush
durable-seen-uncounted = the flushes that reached { $device } were not counted
durable-seen-no-device = no block device is visible under { $filesystem }
durable-seen-timed = { $device }: { $flushes } flushes and { $forced } forced writes per commit; a flush takes { $time }
durable-seen-traced = { $device }: { $flushes } flushes and { $forced } forced writes per commit
durable-seen-counted = { $device }: { $flushes } flushes per commit, as counted by the kernel, which does not count forced writes
durable-layer-option = mounted with { $option }: no sync reaches a device
durable-layer-virtual = how its host handles a flush is not visible here
durable-layer-through = reports that it caches no writes: the kernel sends it no flush
durable-layer-cache = has a cache: a flush or a forced write must reach it
durable-layer-passes = has a cache, or passes writes on to a device that has one
durable-layer-silent = does not report whether it has a cache
durable-doubt-no-device = a sync took less time than any device needs to answer: it did not reach a device
durable-doubt-turn = a sync took less than half a revolution of the fastest disk: a cache answered, which is durable only with a battery or capacitors
durable-doubt-flash = a sync took less time than programming flash takes: a cache answered, which is durable only with capacitors (power-loss protection)
durable-doubt-flat = syncing a large amount of data takes about as long as syncing a small amount, and runs at the speed of memory
durable-doubt-virtual = the lowest visible device is provided by another machine, whose cache may or may not honour flushes
durable-doubt-waits = commits spend most of their time waiting in this machine's software, not for the device: the figures do not describe the storage
durable-seen-waits = an fdatasync takes { $mean } on average, of which { $there } is spent at { $device }
durable-remedy-waits = check for a control group's cap, for other work on the CPUs (which delays the kernel threads that issue flushes), and for delays in the file system's journal
durable-seen-sync = { $device }: the p50 of { $n } syncs is { $took }
durable-seen-flat = a sync took { $first } after writing { $small }, and { $second } after writing { $large }
durable-seen-virtual = { $device } is a virtual disk ({ $kind })
durable-remedy-prove = check the data sheet for power-loss protection of the cache, or test it with a power cut: secchi durable write --witness
durable-title = Promises
durable-title-layers = Layers, top to bottom
durable-title-commits = Ways to commit, one thread
durable-title-sync = Syncs by amount of dirty data
durable-head-promise = promise
durable-head-standing = state
durable-head-evidence = reason
durable-head-layer = layer
durable-head-kind = kind
durable-head-cache = cache
durable-head-note = note
durable-head-method = method
durable-head-rate = commits/s
durable-head-flushes = flushes each
durable-head-forced = forced each
durable-head-flush = flush p50
durable-head-dirty = dirty
durable-head-syncs = syncs
durable-same = as above
