# `secchi limits` 的表：标题、列标题、不超过八列宽的标签。
limits-volumes = 卷
limits-instances = 实例
limits-head-volume = 卷
limits-head-size = 大小
limits-head-bandwidth = 带宽
limits-head-published = 公布日期
limits-head-instance = 实例
limits-head-iops-burst = IOPS（突发）
limits-head-bandwidth-burst = MB/s（突发）
limits-head-family = 系列
limits-head-types = 型号数
limits-head-bursts = 突发
limits-head-caps = 上限
limits-head-depth = 并发
limits-head-mean = 平均
limits-head-next = 下一瓶颈
limits-head-headroom = 余量
limits-head-tightest = 最紧的上限
limits-label-caps = 上限
limits-label-crosses = 交叉点
limits-label-counts = 计数
limits-label-promise = 承诺
limits-label-price = 价格
limits-label-note = 说明
limits-label-source = 来源
limits-label-chosen = 可选
limits-label-bytes = 字节
limits-label-bought = 所购
limits-label-declared = 指定
limits-label-above = 超出
limits-label-tie = 并列
limits-label-depth = 并发
limits-label-merging = 合并
limits-label-burst = 突发
limits-label-need = 需求
limits-label-none = 无

# 目录及其中一个条目。
limits-undated = 无日期
limits-from-size = { $size } 起
limits-by-table = 按大小查表
limits-more-rungs = { $name } 及另外 { $more } 种，直至 { $last }（列出：{ $command }）
limits-families-note = 列出某系列：`{ $family }`；显示某型号：`{ $one }`
limits-of-them = 其中 { $n } 种
limits-read-side = 读 { $figure }
limits-write-side = 写 { $figure }
limits-of-op = { $op }：{ $caps }
limits-with-burst = { $cap }（突发 { $burst }）
limits-burst-lasts = { $rate }，持续 { $lasts }
limits-burst-refilled = { $rate }，持续 { $lasts }，补满需 { $again }
limits-burst-every = { $rate }，每 { $again } 可持续 { $lasts }
limits-secondary-source = { $source }（二手来源）
limits-own-row = { $source }（自行添加的条目）
limits-published = { $date } 公布
limits-crosses-at = { $size }：较小的随机 I/O 受限于 IOPS，较大的受限于带宽
limits-counted-whole = 大于 { $unit } 的 I/O 按多个计数
limits-counted-merged = 较小的顺序 I/O 合并至此大小
limits-counted-padded = 其他较小的 I/O 占用与 { $unit } 的 I/O 相同的带宽
limits-promised = 几乎始终不低于上限的 { $share } %
limits-price = { $region } 每月 { $amount } { $currency }；{ $date } 公布

# 卷和实例的允许值。
limits-may-do = { $workload } 的预期速率
limits-crosses-below = 小于 { $size } KiB 时受限于 IOPS，大于时受限于带宽
limits-by-size = { $sizes }：{ $told }
limits-depth-needed = 并发 { $n } 时刚好达到上限；请用 { $from } 至 { $to } 测试
limits-merged = 若相邻请求按目录条目所允许的程度合并，最高 { $rate } IOPS：只有随机 I/O 能检验 IOPS 上限
limits-burst-first = 积分满时 { $rate } IOPS
limits-burst-first-for = 积分满时 { $rate } IOPS 可持续 { $lasts }
limits-burst-then = 此后 { $rate }
limits-burst-then-for = 此后 { $rate } 持续 { $lasts }
limits-burst-recovers = 空闲 { $time } 可补满积分
limits-burst-at = { $told }（并发 { $depth }）
limits-tie = { $names }：允许值相差在 3 % 以内，测量无法区分受限于哪一个；请提高其中之一，或同时对另一个卷施加负载
limits-no-promise = 上限不是保证：供应商只承诺不低于 { $limit } 上限的 { $share } %

# 能满足需求的配置。
limits-solve-need = { $need }：{ $rate } IOPS，{ $bandwidth }
limits-solve-depth = 并发最多 { $depth }（利特尔法则：IOPS × 平均延迟）
limits-solve-together = 同时满足所有需求
limits-solve-apart = 各项需求分别满足（--together 表示相加）

# 由供应商工具的输出生成的文件。
limits-imported = 已将 { $n } 个型号写入 { $file }
limits-import-without = { $n } 个型号没有公布自身的上限，已略去：{ $some }

# Contracts.
limits-contracts = 契约
limits-head-contract = 契约
limits-head-needs = 需求
limits-contracts-note = 名称可用于 --need；来源和日期见源码中的 `analysis/contracts/`

# Volumes of an account.
limits-account = 账户的卷
limits-head-attached = 连接到
limits-head-option = --volume
limits-account-note = 用 secchi qualify PATH --volume ... 与上限比较；用 secchi limits solve --current ... 查找更便宜的卷
limits-account-instances = 账户的实例
limits-account-instances-note = 用 secchi qualify PATH --instance ... 测量；用 secchi limits solve --instance ... 为其查找卷
