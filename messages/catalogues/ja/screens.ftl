# 列挙と文のつなぎ。
list-next = { $first }、{ $next }
list-then = { $first }；{ $next }
list-and = { $first }と{ $last }
list-more = 他 { $n } 件
list-and-more = 他 { $n } 件
list-told-and-more = { $told }；他 { $n } 件
list-others = 他 { $n } 件
told-of = { $what }：{ $told }
told-with = { $told }（{ $aside }）

# 余白の見出し、8桁以内。
label-verdict = 判定
label-partial = 未完了
label-limit = 上限
label-need = 要件
label-trust = 信頼性
label-tags = タグ
label-note = メモ
label-run = 実行
label-all = 全体
label-host = ホスト
label-storage = 格納先
label-devices = デバイス
label-target = 対象
label-targets = 対象
label-fill = 事前書込
label-engine = I/O方式
label-sampled = 採取
label-typed = 入力
label-again = 再表示
label-try = 対処：

# 表の見出し：下の数値と同じくらい短く。
head-binds = 律速
head-what-binds = 律速要因
head-engine = I/O方式
head-operations = I/O数
head-time = 時間
head-cpu-each = CPU/件
head-share = 割合
head-used = 使用率
head-target = 対象
head-allows = 許容IOPS
head-limit = 上限
head-device = デバイス
head-median = 中央値

# 操作と段階の種類、対象の種類。
op-read = 読込
op-write = 書込
op-trim = トリム
op-flush = フラッシュ
op-reads = 読み取り
op-writes = 書き込み
op-trims = トリム
op-flushes = フラッシュ
role-probe = 予備測定
role-ramp = 段階増加
role-sweep = サイズ走査
role-fixed = 固定
kind-file = ファイル
kind-device = デバイス
kind-null = なし（空の対象）
kind-served = サーバー上
cache-direct = ダイレクトI/O
cache-page = ページキャッシュ経由

# 1画面の回答。
show-its-flushes = フラッシュ
show-more-doubts = 他に疑義・注記 { $n } 件
show-took = 所要 { $time }、書き込みなし
show-took-written = 所要 { $time }、書き込み { $written }
show-took-of-disk = 所要 { $time }、書き込み { $written }、{ $share }
show-more-workloads = { $command }（他 { $n } ワークロード）

# 完了しなかった実行の終わり方。
partial-complete = { $time } で完了
partial-interrupted = { $time } で強制終了された（完了前）
partial-running = 実行中（{ $time } 経過）
partial-stopped = { $time } で停止された
partial-hung = { $time } で打ち切り：I/Oが完了しなかった
partial-failed = { $time } でエラーにより終了
partial-damaged = { $time } 以降のジャーナルが破損しており、残りは測定結果として使えない

# 要件と疑義。
need-word-met = 満たす
need-word-not-met = 満たさない
need-word-undecided = 判定不能
need-at = { $need }（同時I/O数 { $depth }）
need-count-met = 満たす { $n } 件
need-count-not-met = 満たさない { $n } 件
need-count-undecided = 判定不能 { $n } 件
need-counts = 要件 { $n } 件：{ $told }
trust-none = 疑わしい点は見つからない
trust-in-verdict = { $id }（判定を参照）
trust-invalid = 無効 { $n } 件
trust-doubts = 疑義 { $n } 件
trust-notes = 注記 { $n } 件
trust-in-steps = { $all } ステップ中 { $n }：{ $told }
trust-at = { $what }（同時I/O数 { $depths }）
trust-from-to = { $from }～{ $to } { $what }

# 結果画面の見出し。
show-delivered = 得られた性能と購入性能
show-probes = 予備測定
show-as-given = 固定段階
show-findings = 所見
show-measured-on = 測定環境
show-block-sizes = ブロックサイズ別、{ $mode }
show-in-flight = 同時I/O数 { $n }
show-no-level = 測定された段階なし
show-chart-iops = 同時I/O数ごとのIOPS
show-chart-p99 = p99 レイテンシ

# 律速要因と次の上限までの余裕。
binds-mark = 律速
binds-at = { $name } で律速
binds-headroom = 余裕 { $room }
binds-wider = 他に余裕の大きい上限 { $n } 件

# 折れ点、N*、L0、持続性能。
knee-label = 折れ点
knee-at-once = 同時I/O数 1 ですでに
knee-at-most = 同時I/O数 { $at } 以下
knee-between = 同時I/O数 { $below } と { $at } の間
knee-and-mean = { $place }；{ $at } での平均レイテンシは { $mean }
knee-not-reached = 同時I/O数 { $deepest } まで未到達
knee-not-resolved = 特定できず：{ $why }
knee-agree = 同時I/O数 { $from }～{ $to } の段階は一致するが、少なすぎるか短すぎて折れ点を確認できない
nstar-least = 最高値には同時I/O数 { $n } 以上が必要
nstar-least-seen = 観測された最高値には同時I/O数 { $n } 以上が必要
nstar-without-l0 = { $told }（L0 の代わりに { $at_most } で計算）
nstar-gave = { $told }；{ $n } での平均レイテンシは { $mean }
nstar-gave-share = { $told }；{ $n } ではその { $share }、平均レイテンシ { $mean }
nstar-struck = { $told }；無効と判定された値に基づく
lzero-mean = 平均レイテンシ { $l0 }（同時I/O数 1）
lzero-mean-rate = 平均レイテンシ { $l0 }（同時I/O数 1）：1件あたり { $rate } IOPS
lzero-doubted = 平均レイテンシ { $l0 }（同時I/O数 1）、疑わしい：同時I/O数 { $n } の速度からは1件あたり最大 { $at_most }
sustained-label = 持続
sustained-struck = IOPS、無効：{ $why }
sustained-changed = 水準の変化後 { $rate } IOPS
sustained-interval = { $rate } { $half }（この実行内の95 %信頼区間、{ $n } 窓）
sustained-seconds = { $rate }、1秒ごとの値は { $low }～{ $high }
sustained-p99 = { $p99 } [{ $low }, { $high }]：1秒ごとの値のブロックブートストラップによる 95 %信頼区間

# 水準の表の注。
level-struck = 無効：{ $why }
level-settled = { $after } 後に安定
level-changed = 速度の水準が変化：{ $course }；値は最後の水準のもの
level-not-settled = 安定せず：{ $why }
level-few-windows = 窓が少なすぎて速度が安定しているか判定できない
level-no-interval = 区間なし：{ $why }
level-failed = I/O { $n } 件が失敗；速度にもレイテンシにも含まない
level-little = リトルの法則に合わない：X*R/N = { $share }、本来は 1
level-see = 「信頼性」参照：{ $ids }
level-mix = 行は{ $ops }の合計
level-too-short = 短すぎて速度が安定しているか判定できない
level-too-few = 少なすぎる：これを超えるI/Oが10件未満
level-best = 最高値
level-held = { $time } 持続測定
level-held-changed = 持続測定、変化後の { $time }
level-steady = 安定
level-no-sign = 印なし：短すぎて判定できない
no-room = 幅が足りず省略：{ $heads }

# 測定した環境。
host-on = { $hypervisor } 上
host-cpus = CPU { $n } 個
host-allowed = { $what }（コントロールグループの上限 { $most }）
host-memory = メモリ { $memory }
host-sampled = カウンタ { $series } 個を { $looks } 回採取、オーバーヘッドは1コアの { $share } %（1回あたりCPU時間 { $each }）
host-filled = { $bytes } を { $time } で書き込み（フラッシュ込み）：{ $rate }
host-ceiling = secchi 自体の上限は1スレッドあたり同時I/O数 1 で { $one } IOPS、32 で { $deep }
host-place = { $kind } { $path }、{ $size }、{ $cache }
host-run = { $id }、{ $how }（{ $time }）、{ $tool }、終了コード { $code }
host-run-part = { $id }、{ $how }（{ $time }、計画の { $share }）、{ $tool }、終了コード { $code }

# 対象の下のストレージ。
stack-raw = 生のデバイス、ファイルシステムなし
stack-filesystem = { $place } の { $fs }、空き { $free } / { $size }
stack-filesystem-options = { $place } の { $fs }（{ $options }）、空き { $free } / { $size }
stack-backed = 実体 { $file }
stack-cache = キャッシュ { $mode }
stack-scheduler = スケジューラ { $name }
stack-queue = キュー { $n }
stack-largest = 最大I/Oサイズ { $size }
stack-blocks = 論理/物理ブロック { $logical }/{ $physical } B
stack-rotates = 回転式と申告
stack-discards = discard 対応
stack-serial = シリアル番号 { $serial }

# Markdown での実行。
markdown-incomplete = 未完了：{ $told }
markdown-tags = タグ：{ $tags }
markdown-invalid = 無効
markdown-doubt = 疑義
markdown-note = 注記
head-count = 件数

# 計画：検出したものと、これから行うこと。
label-plan = 計画
label-opens = 開く
label-memory = メモリ
label-direct = 直接I/O
label-limits = 上限
label-chosen = 選択
label-clock = 時計
label-ceiling = 自体上限
label-writes = 書込
label-then = その後
label-plan-needs = 要件
plan-found = このマシンで検出
plan-done = 実行予定
plan-at-most = 最大 { $time }
plan-null-target = 空の対象
plan-of-one = { $command }：{ $kind } { $path }、{ $size }、{ $cache }、{ $n } ステージ、--effort { $time }。まだ何も書き込んでいない
plan-of-several = { $command }：{ $several } 個の対象を並行（{ $paths }）、各 { $size }、{ $cache }、{ $n } ステージ、--effort { $time }。まだ何も書き込んでいない
plan-memory = { $memory } 中 { $available } が利用可能
plan-memory-allowed = コントロールグループの上限 { $limit }
plan-no-direct = ここでは不可：{ $why }
plan-direct-grain = { $grain } の倍数で可（{ $how } で確認）
plan-direct-unknown = ダイレクトI/Oの単位は不明
plan-no-limits = 指定（--limit）もコントロールグループの上限もなし
plan-head-on = 操作
plan-head-crossover = 交差点
plan-head-burst = バースト
plan-head-for = 種別
plan-head-depth = 同時I/O
plan-head-pace = ペース
plan-head-each = 各回
plan-head-most = 最大
plan-declared = 指定
plan-on-all = すべて
plan-on-of = { $targets } の { $op }
plan-works = ここで使用可
engine-undecided = 自動：対象を埋めた後、試して決める
engine-asked = { $engine }（指定による）
engine-chosen = { $engine }、{ $reason }：{ $tried }
engine-by-trying = 同時I/O数 { $depth } の { $block } 読み取りで試した結果
engine-confirmed = 実行 { $run } と同じ、{ $how } で確認
engine-replaced = 実行 { $run } の { $before } に代えて、{ $how }
engine-all-failed = どのI/O方式でもI/Oエラーが起きた（{ $tried }）ため、{ $engine } を使用する
engine-tried = { $engine } { $rate } IOPS、CPU { $cpu }/件
engine-tried-failed = { $engine }：{ $trouble }
engine-tried-errors = I/Oエラー
engine-tried-nothing = { $engine }：{ $rounds } 回試して完了なし
plan-clock = { $clock }、読み取り1回 { $cost }；{ $spin } のビジーループ中にスレッドがCPUを離れた時間は1回あたり最大 { $most }（p99.9 { $p999 }、1 ms超 { $long } 回）
plan-ceiling = secchi 自体の上限（対象なし）：1スレッドあたり同時I/O数 1 で { $one } IOPS、32 で { $deep }
plan-no-ceiling = secchi 自体の上限は測定していない
plan-levels = { $first }～{ $last }、{ $n } 段階
plan-passes = { $levels }、{ $n } 回
plan-as-ramp = 段階増加の結果に従う
plan-pace-even = { $rate } IOPS、等間隔
plan-pace-poisson = { $rate } IOPS、ポアソン
plan-early = 各段階は速度が安定すれば、段階増加は同時I/O数を増やしても速度が伸びなければ、早めに終わる。
plan-no-fill = 事前書き込み不要：テストファイルは完全
plan-fill = 先に圧縮できないデータ { $bytes } を対象に書き込む
plan-no-writes = 書き込むステージなし
plan-writes = { $all } ステージ中 { $n } ステージが最大 { $time }、ストレージの受け付ける限り書き込む
plan-writes-at-most = { $all } ステージ中 { $n } ステージが最大 { $time }、ストレージの受け付ける限り書き込む（指定の上限では最大 { $most }）
plan-bound = 合計 { $most } まで（--max-written。--yes で上限なし）
announce-max-written = 書き込みはテストファイルの事前書き込みを含めて合計 { $most } まで（増やすには --max-written SIZE または --yes）
plan-share = { $bytes } は { $share }
plan-written-before = これまでの書き込み { $bytes }
plan-kept = 終了後もテストファイルを残す
plan-removed = 終了後にテストファイルを削除
plan-hang = 1件のI/Oが { $time } を超えたら実行を打ち切る
plan-error-first = 最初のI/Oエラーでステップを終了する
plan-error-count = I/Oエラー { $n } 件でステップを終了する
plan-error-go-on = I/Oエラーは計数するだけで、ステップは終了しない

# 比較。
label-differs = 相違
compare-differs = { $name }：A は { $a }、B は { $b }
compare-worse = B の方が悪い：{ $figures }
compare-better = B の方が良い：{ $figures }
compare-also-better = 良い：{ $figures }
compare-all-same = すべて { $within } 以内で同じ
compare-one-same = { $figure } は { $within } 以内で同じ
compare-several-same = { $figures } は { $within } 以内で同じ
compare-open = 変化したか判定できない：{ $figures }
compare-open-more = 変化したか判定できない：{ $figures }（両側であと { $n } 回ずつ実行）
compare-runs = { $n } 回：{ $runs }
compare-runs-by = { $tools } で { $n } 回：{ $runs }
compare-head-figure = 値
compare-head-interval = 95 %信頼区間
compare-head-scatter = 標準偏差 A, B
compare-head-answer = 回答
range = { $low }～{ $high }
compare-changed-better = 変化あり、良化
compare-changed-worse = 変化あり、悪化
compare-answer-same = { $within } 以内で同じ
compare-answer-more = 判定不能：あと { $n } 回実行
compare-answer-open = 判定不能
compare-legend = A、B：各実行の中央値。点は1回の実行で、A の中央値を基準とする。変化：B の実行と A の実行のすべての比の中央値（Hodges-Lehmann）とその 95 %信頼区間。p：実行の順位（Mann-Whitney）。区間が 1/{ $ratio } と { $ratio } の間にあれば { $within } 以内で同じとする。
compare-legend-holm = A、B：各実行の中央値。点は1回の実行で、A の中央値を基準とする。変化：B の実行と A の実行のすべての比の中央値（Hodges-Lehmann）とその 95 %信頼区間。p：実行の順位（Mann-Whitney）、{ $n } 個の値について補正（Holm）。区間が 1/{ $ratio } と { $ratio } の間にあれば { $within } 以内で同じとする。
metric-device-writes = デバイス書き込み
several-needs-met = { $all }回のうち{ $met }回が要件を満たす
several-range = { $workload } 毎秒{ $low }～{ $high }（±{ $half }）
several-compare = 2つの構成の比較には、それぞれ5回測定して secchi compare A... -- B... を使う
several-relative = 変化は最初の測定に対するもの。

# 保存された実行の表。
runs-none = 保存された実行はまだない。`secchi qualify PATH` で作成する
runs-head-command = コマンド
runs-head-took = 所要
runs-head-tags = タグ
runs-note = メモ：{ $note }

# 時間の推移。
label-runs = 実行
label-doubt = 疑義
label-figures = 値
label-level = 水準
label-levels = 水準
label-change = 変化
trend-plan = 計画 { $plan }
trend-runs = { $n } 回、{ $from }～{ $to }
trend-no-figures = 有効と判定された値のある実行がない
trend-changes = { $n ->
    [0] 変化なし
   *[other] 変化 { $n } 回
}
trend-no-change-told = 変化を判定せず、平均もなし：{ $why }
trend-mean = 平均 { $mean }（{ $range }）
trend-level = { $figure }；{ $n } 回、#{ $from }（{ $begin }）～#{ $to }（{ $end }）
trend-not-drawn = 最初の { $n } 回は図示していない
trend-table = 実行、最新は最後
trend-head-exit = 終了
trend-further = 他の { $n } 個の値は上のグラフと --json にある
trend-dash = - = 無効と判定、または測定なし

# 実行中の1行。
doing-fill = 書き込み中
doing-left = 残り { $left }

# ページ。

# データベース実行の画面。
label-what = 対象
label-how = 方法
label-set = 設定
label-with = 同時に
label-checked = 検査
dbview-database = データベース
dbview-what = { $name }、{ $directory }：データ { $data }、ページ { $page }
dbview-nodes = ノード名：{ $names }
dbview-growth = 増加
dbview-new-nodes = 新しいノード { $n }
dbview-before = 前
dbview-after-growth = 後
dbview-grown = 長さ
dbview-allocated = 割り当て
dbview-all-files = 全ファイル
dbview-inserted-in-order = キーは前のキーの次に追加される。ファイルは長さ、全ファイル（データベースのディレクトリにある全ファイル）は割り当て量で示す
dbview-inserted-anywhere = キーは既存のキーの間のランダムな位置に追加される。ファイルは長さ、全ファイル（データベースのディレクトリにある全ファイル）は割り当て量で示す
dbview-amplified = 書き戻しの完了までのデバイスへの書き込み { $written }、値は { $bytes }：値1バイトあたり { $factor } バイト
dbview-amplified-device = 書き戻しの完了までの全プロセスによるデバイスへの書き込み { $written }、値は { $bytes }：値1バイトあたり { $factor } バイト
dbview-indexes = グローバルごとに副索引 { $n } 個
dbview-past-cache = ファイルはページキャッシュを経由しない
dbview-through-cache = ファイルはページキャッシュ経由
dbview-cache = エンジンのキャッシュ { $cache }、{ $files }
dbview-journal-on = ジャーナルあり、{ $commit }
dbview-journal-off = ジャーナルなし、{ $commit }
dbview-group = グループ { $group } の他の実行
dbview-updates = 更新
dbview-inserts = 挿入
dbview-commits = コミット
dbview-transactions = トランザクション
dbview-reads = 読み取り
dbview-blocks = ブロック
dbview-workers = 並列 { $n }
dbview-class-workers = { $class }（並列 { $n }）
dbview-waves = { $n } 段階
dbview-blocks-read = データベース自身のファイルから { $block } のブロックを、どのキャッシュも通さず読み取り
dbview-engine-blocks = エンジン自身が { $page } のブロックを、ページキャッシュもエンジンのキャッシュも通さず読み取り；エンジンのカウンタに含まれないことがある
dbview-engine-blocks-cached = エンジン自身が { $page } のブロックをページキャッシュ経由で読み取り；エンジンのカウンタに含まれないことがある
dbview-batch = 更新 { $batch } 件のトランザクション、それぞれ開始前からコミット後までを計時
dbview-batch-reads = バッチの { $percent } % は読み取り
dbview-law-poisson = ランダムな間隔
dbview-law-fixed = 等間隔
dbview-arrivals = 毎秒 { $asked } バッチが{ $law }で到着予定、{ $begun } を開始：遅れは p50 { $p50 }、p99 { $p99 }、最大 { $longest }。レイテンシは予定時刻から数える
dbview-pause = 各バッチ後の休止は指定 { $asked }、実際は平均 { $made }：時間の { $share } を占め、レイテンシには含まない
dbview-moved = 速度の水準が変化：{ $moved }；値は最後の水準のもの
dbview-moved-no-rate = 速度の水準が変化：{ $moved }；一定の速度なし
dbview-rate = 毎秒 { $rate } 操作
dbview-few = -：これを超える操作が10件未満
dbview-head-processes = 並列数
dbview-head-asked = 要求/秒
dbview-head-reads = 読込/秒
dbview-head-updates = 更新/秒
dbview-head-writes = 書込/秒
dbview-head-gain = 増分
dbview-last-gain = 1割以上伸びた最後の並列数
dbview-best = 最高値
dbview-accepted = 合格：{ $wanted }
dbview-met = 達成：{ $needs }
dbview-of-reads = レイテンシは読み取りのもの
dbview-of-transactions = レイテンシはトランザクション全体のもの
dbview-of-updates = レイテンシは更新のもの
dbview-accepted-up-to = 並列数 { $n } まで合格
dbview-none-accepted = 合格した並列数なし
dbview-chart-rate = 並列数ごとの毎秒操作数
dbview-hosts = ホスト別
dbview-below = 下位層での読み書き
dbview-counted-by = 計数元
dbview-row-all = 合計
dbview-row-everybody = デバイス全体
dbview-whole-of = { $names } の全体
dbview-by-group = エンジンのプロセスのコントロールグループで計数、測定した { $time } の間
dbview-by-processes = カーネルのプロセス統計で計数、書き込みは送出時点、測定した { $time } の間
dbview-by-device = 使用者によらずデバイス全体で計数、測定した { $time } の間
dbview-others-estimated = うち他のプロセスは推定 { $share }
dbview-others-unknown = 他のプロセスの割合は不明
dbview-others = デバイスのバイト数の { $share } は他のプロセスとファイルシステムのジャーナルの分
dbview-others-range = デバイスのバイト数の { $least }～{ $most } は他のプロセスとファイルシステムのジャーナルの分
dbview-sent = 書き込み { $least }～{ $most }：前者はコントロールグループへの計上量、後者はプロセスの送出量（2度送られたページは1度だけ書き込まれるか、カーネルが後で書き込む）
dbview-not-told-apart = I/Oをプロセス別に分けられない：{ $why }
dbview-after-processes = 終了後：エンジンのプロセスが { $time } で書き込み { $written }、読み取り { $read }
dbview-after-devices = 終了後：デバイス全体で { $time } に書き込み { $written }、読み取り { $read }
dbview-mgstat = エンジンのカウンタ（名称は mgstat のもの）
dbview-mgstat-absent = このエンジンでは分からない：{ $names }
dbview-most = 最大
dbview-in-run = 実行全体
dbview-engine = エンジン
dbview-counted = 計数
dbview-write-back = 書き戻し中
dbview-between = トランザクション（合間）
dbview-during = トランザクション（最中）
dbview-commits-between = コミット（合間）
dbview-commits-during = コミット（最中）
dbview-waits = ファイルを待った時間：{ $roles }
dbview-waited = { $role }（セッションの呼び出し時間の { $sessions }、書き込み側は実行時間の { $writers }）
layout-worth = { $moved } へ移す価値がある：{ $figures }
layout-worse = { $moved } へ移す価値はない：{ $figures }
layout-no-difference = { $moved } へ移しても { $share } を超える差はない：{ $figures }
layout-mixed = { $moved } へ移すと良くなるものと悪くなるものがある：{ $figures }
layout-cannot-tell = { $moved } へ移す価値があるかは、これらの実行では判定できない：{ $figures }
layout-binds = { $role } のボリュームが律速：セッションは時間の { $share } をその待ちに費やす
layout-binds-none = 律速するボリュームはない：セッションが最も待つのは { $role } で、時間の { $share }
layout-binds-unknown = セッションが何を待つかは、このエンジンでは不明
layout-grows = { $n } 回の実行で、更新量が書き戻し量を超えた
layout-lies = { $role }：{ $at }
layout-lies-on = { $role }：{ $at }（{ $devices }）
layout-untested = 実行の中央値。参考値であり検定していない。A は現在の配置
layout-more = --full で表示：役割の配置、グラフ、フェーズ別のコミット、備考、各回の実行
dbview-times = { $n } 回、平均 { $mean }、最大 { $most }、実行時間の { $share }
dbview-pages = 各 { $pages } ページ
dbview-backlog = 滞留
dbview-backlog-is = 最大 { $most } ページ、最後は { $last }
dbview-backlog-level = { $told }：書き戻しは追いついている
dbview-backlog-grows = { $told }：毎秒 { $slope } ページ増えており、持続できない
dbview-backlog-gathers = { $told }：実行中に書き戻しはなかった
dbview-backlog-short = { $told }；増えているか判定するにはサンプルが少なすぎる
dbview-no-history = このデータベースではまだ何も実行していない。`secchi db ranread DIR` で読み取る
dbview-head-batch = 回
dbview-head-date = 日付
dbview-head-clock = 時刻
dbview-head-journal = ジャーナル
dbview-head-commit = コミット
dbview-on = あり
dbview-off = なし
dbview-partial = 未完了
dbview-history-legend = レイテンシは、読み取りがあれば読み取り、なければトランザクション全体のもの
dbview-history-earlier = それ以前の { $n } 件は --full で表示
dbview-rows = { $n } 行

# ブロック層の追跡結果。
traced-layers = 層ごとのI/O：{ $label }
traced-device = デバイスでのI/O：{ $label }
traced-more = 各ステップの分布、プロセス、層：secchi show --json
traced-processes-legend = ブロック層に入る時点（結合前）の読み取りと書き込み。ページキャッシュの書き戻しはkworkerなどのカーネルスレッドが、fsyncによる書き込みは呼び出したプロセスが発行する
traced-aside = { $length } を追跡、1 CPUの { $share } を使用
traced-none = デバイスに届いたリクエストなし
traced-4m = 4 MiB 以上
traced-fewer = 他にI/Oの少ないもの { $n } 件
traced-head-bytes = 量
traced-head-size = 平均サイズ
traced-head-mostly = 最多
traced-head-order = 連続
traced-head-time = 平均時間
traced-head-queued = 待ち
traced-head-layer = 層
layer-application = アプリケーション
layer-calls = システムコール
layer-process = プロセス→ブロックデバイス
layer-dirtied = ページキャッシュ、変更
layer-written-back = ページキャッシュ、書き戻し
layer-queued = ブロック層、結合前
layer-requests = ブロック層、結合後

# 実行一覧の値。
listed-rate = 毎秒 { $rate } { $kind }
listed-no-rate = { $kind }、一定の速度なし

# 監視のまとめ。
view-alarms = 警報
view-head-alert = 警報条件
view-head-of = 対象
view-head-worst = 最悪
view-head-since = 開始
view-to-the-end = 最後まで
view-devices = デバイス（全プロセスのI/O）
view-looks = { $looks ->
    [1] { $looks } 回の観測、{ $time }
   *[other] { $looks } 回の観測、{ $time }
}
view-head-slowest = 最遅
view-head-merged = 結合
view-head-queue = 待ち行列
view-head-busy = 稼働
view-devices-legend = 平均時間：キュー投入から完了まで、I/O数で加重；最遅：1区間の最悪の平均；稼働：処理中のI/Oがあった時間で、飽和度ではない。多数を同時に処理するデバイスは上限よりはるか手前で 100 % になる
view-idle = 無負荷
view-flushes = フラッシュ { $n }
view-discards = discard { $n }
view-limits = 上限、1秒ごとの合計
view-full-from = 上限到達：97 % 以上
view-head-cap = 上限
view-head-full = 上限到達
view-head-longest = 最長連続
view-never = なし
view-shares-full = { $cap }、上限到達の間：{ $shares }
view-shares-all = { $cap }、全期間：{ $shares }
view-sum-of-maxima = それぞれの最大値の合計は { $sum } だが、時刻が異なる
view-left-out = { $names } を除く：そのI/Oは下のデバイスの計数に含まれる
view-command = コマンド
view-process = プロセス { $pid }
label-command = コマンド
label-used = 使用量
view-used-bytes = ブロックデバイスから読み取り { $read }、書き込み { $written }
view-used-wait = wait4 では読み取り { $read }、書き込み { $written }
view-used-cpu = CPU時間 ユーザー { $user }、システム { $system }
view-used-switches = コンテキストスイッチ { $n } 回
view-used-memory = 常駐メモリ最大 { $memory }
view-used-with-children = { $told }（終了を待った子プロセスを含む）
view-processes = プロセス（子を含む）
view-head-process = プロセス
view-head-read = 読込量
view-head-written = 書込量
view-head-user = CPUユーザー
view-head-system = システム
view-head-switches = 切替/秒
view-hidden = 参照不可
view-processes-legend = バイト数はカーネルがプロセスのためにブロックデバイスへ送った量；CPUは1コアに対する割合
view-top = I/Oの多いプロセス
view-head-program = プログラム
view-head-read-calls = 読取呼出
view-head-write-calls = 書込呼出
view-head-wait = I/O待ち
view-head-most-bytes = 最大MB/s
view-top-others = その他
view-top-legend = 最初に上位に入った区間から計数し、それ以前のI/Oは「その他」に含む。子プロセスの最後のサンプル以後のI/Oは、終了を待った親プロセスに計上する。書き込みはページキャッシュを変更した時点で計数する。呼び出しはパイプとソケットを含み、io_uringとLinux AIOを含まない
view-top-no-waits = プロセスのI/O待ち時間は不明である：カーネルが計測していない（sysctl kernel.task_delayacct=1で以後に開始したプロセスについて有効になる）
view-groups = プロセスのコントロールグループ
view-charged = 計上されたI/O、結合前
view-head-group = グループ
view-head-most-iops = 最大IOPS
view-head-stopped = 停止
view-head-memory = メモリ
view-no-io = I/Oの計数なし
view-group-free = { $name }：プロセス { $processes }；上限なし
view-group-allowed = { $name }：プロセス { $processes }；許容：{ $allowed }
view-machine = マシン
view-machine-aside = 平均と一区間の最大
label-waiting = 待ち
label-cpu = CPU
view-and-most = { $mean }（最大 { $most }）
view-cpu-user = ユーザー { $told }
view-cpu-system = システム { $told }
view-cpu-wait = I/O待ち { $told }
view-cpu-stolen = スチール { $told }
view-dirty = ダーティ { $told }
view-writeback = 書き戻し中 { $told }
view-available = 利用可能 { $told }
view-some-io = いずれかがI/O待ち { $told }
view-all-io = 全プロセスがI/O待ち { $told }
view-some-memory = いずれかがメモリ待ち { $told }
view-some-cpu = いずれかがCPU待ち { $told }
view-on-the-way = 途中の出来事
view-more-notes = 他 { $n } 件：secchi show --json にすべてある

# 監視中の行。
view-no-look-io = I/Oなし
view-late = 遅れ：{ $seconds } 秒間の平均
view-cpu = CPU ユーザー { $user } %、システム { $system }、iowait { $wait }、スチール { $steal }
view-memory = ダーティ { $dirty }、書き戻し中 { $back }
view-waiting = I/O待ち { $share } %
view-idle-devices = 無負荷のデバイス { $n } 個
view-process-line = プロセス { $name }：{ $told }
view-process-bytes = 読み取り { $read }、書き込み { $written }
view-process-calls = システムコール毎秒 { $reads } + { $writes }
view-top-line = 上位：{ $process }：{ $told }
view-top-line-in = 上位：{ $group } の { $process }：{ $told }
view-top-wait = I/O待ち { $share } %
view-core = 1コアの { $share } %
view-group-line = グループ { $name }：{ $told }
view-group-line-allowed = グループ { $name }：{ $told }（許容：{ $allowed }）
view-group-io = { $device } で { $rate } IOPS { $bytes }
view-group-stopped = CPUクォータにより { $share } % 停止
view-group-memory = メモリ { $memory }
view-submitters-line = { $device } のプロセス別：{ $processes }
view-submitter = { $process } { $rate } IOPS { $bytes }

# 監視の実況画面。
view-every = { $time } ごと
view-held = 静止中、新しい観測 { $n } 回
view-late-board = 遅れ：{ $seconds } 秒間の平均
view-all-together = 合計
view-no-sizes = サイズなし：ブロック層の追跡は root で --trace-blocks を付ける（b：グラフ）
view-sizes-last = { $name } のI/Oサイズ、直近の区間：{ $time }
view-sizes-all = { $name } のI/Oサイズ、開始から：{ $time }
view-over = { $name }（{ $devices } の上）
view-taller = （続き：端末を縦に広げるか、終了時のまとめで）
view-mean-time = 平均時間
view-plot-queue = 待ち行列
view-in-flight = 処理中
view-plot-most = 最大 { $most }
view-first-look = 最初の観測を待っている
view-limits-line = 上限  { $told }
view-cpu-board = CPU %  ユーザー { $user } システム { $system } iowait { $wait } スチール { $steal }   I/O待ち % { $some }   ダーティ MiB { $dirty } 書き戻し { $back }
view-foot = q 終了  ? キー  ↑/↓ デバイス  b サイズ  +/- { $span }  p 静止  s 合計  r 役割
view-keys = キー
view-keys-move = ↑、↓、Tab       別のデバイス；グラフは選んだもの
view-keys-sum = s               全デバイスの合計：他の上に載るものは除く
view-keys-sizes = b               I/Oサイズ：開始から、直近の区間、
view-keys-sizes-more = グラフに戻る（--trace-blocks が必要）
view-keys-span = +  -            時間の幅を広げる・狭める
view-keys-hold = p、空白         画面を静止；観測は続き、記録される
view-keys-roles = r               役割名・カーネル名の切り替え
view-keys-help = ?               この説明の表示・消去
view-keys-quit = q、Ctrl-C       監視を終えてまとめを表示
view-keys-await = await：キュー投入から完了までの平均時間。busy：処理中のI/Oがある時間。
view-keys-busy = 多数を同時に処理するデバイスは 100 でも飽和していない。

# ディスクマーク。
mark-asked = { $size } { $times } { $seconds } 秒 { $loops } 回、{ $data }
mark-asked-cached = { $asked }、ページキャッシュ経由
mark-zeros = ゼロ
mark-random = 乱数データ
mark-nothing = 何も測定されなかった
mark-read = 読み取り { $rate }
mark-write = 書き込み { $rate }
mark-mix = 混合 { $rate }
mark-not-valid = 無効：{ $trouble }；{ $told }
mark-stopped = 途中で停止；{ $told }
mark-no-end = 終了前に強制終了；{ $told }
mark-running = 実行中；{ $told }
mark-hung = 応答なし：{ $reason }；{ $told }
mark-failed = 失敗：{ $reason }；{ $told }
mark-damaged = 破損、測定結果として使えない：{ $reason }；{ $told }
mark-heading-read = 読み取り
mark-heading-write = 書き込み
mark-heading-mix = 混合  読み取り { $reads } %、書き込み { $writes } %、同時
mark-head-loops = ループ
mark-loop-of = ループ { $turn } / { $planned }
mark-loops-of = { $done } / { $planned }
mark-try = { $doubt }；対処：{ $remedy }
mark-sum = { $n } 台のホストの合計：{ $hosts }
mark-by-host = ホスト別、最良の回
mark-from-to = { $slowest } から { $fastest } まで
mark-one-loop = 各1回；MB/s = 10^6 バイト/秒
mark-best-of = 値は { $n } 回中の最良、併記は中央値；MB/s = 10^6 バイト/秒
mark-again = 再表示、画像やテキストでの出力：
mark-legend = MB/s は 10^6 バイト/秒。IOPS、平均、p99 は最良の回のもの。

# fio と ioping の出力の後に出る疑義。
fio-trust-nothing = 疑わしい点は見つからない
fio-trust-incomplete = 未完了
fio-trust-invalid = 無効
fio-trust-doubt = 疑義
fio-trust-note = 注記
fio-trust-verified = { $blocks } ブロックを読み戻して比較し、誤りはなかった
fio-trust-interrupted = 終了前に強制終了された
fio-trust-running = 実行中
fio-trust-stopped = 実行は終了前に停止された
fio-trust-hung = 完了しなかったI/Oがある。値は完了したものだけを含む
fio-trust-failed = 実行はエラーで終了した
fio-trust-damaged = 実行のジャーナルが破損している：値は読み取れた部分のもの
fio-trust-thin = { $name }：{ $first } 以降のパーセンタイルは、それを超えるI/Oが10件未満（全 { $ops } 件）
ping-not-valid = 無効
ping-doubt = 疑義
ping-from-due = レイテンシは予定時刻から数える。処理時間のみ：平均 { $avg }、最大 { $max }。発行までの最長の遅れ：{ $wait }

# 書き込み量のディスクに対する割合。
share-tiny = 0.01 % 未満
share-of-disk = { $name }（{ $size }）の { $share }
share-of-disk-and-endurance = { $name }（{ $size }）の { $share }、耐久性の { $endurance }
