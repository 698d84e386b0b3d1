# 他のツールのファイルで気づいたこと：文字コードと、解釈できない行。
import-utf-16-untold = 明示はないがUTF-16として読み取った
import-quoted = メールやフォーラムの引用記号（`> `）を行頭から取り除いた
import-latin-1 = UTF-8でないためLatin-1として読み取った：ASCII以外の文字は誤りの可能性がある
import-nul-bytes = 含まれるNULバイト { $n } 個を読み飛ばした
import-passed-over = 読み飛ばした：{ $text }
import-columns-differ = 列数が { $of } ではなく { $has } のため読み飛ばした：{ $text }

# 途中までの文書。
import-json-not-whole = JSONが不完全：{ $why }
import-json-not-whole-at = JSONが { $line } 行目で不完全：{ $why }
import-document-not-whole = ここのJSONは形式が不正：{ $why }
import-cut = 途中で切れている
import-no-colon = キーの後にコロンがない
import-no-key = キーがあるべき場所にない
import-list-open = 配列が閉じられていない
import-text-open = 文字列が閉じられていない
import-no-value = 値があるべき場所にない
import-no-such-value = 値の位置に未知の語がある
import-xml-cut = XMLが不完全：途中で切れている
import-xml-not-whole = XMLが不完全：{ $why }

# fioの出力とログ。
import-fio-other-lines = JSONの外にあるさらに { $n } 行を読み飛ばした（同じ実行のfioの別の出力か）
import-more-lines = さらに { $n } 行を読み飛ばした
import-fio-earlier-report = 同じ実行の途中のレポートが前にある：最後のレポートを使う
import-fio-several-reports = ファイルに複数のレポートがある：最後のレポートを使う
import-fio-reported-before = ジョブ { $name } のレポートは { $line } 行目にもある：最後のものを使う
import-fio-key-twice = 1つのオブジェクトに `{ $key }` が2度ある：最後のものが有効
import-fio-job-error = ジョブ { $name } はエラー { $error } で終了した
import-fio-error = fioが { $n } 件のエラーを報告している：{ $text }
import-fio-did-nothing = ジョブ { $name } は何も行わなかった
import-fio-steady-state = steadystate { $asked }：attained={ $attained }、criterion={ $criterion }
import-fio-short = { $n } 件のI/Oが要求より短く終わった
import-fio-dropped = { $n } 件のI/Oが破棄された
import-fio-dashes = コマンドにハイフンでないダッシュがある：fioはその語をジョブファイル名とみなす
import-fio-disagree = ジョブ { $name }：{ $way ->
    [read] 読み取り
    [write] 書き込み
    [trim] トリム
   *[mixed] 混合
}の帯域とIOPSが { $percent } % 食い違う（fioは ramp_time の間のバイトも数える）
import-fio-not-told = fioのファイルにこの値はない
import-fio-few = I/Oが { $count } 件では p{ $p } には少なすぎる
import-fio-no-percentile = fioのファイルに p{ $p } がない（fioに --percentile_list={ $p } を指定する）
import-fio-percentile-of-jobs = { $jobs } ジョブ全体の p{ $p } はfioのファイルにない：パーセンタイルは平均できない（group_reporting か json+ を使う）
import-fio-terse-fields = バージョン { $version } のフィールドは { $whole } 個、この行は { $count } 個
import-fio-no-histogram = ヒストグラムの行ではない
import-fio-log-back = 時刻が前の行より早い（fioはジョブのクローンのログを1つずつ順に書く）
import-fio-log-untold = 何の値かが、ファイルにも名前（`_bw.1.log`、`_iops.1.log`、`_clat.1.log` など）にも示されていない
import-fio-log-latencies = 名前によれば値は{ $kind ->
    [submission] 発行レイテンシ
    [completion] 完了レイテンシ
   *[total] 合計のレイテンシ
}。ナノ秒とみなした（fio 2.xではマイクロ秒）
import-fio-log-micros = 名前によれば値は{ $kind ->
    [submission] 発行レイテンシ
    [completion] 完了レイテンシ
   *[total] 合計のレイテンシ
}。fio 2.xの書くマイクロ秒とみなした：ナノ秒ではありえない
import-fio-log-clones = 1つのジョブのクローン { $n } 個が順に入っている：それぞれ別の系列にした
import-fio-log-of = 名前によれば値は{ $kind ->
    [bandwidth] 帯域
    [IOPS] IOPS
    [submission] 発行レイテンシ
    [completion] 完了レイテンシ
   *[total] 合計のレイテンシ
}：ファイル自体には示されていない

# 時間ごとのサンプル。
import-clock-back = 時計が { $seconds } 秒戻った：以降のサンプルは最後のサンプルの1秒後から並べる
import-zone = 時刻のタイムゾーンは { $zone }
import-month-or-day = 日付の月と日を区別できない：月/日として読み取った
import-no-date = 暦にない日付：{ $text }
import-header-of-iris = ヘッダがない：列をIRISのもの（Glorefs ... IJULock）とみなした
import-header-missing = ヘッダがない：名前のない列が { $n } 個
import-row-cut = ヘッダより列が少ない：行が途中で切れている
import-blank-values = 空の値が { $n } 個：最初の行では速度に値がない
import-zpool-first = 最初のレポートはプールのインポート以来のもの（zpool iostat -y の場合を除く）であり、別に扱う。レポートには時刻がないため番号を付けた
import-iostat-first = 最初のレポートはマシンの起動以来のもの（iostat -y の場合を除く）：別に扱う
import-iostat-untimed = 時刻のないレポートには代わりに番号を付けた（iostat -t で時刻が付く）
import-iostat-one = 唯一のレポートはマシンの起動以来のもの（iostat -y の場合を除く）：どの区間も、どの負荷も示さない
import-iostat-excerpt = iostatの先頭行がない抜粋：最初のレポートを1区間のものとして読み取る（iostatが最初に出力したものなら、起動以来の平均）
import-iostat-twice = { $device } が1つのレポートに再び現れる：最初の行を採る
import-reports-by-profile = レポートに時刻がない：プロファイルの { $seconds } 秒間隔に並べた
import-sar-average = Average の行は全区間の平均：別に扱う
import-sar-restart = ここでマシンが再び起動した
import-sar-empty = sarのデバイスのヘッダはあるが行がない
import-vmstat-first = 最初の行はマシンの起動以来のもの（vmstat -y の場合を除く）：別に扱う
import-vmstat-one = 唯一の行はマシンの起動以来のもの（vmstat -y の場合を除く）：どの区間も、どの負荷も示さない
import-vmstat-untimed = 時刻のない行には代わりに番号を付けた（vmstat -t で時刻が付く）
import-pidstat-unread = -1 の値が { $n } 個：pidstatは他のユーザーのプロセスを読めない
import-pidstat-whole = ヘッダと行の時刻が同じレポートはマシンの起動以来のもの：別に扱う
import-pidstat-empty = pidstatのヘッダはあるがプロセスがない
import-nfsiostat-first = マウントの最初のレポートはマウント以来のもの（その前が切り取られた場合を除く）：別に扱う
import-nfsiostat-headers = kBはヘッダを含むRPCメッセージ全体のもの：プログラムが読み書きした量より多い
import-nfsiostat-untimed = nfsiostatは時刻を示さない：レポートには代わりに番号を付けた
import-nfsiostat-empty = nfsiostatの見出しはあるがマウントがない
import-btt-whole = bttはトレース全体をまとめる：どの区間も示さない
import-btt-empty = bttの見出しはあるが数値がない
import-section-unread = { $section } のセクションは読み取れない：{ $why }
import-mgstat-empty = mgstatのヘッダはあるがサンプルがない
import-vmstat-empty = vmstatのヘッダはあるが行がない
import-iostat-empty = iostatのヘッダはあるがデバイスがない
import-counters-empty = パフォーマンスカウンタのヘッダはあるがサンプルがない
import-metrics-partial = { $label } は { $status }：値がすべてはそろっていない
import-cloudwatch-unpaired = { $label } の時刻は { $times } 個、値は { $values } 個
import-cloudwatch-one-value = { $name } の値は1つだけ：周期が示されず、速度にならない
import-cloudwatch-sums = { $name }：{ $seconds } 秒ごとの合計とみなし、その秒数で割った（応答に統計の種類も周期もない）

# 他の負荷生成ツール。
import-mix = 混合：{ $text }
import-phase-without-io = フェーズ { $phase } はI/Oを行わなかった
import-tool-error = ツールのエラー：{ $text }
import-end-missing = 途中で切れている：`{ $missing }` がない
import-excerpt = 抜粋：`{ $missing }` がない。含まれるテストは完全
import-rows-missing = 表 `{ $table }` が { $line } 行目で終わっている：行 { $rows } がない
import-yabs-empty = { $line } 行目のYABSの表が空：fioが失敗したか、YABSが35秒後に停止させた
import-yabs-no-table = { $line } 行目にYABSのバナーがあるが、`fio Disk Speed Tests` も `dd Sequential Disk Speed Tests` も続かない
import-called-invalid = ツール自身が無効と判定している：{ $text }
import-fewer-than-asked = 要求された { $asked } トランザクションのうち { $done } 件しか完了していない
import-zeros-left-out = 速度が0のフェーズを { $n } 件除外した：{ $tool } は、実行していないフェーズにも0と書く
import-times-unread = { $tool } は速度ではなく所要時間を出力する設定：所要時間は読み取らない
import-ior-latency = IOR 4 より前は時間を1ブロック分の転送数で割る。ここでは { $segments } セグメントあり、Latency(s) はレイテンシではないので除いた
import-also-of = 形式 { $format } の内容も含まれている：その内容は読み取らない。別のファイルに分ける
import-pg-reset = { $when } にカウンタがリセットされた：リセットを含む区間は除外する
import-pg-back = リセットの記録がないままカウンタが減った：その区間は除外する
import-pg-clock = 時計が { $seconds } 秒戻った：その区間は除外する
import-pg-one = スナップショットが1つしかない：速度は2つの差から求める
