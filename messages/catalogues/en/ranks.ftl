## A run on many hosts.

ranks-on-host = { $host }: { $what }
ranks-no-word = rank { $rank } sent an unexpected reply
ranks-versions = { $host } runs secchi { $theirs }, and rank 0 runs { $ours }: all ranks must run the same build
ranks-same-file = { $a } and { $b } would both write { $path }: put { $word } into the file name
ranks-same-database = { $a } and { $b } would both use the database in { $path }: run `secchi db setup` with the same mpirun command and a new directory to create a database for each rank
ranks-plans-differ = the ranks would not do the same work: their stages differ
ranks-silent = { $host } does not answer
ranks-lost = { $host } is gone: it sent nothing for { $silence }; earlier measurements are kept
ranks-joined = rank 0 of this multi-host run was lost
ranks-joined-of = combined from rank 0's journal and the parts stored by ranks { $ranks }
ranks-joined-without-lead = combined from the parts stored by ranks { $ranks } of { $all }; the parts of the other ranks, including rank 0, are missing
ranks-part-alone = these figures are from one of several hosts: the other hosts loaded the storage at the same time
ranks-part = part of run { $run } (rank { $rank } of { $ranks }); rank 0 was lost: use `secchi runs join` to combine the parts
ranks-apart = the hosts did not start or end together: combined figures cover only the seconds in which all hosts were measured
ranks-begun-apart = { $late } started { $by } after { $first }
ranks-ended-apart = { $early } ended { $by } before { $last }
ranks-together-for = all hosts were measured for { $time }
ranks-apart-remedy = run every host for the same time, and check the network and the load of the late host
ranks-straggler = one host is slower than the others: { $host }
ranks-stragglers = { $others ->
    [one] several hosts are slower than the others: { $host } and { $others } more host
   *[other] several hosts are slower than the others: { $host } and { $others } more hosts
}
ranks-usual = { $label }: a typical host of this run reaches { $rate } IOPS; { $lost } IOPS are missing
ranks-behind-by = { $host }: { $rate } IOPS; this host accounts for { $share } % of the missing IOPS
ranks-more-behind = { $n ->
    [one] and { $n } more host
   *[other] and { $n } more hosts
}
ranks-straggler-remedy = run the same load on { $host } alone to check whether its storage, cap or network is slower or shared
ranks-clocks-coarse = clocks were compared over a slow network: times on different hosts may not match exactly
ranks-clock-within = { $host }: the clock is known only to within { $within }
ranks-limit-on = limit `{ $limit }` is for target `{ $on }`, but the targets are { $names }
doubt-host-gone = a host was lost during the run: the figures cover only the time before the loss
fio-trust-host-gone = a host was lost; the figures cover only the time before the loss
partial-host-gone = the run was abandoned after { $time }: a host was lost
ranks-had = { $host } { $rate }
ranks-bound = ranks have fewer CPUs than threads because the launcher bound each rank to some of the CPUs: the CPU may limit the rate
ranks-bound-seen = { $host }: { $threads } threads on { $cpus } of { $all } CPUs
ranks-more-bound = { $n ->
    [one] and { $n } more rank
   *[other] and { $n } more ranks
}
ranks-bound-remedy = start secchi with mpirun { $mpirun } (srun { $srun }), or give each rank as many CPUs as it has threads
ranks-one-bound = the launcher bound this process to { $cpus } of { $all } CPUs: mpirun { $mpirun } (srun { $srun }) gives it all CPUs
ranks-all-hosts = all hosts
