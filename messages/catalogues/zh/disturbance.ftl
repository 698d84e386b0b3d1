# 其他进程使用设备或 CPU 的那些秒。
aside-statement = 其他程序使用设备或 CPU 的那些秒不计入任何数值
aside-seen = { $measured } 秒中略去 { $aside } 秒：{ $seen }
aside-bytes = 其他程序传输的字节数最多达负载的 { $percent } %
aside-operations = 其他程序的 I/O 数最多达负载的 { $percent } %
aside-waited = 工作线程等待 CPU 的时间多了 { $percent } %
aside-stolen = 虚拟机管理程序把 { $percent } % 的 CPU 给了其他虚拟机
