## 別のストレージで再現した記録。

replay-folded = 記録の位置を小さなファイルに折り畳んだ：キャッシュとシークには有利になる
replay-folded-seen = 触れた領域のうち { $bytes } が他と位置を共有する
replay-moved = 操作が記録より長い：このストレージのブロックの方が大きい
replay-moved-seen = { $of } 件の操作のうち { $n } 件
replay-unmapped = どの役割にも属さない要求は再現しない：ここのファイルシステムが自分で行う
replay-trims = ファイルではトリムを再現しない：デバイスを読まない穴が残る
replay-failed = 失敗した要求、および読み・書き・トリム・フラッシュ以外の要求は再現しない
replay-left-out-seen = { $n } 件の要求
replay-following = 別の要求の終了直後に、偶然より明らかに多く出された要求は、ここでもその終了を待つ。他は記録の時刻に出す
replay-following-seen = { $of } 件の操作のうち { $n } 件が他を待つ
replay-open = すべて記録の時刻に出す：何が何を待ったかは分からない
replay-open-seen = 記録にレイテンシがない
replay-apart = 別の装置の操作を待つ要求は、その終了を 20 µs ごとに確かめる
replay-apart-seen = 別の装置を待つ操作は { $n } 件、ワーカーは { $loads } 個
replay-kept-up = 追い付いている：{ $operations } 件の操作を記録どおりに行い、遅れは最大 { $lag }
replay-lagged = { $role } は追い付かない：{ $seconds } 秒のうち { $late } 秒で遅れ、最大 { $lag }。所要 { $made }、記録は { $recorded }
replay-longer = { $role } は追い付かない：応答を待つ操作に { $made } かかった、記録は { $recorded }
replay-lagged-bound = { $lags }。{ $bound }
replay-unpaced = { $role }：最速で { $iops } IOPS、記録は { $recorded }

replay-title = { $name } の再現
replay-summary = { $target } で { $operations } 件の操作
replay-page = 記録と再現
replay-kind = 種類
replay-size = 以下
replay-was = 記録
replay-is = 再現
replay-p50 = p50 記録
replay-p50-now = p50 現在
replay-p99 = p99 記録
replay-p99-now = p99 現在
replay-due = p99 予定時刻から
replay-lag = 遅れて出した秒
replay-lag-row = { $second } 秒目：{ $operations } 件のうち { $late } 件、最大 { $longest }
replay-lag-more = ほか { $n } 秒
