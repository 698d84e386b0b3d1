# 他者がデバイスまたはCPUを使用した秒。
aside-statement = 他者がデバイスまたはCPUを使用した秒はどの値にも含まれない
aside-seen = { $measured } 秒中 { $aside } 秒：{ $seen }
aside-bytes = 他者が負荷の最大 { $percent } % のバイトを転送した
aside-operations = 他者が負荷の最大 { $percent } % の操作を行った
aside-waited = ワーカーのCPU待ちが { $percent } % 長かった
aside-stolen = ハイパーバイザーがCPUの { $percent } % を他のマシンに割り当てた
