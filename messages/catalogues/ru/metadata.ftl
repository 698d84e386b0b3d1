# Файлы и имена: формы mdtest
metadata-shape = { $shape }: { $rates }
metadata-found = { $shapes }; { $n ->
    [one] { $n } поток
    [few] { $n } потока
   *[other] { $n } потоков
} на { $filesystem }
metadata-creates = { $rate } созданий/с
metadata-stats = { $rate } stat/с
metadata-reads = { $rate } чтений/с
metadata-removes = { $rate } удалений/с
metadata-doubt-cached = то, что находят stat и чтение, эта машина создала только что: отвечают её кеши, а не хранилище
metadata-seen-cached = { $files } файлов каждой формы; у машины { $memory } памяти
metadata-remedy-cached = возьмите больше файлов, чем помнит память, или смотрите на них с другой машины
metadata-doubt-short = фазы коротки: держится ли такая скорость минутами, неизвестно
metadata-seen-short = { $phase }: { $files } файлов за { $time }
metadata-remedy-short = попросите больше файлов: --metadata-files
metadata-doubt-durable = созданное и удалённое сначала лишь в памяти: скорости «с sync» включают запись на носитель
metadata-seen-durable = после каждой фазы файловая система синхронизируется, как в mdtest -Y
metadata-title = Файлы и имена
metadata-summary = { $files } файлов каждой формы, { $n ->
    [one] { $n } поток
    [few] { $n } потока
   *[other] { $n } потоков
}
metadata-head-phase = фаза
metadata-head-files = файлы
metadata-head-rate = /с
metadata-head-durable = /с с sync
