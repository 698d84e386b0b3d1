# Files and names: mdtest's shapes
metadata-shape = { $shape }: { $rates }
metadata-found = { $shapes }; by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
} on { $filesystem }
metadata-creates = { $rate } creates/s
metadata-stats = { $rate } stats/s
metadata-reads = { $rate } reads/s
metadata-removes = { $rate } removes/s
metadata-doubt-cached = what stat and read find, this machine made a moment ago: its caches answer, not the storage
metadata-seen-cached = { $files } files of each shape; this machine has { $memory } of memory
metadata-remedy-cached = take more files than memory can know, or look at them from another machine
metadata-doubt-short = phases are short: what such a rate does over minutes is not known
metadata-seen-short = { $phase }: { $files } files in { $time }
metadata-remedy-short = ask for more files, by --metadata-files
metadata-doubt-durable = what is made or removed is in memory first: the rates with sync have made it durable
metadata-seen-durable = after each phase the file system is synced, as by mdtest -Y
metadata-title = Files and names
metadata-summary = { $files } files of each shape, by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
}
metadata-head-phase = phase
metadata-head-files = files
metadata-head-rate = /s
metadata-head-durable = /s with sync
