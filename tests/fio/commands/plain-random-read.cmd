; The original has a blank after `--name` and runs for 30 seconds.
; expect: runtime, exit
; scaled: --size=4m --runtime=1
fio --name randread --direct=1 --rw=randread --bs=8k --iodepth=1 --numjobs=1 --time_based=1 --runtime=30 --group_reporting --norandommap
