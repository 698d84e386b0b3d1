secchises ; what sessions of secchi call: a batch is staged, done with the time of each part taken, fetched
 ; K subscripts, N names of globals, V values, T latencies in microseconds, M records missing
 quit
stage(i,g,k,v) ; one operation of the next batch
 set K(i)=k,N(i)=$select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller"),V(i)=v
 quit 0
node(i,g,n,v) ; the same of a named node: v is its subscripts but the last as they are written, the last, the value; n their lengths
 new p,l set p=n\65536,l=n#65536
 set N(i)=$select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller")_$extract(v,1,p),K(i)=$extract(v,p+1,p+l),V(i)=$extract(v,p+l+1,$length(v))
 quit 0
commit(n,safe,x,y) ; updates as one transaction; returns the time of its commit. x: secondary indexes
 new i,t,u,ser set ser=$select(safe:"ACID",1:"BATCH")
 tstart ():transactionid=ser
 set u=$zut
 for i=1:1:n do:x move(i,x) set @N(i)@(K(i))=V(i),t=$zut,T(i)=t-u,u=t
 tcommit
 quit $zut-u
move(i,x) ; a node leaves its places in the indexes for new ones: its keys are the pieces behind the value
 new j,o,name set o=$get(@N(i)@(K(i))),name=$$index(N(i))
 if o'="" for j=1:1:x kill @name@(j,$piece(o,"|",j+1),K(i))
 for j=1:1:x set @name@(j,$piece(V(i),"|",j+1),K(i))=""
 quit
index(of) quit "^RanWriteIndex"_$extract(of,16,$length(of))
indexed(g,x,y,z) ; entries of the indexes of a global, by visiting each
 new j,k,id,c,name set c=0,name=$$index($$name(g))
 for j=1:1:x set k="" for  set k=$order(@name@(j,k)) quit:k=""  set id="" for  set id=$order(@name@(j,k,id)) quit:id=""  set c=c+1
 quit c
alone(n,safe,x,y) ; updates each by itself; durable ones are transactions of one
 new i,t,u set u=$zut
 if 'safe for i=1:1:n do:x move(i,x) set @N(i)@(K(i))=V(i),t=$zut,T(i)=t-u,u=t
 if safe for i=1:1:n do one(i,x) set t=$zut,T(i)=t-u,u=t
 quit 0
one(i,x) ; a transaction of its own: it may start again, the loop around it may not
 tstart ():transactionid="ACID"
 do:x move(i,x) set @N(i)@(K(i))=V(i)
 tcommit
 quit
read(n,x,y,z) ; returns bytes
 new i,t,u,v,l set l=0,M=0,u=$zut
 for i=1:1:n set v=$get(@N(i)@(K(i)),$char(0)),t=$zut,T(i)=t-u do tell set u=$zut
 quit l
scan(n,x,y,z) ; records in the order of $ORDER; where the staged keys do not follow each other it begins anew. Returns bytes
 new i,t,u,v,l,k,last,name set l=0,M=0,name="",k=0,last=0
 for i=1:1:n do
 . if N(i)'=name!(K(i)'>last) set name=N(i),k=K(i)-1
 . set last=K(i),u=$zut,k=$order(@name@(k))
 . if k=""!(k]]"999999999999999999") set v=$char(0),k=K(i)
 . else  set v=@name@(k)
 . set T(i)=$zut-u do tell
 quit l
tell ; a value that was read
 if v=$char(0) set M=M+1 quit
 set l=l+$length(v)
 quit
took(i,x,y,z) quit T(i)
missing(x,y,z,v) quit M
empty(g,x,y,z) ; removes a global
 kill @$$name(g),@$$index($$name(g)) quit 0
count(g,named,y,z) ; nodes by visiting each, without the record of the size
 new k,c,name set k="",c=0,name=$$name(g)
 if 'named for  set k=$order(@name@(k)) quit:k=""  set c=c+1
 if named set k=name for  set k=$query(@k) quit:k=""  set c=c+1
 quit c-$select($data(@name@("Size")):1,1:0)
size(g,x,y,z) ; recorded size, -1 where there is none
 quit $get(@$$name(g)@("Size"),-1)
resize(g,n,x,y) ; records the size
 set @$$name(g)@("Size")=n quit 0
name(g) quit $select(g:"^RanWriteGlobal"_g,1:"^SecchiFiller")
stat(x,y,z,region) quit $view("GVSTAT",region)
blocks(x,y,z,region) ; all and free ones, without bitmaps
 quit $view("TOTALBLOCKS",region)_" "_$view("FREEBLOCKS",region)
journal(x,y,z,region) ; 2 = on, 1 = switched off, 0 = none
 quit $view("JNLACTIVE",region)
epoch(x,y,z,region) ; what is dirty is written and durable
 view "FLUSH":region,"EPOCH":region quit 0
version(x,y,z,v) quit $zversion
