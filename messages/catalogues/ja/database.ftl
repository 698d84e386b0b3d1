# データベースの測定への疑義。
db-of-model = エンジンのI/Oを模したモデルの値で、エンジン自体の値ではない：エンジンのロックや、エンジンとクライアントの計算の大部分は含まれない
db-of-model-remedy = エンジンを導入できる環境で比較する。プロファイルに各値の出典と比較対象が書かれている
db-records-missing = 存在しないレコードが要求された
db-records-missing-remedy = 件数を数える：secchi db count-subscripts；作り直す：secchi db create-globals
db-operations-failed = エンジンの操作が失敗した
db-operations-failed-seen = 成功 { $done } 件に対し失敗 { $failed } 件
db-operations-failed-remedy = エンジンとカーネルのログを確認する
db-cached-reads = 読み取りがメモリから応答された：その速度とレイテンシはストレージのものではない
db-cached-reads-seen = { $ratio }：{ $value }、少なくとも { $least } のはず
db-cached-reads-remedy = データをメモリの2倍以上にするか、キャッシュを通さずにブロックを読む：secchi db ranread
db-counts-of-others = デバイス全体しか計数できず、他のプロセスもデバイスを使用した：デバイスのI/Oに対する比は省いた
db-counts-of-others-remedy = エンジンのプロセスを計数できるよう root かエンジンのユーザーで実行するか、デバイスが空いているときに再実行する
db-counts-estimated = 計数したI/O（{ $source }）のうち推定 { $share } % は他のプロセスのもの
db-counts-impossible = 更新1バイトにつき { $bytes } バイトが書き込まれている：そのようなエンジンはない
db-counts-not-apart = { $why }；エンジンのI/Oを分けて計数できなかった：{ $missing }
db-foreign-load = 同時に他のプロセスがデバイスを使用した
db-foreign-load-perhaps = 同時に他のプロセスがデバイスを使用した可能性がある：エンジンのI/Oの2つの計数が一致しない
db-foreign-load-range = { $devices } の { $least }～{ $most } は他のプロセスのもの：全I/Oの { $low }～{ $high } %
db-foreign-load-seen = { $devices } の { $rate } は他のプロセスのもの：全I/Oの { $share } %
db-foreign-load-remedy = デバイスが空いているときに再実行する
db-fits-cache = データがエンジンのキャッシュの2倍に満たず、多くがキャッシュから応答される
db-fits-cache-seen = データ { $data }、キャッシュ { $holds }
db-fits-controller = データがコントローラのキャッシュの4倍に満たず、多くがキャッシュから応答される
db-fits-controller-seen = データ { $data }、コントローラのキャッシュ { $holds }
db-fits-memory = データがメモリの2倍に満たず、多くがメモリから応答される
db-fits-memory-seen = データ { $data }、メモリ { $holds }
db-hosts-apart = 全ホストの開始または終了がそろっていない：各ホストと各ワーカーはそれぞれの期間で測定する
db-hosts-differ = ホストごとのデータベースが同じではない：合計は異なるデータベースの値の和
db-host-has = { $host }：{ $engine } { $version }、ページ { $page }、キャッシュ { $cache }、{ $commit }
db-not-stopped = { $engine } を正常に停止できなかった
db-fits-remedy = `secchi db insert { $directory } --grow-to { $needed }`（グローバルがなければ先に `secchi db create-globals { $directory }` を実行する）でデータを大きくする。キャッシュの測定が目的なら --cached を指定する
db-lazy-commits = コミットが永続化を待たない：クラッシュすると直近のコミットが失われる
db-lazy-commits-remedy = 永続化を待つコミットでも測定し、比較する
db-journal-switched-off = 測定中に { $engine } がジャーナルを停止した：それ以降のコミットは永続化されていない
db-journal-switched-off-remedy = ジャーナルのファイルシステムの空き容量を増やすか、より大きなボリュームを使い、再実行する。満杯でなかった場合はエンジンのログを確認する
db-journal-unknown = { $engine } は終了時にジャーナルが有効かどうかを報告しなかった：コミットが永続化されていない可能性がある
db-journal-unwritten = エンジンはコミットが永続化済みと応答したが、ジャーナルを永続化していない
db-journal-unwritten-writes = コミット { $commits } 件に対し、ジャーナルへの書き込みは0件
db-journal-unwritten-flushes = コミット { $commits } 件に対し、ジャーナルのフラッシュは0件
db-journal-unwritten-remedy = エンジンのログとジャーナルの設定を確認する。この速度はメモリ上のコミットのもの
db-rate-not-kept = 指定した到着率に追従できなかった：予定時刻に開始できなかったバッチはレイテンシに含まれず、含めれば最も長いはず
db-rate-not-kept-seen = 毎秒 { $asked } 件の予定に対し開始は { $begun } 件、遅れは最大 { $longest }
db-rate-not-kept-remedy = --rate を下げるか、プロセスを増やす（-p）
db-started-again = トランザクションがやり直された：エンジンはその更新を複数回行い、エンジン自身の計数にはその都度含まれる
db-started-again-seen = コミット { $commits } 件に対しやり直し { $again } 回。エンジンの SET と KIL の計数は合計 { $sets }
db-started-again-remedy = --cache を大きくする：コミット前にブロックがキャッシュから追い出されると、トランザクションはやり直しになる。ノード数、ジャーナル、Gloupds が含むのはコミットされたものだけ
db-values-cut = モデルはページ内の領域より長い値を切り詰めた：実際のエンジンなら値を移動または分割し、これらの値より多くのデータを書き込む
db-values-cut-seen = 更新 { $of } 件中 { $n } 件。ジャーナルには全体が入る
db-values-cut-remedy = 最長の更新と同じ長さの値でグローバルを作る（create-globals --value）
db-tpcb-inconsistent = TPC-B の残高と履歴が一致しない：他のクライアントが表に書き込んだか、データベースが応答済みの更新を失った
db-inserts-not-settled = 挿入したノードを終了後に数えられなかった：このデータベースに対する次のコマンドが数える
db-inserts-lost = データベースの新しいノードが、応答済みの挿入より少ない：エンジンが失ったか、他のクライアントが削除した
db-inserts-lost-seen = 応答済み { $told } 件、実在 { $found } 件
db-no-journal = 更新がジャーナルに記録されていない：復旧できず、ジャーナルの書き込みも含まれない
db-no-journal-remedy = --journal-mode on でも測定し、比較する
db-mostly-pause = ワーカーは時間の大半を休止していた：速度は休止で決まるが、レイテンシは有効
db-mostly-pause-seen = 時間の { $share } %、バッチごとに指定した休止は { $asked }
db-mostly-pause-remedy = ストレージの性能を見るには --pause を短くするかワーカーを増やす
db-pause-longer = 休止が指定より長かった：マシンのCPUが不足しているか、タイマーが粗い
db-pause-longer-seen = 平均 { $made }、指定は { $asked }
db-pause-longer-remedy = ワーカーを減らすか、マシンのCPUを増やす
db-values-alike = 値が短すぎて区別できない：エンジンは既にある値の書き込みを省くことがある
db-values-alike-seen = 値は { $short } バイト、一意の番号には { $needed } バイトが必要
db-values-alike-remedy = --value { $needed } 以上を使う
db-backlog-grows = 更新が書き戻しより速い：この速度は持続できない
db-backlog-grows-seen = 毎秒 { $slope } ページ増え、最大 { $most } ページ
db-backlog-grows-remedy = 増えなくなるまでワーカーを減らすか --pause を長くする。またはデータ用デバイスを速くする
db-never-written-back = エンジンは測定中に一度もページを書き戻さなかった：書き戻しの負荷はこれらの値に含まれない
db-never-written-back-seen = { $most } ページがたまった
db-never-written-back-remedy = エンジンの書き戻し間隔より長く測定する

# デバイスに届いたものを数えた主体。
db-counted-group = コントロールグループ、{ $devices }
db-counted-processes = プロセスの統計
db-counted-processes-on = プロセスの統計、{ $devices }
db-counted-whole = { $devices } の全I/O
db-counted-device = デバイス { $devices }

# 比とその意味。
db-ratio-reads-per-block = ブロック読み取りあたりのデバイス読み取り
db-ratio-reads-per-record = レコード読み取りあたりのデバイス読み取り
db-ratio-reads-per-engine = エンジン読み取りあたりのデバイス読み取り
db-ratio-engine-reads = レコード読み取りあたりのエンジン読み取り
db-ratio-writes-per-update = 更新あたりのデバイス書き込み
db-ratio-bytes-per-byte = 更新1バイトあたりのデバイスのバイト数
db-ratio-writes-per-engine = エンジン書き込みあたりのデバイス書き込み
db-ratio-flushes-per-engine = エンジン書き込みあたりのフラッシュ
db-ratio-flushes-per-commit = コミットあたりのフラッシュ
db-remark-cache = キャッシュが応答した：これはストレージの速度ではない
db-remark-page-cache = エンジンの読み取りにページキャッシュが応答した
db-remark-memory = 読み取りの大半がメモリから応答された：これはストレージの速度ではない
db-remark-flushed = ほぼ1：書き込みのたびにフラッシュがある（FUAのないデバイスでの O_DSYNC）
db-remark-sent = 最大 { $most }：プロセスの送出量がコントロールグループへの計上量より多い

# 上限とデバイスの実績。
db-beyond-limit = デバイスは上限 `{ $limit }` の { $share } に達した：指定した上限が誤りか、別のものを測定した
db-beyond-limit-remedy = 指定した上限と、データベースが購入したストレージ上にあることを確認する
db-limit-others = デバイスは上限 `{ $limit }` の { $share } に達した：他のプロセスが使用したか、この上限は適用されない
db-limit-binds = 上限 `{ $limit }` が律速している：デバイスはその { $share } に達した
db-limit-does-not-bind = 上限 `{ $limit }` は律速していない：デバイスはその { $share } にとどまる
db-limit-seen = { $seconds } 秒間の平均 { $rate }、上限 { $cap }
db-binds = { $limit }：デバイスは { $cap } に対し { $rate } に達した（{ $share }）
db-binds-throttle = おそらくスロットリング：速度は一定で、p50 は { $p50 } 以下、p99 は { $p99 } 以上と、I/Oが割り当ての補充を待つかのように見える
db-do-raise = 使い切られている { $limit } を引き上げ、再実行する
db-do-find-cap = 指定されていない上限（コントロールグループの io.max や blkio、ハイパーバイザ、ボリューム）を探し、--limit で指定する
db-share-tiny = 0.01 % 未満

# データベースの動作への要件。
db-need-closest = 全条件を満たすワーカー数はない。これが最も近い
db-need-fits = データ { $data } はキャッシュに収まる：`secchi db insert { $directory } --grow-to { $needed }`（グローバルがなければ先に `secchi db create-globals { $directory }` を実行する）でデータを大きくするか、--cached を指定してキャッシュの値を認める
db-need-too-short = { $time } の間は満たしたが、必要なのは { $lasting }：{ $command }
db-need-no-level-why = 一定の水準に達しなかった：{ $why }
db-need-not-valid = 値が無効：{ $why }
db-need-no-bytes = { $kind ->
    [commits] コミットには帯域がない：代わりに更新の帯域を要求する
   *[transactions] トランザクションには帯域がない：代わりに更新の帯域を要求する
}
db-need-bytes-not-counted = バイト数を計数していない：iops で要件を指定する
db-no-windows = 時間窓がない
db-subscripts = { $globals } グローバル、サブスクリプト { $all } 個

# データベースの測定についての最初の文。
db-nothing-measured = 何も測定されなかった
db-nothing = 操作なし
db-titled = { $title }：{ $said }
db-with-indexes = { $said }（副索引 { $n } 個）
db-workers = ワーカー数 { $n }
db-workers-moved = { $workers }（{ $moved }）
db-workers-last-level = { $workers }、最後の水準の値（{ $moved }）
db-reads = 読み取り毎秒 { $rate } 件
db-reads-no-rate = 読み取りは一定の速度なし
db-updates = 更新毎秒 { $rate } 件
db-updates-no-rate = 更新は一定の速度なし
db-tps = { $rate } tps
db-inserts = 挿入毎秒 { $rate } 件
db-inserts-no-rate = 挿入は一定の速度なし
db-grew = 新しいノード { $nodes }、値 { $bytes }：データファイルは { $data } 増えた
db-grew-within = 新しいノード { $nodes }、値 { $bytes }：データファイルの空き領域に収まった
db-grew-and-written = { $grew }；挿入1バイトあたりデバイスへ { $factor } バイト書き込み
db-mean = 平均 { $mean }
db-mean-and-p99 = 平均 { $mean }、p99 { $p99 }
db-rate-and-latency = { $rate }、{ $latency }
db-rate-with-latency = { $rate }（{ $latency }）
db-rate-at = { $workers } で { $rate }
db-batches = { $rate }、1トランザクション { $batch } 件
db-batches-and-commits = { $rate }、1トランザクション { $batch } 件（コミット { $latency }）
db-updates-latency = { $rate }、更新 { $latency }
db-then-more = { $first }；その後 { $n } 段階、最後は { $rates }
db-not-sustainable = { $said }；持続不可能：書き戻し待ちが毎秒 { $pages } ページ増える
db-reached-not-told = デバイスに届いたI/Oの量は不明：他のプロセスがデバイスを使用した
db-reached-devices = デバイスの書き込みは毎秒 { $writes } 回、{ $bytes }：更新1件あたり { $each } 回
db-reached-devices-bytes = デバイスの書き込みは { $bytes }
db-reached-processes = エンジンのプロセスの書き込みは毎秒 { $writes } 回、{ $bytes }：更新1件あたり { $each } 回
db-reached-processes-bytes = エンジンのプロセスの書き込みは { $bytes }
db-reached-sent = { $reached }（プロセスの送出量では最大 { $most }）
db-reached-and-flushes = { $reached }、デバイスのフラッシュは毎秒 { $flushes } 回
db-ramp-gains = ワーカー数 { $n } まで伸びる：{ $told }
db-ramp-accepted = ワーカー数 { $n } まで合格（{ $wanted }）：{ $told }
db-ramp-refused = { $workers } の時点で不合格（{ $wanted }）：{ $told }
db-ramp-most = { $said }；最大は { $workers } で { $rates }
db-limit-level = { $workers } に毎秒 { $rate } トランザクションを要求
db-limit-told = { $rate }、{ $kind ->
    [commits] コミット
    [transactions] トランザクション
    [reads] 読み取り
   *[updates] 更新
} { $latency }
db-limit-met = { $level } まで { $needs } を満たす：{ $told }
db-limit-then-not = { $first }。{ $level } では満たさない
db-limit-then-undecided = { $first }。{ $level } では判定できない
db-limit-not-reached = { $first }。これが測定した最も高い段階
db-limit-undecided = { $level } の時点で、{ $needs } を満たすか判定できない：{ $told }
db-limit-missed = { $level } の時点で { $needs } を満たさない：{ $told }
