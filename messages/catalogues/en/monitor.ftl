# What the storage is, before anything is measured.
mount-compresses = the file system compresses, so fewer bytes may reach the device
mount-no-flush = flushes are not passed to the device, so sync rates and latencies are too good
mount-data-journal = the file system writes data twice: to its journal, then in place
mount-sync = every write is made durable immediately
mount-dax = files are mapped directly from persistent memory, without block I/O
mount-option = { $place } is mounted with { $option }
direct-io-refused = direct I/O does not work here: the page cache is measured along with the storage
direct-io-refused-says = { $filesystem } reports that it does not support direct I/O on this file
direct-io-refused-remedy = name a directory on the storage that you want to measure
storage-remote = another machine or process serves these files and decides how to handle direct I/O and flushes
storage-unseen = the devices under this file system are not visible from here, so results are not checked against them
storage-unseen-remedy = run secchi where the devices are visible, such as outside a container; or name one with --device
storage-overlay-remedy = run secchi outside the container, where the devices are visible, or mount the storage into it (`-v /mnt/data:/data`): the container's own files are on an overlay
container = this is a container: limits of its parent control groups apply here but are not visible
container-seen = { $file } belongs to the container runtime
container-remedy = name known caps with --limit, --volume or --instance; for runtime flags that make more limits visible, see "Run in containers and Kubernetes" in the book
storage-mounted = { $filesystem } is mounted on { $place }
memory-files = { $filesystem } keeps its files in memory
memory-overlay = the overlay writes to { $place } on { $filesystem }, which is in memory
memory-zram = { $device } is compressed memory (zram)
memory-brd = { $device } is a RAM disk (brd)
memory-loop = { $device } is backed by memory: its file { $file } is on { $filesystem }
loop-buffered = { $device } accesses its file through the page cache, which may answer instead of the disk
loop-buffered-seen = loop/dio is 0 for { $file }
partition-misaligned = { $device } is not aligned to physical blocks, so small writes become read-modify-write cycles
partition-misaligned-seen = it begins at byte { $start }; the physical block size is { $physical } bytes
partition-misaligned-remedy = recreate the partition with its start at a multiple of 1 MiB
device-encrypts = { $device } encrypts data, which takes CPU and time for every operation
device-encrypts-seen = device-mapper UUID { $uuid }
unwritten-in-file = some reads of { $device } are answered without accessing the disk
unwritten-in-file-seen = { $missing } of { $all } in its backing file { $file } were never written
unwritten-perhaps = parts of { $device } may never have been written: thin storage answers such reads without accessing a disk
unwritten-perhaps-seen = { $zero } of { $looked } blocks sampled contain only zeros
unwritten-remedy = write the whole device first

# Clocks of the machine.
clock-suspended = the machine was suspended during the run
clock-suspended-seen = CLOCK_BOOTTIME advanced { $more } more than CLOCK_MONOTONIC
clock-suspended-remedy = keep the machine awake and run again
clock-stepped = the wall clock was stepped during the run; rates are not affected
clock-stepped-seen = wall clock and monotonic clock differ by { $seconds } s
clock-drifted = the time-stamp counter drifted: every rate and latency is off by the same percentage
clock-drifted-seen = the counter drifted by { $percent } % relative to CLOCK_MONOTONIC

# A trace of the block layer that cannot be had.
trace-missing = the I/O sizes at the device were not recorded
trace-not-mounted = no trace: tracefs is not mounted, and mounting it failed ({ $error }): this requires root (CAP_SYS_ADMIN); try `sudo secchi ...`, or run `sudo mount -t tracefs tracefs /sys/kernel/tracing` once
trace-in-container = no trace: a container has no tracefs; as root on the host, start the container with `-v /sys/kernel/tracing:/tracing`
trace-no-look = no trace: could not access { $path }: { $error }; this requires root (CAP_DAC_OVERRIDE for tracefs files); try `sudo secchi ...`
trace-no-instance = no trace: could not create an instance in { $path }: { $error }; this requires root (CAP_DAC_OVERRIDE for tracefs files); try `sudo secchi ...`
trace-no-read = no trace: could not read { $path }: { $error }; this requires root (CAP_DAC_OVERRIDE for tracefs files); try `sudo secchi ...`
trace-no-write = no trace: could not write { $path }: { $error }; this requires root (CAP_DAC_OVERRIDE for tracefs files); try `sudo secchi ...`
trace-no-event = no block trace: the kernel has no event block/{ $event } (CONFIG_EVENT_TRACING, CONFIG_BLOCK)
trace-no-calls = no trace of system calls: the kernel has no events for system calls (CONFIG_FTRACE_SYSCALLS); `--layer block` does not need these events
trace-other-numbers = no trace of system calls: process IDs here differ from the kernel's (a container with its own PID namespace); record on the host, or with `--pid=host`
trace-strange = no trace: { $file } has an unknown format; please report this with the file and the kernel version
trace-no-device = no block trace: there is no block device under the target
trace-no-thread = no trace: the tracing thread could not be started: { $error }
trace-endian = no trace: the ring buffer can be read only on little-endian machines

# Roles of a watch.
roles-share-device = { $roles } share a device: its figures include the I/O of all these roles
roles-share-device-seen = device { $device }
roles-share-device-remedy = to see the roles separately, put each role on its own device
both-of = { $first } and { $second }

# Journals that are damaged.
recovered-damaged = the journal of this run is damaged: its figures cover only what could be read
recovered-damaged-seen = { $bytes } of { $length } bytes cannot be used, { $places ->
    [one] in one place
   *[other] in { $places } places
}: { $first }; { $before } complete frames before the damage and { $after } frames after it were read
recovered-damaged-ended = { $evidence }; the run itself ended with: { $reason }
recovered-damaged-remedy = restore the run from a copy if there is one, or run it again; check the disk that holds the store
frame-torn = the frame at byte { $at } is truncated: { $there } of { $wanted } bytes are present
frame-length = the frame at byte { $at } has an impossible length of { $length }
frame-checksum = the frame at byte { $at } has a wrong checksum
frame-no-event = the frame at byte { $at } is not a valid event: { $why }
frame-order = the event at byte { $at } does not fit the events before it: { $why }
frame-unreadable = the file cannot be read at byte { $at }: { $why }

# Runs of the M scripts, brought from elsewhere.
imported = measured by the M scripts, possibly on another machine; the latencies of all processes are combined
imported-seen = { $engine } { $version }, batch { $batch }
imported-remedy = check the times: the time of day is assumed to be in this machine's time zone
processes-missing = results of some processes are missing
processes-missing-seen = { $failed } of { $all } processes did not finish
imported-now = { $kept ->
    [one] { $kept } run
   *[other] { $kept } runs
} from { $file } added to the history; runs already in the history: { $there }

# How a run ended, if not by itself.
end-signal = stopped by { $signal }
end-signal-number = stopped by signal { $n }
end-key = stopped by a key press
no-io-done = no I/O was done
no-io-measured = nothing was measured: the job ended within its ramp_time; use a shorter ramp_time or a longer job
end-watch-left = the watch was stopped while the command was still running
end-hung = { $pending } operations in { $label } never completed; the oldest was in flight for { $oldest }
end-hung-choice = { $pending } reads never completed when engine { $engine } was tried; the oldest was in flight for { $oldest }
end-hung-fill = { $pending } writes never completed during the fill
end-lost = the device was removed: { $error }
end-errors = I/O errors in { $workload }: { $errors }
end-errors-draining = { $n ->
    [one] { $n } operation failed
   *[other] { $n } operations failed
}
end-error-kind = { $op } errors ({ $n }): { $why }
end-error-end-of-file = unexpected end of the file or device
end-error-wrong-data = data read back differs from what was written
end-below-iops = { $job }: { $op } rate { $rate }, below the required minimum of { $least }
end-below-bandwidth = { $job }: { $op } rate { $rate }, below the required minimum of { $least }
end-fill-after-of = the fill stopped after { $written } of { $all }: { $why }
end-fill-write-failed = a write failed
end-fill-stopped = the fill was stopped
end-fill-not-durable = cannot make the fill durable: { $error }

# Notes on the way.
note-device-away = device { $device } disappeared
note-device-back = device { $device } is back
note-device-anew = the counters of device { $device } were reset: it may be another device with the same name
note-device-begins = device { $device } started doing I/O
note-group-gone = the control group { $group } is gone
group-no-device = there is no known block device whose I/O could be counted
group-no-device-target = no block device was found under the target
group-not-counted = the control groups here do not count block I/O
group-root-own = this process is in the root control group, whose counters include all processes
group-root = process { $pid } is in the root control group, whose counters include all processes
group-hidden-own = the control group of this process is not visible; the nearest visible one is { $nearest }
group-hidden = the control group of the watched process is not visible; the nearest visible one is { $nearest }
group-hidden-process = the control group of process { $pid } is not visible from here
group-shared = the control group of this process ({ $dir }) is shared by all processes, and no group may be created in it
group-strangers = { $others } other processes are in the control group of this process ({ $dir })
group-not-made = cannot create the control group { $dir }: { $error }
group-not-entered = cannot enter the control group { $dir }: { $error }
counts-server-group = the server is not in a control group created by secchi
counts-server-other = the server was not started by secchi
counts-server-busy = the server belongs to another run
counts-no-accounts = the processes' I/O counters cannot be read
counts-server-devices = I/O on the server's devices cannot be counted: { $why }
note-process-ended = process { $pid } ended
note-process-hidden = process { $pid }: this user may not read its I/O counters; only CPU figures are recorded
note-process-crowded = process { $pid } has too many threads to read each second: its context switches are left out
note-suspended = the machine was suspended for { $time }: this interval has no figures
note-file-system-full = { $job }: ended because its file system is full except for the reserve (5 %, at least 1 GiB)
note-inserts-ended = inserts ended: { $why }
note-device-full = { $job }: ended because the device is full, as requested
note-depth-found = { $job }: depth { $depth } meets the latency target (found after { $search }); the figures are from the cycle after the search
note-sidecar = the sidecar file could not be saved ({ $error }): a later run will fill the target again
note-journal-long = the journal reached { $was }: older samples are now kept at longer intervals
note-no-figures = no { $sampler } figures: { $why }
note-not-watched = not watched: { $devices }; --all or --device includes them
note-process = process { $pid } is `{ $program }`
note-no-group = no control group figures: { $why }
alarm-raised = alarm: { $alarm }
alarm-over = alarm ended after { $time }: { $alarm }

# Why a sampler has no figures.
sampler-no-temperature = no drive reports its temperature
sampler-ebs-not-told = EBS volume { $device } does not report its counters: { $error }
sampler-no-pressure = this kernel provides no pressure stall information (psi=1 on its command line may enable it)
sampler-no-process = no process was specified
sampler-of-linux = only available on Linux
sampler-not-made = secchi has no sampler for this operating system
sampler-no-device = no block device with counters was found under the target
sampler-no-file-system = no file system was found under the target
sampler-unreadable = { $file } cannot be read
