# What is noticed in other tools' files: how they were decoded, and lines that are not understood.
import-utf-16-untold = read as UTF-16, though it does not say so
import-quoted = mail or forum marks (`> `) at the beginnings of lines were removed
import-latin-1 = read as Latin-1, as it is not UTF-8: letters outside ASCII may be wrong
import-nul-bytes = { $n } NUL bytes in it are passed over
import-passed-over = passed over: { $text }
import-columns-differ = passed over, it has { $has } of { $of } columns: { $text }

# Documents that are not whole.
import-json-not-whole = its JSON is not whole: { $why }
import-json-not-whole-at = its JSON is not whole: { $why } at line { $line }
import-document-not-whole = a document here is not whole: { $why }
import-cut = it was cut short
import-no-colon = a key without its colon
import-no-key = no key where one belongs
import-list-open = the list has no end
import-text-open = a text without its end
import-no-value = no value where one belongs
import-no-such-value = a word that is no value
import-xml-cut = its XML is not whole: it was cut short
import-xml-not-whole = its XML is not whole: { $why }

# fio's outputs and logs.
import-fio-other-lines = { $n } more lines outside of the JSON are passed over (fio's other outputs of the same run?)
import-more-lines = { $n } more lines are passed over
import-fio-earlier-report = an earlier report of the same run stands before: the last is taken
import-fio-several-reports = the file holds several reports: the last one is taken
import-fio-reported-before = job { $name } was also reported on line { $line }: the last report is taken
import-fio-key-twice = `{ $key }` stands twice in one object: the last counts
import-fio-job-error = job { $name } ended with error { $error }
import-fio-error = fio reports { $n ->
    [one] an error
   *[other] { $n } errors
}: { $text }
import-fio-did-nothing = job { $name } did nothing
import-fio-steady-state = steadystate { $asked }: attained { $attained }, criterion { $criterion }
import-fio-short = { $n } operations were short
import-fio-dropped = { $n } operations were dropped
import-fio-dashes = the command has typographic dashes: fio takes such words for names of job files
import-fio-disagree = job { $name }: { $way } bandwidth and IOPS disagree by { $percent } % (fio counts the bytes of the ramp)
import-fio-not-told = fio's file does not tell it
import-fio-few = too few operations ({ $count }) for p{ $p }
import-fio-no-percentile = fio's file has no p{ $p } (ask fio for it: --percentile_list={ $p })
import-fio-percentile-of-jobs = p{ $p } of { $jobs } jobs together is not in fio's file: percentiles cannot be averaged (use group_reporting or json+)
import-fio-terse-fields = version { $version } has { $whole } fields, this line { $count }
import-fio-no-histogram = no line of a histogram
import-fio-log-back = its time is before that of the line above (fio logs clones one after the other)
import-fio-log-untold = what its values are of is not in the file, nor in its name (as `_bw.1.log`, `_iops.1.log`, `_clat.1.log`)
import-fio-log-latencies = its name says that these are { $kind } latencies; taken as nanoseconds, of fio 2.x they are microseconds
import-fio-log-micros = its name says that these are { $kind } latencies; taken as microseconds, as fio 2.x writes them: as nanoseconds they could not be
import-fio-log-clones = it holds { $n } clones of one job, one after the other: each has series of its own
import-fio-log-of = its name says that these are of { $kind }: the file itself does not

# Samples over time.
import-clock-back = the clock went back by { $seconds } s: samples follow on each other
import-zone = its clock is of zone { $zone }
import-month-or-day = day and month of its dates cannot be told apart: read as month/day
import-no-date = no date of the calendar: { $text }
import-header-of-iris = the header is missing: columns are taken for those of IRIS (Glorefs ... IJULock)
import-header-missing = the header is missing: { $n } columns without names
import-row-cut = fewer columns than the header names: the row is cut
import-blank-values = { $n } blank values: a rate has none in its first row
import-zpool-first = the first report is of the time since the pool was imported (unless zpool iostat ran with -y) and is kept apart; reports have no times and are numbered
import-iostat-first = the first report is of the time since the machine started (unless iostat ran with -y): it stands apart
import-iostat-untimed = reports without times (iostat -t tells them): they are numbered instead
import-iostat-one = the only report is of the time since the machine started (unless iostat ran with -y): it tells of no interval and of no load
import-iostat-excerpt = an excerpt without iostat's first line: its first report is read as one of an interval (if it was the first that iostat printed, its figures are means since the machine started)
import-iostat-twice = { $device } is listed again in one report: its first row counts
import-reports-by-profile = reports without times: they are laid on the profile's { $seconds } s
import-sar-average = the rows of Average are means of all intervals: they stand apart
import-sar-restart = the machine was started again here
import-sar-empty = it has sar's header of devices and no rows
import-vmstat-first = the first row is of the time since the machine started (unless vmstat ran with -y): it stands apart
import-vmstat-one = the only row is of the time since the machine started (unless vmstat ran with -y): it tells of no interval and of no load
import-vmstat-untimed = rows without times (vmstat -t tells them): they are numbered instead
import-pidstat-unread = { $n ->
    [one] { $n } value is
   *[other] { $n } values are
} -1: pidstat may not read what other users' processes do
import-pidstat-whole = reports whose head and rows are of one time are of the time since the machine started: they stand apart
import-pidstat-empty = it has pidstat's header and no processes
import-nfsiostat-first = the first report of a mount is of the time since it was mounted (unless those before it were cut off): it stands apart
import-nfsiostat-headers = its kB are of whole RPC messages, headers with them: more than the program read and wrote
import-nfsiostat-untimed = nfsiostat tells no times: reports are numbered instead
import-nfsiostat-empty = it has nfsiostat's words and no mount
import-btt-whole = btt sums up a whole trace: it tells of no interval
import-btt-empty = it has btt's title and no figures
import-section-unread = the section { $section } is not read: { $why }
import-mgstat-empty = it has mgstat's header and no samples
import-vmstat-empty = it has vmstat's header and no rows
import-iostat-empty = it has iostat's header and no devices
import-counters-empty = it has a header of performance counters and no samples
import-cloudwatch-partial = { $label } is { $status }: not all of its values are here
import-cloudwatch-unpaired = { $label } has { $times } times and { $values } values
import-cloudwatch-one-value = { $name } has one value: its period is not told, so that it is no rate
import-cloudwatch-sums = { $name }: taken as sums of { $seconds } s (the answer tells neither statistic nor period), divided by it

# Other load generators.
import-mix = a mix: { $text }
import-phase-without-io = the phase { $phase } did no I/O
import-tool-error = it says: { $text }
import-end-missing = it was cut short: `{ $missing }` is missing
import-excerpt = an excerpt: `{ $missing }` is missing; the tests that it has are whole
import-called-invalid = the tool itself calls it invalid: { $text }
import-fewer-than-asked = { $done } of { $asked } were done
import-zeros-left-out = { $n ->
    [one] one phase with a rate of 0 is left out: { $tool } writes 0 for what it was not asked to do
   *[other] { $n } phases with a rate of 0 are left out: { $tool } writes 0 for what it was not asked to do
}
import-times-unread = { $tool } was asked for times instead of rates: they are not read
import-ior-latency = IOR before 4 divides the time by the transfers of one block, and here are { $segments } segments: its Latency(s) is no latency, and is left out
import-also-of = its content is also of the format { $format }, which is not read: give it a file of its own
import-pg-reset = counters were reset at { $when }: the stretch in which that was is left out
import-pg-back = counters went back without a reset being told: the stretch is left out
import-pg-clock = the clock went back by { $seconds } s: the stretch is left out
import-pg-one = one snapshot alone: rates are differences of two
