# 错误、数据不符、未返回的 I/O。
doubt-io-errors = 有 I/O 失败：这样的存储不能判为满足任何需求
seen-io-errors = 完成 { $done } 个，失败 { $failed } 个
seen-io-errors-of = 完成 { $done } 个，失败 { $failed } 个（{ $codes }）
remedy-io-errors = 查看内核日志，首先检查设备
doubt-written-over = 块内容与本作业写入的不同：可能被其他作业覆盖
doubt-no-block-right = 没有一个块符合校验的预期
doubt-wrong-data = 数据错误：块内容与写入的不同
seen-wrong-blocks = 读回的 { $blocks } 个块中有 { $wrong } 个错误
seen-wrong-blocks-as = 读回的 { $blocks } 个块中有 { $wrong } 个错误：{ $findings }
seen-also-wrote = { $job } 同时写入了同一位置
remedy-own-file = 为每个作业使用单独的文件
remedy-same-options = 检查写入数据的作业与校验数据的作业是否使用了相同的选项
remedy-wrong-data = 不要信任此存储；查看内核日志
seen-verification-mixed = 作业运行期间校验了 { $blocks } 个块
doubt-hung = 有 I/O 始终没有返回
seen-hung = 结束时有 { $n } 个未完成，最早的已等待 { $oldest }
remedy-hung = 查看内核日志（dmesg）；设备或到它的路径已丢失或卡住
doubt-no-io = 没有进行任何 I/O
seen-no-io = 测量时间内没有一个 I/O 完成
remedy-no-io = 延长运行时间，或查看错误和内核日志（dmesg）
doubt-allowance = 网络限制了数据包：实例已用完其额度
seen-allowance = { $interface }：{ $counter } 每秒 { $rate } 个包
remedy-allowance = 换用更大的实例，或减少它的其他网络流量；这些数值反映的是网络，而非存储

# 速率不在同一水平，或测量时间太短。
doubt-level-changed = 速率水平发生了变化：数值取自最后的水平
doubt-level-changed-fio = 速率水平发生了变化：上面的 fio 数值是跨越变化的平均值；需求的结论和 `secchi show` 以最后的水平为准
doubt-level-changed-mark = 速率水平在一轮之内发生了变化：其数值是跨越变化的平均值，已作废
seen-bucket = 若这是突发令牌桶，其容量约为 { $n } 个 I/O
remedy-level-changed = 延长运行时间，看哪个水平能够保持
doubt-not-settled = 速率没有稳定：不存在平均值，不能据此判为满足需求
doubt-not-settled-fio = 速率没有稳定：上面的 fio 数值是不代表任何时刻的平均值；不能判为满足需求
doubt-not-settled-mark = 速率在一轮之内没有稳定：其数值不代表任何时刻，已作废
remedy-not-settled = 延长运行时间，或找出还有什么在使用设备
doubt-too-short = 时间窗太少，无法计算置信区间或判断稳定性
seen-windows = { $n } 个时间窗
remedy-longer-runtime = 加大 runtime=，并使用 time_based
remedy-more-time = 延长时间
remedy-more-effort = 使用 --effort standard 或 thorough
remedy-most-effort = 使用 --effort thorough
remedy-wavers = 在设备空闲时重新运行：相对于测量时间，速率波动太慢

# 控制组上限的变化。
seen-none = 无
doubt-limit-changed = 测量期间 secchi 所在控制组的上限发生了变化：数值只取自变化之后
doubt-limit-changed-steps = 测量期间 secchi 所在控制组的上限发生了变化：速率是在多个上限下测得的
seen-limit-changed = { $at } 之前：{ $was }；之后：{ $is }
seen-limit-changed-often = 从 { $first } 到 { $last } 变化 { $n } 次：之前为 { $was }，之后为 { $is }
remedy-limit-changed = 在上限不变时重新运行
doubt-limits-differ = 运行期间 secchi 所在控制组的上限发生了变化：每个步骤按其当时的上限判定
seen-limits-differ = 最初：{ $was }；{ $at } 起：{ $is }
remedy-limits-differ = 只比较上限相同的级

# 比真实数据更容易处理的内容。
doubt-easy-contents = 写入的内容比真实数据容易处理：有压缩或重复数据删除的存储实际写入更少
seen-zeros-written = 写入的全是零
seen-pattern-written = 反复写入一个 { $n } 字节的模式
seen-compresses = { $percent } % 可被压缩掉
seen-repeats = { $percent } % 与之前的块重复
remedy-easy-contents = 写入随机数据
remedy-easy-contents-fio = 不要使用 zero_buffers、buffer_pattern、buffer_compress_percentage 和 dedupe_percentage

# 指定速率的负载。
doubt-rate-not-sustained = 未达到要求的速率：响应时间来自不断增长的队列
seen-late = 要求每秒 { $asked } 个 I/O，实际 { $rate } 个，提交最迟晚 { $late }
remedy-lower-rate = 降低要求的速率
doubt-from-due = 固定速率下的延迟从 I/O 的应发时刻起计算，因此停顿会计入它所推迟的每个 I/O；fio 的数值从提交时起计算
seen-from-due = 自应发时刻：{ $due }；自实际提交：{ $sent }
seen-latency = 平均 { $mean }，最长 { $longest }
seen-latency-p99 = 平均 { $mean }，p99 { $p99 }，最长 { $longest }
doubt-unsent = 结束时已到期的一些 I/O 从未提交：缺少它们的响应时间，而这些本会是最长的
seen-unsent = 到期的 { $due } 个中约有 { $left } 个；其中最早的已等待 { $waited }
remedy-unsent = 降低要求的速率，或允许更高的并发

# 整个运行。
seen-step = { $label }（队列深度 { $n }）
seen-the-run = 整个运行
doubt-long-run = 运行时间很长：从开始起按 { $length } 的间隔保存
seen-long-run = 计数、总量、直方图、最小和最大值以及 fio 的样本和日志都是精确的；时刻只精确到该间隔
doubt-max-written = 已达到写入量上限：写入类工作负载被缩短或略去
seen-max-written = { $most } 中已写 { $written }；被缩短：{ $cut }；被略去：{ $out }
remedy-max-written = 提高 --max-written（或使用 --yes），或选择只读的工作负载
seen-ramp-bounded = { $label }：并发最多 { $deepest }，因为更深的级会被缩短
doubt-nothing-within-bound = 没有测到任何结果：写入量上限 { $most } 太低（用 --max-written SIZE 提高，或用 --yes 取消）
doubt-file-system-full = 文件系统已满
remedy-file-system-full = 释放空间或使用更大的卷，然后重新运行
doubt-run-killed = 运行在结束前被强制终止
doubt-run-running = 运行仍在进行
doubt-run-stopped = 运行在结束前被停止
doubt-run-hung = 因为有 I/O 没有返回，运行已放弃
doubt-run-failed = 运行因错误而终止
seen-steps-run = 运行了 { $n } 个步骤
doubt-device-cache = 工作集太小：设备或其宿主机的缓存可能容纳它
doubt-page-cache = 工作集小于内存的两倍：页缓存可能容纳它
seen-working-set = 被测 { $size }，内存 { $memory }
remedy-ping-direct = 用 -D 绕过页缓存
remedy-larger = 使用 --size { $size } 或更大
remedy-larger-fio = 使用 size={ $size } 或更大
doubt-read-modify-write = 写入的块小于设备的物理块：每次写入可能需要一次读取和一次写入
seen-read-modify-write = 物理块为 { $physical }，写入 { $labels }
remedy-read-modify-write = 使用 { $physical } 或其倍数的块写入

# 内存或缓存代替了存储。
doubt-memory-backed = 测到的是内存，不是存储
remedy-memory-backed = 选择位于磁盘上的目标
doubt-direct-not-honoured = 要求了直接 I/O，但并非全部到达设备：有缓存应答，或有从未写过的块
seen-charged = { $verb ->
    [read] 读取
   *[written] 写入
}的 { $asked } 中有 { $share } % 作为设备 I/O 计入 secchi
remedy-direct-not-honoured = 重新填充文件，或选择遵守 O_DIRECT 的文件系统
doubt-no-direct = 此处不支持直接 I/O，由页缓存应答：这不是存储的数值
remedy-no-direct = 指定待测存储上的目录，或用 --buffered 经页缓存测量
doubt-served-from-cache = 部分 I/O 由页缓存处理：这不是存储的速率
remedy-served-from-cache = 使用直接 I/O 测量，或使用数倍于内存大小的文件

# 设备上的其他负载。
doubt-other-operations = secchi 所在的控制组被计入了 secchi 没有要求的 I/O
seen-other-operations = 要求{ $what ->
    [reads] 读取
   *[writes] 写入
} { $asked } 个，计入 { $charged } 个；开始或结束时可能有至多 { $edges } 个正在进行
remedy-other-operations = 让 secchi 单独在其控制组中运行
doubt-foreign-load = 其他程序同时使用了设备
doubt-taken-by-others = 其他程序占用设备过多：剩余的速率不是存储的速率
seen-foreign-load = 设备处理的{ $what ->
    [operations] I/O 数
   *[bytes] 字节数
}比 secchi 要求的多 { $share } %
seen-ours-of-cap = secchi 用了 { $cap } 的 { $ours } %，其余由其他程序使用
remedy-foreign-load = 在设备空闲时重新运行

# 相互矛盾的计数。
doubt-little = 速率、延迟和并发 I/O 数相互矛盾
seen-little = X*R / N = { $ratio }，允许 1 +- { $allowed }
remedy-little = 延长该步骤；若仍如此，请作为 secchi 的缺陷报告
doubt-own-counts = secchi 自身的计数不一致
seen-counts = 提交 { $submitted }，而完成 { $completed } + 失败 { $failed } + 未完成 { $pending }；各区间合计 { $measured }
seen-bytes = { $ops } 个每个 { $size } 的{ $op ->
    [read] 读取
    [write] 写入
   *[trim] TRIM
} 共传输 { $bytes } 字节
seen-bytes-of-sizes = { $ops } 个每个 { $low } 至 { $high } 的{ $op ->
    [read] 读取
    [write] 写入
   *[trim] TRIM
} 共传输 { $bytes } 字节
remedy-own-counts = 请作为 secchi 的缺陷报告
doubt-l0-spoilt = 并发为 1 时的延迟高于更深各级的速率所对应的值：有什么拖慢了单个 I/O
seen-l0-spoilt = 测得 { $l0 }，但并发 { $n } 达到 { $rate } IOPS，是该延迟所允许速率的 { $used } %，因此真实延迟不超过 { $most }
remedy-l0-spoilt = 在设备空闲时重新运行；检查 CPU 和链路的节能设置

# CPU：负载生成器、其他程序、虚拟机管理程序。
doubt-generator-bound = 负载生成器的 CPU 不足：该速率是存储速率的下限
remedy-generator-bound = 给 secchi 更多 CPU，或使用开销更小的引擎或更少的线程
of-cpu-quota = 其控制组配额 { $quota } 个 CPU
of-cpus = { $n } 个 CPU
seen-threads-used = 生成器的线程用了 { $of } 的 { $share } %
seen-generator = 负载生成器：{ $of } 的 { $share } %
seen-throttled = 控制组在 { $share } % 的周期中收走了 CPU
seen-busiest-thread = 生成器最忙的线程有 { $share } % 的时间在 CPU 上
seen-near-ceiling = 达到 secchi 自身极限（null 引擎上 { $ceiling } IOPS）的 { $share } %
seen-machine-idle = 本机空闲 { $idle } %，secchi 用了其 CPU 的 { $ours } %
seen-not-in-flight = 要求的 { $asked } 个并发 I/O 中只有 { $n } 个在进行
doubt-starved = 其他程序占用了 CPU：速率和延迟都不是存储的
doubt-starved-in-part = 部分时间其他程序占用了 CPU：延迟比存储的长，速率可能偏低
doubt-starved-on-the-way = 在到达所判定的级之前的各级中，其他程序占用了 CPU：这些级的数值已排除
doubt-size-left-out = 测量这些级时，其他程序占用了 CPU 或设备：这些级的数值已排除，上限由其他块大小得出
seen-waited-cpu = 工作线程有 { $share } % 的时间在等待 CPU
seen-waited-each = I/O 完成后，其工作线程平均等待 CPU { $wait }，为平均延迟的 { $share } %
seen-waits-untold = 此内核不提供工作线程等待 CPU 的时间
seen-others-cpu = 其他程序用了 { $cpus ->
    [1] 唯一的 CPU
   *[other] { $cpus } 个 CPU
} 中的 { $used }
seen-idle = CPU 空闲 { $share } %
seen-stolen = 虚拟机管理程序把 { $share } % 的 CPU 分给了其他虚拟机
remedy-starved = 在没有其他程序需要 CPU 时重新运行，或给 secchi 专用的 CPU 或更高的优先级（taskset、nice）
doubt-cpu-steal = 虚拟机管理程序把本机的 CPU 时间分给了其他虚拟机
seen-cpu-steal = { $all } 个步骤中的 { $n } 个，最高 { $most } %
remedy-cpu-steal = 在宿主机较空闲时重新运行；首先受影响的是延迟
doubt-scheduling-noise = 本机的调度抖动（p99.9 为 { $gap }）与所测的尾延迟一样大
seen-p999 = p99.9 为 { $p999 }
remedy-scheduling-noise = 不要把 p99.9 及以上当作设备的延迟

# 磁盘跑分的各轮。
seen-range = { $low } 至 { $high }
seen-loops = { $n } 轮为 { $rates }
seen-first-loops = { $n ->
    [1] 第一轮
   *[other] 前 { $n } 轮
}为 { $rates }
seen-then = { $first }，随后 { $then }
doubt-burst = 前几轮比之后各轮都快：突发积分或缓存已用尽
remedy-burst = 看最后几轮，而不是最好的一轮；延长运行时间
doubt-faster-later = 后几轮比之前各轮都快：数据已进入缓存，或设备需要唤醒
remedy-faster-later = 使用更大的文件或更多轮次，看哪个水平能够保持
doubt-loops-differ = 各轮差异很大：最好的一轮说明可能达到的值，而不是可以预期的值
remedy-loops-differ = 在设备空闲时，用更多轮次或更长的轮次重新运行
doubt-compressible-data = 数据全是零：会压缩、去重或略过零的存储显得比实际更快
seen-zeros-hold = 被测的 { $size } 全部为零
remedy-compressible-data = 使用随机数据，即省略 --data 时的默认值
doubt-too-small = 文件小于磁盘和控制器的缓存：可能全部在缓存中
seen-gone-through = { $size } 在 { $time } 内被访问了 { $n } 遍

# 驱动器自身的报告。
doubt-drive-hot = 驱动器已达到自身的告警温度：可能已自行降速
seen-hot = 最高 { $highest } °C，告警值 { $warns } °C
remedy-drive-hot = 冷却后重新运行：过热的驱动器比平时慢
doubt-drive-worn = 驱动器接近寿命终点：同型号的新品可能更好
seen-endurance = 写入寿命已用 { $used } %
seen-spare = 备用块剩余 { $left } %，告警值 { $least } %
remedy-drive-worn = 在数据依赖它之前更换
doubt-drive-errors = 驱动器报告了自身的错误：重试使它变慢
seen-media-errors = 累计介质错误 { $n } 个
seen-drive-warns = 驱动器告警：{ $what }
drive-warns-reliability = 可靠性下降
drive-warns-read-only = 只读模式
drive-warns-backup = 掉电保护失效
drive-warns-temperature = 温度
drive-warns-spare = 备用块不足
remedy-drive-errors = 查看其日志（nvme smart-log、smartctl -x），若错误增加则更换
doubt-slow-link = 驱动器的链路低于其能力：瓶颈可能是链路
seen-link = PCIe { $is }，可支持 { $best }
remedy-slow-link = 换用具备驱动器所支持的全部通道和全速的插槽

# 突发与停顿。
found-burst-bucket = { $label } 以 { $burst } IOPS 突发 { $lasted }，随后只有 { $refill }：{ $only } 的测试只会看到突发
seen-burst-rate = 突发 { $rate } IOPS（{ $bandwidth }）
seen-refill-rate = 补充 { $rate } IOPS（{ $bandwidth }）
seen-bucket-depth = 令牌桶至少约 { $n } 个 I/O（{ $gb } GB）：之前步骤消耗的不在其中
seen-recovery = 无负载 { $time } 后令牌桶重新充满
remedy-burst-bucket = 按补充速率规划；停歇后重新运行可看到完整的桶
met-above-baseline = 满足；超过 { $cap } 的部分依靠突发积分
met-on-burst = 仅依靠突发积分满足：可持续的速率为 { $rate } IOPS，没有测到（已施加负载 { $loaded }，积分满时可持续 { $lasts }）
not-met-at-baseline = 不满足：可持续的速率为 { $rate } IOPS，测得的速率依靠突发积分（已施加负载 { $loaded }，积分满时可持续 { $lasts }）；用 `for` 要求时长
figure-at-baseline = 基线为 { $rate } IOPS，靠积分为 { $measured }
met-for-duration = 在要求的时长内满足，靠的是超出 { $cap } 的突发积分；满积分可维持 { $lasts }
need-held = 持续了 { $time }；不能排除容量为 { $n } 个 I/O 或更大的突发令牌桶：用 `for` 要求更长时间
found-stalls = { $label } 停顿了 { $n ->
    [1] 一次，持续 { $longest }
   *[other] { $n } 次，最长 { $longest }
}：有 I/O 在进行，却没有任何完成
seen-stall = 停顿 { $length }，在其步骤开始 { $at } 之后
seen-more-stalls = 另有 { $n } 次
seen-stalled = { $measured } 秒中共 { $total }：{ $share } %
remedy-stalls = 查看内核日志以及还有什么在使用设备；在固定速率的负载下，这种停顿会体现在它所推迟的每个请求中

# 逐层 I/O。
layers-whole-time = 全部时间
layers-between-steps = 步骤之间
layers-in-flight = { $label }，并发 { $n }
layers-and-others = { $label } 及另外 { $n } 个工作负载
layers-nothing-reached = 没有 I/O 到达设备：全部由设备之上的层应答
layers-stands-on = { $device } 位于 { $over } 之上：它向下发送的请求在下一层会再次计数
layers-requests = { $what ->
    [read] 读取
   *[write] 写入
} { $n } 个
layers-all-of-size = 全部为 { $size }
layers-of-size = { $share } 为 { $size }
layers-mean-size = 平均 { $kib } KiB
layers-in-order = { $share } 为顺序
layers-none-reached = { $device }：要求的 { $n } 个{ $what ->
    [read] 读取
   *[write] 写入
}都没有到达：由页缓存应答或吸收
layers-part-reached = { $device }：要求的字节中有 { $share } 被{ $what ->
    [read] 读取
   *[write] 写入
}：其余由页缓存应答，或仍在其中
layers-more-bytes = { $device }：为所要求字节数的 { $times } 倍，原因是预读、整页读取，或其他程序的 I/O
layers-merged = { $device }：每个请求对应应用的 { $n } 个{ $what ->
    [read] 读取
   *[write] 写入
}，总字节数相同：相邻的被合并
layers-split = { $device }：应用的每个{ $what ->
    [read] 读取
   *[write] 写入
}对应 { $n } 个请求，总字节数相同：在区段边界和设备的最大请求大小处拆分
layers-became = { $device }：应用的 { $asked } 个{ $what ->
    [read] 读取
   *[write] 写入
}变成 { $n } 个请求
layers-one-each = { $device }：应用的每个{ $what ->
    [read] 读取
   *[write] 写入
}就是一个请求，既未合并也未拆分
layers-unmapped = { $device }：{ $what ->
    [read] 读取
   *[write] 写入
}字节的 { $share }（{ $n } 个请求）不属于任何已知角色的文件
layers-unmapped-metadata = { $stray }，其中 { $share } 被文件系统标记为元数据
layers-queue-merged = { $device }：{ $entered } 个 I/O 进入块层，{ $left } 个请求离开，平均 { $per } 个合并为一个
layers-queue-split = { $device }：{ $entered } 个 I/O 进入块层，{ $left } 个请求离开：较大的 I/O 被拆分（{ $splits } 次）
layers-count-same = { $device }：内核自身的计数相同，{ $n } 个请求
layers-count-flushes = { $device }：内核自身的计数字节数相同，写入多 { $n } 个：刷写和写零
layers-count-differs = { $device }：内核自身的计数相差读取 { $reads }、写入 { $writes }：{ $why }
layers-events-lost = 有事件丢失
layers-count-edges = 开始和结束时正在进行的请求，以及内核计入写入的刷写和清零
doubt-trace-lost = 内核的跟踪缓冲区已满：块跟踪的计数和总量偏低
seen-trace-lost = 丢失 { $lost } 个事件，读到 { $read } 个
remedy-trace-lost = 跟踪更慢的负载，或为跟踪留出一个 CPU；内核自身的计数是完整的
doubt-role-unmapped = 角色 { $role } 的请求未能全部与其他请求区分开
doubt-absent = 读取的对象不存在：已计数，但没有返回数据
seen-absent = { $absent } 次读取未找到对象；共计 { $done } 次操作
remedy-absent = 先以相同的名称和块大小写入对象
