SECCHIOS ; functions that differ between engines: GT.M and YottaDB
 quit
us() ; returns the time in microseconds. It includes the date, so midnight does not matter. If the clock is set back, times are 0
 quit $zut
pause(ms) ; waits for a whole number of milliseconds
 hang ms/1000 quit
start(b,j) ; starts a process and returns its ID
 job work^SECCHI(b,j):(output="/dev/null":error="secchi-job.log")
 quit $zjob
alive(p) quit $zgetjpi(p,"ISPROCALIVE")
version() quit $zversion
canoff() quit 0
stats(sec) quit ""
missing(kind,arg,pct) quit "" ; returns the reason why a run cannot start: there is none, because reads need no directory
