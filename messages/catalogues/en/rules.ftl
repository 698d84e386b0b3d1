# Rules for results of other tools and for plans: title (the problem), explanation, and remedy.
rule-E01-not-whole-title = the tool failed, or its output is incomplete
rule-E01-not-whole-explanation = The file shows that its figures do not cover a complete run: it contains an error message, a count is below the requested number, the tool marks the result as invalid, or the last lines are missing. The part that was measured may look better than the complete run would have.
rule-E01-not-whole-remedy = fix the reported error, run the tool to completion, and judge the complete output
rule-E02-errors-title = operations failed, and the job continued
rule-E02-errors-explanation = With continue_on_error fio counts failed operations and continues. They are not part of any rate or latency, so the figures cover only the operations that succeeded: a device that fails quickly looks fast.
rule-E02-errors-remedy = check the kernel log and the device's health; measure again once nothing fails
rule-E03-verification-title = verification reads are separate from the load
rule-E03-verification-explanation = If a job verifies its data, it reads its blocks back after writing them, often from the page cache and at a different rate. Adding that rate to the write rate gives a rate that was never measured, so the row shows only the writes. In a mixed job, fio counts both kinds of reads together. The load's own reads then cannot be separated, and the row is not used to judge needs.
rule-E03-verification-remedy = measure without verify, and verify in a separate job that is not measured
rule-E04-not-durable-title = a sync did not reach the medium
rule-E04-not-durable-explanation = On macOS, fsync, fdatasync and O_SYNC leave data in the drive's cache; only F_FULLFSYNC (fsync_writethrough) flushes it. If a sync is many times faster than F_FULLFSYNC, its data does not survive a power failure. Its time is not the time of a durable commit, and the row is not used to judge needs.
rule-E04-not-durable-remedy = judge by the figures for fsync_writethrough, and use this method for wal_sync_method
rule-B28-no-interval-title = no interval: the figures cover the whole time since the machine started, or a whole trace
rule-B28-no-interval-explanation = The first report of iostat, vmstat and nfsiostat covers the time since the machine started or the file system was mounted. So does a report of pidstat without an interval. Such a report averages hours of idling with the load, so it cannot be compared with a load. btt summarizes a whole trace.
rule-B28-no-interval-remedy = run the tool with an interval during the load: iostat -x -t 1
rule-B01-first-touch-title = first-touch stall: part of the run was spent filling files that had never been written
rule-B01-first-touch-explanation = When a program writes far beyond the end of the written data, Windows first fills the gap with zeros. Thin volumes and unwritten extents cause similar stalls. The rule applies if some writes took more than a second and the mean of the samples is well above the overall rate (operations divided by the run time). A stall has this effect because it is one long sample among many short ones. The lost time is the run time minus the time that the operations would have taken without the stall. The rate without the stall is at least the mean of the samples, which still includes the long ones. With one operation in flight per job, it is at most the number of jobs divided by the latency without submission stalls (Little's law).
rule-B01-first-touch-remedy = write the whole file once, then run again on it (secchi qualify does this; fio: overwrite=1 after a fill)
rule-B04-extension-title = an asynchronous engine behaved synchronously
rule-B04-extension-explanation = Submission should take a few microseconds. If submission takes up most of the latency, the kernel performed the operation during submission. On Windows and most file systems, this happens with writes that extend a file, and with all operations through the page cache. Queue depth then has no effect, and the latency includes the time for extending the file. With one operation in flight through the page cache, queue depth does not matter, so secchi reports only a doubt.
rule-B04-extension-remedy = measure on a file that is already written, with direct=1
rule-B35-stall-title = a stall that the means do not show
rule-B35-stall-explanation = An operation took at least a second and at least twenty times the mean, or a sample is far below the mean, but the run as a whole lost little time. Percentiles of long runs hide such a stall, but a database still has to wait for that operation.
rule-B35-stall-remedy = run again with one log entry per second and check what else happened during the stall; take the maximum into account
rule-B03-label-title = the name disagrees with the parameters in the file
rule-B03-label-explanation = People build tables from file names, and a copied command line often keeps an old option: a file named write-2 that contains one job becomes a row for two jobs. secchi compares the block sizes, depths, job counts and directions in file and job names with the content. A bare number, such as the 2 in write-2, is interpreted as in other files with the same naming pattern. If those files do not show what the number means, it must equal the number of jobs, the depth or their product. Numbers that only count repeats (1, 2, 3 with equal parameters), dates, times, versions and percentages are ignored. Users name files freely, so a wrong file name only raises a doubt. A job's name is part of the plan, so a wrong one invalidates the row.
rule-B03-label-remedy = trust the content; rename the file, or run the test again with the parameters in its name
rule-B27-spread-title = repeats of the same test differ: smaller differences are not significant
rule-B27-spread-explanation = Results with equal parameters show how much chance, time of day and neighbours change a figure. A smaller difference between other rows is not evidence of an effect.
rule-B27-spread-remedy = to compare two configurations, alternate between them (secchi ab), or compare several runs of each with confidence intervals (secchi compare)
rule-B05-ended-apart-title = jobs ended at different times: fio's figures do not show the rate while all jobs ran
rule-B05-ended-apart-explanation = fio's headline rate is the total number of operations divided by the run time of the job that ended last. Its sampled mean is the sum of the jobs' means, which cover periods of different length. Neither is the rate while all jobs ran. The rule applies if the jobs' run times differ by more than 10 %. It also applies if the sampled mean is well above the headline rate, samples are missing, and no operation was long enough to be a stall. If two jobs did equal work, the headline rate and the sampled mean together show when the first job ended.
rule-B05-ended-apart-remedy = run all jobs for the same time (time_based=1 with a runtime), or use one job
rule-B06-unweighted-title = the sampled mean is not a mean over time
rule-B06-unweighted-explanation = A sample ends with the first operation after its time window, so a stall makes one long sample that counts as much as a short one. The sampled mean is then above the number of operations divided by the run time, and the run has fewer samples than time windows.
rule-B06-unweighted-remedy = use the number of operations divided by the run time, and find the stall
rule-B07-one-job-title = clones were reported separately: the row is their sum
rule-B07-one-job-explanation = Without group_reporting fio reports each clone of numjobs separately. Clones run at the same time, so secchi adds them up: the row shows the sum, and needs and limits are compared with it. Percentiles cannot be added. Without histograms (`--output-format=json+`), it is only known that the percentile of all clones lies between the percentiles of the best and the worst clone.
rule-B07-one-job-remedy = run with group_reporting=1 to get percentiles across all clones
rule-B55-counted-exceeded-title = the provider's counters show that a limit was exceeded: that limit binds
rule-B55-counted-exceeded-explanation = For each EBS volume and its instance, CloudWatch checks every minute whether the demand exceeded the provisioned IOPS or throughput. If the file contains such a check, it shows which limit binds, regardless of what the rates suggest. The value is 1 if the demand was consistently above the limit within the minute, so short excesses do not show.
rule-B55-counted-exceeded-remedy = raise the limit that was exceeded; for an instance limit, change the instance size
rule-B55-not-counted-title = samples are near a limit, but the provider's counters show that it was never exceeded
rule-B55-not-counted-explanation = A rate near a limit suggests that the limit binds, but does not prove it: the load may need exactly that rate. If the file contains EBS's own checks and none reports an excess, the limit does not bind, or the volume does not have the limit that was given.
rule-B55-not-counted-remedy = check the given limits; something else limits the rate, or nothing does
rule-B08-sum-of-volumes-title = all volumes together are at the instance's cap
rule-B08-sum-of-volumes-explanation = All volumes share the instance's path, so its cap applies to their sum in each second. The peaks of individual volumes fall in different seconds and cannot be added, and the instance's cap can bind while every volume is well below its own cap. secchi sums the devices in a file second by second, leaving out partitions and mapped devices whose disks are listed.
rule-B08-sum-of-volumes-remedy = use a larger instance, or reduce the load; more or faster volumes do not help
rule-B09-above-in-samples-title = samples are above the cap, but the mean is not: a burst, or sampling jitter
rule-B09-above-in-samples-explanation = A traffic shaper lets the contents of a full bucket pass immediately, and samplers do not run exactly every second. Either can put individual samples above a cap while the mean stays below it. The bucket holds at least the largest continuous excess.
rule-B09-above-in-samples-remedy = sample ten times a second to distinguish bursts from jitter (secchi watch --interval 100ms)
rule-B10-merged-title = more small sequential operations than the cap allows: they were counted before merging
rule-B10-merged-explanation = The operating system counts the operations that it submits, but a volume merges adjacent ones and counts the larger operations. A count above the cap is therefore not a contradiction.
rule-B10-merged-remedy = compare bytes, or the volume's own count
rule-B11-above-limit-title = above a declared limit: a different limit applies here
rule-B11-above-limit-explanation = If a whole run exceeds a cap by more than 5 %, the cap is wrong (wrong catalogue entry, wrong unit, or raised in the meantime), or a cache served part of the load. secchi does not judge anything by this limit.
rule-B11-above-limit-remedy = check what was provisioned and in which unit; check for caches
rule-B11-burst-title = at the burst rate of a limit: not sustainable
rule-B11-burst-explanation = Volumes and instances with credits run at a published maximum above their baseline until the credits run out. A result at exactly that maximum is limited by the burst. Afterwards the baseline binds.
rule-B11-burst-remedy = plan with the baseline; to measure it, run for longer than the burst lasts
rule-B12-tie-title = two limits allow the same rate: unclear which one binds
rule-B12-tie-explanation = If the rate is at two limits that differ by less than 3 %, either may bind, and the figures cannot show which one does.
rule-B12-tie-remedy = raise one of the limits, or add a second volume, and measure again
rule-B17-units-title = the bandwidth matches the limit if the limit is in MiB/s instead of MB/s
rule-B17-units-explanation = MB/s and MiB/s differ by 4.9 %. If a result exceeds a limit given in MB/s and is within 1 % of the same number of MiB/s, the unit is probably wrong.
rule-B17-units-remedy = look up the unit, and specify it with --limit: mbps=125MiB or mbps=125MB
rule-B17-crossover-title = which limit binds depends on the block size
rule-B17-crossover-explanation = The crossover is the bandwidth limit divided by the IOPS limit. The IOPS limit binds for smaller blocks, and the bandwidth limit for larger ones. The two figures that a vendor publishes often refer to different block sizes.
rule-B17-crossover-remedy = judge each block size by the limit that binds at that size
rule-B16-half-told-title = only part of a limit is known: IOPS or bandwidth was not given
rule-B16-half-told-explanation = A volume is provisioned with IOPS, bandwidth and size, each of which may be below the maximum of its type: a gp3 volume with 16,000 IOPS has only 125 MiB/s unless more was bought. If results stay below the given cap, and no cap of the other kind is known, the unknown cap may bind.
rule-B16-half-told-remedy = specify everything that was provisioned: --limit 'volume iops=N mbps=M', or --volume with its parameters
rule-B18-basis-title = an IOPS limit without its block size
rule-B18-basis-explanation = Under an IOPS limit, an operation counts as one up to a certain size (such as 16 KiB or 256 KiB), and a larger operation counts as several. Data sheets assume 4 KiB operations. The same figure can therefore be reached at one size but not at another. The largest size at which the limit was reached still counts as one operation.
rule-B18-basis-remedy = find out the block size of each limit; --volume and --instance take block sizes from the catalogue
rule-B13-latency-bound-title = one operation in flight: the latency determines the rate, not the provisioned limit
rule-B13-latency-bound-explanation = With N operations in flight and a mean latency R, the rate is N / R (Little's law). With one in flight, provisioning more IOPS does not help, because it does not lower the latency.
rule-B13-latency-bound-remedy = keep more operations in flight to reach a limit; to lower the latency, use another kind of volume
rule-B13-read-ahead-title = sequential reads are much faster than random ones of the same size and depth: read-ahead
rule-B13-read-ahead-explanation = On storage without moving parts, operations of one size take the same time at every offset. If sequential reads take much less time, a cache or the service has read ahead, and their rate does not apply to a database's random reads.
rule-B13-read-ahead-remedy = judge by the random reads
rule-B31-iops-cap-title = the same rate across a wide range of sizes: IOPS are capped
rule-B31-iops-cap-explanation = A saturated device completes fewer large operations per second than small ones. Rates that are equal within 3 % across at least three block sizes, the largest at least four times the smallest, indicate an IOPS limit.
rule-B31-iops-cap-remedy = find out which limit it is: use secchi limits explain, or check the provisioned figure
rule-B31-throttle-title = throttling: percentiles jump to a plateau
rule-B31-throttle-explanation = A token bucket lets operations pass until it is empty and delays the next ones until it is refilled: most latencies are short, and the highest percentiles are all near the refill period. Percentiles with fewer than ten operations above them are ignored, because the few longest operations can be similar by chance.
rule-B31-throttle-remedy = stay below the cap if latency matters: pace the load, or provision more IOPS
rule-B32-not-monotonic-title = bandwidth falls as blocks grow
rule-B32-not-monotonic-explanation = Larger operations move at least as many bytes per second, unless another limit applies, the path splits large operations, or conditions differed between runs. A dip between two higher neighbours is noise, or an effect that the table does not explain.
rule-B32-not-monotonic-remedy = repeat these sizes several times, alternating between them, before drawing conclusions
rule-B33-not-one-experiment-title = the rows were measured at very different times: the table does not show a single experiment
rule-B33-not-one-experiment-explanation = Shared storage changes over hours and days. Rows that were measured far apart also differ for that reason, and the effect of time cannot be separated from the effect of the parameters.
rule-B33-not-one-experiment-remedy = run all rows in one session, in random order, with repeats (secchi qualify --effort thorough)
rule-B37-asymmetry-title = above a certain size, writes take much longer than reads in the same mix
rule-B37-asymmetry-explanation = If reads and writes are equally fast at smaller sizes, the write path has a separate limit, such as the burst length that a target accepts, a slower link or a smaller buffer.
rule-B37-asymmetry-remedy = measure writes alone at these sizes; check the path (iSCSI: MaxBurst, R2T; link speed)
rule-B14-not-measured-title = values that were not measured are shown as zero
rule-B14-not-measured-explanation = Every load uses processor time and causes context switches. If a report shows zero for either (as fio does on Windows), the value was not measured, and secchi shows it as unknown.
rule-B14-not-measured-remedy = measure the client's CPU use with another tool during the load
rule-B23-client-bound-title = the client was saturated: the storage may be faster
rule-B23-client-bound-explanation = If a job's thread used nearly all of one processor, or the rate times the submission latency is close to 1, the thread could not submit more operations. The storage may then be faster than the measured rate.
rule-B23-client-bound-remedy = use more jobs, or a cheaper engine, until the client has headroom
rule-B34-impossible-title = impossible values
rule-B34-impossible-explanation = Every operation took at least the minimum total latency. If the minimum completion latency is much shorter, the submission of that operation would have taken the rest of the time, far longer than any submission takes. In fact the tool recorded the time of issue too late (windowsaio). The means of submission and completion latency must add up to the mean total latency. Percentiles must not fall. A mean must lie between minimum and maximum. The rate times the latency must not exceed the possible number of operations in flight. No figure may be negative, and no share may be above 100 %.
rule-B34-impossible-remedy = use the total latency if it is consistent; ignore submission and completion latency
rule-B34-absurd-title = an implausible run time or rate
rule-B34-absurd-explanation = A run of more than a week that was not requested, a run of ten times the requested time, or a rate that no machine reaches (a billion operations or ten terabytes per second) is due to a faulty clock or an error in the tool's arithmetic. Every figure that depends on that time is wrong, too.
rule-B34-absurd-remedy = run again; if it happens again, check the clock (clocksource) and the tool's version
rule-B34-contradiction-title = figures that contradict each other
rule-B34-contradiction-explanation = Operations take time, so there is no rate over a run time of 0. The rate times the block size must equal the bandwidth. No percentile may be above the maximum. The percentiles and the maximum also limit the mean from above and below. A tool whose last histogram bin is open can violate this, because it reports the edge of that bin for everything above it (fio: 17.2 s). The total latency must be at least the completion latency. If one of these checks fails, no figure in the row can be trusted, and the row is not used to judge needs.
rule-B34-contradiction-remedy = measure again; if it happens again, report it to the tool's authors
rule-B34-too-little-title = too few measurements to judge
rule-B34-too-little-explanation = A run that ends after a fraction of the requested time has reached the end of its file: it read or wrote a cache. Over a few milliseconds, or with fewer than 20 operations, a rate is a matter of chance. Such a row is not used to judge needs.
rule-B34-too-little-remedy = use a time-based run (time_based, runtime=60) on a file larger than the caches
rule-B54-utilisation-title = utilisation is not saturation: the same device is equally busy at very different rates
rule-B54-utilisation-explanation = Utilisation is the share of time during which the device had at least one operation to process. A device that processes many operations at once reaches 100 % long before it saturates, and its rate can vary widely at the same utilisation.
rule-B54-utilisation-remedy = judge by the rate and latency at each depth, not by utilisation
rule-B60-depth-adds-nothing-title = more operations in flight do not raise the rate
rule-B60-depth-adds-nothing-explanation = Random reads gain from a queue on nearly every device: an SSD processes many at once, and a disk sorts them. If 8 times as many operations in flight raise the rate by less than 15 %, something makes the operations wait for each other (a USB bridge without UASP, a driver, a lock), or a cap limits the rate at both depths.
rule-B60-depth-adds-nothing-remedy = check whether the path supports queueing (UASP, NCQ, the driver's queue depth), and whether IOPS are capped
rule-B61-memory-title = reads came from memory, not from the storage
rule-B61-memory-explanation = Reads that are a hundred times as fast as writes of the same size and depth, at more than 1 GB/s, come from a cache or from parts of a file that were never written. A file that was opened without O_DIRECT and fits into memory is also read from the page cache.
rule-B61-memory-remedy = read with direct I/O from a file that was written first and is twice as large as memory and caches
rule-B62-mixed-mean-title = a mean over several kinds of operations
rule-B62-mixed-mean-explanation = Since version 1.0, sysbench counts fsyncs as events, so its mean, maximum and percentiles cover reads, writes and fsyncs together. A read from the page cache takes a microsecond, and an fsync takes milliseconds. The combined mean describes neither, and may fall while both get slower.
rule-B62-mixed-mean-remedy = measure each kind with a tool that reports them separately (fio prints reads, writes and syncs)
rule-B63-mostly-idle-title = operations were in flight for only a small part of the time
rule-B63-mostly-idle-explanation = By Little's law, the rate times the mean latency is the mean number of operations in flight. If that is below one half, and below a fifth of the possible number, most of the time was spent elsewhere: in flushes, think time, a rate limit or the client. Neither the latency nor the device explains the rate.
rule-B63-mostly-idle-remedy = find out what takes the time between operations; do not attribute the rate or the latency to the device
rule-B65-over-busy-title = a device was busy for more than 100 % of the time
rule-B65-over-busy-explanation = Utilisation is a share of time, so a value above 100 % is an error in a clock or in the accounting of the kernel or the tool (md and multi-queue devices on some kernels). Rates and waiting times in the same report may still be right.
rule-B65-over-busy-remedy = ignore utilisation; compare rates and latencies with those of the load
rule-B15-mixed-files-title = some of the files were created just before the run, others earlier
rule-B15-mixed-files-explanation = A file written seconds ago may still be in the service's caches, and a file written earlier may not. Jobs that read both kinds read at two speeds. fio's output shows which files it created.
rule-B15-mixed-files-remedy = create all files in one run (create_only=1), wait, then measure in another run
rule-B22-memory-title = the data is less than twice the size of memory: reads may come from caches
rule-B22-memory-explanation = If the data fits into memory, or nearly does, reads come from the page cache, the database's buffers or the hypervisor's cache unless all of these are bypassed. The usual rule is to use at least twice the host's memory and four times the cache of a controller.
rule-B22-memory-remedy = use twice as much data as memory, or direct=1 on storage with smaller caches
rule-B30-small-set-title = the run passed over a small working set many times: a cache of the same size would serve all of the I/O
rule-B30-small-set-explanation = The bytes moved divided by the size of the files is the number of passes over the working set. After the first pass, a cache below the file system (in the array or in the service) may serve the I/O. With randrepeat, the offsets are also in the same order in every pass.
rule-B30-small-set-remedy = use files of at least four times the array's cache, or fewer passes
rule-B36-options-title = options contradict each other, or change what is measured
rule-B36-options-explanation = rwmixread and rwmixwrite set the same value, and the last one counts. sync=1 in addition to direct=1 makes every write wait for the media. A rate printed with three digits (20.5k) may be off by one part in four hundred, so secchi uses the exact counts.
rule-B36-options-remedy = set only one of rwmixread and rwmixwrite; leave sync=1 out unless you measure durable writes
rule-B40-no-percentile-title = no percentile: the latency of slow operations is unknown
rule-B40-no-percentile-explanation = A mean hides the slow operations. Requirements such as "not above 5 ms" cannot be checked with a mean or with IOPS alone.
rule-B40-no-percentile-remedy = measure with percentiles (secchi db ranread reports them for RanRead)
rule-B49-dashes-title = the command line has typographic dashes: it does not run as written
rule-B49-dashes-explanation = Word processors and web pages turn -- into an en dash. fio takes such a word for the name of a job file.
rule-B49-dashes-remedy = type two hyphens; secchi fio and secchi lint correct them
rule-B50-no-latency-title = no latency: gtod_reduce disabled it
rule-B50-no-latency-explanation = gtod_reduce=1 turns off latencies and percentiles to save clock reads. Little's law still gives the mean latency: operations in flight divided by the rate. The kernel's disk statistics show how much of that latency was spent in the device.
rule-B50-no-latency-remedy = leave gtod_reduce out; in secchi fio, measuring latency costs less than 1 % of the rate
rule-B51-short-title = a short run: it shows caches and burst credits, not the sustained rate
rule-B51-short-explanation = Burst credits of volumes and write caches of drives last for minutes. A run that stops when its files are done, after less than a minute, measures only these.
rule-B51-short-remedy = use a time-based run that is longer than the burst (secchi limits explain prints how long it lasts)
rule-B52-one-depth-title = one depth and no percentile: it is unknown whether this is fast
rule-B52-one-depth-explanation = A rate with many operations in flight shows the throughput but not the latency, and whether the rate is good depends on the depth. The result cannot be compared with another device unless it includes a percentile or a measurement with one operation in flight, and identifies the device.
rule-B52-one-depth-remedy = also measure with one operation in flight, and with percentiles (secchi qualify does both and records the device)
rule-B53-machines-title = results of different operating systems in one table
rule-B53-machines-explanation = A Windows engine next to a Linux engine means two machines, or at least two I/O stacks: a difference between such rows is not a difference between storage systems.
rule-B53-machines-remedy = compare only results from the same machine
rule-B19-start-wait-title = RanRead's time includes a wait of at least one second for the start
rule-B19-start-wait-explanation = RanRead (V0 to V3) starts its clock before the second in which the processes wait for each other. The time that it measured is the number of processes times iterations, divided by its rate. The corrected rate leaves out one second of that time. The bias grows with the rate: a few percent on slow volumes, a quarter on fast ones.
rule-B19-start-wait-remedy = use the corrected rate; next time use more iterations, or secchi db ranread, whose clock starts with the first read
rule-B20-reciprocals-title = the rate is a mean of reciprocals, not processes over response time
rule-B20-reciprocals-explanation = RanRead prints the number of processes divided by the mean response time; its SQL prints the mean of the individual processes' rates. The mean of reciprocals is at least the reciprocal of the mean, so the two figures differ. Neither counts operations in a common time window.
rule-B20-reciprocals-remedy = divide the operations by the time during which all processes ran
rule-B38-hang-in-average-title = pauses are included in the response time
rule-B38-hang-in-average-explanation = RanWrite pauses after each transaction and divides the total time by the number of sets, so the response time of each set includes a share of the pause. If the pause is most of the figure, the figure reflects the sleep timer. In any case, sets are performed in memory; they are not disk writes.
rule-B38-hang-in-average-remedy = subtract the pause, or measure with hang 0; use the disk's own counters for its writes
rule-B42-columns-title = the columns StdDevR and StdDevW in the export contain different statistics
rule-B42-columns-explanation = PerfTools V3 writes the standard deviation divided by the mean into one of StdDevR and StdDevW, and the plain standard deviation into the other: RanRead and RanWrite do this in opposite columns.
rule-B42-columns-remedy = recompute them from the per-process rows
rule-B45-midnight-title = the run crossed midnight UTC: its elapsed time is wrong
rule-B45-midnight-explanation = PerfTools counts seconds since midnight UTC, and the count restarts at midnight: elapsed times become negative, and a run with a time limit never ends.
rule-B45-midnight-remedy = discard the figure and run the test again
rule-B21-stopped-title = the run was stopped early, but its rate is computed from the planned reads: the rate is too high
rule-B21-stopped-explanation = RanRead V0 divides the number of planned reads by the elapsed time, even after Stop(). Its clock includes at least the second in which the processes wait for each other. If its figures imply an elapsed time of less than a second, not all planned reads were done. A row far above the others with the same parameters also raises a doubt.
rule-B21-stopped-remedy = leave the row out, and run the test again to completion
rule-B43-signature-title = a pause was passed as RanWrite's transaction length: nothing was written
rule-B43-signature-explanation = In V1, the fourth parameter of RanWrite.Run is a pause in seconds. Since V2, it is the number of sets in a transaction. A call in the old form (.001) requests transactions of a thousandth of a set: no set is written, and each transaction counts as .001 writes.
rule-B43-signature-remedy = call Run(directory, processes, seconds, sets in a transaction, pause in ms)
rule-B47-session-title = opening and closing the database is part of each read
rule-B47-session-explanation = RanRead opens the database, reads one block, closes the database again, and times all three steps. If a read takes a fraction of a millisecond, opening and closing are a visible part of the result. The blocks that it reads are uniformly random, without the locality of a real database.
rule-B47-session-remedy = compare with the device's own latency at the same time (secchi watch), or use secchi db ranread, which keeps files open
rule-B24-blocks-title = mgstat counts 8 KiB blocks and other tools count transfers, so their numbers differ
rule-B24-blocks-explanation = PhyWrs and PhyRds in mgstat are database blocks per second. The write daemon submits many blocks in one write, but perfmon, iostat and the volume count writes. The bytes agree: the device moved 8 KiB per block. If a file with device counters covers the same time, secchi compares the total bytes in both files.
rule-B24-blocks-remedy = compare bytes; blocks divided by transfers is the mean number of blocks per write
rule-B24-batch-title = the write daemon writes in batches of a fixed size
rule-B24-batch-explanation = If nearly all samples of PhyWrs are multiples of the same power of two, the daemon submits that many blocks at a time.
rule-B24-batch-remedy = to reproduce this, keep that many operations in flight, or write that many blocks at a time
rule-B25-starvation-title = foreground work stalls while the write daemon writes
rule-B25-starvation-explanation = The rule compares the rate of global references while blocks are written with the rate just before and after the writing. If the daemon's queue (WDQsz) grows over a whole cycle, blocks are changed faster than they can be written: the load is not sustainable, however good the mean looks.
rule-B25-starvation-remedy = find the update rate at which the queue does not grow (secchi db ramp --verb ranwrite); put journal, image journal and data on volumes with separate caps
rule-V01-open-bucket-title = nearly all writes are in the last, open-ended bucket: their size is unknown
rule-V01-open-bucket-explanation = irisstat has one bucket for each write size up to 15 blocks, and a last bucket for writes of 16 blocks or more. If that bucket contains nearly all writes, the histogram only shows that writes are 128 KiB or larger.
rule-V01-open-bucket-remedy = observe the block layer, which shows sizes up to 1 MiB (secchi watch)
rule-B24-transfers-title = the load's operations and the device's transfers are different counts
rule-B24-transfers-explanation = On their way to the device, large operations are split and adjacent ones are merged. If the load generator and the device report the same bytes over the same period but different counts, both counts are right: each is taken at a different layer, and an IOPS limit applies at one of them.
rule-B24-transfers-remedy = compare bytes; compare an IOPS limit with the count at the layer where it applies
rule-B28-window-title = the mean depends on the window: some samples are idle
rule-B28-window-explanation = A mean over all samples in a file includes the samples before and after the load. If the window was chosen by eye, no file records the window or the spread within it. secchi reports both the mean over all samples and the mean while busy, with the standard deviation of the busy samples.
rule-B28-window-remedy = use the mean while busy, with its spread; sample exactly while the load runs (secchi watch -- COMMAND)
rule-B29-differ-title = the device did not move the bytes that the load reports
rule-B29-differ-explanation = The bytes that a load reports must match those that the device counted over the same period. More bytes at the device come from other processes or from metadata; fewer indicate a cache, or ranges that were never written. secchi aligns files by the clocks of their machines, and tolerates a difference of 1.5 seconds at each end of the load.
rule-B29-differ-remedy = find the cause before you use either figure
rule-B29-layers-title = the load and its device agree
rule-B29-layers-explanation = Two tools agree on the bytes of the same period, so no cache and no other load changed the I/O on its way. The latency that the load measured, minus the time that its transfers spent in the device and its queue, was spent above the device: in the file system, in the client, or waiting for a processor.
rule-B29-layers-remedy = nothing to do; the difference between the two latencies is the share of the layers above the device
rule-B29-minute-title = sample periods too long to show bursts
rule-B29-minute-explanation = A one-minute sample is the mean of that minute. It hides bursts, throttling and stalls that last seconds, so agreement with it confirms only the mean.
rule-B29-minute-remedy = sample every second on the machine itself, during the load (secchi watch)
rule-B29-zone-title = the files may cover the same time, but in different time zones
rule-B29-zone-explanation = Two files can be compared only on one clock. fio's JSON contains UTC and local time, CloudWatch uses UTC, and perfmon prints its time zone. Most other tools print local time without a zone. If only one file has a zone, secchi takes both as the local time of one machine. On that basis the files here have no second in common, so nothing is compared.
rule-B29-zone-remedy = specify the zone of files that have none: --time-zone Asia/Tokyo, --time-zone +09:00; next time let iostat print the zone (S_TIME_FORMAT=ISO)
rule-B46-not-from-device-title = reads that did not reach the device
rule-B46-not-from-device-explanation = For ranges that were never written (holes, preallocated or expanded files, trimmed blocks), the file system, the thin volume or the flash translation layer returns zeros without reading the media. Reads through the page cache come from memory. fio's disk statistics count the requests that arrived at the device, including merged ones.
rule-B46-not-from-device-remedy = write the whole file once before reading it (secchi qualify does this and checks it), and use direct=1
rule-B54-await-title = await grows with the queue: it is not a property of the device alone
rule-B54-await-explanation = await and sec/Transfer are measured from the moment when a request is queued, so they include waiting for other requests. The rate times await is the mean number of operations in flight (Little's law). With more operations in flight, the same device shows a longer await at a higher rate.
rule-B54-await-remedy = report await together with the number of operations in flight; compare it only at the same depth
rule-I05-marks-title = the marks (fast) and (slow) follow the rule of ioping versions before 1.3
rule-I05-marks-explanation = Before version 1.3, ioping marked a request as fast if its time was within the lowest 5 % of the range between the smallest and the largest time so far. It marked a request as slow if its time was within the highest 5 %. In an even run these marks are random. Since 1.3 a fast request takes less than half the mean, and a slow one more than twice the mean. secchi recomputes the marks from the times by both rules.
rule-I05-marks-remedy = use the times; only marks from version 1.3 or later indicate outliers
rule-I08-rate-title = ioping's rate is one over the mean latency, not a measured rate
rule-I08-rate-explanation = The time in `requests completed in` is the sum of the request times. The iops and bandwidth on that line are those of a program that issues each request immediately after the previous one, on storage that is as idle as it was here.
rule-I08-rate-remedy = compare its latency with other latencies at a depth of one; use rates from fio or secchi qualify
rule-B02-title = local flash that looks slow in random writes
rule-B02-explanation = This is the first-touch stall on another device; rule B01-first-touch covers it.
rule-B02-remedy = see B01-first-touch
rule-B26-title = tables typed by hand
rule-B26-explanation = Swapped columns, nonexistent cases and wrong units are errors in the text around the figures. The files contain the measurements, but not what was written about them.
rule-B26-remedy = generate tables from the files: secchi judge for files from other tools, secchi report for secchi's own runs
rule-B39-title = a figure that reflects the sleep timer
rule-B39-explanation = The pause is nearly all of the average; rule B38-hang-in-average covers it.
rule-B39-remedy = see B38-hang-in-average
rule-B41-title = the wait for the start in later versions
rule-B41-explanation = This is the same second of waiting; rule B19-start-wait covers it.
rule-B41-remedy = see B19-start-wait
rule-B44-title = outputs pasted from another run, or commands that do not run as printed
rule-B44-explanation = A text and the output below it may come from different runs, but neither shows this on its own. secchi does not check commands of tools other than fio.
rule-B44-remedy = keep the record, which contains the command as typed and its results: secchi show, secchi db history
rule-B48-title = a tool that removes a directory and everything in it
rule-B48-explanation = The results of a tool do not show what it deleted.
rule-B48-remedy = use secchi db purge, which removes only a database that its own marker names
rule-L00-refused-title = the plan would not run as written
rule-L00-refused-explanation = The parser of secchi fio applies all of fio's own checks to the plan. It also rejects cases in which fio is unsafe: contradictory options, unknown options (it suggests the nearest name) and impossible sizes.
rule-L00-refused-remedy = correct the word named in the message
rule-L00-remark-title = an option has an unexpected meaning
rule-L00-remark-explanation = The plan contains an option that is given twice (the last one counts), an option without effect, or a size that fio reads differently from how it is written (fio reads 1GiB as 10^9 bytes). secchi accepts all of these, but the author may have meant something else.
rule-L00-remark-remedy = write what you mean; secchi fio --showcmd prints the plan as secchi understands it
rule-L00-not-done-title = fio supports this, but secchi does not: the rest is not checked
rule-L00-not-done-explanation = The plan uses a feature that secchi knows but does not support, such as an engine that moves no data to or from storage, an engine that needs a separate library, or jobs that pace each other. fio may run the plan, but secchi does not check the rest of it.
rule-L00-not-done-remedy = remove the feature for the check, or run the plan with fio
rule-L00-unknown-title = part of the script is unknown before it runs: only what it would destroy is checked
rule-L00-unknown-explanation = lint parses shell scripts and batch files and follows their variables, loops, functions, wrappers (sudo, timeout, ssh, docker run) and here-documents. The environment, the script's arguments, the output of other programs, sourced files and other scripts are unknown. An unknown word could set any option, so no other rule judges that command: lint only reports what the command would destroy, as far as that is known.
rule-L00-unknown-remedy = lint the command as it will run, set the variable in a copy of the script, or lint the other script as well
rule-L05-dashes-title = typographic dashes: fio would not run the command as written
rule-L05-dashes-explanation = Word processors and web pages turn -- into an en dash. fio takes such a word for the name of a job file and exits; secchi reads the dash as two hyphens.
rule-L05-dashes-remedy = type two hyphens
rule-L24-in-use-title = the plan would destroy what this machine uses
rule-L24-in-use-explanation = The plan writes to a device that is in use by a mounted file system, swap, RAID, LVM or another process. It may name the device directly, or as a partition, a by-id name or a symbolic link. Writing to the device of a mounted file system destroys that file system, at the latest when it is next mounted. fio writes anyway if allow_mounted_write=1 is set or a partition's name hides the use; secchi fio refuses to write.
rule-L24-in-use-remedy = name a file or a directory on the device's file system instead; to overwrite the device anyway, first stop what uses it
rule-L25-overwrites-title = the plan would overwrite existing data
rule-L25-overwrites-explanation = The plan writes to a device that contains data, or to a file that secchi did not create. fio does not ask for confirmation; secchi fio requires --destroy with the device's serial number, or --allow-overwrite. A plain file is only reported as a note, because overwriting it may be intended.
rule-L25-overwrites-remedy = check the name; a name that does not exist yet is always safe
rule-L09-first-touch-title = the job writes to files that were never written
rule-L09-first-touch-explanation = Writes to a fresh file extend it, convert unwritten extents, or make Windows fill it with zeros. The run measures that work, with stalls of seconds. Later runs on the same file are faster. This rule ignores jobs that also read or have overwrite=1 (they write their files before they begin), jobs that verify, and files that an earlier job in the plan fills.
rule-L09-first-touch-remedy = write the whole file once beforehand (rw=write, bs=1m), or use overwrite=1; measure in a second run
rule-L22-never-written-title = the job reads ranges that were never written
rule-L22-never-written-explanation = Reads of holes and reserved ranges in a file return zeros without accessing any storage, so the run measures only the lookup. The file system reports which ranges of a file were ever written.
rule-L22-never-written-remedy = write the whole file once beforehand (rw=write, bs=1m), or name a new file and let fio create it
rule-L26-fill-title = a preconditioning fill, not a measurement
rule-L26-fill-explanation = A job that only writes, until all of its files have been written at least once, prepares a device or files: it gives every block an address, empties the pool of erased blocks, and lets the device settle. Its rate describes the device before steady state. The rules for measurements do not apply to it, but secchi still reports data that it would destroy.
rule-L26-fill-remedy = measure soon afterwards, in a separate job (stonewall) with a runtime: devices recover while they idle
rule-L27-wraps-title = the job passes over the same data many times
rule-L27-wraps-explanation = At the rate that the known limit allows, the job reads or writes its data 10 times or more. A cache in the array, hypervisor or device that holds all the data then serves most of the I/O, and the result does not apply to larger data.
rule-L27-wraps-remedy = use more data, at least four times the largest cache on the path
rule-L28-duration-title = the job would run for more than a day
rule-L28-duration-explanation = Without a runtime, the job ends when it has processed all of its data. At the rate that the known limit allows, that takes longer than a day.
rule-L28-duration-remedy = use time_based=1 with a runtime, or a smaller size
rule-L01-page-cache-title = the page cache would serve the I/O
rule-L01-page-cache-explanation = Without direct=1, data that has been read once is served from memory, and writes return before the storage has them. The run measures the speed of memory. With an asynchronous engine, the depth has no effect either.
rule-L01-page-cache-remedy = add direct=1; to measure a program that uses the page cache, use at least twice as much data as memory
rule-L02-memory-title = the data fits into memory
rule-L02-memory-explanation = With the page cache, most I/O is served from memory if the data is less than twice the size of memory.
rule-L02-memory-remedy = use more than twice as much data as memory, or direct=1
rule-L03-burst-title = the job would end before the burst does
rule-L03-burst-explanation = Volumes with credits run above their baseline until the bucket is empty. A run that ends before that measures only the burst, and no database can rely on the burst.
rule-L03-burst-remedy = run for longer than the burst lasts, or drain the bucket first (ramp_time)
rule-L04-depth-title = the engine waits for each operation: the depth is 1
rule-L04-depth-explanation = sync, psync, vsync, pvsync and mmap perform one operation at a time, regardless of iodepth. fio prints one line about this and continues.
rule-L04-depth-remedy = use libaio or io_uring with direct=1, or more jobs
rule-L06-gtod-reduce-title = gtod_reduce disables latency measurement
rule-L06-gtod-reduce-explanation = gtod_reduce=1 turns off submission, completion and total latency, including all percentiles, to save clock reads. The latency that a database waits for is then not measured.
rule-L06-gtod-reduce-remedy = remove it: a clock read costs about 25 ns
rule-L11-same-places-title = the random offsets are the same each time, or some repeat
rule-L11-same-places-explanation = With randrepeat=1, every run and every pass requests the same offsets in the same order, which caches learn. With norandommap, a pass uses some blocks twice and others never, which matters if some data was never written.
rule-L11-same-places-remedy = use randrepeat=0 for repeats; use norandommap only if all data has been written
rule-L12-ramp-title = no ramp_time: the start is measured, too
rule-L12-ramp-explanation = The first seconds of a run include opening files, empty caches and full buckets. They matter most in short runs.
rule-L12-ramp-remedy = add a ramp_time of a tenth of the runtime
rule-L13-sync-too-title = sync=1 in addition to direct=1: every write waits for the media
rule-L13-sync-too-explanation = direct=1 bypasses the page cache; sync=1 also requires every write to be durable, so a volatile write cache is flushed each time. That is a different measurement, and may be the right one for journals.
rule-L13-sync-too-remedy = leave out sync for data files; for journals prefer fdatasync=1
rule-L14-few-samples-title = too few operations for the printed percentiles
rule-L14-few-samples-explanation = The 99.99th percentile depends on one operation in ten thousand: with fewer than a hundred thousand operations it is a matter of chance. With fewer than ten thousand operations, the 99.9th percentile is too.
rule-L14-few-samples-remedy = use a longer, time-based run
rule-L15-shared-file-title = all jobs use one file
rule-L15-shared-file-explanation = With filename= the clones share the file. Sequential clones request the same offsets one after another, so that caches serve them, and writes through the page cache wait for the file's lock. This rule ignores random I/O on a device or with direct=1.
rule-L15-shared-file-remedy = leave out filename, so that every job has its own file, or set offset_increment
rule-L16-compressible-title = the job writes data that can be compressed or deduplicated
rule-L16-compressible-explanation = Zeros and repeated blocks take no space on storage that compresses, deduplicates or does not store zeros: writes are then fast, and later reads do not reach the media.
rule-L16-compressible-remedy = leave out zero_buffers; use refill_buffers=1 for devices that deduplicate
rule-L17-processors-title = many more jobs than processors
rule-L17-processors-explanation = With an asynchronous engine, more jobs than processors add no operations in flight that a greater depth could not add, but they compete for CPU time: the run may then measure the client.
rule-L17-processors-remedy = use fewer jobs with a greater depth
rule-L18-no-runtime-title = no runtime: the job ends when its files are done, after an unknown time
rule-L18-no-runtime-explanation = Without a runtime, a fast volume is measured for seconds, within caches and bursts, and a slow one for hours. Jobs end at different times, so the rate at the end does not include all jobs.
rule-L18-no-runtime-remedy = use time_based=1 with a runtime
rule-L23-clones-apart-title = each clone would be reported separately
rule-L23-clones-apart-explanation = Without group_reporting fio prints a report for each clone of numjobs: none of them contains the total rate, and you have to add them up yourself.
rule-L23-clones-apart-remedy = add group_reporting=1, unless you want to compare the clones with each other
rule-L07-label-title = the job's name disagrees with its options
rule-L07-label-explanation = Reports and tables are built from names. If a copied line keeps an old name or option, its row claims parameters that were not run. This rule ignores dates and percentages. A number with a word, such as qd32, is compared only with that option.
rule-L07-label-remedy = make the name match the options
rule-L08-output-label-title = the output's name disagrees with the command
rule-L08-output-label-explanation = In a matrix of commands each output is named after its parameters. If a copied line keeps an old option, its file and its row in a table claim parameters that were not run: the sixth command of a published benchmark wrote the result of one job into write-2.txt, which made three tables wrong.
rule-L08-output-label-remedy = correct the option or the name; better, let the tool name its results
rule-L20-duplicate-title = two commands in a matrix do the same
rule-L20-duplicate-explanation = Commands whose options differ only in names and outputs are repeats, unless one of them was not changed as intended.
rule-L20-duplicate-remedy = correct the command that was not changed; label repeats as such
rule-L21-output-twice-title = two commands write the same output
rule-L21-output-twice-explanation = The later result overwrites the earlier one, which is lost.
rule-L21-output-twice-remedy = give each command a separate file
rule-L19-background-title = commands run at the same time
rule-L19-background-explanation = A command that ends with `&` (or begins with `start`) runs at the same time as the next one. Each command then also measures the other's load, but the outputs do not show this.
rule-L19-background-remedy = run the commands one at a time; to load several targets simultaneously, use one command (secchi qualify --target A=... --target B=...)

# Lists, and subjects with statements.
saw-list = { $all }, { $next }
saw-list-last = { $all } and { $last }
saw-list-rest = { $rest } more
saw-of = { $subject }: { $what }
saw-by = { $what } ({ $evidence })
saw-times = { $what }, { $n } times
saw-of-file = { $name } in { $file }
saw-all-results = all results
saw-the-files = the files
saw-the-limits = the limits
saw-device = device { $name }
saw-sizes = { $rw } { $first } to { $last }
saw-from-size = { $rw } from { $size }
saw-at-size = at { $size }: { $rate }
saw-from-to = { $low } to { $high }
figure-at-rate = { $name } at { $rate }
axis-iops = { $name } IOPS
axis-bandwidth = { $name } bandwidth

# Failed operations, and files without an interval.
saw-errors = { $n ->
    [one] { $n } operation failed and is not part of any figure
   *[other] { $n } operations failed and are not part of any figure
}
saw-no-interval = the figures for { $n ->
    [one] one device
   *[other] { $n } devices
} cover the whole time since the machine started: they do not describe a load
saw-since-import = the figures for { $n ->
    [one] one device
   *[other] { $n } devices
} cover the whole time since the pool was imported: they do not describe a load
saw-whole-trace = { $n ->
    [one] one device
   *[other] { $n } devices
}, summarized over a whole trace, so there is no interval to compare with a load

# Files never written before, and stalls.
saw-about = about { $figure }
saw-seconds = { $least } to { $most } s
saw-stood-still = stalled for { $about } of { $all }; without the stall, the rate would be about { $without } instead of { $rate }, so the result is not usable
saw-operations-take = { $ops } operations at the samples' mean of { $mean } would take { $take }, not { $all }
saw-completion-allows = with { $flight } operations in flight, the completion latency allows { $rate }
saw-longest = the longest operation took { $took }
saw-files-made = { $n } files were created just before the run
saw-some-files-made = { $n } of { $all } files were created just before the run
saw-through-page-cache = operations went through the page cache
saw-writes-grew-file = synchronous extension: writes extended the file
saw-done-while-handed-over = operations were performed during submission
saw-depth-without-effect = { $what }; the queue depth had no effect
saw-two-behaviours = { $what } in some cases; the figures mix two behaviours
saw-at-once = { $what }: with one operation in flight, the latency is almost all submission time
saw-submission-takes = submission takes { $submission } ({ $share } of the latency), completion { $completion }
saw-completed-at-once = { $share } of the operations completed within 100 us of submission
saw-operation-took = an operation took { $took }
saw-sample-at = one sample is at { $share } of the mean
saw-lowest-sample = the lowest sample is { $least }, but the mean is { $mean }
saw-percentile-hides = p99.99 is { $p } and does not show the stall

# Names that disagree with contents, and repeats.
saw-file-name-says = { $is }, but the file name says { $says }
saw-job-name-says = { $is }, but the job name says { $says }
saw-ran-the-same = it ran with the same parameters as { $twins }
saw-spread = { $low } to { $high }: { $apart } apart with equal parameters

# Means over time and over jobs.
saw-jobs-apart = jobs ended { $apart } apart
saw-two-apart = the two jobs ended { $seconds } s apart
saw-many-apart = jobs ended at different times, on average { $seconds } s before the last one
saw-samples-missing = { $samples } samples of { $window } s do not cover { $jobs } jobs of { $each }: { $missing } are missing
saw-both-means = the sampled mean is { $sampled }, but all operations divided by the longest run time give { $rate }
saw-ended-after = the means imply that one job ended after { $first } s and the other after { $last } s
saw-clones-together = { $n } clones of { $low } to { $high } each: { $all } in total
saw-mean-and-rate = the mean of the samples is { $sampled }, but the rate is { $rate }
saw-long-samples = { $samples } samples of { $window } s for { $jobs } jobs cover { $told } of { $all }; the other { $long } are in long samples

# Unmeasured and impossible figures.
saw-no-processor-time = no processor time is reported
saw-no-switches = no context switches are reported
saw-neither-time-nor-switches = neither processor time nor context switches are reported
saw-jobs-busy = each job kept a processor { $share } busy
saw-submitting-busy = submitting alone kept a processor { $share } busy
saw-rate-in-jobs = { $rate } from { $n } jobs
saw-issued-late = the minimum completion latency is { $completion }, but the minimum total latency is { $least }: submitting that operation would have taken { $rest }, { $times } times the mean submission latency
saw-parts-differ = mean submission { $submission } and completion { $completion } do not add up to the mean total { $all }
saw-submission-cut = { $what }: submission latency is truncated at 4.29 s (32 bits of nanoseconds)
saw-disordered = p{ $lower } is { $is }, but p{ $upper } is only { $only }
saw-mean-outside = the mean of { $mean } is outside the range { $least } to { $most }
saw-overfull = rate times latency implies { $are } operations in flight, but at most { $may } are possible
saw-senseless = `{ $words }` is impossible
saw-ran-too-long = it ran for { $ran }, but { $asked } was requested
saw-ran-for-days = it ran for { $ran } ({ $days } days), although no time was requested
saw-absurd-rate = { $rate } is more than any machine can reach
saw-no-time = { $ops } operations in a run time of zero (`{ $time }`)
saw-product-differs = { $rate } with { $block } blocks is { $product }, but the bandwidth is { $bytes }
saw-percentile-above-max = p{ $p } is { $is }, above the maximum of { $max }
saw-mean-above-percentiles = the mean is { $mean }, but p{ $p } at { $is } and a maximum of { $max } allow at most { $most }
saw-mean-below-percentiles = the mean is { $mean }, but the percentiles require at least { $least }
saw-total-below-completion = completion takes { $completion }, but the total latency is only { $total }
saw-ended-early = it ran for { $ran } of the { $requested } requested, and moved { $moved }: it read or wrote a cache
saw-stopped-early = it ran for { $ran } of the { $requested } requested
saw-blink = { $ops } operations in { $ran }: too short for a measurement
saw-few-operations = { $n ->
    [one] { $n } operation
   *[other] { $n } operations
} in { $ran }: the rate is a matter of chance
saw-verification = { $rate } of verification reads, separate from the load
saw-verification-counted = { $ops } reads verified the written data at { $rate }, separate from the load
saw-verification-mixed = the load's reads and the verification reads are counted together
saw-verification-maybe = as many reads as writes, and the job's options are unknown: it may have verified its writes
saw-not-durable = { $kind } in { $time } is not durable: fsync_writethrough takes { $medium }
saw-sync-of-nothing = { $kind } in { $time }: too fast to have sent a command to a device
saw-at-burst = { $rate } is { $share } of the burst rate of { $limit } ({ $allows }), which a full bucket sustains for { $lasts }; the sustained rate is { $base }
saw-equally-busy = { $low } busy at { $slow }, and { $high } busy at { $fast }

# Marks and rates of ioping.
saw-marked-otherwise = ioping 1.3 and later would mark these requests differently: { $requests }
saw-marks-replayed = recomputed from the times: every mark follows the old rule
saw-rate-is-reciprocal = the rate of { $rate } is 1 / { $mean }

# A load compared with its device.
saw-both-read = { $load } read according to fio, { $counted } according to { $device }
saw-both-written = { $load } written according to fio, { $counted } according to { $device }
saw-device-moved-less = { $both } ({ $share }): the rest came from memory, or from ranges never written
saw-device-moved-more = { $both } ({ $times } times as much): another process used the device, or the file system added I/O
saw-clocks-apart = the clocks of the files are { $gap } apart, and { $without } has no time zone
saw-one-zone = that file would cover the same time only in the time zone { $zone }: use --time-zone { $zone }
saw-both-latencies = an operation took { $load } in fio; a transfer took { $device } in the device and its queue
saw-split = { $n } transfers per operation: large operations are split
saw-merged = { $n } operations per transfer: neighbours are merged
saw-transfers = { $ops } operations/s of { $size } in fio are { $transfers } transfers/s of { $each } at { $device }: { $how }
saw-same-bytes = the bytes agree: { $load } and { $counted }
saw-busy-and-all = { $busy } over the { $seconds } busy seconds, { $mean } over all { $all } s
saw-together = { $rate } in total
saw-deviation = standard deviation of the { $n } busy samples: { $sd } ({ $share })
saw-sampled-every = { $name }, every { $period }
saw-long-period = each sample is a mean over { $period }
saw-reads-arrived = { $arrived } of { $asked } reads arrived at { $devices } ({ $share })
saw-no-read-arrived = none of the { $asked } reads arrived at { $devices } ({ $share })
saw-direct-off = direct=0: the I/O went through the page cache
saw-await-at = { $wait } with { $flight } operations in flight at { $rate }/s

# PerfTools.
saw-start-wait = corrected rate { $rate } instead of { $told } with { $processes ->
    [one] { $processes } process
   *[other] { $processes } processes
}, { $change }
saw-reads-less-waiting = according to its rate, { $reads } reads took { $seconds } s, including { $wait } s of waiting
saw-reciprocals = { $jobs } processes divided by the response time give { $low } to { $high }, but the reported rate is { $told }
saw-sleep-timer = the whole figure comes from the sleep timer, not from the disk
saw-pause-share = the pause is { $share } of the { $whole } per set; the work itself takes { $work }
saw-pause-of-set = a pause of { $pause } for each set
saw-columns-of-two-kinds = one of the two columns is divided by the mean
saw-negative = a figure is negative
saw-stopped = according to its figures, { $reads } reads took { $clock }, but RanRead's clock starts a second before the first read
saw-far-above = { $rate }, but { $n } other results had about { $usual }
saw-part-of-set = transactions of { $sets } sets: no set is written, and each transaction counts as { $sets } writes
saw-part-of-write = { $part } writes were counted: there are no fractions of a write
saw-sessions = { $rows ->
    [one] a row
   *[other] { $rows } rows
} below { $below } per read, down to { $least }; each read includes an OPEN and a CLOSE

# Counters of a database.
saw-blocks = while the daemon writes, its { $blocks } blocks/s amount to { $rate }, in fewer and larger writes
saw-count-different-things = they count different things: { $blocks } blocks of 8 KiB are { $bytes }, and { $device } moved { $moved } in the same { $seconds } s ({ $change })
saw-more-than-blocks = blocks alone do not explain the I/O: they are { $bytes }, but { $device } moved { $moved } in the same { $seconds } s; the device holds other files, or writes are repeated
saw-most-blocks = peak: { $blocks } blocks/s = { $rate }, and { $device } at the device
saw-blocks-of-write = { $writes } writes of { $blocks } blocks ({ $each }) each
saw-multiples = { $n } of { $all } samples of PhyWrs are multiples of { $size }
saw-starved = global references fall from { $before }/s to { $during }/s ({ $change }) for { $seconds } s, while { $bytes } are written
saw-writes-blocks = the write daemon writes { $blocks } blocks/s ({ $rate })
saw-blocks-read = blocks read: { $before }/s before the writes, { $now }/s during them
saw-queue-grows = the write daemon's queue grows from { $from } to { $to } blocks (to { $end } at the end): the load is not sustainable
saw-open-bucket = { $share } of { $writes } writes have { $least } blocks or more ({ $size } or larger)

# Limits.
saw-tie = { $rate } matches { $first } ({ $allows }) and { $second } ({ $too })
saw-above = { $rate } is { $share } of { $limit }, which allows { $allows } here
saw-share-of-limit = { $rate } is { $share } of { $limit }
saw-other-unit = { $rate } is above { $cap } by 4.9 %: is the limit in { $other } rather than { $was }?
saw-crossover = up to { $size }, the { $ops } IOPS limit binds ({ $iops }); above that, the { $bytes } bandwidth limit binds ({ $rate })
saw-bandwidth-untold = { $rate } may be an undeclared bandwidth limit: only { $known } is known
saw-iops-untold = { $rate } may be an undeclared IOPS limit: only { $known } is known
saw-basis = the limit was reached at { $met }, but only { $share } of it at { $larger }: operations of up to at least { $least } count as one; what limits larger operations is unknown
saw-counted = EBS's counters show that { $limit } was exceeded in { $n } of { $all } periods, { $share } of the time
saw-not-counted = { $rate } is { $share } of { $limit }, but EBS's counters show that no limit was exceeded
saw-sum = { $rate } is { $share } of { $limit } ({ $cap })
saw-samples-near = { $n } of { $all } samples are at { $share } of the limit or above
saw-shares = shares of the sum: { $shares }
saw-busy-above = { $rate } while busy, { $share } of { $limit }: a different limit applies here
saw-samples-above = { $n } samples above { $limit }, up to { $share } of it
saw-bucket = a bucket of at least { $size } would explain these samples

# The shape of a table.
saw-same-at-all-sizes = { $rate }, the same at all sizes: IOPS are limited
saw-little-headroom = submitting kept one processor { $share } busy: too little headroom to rule out the client as the limit
saw-plateau = p95 is { $p95 }, then p{ $from } to p99.99 are { $low } to { $high }: the bucket is refilled about every { $refill }
saw-depth-adds-nothing = { $deep } operations in flight are no faster than { $low }: { $fast } and { $slow }
saw-through-memory = { $rate } from { $size } of data opened without O_DIRECT: the page cache, not the storage
saw-memory-reads = reads at { $reads } and writes at { $writes } with the same size and depth ({ $times } times as fast): the reads came from memory (a cache, or a file that was never written)
saw-memory-latency = one random read took only { $mean }
saw-mixed-mean = the mean of { $mean } covers reads, writes and { $syncs } fsyncs ({ $events } operations/s, { $flight } in flight): it is the latency of none of them
saw-mostly-idle = rate times latency implies { $are } operations in flight out of { $may } possible: most of the time none was in flight
saw-pauses = p{ $below } is { $quick }, then p{ $from } to p{ $to } are { $low } to { $high }: operations are delayed by equal pauses
saw-of-reads = reads: { $what }
saw-of-writes = writes: { $what }
saw-over-busy = { $device } was busy for { $share } % of the time, but more than 100 % is impossible
saw-larger-move-less = { $large } blocks have a lower bandwidth than { $small } blocks: { $after } instead of { $before }
saw-move-again = { $size } blocks are faster again: { $rate }
saw-run-order = run in the order { $order }, with { $hours } h between two of the runs
saw-writes-take-longer = writes take { $times } times as long as reads
saw-reads-and-writes = { $size }: reads { $reads }, writes { $writes }
saw-one-in-flight = 1 in flight / { $mean } = { $rate }, { $share } of { $limit }
saw-read-ahead = { $fast }, compared with { $slow } for random reads: { $times } times as fast

# How it was run.
saw-files-new = { $n } of { $all } files were newly created
saw-laid-out = Laying out IO file, { $n } times
saw-times-memory = { $set } of data is { $times } times the size of memory ({ $memory })
saw-passes = { $n } passes over { $set }
saw-same-order = randrepeat=1: the same order each time
saw-last-holds = the last value counts
saw-on-top-of-direct = { $own } in addition to direct=1
saw-writes-wait-for-media = every write waits for the media
saw-ramp-untold = the output does not show whether the ramp was excluded
saw-only-mean = only a mean latency is reported
saw-no-latency = no latency is reported
saw-en-dashes = en dashes
saw-dashes = its command line has typographic dashes instead of hyphens
saw-by-little = { $n } in flight / { $rate } = { $mean } by Little's law
saw-in-device = { $mean } in { $device }
saw-disk-reads-took = according to the disk statistics, reads took { $took }
saw-disk-writes-took = according to the disk statistics, writes took { $took }
saw-one-depth = always { $flight } operations in flight: no percentile, and no result with one operation in flight
saw-each-takes = { $rate } is { $each } per operation: the depth decides whether that is fast
saw-device-untold = only the device name is known ({ $devices }), not the model, size or link speed
saw-once = the run ended after { $time }, when { $moved } had been moved once
saw-machines = { $windows } ran on Windows, { $linux } on Linux

# What binds a row.
row-binds-iops = IOPS limit ({ $name })
row-binds-bandwidth = bandwidth limit ({ $name })
row-binds-iops-burst = IOPS burst limit ({ $name }), for { $lasts }
row-binds-bandwidth-burst = bandwidth burst limit ({ $name }), for { $lasts }
row-binds-one-of = undecided: { $names }
row-either = { $all } or { $next }
row-above = above { $limit }
row-binds-client = client
row-binds-cap = IOPS cap
row-binds-latency = latency

# The first sentence about other tools' files, and reasons for the outcome of a need.
judged-samples-fine = no problems found in the samples
judged-no-figures = neither results of a load nor samples of an interval: nothing to judge
judged-transactions-only = only transactions per minute of a database: they give no I/O rate
judged-result-fine = { $figures }: no problems found
judged-results-fine = { $n } results, no problems found
judged-at-mean = { $figures } at { $mean }
judged-need-not-met = need not met: `{ $need }`
judged-need-undecided = need undecided: `{ $need }`
judged-needs-met = { $n ->
    [1] the need is met
   *[other] all { $n } needs are met
}
judged-not-usable = not usable: { $why }
judged-some-not-usable = { $n } of { $all } results { $n ->
    [one] is
   *[other] are
} not usable: { $names }
judged-more-kinds = { $n } more kinds of limits
judged-results = { $n } results
need-of-no-result = no result matches { $workload }
need-of-unusable = { $result } is not usable: { $id }
need-ran-shorter = { $result } ran for less time than the need requires
need-by = decided by { $result }
need-other-meets = { $result } meets it ({ $figures })
need-other-misses = { $result } does not meet it ({ $figures })
need-other-open = { $result } leaves it undecided ({ $figures })
need-not-told = not reported
need-of-few = { $measured }, from too few operations
need-between = { $low } to { $high }

# Screens of judged files and of rules: labels of at most eight columns, headings, and omitted lines.
judged-lint = LINT
judged-read-as = read as
judged-why = why
judged-try = try
judged-invalid = invalid
judged-doubt = doubt
judged-note = note
judged-head-results = results
judged-head-sampled = sampled
judged-head-findings = findings
judged-head-remarks = not understood, or guessed
judged-head-files = files
judged-counted-invalid = { $n } invalid
judged-counted-doubts = { $n ->
    [one] { $n } doubt
   *[other] { $n } doubts
}
judged-counted-notes = { $n ->
    [one] { $n } note
   *[other] { $n } notes
}
judged-explain = full text of a rule: { $command }
judged-column-file = file
judged-column-load = load
judged-column-jobs = jobs
judged-column-depth = depth
judged-column-work = other rates
judged-column-mean = mean
judged-column-max = max
judged-column-in-flight = in flight
judged-column-submit = submit
judged-column-passes = passes
judged-column-limit = limit
judged-column-binds = binds
judged-column-series = series
judged-column-unit = unit
judged-column-samples = samples
judged-column-time = time
judged-legend-little = L: by Little's law (no latency was reported)
judged-legend-clones = C: worst clone (upper bound for all clones)
judged-legend-struck = (struck): not usable
judged-legend-limit = limit: share of the tightest limit
judged-legend-submit = submit: share of one CPU (rate x submission latency)
judged-more = and { $n } more in --json
judged-more-series = { $rest } more series ({ $zero } of them zero throughout) are in --json
judged-more-lines = { $n ->
    [one] and { $n } more line
   *[other] and { $n } more lines
}

# Plans before they run: the first sentence.
lint-plans = { $n ->
    [1] the plan
   *[other] { $n } plans
}
lint-danger = DANGER: { $plans }: would destroy what this machine uses
lint-would-not-run = { $plans }: would not run as written
lint-words-unknown = { $plans }: cannot be fully checked: some words are known only when the script runs
lint-not-done = { $plans }: cannot be fully checked: secchi does not support part of it
lint-nothing-found = { $plans }: no problems found
lint-nothing-wrong = { $plans }: no problems found; { $n ->
    [one] { $n } note
   *[other] { $n } notes
}
lint-wrong = { $plans }: { $n ->
    [one] { $n } problem
   *[other] { $n } problems
} found
lint-command-line = command line
lint-argument = { $source }, argument { $n }
lint-variable-not-set = `{ $word }`: { $name } is not set in the script
lint-known-when-run = `{ $word }`: only running the script shows its value
lint-command-unknown = `{ $word }`: only running the script shows which command this is
lint-nested-too-deep = commands are nested more than { $n } deep: the rest is not checked
lint-too-long = the script runs too many commands: after { $n } plans the rest is not checked
lint-script-piped = a shell runs the output of another program: that script is not checked
lint-not-parsed = a shell would run text that cannot be parsed: { $what }
lint-sourced = sources { $name }, which is not checked here
lint-script-called = runs the script { $name }, which is not checked here

# Findings about one job.
lint-of-job = job `{ $job }`: { $what }
lint-writes-cached-first = direct=0: writes go through the page cache before they are made durable
lint-page-cache-answers = direct=0: the page cache serves the I/O, not the storage
lint-buffered = --buffered: the page cache serves the I/O, not the storage
lint-diskspd-cached = without -Sh or -Su the Windows file cache serves the I/O, not the storage
lint-cached-in-memory = { $set } is less than twice the size of memory ({ $memory }) and goes through the page cache
lint-fits-in-memory = { $size } is less than twice the size of memory ({ $memory })
lint-burst-outlasts = a full burst of { $name } lasts { $lasts } s, but the run takes only { $runtime } s
lint-burst-outlasts-load = a full burst of { $name } lasts { $lasts } s, but the load takes only about { $load } s
lint-depth-with-engine = iodepth={ $depth } with ioengine={ $engine }
lint-depth-of-waiting-engine = depth { $depth } requested, but the engine is synchronous: threads are used instead
lint-no-latency = gtod_reduce=1: no latency, no percentile
lint-blocks-twice = norandommap: some blocks are used twice, others never
lint-same-places = randrepeat=1: the same offsets in the same order each time
lint-without-ramp = { $runtime } s without a ramp_time
lint-percentile-is-chance = about { $ops } operations: the { $p }th percentile is a matter of chance
lint-clones-follow = { $n } clones on one file: all of them use the same offsets
lint-clones-wait = { $n } clones on one file: their writes wait for each other
lint-only-zeros = zero_buffers: only zeros are written
lint-compresses = { $percent } % of each buffer is compressible
lint-copies = { $percent } % of the blocks are copies
lint-jobs-on-processors = { $jobs } jobs on { $cpus } processors
lint-no-runtime = no runtime
lint-wraps = at { $rate } IOPS ({ $name }) the job passes over { $set } { $times } times in { $seconds } s
lint-lasts = { $total } at { $rate } IOPS ({ $name }) would take { $days } days
lint-jobs-may-end-apart = no runtime: the { $n } jobs may end at different times
lint-reports-of-clones = numjobs={ $jobs } produces { $jobs } reports
lint-its-name = its name
lint-says-depth = { $name } says depth { $says }, but iodepth is { $depth }
lint-says-jobs = { $name } says { $says } jobs, but numjobs is { $jobs }
lint-says-block = { $name } says { $says }, but bs is { $block }
lint-says-numbers = { $name } says { $says }, but numjobs is { $jobs } and iodepth is { $depth }
lint-says-rw = { $name } says { $says }, but rw is { $rw }

# Findings about files, and about data that would be destroyed.
lint-not-there = { $name } does not exist: the run would create it and measure the creation
lint-extends = { $name } has only { $size } of the { $need } needed: the run extends it
lint-ever-written = at most { $written } of { $used } in { $name } were ever written
lint-fills = it writes all of { $name } { $times ->
    [1] once
   *[other] { $times } times
}, in order: preconditioning, not a measurement
lint-fills-randomly = it writes all of { $name } { $times ->
    [1] once
   *[other] { $times } times
}, at random: preconditioning, not a measurement
lint-overwrites = the plan overwrites { $path }: { $what }
lint-job-writes = job `{ $job }` writes to { $name }: { $what }
lint-unread-writes = the plan cannot be fully parsed, and would write to { $name }: { $what }
lint-job-discards = job `{ $job }` discards { $name }: { $what }
lint-output-goes-to = the plan's output goes to { $name }: { $what }
lint-in-use = it is in use: { $uses }
lint-device-holds = the device contains { $holds }
lint-device-lost = all data on the device would be lost
lint-not-ours = it exists, and secchi did not create it
lint-drive-unseen = a whole Windows drive: secchi cannot check here whether it is in use

# Findings about several commands.
lint-line = line { $line }
lint-left-running = the command is still running when the next one begins
lint-written-twice = { $name } is written on line { $first } and again on line { $again }
lint-does-the-same = { $later } does the same as { $earlier }
