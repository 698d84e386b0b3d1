# エラー、データ不一致、完了しないI/O。
doubt-io-errors = I/Oが失敗した：このストレージは要件を満たすと判定できない
seen-io-errors = 完了 { $done } 件に対し失敗 { $failed } 件
seen-io-errors-of = 完了 { $done } 件に対し失敗 { $failed } 件（{ $codes }）
remedy-io-errors = カーネルログを確認し、まずデバイスを点検する
doubt-written-over = ブロックがこのジョブの書き込んだ内容と異なる：別のジョブが上書きした可能性がある
doubt-no-block-right = 検証に合うブロックが1つもない
doubt-wrong-data = データ不正：ブロックが書き込んだ内容と異なる
seen-wrong-blocks = 読み戻した { $blocks } ブロック中 { $wrong } ブロックが不正
seen-wrong-blocks-as = 読み戻した { $blocks } ブロック中 { $wrong } ブロックが不正：{ $findings }
seen-also-wrote = 同じ時間に { $job } が同じ領域に書き込んでいた
remedy-own-file = ジョブごとに別のファイルを使う
remedy-same-options = データを書き込んだジョブと検証するジョブのオプションが同じか確認する
remedy-wrong-data = このストレージを使わず、カーネルログを確認する
seen-verification-mixed = ジョブの実行中に { $blocks } ブロックが検証された
doubt-hung = 完了しないI/Oがある
seen-hung = 終了時に未完了 { $n } 件、最も古いものは { $oldest } 経過
remedy-hung = カーネルログ（dmesg）を確認する：デバイスまたは経路が失われたか停止している
doubt-no-io = I/Oが行われなかった
seen-no-io = 測定時間内に完了したI/Oは1件もない
remedy-no-io = 時間を延ばすか、エラーとカーネルログ（dmesg）を確認する
doubt-allowance = ネットワークがパケットを制限した：インスタンスの許容量を超えた
seen-allowance = { $interface }：{ $counter } { $rate } パケット/秒
remedy-allowance = より大きなインスタンスにするか、他のネットワーク通信を減らす；値はストレージではなくネットワークのもの

# 一定の水準にない、または測定が短すぎる速度。
doubt-level-changed = 途中で速度の水準が変わった：値は最後の水準のもの
doubt-level-changed-fio = 途中で速度の水準が変わった：上記のfioの値は変化をまたぐ平均で、要件の判定と `secchi show` は最後の水準による
doubt-level-changed-mark = ループの途中で速度の水準が変わった：値は変化をまたぐ平均のため無効
seen-bucket = バーストのバケットとみなすと保持量は約 { $n } 件
remedy-level-changed = より長く実行し、どちらの水準が続くかを見る
doubt-not-settled = 速度が安定しなかった：平均に意味がなく、要件を満たすと判定できない
doubt-not-settled-fio = 速度が安定しなかった：上記のfioの値はどの時点にも当てはまらない平均で、要件を満たすと判定できない
doubt-not-settled-mark = ループ内で速度が安定しなかった：値はどの時点にも当てはまらず無効
remedy-not-settled = より長く実行するか、デバイスを使う他のものを探す
doubt-too-short = 信頼区間や安定性を判定するには窓が少なすぎる
seen-windows = { $n } 個の窓
remedy-longer-runtime = time_based を指定し runtime= を長くする
remedy-more-time = 時間を延ばす
remedy-more-effort = --effort standard または thorough を使う
remedy-most-effort = --effort thorough を使う
remedy-wavers = デバイスが空いているときに再実行する：速度の変動が測定時間に比べて遅すぎる

# コントロールグループの上限の変更。
seen-none = なし
doubt-limit-changed = 測定中に secchi のコントロールグループの上限が変わった：値は変更後の時間だけのもの
doubt-limit-changed-steps = 測定中に secchi のコントロールグループの上限が変わった：速度は複数の上限の下で測定された
seen-limit-changed = { $at } までは { $was }、その後は { $is }
seen-limit-changed-often = { $first } から { $last } までに { $n } 回変更：変更前 { $was }、変更後 { $is }
remedy-limit-changed = 上限が変わらないときに再実行する
doubt-limits-differ = 実行中に secchi のコントロールグループの上限が変わった：各ステップはその時点の上限で判定する
seen-limits-differ = 当初は { $was }、{ $at } 以降は { $is }
remedy-limits-differ = 同じ上限の下で測定した段階同士だけを比較する

# 実データより扱いやすい書き込み内容。
doubt-easy-contents = 書き込むデータが実データより圧縮・重複排除されやすい：圧縮や重複排除を行うストレージでは実際の書き込みが減る
seen-zeros-written = ゼロを書き込んでいる
seen-pattern-written = { $n } バイトのパターンを繰り返し書き込んでいる
seen-compresses = { $percent } % は圧縮で消える
seen-repeats = { $percent } % は以前のブロックの繰り返し
remedy-easy-contents = ランダムデータを書き込む
remedy-easy-contents-fio = zero_buffers、buffer_pattern、buffer_compress_percentage、dedupe_percentage を指定しない

# 速度を指定した負荷。
doubt-rate-not-sustained = 指定した速度に達しなかった：応答時間は伸び続ける待ち行列のもの
seen-late = 毎秒 { $asked } の指定に対し { $rate }、発行の遅れは最大 { $late }
remedy-lower-rate = 指定する速度を下げる
doubt-from-due = 速度を指定した負荷のレイテンシは発行予定時刻から数えるため、停止の影響は遅れたすべてのI/Oに現れる。fioの値は発行時刻から数える
seen-from-due = 予定時刻から：{ $due }；発行から：{ $sent }
seen-latency = 平均 { $mean }、最大 { $longest }
seen-latency-p99 = 平均 { $mean }、p99 { $p99 }、最大 { $longest }
doubt-unsent = 終了時に、予定時刻を過ぎても未発行のI/Oがあった：応答時間に含まれず、含めれば最も長い
seen-unsent = 予定 { $due } 件のうち約 { $left } 件、最も古いものの待ち時間は { $waited }
remedy-unsent = 指定する速度を下げるか、同時I/O数を増やす

# 実行全体。
seen-step = { $label }（同時I/O数 { $n }）
seen-the-run = 実行全体
doubt-long-run = 長時間の実行：最初から { $length } の間隔で保存している
seen-long-run = 件数、合計、ヒストグラム、最小・最大、fioのサンプルとログは正確。時刻の精度はこの間隔まで
doubt-max-written = 書き込み量の上限に達した：書き込むワークロードを途中で打ち切ったか省略した
seen-max-written = { $most } のうち { $written }；打ち切り：{ $cut }；省略：{ $out }
remedy-max-written = --max-written を増やす（または --yes）か、読み取りだけのワークロードを選ぶ
seen-ramp-bounded = { $label }：同時I/O数が { $deepest } を超える段階は、上限により打ち切られるため実行していない
doubt-nothing-within-bound = 何も測定できなかった：書き込み量の上限 { $most } が小さすぎる（増やすには --max-written SIZE、なくすには --yes）
doubt-file-system-full = ファイルシステムに空きがない
remedy-file-system-full = 空き容量を増やすか、より大きいボリュームを使い、再実行する
doubt-run-killed = 実行は終了前に強制終了された
doubt-run-running = 実行はまだ続いている
doubt-run-stopped = 実行が途中で停止された
doubt-run-hung = I/Oが完了しないため実行を打ち切った
doubt-run-failed = エラーにより実行が終了した
seen-steps-run = { $n } ステップを実行
doubt-device-cache = ワーキングセットが小さい：デバイスまたはそのホストのキャッシュに収まる可能性がある
doubt-page-cache = ワーキングセットがメモリの2倍に満たない：ページキャッシュに収まる可能性がある
seen-working-set = 測定領域 { $size }、メモリ { $memory }
remedy-ping-direct = -D でページキャッシュを迂回する
remedy-larger = --size { $size } 以上にする
remedy-larger-fio = size={ $size } 以上にする
doubt-read-modify-write = デバイスの物理ブロックより小さいブロックを書き込んでいる：1回の書き込みに読み取りと書き込みの両方が必要になりうる
seen-read-modify-write = 物理ブロック { $physical } に対し { $labels }
remedy-read-modify-write = { $physical } またはその倍数のブロックで書く

# ストレージの代わりにメモリやキャッシュ。
doubt-memory-backed = 測定されたのはストレージではなくメモリの性能
remedy-memory-backed = ディスク上の対象を選ぶ
doubt-direct-not-honoured = ダイレクトI/Oを指定したが一部がデバイスに届いていない：キャッシュまたは未書き込みブロックが応答した
seen-charged = { $verb ->
    [read] 読み取り
   *[written] 書き込み
} { $asked } のうちデバイスI/Oとして secchi に計上されたのは { $share } %
remedy-direct-not-honoured = ファイルを書き込み直すか、O_DIRECT が有効なファイルシステムを選ぶ
doubt-no-direct = ここではダイレクトI/Oを使えず、ページキャッシュが応答した：ストレージの値ではない
remedy-no-direct = 目的のストレージ上のディレクトリを指定するか、--buffered を指定してページキャッシュ経由で測定する
doubt-served-from-cache = I/Oの一部をページキャッシュが処理した：ストレージの速度ではない
remedy-served-from-cache = ダイレクトI/Oで、またはメモリの数倍の大きさのファイルで測定する

# デバイスを使う他のプロセス。
doubt-other-operations = secchi が要求していないI/Oが secchi のコントロールグループに計上された
seen-other-operations = { $what ->
    [reads] 読み取り
   *[writes] 書き込み
}の要求 { $asked } 件、計上 { $charged } 件、開始時または終了時に実行中だった可能性があるのは最大 { $edges } 件
remedy-other-operations = コントロールグループ内で secchi だけを実行する
doubt-foreign-load = 同時に他のプロセスがデバイスを使用した
doubt-taken-by-others = 他のプロセスがデバイスを使いすぎた：残りの速度はストレージの値ではない
seen-foreign-load = デバイスが処理した{ $what ->
    [operations] I/O数
   *[bytes] バイト数
}は secchi の要求より { $share } % 多い
seen-ours-of-cap = { $cap } のうち secchi の使用は { $ours } % で、残りは他のプロセスが使用した
remedy-foreign-load = デバイスが空いているときに再実行する

# 互いに矛盾する計数。
doubt-little = 速度、レイテンシ、同時I/O数が互いに矛盾する
seen-little = X*R / N = { $ratio }、許容範囲 1 +- { $allowed }
remedy-little = ステップを長くする。それでも変わらなければsecchi の不具合として報告する
doubt-own-counts = secchi 自身の計数が合わない
seen-counts = 発行 { $submitted } に対し 完了 { $completed } + 失敗 { $failed } + 未完了 { $pending }；各区間の合計は { $measured }
seen-bytes = 各 { $size } の{ $op ->
    [read] 読み取り
    [write] 書き込み
   *[trim] トリム
} { $ops } 件で { $bytes } バイトを転送
seen-bytes-of-sizes = 各 { $low } ～ { $high } の{ $op ->
    [read] 読み取り
    [write] 書き込み
   *[trim] トリム
} { $ops } 件で { $bytes } バイトを転送
remedy-own-counts = secchi の不具合として報告する
doubt-l0-spoilt = 同時I/O数1のレイテンシが、同時I/O数がより多い段階の速度から導かれる値より大きい：個々のI/Oを遅くした要因がある
seen-l0-spoilt = 測定値 { $l0 }。しかし同時I/O数 { $n } では { $rate } IOPS に達し、これはこのレイテンシで可能な速度の { $used } % に当たるため、真のレイテンシは最大でも { $most }
remedy-l0-spoilt = デバイスが空いているときに再実行し、CPUとリンクの省電力設定を確認する

# CPU：負荷生成側、他のプロセス、ハイパーバイザ。
doubt-generator-bound = 負荷生成側のCPUが不足した：速度はストレージの下限値
remedy-generator-bound = secchi に与えるCPUを増やすか、軽いエンジンを使うか、スレッドを減らす
of-cpu-quota = コントロールグループの割り当て { $quota } CPU
of-cpus = { $n } CPU
seen-threads-used = 負荷生成側のスレッドが { $of } の { $share } % を使用
seen-generator = 負荷生成：{ $of } の { $share } %
seen-throttled = コントロールグループのCPU制限により、周期の { $share } % で停止させられた
seen-busiest-thread = 負荷生成側の最も忙しいスレッドは時間の { $share } % でCPU上にあった
seen-near-ceiling = secchi 自体の上限（nullエンジンで { $ceiling } IOPS）の { $share } %
seen-machine-idle = マシンの空きは { $idle } %、secchi が使用したのはそのCPUの { $ours } %
seen-not-in-flight = 同時I/O数は { $asked } の指定に対し { $n } だけ
doubt-starved = 他のプロセスがCPUを使用した：速度もレイテンシもストレージのものではない
doubt-starved-in-part = 一部の時間、他のプロセスがCPUを使用した：レイテンシはストレージのものより長く、速度は低い可能性がある
doubt-starved-on-the-way = 判定に使う段階に至る途中で他のプロセスがCPUを使用した：その値は除外する
doubt-size-left-out = これらの段階では他のプロセスがCPUまたはデバイスを使用した：その値は除外する。上限は他のサイズから分かる
seen-waited-cpu = ワーカーは時間の { $share } % をCPU待ちに費やした
seen-waited-each = I/Oの完了後、ワーカーは平均 { $wait } の間CPUを待った。平均レイテンシの { $share } % に当たる
seen-waits-untold = ワーカーのCPU待ち時間はこのカーネルでは分からない
seen-others-cpu = { $cpus ->
    [1] 唯一のCPUのうち
   *[other] { $cpus } CPU 中
} { $used } を他のプロセスが使用
seen-idle = CPUの空き { $share } %
seen-stolen = ハイパーバイザがCPUの { $share } % を他の仮想マシンに割り当てた
remedy-starved = CPUを使う他のプロセスがないときに再実行するか、secchi に専用のCPUまたは高い優先度を与える（taskset、nice）
doubt-cpu-steal = ハイパーバイザがこのマシンのCPU時間を他の仮想マシンに割り当てた
seen-cpu-steal = 全 { $all } ステップ中 { $n } ステップで、最大 { $most } %
remedy-cpu-steal = ホストが空いているときに再実行する：まずレイテンシが悪化する
doubt-scheduling-noise = このマシンのスケジューリングの揺らぎ（p99.9で { $gap }）が、測定したレイテンシの裾と同程度に大きい
seen-p999 = p99.9 で { $p999 }
remedy-scheduling-noise = p99.9 以上をデバイスの値とみなさない

# ディスクベンチマークのループ。
seen-range = { $low } ～ { $high }
seen-loops = { $n } ループで { $rates }
seen-first-loops = 最初の { $n } ループで { $rates }
seen-then = { $first }、その後 { $then }
doubt-burst = 最初のループがその後のすべてより速い：バーストクレジットまたはキャッシュを使い切った
remedy-burst = 最良値ではなく最後のループの値を読み、より長く実行する
doubt-faster-later = 後のループがそれまでのすべてより速い：データがキャッシュに載ったか、デバイスの起動に時間がかかった
remedy-faster-later = より大きなファイルを使うかループを増やし、どちらの水準が続くかを見る
doubt-loops-differ = ループごとの差が大きい：最良値は可能な値であって、期待できる値ではない
remedy-loops-differ = デバイスが空いているときに、ループを増やすか長くして再実行する
doubt-compressible-data = データがゼロ：圧縮、重複排除、ゼロの省略を行うストレージでは実力以上の値になる
seen-zeros-hold = 測定領域 { $size } はすべてゼロ
remedy-compressible-data = ランダムデータを使う（--data を省いたときの既定）
doubt-too-small = ファイルがディスクやコントローラのキャッシュより小さい：全体がキャッシュに載っていた可能性がある
seen-gone-through = { $time } の間に { $size } に { $n } 回アクセスした

# ドライブ自身の報告。
doubt-drive-hot = ドライブの温度が自身の警告値に達している：自ら速度を落とした可能性がある
seen-hot = 最高 { $highest } °C、警告値は { $warns } °C
remedy-drive-hot = 冷却してから再実行する：高温のドライブは本来より遅い
doubt-drive-worn = ドライブの寿命が近い：同型の新品ならより良い値になりうる
seen-endurance = 書き込み耐久性の { $used } % を消費
seen-spare = 予備ブロックの残り { $left } %、警告値は { $least } %
remedy-drive-worn = データを預ける前に交換する
doubt-drive-errors = ドライブ自身がエラーを報告している：再試行により遅くなる
seen-media-errors = これまでのメディアエラー { $n } 件
seen-drive-warns = ドライブの警告：{ $what }
drive-warns-reliability = 信頼性の低下
drive-warns-read-only = 読み取り専用モード
drive-warns-backup = メモリバックアップの故障
drive-warns-temperature = 温度
drive-warns-spare = 予備ブロックの不足
remedy-drive-errors = ドライブのログ（nvme smart-log、smartctl -x）を確認し、増えるなら交換する
doubt-slow-link = ドライブが対応速度より遅いリンクで接続されている：リンクが律速の可能性がある
seen-link = PCIe { $is }、対応は { $best }
remedy-slow-link = ドライブと同じレーン数と速度のスロットに挿す

# バーストと停止。
found-burst-bucket = { $label } は { $burst } IOPS のバーストが { $lasted } 続き、その後 { $refill }：{ $only } の測定ではバーストしか見えない
seen-burst-rate = バースト { $rate } IOPS（{ $bandwidth }）
seen-refill-rate = 補充 { $rate } IOPS（{ $bandwidth }）
seen-bucket-depth = バケットは少なくとも約 { $n } 件（{ $gb } GB）：先のステップで消費された分は含まない
seen-recovery = 無負荷なら { $time } で再び満杯
remedy-burst-bucket = 補充の速度で設計する。バケット全体を見るには、回復を待ってから再実行する
met-above-baseline = 満たす；{ $cap } を超える分はバーストクレジットによる
met-on-burst = バーストクレジットによってのみ満たす：持続するのは { $rate } IOPS で、それは測定されていない（負荷時間 { $loaded }、満杯のクレジットの持続 { $lasts }）
not-met-at-baseline = 満たさない：持続するのは { $rate } IOPS。測定した速度はバーストクレジットによるもの（負荷時間 { $loaded }、満杯のクレジットの持続 { $lasts }）；`for` で期間を指定できる
figure-at-baseline = ベースラインで { $rate } IOPS、クレジットで { $measured }
met-for-duration = 指定された期間は満たす。{ $cap } を超える分はバーストクレジットによる。満杯のクレジットの持続 { $lasts }
need-held = { $time } 持続；{ $n } 件以上のバーストバケットがある可能性は排除できない。`for` でより長い期間を指定できる
found-stalls = { $label } が { $n ->
    [1] 1回、{ $longest } の間停止した
   *[other] { $n } 回、最長 { $longest } 停止した
}：実行中のI/Oがあるのに何も完了しなかった
seen-stall = ステップ開始から { $at } に { $length }
seen-more-stalls = 他 { $n } 回
seen-stalled = 全 { $measured } 秒のうち合計 { $total }：{ $share } %
remedy-stalls = カーネルログ（dmesg）と、デバイスを使う他のものを確認する。一定速度の負荷では、このような停止は遅れたすべてのI/Oに現れる

# 層ごとのI/O。
layers-whole-time = 全期間
layers-between-steps = ステップの間
layers-in-flight = { $label }、同時I/O数 { $n }
layers-and-others = { $label } 他 { $n } 件
layers-nothing-reached = デバイスに届いたI/Oはない：すべてデバイスより上の層が応答した
layers-stands-on = { $device } は { $over } の上にある：下へ送るリクエストは1つ下の層でも数えられる
layers-requests = { $what ->
    [read] 読み取り
   *[write] 書き込み
} { $n } 件
layers-all-of-size = すべて { $size }
layers-of-size = { $size } が { $share }
layers-mean-size = 平均 { $kib } KiB
layers-in-order = 連続 { $share }
layers-none-reached = { $device }：要求した{ $what ->
    [read] 読み取り
   *[write] 書き込み
} { $n } 件は1件も届いていない：ページキャッシュが応答または吸収した
layers-part-reached = { $device }：要求したバイト数のうち{ $what ->
    [read] 読み取られた
   *[write] 書き込まれた
}のは { $share }：残りはページキャッシュが応答したか、まだ保持している
layers-more-bytes = { $device }：要求したバイト数の { $times } 倍：先読み、ページ単位の読み取り、または他のプロセスのI/O
layers-merged = { $device }：1リクエストあたりアプリケーションの{ $what ->
    [read] 読み取り
   *[write] 書き込み
} { $n } 件、バイト数は同じ：隣り合うものが結合された
layers-split = { $device }：アプリケーションの{ $what ->
    [read] 読み取り
   *[write] 書き込み
} 1件あたり { $n } リクエスト、バイト数は同じ：エクステントとデバイスの最大リクエスト長で分割された
layers-became = { $device }：アプリケーションの{ $what ->
    [read] 読み取り
   *[write] 書き込み
} { $asked } 件が { $n } リクエストになった
layers-one-each = { $device }：アプリケーションの{ $what ->
    [read] 読み取り
   *[write] 書き込み
}は1件が1リクエストで、結合も分割もない
layers-unmapped = { $device }：{ $what ->
    [read] 読み取り
   *[write] 書き込み
}バイトの { $share }（{ $n } リクエスト）は役割の分かるどのファイルにも属さない
layers-unmapped-metadata = { $stray }。そのうち { $share } はファイルシステムがメタデータと示したもの
layers-queue-merged = { $device }：ブロック層に入ったI/Oは { $entered } 件、出たリクエストは { $left } 件、{ $per } 件ずつ結合された
layers-queue-split = { $device }：ブロック層に入ったI/Oは { $entered } 件、出たリクエストは { $left } 件：大きなものが分割された（{ $splits } 回）
layers-count-same = { $device }：カーネル自身の計数も同じ { $n } リクエスト
layers-count-flushes = { $device }：カーネル自身の計数はバイト数が同じで、書き込みが { $n } 件多い：フラッシュとゼロの書き込み
layers-count-differs = { $device }：カーネル自身の計数との差は読み取り { $reads }、書き込み { $writes }：{ $why }
layers-events-lost = イベントが失われた
layers-count-edges = 両端で実行中だったリクエストと、カーネルが書き込みに数えるフラッシュやゼロ書き込み
doubt-trace-lost = カーネルのトレースバッファがあふれた：ブロックトレースの件数と合計は少なすぎる
seen-trace-lost = 失われたイベント { $lost } 件、読めたもの { $read } 件
remedy-trace-lost = より遅い負荷をトレースするか、トレース用にCPUを空ける。カーネル自身の計数は完全
doubt-role-unmapped = 役割 { $role } のリクエストの一部を他と区別できなかった
doubt-absent = 読み取りの対象が存在しない：件数には含まれるが、データは返っていない
seen-absent = オブジェクトがなかった読み取り { $absent } 件、集計した操作 { $done } 件
remedy-absent = 先に同じ名前・同じブロックサイズでオブジェクトを書き込む
