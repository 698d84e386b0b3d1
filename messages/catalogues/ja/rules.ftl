# 他のツールの測定結果と計画に対する規則：何が問題か、なぜ重要か、どうするか。
rule-E01-not-whole-title = ツールが失敗したか、出力が途中で切れている
rule-E01-not-whole-explanation = 値が最後まで終えた実行のものではないことが、ファイルに示されている：エラーメッセージがある、件数が指定した数に足りない、ツールが結果を無効と判定している、または最後の行がない。測定された部分の値は、最後まで実行した場合より良く見えることがある。
rule-E01-not-whole-remedy = 報告されたエラーを直し、ツールを最後まで実行し直して、完全な出力を評価する
rule-E02-errors-title = I/Oが失敗し、ジョブは続行した
rule-E02-errors-explanation = continue_on_error では、fioは失敗したI/Oを数えて続行する。それらは速度にもレイテンシにも入らず、数値は成功したI/Oだけのものになる。すぐに失敗するデバイスは速く見える。
rule-E02-errors-remedy = カーネルのログとデバイスの状態を調べ、失敗がなくなってから再測定する
rule-E03-verification-title = 検証の読み取りは負荷とは別
rule-E03-verification-explanation = 検証を伴うジョブは、書き込んだブロックを後で読み戻す。多くはページキャッシュから、書き込みとは別の速度で読む。その速度を書き込みの速度に足すと、一度も測定されていない値になるため、行には書き込みだけを示す。混合ジョブでは、fioは2種類の読み取りを一緒に数える。負荷自体の読み取りを分けられないため、その行は要件の判定に使わない。
rule-E03-verification-remedy = verifyなしで測定し、検証は測定しないジョブで行う
rule-E04-not-durable-title = メディアに届かない同期
rule-E04-not-durable-explanation = macOSでは、fsync、fdatasync、O_SYNCはデータをドライブのキャッシュに残す。F_FULLFSYNC（fsync_writethrough）だけがそれをフラッシュする。F_FULLFSYNCより何倍も速い同期のデータは、停電で失われる。その時間は永続的なコミットの時間ではないため、その行は要件の判定に使わない。
rule-E04-not-durable-remedy = fsync_writethroughで判定し、wal_sync_methodをこれに設定する
rule-B28-no-interval-title = 区間がない：数値はマシンの起動以来、またはトレース全体のもの
rule-B28-no-interval-explanation = iostat、vmstat、nfsiostatの最初のレポートは、マシンの起動またはファイルシステムのマウント以来のものである。間隔なしのpidstatのレポートも同様である。何時間もの待機が負荷と同じ重みで数えられる。そのようなレポートしか含まないファイルは、負荷と比較できない。bttはトレース全体をまとめる。
rule-B28-no-interval-remedy = 負荷の間に、間隔を指定してツールを実行する：iostat -x -t 1
rule-B01-first-touch-title = 初回書き込みの停止：一度も書かれたことのないファイルを埋める時間が測定に含まれている
rule-B01-first-touch-explanation = プログラムが書き込み済みデータの末尾よりはるか先に書くと、Windowsはまずその間をゼロで埋める。シンボリュームや未書き込みのエクステントでも同様の停止が起きる。1秒を超えた書き込みがあり、サンプルの平均が全体の速度（I/O件数÷実行時間）を大きく上回る場合に検出する。停止は多数の短いサンプルの中の1つの長いサンプルになるためである。失われた時間は、実行時間から、停止がない速度で同じI/Oにかかる時間を引いたもの。その速度は、少なくともサンプルの平均（長いサンプルをまだ含む）である。ジョブあたり同時I/O数1の場合は、最大でもジョブ数÷発行時の停止を除いたレイテンシ（リトルの法則）である。
rule-B01-first-touch-remedy = ファイル全体を一度書いてから、同じファイルで再測定する（secchi qualify は自動で行う。fioなら埋めた後に overwrite=1）
rule-B04-extension-title = 非同期エンジンが同期的に動作した
rule-B04-extension-explanation = 発行は数マイクロ秒で済むはずである。それがレイテンシの大半を占めるなら、カーネルは発行の間にI/Oを実行している。Windowsやほとんどのファイルシステムでは、ファイルを拡張する書き込みと、ページキャッシュを通るすべてのI/Oでこうなる。このとき iodepth は効かず、レイテンシにはファイルの拡張にかかる時間が含まれる。同時I/O数1でページキャッシュを通る場合は、iodepth が関係しないため、疑義としてだけ示す。
rule-B04-extension-remedy = あらかじめ全体を書いたファイルで、direct=1 で測定する
rule-B35-stall-title = 平均に現れない停止
rule-B35-stall-explanation = 1秒以上かつ平均の20倍以上かかったI/O、または平均を大きく下回るサンプルがあるが、実行全体で失われた時間はわずかである。長い測定ではこのような停止はパーセンタイルに埋もれるが、データベースはそのI/Oを待つ。
rule-B35-stall-remedy = 毎秒のログを取りながら再実行し、停止の間に他に何が起きたかを調べる。最大値も考慮する
rule-B03-label-title = 名前がファイル内のパラメータと一致しない
rule-B03-label-explanation = 表はファイル名から作られることが多く、写したコマンドラインには古いオプションが残りやすい。1ジョブの結果を write-2 という名前で保存すると、表には2ジョブの行ができる。secchi は、ファイルとジョブの名前に含まれるブロックサイズ、同時I/O数、ジョブ数、方向を内容と照合する。write-2 の2のような語を伴わない数字は、同じ命名の他のファイルでの意味に従って解釈する。そこから意味が分からなければ、ジョブ数、同時I/O数、その積のいずれかと等しくなければならない。繰り返しを数えるだけの数字（同じパラメータでの1、2、3）、日付、時刻、バージョン、百分率は対象外。ファイル名は自由に付けられるため、誤っていても疑義とするだけである。ジョブ名は計画の一部であるため、誤っていれば行を無効とする。
rule-B03-label-remedy = 内容の方を信じる。ファイル名を直すか、名前にあるパラメータで再実行する
rule-B27-spread-title = 同じ試験の結果が異なる：それより小さい差は効果とはいえない
rule-B27-spread-explanation = 同じパラメータの結果同士の差は、偶然、時間帯、ストレージの他の利用者が値をどれだけ動かすかを示す。他の行同士の差がそれより小さければ、差があるとはいえない。
rule-B27-spread-remedy = 2つの構成を比べるには、交互に実行するか（secchi ab）、それぞれ複数回の実行を信頼区間で比較する（secchi compare）
rule-B05-ended-apart-title = ジョブの終了時刻が異なる：fioの値は全ジョブ実行中の速度ではない
rule-B05-ended-apart-explanation = fioの見出しの値は、全I/O件数を最後に終わったジョブの実行時間で割ったもの。サンプルの平均は、長さの異なる期間でのジョブごとの平均の和である。どちらも全ジョブ実行中の速度ではない。ジョブの実行時間の差が10 %を超える場合に検出する。サンプルの平均が見出しの値を大きく上回り、サンプルが欠け、停止といえるほど長いI/Oがない場合にも検出する。仕事量の等しい2ジョブなら、先のジョブが終わった時刻が両方の値から分かる。
rule-B05-ended-apart-remedy = 全ジョブを同じ時間実行するか（time_based=1 と runtime）、ジョブを1つにする
rule-B06-unweighted-title = サンプルの平均が時間平均になっていない
rule-B06-unweighted-explanation = サンプルは、その区間の後の最初のI/Oで終わる。そのため停止は1つの長いサンプルになり、短いサンプルと同じ重みで数えられる。サンプルの平均はI/O件数÷実行時間より高くなり、サンプル数は実行時間に含まれる区間の数より少なくなる。
rule-B06-unweighted-remedy = I/O件数÷実行時間を使い、停止を探す
rule-B07-one-job-title = クローンが個別に報告されている：行はその合計
rule-B07-one-job-explanation = group_reporting がないと、fioは numjobs の各クローンを個別に報告する。クローンは同時に動くため、secchi はそれらを合計する：行は合計を示し、要件と上限もその合計と照合する。パーセンタイルは合計できない：ヒストグラム（`--output-format=json+`）がなければ、全クローンのパーセンタイルは最良のクローンと最悪のクローンの値の間にある。
rule-B07-one-job-remedy = 全クローンのパーセンタイルを得るには group_reporting=1 で実行する
rule-B55-counted-exceeded-title = プロバイダのカウンタが上限の超過を示している：その上限が律速
rule-B55-counted-exceeded-explanation = CloudWatchは、EBSボリュームとそのインスタンスごとに、要求がプロビジョニングされたIOPSやスループットを超えたかを1分ごとに確認する。ファイルにこの値があれば、速度から何が推測されても、どの上限が律速かはこの値が示す。値が1になるのは、その1分の間、要求が一貫して上限を超えた場合で、短い超過は現れない。
rule-B55-counted-exceeded-remedy = 計数された上限を引き上げる。インスタンスの上限なら、別のサイズにするほかない
rule-B55-not-counted-title = サンプルは上限に近いが、プロバイダのカウンタでは一度も超過していない
rule-B55-not-counted-explanation = 上限に近い速度は律速を示唆するが、証明にはならない：負荷がちょうどその速度を必要とするだけかもしれない。EBS自身の確認結果がファイルにあり、どれも超過を示さないなら、その上限は律速ではないか、指定した上限がボリュームのものではない。
rule-B55-not-counted-remedy = 指定した上限を確認する。速度は別の要因で律速されているか、何にも律速されていない
rule-B08-sum-of-volumes-title = 全ボリュームの合計がインスタンスの上限に達している
rule-B08-sum-of-volumes-explanation = すべてのボリュームがインスタンスの経路を共有するため、その上限は毎秒の合計に適用される。ボリュームごとの最大値は別々の秒のもので、足し合わせることはできない。どのボリュームも自身の上限をはるかに下回っていても、インスタンスの上限が律速になることがある。secchi はファイルのデバイスを毎秒合計し、ディスクが含まれるパーティションとマップデバイスは除く。
rule-B08-sum-of-volumes-remedy = より大きなインスタンスにするか、負荷を減らす。ボリュームを増やしても速くしても効果はない
rule-B09-above-in-samples-title = サンプルは上限を超え、平均は超えない：バースト、またはサンプリングの揺れ
rule-B09-above-in-samples-explanation = トラフィックシェーパは満杯のバケットの中身を一度に通し、サンプラの間隔は正確に1秒ではない。どちらの場合も、平均は上限を下回りながら個々のサンプルだけが上限を超えることがある。バケットの容量は、少なくとも連続した超過分の最大値である。
rule-B09-above-in-samples-remedy = 1秒に10回採取し、バーストと揺れを見分ける（secchi watch --interval 100ms）
rule-B10-merged-title = シーケンシャルで小さなI/Oが上限より多い：結合前に数えられている
rule-B10-merged-explanation = OSは発行したI/Oを数えるが、ボリュームは隣り合うI/Oを結合し、大きくなったI/Oを数える。したがって、件数が上限を超えても矛盾ではない。
rule-B10-merged-remedy = バイト数か、ボリューム側の件数で比較する
rule-B11-above-limit-title = 宣言された上限を超えている：ここで効いている上限ではない
rule-B11-above-limit-explanation = 測定全体で上限を5 %を超えて上回るなら、上限が誤っている（カタログの行が違う、その後引き上げられた、単位が違う）か、負荷の一部にキャッシュが応答している。secchi はこの上限による判定を行わない。
rule-B11-above-limit-remedy = プロビジョニングした値と単位を確認し、キャッシュの有無を調べる
rule-B11-burst-title = 上限のバースト速度に達している：持続しない
rule-B11-burst-explanation = クレジットを持つボリュームやインスタンスは、クレジットを使い切るまで、ベースラインを超える公表された最大値で動く。ちょうどその最大値にある結果は、バーストで律速されている。その後はベースラインが律速となる。
rule-B11-burst-remedy = ベースラインで計画する。測定するにはバーストより長く実行する
rule-B12-tie-title = 2つの上限が同じ値を許す：どちらが律速かは区別できない
rule-B12-tie-explanation = 速度が、差3 %未満の2つの上限の位置にあるとき、どちらが律速でもありえ、値からは区別できない。
rule-B12-tie-remedy = 一方を引き上げるか、2つ目のボリュームを加えて再測定する
rule-B17-units-title = 帯域が、もう一方の単位で読んだ上限の数値に一致する
rule-B17-units-explanation = MB/sとMiB/sは4.9 %異なる。MB/sで与えた上限を超えた結果が、同じ数値のMiB/sの1 %以内にあるとき、単位の誤りの可能性が高い。
rule-B17-units-remedy = 単位を確認し、--limit に mbps=125MiB または mbps=125MB のように単位付きで指定する
rule-B17-crossover-title = 律速となる上限がブロックサイズで入れ替わる
rule-B17-crossover-explanation = 交差点は帯域の上限÷IOPSの上限である。それより小さいブロックではIOPSの上限が、大きいブロックでは帯域の上限が律速になる。ベンダーが公表する2つの値は、別々のブロックサイズでのものであることが多い。
rule-B17-crossover-remedy = 各ブロックサイズを、そのサイズで律速となる上限で判定する
rule-B16-half-told-title = 上限の一方しか指定されていない：もう一方のプロビジョニング値が不明
rule-B16-half-told-explanation = ボリュームはIOPS、帯域、容量を指定してプロビジョニングされ、そのどれもが種別の最大値より小さいことがある。16,000 IOPSのgp3も、追加購入しなければ125 MiB/sである。結果が与えられた上限を下回り、もう一方の上限が不明なとき、その不明な上限が律速の可能性がある。
rule-B16-half-told-remedy = プロビジョニングした値をすべて指定する：--limit 'volume iops=N mbps=M'、または --volume にパラメータを付ける
rule-B18-basis-title = 基準となるブロックサイズのないIOPS上限
rule-B18-basis-explanation = IOPSの上限は、あるサイズ（16 KiBや256 KiBなど）までを1件、それより大きいI/Oを複数件と数える。データシートは4 KiBのI/Oを前提とする。したがって同じ値でも、あるサイズでは達し、別のサイズでは届かない。上限に達したサイズから、どのサイズまで1件と数えられるかが分かる。
rule-B18-basis-remedy = 上限ごとに基準のブロックサイズを確認する。--volume と --instance はカタログから取る
rule-B13-latency-bound-title = 同時I/O数1：どの上限を購入しても速度はレイテンシの逆数
rule-B13-latency-bound-explanation = 同時I/O数N、平均レイテンシRのとき、速度はN / R（リトルの法則）。同時I/O数1では、IOPSを追加してもレイテンシは下がらないため効果がない。
rule-B13-latency-bound-remedy = 上限に達するには同時I/O数を増やす。レイテンシを下げるには別の種類のボリュームにする
rule-B13-read-ahead-title = 同じサイズ・同時I/O数で、シーケンシャル読み取りがランダムよりはるかに速い：何かが先読みしている
rule-B13-read-ahead-explanation = 可動部のないストレージでは、同じサイズのI/Oはどの位置でも同じ時間がかかる。シーケンシャル読み取りの時間がはるかに短いなら、キャッシュかサービスが先読みしており、その速度はデータベースのランダム読み取りには当てはまらない。
rule-B13-read-ahead-remedy = ランダム読み取りで判断する
rule-B31-iops-cap-title = 広い範囲のサイズで速度が等しい：IOPSの上限が律速している
rule-B31-iops-cap-explanation = 飽和したデバイスでは、大きなI/Oほど毎秒の件数が減る。3つ以上のブロックサイズ（最大が最小の4倍以上）で速度が3 %以内にそろうなら、IOPSの上限を示す。
rule-B31-iops-cap-remedy = どの上限かを調べる：secchi limits explain、またはプロビジョニング値を確認する
rule-B31-throttle-title = スロットリングの特徴：パーセンタイルが一定値へ跳ね上がる
rule-B31-throttle-explanation = トークンバケットは空になるまでI/Oを通し、再補充まで次を待たせる。大半のレイテンシは短く、最も高いパーセンタイルはすべて補充周期の近くに並ぶ。それを超えるI/Oが10件に満たないパーセンタイルは用いない。最も長い数件は偶然近い値になりうるためである。
rule-B31-throttle-remedy = レイテンシが重要なら上限以下に抑える：負荷の速度を制限するか、IOPSを追加購入する
rule-B32-not-monotonic-title = ブロックが大きくなるのに帯域が下がる
rule-B32-not-monotonic-explanation = 1件あたりのバイト数が増えれば、毎秒のバイト数は少なくとも同じになる。ならないのは、別の上限に達したか、経路が大きなI/Oを分割したか、測定条件がそろっていない場合である。両隣より低い谷は、ばらつきか、表だけでは説明できない効果である。
rule-B32-not-monotonic-remedy = 結論を出す前に、それらのサイズを交互に数回測り直す
rule-B33-not-one-experiment-title = 各行の測定時刻が大きく離れている：表は1つの実験ではない
rule-B33-not-one-experiment-explanation = 共有ストレージは時間や日によって変わる。離れた時刻に測った行にはその差も含まれ、時間の影響をパラメータの影響と区別できない。
rule-B33-not-one-experiment-remedy = すべての行を一度に、無作為な順序で、繰り返して測る（secchi qualify --effort thorough）
rule-B37-asymmetry-title = あるサイズから、同じ混合負荷で書き込みが読み取りよりはるかに遅い
rule-B37-asymmetry-explanation = 小さいサイズでは読み取りと書き込みが同程度に速いなら、書き込みの経路に別の上限がある：ターゲットが受け入れるバースト長、より遅いリンク、より小さいバッファなど。
rule-B37-asymmetry-remedy = それらのサイズで書き込みだけを測り、経路を調べる（iSCSIならMaxBurst、R2T。リンク速度）
rule-B14-not-measured-title = 測定されていない値がゼロと表示されている
rule-B14-not-measured-explanation = どの負荷もCPU時間を使い、コンテキストスイッチを起こす。レポートでどちらかがゼロの場合（Windowsのfioなど）、その値は測定されておらず、secchi は不明として示す。
rule-B14-not-measured-remedy = クライアントの負荷は別のツールで並行して測る
rule-B23-client-bound-title = クライアントが限界に達した：ストレージはもっと出る可能性がある
rule-B23-client-bound-explanation = ジョブのスレッドがCPUをほぼ1つ分使い切っているか、速度×発行レイテンシが1に近いとき、そのスレッドはそれ以上発行できなかった。ストレージは測定した速度より速い可能性がある。
rule-B23-client-bound-remedy = クライアントに余裕ができるまで、ジョブを増やすか、より軽いエンジンにする
rule-B34-impossible-title = ありえない値
rule-B34-impossible-explanation = どのI/Oも、少なくとも合計レイテンシの最小値はかかったはずである。完了レイテンシの最小値がそれよりはるかに短いなら、残りはそのI/Oの発行にかかったことになるが、通常の発行よりはるかに長い。発行時刻の記録が遅すぎた（windowsaio）。発行と完了のレイテンシの平均の和は、合計レイテンシの平均に一致しなければならない。パーセンタイルは減少してはならず、平均は最小と最大の間になければならない。速度×レイテンシは可能な同時I/O数を超えてはならない。負の値や100 %を超える割合があってはならない。
rule-B34-impossible-remedy = 合計レイテンシに矛盾がなければそれを使い、発行と完了のレイテンシは無視する
rule-B34-absurd-title = 実行時間または速度がありえない大きさ
rule-B34-absurd-explanation = 指定のない1週間を超える実行、指定の10倍の実行時間、どのマシンも届かない速度（毎秒10億I/O、毎秒10テラバイト）は、時計の異常またはツールの計算の誤りである。その時間に依存する値もすべて誤りになる。
rule-B34-absurd-remedy = 再実行する。再び現れるなら、時計（clocksource）とツールのバージョンを調べる
rule-B34-contradiction-title = 互いに矛盾する数値
rule-B34-contradiction-explanation = I/Oには時間がかかるため、実行時間が0なら速度は存在しない。速度×ブロックサイズは帯域に等しくなければならない。最大値を超えるパーセンタイルはない。パーセンタイルと最大値は平均の上下限も定める：最後のビンが開いているツールは、それを超えるすべてをビンの端の値で報告する（fioでは17.2秒）。合計レイテンシは完了レイテンシ以上でなければならない。どれかが崩れていれば、その行の数値はどれも信用できず、その行は要件の判定に使わない。
rule-B34-contradiction-remedy = 測定し直す。再び起きるなら、ツールの作者に報告する
rule-B34-too-little-title = 判定するには測定が少なすぎる
rule-B34-too-little-explanation = 指定した時間のごく一部で終わった実行は、ファイルの終わりに達している。つまりキャッシュを読み書きした。数ミリ秒の実行や20回未満のI/Oでは、速度は偶然にすぎない。そのような行は要件の判定に使わない。
rule-B34-too-little-remedy = 時間基準（time_based、runtime=60）とし、キャッシュより大きいファイルで実行する
rule-B54-utilisation-title = 使用率は飽和を示さない：同じデバイスが、まったく異なる速度で同じ使用率になる
rule-B54-utilisation-explanation = 使用率は、デバイスに処理すべきI/Oが1件以上あった時間の割合。多数を並行処理するデバイスは、飽和よりずっと前に100 %になり、同じ使用率でも速度は大きく異なりうる。
rule-B54-utilisation-remedy = 使用率ではなく、同時I/O数ごとの速度とレイテンシで判断する
rule-B60-depth-adds-nothing-title = 同時I/O数を増やしても速くならない
rule-B60-depth-adds-nothing-explanation = ランダム読み取りはほぼすべてのデバイスでキューにより速くなる。SSDは多数を同時に処理し、ディスクは並べ替える。同時I/O数を8倍にしても速度の増加が15 %未満なら、I/Oを互いに待たせるもの（UASPのないUSBブリッジ、ドライバ、ロック）があるか、上限が両方の速度を抑えている。
rule-B60-depth-adds-nothing-remedy = 経路がキューに対応しているか（UASP、NCQ、ドライバのキュー深度）と、IOPSに上限がないかを確認する
rule-B61-memory-title = 読み取りにストレージではなくメモリが応答した
rule-B61-memory-explanation = 同じサイズと同時I/O数の書き込みの100倍で、1 GB/sを超える読み取りは、キャッシュか、ファイルの一度も書かれていない部分から返ったものである。O_DIRECTなしで開かれ、メモリに収まるファイルもページキャッシュから読み取られる。
rule-B61-memory-remedy = 先に書き込んだ、メモリとキャッシュの2倍の大きさのファイルをダイレクトI/Oで読み取る
rule-B62-mixed-mean-title = 種類の異なる操作をまとめた平均
rule-B62-mixed-mean-explanation = sysbench 1.0以降はfsyncもイベントに数えるため、平均、最大、パーセンタイルは読み取り、書き込み、fsyncを合わせたものになる。ページキャッシュからの読み取りは1マイクロ秒、fsyncは数ミリ秒かかる。合わせた平均はどちらも表さず、両方が遅くなっても下がりうる。
rule-B62-mixed-mean-remedy = 種類ごとに出力するツールで測定する（fioは読み取り、書き込み、同期を別々に出力する）
rule-B63-mostly-idle-title = 操作があったのは時間の一部だけ
rule-B63-mostly-idle-explanation = リトルの法則では、速度×平均レイテンシが平均同時I/O数になる。それが0.5未満で、可能な同時I/O数の5分の1未満なら、時間の大半は別のこと（フラッシュ、思考時間、速度制限、クライアント）に使われた。レイテンシでもデバイスでも速度を説明できない。
rule-B63-mostly-idle-remedy = I/Oの間に時間を使っているものを調べる。速度もレイテンシもデバイスのものとみなさない
rule-B65-over-busy-title = デバイスの使用中の割合が全時間を超える
rule-B65-over-busy-explanation = 使用率は時間の割合であるため、100 %を超えるのは時計の誤りか、カーネルまたはツールの数え方の誤り（一部のカーネルのmdやマルチキューデバイス）である。同じレポートの速度と待ち時間は正しいこともある。
rule-B65-over-busy-remedy = 使用率は使わず、速度とレイテンシを負荷のものと比べる
rule-B15-mixed-files-title = 一部のファイルは直前に作られ、他は以前からあった
rule-B15-mixed-files-explanation = 数秒前に書かれたファイルはまだサービスのキャッシュにあり、それより前に書かれたものはない可能性がある。両方を読むジョブは2通りの速度で読む。どのファイルを作ったかはfioの出力に示される。
rule-B15-mixed-files-remedy = 全ファイルを1回の実行で作り（create_only=1）、待ってから、別の実行で測定する
rule-B22-memory-title = データがメモリの2倍より小さい：読み取りはキャッシュからの可能性がある
rule-B22-memory-explanation = メモリに収まる、またはほぼ収まるデータの読み取りは、すべて迂回しない限り、ページキャッシュ、データベースのバッファ、ハイパーバイザのキャッシュから返される。目安はホストのメモリの2倍以上、コントローラのキャッシュの4倍以上。
rule-B22-memory-remedy = メモリの2倍のデータを使うか、キャッシュがより小さいストレージで direct=1 を使う
rule-B30-small-set-title = 小さなワーキングセットを何度も処理した：同じ大きさのキャッシュがあればすべて応答できる
rule-B30-small-set-explanation = 転送バイト数÷ファイルの大きさが、ワーキングセットを読み書きした周回数である。2周目からは、ファイルシステムより下（アレイやサービス）のキャッシュが応答しうる。randrepeat があれば、位置も毎周同じ順序になる。
rule-B30-small-set-remedy = アレイのキャッシュの4倍以上のファイルを使うか、通過回数を減らす
rule-B36-options-title = 互いに矛盾する、または測定対象を変えるオプション
rule-B36-options-explanation = rwmixread と rwmixwrite は同じ値を設定し、最後のものが有効になる。direct=1 に sync=1 を加えると、書き込みごとにメディアへの到達を待つ。3桁で表示された速度（20.5k）には最大400分の1の誤差があるため、secchi は正確な件数を使う。
rule-B36-options-remedy = rwmixread と rwmixwrite は一方だけを指定する。永続書き込みを測定するのでなければ sync=1 を外す
rule-B40-no-percentile-title = パーセンタイルがない：遅いI/Oの長さが分からない
rule-B40-no-percentile-explanation = 平均には遅いI/Oが現れない。「5 msを超えない」といった要件は、平均でも、IOPSだけでも確認できない。
rule-B40-no-percentile-remedy = パーセンタイル付きで測定する（RanReadについては secchi db ranread が示す）
rule-B49-dashes-title = コマンドラインに印刷用のダッシュがある：このままでは実行できない
rule-B49-dashes-explanation = ワープロやWebページは -- をenダッシュに変える。fioはその語をジョブファイル名とみなす。
rule-B49-dashes-remedy = ハイフンを2つ入力する。secchi fio と secchi lint は自動的に直す
rule-B50-no-latency-title = レイテンシがない：gtod_reduce で省かれた
rule-B50-no-latency-explanation = gtod_reduce=1 は、時計の読み取りを減らすためにレイテンシとパーセンタイルを無効にする。それでも平均レイテンシはリトルの法則（同時I/O数÷速度）で求まる。そのうちデバイスの分は、カーネルのディスク統計から分かる。
rule-B50-no-latency-remedy = gtod_reduce を外す。secchi fio は速度の1 %未満の負担でレイテンシを測る
rule-B51-short-title = 短い測定：分かるのはキャッシュとバースト予算で、持続性能ではない
rule-B51-short-explanation = ボリュームのバーストクレジットやドライブの書き込みキャッシュは数分続く。ファイルを処理し終えて1分未満で止まる測定は、それしか測っていない。
rule-B51-short-remedy = 時間を指定し、バーストより長く実行する（バーストの長さは secchi limits explain で分かる）
rule-B52-one-depth-title = 速いかどうかが分からない：同時I/O数が1種類だけで、パーセンタイルもない
rule-B52-one-depth-explanation = 同時I/O数の多いときの速度は処理量を示すがレイテンシは示さず、その速度が良いかどうかは同時I/O数による。パーセンタイルまたは同時I/O数1の測定結果と、デバイスの情報がなければ、他のデバイスと比較できない。
rule-B52-one-depth-remedy = 同時I/O数1でも、パーセンタイル付きで測定する（secchi qualify は両方を行い、デバイスも記録する）
rule-B53-machines-title = 異なるOSの結果が1つの表にある
rule-B53-machines-explanation = WindowsのエンジンとLinuxのエンジンが並ぶのは、2台のマシン、少なくとも2つのI/Oスタックである。その行同士の差は、ストレージの差ではない。
rule-B53-machines-remedy = 同じマシンの結果だけを比較する
rule-B19-start-wait-title = RanReadの時間に、開始待ちの1秒以上が含まれている
rule-B19-start-wait-explanation = RanRead（V0～V3）は、プロセスが互いを待つ1秒より前に計時を始める。プロセス数×反復回数÷速度が計測された時間で、そこから1秒を除いて補正した速度を求める。誤差は速度とともに大きくなり、遅いボリュームでは数 %、速いものでは4分の1に達する。
rule-B19-start-wait-remedy = 補正した速度を使う。再測定では反復回数を増やすか、最初の読み取りから計時する secchi db ranread を使う
rule-B20-reciprocals-title = 速度が逆数の平均であり、プロセス数÷応答時間ではない
rule-B20-reciprocals-explanation = RanReadはプロセス数÷平均応答時間を表示し、そのSQLは各プロセスの速度の平均を出す。逆数の平均は平均の逆数以上になるため、両者は異なる。どちらも共通の時間窓での件数ではない。
rule-B20-reciprocals-remedy = 全プロセスが動作した時間でI/O件数を割る
rule-B38-hang-in-average-title = 応答時間に休止が含まれている
rule-B38-hang-in-average-explanation = RanWriteはトランザクションごとに休止し、全時間をSET回数で割るため、各SETの応答時間に休止の一部が含まれる。休止が値の大半を占めるなら、値が表すのはスリープタイマである。いずれにせよSETはメモリ上の処理で、ディスクへの書き込みではない。
rule-B38-hang-in-average-remedy = 休止を差し引くか、hang 0 で測定する。書き込みはディスク自身のカウンタで見る
rule-B42-columns-title = 出力の列 StdDevR と StdDevW は異なる統計量
rule-B42-columns-explanation = PerfTools V3は、StdDevR と StdDevW の一方に標準偏差÷平均を、他方に標準偏差そのものを書く。RanReadとRanWriteでは逆になる。
rule-B42-columns-remedy = 各プロセスの行から計算し直す
rule-B45-midnight-title = 測定がUTCの0時をまたいだ：経過時間が誤っている
rule-B45-midnight-explanation = PerfToolsはUTCの0時からの秒数を数え、0時に最初から数え直す。経過時間は負になり、時間を指定した測定は終わらない。
rule-B45-midnight-remedy = 値を捨て、再実行する
rule-B21-stopped-title = 実行が途中で止められ、予定の件数で割られた：速度が高すぎる
rule-B21-stopped-explanation = RanRead V0は、Stop() の後でも、予定した読み取り件数を経過時間で割る。その時計には、プロセスが互いを待つ1秒以上が含まれる。値から求めた予定件数の所要時間が1秒に満たなければ、そのすべてが行われたわけではない。同じパラメータの他の行を大きく上回る行も疑う。
rule-B21-stopped-remedy = その行を除外し、最後まで再実行する
rule-B43-signature-title = RanWriteのトランザクション長の位置に休止時間がある：何も書かれていない
rule-B43-signature-explanation = RanWrite.Run の4番目の引数は、V1では休止の秒数、V2以降はトランザクションのSET数である。古い形の呼び出し（.001）は千分の1 SETのトランザクションを求めることになる：SETは1件も書き込まれず、トランザクションはそれぞれ .001件の書き込みと数えられる。
rule-B43-signature-remedy = Run(ディレクトリ, プロセス数, 秒数, トランザクションのSET数, 休止ms) の形で呼び出す
rule-B47-session-title = データベースの開閉が読み取りごとに含まれている
rule-B47-session-explanation = RanReadはデータベースを開き、1ブロックを見て閉じ、その全体を計時する。読み取りが1ミリ秒に満たない場合、開閉の時間が無視できない。ブロックは一様乱数で選ばれ、実際のデータベースのような局所性がない。
rule-B47-session-remedy = デバイス自身のレイテンシと並べて比較する（secchi watch）。またはファイルを開いたままにする secchi db ranread を使う
rule-B24-blocks-title = mgstatは8 KiBブロックを、他のツールは転送を数える：数値は一致しない
rule-B24-blocks-explanation = mgstatの PhyWrs と PhyRds は毎秒のデータベースブロック数。書き込みデーモンは1回の書き込みで多数のブロックを発行するが、perfmon、iostat、ボリュームは書き込み回数を数える。バイト数は一致する：デバイスは1ブロックにつき8 KiBを転送した。デバイスのカウンタのファイルが同じ時間を含む場合、secchi は両方の合計を比較する。
rule-B24-blocks-remedy = バイト数で比較する。ブロック数÷転送数が、1回の書き込みの平均ブロック数
rule-B24-batch-title = 書き込みデーモンが一定の大きさのまとまりで書いている
rule-B24-batch-explanation = PhyWrs のほぼ全サンプルが同じ2のべき乗の倍数なら、それがデーモンが一度に渡すブロック数である。
rule-B24-batch-remedy = 再現するには、その同時I/O数にするか、一度にその数のブロックを書き込む
rule-B25-starvation-title = 書き込みデーモンの書き込み中、フォアグラウンドが滞る
rule-B25-starvation-explanation = ブロックの書き込み中の毎秒グローバル参照数を、その前後と比べる。デーモンのキュー（WDQsz）が周期全体で増え続けるなら、書き込める量より多く更新されている。平均がどれほど良くても、その負荷は持続できない。
rule-B25-starvation-remedy = キューが増えない更新速度を探す（secchi db ramp --verb ranwrite）。ジャーナル、イメージジャーナル、データを、それぞれ独自の上限を持つボリュームに置く
rule-V01-open-bucket-title = ほぼすべての書き込みが最後の上限のない区間にある：大きさが分からない
rule-V01-open-bucket-explanation = irisstatは15ブロックまでの書き込みをブロック数別に数え、16ブロック以上を最後の1つにまとめる。そこにほとんどの書き込みが入るなら、ヒストグラムから分かるのは書き込みが128 KiB以上であることだけである。
rule-V01-open-bucket-remedy = ブロック層を観測する。1 MiBまでのサイズが分かる（secchi watch）
rule-B24-transfers-title = 負荷のI/O件数とデバイスの転送数は同じ数ではない
rule-B24-transfers-explanation = デバイスまでの間に、大きなI/Oは分割され、隣り合うI/Oは結合される。同じ期間に両方のツールのバイト数が一致し件数が異なるなら、どちらも正しい。それぞれ別の層で数えており、IOPSの上限はそのどちらかに適用される。
rule-B24-transfers-remedy = バイト数で比較する。IOPSの上限は、それが適用される層の件数と照合する
rule-B28-window-title = 平均が区間の取り方で変わる：一部のサンプルは無負荷
rule-B28-window-explanation = ファイルの全サンプルの平均には、負荷の前後も含まれる。区間を目で選ぶと、区間もその中のばらつきもどのファイルにも残らない。secchi は全サンプルの平均と負荷中の平均の両方を、負荷中のサンプルの標準偏差とともに示す。
rule-B28-window-remedy = 負荷中の平均をばらつきとともに使う。負荷の間だけ採取する（secchi watch -- COMMAND）
rule-B29-differ-title = デバイスの処理量が、負荷の報告と一致しない
rule-B29-differ-explanation = 負荷が報告するバイト数は、同じ期間にデバイスが数えたものと一致しなければならない。デバイスの方が多ければ他のプロセスかメタデータによる。少なければキャッシュか、一度も書かれていない範囲を示す。secchi はファイルを各マシンの時計で並べ、負荷の両端に1.5秒の差を許容する。
rule-B29-differ-remedy = どちらの値を使うにも、先に原因を突き止める
rule-B29-layers-title = 負荷とデバイスの値が一致している
rule-B29-layers-explanation = 2つのツールの、同じ期間のバイト数が一致するため、途中でキャッシュや他の負荷がI/Oを変えてはいない。負荷が測ったレイテンシから、その転送がデバイスとキューで費やした時間を引いた残りは、デバイスより上（ファイルシステム、クライアント、CPU待ち）の時間である。
rule-B29-layers-remedy = 対処は不要。両者のレイテンシの差が、デバイスより上の層の分
rule-B29-minute-title = サンプルの間隔が長く、バーストが現れない
rule-B29-minute-explanation = 1分のサンプルは1分の平均である。数秒のバースト、スロットリング、停止はそこに埋もれるため、それと一致しても確認できるのは平均だけである。
rule-B29-minute-remedy = 測定対象のマシン上で、負荷と並行して毎秒採取する（secchi watch）
rule-B29-zone-title = 同じ時間のファイルかもしれないが、タイムゾーンが異なる
rule-B29-zone-explanation = 2つのファイルは同じ時計でしか比較できない。fioのJSONはUTCと現地時刻を含み、CloudWatchはUTCを使い、perfmonはタイムゾーンを出力する。他の多くはタイムゾーンのない現地時刻を出力する。片方だけがタイムゾーンを示す場合、secchi は両方を1台のマシンの現地時刻とみなす。ここではそれで重なる時間が1秒もないため、比較していない。
rule-B29-zone-remedy = タイムゾーンのないファイルに指定する：--time-zone Asia/Tokyo、--time-zone +09:00。次回はiostatに出力させる（S_TIME_FORMAT=ISO）
rule-B46-not-from-device-title = デバイスに届いていない読み取り
rule-B46-not-from-device-explanation = 一度も書かれていない範囲（ホール、事前割り当てや拡張されたファイル、トリムされたブロック）には、ファイルシステム、シンボリューム、フラッシュ変換層が、メディアを読まずにゼロを返す。ページキャッシュを通る読み取りはメモリから返る。fioのディスク統計は、結合されたものを含め、デバイスに届いたリクエストを数える。
rule-B46-not-from-device-remedy = 読む前にファイル全体を一度書き（secchi qualify はこれを行い、確認もする）、direct=1 を使う
rule-B54-await-title = awaitはキューとともに伸びる：デバイスだけの性質ではない
rule-B54-await-explanation = awaitとsec/Transferはリクエストがキューに入ってからの時間で、他のリクエストを待つ時間を含む。速度×awaitが平均同時I/O数（リトルの法則）。同時I/O数が増えると、同じデバイスでも速度が上がり、awaitが伸びる。
rule-B54-await-remedy = awaitは同時I/O数とともに示し、同じ同時I/O数でだけ比較する
rule-I05-marks-title = (fast) と (slow) の印が、ioping 1.3より前の規則によるもの
rule-I05-marks-explanation = バージョン1.3より前のiopingは、時間がそれまでの最小と最大の間の下位5 %にあるリクエストをfast、上位5 %にあるものをslowとした。そろった測定では偶然の印になる。1.3以降、fastは平均の半分未満、slowは平均の2倍超のものである。secchi は時間から両方の規則で印を計算し直す。
rule-I05-marks-remedy = 時間そのものを使う。外れ値を示すのは1.3以降の印だけ
rule-I08-rate-title = iopingの速度は平均レイテンシの逆数：実際にその速度が出たわけではない
rule-I08-rate-explanation = `requests completed in` の時間はリクエストの時間の合計。その行のiopsと帯域は、ここと同じように空いたストレージに対し、前のリクエストの直後に次を発行するプログラムの値である。
rule-I08-rate-remedy = レイテンシを、同時I/O数1の他の結果と比較する。速度はfioまたは secchi qualify で測る
rule-B02-title = ランダム書き込みが遅く見えるローカルフラッシュ
rule-B02-explanation = 別のデバイスでの初回書き込みの停止であり、B01-first-touch で判定する。
rule-B02-remedy = B01-first-touch を参照
rule-B26-title = 手で入力された表
rule-B26-explanation = 列の入れ替わり、存在しない項目、単位の誤りは、値の周りの文章にある誤りである。ファイルにあるのは測定結果で、それについて書かれた文章ではない。
rule-B26-remedy = 表はファイルから作る：他のツールのファイルは secchi judge、secchi自身のものは secchi report
rule-B39-title = スリープタイマの値になっている数値
rule-B39-explanation = 平均のほぼすべてを休止が占める場合で、B38-hang-in-average で判定する。
rule-B39-remedy = B38-hang-in-average を参照
rule-B41-title = 後のバージョンでの開始待ち
rule-B41-explanation = 同じ1秒の待ちであり、B19-start-wait で判定する。
rule-B41-remedy = B19-start-wait を参照
rule-B44-title = 別の実行の出力の貼り付け、表示どおりでは動かないコマンド
rule-B44-explanation = 文章とその下の出力は別の実行のものかもしれないが、どちらか一方だけでは分からない。secchi はfio以外のツールのコマンドを検査しない。
rule-B44-remedy = 入力したコマンドと結果を並べて保持する記録を残す：secchi show、secchi db history
rule-B48-title = ディレクトリを中身ごと削除するツール
rule-B48-explanation = ツールが何を削除するかは、その結果のどこにも書かれない。
rule-B48-remedy = secchi db purge を使う。自身の目印が示すデータベースだけを削除する
rule-L00-refused-title = 計画はこのままでは実行できない
rule-L00-refused-explanation = secchi fio のパーサは、fio自身の検査をすべて計画に適用する。fioが安全でない場合も拒否する：矛盾するオプション、未知のオプション（最も近い名前を示す）、ありえないサイズ。
rule-L00-refused-remedy = メッセージが示す語を直す
rule-L00-remark-title = 見かけと異なる働きをするオプション
rule-L00-remark-explanation = 計画に、2度指定されたオプション（最後のものが有効）、効果のないオプション、または書かれたとおりには読まれないサイズ（fioは1GiBを10^9バイトと読む）がある。secchi はいずれも受け入れるが、作者の意図とは異なるかもしれない。
rule-L00-remark-remedy = 意図どおりに書く。secchi fio --showcmd で、secchi が解釈した計画を表示できる
rule-L00-not-done-title = fioは対応するが secchi は対応しない：残りは検査していない
rule-L00-not-done-explanation = 計画が、secchi が知っているが対応しない機能を使っている：ストレージのデータを動かさないエンジン、別のライブラリが必要なエンジン、互いの速度を調整するジョブなど。fioなら実行できる可能性があるが、secchi は計画の残りを検査しない。
rule-L00-not-done-remedy = 検査のためにその機能を外すか、計画をfioで実行する
rule-L00-unknown-title = スクリプトの一部は実行するまで分からない：破壊されるものだけを検査した
rule-L00-unknown-explanation = シェルスクリプトとバッチファイルを構文解析し、変数、ループ、関数、ラッパー（sudo、timeout、ssh、docker run）、ヒアドキュメントを追跡する。環境変数、スクリプトの引数、他のプログラムの出力、source されるファイル、他のスクリプトは分からない。分からない語はどのオプションも設定しうるため、そのコマンドに他の規則は適用せず、分かる範囲で破壊するものだけを報告する。
rule-L00-unknown-remedy = 実際に実行する形のコマンドを検査するか、スクリプトの写しで変数を設定するか、他のスクリプトも検査する
rule-L05-dashes-title = 印刷用のダッシュ：このままではfioは実行できない
rule-L05-dashes-explanation = ワープロやWebページは -- をenダッシュに変える。fioはその語をジョブファイル名とみなして終了し、secchi は2つのハイフンとみなす。
rule-L05-dashes-remedy = ハイフンを2つ入力する
rule-L24-in-use-title = このマシンが使用中のものを破壊する
rule-L24-in-use-explanation = 計画は、マウントされたファイルシステム、スワップ、RAID、LVM、または他のプロセスが使用中のデバイスに書き込む。デバイスは直接の名前のほか、パーティション、by-id の名前、シンボリックリンクで指定されていることもある。マウントされたファイルシステムのデバイスに書くと、遅くとも次のマウントでそのファイルシステムは壊れる。fioは allow_mounted_write=1 の場合や、パーティション名で使用が見えない場合に書き込んでしまう。secchi fio は拒否する。
rule-L24-in-use-remedy = 代わりに、デバイスのファイルシステム上のファイルかディレクトリを指定する。それでもデバイスを上書きするなら、先に使用しているものを止める
rule-L25-overwrites-title = 既存のデータを上書きする
rule-L25-overwrites-explanation = 計画は、データのあるデバイス、または secchi が作成していないファイルへ書き込む。fioは確認を求めない。secchi fio は、デバイスのシリアル番号を付けた --destroy、または --allow-overwrite を求める。通常のファイルの上書きは意図した可能性があるため、注記に留める。
rule-L25-overwrites-remedy = 名前を確認する。まだ存在しない名前なら常に安全
rule-L09-first-touch-title = 一度も書かれていないファイルへ書き込む
rule-L09-first-touch-explanation = 新しいファイルへの書き込みは、ファイルを拡張するか、未書き込みのエクステントを変換するか、Windowsにゼロで埋めさせる。測定されるのはその処理で、数秒の停止を伴う。同じファイルでの以降の実行は速くなる。読み取りも行うジョブや overwrite=1 のジョブ（開始前にファイルを書く）、検証を行うジョブ、計画の前のジョブが埋めるファイルは対象外。
rule-L09-first-touch-remedy = あらかじめファイル全体を一度書くか（rw=write、bs=1m）、overwrite=1 にする。2回目の実行で測定する
rule-L22-never-written-title = 一度も書かれていない範囲を読み取る
rule-L22-never-written-explanation = ファイルのホールや予約済みの範囲の読み取りには、ストレージにアクセスせずにゼロが返るため、測定されるのは検索の時間だけである。ファイルのどの範囲が書かれたかは、ファイルシステムから分かる。
rule-L22-never-written-remedy = あらかじめファイル全体を一度書くか（rw=write、bs=1m）、新しいファイルを指定してfioに作らせる
rule-L26-fill-title = 前処理の書き込みであり、測定ではない
rule-L26-fill-explanation = すべてのファイルを1回以上書き終えるまで書き込むだけのジョブは、デバイスやファイルの準備である。全ブロックにアドレスを割り当て、消去済みブロックを使い切り、デバイスを定常状態に近づける。その速度は定常状態になる前のデバイスのもの。測定の規則は適用しないが、破壊されるデータは報告する。
rule-L26-fill-remedy = その後すぐに、runtime を指定した別のジョブ（stonewall）で測定する：待機中にデバイスは回復する
rule-L27-wraps-title = 同じデータを何度も読み書きする
rule-L27-wraps-explanation = 既知の上限が許す速度では、ジョブは自分のデータを10回以上読み書きする。全データを保持するキャッシュがアレイ、ハイパーバイザ、デバイスにあれば、大半のI/Oはそこから応答され、結果はより大きなデータには当てはまらない。
rule-L27-wraps-remedy = データを増やす（経路上の最大のキャッシュの4倍以上）
rule-L28-duration-title = 実行が1日を超える
rule-L28-duration-explanation = runtime がないジョブは、すべてのデータを処理すると終わる。既知の上限が許す速度では1日より長くかかる。
rule-L28-duration-remedy = time_based=1 と runtime を指定するか、size を小さくする
rule-L01-page-cache-title = ページキャッシュが応答する
rule-L01-page-cache-explanation = direct=1 がないと、一度読まれたデータはメモリから返り、書き込みはストレージに届く前に戻る。測定されるのはメモリの速度である。非同期エンジンでは iodepth も効かない。
rule-L01-page-cache-remedy = direct=1 を加える。ページキャッシュを使うプログラムを測定するなら、メモリの2倍以上のデータを使う
rule-L02-memory-title = データがメモリに収まる
rule-L02-memory-explanation = ページキャッシュを通る場合、データがメモリの2倍未満なら大半のI/Oはメモリから返る。
rule-L02-memory-remedy = メモリの2倍より多いデータを使うか、direct=1 にする
rule-L03-burst-title = バーストより先に終わる
rule-L03-burst-explanation = クレジット制のボリュームは、バケットが空になるまでベースラインを超えて動作する。その前に終わる測定はバーストしか測らず、バーストに頼れるデータベースはない。
rule-L03-burst-remedy = バーストより長く実行するか、先にバケットを空にする（ramp_time）
rule-L04-depth-title = エンジンは1件ごとに待つ：同時I/O数は1
rule-L04-depth-explanation = sync、psync、vsync、pvsync、mmap は、iodepth の値によらず一度に1件しか行わない。fioは1行で注記し、そのまま続ける。
rule-L04-depth-remedy = direct=1 で libaio か io_uring を使うか、ジョブを増やす
rule-L06-gtod-reduce-title = gtod_reduce はレイテンシの測定を無効にする
rule-L06-gtod-reduce-explanation = gtod_reduce=1 は、時計の読み取りを減らすため、発行・完了・合計のレイテンシとすべてのパーセンタイルを無効にする。データベースが待つレイテンシは測定されない。
rule-L06-gtod-reduce-remedy = 外す。時計の読み取りは約25 ns
rule-L11-same-places-title = ランダムな位置が毎回同じ、または一部が2度現れる
rule-L11-same-places-explanation = randrepeat=1 では、どの実行も周回も同じ位置を同じ順序でたどり、キャッシュに覚えられる。norandommap では、1周の間に2度使われるブロックと使われないブロックがあり、一度も書かれていないデータがある場合に問題になる。
rule-L11-same-places-remedy = 繰り返しには randrepeat=0。norandommap は全データを書いた場合にだけ使う
rule-L12-ramp-title = ramp_time がない：開始直後も測定される
rule-L12-ramp-explanation = 最初の数秒には、ファイルのオープン、空のキャッシュ、満杯のバケットが含まれる。短い測定ほど影響が大きい。
rule-L12-ramp-remedy = runtime の10分の1の ramp_time を加える
rule-L13-sync-too-title = direct=1 に加えて sync=1：書き込みごとにメディアへの到達を待つ
rule-L13-sync-too-explanation = direct=1 はページキャッシュを迂回する。sync=1 はさらに書き込みごとの永続化を求め、揮発性の書き込みキャッシュが毎回フラッシュされる。それは測定の目的が異なり、ジャーナルには適切な場合もある。
rule-L13-sync-too-remedy = データファイルには sync を指定しない。ジャーナルには fdatasync=1 を使う
rule-L14-few-samples-title = 表示されるパーセンタイルに対してI/Oが少なすぎる
rule-L14-few-samples-explanation = 99.99パーセンタイルは1万件に1件による。10万件未満では偶然の値であり、1万件未満では99.9パーセンタイルも同じである。
rule-L14-few-samples-remedy = 時間指定で、より長く実行する
rule-L15-shared-file-title = 全ジョブが1つのファイルを使う
rule-L15-shared-file-explanation = filename= を指定するとクローンがファイルを共有する。シーケンシャルなクローンは次々に同じ位置を要求するため、キャッシュが応答する。ページキャッシュを通る書き込みはファイルのロックを待つ。デバイス上または direct=1 でのランダムI/Oは対象外。
rule-L15-shared-file-remedy = filename を外してジョブごとに別ファイルにするか、offset_increment を指定する
rule-L16-compressible-title = 圧縮または重複排除されるデータを書く
rule-L16-compressible-explanation = 圧縮・重複排除を行う、またはゼロを保存しないストレージでは、ゼロや繰り返しのブロックは領域を使わない。書き込みは速く、後の読み取りもメディアに触れない。
rule-L16-compressible-remedy = zero_buffers を外し、重複排除を行うデバイスには refill_buffers=1 を使う
rule-L17-processors-title = CPU数よりはるかに多いジョブ
rule-L17-processors-explanation = 非同期エンジンでは、CPU数を超えるジョブの同時I/Oは iodepth で増やすのと変わらず、CPU時間を奪い合う。測定されるのがクライアントになりかねない。
rule-L17-processors-remedy = ジョブを減らし、iodepth を増やす
rule-L18-no-runtime-title = runtime がない：ファイルの処理が済むと終わり、所要時間は分からない
rule-L18-no-runtime-explanation = runtime がないと、速いボリュームはキャッシュとバーストの中で数秒、遅いボリュームは数時間測定される。ジョブの終了時刻もばらばらで、終わり近くの速度は全ジョブのものではない。
rule-L18-no-runtime-remedy = time_based=1 と runtime を指定する
rule-L23-clones-apart-title = クローンが個別に報告される
rule-L23-clones-apart-explanation = group_reporting がないと、fioは numjobs のクローンごとにレポートを出す。どれにも合計の速度はなく、自分で足し合わせることになる。
rule-L23-clones-apart-remedy = クローン同士を比べるのでなければ group_reporting=1 を加える
rule-L07-label-title = ジョブの名前がオプションと異なるパラメータを示している
rule-L07-label-explanation = レポートと表は名前から作られる。写した行に古い名前やオプションが残っていると、その行は実行していないパラメータを示すことになる。日付と百分率は対象外。qd32 のような語を伴う数字は、そのオプションとだけ照合する。
rule-L07-label-remedy = 実行内容に合った名前にする
rule-L08-output-label-title = 出力の名前がコマンドと異なるパラメータを示している
rule-L08-output-label-explanation = コマンドの組み合わせでは、出力にパラメータの名前を付ける。写した行に古いオプションが残っていると、そのファイルと表の行は実行していないパラメータを示すことになる。ある公開ベンチマークでは、6番目のコマンドが1ジョブの結果を write-2.txt に書き、3つの表が誤った。
rule-L08-output-label-remedy = オプションか名前を直す。ツールに名前を付けさせるのがよい
rule-L20-duplicate-title = 組み合わせの中の2つのコマンドが同じことをする
rule-L20-duplicate-explanation = オプションの違いが名前と出力だけのコマンドは、一方の変更を忘れたのでなければ、繰り返しである。
rule-L20-duplicate-remedy = 変更を忘れたコマンドを直す。繰り返しならそれと分かる名前にする
rule-L21-output-twice-title = 2つのコマンドが同じ出力に書く
rule-L21-output-twice-explanation = 後の結果が先の結果を上書きし、先の結果は失われる。
rule-L21-output-twice-remedy = それぞれ別のファイルにする
rule-L19-background-title = コマンドが並行して実行される
rule-L19-background-explanation = `&` で終わる（または `start` で始まる）コマンドは、次のコマンドの実行中も動く。どちらも相手の負荷を測ることになり、出力からは分からない。
rule-L19-background-remedy = コマンドを1つずつ実行する。複数の対象に同時に負荷をかけるには1つのコマンドにする（secchi qualify --target A=... --target B=...）

# 列挙と、対象についての言い方。
saw-list = { $all }、{ $next }
saw-list-last = { $all }、{ $last }
saw-list-rest = 他 { $rest } 件
saw-of = { $subject }：{ $what }
saw-by = { $what }（{ $evidence }）
saw-times = { $what }、{ $n } 件
saw-of-file = { $file } の { $name }
saw-all-results = すべての結果
saw-the-files = ファイル全体
saw-the-limits = 指定された上限
saw-device = デバイス { $name }
saw-sizes = { $rw } { $first }～{ $last }
saw-from-size = { $rw } { $size } 以上
saw-at-size = { $size } では { $rate }
saw-from-to = { $low }～{ $high }
figure-at-rate = { $name }、{ $rate }
axis-iops = { $name } のIOPS
axis-bandwidth = { $name } の帯域

# 測定中に失敗したことと、区間のないファイル。
saw-errors = { $n } 件のI/Oが失敗し、どの数値にも含まれない
saw-no-interval = マシンの起動以来のデバイス { $n } 台の数値：負荷を表すものではない
saw-since-import = プールのインポート以来のデバイス { $n } 台の数値：負荷を表すものではない
saw-whole-trace = トレース全体をまとめたデバイス { $n } 台：負荷と比較できる区間がない

# 一度も書かれたことのないファイルと停止。
saw-about = 約 { $figure }
saw-seconds = { $least }～{ $most } 秒
saw-stood-still = { $all } のうち { $about } 停止。停止がなければ { $rate } ではなく約 { $without } となるため、結果は使用不可
saw-operations-take = { $ops } 件は、サンプルの平均 { $mean } なら { $all } ではなく { $take } で終わる
saw-completion-allows = 完了レイテンシは、同時I/O数 { $flight } で { $rate } を許す
saw-longest = 最長のI/Oは { $took }
saw-files-made = 実行の直前に { $n } 個のファイルが作られた
saw-some-files-made = { $all } 個中 { $n } 個のファイルが実行の直前に作られた
saw-through-page-cache = I/Oがページキャッシュを通った
saw-writes-grew-file = 同期的な拡張：書き込みがファイルを拡張した
saw-done-while-handed-over = 発行の間にI/Oが実行された
saw-depth-without-effect = { $what }。iodepth は効いていない
saw-two-behaviours = { $what }（一部のI/O）：値には2通りの動作が混ざっている
saw-at-once = { $what }。同時I/O数1では、レイテンシのほとんどが発行の時間である
saw-submission-takes = 発行 { $submission }、完了 { $completion }：発行がレイテンシの { $share }
saw-completed-at-once = I/Oの { $share } は、発行から100 us以内に完了した
saw-operation-took = { $took } かかったI/Oがある
saw-sample-at = 平均の { $share } しかないサンプルがある
saw-lowest-sample = 最小のサンプルは { $least }、平均は { $mean }
saw-percentile-hides = p99.99は { $p } で、停止を示さない

# 名前と内容、繰り返し。
saw-file-name-says = { $is }、ファイル名は { $says }
saw-job-name-says = { $is }、ジョブ名は { $says }
saw-ran-the-same = { $twins } と同じパラメータで実行された
saw-spread = { $low }～{ $high }：同じパラメータで差 { $apart }

# 時間平均とジョブ間の平均。
saw-jobs-apart = ジョブの終了が { $apart } ずれた
saw-two-apart = 2つのジョブの終了が { $seconds } 秒ずれた
saw-many-apart = ジョブの終了がずれ、最後のジョブより平均 { $seconds } 秒早い
saw-samples-missing = { $jobs } ジョブ、各 { $each } に対し { $window } 秒のサンプルが { $samples } 個：{ $missing } 分が欠けている
saw-both-means = サンプルの平均は { $sampled }、全I/O件数÷最長の実行時間は { $rate }
saw-ended-after = 両方の平均から、一方は { $first } 秒後、他方は { $last } 秒後に終わった
saw-clones-together = 各 { $low }～{ $high } のクローン { $n } 個で、合計 { $all }
saw-mean-and-rate = サンプルの平均は { $sampled }、速度は { $rate }
saw-long-samples = { $jobs } ジョブの { $window } 秒のサンプル { $samples } 個が示すのは { $all } のうち { $told }：{ $long } は長いサンプルの中にある

# 値になっていない値。
saw-no-processor-time = CPU時間の報告がない
saw-no-switches = コンテキストスイッチの報告がない
saw-neither-time-nor-switches = CPU時間もコンテキストスイッチも報告がない
saw-jobs-busy = 各ジョブがCPUを { $share } 使った
saw-submitting-busy = 発行だけでCPUを { $share } 使った
saw-rate-in-jobs = { $n } ジョブで { $rate }
saw-issued-late = 完了レイテンシの最小は { $completion }、合計レイテンシの最小は { $least }：その発行に { $rest } かかったことになり、発行レイテンシの平均の { $times } 倍
saw-parts-differ = 平均では、発行 { $submission } と完了 { $completion } の和が合計 { $all } にならない
saw-submission-cut = { $what }：発行レイテンシは4.29秒（ナノ秒で32ビット）で切られている
saw-disordered = p{ $lower } が { $is } なのに、p{ $upper } は { $only }
saw-mean-outside = 平均 { $mean } が { $least }～{ $most } の外にある
saw-overfull = 速度×レイテンシでは同時I/O数 { $are }、上限は { $may }
saw-senseless = `{ $words }` はありえない
saw-ran-too-long = { $ran } 実行された。指定は { $asked }
saw-ran-for-days = { $ran }（{ $days } 日）実行された。時間の指定はない
saw-absurd-rate = { $rate } はどのマシンにも出せない
saw-no-time = 実行時間0（`{ $time }`）で { $ops } 回のI/O
saw-product-differs = { $block } で { $rate } なら { $product } だが、帯域は { $bytes }
saw-percentile-above-max = p{ $p } は { $is } で、最大値 { $max } を超える
saw-mean-above-percentiles = 平均 { $mean } だが、p{ $p } が { $is }、最大が { $max } なら、ありうるのは { $most } まで
saw-mean-below-percentiles = 平均 { $mean } はパーセンタイルの許す下限 { $least } を下回る
saw-total-below-completion = 完了に { $completion } かかるが、合計レイテンシは { $total } だけ
saw-ended-early = 要求 { $requested } に対し実行は { $ran }、転送は { $moved }：キャッシュの数値
saw-stopped-early = 要求 { $requested } に対し実行は { $ran }
saw-blink = { $ran } で { $ops } 回のI/O：負荷になる前に終わった
saw-few-operations = { $ran } で { $n } 回のI/O：速度は偶然
saw-verification = 検証の読み取りは { $rate }（負荷とは別）
saw-verification-counted = { $ops } 回の読み取りは書き込みの検証で { $rate }（負荷とは別）
saw-verification-mixed = 負荷の読み取りと検証の読み取りが一緒に数えられている
saw-verification-maybe = 読み取りと書き込みの回数が等しく、ジョブの記載がない：書き込んだ内容を検証した可能性がある
saw-not-durable = { $kind } の { $time } は永続的ではない：fsync_writethrough は { $medium } かかる
saw-sync-of-nothing = { $kind } の { $time }：デバイスにコマンドを送ったにしては速すぎる
saw-at-burst = { $rate } は { $limit } のバースト速度 { $allows } の { $share }：満杯のクレジットから { $lasts } 続き、持続する速度は { $base }
saw-equally-busy = { $slow } で使用率 { $low }、{ $fast } で使用率 { $high }

# iopingの印と速度。
saw-marked-otherwise = ioping 1.3以降なら、次のリクエストの印が異なる：{ $requests }
saw-marks-replayed = 時間から再現：すべての印が古い規則に一致する
saw-rate-is-reciprocal = 速度 { $rate } は 1 / { $mean }

# 負荷とそのデバイス。
saw-both-read = fioの読み取り { $load }、{ $device } は { $counted }
saw-both-written = fioの書き込み { $load }、{ $device } は { $counted }
saw-device-moved-less = { $both }（{ $share }）：残りはメモリか、一度も書かれていない範囲から返った
saw-device-moved-more = { $both }（{ $times } 倍）：他のプロセスがデバイスを使ったか、ファイルシステムのI/Oが加わった
saw-clocks-apart = ファイルの時計は { $gap } 離れ、{ $without } にはタイムゾーンがない
saw-one-zone = そのファイルが同じ時間のものになるのは、タイムゾーンが { $zone } の場合だけ：--time-zone { $zone }
saw-both-latencies = fioではI/O 1件に { $load }、デバイスとそのキューでは1転送に { $device }
saw-split = 大きなI/Oが分割され、1件に { $n } 転送
saw-merged = 隣同士が結合され、1転送に { $n } 件
saw-transfers = fioの { $size } のI/O { $ops }/s が、{ $device } では { $each } の転送 { $transfers }/s：{ $how }
saw-same-bytes = バイト数は同じ：{ $load } と { $counted }
saw-busy-and-all = 負荷中の { $seconds } 秒で { $busy }、全 { $all } 秒では { $mean }
saw-together = 合計 { $rate }
saw-deviation = 負荷中の { $n } サンプルの標準偏差：{ $sd }（{ $share }）
saw-sampled-every = { $name }、{ $period } ごと
saw-long-period = 各サンプルは { $period } の平均
saw-reads-arrived = 読み取り { $asked } 件中 { $arrived } 件が { $devices } に届いた（{ $share }）
saw-no-read-arrived = 読み取り { $asked } 件は1件も { $devices } に届かなかった（{ $share }）
saw-direct-off = direct=0：ページキャッシュを通る
saw-await-at = 同時I/O数 { $flight }、{ $rate }/s で { $wait }

# PerfTools。
saw-start-wait = { $processes } プロセスで、{ $told } ではなく { $rate }（{ $change }）
saw-reads-less-waiting = 速度によれば { $reads } 件の読み取りに { $seconds } 秒、うち待ちが { $wait } 秒
saw-reciprocals = { $jobs } プロセス÷応答時間は { $low }～{ $high }、報告された速度は { $told }
saw-sleep-timer = 値全体がスリープタイマによるもの：ディスクの性能は分からない
saw-pause-share = SETあたり { $whole } の { $share } が休止。処理自体は { $work }
saw-pause-of-set = SETごとに { $pause } の休止
saw-columns-of-two-kinds = 2つの列の一方は平均で割られている
saw-negative = 負の値
saw-stopped = 自身の値では { $reads } 件の読み取りが { $clock }。しかし最初の読み取りの前に時計は1秒動いている
saw-far-above = 他の { $n } 件が約 { $usual } のところ { $rate }
saw-part-of-set = { $sets } SETのトランザクション：SETは1件も書き込まれず、それぞれ { $sets } 件の書き込みと数えられる
saw-part-of-write = 書き込み { $part } 件と数えられている：1件に満たない書き込みはない
saw-sessions = 読み取り1件が { $below } 未満（最小 { $least }）の行が { $rows } 行。それぞれOPENとCLOSEを含む

# データベースのカウンタ。
saw-blocks = 書き込み中の { $blocks } ブロック/s は { $rate } で、より少なく大きな書き込みになっている
saw-count-different-things = 数える対象が異なる：8 KiBのブロック { $blocks } 個は { $bytes }、{ $device } は同じ { $seconds } 秒に { $moved }（{ $change }）
saw-more-than-blocks = ブロックだけでは説明できない：同じ { $seconds } 秒にブロックは { $bytes }、{ $device } は { $moved }。他のファイルがあるか、書き込みが繰り返されている
saw-most-blocks = 最大 { $blocks } ブロック/s = { $rate }、デバイスでは { $device }
saw-blocks-of-write = 書き込み { $writes } 件：1件 { $blocks } ブロック、{ $each }
saw-multiples = PhyWrs の { $all } サンプル中 { $n } が { $size } の倍数
saw-starved = { $bytes } の書き込み中、{ $seconds } 秒間、グローバル参照が { $before }/s から { $during }/s に低下（{ $change }）
saw-writes-blocks = 書き込みデーモンが { $blocks } ブロック/s（{ $rate }）を書いている
saw-blocks-read = 読み取りブロック：書き込みの前 { $before }/s、書き込み中 { $now }/s
saw-queue-grows = 書き込みデーモンのキューが { $from } から { $to } ブロックに増える（最後は { $end }）：この負荷は持続できない
saw-open-bucket = 書き込み { $writes } 件の { $share } が { $least } ブロック以上：{ $size } 以上

# 上限。
saw-tie = { $rate } は { $first }（{ $allows }）と { $second }（{ $too }）の両方に一致する
saw-above = { $rate } は { $limit } の { $share }、ここでの上限は { $allows }
saw-share-of-limit = { $rate } は { $limit } の { $share }
saw-other-unit = { $rate } は { $cap } を4.9 %超える：上限は { $was } ではなく { $other } ではないか
saw-crossover = { $size } までは { $ops } のIOPSの上限（{ $iops }）、それより上は { $bytes } の帯域の上限（{ $rate }）が律速
saw-bandwidth-untold = { $rate } は、指定されていない帯域の上限かもしれない：分かっているのは { $known } だけ
saw-iops-untold = { $rate } は、指定されていないIOPSの上限かもしれない：分かっているのは { $known } だけ
saw-basis = { $met } で達し、{ $larger } ではその { $share }：少なくとも { $least } までは1件と数える。それより大きいI/Oの律速要因は不明
saw-counted = EBSのカウンタによれば、{ $all } 期間のうち { $n } 期間、時間の { $share } で { $limit } を超過した
saw-not-counted = { $rate } は { $limit } の { $share } だが、EBSのカウンタによれば、どの上限も超過していない
saw-sum = { $rate } は { $limit }（{ $cap }）の { $share }
saw-samples-near = { $all } サンプル中 { $n } が上限の { $share } 以上
saw-shares = 内訳：{ $shares }
saw-busy-above = 負荷中 { $rate }、{ $limit } の { $share }：ここで効いている上限ではない
saw-samples-above = { $limit } を超えるサンプルが { $n } 個、最大でその { $share }
saw-bucket = 容量 { $size } 以上のバケットなら、これらのサンプルを説明できる

# 表の形。
saw-same-at-all-sizes = { $rate }、全サイズで同じ：IOPSの上限が律速している
saw-little-headroom = 発行で 1 CPUが { $share } 使われた：クライアントが律速でないと言うには余裕が小さい
saw-plateau = p95は { $p95 }、p{ $from }～p99.99は { $low }～{ $high }：補充周期は約 { $refill }
saw-depth-adds-nothing = 同時I/O数 { $deep } は { $low } より速くない：{ $fast } と { $slow }
saw-through-memory = { $rate }、O_DIRECTなしで開いた { $size }：ストレージではなくページキャッシュ
saw-memory-reads = 同じサイズと同時I/O数で読み取り { $reads }、書き込み { $writes }：{ $times } 倍。読み取りはメモリから返った（キャッシュ、または一度も書かれていないファイル）
saw-memory-latency = ランダム読み取り1回は { $mean }
saw-mixed-mean = 平均 { $mean } は読み取り、書き込み、{ $syncs } 回のfsyncを合わせたもの（毎秒 { $events } 操作、同時 { $flight }）：どの操作のレイテンシでもない
saw-mostly-idle = 速度×レイテンシでは同時I/O数 { $are }（最大 { $may }）：ほとんどの時間、処理中のI/Oはなかった
saw-pauses = p{ $below } は { $quick }、p{ $from }～p{ $to } は { $low }～{ $high }：操作が同じ長さの停止を待つ
saw-of-reads = 読み取り：{ $what }
saw-of-writes = 書き込み：{ $what }
saw-over-busy = { $device } の使用中の割合は { $share } %：100 % を超えることはありえない
saw-larger-move-less = { $large } の帯域が { $small } より低い：{ $before } に対し { $after }
saw-move-again = { $size } のブロックでは再び速い：{ $rate }
saw-run-order = 実行順は { $order }、間が { $hours } 時間空いたところがある
saw-writes-take-longer = 書き込みは読み取りの { $times } 倍の時間がかかる
saw-reads-and-writes = { $size }：読み取り { $reads }、書き込み { $writes }
saw-one-in-flight = 同時I/O数 1 / { $mean } = { $rate }、{ $limit } の { $share }
saw-read-ahead = { $fast }、ランダム読み取りは { $slow }：{ $times } 倍速い

# 実行のしかた。
saw-files-new = { $all } 個中 { $n } 個のファイルが新規
saw-laid-out = Laying out IO file、{ $n } 回
saw-times-memory = データ { $set } はメモリ { $memory } の { $times } 倍
saw-passes = { $set } を { $n } 回通過
saw-same-order = randrepeat=1：毎回同じ順序
saw-last-holds = 最後のものが有効になる
saw-on-top-of-direct = direct=1 に加えて { $own }
saw-writes-wait-for-media = 書き込みごとにメディアへの到達を待つ
saw-ramp-untold = ramp が除外されたかどうかが出力に示されない
saw-only-mean = 平均レイテンシの報告だけ
saw-no-latency = レイテンシの報告がない
saw-en-dashes = enダッシュ
saw-dashes = コマンドラインにハイフンでないダッシュがある
saw-by-little = 同時I/O数 { $n } / { $rate } = { $mean }（リトルの法則）
saw-in-device = { $device } で { $mean }
saw-disk-reads-took = ディスク統計による読み取り時間：{ $took }
saw-disk-writes-took = ディスク統計による書き込み時間：{ $took }
saw-one-depth = すべて同時I/O数 { $flight }、パーセンタイルも同時I/O数1の結果もない
saw-each-takes = { $rate } は1件あたり { $each }：速いかどうかは同時I/O数による
saw-device-untold = デバイスについて分かるのは { $devices } だけ：型番、容量、リンクは不明
saw-once = { $moved } を1回、{ $time }
saw-machines = { $windows } はWindows、{ $linux } はLinuxで実行された

# 行の律速要因。
row-binds-iops = IOPS上限（{ $name }）
row-binds-bandwidth = 帯域上限（{ $name }）
row-binds-iops-burst = IOPSバースト上限（{ $name }）、{ $lasts } の間
row-binds-bandwidth-burst = 帯域バースト上限（{ $name }）、{ $lasts } の間
row-binds-one-of = 判定不能：{ $names }
row-either = { $all } または { $next }
row-above = { $limit } を超過
row-binds-client = クライアント
row-binds-cap = IOPSの上限
row-binds-latency = レイテンシ

# 他のツールのファイルについての最初の文と、要件の判定理由。
judged-samples-fine = サンプルに疑わしい点は見つからない
judged-no-figures = 負荷の数値も区間のサンプルもない：判定するものがない
judged-transactions-only = データベースの1分あたりのトランザクション数：I/Oの速度は導けない
judged-result-fine = { $figures }：疑わしい点は見つからない
judged-results-fine = { $n } 件の結果、疑わしい点は見つからない
judged-at-mean = { $figures }（平均 { $mean }）
judged-need-not-met = 要件を満たさない：`{ $need }`
judged-need-undecided = 要件を判定できない：`{ $need }`
judged-needs-met = { $n ->
    [1] 要件を満たす
   *[other] 要件 { $n } 件をすべて満たす
}
judged-not-usable = 使用不可：{ $why }
judged-some-not-usable = { $all } 件中 { $n } 件の結果が使用不可：{ $names }
judged-more-kinds = 他 { $n } 種類の上限
judged-results = { $n } 件の結果
need-of-no-result = { $workload } の結果がない
need-of-unusable = { $result } は使用不可：{ $id }
need-ran-shorter = { $result } は要件の求める時間より短い
need-by = { $result } による
need-other-meets = { $result } は満たす（{ $figures }）
need-other-misses = { $result } は満たさない（{ $figures }）
need-other-open = { $result } では判定できない（{ $figures }）
need-not-told = 値がない
need-of-few = { $measured }（I/Oが少なすぎる）
need-between = { $low }～{ $high }

# 判定と規則の画面：8桁以内の見出し、表の列、省略。
judged-lint = 検査
judged-read-as = 形式
judged-why = 理由
judged-try = 対処
judged-invalid = 無効
judged-doubt = 疑義
judged-note = 注記
judged-head-results = 結果
judged-head-sampled = 採取値
judged-head-findings = 所見
judged-head-remarks = 解釈できなかった、または推測した箇所
judged-head-files = ファイル
judged-counted-invalid = 無効 { $n } 件
judged-counted-doubts = 疑義 { $n } 件
judged-counted-notes = 注記 { $n } 件
judged-explain = 規則の詳細：{ $command }
judged-column-file = ファイル
judged-column-load = 負荷
judged-column-jobs = ジョブ
judged-column-depth = 深度
judged-column-work = 他の速度
judged-column-mean = 平均
judged-column-max = 最大
judged-column-in-flight = 同時
judged-column-submit = 発行
judged-column-passes = 周回
judged-column-limit = 上限
judged-column-binds = 律速
judged-column-series = 系列
judged-column-unit = 単位
judged-column-samples = サンプル数
judged-column-time = 時間
judged-legend-little = L：レイテンシの報告がなく、リトルの法則による
judged-legend-clones = C：最悪のクローンの値、全クローンではこれ以下
judged-legend-struck = （括弧・取り消し線）：使用不可
judged-legend-limit = 上限：最も厳しい上限に対する割合
judged-legend-submit = 発行：1 CPUに対する割合、速度×発行レイテンシ
judged-more = 他 { $n } 件は --json にある
judged-more-series = 他 { $rest } 系列（うち { $zero } は終始ゼロ）は --json にある
judged-more-lines = { $n ->
   *[other] 他 { $n } 行
}

# 実行前の計画：最初の文。
lint-plans = { $n ->
    [1] この計画
   *[other] { $n } 件の計画
}
lint-danger = 危険：{ $plans }：このマシンが使用中のものを破壊する
lint-would-not-run = { $plans }：このままでは実行できない
lint-words-unknown = { $plans }：最後まで検査できない：スクリプトを実行しないと分からない語がある
lint-not-done = { $plans }：secchi が行わないことを求めており、最後まで検査できない
lint-nothing-found = { $plans }：問題は見つからない
lint-nothing-wrong = { $plans }：問題はない。参考情報 { $n ->
   *[other] { $n } 件
}
lint-wrong = { $plans }：問題点 { $n ->
   *[other] { $n } 件
}
lint-command-line = コマンドライン
lint-argument = { $source }、引数 { $n }
lint-variable-not-set = `{ $word }`：{ $name } はスクリプトで設定されていない
lint-known-when-run = `{ $word }`：スクリプトを実行しないと分からない
lint-command-unknown = `{ $word }`：どのコマンドかはスクリプトを実行しないと分からない
lint-nested-too-deep = コマンドの入れ子が { $n } 段を超える：残りは検査していない
lint-too-long = スクリプトが実行するコマンドが多すぎる：{ $n } 件の計画より後は検査していない
lint-script-piped = 他のプログラムの出力をシェルが実行する：そのスクリプトは検査していない
lint-not-parsed = シェルが実行する文字列を構文解析できない：{ $what }
lint-sourced = { $name } を source で読み込むが、ここでは検査していない
lint-script-called = スクリプト { $name } を実行するが、ここでは検査していない

# 1つのジョブで規則が見たもの。
lint-of-job = ジョブ `{ $job }`：{ $what }
lint-writes-cached-first = direct=0：書き込みは永続化の前にページキャッシュを通る
lint-page-cache-answers = direct=0：ストレージではなくページキャッシュが応答する
lint-buffered = --buffered：ストレージではなくページキャッシュが応答する
lint-diskspd-cached = -Sh も -Su もない：ストレージではなく Windows のファイルキャッシュが応答する
lint-cached-in-memory = { $set } はメモリ { $memory } の2倍未満で、ページキャッシュを通る
lint-fits-in-memory = { $size } はメモリ { $memory } の2倍未満
lint-burst-outlasts = { $name } の満杯からのバーストは { $lasts } 秒続くが、測定は { $runtime } 秒
lint-burst-outlasts-load = { $name } の満杯からのバーストは { $lasts } 秒続くが、負荷は約 { $load } 秒
lint-depth-with-engine = iodepth={ $depth } に対し ioengine={ $engine }
lint-depth-of-waiting-engine = 1件ごとに待つエンジンに最大 { $depth } の同時I/Oを求めている：代わりにスレッドを使う
lint-no-latency = gtod_reduce=1：レイテンシもパーセンタイルもない
lint-blocks-twice = norandommap：2度現れるブロックと現れないブロックがある
lint-same-places = randrepeat=1：毎回同じ位置を同じ順序でたどる
lint-without-ramp = { $runtime } 秒、ramp_time なし
lint-percentile-is-chance = 約 { $ops } 件のI/O：{ $p } パーセンタイルは偶然の値
lint-clones-follow = { $n } 個のクローンが1つのファイルを使う：互いの後を追って同じ位置をたどる
lint-clones-wait = { $n } 個のクローンが1つのファイルを使う：書き込みが互いを待つ
lint-only-zeros = zero_buffers：ゼロしか書かない
lint-compresses = 各バッファの { $percent } % が圧縮で消える
lint-copies = ブロックの { $percent } % が複製
lint-jobs-on-processors = { $cpus } CPU に { $jobs } ジョブ
lint-no-runtime = runtime がない
lint-wraps = { $set } は { $rate } IOPS（{ $name }）では { $seconds } 秒で { $times } 周する
lint-lasts = { $total } は { $rate } IOPS（{ $name }）では { $days } 日かかる
lint-jobs-may-end-apart = runtime がない。{ $n } 個のジョブの終了がずれる可能性がある
lint-reports-of-clones = numjobs={ $jobs } では { $jobs } 個のレポートになる
lint-its-name = 名前
lint-says-depth = { $name } が示す同時I/O数は { $says }、iodepth は { $depth }
lint-says-jobs = { $name } が示すジョブ数は { $says }、numjobs は { $jobs }
lint-says-block = { $name } が示すのは { $says }、bs は { $block }
lint-says-numbers = { $name } が示すのは { $says }、numjobs は { $jobs }、iodepth は { $depth }
lint-says-rw = { $name } が示すのは { $says }、rw は { $rw }

# ファイルと、破壊されるものについて規則が見たもの。
lint-not-there = { $name } がない：測定が作成し、その作成を測ることになる
lint-extends = { $name } は { $need } のうち { $size }：測定が拡張する
lint-ever-written = { $name } の { $used } のうち、書かれたことがあるのは最大 { $written }
lint-fills = { $name } を順に { $times } 回、全体に書き込む：前処理であり、測定ではない
lint-fills-randomly = { $name } をランダムに { $times } 回、全体に書き込む：前処理であり、測定ではない
lint-overwrites = 計画が { $path } を上書きする：{ $what }
lint-job-writes = ジョブ `{ $job }` が { $name } に書き込む：{ $what }
lint-unread-writes = 計画を最後まで解析できないが、{ $name } に書き込む：{ $what }
lint-job-discards = ジョブ `{ $job }` が { $name } を破棄（TRIM）する：{ $what }
lint-output-goes-to = 計画の出力先が { $name }：{ $what }
lint-in-use = 使用中：{ $uses }
lint-device-holds = デバイスに { $holds } がある
lint-device-lost = デバイス上のすべてが失われる
lint-not-ours = すでにあり、secchi が作ったものではない
lint-drive-unseen = Windows のドライブ全体であり、使用中かどうかはここでは確認できない

# 複数のコマンドで規則が見たもの。
lint-line = { $line } 行目
lint-left-running = 次のコマンドの開始時にまだ実行中
lint-written-twice = { $name } に { $first } 行目で書き、{ $again } 行目でも書く
lint-does-the-same = { $later } は { $earlier } と同じことをする
