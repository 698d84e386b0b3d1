; Sixteen loads for the disks of an SQL server: 8 KiB reads and writes by one to eight jobs.
; Written for Windows, whose default engine is asynchronous; secchi caps the depth of four, like fio.
; expect: counts, files, exit
; scaled: --size=1m
; ours: --allow-cap -- otherwise a depth of four with a synchronous engine is an error
fio --name=read --iodepth=1 --rw=read --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=read --iodepth=1 --rw=read --bs=8k --direct=1 --size=1g --numjobs=2 --thread -group_reporting --iopsavgtime=1000
fio --name=read --iodepth=1 --rw=read --bs=8k --direct=1 --size=1g --numjobs=4 --thread -group_reporting --iopsavgtime=1000
fio --name=read --iodepth=4 --rw=read --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=read --iodepth=1 --rw=read --bs=8k --direct=1 --size=1g --numjobs=8 --thread -group_reporting --iopsavgtime=1000
fio --name=write --iodepth=1 --rw=write --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=write --iodepth=1 --rw=write --bs=8k --direct=1 --size=1g --numjobs=2 --thread -group_reporting --iopsavgtime=1000
fio --name=write --iodepth=1 --rw=write --bs=8k --direct=1 --size=1g --numjobs=4 --thread -group_reporting --iopsavgtime=1000
fio --name=write --iodepth=4 --rw=write --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=write --iodepth=1 --rw=write --bs=8k --direct=1 --size=1g --numjobs=8 --thread -group_reporting --iopsavgtime=1000
fio --name=randw --iodepth=1 --rw=randwrite --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=randw --iodepth=1 --rw=randwrite --bs=8k --direct=1 --size=1g --numjobs=4 --thread -group_reporting --iopsavgtime=1000
fio --name=randw --iodepth=1 --rw=randwrite --bs=8k --direct=1 --size=1g --numjobs=8 --thread -group_reporting --iopsavgtime=1000
fio --name=randr --iodepth=1 --rw=randread --bs=8k --direct=1 --size=1g --numjobs=1 --thread -group_reporting --iopsavgtime=1000
fio --name=randr --iodepth=1 --rw=randread --bs=8k --direct=1 --size=1g --numjobs=4 --thread -group_reporting --iopsavgtime=1000
fio --name=randr --iodepth=1 --rw=randread --bs=8k --direct=1 --size=1g --numjobs=8 --thread -group_reporting --iopsavgtime=1000
