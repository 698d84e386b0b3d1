## Is a volume still being loaded from its snapshot: `secchi hydration`
hydration-loaded = 已加载: 卷中最多还有 { $high } % 尚未加载 ({ $blocks } 个随机块, 置信度 95 %)
hydration-loading = 仍在加载: 卷中还有 { $value } % 尚未加载 (95 % 区间 { $low } 至 { $high } %)
hydration-unclear = 无法判定: 卷中还有 { $low } 至 { $high } % 尚未加载; 请增加 --samples
hydration-warmed = 全部 { $size } 已读取
hydration-warmed-part = 已读取 { $size } 中的 { $until }; 再次运行同一命令会从此处继续
hydration-rate = 以 { $rate } 读取全部需要 { $time }
hydration-doubt-halves = 样本的两半相互矛盾: 存储在运行期间发生了变化
hydration-seen-halves = 未加载: 前一半 { $first } %, 后一半 { $second } %
hydration-remedy-halves = 请在卷上没有其他负载且未达到其上限时重复测试
hydration-title = 读取
hydration-slow-over = 慢: 超过 { $time }
hydration-head-reads = 读取
hydration-head-block = 块
hydration-head-depth = 并发
hydration-head-ops = 次数
hydration-head-slow = 慢
hydration-continues = 从上次运行结束处继续: { $size } 中的 { $from }
