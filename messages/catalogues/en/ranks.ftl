## A run on many hosts.

ranks-on-host = { $host }: { $what }
ranks-no-word = rank { $rank } said something else than what it was asked
ranks-versions = { $host } runs secchi { $theirs }, and rank 0 runs { $ours }: all ranks must be the same build
ranks-same-file = { $a } and { $b } would both write { $path }: put { $word } into its name
ranks-same-database = { $a } and { $b } would both drive the database in { $path }: the same mpirun with `secchi db setup` and a new directory makes one for each
ranks-plans-differ = the ranks would not do the same: their stages differ
ranks-silent = nothing is heard of { $host }
ranks-lost = { $host } is gone: nothing was heard of it for { $silence }; what was measured before is kept
ranks-apart = the hosts did not begin or end together: the figures of all are of the seconds in which all were measured
ranks-begun-apart = { $late } began { $by } after { $first }
ranks-ended-apart = { $early } ended { $by } before { $last }
ranks-together-for = all were measured for { $time }
ranks-apart-remedy = give every host as much time, and look at the network and the load of the one that was late
ranks-straggler = one host is behind the others: { $host }
ranks-stragglers = hosts are behind the others: { $host } and { $others } more
ranks-usual = { $label }: { $rate } IOPS are usual here, and { $lost } IOPS are missing
ranks-behind-by = { $host }: { $rate } IOPS, { $share } % of what is missing
ranks-more-behind = and { $n } more
ranks-straggler-remedy = run it on { $host } alone: storage, cap or network of that host is slower, or it shares them
ranks-clocks-coarse = clocks of hosts were compared over a slow network: times of different hosts differ by so much
ranks-clock-within = { $host }: within { $within }
ranks-limit-on = limit `{ $limit }` is for target `{ $on }`, and the targets are { $names }
doubt-host-gone = a host went away during the run: figures are of the time before
fio-trust-host-gone = a host went away; the figures hold what was measured before
partial-host-gone = the run was given up: a host went away, after { $time }
ranks-had = { $host } { $rate }
