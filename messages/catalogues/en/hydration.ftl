## Is a volume still being loaded from its snapshot: `secchi hydration`
hydration-loaded = loaded: at most { $high } % of the volume is not loaded yet ({ $blocks } random blocks, 95 % confidence)
hydration-loading = still loading: { $value } % of the volume is not loaded yet (95 % interval { $low } to { $high } %)
hydration-unclear = cannot be decided: { $low } to { $high } % of the volume is not loaded yet; use more --samples
hydration-warmed = all { $size } have been read
hydration-warmed-part = { $until } of { $size } have been read; the same command continues there
hydration-rate = reading all of it takes { $time } at { $rate }
hydration-doubt-halves = the two halves of the sample contradict each other: the storage changed during the run
hydration-seen-halves = not loaded: { $first } % in the first half, { $second } % in the second half
hydration-remedy-halves = repeat without other load on the volume and within its limits
hydration-title = Reads
hydration-slow-over = slow: longer than { $time }
hydration-head-reads = reads
hydration-head-block = block
hydration-head-depth = in flight
hydration-head-ops = count
hydration-head-slow = slow
hydration-continues = continues at { $from } of { $size }, where the last run ended
