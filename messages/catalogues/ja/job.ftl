# fioのために入力された内容への注記と、その位置。
job-note = 注記：{ $what }
job-note-at = { $at }：{ $what }
job-argument = 引数 { $n }
job-of-option = `{ $option }`：{ $what }

# ワープロやWebページが作る文字。
job-space-taken = 特殊な空白を通常の空白とみなした
job-dash-argument = `{ $word }` にハイフンでないダッシュがある：`--` とみなした
job-dash-arguments = `{ $word }` と他 { $n } 個の引数にハイフンでないダッシュがある：`--` とみなした
job-dash-option = `{ $name }` にハイフンでないダッシュがある
job-dash-taken = `{ $option }`：ハイフンでないダッシュをハイフンとみなした
job-dashes-in-file = `{ $name }`：ジョブファイルのオプションにハイフンは付けない
job-quotes-taken = `{ $option }`：特殊な引用符を通常の引用符とみなした
job-quotes-of-name = 名前を囲む特殊な引用符を取り除いた

# 効果のないオプションとその理由。
job-no-effect = `{ $option }` は効果がない：{ $why }
job-missing = { $option } の指定がない
job-no-mix = rw が読み書きの混合ではない
job-not-random = rw がランダムではない
job-no-number = rw の後に数がない（例：rw=randread:8）
job-no-rate = 速度の制限がない
job-no-rate-with-thinktime = rate と thinktime の両方は指定されていない
job-no-least-rate = 最低速度の指定がない
job-no-log = ログを書かない
job-no-log-of-operations = I/Oごとのログを書かない
job-log-is-narrow = log_narrow により省かれる
job-files-are-named = ファイルは filename で指定されている
job-not-strided = zonemode が strided ではない
job-sizes-elsewhere = サイズは bsrange または bssplit による
job-sizes-of-bssplit = サイズは bssplit による
job-nothing-written = 何も書き込まない
job-zeros-written = zero_buffers ではゼロを書く
job-engine-waits = エンジンが1件ごとに完了を待つ
job-mapped = マップしたファイルはページキャッシュを通る
job-polling-direct = ポーリングには direct=1 が必要
job-engines-having-it = このオプションに対応するエンジンは次だけ：{ $engines }
job-name-of-defaults = global セクションの `name` は効果がない：名前はジョブごとに持つ
job-depth-low = iodepth_low={ $low } は iodepth={ $depth } より大きく、効果がない
job-number-of-sequential = `sequential` はファイルを1つずつ最後まで処理するため、後の数は効果がない

# 解釈できるが、意図どおりとは限らないもの。
job-given-again = このセクションで2度以上指定されている：最後のものが有効になる
job-size-binary = `{ $size }` はここでは2進の単位、fioでは10進の単位（--fio-compat）
job-depth-one = iodepth={ $depth } だが ioengine={ $engine } は1件ごとに完了を待つ：同時I/O数は1になる
job-map-left-out = 偏りのある分布は同じ位置を2度以上たどる：norandommap を指定したものとみなす
job-log-too-fine = { $option }：{ $time } は { $least } とみなす。log_avg_msec=0 ならすべてのI/Oを記録する
job-clones-overwrite = クローンが1つのファイルに書き、互いのブロックを上書きする可能性がある：検証が失敗しうる
job-never-verified = 書き込みが runtime をすべて使い、検証が始まらない：time_based を外す
job-shares-missing = 割合の合計は { $given }：足りない { $left } % は最後のサイズに加える
job-other-system = `{ $engine }` は別のOSのもの：ここではこのOSの非同期エンジンを使う
job-own-thread-sends = I/Oはジョブ自身のスレッドが発行する。レイテンシは発行予定時刻から数え、これが offload の目的に当たる
job-list-of-files = `{ $given }` は { $n } 個のファイルの並び：名前の中のコロンは `\:` と書く
job-files-in-turn = それでもファイルは1つずつ作り、互いに混ざらないようにする

# 受け付けるオプションと、代わりに行うこと。
job-noted-chunked = 記録はジョブの前に全体が読み込まれる
job-noted-buffers = どの種類を指定しても、バッファは専用のページで、ページ境界にそろえ、カーネルが許せばロックする
job-noted-no-map = ここではランダムな位置の順序にマップが要らず、マップが大きすぎることもない
job-noted-permutation = 位置は、全ブロックを1度ずつたどる1つの順列から、norandommap では1つの生成器から得る
job-noted-given-up = fioでは非推奨で、fioでも効果がない
job-noted-four-a-second = 進捗行は毎秒4回更新する
job-noted-one-line = 進捗行は1行のまま。一定時間ごとのレポートは --status-interval が出力する
job-noted-memory = メモリは必要に応じて確保する
job-noted-cpu-use = 実行のCPU使用率は常に測定し、記録に残す
job-noted-store = 状態ファイルはない：実行は実行ストアに保存する
job-noted-ring = 完了は、リングが許す限り常にシステムコールなしで読み取る
job-noted-no-vector = I/Oにベクタを使わない：コピーが減り、デバイスから見れば同じ
job-noted-mapping = マップのページサイズはカーネルが決める
job-noted-not-printed = リクエストは表示しない。サーバーが拒否したものは、その操作のエラーになる
job-noted-wrong-blocks = 最初の不正なブロックは位置と誤りの種類を示し、内容は保存しない
job-noted-own-thread = 検証はジョブ自身のスレッドが行う：チェックサムは4 KiBあたり1マイクロ秒未満
job-noted-own-cpus = 検証はジョブ自身のスレッドが、ジョブ自身のCPUで行う
job-noted-no-replay = ブロック自体が世代を持つため、再現は行わない
job-noted-no-state = 何を書いたかは世代を持つブロック自体から分かるため、状態ファイルは要らない
job-noted-write-number = ジョブ自身が書いたブロックでは、書き込みの番号を常に照合する
job-noted-no-seed = ここではヘッダにシードがない：オフセットと世代を常に照合する
job-noted-threads = クローンは常にスレッド
job-noted-threads-numjobs = クローンは常にスレッドで、数は numjobs による
job-noted-errors = エラーはエラー番号（errno）ごとに計数して最後に示し、1件ずつは示さない
job-noted-unique = ネットワーククライアントがないため、名前は重複しない
job-noted-open-files = ジョブのファイルはすべて実行中開いたまま：ディスクリプタを1つずつ使う
job-noted-clock = 何を指定しても、時計は安定していればCPUのカウンタ、そうでなければ CLOCK_MONOTONIC
job-noted-latency-cheap = それでもレイテンシは測定する：ここではI/O時間の1 %もかからない
job-noted-no-clock-cpu = 専用のCPUは設けない：ここでは時計の読み取りは約20 ns
job-noted-latency-free = それでもレイテンシは測定する：ここでは負担にならない
job-noted-bandwidth-free = それでも帯域のサンプルを取る：ここでは負担にならない
job-noted-logs = ログはジョブの実行中に書き出すため、領域は尽きない

job-no-runtime = time_based には runtime が必要。ジョブは size を終えた時点で終わる
job-zones-strided = zonemode なしの zonesize：古い版の fio と同じく zonemode=strided とする
job-flow-older = flow は古い版の fio と同じ：操作数は重みの逆数に比例する
job-block-range = `{ $given }` は fio と同じく { $low } として扱う。範囲は bsrange で書く
job-size-of-all = size=0 はファイルまたはデバイスの全体
job-noted-no-trims = trim_percentage がなければ何も破棄されず、このオプションはfioと同じく効果がない
job-unlinked-once = ファイルは各ループの後ではなく、ジョブの終了時に削除される
job-after-section = `{ $rest }` がセクション名の後にあるが、fioと同じく無視する
job-noted-debug = デバッグ出力は表示しない。行った内容は実行の記録に残る
job-null-verifies-nothing = nullエンジンは何も転送しないため、fioと同じく何も照合しない
job-noted-looked-at = どのファイルも使用前に確認する
job-noted-one-piece = 各I/Oのバッファは1つなので、ここでは違いはない
job-noted-process-name = ジョブは1つのプロセスのスレッドであり、名前は結果に示す
job-noted-job-start = 出力はfio 3.33に従い、3.33に job_start はない
job-noted-scheduler = ジョブはマシンの設定を変えない。スケジューラを変えるには /sys/block/DEVICE/queue/scheduler に直接書き込む
job-engine-instead = `{ $engine }` は { $instead } として実行する
job-burns-cpu = `{ $job }` は意図的に1CPUの { $load } % を消費する：I/Oは行わず、他のジョブが使えるCPU時間は減る
job-runs-program = `{ $job }` はプログラム `{ $program }` を実行する：それが使うCPUとI/Oはどのジョブの数値にも入らず、他のジョブを遅くすることがある
job-as-long-as-program = runtime がないので `{ $job }` はプログラムが終わるまで続く。fio ならプログラムをすぐに終わらせるが、ジョブは終わらない
job-runs-before = `{ $job }` の開始前に /bin/sh が `{ $program }` を実行する
job-runs-after = `{ $job }` の終了後に /bin/sh が `{ $program }` を実行する
program-ended = `{ $job }` のプログラムは終了コード { $code } で終わった
program-ended-by-signal = `{ $job }` のプログラムはシグナル { $signal } で強制終了された
program-before-failed = `{ $job }` は開始しなかった：exec_prerun `{ $program }` は{ $how }
program-after-failed = `{ $job }` の exec_postrun `{ $program }` は{ $how }
program-cannot-run = `{ $job }` は `{ $program }` を実行できない：{ $why }
program-how-code = 終了コード { $code } で終わった
program-how-signal = シグナル { $signal } で強制終了された
program-how-not-started = 起動できない：{ $why }
program-how-with-run = 実行とともに停止された
job-noted-mounted = ファイルには常に書き込める。secchi は使用中のデバイスには書き込まない
job-name-again = セクション `{ $name }` は既にある（{ $before }）。両方を実行し、どちらにもファイルの指定がなければ同じファイルを使う
fio-directory-made = ディレクトリ { $directory } を作成した
fio-kept-nowhere = XDG_DATA_HOME も HOME も設定されていない：この実行は保存されない（--store DIR で保存）
job-unset-variables = 次の変数は未設定のため空に置き換える：{ $names }
job-atomic-is-direct = `atomic` は `direct` と同じ：Linux は O_ATOMIC を知らず、これによって書き込みが不可分になることはない
job-number-cut = { $option }：`{ $given }` は、fio が読むのと同じく { $taken } として扱う
