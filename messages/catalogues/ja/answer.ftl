# 回答：値とその対象。
figure-of = { $cap } に対し { $did }（{ $share }）
figure-at-least = 少なくとも { $figure }
figure-in-flight = { $figure }（同時I/O数 { $n }）
figure-at-depth = { $figure }（同時I/O数 { $depth }）
figure-rising = { $figure }、まだ上昇中
figure-per-doubling = { $figure }、同時I/O数の倍増ごとに +{ $percent } %
figure-rising-at = { $figure }、同時I/O数 { $deepest } でまだ上昇中
figure-of-size = { $size } で { $figure }

# 不明な理由。
why-rising = まだ上昇中
why-noisy = 測定値のばらつきが大きすぎる
why-brief = 測定した段階が少なすぎるか短すぎる
why-lower = { $name } の方が低い
why-burst = バーストクレジットによる値で、いずれ尽きる
why-cpu = このマシンのCPUが遅すぎた
why-few = 同時I/O数が少なすぎる
why-undecidable = どの上限が律速かこの実行では区別できない
why-others = 他のプロセスがデバイスを使用した
why-others-hide = 他のプロセスがデバイスを使用したため上限が現れない
why-deeper-struck = 同時I/O数がより多い段階の値が無効
why-others-cpu = 他のプロセスがCPUを使用した
why-generator = 負荷生成側が妨げた可能性がある
why-no-limit = 既知の上限がない
why-away = 既知のどの上限からも離れている
why-no-level = 一定の水準に達しなかった
why-no-more = それ以上の負荷は指定されていない

# 律速要因。
limit-undecided = 判定不能
limit-unknown = 不明
limit-few = 同時I/O数不足
limit-cpu = このマシンのCPU
limit-device = デバイス
limit-device-defined = デバイス：このマシンから見たストレージ自体で、上限ではない
limit-cap = 上限
limit-cap-or-device = 上限またはデバイス
limit-virtual-disk = このゲストから見える仮想ディスク
limit-iops-cap = IOPSの上限
limit-bandwidth-cap = 帯域の上限
limit-undecidable = { $names }（この実行では区別できない）
limit-unnamed = { $name }（指定されたどの上限でもない）
binds-not-reached = 上限に未到達、{ $what }：{ $figure }
binds-not-known = 不明、{ $what }：{ $figure }、{ $why }
binds-no-rate = 一定の速度なし、{ $what }：{ $figure }
binds-no-figure = 不明、{ $what }：{ $why }
binds-nothing = 律速なし、{ $what }：{ $figure }
binds-limit = { $limit }、{ $what }：{ $figure }
binds-others = { $binds }；他 { $n } 件は異なる

# 購入した性能が出ているか。
bought-more = 購入性能を超過：{ $what } は { $measured }、{ $row }：指定した上限が誤りか、別のものを測定した
bought-more-somewhere = 購入性能を超過：指定した上限が誤りか、別のものを測定した
bought-less = 購入性能に未達：{ $what } は { $measured }、{ $row }
bought-row = { $measured }、{ $row }
bought-rows = { $first }；{ $second }
bought-delivered = 購入性能どおり：{ $shown }
bought-in-part = 購入性能どおり：{ $shown }；未確認：{ $row }、{ $why }
bought-not-shown = 未確認：{ $what } は { $measured }、{ $row }；{ $why }
bought-not-tested = 未確認：購入性能と照合できる有効な値がない

# 要件を満たすか。
need-figure = { $metric } は { $measured }
need-and-figure = { $need }：{ $figure }
needs-met = 満たす { $need }
needs-not-met = 満たさない { $need }
needs-undecided = 判定不能 { $need }
needs-some-met = { $all } 件すべて満たす、最初は { $need }
needs-some-not-met = { $all } 件中 { $n } 件を満たさない、最初は { $need }
needs-some-undecided = { $all } 件中 { $n } 件が判定不能、最初は { $need }

# 次の一手。
do-device = カーネルログ（dmesg）でデバイスのエラーを確認し、再実行する
do-again = 最後まで再実行する
do-wait = 終わりを待つ
do-measure = 不足している値を測定する：{ $command }
do-ask = 購入性能（--limit、--volume）または要件（--need）を指定すると判定できる
do-judge = 値を購入性能または要件と照合する：{ $command }
do-faster-storage = より速いストレージにする：単独のI/Oに { $alone } かかり、必要なのは { $most } 以下
do-fewer = 同時I/O数を減らすか、より速いストレージにする：単独のI/Oに { $alone } かかる
do-raise = { $limit } を引き上げる：必要なのは { $wanted }、得られたのは { $figure }
do-raise-baseline = { $limit } を引き上げる：必要なのは { $wanted }、バーストの後に続くのは { $baseline } IOPS
do-keep = 同時I/O数を { $n } 以上にする：1件 { $cycle } で { $wanted } にはこれだけ必要
do-faster-device = より速いデバイスにする：必要なのは { $wanted }、得られたのは { $figure }
do-find-cap = 指定したもの以外の上限（インスタンス、ホスト、共有された経路など）を探す
do-seller = { $row } に達しない理由を、この実行のIDを添えて販売元に問い合わせる
do-lift = { $name } を引き上げて再実行する：{ $row } より低い
do-quiet = 他にデバイスを使うものがないときに再実行する
do-deeper = 上昇が止まるまで同時I/O数を増やす：{ $option }
do-another-size = ブロックサイズを追加して、上限とデバイスを区別する：{ $option }
do-longer = { $option } で再実行する：段階を長くすると律速要因が分かる

# 端末での回答行の見出し、8桁以内。
label-bought = 購入
label-needs = 要件
label-binds = 律速
label-do = 次の手
