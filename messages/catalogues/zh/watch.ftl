# 对监视的疑点。
watch-command-left = 时间到时已要求命令结束，但它没有结束，仍在继续运行
watch-command-left-seen = 进程 { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` 可结束它及其启动的所有进程
watch-late-looks = 有些采样延后：这些时段的数值是更长时段的平均值
watch-late-looks-seen = { $looks } 次采样中有 { $late } 次，最长时段 { $longest }
watch-dear-looks = 读取计数器占用了不可忽略的 CPU
watch-dear-looks-seen = 占一个核的 { $share } %，每次 { $cost }
watch-dear-looks-remedy = 加长 --interval 可降低开销
watch-not-counted = 按速率某个上限已用满，而 EBS 自身未计到任何上限被超出
watch-not-counted-seen = 上限 `{ $limit }`（{ $cap }）在 { $time } 中有 { $full } 被用满
watch-not-counted-remedy = 检查给定的上限
watch-group-stopped = 控制组 { $group } 因用尽 CPU 配额而被限制运行
watch-group-stopped-seen = 占配额周期的 { $share } %（cpu.stat）
watch-group-stopped-time-seen = 占配额周期的 { $share } %，其线程时间共 { $time }（cpu.stat）
watch-group-stopped-remedy = 加大其 CPU 配额，或取消配额

# 关于监视的第一句话。
watch-no-figures = 在第一次采样之前就结束：没有数值
watch-counted = { $device } 在 { $time } 中有 { $exceeded } 超出 { $limit }（EBS 自身的计数）
watch-counted-more = { $device } 在 { $time } 中有 { $exceeded } 超出 { $limit }（EBS 自身的计数）；另有 { $n } 个上限被超出
watch-no-alarm = 没有告警；{ $said }
watch-alarm = 告警：{ $alarm }；{ $said }
watch-alarms = 告警：{ $alarm }，另有 { $n } 个；{ $said }
watch-cap-full = 上限 `{ $limit }`（{ $cap }）在 { $time } 中有 { $full } 被 { $device } 用满；最高 { $most }（{ $share } %）
watch-cap-full-summed = 上限 `{ $limit }`（{ $cap }）在 { $time } 中有 { $full } 被用满，按同一时刻 { $n } 个设备之和；最高 { $most }（{ $share } %）
watch-cap-not-full = 没有上限被用满：最接近的 `{ $limit }`（{ $cap }）最多被 { $device } 用到 { $share } %（{ $most }）
watch-cap-not-full-summed = 没有上限被用满：最接近的 `{ $limit }`（{ $cap }）最多用到 { $share } %（{ $most }），按同一时刻 { $n } 个设备之和
watch-nothing = 只监视了本机
watch-no-io = { $watched }：没有 I/O 到达设备
watch-all-disks = 所有磁盘
watch-process = 进程 { $pid }
watch-only-one = { $device } 在 { $time } 内平均 { $iops } IOPS、{ $bandwidth }，最高 { $most_iops } IOPS、{ $most_bandwidth }
watch-busiest = { $device }（{ $n } 个中最忙）在 { $time } 内平均 { $iops } IOPS、{ $bandwidth }，最高 { $most_iops } IOPS、{ $most_bandwidth }

# 与监视同时运行的命令如何结束。
command-how = `{ $command }` { $how }
command-not-started = `{ $command }` 没有启动
command-succeeded = 成功结束
command-code = 以代码 { $code } 结束
command-signal = 被信号 { $signal } 终止
command-not-seen = 未见其结束
command-after = { $time } 后{ $how }
command-told-and-did = 在 { $time } 后因时间到被要求结束，并已结束
command-told-and = 在 { $time } 后因时间到被要求结束，{ $how }
command-told-and-left = 在 { $time } 后因时间到被要求结束，但仍在运行：留作进程 { $pid }

# 告警。
alarm-told = { $of }：{ $figure } { $worst }（{ $alert }）
alarm-queue = 并发 { $n }

# 进程的系统调用与块设备的对照。
watch-read-uncounted = { $process }：从块设备读取的内容中有 { $rest } 不经过内核计数的系统调用：io_uring、Linux AIO、内存映射或预读
watch-wrote-uncounted = { $process }：写入块设备的内容中有 { $rest } 不经过内核计数的系统调用：io_uring、Linux AIO 或内存映射
watch-read-elsewhere = { $process }：通过系统调用读取的内容中有 { $rest } 不是块设备的：由页缓存、管道或套接字应答
watch-wrote-elsewhere = { $process }：通过系统调用写入的内容中有 { $rest } 不是块设备的：由管道、套接字或内存接收
