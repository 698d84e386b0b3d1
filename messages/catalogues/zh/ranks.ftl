## 多台主机的一次运行。

ranks-on-host = { $host }：{ $what }
ranks-no-word = 进程 { $rank } 的回答与所问不符
ranks-versions = { $host } 运行的是 secchi { $theirs }，而 0 号进程是 { $ours }：所有进程必须是同一个构建
ranks-same-file = { $a } 和 { $b } 都会写 { $path }：请在名称中加入 { $word }
ranks-same-database = { $a } 和 { $b } 会驱动 { $path } 中的同一个数据库：用同样的 mpirun 和一个新目录执行 `secchi db setup`，会为每个进程各建一个
ranks-plans-differ = 各进程要做的事不同：它们的阶段不一致
ranks-silent = 没有 { $host } 的任何消息
ranks-lost = { $host } 已失去联系：{ $silence } 内没有任何消息；之前测得的结果已保存
ranks-apart = 各主机没有同时开始或同时结束：总体数据取自所有主机都在测量的那些秒
ranks-begun-apart = { $late } 比 { $first } 晚开始 { $by }
ranks-ended-apart = { $early } 比 { $last } 早结束 { $by }
ranks-together-for = 所有主机同时测量了 { $time }
ranks-apart-remedy = 给每台主机同样的时间，并检查晚到主机的网络和负载
ranks-straggler = 有一台主机落后于其他主机：{ $host }
ranks-stragglers = 有主机落后于其他主机：{ $host } 及另外 { $others } 台
ranks-usual = { $label }：此处通常为 { $rate } IOPS，缺少 { $lost } IOPS
ranks-behind-by = { $host }：{ $rate } IOPS，占缺少部分的 { $share } %
ranks-more-behind = 以及另外 { $n } 台
ranks-straggler-remedy = 请只在 { $host } 上运行：该主机的存储、上限或网络较慢，或与他人共用
ranks-clocks-coarse = 各主机的时钟是经由较慢的网络比较的：不同主机的时间可能相差这么多
ranks-clock-within = { $host }：在 { $within } 以内
ranks-limit-on = 限制 `{ $limit }` 针对目标 `{ $on }`，而目标有 { $names }
doubt-host-gone = 运行期间有一台主机失去联系：数据取自此前的时间
fio-trust-host-gone = 有一台主机失去联系；数据包含此前测得的内容
partial-host-gone = 运行被放弃：{ $time } 后有一台主机失去联系
ranks-had = { $host } { $rate }
