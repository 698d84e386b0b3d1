# Doubts about a watch.
watch-command-left = the command was signalled to end when the time was up, but did not end: it was left running
watch-command-left-seen = process { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` ends it and all processes it started
watch-late-looks = some samples came late: their figures are means over longer intervals
watch-late-looks-seen = { $late } of { $looks } samples; the longest interval was { $longest }
watch-dear-looks = sampling the counters took a noticeable share of a core
watch-dear-looks-seen = { $share } % of one core, { $cost } per sample
watch-dear-looks-remedy = use a longer --interval, which costs less
watch-not-counted = a limit was reached, judging by the rate, but EBS itself counted none of its limits as exceeded
watch-not-counted-seen = the limit `{ $limit }` of { $cap } was reached for { $full } of { $time }, judging by the rate
watch-not-counted-remedy = check the limits that were given
watch-group-stopped = the control group { $group } was throttled because it had used up its CPU quota
watch-group-stopped-seen = in { $share } % of the quota periods (cpu.stat)
watch-group-stopped-time-seen = in { $share } % of the quota periods, for { $time } of its threads' time (cpu.stat)
watch-group-stopped-remedy = give the group a larger CPU quota, or remove its quota

# The first sentence about a watch.
watch-no-figures = the watch ended before the first sample: there are no figures
watch-counted = { $device } exceeded { $limit } for { $exceeded } of { $time }, as EBS itself counted
watch-counted-more = { $device } exceeded { $limit } for { $exceeded } of { $time }, as EBS itself counted; { $n ->
    [one] one more limit was exceeded
   *[other] { $n } more limits were exceeded
}
watch-no-alarm = no alarm; { $said }
watch-alarm = alarm: { $alarm }; { $said }
watch-alarms = alarm: { $alarm }, and { $n } more; { $said }
watch-cap-full = the limit `{ $limit }` of { $cap } was reached for { $full } of { $time } by { $device }; the maximum was { $most } ({ $share } %)
watch-cap-full-summed = the limit `{ $limit }` of { $cap } was reached for { $full } of { $time }, summed over { $n } devices at the same time; the maximum was { $most } ({ $share } %)
watch-cap-not-full = no limit was reached: the closest, `{ $limit }` of { $cap }, peaked at { $share } % ({ $most }) on { $device }
watch-cap-not-full-summed = no limit was reached: the closest, `{ $limit }` of { $cap }, peaked at { $share } % ({ $most }), summed over { $n } devices at the same time
watch-nothing = only the machine itself was watched
watch-no-io = { $watched }: no I/O reached a device
watch-all-disks = all disks
watch-process = process { $pid }
watch-only-one = { $device } did { $iops } IOPS and { $bandwidth } on average over { $time }, at most { $most_iops } IOPS and { $most_bandwidth }
watch-busiest = { $device }, the busiest of { $n }, did { $iops } IOPS and { $bandwidth } on average over { $time }, at most { $most_iops } IOPS and { $most_bandwidth }

# How the command of a watch ended.
command-how = `{ $command }` { $how }
command-not-started = `{ $command }` was not started
command-succeeded = succeeded
command-code = exited with code { $code }
command-signal = was killed by signal { $signal }
command-not-seen = has no recorded end
command-after = { $how } after { $time }
command-told-and-did = was signalled to end after { $time }, when the time was up, and ended
command-told-and = was signalled to end after { $time }, when the time was up, and { $how }
command-told-and-left = was signalled to end after { $time }, when the time was up, but did not end: it was left running as process { $pid }

# An alarm.
alarm-told = { $of }: { $figure } { $worst } ({ $alert })
alarm-queue = { $n } in flight

# System calls of a process against block devices.
watch-read-uncounted = { $process }: { $rest } read from block devices came through no system call that the kernel counts: io_uring, Linux AIO, mapped memory, or read-ahead
watch-wrote-uncounted = { $process }: { $rest } written to block devices came through no system call that the kernel counts: io_uring, Linux AIO, or mapped memory
watch-read-elsewhere = { $process }: { $rest } read by system calls did not come from block devices, but from the page cache, pipes or sockets
watch-wrote-elsewhere = { $process }: { $rest } written by system calls did not go to block devices, but to pipes, sockets or memory
