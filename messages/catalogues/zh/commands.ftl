# 命令的提示。
remark-run-lost = 本次运行未能完整保存：{ $why }
remark-run-not-kept = 本次运行未保存：{ $why }
remark-load-lingers = 负载进程没有退出；不再等待它（已测得的数据已保留）
remark-load-silent = 负载进程已 { $time } 没有响应，不再等待（已测得的数据已保存）
remark-load-no-memory = 负载进程内存不足：地址空间限制为 { $limit }（ulimit -v）；已测得的数据已保存
remark-load-file-limit = 负载进程因文件大小限制（ulimit -f：{ $limit }）被终止；请提高限制或减小 --size；已测得的数据已保留
remark-load-killed-bus = 负载进程被 SIGBUS（{ $signal }）终止：映射的文件变小，或其设备发生故障；已测得的数据已保存（secchi runs）
remark-load-killed = 负载进程被信号 { $signal } 终止；已测得的数据已保存（secchi runs）
remark-file-removed = 已删除该运行的测试文件：{ $path }
remark-files-remain = 该运行的文件仍在：{ $path }
remark-files-may-remain = 该运行的文件可能仍在：{ $path }

# 已保存的运行。
remark-runs-exported = 已写入 { $file }：{ $n } 次运行，{ $journals } 的日志压缩为 { $size }
remark-runs-new = 已导入 { $all } 次运行中的 { $new } 次
remark-runs-known = 其余的已保存在此处，逐字节相同，并保留其标签
remark-runs-damaged = 这些运行的日志已损坏，在导出的存储中就已如此：{ $runs }
remark-team-ready = { $name } 已可保存运行
remark-team-none-waits = 没有等待推送到 { $name } 的运行
remark-team-put = 已向 { $name } 存入 { $n } 次运行
remark-team-running = 仍在运行 { $n } 次
remark-team-waits = 运行 { $id } 正在等待：{ $why }
remark-runs-none-listed = 没有符合的运行：筛选条件排除了所有运行，或 --max-count 为 0
remark-runs-part-shown = 显示 { $all } 次运行中的 { $shown } 次
remark-runs-labels = { $run }：{ $labels }
remark-runs-no-tags = 无标签
remark-runs-tags = 标签 { $tags }
remark-runs-joined = { $ranks } 个 rank 已合并为运行 { $id }
remark-run-removed = 已删除运行 { $id }
remark-report-written = 已写入 { $file }，{ $size }
remark-runs-stopped-after = 在 { $all } 次运行中的第 { $done } 次之后停止
remark-ab-more-rounds = 用 --rounds { $n } 大概能得出结论
remark-ab-without-keep = { $option }：没有 --keep 时，每次运行都会重新创建并写满测试文件

# 要判定的文件。
remark-skipped = 已跳过：{ $why }
remark-skipped-empty = 已跳过：{ $directory } 下的 { $n } 个空文件
remark-skipped-own = 已跳过：{ $path } 是 secchi 的运行
remark-source-is-file = `{ $source }` 按同名文件读取，而不是运行
remark-zone-unused = --time-zone 不起作用：文件中没有不带时区的时间
remark-ping-short = { $whose }请求 { $number } 返回的字节少于请求：{ $bytes }

# 数据库。
remark-database-not-filled = 数据库已创建但未写满；用 `secchi db purge { $directory }` 删除
remark-database-has-globals = 已有 { $globals } 个全局变量
remark-scripts-written = 已将 { $engine } 的脚本写入 { $directory }：请从 README.txt 开始
remark-sizes-later = { $why }；下一条命令会更正大小
remark-stopped-by-command = 已被 `secchi db stop` 停止
remark-inserts-until = 插入的限度：{ $until }；文件目前占用 { $now }，最多可再增长 { $room }
remark-inserts-count = 每个进程 { $n } 次插入
remark-inserts-size = 文件达到 { $size }
remark-inserts-either = { $time }，或文件达到 { $size }
remark-inserts-counted = 有一次插入运行被强制终止；已统计其留下的节点并更正大小：{ $globals }
remark-inserts-counted-global = 全局变量 { $number } 有 { $total } 个节点（此前 { $before }）
remark-engine-silent = { $engine } 仍在启动、写回或停止，且已 { $seconds } 秒没有读写：可能有 I/O 卡住
remark-ramp-globals = 阶梯加压到 { $n } 个进程为止：每个进程更新自己的全局变量
remark-past-none = 还没有运行
remark-past-removed = 已删除数据库 { $name } 的 { $n } 次运行
remark-past-left-out = 已略去 { $n } 个批次：{ $format } 只有 { $classes } 的表
remark-past-written = 已将 { $n } 个批次写入 { $file }
remark-no-run-here = 没有运行在使用此数据库
remark-run-asked-to-stop = 已要求运行 { $id } 停止
remark-database-removed = 已删除数据库 { $name }（{ $directory }）
remark-database-adopted = { $directory } 现在是独立的数据库（{ $uuid }）；在原数据库上的运行仍属于原数据库
remark-database-adopted-check = 用 `secchi db check { $directory }` 检查副本是否完整
remark-layout-kept = 保留另一种布局的数据库：{ $directory }
remark-layout-not-removed = { $why }；用 `secchi db purge { $directory }` 删除另一种布局的数据库

# 运行的保存位置与进度。
remark-store-away = { $why }；运行保存在本机，直到 `secchi runs push` 或下一次运行把它复制到团队的存储
remark-store-fallback = { $why }；本次运行改为保存在 { $directory }
remark-coarsened = 运行时间长（{ $time }）：其数值现在以 { $length } 为间隔保存，包括从头开始的部分；次数、总数和直方图仍然精确
remark-delete-run = 删除运行 { $run }？无法撤销。[y/N]
remark-delete-runs = 删除 { $n } 次运行（{ $first } …）？无法撤销。[y/N]
remark-step = { $label }，并发 { $n }
remark-step-held = { $label }，并发 { $n }，持续
