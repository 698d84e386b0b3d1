{{HEAD}}
 ; Database tests in the database's own language, modelled on PerfTools. This routine is common to all engines. {{NOTE}}
 ; Results are printed in lines that begin with "secchi-m 1". `secchi db history --import FILE` reads them.
 ;   do create^SECCHI(globals,subscripts)              CreateGlobals: creates globals 1..N (replacing existing ones) and fills them in parallel
 ;   do add^SECCHI(total,subscripts)                   AddGlobals: adds globals up to this total; their default size is the size of global 1
 ;   do count^SECCHI  do sizes^SECCHI                  CountSubscripts: visits each subscript; GetSizes: prints the recorded sizes
 ;   do ranread^SECCHI(processes,seconds,directory)    {{RANREAD}}
 ;   do ranwrite^SECCHI(processes,seconds,txn,hangms,value,lazy,nojrn)
 ;   do ranio^SECCHI(processes,seconds,txn,hangms,readpct,value,lazy,directory,nojrn)
 ;                                                     {{NOJRN}}
 ;   do seqwrite^SECCHI(processes,subscripts,value)    do seqread^SECCHI(processes)
 ;   do update^SECCHI(processes,number,low,spread)     random updates of low..low+spread bytes, without transactions
 ;   do stop^SECCHI                                    stops the current run; each process ends after its batch
 ;   do drop^SECCHI                                    removes the globals and the data kept from runs
 quit
create(total,n) ;
 new t set t=+$get(^RanWriteGlobalCount) set ^RanWriteGlobalCount=0
 do run("create",total,0,$get(n,1000000),0,0,0,0,45,1)
 set ^RanWriteGlobalCount=total do drops(total+1,t)
 quit
add(total,n) ;
 new t set t=+$get(^RanWriteGlobalCount)
 if t'<total write "There are already ",t,! quit
 do run("create",total-t,0,$get(n,$$size(1)),0,0,0,0,45,t+1)
 set ^RanWriteGlobalCount=total
 quit
drops(from,to) ; removes globals
 new g,name for g=from:1:to set name=$$name(g) kill @name
 quit
name(g) ; returns the name of global g, with its database if necessary
 quit {{NAME}}
size(g) ; returns the recorded number of subscripts of global g
 new name set name=$$name(g) quit $get(@name@("Size"))
drop ;
 do drops(1,+$get(^RanWriteGlobalCount)) kill ^RanWriteGlobalCount,^SECCHI
 quit
count ;
 new g,name,k,c,sum set sum=0
 for g=1:1:+$get(^RanWriteGlobalCount) do
 . set name=$$name(g),k="",c=0
 . for  set k=$order(@name@(k)) quit:k=""  set c=c+1
 . set c=c-$data(@name@("Size")),sum=sum+c
 . write "secchi-m 1 count global=",g," subscripts=",c,!
 write "secchi-m 1 count global=all subscripts=",sum,!
 quit
sizes ;
 new g,name
 for g=1:1:+$get(^RanWriteGlobalCount) set name=$$name(g) write "secchi-m 1 size global=",g," subscripts=",$get(@name@("Size"),"NA"),!
 quit
ranread(np,rt,dir) do run("ranread",$get(np,1),$get(rt,300),$get(dir),50,0,100,0,0,1) quit
ranwrite(np,rt,l,hang,len,lazy,nojrn) do run("ranwrite",$get(np,1),$get(rt,300),"",$get(l,50),$get(hang,2),0,$get(lazy,0),$get(len,45),1,$get(nojrn,0)) quit
ranio(np,rt,l,hang,pct,len,lazy,dir,nojrn) do run("ranio",$get(np,1),$get(rt,300),$get(dir),$get(l,50),$get(hang,2),$get(pct,50),$get(lazy,0),$get(len,45),1,$get(nojrn,0)) quit
seqwrite(np,n,len) do run("seqwrite",$get(np,1),0,$get(n,1000000),0,0,0,0,$get(len,256),1) quit
seqread(np) do run("seqread",$get(np,1),0,"",0,0,100,0,0,1) quit
update(np,n,low,spread) do run("update",$get(np,1),0,$get(n,100000),0,$get(spread,0),0,0,$get(low,256),1) quit
stop set ^SECCHI("run")=0 quit
run(kind,np,rt,arg,l,hang,pct,lazy,len,first,nojrn) ; runs one process per global, all starting at the same time, and prints the results
 new b,j,p,t,bad,stats set bad=0,nojrn=+$get(nojrn)
 if nojrn,'$$canoff^SECCHIOS write "A process cannot switch the journal off here: do it for the database, before the run",! quit
 if kind'="create",np>+$get(^RanWriteGlobalCount) write "There are only ",+$get(^RanWriteGlobalCount)," globals for ",np," processes",! quit
 if $$missing^SECCHIOS(kind,arg,pct)'="" write $$missing^SECCHIOS(kind,arg,pct),! quit
 set b=$increment(^SECCHI("batch")),^SECCHI("run")=0
 set ^SECCHI("rule",b)=kind_"|"_rt_"|"_l_"|"_hang_"|"_pct_"|"_lazy_"|"_len_"|"_nojrn
 set ^SECCHI("arg",b)=arg
 for j=1:1:np set p(j)=$$start^SECCHIOS(b,first+j-1)
 ; Barrier: no process starts its clock until all processes are ready.
 for  quit:$$ready(b,first,.p)  do pause^SECCHIOS(10)
 set stats=$$stats^SECCHIOS(rt)
 set t=$$us^SECCHIOS,^SECCHI("run")=b
 for  quit:$$done(b)'<np!'$$alive(.p)  do pause^SECCHIOS(5)
 set t=$$us^SECCHIOS-t
 for j=1:1:np if '$data(^SECCHI("did",b,first+j-1)) set bad=bad+1 write "Process ",first+j-1," failed: ",$get(^SECCHI("error",b,first+j-1),"it ended without an error"),!
 do tell(b,kind,np,rt,l,hang,pct,lazy,len,t,bad,nojrn,stats)
 quit
ready(b,first,p) ; returns true if every process is ready or has ended, so that a failed process delays no other
 new j,w set w=0,j="" for  set j=$order(p(j)) quit:j=""  if '$data(^SECCHI("ready",b,first+j-1)),$$alive^SECCHIOS(p(j)) set w=w+1
 quit 'w
done(b) ; returns the number of processes that have finished
 new j,c set c=0,j="" for  set j=$order(^SECCHI("did",b,j)) quit:j=""  set c=c+1
 quit c
alive(p) ; returns the number of running processes
 new j,c set c=0,j="" for  set j=$order(p(j)) quit:j=""  set c=c+$$alive^SECCHIOS(p(j))
 quit c
work(b,j) ; body of a process, which writes only to global j
 new rule,kind,rt,l,hang,pct,lazy,len,nojrn,arg,name,n,ng,max,h,seq,reads,writes,hung,begun,end,u,t,i,k,g,x,batch,job{{LOCALS}}
 set rule=^SECCHI("rule",b),arg=^SECCHI("arg",b),job=j,name=$$name(j)
 set kind=$piece(rule,"|",1),rt=$piece(rule,"|",2),l=$piece(rule,"|",3),hang=$piece(rule,"|",4),pct=$piece(rule,"|",5),lazy=$piece(rule,"|",6),len=$piece(rule,"|",7),nojrn=+$piece(rule,"|",8)
 set n=+$get(@name@("Size")),ng=+$get(^RanWriteGlobalCount),(seq,reads,writes,hung)=0
 set {{TRAP}}={{ONERROR}}
 {{PREPARE}}
 set ^SECCHI("ready",b,j)=1
 for  quit:$get(^SECCHI("run"))=b  do pause^SECCHIOS(5)
 set begun=$$us^SECCHIOS,end=begun+(rt*1000000)
 if kind="create" do make
 if kind="seqwrite" do fill
 if kind="seqread" do scan
 if kind="update" do change
 if kind="ranread"!(kind="ranwrite")!(kind="ranio") do mix
 set end=$$us^SECCHIOS
 merge ^SECCHI("times",b,j)=h
 set ^SECCHI("did",b,j)=reads_"|"_writes_"|"_(end-begun)_"|"_hung
 quit
trap ; stores the error of a process and ends the process
 set {{TRAP}}="",^SECCHI("error",b,job)={{ERROR}} halt
make ; creates global j with arg subscripts, replacing an existing one
 kill @name
 set @name="Created by job "_job
 for seq=1:1:arg set @name@(seq)=$$value("Created",len)
 set @name@("Size")=arg,writes=arg
 quit
fill ; sets arg subscripts in order
 for seq=1:1:arg set x=$$value("Set",len),u=$$us^SECCHIOS,@name@(seq)=x do rec("update",$$us^SECCHIOS-u) quit:^SECCHI("run")'=b
 set writes=seq set:seq>n @name@("Size")=seq
 quit
scan ; reads all subscripts in order
 set k="" for  set u=$$us^SECCHIOS,k=$order(@name@(k)) quit:k=""!(k="Size")  set x=@name@(k) do rec("read",$$us^SECCHIOS-u) set reads=reads+1 quit:^SECCHI("run")'=b
 quit
change ; performs arg updates of random subscripts, with values of len..len+hang bytes
 for seq=1:1:arg set x=$$value("Updated",len+$select(hang:$random(hang+1),1:0)),k=$random(n)+1,u=$$us^SECCHIOS,@name@(k)=x do rec("update",$$us^SECCHIOS-u) quit:^SECCHI("run")'=b
 set writes=seq
 quit
mix ; runs batches until the time is over; latencies do not include the pauses
 for  quit:^SECCHI("run")'=b  quit:$$us^SECCHIOS'<end  do
 . if $random(100)+1'>pct do reads if 1
 . else  do batch
 . if hang set u=$$us^SECCHIOS do pause^SECCHIOS(hang) set hung=hung+$$us^SECCHIOS-u
 quit
reads ; performs l reads
 {{READ}}
 set reads=reads+l
 quit
batch ; performs one transaction of l updates. It may be restarted. Values and subscripts are chosen before the clock starts
 new v,w,d,c for i=1:1:l set seq=seq+1,v(i)=$$value("Updated",len),w(i)=$random(n)+1
 set t=$$us^SECCHIOS
 {{TSTART}}
 set u=$$us^SECCHIOS for i=1:1:l set @name@(w(i))=v(i),x=$$us^SECCHIOS,d(i)=x-u,u=x
 tcommit:'nojrn
 set c=$$us^SECCHIOS
 for i=1:1:l do rec("update",d(i))
 if 'nojrn do rec("commit",c-u)
 do rec("transaction",c-t) set writes=writes+l
 quit
value(verb,length) ; returns a text that is unique to the operation, because engines skip writes of unchanged values
 new v set v=verb_" by job "_job_" number "_seq_" of "_begun
 if $length(v)<length set v=v_$translate($justify("",length-$length(v))," ","x")
 quit $select(length>45:$extract(v,1,length),1:v)
rec(what,us) ; counts a time in its bucket, which is exact below 1000 microseconds and has three digits above
 new w set:us<0 us=0 set w=1 for  quit:us\w<1000  set w=w*10
 set us=us\w*w,h(what,us)=$get(h(what,us))+1
 quit
tell(b,kind,np,rt,l,hang,pct,lazy,len,t,bad,nojrn,stats) ; prints the results and removes temporary data
 new j,v,x,k,h,w
 write "secchi-m 1 run engine={{ENGINE}} version=",$translate($$version^SECCHIOS," ","_")," batch=",b," verb=",kind," processes=",np," seconds=",rt," txn=",l," hang_ms=",$select(kind="update":0,1:hang)," read_pct=",pct," lazy=",lazy," value=",len," spread=",$select(kind="update":hang,1:0)
 write " days=",$piece($horolog,",",1)," second=",$piece($horolog,",",2)," us=",t," failed=",bad," reads_are={{READS}} nojrn=",nojrn,!
 if stats'="" write "secchi-m 1 mgstat directory=",$translate(stats," ","_"),!
 set j="" for  set j=$order(^SECCHI("did",b,j)) quit:j=""  set v=^(j) write "secchi-m 1 worker global=",j," reads=",$piece(v,"|",1)," writes=",$piece(v,"|",2)," us=",$piece(v,"|",3)," hung_us=",$piece(v,"|",4),!
 set j="" for  set j=$order(^SECCHI("times",b,j)) quit:j=""  set x="" for  set x=$order(^SECCHI("times",b,j,x)) quit:x=""  set k="" for  set k=$order(^SECCHI("times",b,j,x,k)) quit:k=""  set h(x,k)=$get(h(x,k))+^SECCHI("times",b,j,x,k)
 set x="" for  set x=$order(h(x)) quit:x=""  set k="" for  set k=$order(h(x,k)) quit:k=""  set w=1 do
 . for  quit:k\w<1000  set w=w*10
 . write "secchi-m 1 time of=",x," us=",k," width=",w," n=",h(x,k),!
 write "secchi-m 1 end batch=",b,!
 kill ^SECCHI("times",b),^SECCHI("ready",b),^SECCHI("error",b)
 quit
