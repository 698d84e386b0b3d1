# 针对其他工具测量结果和计划的规则：问题是什么、为何重要、该怎么做。
rule-E01-not-whole-title = 工具失败，或输出中途截断
rule-E01-not-whole-explanation = 文件表明其数值不属于一次完整的运行：其中有错误信息、数量少于所要求的、工具把结果标为无效，或缺少结尾的行。已测得的部分可能比完整的运行更好看。
rule-E01-not-whole-remedy = 解决报告的错误，让工具重新运行到结束，再评判完整的输出
rule-E02-errors-title = 有 I/O 失败，而作业继续运行
rule-E02-errors-explanation = 使用 continue_on_error 时，fio 对失败的 I/O 计数并继续。它们不计入速率和延迟，因此数值只属于成功的 I/O：很快就失败的设备看起来很快。
rule-E02-errors-remedy = 查看内核日志和设备健康状况；不再失败时重新测量
rule-E03-verification-title = 校验读取与负载分开
rule-E03-verification-explanation = 带校验的作业在写入后把块读回，往往来自页缓存，速率也不同。把它与写入速率相加，得到的是从未测量过的速率，因此该行只显示写入。在混合作业中，fio 把两种读取合在一起计数，无法区分哪些是负载自身的读取，因此该行不用于判定需求。
rule-E03-verification-remedy = 测量时不用 verify，另用不计入测量的作业校验
rule-E04-not-durable-title = 未到达介质的同步
rule-E04-not-durable-explanation = 在 macOS 上，fsync、fdatasync 和 O_SYNC 会把数据留在驱动器缓存中；只有 F_FULLFSYNC（fsync_writethrough）才会刷写缓存。若某种同步比 F_FULLFSYNC 快许多倍，其数据就经不起断电：它的时间不是落盘提交的时间，该行不用于判定需求。
rule-E04-not-durable-remedy = 以 fsync_writethrough 为准，并将 wal_sync_method 设为它
rule-B28-no-interval-title = 没有采样间隔：数值涵盖机器启动以来的全部时间，或整个跟踪
rule-B28-no-interval-explanation = iostat、vmstat、nfsiostat 的第一份报告涵盖机器启动或文件系统挂载以来的时间，不带间隔的 pidstat 的报告也是如此：数小时的空闲与负载同样计入。若文件中只有这样的报告，就无法与负载对照。btt 汇总整个跟踪。
rule-B28-no-interval-remedy = 在负载运行的同时带间隔运行该工具：iostat -x -t 1
rule-B01-first-touch-title = 首次写入停顿：部分运行时间花在填充从未写过的文件上
rule-B01-first-touch-explanation = 程序在已写数据末尾之后很远处写入时，Windows 会先用零填满中间的空隙；精简置备的卷和未写入的区段也会引起类似的停顿。判据：有写入超过一秒，且样本平均值明显高于总速率（I/O 数除以运行时间），因为一次停顿只是许多短样本中的一个长样本。损失的时间等于运行时间减去这些 I/O 按无停顿时的速率所需的时间。该速率不低于样本平均值（其中仍含长样本）；每个作业并发为 1 时，它不高于作业数除以不含提交停顿的延迟（利特尔法则）。
rule-B01-first-touch-remedy = 先把文件完整写一遍，再在其上重新运行（secchi qualify 会这样做；fio：填充后用 overwrite=1）
rule-B04-extension-title = 异步引擎表现为同步
rule-B04-extension-explanation = 提交应只需几微秒；若它占了延迟的大部分，说明内核在提交时就执行了 I/O。在 Windows 和多数文件系统上，扩展文件的写入如此，经过页缓存的所有 I/O 也如此。此时队列深度不起作用，延迟中包含扩展文件的时间。并发为 1 且经过页缓存时，队列深度本来就无关紧要，因此 secchi 只报告疑点。
rule-B04-extension-remedy = 在事先写过的文件上用 direct=1 测量
rule-B35-stall-title = 平均值看不出的停顿
rule-B35-stall-explanation = 有 I/O 耗时至少一秒且至少为平均值的二十倍，或有样本远低于平均值，而整个运行损失的时间很少。长时间运行的百分位数会掩盖这样的停顿，但数据库要等待那个 I/O。
rule-B35-stall-remedy = 以每秒一条日志重新运行，查看停顿时还发生了什么；把最大值考虑进去
rule-B03-label-title = 名称与文件中的参数不符
rule-B03-label-explanation = 人们根据文件名制作表格，而复制来的命令行往往保留了旧选项：名为 write-2 而只含一个作业的文件，在表中成了两个作业的行。secchi 把文件名和作业名中的块大小、队列深度、作业数和方向与内容对照。单独的数字（如 write-2 中的 2）按同一命名方式的其他文件来理解；若由此看不出含义，它必须等于作业数、队列深度或两者之积。只用于给重复编号的数字（参数相同的 1、2、3）、日期、时间、版本和百分比不予考虑。文件名可以随意取，因此错误的文件名只产生疑点；作业名属于计划本身，因此错误的作业名使该行作废。
rule-B03-label-remedy = 以内容为准；重命名文件，或按名称所示的参数重新测试
rule-B27-spread-title = 同一测试结果不同：更小的差异不能算作效果
rule-B27-spread-explanation = 参数相同的结果说明偶然、时段和邻居会使数值变动多少。其他行之间小于它的差异，不能证明确有不同。
rule-B27-spread-remedy = 要比较两种配置，就交替运行它们（secchi ab），或用置信区间比较各自的多次运行（secchi compare）
rule-B05-ended-apart-title = 各作业结束时间不同：fio 的数值不是全部作业运行时的速率
rule-B05-ended-apart-explanation = fio 的总计速率是全部 I/O 数除以最后结束的作业的运行时间；其样本平均值是各作业平均值之和，而这些平均值涵盖的时段长度不同。两者都不是全部作业运行时的速率。判据：各作业的运行时间相差超过 10 %；或者样本平均值明显高于总计速率，样本有缺失，且没有长到算作停顿的 I/O。若两个作业工作量相等，可由两个数值看出先结束的作业何时结束。
rule-B05-ended-apart-remedy = 让所有作业运行同样长的时间（time_based=1 并给出 runtime），或只用一个作业
rule-B06-unweighted-title = 样本平均值不是时间平均值
rule-B06-unweighted-explanation = 一个样本在其时段后的第一个 I/O 处结束，因此停顿成为一个长样本，却与短样本同等计算。样本平均值于是高于 I/O 数除以运行时间，样本数也少于运行时间所含的时段数。
rule-B06-unweighted-remedy = 采用 I/O 数除以运行时间，并查找停顿
rule-B07-one-job-title = 各克隆单独报告：该行是它们之和
rule-B07-one-job-explanation = 没有 group_reporting 时，fio 对 numjobs 的每个克隆单独报告。各克隆同时运行，因此 secchi 把它们相加：该行显示总和，并以总和与需求和上限对照。百分位数不能相加：没有直方图（`--output-format=json+`）时，全部克隆的百分位数介于最好与最差的克隆之间。
rule-B07-one-job-remedy = 用 group_reporting=1 运行，可得到全部克隆的百分位数
rule-B55-counted-exceeded-title = 供应商的计数器显示某个上限被超出：它就是瓶颈
rule-B55-counted-exceeded-explanation = 对每个 EBS 卷及其实例，CloudWatch 每分钟检查需求是否超出所配置的 IOPS 或吞吐量。文件中若有这种检查，它就表明哪个上限是瓶颈，不论速率看起来如何。只有在一分钟内需求持续高于上限时其值才为 1，因此短暂的超出不会显示。
rule-B55-counted-exceeded-remedy = 提高计到被超出的上限；若是实例的上限，只有换一种规格
rule-B55-not-counted-title = 样本接近某个上限，而按供应商的计数器它从未被超出
rule-B55-not-counted-explanation = 速率接近上限表明它可能是瓶颈，但不是证明：负载也许正好只需要这个速率。若文件中有 EBS 自身的检查，且没有一项报告超出，则该上限不是瓶颈，或者给定的上限不是该卷的上限。
rule-B55-not-counted-remedy = 检查给定的上限；限制速率的另有其他因素，或者没有限制
rule-B08-sum-of-volumes-title = 所有卷合计达到实例上限
rule-B08-sum-of-volumes-explanation = 所有卷共享实例的路径，因此实例的上限适用于它们在每一秒的总和。各卷的峰值出现在不同的秒，不能相加；即使每个卷都远低于自己的上限，实例的上限也可能成为瓶颈。secchi 把文件中的设备逐秒相加；分区和映射设备若其磁盘已列出，则不计入。
rule-B08-sum-of-volumes-remedy = 换用更大的实例，或减少负载；更多或更快的卷没有用
rule-B09-above-in-samples-title = 样本高于上限而平均值不高：突发，或采样抖动
rule-B09-above-in-samples-explanation = 流量整形器会立即放行整个满桶的内容，采样器也不会恰好每秒触发。两者都会使个别样本高于上限，而平均值仍在上限之下。桶深至少等于最大的连续超出量。
rule-B09-above-in-samples-remedy = 每秒采样十次，以区分突发与抖动（secchi watch --interval 100ms）
rule-B10-merged-title = 顺序小 I/O 的数量超过上限：它们是在合并之前计数的
rule-B10-merged-explanation = 操作系统计的是它提交的 I/O；卷会合并相邻的 I/O，按合并后更大的 I/O 计数。因此计数高于上限并不矛盾。
rule-B10-merged-remedy = 比较字节数，或卷自身的计数
rule-B11-above-limit-title = 高于指定的上限：这不是此处起作用的上限
rule-B11-above-limit-explanation = 整个运行超过上限 5 % 以上，说明上限有误（目录条目不对、此后已提高或单位不同），或者部分负载由缓存应答。secchi 不以这个上限作任何判定。
rule-B11-above-limit-remedy = 核对所配置的值及其单位；检查是否有缓存
rule-B11-burst-title = 达到上限的突发速率：不可持续
rule-B11-burst-explanation = 带积分的卷和实例在积分用尽前以高于基线的公布最大值运行。恰好达到该最大值的结果受限于突发；之后由基线限制。
rule-B11-burst-remedy = 按基线规划；要测得基线，运行时间须长于突发
rule-B12-tie-title = 两个上限允许的值相同：无法判断哪个是瓶颈
rule-B12-tie-explanation = 速率处在相差不到 3 % 的两个上限上时，任何一个都可能是瓶颈，数值无法表明是哪一个。
rule-B12-tie-remedy = 提高其中一个，或增加一个卷，再测一次
rule-B17-units-title = 带宽恰好等于以另一单位理解的上限数值
rule-B17-units-explanation = MB/s 与 MiB/s 相差 4.9 %。若结果超过以 MB/s 给出的上限，且与同一数值的 MiB/s 相差不到 1 %，则很可能是单位弄错了。
rule-B17-units-remedy = 查明单位，并在 --limit 中写明：mbps=125MiB 或 mbps=125MB
rule-B17-crossover-title = 起作用的上限随块大小而变
rule-B17-crossover-explanation = 交叉点是带宽上限除以 IOPS 上限：块小于它时受 IOPS 上限约束，大于它时受带宽上限约束。供应商公布的两个数值往往对应不同的块大小。
rule-B17-crossover-remedy = 每个块大小按在该大小上起约束作用的上限判断
rule-B16-half-told-title = 只给出了一部分上限：另一侧的配置值未知
rule-B16-half-told-explanation = 卷按 IOPS、带宽和容量配置，每一项都可能低于该类型的最大值：16,000 IOPS 的 gp3 卷若没有另购，只有 125 MiB/s。若结果低于给定的上限，而另一类上限未知，则瓶颈可能是那个未知的上限。
rule-B16-half-told-remedy = 给出全部配置值：--limit 'volume iops=N mbps=M'，或带参数的 --volume
rule-B18-basis-title = IOPS 上限没有说明所对应的块大小
rule-B18-basis-explanation = 对 IOPS 上限来说，不超过某一大小（如 16 KiB 或 256 KiB）的 I/O 计为一个，更大的计为多个；数据手册以 4 KiB 的 I/O 为准。因此同一数值在某个块大小可以达到，在另一个则达不到。由达到上限的块大小可知，多大以内按一个 I/O 计。
rule-B18-basis-remedy = 每个上限都要问清块大小；--volume 和 --instance 会从目录中取得
rule-B13-latency-bound-title = 并发为 1：无论购买什么上限，速率都是延迟的倒数
rule-B13-latency-bound-explanation = 并发为 N、平均延迟为 R 时，速率为 N / R（利特尔法则）。并发为 1 时，购买更多 IOPS 没有用，因为它不会降低延迟。
rule-B13-latency-bound-remedy = 要达到上限就加大并发；要降低延迟就换用另一类卷
rule-B13-read-ahead-title = 相同块大小和队列深度下，顺序读远快于随机读：有预读
rule-B13-read-ahead-explanation = 在没有活动部件的存储上，同样大小的 I/O 在任何位置耗时相同。若顺序读的耗时短得多，说明缓存或服务已预读，其速率不适用于数据库的随机读。
rule-B13-read-ahead-remedy = 以随机读为准
rule-B31-iops-cap-title = 很宽的块大小范围内速率相同：IOPS 受上限限制
rule-B31-iops-cap-explanation = 饱和的设备每秒完成的大 I/O 少于小 I/O。若至少三种块大小（最大的至少为最小的四倍）的速率相差不到 3 %，就表明有 IOPS 上限。
rule-B31-iops-cap-remedy = 查明是哪个上限：secchi limits explain，或询问所配置的值
rule-B31-throttle-title = 限流的特征：百分位数跃升到一个平台
rule-B31-throttle-explanation = 令牌桶放行 I/O 直到桶空，然后让后续 I/O 等到重新填充：多数延迟很短，最高的几个百分位数都接近填充周期。超过某百分位数的 I/O 不足十个时，不采用该百分位数，因为最长的几个 I/O 可能偶然相近。
rule-B31-throttle-remedy = 延迟重要时保持在上限以下：限制负载速率，或购买更多 IOPS
rule-B32-not-monotonic-title = 块变大而带宽下降
rule-B32-not-monotonic-explanation = 每个 I/O 的字节更多，每秒字节数至少不变，除非另一上限起作用、路径拆分了大 I/O，或各次运行条件不同。两个较高邻点之间的低谷，是噪声或表格无法解释的效应。
rule-B32-not-monotonic-remedy = 下结论之前，对这些块大小交替重复几次
rule-B33-not-one-experiment-title = 各行的测量时间相隔很远：这张表不是一次实验
rule-B33-not-one-experiment-explanation = 共享存储的性能会随小时和日期变化。相隔很远的行也因此而不同，时间的影响与参数的影响无法区分。
rule-B33-not-one-experiment-remedy = 在一次运行中以随机顺序、带重复地测完所有行（secchi qualify --effort thorough）
rule-B37-asymmetry-title = 从某个块大小起，同一混合负载中写入远慢于读取
rule-B37-asymmetry-explanation = 若较小的块上读写一样快，则写入路径有单独的上限：如目标端接受的突发长度、较慢的链路或较小的缓冲。
rule-B37-asymmetry-remedy = 在这些块大小上单独测写入；检查路径（iSCSI：MaxBurst、R2T；链路速度）
rule-B14-not-measured-title = 未测量的值显示为零
rule-B14-not-measured-explanation = 任何负载都消耗 CPU 时间并引起上下文切换。若报告中其中一项为零（如 Windows 上的 fio），说明该值没有测量，secchi 把它显示为未知。
rule-B14-not-measured-remedy = 用另一个工具同时测量客户端的负载
rule-B23-client-bound-title = 客户端已到极限：存储可能还能更快
rule-B23-client-bound-explanation = 若作业的线程几乎用满一个处理器，或速率乘以提交延迟接近 1，则该线程无法提交更多 I/O。存储可能比测得的速率更快。
rule-B23-client-bound-remedy = 增加作业，或换开销更小的引擎，直到客户端有余量
rule-B34-impossible-title = 不可能的数值
rule-B34-impossible-explanation = 每个 I/O 至少耗时最小总延迟。若最小完成延迟短得多，该 I/O 的其余时间就应花在提交上，远超正常的提交：说明发出时间记录得太晚（windowsaio）。提交与完成延迟的平均值之和必须等于总延迟的平均值；百分位数不得递减；平均值必须介于最小与最大之间；速率乘以延迟不得超过可能的并发；不得有负值或超过 100 % 的比例。
rule-B34-impossible-remedy = 总延迟前后一致时使用总延迟；不采用提交和完成延迟
rule-B34-absurd-title = 运行时间或速率完全不合比例
rule-B34-absurd-explanation = 并未要求而超过一周的运行、十倍于要求时间的运行，或任何机器都达不到的速率（每秒十亿个 I/O 或 10 TB），是时钟故障或工具计算错误造成的。依赖该时间的所有数值也都是错误的。
rule-B34-absurd-remedy = 重新运行；若再次出现，检查时钟（clocksource）和工具版本
rule-B34-contradiction-title = 相互矛盾的数值
rule-B34-contradiction-explanation = I/O 需要时间，因此运行时间为 0 时不存在速率。速率乘以块大小必须等于带宽。任何百分位数都不得超过最大值。百分位数与最大值还从上下两侧限定平均值：若工具的直方图最后一个区间没有上界，它会把其中的一切都报告为该区间的边界（fio：17.2 s）。总延迟不得小于完成延迟。其中任何一条不成立，该行的数值就都不可信，该行不用于判定需求。
rule-B34-contradiction-remedy = 重新测量；若再次出现，向工具作者报告
rule-B34-too-little-title = 测得太少，无法据以判定
rule-B34-too-little-explanation = 只运行了所要求时间一小部分的运行是到了文件末尾：它读写的是缓存。只有几毫秒，或少于 20 个 I/O 时，速率只是偶然。这样的行不用于判定需求。
rule-B34-too-little-remedy = 按时间运行（time_based、runtime=60），文件要大于缓存
rule-B54-utilisation-title = 利用率不等于饱和：同一设备在截然不同的速率下同样忙
rule-B54-utilisation-explanation = 利用率是设备至少有一个 I/O 要处理的时间比例。能同时处理许多 I/O 的设备，远未饱和就已达到 100 %，同一利用率下的速率也可相差很大。
rule-B54-utilisation-remedy = 按每个队列深度下的速率和延迟判断，而不是利用率
rule-B60-depth-adds-nothing-title = 并发增加，速率不变
rule-B60-depth-adds-nothing-explanation = 几乎所有设备上的随机读都受益于队列：SSD 同时处理多个请求，磁盘会给它们排序。若并发为 8 倍而速率增加不到 15 %，就有什么让 I/O 互相等待（没有 UASP 的 USB 桥、驱动、锁），或者有上限在两种队列深度下都限制了速率。
rule-B60-depth-adds-nothing-remedy = 检查路径是否支持队列（UASP、NCQ、驱动的队列深度），以及 IOPS 是否有上限
rule-B61-memory-title = 读取来自内存，不是存储
rule-B61-memory-explanation = 若读取的速率超过 1 GB/s，且为相同块大小和队列深度的写入的 100 倍，则它来自缓存或文件中从未写过的部分。打开时没有 O_DIRECT 且能放入内存的文件也从页缓存读取。
rule-B61-memory-remedy = 用直接 I/O 读取事先写过、且为内存和缓存两倍大小的文件
rule-B62-mixed-mean-title = 多种 I/O 合在一起的平均值
rule-B62-mixed-mean-explanation = sysbench 从 1.0 起把 fsync 也计为事件，因此其平均值、最大值和百分位数都是读、写和 fsync 合在一起的。从页缓存读只需一微秒，fsync 要数毫秒。合并的平均值不是其中任何一种的延迟，并且可能在两者都变慢时反而下降。
rule-B62-mixed-mean-remedy = 用能分别报告各种 I/O 的工具测量（fio 分别输出读、写和同步）
rule-B63-mostly-idle-title = 只有一小部分时间有 I/O 在进行
rule-B63-mostly-idle-explanation = 按利特尔法则，速率乘以平均延迟就是平均并发。若它不到 0.5，且不到可能并发的五分之一，则大部分时间花在别处：刷写、思考时间、速率限制或客户端。延迟和设备都不能解释这个速率。
rule-B63-mostly-idle-remedy = 找出 I/O 之间的时间花在哪里；不要把速率或延迟归于设备
rule-B65-over-busy-title = 设备忙碌的时间超过全部时间
rule-B65-over-busy-explanation = 利用率是时间的比例，因此超过 100 % 是时钟的错误，或内核、工具计数的错误（某些内核的 md 和多队列设备）。同一报告的速率和等待时间仍可能正确。
rule-B65-over-busy-remedy = 不看利用率，将速率和延迟与负载的比较
rule-B15-mixed-files-title = 部分文件是刚创建的，其余早已存在
rule-B15-mixed-files-explanation = 几秒前写的文件可能还在服务的缓存里，早先写的可能不在：同时读这两种文件的作业会有两种速度。fio 的输出会表明它创建了哪些文件。
rule-B15-mixed-files-remedy = 在一次运行中创建所有文件（create_only=1），等待，再在另一次运行中测量
rule-B22-memory-title = 数据不到内存的两倍：读取可能来自缓存
rule-B22-memory-explanation = 若数据能放进或几乎能放进内存，除非绕过所有缓存，否则读取来自页缓存、数据库缓冲或虚拟机管理程序的缓存。通常的规则是数据至少为主机内存的两倍、控制器缓存的四倍。
rule-B22-memory-remedy = 使用内存两倍的数据，或在缓存更小的存储上用 direct=1
rule-B30-small-set-title = 小工作集被反复读写：同样大小的缓存即可全部应答
rule-B30-small-set-explanation = 传输的字节数除以文件大小，就是遍历工作集的遍数。从第二遍起，文件系统以下（阵列或服务中）的缓存可能应答这些 I/O。使用 randrepeat 时，各遍的位置顺序甚至也相同。
rule-B30-small-set-remedy = 使用至少为阵列缓存四倍的文件，或减少遍数
rule-B36-options-title = 互相矛盾或改变测量对象的选项
rule-B36-options-explanation = rwmixread 与 rwmixwrite 设置的是同一个值，以最后一个为准。在 direct=1 之外再加 sync=1，会使每次写入等待介质。以三位数字打印的速率（20.5k）可能有四百分之一的误差，因此 secchi 使用精确的计数。
rule-B36-options-remedy = rwmixread 和 rwmixwrite 只设置其一；除非要测量落盘写入，否则去掉 sync=1
rule-B40-no-percentile-title = 没有百分位数：不知道慢的 I/O 有多慢
rule-B40-no-percentile-explanation = 平均值掩盖慢的 I/O。“不超过 5 ms”之类的要求，无法仅凭平均值或 IOPS 检验。
rule-B40-no-percentile-remedy = 带百分位数测量（对于 RanRead，secchi db ranread 提供）
rule-B49-dashes-title = 命令行中有排版破折号：照此无法运行
rule-B49-dashes-explanation = 文字处理软件和网页会把 -- 变成短破折号。fio 会把这样的词当作作业文件名。
rule-B49-dashes-remedy = 键入两个连字符；secchi fio 和 secchi lint 会自动修正
rule-B50-no-latency-title = 没有延迟：被 gtod_reduce 省略
rule-B50-no-latency-explanation = gtod_reduce=1 为减少读时钟而关闭延迟和百分位数。利特尔法则仍可给出平均延迟：并发除以速率。内核的磁盘统计给出其中设备所占的部分。
rule-B50-no-latency-remedy = 去掉 gtod_reduce；在 secchi fio 中，测量延迟的代价不到速率的 1 %
rule-B51-short-title = 运行时间短：反映的是缓存和突发额度，而不是可持续的性能
rule-B51-short-explanation = 卷的突发积分和驱动器的写缓存可持续数分钟。不到一分钟、处理完文件即停的运行，测到的只是这些。
rule-B51-short-remedy = 按时间运行，且长于突发（secchi limits explain 会给出突发的时长）
rule-B52-one-depth-title = 无法判断是否快：只有一种队列深度，没有百分位数
rule-B52-one-depth-explanation = 高并发时的速率说明吞吐量，不说明延迟；这个速率是好是坏，取决于队列深度。除非结果中有百分位数或并发为 1 的测量，并写明是什么设备，否则无法与其他设备比较。
rule-B52-one-depth-remedy = 也测并发为 1 的情况，并带百分位数（secchi qualify 两者都做，并记录设备）
rule-B53-machines-title = 一张表中有不同操作系统的结果
rule-B53-machines-explanation = Windows 的引擎与 Linux 的引擎并列，意味着两台机器，至少是两套 I/O 栈：这些行之间的差异不是存储的差异。
rule-B53-machines-remedy = 只比较同一台机器的结果
rule-B19-start-wait-title = RanRead 的时间包含至少一秒的启动等待
rule-B19-start-wait-explanation = RanRead（V0 至 V3）在各进程互相等待的那一秒之前就开始计时。它测得的时间是进程数乘以迭代次数，再除以其速率；修正后的速率从该时间中减去一秒。偏差随速率增大：慢卷为百分之几，快卷可达四分之一。
rule-B19-start-wait-remedy = 使用修正后的速率；再测时增加迭代次数，或用 secchi db ranread，它从第一次读取开始计时
rule-B20-reciprocals-title = 速率是倒数的平均值，而不是进程数除以响应时间
rule-B20-reciprocals-explanation = RanRead 打印的是进程数除以平均响应时间，其 SQL 打印的是各进程速率的平均值。倒数的平均值不小于平均值的倒数，因此两者不同；两者都不是在共同的时间窗内计数的。
rule-B20-reciprocals-remedy = 用 I/O 数除以所有进程共同运行的时间
rule-B38-hang-in-average-title = 响应时间中含有暂停
rule-B38-hang-in-average-explanation = RanWrite 在每个事务后暂停，并把全部时间除以 SET 数，因此每个 SET 的响应时间都含有一份暂停。若暂停占数值的大部分，该数值反映的就是睡眠定时器。况且 SET 在内存中完成，并不是磁盘写入。
rule-B38-hang-in-average-remedy = 减去暂停，或用 hang 0 测量；写入请看磁盘自身的计数器
rule-B42-columns-title = 导出的 StdDevR 与 StdDevW 两列是不同的统计量
rule-B42-columns-explanation = PerfTools V3 在 StdDevR 和 StdDevW 中，一个写标准差除以平均值，另一个写标准差本身；RanRead 与 RanWrite 正好相反。
rule-B42-columns-remedy = 由各进程的行重新计算
rule-B45-midnight-title = 运行跨过了 UTC 零点：其经过时间有误
rule-B45-midnight-explanation = PerfTools 用 UTC 零点以来的秒数计时，零点时重新开始：经过时间变为负数，按时间运行的测试永不结束。
rule-B45-midnight-remedy = 舍弃这个数值，重新测试
rule-B21-stopped-title = 运行被停止，其速率却按计划的读取数计算：速率过高
rule-B21-stopped-explanation = RanRead V0 即使在 Stop() 之后，也用计划的读取数除以经过的时间。其计时至少包含各进程互相等待的那一秒。若按其数值，计划的读取只用了不到一秒，则它们没有全部完成。远高于同参数其他行的行也会引起疑点。
rule-B21-stopped-remedy = 去掉该行，重新运行到结束
rule-B43-signature-title = RanWrite 的事务长度位置上是暂停时间：什么都没有写
rule-B43-signature-explanation = RanWrite.Run 的第四个参数在 V1 中是暂停秒数，从 V2 起是事务的 SET 数。旧式调用（.001）要求的事务只有千分之一个 SET：没有写入任何 SET，而每个事务计为 .001 次写入。
rule-B43-signature-remedy = 按 Run(目录, 进程数, 秒数, 事务 SET 数, 暂停毫秒) 调用
rule-B47-session-title = 每次读取都含有打开和关闭数据库
rule-B47-session-explanation = RanRead 打开数据库、查看一个块、再关闭数据库，并把三步一起计时。若一次读取只需零点几毫秒，打开和关闭就占结果的明显部分。它读的块均匀随机，没有真实数据库的局部性。
rule-B47-session-remedy = 与设备自身的延迟对照（secchi watch），或用保持文件打开的 secchi db ranread
rule-B24-blocks-title = mgstat 计的是 8 KiB 的块，其他工具计的是传输，因此数值不同
rule-B24-blocks-explanation = mgstat 的 PhyWrs 和 PhyRds 是每秒数据库块数。写守护进程一次写入提交许多块，而 perfmon、iostat 和卷计的是写入次数。字节数是一致的：每块对应设备传输的 8 KiB。若有设备计数器的文件覆盖同一时间，secchi 会比较两者的总和。
rule-B24-blocks-remedy = 比较字节数；块数除以传输数就是每次写入的平均块数
rule-B24-batch-title = 写守护进程以固定大小的批次写入
rule-B24-batch-explanation = 若 PhyWrs 的几乎所有样本都是同一个 2 的幂的倍数，那就是守护进程一次交出的块数。
rule-B24-batch-remedy = 要重现这种负载，就用同样多的并发，或每次写入同样多的块
rule-B25-starvation-title = 写守护进程写入时前台受阻
rule-B25-starvation-explanation = 本规则把写块期间全局引用的速率与写入前后的速率对比。若守护进程的队列（WDQsz）在整个周期内增长，说明块的修改快于写入：无论平均值多好，该负载都不可持续。
rule-B25-starvation-remedy = 找出队列不增长的更新速率（secchi db ramp --verb ranwrite）；把日志、映像日志和数据放在各有上限的卷上
rule-V01-open-bucket-title = 几乎所有写入都落在最后一个无上界的区间：不知其大小
rule-V01-open-bucket-explanation = irisstat 对 15 块以内的每种写入大小各有一个区间，16 块及以上归入最后一个区间。若几乎全部写入都在最后一个区间，直方图只说明写入为 128 KiB 或更大。
rule-V01-open-bucket-remedy = 观察块层，它能显示 1 MiB 以内的大小（secchi watch）
rule-B24-transfers-title = 负载的 I/O 数与设备的传输数不是同一个计数
rule-B24-transfers-explanation = 在到达设备的途中，大的 I/O 会被拆分，相邻的会被合并。若两个工具在同一时段内字节数一致而计数不同，则两者都没错：各在不同的层计数，而 IOPS 上限只适用于其中一层。
rule-B24-transfers-remedy = 比较字节数；IOPS 上限应与它所适用的那一层的计数对照
rule-B28-window-title = 平均值取决于时间窗：部分样本处于空闲
rule-B28-window-explanation = 文件中所有样本的平均值含有负载前后的样本。若时间窗是凭眼睛选取的，则没有文件记录它及其中的离散程度。secchi 同时给出全部样本的平均值和忙时的平均值，以及忙时样本的标准差。
rule-B28-window-remedy = 使用忙时的平均值及其离散程度；只在负载运行期间采样（secchi watch -- COMMAND）
rule-B29-differ-title = 设备的读写量与负载所称不符
rule-B29-differ-explanation = 负载报告的字节数必须与设备在同一时段的计数相符。设备上更多，说明有其他程序或元数据；更少，说明有缓存，或有从未写过的范围。secchi 按各机器的时钟对齐文件，并在负载两端各容许 1.5 秒的偏差。
rule-B29-differ-remedy = 使用任一数值之前先查明原因
rule-B29-layers-title = 负载与设备所报一致
rule-B29-layers-explanation = 两个工具在同一时段的字节数一致，因此中途没有缓存或其他负载改变这些 I/O。负载测得的延迟减去其传输在设备及队列中的时间，就是花在设备之上的时间：文件系统、客户端，或等待处理器。
rule-B29-layers-remedy = 无需任何操作；两个延迟之差就是设备之上各层的份额
rule-B29-minute-title = 采样间隔太长，看不出突发
rule-B29-minute-explanation = 一分钟的样本是这一分钟的平均值。它会掩盖持续数秒的突发、限流和停顿，因此与它一致只能证实平均值。
rule-B29-minute-remedy = 在机器本身上与负载同时逐秒采样（secchi watch）
rule-B29-zone-title = 文件可能涵盖同一时间，但时区不同
rule-B29-zone-explanation = 两个文件只能按同一时钟比较。fio 的 JSON 含有 UTC 和本地时间，CloudWatch 使用 UTC，perfmon 打印时区；其他工具大多打印不带时区的本地时间。若只有一个文件带时区，secchi 把两者都当作同一台机器的本地时间。这样看来，这里的文件没有共同的一秒，因此没有作任何比较。
rule-B29-zone-remedy = 为没有时区的文件指定时区：--time-zone Asia/Tokyo、--time-zone +09:00；下次让 iostat 输出时区（S_TIME_FORMAT=ISO）
rule-B46-not-from-device-title = 设备从未见过的读取
rule-B46-not-from-device-explanation = 对从未写过的范围（空洞、预分配或扩展的文件、已 TRIM 的块），文件系统、精简置备的卷或闪存转换层不读介质而直接返回零；经页缓存的读取来自内存。fio 的磁盘统计计的是到达设备的请求，包括合并的请求。
rule-B46-not-from-device-remedy = 读之前把整个文件写一遍（secchi qualify 会这样做并检查），并使用 direct=1
rule-B54-await-title = await 随队列增长：它不只是设备的属性
rule-B54-await-explanation = await 和 sec/Transfer 从请求入队开始计时，因此含有等待其他请求的时间。速率乘以 await 就是平均并发（利特尔法则）。并发更大时，同一设备的速率更高，await 也更长。
rule-B54-await-remedy = 给出 await 时一并给出并发；只在相同队列深度下比较
rule-I05-marks-title = (fast) 和 (slow) 标记按 ioping 1.3 之前的规则得出
rule-I05-marks-explanation = 1.3 之前，ioping 把时间落在迄今最小与最大值之间最低 5 % 的请求标为 fast，落在最高 5 % 的标为 slow；在平稳的运行中这些标记是偶然的。从 1.3 起，fast 的请求不到平均值的一半，slow 的超过平均值的两倍。secchi 按两种规则由时间重新推算标记。
rule-I05-marks-remedy = 使用时间本身；只有 1.3 及以后的标记才说明离群值
rule-I08-rate-title = ioping 的速率是平均延迟的倒数：实际并没有达到
rule-I08-rate-explanation = `requests completed in` 中的时间是各请求时间之和。该行的 iops 和带宽，是一个程序一个接一个地发出请求、且存储像这里一样空闲时的值。
rule-I08-rate-remedy = 把它的延迟与其他工具队列深度为 1 时的延迟比较；速率用 fio 或 secchi qualify 测量
rule-B02-title = 随机写入看起来很慢的本地闪存
rule-B02-explanation = 这是另一种设备上的首次写入停顿，由 B01-first-touch 判定。
rule-B02-remedy = 见 B01-first-touch
rule-B26-title = 手工录入的表格
rule-B26-explanation = 列互换、不存在的情况和写错的单位，都是数值周围文字里的错误。文件中有测量结果，但没有别人对它的描述。
rule-B26-remedy = 由文件生成表格：其他工具的文件用 secchi judge，secchi 自己的运行用 secchi report
rule-B39-title = 实为睡眠定时器的数值
rule-B39-explanation = 即暂停几乎占全部平均值的情形，由 B38-hang-in-average 判定。
rule-B39-remedy = 见 B38-hang-in-average
rule-B41-title = 后续版本中的启动等待
rule-B41-explanation = 这是同样的一秒等待，由 B19-start-wait 判定。
rule-B41-remedy = 见 B19-start-wait
rule-B44-title = 从另一次运行粘贴的输出，以及照原样无法运行的命令
rule-B44-explanation = 文字与其下方的输出可能出自不同的运行，但单看任何一方都看不出来。secchi 不检查 fio 以外工具的命令。
rule-B44-remedy = 保留记录，其中有所键入的命令及其结果：secchi show、secchi db history
rule-B48-title = 删除目录及其全部内容的工具
rule-B48-explanation = 工具删除了什么，不会出现在它的任何结果中。
rule-B48-remedy = 使用 secchi db purge，它只删除其自身标记所指的数据库
rule-L00-refused-title = 计划照此无法运行
rule-L00-refused-explanation = secchi fio 的解析器对计划执行 fio 自身的全部检查，并拒绝 fio 处理得不安全的情况：互相矛盾的选项、未知选项（会给出最接近的名称）、不可能的大小。
rule-L00-refused-remedy = 改正信息中指出的词
rule-L00-remark-title = 选项与看上去的不同
rule-L00-remark-explanation = 计划中有给了两次的选项（以最后一次为准）、不起作用的选项，或 fio 的理解与写法不同的大小（fio 把 1GiB 读作 10^9 字节）。secchi 都接受，但作者的本意也许不同。
rule-L00-remark-remedy = 写出本意；secchi fio --showcmd 打印 secchi 所理解的计划
rule-L00-not-done-title = fio 支持而 secchi 不支持：其余部分不检查
rule-L00-not-done-explanation = 计划用到了 secchi 知道但不支持的功能：不读写存储数据的引擎、需要单独的库的引擎，或互相控制节奏的作业。fio 或许能运行该计划，但 secchi 不检查其余部分。
rule-L00-not-done-remedy = 检查时去掉该功能，或用 fio 运行计划
rule-L00-unknown-title = 脚本的一部分在运行前未知：只检查了会被破坏的内容
rule-L00-unknown-explanation = lint 解析 shell 脚本和批处理文件，跟踪其变量、循环、函数、包装命令（sudo、timeout、ssh、docker run）和 here-document。环境变量、脚本参数、其他程序的输出、被 source 的文件和其他脚本未知。未知的词可能设置任意选项，因此不再用其他规则检查该命令，只在已知范围内报告它会破坏什么。
rule-L00-unknown-remedy = 检查将实际运行的命令，在脚本副本中设置该变量，或同时检查另一个脚本
rule-L05-dashes-title = 排版破折号：照此 fio 无法运行这条命令
rule-L05-dashes-explanation = 文字处理软件和网页会把 -- 变成短破折号。fio 把这样的词当作作业文件名并退出；secchi 把它当作两个连字符。
rule-L05-dashes-remedy = 键入两个连字符
rule-L24-in-use-title = 计划会破坏本机正在使用的内容
rule-L24-in-use-explanation = 计划会写入一个设备，而它正被已挂载的文件系统、交换区、RAID、LVM 或其他进程使用；计划可能直接指定该设备，也可能通过分区、by-id 名称或符号链接指定。写入已挂载文件系统的设备会毁掉该文件系统，最迟在下次挂载时。若设置了 allow_mounted_write=1，或分区名掩盖了占用，fio 仍会写入；secchi fio 会拒绝。
rule-L24-in-use-remedy = 改为指定该设备的文件系统上的文件或目录；若仍要覆盖设备，先停掉其使用者
rule-L25-overwrites-title = 计划会覆盖已有的数据
rule-L25-overwrites-explanation = 计划会写入存有数据的设备，或不是由 secchi 创建的文件。fio 不会要求确认；secchi fio 要求给出带设备序列号的 --destroy，或 --allow-overwrite。普通文件仅作提示，因为覆盖它也许正是本意。
rule-L25-overwrites-remedy = 核对名称；尚不存在的名称总是安全的
rule-L09-first-touch-title = 作业写入从未写过的文件
rule-L09-first-touch-explanation = 写入新文件会扩展它、转换未写入的区段，或使 Windows 用零填充它：运行测到的就是这些工作，并伴有数秒的停顿。在同一文件上再次运行会更快。以下不在此列：同时读取或带 overwrite=1 的作业（它们在开始前写好文件）、校验的作业，以及由计划中先前的作业填充的文件。
rule-L09-first-touch-remedy = 事先把文件完整写一遍（rw=write、bs=1m），或用 overwrite=1；在第二次运行中测量
rule-L22-never-written-title = 作业读取从未写过的范围
rule-L22-never-written-explanation = 读取文件的空洞和预留范围会直接返回零，不访问任何存储，因此运行测到的只是查找。文件系统会报告文件的哪些范围写过。
rule-L22-never-written-remedy = 事先把文件完整写一遍（rw=write、bs=1m），或指定一个新文件，让 fio 创建
rule-L26-fill-title = 预处理写入，不是测量
rule-L26-fill-explanation = 只写入、直到所有文件至少写完一遍的作业，是在准备设备或文件：给每个块分配地址，用尽已擦除的块，让设备趋于稳定。其速率反映的是尚未达到稳态的设备。测量的规则不适用于它，但它会毁坏哪些数据，secchi 仍会报告。
rule-L26-fill-remedy = 随后尽快在单独的作业（stonewall）中带 runtime 测量：设备空闲时会恢复
rule-L27-wraps-title = 作业多次遍历同样的数据
rule-L27-wraps-explanation = 按已知上限允许的速率，作业会把自己的数据读写 10 遍或更多。若阵列、虚拟机管理程序或设备的缓存能容纳全部数据，大部分 I/O 就由缓存应答，结果不适用于更大的数据。
rule-L27-wraps-remedy = 使用更多数据，至少为路径上最大缓存的四倍
rule-L28-duration-title = 作业会运行超过一天
rule-L28-duration-explanation = 没有 runtime 时，作业在处理完所有数据后结束。按已知上限允许的速率，这需要超过一天。
rule-L28-duration-remedy = 用 time_based=1 并给出 runtime，或减小 size
rule-L01-page-cache-title = 会由页缓存应答
rule-L01-page-cache-explanation = 没有 direct=1 时，读过一次的数据由内存应答，写入在到达存储之前就返回：运行测到的是内存的速度。使用异步引擎时，队列深度也不起作用。
rule-L01-page-cache-remedy = 加上 direct=1；若要测量使用页缓存的程序，则数据至少为内存的两倍
rule-L02-memory-title = 数据能放进内存
rule-L02-memory-explanation = 经过页缓存时，若数据不到内存的两倍，大部分 I/O 由内存应答。
rule-L02-memory-remedy = 数据量超过内存的两倍，或使用 direct=1
rule-L03-burst-title = 作业会在突发结束之前结束
rule-L03-burst-explanation = 带积分的卷在令牌桶耗尽之前运行于基线之上。在此之前结束的运行只测到突发，而数据库不能依靠突发。
rule-L03-burst-remedy = 运行时间长于突发，或先耗尽令牌桶（ramp_time）
rule-L04-depth-title = 引擎逐个等待 I/O：队列深度为 1
rule-L04-depth-explanation = sync、psync、vsync、pvsync 和 mmap 无论 iodepth 是多少，一次只执行一个 I/O；fio 只打印一行说明便继续运行。
rule-L04-depth-remedy = 用 libaio 或 io_uring 并加 direct=1，或增加作业
rule-L06-gtod-reduce-title = gtod_reduce 会关闭延迟测量
rule-L06-gtod-reduce-explanation = gtod_reduce=1 为减少读时钟而关闭提交、完成和总延迟以及所有百分位数。这样就没有测量数据库所等待的延迟。
rule-L06-gtod-reduce-remedy = 去掉它：读一次时钟约需 25 ns
rule-L11-same-places-title = 随机位置每次都相同，或有的出现两次
rule-L11-same-places-explanation = randrepeat=1 时，每次运行和每一遍都以同样的顺序请求同样的位置，缓存会学会它。norandommap 时，一遍之中有的块用到两次而有的从不用到；若有数据从未写过，这就有影响。
rule-L11-same-places-remedy = 重复测量用 randrepeat=0；只有全部数据都写过时才用 norandommap
rule-L12-ramp-title = 没有 ramp_time：启动阶段也计入测量
rule-L12-ramp-explanation = 运行的最初几秒含有打开文件、空缓存和满的令牌桶；运行越短，影响越大。
rule-L12-ramp-remedy = 加上 ramp_time，取 runtime 的十分之一
rule-L13-sync-too-title = 在 direct=1 之外又有 sync=1：每次写入都等待介质
rule-L13-sync-too-explanation = direct=1 绕过页缓存；sync=1 还要求每次写入都落盘，因此易失的写缓存每次都要刷写。那是另一个问题，对日志也许正合适。
rule-L13-sync-too-remedy = 数据文件去掉 sync；日志宜用 fdatasync=1
rule-L14-few-samples-title = I/O 太少，不足以得出所打印的百分位数
rule-L14-few-samples-explanation = 第 99.99 百分位数取决于一万个 I/O 中的一个：不到十万个时它是偶然的，不到一万个时第 99.9 百分位数也是如此。
rule-L14-few-samples-remedy = 按时间运行，并运行更久
rule-L15-shared-file-title = 所有作业使用同一个文件
rule-L15-shared-file-explanation = 使用 filename= 时各克隆共享文件。顺序访问的克隆前后相继地请求同样的位置，因此由缓存应答；经页缓存的写入要等待文件锁。设备上的随机 I/O 和带 direct=1 的随机 I/O 不在此列。
rule-L15-shared-file-remedy = 去掉 filename，使每个作业有自己的文件，或给出 offset_increment
rule-L16-compressible-title = 作业写入可压缩或可去重的数据
rule-L16-compressible-explanation = 在会压缩、去重或不保存零的存储上，零和重复的块不占空间：写入会很快，之后的读取也不触及介质。
rule-L16-compressible-remedy = 去掉 zero_buffers；对会去重的设备用 refill_buffers=1
rule-L17-processors-title = 作业远多于处理器
rule-L17-processors-explanation = 异步引擎的作业超过处理器数后，所增加的并发与提高 iodepth 无异，却会争用 CPU 时间：测到的可能变成客户端。
rule-L17-processors-remedy = 减少作业，加大队列深度
rule-L18-no-runtime-title = 没有 runtime：作业在文件处理完时结束，事先不知道要多久
rule-L18-no-runtime-explanation = 没有 runtime 时，快的卷只在缓存和突发中测了几秒，慢的卷要测几小时。各作业结束时间不同，因此最后阶段的速率不包含全部作业。
rule-L18-no-runtime-remedy = 用 time_based=1 并给出 runtime
rule-L23-clones-apart-title = 各克隆会单独报告
rule-L23-clones-apart-explanation = 没有 group_reporting 时，fio 为 numjobs 的每个克隆打印一份报告：没有一份含有总速率，只能自己相加。
rule-L23-clones-apart-remedy = 加上 group_reporting=1，除非就是要比较各克隆
rule-L07-label-title = 作业名称所示参数与其选项不符
rule-L07-label-explanation = 报告和表格由名称生成。复制的一行若保留了旧的名称或选项，表中的行就会写着并未运行过的参数。日期和百分比不在此列。带词语的数字（如 qd32）只与该选项对照。
rule-L07-label-remedy = 让名称与实际运行的内容一致
rule-L08-output-label-title = 输出名称所示参数与命令不符
rule-L08-output-label-explanation = 在一组命令中，每个输出以其参数命名。复制的一行若保留了旧选项，其文件和表中的行就会写着并未运行过的参数：某个公开基准测试的第六条命令把一个作业的结果写进了 write-2.txt，三张表因此出错。
rule-L08-output-label-remedy = 改正选项或名称；更好的办法是让工具给结果命名
rule-L20-duplicate-title = 一组命令中有两条做同样的事
rule-L20-duplicate-explanation = 只有名称和输出不同、选项都相同的命令是重复，除非其中一条忘了按计划修改。
rule-L20-duplicate-remedy = 改正忘了修改的那条；重复的命令要注明
rule-L21-output-twice-title = 两条命令写同一个输出
rule-L21-output-twice-explanation = 后一个结果会覆盖前一个，前一个就丢失了。
rule-L21-output-twice-remedy = 各用各的文件
rule-L19-background-title = 命令同时运行
rule-L19-background-explanation = 以 `&` 结尾（或以 `start` 开头）的命令会与下一条同时运行：两者都测到了对方的负载，而输出中毫无显示。
rule-L19-background-remedy = 逐条运行命令；要同时对多个目标加压，就用一条命令（secchi qualify --target A=... --target B=...）

# 列举，以及对什么说了什么。
saw-list = { $all }、{ $next }
saw-list-last = { $all } 和 { $last }
saw-list-rest = 另外 { $rest } 项
saw-of = { $subject }：{ $what }
saw-by = { $what }（{ $evidence }）
saw-times = { $what }，共 { $n } 处
saw-of-file = { $file } 的 { $name }
saw-all-results = 全部结果
saw-the-files = 这些文件
saw-the-limits = 给定的上限
saw-device = 设备 { $name }
saw-sizes = { $rw } { $first } 至 { $last }
saw-from-size = { $rw }，{ $size } 起
saw-at-size = { $size } 时 { $rate }
saw-from-to = { $low } 至 { $high }
figure-at-rate = { $name }，{ $rate }
axis-iops = { $name } IOPS 上限
axis-bandwidth = { $name } 带宽上限

# 测量中的失败，以及没有区间的文件。
saw-errors = { $n } 个 I/O 失败，不在任何数值中
saw-no-interval = 机器启动以来全部时间内 { $n } 个设备的数值：不反映任何负载
saw-since-import = 导入存储池以来全部时间内 { $n } 个设备的数值：不反映任何负载
saw-whole-trace = { $n } 个设备，整个跟踪的汇总：没有可与负载对照的采样间隔

# 从未写过的文件，以及停顿。
saw-about = 约 { $figure }
saw-seconds = { $least } 至 { $most } 秒
saw-stood-still = { $all } 中有 { $about } 停顿；若无停顿，速率应约为 { $without } 而不是 { $rate }，因此结果不可用
saw-operations-take = { $ops } 个 I/O 按样本平均值 { $mean } 只需 { $take }，而不是 { $all }
saw-completion-allows = 并发为 { $flight } 时，完成延迟允许 { $rate }
saw-longest = 最长的 I/O 耗时 { $took }
saw-files-made = 运行前刚创建了 { $n } 个文件
saw-some-files-made = { $all } 个文件中有 { $n } 个是运行前刚创建的
saw-through-page-cache = I/O 经过了页缓存
saw-writes-grew-file = 同步扩展：写入扩展了文件
saw-done-while-handed-over = I/O 在提交时就执行了
saw-depth-without-effect = { $what }；iodepth 没有起作用
saw-two-behaviours = 部分情况如此：{ $what }；数值混合了两种行为
saw-at-once = { $what }；并发为 1 时，延迟几乎全是提交所需的时间
saw-submission-takes = 提交需 { $submission }（占延迟的 { $share }），完成需 { $completion }
saw-completed-at-once = { $share } 的 I/O 在提交后 100 us 内完成
saw-operation-took = 有 I/O 耗时 { $took }
saw-sample-at = 有样本只有平均值的 { $share }
saw-lowest-sample = 最低的样本为 { $least }，而平均值为 { $mean }
saw-percentile-hides = p99.99 为 { $p }，看不出这次停顿

# 名称与内容，以及重复。
saw-file-name-says = { $is }，文件名却写 { $says }
saw-job-name-says = { $is }，作业名却写 { $says }
saw-ran-the-same = 运行的参数与 { $twins } 相同
saw-spread = { $low } 至 { $high }：参数相同而相差 { $apart }

# 时间均值与作业间的均值。
saw-jobs-apart = 各作业结束时间相差 { $apart }
saw-two-apart = 两个作业的结束时间相差 { $seconds } 秒
saw-many-apart = 各作业结束时间不同，平均比最后一个早 { $seconds } 秒
saw-samples-missing = { $samples } 个 { $window } 秒的样本不足以涵盖 { $jobs } 个各运行 { $each } 的作业：缺 { $missing } 个
saw-both-means = 样本平均值为 { $sampled }，而全部 I/O 除以最长的运行时间为 { $rate }
saw-ended-after = 由两个平均值推算，一个作业在 { $first } 秒后结束，另一个在 { $last } 秒后结束
saw-clones-together = { $n } 个克隆各 { $low } 至 { $high }，合计 { $all }
saw-mean-and-rate = 样本平均值为 { $sampled }，而速率为 { $rate }
saw-long-samples = { $jobs } 个作业的 { $samples } 个 { $window } 秒样本只反映 { $all } 中的 { $told }：{ $long } 落在长样本里

# 算不上数值的数值。
saw-no-processor-time = 没有报告 CPU 时间
saw-no-switches = 没有报告上下文切换
saw-neither-time-nor-switches = CPU 时间和上下文切换都没有报告
saw-jobs-busy = 每个作业使一个处理器忙了 { $share }
saw-submitting-busy = 仅提交就使一个处理器忙了 { $share }
saw-rate-in-jobs = { $n } 个作业共 { $rate }
saw-issued-late = 最小完成延迟为 { $completion }，而最小总延迟为 { $least }：那样该次提交就要 { $rest }，是平均提交延迟的 { $times } 倍
saw-parts-differ = 提交平均值 { $submission } 与完成平均值 { $completion } 之和不等于总延迟平均值 { $all }
saw-submission-cut = { $what }：提交延迟被截断在 4.29 s（32 位纳秒）
saw-disordered = p{ $lower } 为 { $is }，p{ $upper } 却只有 { $only }
saw-mean-outside = 平均值 { $mean } 不在 { $least } 至 { $most } 的范围内
saw-overfull = 速率乘以延迟得并发 { $are }，而最多只允许 { $may }
saw-senseless = `{ $words }` 不可能
saw-ran-too-long = 运行了 { $ran }，而要求的是 { $asked }
saw-ran-for-days = 运行了 { $ran }（{ $days } 天），而并未要求时间
saw-absurd-rate = { $rate } 超过任何机器的能力
saw-no-time = 运行时间为 0（`{ $time }`）却有 { $ops } 个 I/O
saw-product-differs = 块大小为 { $block } 时 { $rate } 合 { $product }，而带宽为 { $bytes }
saw-percentile-above-max = p{ $p } 为 { $is }，高于最大值 { $max }
saw-mean-above-percentiles = 平均值为 { $mean }，而 p{ $p } 为 { $is }、最大值为 { $max }，平均值最多只可能是 { $most }
saw-mean-below-percentiles = 平均值为 { $mean }，而按百分位数至少应为 { $least }
saw-total-below-completion = 完成需 { $completion }，而总延迟只有 { $total }
saw-ended-early = 要求 { $requested }，只运行了 { $ran }，传输 { $moved }：这是缓存
saw-stopped-early = 要求 { $requested }，只运行了 { $ran }
saw-blink = { $ran } 内 { $ops } 个 I/O：尚未形成负载就已结束
saw-few-operations = { $ran } 内 { $n } 个 I/O：速率只是偶然
saw-verification = 校验读取 { $rate }，与负载分开
saw-verification-counted = { $ops } 次读取用于校验写入内容，{ $rate }，与负载分开
saw-verification-mixed = 负载的读取与校验的读取合在一起计数
saw-verification-maybe = 读取次数与写入次数相同，且没有作业说明：可能是在校验写入的内容
saw-not-durable = { $time } 的 { $kind } 并未落盘：fsync_writethrough 需 { $medium }
saw-sync-of-nothing = { $kind } 仅 { $time }：太快，不可能向设备发送过命令
saw-at-burst = { $rate } 为 { $limit } 突发速率（{ $allows }）的 { $share }：从积分满开始可持续 { $lasts }；可持续的速率为 { $base }
saw-equally-busy = { $slow } 时忙 { $low }，{ $fast } 时忙 { $high }

# ioping 的标记与速率。
saw-marked-otherwise = ioping 1.3 及以后会对这些请求作不同的标记：{ $requests }
saw-marks-replayed = 由时间重新推算：所有标记都符合旧规则
saw-rate-is-reciprocal = 速率 { $rate } 就是 1 / { $mean }

# 负载与其设备对照。
saw-both-read = fio 读取 { $load }，{ $device } 为 { $counted }
saw-both-written = fio 写入 { $load }，{ $device } 为 { $counted }
saw-device-moved-less = { $both }（{ $share }）：其余来自内存或从未写过的范围
saw-device-moved-more = { $both }（{ $times } 倍）：有其他程序使用设备，或文件系统增加了 I/O
saw-clocks-apart = 两个文件的时钟相差 { $gap }，且 { $without } 没有时区
saw-one-zone = 只有时区为 { $zone } 时该文件才涵盖同一时间：--time-zone { $zone }
saw-both-latencies = fio 中一个 I/O 需 { $load }；一次传输在设备及其队列中需 { $device }
saw-split = 大的 I/O 被拆分，一个 I/O 对应 { $n } 次传输
saw-merged = 相邻的 I/O 被合并，一次传输含 { $n } 个 I/O
saw-transfers = fio 的 { $size } I/O { $ops }/s，在 { $device } 上是 { $each } 的传输 { $transfers }/s：{ $how }
saw-same-bytes = 字节数一致：{ $load } 与 { $counted }
saw-busy-and-all = 忙时 { $seconds } 秒内为 { $busy }，全部 { $all } 秒内为 { $mean }
saw-together = 合计 { $rate }
saw-deviation = { $n } 个忙时样本的标准差：{ $sd }（{ $share }）
saw-sampled-every = { $name }，每 { $period }
saw-long-period = 每个样本是 { $period } 的平均值
saw-reads-arrived = { $asked } 次读取中有 { $arrived } 次到达 { $devices }（{ $share }）
saw-no-read-arrived = { $asked } 次读取没有一次到达 { $devices }（{ $share }）
saw-direct-off = direct=0：经过页缓存
saw-await-at = 并发 { $flight }、{ $rate }/s 时为 { $wait }

# PerfTools。
saw-start-wait = { $processes } 个进程，应为 { $rate } 而不是 { $told }，{ $change }
saw-reads-less-waiting = 按其速率，{ $reads } 次读取用了 { $seconds } 秒，其中 { $wait } 秒为等待
saw-reciprocals = { $jobs } 个进程除以响应时间为 { $low } 至 { $high }，而报告的速率为 { $told }
saw-sleep-timer = 整个数值就是睡眠定时器的时间：不能说明磁盘
saw-pause-share = 每个 SET 的 { $whole } 中有 { $share } 是暂停；工作本身为 { $work }
saw-pause-of-set = 每个 SET 含暂停 { $pause }
saw-columns-of-two-kinds = 两列之一除以了平均值
saw-negative = 负的数值
saw-stopped = 按其数值，{ $reads } 次读取用了 { $clock }，而其时钟在第一次读取前一秒就开始计时
saw-far-above = { $rate }，而另外 { $n } 项约为 { $usual }
saw-part-of-set = 事务为 { $sets } 个 SET：没有写入任何 SET，而每个事务计为 { $sets } 次写入
saw-part-of-write = 计了 { $part } 次写入：不足一次的写入并不存在
saw-sessions = 有 { $rows } 行每次读取低于 { $below }，最低 { $least }；每次读取都含一次 OPEN 和一次 CLOSE

# 数据库的计数器。
saw-blocks = 守护进程写入时，其 { $blocks } 块/s 合 { $rate }，以更少、更大的写入完成
saw-count-different-things = 两者计的不是同一种东西：{ $blocks } 个 8 KiB 的块是 { $bytes }，{ $device } 在同样的 { $seconds } 秒内写了 { $moved }（{ $change }）
saw-more-than-blocks = 仅用块无法解释：同样的 { $seconds } 秒内块为 { $bytes }，而 { $device } 传输了 { $moved }；设备上还有其他文件，或写入有重复
saw-most-blocks = 最高 { $blocks } 块/s = { $rate }，设备上为 { $device }
saw-blocks-of-write = { $writes } 次写入，每次 { $blocks } 块（{ $each }）
saw-multiples = PhyWrs 的 { $all } 个样本中有 { $n } 个是 { $size } 的倍数
saw-starved = 在写入 { $bytes } 的 { $seconds } 秒内，全局引用从 { $before }/s 降到 { $during }/s（{ $change }）
saw-writes-blocks = 写守护进程写入 { $blocks } 块/s（{ $rate }）
saw-blocks-read = 读取的块：写入前 { $before }/s，写入期间 { $now }/s
saw-queue-grows = 写守护进程的队列从 { $from } 块增到 { $to } 块（最后为 { $end }）：该负载不可持续
saw-open-bucket = { $writes } 次写入中有 { $share } 为 { $least } 块或更多（{ $size } 或更大）

# 上限。
saw-tie = { $rate } 同时符合 { $first }（{ $allows }）和 { $second }（{ $too }）
saw-above = { $rate } 为 { $limit } 的 { $share }，此处允许 { $allows }
saw-share-of-limit = { $rate } 为 { $limit } 的 { $share }
saw-other-unit = { $rate } 比 { $cap } 高 4.9 %：上限的单位是否应为 { $other } 而不是 { $was }？
saw-crossover = { $size } 及以下受 { $ops } 的 IOPS 上限（{ $iops }）约束，以上受 { $bytes } 的带宽上限（{ $rate }）约束
saw-bandwidth-untold = { $rate } 可能是未告知的带宽上限：只知道 { $known }
saw-iops-untold = { $rate } 可能是未告知的 IOPS 上限：只知道 { $known }
saw-basis = 在 { $met } 时达到，在 { $larger } 时只有它的 { $share }：该上限至少到 { $least } 为止按一个 I/O 计；更大的受什么限制，不得而知
saw-counted = EBS 的计数器显示，{ $all } 个周期中有 { $n } 个超出 { $limit }，占时间的 { $share }
saw-not-counted = { $rate } 为 { $limit } 的 { $share }，而 EBS 的计数器显示没有任何上限被超出
saw-sum = { $rate } 为 { $limit }（{ $cap }）的 { $share }
saw-samples-near = { $all } 个样本中有 { $n } 个达到上限的 { $share } 或以上
saw-shares = 份额：{ $shares }
saw-busy-above = 忙时 { $rate }，为 { $limit } 的 { $share }：这不是此处起作用的上限
saw-samples-above = { $n } 个样本高于 { $limit }，最高为其 { $share }
saw-bucket = 至少 { $size } 的桶深可以解释这些样本

# 表格的形状。
saw-same-at-all-sizes = { $rate }，所有块大小都相同：IOPS 受限
saw-little-headroom = 提交使一个处理器忙了 { $share }：余量太小，不能排除客户端就是限制所在
saw-plateau = p95 为 { $p95 }，随后 p{ $from } 至 p99.99 为 { $low } 至 { $high }：令牌桶约每 { $refill } 填充一次
saw-depth-adds-nothing = 并发 { $deep } 不比并发 { $low } 快：{ $fast } 与 { $slow }
saw-through-memory = { $size } 的数据打开时没有 O_DIRECT，速率 { $rate }：是页缓存，不是存储
saw-memory-reads = 块大小和队列深度相同，读 { $reads }，写 { $writes }（读为写的 { $times } 倍）：读来自内存（缓存，或从未写过的文件）
saw-memory-latency = 一次随机读用时 { $mean }
saw-mixed-mean = 平均值 { $mean } 是读、写和 { $syncs } 次 fsync 合在一起的（每秒 { $events } 个 I/O，并发 { $flight }）：不是其中任何一种的延迟
saw-mostly-idle = 速率乘以延迟得并发 { $are }，而最多可为 { $may }：大部分时间没有 I/O 在进行
saw-pauses = p{ $below } 为 { $quick }，p{ $from } 至 p{ $to } 在 { $low } 至 { $high }：I/O 等待的时间长度相同
saw-of-reads = 读：{ $what }
saw-of-writes = 写：{ $what }
saw-over-busy = { $device } 的忙碌时间为 { $share } %，而设备不可能超过 100 %
saw-larger-move-less = { $large } 块的带宽低于 { $small } 块：{ $after }，而不是 { $before }
saw-move-again = { $size } 块又更快：{ $rate }
saw-run-order = 运行顺序为 { $order }，其中两次相隔 { $hours } 小时
saw-writes-take-longer = 写入耗时是读取的 { $times } 倍
saw-reads-and-writes = { $size }：读 { $reads }，写 { $writes }
saw-one-in-flight = 并发 1 / { $mean } = { $rate }，为 { $limit } 的 { $share }
saw-read-ahead = { $fast }，而随机读为 { $slow }：前者为后者的 { $times } 倍

# 运行方式。
saw-files-new = { $all } 个文件中有 { $n } 个是新的
saw-laid-out = Laying out IO file，{ $n } 次
saw-times-memory = { $set } 的数据是内存（{ $memory }）的 { $times } 倍
saw-passes = 对 { $set } 遍历 { $n } 遍
saw-same-order = randrepeat=1：每次顺序相同
saw-last-holds = 最后一个有效
saw-on-top-of-direct = 在 direct=1 之外又有 { $own }
saw-writes-wait-for-media = 每次写入都等待介质
saw-ramp-untold = 输出没有说明是否排除了 ramp_time
saw-only-mean = 只报告了平均延迟
saw-no-latency = 没有报告延迟
saw-en-dashes = 短破折号
saw-dashes = 其命令行中用的是排版破折号，不是连字符
saw-by-little = 按利特尔法则，并发 { $n } / { $rate } = { $mean }
saw-in-device = { $device } 中 { $mean }
saw-disk-reads-took = 按磁盘统计，读取耗时 { $took }
saw-disk-writes-took = 按磁盘统计，写入耗时 { $took }
saw-one-depth = 并发始终为 { $flight }：没有百分位数，也没有并发为 1 的结果
saw-each-takes = { $rate } 即每个 I/O { $each }：快不快取决于队列深度
saw-device-untold = 只知道设备名（{ $devices }）：没有型号、容量和链路速度
saw-once = 把 { $moved } 传输一遍用了 { $time }
saw-machines = { $windows } 在 Windows 上运行，{ $linux } 在 Linux 上运行

# 每行的瓶颈。
row-binds-iops = IOPS 上限（{ $name }）
row-binds-bandwidth = 带宽上限（{ $name }）
row-binds-iops-burst = IOPS 突发上限（{ $name }），持续 { $lasts }
row-binds-bandwidth-burst = 带宽突发上限（{ $name }），持续 { $lasts }
row-binds-one-of = 无法判定：{ $names }
row-either = { $all } 或 { $next }
row-above = 高于 { $limit }
row-binds-client = 客户端
row-binds-cap = IOPS 受限
row-binds-latency = 延迟

# 关于其他工具文件的第一句，以及需求结论的理由。
judged-samples-fine = 未发现样本有可疑之处
judged-no-figures = 既没有负载的结果，也没有带间隔的样本：没有可判定的内容
judged-transactions-only = 数据库每分钟的事务数：由此得不出 I/O 速率
judged-result-fine = { $figures }：未发现可疑之处
judged-results-fine = { $n } 个结果，未发现可疑之处
judged-at-mean = { $figures }，平均 { $mean }
judged-need-not-met = 不满足需求：`{ $need }`
judged-need-undecided = 需求无法判定：`{ $need }`
judged-needs-met = { $n ->
    [1] 满足需求
   *[other] { $n } 项需求全部满足
}
judged-not-usable = 不可用：{ $why }
judged-some-not-usable = { $all } 个结果中有 { $n } 个不可用：{ $names }
judged-more-kinds = 另有 { $n } 类上限
judged-results = { $n } 个结果
need-of-no-result = 没有 { $workload } 的结果
need-of-unusable = { $result } 不可用：{ $id }
need-ran-shorter = { $result } 的运行时间短于需求所要求的
need-by = 依据 { $result }
need-other-meets = { $result } 满足（{ $figures }）
need-other-misses = { $result } 不满足（{ $figures }）
need-other-open = { $result } 无法判定（{ $figures }）
need-not-told = 未给出
need-of-few = { $measured }，I/O 太少
need-between = { $low } 至 { $high }

# 结论与规则的画面：不超过八列的标签、表头，以及省略的内容。
judged-lint = 检查
judged-read-as = 格式
judged-why = 原因
judged-try = 建议
judged-invalid = 无效
judged-doubt = 疑点
judged-note = 备注
judged-head-results = 结果
judged-head-sampled = 采样
judged-head-findings = 发现
judged-head-remarks = 未能理解或猜测之处
judged-head-files = 文件
judged-counted-invalid = { $n } 项无效
judged-counted-doubts = { $n } 项疑点
judged-counted-notes = { $n } 项备注
judged-explain = 规则全文：{ $command }
judged-column-file = 文件
judged-column-load = 负载
judged-column-jobs = 作业
judged-column-depth = 深度
judged-column-work = 其他速率
judged-column-mean = 平均
judged-column-max = 最大
judged-column-in-flight = 并发
judged-column-submit = 提交
judged-column-passes = 遍数
judged-column-limit = 上限
judged-column-binds = 瓶颈
judged-column-series = 序列
judged-column-unit = 单位
judged-column-samples = 样本数
judged-column-time = 时间
judged-legend-little = L：按利特尔法则得出（未报告延迟）
judged-legend-clones = C：最差的克隆；全部克隆不超过此值
judged-legend-struck = （括号或删除线）：不可用
judged-legend-limit = 上限：占最紧上限的比例
judged-legend-submit = 提交：占一个 CPU 的比例（速率乘以提交延迟）
judged-more = 另有 { $n } 项见 --json
judged-more-series = 另有 { $rest } 个序列（其中 { $zero } 个始终为零）见 --json
judged-more-lines = 另有 { $n } 行

# 运行前的计划：第一句。
lint-plans = { $n ->
    [1] 该计划
   *[other] { $n } 个计划
}
lint-danger = 危险：{ $plans }：会破坏本机正在使用的东西
lint-would-not-run = { $plans }：照此无法运行
lint-words-unknown = { $plans }：无法检查到底：其中有些词只有运行脚本时才知道
lint-not-done = { $plans }：要求了 secchi 不支持的内容，无法检查到底
lint-nothing-found = { $plans }：未发现问题
lint-nothing-wrong = { $plans }：没有错误；有 { $n } 处值得了解
lint-wrong = { $plans }：有 { $n } 处会出错
lint-command-line = 命令行
lint-argument = { $source }，第 { $n } 个参数
lint-variable-not-set = `{ $word }`：脚本中没有设置 { $name }
lint-known-when-run = `{ $word }`：只有运行脚本才知道
lint-command-unknown = `{ $word }`：只有运行脚本才知道是哪个命令
lint-nested-too-deep = 命令嵌套超过 { $n } 层：其余部分未检查
lint-too-long = 脚本运行的命令过多：{ $n } 个计划之后未检查
lint-script-piped = shell 会执行另一个程序的输出：该脚本未检查
lint-not-parsed = shell 将执行的文本无法解析：{ $what }
lint-sourced = 用 source 读入 { $name }，此处未检查
lint-script-called = 运行脚本 { $name }，此处未检查

# 规则在一个作业中的发现。
lint-of-job = 作业 `{ $job }`：{ $what }
lint-writes-cached-first = direct=0：写入在落盘之前经过页缓存
lint-page-cache-answers = direct=0：由页缓存应答，而不是存储
lint-buffered = --buffered：由页缓存应答，而不是存储
lint-diskspd-cached = 没有 -Sh 或 -Su：由 Windows 文件缓存应答，而不是存储
lint-cached-in-memory = { $set } 不到内存的两倍（{ $memory }），并且经过页缓存
lint-fits-in-memory = { $size } 不到内存的两倍（{ $memory }）
lint-burst-outlasts = { $name } 的满额突发可持续 { $lasts } 秒，而运行只有 { $runtime } 秒
lint-burst-outlasts-load = { $name } 的满额突发可持续 { $lasts } 秒，而负载约 { $load } 秒
lint-depth-with-engine = iodepth={ $depth }，而 ioengine={ $engine }
lint-depth-of-waiting-engine = 对逐个等待 I/O 的引擎要求了最多 { $depth } 的并发：由线程代替
lint-no-latency = gtod_reduce=1：没有延迟，没有百分位数
lint-blocks-twice = norandommap：有的块出现两次，有的从不出现
lint-same-places = randrepeat=1：每次以同样的顺序访问同样的位置
lint-without-ramp = { $runtime } 秒，没有 ramp_time
lint-percentile-is-chance = 约 { $ops } 个 I/O：第 { $p } 百分位数只是偶然
lint-clones-follow = { $n } 个克隆使用同一文件：彼此跟着访问同样的位置
lint-clones-wait = { $n } 个克隆使用同一文件：写入互相等待
lint-only-zeros = zero_buffers：只写入零
lint-compresses = 每个缓冲区有 { $percent } % 会被压缩掉
lint-copies = { $percent } % 的块是副本
lint-jobs-on-processors = { $cpus } 个处理器上有 { $jobs } 个作业
lint-no-runtime = 没有 runtime
lint-wraps = { $set } 在 { $rate } IOPS（{ $name }）下 { $seconds } 秒内循环 { $times } 遍
lint-lasts = { $total } 在 { $rate } IOPS（{ $name }）下需要 { $days } 天
lint-jobs-may-end-apart = 没有 runtime：{ $n } 个作业可能在不同时间结束
lint-reports-of-clones = numjobs={ $jobs } 会给出 { $jobs } 份报告
lint-its-name = 名称
lint-says-depth = { $name } 写队列深度 { $says }，而 iodepth 为 { $depth }
lint-says-jobs = { $name } 写 { $says } 个作业，而 numjobs 为 { $jobs }
lint-says-block = { $name } 写 { $says }，而 bs 为 { $block }
lint-says-numbers = { $name } 写 { $says }，而 numjobs 为 { $jobs }，iodepth 为 { $depth }
lint-says-rw = { $name } 写 { $says }，而 rw 为 { $rw }

# 规则在文件中的发现，以及会被破坏的内容。
lint-not-there = { $name } 不存在：运行会创建它，并测到创建的过程
lint-extends = { $name } 只有 { $need } 中的 { $size }：运行会扩展它
lint-ever-written = { $name } 的 { $used } 中最多只有 { $written } 写过
lint-fills = 按顺序把 { $name } 完整写 { $times } 遍：是预处理，不是测量
lint-fills-randomly = 以随机位置把 { $name } 完整写 { $times } 遍：是预处理，不是测量
lint-overwrites = 计划会覆盖 { $path }：{ $what }
lint-job-writes = 作业 `{ $job }` 写入 { $name }：{ $what }
lint-unread-writes = 计划无法完全解析，但会写入 { $name }：{ $what }
lint-job-discards = 作业 `{ $job }` 丢弃（TRIM）{ $name }：{ $what }
lint-output-goes-to = 计划的输出写到 { $name }：{ $what }
lint-in-use = 正在使用：{ $uses }
lint-device-holds = 设备上有 { $holds }
lint-device-lost = 设备上的一切都会丢失
lint-not-ours = 它已存在，而且不是 secchi 创建的
lint-drive-unseen = 这是 Windows 的整个驱动器：此处无法检查它是否正在使用

# 规则在多条命令中的发现。
lint-line = 第 { $line } 行
lint-left-running = 下一条命令开始时，这条命令仍在运行
lint-written-twice = { $name } 在第 { $first } 行写入，在第 { $again } 行又写入
lint-does-the-same = { $later } 与 { $earlier } 做同样的事
