# 他のプロセスがデバイスまたはCPUを使用した秒。
aside-statement = 他のプロセスがデバイスまたはCPUを使用した秒はどの値にも含まれない
aside-seen = { $measured } 秒中 { $aside } 秒を除外：{ $seen }
aside-bytes = 他のプロセスがこの負荷の最大 { $percent } % に当たるバイトを転送した
aside-operations = 他のプロセスがこの負荷の最大 { $percent } % に当たるI/Oを行った
aside-waited = ワーカーのCPU待ちが { $percent } % 長かった
aside-stolen = ハイパーバイザがCPUの { $percent } % を他の仮想マシンに割り当てた
