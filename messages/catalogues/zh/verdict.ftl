# 数值及其所在的位置。
figure-after-change = { $rate } IOPS（速率变化之后）
figure-at-depth-and-above = { $figure }（队列深度 { $depth } 及以上）
figure-at-depth-after-change = { $figure }（队列深度 { $depth }，速率变化之后）
figure-at-most = 最多 { $figure }
figure-between = { $low } 至 { $high } IOPS（无稳定水平）
figure-at-size = { $size } 时 { $figure }
figure-on-credits = { $figure }，仅在积分用完之前
figure-promised = { $figure }，在承诺的 { $share } % 之内
figure-counted = { $figure }；按 EBS 自身的计数，{ $share } % 的时间超出上限
figures-lower-bounds = { $figures } 是下限；{ $reasons }
and-more = { $some } 等另外 { $n } 项
one-or-another = { $first } 或 { $second }
one-and-another = { $first } 和 { $second }
sizes-from-to = { $least } 到 { $most } 的 { $mode }
workloads-all = 全部 { $n } 个工作负载
workloads-of = { $all } 个工作负载中的 { $n } 个

# 上限条目。
row-iops-of = { $op ->
    [read] 读取
    [write] 写入
   *[other] { $op }
} { $value } IOPS
row-bandwidth-of = { $op ->
    [read] 读取
    [write] 写入
   *[other] { $op }
}带宽 { $value }
row-cgroup = { $name } 的 { $figure }
row-declared = 指定的上限 `{ $name }`（{ $figure }）
row-published = { $name } 公布的 { $figure }
row-published-burst = { $name } 公布的突发值 { $figure }
row-cgroup-briefly = { $name } 的上限
row-declared-briefly = 指定的上限 `{ $name }`
row-published-briefly = { $name } 的公布值
row-changed-since = { $row }（此后已变更）

# 工作负载的瓶颈。
binds-one = { $what } { $predicate }：{ $detail }
binds-several = { $what } { $predicate }：{ $detail }
binds-without-rate = 没有稳定的速率，未作判定
binds-without-figure = 没有有效的数值，未作判定
no-level = { $what } 未达到稳定水平：{ $why }
no-figure = { $what } 没有可供判定的数值：{ $why }
limited-by = 受限于 { $limit }
limited-as-counted = 受限于 { $limit }（按 EBS 自身的计数）
counted-exceeded = { $share } % 的时间超出，{ $figure }
limited-at-equals = 受限于 { $limit }，与 { $equal } 相等
limited-undecidable = 受限于 { $names }（本次运行无法区分）
limited-by-generator = 受限于负载生成器的 CPU，而非存储
limited-by-busy-cpu = 受限于本机 CPU，它被其他程序占用
limited-by-latency = 受限于延迟
limited-by-device = 受限于设备
limited-by-cap-or-device = 受限于上限或设备（本次运行无法区分）
limited-by-virtual-disk = 受限于此客户机所见的虚拟磁盘，未达到任何已知上限
rise-per-doubling = 队列深度每翻一倍仍上升 { $percent } %
rise-tail = p99 从 { $low } 到 { $high }
rise-between = 相近队列深度下为 { $low } 至 { $high }
limited-by-iops-near = 受限于约 { $iops } IOPS 的上限（给定的上限中没有它）
limited-by-either-cap = 受到限流：约 { $iops } IOPS 或 { $bandwidth } 的上限（给定的上限中没有它）
limited-by-bandwidth-near = 受限于约 { $bandwidth } 的上限（给定的上限中没有它）
limited-by-crossing = 受限于约 { $iops } IOPS 的上限，或约 { $bandwidth } 的上限，两者在此块大小处相交
not-limited-as-asked = 在所要求的速率下不受限
both-allow = 两者都允许 { $allows } IOPS（实测 { $rate }）；{ $deciders }
all-allow = 各项都允许 { $allows } IOPS（实测 { $rate }）；{ $deciders }
decider-deeper = 加大队列深度即可区分
decider-cpu = 给 secchi 更多 CPU 即可区分受限于哪一个
decider-sizes = 用 { $half } 或 { $double } 运行即可区分
decider-another-size = 换一种块大小运行即可区分
decider-another-mix = 换一种读写比例运行即可区分
decider-raise-one = 任何块大小都无法区分：提高其中之一，或同时对第二个卷施加负载（总和不变则是共享的上限）
lower-bound = { $figure } 是下限；{ $reasons }
came-of-asked = 要求每秒 { $asked } 个 I/O，实际 { $came }；未寻找上限
came-of-most = 实际 { $came } IOPS（要求的最大值：{ $most }）；未寻找上限
one-in-flight = 并发为 1，每个 I/O { $each }：{ $figure }
in-flight-give = 并发 { $n }，每个 I/O { $each }，得 { $give } IOPS（{ $measured }）；加大队列深度会更高
measured = 实测 { $rate }
measured-after-change = 实测 { $rate }（速率变化之后）
same-over = 在 { $sizes } 上速率相同
same-over-both = IOPS 在 { $iops } 上相等，带宽在 { $bandwidth } 上相等

# 未能确定瓶颈的原因。
unclear-rising = { $what } 尚未饱和：{ $rising }
unclear-noisy = { $what } 达到 { $figure }；无法判断其瓶颈：各级波动过大
unclear-brief = { $what } 达到 { $figure }：{ $agree }，级数太少或每级太短，无法确定上限；{ $longer }
unclear-why = { $what } 达到 { $figure }；{ $why }
several-rising-at = { $what }：{ $rising }；{ $some }在队列深度 { $deepest } 时尚未饱和
several-rising = { $what }：{ $rising }；{ $some }在试过的最深一级尚未饱和
several-noisy = { $what } 达到 { $figure }；无法判断{ $some }的瓶颈：各级波动过大
several-brief = { $what } 达到 { $figure }：{ $agree }；{ $some }的级数太少或每级太短，无法确定上限：{ $longer }
several-why = { $what } 达到 { $figure }；{ $some }：{ $why }
several-no-level = { $what } 未达到稳定水平
why-from-cache = 应答的是页缓存，而非存储
depths-agree = 队列深度 { $from } 到 { $to } 的数值相差不超过 { $within } %
longer-names-caps = { $option } 可确定上限
longer-repeats = { $option } 会重复测量各级
longer-quiet = 请在设备空闲时重新运行
hint-quiet = 在设备空闲时重新运行
hint-repeat = 重新运行
hint-deeper = 尝试更大的队列深度
hint-more-time = 延长测量时间
hint-declare = 用 --limit 指定上限
hint-not-saturated = 未证实存储已饱和

# 瓶颈的依据。
no-interval = （无区间：{ $why }）
seen-at-depth = { $figure } { $interval }（队列深度 { $depth }）
seen-held = { $figure } { $interval }（队列深度 { $depth }，持续）
constraint-used = { $name } 在此处允许 { $allows } IOPS：已用 { $used } %
constraint-next = 下一个上限：{ $name } 允许 { $allows } IOPS，为此速率的 { $times } 倍
remark-generator-busy = 备注：负载生成器较忙（{ $reasons }），但速率由该上限决定
remark-by-chance = 备注：此速率与 { $row } 相符只是巧合：{ $what } 随后超过了该上限
remark-passed-before = 备注：{ $what } 此前超过了 { $row }：突发已结束，或上限有误
remark-others-cpu = 其他程序占用了 CPU：{ $seen }
remark-cap-shared = 其他程序同时使用了设备：若上限也计入它们的 I/O，则在此块大小下最高可能为 { $sum } IOPS
remark-device = 延迟随队列深度增长而速率不增，负载生成器空闲
remark-device-away = 延迟随队列深度增长而速率不增，负载生成器空闲，且附近没有已知的上限
remark-cap-or-device = 上限的表现与此相同：请增加更小和更大的块大小（--bs）
no-cap-counted = 不是上限：按存储自身的计数，没有上限被超出
no-cap-sizes = 不是上限：较小的块达到更高的 IOPS，较大的块达到更高的带宽
no-cap-bend = 不是上限：速率逐渐趋平，而不像受上限限制时那样骤然变平
seen-pauses = 少数请求用了长达 { $longest }，多数只需 { $median }（平均 { $mean }）：这表明有限流
same-with-flushes = 每秒 { $writes } 次写入和 { $flushes } 次刷写；不带刷写的 { $what } 达到 { $rate } IOPS
remark-virtual-disk = 队列深度每翻一倍，速率只上升百分之几，而延迟增长：在客户机内部无法区分磁盘本身与宿主机的上限
remark-virtual-disk-scatters = 相近队列深度的各级速率不同，而上限不会造成这种差异：在客户机内部无法区分磁盘本身与宿主机的负载
seen-counted = 超出上限的时间（按 EBS 的计数）：{ $limits }
seen-counted-none = 按 EBS 的计数，没有上限被超出

# 第一句话。
nothing-measured = 没有测得任何结果
more-below = 另有 { $n } 项见下
trouble-before = { $what }；在此之前：{ $said }
trouble-left = { $what }；就余下的部分而言：{ $said }
trouble-so-far = { $what }；到目前为止：{ $said }
ended-by-errors = 因错误而停止
journal-damaged = 没有有效的测量：运行的日志已损坏
stopped-early = 未到结束即被停止
without-end = 在结束前被强制终止
still-running = 仍在运行
not-valid = 无效：{ $statement }（{ $evidence }）
not-valid-and-more = 无效：{ $statement }（{ $evidence }；另有 { $n } 处）
hung = 无响应：I/O 没有返回
hung-operations = 无响应：{ $of } 有 { $n } 个 I/O 没有完成，最早的已等待 { $oldest }
ping-none-counted = 没有计入任何请求
ping-times = { $count } 个请求：{ $times }
time-mean = 平均 { $time }
time-max = 最大 { $time }

# 步骤经过的水平。
course-until = 到 { $time } 为止 { $rate }
course-then = 之后 { $rate }
course-more = 另有 { $n } 个水平
course-stalled = { $course }：最后 { $lasted } 没有完成任何 I/O
course-too-short = { $course }：最后一个水平只有 { $lasted }，太短而无法判定
course-fell = 从 { $from } 持续下降到 { $to } IOPS（{ $by } %）
course-rose = 从 { $from } 持续上升到 { $to } IOPS（{ $by } %）
course-rose-far = 从 { $from } 持续上升到 { $to } IOPS
course-repeats = 每 { $period } 在 { $low } 与 { $high } IOPS 之间升降一次
course-alternates = 在 { $low } 与 { $high } IOPS 之间交替

# 没有数值或区间的原因。
listed-with-another = 该数值列在同一次运行的另一种操作中
nothing-completed = 没有完成任何 I/O
no-level-long-enough = 没有任何水平持续得足够久
too-few-windows = 时间窗太少
windows-wanted = 需要 { $wanted } 个时间窗，只有 { $had } 个
came-to-no-level = 未达到稳定水平
came-to-no-level-as = 未达到稳定水平：{ $why }
not-at-one-level = 速率发生了变化：{ $course }
not-measured = 未测量
not-settled = 未稳定
not-settled-as = 未稳定：{ $why }
not-told = 未知
no-samples = 没有样本
no-latency = 没有延迟数据
too-few-seconds = 秒数太少（{ $n }）
too-few-samples = 样本太少（{ $n }），不足以得出 { $percentile }
too-few-operations = I/O 太少（{ $n }），不足以得出 { $percentile }
records-without-size = 没有统计字节数
journal-of-run-damaged = 运行的日志已损坏
came-to-no-end = 运行没有结束：其数值只涵盖已记录的部分

# 需求满足、不满足或无法判定的原因。
need-at-level = 所要求的一级（{ $phase }）上的 { $what }
need-unmeasured = 该运行没有测量 { $what }；测量命令：{ $command }
need-unmeasured-kind = 该运行没有测量 { $what }；测量命令：{ $command }
need-met-too-short = 满足的时间为 { $lasted }，而要求为 { $lasting }；此命令测量的时间足够长：{ $command }
need-unsettled-may-meet = 没有稳定的一级满足所有条件；队列深度 { $depth } 的一级可能满足，但其速率未稳定
need-met-fleetingly = 只在之前一个短暂的水平上满足，未能持续；这是能持续的水平中最接近的
need-met-on-the-way = 途中的一级满足；但其后持续测量的一级（队列深度 { $depth }）无效：{ $struck }
need-not-met-on-the-way = 途中的一级不满足；但其后持续测量的一级（队列深度 { $depth }）无效：{ $struck }
need-no-level = 速率未稳定：{ $why }
need-not-valid = 数值无效：{ $why }
need-from-cache = 应答的是页缓存：这不是存储的数值
need-limit-changed = 测量期间 secchi 所在控制组的上限发生了变化
need-generator = 负载生成器的 CPU 已耗尽：存储的能力可能更高
need-others = 其他程序同时使用了设备：若没有这些负载，存储可能更好
need-others-cpu = 部分时间内其他程序占用了 CPU：若没有这些负载，存储可能更好
need-closest = 没有任何一级满足所有条件；这是最接近的
need-too-close = 离界限太近，或样本太少，无法判定
need-errors = 该运行中有 I/O 失败；不能认定任何需求已满足
need-few-operations = { $n } 个 I/O：太少，不足以判定需求
need-met-by-last = 只有最后一个水平满足：{ $course }

# 发现。
found-beyond-limit = { $what } 达到 { $row } 的 { $share } %：上限有误，或测到的不是所购的存储
found-beyond-limit-several = { $what } 最高达到 { $row } 的 { $share } %：上限有误，或测到的不是所购的存储
remedy-beyond-limit = 检查上限，并确认目标位于所购的存储上
doubt-limit-not-counted = 速率看似受某个上限限制，而 EBS 自身从未计到它被超出
seen-limit-not-counted = { $what }：速率与 { $limit } 相符；但按 EBS 的计数，没有任何上限被超出的时间达到 1 %
remedy-limit-not-counted = 检查给定的上限；查找卷之上的上限：控制组、映射设备、应用程序
found-above-limit = { $what } 高于 { $row }：可能是突发、请求合并、上限有误或缓存
found-above-limit-several = { $what } 均高于 { $row }：可能是突发、请求合并、上限有误或缓存
found-above-published = { $what } 高于 { $row }：可能是上限有误、上限已提高或缓存
found-above-published-several = { $what } 均高于 { $row }：可能是上限有误、上限已提高或缓存
remedy-above-limit = 检查上限；运行到突发结束；查看有关缓存的疑点
found-burst-credits = { $what } 依靠突发积分高于 { $row }：不会持久
found-burst-credits-several = { $what } 均依靠突发积分高于 { $row }：不会持久
seen-credits = 已施加负载 { $loaded }；满积分可支撑 { $lasts }
remedy-burst-credits = 按基线规划；运行到突发结束
found-merged = { $what } 超过 { $row }，该上限把连续的相邻 I/O 计为一个：只有随机 I/O 才能检验它
found-merged-several = { $what } 均超过 { $row }，该上限把连续的相邻 I/O 计为一个：只有随机 I/O 才能检验它
found-published-limits = 上限取自公布值，是上限而非承诺
published-on = 公布于 { $date }
published-undated = 公布日期不明，可能已变化
published-long-ago = 公布于 { $date }，可能已提高
above-published = { $what } 超过 { $date } 公布的最大值 { $most }；此后可能已提高，因此接受该值
above-published-undated = { $what } 超过公布日期不明的上限 { $most }：可能已提高，按给定值计算
found-below-all-limits = { $what } 低于所有已知上限；最接近的是 { $row }
found-below-all-limits-several = { $what } 均低于所有已知上限；最接近的是 { $row }
remedy-below-all-limits = 查找条目未指明的原因：共享的路径、更低的实例上限、文件系统
found-retrograde = { $what } 加压后速率下降：队列深度应不超过 { $depth }
found-retrograde-from-one = { $what } 加压后速率下降：队列深度应保持 { $depth }
found-not-sustained = { $what } 未能维持阶梯加压时达到的速率：突发已结束，或其他程序使用了设备
seen-in-ramp = 阶梯加压时 { $rate } IOPS，{ $seconds } 秒
seen-held-for = 持续测量时 { $rate } IOPS，{ $seconds } 秒
remedy-not-sustained = 按持续测量的速率规划；延长运行可看到突发结束并恢复
found-crossover = { $mode }：{ $up_to } 及以下受 IOPS 限制，{ $from } 起受带宽限制；两个上限在 { $cross } KiB 处相交

# 对比与趋势。
compare-left-out = 并非所有运行都有，已排除：{ $names }
compare-held-at = { $n } 次运行在队列深度 { $depth }
compare-ramp-level = { $what } 的持续测量：{ $held }；对比的是阶梯加压中队列深度 { $depth } 的一级
compare-runs-left-out = { $all } 次运行中排除了 { $n } 次：{ $why }
compare-no-ratio = 有数值为零：没有比值
compare-no-figure = 没有任何运行有此数值
compare-few-runs = 每边 { $n } 次运行太少，无法判断
compare-few-runs-for = 每边 { $n } 次运行太少，无法判断 { $figures } 项指标
compare-few-runs-apart = { $n } 次对 { $m } 次运行太少，无法判断
compare-few-runs-apart-for = { $n } 次对 { $m } 次运行太少，无法判断 { $figures } 项指标
compare-scatter = 各次运行波动过大：需要超过 { $most } 次运行
compare-in-order = { $first } 的所有运行都在 { $last } 的运行之前：存储的漂移会看似变化；`secchi ab` 会交替运行
compare-of-runs = { $all } 次运行中的 { $n } 次：{ $remark }
trend-needs-runs = 判断变化需要 { $needed } 次运行，有此数值的只有 { $n } 次

# 运行列表中对 fio 和 ping 的概述。
run-not-valid-then = 无效：{ $why }；{ $told }
run-fio = fio：{ $jobs } 个作业，{ $iops } IOPS，{ $rate }
run-fio-moved = fio：{ $jobs } 个作业，不在同一水平：{ $one }
run-fio-one-moved = fio：{ $jobs } 个作业，没有稳定的速率；其中一个作业：{ $first }
run-fio-ended = fio：{ $jobs } 个作业：{ $why }
run-latency = 平均延迟 { $mean }
run-latency-from-due = 平均延迟从应发时刻起 { $due }，从提交起 { $sent }
run-ping = ping：{ $count } 个请求，平均 { $mean }，p99 { $p99 }，最大 { $max }
run-ping-few = ping：{ $count } 个请求，平均 { $mean }，最大 { $max }
run-ping-nothing = ping：没有计入任何请求
limit-unconfirmed = { $limit } 虽已公布，但与测量不符：不与结果比较
