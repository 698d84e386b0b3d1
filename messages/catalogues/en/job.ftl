# Notes on fio arguments and job files, with their location.
job-note = note: { $what }
job-note-at = { $at }: { $what }
job-argument = argument { $n }
job-of-option = `{ $option }`: { $what }

# Characters produced by word processors and web pages.
job-space-taken = a typographic space is read as a plain one
job-dash-argument = `{ $word }` has a typographic dash; read as `--`
job-dash-arguments = `{ $word }` and { $n } more arguments have a typographic dash; read as `--`
job-dash-option = `{ $name }` has a typographic dash
job-dash-taken = `{ $option }`: a typographic dash is read as a plain one
job-dashes-in-file = `{ $name }`: options in job files have no dashes
job-quotes-taken = `{ $option }`: typographic quotes are read as plain ones
job-quotes-of-name = typographic quotes around the name are removed

# Options that have no effect, and why.
job-no-effect = `{ $option }` has no effect: { $why }
job-missing = { $option } is not set
job-no-mix = rw is not a mix of reads and writes
job-not-random = rw is not random
job-no-number = rw has no number after it, as in rw=randread:8
job-no-rate = no rate limit is set
job-no-rate-with-thinktime = rate and thinktime are not both set
job-no-least-rate = no minimum rate is set
job-no-log = no log is written
job-no-log-of-operations = no log of individual operations is written
job-log-is-narrow = log_narrow omits it from the logs
job-files-are-named = filename names the files
job-not-strided = zonemode is not strided
job-sizes-elsewhere = bsrange or bssplit sets the sizes
job-sizes-of-bssplit = bssplit sets the sizes
job-nothing-written = nothing is written
job-zeros-written = zero_buffers writes zeros
job-engine-waits = the engine waits for each operation
job-mapped = a mapped file goes through the page cache
job-polling-direct = polling needs direct=1
job-engines-having-it = it is supported only by { $engines }
job-name-of-defaults = `name` has no effect in a global section: every job has its own name
job-depth-low = iodepth_low={ $low } is above iodepth={ $depth }, and has no effect
job-number-of-sequential = `sequential` finishes each file, so the number after it has no effect

# Accepted, but possibly not what was meant.
job-given-again = given more than once in this section; the last value counts
job-size-binary = `{ $size }` is binary here; fio reads it as decimal (--fio-compat)
job-depth-one = iodepth={ $depth } with ioengine={ $engine }, which waits for each operation: the depth is 1
job-map-left-out = a distribution with hot spots visits some blocks more than once: norandommap is implied
job-log-too-fine = { $option }: { $time } is read as { $least }; log_avg_msec=0 logs every operation
job-clones-overwrite = the clones write to one file and may overwrite each other's blocks: verification may fail
job-never-verified = writing takes the whole runtime, so verification never begins; drop time_based
job-shares-missing = the percentages sum to { $given }; the last size gets the missing { $left } %
job-other-system = `{ $engine }` belongs to another operating system; the native asynchronous engine is used here
job-own-thread-sends = the job's own thread submits operations; latency is measured from the time when each operation was due, which is the purpose of offloading
job-list-of-files = `{ $given }` is a list of { $n } files; write `\:` for a colon in a name
job-files-in-turn = files are still created one at a time, so that they do not interleave

# Options that are accepted, and what is done instead.
job-noted-chunked = recordings are read completely before the job begins
job-noted-buffers = buffers are separate pages, page-aligned and locked if the kernel allows it, regardless of the requested kind
job-noted-no-map = the random order of offsets needs no map here, so the map cannot be too large
job-noted-permutation = offsets come from one permutation that visits every block once or, with norandommap, from one generator
job-noted-given-up = deprecated in fio, where it has no effect either
job-noted-four-a-second = the live line is updated four times a second
job-noted-one-line = the live line stays a single line; --status-interval prints a report at intervals
job-noted-memory = memory is allocated as needed
job-noted-cpu-use = CPU use of the run is always measured and stored in its record
job-noted-store = there are no state files; the run is stored in the run store
job-noted-ring = completions are read without a system call if the ring allows it
job-noted-no-vector = operations use single buffers instead of vectors: this saves a copy, and the device receives the same requests
job-noted-mapping = the kernel chooses the page size of the mapping
job-noted-not-printed = requests are not printed; if a server rejects one, the operation fails with that error
job-noted-wrong-blocks = the first wrong blocks are reported with their offset and kind of error; their contents are not saved
job-noted-own-thread = the job's own thread verifies; its checksums take less than a microsecond per 4 KiB
job-noted-own-cpus = the job's own thread verifies, on the job's own CPUs
job-noted-no-replay = blocks carry their own generation, so nothing needs to be replayed
job-noted-no-state = the blocks themselves carry their generation and show what was written; no state file is needed
job-noted-write-number = the write's sequence number is always compared if the job itself wrote the block
job-noted-no-seed = headers have no seed here; offset and generation are always compared
job-noted-threads = clones are always threads
job-noted-threads-numjobs = clones are always threads, and numjobs sets how many
job-noted-errors = errors are counted per error number (errno) and reported at the end, not one by one
job-noted-unique = there are no network clients, so file names are unique already
job-noted-open-files = all files of a job stay open while it runs; each file needs one descriptor
job-noted-clock = the clock is the processor's counter if it is steady and CLOCK_MONOTONIC otherwise, regardless of this option
job-noted-latency-cheap = latency is measured anyway: here this takes less than 1 % of an operation's time
job-noted-no-clock-cpu = no CPU is set aside: reading the clock costs about 20 ns here
job-noted-latency-free = latency is measured anyway: it costs nothing here
job-noted-bandwidth-free = bandwidth is sampled anyway: it costs nothing here
job-noted-logs = logs are written while the job runs, so they need no buffer that could fill up

job-no-runtime = time_based needs a runtime; the job ends when it has processed its size
job-zones-strided = zonesize without zonemode implies zonemode=strided, as in older versions of fio
job-flow-older = flow works as in older versions of fio: the numbers of operations are inversely proportional to the weights
job-block-range = `{ $given }` is read as { $low }, as in fio; use bsrange for a range
job-size-of-all = a size of 0 means the whole file or device
job-noted-no-trims = without trim_percentage nothing is discarded, so this option has no effect, as in fio
job-unlinked-once = the files are removed when the job is done, not after each loop
job-after-section = `{ $rest }` after the section's name is ignored, as in fio
job-noted-debug = no debug output is printed; the run's record shows what was done
job-null-verifies-nothing = the null engine transfers nothing, so nothing is compared, as in fio
job-noted-looked-at = every file is checked before use
job-noted-one-piece = every operation has one buffer, so this option makes no difference here
job-noted-process-name = jobs are threads of one process; their names are in the report
job-noted-job-start = the output follows fio 3.33, which does not have job_start
job-noted-scheduler = a job does not change the machine: the device keeps its scheduler; write to /sys/block/DEVICE/queue/scheduler yourself
job-engine-instead = `{ $engine }` is run as { $instead }
job-burns-cpu = `{ $job }` deliberately burns { $load } % of a CPU: it does no I/O and leaves less CPU time for other jobs
job-runs-program = `{ $job }` runs the program `{ $program }`: the program's CPU and I/O use is not included in the figures of any job, and may slow other jobs
job-as-long-as-program = without a runtime `{ $job }` lasts as long as its program; fio would end the program immediately, but would never end the job
job-runs-before = /bin/sh runs `{ $program }` before `{ $job }` begins
job-runs-after = /bin/sh runs `{ $program }` after `{ $job }` has ended
program-ended = the program of `{ $job }` exited with code { $code }
program-ended-by-signal = the program of `{ $job }` was killed by signal { $signal }
program-before-failed = `{ $job }` did not begin: exec_prerun `{ $program }` { $how }
program-after-failed = exec_postrun `{ $program }` of `{ $job }` { $how }
program-cannot-run = `{ $job }` cannot run `{ $program }`: { $why }
program-how-code = exited with code { $code }
program-how-signal = was killed by signal { $signal }
program-how-not-started = cannot be started: { $why }
program-how-with-run = was stopped together with the run
job-noted-mounted = files may always be written; secchi never writes to a device that is in use
job-name-again = section `{ $name }` already exists ({ $before }): both sections are run, on the same files if neither names any
fio-directory-made = the directory { $directory } was created
fio-kept-nowhere = neither XDG_DATA_HOME nor HOME is set: this run is not stored (--store DIR stores it)
job-unset-variables = these variables are not set and are replaced with an empty string: { $names }
job-atomic-is-direct = `atomic` only sets `direct`: Linux does not support O_ATOMIC, so writes are not atomic
job-number-cut = { $option }: `{ $given }` is read as { $taken }, because fio stops reading there
