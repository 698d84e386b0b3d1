# 監視への疑義。
watch-command-left = 制限時間に達し、コマンドに終了シグナルを送ったが終わらず、実行したまま残した
watch-command-left-seen = プロセス { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` で、起動したすべてのプロセスも含めて強制終了する
watch-late-looks = 一部の観測が遅れた：その値はより長い区間の平均
watch-late-looks-seen = { $looks } 回の観測のうち { $late } 回、最長の区間は { $longest }
watch-dear-looks = カウンタの読み取りのCPUオーバーヘッドが無視できない
watch-dear-looks-seen = 1コアの { $share } %、1回あたり { $cost }
watch-dear-looks-remedy = --interval を長くすると負担が減る
watch-not-counted = 速度からは上限に達していたが、EBS自身の計数ではどの上限も超過していない
watch-not-counted-seen = 速度からは、上限 `{ $limit }`（{ $cap }）に { $time } のうち { $full } の間達していた
watch-not-counted-remedy = この監視に指定した上限を確認する
watch-group-stopped = コントロールグループ { $group } がCPUクォータを使い切って停止させられた
watch-group-stopped-seen = クォータ期間の { $share } %（cpu.stat）
watch-group-stopped-time-seen = クォータ期間の { $share } %、全スレッドの合計で { $time }（cpu.stat）
watch-group-stopped-remedy = グループのCPUクォータを増やすか、なくす
watch-hidden-processes = 一部のプロセスのI/Oは不明である：このユーザーはそのカウンタを読み取れない
watch-hidden-processes-seen = { $processes } プロセス中 { $hidden } プロセス（/proc/PID/io）
watch-hidden-processes-remedy = すべてのプロセスを含めるには、rootで実行するかCAP_SYS_PTRACEを与える

# 監視についての最初の文。
watch-no-figures = 最初の観測の前に終わったため、値がない
watch-counted = { $device } は { $time } のうち { $exceeded } の間 { $limit } を超過した（EBS自身の計数による）
watch-counted-more = { $device } は { $time } のうち { $exceeded } の間 { $limit } を超過した（EBS自身の計数による）；他に { $n } 件の上限を超過
watch-no-alarm = 警報なし；{ $said }
watch-alarm = 警報：{ $alarm }；{ $said }
watch-alarms = 警報：{ $alarm }、他 { $n } 件；{ $said }
watch-cap-full = { $device } は { $time } のうち { $full } の間、上限 `{ $limit }`（{ $cap }）に達していた。最大は { $most }（{ $share } %）
watch-cap-full-summed = { $n } デバイスの合計は { $time } のうち { $full } の間、上限 `{ $limit }`（{ $cap }）に達していた。最大は { $most }（{ $share } %）
watch-cap-not-full = どの上限にも達していない：{ $device } の最大 { $most } は、最も近い上限 `{ $limit }`（{ $cap }）の { $share } %
watch-cap-not-full-summed = どの上限にも達していない：{ $n } デバイスの合計の最大 { $most } は、最も近い上限 `{ $limit }`（{ $cap }）の { $share } %
watch-nothing = マシン以外に監視対象がない
watch-no-io = { $watched }：デバイスに届いたI/Oはない
watch-all-disks = 全ディスク
watch-process = プロセス { $pid }
watch-only-one = { $device }：{ $time } の平均 { $iops } IOPS、{ $bandwidth }、最大 { $most_iops } IOPS、{ $most_bandwidth }
watch-busiest = { $device }（{ $n } 台中で最も負荷が高い）：{ $time } の平均 { $iops } IOPS、{ $bandwidth }、最大 { $most_iops } IOPS、{ $most_bandwidth }

# 監視と並行して実行したコマンドの終わり方。
command-how = `{ $command }` は{ $how }
command-not-started = `{ $command }` は起動されなかった
command-succeeded = 正常終了
command-code = コード { $code } で終了
command-signal = シグナル { $signal } で強制終了
command-not-seen = 終了ステータスの記録がない
command-after = { $time } 後に{ $how }
command-told-and-did = 制限時間に達し { $time } 後に終了シグナルを送られ、終了した
command-told-and = 制限時間に達し { $time } 後に終了シグナルを送られ、{ $how }
command-told-and-left = 制限時間に達し { $time } 後に終了シグナルを送られたが終了せず、プロセス { $pid } として残された

# 警報。
alarm-told = { $of }：{ $figure } { $worst }（{ $alert }）
alarm-queue = 同時I/O数 { $n }

# プロセスのシステムコールとブロックデバイスの対比。
watch-read-uncounted = { $process }：ブロックデバイスからの読み取りのうち { $rest } は、カーネルが数えるシステムコールによらない：io_uring、Linux AIO、メモリマップ、または先読み
watch-wrote-uncounted = { $process }：ブロックデバイスへの書き込みのうち { $rest } は、カーネルが数えるシステムコールによらない：io_uring、Linux AIO、またはメモリマップ
watch-read-elsewhere = { $process }：システムコールで読み取ったうち { $rest } はブロックデバイスのものではない：ページキャッシュ、パイプ、ソケットが応答した
watch-wrote-elsewhere = { $process }：システムコールで書き込んだうち { $rest } はブロックデバイスのものではない：パイプ、ソケット、メモリが受け取った
