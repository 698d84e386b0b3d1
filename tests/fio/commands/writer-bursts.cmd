; The write daemon of a database: bursts of 500 blocks in four sizes, then a pause.
; expect: counts 15%, files, exit
; scaled: --size=64m --thinktime=100000 --thinktime_blocks=50
fio --name=write --iodepth=1 --rw=write --direct=1 --size=10g --numjobs=1 --thread -group_reporting --iopsavgtime=1000 -bssplit=8k/20:16k/10:32k/10:512k/60 -thinktime=8000000 -thinktime_blocks=500
