## 多台主机的一次运行。

ranks-on-host = { $host }：{ $what }
ranks-no-word = 进程 { $rank } 的回答与所问不符
ranks-versions = { $host } 运行的是 secchi { $theirs }，而 0 号进程是 { $ours }：所有进程必须是同一个构建
ranks-same-file = { $a } 和 { $b } 都会写 { $path }：请在名称中加入 { $word }
ranks-plans-differ = 各进程要做的事不同：它们的阶段不一致
ranks-silent = 没有 { $host } 的任何消息
ranks-lost = { $host } 已失去联系：{ $silence } 内没有任何消息；之前测得的结果已保存
