## Is a volume still being loaded from its snapshot: `secchi hydration`
hydration-loaded = 読み込み済み: まだ読み込まれていないのはボリュームの { $high } % 以下 (ランダムなブロック { $blocks } 個、信頼度 95 %)
hydration-loading = 読み込み中: ボリュームの { $value } % がまだ読み込まれていません (95 % 区間 { $low }〜{ $high } %)
hydration-unclear = 判定できません: ボリュームの { $low }〜{ $high } % がまだ読み込まれていません。--samples を増やしてください
hydration-warmed = { $size } すべてを読み取りました
hydration-warmed-part = { $size } のうち { $until } を読み取りました。同じコマンドで続きから再開します
hydration-rate = 全体の読み取りには { $rate } で { $time } かかります
hydration-doubt-halves = 標本の前半と後半が矛盾しています: 実行中にストレージの状態が変わりました
hydration-seen-halves = 未読み込み: 前半 { $first } %、後半 { $second } %
hydration-remedy-halves = ボリュームに他の負荷がなく、上限に達していない状態で繰り返してください
hydration-title = 読み取り
hydration-slow-over = 遅い読み取り: { $time } を超えるもの
hydration-head-reads = 読み取り
hydration-head-block = ブロック
hydration-head-depth = 同時
hydration-head-ops = 回数
hydration-head-slow = 遅い
hydration-continues = 前回の実行が終わった { $size } 中の { $from } から続けます
