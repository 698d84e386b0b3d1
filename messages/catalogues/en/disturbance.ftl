# Seconds in which others used the device or the CPU.
aside-statement = the seconds in which other processes used the device or the CPU are left out of all figures
aside-seen = { $aside } of { $measured } s are left out: { $seen }
aside-bytes = other processes moved up to { $percent } % as many bytes as the load
aside-operations = other processes performed up to { $percent } % as many operations as the load
aside-waited = the workers waited { $percent } % longer for a CPU
aside-stolen = the hypervisor gave { $percent } % of the CPU to other machines
