; Random mix of 75 % reads, dashes as the page shows them.
; for fio: – => --
; expect: counts 12%, split 75, files, depth, exit
; scaled: --size=16m
; aside: keys: fio tells no latency
fio –randrepeat=1 –ioengine=libaio –direct=1 –gtod_reduce=1 –name=fiotest –filename=fiotest –bs=4k –iodepth=64 –size=4G –readwrite=randrw –rwmixread=75
