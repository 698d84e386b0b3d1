# Sheets of `secchi limits`: headings, heads of columns, and labels of at most eight columns.
limits-volumes = volumes
limits-instances = instances
limits-head-volume = volume
limits-head-size = size
limits-head-bandwidth = bandwidth
limits-head-published = published
limits-head-instance = instance
limits-head-iops-burst = IOPS (burst)
limits-head-bandwidth-burst = MB/s (burst)
limits-head-family = family
limits-head-types = types
limits-head-bursts = bursts
limits-head-caps = caps
limits-head-depth = depth
limits-head-mean = mean
limits-head-next = next
limits-head-headroom = headroom
limits-head-tightest = tightest
limits-label-caps = caps
limits-label-crosses = crosses
limits-label-counts = counts
limits-label-promise = promise
limits-label-price = price
limits-label-note = note
limits-label-source = source
limits-label-chosen = choose
limits-label-bytes = bytes
limits-label-bought = bought
limits-label-declared = declared
limits-label-above = above
limits-label-tie = tie
limits-label-depth = depth
limits-label-merging = merging
limits-label-burst = burst
limits-label-need = need
limits-label-none = none

# The catalogue, and one row of it.
limits-undated = undated
limits-from-size = from { $size }
limits-by-table = depends on the size
limits-more-rungs = { $name } and { $more } more volumes, up to { $last } (list them with { $command })
limits-families-note = list a family: `{ $family }`; show a type: `{ $one }`
limits-of-them = { $n ->
    [one] { $n } type
   *[other] { $n } types
}
limits-read-side = read { $figure }
limits-write-side = write { $figure }
limits-of-op = { $op }: { $caps }
limits-with-burst = { $cap } (burst { $burst })
limits-burst-lasts = { $rate } for { $lasts }
limits-burst-refilled = { $rate } for { $lasts }, { $again } to refill
limits-burst-every = { $rate } for { $lasts } every { $again }
limits-secondary-source = { $source } (a secondary source)
limits-own-row = { $source } (your own entry)
limits-published = published { $date }
limits-crosses-at = { $size }: the IOPS cap limits smaller random operations, and the bandwidth cap limits larger ones
limits-counted-whole = operations larger than { $unit } count as several
limits-counted-merged = smaller sequential operations are merged up to that size
limits-counted-padded = all other operations below { $unit } use as much bandwidth as one operation of { $unit }
limits-promised = at least { $share } % of the caps nearly all of the time
limits-price = { $amount } { $currency } a month in { $region }; published { $date }

# What a volume and an instance allow.
limits-may-do = expected rates for { $workload }
limits-crosses-below = below { $size } KiB, the IOPS cap binds; above { $size } KiB, the bandwidth cap binds
limits-by-size = { $sizes }: { $told }
limits-depth-needed = { $n } operations in flight just reach the cap; test with depths from { $from } to { $to }
limits-merged = up to { $rate } IOPS if adjacent requests are merged as far as the catalogue entries allow; only random I/O can test an IOPS cap
limits-burst-first = { $rate } IOPS with full credits
limits-burst-first-for = { $rate } IOPS for { $lasts } with full credits
limits-burst-then = then { $rate }
limits-burst-then-for = then { $rate } for { $lasts }
limits-burst-recovers = the credits are full again after { $time } without load
limits-burst-at = { $told } (depth { $depth })
limits-tie = { $names }: they allow the same rate within 3 %, so no measurement can show which one binds; raise one of them, or load a second volume at the same time
limits-no-promise = a cap is not a guarantee: the vendor promises at least { $share } % of the { $limit }'s cap

# What meets needs.
limits-solve-need = { $need }: { $rate } IOPS, { $bandwidth }
limits-solve-depth = with at most { $depth } operations in flight (Little's law: IOPS * mean latency)
limits-solve-together = all needs at the same time
limits-solve-apart = each need considered separately (--together adds up the needs)

# Files made from the output of vendors' tools.
limits-imported = { $n ->
    [one] { $n } type written to { $file }
   *[other] { $n } types written to { $file }
}
limits-import-without = { $n ->
    [one] { $n } type has no published cap and is left out: { $some }
   *[other] { $n } types have no published cap and are left out: { $some }
}

# Contracts.
limits-contracts = contracts
limits-head-contract = contract
limits-head-needs = needs
limits-contracts-note = use a name with --need, or copy it to a file of your own; `analysis/contracts/` in the sources has the vendor's words, source and date of each

# Volumes of an account.
limits-account = volumes of the account
limits-head-attached = attached to
limits-head-option = --volume
limits-account-note = measure a volume against its caps with secchi qualify PATH --volume ...; look for a cheaper one with secchi limits solve --current ...
limits-account-instances = instances of the account
limits-account-instances-note = measure with secchi qualify PATH --instance ...; look for volumes for one with secchi limits solve --instance ...
