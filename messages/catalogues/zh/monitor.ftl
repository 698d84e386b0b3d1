# 测量之前已知的存储特性。
mount-compresses = 文件系统会压缩，到达设备的字节可能更少
mount-no-flush = 刷写不会传给设备，因此同步的速率和延迟偏好
mount-data-journal = 文件系统把数据写两遍：先写入日志，再写到原处
mount-sync = 每次写入都立即落盘
mount-dax = 文件直接从持久内存映射，不经过块 I/O
mount-option = { $place } 以 { $option } 挂载
direct-io-refused = 此处无法使用直接 I/O：测到的包含页缓存
direct-io-refused-says = { $filesystem } 表示不能对该文件做直接 I/O
direct-io-refused-remedy = 指定要测量的存储上的目录
storage-remote = 这些文件由另一台机器或另一个进程提供，如何处理直接 I/O 和刷写由其决定
storage-unseen = 从这里看不到该文件系统下的设备，因此结果未与设备核对
storage-unseen-remedy = 在能看到设备的地方（例如容器之外）运行 secchi；或用 --device 指定设备
storage-overlay-remedy = 在容器之外运行 secchi（那里能看到设备），或把存储挂载进容器（`-v /mnt/data:/data`）：容器自己的文件位于 overlay 上
container = 这是一个容器：上层控制组的上限在此同样有效，但无法找到
container-seen = { $file } 属于容器运行时
container-remedy = 已知的上限请用 --limit、--volume 或 --instance 指明；运行时的哪个参数能看到更多，见手册的 “Run in containers and Kubernetes”
storage-mounted = { $filesystem } 挂载在 { $place }
memory-files = { $filesystem } 把文件放在内存中
memory-overlay = overlay 写入 { $filesystem } 上的 { $place }，它在内存中
memory-zram = { $device } 是压缩内存（zram）
memory-brd = { $device } 是内存盘（brd）
memory-loop = { $device } 是内存：其文件 { $file } 位于 { $filesystem } 上
loop-buffered = { $device } 经页缓存访问其文件，可能由缓存代替磁盘应答
loop-buffered-seen = { $file } 的 loop/dio 为 0
partition-misaligned = { $device } 没有与物理块对齐，小块写入会变成读-改-写
partition-misaligned-seen = 起始于第 { $start } 字节；物理块大小为 { $physical } 字节
partition-misaligned-remedy = 重建分区，使其起点为 1 MiB 的整数倍
device-encrypts = { $device } 会加密数据，每个 I/O 都要消耗 CPU 和时间
device-encrypts-seen = device-mapper 的 UUID 为 { $uuid }
unwritten-in-file = 对 { $device } 的部分读取不经过磁盘就得到应答
unwritten-in-file-seen = 其底层文件 { $file } 的 { $all } 中有 { $missing } 从未写过
unwritten-perhaps = { $device } 可能有一部分从未写过：精简置备的存储会自行应答这类读取
unwritten-perhaps-seen = 抽查的 { $looked } 个块中有 { $zero } 个全为零
unwritten-remedy = 先把它整个写一遍

# 机器的时钟。
clock-suspended = 运行期间机器被挂起
clock-suspended-seen = CLOCK_BOOTTIME 比 CLOCK_MONOTONIC 多走了 { $more }
clock-suspended-remedy = 让机器保持唤醒后重新运行
clock-stepped = 运行期间系统时间被调整；速率不受影响
clock-stepped-seen = 系统时间与单调时钟相差 { $seconds } 秒
clock-drifted = 时间戳计数器发生漂移：所有速率和延迟都有同样比例的偏差
clock-drifted-seen = 计数器相对 CLOCK_MONOTONIC 偏差 { $percent } %

# 无法获得的块层跟踪。
trace-missing = 未记录设备上的 I/O 大小
trace-not-mounted = 没有跟踪：tracefs 未挂载，且挂载失败（{ $error }）：这需要 root（CAP_SYS_ADMIN）；请用 `sudo secchi ...`，或执行一次 `sudo mount -t tracefs tracefs /sys/kernel/tracing`
trace-in-container = 没有跟踪：容器中没有 tracefs；请以宿主机的 root 身份用 `-v /sys/kernel/tracing:/tracing` 启动容器
trace-no-look = 没有跟踪：无法访问 { $path }：{ $error }；需要 root（对 tracefs 文件的 CAP_DAC_OVERRIDE）；请用 `sudo secchi ...`
trace-no-instance = 没有跟踪：无法在 { $path } 中创建实例：{ $error }；需要 root（对 tracefs 文件的 CAP_DAC_OVERRIDE）；请用 `sudo secchi ...`
trace-no-read = 没有跟踪：无法读取 { $path }：{ $error }；需要 root（对 tracefs 文件的 CAP_DAC_OVERRIDE）；请用 `sudo secchi ...`
trace-no-write = 没有跟踪：无法写入 { $path }：{ $error }；需要 root（对 tracefs 文件的 CAP_DAC_OVERRIDE）；请用 `sudo secchi ...`
trace-no-event = 没有块层跟踪：内核没有事件 block/{ $event }（CONFIG_EVENT_TRACING、CONFIG_BLOCK）
trace-no-calls = 没有系统调用跟踪：内核没有相应的事件（CONFIG_FTRACE_SYSCALLS）；`--layer block` 不需要它们
trace-other-numbers = 没有系统调用跟踪：这里的进程号与内核的不同（有自己进程号的容器）；请在宿主机上或用 `--pid=host` 记录
trace-strange = 没有跟踪：{ $file } 的格式未知；请连同该文件和内核版本一起报告
trace-no-device = 没有块层跟踪：目标之下没有块设备
trace-no-thread = 没有跟踪：无法启动跟踪线程：{ $error }
trace-endian = 没有跟踪：环形缓冲区只能在小端机器上读取

# 监视的角色。
roles-share-device = { $roles } 位于同一设备上：设备的数值包含它们全部
roles-share-device-seen = 设备 { $device }
roles-share-device-remedy = 要分开查看，请为每个角色分配单独的设备
both-of = { $first } 和 { $second }

# 损坏的日志。
recovered-damaged = 该运行的日志已损坏：数值只来自能读出的部分
recovered-damaged-seen = { $length } 字节中有 { $bytes } 字节无法使用，共 { $places } 处：{ $first }；读出其前 { $before } 个、其后 { $after } 个完整的帧
recovered-damaged-ended = { $evidence }；运行本身的结束原因：{ $reason }
recovered-damaged-remedy = 若有副本请从副本取回，否则重新运行；并检查存放数据的磁盘
frame-torn = 第 { $at } 字节处的帧不完整：应有 { $wanted } 字节，实有 { $there } 字节
frame-length = 第 { $at } 字节处的帧长度 { $length } 不可能
frame-checksum = 第 { $at } 字节处的帧校验和错误
frame-no-event = 第 { $at } 字节处的帧不是有效的事件：{ $why }
frame-order = 第 { $at } 字节处的事件与之前的事件不符：{ $why }
frame-unreadable = 文件在第 { $at } 字节处无法读取：{ $why }

# 从别处导入的 M 脚本运行。
imported = 由 M 脚本测得，可能来自另一台机器；延迟是所有进程合并的
imported-seen = { $engine } { $version }，批大小 { $batch }
imported-remedy = 核对时间：时刻按本机时区理解
processes-missing = 缺少部分进程的结果
processes-missing-seen = { $all } 个进程中有 { $failed } 个没有运行到结束
imported-now = { $file } 中的 { $kept } 次运行已加入历史；{ $there } 次原已存在

# 未自行结束的运行如何结束。
end-signal = 被 { $signal } 停止
end-signal-number = 被信号 { $n } 停止
end-key = 因按键而停止
no-io-done = 没有进行任何 I/O
no-io-measured = 没有测量到任何数据：作业在 ramp_time 内就结束了；请缩短 ramp_time 或延长作业
end-watch-left = 命令仍在运行时停止了监视
end-hung = { $label } 中有 { $pending } 个 I/O 始终没有完成；最早的已进行 { $oldest }
end-hung-choice = 试用引擎 { $engine } 时有 { $pending } 个读取始终没有完成；最早的已进行 { $oldest }
end-hung-fill = 预填充期间有 { $pending } 个写入始终没有完成
end-lost = 设备被移除：{ $error }
end-errors = { $workload } 的 I/O 错误：{ $errors }
end-errors-draining = { $n } 个 I/O 失败
end-error-kind = { $op } 错误（{ $n } 个）：{ $why }
end-error-end-of-file = 目标提前结束
end-error-wrong-data = 读回的内容与写入的不同
end-below-iops = { $job }：{ $op } 速率 { $rate }，要求至少 { $least }
end-below-bandwidth = { $job }：{ $op } 带宽 { $rate }，要求至少 { $least }
end-fill-after-of = 预填充在写入 { $all } 中的 { $written } 之后停止：{ $why }
end-fill-write-failed = 写入失败
end-fill-stopped = 被停止
end-fill-not-durable = 无法使预填充落盘：{ $error }

# 途中的备注。
note-device-away = 设备 { $device } 消失
note-device-back = 设备 { $device } 恢复
note-device-anew = 设备 { $device } 的计数被清零：可能是同名的另一个设备
note-device-begins = 设备 { $device } 开始执行 I/O
note-group-gone = 控制组 { $group } 已不存在
group-no-device = 没有已知的块设备可供统计 I/O
group-no-device-target = 目标之下没有找到块设备
group-not-counted = 此处的控制组不统计块 I/O
group-root-own = 本进程在根控制组中，其计数包含所有进程
group-root = 进程 { $pid } 在根控制组中，其计数包含所有进程
group-hidden-own = 看不到本进程的控制组；最近的可见者为 { $nearest }
group-hidden = 看不到被监视进程的控制组；最近的可见者为 { $nearest }
group-hidden-process = 从此处看不到进程 { $pid } 的控制组
group-shared = 本进程的控制组（{ $dir }）由所有进程共用，且不允许在其中创建组
group-strangers = 本进程的控制组（{ $dir }）中另有 { $others } 个进程
group-not-made = 无法创建控制组 { $dir }：{ $error }
group-not-entered = 无法进入控制组 { $dir }：{ $error }
counts-server-group = 服务器不在 secchi 创建的控制组中
counts-server-other = 服务器不是由 secchi 启动的
counts-server-busy = 服务器属于另一次运行
counts-no-accounts = 无法读取各进程的 I/O 计数器
counts-server-devices = 无法统计服务器设备上的 I/O：{ $why }
note-process-ended = 进程 { $pid } 已结束
note-process-hidden = 进程 { $pid }：当前用户无权读取其 I/O 计数器；只记录 CPU 数值
note-process-crowded = 进程 { $pid } 的线程多于每秒可查询的数量：略去其上下文切换
note-suspended = 机器被挂起 { $time }：这一时段没有数值
note-file-system-full = { $job }：已结束，因为其文件系统除预留部分（5 %，至少 1 GiB）外已满
note-inserts-ended = 插入结束：{ $why }
note-device-full = { $job }：按要求在设备写满时结束
note-depth-found = { $job }：队列深度 { $depth } 满足延迟目标（用时 { $search } 找到）；数值取自下一周期
note-sidecar = 无法保存附属文件（{ $error }）：以后的运行将重新填充目标
note-journal-long = 日志已达 { $was }：较早的样本现以更长的间隔保存
note-no-figures = 没有 { $sampler } 的数值：{ $why }
note-not-watched = 未监视：{ $devices }；可用 --all 或 --device 纳入
note-process = 进程 { $pid } 是 `{ $program }`
note-no-group = 没有控制组的数值：{ $why }
alarm-raised = 告警：{ $alarm }
alarm-over = 告警在 { $time } 后解除：{ $alarm }

# 采样器没有数值的原因。
sampler-no-temperature = 没有驱动器报告温度
sampler-ebs-not-told = EBS 卷 { $device } 未给出其计数：{ $error }
sampler-no-pressure = 该内核不提供压力阻塞信息（PSI，启动参数 psi=1 也许可启用）
sampler-no-process = 没有指定进程
sampler-of-linux = 只有 Linux 对此计数
sampler-not-made = secchi 没有用于此操作系统的采样器
sampler-no-device = 目标之下没有找到带计数器的块设备
sampler-no-file-system = 目标之下没有找到文件系统
sampler-unreadable = 无法读取 { $file }
