## A recording replayed on other storage.

replay-folded = the recording's offsets were folded into smaller files: caches hit more often and seeks are shorter than in the original
replay-folded-seen = { $bytes } of the accessed data map to the same offsets as other data
replay-moved = operations are larger than recorded because this storage has larger blocks
replay-moved-seen = { $n } of { $of } operations
replay-unmapped = requests without a role are not replayed: the target's file system issues such requests itself
replay-trims = trims are not replayed in files: they would leave holes, and reads of holes do not reach the device
replay-failed = requests that failed, or are not reads, writes, trims or flushes, are not replayed
replay-left-out-seen = { $n } requests
replay-forced = a write that was forced to the medium (FUA) is replayed as a write and a flush: on storage that supports FUA, this is more work than was recorded
replay-forced-seen = { $n } writes
replay-grown = space that the recording writes before reading it is reserved but not filled, and trimmed space is released: the replay therefore includes allocation, as for a growing file
replay-grown-seen = { $bytes } of new space
replay-following = requests that regularly followed another request's completion also wait for it in the replay; all others are sent at their recorded times
replay-following-seen = { $n } of { $of } operations wait for another operation
replay-open = every request is sent at its recorded time: dependencies between requests are unknown
replay-open-seen = the recording has no latencies
replay-apart = operations that wait for an operation on another device check every 20 µs whether it has completed
replay-apart-seen = { $n } operations wait for an operation on another device; { $loads } workers
replay-kept-up = the storage keeps up: { $operations } operations were replayed as recorded, and none was sent more than { $lag } late
replay-lagged = { $role } does not keep up: operations were sent late in { $late } of { $seconds } seconds, by at most { $lag }; the replay took { $made } instead of { $recorded }
replay-longer = { $role } does not keep up: operations that wait for others are delayed; the replay took { $made } instead of { $recorded }
replay-more-roles = { $first }; { $n ->
    [one] { $n } more role is in the table
   *[other] { $n } more roles are in the table
}
replay-lagged-bound = { $lags }; { $bound }
replay-unpaced = { $role }: { $iops } IOPS as fast as possible, compared with { $recorded } IOPS in the recording

replay-title = Replay of { $name }
replay-summary = { $operations } operations on { $target }
replay-page = Recorded and replayed
replay-kind = kind
replay-size = up to
replay-was = recorded
replay-is = replayed
replay-p50 = p50 then
replay-p50-now = p50 now
replay-p99 = p99 then
replay-p99-now = p99 now
replay-due = p99 from due
replay-lag = Seconds in which operations were sent late
replay-lag-row = second { $second }: { $late } of { $operations } late, by at most { $longest }
