## 在另一存储上重放的记录。

replay-folded = 记录的位置被折叠进较小的文件：缓存与寻道因此更轻松
replay-folded-seen = 被访问的区域中有 { $bytes } 与其他共用位置
replay-moved = 操作比记录的长：此存储的块更大
replay-moved-seen = { $of } 个操作中的 { $n } 个
replay-unmapped = 不属于任何角色的请求不重放：这里的文件系统会自己发出
replay-trims = 在文件中不重放 trim：会留下不经设备读取的空洞
replay-failed = 失败的请求，以及非读、写、trim、刷新的请求不重放
replay-left-out-seen = { $n } 个请求
replay-following = 紧接另一请求结束发出、且明显多于偶然的请求，在这里也等待其结束；其余按记录的时间发出
replay-following-seen = { $of } 个操作中有 { $n } 个等待另一个
replay-open = 全部按记录的时间发出：谁等待谁不得而知
replay-open-seen = 记录中没有延迟
replay-apart = 等待另一设备上操作的请求，每 20 µs 查看其是否结束
replay-apart-seen = 等待另一设备的操作 { $n } 个，工作线程 { $loads } 个
replay-kept-up = 跟得上：{ $operations } 个操作按记录完成，最多晚 { $lag }
replay-lagged = { $role } 跟不上：{ $seconds } 秒中有 { $late } 秒迟发，最多 { $lag }；用时 { $made }，记录为 { $recorded }
replay-longer = { $role } 跟不上：等待应答的操作用时 { $made }，记录为 { $recorded }
replay-lagged-bound = { $lags }；{ $bound }
replay-unpaced = { $role }：尽快时 { $iops } IOPS，记录为 { $recorded }

replay-title = { $name } 的重放
replay-summary = 在 { $target } 上 { $operations } 个操作
replay-page = 记录与重放
replay-kind = 种类
replay-size = 不超过
replay-was = 记录
replay-is = 重放
replay-p50 = p50 记录
replay-p50-now = p50 现在
replay-p99 = p99 记录
replay-p99-now = p99 现在
replay-due = p99 自应发时
replay-lag = 迟发操作的各秒
replay-lag-row = 第 { $second } 秒：{ $operations } 个中的 { $late } 个，最多晚 { $longest }
replay-lag-more = 另有 { $n } 秒
