# Stores of another build.
store-record-version = the run has record version { $version }, but this secchi reads version { $read }: to keep the run, export it with the secchi version that wrote it (secchi runs export)
store-journal-format = the journal has format { $version }, but this secchi reads format { $read }: to keep the run, export it with the secchi version that wrote it (secchi runs export)
store-team-version = the run store { $store } has version { $version }, but this secchi reads version { $read }: to keep its runs, export them with the secchi version that wrote them (secchi runs export), then use another database
