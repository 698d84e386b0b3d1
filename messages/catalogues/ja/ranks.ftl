## 多数のホストによる一つの実行。

ranks-on-host = { $host }: { $what }
ranks-no-word = ランク { $rank } は求められたことと違うことを答えました
ranks-versions = { $host } の secchi は { $theirs }、ランク 0 は { $ours } です。すべてのランクが同じビルドでなければなりません
ranks-same-file = { $a } と { $b } がどちらも { $path } に書き込むことになります。名前に { $word } を入れてください
ranks-same-database = { $a } と { $b } がどちらも { $path } のデータベースを動かすことになります。同じ mpirun で新しいディレクトリに `secchi db setup` を実行すると、それぞれに一つずつ作られます
ranks-plans-differ = ランクごとにすることが異なります。段階が一致しません
ranks-silent = { $host } から何も届きません
ranks-lost = { $host } がいなくなりました。{ $silence } の間何も届いていません。それまでに測ったものは保存されています
ranks-apart = ホストは同時に始まらなかったか、同時に終わりませんでした。全体の数値は、すべてのホストが測定していた秒のものです
ranks-begun-apart = { $late } は { $first } より { $by } 遅れて始まりました
ranks-ended-apart = { $early } は { $last } より { $by } 早く終わりました
ranks-together-for = すべてが測定していたのは { $time }
ranks-apart-remedy = すべてのホストに同じ時間を与え、遅れたホストのネットワークと負荷を調べてください
ranks-straggler = 一つのホストが他より遅れています: { $host }
ranks-stragglers = 他より遅れているホストがあります: { $host } とほかに { $others } 台
ranks-usual = { $label }: ここでは { $rate } IOPS が普通で、{ $lost } IOPS が足りません
ranks-behind-by = { $host }: { $rate } IOPS、不足の { $share } %
ranks-more-behind = ほかに { $n } 台
ranks-straggler-remedy = { $host } だけで実行してください。そのホストのストレージ、上限、ネットワークのどれかが遅いか、共有されています
ranks-clocks-coarse = ホストの時計は遅いネットワーク越しに比べられました。異なるホストの時刻はこれだけ違うことがあります
ranks-clock-within = { $host }: { $within } 以内
ranks-limit-on = 制限 `{ $limit }` は対象 `{ $on }` 用ですが、対象は { $names } です
doubt-host-gone = 実行中にホストがいなくなりました。数値はそれまでのものです
fio-trust-host-gone = ホストがいなくなりました。数値にはそれまでに測ったものが含まれます
partial-host-gone = 実行は打ち切られました。{ $time } 後にホストがいなくなりました
ranks-had = { $host } { $rate }
