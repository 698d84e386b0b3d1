# Rules over what other tools measured, and over plans: what is wrong where one fires, why it matters, what to do.
rule-E01-not-whole-title = the tool failed, or its output was cut short
rule-E01-not-whole-explanation = The file itself says that its figures are not those of a whole run: a message of an error stands in it, a count falls short of what was asked, the tool calls the result invalid, or the lines with which it ends are missing. What was measured until then may look better than the whole would.
rule-E01-not-whole-remedy = mend what the message names, run it again to its end, and judge the whole output
rule-E02-errors-title = operations failed, and the job went on
rule-E02-errors-explanation = With continue_on_error fio counts operations that failed and goes on. They are in no rate and in no latency, so the figures are those of the operations that went well: a device that fails quickly looks fast.
rule-E02-errors-remedy = look at the kernel's log and the device's health; measure again when nothing fails
rule-E03-verification-title = verification reads are separate from the load
rule-E03-verification-explanation = A job that writes and verifies reads its blocks back, often from the page cache, at a rate of its own. Added to the writes it makes a rate that nobody measured, so that the row shows the writes alone. A mixed job counts both kinds of reads together: which of them were the load cannot be told, and the row meets no need.
rule-E03-verification-remedy = measure without verify, and verify in a job that is not measured
rule-E04-not-durable-title = a sync that does not reach the medium
rule-E04-not-durable-explanation = On macOS, fsync, fdatasync and O_SYNC leave data in the cache of the drive; only F_FULLFSYNC (fsync_writethrough) flushes it. A sync that is many times faster than that one survives no power failure: its time is not the time of a durable commit, and it meets no need.
rule-E04-not-durable-remedy = judge by fsync_writethrough, and set wal_sync_method to it
rule-B28-no-interval-title = no interval: the figures are of all the time since the machine started, or of a whole trace
rule-B28-no-interval-explanation = The first report of iostat, vmstat, nfsiostat, and of pidstat without an interval, is of the time since the machine started or a file system was mounted: hours of idling weigh as much as the load. Where a file holds that one only, nothing of it can be laid beside a load. btt sums a trace up as a whole.
rule-B28-no-interval-remedy = run it with an interval, beside the load: iostat -x -t 1
rule-B01-first-touch-title = first-touch stall: part of the run was spent filling files that had never been written
rule-B01-first-touch-explanation = Windows fills a file that was extended with zeros before the first far write, and thin volumes and unwritten extents behave alike. Seen where writes have operations of more than a second, and the mean of the samples is well above operations over run time: a stall is one long sample among many short ones. The seconds lost are run time less operations over the rate without the stall; that rate lies between the mean of the samples (which still holds the long ones) and, for one operation in flight per job, jobs over the latency without submission's stalls (Little's law).
rule-B01-first-touch-remedy = write the file through once, then run again on it (secchi qualify does; fio: overwrite=1 after a fill)
rule-B04-extension-title = an asynchronous engine behaved synchronously
rule-B04-extension-explanation = Submission latency should be a few microseconds; where it is most of the latency the kernel did the operation while it was handed over. Writes that extend a file do so on Windows and on most file systems, and so do all operations through the page cache. Depth has no effect then, and the latency is that of extending. With one operation in flight through the page cache there is no depth to lose: that is told as a doubt.
rule-B04-extension-remedy = measure on a file that was written before, with direct=1
rule-B35-stall-title = a stall that no mean shows
rule-B35-stall-explanation = An operation of a second or more that took at least twenty times the mean, or samples far below the mean, though the run as a whole hardly lost by it. Percentiles of long runs hide it; a database that waits for that operation does not.
rule-B35-stall-remedy = run again with a log per second and look what else happened then; take the maximum into account
rule-B03-label-title = the name says other parameters than the content
rule-B03-label-explanation = Tables are made of file names, and a copied command line keeps its old option: a file called write-2 that holds one job makes a row that claims two. Block sizes, depths, jobs and directions in the names of files and jobs are held against what the file says was run. A number without a word is taken for what it is in the other files of the same naming; alone it must at least be one of jobs, depth and their product. Numbers that only count repeats (1, 2, 3 with equal parameters) are left alone. Dates, times, versions, percentages and numbers whose word agrees with the content are no parameters. A file is named by whoever kept it: its name raises a doubt and strikes nothing; a job's name is the plan's own.
rule-B03-label-remedy = believe the content; rename the file, or run what the name says
rule-B27-spread-title = the same test came out differently: smaller differences are no effect
rule-B27-spread-explanation = Results with equal parameters tell how far chance, time of day and neighbours move a figure. What differs by less between other rows is not shown to be different.
rule-B27-spread-remedy = repeat in turn (secchi ab), and compare with intervals (secchi compare)
rule-B05-ended-apart-title = jobs ended at different times: neither figure is the rate while all ran
rule-B05-ended-apart-explanation = fio's headline divides all operations by the run time of the job that ended last; its sampled mean adds up the means of jobs over stretches of different length. Both differ from the rate while all jobs ran. Seen where the sampled mean is well above the headline, samples are missing, and no operation was long enough to be a stall. For two jobs of equal work the time of the first end follows from both figures.
rule-B05-ended-apart-remedy = let all jobs run for the same time: time_based=1 with a runtime, or one job
rule-B06-unweighted-title = the sampled mean is no mean over time
rule-B06-unweighted-explanation = A sample ends with the first operation after its window, so that a stall makes one long sample that counts as much as a short one. The sampled mean is then above operations over run time, and samples are missing: run time over the window, less their number.
rule-B06-unweighted-remedy = take operations over run time; look for the stall
rule-B07-one-job-title = clones were reported one by one: the row is their sum
rule-B07-one-job-explanation = Without group_reporting fio reports each clone of numjobs separately. Clones run at the same time, so secchi adds them up: the row, needs and limits are about all of them. Percentiles cannot be added: without histograms (`--output-format=json+`) that of all clones lies between the best clone's and the worst clone's.
rule-B07-one-job-remedy = run with group_reporting=1 for one percentile of all clones
rule-B55-counted-exceeded-title = the seller of a limit counted it as exceeded: that limit binds
rule-B55-counted-exceeded-explanation = CloudWatch has for each EBS volume, and for its instance, a check by minutes whether more IOPS or throughput was asked for than they are sold with. Where a check is there it says which limit binds, above all that rates look like. It is 1 where the demand was above the limit consistently within the minute: short excesses do not show.
rule-B55-counted-exceeded-remedy = raise the limit that was counted; of an instance only another size helps
rule-B55-not-counted-title = samples are near a limit that its seller never counted as exceeded
rule-B55-not-counted-explanation = A rate near a limit is a sign that it binds, and no proof: the load may want just that much. Where EBS's own checks are in the file and say that nothing was exceeded, the limit does not bind, or the limit that was given is not the one the volume has.
rule-B55-not-counted-remedy = check the limits given; what holds the rate lies elsewhere, or nothing does
rule-B08-sum-of-volumes-title = all volumes together are at the instance's cap
rule-B08-sum-of-volumes-explanation = Volumes share the instance's path: its cap holds for their sum at the same second. Largest values of single volumes come from different seconds, and none of them need be near a cap. All devices of a file are added up second by second, partitions and mapped devices left out where their disks are there.
rule-B08-sum-of-volumes-remedy = a larger instance, or less to write; more or faster volumes do not help
rule-B09-above-in-samples-title = samples above the cap, the mean not: a burst, or jitter of the sampling
rule-B09-above-in-samples-explanation = A shaper lets a bucket's depth pass at once, and samplers do not fire exactly each second. Both make single samples above a cap that the mean keeps. The depth is at least the largest sum of what was above it.
rule-B09-above-in-samples-remedy = sample at a tenth of a second to tell bursts from jitter (secchi watch --interval 100ms)
rule-B10-merged-title = more operations than the cap allows, sequential and small: they were counted before merging
rule-B10-merged-explanation = The operating system counts what it hands over; volumes put sequential neighbours together and count larger operations. A count above the cap is no contradiction then.
rule-B10-merged-remedy = compare bytes, or the volume's own count
rule-B11-above-limit-title = above a declared limit: the limit is not the one that holds here
rule-B11-above-limit-explanation = A cap that is exceeded by more than 5 % for a whole run is the wrong row, one that has risen, of another unit, or there was a cache in between. Nothing that leans on it is judged.
rule-B11-above-limit-remedy = check what was provisioned, and its unit; check for caches
rule-B11-burst-title = at the burst of a limit: it does not last
rule-B11-burst-explanation = Volumes and instances with credits run at a published maximum above their baseline until the credits are used up. A result at exactly that maximum is bound by it; afterwards the baseline binds.
rule-B11-burst-remedy = plan with the baseline; run for longer than the burst lasts to measure it
rule-B12-tie-title = two limits allow the same: which one binds cannot be told
rule-B12-tie-explanation = Where the rate is at two limits that differ by less than 3 %, either may be the one.
rule-B12-tie-remedy = raise one of them, or add a second volume, and measure again
rule-B17-units-title = the bandwidth is at the limit's number in the other unit
rule-B17-units-explanation = MB/s and MiB/s differ by 4.9 %. Where a result passes a limit given in MB/s and is within 1 % of the same number of MiB/s, or the other way round, the unit is the likelier fault.
rule-B17-units-remedy = look the unit up, and give it with --limit: mbps=125MiB or mbps=125MB
rule-B17-crossover-title = which limit binds changes with the block size
rule-B17-crossover-explanation = Below bandwidth over operations per second the cap on operations binds, above it the one on bytes. A vendor's pair of figures is often given for different sizes.
rule-B17-crossover-remedy = judge each size by the limit on its side
rule-B16-half-told-title = a limit told in part: what was provisioned on the other side is not known
rule-B16-half-told-explanation = Volumes are sold by operations, bytes and size, and a type's maxima are not what was provisioned: a gp3 of 16,000 IOPS moves 125 MiB/s unless more was bought. Where results stay below the cap that was given, and no cap of the other kind is known, that other one may hold them.
rule-B16-half-told-remedy = give all that was provisioned: --limit 'volume iops=N mbps=M', or --volume with its parameters
rule-B18-basis-title = a limit in operations without the block size that it is told for
rule-B18-basis-explanation = A cap on operations counts each as one up to a size (16 KiB, 256 KiB), and larger ones as several; data sheets tell operations of 4 KiB. By that the same figure is reached at one size and out of reach at another. The sizes at which a cap was met tell up to where it counts an operation as one.
rule-B18-basis-remedy = ask for the block size with each limit; --volume and --instance take it from the catalogue
rule-B13-latency-bound-title = one operation in flight: the rate is one over the latency, whatever limit was bought
rule-B13-latency-bound-explanation = With N in flight and a mean latency R the rate is N / R (Little's law). With one in flight more provisioned operations per second buy nothing, for they do not buy latency.
rule-B13-latency-bound-remedy = ask for more in flight to see a limit; ask for another kind of volume to see another latency
rule-B13-read-ahead-title = sequential reads are much faster than random ones of the same size and depth: something reads ahead
rule-B13-read-ahead-explanation = One operation of one size takes the same time wherever it lies, on storage without moving parts. Where sequential reads take much less, a cache or the service has read ahead, and their rate tells nothing of a database's reads.
rule-B13-read-ahead-remedy = judge by the random reads
rule-B31-iops-cap-title = the same rate over a wide range of sizes: operations are capped
rule-B31-iops-cap-explanation = A device that is at its end does fewer large operations than small ones. Equal rates within 3 % over at least three sizes and a factor of four are a limit on operations.
rule-B31-iops-cap-remedy = see which limit it is: secchi limits explain, or ask for the provisioned figure
rule-B31-throttle-title = a throttle's signature: percentiles jump to a plateau
rule-B31-throttle-explanation = A token bucket lets operations pass until it is empty and holds the next until it is filled again: most latencies are short, and the highest percentiles are all near the refill period. Percentiles beyond which fewer than ten operations lie are left aside: they are the longest operations, and near each other by chance.
rule-B31-throttle-remedy = stay below the cap where latency matters: pace the load, or buy more operations
rule-B32-not-monotonic-title = bandwidth falls where blocks grow
rule-B32-not-monotonic-explanation = More bytes per operation move at least as many bytes per second, unless another limit sets in, a path splits large operations, or the runs were not alike. A dip between two higher neighbours is noise or an effect that the table does not explain.
rule-B32-not-monotonic-remedy = repeat these sizes in turn, several times, before anything is concluded of them
rule-B33-not-one-experiment-title = the rows were measured at very different times: the table is not one experiment
rule-B33-not-one-experiment-explanation = Shared storage changes over hours and days. Rows that were run far apart differ by that, too, and order and effect cannot be told apart.
rule-B33-not-one-experiment-remedy = run all points in one go, in random order, with repeats (secchi qualify --effort thorough)
rule-B37-asymmetry-title = from a certain size writes take much longer than reads in the same mix
rule-B37-asymmetry-explanation = Where both directions were alike at smaller sizes, the write path has a limit of its own: bursts that a target asks for, a narrower link, a smaller buffer.
rule-B37-asymmetry-remedy = measure writes alone at these sizes; look at the path (iSCSI: MaxBurst, R2T; link speed)
rule-B14-not-measured-title = not measured, and shown as zero
rule-B14-not-measured-explanation = No load runs without processor time and switches of context. Where a report has zeros for them (fio on Windows) they were not measured, and stand here as not known.
rule-B14-not-measured-remedy = measure the client's load with another tool beside it
rule-B23-client-bound-title = the client was at its end: the storage may do more
rule-B23-client-bound-explanation = The processor time of a job's thread, or the rate times the submission latency, near one processor means that the thread could not hand over more. The rate is then a lower bound of what the storage does.
rule-B23-client-bound-remedy = use more jobs, or a cheaper engine, until the client has headroom
rule-B34-impossible-title = values that cannot be
rule-B34-impossible-explanation = The fastest operation in all was at least the smallest total latency; if its completion was much shorter, its submission would have taken the rest, far more than submissions do: the time of issue was taken too late (windowsaio). Completion and submission must sum to the total in the mean; percentiles must rise; means lie between the smallest and the largest; rate times latency is at most what may be in flight; nothing is negative, and no share above 100 %.
rule-B34-impossible-remedy = use the total latency where it is whole; leave the split aside
rule-B34-absurd-title = a run time or a rate out of all proportion
rule-B34-absurd-explanation = A run of more than a week that nobody asked for, or of ten times the time that was asked, and rates that no machine reaches (a thousand million operations, ten terabytes in a second) are faults of a clock or of the tool's arithmetic. Every figure over that time is wrong with it.
rule-B34-absurd-remedy = run again; where it comes again, look at the clock (clocksource) and the tool's version
rule-B34-contradiction-title = figures that contradict each other
rule-B34-contradiction-explanation = Operations take time, so a run time of 0 has no rate. A rate times the block size is the bandwidth. No percentile is above the maximum, and the percentiles with the maximum bound the mean from both sides: a tool whose last bin is open reports the edge of that bin for everything beyond it (fio: 17.2 s). A total latency is at least its completion. Where one of these fails, no figure of the row can be trusted, and it meets no need.
rule-B34-contradiction-remedy = measure again; report it to the tool's authors if it happens again
rule-B34-too-little-title = too little was measured to judge by
rule-B34-too-little-explanation = A run that ends after a fraction of the requested time has used up its file: it read or wrote a cache. In a few milliseconds, or with fewer than 20 operations, a rate is chance. Such a row meets no need.
rule-B34-too-little-remedy = make the run time based (time_based, runtime=60), with a file larger than the caches
rule-B54-utilisation-title = utilisation is no saturation: the same device is as busy at very different rates
rule-B54-utilisation-explanation = Utilisation is the share of time with at least one operation in the device. Devices that work on many at once are at 100 % long before their end, and move very different amounts at the same share.
rule-B54-utilisation-remedy = judge by rate and latency over depth, not by utilisation
rule-B60-depth-adds-nothing-title = more operations in flight are no faster
rule-B60-depth-adds-nothing-explanation = Random reads gain from a queue on nearly every device: an SSD works on many at once, and a disk sorts them. Where 8 times as many in flight add less than 15 %, something takes one operation at a time (a USB bridge without UASP, a driver, a lock), or a cap holds both.
rule-B60-depth-adds-nothing-remedy = check whether the path queues (UASP, NCQ, the driver's queue depth), and whether a limit in operations was bought
rule-B61-memory-title = reads came from memory, not from the storage
rule-B61-memory-explanation = Reads a hundred times as fast as writes of the same size and depth, at more than 1 GB/s, come from a cache or from parts of a file that were never written. A file that was opened without O_DIRECT and fits into memory is read from the page cache, too.
rule-B61-memory-remedy = read with direct I/O, a file that was written first and is twice as large as memory and caches
rule-B62-mixed-mean-title = a mean over several kinds of operations
rule-B62-mixed-mean-explanation = sysbench since 1.0 counts fsyncs as events: its mean, maximum and percentiles are of reads, writes and fsyncs together. Reads from the page cache take a microsecond and an fsync milliseconds; their mean is the latency of no operation, and may fall while each of them gets slower.
rule-B62-mixed-mean-remedy = measure each kind with a tool that reports them separately (fio prints reads, writes and syncs)
rule-B63-mostly-idle-title = operations were in flight for a small part of the time
rule-B63-mostly-idle-explanation = By Little's law the rate times the mean latency is the mean number in flight. Where that is below one half, and below a fifth of what may be in flight, the rest of the time went elsewhere: a flush, think time, a limit on the rate, the client. Neither the latency nor the device explains the rate.
rule-B63-mostly-idle-remedy = find what took the time between operations; use neither the rate nor the latency as the device's
rule-B65-over-busy-title = a device was busy for more than all of the time
rule-B65-over-busy-explanation = Utilisation is a share of time; above 100 % it is an error of the kernel's or the tool's count (md and multi-queue devices of some kernels) or of a clock. Rates and waiting times of the same report may still be right.
rule-B65-over-busy-remedy = leave utilisation aside; compare rates and latencies with those of the load
rule-B15-mixed-files-title = some of the files were made just before, others had stood for a while
rule-B15-mixed-files-explanation = A file written seconds ago may lie in caches of the service, one written earlier may not: jobs that read both kinds read at two speeds. fio says in its output which files it made.
rule-B15-mixed-files-remedy = make all files in one run (create_only=1), wait, then measure in another
rule-B22-memory-title = the data are less than twice the memory: caches may have answered
rule-B22-memory-explanation = Data that fit into memory, or nearly, come from the page cache, the database's buffers or the hypervisor's, unless all of them are passed by. The usual rule is twice the memory of the host and four times the cache of a controller.
rule-B22-memory-remedy = use data of twice the memory, or direct=1 on storage whose caches are smaller
rule-B30-small-set-title = a small working set was moved again and again: a cache of its size would answer all of it
rule-B30-small-set-explanation = Bytes moved over the size of the files are the passes over the working set. From the second on a cache below the file system, in the array or in the service, may answer. With randrepeat the order of the passes is even the same.
rule-B30-small-set-remedy = use files of at least four times the array's cache, or fewer passes
rule-B36-options-title = options that contradict each other, or change what is measured
rule-B36-options-explanation = rwmixread and rwmixwrite set each other: the last one holds. sync=1 makes every write wait for the media on top of direct=1. A rate printed with three digits (20.5k) hides one part in four hundred; the counts are exact and are used here.
rule-B36-options-remedy = say one of them; leave sync=1 out unless durable writes are the question
rule-B40-no-percentile-title = no percentile: how long the slow ones take is not told
rule-B40-no-percentile-explanation = A mean hides its tail. Rules such as "not above 5 ms" cannot be checked with a mean, nor with operations per second alone.
rule-B40-no-percentile-remedy = measure with percentiles (secchi db ranread has them for RanRead)
rule-B49-dashes-title = the command line has typographic dashes: as it stands it does not run
rule-B49-dashes-explanation = Word processors and web pages turn -- into an en dash. fio takes such a word for the name of a job file.
rule-B49-dashes-remedy = type two hyphens; secchi fio and secchi lint mend them
rule-B50-no-latency-title = no latency: gtod_reduce left it out
rule-B50-no-latency-explanation = gtod_reduce=1 turns off latencies and percentiles to save clock reads. Little's law still gives the mean: operations in flight over the rate; the kernel's counts on the device give its own share.
rule-B50-no-latency-remedy = leave gtod_reduce out; secchi fio measures latency at less than 1 % of the rate
rule-B51-short-title = a short run: it tells of caches and burst budgets, not of what is sustained
rule-B51-short-explanation = Burst credits of volumes and write caches of drives last for minutes. A run of less than a minute that stops when its files are done has seen nothing else.
rule-B51-short-remedy = run for longer than the burst lasts (secchi limits explain says how long), time based
rule-B52-one-depth-title = whether it is fast is not told: one depth, no percentile
rule-B52-one-depth-explanation = A rate with many operations in flight says how much passes, and not how long one waits: the same rate is good or bad by the depth it needs. Without a result with one in flight, or a percentile, and without the device's identity, nothing compares it with another device.
rule-B52-one-depth-remedy = measure with one in flight, too, and with percentiles (secchi qualify does both and records the device)
rule-B53-machines-title = results of different operating systems in one table
rule-B53-machines-explanation = An engine of Windows beside one of Linux means two machines, or at least two stacks: a difference between such rows is no difference of the storage.
rule-B53-machines-remedy = compare within one machine
rule-B19-start-wait-title = RanRead's time includes at least a second of waiting for the start
rule-B19-start-wait-explanation = RanRead (V0 to V3) takes its start time before the second in which the processes wait for each other. Processes times iterations over its rate is the time it counted; less one second it gives the corrected rate. The bias grows with the rate: a few percent of slow volumes, a quarter of fast ones.
rule-B19-start-wait-remedy = use the corrected rate; for another measurement take more iterations, or secchi db ranread, whose clock starts with the first read
rule-B20-reciprocals-title = the rate is a mean of reciprocals, and not processes over response time
rule-B20-reciprocals-explanation = RanRead prints processes over the mean response time, its SQL the mean of the processes' own rates. The mean of reciprocals is at least the reciprocal of the mean; neither counts operations in a common window.
rule-B20-reciprocals-remedy = take operations over the time that all processes ran
rule-B38-hang-in-average-title = pauses are part of the response time
rule-B38-hang-in-average-explanation = RanWrite pauses after each transaction, and divides the whole time by the sets: the pause over the sets of a transaction is in each. Where it is most of the figure the figure is the sleep timer's; sets are in memory anyway, and not writes of a disk.
rule-B38-hang-in-average-remedy = subtract the pause, or measure with hang 0; look at the disk's own counters for its writes
rule-B42-columns-title = StdDevR and StdDevW of the export are not of the same kind
rule-B42-columns-explanation = PerfTools V3 writes the standard deviation over the mean into one of StdDevR and StdDevW, and the plain one into the other: RanRead and RanWrite the other way round.
rule-B42-columns-remedy = recompute them from the rows of the processes
rule-B45-midnight-title = the run went over midnight UTC: its elapsed time is wrong
rule-B45-midnight-explanation = PerfTools takes the time from the seconds of the UTC day, which begin again at midnight: elapsed times become negative, and a run by time never ends.
rule-B45-midnight-remedy = run it again; the figure is none
rule-B21-stopped-title = the run was stopped, and divided by what was planned: it looks too fast
rule-B21-stopped-explanation = RanRead V0 divides the reads that were planned by the time that passed, also after Stop(). Its clock runs for at least the second in which the processes wait for each other, so planned reads that fit into less than a second by its own figures were not done. A row far above the others of the same parameters is doubted, too.
rule-B21-stopped-remedy = leave the row out, and run it again to its end
rule-B43-signature-title = a pause where RanWrite takes the length of a transaction: nothing was written
rule-B43-signature-explanation = The fourth parameter of RanWrite.Run is a pause in seconds in V1, and since V2 the number of sets of a transaction. A call of the old form (.001) makes transactions of a thousandth of a set: none is done, and each counts as .001 writes.
rule-B43-signature-remedy = call Run(directory, processes, seconds, sets of a transaction, pause in ms)
rule-B47-session-title = opening and closing the database is part of each read
rule-B47-session-explanation = RanRead opens the database, views one block and closes it again, and times all three: where a read takes a fraction of a millisecond, the session's cost is a visible part of it. Its blocks are uniformly random, with no locality, unlike a database's own reads.
rule-B47-session-remedy = compare with the device's own latency beside it (secchi watch), or secchi db ranread, which keeps files open
rule-B24-blocks-title = mgstat counts blocks of 8 KiB, other tools transfers: their numbers differ
rule-B24-blocks-explanation = PhyWrs and PhyRds of mgstat are database blocks a second. The write daemon hands over many blocks with one write, and perfmon, iostat and the volume count writes. Bytes agree: blocks times 8 KiB are what the device moved. Where a file of the device's counters covers the same time, both are added up over it.
rule-B24-blocks-remedy = compare bytes; blocks over transfers is the mean number of blocks of a write
rule-B24-batch-title = the write daemon writes in batches of one size
rule-B24-batch-explanation = Where nearly all samples of PhyWrs are multiples of the same power of two, that is how many blocks the daemon hands over at a time.
rule-B24-batch-remedy = use that many operations in flight, or writes of that many blocks, to imitate it
rule-B25-starvation-title = the foreground starves while the write daemon writes
rule-B25-starvation-explanation = Global references a second while blocks are written, against those just before and after. A queue of the daemon (WDQsz) that grows over a whole cycle means that more is changed than can be written: the load cannot be kept up, however good the mean looks.
rule-B25-starvation-remedy = find the update rate at which the queue does not grow (secchi db ramp --verb ranwrite); put journal, image journal and data on volumes of their own caps
rule-V01-open-bucket-title = nearly all writes are in the last, open bucket: their size is not told
rule-V01-open-bucket-explanation = irisstat counts writes by blocks up to 15 and puts everything from 16 blocks on into one. Where that holds nearly all, the histogram says only that writes are of 128 KiB or more.
rule-V01-open-bucket-remedy = watch the block layer for sizes up to 1 MiB (secchi watch)
rule-B24-transfers-title = operations of the load and transfers of the device are not the same count
rule-B24-transfers-explanation = On their way to the device large operations are split and neighbours are merged. Where bytes agree over the same stretch of time and counts do not, both tools are right: each counts at its own layer, and limits on operations hold at one of them.
rule-B24-transfers-remedy = compare bytes; hold limits on operations against the count of the layer that they are sold for
rule-B28-window-title = the mean depends on the window: part of the samples are idle
rule-B28-window-explanation = A mean over all samples of a file holds those before and after the load. Read by eye, a window and its spread are nowhere written down. Both means are given, with the standard deviation of the busy samples.
rule-B28-window-remedy = take the mean while busy, with its spread; sample for as long as the load runs (secchi watch -- COMMAND)
rule-B29-differ-title = the device did not move what the load claims
rule-B29-differ-explanation = What a load says it moved must be what the device counted over the same stretch of time. More at the device is somebody else, or metadata; less is a cache, or ranges that were never written. Files are laid side by side by the clocks of their machines, with a second and a half of doubt at both ends of the load.
rule-B29-differ-remedy = find out why before either figure is used
rule-B29-layers-title = the load and its device tell the same
rule-B29-layers-explanation = Two tools agree on the bytes of the same stretch of time: neither a cache nor somebody else lies between them. What an operation took as the load saw it, less what its transfers took in the device and its queue, lies above the device: in the file system, the client, or in waiting for its processor.
rule-B29-layers-remedy = none is needed; the difference of both latencies is the client's share
rule-B29-minute-title = samples so long that bursts do not show
rule-B29-minute-explanation = A sample of a minute tells the minute's mean. Bursts, throttling and stalls of seconds are averaged away in it, so that agreement with it confirms only the mean.
rule-B29-minute-remedy = sample each second on the machine itself, beside the load (secchi watch)
rule-B29-zone-title = files of one time, perhaps, in different zones
rule-B29-zone-explanation = Two files can be laid side by side only on one clock. fio's JSON tells the time in UTC and on the wall, CloudWatch in UTC, perfmon its zone; most others tell the clock on the wall and no zone. Where one tells its zone and the other does not, both are taken for the clock on the wall of one machine. Here they have no second in common that way, so nothing is compared.
rule-B29-zone-remedy = name the zone of the files that have none: --time-zone Asia/Tokyo, --time-zone +09:00; next time let iostat tell it (S_TIME_FORMAT=ISO)
rule-B46-not-from-device-title = reads that the device never saw
rule-B46-not-from-device-explanation = Reads of ranges that were never written (holes, preallocated or expanded files, trimmed blocks) are answered with zeros by the file system, thin volume or flash map, without media; reads through the page cache come from memory. fio's own statistics of the disk count what arrived there, merged requests included.
rule-B46-not-from-device-remedy = write the whole file once before it is read (secchi qualify does, and checks), and use direct=1
rule-B54-await-title = await grows with the queue: it is no property of the device alone
rule-B54-await-explanation = await and sec/Transfer count from when a request is queued, so that waiting for other requests is part of them. Rate times await is the mean number in flight (Little's law); with more in flight the same device shows a longer await at a higher rate.
rule-B54-await-remedy = tell the number in flight with it; compare await only at the same depth
rule-I05-marks-title = the marks (fast) and (slow) are by the rule of ioping before 1.3
rule-I05-marks-explanation = Before 1.3 a request was fast within the lowest 5 % of the span between the smallest and the largest time so far, and slow within the highest 5 %: marks of chance on an even run. Since 1.3 it must be below half the mean, or above twice of it. The marks are replayed from the times by both rules.
rule-I05-marks-remedy = read the times; only marks of 1.3 and later tell of outliers
rule-I08-rate-title = ioping's rate is one over the mean latency: nobody had it
rule-I08-rate-explanation = `requests completed in` sums the times of the requests themselves. Its iops and bandwidth are those of a program that does one request right after the other, with the storage as idle as it was here.
rule-I08-rate-remedy = compare its latency with others' at a depth of one; take rates from fio or secchi qualify
rule-B02-title = local flash that looks slow in random writes
rule-B02-explanation = It is the stall of the first touch on another device, and judged by B01-first-touch.
rule-B02-remedy = see B01-first-touch
rule-B26-title = tables that were typed by hand
rule-B26-explanation = Swapped columns, cases that do not exist and units mistyped stand in the text around the figures; the files hold what was measured, and no file tells what somebody wrote of it.
rule-B26-remedy = let tables be made of the files: secchi judge for those of others, secchi report for its own
rule-B39-title = a figure that is the sleep timer's
rule-B39-explanation = It is the pause in the average where it is nearly all of it, and judged by B38-hang-in-average.
rule-B39-remedy = see B38-hang-in-average
rule-B41-title = the wait for the start in later versions
rule-B41-explanation = It is the same second of waiting, and judged by B19-start-wait.
rule-B41-remedy = see B19-start-wait
rule-B44-title = outputs pasted from another run, commands that do not run as printed
rule-B44-explanation = That a text and the output below it are of different runs shows in neither of them alone; commands that are no fio's are not linted.
rule-B44-remedy = keep the record, which holds the command as it was typed beside what came of it: secchi show, secchi db history
rule-B48-title = a tool that removes a directory and all that is in it
rule-B48-explanation = What a tool deletes stands in none of its results.
rule-B48-remedy = secchi db purge removes only a database that its own marker names, and nothing beside it
rule-L00-refused-title = it would not run as it stands
rule-L00-refused-explanation = The parser of secchi fio reads the plan with all of fio's own checks, and those of secchi where fio is unsafe: options that contradict each other, unknown ones with the nearest name, sizes that cannot be.
rule-L00-refused-remedy = mend the word that is named
rule-L00-remark-title = an option is not what it seems
rule-L00-remark-explanation = Options given twice of which the last counts, options without effect, sizes that fio reads otherwise than they are written (1GiB is 10^9 bytes to it): all are understood, but perhaps not as they were meant.
rule-L00-remark-remedy = write what is meant; secchi fio --showcmd prints the plan as it is understood
rule-L00-not-done-title = fio does it, secchi does not: it is not checked any further
rule-L00-not-done-explanation = The plan asks for something that secchi knows and does not do: engines that move no data of a storage, or need a library of their own, jobs that pace each other. fio may run it; the rest of the plan is not held against the rules.
rule-L00-not-done-remedy = leave it out for the check, or run it with fio
rule-L00-unknown-title = part of the script is unknown before it runs: only what it would destroy is checked
rule-L00-unknown-explanation = lint parses shell scripts and batch files and follows their variables, loops, functions, wrappers (sudo, timeout, ssh, docker run) and here-documents. The environment, the script's arguments, the output of other programs, sourced files and other scripts are unknown. An unknown word could set any option, so no other rule judges that command: lint only reports what it would destroy, as far as that is known.
rule-L00-unknown-remedy = lint the command as it will run, set the variable in a copy of the script, or lint the other script as well
rule-L05-dashes-title = typographic dashes: fio would not run it as it stands
rule-L05-dashes-explanation = Word processors and web pages turn -- into an en dash. fio takes such a word for the name of a job file and ends; secchi takes it for two hyphens.
rule-L05-dashes-remedy = type two hyphens
rule-L24-in-use-title = it would destroy what this machine uses
rule-L24-in-use-explanation = The plan writes to a device, or to a file that stands for one, on which a mounted file system, swap, RAID, LVM or another process lives, under whatever name (partition, by-id, symbolic link). Writing beneath a mounted file system destroys it, at the latest at its next mount. fio does it where allow_mounted_write=1 or a partition's name hides the use; secchi fio refuses.
rule-L24-in-use-remedy = name a file or a directory on it; to overwrite a device for good, stop who uses it first
rule-L25-overwrites-title = it would overwrite what is there
rule-L25-overwrites-explanation = The plan writes to a device that carries data, or to a file that secchi did not make. fio asks nobody; secchi fio asks for --destroy with the device's serial number, or --allow-overwrite. A file alone is only noted: it may be meant.
rule-L25-overwrites-remedy = check the name; a name that does not exist yet is always safe
rule-L09-first-touch-title = it writes to files that were never written
rule-L09-first-touch-explanation = Writes to a fresh file extend it, or convert unwritten extents, or make Windows fill it with zeros: the run measures that, in stalls of seconds. Later runs on the same file are faster. Jobs that also read, or have overwrite=1, write their files before they begin, and are left alone, as are those that verify, and files that an earlier job of the plan fills.
rule-L09-first-touch-remedy = write the file through once before (rw=write, bs=1m), or overwrite=1; measure in a second run
rule-L22-never-written-title = it reads what was never written
rule-L22-never-written-explanation = Holes and reserved ranges of a file are answered with zeros, without any storage: what is measured is the look-up that finds nothing there. The file system tells which ranges of a file were ever written.
rule-L22-never-written-remedy = write the file through once before (rw=write, bs=1m), or name another and let fio make it
rule-L26-fill-title = a preconditioning fill, and no measurement
rule-L26-fill-explanation = A job that only writes, until all of its files are written, once or more, prepares a device or files: it gives every block an address, empties the pool of erased blocks, and lets the device settle. Its rate is of a device before that. It is not held against the rules for measurements; what it would destroy is told all the same.
rule-L26-fill-remedy = measure in a job behind it (stonewall), with a runtime, and soon: devices recover while they idle
rule-L27-wraps-title = it passes over the same data many times
rule-L27-wraps-explanation = At the rate that the known limit allows, the job reads or writes its data 10 times or more. A cache of the array, hypervisor or device that is as large as the data then serves most of it, and the result says little about larger data.
rule-L27-wraps-remedy = use more data, at least four times the largest cache on the path
rule-L28-duration-title = it would run for more than a day
rule-L28-duration-explanation = Without a runtime the job ends when all of its data is done. At the rate that the known limit allows, that takes longer than a day.
rule-L28-duration-remedy = time_based=1 with a runtime, or a smaller size
rule-L01-page-cache-title = the page cache would answer
rule-L01-page-cache-explanation = Without direct=1 reads come from memory as soon as they were read once, and writes return before the storage has them. That is the speed of memory, and with an asynchronous engine its depth has no effect.
rule-L01-page-cache-remedy = add direct=1; for a program that uses the page cache, data of at least twice the memory
rule-L02-memory-title = the data fit into memory
rule-L02-memory-explanation = Through the page cache, data of less than twice the memory are mostly answered by it.
rule-L02-memory-remedy = use more data than twice the memory, or direct=1
rule-L03-burst-title = it would end before the burst does
rule-L03-burst-explanation = Volumes with credits run above their baseline until the bucket is empty. A run that is shorter than that measures the burst, and no database lives on it.
rule-L03-burst-remedy = run for longer than the burst lasts, or drain it first (ramp_time)
rule-L04-depth-title = the engine waits for each operation: the depth is 1
rule-L04-depth-explanation = sync, psync, vsync, pvsync and mmap do one operation at a time, whatever iodepth says; fio notes it in one line and goes on.
rule-L04-depth-remedy = take libaio or io_uring with direct=1, or more jobs
rule-L06-gtod-reduce-title = gtod_reduce leaves out latency
rule-L06-gtod-reduce-explanation = gtod_reduce=1 turns off submission, completion and total latency with all percentiles, to save clock reads. What a database waits for is then not measured.
rule-L06-gtod-reduce-remedy = leave it out: a clock read costs some 25 ns
rule-L11-same-places-title = the random places are the same each time, or some come twice
rule-L11-same-places-explanation = With randrepeat=1 every run and every pass asks the same places in the same order, which caches learn; with norandommap some blocks come twice in a pass and others never, which matters where the data were never written.
rule-L11-same-places-remedy = randrepeat=0 for repeats; norandommap only on data that were written as a whole
rule-L12-ramp-title = the start is measured too: no ramp_time
rule-L12-ramp-explanation = The first seconds of a run hold the opening of files, empty caches and full buckets; they weigh most in short runs.
rule-L12-ramp-remedy = add ramp_time, a tenth of the runtime
rule-L13-sync-too-title = sync=1 on top of direct=1: every write waits for the media
rule-L13-sync-too-explanation = direct=1 passes the page cache by; sync=1 asks besides that every write be durable, so that a volatile write cache is flushed each time. That is another question, and may be the right one for journals.
rule-L13-sync-too-remedy = leave sync out for data files; for journals prefer fdatasync=1
rule-L14-few-samples-title = too few operations for the percentiles it prints
rule-L14-few-samples-explanation = The 99.99th percentile rests on one operation in ten thousand: with fewer than a hundred thousand it is chance, and with fewer than ten thousand so is the 99.9th.
rule-L14-few-samples-remedy = run longer, time based
rule-L15-shared-file-title = all jobs work on one file
rule-L15-shared-file-explanation = With filename= the clones share the file: sequential streams ask the same places behind each other, which caches answer, and writes through the page cache meet at the file's lock. Random places on a device, or with direct=1, are left alone.
rule-L15-shared-file-remedy = leave filename out, so that every job has its own, or give offset_increment
rule-L16-compressible-title = it writes data that compress or deduplicate
rule-L16-compressible-explanation = Zeros and repeated blocks take no room on storage that compresses, deduplicates or does not keep zeros: writes are then fast, and later reads do not touch media.
rule-L16-compressible-remedy = leave zero_buffers out, and refill_buffers=1 for devices that deduplicate
rule-L17-processors-title = many more jobs than processors
rule-L17-processors-explanation = Jobs of an asynchronous engine beyond the processors do not add operations in flight that depth would not add, but compete for time: the client may become what is measured.
rule-L17-processors-remedy = use fewer jobs with more depth
rule-L18-no-runtime-title = it ends when its files are done: how long that is nobody knows before
rule-L18-no-runtime-explanation = Without a runtime a fast volume is measured for seconds, within caches and bursts, and a slow one for hours; jobs end at different times, and the rates of the last ones are not those of all.
rule-L18-no-runtime-remedy = time_based=1 with a runtime
rule-L23-clones-apart-title = each clone would be reported alone
rule-L23-clones-apart-explanation = Without group_reporting fio prints a report for each clone of numjobs: none of them is the load's rate, and their sum has to be made by hand.
rule-L23-clones-apart-remedy = add group_reporting=1, unless the clones are to be compared with each other
rule-L07-label-title = the job's name says other parameters than its options
rule-L07-label-explanation = Reports and tables are made of names. A copied line that keeps its name, or keeps its options, makes a row that claims what was not run. Dates, percentages and numbers whose word agrees with the options are left alone.
rule-L07-label-remedy = make the name say what is run
rule-L08-output-label-title = the output's name says other parameters than the command
rule-L08-output-label-explanation = In a matrix of commands each output is named for its parameters. A line that was copied and kept an option makes a file, and a row of a table, that claims what was not run: the sixth command of a published benchmark wrote one job's result into write-2.txt, and three tables were wrong by it.
rule-L08-output-label-remedy = mend the option or the name; better, let the tool name its results
rule-L20-duplicate-title = two commands of a matrix do the same
rule-L20-duplicate-explanation = Commands whose options are equal but for names and outputs are either repeats, or one of them was not changed as it was meant to be.
rule-L20-duplicate-remedy = change the one that was forgotten; name repeats as such
rule-L21-output-twice-title = two commands write the same output
rule-L21-output-twice-explanation = The later result replaces the earlier one, which is lost.
rule-L21-output-twice-remedy = give each its own file
rule-L19-background-title = commands run beside each other
rule-L19-background-explanation = A command that ends with `&` (or begins with `start`) runs while the next one does: both measure the other's load, and nothing in their outputs tells of it.
rule-L19-background-remedy = run one after the other; to load several targets at once take one command (secchi qualify --target A=... --target B=...)

# Lists, and what is said of what.
saw-list = { $all }, { $next }
saw-list-last = { $all } and { $last }
saw-list-rest = { $rest } more
saw-of = { $subject }: { $what }
saw-by = { $what } ({ $evidence })
saw-times = { $what }, { $n } times
saw-of-file = { $name } of { $file }
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

# What failed while it was measured, and files that tell of no interval.
saw-errors = { $n ->
    [one] { $n } operation failed and is in no figure
   *[other] { $n } operations failed and are in no figure
}
saw-no-interval = { $n ->
    [one] figures of one device
   *[other] figures of { $n } devices
} of all the time since the machine started: they tell of no load
saw-since-import = { $n ->
    [one] figures of one device
   *[other] figures of { $n } devices
} of all the time since the pool was imported: they do not describe a load
saw-whole-trace = { $n ->
    [one] one device
   *[other] { $n } devices
} of a whole trace, summed up: no load and no interval stand beside it

# Files that were never written before, and stalls.
saw-about = about { $figure }
saw-seconds = { $least } to { $most } s
saw-stood-still = stood still for { $about } of { $all }; without that about { $without } instead of { $rate }: not usable
saw-operations-take = { $ops } operations at the samples' mean of { $mean } take { $take }, not { $all }
saw-completion-allows = the latency of completion, { $flight } in flight, allows { $rate }
saw-longest = the longest operation took { $took }
saw-files-made = { $n } files were made just before
saw-some-files-made = { $n } of { $all } files were made just before
saw-through-page-cache = operations went through the page cache
saw-writes-grew-file = synchronous extension: writes grew the file
saw-done-while-handed-over = operations were done while they were handed over
saw-depth-without-effect = { $what }; its depth had no effect
saw-two-behaviours = { $what } in part of the operations; its figures mix two behaviours
saw-at-once = { $what }: with one in flight its latency is what that takes
saw-submission-takes = submission takes { $submission }, completion { $completion }: { $share } of the latency
saw-completed-at-once = { $share } of the operations completed within 100 us of it
saw-operation-took = an operation took { $took }
saw-sample-at = a sample is at { $share } of the mean
saw-lowest-sample = the lowest sample is { $least } of a mean of { $mean }
saw-percentile-hides = p99.99 is { $p }, and does not show it

# Names against contents, and repeats.
saw-file-name-says = { $is }, file name says { $says }
saw-job-name-says = { $is }, job name says { $says }
saw-ran-the-same = it ran the same as { $twins }
saw-spread = { $low } to { $high }: { $apart } apart with equal parameters

# Means over time and over jobs.
saw-jobs-apart = jobs ended { $apart } apart
saw-two-apart = workers ended { $seconds } s apart
saw-many-apart = workers ended apart, on average { $seconds } s before the last
saw-samples-missing = { $samples } samples of { $window } s for { $jobs } jobs of { $each }: { $missing } are missing
saw-both-means = sampled mean { $sampled }, all operations over the longest job { $rate }
saw-ended-after = by the means one ended after { $first } s, the other after { $last } s
saw-clones-together = { $n } clones of { $low } to { $high } each are { $all } together
saw-mean-and-rate = the samples' mean is { $sampled }, the rate { $rate }
saw-long-samples = { $samples } samples of { $window } s for { $jobs } jobs tell of { $told } of { $all }: { $long } lie in long samples

# Figures that are none.
saw-no-processor-time = no processor time
saw-no-switches = no context switches
saw-neither-time-nor-switches = no processor time, no context switches
saw-jobs-busy = each job kept a processor busy for { $share }
saw-submitting-busy = submitting alone kept a processor busy for { $share }
saw-rate-in-jobs = { $rate } in { $n } jobs
saw-issued-late = a completion of { $completion } while no operation took less than { $least }: it would have been submitted for { $rest }, { $times } times the mean
saw-parts-differ = submission { $submission } and completion { $completion } are not { $all } in all
saw-submission-cut = { $what }: submission is cut at 4.29 s (32 bits of nanoseconds)
saw-disordered = p{ $lower } is { $is }, p{ $upper } only { $only }
saw-mean-outside = a mean of { $mean } outside { $least } to { $most }
saw-overfull = rate times latency are { $are } in flight, and only { $may } may be
saw-senseless = `{ $words }` cannot be
saw-ran-too-long = it ran for { $ran }, and { $asked } were asked
saw-ran-for-days = it ran for { $ran }, { $days } days, and no time was asked
saw-absurd-rate = { $rate } are more than any machine does
saw-no-time = { $ops } operations in a run time of 0 (`{ $time }`)
saw-product-differs = { $rate } of { $block } are { $product }, and the bandwidth is { $bytes }
saw-percentile-above-max = p{ $p } is { $is }, above the maximum of { $max }
saw-mean-above-percentiles = a mean of { $mean } with p{ $p } at { $is } and a maximum of { $max }: at most { $most } is possible
saw-mean-below-percentiles = a mean of { $mean } below what the percentiles allow: at least { $least }
saw-total-below-completion = completion takes { $completion }, and all of it { $total }
saw-ended-early = it ran for { $ran } of the { $requested } requested, and moved { $moved }: a cache
saw-stopped-early = it ran for { $ran } of the { $requested } requested
saw-blink = { $ops } operations in { $ran }: over before it was a load
saw-few-operations = { $n ->
    [one] { $n } operation
   *[other] { $n } operations
} in { $ran }: a rate by chance
saw-verification = { $rate } of verification, apart from the load
saw-verification-counted = { $ops } reads verified what was written, at { $rate }, apart from the load
saw-verification-mixed = reads of the load and of verification are counted together
saw-verification-maybe = as many reads as writes, and no word of the job: it may have verified what it wrote
saw-not-durable = { $kind } of { $time } is not durable: fsync_writethrough takes { $medium }
saw-sync-of-nothing = { $kind } of { $time } sent no command to a device
saw-at-burst = { $rate } is { $share } of the burst of { $limit }, { $allows }, which lasts { $lasts } from full credits; { $base } lasts
saw-equally-busy = { $low } at { $slow }, and { $high } at { $fast }

# Marks and rates of ioping.
saw-marked-otherwise = 1.3 and later would mark request { $requests } otherwise
saw-marks-replayed = replayed from the times: every mark fits the old rule
saw-rate-is-reciprocal = { $rate } is 1 / { $mean }

# A load beside its device.
saw-both-read = { $load } read by fio, { $counted } by { $device }
saw-both-written = { $load } written by fio, { $counted } by { $device }
saw-device-moved-less = { $both } ({ $share }): the rest came from memory, or from ranges never written
saw-device-moved-more = { $both } ({ $times } times): somebody else used the device, or the file system added to it
saw-clocks-apart = { $gap } apart by their clocks, and { $without } tells no zone
saw-one-zone = written at { $zone } it would tell of the same time, and of no other zone: --time-zone { $zone }
saw-both-latencies = an operation took { $load } as fio saw it, a transfer { $device } in the device and its queue
saw-split = { $n } transfers for one operation, as large ones are split
saw-merged = { $n } operations in one transfer, as neighbours are merged
saw-transfers = { $ops }/s of { $size } by fio are { $transfers }/s of { $each } at { $device }: { $how }
saw-same-bytes = the same bytes: { $load } and { $counted }
saw-busy-and-all = { $busy } while busy for { $seconds } s, { $mean } over all { $all } s
saw-together = { $rate } together
saw-deviation = standard deviation of its { $n } busy samples: { $sd } ({ $share })
saw-sampled-every = { $name }, every { $period }
saw-long-period = each sample is the mean of { $period }
saw-reads-arrived = { $arrived } of { $asked } reads arrived at { $devices } ({ $share })
saw-no-read-arrived = none of { $asked } reads arrived at { $devices } ({ $share })
saw-direct-off = direct=0: through the page cache
saw-await-at = { $wait } with { $flight } in flight at { $rate }/s

# PerfTools.
saw-start-wait = { $rate } instead of { $told } with { $processes ->
    [one] { $processes } process
   *[other] { $processes } processes
}, { $change }
saw-reads-less-waiting = { $reads } reads in { $seconds } s by its rate, less { $wait } s of waiting
saw-reciprocals = { $jobs } processes over the response time are { $low } to { $high }, the rate told is { $told }
saw-sleep-timer = the whole figure is the sleep timer: it says nothing of the disk
saw-pause-share = { $share } of { $whole } are the pause; the work of a set is { $work }
saw-pause-of-set = a pause of { $pause } for each set
saw-columns-of-two-kinds = one of both columns is over its mean
saw-negative = a negative figure
saw-stopped = { $reads } reads in { $clock } by its figures, and its clock runs for a second before the first
saw-far-above = { $rate } where { $n } others had about { $usual }
saw-part-of-set = transactions of { $sets } sets: none is done, and each counts as { $sets }
saw-part-of-write = { $part } writes were counted: a part of a write is none
saw-sessions = { $rows ->
    [one] a row
   *[other] { $rows } rows
} below { $below }, down to { $least }, each with an OPEN and a CLOSE

# Counters of a database.
saw-blocks = { $blocks } blocks/s while it writes are { $rate }, in fewer and larger writes
saw-count-different-things = they count different things: { $blocks } blocks of 8 KiB are { $bytes }, and { $device } moved { $moved } in the same { $seconds } s ({ $change })
saw-more-than-blocks = blocks do not explain it alone: { $bytes } of blocks, and { $moved } by { $device } in the same { $seconds } s: other files lie there, or writes are repeated
saw-most-blocks = at the most { $blocks } blocks/s = { $rate }, and { $device } at the device
saw-blocks-of-write = { $writes } writes: { $blocks } blocks, { $each } each
saw-multiples = { $n } of { $all } samples of PhyWrs are multiples of { $size }
saw-starved = global references fall from { $before }/s to { $during }/s ({ $change }) for { $seconds } s, while { $bytes } are written
saw-writes-blocks = it writes { $blocks } blocks/s = { $rate }
saw-blocks-read = blocks read: { $before }/s before, { $now }/s meanwhile
saw-queue-grows = its queue grows from { $from } to { $to } blocks (to { $end } at the end): the load is not sustainable
saw-open-bucket = { $share } of { $writes } writes are of { $least } blocks or more: { $size } and up

# Limits.
saw-tie = { $rate } is at { $first } ({ $allows }) and at { $second } ({ $too })
saw-above = { $rate } is { $share } of { $limit }, which allows { $allows } here
saw-share-of-limit = { $rate } is { $share } of { $limit }
saw-other-unit = { $rate } is above { $cap } by 4.9 %: is the limit meant in { $other } instead of { $was }?
saw-crossover = up to { $size } { $ops } IOPS bind ({ $iops }), above it { $bytes } bandwidth ({ $rate })
saw-bandwidth-untold = { $rate } may be a limit on bandwidth that nobody told: only { $known } is known
saw-iops-untold = { $rate } may be a limit on IOPS that nobody told: only { $known } is known
saw-basis = met at { $met }, { $share } of it at { $larger }: it counts an operation as one up to { $least } at least, and what holds larger ones it does not tell
saw-counted = EBS counted { $limit } as exceeded in { $n } of { $all } periods, { $share } of the time
saw-not-counted = { $rate } is { $share } of { $limit }, and EBS counted no limit as exceeded
saw-sum = { $rate } of { $limit } ({ $cap }), { $share }
saw-samples-near = { $n } of { $all } samples are at { $share } or above
saw-shares = shares: { $shares }
saw-busy-above = { $rate } while busy, { $share } of { $limit }: the limit is not the one that holds here
saw-samples-above = { $n } samples above { $limit }, at most { $share } of it
saw-bucket = a bucket of at least { $size } would explain them

# The shape of a table.
saw-same-at-all-sizes = { $rate }, the same at all sizes: limited in operations
saw-little-headroom = submitting kept one processor busy for { $share }: little headroom to exclude the client
saw-plateau = p95 is { $p95 }, then p{ $from } to p99.99 lie at { $low } to { $high }: a refill of about { $refill }
saw-depth-adds-nothing = { $deep } in flight are no faster than { $low }: { $fast } and { $slow }
saw-through-memory = { $rate } of { $size } that were opened without O_DIRECT: the page cache, not the storage
saw-memory-reads = reads of { $reads } and writes of { $writes } of the same size and depth: { $times } times; the reads came from memory (a cache, or a file that was never written)
saw-memory-latency = one random read took { $mean }
saw-mixed-mean = the mean of { $mean } is over reads, writes and { $syncs } fsyncs ({ $events } operations/s, { $flight } in flight): it is the latency of none of them
saw-mostly-idle = rate times latency are { $are } in flight of { $may }: most of the time no operation was in flight
saw-pauses = p{ $below } is { $quick }, then p{ $from } to p{ $to } lie at { $low } to { $high }: operations wait in equal pauses
saw-of-reads = reads: { $what }
saw-of-writes = writes: { $what }
saw-over-busy = { $device } was busy for { $share } % of the time, and no device can be for more than 100 %
saw-larger-move-less = { $large } move less than { $small }: { $after } after { $before }
saw-move-again = { $size } move { $rate } again
saw-run-order = run in the order { $order }, with { $hours } h between two of them
saw-writes-take-longer = writes take { $times } times as long as reads
saw-reads-and-writes = { $size }: reads { $reads }, writes { $writes }
saw-one-in-flight = 1 in flight / { $mean } = { $rate }, { $share } of { $limit }
saw-read-ahead = { $fast } against { $slow } for random reads: { $times } times as fast

# How it was run.
saw-files-new = { $n } of { $all } files were new
saw-laid-out = Laying out IO file, { $n } times
saw-times-memory = { $set } are { $times } times the memory of { $memory }
saw-passes = { $n } passes over { $set }
saw-same-order = randrepeat=1: the same order each time
saw-last-holds = the last one holds
saw-on-top-of-direct = { $own } on top of direct=1
saw-writes-wait-for-media = every write waits for the media
saw-ramp-untold = the output does not say that it was left out
saw-only-mean = only a mean latency
saw-no-latency = no latency at all
saw-en-dashes = en dashes
saw-dashes = its command line has dashes that are no hyphens
saw-by-little = { $n } in flight / { $rate } = { $mean } by Little's law
saw-in-device = { $mean } in { $device }
saw-disk-reads-took = by the disk statistics reads took { $took }
saw-disk-writes-took = by the disk statistics writes took { $took }
saw-one-depth = { $flight } in flight throughout, no percentile, and nothing with one in flight
saw-each-takes = { $rate } are { $each } for each operation: fast is a matter of the depth
saw-device-untold = of the device only { $devices } is told: no model, no size, no link
saw-once = { $time } for { $moved } once
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

# The first sentence about other tools' files, and why a need is decided as it is.
judged-samples-fine = nothing found that speaks against the samples
judged-no-figures = no figure of a load and no sample of an interval: nothing to judge
judged-transactions-only = transactions per minute of a database: no rate of I/O follows from them
judged-result-fine = { $figures }: nothing found that speaks against it
judged-results-fine = { $n } results, and nothing found that speaks against them
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
judged-more-kinds = { $n } more kinds
judged-results = { $n } results
need-of-no-result = none of the results is { $workload }
need-of-unusable = { $result } is not usable: { $id }
need-ran-shorter = { $result } ran for a shorter time than the need asks
need-by = by { $result }
need-other-meets = { $result } meets it ({ $figures })
need-other-misses = { $result } does not meet it ({ $figures })
need-other-open = { $result } leaves it undecided ({ $figures })
need-not-told = not told
need-of-few = { $measured }, of too few operations
need-between = { $low } to { $high }

# The screen of what was judged, and of rules: labels of at most eight columns, heads, and what is left out.
judged-verdict = VERDICT
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
judged-explain = a rule in full: { $command }
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
judged-legend-little = L: by Little's law, no latency was told
judged-legend-clones = C: worst clone, at most this for all clones together
judged-legend-struck = (struck): not usable
judged-legend-limit = limit: share of the tightest
judged-legend-submit = submit: of one CPU, rate x submission latency
judged-legend-no-room = no room for { $columns }
judged-more = { $n } more in --json
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
lint-would-not-run = { $plans }: would not run as it stands
lint-words-unknown = { $plans }: cannot be checked to its end: words of it are known only to who runs the script
lint-not-done = { $plans }: asks for what secchi does not do, and cannot be checked to its end
lint-nothing-found = { $plans }: nothing found
lint-nothing-wrong = { $plans }: nothing wrong; { $n ->
    [one] { $n } thing
   *[other] { $n } things
} worth knowing
lint-wrong = { $plans }: { $n ->
    [one] { $n } thing
   *[other] { $n } things
} would be wrong
lint-command-line = command line
lint-argument = { $source }, argument { $n }
lint-variable-not-set = `{ $word }`: { $name } is not set in the script
lint-known-when-run = `{ $word }`: only running the script tells what it is
lint-command-unknown = `{ $word }`: only running the script shows which command this is
lint-nested-too-deep = commands are nested more than { $n } deep: the rest is not checked
lint-too-long = the script runs too many commands: after { $n } plans the rest is not checked
lint-script-piped = a shell runs what another program writes: that script is not checked
lint-not-parsed = a shell would run text that cannot be parsed: { $what }
lint-sourced = sources { $name }, which is not checked here
lint-script-called = runs the script { $name }, which is not checked here

# What rules saw in one job.
lint-of-job = job `{ $job }`: { $what }
lint-writes-cached-first = direct=0: writes go through the page cache before they are made durable
lint-page-cache-answers = direct=0: the page cache answers, and not the storage
lint-buffered = --buffered: the page cache answers, and not the storage
lint-diskspd-cached = without -Sh or -Su the file cache of Windows answers, not the storage
lint-cached-in-memory = { $set } are less than twice the memory of { $memory }, and go through the page cache
lint-fits-in-memory = { $size } are less than twice the memory of { $memory }
lint-burst-outlasts = a full burst of { $name } lasts for { $lasts } s, and the run for { $runtime } s
lint-burst-outlasts-load = a full burst of { $name } lasts for { $lasts } s, and the load for about { $load } s
lint-depth-with-engine = iodepth={ $depth } with ioengine={ $engine }
lint-depth-of-waiting-engine = up to { $depth } in flight are asked of an engine that waits for each operation: threads take their place
lint-no-latency = gtod_reduce=1: no latency, no percentile
lint-blocks-twice = norandommap: some blocks come twice, and others never
lint-same-places = randrepeat=1: the same places in the same order each time
lint-without-ramp = { $runtime } s without a ramp_time
lint-percentile-is-chance = about { $ops } operations: its { $p }th percentile is chance
lint-clones-follow = { $n } clones on one file: each follows the places of the others
lint-clones-wait = { $n } clones on one file: their writes wait for each other
lint-only-zeros = zero_buffers: nothing but zeros is written
lint-compresses = { $percent } % of each buffer compress away
lint-copies = { $percent } % of the blocks are copies
lint-jobs-on-processors = { $jobs } jobs on { $cpus } processors
lint-no-runtime = no runtime
lint-wraps = { $set } at { $rate } IOPS ({ $name }) wraps { $times } times in { $seconds } s
lint-lasts = { $total } at { $rate } IOPS ({ $name }) would take { $days } days
lint-jobs-may-end-apart = no runtime; its { $n } jobs may end apart
lint-reports-of-clones = numjobs={ $jobs } gives { $jobs } reports
lint-its-name = its name
lint-says-depth = { $name } says a depth of { $says }, and iodepth is { $depth }
lint-says-jobs = { $name } says { $says } jobs, and numjobs is { $jobs }
lint-says-block = { $name } says { $says }, and bs is { $block }
lint-says-numbers = { $name } says { $says }, and numjobs is { $jobs }, iodepth { $depth }
lint-says-rw = { $name } says { $says }, and rw is { $rw }

# What rules saw in files, and in what would be destroyed.
lint-not-there = { $name } is not there: the run itself makes it, and measures that
lint-extends = { $name } holds { $size } of { $need }: the run extends it
lint-ever-written = of { $used } of { $name } at most { $written } were ever written
lint-fills = it writes { $name } through { $times ->
    [1] once
   *[other] { $times } times
}, in order: preconditioning, and no measurement
lint-fills-randomly = it writes { $name } through { $times ->
    [1] once
   *[other] { $times } times
}, at random: preconditioning, and no measurement
lint-overwrites = it overwrites { $path }: { $what }
lint-job-writes = job `{ $job }` writes to { $name }: { $what }
lint-unread-writes = it cannot be read to its end, and would write to { $name }: { $what }
lint-job-discards = job `{ $job }` discards { $name }: { $what }
lint-output-goes-to = its output goes to { $name }: { $what }
lint-in-use = it is in use: { $uses }
lint-device-holds = the device holds { $holds }
lint-device-lost = all that is on the device would be lost
lint-not-ours = it is there, and secchi did not make it
lint-drive-unseen = a whole drive of Windows: whether it is in use cannot be checked here

# What rules saw in several commands.
lint-line = line { $line }
lint-left-running = it is left running while the next begins
lint-written-twice = { $name } is written on line { $first } and again on line { $again }
lint-does-the-same = { $later } does the same as { $earlier }
