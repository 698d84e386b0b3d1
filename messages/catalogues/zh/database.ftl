# 对数据库运行的疑点。
db-of-model = 这些数值来自模拟引擎 I/O 的模型，而非引擎本身：不包含引擎的锁，以及引擎和客户端的大部分 CPU 工作
db-of-model-remedy = 在能安装该引擎的机器上与其对照；配置文件列出了每个数值的来源和对照的依据
db-records-missing = 有些所请求的记录不存在
db-records-missing-remedy = 用 secchi db count-subscripts 统计条数，再用 secchi db create-globals 重新创建
db-operations-failed = 引擎操作失败
db-operations-failed-seen = 失败 { $failed } 次，成功 { $done } 次
db-operations-failed-remedy = 查看引擎的运行日志和内核日志
db-cached-reads = 读取由内存应答：其速率和延迟不是存储的
db-cached-reads-seen = { $ratio }：{ $value }，预期至少 { $least }
db-cached-reads-remedy = 让数据至少为内存的两倍，或读取块以绕过所有缓存：secchi db ranread
db-counts-of-others = 只统计了整个设备的 I/O，而其他程序也使用了设备：略去与设备 I/O 的比值
db-counts-of-others-remedy = 以 root 或引擎的用户运行 secchi，以便统计引擎的进程；或在设备空闲时重新运行
db-counts-estimated = 所统计的 I/O（{ $source }）中估计有 { $share } % 来自其他程序
db-counts-impossible = 每更新一字节写入 { $bytes } 字节：没有引擎会写这么多
db-counts-not-apart = { $why }；引擎的 I/O 未能单独统计：{ $missing }
db-foreign-load = 其他程序同时使用了设备
db-foreign-load-perhaps = 其他程序可能同时使用了设备：引擎 I/O 的两项计数不一致
db-foreign-load-range = { $devices } 上有 { $least } 至 { $most } 来自其他程序：占全部 I/O 的 { $low } % 至 { $high } %
db-foreign-load-seen = { $devices } 上有 { $rate } 来自其他程序：占全部 I/O 的 { $share } %
db-foreign-load-remedy = 在设备空闲时重新运行
db-fits-cache = 数据不到引擎缓存的两倍：大部分由缓存应答
db-fits-cache-seen = 数据 { $data }，缓存 { $holds }
db-fits-controller = 数据不到控制器缓存的四倍：大部分由缓存应答
db-fits-controller-seen = 数据 { $data }，控制器缓存 { $holds }
db-fits-memory = 数据不到内存的两倍：大部分由内存应答
db-fits-memory-seen = 数据 { $data }，内存 { $holds }
db-hosts-apart = 各主机没有同时开始或同时结束：每台主机和每个工作进程都按自己的时段测量
db-hosts-differ = 各主机的数据库不同：总计合并了不同数据库的数值
db-host-has = { $host }：{ $engine } { $version }，页 { $page }，缓存 { $cache }，{ $commit }
db-not-stopped = 无法正常停止 { $engine }
db-fits-remedy = 用 `secchi db insert { $directory } --grow-to { $needed }`（若没有全局变量，先运行 `secchi db create-globals { $directory }`）扩大数据，或用 --cached 测量缓存
db-lazy-commits = 提交不等待落盘：崩溃会丢失最后的提交
db-lazy-commits-remedy = 以落盘的提交重新运行并对比
db-journal-switched-off = { $engine } 在运行期间关闭了日志：此后的提交没有落盘
db-journal-switched-off-remedy = 在日志所在的文件系统上腾出空间或换用更大的卷，然后重新运行；若空间未满，则查看引擎的运行日志
db-journal-unknown = 运行结束时 { $engine } 未报告日志是否仍在开启：提交可能没有落盘
db-journal-unwritten = 提交报告为已落盘，但引擎没有使日志落盘
db-journal-unwritten-writes = { $commits } 次提交，却没有写入日志
db-journal-unwritten-flushes = { $commits } 次提交，却没有刷写日志
db-journal-unwritten-remedy = 查看引擎的运行日志及其日志（journal）设置；测得的速率是内存中提交的速率
db-rate-not-kept = 未达到要求的速率：已到期而未开始的批次不计入延迟，而它们本会是最慢的
db-rate-not-kept-seen = 每秒到期 { $asked } 批，开始了 { $begun } 批；最迟的一批晚 { $longest }
db-rate-not-kept-remedy = 降低 --rate，或使用更多进程（-p）
db-started-again = 有事务重新开始：引擎不止一次地做了它们的更新，引擎自己的计数每次都算在内
db-started-again-seen = { $commits } 次提交中重新开始 { $again } 次；引擎的 SET 与 KIL 计数合计 { $sets }
db-started-again-remedy = 增大 --cache：块若在提交前被换出，其事务就会重新开始；节点数、日志和 Gloupds 只含已提交的内容
db-values-cut = 模型把超过页内位置长度的值截短了：真实引擎会移动或拆分它们，写入的数据多于这些数值
db-values-cut-seen = { $of } 次更新中有 { $n } 次；日志中是完整的值
db-values-cut-remedy = 创建全局变量时使用与最长的更新一样长的值（create-globals --value）
db-tpcb-inconsistent = TPC-B 的余额与历史不一致：有其他客户端写了这些表，或数据库丢失了已确认的更新
db-inserts-not-settled = 运行之后未能统计插入的节点：对该数据库的下一条命令会统计
db-inserts-lost = 数据库中的新节点少于已确认的插入：引擎丢失了一部分，或有其他客户端删除了它们
db-inserts-lost-seen = 找到 { $found } 个，确认 { $told } 个
db-no-journal = 更新没有写日志：无法恢复，也缺少日志的写入
db-no-journal-remedy = 以 --journal-mode on 重新运行并对比
db-mostly-pause = 工作进程大部分时间在暂停：速率取决于暂停，但延迟有效
db-mostly-pause-seen = 占其时间的 { $share } %，要求每批之后暂停 { $asked }
db-mostly-pause-remedy = 缩短 --pause 或增加工作进程，才能看出存储的能力
db-pause-longer = 暂停比要求的长：机器的 CPU 不足，或其定时器精度太低
db-pause-longer-seen = 平均 { $made }，要求 { $asked }
db-pause-longer-remedy = 减少工作进程，或给机器更多 CPU
db-values-alike = 值太短而无法区分：若内容与已有的相同，引擎可能跳过写入
db-values-alike-seen = 值为 { $short } 字节；唯一的编号需要 { $needed } 字节
db-values-alike-remedy = 使用 --value { $needed } 或更大的值
db-backlog-grows = 更新快于写回：这个速率无法持续
db-backlog-grows-seen = 积压每秒增加 { $slope } 页，最多 { $most } 页
db-backlog-grows-remedy = 减少工作进程或加长 --pause，直到不再增长；或换用更快的数据设备
db-never-written-back = 运行期间引擎没有写回任何页：这些数值不含写回的代价
db-never-written-back-seen = 积累了 { $most } 页
db-never-written-back-remedy = 运行时间要长于引擎的写回间隔

# 由谁统计到达设备的 I/O。
db-counted-group = 控制组，{ $devices }
db-counted-processes = 进程的统计
db-counted-processes-on = 进程的统计，{ $devices }
db-counted-whole = { $devices } 的全部 I/O
db-counted-device = 设备 { $devices }

# 比值及其含义。
db-ratio-reads-per-block = 每次块读取的设备读取
db-ratio-reads-per-record = 每次记录读取的设备读取
db-ratio-reads-per-engine = 每次引擎读取的设备读取
db-ratio-engine-reads = 每次记录读取的引擎读取
db-ratio-writes-per-update = 每次更新的设备写入
db-ratio-bytes-per-byte = 每更新一字节的设备字节数
db-ratio-writes-per-engine = 每次引擎写入的设备写入
db-ratio-flushes-per-engine = 每次引擎写入的刷写
db-ratio-flushes-per-commit = 每次提交的刷写
db-remark-cache = 由缓存应答：这不是存储的速率
db-remark-page-cache = 引擎的读取由页缓存应答
db-remark-memory = 大部分读取由内存应答：这不是存储的速率
db-remark-flushed = 接近 1：每次写入后都有一次刷写（无 FUA 设备上的 O_DSYNC）
db-remark-sent = 最多 { $most }：进程发出的多于计入其控制组的

# 上限与设备的实际操作。
db-beyond-limit = 设备达到上限 `{ $limit }` 的 { $share }：上限有误，或测到的不是所购的存储
db-beyond-limit-remedy = 检查上限，并确认数据库位于所购的存储上
db-limit-others = 设备达到上限 `{ $limit }` 的 { $share }：其他程序使用了设备，或者该上限在此不适用
db-limit-binds = 上限 `{ $limit }` 是瓶颈：设备达到其 { $share }
db-limit-does-not-bind = 上限 `{ $limit }` 不是瓶颈：设备只达到其 { $share }
db-limit-seen = { $seconds } 秒内平均 { $rate }，上限 { $cap }
db-binds = { $limit }：设备达到 { $cap } 中的 { $rate }（{ $share }）
db-binds-throttle = 可能是限流：速率平稳，p50 不超过 { $p50 }，而 p99 为 { $p99 } 或更长，像是 I/O 在等待额度补充
db-do-raise = 提高已用满的 { $limit }，然后重新运行
db-do-find-cap = 查找未指定的上限（控制组的 io.max 或 blkio、虚拟机管理程序、卷），并用 --limit 指定
db-share-tiny = 不到 0.01 %

# 对数据库操作的需求。
db-need-closest = 没有哪个工作进程数满足所有条件；这是最接近的
db-need-fits = { $data } 的数据可放入缓存：用 `secchi db insert { $directory } --grow-to { $needed }`（若没有全局变量，先运行 `secchi db create-globals { $directory }`）扩大数据，或用 --cached 接受缓存的数值
db-need-too-short = 满足的时间为 { $time }，而要求为 { $lasting }：{ $command }
db-need-no-level-why = 未达到稳定水平：{ $why }
db-need-not-valid = 数值无效：{ $why }
db-need-no-bytes = { $kind ->
    [commits] 提交没有带宽：请改为对更新的带宽提出要求
   *[transactions] 事务没有带宽：请改为对更新的带宽提出要求
}
db-need-bytes-not-counted = 没有统计字节数：请改用 iops 提出要求
db-no-windows = 没有时间窗
db-subscripts = { $globals } 个全局变量，{ $all } 个下标

# 关于数据库运行的第一句话。
db-nothing-measured = 没有测到任何内容
db-nothing = 没有操作
db-titled = { $title }：{ $said }
db-with-indexes = { $said }（有 { $n } 个二级索引）
db-workers = { $n } 个工作进程
db-workers-moved = { $workers }（{ $moved }）
db-workers-last-level = { $workers }的最后一个水平（{ $moved }）
db-reads = 每秒 { $rate } 次读取
db-reads-no-rate = 读取没有稳定速率
db-updates = 每秒 { $rate } 次更新
db-updates-no-rate = 更新没有稳定速率
db-tps = { $rate } tps
db-inserts = 每秒 { $rate } 次插入
db-inserts-no-rate = 插入没有稳定速率
db-grew = { $nodes } 个新节点，值共 { $bytes }：数据文件增长 { $data }
db-grew-within = { $nodes } 个新节点，值共 { $bytes }：放进了数据文件的空闲空间
db-grew-and-written = { $grew }；每插入 1 字节向设备写入 { $factor } 字节
db-mean = 平均 { $mean }
db-mean-and-p99 = 平均 { $mean }，p99 { $p99 }
db-rate-and-latency = { $rate }，{ $latency }
db-rate-with-latency = { $rate }（{ $latency }）
db-rate-at = { $workers }时 { $rate }
db-batches = { $rate }，每个事务 { $batch } 次
db-batches-and-commits = { $rate }，每个事务 { $batch } 次（提交 { $latency }）
db-updates-latency = { $rate }，更新 { $latency }
db-then-more = { $first }；之后还有 { $n } 级，最后为 { $rates }
db-not-sustainable = { $said }；不可持续：等待写回的页每秒增加 { $pages } 个
db-reached-not-told = 到达设备的 I/O 未知：其他程序使用了设备
db-reached-devices = 设备每秒完成写入 { $writes } 次，{ $bytes }：每次更新 { $each } 次
db-reached-devices-bytes = 设备写入 { $bytes }
db-reached-processes = 引擎的进程每秒写入 { $writes } 次，{ $bytes }：每次更新 { $each } 次
db-reached-processes-bytes = 引擎的进程写入 { $bytes }
db-reached-sent = { $reached }（进程最多发出 { $most }）
db-reached-and-flushes = { $reached }；设备每秒刷写 { $flushes } 次
db-ramp-gains = 到 { $n } 个工作进程仍有增益：{ $told }
db-ramp-accepted = 到 { $n } 个工作进程仍合格（{ $wanted }）：{ $told }
db-ramp-refused = { $workers }时已不合格（{ $wanted }）：{ $told }
db-ramp-most = { $said }；最高为 { $workers }时 { $rates }
db-limit-level = 要求 { $workers } 每秒 { $rate } 个事务
db-limit-told = { $rate }，{ $kind ->
    [commits] 提交
    [transactions] 事务
    [reads] 读取
   *[updates] 更新
} { $latency }
db-limit-met = 直到 { $level } 都满足 { $needs }：{ $told }
db-limit-then-not = { $first }；在 { $level } 不满足
db-limit-then-undecided = { $first }；在 { $level } 无法判断
db-limit-not-reached = { $first }；这是测量过的最高一级
db-limit-undecided = 在 { $level } 就无法判断是否满足 { $needs }：{ $told }
db-limit-missed = 在 { $level } 就不满足 { $needs }：{ $told }
