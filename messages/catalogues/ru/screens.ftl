# Перечисления и части предложений.
list-next = { $first }, { $next }
list-then = { $first }; { $next }
list-and = { $first } и { $last }
list-more = ещё { $n }
list-and-more = и ещё { $n }
list-told-and-more = { $told }; и ещё { $n }
list-others = ещё { $n }
told-of = { $what }: { $told }
told-with = { $told } ({ $aside })

# Слова на полях, не длиннее восьми знаков.
label-verdict = ВЫВОД
label-partial = НЕПОЛНО
label-limit = ПРЕДЕЛ
label-need = НУЖНО
label-trust = ДОВЕРИЕ
label-tags = МЕТКИ
label-note = ЗАМЕТКА
label-run = прогон
label-all = целиком
label-host = узел
label-storage = носитель
label-devices = диски
label-target = цель
label-targets = цели
label-fill = заполн.
label-engine = движок
label-sampled = счётчики
label-typed = введено
label-again = ещё раз
label-try = попробуйте:

# Заголовки таблиц: не длиннее чисел под ними.
head-binds = предел
head-what-binds = что ограничивает
head-engine = движок
head-operations = опер.
head-time = время
head-cpu-each = ЦП/оп.
head-share = доля
head-used = занято
head-target = цель
head-allows = предел IOPS
head-limit = предел
head-device = устройство
head-median = медиана

# Виды операций, этапов и целей.
op-read = чтение
op-write = запись
op-trim = TRIM
op-flush = сброс
op-reads = чтений
op-writes = записей
op-trims = TRIM
op-flushes = сбросов
role-probe = проба
role-ramp = наращивание
role-sweep = перебор
role-fixed = заданный
kind-file = файл
kind-device = устройство
kind-null = без устройства (пустая цель)
kind-served = на сервере
cache-direct = напрямую
cache-page = через страничный кэш

# Ответ на одном экране.
show-its-flushes = сбросы
show-more-doubts = { $n ->
    [one] и ещё { $n } сомнение или замечание
    [few] и ещё { $n } сомнения и замечания
   *[other] и ещё { $n } сомнений и замечаний
}
show-took = { $time }, ничего не записано
show-took-written = { $time }, записано { $written }
show-took-of-disk = { $time }, записано { $written }, { $share }
show-more-workloads = { $command } (ещё нагрузок: { $n })

# Как закончился неполный прогон.
partial-complete = завершён через { $time }
partial-interrupted = прогон принудительно завершён через { $time }, до конца
partial-running = прогон ещё идёт, прошло { $time }
partial-stopped = прогон остановлен через { $time }
partial-hung = прогон прекращён через { $time }: операции не вернулись
partial-failed = прогон прерван ошибками через { $time }
partial-damaged = журнал прогона повреждён начиная с { $time }: остальное нельзя считать измерением

# Требования и сомнения.
need-word-met = ВЫПОЛНЕНО
need-word-not-met = НЕ ВЫПОЛН.
need-word-undecided = НЕЯСНО
need-at = { $need }  (при глубине { $depth })
need-count-met = выполнено { $n }
need-count-not-met = не выполнено { $n }
need-count-undecided = неясно { $n }
need-counts = { $n ->
    [one] { $n } требование: { $told }
    [few] { $n } требования: { $told }
   *[other] { $n } требований: { $told }
}
trust-none = сомнений нет
trust-in-verdict = { $id }, см. вывод
trust-invalid = недействительно: { $n }
trust-doubts = { $n ->
    [one] { $n } сомнение
    [few] { $n } сомнения
   *[other] { $n } сомнений
}
trust-notes = { $n ->
    [one] { $n } замечание
    [few] { $n } замечания
   *[other] { $n } замечаний
}
trust-in-steps = в { $n } из { $all } шагов: { $told }
trust-at = { $what } при { $depths }
trust-from-to = от { $from } до { $to } { $what }

# Заголовки экрана результата.
show-delivered = получено и куплено
show-probes = пробы
show-as-given = заданные уровни
show-findings = наблюдения
show-measured-on = где измерено
show-block-sizes = размеры блока, { $mode }
show-in-flight = глубина { $n }
show-no-level = ни один уровень не измерен
show-chart-iops = IOPS в зависимости от глубины
show-chart-p99 = задержка p99

# Что ограничивает и далеко ли следующий предел.
binds-mark = предел
binds-at = достигнут { $name }
binds-headroom = запас { $room }
binds-wider = и ещё с большим запасом: { $n }

# Перегиб, N*, L0 и удержанная скорость.
knee-label = перегиб
knee-at-once = уже при глубине 1
knee-at-most = при глубине { $at } или меньше
knee-between = между глубинами { $below } и { $at }
knee-and-mean = { $place }; средняя задержка при { $at } — { $mean }
knee-not-reached = не достигнут при глубине { $deepest }
knee-not-resolved = не определён: { $why }
knee-agree = уровни от { $from } до { $to } совпадают, но для подтверждения перегиба их слишком мало или они слишком коротки
nstar-least = для наибольшей скорости нужна глубина не меньше { $n }
nstar-least-seen = для наибольшей измеренной скорости нужна глубина не меньше { $n }
nstar-without-l0 = { $told } (рассчитано с { $at_most } вместо L0)
nstar-gave = { $told }; при { $n } средняя задержка { $mean }
nstar-gave-share = { $told }; при { $n } — { $share } от неё, средняя задержка { $mean }
nstar-struck = { $told }; рассчитано по недействительной скорости
lzero-mean = средняя задержка { $l0 } при одной операции
lzero-mean-rate = средняя задержка { $l0 } при одной операции: { $rate } IOPS на каждую одновременную операцию
lzero-doubted = средняя задержка { $l0 } при одной операции, сомнительно: по скорости при глубине { $n } на каждую приходится не больше { $at_most }
sustained-label = удержано
sustained-struck = IOPS, исключено: { $why }
sustained-changed = { $rate } IOPS после смены уровня
sustained-interval = { $rate } { $half } (95 %-й интервал в этом прогоне, окон: { $n })
sustained-seconds = { $rate }, отдельные секунды от { $low } до { $high }
sustained-p99 = { $p99 } [{ $low }, { $high }]: 95 %-й интервал, блочный бутстрап по секундам

# Примечания под таблицей уровней.
level-struck = исключено: { $why }
level-settled = установился через { $after }
level-changed = сменил уровень: { $course }; показатели — последнего уровня
level-not-settled = не установился: { $why }
level-few-windows = слишком мало окон, чтобы оценить устойчивость скорости
level-no-interval = нет интервала: { $why }
level-failed = операций с ошибкой: { $n }; они не вошли ни в скорость, ни в задержку
level-little = закон Литтла не выполняется: X*R/N = { $share }, должно быть 1
level-see = см. ДОВЕРИЕ: { $ids }
level-mix = показатели в строках — по { $ops } вместе
level-too-short = слишком коротко, чтобы оценить устойчивость скорости
level-too-few = слишком мало: выше процентиля меньше 10 отсчётов
level-best = наибольшая скорость
level-held = удержан { $time }
level-held-changed = удержан, { $time } после изменения скорости
level-steady = устойчив
level-no-sign = без знака: слишком коротко, чтобы судить
no-room = не поместились: { $heads }

# Где измерено.
host-on = на { $hypervisor }
host-cpus = { $n } ЦП
host-allowed = { $what } (контрольная группа допускает { $most })
host-memory = память { $memory }
host-sampled = счётчиков: { $series }, замеров: { $looks }, расход { $share } % одного ядра (по { $each } времени ЦП)
host-filled = записано { $bytes } за { $time }, со сбросом: { $rate }
host-ceiling = потолок самого secchi: { $one } IOPS на поток при одной операции, { $deep } при 32
host-place = { $kind } { $path }, { $size }, { $cache }
host-run = { $id }, { $how } через { $time }, { $tool }, код завершения { $code }
host-run-part = { $id }, { $how } через { $time } ({ $share } от плана), { $tool }, код завершения { $code }

# Хранилище под целью.
stack-raw = устройство без файловой системы
stack-filesystem = { $fs } на { $place }, свободно { $free } из { $size }
stack-filesystem-options = { $fs } на { $place } ({ $options }), свободно { $free } из { $size }
stack-backed = поверх { $file }
stack-cache = кэш { $mode }
stack-scheduler = планировщик { $name }
stack-queue = глубина очереди { $n }
stack-largest = наибольший запрос { $size }
stack-blocks = логический/физический блок { $logical }/{ $physical } B
stack-rotates = сообщает, что вращается
stack-discards = поддерживает discard
stack-serial = серийный номер { $serial }

# Прогон в Markdown.
markdown-incomplete = Неполно: { $told }
markdown-tags = Метки: { $tags }
markdown-invalid = Недействительно
markdown-doubt = Сомнение
markdown-note = Замечание
head-count = число

# План: что найдено и что будет сделано.
label-plan = ПЛАН
label-opens = откроет
label-memory = память
label-direct = напрямую
label-limits = пределы
label-chosen = выбран
label-clock = часы
label-ceiling = потолок
label-writes = запись
label-then = потом
label-plan-needs = нужно
plan-found = найдено на этой машине
plan-done = запланировано
plan-at-most = не больше { $time }
plan-null-target = пустая цель
plan-of-one = { $command }: { $kind } { $path }, { $size }, { $cache }: этапов { $n }, тщательность { $time }; пока ничего не записано
plan-of-several = { $command }: целей одновременно { $several } ({ $paths }), по { $size }, { $cache }: этапов { $n }, тщательность { $time }; пока ничего не записано
plan-memory = доступно { $available } из { $memory }
plan-memory-allowed = контрольная группа допускает { $limit }
plan-no-direct = здесь нельзя: { $why }
plan-direct-grain = кратно { $grain } (определено через { $how })
plan-direct-unknown = кратность прямого ввода-вывода неизвестна
plan-no-limits = не заданы (--limit) и не найдены в контрольных группах
plan-head-on = опер.
plan-head-crossover = пересеч.
plan-head-burst = всплеск
plan-head-for = тип
plan-head-depth = глубина
plan-head-pace = скорость
plan-head-each = каждый
plan-head-most = не более
plan-declared = задан
plan-on-all = любые
plan-on-of = { $op } на { $targets }
plan-works = здесь работает
engine-undecided = auto: решается пробой, когда цель заполнена
engine-asked = { $engine }, как задано
engine-chosen = { $engine }, { $reason }: { $tried }
engine-by-trying = по пробным чтениям { $block } при глубине { $depth }
engine-confirmed = как в прогоне { $run }, подтверждено { $how }
engine-replaced = вместо { $before } из прогона { $run }, выбран { $how }
engine-all-failed = ошибки ввода-вывода у всех движков ({ $tried }), поэтому используется { $engine }
engine-tried = { $engine } { $rate } IOPS, ЦП { $cpu } на операцию
engine-tried-failed = { $engine }: { $trouble }
engine-tried-errors = ошибки ввода-вывода
engine-tried-nothing = { $engine }: за { $rounds } попытки ничего не завершилось
plan-clock = { $clock }, { $cost } на отметку времени; поток, занимавший процессор { $spin }, снимался с ЦП не дольше чем на { $most } (p99.9 { $p999 }, дольше 1 ms: { $long })
plan-ceiling = сам secchi, без устройства: { $one } IOPS на поток при одной операции, { $deep } при 32
plan-no-ceiling = потолок самого secchi не измерен
plan-levels = от { $first } до { $last }, уровней { $n }
plan-passes = { $levels }, проходов { $n }
plan-as-ramp = глубина, на которой закончилось наращивание
plan-pace-even = { $rate } IOPS, ровно
plan-pace-poisson = { $rate } IOPS, Пуассон
plan-early = Уровень завершается раньше, если ряд устойчив; наращивание — если глубина больше не даёт прироста.
plan-no-fill = заполнять не нужно: тестовый файл цел
plan-fill = сначала цель заполняется: { $bytes } несжимаемых данных
plan-no-writes = ни один этап не пишет
plan-writes = пишут { $n } из { $all } этапов, не дольше { $time }, со скоростью хранилища
plan-writes-at-most = пишут { $n } из { $all } этапов, не дольше { $time }, со скоростью хранилища (при заданных пределах не больше { $most })
plan-bound = всего не больше { $most } (--max-written; с --yes без предела)
announce-max-written = всего записывает не больше { $most }, включая заполнение тестового файла (больше: --max-written SIZE или --yes)
plan-share = { $bytes } — это { $share }
plan-written-before = раньше на него записано { $bytes }
plan-kept = тестовый файл сохраняется после прогона
plan-removed = тестовый файл удаляется после прогона
plan-hang = прогон прекращается, если операция длится дольше { $time }
plan-error-first = первая ошибка ввода-вывода завершает шаг
plan-error-count = ошибок ввода-вывода, завершающих шаг: { $n }
plan-error-go-on = ошибки ввода-вывода учитываются, но не завершают шаг

# Сравнения.
label-differs = отличие
compare-differs = { $name }: { $a } в A, { $b } в B
compare-worse = B хуже: { $figures }
compare-better = B лучше: { $figures }
compare-also-better = лучше: { $figures }
compare-all-same = нет изменений в пределах { $within }
compare-one-same = { $figure } — нет изменений в пределах { $within }
compare-several-same = { $figures } — нет изменений в пределах { $within }
compare-open = неясно, изменились ли: { $figures }
compare-open-more = неясно, изменились ли: { $figures } (нужно ещё прогонов с каждой стороны: { $n })
compare-runs = прогонов { $n }: { $runs }
compare-runs-by = прогонов { $n } ({ $tools }): { $runs }
compare-head-figure = показатель
compare-head-interval = 95 %-й интервал
compare-head-scatter = СКО A, B
compare-head-answer = ответ
range = от { $low } до { $high }
compare-changed-better = изменилось, лучше
compare-changed-worse = изменилось, хуже
compare-answer-same = то же в пределах { $within }
compare-answer-more = судить нельзя: ещё { $n }
compare-answer-open = судить нельзя
compare-legend = A, B: медианы прогонов, точка — прогон, относительно медианы A. Изменение: медиана всех отношений прогона B к прогону A (Ходжес — Леман) с 95 %-м интервалом. p: по рангам прогонов (Манн — Уитни). Показатель считается неизменным в пределах { $within }, если его интервал лежит между 1/{ $ratio } и { $ratio }.
compare-legend-holm = A, B: медианы прогонов, точка — прогон, относительно медианы A. Изменение: медиана всех отношений прогона B к прогону A (Ходжес — Леман) с 95 %-м интервалом. p: по рангам прогонов (Манн — Уитни), с поправкой на { $n } показателей (Холм). Показатель считается неизменным в пределах { $within }, если его интервал лежит между 1/{ $ratio } и { $ratio }.
metric-device-writes = записи устройств
several-needs-met = требования выполнены в { $met } из { $all } прогонов
several-range = { $workload }: от { $low } до { $high } в секунду (±{ $half })
several-compare = чтобы сравнить две конфигурации, измерьте каждую пять раз: secchi compare A... -- B...
several-relative = Изменения — относительно первого прогона.

# Таблица сохранённых прогонов.
runs-none = прогонов пока нет; первый: `secchi qualify PATH`
runs-head-command = команда
runs-head-took = длился
runs-head-tags = метки
runs-note = заметка: { $note }

# Ход во времени.
label-runs = ПРОГОНЫ
label-doubt = СОМНЕНИЕ
label-figures = ДАННЫЕ
label-level = УРОВЕНЬ
label-levels = УРОВНИ
label-change = СМЕНА
trend-plan = план { $plan }
trend-runs = прогонов { $n }, с { $from } по { $to }
trend-no-figures = ни у одного прогона нет достоверного показателя
trend-changes = { $n ->
    [0] без изменений
    [one] { $n } изменение
    [few] { $n } изменения
   *[other] { $n } изменений
}
trend-no-change-told = изменения не определены, среднего нет: { $why }
trend-mean = среднее { $mean } ({ $range })
trend-level = { $figure }; прогонов { $n }, от #{ $from } ({ $begin }) до #{ $to } ({ $end })
trend-not-drawn = первые прогоны ({ $n }) на графике не показаны
trend-table = прогоны, последний — самый новый
trend-head-exit = код
trend-further = ещё показатели ({ $n }) — на графиках выше и в --json
trend-dash = - = исключено или не измерено

# Строка идущего прогона.
doing-fill = заполнение
doing-left = осталось { $left }

# Страницы.

# Экран прогона базы данных.
label-what = что
label-how = как
label-set = парам.
label-with = вместе
label-checked = проверка
dbview-database = база данных
dbview-what = { $name }, { $directory }: данных { $data } в страницах по { $page }
dbview-nodes = имена узлов: { $names }
dbview-growth = Рост
dbview-new-nodes = новых узлов: { $n }
dbview-before = до
dbview-after-growth = после
dbview-grown = длина
dbview-allocated = выделено
dbview-all-files = все файлы
dbview-inserted-in-order = каждый ключ после предыдущего; размер файла — его длина, размер всех файлов в каталогах базы — выделенное им место
dbview-inserted-anywhere = ключи в случайных местах среди прежних; размер файла — его длина, размер всех файлов в каталогах базы — выделенное им место
dbview-amplified = до конца обратной записи на устройства записано { $written } при { $bytes } значений: { $factor } байта на байт значений
dbview-amplified-device = до конца обратной записи на устройства всеми процессами записано { $written } при { $bytes } значений: { $factor } байта на байт значений
dbview-indexes = вторичных индексов у каждого глобала: { $n }
dbview-past-cache = файлы в обход страничного кэша
dbview-through-cache = файлы через страничный кэш
dbview-cache = кэш движка { $cache }, { $files }
dbview-journal-on = журнал включён, { $commit }
dbview-journal-off = журнал ОТКЛЮЧЁН, { $commit }
dbview-group = другие из группы { $group }
dbview-updates = обновления
dbview-inserts = вставки
dbview-commits = фиксации
dbview-transactions = транзакции
dbview-reads = чтения
dbview-blocks = блоки
dbview-workers = { $n ->
    [one] { $n } процесс
    [few] { $n } процесса
   *[other] { $n } процессов
}
dbview-class-workers = { $class }, процессов: { $n }
dbview-waves = волн: { $n }
dbview-blocks-read = блоки по { $block } из файлов самой базы, в обход всех кэшей
dbview-engine-blocks = блоки по { $page } читает сам движок, в обход страничного кэша и собственного; счётчики движка могут их не учитывать
dbview-engine-blocks-cached = блоки по { $page } читает сам движок, через страничный кэш; счётчики движка могут их не учитывать
dbview-batch = транзакции по { $batch } обновлений, время — от начала до завершения фиксации
dbview-batch-reads = { $percent } % пакетов — чтения
dbview-law-poisson = через случайные промежутки
dbview-law-fixed = через равные промежутки
dbview-arrivals = срок наступал у { $asked } пакетов в секунду { $law }, начато { $begun }; опоздание { $p50 } (p50), { $p99 } (p99), не более { $longest }; задержка считается от срока
dbview-pause = пауза после каждого пакета: задано { $asked }, в среднем фактически { $made }; паузы заняли { $share } времени и в задержки не входят
dbview-moved = сменил уровень: { $moved }; показатели — последнего уровня
dbview-moved-no-rate = сменил уровень: { $moved }; скорость не установилась
dbview-rate = { $rate } операций/с
dbview-few = -: выше этого процентиля меньше 10 операций
dbview-head-processes = процессы
dbview-head-asked = задано/с
dbview-head-reads = чтений/с
dbview-head-updates = обновл./с
dbview-head-writes = записей/с
dbview-head-gain = прирост
dbview-last-gain = последний, давший прирост не меньше 10 %
dbview-best = наибольшая скорость
dbview-accepted = принято: { $wanted }
dbview-met = выполнено: { $needs }
dbview-of-reads = задержка чтений
dbview-of-transactions = задержка целых транзакций
dbview-of-updates = задержка обновлений
dbview-accepted-up-to = принято до { $n } процессов
dbview-none-accepted = ни одно число процессов не принято
dbview-chart-rate = операций/с в зависимости от числа процессов
dbview-hosts = по узлам
dbview-below = чтение и запись на нижних слоях
dbview-counted-by = источник
dbview-row-all = сумма
dbview-row-everybody = все процессы
dbview-whole-of = весь ввод-вывод { $names }
dbview-by-group = по контрольной группе процессов движка, за измеренные { $time }
dbview-by-processes = по учёту ядра для процессов движка, запись — при отправке, за измеренные { $time }
dbview-by-device = по устройствам целиком, кто бы ими ни пользовался, за измеренные { $time }
dbview-others-estimated = по оценке, { $share } — других процессов
dbview-others-unknown = доля других процессов неизвестна
dbview-others = { $share } байтов устройства — других процессов и журнала файловой системы
dbview-others-range = от { $least } до { $most } байтов устройства — других процессов и журнала файловой системы
dbview-sent = записано от { $least } до { $most }: первое учтено за группой, второе отправили процессы (страница, отправленная дважды, может быть записана один раз или позже ядром)
dbview-not-told-apart = ввод-вывод не разделить по процессам: { $why }
dbview-after-processes = после прогона: за { $time } процессы движка записали { $written } и прочли { $read }
dbview-after-devices = после прогона: за { $time } на устройствах целиком записано { $written } и прочитано { $read }
dbview-mgstat = счётчики движка с именами mgstat
dbview-mgstat-absent = движок не сообщает: { $names }
dbview-most = наиб.
dbview-in-run = за прогон
dbview-engine = движок
dbview-counted = счётчики
dbview-write-back = фазы обратной записи
dbview-between = транзакции между
dbview-during = транзакции во время
dbview-commits-between = фиксации между
dbview-commits-during = фиксации во время
dbview-waits = время ожидания файлов: { $roles }
dbview-waited = { $role } ({ $sessions } времени вызовов сеансов, { $writers } прогона у фоновой записи)
layout-worth = перенести { $moved } стоит: { $figures }
layout-worse = переносить { $moved } не стоит: { $figures }
layout-no-difference = перенос { $moved } не даёт разницы больше { $share }: { $figures }
layout-mixed = перенос { $moved } одни показатели улучшает, другие ухудшает: { $figures }
layout-cannot-tell = по этим прогонам нельзя сказать, стоит ли переносить { $moved }: { $figures }
layout-binds = ограничивает том { $role }: сеансы ждут его { $share } времени
layout-binds-none = ни один том не ограничивает: дольше всего сеансы ждут { $role }, { $share } времени
layout-binds-unknown = движок не сообщает, чего ждут сеансы
layout-grows = прогонов, где обновления опережали обратную запись: { $n }
layout-lies = { $role } в { $at }
layout-lies-on = { $role } в { $at } ({ $devices })
layout-untested = медианы прогонов, статистически не проверялись; A — текущее расположение
layout-more = с --full: расположение ролей, график, фиксации по фазам, замечания и прогоны
dbview-times = раз: { $n }, в среднем { $mean }, не дольше { $most }, { $share } прогона
dbview-pages = по { $pages } страниц
dbview-backlog = очередь
dbview-backlog-is = не больше { $most } страниц, в конце { $last }
dbview-backlog-level = { $told }: обратная запись успевает
dbview-backlog-grows = { $told }: растёт на { $slope } страниц/с, долго так продолжаться не может
dbview-backlog-gathers = { $told }: за прогон обратной записи не было
dbview-backlog-short = { $told }; слишком мало отсчётов, чтобы судить о росте
dbview-no-history = на этой базе прогонов ещё не было; чтение: `secchi db ranread DIR`
dbview-head-batch = пакет
dbview-head-date = дата
dbview-head-clock = время
dbview-head-journal = журнал
dbview-head-commit = фиксация
dbview-on = вкл.
dbview-off = выкл.
dbview-partial = неполно
dbview-history-legend = задержка чтений, если они есть, иначе целых транзакций
dbview-history-earlier = более ранние пакеты ({ $n }): --full
dbview-rows = { $n ->
    [one] { $n } строка
    [few] { $n } строки
   *[other] { $n } строк
}

# Что показала трассировка блочного слоя.
traced-layers = ввод-вывод по слоям: { $label }
traced-device = ввод-вывод у устройства: { $label }
traced-more = гистограммы, процессы и слои каждого шага: secchi show --json
traced-processes-legend = чтения и записи при входе в блочный слой, до слияния; фоновую запись страничного кэша отправляют потоки ядра, такие как kworker, а запись при fsync — сам процесс
traced-aside = трассировка { $length }, { $share } одного ЦП
traced-none = ни один запрос не дошёл до устройства
traced-4m = 4 MiB и больше
traced-fewer = и ещё { $n } с меньшим числом запросов
traced-head-bytes = байты
traced-head-size = ср. размер
traced-head-mostly = чаще всего
traced-head-order = подряд
traced-head-time = ср. время
traced-head-queued = в очереди
traced-head-layer = слой
layer-application = приложение
layer-calls = системные вызовы
layer-process = процесс, к блочным устройствам
layer-dirtied = страничный кэш, изменено
layer-written-back = страничный кэш, записано обратно
layer-queued = блочный слой, до слияния
layer-requests = блочный слой, после слияния

# Что стоит рядом с прогоном в списке.
listed-rate = { $rate } { $kind }/с
listed-no-rate = { $kind }, скорость не установилась

# Сводка наблюдения.
view-alarms = тревоги
view-head-alert = тревога
view-head-of = где
view-head-worst = худшее
view-head-since = с
view-to-the-end = до конца
view-devices = устройства, ввод-вывод всех процессов
view-looks = { $looks ->
    [1] { $looks } замер за { $time }
   *[other] замеров { $looks } за { $time }
}
view-head-slowest = худшее
view-head-merged = слито
view-head-queue = очередь
view-head-busy = занято
view-devices-legend = ср. время: от постановки в очередь до завершения, взвешено по запросам; худшее: наибольшее среднее одного отрезка; занято: доля времени с запросом в работе. Это не загрузка: устройство, выполняющее много запросов сразу, показывает 100 % задолго до предела
view-idle = простой
view-flushes = сбросов { $n }
view-discards = discard { $n }
view-limits = пределы, сумма посекундно
view-full-from = предел достигнут: от 97 %
view-head-cap = предел
view-head-full = достигн.
view-head-longest = подряд
view-never = никогда
view-shares-full = { $cap }, пока предел достигнут: { $shares }
view-shares-all = { $cap }, за весь прогон: { $shares }
view-sum-of-maxima = сумма отдельных максимумов — { $sum }, но они были в разное время
view-left-out = без { $names }: эти операции учтены в устройстве под ним
view-command = команда
view-process = процесс { $pid }
label-command = команда
label-used = расход
view-used-bytes = с блочных устройств прочитано { $read }, записано { $written }
view-used-wait = по wait4 прочитано { $read }, записано { $written }
view-used-cpu = время ЦП: { $user } пользователя и { $system } системы
view-used-switches = переключений контекста { $n }
view-used-memory = не больше { $memory } в памяти
view-used-with-children = { $told }, вместе с дочерними процессами, которых она дождалась
view-processes = процессы, каждый с потомками
view-head-process = процесс
view-head-read = прочитано
view-head-written = записано
view-head-user = ЦП польз.
view-head-system = система
view-head-switches = перекл./с
view-hidden = скрыто
view-processes-legend = байты, отправленные ядром на блочные устройства за процесс; ЦП — в процентах одного ядра
view-top = процессы с наибольшим вводом-выводом
view-head-program = программа
view-head-read-calls = вызовы чтения
view-head-write-calls = вызовы записи
view-head-wait = ожидание
view-head-most-bytes = наиб. МБ/с
view-top-others = остальные
view-top-legend = учёт начинается с интервала, в котором процесс впервые вошёл в число первых; более ранний ввод-вывод относится к «остальным». Ввод-вывод дочернего процесса после его последнего отсчёта относится к родителю, дождавшемуся его завершения. Запись учитывается, когда изменяется страничный кэш; вызовы включают каналы и сокеты, но не io_uring и Linux AIO
view-top-no-waits = время ожидания ввода-вывода процессами неизвестно: ядро его не учитывает (sysctl kernel.task_delayacct=1 включает учёт для процессов, запущенных позже)
view-groups = контрольные группы процессов
view-charged = ввод-вывод по учёту, до слияния
view-head-group = группа
view-head-most-iops = наиб. IOPS
view-head-stopped = остановка
view-head-memory = память
view-no-io = ввода-вывода не было
view-group-free = { $name }: процесс { $processes }; пределов нет
view-group-allowed = { $name }: процесс { $processes }; разрешено: { $allowed }
view-machine = машина
view-machine-aside = среднее и максимум за отрезок
label-waiting = ожидание
label-cpu = ЦП
view-and-most = { $mean } (до { $most })
view-cpu-user = пользователь { $told }
view-cpu-system = система { $told }
view-cpu-wait = ожидание ввода-вывода { $told }
view-cpu-stolen = отнято { $told }
view-dirty = грязных страниц { $told }
view-writeback = записывается { $told }
view-available = доступно { $told }
view-some-io = часть задач ждёт ввода-вывода { $told }
view-all-io = каждая задача ждёт ввода-вывода { $told }
view-some-memory = часть задач ждёт памяти { $told }
view-some-cpu = часть задач ждёт ЦП { $told }
view-on-the-way = по ходу
view-more-notes = и ещё { $n }; полный список — в secchi show --json

# Строки наблюдения по ходу.
view-no-look-io = нет I/O
view-late = с опозданием: средние за { $seconds } с
view-cpu = ЦП { $user } % пользователь, { $system } система, { $wait } iowait, { $steal } отнято
view-memory = грязных страниц { $dirty }, записывается { $back }
view-waiting = ожидание ввода-вывода { $share } %
view-idle-devices = { $n ->
    [one] простаивает { $n } устройство
    [few] простаивают { $n } устройства
   *[other] простаивают { $n } устройств
}
view-process-line = процесс { $name }: { $told }
view-process-bytes = прочитано { $read }, записано { $written }
view-process-calls = вызовов в секунду: чтения { $reads }, записи { $writes }
view-top-line = наибольший ввод-вывод: { $process }: { $told }
view-top-line-in = наибольший ввод-вывод: { $process } в { $group }: { $told }
view-top-wait = ожидание ввода-вывода { $share } %
view-core = { $share } % ядра
view-group-line = группа { $name }: { $told }
view-group-line-allowed = группа { $name }: { $told } (разрешено: { $allowed })
view-group-io = { $rate } IOPS { $bytes } на { $device }
view-group-stopped = остановлена квотой ЦП на { $share } %
view-group-memory = память { $memory }
view-submitters-line = { $device } по процессам: { $processes }
view-submitter = { $process } { $rate } IOPS { $bytes }

# Живая картина наблюдения.
view-every = каждые { $time }
view-held = ПАУЗА, с тех пор замеров: { $n }
view-late-board = с опозданием: средние за { $seconds } с
view-all-together = в сумме
view-no-sizes = размеров нет: блочный слой трассируется с --trace-blocks, от root (b: графики)
view-sizes-last = размеры запросов у { $name }, последний отрезок: { $time }
view-sizes-all = размеры запросов у { $name }, с начала: { $time }
view-over = { $name }, поверх { $devices }
view-taller = (чтобы увидеть больше, увеличьте терминал или прочтите сводку в конце)
view-mean-time = задержка
view-plot-queue = очередь
view-in-flight = в работе
view-plot-most = наиб. { $most }
view-first-look = ожидание первого замера
view-limits-line = пределы  { $told }
view-cpu-board = ЦП %  польз. { $user } система { $system } iowait { $wait } отнято { $steal }   ожидание I/O % { $some }   грязных MiB { $dirty } запись { $back }
view-foot = q выход  ? клавиши  ↑/↓ устройство  b размеры  +/- { $span }  p пауза  s сумма  r роли
view-keys = клавиши
view-keys-move = ↑, ↓, Tab       другое устройство; графики — выбранного
view-keys-sum = s               сумма: без устройств поверх других
view-keys-sizes = b               размеры запросов: с начала, последнего
view-keys-sizes-more = отрезка, снова графики (с --trace-blocks)
view-keys-span = +  -            дольше или короче
view-keys-hold = p, пробел       остановить картину; замеры продолжаются
view-keys-roles = r               роли или имена ядра
view-keys-help = ?               показать или убрать это окно
view-keys-quit = q, Ctrl-C       закончить наблюдение и показать сводку
view-keys-await = await: среднее время от постановки до завершения. busy: время с запросом
view-keys-busy = в работе; при параллельных запросах 100 — ещё не предел.

# Тест дисков.
mark-asked = { $size } { $times } проходов { $loops } по { $seconds } с, { $data }
mark-asked-cached = { $asked }, через страничный кэш
mark-zeros = нули
mark-random = случайные данные
mark-nothing = ничего не измерено
mark-read = чтение { $rate }
mark-write = запись { $rate }
mark-mix = смесь { $rate }
mark-not-valid = недействительно: { $trouble }; { $told }
mark-stopped = остановлен до конца; { $told }
mark-no-end = принудительно завершён, не дойдя до конца; { $told }
mark-running = ещё идёт; { $told }
mark-hung = завис: { $reason }; { $told }
mark-failed = ошибка: { $reason }; { $told }
mark-damaged = повреждён, показателей нет: { $reason }; { $told }
mark-heading-read = ЧТЕНИЕ
mark-heading-write = ЗАПИСЬ
mark-heading-mix = СМЕСЬ  чтений { $reads } %, записей { $writes } %, одновременно
mark-head-loops = проходы
mark-loop-of = проход { $turn } из { $planned }
mark-loops-of = { $done } из { $planned }
mark-try = { $doubt }; попробуйте: { $remedy }
mark-sum = сумма узлов ({ $n }): { $hosts }
mark-by-host = ПО УЗЛАМ, лучший проход
mark-from-to = от { $slowest } до { $fastest }
mark-one-loop = по одному проходу; MB/s = 10^6 байт/с
mark-best-of = показатели лучшего из { $n } проходов, рядом медиана; MB/s = 10^6 байт/с
mark-again = показать ещё раз картинкой или текстом:
mark-legend = MB/s — 10^6 байт/с; IOPS, среднее и p99 — лучшего прохода.

# Сомнения после вывода fio и ioping.
fio-trust-nothing = сомнений нет
fio-trust-incomplete = не завершено
fio-trust-invalid = НЕДЕЙСТВИТЕЛЬНО
fio-trust-doubt = СОМНЕНИЕ
fio-trust-note = замечание
fio-trust-verified = прочитано и сверено блоков: { $blocks }, ошибок нет
fio-trust-interrupted = прогон принудительно завершён, не дойдя до конца
fio-trust-running = прогон ещё идёт
fio-trust-stopped = прогон остановлен до конца
fio-trust-hung = часть операций не вернулась; в показателях только завершённые
fio-trust-failed = прогон завершился из-за ошибок
fio-trust-damaged = журнал прогона повреждён: показатели — по тому, что удалось прочитать
fio-trust-thin = { $name }: процентили начиная с { $first } опираются менее чем на 10 операций (всего операций: { $ops })
ping-not-valid = недействительно
ping-doubt = сомнение
ping-from-due = задержки от срока; только обслуживание: в среднем { $avg }, макс. { $max }; наибольшее ожидание отправки: { $wait }

# Какая доля диска записана.
share-tiny = менее 0,01 %
share-of-disk = { $share } от { $name } ({ $size })
share-of-disk-and-endurance = { $share } от { $name } ({ $size }), { $endurance } его ресурса
