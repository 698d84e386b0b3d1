# 在其他工具的文件中注意到的：解码方式，以及未能理解的行。
import-utf-16-untold = 按 UTF-16 读取，尽管文件没有注明
import-quoted = 已去掉行首的邮件或论坛引用标记（`> `）
import-latin-1 = 不是 UTF-8，按 Latin-1 读取：ASCII 以外的字母可能有误
import-nul-bytes = 忽略文件中的 { $n } 个 NUL 字节
import-passed-over = 已跳过：{ $text }
import-columns-differ = 已跳过：该行有 { $has } 列，应为 { $of } 列：{ $text }

# 不完整的文档。
import-json-not-whole = JSON 不完整：{ $why }
import-json-not-whole-at = JSON 在第 { $line } 行不完整：{ $why }
import-document-not-whole = 此处的 JSON 格式有误：{ $why }
import-cut = 中途截断
import-no-colon = 键后没有冒号
import-no-key = 应有键之处没有键
import-list-open = 列表没有结束
import-text-open = 字符串没有结束
import-no-value = 应有值之处没有值
import-no-such-value = 值的位置上是无法识别的词
import-xml-cut = XML 不完整：中途截断
import-xml-not-whole = XML 不完整：{ $why }

# fio 的输出与日志。
import-fio-other-lines = 跳过 JSON 之外的另外 { $n } 行（同一次运行的其他 fio 输出？）
import-more-lines = 另外跳过 { $n } 行
import-fio-earlier-report = 之前有同一次运行较早的报告：采用最后一份
import-fio-several-reports = 文件中有多份报告：采用最后一份
import-fio-reported-before = 作业 { $name } 在第 { $line } 行也有报告：取最后一份
import-fio-key-twice = `{ $key }` 在一个对象中出现两次：最后一个有效
import-fio-job-error = 作业 { $name } 以错误 { $error } 结束
import-fio-error = fio 报告了 { $n } 个错误：{ $text }
import-fio-did-nothing = 作业 { $name } 没有进行任何 I/O
import-fio-steady-state = steadystate { $asked }：attained={ $attained }，criterion={ $criterion }
import-fio-short = { $n } 个 I/O 短于请求的长度
import-fio-dropped = { $n } 个 I/O 被丢弃
import-fio-dashes = 命令中有不是连字符的破折号：fio 把这样的词当作作业文件名
import-fio-disagree = 作业 { $name }：{ $way ->
    [read] 读取
    [write] 写入
    [trim] TRIM
   *[mixed] 混合
}的带宽与 IOPS 相差 { $percent } %（fio 把 ramp_time 期间传输的字节也计入）
import-fio-not-told = fio 的文件中没有这个数值
import-fio-few = I/O 太少（{ $count } 个），得不出 p{ $p }
import-fio-no-percentile = fio 的文件中没有 p{ $p }（让 fio 给出：--percentile_list={ $p }）
import-fio-percentile-of-jobs = fio 的文件中没有 { $jobs } 个作业合在一起的 p{ $p }：百分位数不能取平均（用 group_reporting 或 json+）
import-fio-terse-fields = 版本 { $version } 有 { $whole } 个字段，此行有 { $count } 个
import-fio-no-histogram = 不是直方图的行
import-fio-log-back = 时间早于上一行（fio 把同一作业各克隆的日志逐个写入）
import-fio-log-untold = 文件内容和名称（如 `_bw.1.log`、`_iops.1.log`、`_clat.1.log`）都没有表明数值的含义
import-fio-log-latencies = 按文件名，这些是{ $kind ->
    [submission] 提交
    [completion] 完成
   *[total] 总计
}延迟；按纳秒读取，但 fio 2.x 写的是微秒
import-fio-log-micros = 按文件名，这些是{ $kind ->
    [submission] 提交
    [completion] 完成
   *[total] 总计
}延迟；按 fio 2.x 所写的微秒读取：作为纳秒则不合理
import-fio-log-clones = 文件中依次有同一作业的 { $n } 个克隆：各自成为一个序列
import-fio-log-of = 按文件名，这些是{ $kind ->
    [bandwidth] 带宽
    [IOPS] IOPS
    [submission] 提交延迟
    [completion] 完成延迟
   *[total] 总计延迟
}：内容没有表明这一点

# 随时间的采样。
import-clock-back = 时钟倒退了 { $seconds } 秒：此后的样本排在最后一个样本的一秒之后
import-zone = 其时间的时区为 { $zone }
import-month-or-day = 日期中的日与月无法区分：按月/日读取
import-no-date = 不是日历中的日期：{ $text }
import-header-of-iris = 缺少表头：各列当作 IRIS 的列（Glorefs ... IJULock）
import-header-missing = 缺少表头：{ $n } 列没有名称
import-row-cut = 该行的列数少于表头：它被截断
import-blank-values = { $n } 个空值：速率在第一行没有值
import-zpool-first = 第一份报告涵盖存储池导入以来的时间（除非 zpool iostat 带 -y 运行），单独保存；报告没有时间，以序号代替
import-iostat-first = 第一份报告是机器启动以来的（除非 iostat 带 -y 运行）：单独列出
import-iostat-untimed = 没有时间的报告以序号代替（iostat -t 会给出时间）
import-iostat-one = 唯一的报告是机器启动以来的（除非 iostat 带 -y 运行）：不反映任何时段，也不反映任何负载
import-iostat-excerpt = 没有 iostat 首行的摘录：假定其第一份报告涵盖一个时段（若它是 iostat 打印的第一份，其数值就是机器启动以来的平均值）
import-iostat-twice = { $device } 在一份报告中列出两次：以第一行为准
import-reports-by-profile = 报告没有时间：按配置的 { $seconds } 秒间隔排列
import-sar-average = Average 各行是所有时段的平均值：单独保存
import-sar-restart = 机器在此处重新启动
import-sar-empty = 有 sar 的设备表头，但没有数据行
import-vmstat-first = 第一行是机器启动以来的（除非 vmstat 带 -y 运行）：单独列出
import-vmstat-one = 唯一的一行是机器启动以来的（除非 vmstat 带 -y 运行）：不反映任何时段，也不反映任何负载
import-vmstat-untimed = 没有时间的行以序号代替（vmstat -t 会给出时间）
import-pidstat-unread = { $n } 个值为 -1：pidstat 不能读取其他用户进程的情况
import-pidstat-whole = 表头与各行时间相同的报告是机器启动以来的：单独列出
import-pidstat-empty = 有 pidstat 的表头而没有进程
import-nfsiostat-first = 每个挂载的第一份报告涵盖挂载以来的时间（除非之前的报告被截去）：单独保存
import-nfsiostat-headers = 其 kB 数值计的是整个 RPC 消息，包含消息头：多于程序读写的量
import-nfsiostat-untimed = nfsiostat 不给出时间：报告以序号代替
import-nfsiostat-empty = 有 nfsiostat 的标题，但没有挂载
import-btt-whole = btt 汇总整个跟踪：不反映任何时段
import-btt-empty = 有 btt 的标题而没有数值
import-section-unread = { $section } 部分未能读取：{ $why }
import-mgstat-empty = 有 mgstat 的表头而没有样本
import-vmstat-empty = 有 vmstat 的表头而没有行
import-iostat-empty = 有 iostat 的表头而没有设备
import-counters-empty = 有性能计数器的表头而没有样本
import-metrics-partial = { $label } 为 { $status }：数值不全
import-cloudwatch-unpaired = { $label } 有 { $times } 个时间和 { $values } 个数值
import-cloudwatch-one-value = { $name } 只有一个数值：周期未给出，得不出速率
import-cloudwatch-sums = { $name }：按 { $seconds } 秒内的总和读取（应答中既没有统计方式，也没有周期），并除以该时长

# 其他负载工具。
import-mix = 混合负载：{ $text }
import-phase-without-io = 阶段 { $phase } 没有 I/O
import-tool-error = 工具报告：{ $text }
import-end-missing = 中途截断：缺少 `{ $missing }`
import-excerpt = 摘录：缺少 `{ $missing }`；其中的测试是完整的
import-rows-missing = 表 `{ $table }` 在第 { $line } 行之后结束，缺少 { $rows } 行
import-yabs-empty = 第 { $line } 行的 YABS 表没有数值：fio 失败，或在 35 秒后被 YABS 停止
import-yabs-no-table = 第 { $line } 行有 YABS 的标题，但其后既没有 `fio Disk Speed Tests` 也没有 `dd Sequential Disk Speed Tests`
import-called-invalid = 工具自己把结果标为无效：{ $text }
import-fewer-than-asked = 要求 { $asked } 个事务，只完成了 { $done } 个
import-zeros-left-out = 略去速率为 0 的 { $n } 个阶段：没有要求做的，{ $tool } 也写成 0
import-times-unread = { $tool } 被设为打印时间而不是速率：不读取时间
import-ior-latency = IOR 4 之前的版本把时间除以一个块的传输次数；在 { $segments } 段时其 Latency(s) 不是延迟，已略去
import-also-of = 其中也有 { $format } 格式的内容，未读取：请把它放到单独的文件中
import-pg-reset = 计数器于 { $when } 被重置：略去包含重置的时段
import-pg-back = 计数器倒退而未见重置：略去该时段
import-pg-clock = 时钟倒退 { $seconds } 秒：略去该时段
import-pg-one = 只有一个快照：计算速率需要两个
