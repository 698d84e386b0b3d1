# Files and names: mdtest's shapes
metadata-shape = { $shape }: { $rates }
metadata-found = { $shapes }; by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
} on { $filesystem }
metadata-found-hosts = { $shapes }; by { $n } threads on { $hosts } hosts, on { $filesystem }
metadata-creates = { $rate } creates/s
metadata-stats = { $rate } stats/s
metadata-reads = { $rate } reads/s
metadata-removes = { $rate } removes/s
metadata-doubt-cached = the stat and read phases access files that this machine has just created: its caches answer, not the storage
metadata-seen-cached = { $files } files of each shape; this machine has { $memory } of memory
metadata-seen-cached-hosts = { $phases }: files created by the same machine; { $files } files of each shape; the machine has { $memory } of memory
metadata-remedy-cached = use more files than memory can cache, or access them from another machine
metadata-doubt-short = the phases are too short to show the rate sustained over minutes
metadata-seen-short = { $phase }: { $files } files in { $time }
metadata-remedy-short = use more files (--metadata-files)
metadata-doubt-durable = creates and removes first change only memory; the rates with sync include making the changes durable
metadata-seen-durable = after each phase the file system is synced, as with mdtest -Y
metadata-doubt-apart = the hosts do not see each other's files: mdtest-hard used one directory per host instead of a shared one
metadata-seen-apart = { $name }, created by the first host, is not visible to { $hosts }
metadata-remedy-apart = name a directory on a file system that all hosts share
metadata-doubt-ended = the hosts did not finish together: each rate counts all files until the last host finished
metadata-seen-ended = { $phase }: { $early } finished { $by } before { $last }
metadata-seen-together = while all hosts were working: { $rate }/s
metadata-usual = { $phase }: a typical host of this run reaches { $rate }/s
metadata-behind = { $host }: { $rate }/s
metadata-title = Files and names
metadata-summary = { $files } files of each shape, by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
}
metadata-summary-hosts = { $files } files of each shape, by { $n } threads on { $hosts } hosts
metadata-head-host = host
metadata-by-host = by host
metadata-by-host-note = files/s of each host until that host finished
metadata-head-phase = phase
metadata-head-files = files
metadata-head-rate = /s
metadata-head-durable = /s with sync
metadata-need-partial = only { $done } of { $all } files were processed when the run ended
metadata-need-too-short = met for { $lasted } of the required { $lasting }: use more files (--metadata-files)
plan-of-names = { $command } --metadata in { $path }: { $files } files of each shape by { $n } threads, { $bytes } written; secchi creates a directory for the files and removes it at the end
