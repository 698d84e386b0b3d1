# Файлы и имена: формы mdtest
metadata-shape = { $shape }: { $rates }
metadata-found = { $shapes }; { $n ->
    [one] { $n } поток
    [few] { $n } потока
   *[other] { $n } потоков
} на { $filesystem }
metadata-found-hosts = { $shapes }; потоков { $n }, узлов { $hosts }, на { $filesystem }
metadata-creates = { $rate } созданий/с
metadata-stats = { $rate } stat/с
metadata-reads = { $rate } чтений/с
metadata-removes = { $rate } удалений/с
metadata-doubt-cached = файлы, к которым обращаются stat и чтение, эта машина только что создала: отвечают её кэши, а не хранилище
metadata-seen-cached = { $files } файлов каждой формы; у машины { $memory } памяти
metadata-seen-cached-hosts = { $phases }: файлы создала та же машина; { $files } файлов каждой формы; у неё { $memory } памяти
metadata-remedy-cached = возьмите больше файлов, чем помещается в память, или обращайтесь к ним с другой машины
metadata-doubt-short = фазы слишком короткие: сохранится ли такая скорость в течение минут, неизвестно
metadata-seen-short = { $phase }: { $files } файлов за { $time }
metadata-remedy-short = увеличьте число файлов: --metadata-files
metadata-doubt-durable = созданное и удалённое сначала находится только в памяти: скорости «с sync» включают запись на носитель
metadata-seen-durable = после каждой фазы файловая система синхронизируется, как в mdtest -Y
metadata-doubt-apart = узлы не видят файлов друг друга: mdtest-hard выполнялся в отдельном каталоге каждого узла, а не в общем
metadata-seen-apart = { $name }, созданный первым узлом, не виден с { $hosts }
metadata-remedy-apart = укажите каталог файловой системы, общей для всех узлов
metadata-doubt-ended = узлы закончили не одновременно: скорость рассчитана по всем файлам до конца последнего узла
metadata-seen-ended = { $phase }: { $early } закончил на { $by } раньше, чем { $last }
metadata-seen-together = пока работали все узлы: { $rate }/с
metadata-usual = { $phase }: обычный узел этого прогона достигает { $rate }/с
metadata-behind = { $host }: { $rate }/с
metadata-title = Файлы и имена
metadata-summary = { $files } файлов каждой формы, { $n ->
    [one] { $n } поток
    [few] { $n } потока
   *[other] { $n } потоков
}
metadata-summary-hosts = { $files } файлов каждой формы, потоков { $n }, узлов { $hosts }
metadata-head-host = узел
metadata-by-host = по узлам
metadata-by-host-note = файлов/с каждого узла до его завершения
metadata-head-phase = фаза
metadata-head-files = файлы
metadata-head-rate = /с
metadata-head-durable = /с с sync
metadata-need-partial = к концу прогона обработано только { $done } из { $all } файлов
metadata-need-too-short = выполнено, но за { $lasted } вместо { $lasting }: увеличьте число файлов (--metadata-files)
plan-of-names = { $command } --metadata в { $path }: файлов каждой формы { $files }, потоков { $n }, записывается { $bytes }; в отдельном каталоге, который в конце удаляется
