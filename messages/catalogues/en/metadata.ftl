# Files and names: mdtest's shapes
metadata-shape = { $shape }: { $rates }
metadata-found = { $shapes }; by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
} on { $filesystem }
metadata-found-hosts = { $shapes }; by { $n } threads of { $hosts } hosts on { $filesystem }
metadata-creates = { $rate } creates/s
metadata-stats = { $rate } stats/s
metadata-reads = { $rate } reads/s
metadata-removes = { $rate } removes/s
metadata-doubt-cached = what stat and read find, this machine made a moment ago: its caches answer, not the storage
metadata-seen-cached = { $files } files of each shape; this machine has { $memory } of memory
metadata-seen-cached-hosts = { $phases }: files that the same machine made; { $files } files of each shape; it has { $memory } of memory
metadata-remedy-cached = take more files than memory can know, or look at them from another machine
metadata-doubt-short = phases are short: what such a rate does over minutes is not known
metadata-seen-short = { $phase }: { $files } files in { $time }
metadata-remedy-short = ask for more files, by --metadata-files
metadata-doubt-durable = what is made or removed is in memory first: the rates with sync have made it durable
metadata-seen-durable = after each phase the file system is synced, as by mdtest -Y
metadata-doubt-apart = the hosts do not see each other's files: mdtest-hard was of a directory for each, not of one for all
metadata-seen-apart = { $name }, which the first host made, is not seen by { $hosts }
metadata-remedy-apart = name a directory of a file system that all of them share
metadata-doubt-ended = the hosts were not done together: a rate is of all files until the last host was done
metadata-seen-ended = { $phase }: { $early } was done { $by } before { $last }
metadata-seen-together = while all were at work: { $rate }/s
metadata-usual = { $phase }: { $rate }/s are usual for a host here
metadata-behind = { $host }: { $rate }/s
metadata-title = Files and names
metadata-summary = { $files } files of each shape, by { $n ->
    [one] { $n } thread
   *[other] { $n } threads
}
metadata-summary-hosts = { $files } files of each shape, by { $n } threads of { $hosts } hosts
metadata-head-host = host
metadata-by-host = by host
metadata-by-host-note = /s of each, until it was done itself
metadata-head-phase = phase
metadata-head-files = files
metadata-head-rate = /s
metadata-head-durable = /s with sync
metadata-need-partial = { $done } of { $all } files were done when it ended
metadata-need-too-short = met, but for { $lasted } and not for { $lasting }: ask for more files, by --metadata-files
plan-of-names = { $command } --metadata in { $path }: { $files } files of each shape by { $n } threads, { $bytes } written, in a directory of its own that is removed at the end
