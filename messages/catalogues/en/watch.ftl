# Doubts about a watch.
watch-command-left = when the time was up, the command was sent a termination signal but did not exit: it was left running
watch-command-left-seen = process { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` kills it and all processes it started
watch-late-looks = some samples were late: their figures are means over longer intervals
watch-late-looks-seen = { $late } of { $looks } samples; the longest interval was { $longest }
watch-dear-looks = sampling the counters took a noticeable share of a core
watch-dear-looks-seen = { $share } % of one core, { $cost } per sample
watch-dear-looks-remedy = use a longer --interval to reduce the cost
watch-not-counted = judging by the rate, a limit was reached, but EBS's own counters show that no limit was exceeded
watch-not-counted-seen = judging by the rate, the limit `{ $limit }` of { $cap } was reached for { $full } of { $time }
watch-not-counted-remedy = check the limits that were declared for this watch
watch-group-stopped = the control group { $group } was throttled because it had used up its CPU quota
watch-group-stopped-seen = in { $share } % of the quota periods (cpu.stat)
watch-group-stopped-time-seen = in { $share } % of the quota periods, for { $time } in total across its threads (cpu.stat)
watch-group-stopped-remedy = give the group a larger CPU quota, or remove its quota
watch-hidden-processes = the I/O of some processes is unknown: this user may not read their counters
watch-hidden-processes-seen = { $hidden } of { $processes } processes (/proc/PID/io)
watch-hidden-processes-remedy = run secchi as root, or grant it CAP_SYS_PTRACE, to include all processes

# The first sentence about a watch.
watch-no-figures = the watch ended before the first sample: there are no figures
watch-counted = { $device } exceeded { $limit } for { $exceeded } of { $time }, according to EBS's own counters
watch-counted-more = { $device } exceeded { $limit } for { $exceeded } of { $time }, according to EBS's own counters; { $n ->
    [one] one more limit was exceeded
   *[other] { $n } more limits were exceeded
}
watch-no-alarm = no alarm; { $said }
watch-alarm = alarm: { $alarm }; { $said }
watch-alarms = alarm: { $alarm }, and { $n } more; { $said }
watch-cap-full = { $device } reached the limit `{ $limit }` of { $cap } for { $full } of { $time }; its maximum was { $most } ({ $share } %)
watch-cap-full-summed = the combined load of { $n } devices reached the limit `{ $limit }` of { $cap } for { $full } of { $time }; the maximum was { $most } ({ $share } %)
watch-cap-not-full = no limit was reached: the peak of { $device }, { $most }, was { $share } % of the closest limit, `{ $limit }` of { $cap }
watch-cap-not-full-summed = no limit was reached: the combined peak of { $n } devices, { $most }, was { $share } % of the closest limit, `{ $limit }` of { $cap }
watch-nothing = no device was watched, only the machine itself
watch-no-io = { $watched }: no I/O reached a device
watch-all-disks = all disks
watch-process = process { $pid }
watch-only-one = { $device } averaged { $iops } IOPS and { $bandwidth } over { $time }, with peaks of { $most_iops } IOPS and { $most_bandwidth }
watch-busiest = { $device }, the busiest of { $n } devices, averaged { $iops } IOPS and { $bandwidth } over { $time }, with peaks of { $most_iops } IOPS and { $most_bandwidth }

# How the command of a watch ended.
command-how = `{ $command }` { $how }
command-not-started = `{ $command }` was not started
command-succeeded = succeeded
command-code = exited with code { $code }
command-signal = was killed by signal { $signal }
command-not-seen = has no recorded exit status
command-after = { $how } after { $time }
command-told-and-did = was sent a termination signal after { $time }, when the time was up, and exited
command-told-and = was sent a termination signal after { $time }, when the time was up, and { $how }
command-told-and-left = was sent a termination signal after { $time }, when the time was up, but did not exit: it was left running as process { $pid }

# An alarm.
alarm-told = { $of }: { $figure } { $worst } ({ $alert })
alarm-queue = { $n } in flight

# System calls of a process against block devices.
watch-read-uncounted = { $process }: { $rest } were read from block devices by means that the kernel's system call counts omit: io_uring, Linux AIO, mapped memory, or read-ahead
watch-wrote-uncounted = { $process }: { $rest } were written to block devices by means that the kernel's system call counts omit: io_uring, Linux AIO, or mapped memory
watch-read-elsewhere = { $process }: { $rest } read by system calls did not come from block devices, but from the page cache, pipes or sockets
watch-wrote-elsewhere = { $process }: { $rest } written by system calls did not go to block devices, but to pipes, sockets or memory
