# 値と、それが見られた場所。
figure-after-change = { $rate } IOPS（水準の変化後）
figure-at-depth-and-above = { $figure }（同時I/O数 { $depth } 以上）
figure-at-depth-after-change = { $figure }（同時I/O数 { $depth }、水準の変化後）
figure-at-most = 最大 { $figure }
figure-between = { $low }～{ $high } IOPS（一定の水準なし）
figure-at-size = { $size } で { $figure }
figure-on-credits = { $figure }、クレジットが続く間だけ
figure-promised = { $figure }、保証された { $share } % の範囲内
figure-counted = { $figure }、EBS自身の計数では時間の { $share } % で上限を超過
figures-lower-bounds = { $figures } は下限値；{ $reasons }
and-more = { $some } 他 { $n } 件
one-or-another = { $first } または { $second }
one-and-another = { $first } と { $second }
sizes-from-to = { $least } から { $most } までの { $mode }
workloads-all = ワークロード全 { $n } 件
workloads-of = ワークロード { $all } 件中 { $n } 件

# 上限の行。
row-iops-of = { $op ->
    [read] 読み取り
    [write] 書き込み
   *[other] { $op }
} { $value } IOPS
row-bandwidth-of = { $op ->
    [read] 読み取り
    [write] 書き込み
   *[other] { $op }
}帯域 { $value }
row-cgroup = { $name } の { $figure }
row-declared = 指定された上限 `{ $name }` の { $figure }
row-published = { $name } の公表値 { $figure }
row-published-burst = { $name } の公表されたバースト値 { $figure }
row-cgroup-briefly = { $name } の上限
row-declared-briefly = 指定された上限 `{ $name }`
row-published-briefly = { $name } の公表値
row-changed-since = { $row }（その後変更された）

# 何がワークロードを律速するか。
binds-one = { $what }：{ $predicate }、{ $detail }
binds-several = { $what }：{ $predicate }、{ $detail }
binds-without-rate = 判定できる速度なし
binds-without-figure = 判定できる値なし
no-level = { $what } は一定の水準に達しなかった：{ $why }
no-figure = { $what } には判定できる値がない：{ $why }
limited-by = { $limit } で律速
limited-as-counted = { $limit } で律速（EBS自身の計数による）
counted-exceeded = 時間の { $share } % で超過、{ $figure }
limited-at-equals = { $limit } で律速、{ $equal } と同値
limited-undecidable = { $names } で律速（ここでは区別できない）
limited-by-generator = ストレージではなく負荷生成側のCPUで律速
limited-by-busy-cpu = 他のプロセスが使用していたこのマシンのCPUで律速
limited-by-latency = レイテンシで律速
limited-by-device = デバイスで律速
limited-by-cap-or-device = 上限またはデバイスで律速（この実行では区別できない）
limited-by-virtual-disk = このゲストから見える仮想ディスクで律速（既知の上限には達していない）
rise-per-doubling = 同時I/O数の倍増ごとにまだ { $percent } % 上昇
rise-tail = p99 { $low }～{ $high }
rise-between = 近い同時I/O数では { $low }～{ $high }
limited-by-iops-near = 指定されたどの上限でもない約 { $iops } IOPS の上限で律速
limited-by-either-cap = スロットリングで律速：指定されたどの上限でもない約 { $iops } IOPS または { $bandwidth } の上限
limited-by-bandwidth-near = 指定されたどの上限でもない約 { $bandwidth } の上限で律速
limited-by-crossing = 約 { $iops } IOPS の上限、またはこのサイズでそれと交わる約 { $bandwidth } の上限で律速
not-limited-as-asked = 要求された速度では律速なし
both-allow = どちらも { $allows } IOPS まで許容（実測 { $rate }）；{ $deciders }
all-allow = いずれも { $allows } IOPS まで許容（実測 { $rate }）；{ $deciders }
decider-deeper = 同時I/O数を増やせば区別できる
decider-cpu = secchi に与えるCPUを増やせば、どれが律速か区別できる
decider-sizes = { $half } または { $double } で実行すれば区別できる
decider-another-size = 別のブロックサイズで実行すれば区別できる
decider-another-mix = 読み書きの比率を変えて実行すれば区別できる
decider-raise-one = どのブロックサイズでも区別できない：一方を引き上げるか、別のボリュームにも同時に負荷をかける（合計が変わらなければ共有の上限）
lower-bound = { $figure } は下限値；{ $reasons }
came-of-asked = 毎秒 { $asked } 件の指定に対し実績 { $came }；上限は探していない
came-of-most = 最大 { $most } の指定に対し実績 { $came } IOPS；上限は探していない
one-in-flight = 同時I/O数 1、1件 { $each }：{ $figure }
in-flight-give = 同時I/O数 { $n }、1件 { $each } なら { $give } IOPS、{ $measured }；同時I/O数を増やせば上がる
measured = 実測 { $rate }
measured-after-change = 実測 { $rate }（水準の変化後）
same-over = { $sizes } で同じ
same-over-both = IOPSは { $iops } で、帯域は { $bandwidth } で等しい

# 律速要因が特定できない理由。
unclear-rising = { $what } は飽和していない：{ $rising }
unclear-noisy = { $what } は { $figure } に達した。律速要因は不明：測定値のばらつきが大きすぎる
unclear-brief = { $what } は { $figure } に達した：{ $agree }、上限を特定するには段階が少なすぎるか短すぎる。{ $longer }
unclear-why = { $what } は { $figure } に達した。{ $why }
several-rising-at = { $what }：{ $rising }；{ $some }が同時I/O数 { $deepest } で飽和していない
several-rising = { $what }：{ $rising }；{ $some }が試した最大の同時I/O数で飽和していない
several-noisy = { $what } は { $figure } に達した。{ $some }の律速要因は不明：測定値のばらつきが大きすぎる
several-brief = { $what } は { $figure } に達した：{ $agree }；{ $some }で上限を特定するには段階が少なすぎるか短すぎる：{ $longer }
several-why = { $what } は { $figure } に達した。{ $some }：{ $why }
several-no-level = { $what } は一定の水準に達しなかった
why-from-cache = ストレージではなくページキャッシュが応答した
depths-agree = 同時I/O数 { $from } から { $to } の値が { $within } % 以内で一致
longer-names-caps = { $option } なら上限を特定できる
longer-repeats = { $option } なら各段階を繰り返し測定する
longer-quiet = デバイスが空いているときに再実行する
hint-quiet = デバイスが空いているときに再実行する
hint-repeat = 再実行する
hint-deeper = 同時I/O数を増やして試す
hint-more-time = 測定時間を延ばす
hint-declare = --limit で上限を指定する
hint-not-saturated = ストレージの飽和は確認されていない

# 律速要因の根拠。
no-interval = （区間なし：{ $why }）
seen-at-depth = { $figure } { $interval }（同時I/O数 { $depth }）
seen-held = { $figure } { $interval }（同時I/O数 { $depth }、持続）
constraint-used = { $name } の許容値はここでは { $allows } IOPS：{ $used } % を使用
constraint-next = 次に近い上限：{ $name } の許容値は { $allows } IOPS、この速度の { $times } 倍
remark-generator-busy = 注記：負荷生成側は高負荷だった（{ $reasons }）が、速度は上限によるもの
remark-by-chance = 注記：{ $row } がこの速度と等しいのは偶然：その後 { $what } がこの上限を超えた
remark-passed-before = 注記：以前に { $what } が { $row } を超えた：バーストが終わったか、指定した上限が誤り
remark-others-cpu = 他のプロセスがCPUを使用した：{ $seen }
remark-cap-shared = 同時に他のプロセスがデバイスを使用した：上限がそのI/Oも数えるなら、このサイズで最大 { $sum } IOPS
remark-device = 同時I/O数とともにレイテンシだけが延び、速度は上がらない。負荷生成側には余裕がある
remark-device-away = 同時I/O数とともにレイテンシだけが延び、速度は上がらない。負荷生成側には余裕があり、既知のどの上限からも離れている
remark-cap-or-device = 上限でも同じように見える：より小さいブロックサイズと大きいブロックサイズを追加する（--bs）
no-cap-counted = 上限ではない：ストレージ自身の計数では、どの上限も超過していない
no-cap-sizes = 上限ではない：小さいブロックはより高いIOPSに、大きいブロックはより高い帯域に達した
no-cap-bend = 上限ではない：速度は上限のように急にではなく、緩やかに頭打ちになった
seen-pauses = 少数のリクエストは最大 { $longest } かかったが、大半は { $median }（平均は { $mean }）：スロットリングの特徴
same-with-flushes = 毎秒、書き込み { $writes } 回とフラッシュ { $flushes } 回；フラッシュなしの { $what } は { $rate } IOPS
remark-virtual-disk = 同時I/O数を倍にしても速度は数 % しか上がらず、レイテンシだけが延びた。ディスク自体とホストの上限はゲストからは区別できない
remark-virtual-disk-scatters = 同じか近い同時I/O数の速度に、上限の下では起きないばらつきがある：ディスク自体とホストの負荷はゲストからは区別できない
seen-counted = EBSの計数による、上限を超過した時間の割合：{ $limits }
seen-counted-none = EBSの計数では、どの上限も超過していない

# 最初の一文。
nothing-measured = 何も測定されていない
more-below = 他 { $n } 件は下記
trouble-before = { $what }；それ以前：{ $said }
trouble-left = { $what }；残っている部分：{ $said }
trouble-so-far = { $what }；ここまで：{ $said }
ended-by-errors = エラーで終了
journal-damaged = ジャーナルが破損しており測定結果なし
stopped-early = 終了前に停止された
without-end = 終了前に強制終了された
still-running = 実行中
not-valid = 無効：{ $statement }（{ $evidence }）
not-valid-and-more = 無効：{ $statement }（{ $evidence }；他 { $n } 件）
hung = 応答なし：I/Oが完了しなかった
hung-operations = 応答なし：{ $of } の I/O { $n } 件が完了しなかった、最も古いものは { $oldest } 経過
ping-none-counted = 集計対象のリクエストなし
ping-times = リクエスト { $count } 件：{ $times }
time-mean = 平均 { $time }
time-max = 最大 { $time }

# 1つのステップが取った水準。
course-until = { $time } まで { $rate }
course-then = その後 { $rate }
course-more = 他 { $n } 水準
course-stalled = { $course }：最後の { $lasted } は何も完了しなかった
course-too-short = { $course }：最後の水準は { $lasted } で、判定には短すぎる
course-fell = { $from } から { $to } IOPS へ下がり続けた（{ $by } %）
course-rose = { $from } から { $to } IOPS へ上がり続けた（{ $by } %）
course-rose-far = { $from } から { $to } IOPS へ上がり続けた
course-repeats = { $period } ごとに { $low } と { $high } IOPS の間を上下する
course-alternates = { $low } と { $high } IOPS を交互に繰り返す

# 値や区間がない理由。
listed-with-another = この数値は同じ実行の別の操作の行に示す
nothing-completed = 何も完了しなかった
no-level-long-enough = どの水準も十分に続かなかった
too-few-windows = 測定窓が少なすぎる
windows-wanted = 測定窓 { $wanted } 個が必要、実際は { $had } 個
came-to-no-level = 一定の水準に達しなかった
came-to-no-level-as = 一定の水準に達しなかった：{ $why }
not-at-one-level = 一定の水準ではなかった：{ $course }
not-measured = 未測定
not-settled = 安定せず
not-settled-as = 安定せず：{ $why }
not-told = 不明
no-samples = サンプルなし
no-latency = レイテンシの値なし
too-few-seconds = 秒数が少なすぎる（{ $n }）
too-few-samples = { $percentile } にはサンプルが少なすぎる（{ $n }）
too-few-operations = { $percentile } にはI/Oが少なすぎる（{ $n }）
records-without-size = バイト数を計数していない
journal-of-run-damaged = この実行のジャーナルは破損している
came-to-no-end = 最後まで実行されなかった：値は記録された分だけのもの

# 要件を満たす、満たさない、または判定できない理由。
need-at-level = 指定された段階（{ $phase }）での { $what }
need-unmeasured = この実行では { $what } を測定していない。測定するコマンド：{ $command }
need-unmeasured-kind = この実行では { $what } を測定していない。測定するコマンド：{ $command }
need-met-too-short = { $lasted } の間は満たしたが、必要なのは { $lasting }。十分に長く測定するコマンド：{ $command }
need-unsettled-may-meet = 安定した段階で全条件を満たすものはない。同時I/O数 { $depth } の段階は満たす可能性があるが、速度が安定しなかった
need-met-fleetingly = 満たしたのは事前の短い段階だけで、続かなかった。これは持続した中で最も近い段階
need-met-on-the-way = 途中の段階では満たしたが、その後の持続測定（同時I/O数 { $depth }）では判定できない：{ $struck }
need-not-met-on-the-way = 途中の段階では満たさなかったが、その後の持続測定（同時I/O数 { $depth }）では判定できない：{ $struck }
need-no-level = 速度が安定しなかった：{ $why }
need-not-valid = 値が無効：{ $why }
need-from-cache = ページキャッシュが応答したため、値はストレージの性能を示さない
need-limit-changed = 測定中に secchi のコントロールグループの上限が変更された
need-generator = 負荷生成側のCPUが不足した：ストレージの性能はこれ以上の可能性がある
need-others = 同時に他のプロセスがデバイスを使用した：その負荷がなければストレージの性能はこれ以上の可能性がある
need-others-cpu = 一部の時間、他のプロセスがCPUを使用した：その負荷がなければストレージの性能はこれ以上の可能性がある
need-closest = 全条件を満たす段階はない。これが最も近い
need-too-close = 境界に近すぎるか、サンプルが少なすぎて判定できない
need-errors = この実行でI/Oが失敗した。どの要件も満たすと判定できない
need-few-operations = I/Oが { $n } 件：要件の判定には少なすぎる
need-met-by-last = 最後の水準だけが要件を満たした：{ $course }

# 所見。
found-beyond-limit = { $what } は { $row } の { $share } % に達した：指定した上限が誤りか、別のものを測定した
found-beyond-limit-several = { $what } は最大で { $row } の { $share } % に達した：指定した上限が誤りか、別のものを測定した
remedy-beyond-limit = 指定した上限と、対象が購入したストレージ上にあることを確認する
doubt-limit-not-counted = 速度は上限によるものに見えるが、EBS自身はその超過を計数していない
seen-limit-not-counted = { $what }：速度は { $limit } と一致；EBSの計数では、どの上限の超過も時間の1 %に満たない
remedy-limit-not-counted = 指定した上限を確認し、ボリュームより上の上限（コントロールグループ、マップデバイス、アプリケーション）を探す
found-above-limit = { $what } は { $row } を超えている：バースト、リクエストの結合、上限の誤り、またはキャッシュの可能性
found-above-limit-several = { $what } はいずれも { $row } を超えている：バースト、リクエストの結合、上限の誤り、またはキャッシュの可能性
found-above-published = { $what } は { $row } を超えている：上限の誤り、上限の引き上げ、またはキャッシュの可能性
found-above-published-several = { $what } はいずれも { $row } を超えている：上限の誤り、上限の引き上げ、またはキャッシュの可能性
remedy-above-limit = 上限を確認する。バーストが終わるまで測定する。キャッシュに関する疑義を確認する
found-burst-credits = { $what } はバーストクレジットで { $row } を超えている：長くは続かない
found-burst-credits-several = { $what } はいずれもバーストクレジットで { $row } を超えている：長くは続かない
seen-credits = 負荷をかけた時間 { $loaded }；満杯のクレジットで続くのは { $lasts }
remedy-burst-credits = ベースラインで計画する。バーストが終わるまで実行する
found-merged = { $what } は { $row } を超えている。この上限は連続するI/Oを1件と数えるため、ランダムI/Oでしか確かめられない
found-merged-several = { $what } はいずれも { $row } を超えている。この上限は連続するI/Oを1件と数えるため、ランダムI/Oでしか確かめられない
found-published-limits = 上限は公表値であり、保証値ではない
published-on = { $date } 公表
published-undated = 公表日不明、変わっている可能性がある
published-long-ago = { $date } 公表、引き上げられている可能性がある
above-published = { $what } は { $date } に公表された最大値 { $most } を超えている。その後引き上げられた可能性があるため、この値を受け入れる
above-published-undated = { $what } は公表日不明の上限 { $most } を超えている。引き上げられた可能性があり、指定どおりに計算する
found-below-all-limits = { $what } は既知のどの上限にも届かない。最も近いのは { $row }
found-below-all-limits-several = { $what } はいずれも既知のどの上限にも届かない。最も近いのは { $row }
remedy-below-all-limits = どの行にもない要因を探す：共有された経路、より低いインスタンスの上限、ファイルシステム
found-retrograde = { $what } は同時I/O数を増やすと速度が落ちる：{ $depth } 以下に保つ
found-retrograde-from-one = { $what } は同時I/O数を増やすと速度が落ちる：{ $depth } に保つ
found-not-sustained = { $what } は段階増加での速度を持続できない：バーストが終わったか、他のプロセスがデバイスを使用した
seen-in-ramp = 段階増加で { $rate } IOPS、{ $seconds } 秒
seen-held-for = 持続測定で { $rate } IOPS、{ $seconds } 秒
remedy-not-sustained = 持続測定の速度で計画する。バーストの終わりと回復を見るにはより長く実行する
found-crossover = { $mode }：{ $up_to } まではIOPS、{ $from } からは帯域で律速；両者の上限は { $cross } KiB で交わる

# 比較と推移。
compare-left-out = 一部の実行にしかないため除外：{ $names }
compare-held-at = 同時I/O数 { $depth } で { $n } 回
compare-ramp-level = { $what } の持続測定は { $held }：比較するのは段階増加の同時I/O数 { $depth } の段階
compare-runs-left-out = { $all } 回中 { $n } 回の実行を除外：{ $why }
compare-no-ratio = 値がゼロのため比がない
compare-no-figure = どの実行にもこの値がない
compare-few-runs = 各側 { $n } 回の実行では判定できない
compare-few-runs-for = 各側 { $n } 回の実行では、{ $figures } 個の値を判定できない
compare-few-runs-apart = { $n } 回と { $m } 回の実行では判定できない
compare-few-runs-apart-for = { $n } 回と { $m } 回の実行では、{ $figures } 個の値を判定できない
compare-scatter = 実行間のばらつきが大きすぎる：{ $most } 回を超える実行が必要
compare-in-order = { $first } の実行はすべて { $last } より前に行われた：ストレージの経時変化があれば差のように見える。`secchi ab` は交互に実行する
compare-of-runs = { $all } 回中 { $n } 回の実行：{ $remark }
trend-needs-runs = 変化の判定には { $needed } 回の実行が必要、この値があるのは { $n } 回

# 実行一覧での fio と ping の要約。
run-not-valid-then = 無効：{ $why }；{ $told }
run-fio = fio：ジョブ { $jobs } 個、{ $iops } IOPS、{ $rate }
run-fio-moved = fio：ジョブ { $jobs } 個、一定の水準ではない：{ $one }
run-fio-one-moved = fio：ジョブ { $jobs } 個、一定の速度なし；うち1つは { $first }
run-fio-ended = fio：ジョブ { $jobs } 個：{ $why }
run-latency = 平均レイテンシ { $mean }
run-latency-from-due = 平均レイテンシは予定時刻から { $due }、発行から { $sent }
run-ping = ping：リクエスト { $count } 件、平均 { $mean }、p99 { $p99 }、最大 { $max }
run-ping-few = ping：リクエスト { $count } 件、平均 { $mean }、最大 { $max }
run-ping-nothing = ping：集計対象のリクエストなし
limit-unconfirmed = { $limit } は公表されているが測定と矛盾するため、結果の比較には使わない
