# Сомнения в наблюдении.
watch-command-left = когда время истекло, команде отправлен сигнал завершения, но она не завершилась и оставлена работать
watch-command-left-seen = процесс { $pid }
watch-command-left-remedy = `kill -KILL -- -{ $pid }` завершит её и все запущенные ею процессы
watch-late-looks = часть замеров запоздала: их показатели — средние за более длинные отрезки
watch-late-looks-seen = { $late } из { $looks } замеров, самый долгий отрезок { $longest }
watch-dear-looks = чтение счётчиков заняло заметную долю ядра процессора
watch-dear-looks-seen = { $share } % одного ядра, { $cost } на замер
watch-dear-looks-remedy = увеличьте --interval, и расход уменьшится
watch-not-counted = судя по скорости, предел был достигнут, но по счётчикам самого EBS ни один предел не превышен
watch-not-counted-seen = судя по скорости, предел `{ $limit }` ({ $cap }) был достигнут { $full } из { $time }
watch-not-counted-remedy = проверьте пределы, заданные для этого наблюдения
watch-group-stopped = контрольная группа { $group } останавливалась: исчерпана квота процессора
watch-group-stopped-seen = в { $share } % периодов квоты (cpu.stat)
watch-group-stopped-time-seen = в { $share } % периодов квоты, в сумме { $time } по всем её потокам (cpu.stat)
watch-group-stopped-remedy = увеличьте квоту процессора группы или снимите её
watch-hidden-processes = ввод-вывод некоторых процессов неизвестен: их счётчики недоступны этому пользователю
watch-hidden-processes-seen = { $hidden } из { $processes } процессов (/proc/PID/io)
watch-hidden-processes-remedy = чтобы учесть все процессы, запустите secchi от имени root или с CAP_SYS_PTRACE

# Первая фраза о наблюдении.
watch-no-figures = наблюдение закончилось до первого замера: показателей нет
watch-counted = { $device }: { $limit } — превышение { $exceeded } из { $time }, по счётчикам самого EBS
watch-counted-more = { $device }: { $limit } — превышение { $exceeded } из { $time }, по счётчикам самого EBS; превышены и другие пределы: { $n }
watch-no-alarm = тревог не было; { $said }
watch-alarm = тревога: { $alarm }; { $said }
watch-alarms = тревога: { $alarm }, и ещё { $n }; { $said }
watch-cap-full = { $device }: предел `{ $limit }` ({ $cap }) был достигнут { $full } из { $time }; максимум { $most } ({ $share } %)
watch-cap-full-summed = суммарная нагрузка { $n ->
    [one] { $n } устройства
   *[other] { $n } устройств
} достигала предела `{ $limit }` ({ $cap }) { $full } из { $time }; максимум { $most } ({ $share } %)
watch-cap-not-full = ни один предел не достигнут: максимум { $device }, { $most }, — это { $share } % ближайшего предела, `{ $limit }` ({ $cap })
watch-cap-not-full-summed = ни один предел не достигнут: суммарный максимум { $n ->
    [one] { $n } устройства
   *[other] { $n } устройств
}, { $most }, — это { $share } % ближайшего предела, `{ $limit }` ({ $cap })
watch-nothing = наблюдалась только сама машина
watch-no-io = { $watched }: до устройств не дошло ни одной операции
watch-all-disks = все диски
watch-process = процесс { $pid }
watch-only-one = { $device }: в среднем за { $time } { $iops } IOPS и { $bandwidth }, максимумы { $most_iops } IOPS и { $most_bandwidth }
watch-busiest = { $device } (самое занятое из { $n }): в среднем за { $time } { $iops } IOPS и { $bandwidth }, максимумы { $most_iops } IOPS и { $most_bandwidth }

# Как закончилась команда, запущенная при наблюдении.
command-how = команда `{ $command }` { $how }
command-not-started = команда `{ $command }` не была запущена
command-succeeded = завершилась успешно
command-code = завершилась с кодом { $code }
command-signal = завершена сигналом { $signal }
command-not-seen = код завершения не зафиксирован
command-after = { $how } через { $time }
command-told-and-did = через { $time }, по истечении времени, получила сигнал завершения и завершилась
command-told-and = через { $time }, по истечении времени, получила сигнал завершения и { $how }
command-told-and-left = через { $time }, по истечении времени, получила сигнал завершения, но осталась работать как процесс { $pid }

# Тревога.
alarm-told = { $of }: { $figure } { $worst } ({ $alert })
alarm-queue = глубина очереди { $n }

# Системные вызовы процесса и блочные устройства.
watch-read-uncounted = { $process }: { $rest } прочитанного с блочных устройств прошло мимо системных вызовов, которые считает ядро: io_uring, Linux AIO, отображённая память или упреждающее чтение
watch-wrote-uncounted = { $process }: { $rest } записанного на блочные устройства прошло мимо системных вызовов, которые считает ядро: io_uring, Linux AIO или отображённая память
watch-read-elsewhere = { $process }: { $rest } прочитанного системными вызовами — не с блочных устройств, а из страничного кэша, каналов или сокетов
watch-wrote-elsewhere = { $process }: { $rest } записанного системными вызовами — не на блочные устройства, а в каналы, сокеты или память
