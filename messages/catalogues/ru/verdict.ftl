# Показатели и где они получены.
figure-after-change = { $rate } IOPS после смены уровня
figure-at-depth-and-above = { $figure } при глубине { $depth } и больше
figure-at-depth-after-change = { $figure } при глубине { $depth } после смены уровня
figure-at-most = не больше { $figure }
figure-between = от { $low } до { $high } IOPS, без постоянного уровня
figure-at-size = { $figure } при { $size }
figure-on-credits = { $figure }, пока хватает кредитов
figure-promised = { $figure }, в пределах обещанных { $share } %
figure-counted = { $figure }, по счёту самого EBS превышение { $share } % времени
figures-lower-bounds = { $figures } — нижние оценки; { $reasons }
and-more = { $some } и ещё { $n }
one-or-another = { $first } или { $second }
one-and-another = { $first } и { $second }
sizes-from-to = { $mode } от { $least } до { $most }
workloads-all = все нагрузки ({ $n })
workloads-of = { $n } из { $all } нагрузок

# Строки ограничений.
row-iops-of = { $value } IOPS { $op ->
    [read] чтения
    [write] записи
   *[other] { $op }
}
row-bandwidth-of = { $value } полосы { $op ->
    [read] чтения
    [write] записи
   *[other] { $op }
}
row-cgroup = предел { $name } ({ $figure })
row-declared = заданное ограничение `{ $name }` ({ $figure })
row-published = опубликованный предел { $name } ({ $figure })
row-published-burst = опубликованный всплеск { $name } ({ $figure })
row-cgroup-briefly = предел { $name }
row-declared-briefly = заданное ограничение `{ $name }`
row-published-briefly = опубликованный предел { $name }
row-changed-since = { $row }, с тех пор изменилось

# Что ограничивает нагрузку.
binds-one = { $what } — { $predicate }: { $detail }
binds-several = { $what } — { $predicate }: { $detail }
binds-without-rate = без скорости, по которой можно судить
binds-without-figure = без показателя, по которому можно судить
no-level = { $what } — постоянного уровня не было: { $why }
no-figure = { $what } — нет показателя, по которому можно судить: { $why }
limited-by = ограничивает { $limit }
limited-as-counted = ограничивает { $limit }, по счёту самого EBS
counted-exceeded = превышение { $share } % времени, { $figure }
limited-at-equals = ограничивает { $limit }, равно: { $equal }
limited-undecidable = ограничивает { $names }, здесь не различить
limited-by-generator = ограничивает процессор генератора нагрузки, а не хранилище
limited-by-busy-cpu = ограничивает процессор этой машины, занятый другими
limited-by-latency = ограничивает задержка
limited-by-device = ограничивает устройство
limited-by-cap-or-device = ограничен пределом или устройством: этот запуск их не различает
limited-by-virtual-disk = ограничивает виртуальный диск, каким его видит эта гостевая система; ни один известный предел не достигнут
rise-per-doubling = всё ещё растёт на { $percent } % при каждом удвоении глубины
rise-tail = p99 от { $low } до { $high }
rise-between = на близких глубинах от { $low } до { $high }
limited-by-iops-near = ограничивает предел около { $iops } IOPS, не названный ни одним заданным ограничением
limited-by-either-cap = ограничен регулятором: предел около { $iops } IOPS или { $bandwidth }, которого нет среди заданных
limited-by-bandwidth-near = ограничивает предел около { $bandwidth }, не названный ни одним заданным ограничением
limited-by-crossing = ограничивает предел около { $iops } IOPS или около { $bandwidth }: при этом размере они сходятся
not-limited-as-asked = при запрошенной скорости не ограничено ничем
both-allow = оба допускают { $allows } (измерено { $rate }); { $deciders }
all-allow = все допускают { $allows } (измерено { $rate }); { $deciders }
decider-deeper = различит запуск с большей глубиной
decider-cpu = различит больше процессора для инструмента
decider-sizes = различит запуск с { $half } или { $double }
decider-another-size = различит запуск с другим размером блока
decider-another-mix = различит запуск с другой долей чтения и записи
decider-raise-one = размером блока их не различить: поднимите одно из них или нагрузите рядом второй том (если сумма не меняется, предел общий)
lower-bound = { $figure } — нижняя оценка; { $reasons }
came-of-asked = выполнено { $came } из { $asked } в секунду; предел не искали
came-of-most = выполнено { $came } IOPS при наибольших { $most }; предел не искали
one-in-flight = одна одновременная операция, каждая по { $each }: { $figure }
in-flight-give = одновременных операций: { $n }, по { $each } это даёт { $give } IOPS, { $measured }; с большей глубиной будет больше
measured = измерено { $rate }
measured-after-change = измерено { $rate } после смены уровня
same-over = одинаково при { $sizes }
same-over-both = число операций одинаково при { $iops }, байты — при { $bandwidth }

# Почему ограничение не названо.
unclear-rising = { $what } — насыщения не было: { $rising }
unclear-noisy = { $what } — достигнуто { $figure }; что ограничивает, сказать нельзя: уровни слишком разбросаны
unclear-brief = { $what } — достигнуто { $figure }: { $agree }; уровней слишком мало или они слишком коротки, чтобы назвать ограничение; { $longer }
unclear-why = { $what } — достигнуто { $figure }; { $why }
several-rising-at = { $what }: { $rising }; без насыщения при глубине { $deepest }: { $some }
several-rising = { $what }: { $rising }; без насыщения при наибольшей испытанной глубине: { $some }
several-noisy = { $what } — достигнуто { $figure }; что ограничивает, сказать нельзя ({ $some }): уровни слишком разбросаны
several-brief = { $what } — достигнуто { $figure }: { $agree }; уровней слишком мало или они слишком коротки, чтобы назвать ограничение ({ $some }): { $longer }
several-why = { $what } — достигнуто { $figure }; { $some }: { $why }
several-no-level = { $what } — постоянного уровня не было
why-from-cache = отвечал страничный кэш, а не хранилище
depths-agree = глубины от { $from } до { $to } расходятся не больше чем на { $within } %
longer-names-caps = { $option } называет ограничения
longer-repeats = { $option } повторяет уровни
longer-quiet = повторите, когда устройство свободно
hint-quiet = повторите, когда устройством никто не пользуется
hint-repeat = повторите
hint-deeper = попробуйте увеличить глубину
hint-more-time = дайте больше времени
hint-declare = задайте ограничения через --limit
hint-not-saturated = насыщение не показано

# На чём основан вывод об ограничении.
no-interval = (нет интервала: { $why })
seen-at-depth = { $figure } { $interval } при глубине { $depth }
seen-held = { $figure } { $interval } при глубине { $depth }, удержано
constraint-used = { $name } допускает здесь { $allows }: использовано { $used } %
constraint-next = следующее: { $name } допускает { $allows }, в { $times } раза больше этой скорости
remark-generator-busy = замечание: генератор был загружен ({ $reasons }), но скорость задаёт ограничение
remark-by-chance = замечание: { $row } — совпадение с этой скоростью случайно: позже { $what } её превысило
remark-passed-before = замечание: ранее { $what } превысило { $row }: всплеск закончился или строка неверна
remark-others-cpu = процессор был занят другими: { $seen }
remark-cap-shared = устройством тем временем пользовались другие: если предел учитывает и их, он до { $sum } IOPS этого размера
remark-device = задержка росла с глубиной, а скорость нет; генератор простаивал
remark-device-away = задержка росла с глубиной, а скорость нет; генератор простаивал, до известных ограничений далеко
remark-cap-or-device = предел выглядел бы так же: добавьте размеры блока меньше и больше (--bs)
no-cap-counted = не предел: само хранилище не насчитало превышений
no-cap-sizes = не предел: меньший размер дал больше операций в секунду, больший — больше байтов
no-cap-bend = не предел: скорость подходила к пределу плавно, а не пропорционально глубине
seen-pauses = немногие запросы ждали до { $longest }, большинство — { $median }, среднее { $mean }: регулятор
same-with-flushes = { $writes } записей и { $flushes } сбросов в секунду; { $what } — { $rate } IOPS
remark-virtual-disk = при каждом удвоении глубины скорость росла на несколько процентов, остальное забирала задержка: изнутри гостевой системы диск и ограничения хоста не различить
remark-virtual-disk-scatters = на одинаковых или близких глубинах скорость различалась так, как под пределом не бывает: изнутри гостевой системы диск и нагрузку хоста не различить
seen-counted = превышение по счёту самого EBS, доля времени: { $limits }
seen-counted-none = EBS не насчитал превышения ни одного своего ограничения

# Первое предложение.
nothing-measured = ничего не измерено
more-below = ещё { $n } ниже
trouble-before = { $what }; до этого: { $said }
trouble-left = { $what }; по тому, что осталось: { $said }
trouble-so-far = { $what }; пока: { $said }
ended-by-errors = завершено из-за ошибок
journal-damaged = измерения нет, журнал повреждён
stopped-early = остановлено до конца
without-end = прервано до конца
still-running = ещё идёт
not-valid = недействительно: { $statement } ({ $evidence })
not-valid-and-more = недействительно: { $statement } ({ $evidence }; и ещё { $n })
hung = зависло: операции не вернулись
hung-operations = зависло: { $of } — не вернулось операций: { $n }, самой старой { $oldest }
ping-none-counted = ни один запрос не засчитан
ping-times = запросов { $count }: { $times }
time-mean = среднее { $time }
time-max = наибольшее { $time }

# Уровни, на которых был шаг.
course-until = { $rate } до { $time }
course-then = затем { $rate }
course-more = { $n ->
    [one] ещё { $n } уровень
    [few] ещё { $n } уровня
   *[other] ещё { $n } уровней
}
course-stalled = { $course }: за последние { $lasted } ничего не завершилось
course-too-short = { $course }: последний уровень длился { $lasted } — слишком мало, чтобы судить
course-fell = скорость непрерывно падала от { $from } до { $to } IOPS ({ $by } %)
course-rose = скорость непрерывно росла от { $from } до { $to } IOPS ({ $by } %)
course-rose-far = скорость непрерывно росла от { $from } до { $to } IOPS
course-repeats = скорость меняется между { $low } и { $high } IOPS с периодом { $period }
course-alternates = скорость попеременно равна { $low } и { $high } IOPS

# Почему нет показателя или интервала.
nothing-completed = ничего не завершилось
no-level-long-enough = ни один уровень не длился достаточно
too-few-windows = слишком мало окон
windows-wanted = нужно окон: { $wanted }, есть { $had }
came-to-no-level = постоянного уровня не было
came-to-no-level-as = постоянного уровня не было: { $why }
not-at-one-level = уровень был не один: { $course }
not-measured = не измерено
not-settled = не установилось
not-settled-as = не установилось: { $why }
not-told = не сообщается
no-samples = нет отсчётов
no-latency = нет задержки
too-few-seconds = слишком мало секунд ({ $n })
too-few-samples = слишком мало отсчётов ({ $n }) для { $percentile }
too-few-operations = слишком мало операций ({ $n }) для { $percentile }
records-without-size = у записей нет собственного размера
journal-of-run-damaged = журнал запуска повреждён
came-to-no-end = запуск не дошёл до конца: показатели — по тому, что есть

# Почему требование выполнено, не выполнено или не определено.
need-at-level = { $what } на том уровне, о котором оно говорит ({ $phase })
need-unmeasured = в запуске нет { $what }; измерить: { $command }
need-unmeasured-kind = в запуске нет таких операций: { $what }; измерить их: { $command }
need-met-too-short = выполнено в течение { $lasted }, а требуется { $lasting }: { $command }
need-unsettled-may-meet = ни один установившийся уровень не отвечает всем условиям, но при глубине { $depth } скорость не установилась
need-met-fleetingly = выполнено только на коротком уровне раньше, который не удержался; этот — ближайший из удержавшихся
need-met-on-the-way = выполнено на промежуточном уровне; удержанный после него, при глубине { $depth }, ничего не говорит: { $struck }
need-not-met-on-the-way = не выполнено на промежуточном уровне; удержанный после него, при глубине { $depth }, ничего не говорит: { $struck }
need-no-level = скорость не установилась: { $why }
need-not-valid = показатели недействительны: { $why }
need-from-cache = отвечал страничный кэш: это не показатели хранилища
need-limit-changed = ограничение нашей контрольной группы изменилось во время измерения
need-generator = генератору не хватило процессора: хранилище, возможно, способно на большее
need-others = устройством одновременно пользовались другие: без них может быть лучше
need-others-cpu = часть времени процессор был занят другими: без этого хранилище, возможно, способно на большее
need-closest = ни один уровень не отвечает всем условиям; этот — ближайший
need-too-close = слишком близко к границе или слишком мало отсчётов, чтобы судить
need-errors = в этом запуске операции завершались ошибкой; ни одно требование не может быть выполнено
need-few-operations = { $n ->
    [one] { $n } операция
    [few] { $n } операции
   *[other] { $n } операций
}: слишком мало, чтобы отвечать требованию
need-met-by-last = выполнено последним уровнем: { $course }

# Наблюдения.
found-beyond-limit = { $what } — { $row }: получено { $share } %; строка неверна или измерено не то
found-beyond-limit-several = { $what } — { $row }: получено до { $share } %; строка неверна или измерено не то
remedy-beyond-limit = проверьте строку и то, что цель лежит на купленном
doubt-limit-not-counted = скорость похожа на ограничение, превышения которого сам EBS не насчитал
seen-limit-not-counted = { $what }: по скорости { $limit }; EBS не насчитал превышения ни одного своего ограничения и в 1 % времени
remedy-limit-not-counted = проверьте заданные ограничения; поищите предел выше тома: контрольную группу, отображённое устройство, приложение
found-above-limit = { $what } — выше, чем { $row }: всплеск, слияние запросов, неверная строка или кэш
found-above-limit-several = { $what } — все выше, чем { $row }: всплеск, слияние запросов, неверная строка или кэш
found-above-published = { $what } — выше, чем { $row }: неверная строка, выросшее значение или кэш
found-above-published-several = { $what } — все выше, чем { $row }: неверная строка, выросшее значение или кэш
remedy-above-limit = проверьте строку; измеряйте дольше всплеска; посмотрите сомнения о кэшировании
found-burst-credits = { $what } — выше, чем { $row }, за счёт кредитов: это ненадолго
found-burst-credits-several = { $what } — все выше, чем { $row }, за счёт кредитов: это ненадолго
seen-credits = под нагрузкой { $loaded }; полных кредитов хватает на { $lasts }
remedy-burst-credits = рассчитывайте на базовый уровень; измеряйте дольше всплеска, чтобы увидеть его конец
found-merged = { $what } — выше, чем { $row }; соседние последовательные операции этот предел считает за одну: проверить его можно только случайными
found-merged-several = { $what } — все выше, чем { $row }; соседние последовательные операции этот предел считает за одну: проверить его можно только случайными
found-published-limits = ограничения взяты из опубликованных: это потолки, а не обещания
published-on = опубликовано { $date }
published-undated = опубликовано без даты, могло измениться
published-long-ago = опубликовано { $date }, могло вырасти
above-published = { $what } больше предела { $most }, опубликованного { $date }: с тех пор он мог вырасти, считается как указано
above-published-undated = { $what } больше предела { $most }, опубликованного без даты: он мог вырасти, считается как указано
found-below-all-limits = { $what } — ниже всех известных ограничений; ближайшее: { $row }
found-below-all-limits-several = { $what } — все ниже всех известных ограничений; ближайшее: { $row }
remedy-below-all-limits = ищите причину, которой нет в строках: общий путь, меньшее ограничение экземпляра, файловая система
found-retrograde = { $what } — под напором скорость падает: держите глубину { $depth } или меньше
found-retrograde-from-one = { $what } — под напором скорость падает: держите глубину { $depth }
found-not-sustained = { $what } — показанное при наращивании не удерживается: всплеск или другие на устройстве
seen-in-ramp = { $rate } IOPS при наращивании, { $seconds } с
seen-held-for = { $rate } IOPS удержано { $seconds } с
remedy-not-sustained = рассчитывайте на удержанную скорость; измеряйте дольше, чтобы увидеть конец всплеска и восстановление
found-crossover = { $mode }: до { $up_to } ограничивает число операций, с { $from } — байты; они сходятся при { $cross } KiB

# Сравнения и ход во времени.
compare-left-out = есть не во всех запусках и не учтено: { $names }
compare-held-at = при глубине { $depth } — запусков { $n }
compare-ramp-level = { $what } — удержано { $held }: сравнивается уровень наращивания { $depth }
compare-runs-left-out = не учтено { $n } из { $all } запусков: { $why }
compare-no-ratio = одно из значений — ноль: отношения нет
compare-no-figure = этого показателя нет ни в одном запуске
compare-few-runs = запусков по { $n } с каждой стороны: этим ничего не доказать
compare-few-runs-for = запусков по { $n } с каждой стороны: этим ничего не доказать для { $figures } показателей сразу
compare-few-runs-apart = запусков { $n } и { $m }: этим ничего не доказать
compare-few-runs-apart-for = запусков { $n } и { $m }: этим ничего не доказать для { $figures } показателей сразу
compare-scatter = запуски слишком разбросаны: понадобилось бы больше { $most }
compare-in-order = все запуски { $first } сделаны до запусков { $last }: дрейф хранилища выглядел бы так же; `secchi ab` чередует их
compare-of-runs = { $n } из { $all } запусков: { $remark }
trend-needs-runs = чтобы судить об изменении, нужно запусков: { $needed }; с этим показателем есть { $n }

# Что говорят списки прогонов о прогоне fio или ping.
run-not-valid-then = недействительно: { $why }; { $told }
run-fio = fio: { $jobs ->
    [one] { $jobs } задание
    [few] { $jobs } задания
   *[other] { $jobs } заданий
}, { $iops } IOPS, { $rate }
run-fio-moved = fio: { $jobs ->
    [one] { $jobs } задание
    [few] { $jobs } задания
   *[other] { $jobs } заданий
}, не один уровень: { $one }
run-fio-one-moved = fio: { $jobs ->
    [one] { $jobs } задание
    [few] { $jobs } задания
   *[other] { $jobs } заданий
}, единой скорости нет; одно из них: { $first }
run-fio-ended = fio: { $jobs ->
    [one] { $jobs } задание
    [few] { $jobs } задания
   *[other] { $jobs } заданий
}: { $why }
run-latency = средняя задержка { $mean }
run-latency-from-due = средняя задержка { $due } от срока, { $sent } от отправки
run-ping = ping: запросов { $count }, в среднем { $mean }, p99 { $p99 }, макс. { $max }
run-ping-few = ping: запросов { $count }, в среднем { $mean }, макс. { $max }
run-ping-nothing = ping: ни одного запроса не учтено
