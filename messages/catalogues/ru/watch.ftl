# Сомнения в наблюдении.
watch-command-left = по истечении времени команде велели закончить, но она не закончила: её оставили работать
watch-command-left-seen = процесс { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` завершит её со всем, что она запустила
watch-late-looks = часть замеров запоздала: показатели этих отрезков — средние за более долгие
watch-late-looks-seen = { $late } из { $looks } замеров, самый долгий отрезок { $longest }
watch-dear-looks = чтение счётчиков заняло заметную долю ядра процессора
watch-dear-looks-seen = { $share } % одного ядра, { $cost } на замер
watch-dear-looks-remedy = с большим --interval расход меньше
watch-not-counted = по скорости ограничение было выбрано полностью, а сам EBS не насчитал превышения ни одного своего ограничения
watch-not-counted-seen = ограничение `{ $limit }` ({ $cap }) было выбрано полностью { $full } из { $time }
watch-not-counted-remedy = проверьте заданные ограничения
watch-group-stopped = контрольную группу { $group } останавливали за исчерпание квоты процессора
watch-group-stopped-seen = в { $share } % периодов квоты (cpu.stat)
watch-group-stopped-time-seen = в { $share } % периодов квоты, { $time } времени её потоков (cpu.stat)
watch-group-stopped-remedy = увеличьте квоту процессора или снимите её

# Первая фраза о наблюдении.
watch-no-figures = закончилось до первого замера: показателей нет
watch-counted = { $device }: { $limit } — превышение { $exceeded } из { $time }, по счёту самого EBS
watch-counted-more = { $device }: { $limit } — превышение { $exceeded } из { $time }, по счёту самого EBS; превышены и другие ограничения: { $n }
watch-no-alarm = тревог не было; { $said }
watch-alarm = тревога: { $alarm }; { $said }
watch-alarms = тревога: { $alarm }, и ещё { $n }; { $said }
watch-cap-full = ограничение `{ $limit }` ({ $cap }) было выбрано полностью { $full } из { $time } устройством { $device }; наибольшее — { $most } ({ $share } %)
watch-cap-full-summed = ограничение `{ $limit }` ({ $cap }) было выбрано полностью { $full } из { $time }, в сумме по { $n ->
    [one] { $n } устройству
   *[other] { $n } устройствам
} в одно и то же время; наибольшее — { $most } ({ $share } %)
watch-cap-not-full = ни одно ограничение не выбрано полностью: ближе всего `{ $limit }` ({ $cap }), не больше { $share } % ({ $most }) устройством { $device }
watch-cap-not-full-summed = ни одно ограничение не выбрано полностью: ближе всего `{ $limit }` ({ $cap }), не больше { $share } % ({ $most }) в сумме по { $n ->
    [one] { $n } устройству
   *[other] { $n } устройствам
} в одно и то же время
watch-nothing = кроме самой машины ничего не наблюдалось
watch-no-io = { $watched }: до устройств не дошло ни одной операции
watch-all-disks = все диски
watch-process = процесс { $pid }
watch-only-one = { $device }: в среднем за { $time } { $iops } IOPS и { $bandwidth }, не больше { $most_iops } IOPS и { $most_bandwidth }
watch-busiest = { $device } (самое занятое из { $n }): в среднем за { $time } { $iops } IOPS и { $bandwidth }, не больше { $most_iops } IOPS и { $most_bandwidth }

# Как закончилась команда, запущенная при наблюдении.
command-how = команда `{ $command }` { $how }
command-not-started = команда `{ $command }` не была запущена
command-succeeded = завершилась успешно
command-code = завершилась с кодом { $code }
command-signal = убита сигналом { $signal }
command-not-seen = не завершилась на наших глазах
command-after = { $how } через { $time }
command-told-and-did = по истечении времени, через { $time }, получила приказ закончить и закончила
command-told-and = по истечении времени, через { $time }, получила приказ закончить и { $how }
command-told-and-left = по истечении времени, через { $time }, получила приказ закончить, но осталась работать как процесс { $pid }

# Тревога.
alarm-told = { $of }: { $figure } { $worst } ({ $alert })
alarm-queue = { $n } одновременных

# Системные вызовы процесса и блочные устройства.
watch-read-uncounted = { $process }: { $rest } прочитанного с блочных устройств прошло мимо системных вызовов, которые считает ядро: io_uring, Linux AIO, отображённая память или упреждающее чтение
watch-wrote-uncounted = { $process }: { $rest } записанного на блочные устройства прошло мимо системных вызовов, которые считает ядро: io_uring, Linux AIO или отображённая память
watch-read-elsewhere = { $process }: { $rest } прочитанного системными вызовами — не с блочных устройств: ответили страничный кэш, каналы или сокеты
watch-wrote-elsewhere = { $process }: { $rest } записанного системными вызовами — не на блочные устройства: приняли каналы, сокеты или память
