## A run on many hosts.

ranks-on-host = { $host }: { $what }
ranks-no-word = rank { $rank } said something else than what it was asked
ranks-versions = { $host } runs secchi { $theirs }, and rank 0 runs { $ours }: all ranks must be the same build
ranks-same-file = { $a } and { $b } would both write { $path }: put { $word } into its name
ranks-plans-differ = the ranks would not do the same: their stages differ
ranks-silent = nothing is heard of { $host }
ranks-lost = { $host } is gone: nothing was heard of it for { $silence }; what was measured before is kept
