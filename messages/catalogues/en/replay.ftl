## A recording made again on other storage.

replay-folded = the recording's places were folded into smaller files: caches and seeks have it easier
replay-folded-seen = { $bytes } of what was touched share their place with others
replay-moved = operations are longer than recorded: this storage's blocks are larger
replay-moved-seen = { $n } of { $of } operations
replay-unmapped = requests of no role are not made again: the file system here makes its own
replay-trims = trims are not made in files, where they would leave holes that no device reads
replay-failed = requests that failed, or are neither reads, writes, trims nor flushes, are not made again
replay-left-out-seen = { $n } requests
replay-forced = a write that was forced to the medium (FUA) is made as a write and a flush behind it: where the storage knows such writes, that is more than was asked
replay-forced-seen = { $n } writes
replay-grown = space that the recording wrote before it read it is reserved and not written before, and what it trimmed is given back: handing it out is part of what is measured, as for a file that grows
replay-grown-seen = { $bytes } of new space
replay-following = requests that were issued right behind the end of another, more often than by chance, wait for it here too; the others go at their time
replay-following-seen = { $n } of { $of } operations wait for another
replay-open = everything goes at its time: what waited for what is not known
replay-open-seen = the recording has no latencies
replay-apart = what waits for an operation on another device looks every 20 µs whether that has ended
replay-apart-seen = { $n } operations wait for another device's; { $loads } workers
replay-kept-up = it keeps up: { $operations } operations were made as recorded, none was sent more than { $lag } late
replay-lagged = { $role } does not keep up: late in { $late } of { $seconds } seconds, at most by { $lag }; it took { $made }, recorded were { $recorded }
replay-longer = { $role } does not keep up: what waits for its answers took { $made }, recorded were { $recorded }
replay-more-roles = { $first }; { $n ->
    [one] { $n } more role is in the table
   *[other] { $n } more roles are in the table
}
replay-lagged-bound = { $lags }; { $bound }
replay-unpaced = { $role }: { $iops } IOPS as fast as possible, recorded were { $recorded }

replay-title = { $name } made again
replay-summary = { $operations } operations on { $target }
replay-page = Recorded and made
replay-kind = kind
replay-size = up to
replay-was = recorded
replay-is = made
replay-p50 = p50 then
replay-p50-now = p50 now
replay-p99 = p99 then
replay-p99-now = p99 now
replay-due = p99 from due
replay-lag = Seconds in which operations were sent late
replay-lag-row = second { $second }: { $late } of { $operations }, at most by { $longest }
replay-lag-more = and { $n } more
