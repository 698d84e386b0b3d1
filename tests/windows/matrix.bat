@echo off
rem fio commands as they were run on Windows, with smaller sizes: each is independent, `fio.exe` is in the directory.
set SIZE=4m
for %%j in (1 2) do fio --name=write --iodepth=1 --rw=write --bs=8k --direct=1 --size=%SIZE% --numjobs=%%j --thread -group_reporting --iopsavgtime=1000 > write-%%j.txt
for %%j in (1 2) do fio --name=randw --iodepth=1 --rw=randwrite --bs=8k --direct=1 --size=%SIZE% --numjobs=%%j > randw-%%j.txt
fio --name=read --iodepth=1 --rw=read --bs=8k --direct=1 --size=%SIZE% --numjobs=2 --thread=1 --iopsavgtime=1000 -group_reporting > read-2.txt
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=%SIZE% --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=4k --thread > mixed-1.txt
