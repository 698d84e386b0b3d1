# 測定前に分かるストレージの性質。
mount-compresses = ファイルシステムが圧縮するため、デバイスに届くバイト数は少なくなりうる
mount-no-flush = フラッシュがデバイスに渡されないため、同期の速度とレイテンシは実際より良くなる
mount-data-journal = ファイルシステムがデータをジャーナルと本来の場所に二重に書き込む
mount-sync = 書き込みのたびに永続化される
mount-dax = ファイルが永続メモリから直接マップされ、ブロックI/Oを通らない
mount-option = { $place } はオプション { $option } でマウントされている
direct-io-refused = ここではダイレクトI/Oが使えず、ページキャッシュも含めて測定される
direct-io-refused-says = { $filesystem } がこのファイルへのダイレクトI/Oはできないと応答した
direct-io-refused-remedy = 測定したいストレージ上のディレクトリを指定する
storage-remote = これらのファイルは別のマシンまたはプロセスが提供し、ダイレクトI/Oとフラッシュの動作もそちらに依存する
storage-unseen = このファイルシステムの下のデバイスがここから見えないため、結果をデバイスと照合できない
storage-unseen-remedy = デバイスが見える所、例えばコンテナの外で実行するか、--device でデバイスを指定する
storage-overlay-remedy = デバイスが見えるコンテナの外で実行するか、ストレージをコンテナにマウントする（`-v /mnt/data:/data`）：コンテナ自身のファイルは overlay 上にある
container = コンテナ内で実行している：上位のコントロールグループの上限は、ここでも有効だが検出できない
container-seen = { $file } はコンテナのランタイムのもの
container-remedy = 知られている上限は --limit、--volume、--instance で指定する。ランタイムのどのフラグで何が見えるかはブックの「Run in containers and Kubernetes」を参照
storage-mounted = { $filesystem } が { $place } にマウントされている
memory-files = { $filesystem } はファイルをメモリ上に置く
memory-overlay = overlay の書き込み先は { $filesystem } 上の { $place } で、これはメモリである
memory-zram = { $device } は圧縮メモリ（zram）である
memory-brd = { $device } はRAMディスク（brd）である
memory-loop = { $device } はメモリである：そのファイル { $file } は { $filesystem } 上にある
loop-buffered = { $device } はページキャッシュを経由してファイルにアクセスするため、ディスクの代わりにキャッシュが応答しうる
loop-buffered-seen = { $file } の loop/dio が 0
partition-misaligned = { $device } が物理ブロックの境界から始まっていないため、小さな書き込みはリード・モディファイ・ライトになる
partition-misaligned-seen = 開始位置は { $start } バイト目、物理ブロックは { $physical } バイト
partition-misaligned-remedy = 開始位置を 1 MiB の倍数にしてパーティションを作り直す
device-encrypts = { $device } はデータを暗号化するため、I/OごとにCPUと時間を要する
device-encrypts-seen = device-mapper の UUID は { $uuid }
unwritten-in-file = { $device } の読み取りの一部は、ディスクにアクセスせずに応答される
unwritten-in-file-seen = バッキングファイル { $file } の { $all } のうち { $missing } は一度も書き込まれていない
unwritten-perhaps = { $device } の一部は一度も書き込まれていない可能性がある：シンプロビジョニングではメディアを読まずに応答される
unwritten-perhaps-seen = 調べた { $looked } ブロックのうち { $zero } がすべてゼロ
unwritten-remedy = 先に全体を書き込む

# マシンの時計。
clock-suspended = 測定中にマシンがサスペンドした
clock-suspended-seen = CLOCK_BOOTTIME が CLOCK_MONOTONIC より { $more } 長く進んだ
clock-suspended-remedy = マシンをスリープさせずに再実行する
clock-stepped = 測定中に時刻が修正された。速度の値には影響しない
clock-stepped-seen = 実時刻と単調時間の差は { $seconds } 秒
clock-drifted = タイムスタンプカウンタがずれた：すべての速度とレイテンシが同じ割合でずれている
clock-drifted-seen = CLOCK_MONOTONIC に対するカウンタの進みは { $percent } %

# 取得できないブロック層トレース。
trace-missing = デバイスに届いたI/Oのサイズは記録されなかった
trace-not-mounted = トレースなし：tracefs がマウントされておらず、マウントにも失敗した（{ $error }）：root（CAP_SYS_ADMIN）が必要。`sudo secchi ...` を使うか、一度 `sudo mount -t tracefs tracefs /sys/kernel/tracing` を実行する
trace-in-container = トレースなし：コンテナに tracefs がない。ホストの root で、コンテナに `-v /sys/kernel/tracing:/tracing` を付けて起動する
trace-no-look = トレースなし：{ $path } にアクセスできない：{ $error }；root（tracefs のファイルへの CAP_DAC_OVERRIDE）が必要。`sudo secchi ...` を使う
trace-no-instance = トレースなし：{ $path } にインスタンスを作れない：{ $error }；root（tracefs のファイルへの CAP_DAC_OVERRIDE）が必要。`sudo secchi ...` を使う
trace-no-read = トレースなし：{ $path } を読み取れない：{ $error }；root（tracefs のファイルへの CAP_DAC_OVERRIDE）が必要。`sudo secchi ...` を使う
trace-no-write = トレースなし：{ $path } に書き込めない：{ $error }；root（tracefs のファイルへの CAP_DAC_OVERRIDE）が必要。`sudo secchi ...` を使う
trace-no-event = ブロックトレースなし：カーネルにイベント block/{ $event } がない（CONFIG_EVENT_TRACING、CONFIG_BLOCK）
trace-no-calls = システムコールのトレースなし：カーネルにそのイベントがない（CONFIG_FTRACE_SYSCALLS）。`--layer block` なら不要
trace-other-numbers = システムコールのトレースなし：ここのプロセス番号はカーネルのものと異なる（独自の番号を持つコンテナ）。ホストで、または `--pid=host` で記録する
trace-strange = トレースなし：{ $file } の形式が不明。このファイルとカーネルのバージョンを報告してほしい
trace-no-device = ブロックトレースなし：対象の下にブロックデバイスがない
trace-no-thread = トレースなし：トレース用のスレッドを開始できない：{ $error }
trace-endian = トレースなし：リングバッファはリトルエンディアンのマシンでしか読めない

# 監視の役割。
roles-share-device = { $roles } は同じデバイス上にあり、その値はすべてを合わせたものになる
roles-share-device-seen = デバイス { $device }
roles-share-device-remedy = 分けて見るには役割ごとに別のデバイスを割り当てる
both-of = { $first } と { $second }

# 壊れた記録。
recovered-damaged = この測定のジャーナルが破損しており、値は読み取れた部分のもの
recovered-damaged-seen = { $length } バイトのうち { $bytes } バイトが { $places } か所で使えない：{ $first }；その前の { $before } フレームと後の { $after } フレームは完全に読めた
recovered-damaged-ended = { $evidence }；測定自体の終了理由：{ $reason }
recovered-damaged-remedy = コピーがあればそこから復元し、なければ再実行する。保存先のディスクも確認する
frame-torn = { $at } バイト目のフレームが途切れている：{ $wanted } バイト中 { $there } バイトしかない
frame-length = { $at } バイト目のフレームの長さ { $length } はありえない
frame-checksum = { $at } バイト目のフレームのチェックサムが合わない
frame-no-event = { $at } バイト目のフレームは有効なイベントではない：{ $why }
frame-order = { $at } バイト目のイベントは、それより前のイベントと整合しない：{ $why }
frame-unreadable = ファイルの { $at } バイト目を読み取れない：{ $why }

# 他所から取り込んだMスクリプトの測定。
imported = Mスクリプトによる測定で、別のマシンで行われた可能性がある。レイテンシは全プロセスをまとめたもの
imported-seen = { $engine } { $version }、バッチ { $batch }
imported-remedy = 時刻を確認する：このマシンのタイムゾーンの時刻とみなしている
processes-missing = 一部のプロセスの結果がない
processes-missing-seen = { $all } プロセスのうち { $failed } が最後まで実行されなかった
imported-now = { $file } の実行 { $kept } 件を履歴に加えた。{ $there } 件は既にあった

# 途中で終わった測定の終わり方。
end-signal = { $signal } により停止
end-signal-number = シグナル { $n } により停止
end-key = キー操作により停止
no-io-done = I/Oは行われなかった
no-io-measured = 何も測定されなかった：ジョブは ramp_time の間に終わった。ramp_time を短くするか、ジョブを長くする
end-watch-left = コマンドの実行中に監視が停止された
end-hung = { $label } のI/O { $pending } 件が完了しなかった。最も古いものは { $oldest } 実行中だった
end-hung-choice = エンジン { $engine } の試行で読み取り { $pending } 件が完了しなかった。最も古いものは { $oldest } 実行中だった
end-hung-fill = 事前書き込みの書き込み { $pending } 件が完了しなかった
end-lost = デバイスが取り外された：{ $error }
end-errors = { $workload } のI/Oエラー：{ $errors }
end-errors-draining = I/O { $n } 件が失敗
end-error-kind = { $op } { $n } 件が失敗：{ $why }
end-error-end-of-file = 対象が途中で終わっていた
end-error-wrong-data = 読み戻した内容が書き込んだものと異なる
end-below-iops = { $job }：{ $op } の速度は { $rate }、要求は { $least } 以上
end-below-bandwidth = { $job }：{ $op } の帯域は { $rate }、要求は { $least } 以上
end-fill-after-of = 事前書き込みは { $all } のうち { $written } で終わった：{ $why }
end-fill-write-failed = 書き込みが失敗した
end-fill-stopped = 停止された
end-fill-not-durable = 事前書き込みを永続化できない：{ $error }

# 途中の注記。
note-device-away = デバイス { $device } がなくなった
note-device-back = デバイス { $device } が戻った
note-device-anew = デバイス { $device } のカウンタがリセットされた：同じ名前の別のデバイスの可能性がある
note-device-begins = デバイス { $device } のI/Oが始まった
note-group-gone = コントロールグループ { $group } がなくなった
group-no-device = I/Oを計数できる既知のブロックデバイスがない
group-no-device-target = 対象の下にブロックデバイスが見つからない
group-not-counted = ここのコントロールグループはブロックI/Oを計数しない
group-root-own = このプロセスはルートのコントロールグループにあり、その値は全プロセスの合計である
group-root = プロセス { $pid } はルートのコントロールグループにあり、その値は全プロセスの合計である
group-hidden-own = このプロセスのコントロールグループは見えない。見える中で最も近いのは { $nearest }
group-hidden = 監視対象のプロセスのコントロールグループは見えない。見える中で最も近いのは { $nearest }
group-hidden-process = プロセス { $pid } のコントロールグループはここからは見えない
group-shared = このプロセスのコントロールグループ（{ $dir }）は全プロセスで共有されており、その中にグループを作成できない
group-strangers = このプロセスのコントロールグループ（{ $dir }）に他のプロセスが { $others } 個ある
group-not-made = コントロールグループ { $dir } を作成できない：{ $error }
group-not-entered = コントロールグループ { $dir } に入れない：{ $error }
counts-server-group = サーバーは secchi が作成したコントロールグループにない
counts-server-other = サーバーは secchi が起動したものではない
counts-server-busy = サーバーは別の実行のもの
counts-no-accounts = プロセスのI/Oカウンタを読み取れない
counts-server-devices = サーバーのデバイスのI/Oを計数できない：{ $why }
note-process-ended = プロセス { $pid } が終了した
note-process-hidden = プロセス { $pid }：このユーザーはI/Oカウンタを読み取れない。CPUの値だけを記録する
note-process-crowded = プロセス { $pid } のスレッドが毎秒調べられる数を超える：コンテキストスイッチは省いた
note-suspended = マシンが { $time } サスペンドしていた：この区間の値はない
note-file-system-full = { $job }：終了：ファイルシステムが、使わずに残す分（5 %、最低 1 GiB）まで埋まった
note-inserts-ended = 挿入を終了：{ $why }
note-device-full = { $job }：指定どおり、デバイスに空きがなくなった時点で終了した
note-depth-found = { $job }：同時I/O数 { $depth } で目標レイテンシを満たす（{ $search } で判明）。値は次のサイクルのもの
note-sidecar = サイドカーファイルを保存できなかった（{ $error }）：以降の実行は事前書き込みをやり直す
note-journal-long = ジャーナルが { $was } に達した：古い観測はより長い間隔で残す
note-no-figures = { $sampler } の値なし：{ $why }
note-not-watched = 監視しないもの：{ $devices }；--all または --device で含められる
note-process = プロセス { $pid } は `{ $program }`
note-no-group = コントロールグループの値なし：{ $why }
alarm-raised = 警報：{ $alarm }
alarm-over = 警報は { $time } で解消：{ $alarm }

# サンプラに値がない理由。
sampler-no-temperature = 温度を示すドライブがない
sampler-ebs-not-told = EBSボリューム { $device } のカウンタを読めない：{ $error }
sampler-no-pressure = このカーネルはPSI（pressure stall information）を示さない（起動パラメータ psi=1 で有効になることがある）
sampler-no-process = プロセスが指定されていない
sampler-of-linux = Linux でのみ計数できる
sampler-not-made = このOSの観測に secchi は対応していない
sampler-no-device = 対象の下に、カウンタのあるブロックデバイスが見つからない
sampler-no-file-system = 対象の下にファイルシステムが見つからない
sampler-unreadable = { $file } を読み取れない
