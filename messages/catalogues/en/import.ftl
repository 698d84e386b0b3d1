# Remarks on other tools' files: decoding, and lines that are not recognized.
import-utf-16-untold = read as UTF-16, although it has no byte order mark
import-quoted = quote prefixes (`> `) of emails or forum posts were removed from the lines
import-latin-1 = read as Latin-1, because it is not UTF-8: letters outside ASCII may be wrong
import-nul-bytes = { $n } NUL bytes in the file are ignored
import-passed-over = skipped: { $text }
import-columns-differ = skipped, because the line has { $has } columns instead of { $of }: { $text }

# Malformed documents.
import-json-not-whole = its JSON is malformed: { $why }
import-json-not-whole-at = its JSON is malformed: { $why } at line { $line }
import-document-not-whole = the JSON here is malformed: { $why }
import-cut = it was cut short
import-no-colon = a key is not followed by a colon
import-no-key = a key is missing
import-list-open = a list is not closed
import-text-open = a string is not closed
import-no-value = a value is missing
import-no-such-value = an unknown word instead of a value
import-xml-cut = its XML is incomplete: it was cut short
import-xml-not-whole = its XML is malformed: { $why }

# fio's outputs and logs.
import-fio-other-lines = { $n } more lines outside the JSON are skipped (other output of fio from the same run?)
import-more-lines = { $n } more lines are skipped
import-fio-earlier-report = an earlier report of the same run precedes this one: the last report is used
import-fio-several-reports = the file contains several reports: the last report is used
import-fio-reported-before = job { $name } was also reported on line { $line }: the last report is used
import-fio-key-twice = `{ $key }` appears twice in one object: the last value counts
import-fio-job-error = job { $name } ended with error { $error }
import-fio-error = fio reports { $n ->
    [one] an error
   *[other] { $n } errors
}: { $text }
import-fio-did-nothing = job { $name } did no I/O
import-fio-steady-state = steadystate { $asked }: attained={ $attained }, criterion={ $criterion }
import-fio-short = { $n ->
    [one] { $n } operation transferred
   *[other] { $n } operations transferred
} fewer bytes than requested
import-fio-dropped = { $n ->
    [one] { $n } operation was dropped
   *[other] { $n } operations were dropped
}
import-fio-dashes = the command has typographic dashes: fio interprets such words as names of job files
import-fio-disagree = job { $name }: { $way } bandwidth and IOPS disagree by { $percent } % (fio includes the bytes transferred during the ramp)
import-fio-not-told = fio's file does not contain this figure
import-fio-few = too few operations ({ $count }) for p{ $p }
import-fio-no-percentile = fio's file has no p{ $p } (request it with --percentile_list={ $p })
import-fio-percentile-of-jobs = fio's file has no combined p{ $p } for the { $jobs } jobs: percentiles cannot be averaged (use group_reporting or json+)
import-fio-terse-fields = terse version { $version } has { $whole } fields, but this line has { $count }
import-fio-no-histogram = not a histogram line
import-fio-log-back = the time is earlier than on the previous line (fio writes the logs of a job's clones one at a time)
import-fio-log-untold = neither the file nor its name (such as `_bw.1.log`, `_iops.1.log`, `_clat.1.log`) shows what its values represent
import-fio-log-latencies = according to the file name these are { $kind } latencies; read as nanoseconds, but fio 2.x writes microseconds
import-fio-log-micros = according to the file name these are { $kind } latencies; read as microseconds, as fio 2.x writes them: the values are implausible as nanoseconds
import-fio-log-clones = the file contains { $n } clones of one job in succession: each has a separate series
import-fio-log-of = according to the file name these are { $kind } values: the content does not show this

# Samples over time.
import-clock-back = the clock went back by { $seconds } s: the following samples continue one second after the previous sample
import-zone = its times are in time zone { $zone }
import-month-or-day = the day and month in its dates cannot be distinguished: dates are read as month/day
import-no-date = invalid date: { $text }
import-header-of-iris = the header is missing: the columns are assumed to be those of IRIS (Glorefs ... IJULock)
import-header-missing = the header is missing: { $n } columns have no names
import-row-cut = the row has fewer columns than the header: it is cut short
import-blank-values = { $n } blank values: rates have no value in the first row
import-zpool-first = the first report covers the time since the pool was imported (unless zpool iostat ran with -y) and is kept separate; reports have no times and are numbered instead
import-iostat-first = the first report covers the time since the machine started (unless iostat ran with -y): it is kept separate
import-iostat-untimed = reports without times are numbered instead (iostat -t adds times)
import-iostat-one = the only report covers the time since the machine started (unless iostat ran with -y): it describes no interval and no load
import-iostat-excerpt = an excerpt without iostat's first line: the first report here is assumed to cover an interval (if it was also the first that iostat printed, its figures are means since the machine started)
import-iostat-twice = { $device } is listed twice in one report: the first row counts
import-reports-by-profile = reports without times: they are { $seconds } s apart according to the profile
import-sar-average = the Average rows are means over all intervals: they are kept separate
import-sar-restart = the machine was restarted here
import-sar-empty = it has sar's device header but no rows
import-vmstat-first = the first row covers the time since the machine started (unless vmstat ran with -y): it is kept separate
import-vmstat-one = the only row covers the time since the machine started (unless vmstat ran with -y): it describes no interval and no load
import-vmstat-untimed = rows without times are numbered instead (vmstat -t adds times)
import-pidstat-unread = { $n ->
    [one] { $n } value is
   *[other] { $n } values are
} -1: pidstat has no permission to read the I/O of other users' processes
import-pidstat-whole = reports whose header and rows have the same time cover the time since the machine started: they are kept separate
import-pidstat-empty = it has pidstat's header but no processes
import-nfsiostat-first = the first report for a mount covers the time since it was mounted (unless earlier reports were cut off): it is kept separate
import-nfsiostat-headers = its kB figures count whole RPC messages, including headers, so they exceed what the program read and wrote
import-nfsiostat-untimed = nfsiostat prints no times: reports are numbered instead
import-nfsiostat-empty = it has nfsiostat's headings but no mounts
import-btt-whole = btt summarizes a whole trace: it describes no interval
import-btt-empty = it has btt's title but no figures
import-section-unread = the section { $section } cannot be read: { $why }
import-mgstat-empty = it has mgstat's header but no samples
import-vmstat-empty = it has vmstat's header but no rows
import-iostat-empty = it has iostat's header but no devices
import-counters-empty = it has a header of performance counters but no samples
import-metrics-partial = { $label } is { $status }: not all of its values are in this file
import-cloudwatch-unpaired = { $label } has { $times } times and { $values } values
import-cloudwatch-one-value = { $name } has one value: its period is unknown, so it is not a rate
import-cloudwatch-sums = { $name }: read as sums over { $seconds } s and divided by that time, because the response has neither statistic nor period

# Other load generators.
import-mix = a mixed workload: { $text }
import-phase-without-io = the phase { $phase } did no I/O
import-tool-error = the tool reports: { $text }
import-end-missing = the file was cut short: `{ $missing }` is missing
import-excerpt = an excerpt: `{ $missing }` is missing; the tests that it contains are complete
import-rows-missing = the table `{ $table }` ends after line { $line }, without its rows { $rows }
import-yabs-empty = the cells of YABS's table on line { $line } are empty: fio failed, or YABS stopped it after 35 s
import-yabs-no-table = YABS's banner is on line { $line }, but neither `fio Disk Speed Tests` nor `dd Sequential Disk Speed Tests` follows
import-called-invalid = the tool itself marks the result as invalid: { $text }
import-fewer-than-asked = only { $done } of the { $asked } requested transactions were completed
import-zeros-left-out = { $n ->
    [one] one phase with a rate of 0 is left out: { $tool } prints 0 for phases that were not requested
   *[other] { $n } phases with a rate of 0 are left out: { $tool } prints 0 for phases that were not requested
}
import-times-unread = { $tool } was set to print times instead of rates: times are not read
import-ior-latency = IOR before version 4 divides the time by the transfers of one block; with { $segments } segments its Latency(s) is not a latency and is left out
import-also-of = it also has content in the format { $format }, which is not read: put that content into a separate file
import-pg-reset = counters were reset at { $when }: the interval that includes the reset is left out
import-pg-back = counters went back without a recorded reset: the interval is left out
import-pg-clock = the clock went back by { $seconds } s: the interval is left out
import-pg-one = only one snapshot: a rate needs two
