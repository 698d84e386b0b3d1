# 回答：数值及其对象。
figure-of = { $did }，上限 { $cap }（{ $share }）
figure-at-least = 至少 { $figure }
figure-in-flight = { $figure }（并发 { $n }）
figure-at-depth = { $figure }（队列深度 { $depth }）
figure-rising = { $figure }，仍在上升
figure-per-doubling = { $figure }，队列深度每翻一倍 +{ $percent } %
figure-rising-at = { $figure }，队列深度 { $deepest } 时仍在上升
figure-of-size = { $size } 时 { $figure }

# 未知的原因。
why-rising = 仍在上升
why-noisy = 各级波动过大
why-brief = 级数太少或每级太短
why-lower = { $name } 是更低的上限
why-burst = 该速率依靠会耗尽的突发积分
why-cpu = 本机 CPU 太慢
why-few = 并发不足
why-undecidable = 本次运行无法区分
why-others = 其他程序使用了设备
why-others-hide = 其他程序使用了设备，掩盖了其上限
why-deeper-struck = 队列深度更大的各级无效
why-others-cpu = 其他程序占用了 CPU
why-generator = 可能受负载生成器限制
why-no-limit = 没有已知的上限
why-away = 远离所有已知上限
why-no-level = 未达到稳定水平
why-no-more = 没有要求更高的速率

# 瓶颈。
limit-undecided = 无法判定
limit-unknown = 未知
limit-few = 并发不足
limit-cpu = 本机 CPU
limit-device = 设备
limit-device-defined = 设备：本机所见的存储本身，不受上限约束
limit-cap = 某个上限
limit-cap-or-device = 上限或设备
limit-virtual-disk = 此客户机所见的虚拟磁盘
limit-iops-cap = IOPS 上限
limit-bandwidth-cap = 带宽上限
limit-undecidable = { $names }（本次运行无法区分）
limit-unnamed = { $name }（给定的上限中没有它）
binds-not-reached = 尚未达到上限，{ $what }：{ $figure }
binds-not-known = 未知，{ $what }：{ $figure }，{ $why }
binds-no-rate = 没有稳定速率，{ $what }：{ $figure }
binds-no-figure = 未知，{ $what }：{ $why }
binds-nothing = 无瓶颈，{ $what }：{ $figure }
binds-limit = { $limit }，{ $what }：{ $figure }
binds-others = { $binds }；另有 { $n } 个工作负载不同

# 是否提供了所购买的性能。
bought-more = 超过所购：{ $what } 达到 { $measured }，{ $row }：上限有误，或测到的不是所购的存储
bought-more-somewhere = 超过所购：上限有误，或测到的不是所购的存储
bought-less = 低于所购：{ $what } 达到 { $measured }，{ $row }
bought-row = { $row }：{ $measured }
bought-rows = { $first }；{ $second }
bought-delivered = 已达到所购：{ $shown }
bought-in-part = 已达到所购：{ $shown }；未证实：{ $row }，{ $why }
bought-not-shown = 未证实：{ $what } 达到 { $measured }，{ $row }；{ $why }
bought-not-tested = 未证实：没有可与所购性能对照的有效数值

# 是否满足需求。
need-figure = { $metric } 为 { $measured }
need-and-figure = { $need }：{ $figure }
needs-met = 满足 { $need }
needs-not-met = 不满足 { $need }
needs-undecided = 无法判定 { $need }
needs-some-met = { $all } 项全部满足，第一项 { $need }
needs-some-not-met = { $all } 项中有 { $n } 项不满足，第一项 { $need }
needs-some-undecided = { $all } 项中有 { $n } 项无法判定，第一项 { $need }

# 建议。
do-device = 查看内核关于该设备的消息（dmesg），然后重新运行
do-again = 重新运行到结束
do-wait = 等待运行结束
do-measure = 测量缺少的内容：{ $command }
do-ask = 指定所购性能（--limit、--volume）或需求（--need），即可得出结论
do-judge = 把数值与所购性能或需求对照：{ $command }
do-faster-storage = 换用更快的存储：单独一个 I/O 就需要 { $alone }，而要求是 { $most }
do-fewer = 减少并发，或换用更快的存储：单独一个 I/O 就需要 { $alone }
do-raise = 提高 { $limit }：需要 { $wanted }，实际只有 { $figure }
do-raise-baseline = 提高 { $limit }：需要 { $wanted }，突发之后只能维持 { $baseline } IOPS
do-keep = 并发至少保持 { $n }：每个 I/O 耗时 { $cycle }，要达到 { $wanted } 就需要这么多
do-faster-device = 换用更快的设备：需要 { $wanted }，实际只有 { $figure }
do-find-cap = 查找给定上限之外的上限，例如实例、主机或共享路径的上限
do-seller = 附上本次运行的 ID，询问供应商为何达不到 { $row }
do-lift = 提高 { $name } 后重新运行：它低于 { $row }
do-quiet = 在没有其他程序使用设备时重新运行
do-deeper = 加大队列深度，直到速率不再上升：{ $option }
do-another-size = 增加块大小，以区分上限与设备：{ $option }
do-longer = 用 { $option } 重新运行：每级时间更长，才能确定瓶颈

# 终端中回答行的标签，不超过八列。
label-bought = 所购
label-needs = 需求
label-binds = 瓶颈
label-do = 建议
