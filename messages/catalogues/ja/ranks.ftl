## 多数のホストによる一つの実行。

ranks-on-host = { $host }: { $what }
ranks-no-word = ランク { $rank } は求められたことと違うことを答えました
ranks-versions = { $host } の secchi は { $theirs }、ランク 0 は { $ours } です。すべてのランクが同じビルドでなければなりません
ranks-same-file = { $a } と { $b } がどちらも { $path } に書き込むことになります。名前に { $word } を入れてください
ranks-plans-differ = ランクごとにすることが異なります。段階が一致しません
ranks-silent = { $host } から何も届きません
ranks-lost = { $host } がいなくなりました。{ $silence } の間何も届いていません。それまでに測ったものは保存されています
