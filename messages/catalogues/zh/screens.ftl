# 列举与分句的连接。
list-next = { $first }、{ $next }
list-then = { $first }；{ $next }
list-and = { $first } 和 { $last }
list-more = 另有 { $n } 项
list-and-more = 另有 { $n } 项
list-told-and-more = { $told }；另有 { $n } 项
list-others = 另外 { $n } 项
told-of = { $what }：{ $told }
told-with = { $told }（{ $aside }）

# 左侧的标签，不超过八列。
label-verdict = 判定
label-partial = 未完成
label-limit = 上限
label-need = 需求
label-trust = 可信度
label-tags = 标签
label-note = 备注
label-run = 运行
label-all = 全部
label-host = 主机
label-storage = 存储
label-devices = 设备
label-target = 目标
label-targets = 目标
label-fill = 预填充
label-engine = 引擎
label-sampled = 采样
label-typed = 命令
label-again = 再看
label-try = 建议：

# 表头：与下面的数字差不多短。
head-binds = 瓶颈
head-what-binds = 瓶颈
head-engine = 引擎
head-operations = I/O 数
head-time = 时间
head-cpu-each = CPU/次
head-share = 份额
head-used = 占用
head-target = 目标
head-allows = 允许 IOPS
head-limit = 上限
head-device = 设备
head-median = 中位数

# 操作、阶段和目标的种类。
op-read = 读
op-write = 写
op-trim = TRIM
op-flush = 刷写
op-reads = 读取
op-writes = 写入
op-trims = TRIM
op-flushes = 刷写
role-probe = 探测
role-ramp = 递增
role-sweep = 块大小扫描
role-fixed = 固定
kind-file = 文件
kind-device = 设备
kind-null = 无（空目标）
kind-served = 服务器上的
cache-direct = 直接 I/O
cache-page = 经过页缓存

# 一屏的结论。
show-its-flushes = 其刷写
show-more-doubts = 另有 { $n } 项疑点和备注
show-took = 耗时 { $time }，未写入
show-took-written = 耗时 { $time }，写入 { $written }
show-took-of-disk = 耗时 { $time }，写入 { $written }，{ $share }
show-more-workloads = { $command }（另有 { $n } 个工作负载）

# 未完成的运行如何结束。
partial-complete = { $time } 后完成
partial-interrupted = 运行 { $time } 后、结束前被强制终止
partial-running = 仍在运行（已过 { $time }）
partial-stopped = 运行在 { $time } 后被停止
partial-hung = 运行在 { $time } 后放弃：I/O 没有返回
partial-failed = 运行在 { $time } 后因错误结束
partial-damaged = 运行日志在 { $time } 后损坏，剩余部分不能作为测量

# 需求与疑点。
need-word-met = 满足
need-word-not-met = 不满足
need-word-undecided = 无法判定
need-at = { $need }（并发 { $depth }）
need-count-met = 满足 { $n } 项
need-count-not-met = 不满足 { $n } 项
need-count-undecided = 无法判定 { $n } 项
need-counts = { $n } 项需求：{ $told }
trust-none = 未发现疑点
trust-invalid = 无效 { $n } 项
trust-doubts = 疑点 { $n } 项
trust-notes = 备注 { $n } 项
trust-in-steps = { $all } 个步骤中的 { $n } 个：{ $told }
trust-at = { $what }（并发 { $depths }）
trust-from-to = { $from } 至 { $to } { $what }

# 结果页的标题。
show-delivered = 实际性能与所购性能
show-probes = 探测
show-as-given = 按指定
show-answer = 结论
show-findings = 发现
show-measured-on = 测量环境
show-block-sizes = 各块大小，{ $mode }
show-in-flight = 并发 { $n }
show-no-level = 没有测到任何水平
show-chart-iops = 各并发 I/O 数的 IOPS
show-chart-p99 = p99 延迟

# 瓶颈，以及距下一个上限多远。
binds-mark = { $sign } 瓶颈
binds-at = { $sign } 受限于 { $name }
binds-headroom = 余量 { $room }
binds-wider = 另有 { $n } 个更宽的上限

# 拐点、N*、L0 与持续速率。
knee-label = 拐点
knee-at-once = 并发 1 时即出现
knee-at-most = 并发 { $at } 或更少
knee-between = 并发 { $below } 与 { $at } 之间
knee-and-mean = { $place }；{ $at } 时平均为 { $mean }
knee-not-reached = 并发 { $deepest } 时仍未达到
knee-not-resolved = 无法确定：{ $why }
knee-agree = 并发 { $from } 至 { $to } 一致，但太少或太短，不足以证明
nstar-least = 最高速率至少需要并发 { $n }
nstar-least-seen = 测到的最高速率至少需要并发 { $n }
nstar-without-l0 = { $told }（以 { $at_most } 代替 L0 计算）
nstar-gave = { $told }；{ $n } 时平均 { $mean }
nstar-gave-share = { $told }；{ $n } 时为其 { $share }，平均 { $mean }
nstar-struck = { $told }；基于已作废的速率
lzero-mean = 平均 { $l0 }（并发 1）
lzero-mean-rate = 平均 { $l0 }（并发 1）：每个并发 { $rate } IOPS
lzero-doubted = 平均 { $l0 }（并发 1），存疑：并发 { $n } 的结果说明每个最多 { $at_most }
sustained-label = 持续
sustained-struck = IOPS，作废：{ $why }
sustained-changed = 水平变化后 { $rate } IOPS
sustained-interval = { $rate } { $half }（本次运行内的 95 % 置信区间，{ $n } 个时间窗）
sustained-seconds = { $rate }，逐秒为 { $low } 至 { $high }
sustained-p99 = { $p99 } [{ $low }, { $high }]：按秒分块重抽样的 95 %

# 水平表下的注释。
level-struck = 作废：{ $why }
level-settled = { $after } 后稳定
level-changed = 水平变化：{ $course }；数值取自最后的水平
level-not-settled = 未稳定：{ $why }
level-few-windows = 时间窗太少，无法判断是否稳定
level-no-interval = 无区间：{ $why }
level-failed = { $n } 个 I/O 失败；不计入速率和延迟
level-little = 不符合利特尔定律：X*R/N = { $share }，应为 1
level-see = 见“可信度”：{ $ids }
level-mix = 各行为{ $ops }合计
level-too-short = 太短，无法判断是否稳定
level-too-few = 太少：超过该值的不足 10 个
level-not-shown = 宽度不足未显示：{ $heads }
level-best = 最高速率
level-held = 持续 { $time }
level-held-changed = 持续，变化后的 { $time }
level-steady = 稳定
level-no-sign = 无标记：太短，无法判断
no-room = 宽度不足未显示：{ $heads }

# 测量环境。
host-on = 运行于 { $hypervisor }
host-cpus = { $n } 个 CPU
host-allowed = { $what }（控制组允许 { $most }）
host-memory = 内存 { $memory }
host-sampled = { $series } 个计数器，{ $looks } 次，开销为一个核的 { $share } %（每次 CPU 时间 { $each }）
host-filled = { $time } 内写入 { $bytes }（含刷写）：{ $rate }
host-ceiling = secchi 自身每线程可达 { $one } IOPS（并发 1），{ $deep }（并发 32）
host-place = { $kind } { $path }，{ $size }，{ $cache }
host-run = { $id }，{ $how }（{ $time }），{ $tool }，退出码 { $code }
host-run-part = { $id }，{ $how }（{ $time }，占计划时间的 { $share }），{ $tool }，退出码 { $code }

# 目标之下的存储。
stack-raw = 裸设备，无文件系统
stack-filesystem = { $place } 上的 { $fs }，空闲 { $free } / { $size }
stack-filesystem-options = { $place } 上的 { $fs }（{ $options }），空闲 { $free } / { $size }
stack-backed = 后端为 { $file }
stack-cache = 缓存 { $mode }
stack-scheduler = 调度器 { $name }
stack-queue = 队列 { $n }
stack-largest = 最大请求 { $size }
stack-blocks = 逻辑/物理块 { $logical }/{ $physical } B
stack-rotates = 自称旋转介质
stack-discards = 支持 discard
stack-serial = 序列号 { $serial }

# Markdown 格式的运行。
markdown-incomplete = 未完成：{ $told }
markdown-wave = { $class }（{ $n } 并发），{ $time }
markdown-tags = 标签：{ $tags }
markdown-invalid = 无效
markdown-doubt = 疑点
markdown-note = 备注
markdown-held = { $n }（持续）
markdown-struck = 不是有效数值：{ $why }
head-count = 次数

# 计划：找到了什么，将要做什么。
label-plan = 计划
label-opens = 打开
label-memory = 内存
label-direct = 直接I/O
label-limits = 上限
label-engines = 引擎
label-chosen = 选用
label-clock = 时钟
label-ceiling = 自身上限
label-writes = 写入
label-then = 然后
label-plan-needs = 需求
plan-found = 在本机上找到
plan-done = 将要执行
plan-at-most = 最多 { $time }
plan-null-target = 空目标
plan-of-one = { $command }：{ $kind } { $path }，{ $size }，{ $cache }，{ $n } 个阶段，细致程度 { $time }；尚未写入任何内容
plan-of-several = { $command }：{ $several } 个目标并行（{ $paths }），每个 { $size }，{ $cache }，{ $n } 个阶段，细致程度 { $time }；尚未写入任何内容
plan-memory = { $memory } 中可用 { $available }
plan-memory-allowed = 控制组允许 { $limit }
plan-no-direct = 此处不可用：{ $why }
plan-direct-grain = 以 { $grain } 的倍数（由 { $how } 得知）
plan-direct-unknown = 直接 I/O 的对齐单位未知
plan-no-limits = 未声明（--limit），控制组中也未找到
plan-head-on = 作用于
plan-head-crossover = 交叉点
plan-head-burst = 突发
plan-head-for = 用途
plan-head-depth = 并发
plan-head-pace = 节奏
plan-head-each = 每次
plan-head-most = 最多
plan-declared = 已声明
plan-on-all = 全部
plan-on-of = { $targets } 的 { $op }
plan-works = 此处可用
plan-clock = { $clock }，每次 { $cost }；空转 { $spin } 的线程一次最多离开 CPU { $most }（p99.9 { $p999 }，超过 1 ms 的 { $long } 次）
plan-ceiling = secchi 自身（空目标）：每线程并发 1 时 { $one } IOPS，32 时 { $deep }
plan-no-ceiling = 未测量 secchi 自身的上限
plan-levels = { $first } 至 { $last }，{ $n } 个水平
plan-passes = { $levels }，{ $n } 轮
plan-as-ramp = 取递增的终点
plan-pace-even = { $rate } IOPS，均匀
plan-pace-poisson = { $rate } IOPS，泊松
plan-early = 序列稳定后水平提前结束；加大并发不再有增益时递增提前结束。
plan-no-fill = 无需预填充：测试文件完整
plan-fill = 先用 { $bytes } 不可压缩数据填充目标
plan-no-writes = 没有写入的阶段
plan-writes = { $all } 个阶段中有 { $n } 个写入，最多 { $time }，写入量取决于存储
plan-writes-at-most = { $all } 个阶段中有 { $n } 个写入，最多 { $time }，写入量取决于存储（按声明的上限最多 { $most }）
plan-bound = 总共不超过 { $most }（--max-written；--yes：不限）
announce-max-written = 总共最多写入 { $most }，包括填充测试文件（需要更多：--max-written SIZE 或 --yes）
plan-share = { $bytes } 相当于 { $share }
plan-written-before = 此前已写入 { $bytes }
plan-kept = 保留测试文件
plan-removed = 结束后删除测试文件
plan-hang = 若某个 I/O 超过 { $time } 则放弃运行
plan-error-first = 第一个 I/O 错误即结束该步骤
plan-error-count = { $n } 个 I/O 错误结束该步骤
plan-error-go-on = I/O 错误只计数，不结束任何步骤

# 对比。
label-differs = 不同
compare-differs = { $name }：A 为 { $a }，B 为 { $b }
compare-differs-line = 不同：{ $told }
compare-worse = B 更差：{ $figures }
compare-better = B 更好：{ $figures }
compare-also-better = 更好：{ $figures }
compare-all-same = 全部在 { $within } 以内相同
compare-one-same = { $figure } 在 { $within } 以内相同
compare-several-same = { $figures } 在 { $within } 以内相同
compare-open = 无法判断：{ $figures }
compare-open-more = 无法判断：{ $figures }（每边再运行 { $n } 次）
compare-runs = { $n } 次运行：{ $runs }
compare-runs-by = { $tools } 的 { $n } 次运行：{ $runs }
compare-head-figure = 指标
compare-head-interval = 95 % 区间
compare-head-scatter = 标准差 A, B
compare-head-answer = 结论
range = { $low } 至 { $high }
compare-changed-better = 有变化，变好
compare-changed-worse = 有变化，变差
compare-answer-same = { $within } 以内相同
compare-answer-more = 无法判断：再运行 { $n } 次
compare-answer-open = 无法判断
compare-legend = A、B：各次运行的中位数，每点一次运行，以 A 的中位数为基准。变化：B 的运行与 A 的运行全部比值的中位数（Hodges-Lehmann）及其 95 % 区间。p：运行的秩检验（Mann-Whitney）。区间位于 1/{ $ratio } 与 { $ratio } 之间时，视为在 { $within } 以内相同。
compare-legend-holm = A、B：各次运行的中位数，每点一次运行，以 A 的中位数为基准。变化：B 的运行与 A 的运行全部比值的中位数（Hodges-Lehmann）及其 95 % 区间。p：运行的秩检验（Mann-Whitney），对 { $n } 项指标校正（Holm）。区间位于 1/{ $ratio } 与 { $ratio } 之间时，视为在 { $within } 以内相同。
metric-device-writes = 设备写入

# 已保存运行的表。
runs-none = 还没有保存任何运行；用 `secchi qualify PATH` 生成
runs-head-command = 命令
runs-head-took = 耗时
runs-head-tags = 标签
runs-note = 备注：{ $note }

# 随时间的趋势。
label-runs = 运行
label-doubt = 疑点
label-figures = 指标
label-level = 水平
label-levels = 水平
label-change = 变化
trend-plan = 计划 { $plan }
trend-runs = { $n } 次运行，{ $from } 至 { $to }
trend-no-figures = 没有任何运行具有被认可的数值
trend-changes = { $n ->
    [0] 无变化
   *[other] { $n } 次变化
}
trend-no-change-told = 不作判断，也无平均：{ $why }
trend-mean = 平均 { $mean }（{ $range }）
trend-level = { $figure }；{ $n } 次，#{ $from }（{ $begin }）至 #{ $to }（{ $end }）
trend-not-drawn = 最初的 { $n } 次运行未画出
trend-table = 运行，最新的在最后
trend-head-exit = 退出码
trend-further = 另外 { $n } 项指标见上图和 --json
trend-dash = - = 已作废，或未测量

# 进行中运行的一行。
doing-preflight = 检查中
doing-fill = 预填充中
doing-left = 剩余 { $left }

# 网页。
html-database = { $engine } { $version }，数据 { $data }，缓存 { $cache }，{ $commit }

# 数据库运行的页面。
label-what = 对象
label-how = 方式
label-set = 参数
label-with = 同组
label-checked = 检查
dbview-database = 数据库
dbview-what = { $name }，{ $directory }：数据 { $data }，页 { $page }
dbview-nodes = 节点命名：{ $names }
dbview-growth = 增长
dbview-new-nodes = { $n } 个新节点
dbview-before = 之前
dbview-after-growth = 之后
dbview-grown = 长度
dbview-allocated = 已分配
dbview-all-files = 全部文件
dbview-inserted-in-order = 每个键都在最后一个之后；各类文件按长度，全部文件（数据库目录中的所有文件）按已分配空间
dbview-inserted-anywhere = 键落在已有键之间的任意处；各类文件按长度，全部文件（数据库目录中的所有文件）按已分配空间
dbview-amplified = 到全部写回为止向设备写入 { $written }，值共 { $bytes }：每字节 { $factor } 字节
dbview-amplified-device = 到全部写回为止所有使用者向设备写入 { $written }，值共 { $bytes }：每字节 { $factor } 字节
dbview-indexes = 每个全局有 { $n } 个二级索引
dbview-past-cache = 文件绕过页缓存
dbview-through-cache = 文件经过页缓存
dbview-cache = 引擎缓存 { $cache }，{ $files }
dbview-journal-on = 日志开启，{ $commit }
dbview-journal-off = 日志关闭，{ $commit }
dbview-group = 组 { $group } 中的其他运行
dbview-updates = 更新
dbview-inserts = 插入
dbview-commits = 提交
dbview-transactions = 事务
dbview-reads = 读取
dbview-blocks = 块
dbview-workers = { $n } 个工作进程
dbview-class-workers = { $class }（{ $n } 个工作进程）
dbview-waves = { $n } 轮
dbview-blocks-read = 绕过所有缓存，从数据库自身文件读取 { $block } 的块
dbview-engine-blocks = 由引擎自身的块读取读 { $page } 的块，绕过页缓存和引擎缓存；其计数器可能不计入
dbview-engine-blocks-cached = 由引擎自身的块读取读 { $page } 的块，经过页缓存；其计数器可能不计入
dbview-batch = 每个事务 { $batch } 次更新，从开始前到提交后
dbview-batch-reads = { $percent } % 的批次为读取
dbview-law-poisson = 随机间隔
dbview-law-fixed = 均匀间隔
dbview-arrivals = 每秒 { $asked } 批以{ $law }到期，开始了 { $begun } 批：迟 { $p50 }（p50）、{ $p99 }（p99），最多 { $longest }；时间从到期算起
dbview-pause = 每批之后要求暂停 { $asked }，实际 { $made }：占时间的 { $share }，不计入延迟
dbview-moved = 水平变化：{ $moved }；数值取自最后的水平
dbview-moved-no-rate = 水平变化：{ $moved }；没有单一速率
dbview-rate = 每秒 { $rate } 次操作
dbview-few = -：超过该值的操作不足 10 个
dbview-head-processes = 进程数
dbview-head-asked = 要求/秒
dbview-head-reads = 读/秒
dbview-head-updates = 更新/秒
dbview-head-writes = 写/秒
dbview-head-gain = 增益
dbview-last-gain = { $sign } 最后一个提高一成以上的
dbview-best = { $sign } 最高速率
dbview-accepted = { $sign } 合格：{ $wanted }
dbview-met = { $sign } 满足：{ $needs }
dbview-of-reads = 延迟为读取的延迟
dbview-of-transactions = 延迟为整个事务的延迟
dbview-of-updates = 延迟为更新的延迟
dbview-accepted-up-to = 合格，最多 { $n } 个进程
dbview-none-accepted = 没有合格的进程数
dbview-chart-rate = 各进程数的每秒操作数
dbview-hosts = 按主机
dbview-below = 下层的读写
dbview-counted-by = 计数来源
dbview-row-all = 合计
dbview-row-everybody = 所有程序
dbview-whole-of = { $names } 整体
dbview-by-group = 按引擎进程的控制组计数，测量时间 { $time }
dbview-by-processes = 按内核对引擎进程的统计计数，写入字节按发送计，测量时间 { $time }
dbview-by-device = 按整个设备计数，不论使用者，测量时间 { $time }
dbview-others-estimated = 估计其中 { $share } 属于其他程序
dbview-others-unknown = 其他程序的份额未知
dbview-others = 设备字节数的 { $share } 属于其他程序和文件系统日志
dbview-others-range = 设备字节的 { $least } 至 { $most } 属于他人和文件系统日志
dbview-sent = 写入 { $least } 至 { $most }：前者计入控制组，后者为进程发出的量（两次发出的页可能只写一次，或由内核稍后写入）
dbview-not-told-apart = 无法区分：{ $why }
dbview-after-processes = 结束之后：其进程在 { $time } 内写入 { $written }，读取 { $read }
dbview-after-devices = 结束之后：整个设备在 { $time } 内写入 { $written }，读取 { $read }
dbview-mgstat = 引擎（mgstat 名称）
dbview-mgstat-absent = 该引擎不提供：{ $names }
dbview-most = 最大
dbview-in-run = 运行期间
dbview-engine = 引擎
dbview-counted = 计数
dbview-write-back = 写回期间
dbview-between = 间隔中的事务
dbview-during = 期间的事务
dbview-commits-between = 间隔中的提交
dbview-commits-during = 期间的提交
dbview-waits = 等待所占比例（按调用时间）：{ $roles }
dbview-waited = { $role } 会话 { $sessions }，写回线程为运行时间的 { $writers }
layout-worth = 值得移动 { $moved }：{ $figures }
layout-worse = 不值得移动 { $moved }：{ $figures }
layout-no-difference = 移动 { $moved } 没有超过 { $share } 的差别：{ $figures }
layout-mixed = 移动 { $moved } 有的变好，有的变差：{ $figures }
layout-cannot-tell = 这些运行说明不了是否值得移动 { $moved }：{ $figures }
layout-binds = { $role } 的卷是瓶颈：会话有 { $share } 的时间在等它
layout-binds-none = 没有卷是瓶颈：会话等得最多的是 { $role }，占其时间的 { $share }
layout-binds-unknown = 该引擎不说明会话在等什么
layout-grows = { $n } 次运行中更新多于写回
layout-lies = { $role }：{ $at }
layout-lies-on = { $role }：{ $at }（{ $devices }）
layout-untested = 各次运行的中位数，仅供参考，未作检验；A 为现有布局
layout-more = --full 显示：各角色的位置、图表、分阶段的提交、备注和各次运行
dbview-times = { $n } 次，平均 { $mean }，最大 { $most }，占运行时间的 { $share }
dbview-pages = 每次 { $pages } 页
dbview-backlog = 积压
dbview-backlog-is = 最多 { $most } 页，结束时 { $last }
dbview-backlog-level = { $told }：写回跟得上
dbview-backlog-grows = { $told }：每秒增长 { $slope } 页，无法持续
dbview-backlog-gathers = { $told }：运行期间没有写回
dbview-backlog-short = { $told }；样本太少，无法判断是否增长
dbview-no-history = 尚未在此数据库上运行过；用 `secchi db ranread DIR` 读取
dbview-head-batch = 批次
dbview-head-date = 日期
dbview-head-clock = 时刻
dbview-head-journal = 日志
dbview-head-commit = 提交
dbview-on = 开
dbview-off = 关
dbview-partial = 未完成
dbview-history-legend = 有读取时为读取的延迟，否则为整个事务的延迟
dbview-history-earlier = 更早的 { $n } 批见 --full
dbview-rows = { $n } 行

# 块层跟踪的结果。
traced-layers = 逐层 I/O：{ $label }
traced-device = 设备上的 I/O：{ $label }
traced-more = 各步骤的直方图和层：secchi show --json
traced-aside = 跟踪 { $length }，占 CPU { $share }
traced-none = 没有请求到达设备
traced-4m = 4 MiB 及以上
traced-fewer = 另有 { $n } 个请求更少
traced-head-bytes = 字节
traced-head-size = 平均大小
traced-head-mostly = 最常见
traced-head-order = 顺序
traced-head-time = 平均时间
traced-head-queued = 排队
traced-head-layer = 层
layer-application = 应用程序
layer-calls = 系统调用
layer-process = 进程到块设备
layer-dirtied = 页缓存，变脏
layer-written-back = 页缓存，写回
layer-queued = 块层，合并前
layer-requests = 块层，合并后

# 运行列表中的数值。
listed-rate = 每秒 { $rate } { $kind }
listed-no-rate = { $kind }，没有单一速率

# 监视的总结。
view-alarms = 告警
view-head-alert = 告警条件
view-head-of = 对象
view-head-worst = 最差
view-head-since = 开始于
view-to-the-end = 直到结束
view-devices = 设备，所有程序的 I/O
view-looks = { $looks ->
    [1] { $looks } 次采样，共 { $time }
   *[other] { $looks } 次采样，共 { $time }
}
view-head-slowest = 最慢
view-head-merged = 合并
view-head-queue = 队列
view-head-busy = 忙
view-devices-legend = 平均时间：从入队到完成，按请求数加权；最慢：单个区间的最差平均；忙：有请求在处理的时间，并不表示设备有多满：能同时处理多个请求的设备远未到上限就显示 100 %
view-idle = 空闲
view-flushes = 刷写 { $n }
view-discards = discard { $n }
view-limits = 上限，同一秒求和
view-full-from = 满：97 % 及以上
view-head-cap = 上限值
view-head-full = 满的时间
view-head-longest = 最长连续
view-never = 从未
view-shares-full = { $cap }，满的期间：{ $shares }
view-shares-all = { $cap }，整个期间：{ $shares }
view-sum-of-maxima = 各自的最大值相加为 { $sum }，但不在同一时刻
view-left-out = 不含 { $names }：其活动已计入其下层设备
view-command = 命令
view-process = 进程 { $pid }
label-command = 命令
label-used = 用量
view-used-bytes = 块设备读取 { $read }，写入 { $written }
view-used-wait = wait4 为 { $read } 和 { $written }
view-used-cpu = CPU 时间：用户 { $user }，系统 { $system }
view-used-switches = { $n } 次上下文切换
view-used-memory = 常驻内存最多 { $memory }
view-used-with-children = { $told }（含其等待过的子进程）
view-processes = 进程（含子进程）
view-head-process = 进程
view-head-read = 读取量
view-head-written = 写入量
view-head-user = CPU 用户
view-head-system = 系统
view-head-switches = 切换/秒
view-hidden = 不可见
view-processes-legend = 字节为内核代其发送到块设备的量；CPU 为单核的百分比
view-groups = 进程的控制组
view-charged = 按记账的 I/O，合并前
view-head-group = 组
view-head-most-iops = 最大 IOPS
view-head-stopped = 被停
view-head-memory = 内存
view-no-io = 未计到 I/O
view-group-free = { $name }：进程 { $processes }；无限制
view-group-allowed = { $name }：进程 { $processes }；允许：{ $allowed }
view-machine = 本机
view-machine-aside = 平均值与单区间最大值
label-waiting = 等待
label-cpu = CPU
view-and-most = { $mean }（最大 { $most }）
view-cpu-user = 用户 { $told }
view-cpu-system = 系统 { $told }
view-cpu-wait = 等待 I/O { $told }
view-cpu-stolen = 被窃取 { $told }
view-dirty = 脏页 { $told }
view-writeback = 写回中 { $told }
view-available = 可用 { $told }
view-some-io = 部分任务等待 I/O { $told }
view-all-io = 全部等待 I/O { $told }
view-some-memory = 部分等待内存 { $told }
view-some-cpu = 部分等待 CPU { $told }
view-on-the-way = 期间事件
view-more-notes = 另有 { $n } 条：secchi show --json 中有全部

# 监视进行中的行。
view-no-look-io = 无 I/O
view-late = 延后：为 { $seconds } 秒的平均
view-cpu = CPU 用户 { $user } %，系统 { $system }，iowait { $wait }，被窃取 { $steal }
view-memory = 脏页 { $dirty }，写回中 { $back }
view-waiting = 等待 I/O { $share } %
view-idle-devices = { $n } 个空闲设备
view-process-line = 进程 { $name }：{ $told }
view-process-bytes = 读取 { $read }，写入 { $written }
view-process-calls = 系统调用每秒 { $reads } + { $writes }
view-core = 单核的 { $share } %
view-group-line = 组 { $name }：{ $told }
view-group-line-allowed = 组 { $name }：{ $told }（允许：{ $allowed }）
view-group-io = { $device } 上 { $rate } IOPS { $bytes }
view-group-stopped = 因配额停止 { $share } %
view-group-memory = 内存 { $memory }

# 监视的实时画面。
view-every = 每 { $time }
view-held = 已暂停，之后 { $n } 次
view-late-board = 延后：{ $seconds } 秒的平均
view-all-together = 合计
view-no-sizes = 无大小：以 root 加 --trace-blocks 跟踪块层（b：图表）
view-sizes-last = { $name } 的大小，最近区间：{ $time }
view-sizes-all = { $name } 的大小，自开始：{ $time }
view-over = { $name }（位于 { $devices } 之上）
view-taller = （更多：加高终端，或看结束时的总结）
view-mean-time = 平均时间
view-plot-queue = 队列
view-in-flight = 处理中
view-plot-most = 最大 { $most }
view-first-look = 等待第一次采样
view-limits-line = 上限  { $told }
view-cpu-board = CPU %  用户 { $user } 系统 { $system } iowait { $wait } 被窃取 { $steal }   等待 I/O % { $some }   脏页 MiB { $dirty } 写回 { $back }
view-foot = q 退出  ? 按键  ↑/↓ 设备  b 大小  +/- { $span }  p 暂停  s 合计  r 角色
view-keys = 按键
view-keys-move = ↑、↓、Tab       切换设备；图表为所选设备
view-keys-sum = s               合计：位于其他设备之上的除外
view-keys-sizes = b               请求大小：自开始、最近区间、
view-keys-sizes-more = 返回图表（需 --trace-blocks）
view-keys-span = +  -            加长或缩短时间范围
view-keys-hold = p、空格         暂停画面；采样继续并保留
view-keys-roles = r               角色名或内核名
view-keys-help = ?               显示或关闭本说明
view-keys-quit = q、Ctrl-C       结束监视并显示总结
view-keys-await = await：从入队到完成的平均时间。busy：有请求在处理的时间；
view-keys-busy = 能同时处理多个请求的设备到 100 也不算满。

# 磁盘跑分。
mark-asked = { $size } { $times } { $loops } 轮，每轮 { $seconds } 秒，{ $data }
mark-asked-cached = { $asked }，经过页缓存
mark-zeros = 全零
mark-random = 随机数据
mark-nothing = 没有测到任何数值
mark-read = 读取 { $rate }
mark-write = 写入 { $rate }
mark-mix = 混合 { $rate }
mark-not-valid = 无效：{ $trouble }；{ $told }
mark-stopped = 提前停止；{ $told }
mark-no-end = 在结束前被强制终止；{ $told }
mark-running = 仍在运行；{ $told }
mark-hung = 无响应：{ $reason }；{ $told }
mark-failed = 失败：{ $reason }；{ $told }
mark-damaged = 已损坏，不能作为测量：{ $reason }；{ $told }
mark-heading-read = 读取
mark-heading-write = 写入
mark-heading-mix = 混合  读 { $reads } %，写 { $writes } %，合计
mark-head-loops = 各轮
mark-loop-of = 第 { $turn } 轮 / { $planned }
mark-loops-of = { $done } / { $planned }
mark-try = { $doubt }；建议：{ $remedy }
mark-sum = { $n } 台主机之和：{ $hosts }
mark-by-host = 各主机，最佳一轮
mark-from-to = 从 { $slowest } 到 { $fastest }
mark-one-loop = 各一轮；MB/s = 10^6 字节/秒
mark-best-of = 数值取 { $n } 轮中最佳，旁为中位数；MB/s = 10^6 字节/秒
mark-again = 再次查看，或存为图片、文本：
mark-of = { $mark } { $place }：{ $asked }
mark-head-test = 测试
mark-head-direction = 方向
mark-head-best = MB/s（{ $n } 轮最佳）
mark-head-median = MB/s（中位数）
mark-legend = MB/s 为 10^6 字节；IOPS、平均和 p99 取自最佳一轮。

# fio 和 ioping 输出之后的疑点。
fio-trust-nothing = 未发现疑点
fio-trust-incomplete = 未完成
fio-trust-invalid = 无效
fio-trust-doubt = 疑点
fio-trust-note = 说明
fio-trust-verified = 读回并比较了 { $blocks } 个块，没有错误
fio-trust-interrupted = 在结束前被强制终止
fio-trust-running = 仍在运行
fio-trust-stopped = 运行在结束前被停止
fio-trust-hung = 有操作没有返回；数值只含已返回的
fio-trust-failed = 运行因错误而结束
fio-trust-damaged = 运行的日志已损坏：数值来自可读取的部分
fio-trust-thin = { $name }：从 { $first } 起的百分位之外不足 10 个操作（共 { $ops } 个操作）
ping-not-valid = 无效
ping-doubt = 疑点
ping-from-due = 从应发时刻起计；仅服务时间：平均 { $avg }，最大 { $max }；最长的发送等待：{ $wait }

# 写入量占磁盘的比例。
share-tiny = 不到 0.01 %
share-of-disk = { $name }（{ $size }）的 { $share }
share-of-disk-and-endurance = { $name }（{ $size }）的 { $share }，其耐久性的 { $endurance }
