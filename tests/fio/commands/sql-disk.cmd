; Sixteen loads of an SQL server's disks: reads and writes of 8 KiB by one to eight jobs.
; Written for Windows, whose default engine is asynchronous; the depth of four is capped by ours as by fio.
; expect: counts, files, exit
; scaled: --size=1m
; ours: --allow-cap -- a depth of four with an engine that waits is an error otherwise
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
