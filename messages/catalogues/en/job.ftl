# What is worth telling of what was typed for fio: a note, and where it stands.
job-note = note: { $what }
job-note-at = { $at }: { $what }
job-argument = argument { $n }
job-of-option = `{ $option }`: { $what }

# Characters that word processors and web pages make.
job-space-taken = a typographic space is taken for a plain one
job-dash-argument = `{ $word }` has a typographic dash; taken for `--`
job-dash-arguments = `{ $word }` has a typographic dash, and so have { $n } more arguments; taken for `--`
job-dash-option = `{ $name }` has a typographic dash
job-dash-taken = `{ $option }`: a typographic dash is taken for a plain one
job-dashes-in-file = `{ $name }`: options in job files have no dashes
job-quotes-taken = `{ $option }`: typographic quotes are taken for plain ones
job-quotes-of-name = typographic quotes around the name are taken off

# Options that have no effect, and why.
job-no-effect = `{ $option }` has no effect: { $why }
job-missing = there is no { $option }
job-no-mix = rw is no mix of reads and writes
job-not-random = rw is not random
job-no-number = rw has no number after it
job-no-rate = no rate is limited
job-no-rate-with-thinktime = there is no rate with thinktime
job-no-least-rate = no minimum rate is asked
job-no-log = no log is written
job-no-log-of-operations = no log of single operations is written
job-log-is-narrow = log_narrow leaves it out
job-files-are-named = filename names the files
job-not-strided = zonemode is not strided
job-sizes-elsewhere = bsrange or bssplit gives the sizes
job-sizes-of-bssplit = bssplit gives the sizes
job-nothing-written = nothing is written
job-zeros-written = zero_buffers writes zeros
job-engine-waits = the engine waits for each operation
job-mapped = a mapped file goes through the page cache
job-polling-direct = polling needs direct=1
job-engines-having-it = engines that have it: { $engines }
job-name-of-defaults = `name` has no effect among defaults: every job has its own
job-depth-low = iodepth_low={ $low } is above iodepth={ $depth }, and has no effect
job-number-of-sequential = `sequential` finishes each file, so the number after it has no effect

# Understood, but perhaps not as meant.
job-given-again = is given more than once in this section; the last one counts
job-size-binary = `{ $size }` is binary here; fio takes it as decimal (--fio-compat)
job-depth-one = iodepth={ $depth } with ioengine={ $engine }, which waits for each operation: the depth is 1
job-map-left-out = a distribution with hot places comes to some more than once: norandommap is implied
job-log-too-fine = { $option }: { $time } is taken as { $least }; log_avg_msec=0 logs every operation
job-clones-overwrite = the clones write to one file and may overwrite each other's blocks: verification may fail
job-never-verified = writing takes the whole runtime, so that verification never begins; drop time_based
job-shares-missing = the shares sum to { $given }; the last size takes the missing { $left } %
job-other-system = `{ $engine }` belongs to another system; the native asynchronous engine is used here
job-own-thread-sends = the job's own thread sends operations; latency counts from the time each was due, which is what offloading is for
job-list-of-files = `{ $given }` is a list of { $n } files; write `\:` for a colon in a name
job-files-in-turn = files are made one after another all the same, so that they do not interleave

# Options that are accepted, and what is done instead.
job-noted-chunked = recordings are read whole, before the job begins
job-noted-buffers = buffers are pages of their own, aligned to the page and locked where the kernel allows it, whatever kind is asked
job-noted-no-map = the order of places needs no map here, so none can fail to fit
job-noted-permutation = places come from one permutation that visits every block once, or from one generator with norandommap
job-noted-given-up = fio itself has given it up, and it has no effect there either
job-noted-four-a-second = it changes four times a second
job-noted-one-line = the live line stays one; --status-interval prints a report every so often
job-noted-memory = memory is taken as needed
job-noted-cpu-use = CPU use of the run is measured always and stands in its record
job-noted-store = there are no state files; the run is kept in the store
job-noted-ring = completions are read without a system call whenever the ring allows it
job-noted-no-vector = operations have no vector: it saves a copy, and the device sees the same
job-noted-mapping = page size of the mapping is the kernel's choice
job-noted-not-printed = requests are not printed; what a server refuses is the error of the operation
job-noted-wrong-blocks = the first wrong blocks are told with place and fault; their contents are not saved
job-noted-own-thread = the job's own thread verifies; its sums take under a microsecond per 4 KiB
job-noted-own-cpus = the job's own thread verifies, on the job's own CPUs
job-noted-no-replay = blocks carry their own generation, so nothing is replayed
job-noted-no-state = what was written is known from the blocks themselves, which carry their generation; no state file is needed
job-noted-write-number = the number of its write is compared whenever the job itself wrote the block
job-noted-no-seed = headers carry no seed here; offset and generation are compared always
job-noted-threads = clones are threads always
job-noted-threads-numjobs = clones are threads always, and numjobs says how many
job-noted-errors = errors are counted by number and told at the end, not one by one
job-noted-unique = there are no network clients, so names are unique already
job-noted-open-files = all files of a job stay open while it runs; each takes one descriptor
job-noted-clock = the clock is the processor's counter where it is steady and CLOCK_MONOTONIC elsewhere, whatever is asked
job-noted-latency-cheap = latency is measured anyway: here it costs less than 1 % of an operation
job-noted-no-clock-cpu = no CPU is set aside: reading the clock costs some 20 ns here
job-noted-latency-free = latency is measured anyway: it costs nothing here
job-noted-bandwidth-free = bandwidth is sampled anyway: it costs nothing here
job-noted-logs = logs are written while the job runs, so there is no room to run out of

job-no-runtime = time_based needs a runtime; the job ends when its size is done
job-zones-strided = zonesize without zonemode: zonemode=strided, as older versions of fio took it
job-flow-older = flow of older versions: numbers of operations are as one over the weights
job-block-range = `{ $given }` is taken as { $low }, as fio takes it; a range is written bsrange
job-size-of-all = a size of 0 is all there is of the file or device
job-noted-no-trims = without trim_percentage nothing is discarded between, so it has no effect, as in fio
job-unlinked-once = the files are removed when the job is done, not after each loop
job-after-section = `{ $rest }` follows the section's name and is left out, as by fio
job-noted-debug = nothing is told of its working; a run's record holds what was done
job-null-verifies-nothing = the null engine transfers nothing, so nothing is compared, as in fio
job-noted-looked-at = every file is looked at before it is used
job-noted-one-piece = every operation has one buffer, which makes no difference here
job-noted-process-name = jobs are threads of one process; their names are in the report
job-noted-job-start = the output is that of fio 3.33, which does not have job_start
job-noted-scheduler = a job does not change the machine: the scheduler of the device stays; write to /sys/block/DEVICE/queue/scheduler yourself
job-engine-instead = `{ $engine }` is run as { $instead }
job-burns-cpu = `{ $job }` burns { $load } % of a CPU on purpose: that is no I/O, and other jobs have less of the CPU
job-runs-program = `{ $job }` runs the program `{ $program }`: what it takes of CPU and storage is in no figure of a job, and may slow the others
job-as-long-as-program = without a runtime `{ $job }` lasts as long as its program; fio would end the program at once, and never itself
job-runs-before = /bin/sh runs `{ $program }` before `{ $job }` begins
job-runs-after = /bin/sh runs `{ $program }` when `{ $job }` has ended
program-ended = the program of `{ $job }` ended with exit code { $code }
program-ended-by-signal = the program of `{ $job }` was ended by signal { $signal }
program-before-failed = `{ $job }` did not begin: exec_prerun `{ $program }` { $how }
program-after-failed = exec_postrun `{ $program }` of `{ $job }` { $how }
program-cannot-run = `{ $job }` cannot run `{ $program }`: { $why }
program-how-code = ended with exit code { $code }
program-how-signal = was ended by signal { $signal }
program-how-not-started = cannot be started: { $why }
program-how-with-run = was ended with the run
job-noted-mounted = files are written as always; a device that is in use is not written
job-name-again = section `{ $name }` is there already ({ $before }): both are run, on the same files where none are named
fio-directory-made = the directory { $directory } was made
fio-kept-nowhere = neither XDG_DATA_HOME nor HOME is set: this run is kept nowhere (--store DIR keeps it)
job-unset-variables = not set: { $names }; nothing stands in the place of such variables
job-atomic-is-direct = `atomic` is `direct` only: Linux does not know O_ATOMIC, and no write is atomic by it
job-number-cut = { $option }: `{ $given }` is taken as { $taken }, where fio stops reading
