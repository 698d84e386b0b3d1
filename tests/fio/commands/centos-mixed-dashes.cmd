; A random mix with 75 % reads, with the dashes of the web page.
; for fio: – => --
; expect: counts 12%, split 75, files, depth, exit
; scaled: --size=16m
; aside: keys: fio reports no latency
fio –randrepeat=1 –ioengine=libaio –direct=1 –gtod_reduce=1 –name=fiotest –filename=fiotest –bs=4k –iodepth=64 –size=4G –readwrite=randrw –rwmixread=75
