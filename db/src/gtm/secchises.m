secchises ; entry points for secchi's sessions. A batch is staged, then performed while each part is timed, then its results are fetched
 ; K: subscripts. N: names of globals. V: values. T: latencies in microseconds. M: number of missing records
 quit
stage(i,g,k,v) ; stages one operation of the next batch
 set K(i)=k,N(i)=$select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller"),V(i)=v
 quit 0
node(i,g,n,v) ; stages an operation on a named node. v: all subscripts but the last, as written in M, then the last subscript, then the value. n: lengths of the first two parts
 new p,l set p=n\65536,l=n#65536
 set N(i)=$select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller")_$extract(v,1,p),K(i)=$extract(v,p+1,p+l),V(i)=$extract(v,p+l+1,$length(v))
 quit 0
commit(n,safe,x,y) ; performs the updates as one transaction and returns the duration of its commit. x: number of secondary indexes
 new i,t,u,ser set ser=$select(safe:"ACID",1:"BATCH")
 tstart ():transactionid=ser
 set u=$zut
 for i=1:1:n do:x move(i,x) set @N(i)@(K(i))=V(i),t=$zut,T(i)=t-u,u=t
 tcommit
 quit $zut-u
move(i,x) ; moves a node in the indexes. Its keys are the pieces that follow the value
 new j,o,name set o=$get(@N(i)@(K(i))),name=$$index(N(i))
 if o'="" for j=1:1:x kill @name@(j,$piece(o,"|",j+1),K(i))
 for j=1:1:x set @name@(j,$piece(V(i),"|",j+1),K(i))=""
 quit
index(of) quit "^RanWriteIndex"_$extract(of,16,$length(of))
indexed(g,x,y,z) ; returns the number of index entries of a global, by visiting each entry
 new j,k,id,c,name set c=0,name=$$index($$name(g))
 for j=1:1:x set k="" for  set k=$order(@name@(j,k)) quit:k=""  set id="" for  set id=$order(@name@(j,k,id)) quit:id=""  set c=c+1
 quit c
alone(n,safe,x,y) ; performs the updates individually. A durable update is a transaction with one update
 new i,t,u set u=$zut
 if 'safe for i=1:1:n do:x move(i,x) set @N(i)@(K(i))=V(i),t=$zut,T(i)=t-u,u=t
 if safe for i=1:1:n do one(i,x) set t=$zut,T(i)=t-u,u=t
 quit 0
one(i,x) ; performs one update in a separate transaction. The transaction may be restarted, but not the caller's loop
 tstart ():transactionid="ACID"
 do:x move(i,x) set @N(i)@(K(i))=V(i)
 tcommit
 quit
read(n,x,y,z) ; reads the staged records and returns the number of bytes
 new i,t,u,v,l set l=0,M=0,u=$zut
 for i=1:1:n set v=$get(@N(i)@(K(i)),$char(0)),t=$zut,T(i)=t-u do tell set u=$zut
 quit l
scan(n,x,y,z) ; reads records in the order of $ORDER and returns the number of bytes. Starts again at a staged key that does not follow the previous key
 new i,t,u,v,l,k,last,name set l=0,M=0,name="",k=0,last=0
 for i=1:1:n do
 . if N(i)'=name!(K(i)'>last) set name=N(i),k=K(i)-1
 . set last=K(i),u=$zut,k=$order(@name@(k))
 . if k=""!(k]]"999999999999999999") set v=$char(0),k=K(i)
 . else  set v=@name@(k)
 . set T(i)=$zut-u do tell
 quit l
tell ; counts a value that was read, or a missing record
 if v=$char(0) set M=M+1 quit
 set l=l+$length(v)
 quit
took(i,x,y,z) quit T(i)
missing(x,y,z,v) quit M
empty(g,x,y,z) ; removes a global
 kill @$$name(g),@$$index($$name(g)) quit 0
count(g,named,y,z) ; returns the number of nodes by visiting each node. The size record is not counted
 new k,c,name set k="",c=0,name=$$name(g)
 if 'named for  set k=$order(@name@(k)) quit:k=""  set c=c+1
 if named set k=name for  set k=$query(@k) quit:k=""  set c=c+1
 quit c-$select($data(@name@("Size")):1,1:0)
size(g,x,y,z) ; returns the recorded size, or -1 if there is none
 quit $get(@$$name(g)@("Size"),-1)
resize(g,n,x,y) ; records the size
 set @$$name(g)@("Size")=n quit 0
name(g) quit $select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller")
stat(x,y,z,region) quit $view("GVSTAT",region)
blocks(x,y,z,region) ; returns the total number of blocks and the number of free blocks. Bitmaps are not counted
 quit $view("TOTALBLOCKS",region)_" "_$view("FREEBLOCKS",region)
journal(x,y,z,region) ; returns 2 if the journal is on, 1 if it was switched off, 0 if there is no journal
 quit $view("JNLACTIVE",region)
epoch(x,y,z,region) ; writes all dirty blocks and makes them durable
 view "FLUSH":region,"EPOCH":region quit 0
version(x,y,z,v) quit $zversion
