SECCHIOS ; what differs from engine to engine: GT.M and YottaDB
 quit
us() ; microseconds; of the day and the year, so midnight does not matter. Set clocks show as a time of zero
 quit $zut
pause(ms) ; whole milliseconds
 hang ms/1000 quit
start(b,j) ; another process; returns its number
 job work^SECCHI(b,j):(output="/dev/null":error="secchi-job.log")
 quit $zjob
alive(p) quit $zgetjpi(p,"ISPROCALIVE")
version() quit $zversion
canoff() quit 0
stats(sec) quit ""
missing(kind,arg,pct) quit "" ; what a run lacks: nothing, reads need no directory
