# 对监视的疑点。
watch-command-left = 时间到时已向命令发送终止信号，但它没有退出：仍在运行
watch-command-left-seen = 进程 { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` 可强制终止它及其启动的所有进程
watch-late-looks = 有些采样延后：其数值是更长时段的平均值
watch-late-looks-seen = { $looks } 次采样中有 { $late } 次，最长时段 { $longest }
watch-dear-looks = 读取计数器占用了不可忽略的 CPU
watch-dear-looks-seen = 占一个核的 { $share } %，每次 { $cost }
watch-dear-looks-remedy = 加长 --interval 可降低开销
watch-not-counted = 按速率已达到某个上限，而按 EBS 自身的计数，没有上限被超出
watch-not-counted-seen = 按速率，上限 `{ $limit }`（{ $cap }）在 { $time } 中有 { $full } 处于用满状态
watch-not-counted-remedy = 检查为此次监视指定的上限
watch-group-stopped = 控制组 { $group } 因用尽 CPU 配额而被限制运行
watch-group-stopped-seen = 在 { $share } % 的配额周期中（cpu.stat）
watch-group-stopped-time-seen = 在 { $share } % 的配额周期中，其各线程合计 { $time }（cpu.stat）
watch-group-stopped-remedy = 加大该组的 CPU 配额，或取消配额
watch-hidden-processes = 部分进程的 I/O 未知：当前用户无权读取其计数器
watch-hidden-processes-seen = { $processes } 个进程中的 { $hidden } 个（/proc/PID/io）
watch-hidden-processes-remedy = 以 root 身份运行，或授予 CAP_SYS_PTRACE，以包括所有进程

# 关于监视的第一句话。
watch-no-figures = 监视在第一次采样之前就结束：没有数值
watch-counted = { $device } 在 { $time } 中有 { $exceeded } 超出 { $limit }（按 EBS 自身的计数）
watch-counted-more = { $device } 在 { $time } 中有 { $exceeded } 超出 { $limit }（按 EBS 自身的计数）；另有 { $n } 个上限被超出
watch-no-alarm = 没有告警；{ $said }
watch-alarm = 告警：{ $alarm }；{ $said }
watch-alarms = 告警：{ $alarm }，另有 { $n } 个；{ $said }
watch-cap-full = { $device } 在 { $time } 中有 { $full } 用满上限 `{ $limit }`（{ $cap }）；最高 { $most }（{ $share } %）
watch-cap-full-summed = { $n } 个设备的合计负载在 { $time } 中有 { $full } 用满上限 `{ $limit }`（{ $cap }）；最高 { $most }（{ $share } %）
watch-cap-not-full = 没有上限被用满：{ $device } 的峰值 { $most } 为最接近的上限 `{ $limit }`（{ $cap }）的 { $share } %
watch-cap-not-full-summed = 没有上限被用满：{ $n } 个设备的合计峰值 { $most } 为最接近的上限 `{ $limit }`（{ $cap }）的 { $share } %
watch-nothing = 只监视了本机
watch-no-io = { $watched }：没有 I/O 到达设备
watch-all-disks = 所有磁盘
watch-process = 进程 { $pid }
watch-only-one = { $device } 在 { $time } 内平均 { $iops } IOPS、{ $bandwidth }，峰值 { $most_iops } IOPS、{ $most_bandwidth }
watch-busiest = { $device }（{ $n } 个设备中最忙的）在 { $time } 内平均 { $iops } IOPS、{ $bandwidth }，峰值 { $most_iops } IOPS、{ $most_bandwidth }

# 与监视同时运行的命令如何结束。
command-how = `{ $command }` { $how }
command-not-started = `{ $command }` 没有启动
command-succeeded = 成功结束
command-code = 以退出码 { $code } 退出
command-signal = 被信号 { $signal } 终止
command-not-seen = 没有记录到退出状态
command-after = { $time } 后{ $how }
command-told-and-did = 在 { $time } 后时间到，被发送终止信号，并已退出
command-told-and = 在 { $time } 后时间到，被发送终止信号，{ $how }
command-told-and-left = 在 { $time } 后时间到，被发送终止信号，但没有退出：仍作为进程 { $pid } 运行

# 告警。
alarm-told = { $of }：{ $figure } { $worst }（{ $alert }）
alarm-queue = 并发 { $n }

# 进程的系统调用与块设备的对照。
watch-read-uncounted = { $process }：从块设备读取的内容中有 { $rest } 的读取方式不在内核的系统调用计数之内：io_uring、Linux AIO、内存映射或预读
watch-wrote-uncounted = { $process }：写入块设备的内容中有 { $rest } 的写入方式不在内核的系统调用计数之内：io_uring、Linux AIO 或内存映射
watch-read-elsewhere = { $process }：通过系统调用读取的内容中有 { $rest } 不是块设备的：由页缓存、管道或套接字应答
watch-wrote-elsewhere = { $process }：通过系统调用写入的内容中有 { $rest } 不是块设备的：由管道、套接字或内存接收
