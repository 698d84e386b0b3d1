# Remarks of commands.
remark-run-lost = this run is not stored completely: { $why }
remark-run-not-kept = this run is not stored: { $why }
remark-load-lingers = the load process does not exit; giving up on it (measurements so far are kept)
remark-load-silent = the load process has not answered for { $time }; giving up on it (measurements so far are kept)
remark-load-no-memory = the load process ran out of memory: the address space is limited to { $limit } (ulimit -v); measurements so far are kept
remark-load-file-limit = the load process was killed by the file size limit (ulimit -f: { $limit }); raise the limit, or use a smaller --size; measurements so far are kept
remark-load-killed-bus = the load process was killed by SIGBUS ({ $signal }): the mapped file shrank or its device failed; measurements so far are kept (secchi runs)
remark-load-killed = the load process was killed by signal { $signal }; measurements so far are kept (secchi runs)
remark-file-removed = the run's test file was removed: { $path }
remark-files-remain = the run's files remain: { $path }
remark-files-may-remain = the run's files may remain: { $path }

# Stored runs.
remark-runs-exported = { $n ->
    [one] { $file } written: { $n } run, { $journals } of journals, compressed to { $size }
   *[other] { $file } written: { $n } runs, { $journals } of journals, compressed to { $size }
}
remark-runs-new = { $new } of { $all } runs were imported
remark-runs-known = the other runs are already stored here, byte for byte identical, and keep their labels
remark-runs-damaged = the journals of these runs were already damaged in the exported store: { $runs }
remark-team-ready = { $name } is ready for runs
remark-team-none-waits = no run is waiting to be pushed to { $name }
remark-team-put = { $n ->
    [one] { $n } run pushed to { $name }
   *[other] { $n } runs pushed to { $name }
}
remark-team-running = { $n ->
    [one] { $n } run still running
   *[other] { $n } runs still running
}
remark-team-waits = run { $id } is waiting: { $why }
remark-runs-none-listed = no run matches: the filter excludes all runs, or --max-count is 0
remark-runs-part-shown = { $shown } of { $all } runs are shown
remark-runs-labels = { $run }: { $labels }
remark-runs-no-tags = no tags
remark-runs-tags = tags { $tags }
remark-runs-joined = { $ranks } ranks were joined into run { $id }
remark-run-removed = removed run { $id }
remark-report-written = { $file } written, { $size }
remark-runs-stopped-after = stopped after { $done } of { $all } runs
remark-ab-more-rounds = --rounds { $n } would probably decide the comparison
remark-ab-without-keep = { $option }: without --keep every run creates and fills its test file again

# Files to judge.
remark-skipped = skipped: { $why }
remark-skipped-empty = skipped: { $n } empty files under { $directory }
remark-skipped-own = skipped: { $path } is a secchi run
remark-source-is-file = `{ $source }` is read as the file of that name, not as a run
remark-zone-unused = --time-zone has no effect: all times in the files already have a time zone
remark-ping-short = { $whose }request { $number } returned fewer bytes than requested: { $bytes }

# Databases.
remark-database-not-filled = the database exists but is not filled; `secchi db purge { $directory }` removes it
remark-database-has-globals = the database already has { $globals } globals
remark-scripts-written = wrote the scripts for { $engine } to { $directory }: start with README.txt
remark-sizes-later = { $why }; the next command will correct the recorded sizes
remark-stopped-by-command = stopped by `secchi db stop`
remark-inserts-until = insert limit: { $until }; the files now take { $now } and may grow by at most { $room }
remark-inserts-count = { $n } inserts per process
remark-inserts-size = a total file size of { $size }
remark-inserts-either = { $time } or a total file size of { $size }
remark-inserts-counted = an insert run was killed; secchi counted the nodes and corrected the recorded sizes: { $globals }
remark-inserts-counted-global = global { $number } has { $total } nodes ({ $before } before)
remark-engine-silent = { $engine } is still starting, writing back or stopping, and nothing has been read or written for { $seconds } s: an I/O may be stuck
remark-ramp-globals = the ramp ends at { $n } processes because each process updates its own global
remark-past-none = there are no runs yet
remark-past-removed = { $n ->
    [one] { $n } run of database { $name } removed
   *[other] { $n } runs of database { $name } removed
}
remark-past-left-out = { $n } batches are left out: { $format } has tables only for { $classes }
remark-past-written = { $n ->
    [one] { $n } batch written to { $file }
   *[other] { $n } batches written to { $file }
}
remark-no-run-here = no run is using this database
remark-run-asked-to-stop = a stop request was sent to run { $id }
remark-database-removed = removed the database { $name } ({ $directory })
remark-database-adopted = { $directory } is a separate database now ({ $uuid }); the runs of the original stay with the original
remark-database-adopted-check = `secchi db check { $directory }` verifies that the copy is complete
remark-layout-kept = the database with the other layout is kept: { $directory }
remark-layout-not-removed = { $why }; `secchi db purge { $directory }` removes the database with the other layout

# Where runs are stored, and progress.
remark-store-away = { $why }; the run is stored on this machine until `secchi runs push` or the next run copies it to the team's store
remark-store-fallback = { $why }; this run is stored in { $directory } instead
remark-coarsened = the run is long ({ $time }): its figures are now stored in intervals of { $length }, including those from the beginning; counts, totals and histograms stay exact
remark-delete-run = delete run { $run }? This cannot be undone. [y/N]
remark-delete-runs = delete { $n } runs ({ $first } ...)? This cannot be undone. [y/N]
remark-step = { $label }, { $n } in flight
remark-step-held = { $label }, { $n } in flight, held
