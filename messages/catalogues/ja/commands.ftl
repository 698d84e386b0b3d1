# コマンドの通知。
remark-run-lost = この実行は完全には保存されていない：{ $why }
remark-run-not-kept = この実行は保存されていない：{ $why }
remark-load-lingers = 負荷プロセスが終了しないため打ち切る（それまでの測定は保存済み）
remark-load-silent = 負荷プロセスが { $time } 応答しないため打ち切る（それまでの測定は保存済み）
remark-load-no-memory = 負荷プロセスのメモリが不足した：アドレス空間は { $limit } に制限されている（ulimit -v）。それまでの測定は保存済み
remark-load-file-limit = 負荷プロセスがファイルサイズの制限（ulimit -f：{ $limit }）により強制終了された。制限を上げるか、--size を小さくする。それまでの測定は保存済み
remark-load-killed-bus = 負荷プロセスが SIGBUS（{ $signal }）で終了した：マップしたファイルが縮んだか、デバイスが故障した。それまでの測定は保存済み（secchi runs）
remark-load-killed = 負荷プロセスがシグナル { $signal } で終了した。それまでの測定は保存済み（secchi runs）
remark-file-removed = テストファイルを削除した：{ $path }
remark-files-remain = ファイルが残っている：{ $path }
remark-files-may-remain = ファイルが残っている可能性がある：{ $path }

# 保存された実行。
remark-runs-exported = { $file } を書き込んだ：実行 { $n } 件、ジャーナル { $journals } を { $size } に圧縮
remark-runs-new = { $all } 件の実行のうち { $new } 件を取り込んだ
remark-runs-known = 残りは同一の内容で保存済みで、ラベルは変わらない
remark-runs-damaged = 次の実行のジャーナルが破損している（エクスポート元で破損済み）：{ $runs }
remark-team-ready = { $name } に実行を保存できる
remark-team-none-waits = { $name } への送信を待つ実行はない
remark-team-put = { $n } 件を { $name } に保存した
remark-team-running = 実行中 { $n } 件
remark-team-waits = 実行 { $id } は待機中：{ $why }
remark-runs-none-listed = 該当する実行がない：条件に合う実行がないか、--max-count が 0
remark-runs-part-shown = { $all } 件の実行のうち { $shown } 件を表示
remark-runs-labels = { $run }：{ $labels }
remark-runs-no-tags = タグなし
remark-runs-tags = タグ { $tags }
remark-runs-joined = 実行 { $id } に { $ranks } ランクをまとめた
remark-run-removed = 実行 { $id } を削除した
remark-report-written = { $file } を書き込んだ、{ $size }
remark-runs-stopped-after = { $all } 回の実行のうち { $done } 回で停止した
remark-ab-more-rounds = --rounds { $n } ならおそらく判定できる
remark-ab-without-keep = { $option }：--keep がないと、実行ごとにテストファイルを作り直して埋める

# 判定するファイル。
remark-skipped = 飛ばした：{ $why }
remark-skipped-empty = 飛ばした：{ $directory } 以下の空のファイル { $n } 個
remark-skipped-own = 飛ばした：{ $path } は secchi の実行
remark-source-is-file = `{ $source }` は実行ではなく、その名前のファイルとして読む
remark-zone-unused = --time-zone は効果がない：ファイルの時刻にはすべてタイムゾーンがある
remark-ping-short = { $whose }要求 { $number } の戻り値が要求より少ない：{ $bytes } バイト

# データベース。
remark-database-not-filled = データベースはあるが埋められていない。`secchi db purge { $directory }` で削除する
remark-database-has-globals = グローバルはすでに { $globals } 個ある
remark-scripts-written = { $engine } 用のスクリプトを { $directory } に書き込んだ。README.txt から始める
remark-sizes-later = { $why }。次のコマンドがサイズを修正する
remark-stopped-by-command = `secchi db stop` で停止した
remark-inserts-until = 挿入の上限：{ $until }。ファイルは現在 { $now }、追加で最大 { $room } を使う
remark-inserts-count = プロセスごとに { $n } 件の挿入
remark-inserts-size = ファイル { $size }
remark-inserts-either = { $time }、またはファイル { $size }
remark-inserts-counted = 挿入の実行が強制終了していた。残ったノードを数え、サイズを修正した：{ $globals }
remark-inserts-counted-global = グローバル { $number } は { $total } ノード（以前は { $before }）
remark-engine-silent = { $engine } は起動、書き戻しまたは停止の途中で、{ $seconds } 秒間読み書きがない：I/Oが停止している可能性がある
remark-ramp-globals = 段階増加は { $n } プロセスまで：プロセスはそれぞれ固有のグローバルを更新する
remark-past-none = 実行はまだない
remark-past-removed = データベース { $name } の実行 { $n } 件を削除した
remark-past-left-out = { $n } バッチを除外した：{ $format } には { $classes } の表しかない
remark-past-written = { $n } バッチを { $file } に書き込んだ
remark-no-run-here = このデータベースを使用中の実行はない
remark-run-asked-to-stop = 実行 { $id } に停止を要求した
remark-database-removed = データベース { $name }（{ $directory }）を削除した
remark-database-adopted = { $directory } は独立したデータベースになった（{ $uuid }）。コピー元での実行はコピー元に残る
remark-database-adopted-check = `secchi db check { $directory }` でコピーの完全性を確認する
remark-layout-kept = もう一方の配置のデータベースは残す：{ $directory }
remark-layout-not-removed = { $why }。`secchi db purge { $directory }` でもう一方の配置のデータベースを削除する

# 実行の保存先と進捗。
remark-store-away = { $why }。この実行はこのマシンに保存し、`secchi runs push` または次の実行がチームの保存先にコピーする
remark-store-fallback = { $why }。この実行は代わりに { $directory } に保存する
remark-coarsened = 実行が長い（{ $time }）：値は最初の分も含めて { $length } 間隔で保存する。件数、合計、ヒストグラムは正確なまま
remark-delete-run = 実行 { $run } を削除するか？ 元に戻せない。[y/N]
remark-delete-runs = 実行 { $n } 件（{ $first } …）を削除するか？ 元に戻せない。[y/N]
remark-step = { $label }、同時I/O数 { $n }
remark-step-held = { $label }、同時I/O数 { $n }、持続
