; An iSCSI volume on a Windows host: a mix at depth 64 with synchronous writes, at six sizes.
; The original uses the Windows engine; here it is the native asynchronous one.
; for fio: windowsaio => libaio
; expect: split 50, runtime, depth, exit
; scaled: --size=16m --runtime=1 --ramp_time=500ms
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=4k --time_based --thread --runtime=120 --ramp_time=15
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=16k --time_based --thread --runtime=120 --ramp_time=15
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=32k --time_based --thread --runtime=120 --ramp_time=15
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=64k --time_based --thread --runtime=120 --ramp_time=15
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=128k --time_based --thread --runtime=120 --ramp_time=15
fio.exe --randrepeat=1 --ioengine=windowsaio --direct=1 --sync=1 --name=fiotest --filename=fio-test-file.fio --overwrite=1 --iodepth=64 --size=5GB --readwrite=randrw --rwmixwrite=50 --rwmixread=50 --bs=256k --time_based --thread --runtime=120 --ramp_time=15
