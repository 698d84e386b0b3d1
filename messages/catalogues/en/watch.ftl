# Doubts about a watch.
watch-command-left = the command was told to end when the time was up, and did not: it was left running
watch-command-left-seen = process { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` ends it with all it started
watch-late-looks = some looks came late: the figures of these stretches are means over longer ones
watch-late-looks-seen = { $late } of { $looks } looks, the longest stretch { $longest }
watch-dear-looks = looking at the counters took a noticeable share of a core
watch-dear-looks-seen = { $share } % of one core, { $cost } a look
watch-dear-looks-remedy = a longer --interval costs less
watch-not-counted = a limit was full by its rate, and EBS itself counted none of its limits as exceeded
watch-not-counted-seen = the limit `{ $limit }` of { $cap } was full for { $full } of { $time }
watch-not-counted-remedy = check the limits that were given
watch-group-stopped = the control group { $group } was stopped for having used up its CPU quota
watch-group-stopped-seen = in { $share } % of the quota's periods (cpu.stat)
watch-group-stopped-time-seen = in { $share } % of the quota's periods, { $time } of its threads' time (cpu.stat)
watch-group-stopped-remedy = give it a larger CPU quota, or none

# The first sentence about a watch.
watch-no-figures = ended before the first look: there are no figures
watch-counted = { $device } exceeded { $limit } for { $exceeded } of { $time }, as EBS itself counted
watch-counted-more = { $device } exceeded { $limit } for { $exceeded } of { $time }, as EBS itself counted; { $n ->
    [one] one more limit was exceeded
   *[other] { $n } more limits were exceeded
}
watch-no-alarm = no alarm; { $said }
watch-alarm = alarm: { $alarm }; { $said }
watch-alarms = alarm: { $alarm }, and { $n } more; { $said }
watch-cap-full = the limit `{ $limit }` of { $cap } was full for { $full } of { $time } by { $device }; the most was { $most } ({ $share } %)
watch-cap-full-summed = the limit `{ $limit }` of { $cap } was full for { $full } of { $time }, summed over { $n } devices at the same time; the most was { $most } ({ $share } %)
watch-cap-not-full = no limit was full: the fullest, `{ $limit }` of { $cap }, was used to { $share } % at most ({ $most }) by { $device }
watch-cap-not-full-summed = no limit was full: the fullest, `{ $limit }` of { $cap }, was used to { $share } % at most ({ $most }), summed over { $n } devices at the same time
watch-nothing = nothing was watched but the machine
watch-no-io = { $watched }: no I/O reached a device
watch-all-disks = all disks
watch-process = process { $pid }
watch-only-one = { $device } did { $iops } IOPS and { $bandwidth } on average over { $time }, at most { $most_iops } IOPS and { $most_bandwidth }
watch-busiest = { $device }, the busiest of { $n }, did { $iops } IOPS and { $bandwidth } on average over { $time }, at most { $most_iops } IOPS and { $most_bandwidth }

# How the command beside a watch ended.
command-how = `{ $command }` { $how }
command-not-started = `{ $command }` was not started
command-succeeded = succeeded
command-code = ended with code { $code }
command-signal = was killed by signal { $signal }
command-not-seen = was not seen to end
command-after = { $how } after { $time }
command-told-and-did = was told to end after { $time }, when the time was up, and did
command-told-and = was told to end after { $time }, when the time was up, and { $how }
command-told-and-left = was told to end after { $time }, when the time was up, and still ran: it was left running as process { $pid }

# An alarm.
alarm-told = { $of }: { $figure } { $worst } ({ $alert })
alarm-queue = { $n } in flight

# System calls of a process against block devices.
watch-read-uncounted = { $process }: { $rest } it read at block devices came by no system call that the kernel counts: io_uring, Linux AIO, mapped memory, or read-ahead
watch-wrote-uncounted = { $process }: { $rest } it wrote at block devices came by no system call that the kernel counts: io_uring, Linux AIO, or mapped memory
watch-read-elsewhere = { $process }: { $rest } of what it read by system calls is no block device's: the page cache, pipes or sockets answered
watch-wrote-elsewhere = { $process }: { $rest } of what it wrote by system calls is no block device's: pipes, sockets or memory took
