# Показатели и где они получены.
figure-after-change = { $rate } IOPS после изменения скорости
figure-at-depth-and-above = { $figure } при глубине { $depth } и больше
figure-at-depth-after-change = { $figure } при глубине { $depth } после изменения скорости
figure-at-most = до { $figure }
figure-between = от { $low } до { $high } IOPS, без постоянного уровня
figure-at-size = { $figure } при { $size }
figure-on-credits = { $figure }, пока хватает кредитов
figure-promised = { $figure }, в пределах обещанных { $share } %
figure-counted = { $figure }; по счётчикам самого EBS предел превышен { $share } % времени
figures-lower-bounds = { $figures } — оценки снизу; { $reasons }
and-more = { $some } и ещё { $n }
one-or-another = { $first } или { $second }
one-and-another = { $first } и { $second }
sizes-from-to = { $mode } от { $least } до { $most }
workloads-all = все нагрузки ({ $n })
workloads-of = { $n } из { $all } нагрузок

# Строки пределов.
row-iops-of = { $value } IOPS { $op ->
    [read] на чтение
    [write] на запись
   *[other] { $op }
}
row-bandwidth-of = { $value } { $op ->
    [read] на чтение
    [write] на запись
   *[other] { $op }
}
row-cgroup = предел { $name } ({ $figure })
row-declared = заданный предел `{ $name }` ({ $figure })
row-published = опубликованный предел { $name } ({ $figure })
row-published-burst = опубликованный всплеск { $name } ({ $figure })
row-cgroup-briefly = предел { $name }
row-declared-briefly = заданный предел `{ $name }`
row-published-briefly = опубликованный предел { $name }
row-changed-since = { $row }, с тех пор изменён

# Что ограничивает нагрузку.
binds-one = { $what } — { $predicate }: { $detail }
binds-several = { $what } — { $predicate }: { $detail }
binds-without-rate = не оценено: нет устойчивой скорости
binds-without-figure = не оценено: нет верного показателя
no-level = { $what } — скорость не установилась: { $why }
no-figure = { $what } — нет показателя для вывода: { $why }
limited-by = ограничивает { $limit }
limited-as-counted = ограничивает { $limit }, по счётчикам самого EBS
counted-exceeded = превышение { $share } % времени, { $figure }
limited-at-equals = ограничивает { $limit }, равно: { $equal }
limited-undecidable = ограничивает { $names }, в этом прогоне не различить
limited-by-generator = ограничивает процессор генератора нагрузки, а не хранилище
limited-by-busy-cpu = ограничивает процессор этой машины, занятый другими процессами
limited-by-latency = ограничивает задержка
limited-by-device = ограничивает устройство
limited-by-cap-or-device = ограничено пределом или устройством (этот прогон их не различает)
limited-by-virtual-disk = ограничивает виртуальный диск, каким его видит эта гостевая система; ни один известный предел не достигнут
rise-per-doubling = продолжает расти на { $percent } % при каждом удвоении глубины
rise-tail = p99 от { $low } до { $high }
rise-between = на близких глубинах от { $low } до { $high }
limited-by-iops-near = ограничивает предел около { $iops } IOPS, которого нет среди заданных
limited-by-either-cap = сдерживает ограничитель: предел около { $iops } IOPS или { $bandwidth }, которого нет среди заданных
limited-by-bandwidth-near = ограничивает предел около { $bandwidth }, которого нет среди заданных
limited-by-crossing = ограничивает предел около { $iops } IOPS или около { $bandwidth }: при этом размере блока они совпадают
not-limited-as-asked = при запрошенной скорости ничто не ограничивает
both-allow = оба допускают { $allows } IOPS (измерено { $rate }); { $deciders }
all-allow = каждый допускает { $allows } IOPS (измерено { $rate }); { $deciders }
decider-deeper = их различит прогон с большей глубиной очереди
decider-cpu = какой из них действует, покажет прогон, где у secchi больше процессоров
decider-sizes = их различит прогон с { $half } или { $double }
decider-another-size = их различит прогон с другим размером блока
decider-another-mix = их различит прогон с другой долей чтения и записи
decider-raise-one = размером блока их не различить: поднимите один из них или нагрузите одновременно второй том (если сумма не изменится, предел общий)
lower-bound = { $figure } — оценка снизу; { $reasons }
came-of-asked = выполнено { $came } из { $asked } операций в секунду; предел не искали
came-of-most = выполнено { $came } IOPS (задан максимум { $most }); предел не искали
one-in-flight = глубина очереди 1, операция занимает { $each }: { $figure }
in-flight-give = глубина очереди { $n } при { $each } на операцию даёт { $give } IOPS ({ $measured }); с большей глубиной будет больше
measured = измерено { $rate }
measured-after-change = измерено { $rate } после изменения скорости
same-over = одинаковая скорость при { $sizes }
same-over-both = IOPS одинаковы при { $iops }, пропускная способность — при { $bandwidth }

# Почему предел не назван.
unclear-rising = { $what } — насыщения не было: { $rising }
unclear-noisy = { $what } — достигнуто { $figure }; что ограничивает, неясно: слишком большой разброс между уровнями
unclear-brief = { $what } — достигнуто { $figure }: { $agree }; уровней слишком мало или они слишком коротки, чтобы назвать предел; { $longer }
unclear-why = { $what } — достигнуто { $figure }; { $why }
several-rising-at = { $what }: { $rising }; без насыщения при глубине { $deepest }: { $some }
several-rising = { $what }: { $rising }; без насыщения при наибольшей испытанной глубине: { $some }
several-noisy = { $what } — достигнуто { $figure }; что ограничивает, неясно ({ $some }): слишком большой разброс между уровнями
several-brief = { $what } — достигнуто { $figure }: { $agree }; уровней слишком мало или они слишком коротки, чтобы назвать предел ({ $some }): { $longer }
several-why = { $what } — достигнуто { $figure }; { $some }: { $why }
several-no-level = { $what } — скорость не установилась
why-from-cache = операции обслуживал страничный кэш, а не хранилище
depths-agree = глубины от { $from } до { $to } расходятся не больше чем на { $within } %
longer-names-caps = { $option } показывает пределы
longer-repeats = { $option } повторяет уровни
longer-quiet = повторите прогон, когда устройство свободно
hint-quiet = повторите прогон, когда устройство свободно
hint-repeat = повторите прогон
hint-deeper = попробуйте увеличить глубину
hint-more-time = увеличьте время
hint-declare = задайте пределы через --limit
hint-not-saturated = насыщение хранилища не показано

# На чём основан вывод о пределе.
no-interval = (нет интервала: { $why })
seen-at-depth = { $figure } { $interval } при глубине { $depth }
seen-held = { $figure } { $interval } при глубине { $depth }, удержано
constraint-used = { $name } допускает здесь { $allows } IOPS: использовано { $used } %
constraint-next = следующий предел: { $name } допускает { $allows } IOPS, в { $times } раза больше этой скорости
remark-generator-busy = замечание: генератор был загружен ({ $reasons }), но скорость задаёт предел
remark-by-chance = замечание: { $row } совпадает с этой скоростью случайно: позже { $what } превысило этот предел
remark-passed-before = замечание: ранее { $what } превысило { $row }: всплеск закончился или предел указан неверно
remark-others-cpu = процессор был занят другими процессами: { $seen }
remark-cap-shared = одновременно устройством пользовались другие процессы: если предел учитывает и их, он до { $sum } IOPS этого размера
remark-device = задержка росла с глубиной, а скорость — нет; генератор простаивал
remark-device-away = задержка росла с глубиной, а скорость — нет; генератор простаивал, до известных пределов далеко
remark-cap-or-device = предел выглядел бы так же: добавьте размеры блока меньше и больше (--bs)
no-cap-counted = не предел: хранилище не насчитало ни одного превышения
no-cap-sizes = не предел: меньшие блоки дали больше IOPS, а большие — бо́льшую пропускную способность
no-cap-bend = не предел: скорость выравнивалась плавно, а не резко, как под пределом
seen-pauses = немногие запросы заняли до { $longest }, большинство — { $median } (среднее { $mean }): это признак ограничителя
same-with-flushes = { $writes } записей и { $flushes } сбросов в секунду; { $what } без сбросов — достигнуто { $rate } IOPS
remark-virtual-disk = при каждом удвоении глубины скорость росла на несколько процентов, и росла задержка: изнутри гостевой системы диск и пределы хоста не различить
remark-virtual-disk-scatters = на уровнях близкой глубины скорость различалась, а под пределом так не бывает: изнутри гостевой системы диск и нагрузку хоста не различить
seen-counted = время превышения пределов по счётчикам самого EBS: { $limits }
seen-counted-none = EBS не насчитал превышения ни одного своего предела

# Первое предложение.
nothing-measured = ничего не измерено
more-below = ещё { $n } ниже
trouble-before = { $what }; до этого: { $said }
trouble-left = { $what }; по оставшимся данным: { $said }
trouble-so-far = { $what }; пока: { $said }
ended-by-errors = прогон остановлен из-за ошибок
journal-damaged = достоверного измерения нет: журнал прогона повреждён
stopped-early = остановлено до конца
without-end = принудительно завершено до конца
still-running = ещё идёт
not-valid = недействительно: { $statement } ({ $evidence })
not-valid-and-more = недействительно: { $statement } ({ $evidence }; и ещё { $n })
hung = зависло: операции не вернулись
hung-operations = зависло: { $of } — не завершилось операций: { $n }, самая старая выполняется { $oldest }
ping-none-counted = ни один запрос не учтён
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
course-stalled = { $course }: за последние { $lasted } не завершилось ни одной операции
course-too-short = { $course }: последний уровень длился { $lasted } — слишком мало, чтобы судить
course-fell = скорость непрерывно падала от { $from } до { $to } IOPS ({ $by } %)
course-rose = скорость непрерывно росла от { $from } до { $to } IOPS ({ $by } %)
course-rose-far = скорость непрерывно росла от { $from } до { $to } IOPS
course-repeats = скорость меняется между { $low } и { $high } IOPS с периодом { $period }
course-alternates = скорость попеременно равна { $low } и { $high } IOPS

# Почему нет показателя или интервала.
listed-with-another = это значение указано для другой операции этого же запуска
nothing-completed = ни одна операция не завершилась
no-level-long-enough = ни один уровень не длился достаточно долго
too-few-windows = слишком мало окон
windows-wanted = нужно окон: { $wanted }, есть { $had }
came-to-no-level = скорость не установилась
came-to-no-level-as = скорость не установилась: { $why }
not-at-one-level = скорость изменилась: { $course }
not-measured = не измерено
not-settled = не установилось
not-settled-as = не установилось: { $why }
not-told = нет данных
no-samples = нет отсчётов
no-latency = задержка не измерена
too-few-seconds = слишком мало секунд ({ $n })
too-few-samples = слишком мало отсчётов ({ $n }) для { $percentile }
too-few-operations = слишком мало операций ({ $n }) для { $percentile }
records-without-size = байты не учитывались
journal-of-run-damaged = журнал прогона повреждён
came-to-no-end = прогон не дошёл до конца: показатели охватывают только записанное

# Почему требование выполнено, не выполнено или не определено.
need-at-level = { $what } на требуемом уровне ({ $phase })
need-unmeasured = в прогоне не измерено: { $what }; это измерит { $command }
need-unmeasured-kind = в прогоне не измерено: { $what }; это измерит { $command }
need-met-too-short = выполнено в течение { $lasted }, а требуется { $lasting }; достаточно долго измеряет { $command }
need-unsettled-may-meet = ни один установившийся уровень не отвечает всем условиям; уровень при глубине { $depth } мог бы, но его скорость не установилась
need-met-fleetingly = выполнено только на более раннем коротком уровне, который не удержался; здесь — ближайший из удержавшихся
need-met-on-the-way = выполнено на промежуточном уровне; удержанный после него, при глубине { $depth }, исключён: { $struck }
need-not-met-on-the-way = не выполнено на промежуточном уровне; удержанный после него, при глубине { $depth }, исключён: { $struck }
need-no-level = скорость не установилась: { $why }
need-not-valid = показатели недействительны: { $why }
need-from-cache = операции обслуживал страничный кэш: это не показатели хранилища
need-limit-changed = во время измерения изменился предел контрольной группы secchi
need-generator = генератору не хватило процессора: хранилище, возможно, способно на большее
need-others = устройством одновременно пользовались другие процессы: без этой нагрузки хранилище, возможно, способно на большее
need-others-cpu = часть времени процессор был занят другими процессами: без этой нагрузки хранилище, возможно, способно на большее
need-closest = ни один уровень не отвечает всем условиям; ближайший — этот
need-too-close = слишком близко к границе или слишком мало отсчётов для вывода
need-errors = в этом прогоне операции завершались ошибкой; ни одно требование не может быть выполнено
need-few-operations = { $n ->
    [one] { $n } операция
    [few] { $n } операции
   *[other] { $n } операций
}: слишком мало, чтобы судить о требовании
need-met-by-last = выполнено только последним уровнем: { $course }

# Наблюдения.
found-beyond-limit = { $what } — { $row }: получено { $share } %; предел указан неверно или измерено не то хранилище
found-beyond-limit-several = { $what } — { $row }: получено до { $share } %; предел указан неверно или измерено не то хранилище
remedy-beyond-limit = проверьте указанный предел и убедитесь, что цель находится на купленном хранилище
doubt-limit-not-counted = скорость похожа на предел, превышения которого сам EBS не насчитал
seen-limit-not-counted = { $what }: скорость соответствует { $limit }; по данным EBS ни один предел не был превышен 1 % времени или больше
remedy-limit-not-counted = проверьте заданные пределы; поищите предел выше тома: контрольную группу, отображённое устройство, приложение
found-above-limit = { $what } — выше, чем { $row }: возможно, всплеск, слияние запросов, неверно указанный предел или кэш
found-above-limit-several = { $what } — выше, чем { $row }: возможно, всплеск, слияние запросов, неверно указанный предел или кэш
found-above-published = { $what } — выше, чем { $row }: возможно, предел неверно указан или с тех пор вырос, либо это кэш
found-above-published-several = { $what } — выше, чем { $row }: возможно, предел неверно указан или с тех пор вырос, либо это кэш
remedy-above-limit = проверьте указанный предел; измеряйте до конца всплеска; посмотрите сомнения о кэшировании
found-burst-credits = { $what } — выше, чем { $row }, за счёт кредитов: это ненадолго
found-burst-credits-several = { $what } — выше, чем { $row }, за счёт кредитов: это ненадолго
seen-credits = под нагрузкой { $loaded }; полных кредитов хватает на { $lasts }
remedy-burst-credits = рассчитывайте на базовый уровень; измеряйте до конца всплеска
found-merged = { $what } — выше, чем { $row }; соседние последовательные операции этот предел считает за одну: проверить его можно только случайными
found-merged-several = { $what } — выше, чем { $row }; соседние последовательные операции этот предел считает за одну: проверить его можно только случайными
found-published-limits = взяты опубликованные пределы: это верхняя граница, а не гарантия
published-on = опубликовано { $date }
published-undated = опубликовано без даты, могло измениться
published-long-ago = опубликовано { $date }, могло вырасти
above-published = { $what } больше максимума { $most }, опубликованного { $date }: с тех пор он мог вырасти, значение принято
above-published-undated = { $what } больше предела { $most }, опубликованного без даты: он мог вырасти, считается как указано
found-below-all-limits = { $what } — ниже любого известного предела; ближайший: { $row }
found-below-all-limits-several = { $what } — ниже любого известного предела; ближайший: { $row }
remedy-below-all-limits = ищите причину, которой нет среди пределов: общий путь, меньший предел экземпляра, файловая система
found-retrograde = { $what } — при чрезмерной нагрузке скорость падает: держите глубину { $depth } или меньше
found-retrograde-from-one = { $what } — при чрезмерной нагрузке скорость падает: держите глубину { $depth }
found-not-sustained = { $what } — скорость, достигнутая при наращивании, не удерживается: всплеск закончился, или устройством пользовались другие процессы
seen-in-ramp = { $rate } IOPS при наращивании, { $seconds } с
seen-held-for = { $rate } IOPS удержано { $seconds } с
remedy-not-sustained = рассчитывайте на удержанную скорость; измеряйте дольше, чтобы увидеть конец всплеска и восстановление
found-crossover = { $mode }: до { $up_to } ограничивает предел IOPS, с { $from } — предел пропускной способности; они пересекаются при { $cross } KiB

# Сравнения и ход во времени.
compare-left-out = есть не в каждом прогоне и исключено: { $names }
compare-held-at = при глубине { $depth } — прогонов { $n }
compare-ramp-level = { $what } — удержано { $held }: сравнивается уровень наращивания { $depth }
compare-runs-left-out = исключено { $n } из { $all } прогонов: { $why }
compare-no-ratio = одно из значений — ноль: отношения нет
compare-no-figure = этого показателя нет ни в одном прогоне
compare-few-runs = прогонов по { $n } с каждой стороны: для вывода этого мало
compare-few-runs-for = прогонов по { $n } с каждой стороны: этого мало для вывода сразу о { $figures } показателях
compare-few-runs-apart = прогонов { $n } и { $m }: этого мало для вывода
compare-few-runs-apart-for = прогонов { $n } и { $m }: этого мало для вывода сразу о { $figures } показателях
compare-scatter = слишком большой разброс между прогонами: понадобилось бы больше { $most }
compare-in-order = прогоны { $first } сделаны раньше всех прогонов { $last }: дрейф хранилища выглядел бы так же; `secchi ab` чередует их
compare-of-runs = { $n } из { $all } прогонов: { $remark }
trend-needs-runs = чтобы судить об изменении, нужно прогонов: { $needed }; с этим показателем их { $n }

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
}, скорость не установилась; одно из них: { $first }
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
limit-unconfirmed = { $limit }: опубликован, но измерения его опровергают, поэтому результаты с ним не сравниваются
