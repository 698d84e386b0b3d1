# 对为 fio 键入内容的备注，以及其所在位置。
job-note = 备注：{ $what }
job-note-at = { $at }：{ $what }
job-argument = 第 { $n } 个参数
job-of-option = `{ $option }`：{ $what }

# 文字处理软件和网页产生的字符。
job-space-taken = 特殊空格当作普通空格
job-dash-argument = `{ $word }` 中有不是连字符的破折号：当作 `--`
job-dash-arguments = `{ $word }` 和另外 { $n } 个参数中有不是连字符的破折号：当作 `--`
job-dash-option = `{ $name }` 中有不是连字符的破折号
job-dash-taken = `{ $option }`：不是连字符的破折号当作连字符
job-dashes-in-file = `{ $name }`：作业文件中的选项不带连字符
job-quotes-taken = `{ $option }`：弯引号当作直引号
job-quotes-of-name = 名称两边的弯引号已去掉

# 不起作用的选项及其原因。
job-no-effect = `{ $option }` 不起作用：{ $why }
job-missing = 没有设置 { $option }
job-no-mix = rw 不是读写混合
job-not-random = rw 不是随机
job-no-number = rw 后面没有数字，如 rw=randread:8
job-no-rate = 没有设置速率上限
job-no-rate-with-thinktime = rate 和 thinktime 没有同时设置
job-no-least-rate = 没有要求最低速率
job-no-log = 不写日志
job-no-log-of-operations = 不写逐个 I/O 的日志
job-log-is-narrow = log_narrow 略去了它
job-files-are-named = 文件由 filename 指定
job-not-strided = zonemode 不是 strided
job-sizes-elsewhere = 大小由 bsrange 或 bssplit 设置
job-sizes-of-bssplit = 大小由 bssplit 设置
job-nothing-written = 不写入任何内容
job-zeros-written = zero_buffers 写入零
job-engine-waits = 引擎逐个等待 I/O
job-mapped = 映射的文件经过页缓存
job-polling-direct = 轮询需要 direct=1
job-engines-having-it = 只有这些引擎支持它：{ $engines }
job-name-of-defaults = `name` 在 global 节中不起作用：每个作业有自己的名称
job-depth-low = iodepth_low={ $low } 大于 iodepth={ $depth }，不起作用
job-number-of-sequential = `sequential` 会做完每个文件，其后的数字不起作用

# 能理解，但也许不是本意。
job-given-again = 在本节中给出多次；以最后一个值为准
job-size-binary = `{ $size }` 在此按二进制；fio 按十进制理解（--fio-compat）
job-depth-one = iodepth={ $depth }，而 ioengine={ $engine } 逐个等待 I/O：队列深度为 1
job-map-left-out = 有热点的分布会多次访问某些位置：视同设了 norandommap
job-log-too-fine = { $option }：{ $time } 当作 { $least }；log_avg_msec=0 记录每个 I/O
job-clones-overwrite = 各克隆写入同一文件，可能覆盖彼此的块：校验可能失败
job-never-verified = 写入用掉整个 runtime，校验不会开始；去掉 time_based
job-shares-missing = 份额之和为 { $given }；所缺的 { $left } % 归最后一个大小
job-other-system = `{ $engine }` 属于其他操作系统；此处使用本系统的异步引擎
job-own-thread-sends = I/O 由作业自己的线程提交；延迟从各自应发的时刻算起，这正是 offload 的目的
job-list-of-files = `{ $given }` 是 { $n } 个文件的列表；名称中的冒号写作 `\:`
job-files-in-turn = 文件仍逐个创建，以免相互交错

# 可以接受的选项，以及代之以什么。
job-noted-chunked = 记录在作业开始前整体读入
job-noted-buffers = 无论要求哪一种，缓冲区都是单独的页，按页对齐，并在内核允许时锁定
job-noted-no-map = 此处的随机位置顺序不需要映射表，因此不会有映射表过大的情况
job-noted-permutation = 位置来自一个对每个块恰好访问一次的排列；有 norandommap 时来自一个生成器
job-noted-given-up = fio 已弃用它，在 fio 中同样不起作用
job-noted-four-a-second = 进度行每秒更新四次
job-noted-one-line = 进度行始终是一行；--status-interval 按间隔打印报告
job-noted-memory = 内存按需分配
job-noted-cpu-use = 运行的 CPU 占用始终测量，并写入其记录
job-noted-store = 没有状态文件；运行保存在运行库中
job-noted-ring = 只要环形队列允许，读取完成就不用系统调用
job-noted-no-vector = I/O 不用向量：省去一次复制，设备看到的相同
job-noted-mapping = 映射的页大小由内核决定
job-noted-not-printed = 不打印请求；服务器拒绝的内容即为该 I/O 的错误
job-noted-wrong-blocks = 报告最初几个错误块的位置和错误种类；不保存其内容
job-noted-own-thread = 由作业自己的线程校验；校验和每 4 KiB 不到一微秒
job-noted-own-cpus = 由作业自己的线程在作业自己的 CPU 上校验
job-noted-no-replay = 块自带代号，无需重放
job-noted-no-state = 写过什么由带有代号的块本身得知；不需要状态文件
job-noted-write-number = 只要块是作业自己写的，就比较其写入的序号
job-noted-no-seed = 此处块头中没有种子；始终比较偏移和代号
job-noted-threads = 克隆始终是线程
job-noted-threads-numjobs = 克隆始终是线程，数量由 numjobs 决定
job-noted-errors = 错误按错误号（errno）计数并在结束时报告，不逐个列出
job-noted-unique = 没有网络客户端，因此文件名本来就不重复
job-noted-open-files = 作业的所有文件在运行期间都保持打开；每个占一个文件描述符
job-noted-clock = 无论要求什么，时钟在处理器计数器稳定时用计数器，否则用 CLOCK_MONOTONIC
job-noted-latency-cheap = 延迟照样测量：在此开销不到单个 I/O 时间的 1 %
job-noted-no-clock-cpu = 不留出 CPU：在此读取时钟约需 20 ns
job-noted-latency-free = 延迟照样测量：在此没有开销
job-noted-bandwidth-free = 带宽照样采样：在此没有开销
job-noted-logs = 日志在作业运行时写出，不会用尽空间

job-no-runtime = time_based 需要 runtime；作业在处理完 size 时结束
job-zones-strided = zonesize 而无 zonemode 时，按旧版 fio 取 zonemode=strided
job-flow-older = flow 与旧版 fio 的做法相同：I/O 数与权重成反比
job-block-range = `{ $given }` 按 fio 的做法取 { $low }；范围写作 bsrange
job-size-of-all = size=0 表示文件或设备的全部
job-noted-no-trims = 没有 trim_percentage 就不会丢弃任何内容，因此与 fio 一样，此选项不起作用
job-unlinked-once = 文件在作业结束时删除，而不是每轮之后
job-after-section = 节名之后的 `{ $rest }` 与 fio 一样被忽略
job-noted-debug = 不打印调试输出；运行的记录中有所做的一切
job-null-verifies-nothing = null 引擎不传输任何数据，因此与 fio 一样不作比较
job-noted-looked-at = 每个文件在使用前都会检查
job-noted-one-piece = 每个 I/O 只有一个缓冲区，在此没有差别
job-noted-process-name = 作业是同一进程的线程；其名称见报告
job-noted-job-start = 输出遵循 fio 3.33，其中没有 job_start
job-noted-scheduler = 作业不更改机器设置：设备的调度器保持不变；如需更改请自行写入 /sys/block/DEVICE/queue/scheduler
job-engine-instead = `{ $engine }` 以 { $instead } 运行
job-burns-cpu = `{ $job }` 有意消耗一个 CPU 的 { $load } %：它不执行 I/O，其他作业可用的 CPU 时间因此减少
job-runs-program = `{ $job }` 运行程序 `{ $program }`：该程序的 CPU 和 I/O 用量不计入任何作业的数值，并可能拖慢其他作业
job-as-long-as-program = 没有 runtime 时，`{ $job }` 持续到其程序结束；fio 会立即结束该程序，却永远不会结束该作业
job-runs-before = 在 `{ $job }` 开始之前，/bin/sh 运行 `{ $program }`
job-runs-after = `{ $job }` 结束之后，/bin/sh 会运行 `{ $program }`
program-ended = `{ $job }` 的程序以退出码 { $code } 退出
program-ended-by-signal = `{ $job }` 的程序被信号 { $signal } 终止
program-before-failed = `{ $job }` 没有开始：exec_prerun `{ $program }` { $how }
program-after-failed = `{ $job }` 的 exec_postrun `{ $program }` { $how }
program-cannot-run = `{ $job }` 无法运行 `{ $program }`：{ $why }
program-how-code = 以退出码 { $code } 退出
program-how-signal = 被信号 { $signal } 终止
program-how-not-started = 无法启动：{ $why }
program-how-with-run = 随运行一起被停止
job-noted-mounted = 文件总是可以写入；secchi 绝不写入正在使用的设备
job-name-again = 节 `{ $name }` 已存在（{ $before }）：两者都会运行，若都未指定文件，则使用相同的文件
fio-directory-made = 已创建目录 { $directory }
fio-kept-nowhere = XDG_DATA_HOME 和 HOME 均未设置：本次运行不会保存（--store DIR 可保存）
job-unset-variables = 这些变量未设置，按空值替换：{ $names }
job-atomic-is-direct = `atomic` 仅等同于 `direct`：Linux 不识别 O_ATOMIC，写入不会因此成为原子操作
job-number-cut = { $option }：`{ $given }` 按 { $taken } 处理，fio 也读到此处为止
