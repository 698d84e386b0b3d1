## Ways to make writes durable: `secchi durable`, and syncs that cost too little
durable-standing-kept = kept
durable-standing-doubtful = doubtful
durable-standing-broken = BROKEN
durable-standing-unseen = not seen
durable-standing-refused = refused
durable-all = { $n ->
    [one] the one promise
   *[other] all { $n } promises
}
durable-found-kept = { $what } kept down to { $layer }
durable-found-doubtful = { $what } doubtful: { $layer } answers sooner than a medium can
durable-found-broken = { $what } BROKEN at { $layer }
durable-found-unseen = { $what } cannot be seen here
durable-found-refused = { $what } refused here
durable-found-rate = fdatasync: { $rate } commits/s, p50 { $p50 }
durable-seen-errors = { $n ->
    [one] { $n } operation failed, and none succeeded
   *[other] { $n } operations failed, and none succeeded
}
durable-seen-option = { $filesystem } is mounted with { $option }: no sync reaches a device
durable-seen-few = only { $n } commits: too few to count flushes by
durable-seen-through = { $device } says that it keeps nothing back (write through), so the kernel sends it no flush
durable-seen-uncounted = nobody counted what reached { $device }
durable-seen-no-device = no block device is seen below { $filesystem }
durable-seen-timed = { $device }: { $flushes } flushes and { $forced } forced writes for each, a flush in { $time }
durable-seen-traced = { $device }: { $flushes } flushes and { $forced } forced writes for each
durable-seen-counted = { $device }: { $flushes } flushes for each, as the kernel counts them; forced writes it does not count
durable-layer-option = mounted with { $option }: no sync reaches a device
durable-layer-virtual = what its host does with a flush cannot be seen here
durable-layer-through = says that it keeps nothing back: the kernel sends it no flush
durable-layer-cache = has a cache: a flush or a forced write must reach it
durable-layer-passes = has a cache, or passes on to what has one
durable-layer-silent = says nothing of a cache
durable-doubt-no-device = a sync took less time than any device needs to answer: none was asked
durable-doubt-turn = a sync took less than half a turn of the fastest disk: a cache answered, which keeps it only with a battery or capacitors
durable-doubt-flash = a sync took less than it takes to program flash: a cache answered, which keeps it only with capacitors (power-loss protection)
durable-doubt-flat = a sync of much takes as long as one of little, at the speed of memory
durable-doubt-virtual = below the lowest device seen stands another machine, whose cache may keep a flush or not
durable-doubt-waits = most of a commit passes on this machine, not at the device: its figures are not the storage's
durable-seen-waits = { $mean } for each by fdatasync, { $there } of them at { $device }
durable-remedy-waits = look for a cap of the control group, see that nothing else wants the CPUs (the kernel's own threads hand flushes on), or look at the file system's journal
durable-seen-sync = { $device }: p50 { $took } of { $n } syncs
durable-seen-flat = { $first } behind { $small }, { $second } behind { $large }
durable-seen-virtual = { $device } is a virtual disk ({ $kind })
durable-remedy-prove = the data sheet says whether the cache is protected; a loss of power proves it: secchi durable write --witness
durable-title = Promises
durable-title-layers = Layers, the topmost first
durable-title-commits = Ways to commit, one thread
durable-title-sync = Syncs behind so much that is dirty
durable-head-promise = promise
durable-head-standing = seen
durable-head-evidence = because
durable-head-layer = layer
durable-head-kind = kind
durable-head-cache = cache
durable-head-note = note
durable-head-method = method
durable-head-commits = commits
durable-head-rate = commits/s
durable-head-flushes = flushes each
durable-head-forced = forced each
durable-head-flush = flush p50
durable-head-dirty = dirty
durable-head-syncs = syncs
durable-same = the same
