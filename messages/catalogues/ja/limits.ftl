# `secchi limits` の表：見出し、列の見出し、幅8桁以内のラベル。
limits-volumes = ボリューム
limits-instances = インスタンス
limits-head-volume = ボリューム
limits-head-size = サイズ
limits-head-bandwidth = 帯域
limits-head-published = 公表日
limits-head-instance = インスタンス
limits-head-iops-burst = IOPS（バースト）
limits-head-bandwidth-burst = MB/s（バースト）
limits-head-family = ファミリー
limits-head-types = タイプ数
limits-head-bursts = バースト
limits-head-caps = 上限
limits-head-depth = 同時I/O
limits-head-mean = 平均
limits-head-next = 次の律速
limits-head-headroom = 余裕
limits-head-tightest = 最も厳しい上限
limits-label-caps = 上限
limits-label-crosses = 交差点
limits-label-counts = 数え方
limits-label-promise = 保証
limits-label-price = 価格
limits-label-note = 注記
limits-label-source = 出典
limits-label-chosen = 選択
limits-label-bytes = バイト
limits-label-bought = 購入
limits-label-declared = 指定
limits-label-above = 超過
limits-label-tie = 同値
limits-label-depth = 同時I/O
limits-label-merging = 結合
limits-label-burst = バースト
limits-label-need = 要件
limits-label-none = なし

# カタログと、その1行。
limits-undated = 日付なし
limits-from-size = { $size } 以上
limits-by-table = サイズ別の表による
limits-more-rungs = { $name } から { $last } まで、他 { $more } 種（一覧：{ $command }）
limits-families-note = ファミリーのタイプ一覧：`{ $family }`；1タイプ：`{ $one }`
limits-of-them = うち { $n } 種
limits-read-side = 読み取り { $figure }
limits-write-side = 書き込み { $figure }
limits-of-op = { $op }：{ $caps }
limits-with-burst = { $cap }（バースト { $burst }）
limits-burst-lasts = { $rate } が { $lasts }
limits-burst-refilled = { $rate } が { $lasts }、回復に { $again }
limits-burst-every = { $rate } が { $again } ごとに { $lasts }
limits-secondary-source = { $source }（二次資料）
limits-own-row = { $source }（利用者が追加した行）
limits-published = { $date } 公表
limits-crosses-at = { $size }：これより小さいランダムI/OはIOPSで、大きいものは帯域で律速
limits-counted-whole = { $unit } を超えるI/Oは複数件と数える
limits-counted-merged = それより小さいシーケンシャルI/Oはその大きさまで結合される
limits-counted-padded = その他の小さいI/Oは { $unit } のI/Oと同じだけ帯域を使う
limits-promised = ほぼ常に、上限の { $share } % 以上
limits-price = { $region } で月額 { $amount } { $currency }；{ $date } 公表

# ボリュームとインスタンスの許容値。
limits-may-do = { $workload } で見込まれる速度
limits-crosses-below = { $size } KiB 未満はIOPSで、それ以上は帯域で律速
limits-by-size = { $sizes }：{ $told }
limits-depth-needed = 同時I/O数 { $n } でちょうど上限に達する。{ $from } から { $to } で測定する
limits-merged = 隣接するI/Oがカタログの行の限度まで結合されるなら最大 { $rate } IOPS：IOPSの上限を試せるのはランダムI/Oだけ
limits-burst-first = 満杯のクレジットから { $rate } IOPS
limits-burst-first-for = 満杯のクレジットから { $lasts } の間 { $rate } IOPS
limits-burst-then = その後 { $rate }
limits-burst-then-for = その後 { $lasts } の間 { $rate }
limits-burst-recovers = クレジットは { $time } の無負荷で満杯に戻る
limits-burst-at = { $told }（同時I/O数 { $depth }）
limits-tie = { $names }：許容値の差が 3 % 以内で、測定してもどれが律速か区別できない。いずれかを引き上げるか、同時に別のボリュームにも負荷をかける
limits-no-promise = 上限は保証ではない：ベンダーが保証するのは { $limit } の上限の { $share } % 以上

# 要件を満たすもの。
limits-solve-need = { $need }：{ $rate } IOPS、{ $bandwidth }
limits-solve-depth = 同時I/O数は最大 { $depth }（リトルの法則：IOPS × 平均レイテンシ）
limits-solve-together = すべての要件を同時に
limits-solve-apart = 要件ごとに単独で（--together で合算）

# ベンダーのツールの出力から作るファイル。
limits-imported = { $n } タイプを { $file } に書き込んだ
limits-import-without = { $n } タイプは固有の上限が公表されていないため除外した：{ $some }

# Contracts.
limits-contracts = コントラクト
limits-head-contract = コントラクト
limits-head-needs = 要件
limits-contracts-note = 名前は --need に指定できます。出典と日付はソースの `analysis/contracts/` にあります

# Volumes of an account.
limits-account = アカウントのボリューム
limits-head-attached = 接続先
limits-head-option = --volume
limits-account-note = secchi qualify PATH --volume ... で上限と比較し、secchi limits solve --current ... でより安いものを探せます
limits-account-instances = アカウントのインスタンス
limits-account-instances-note = secchi qualify PATH --instance ... で測定し、secchi limits solve --instance ... でボリュームを探せます
