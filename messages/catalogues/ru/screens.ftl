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
label-limit = ЛИМИТ
label-need = НУЖНО
label-trust = ДОВЕРИЕ
label-tags = МЕТКИ
label-note = ЗАМЕТКА
label-run = запуск
label-all = всё
label-host = узел
label-storage = носитель
label-devices = диски
label-target = цель
label-targets = цели
label-fill = заливка
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
head-allows = допускает IOPS
head-limit = лимит
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
kind-null = ничто (пустая цель)
kind-served = на сервере
cache-direct = напрямую
cache-page = через страничный кэш

# Ответ на одном экране.
show-its-flushes = её сбросы
show-more-doubts = { $n ->
    [one] и ещё { $n } сомнение или замечание
    [few] и ещё { $n } сомнения и замечания
   *[other] и ещё { $n } сомнений и замечаний
}
show-took = { $time }, ничего не записано
show-took-written = { $time }, записано { $written }
show-took-of-disk = { $time }, записано { $written }, { $share }
show-more-workloads = { $command } (ещё нагрузок: { $n })

# Как закончился неполный запуск.
partial-complete = завершён через { $time }
partial-interrupted = запуск прерван через { $time }, до своего конца
partial-running = запуск ещё идёт, прошло { $time }
partial-stopped = запуск остановлен через { $time }
partial-hung = запуск оставлен через { $time }: операции не вернулись
partial-failed = запуск прерван ошибками через { $time }
partial-damaged = журнал запуска повреждён через { $time }, и остаток его — не измерение

# Требования и сомнения.
need-word-met = ВЫПОЛНЕНО
need-word-not-met = НАРУШЕНО
need-word-undecided = НЕЯСНО
need-at = { $need }  (при глубине { $depth })
need-count-met = выполнено { $n }
need-count-not-met = нарушено { $n }
need-count-undecided = неясно { $n }
need-counts = { $n ->
    [one] { $n } требование: { $told }
    [few] { $n } требования: { $told }
   *[other] { $n } требований: { $told }
}
trust-none = сомнений не найдено
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
show-as-given = как задано
show-answer = ответ
show-findings = наблюдения
show-measured-on = где измерено
show-block-sizes = размеры блока, { $mode }
show-in-flight = глубина { $n }
show-no-level = ни один уровень не измерен
show-chart-iops = IOPS от глубины
show-chart-p99 = задержка p99

# Что ограничивает и далеко ли следующий предел.
binds-mark = { $sign } предел
binds-at = { $sign } упёрлось в { $name }
binds-headroom = запас { $room }
binds-wider = и ещё более широких: { $n }

# Перегиб, N*, L0 и удержанная скорость.
knee-label = перегиб
knee-at-once = уже при глубине 1
knee-at-most = при глубине { $at } или меньше
knee-between = между глубинами { $below } и { $at }
knee-and-mean = { $place }; среднее при { $at } — { $mean }
knee-not-reached = не достигнут при глубине { $deepest }
knee-not-resolved = не определён: { $why }
knee-agree = глубины от { $from } до { $to } совпадают, но их мало или они коротки для доказательства
nstar-least = наибольшей скорости нужна глубина не меньше { $n }
nstar-least-seen = наибольшей увиденной скорости нужна глубина не меньше { $n }
nstar-without-l0 = { $told } (посчитано с { $at_most } вместо L0)
nstar-gave = { $told }; при { $n } среднее { $mean }
nstar-gave-share = { $told }; при { $n } — { $share } от неё, среднее { $mean }
nstar-struck = { $told }; опирается на вычеркнутую скорость
lzero-mean = среднее { $l0 } при одной операции
lzero-mean-rate = среднее { $l0 } при одной операции: { $rate } IOPS на каждую
lzero-doubted = среднее { $l0 } при одной операции, сомнительно: при глубине { $n } на каждую остаётся не больше { $at_most }
sustained-label = удержано
sustained-struck = IOPS, вычеркнуто: { $why }
sustained-changed = { $rate } IOPS после смены уровня
sustained-interval = { $rate } { $half } (95 %-й интервал в этом запуске, окон: { $n })
sustained-seconds = { $rate }, отдельные секунды от { $low } до { $high }
sustained-p99 = { $p99 } [{ $low }, { $high }]: 95 % повторной выборкой секунд блоками

# Примечания под таблицей уровней.
level-struck = вычеркнуто: { $why }
level-settled = установился через { $after }
level-changed = сменил уровень: { $course }; показатели — последнего уровня
level-not-settled = не установился: { $why }
level-few-windows = слишком мало окон, чтобы судить об устойчивости
level-no-interval = нет интервала: { $why }
level-failed = не удалось операций: { $n }; их нет ни в скорости, ни в задержке
level-little = закон Литтла не сходится: X*R/N = { $share }, должно быть 1
level-see = см. ДОВЕРИЕ: { $ids }
level-mix = строки — вместе: { $ops }
level-too-short = слишком коротко, чтобы судить об устойчивости
level-too-few = слишком мало: за ним меньше 10 операций
level-not-shown = не поместилось по ширине: { $heads }
level-best = наибольшая скорость
level-held = удержан { $time }
level-held-changed = удержан, { $time } после смены
level-steady = устойчив
level-no-sign = без знака: слишком коротко
no-room = не поместилось: { $heads }

# Где измерено.
host-on = на { $hypervisor }
host-cpus = { $n } ЦП
host-allowed = { $what } (контрольная группа допускает { $most })
host-memory = память { $memory }
host-sampled = счётчиков: { $series }, раз: { $looks }, ценой { $share } % одного ядра (по { $each } времени ЦП)
host-filled = { $bytes } записано за { $time }, со сбросом: { $rate }
host-ceiling = сам secchi может { $one } IOPS на поток при одной операции, { $deep } при 32
host-place = { $kind } { $path }, { $size }, { $cache }
host-run = { $id }, { $how } через { $time }, { $tool }, код завершения { $code }
host-run-part = { $id }, { $how } через { $time } ({ $share } от плана), { $tool }, код завершения { $code }

# Хранилище под целью.
stack-raw = голое устройство без файловой системы
stack-filesystem = { $fs } на { $place }, свободно { $free } из { $size }
stack-filesystem-options = { $fs } на { $place } ({ $options }), свободно { $free } из { $size }
stack-backed = поверх { $file }
stack-cache = кэш { $mode }
stack-scheduler = планировщик { $name }
stack-queue = очередь { $n }
stack-largest = наибольший запрос { $size }
stack-blocks = логический/физический блок { $logical }/{ $physical } B
stack-rotates = называет себя вращающимся
stack-discards = умеет discard
stack-serial = серийный номер { $serial }

# Запуск в Markdown.
markdown-incomplete = Неполно: { $told }
markdown-wave = { $class } при { $n }, { $time }
markdown-tags = Метки: { $tags }
markdown-invalid = Недействительно
markdown-doubt = Сомнение
markdown-note = Замечание
markdown-held = { $n } (удержан)
markdown-struck = не показатель: { $why }
head-count = число

# План: что найдено и что будет сделано.
label-plan = ПЛАН
label-opens = откроет
label-memory = память
label-direct = напрямую
label-limits = лимиты
label-engines = движки
label-chosen = выбран
label-clock = часы
label-ceiling = потолок
label-writes = запись
label-then = потом
label-plan-needs = нужно
plan-found = найдено на этой машине
plan-done = будет сделано
plan-at-most = не больше { $time }
plan-null-target = пустая цель
plan-of-one = { $command }: { $kind } { $path }, { $size }, { $cache }: этапов { $n }, тщательность { $time }; ничего ещё не записано
plan-of-several = { $command }: целей рядом { $several } ({ $paths }), по { $size }, { $cache }: этапов { $n }, тщательность { $time }; ничего ещё не записано
plan-memory = доступно { $available } из { $memory }
plan-memory-allowed = контрольная группа допускает { $limit }
plan-no-direct = здесь нельзя: { $why }
plan-direct-grain = кратно { $grain } (найдено через { $how })
plan-direct-unknown = кратность прямого ввода-вывода не известна
plan-no-limits = не заданы (--limit) и не найдены в контрольных группах
plan-head-on = на
plan-head-crossover = перелом
plan-head-burst = всплеск
plan-head-for = роль
plan-head-depth = глубина
plan-head-pace = темп
plan-head-each = каждый
plan-head-most = не более
plan-declared = задан
plan-on-all = всё
plan-on-of = { $op } на { $targets }
plan-works = здесь работает
plan-clock = { $clock }, { $cost } на отметку; поток, крутившийся { $spin }, был снят с ЦП не дольше { $most } за раз (p99.9 { $p999 }, дольше 1 ms: { $long })
plan-ceiling = сам secchi, впустую: { $one } IOPS на поток при одной операции, { $deep } при 32
plan-no-ceiling = собственный потолок secchi не измерен
plan-levels = от { $first } до { $last }, уровней { $n }
plan-passes = { $levels }, проходов { $n }
plan-as-ramp = где кончилось наращивание
plan-pace-even = { $rate } IOPS, ровно
plan-pace-poisson = { $rate } IOPS, Пуассон
plan-early = Уровень кончается раньше, когда ряд устойчив, наращивание — когда глубина ничего не прибавляет.
plan-no-fill = заливать нечего: тестовый файл цел
plan-fill = сначала цель заливается { $bytes } несжимаемых данных
plan-no-writes = ни один этап не пишет
plan-writes = пишут { $n } из { $all } этапов, не дольше { $time }, сколько примет хранилище
plan-writes-at-most = пишут { $n } из { $all } этапов, не дольше { $time }, сколько примет хранилище (при заданных лимитах не больше { $most })
plan-bound = всего не больше { $most } (--max-written; --yes: без границы)
announce-max-written = записывает всего не больше { $most }, включая заполнение тестового файла (больше: --max-written SIZE или --yes)
plan-share = { $bytes } — это { $share }
plan-written-before = раньше на него записано { $bytes }
plan-kept = тестовый файл остаётся
plan-removed = тестовый файл потом удаляется
plan-hang = запуск бросается, если операция длится дольше { $time }
plan-error-first = первая ошибка ввода-вывода кончает шаг
plan-error-count = ошибок ввода-вывода, кончающих шаг: { $n }
plan-error-go-on = ошибки ввода-вывода считаются и ничего не кончают

# Сравнения.
label-differs = отличие
compare-differs = { $name }: { $a } в A, { $b } в B
compare-differs-line = отличие: { $told }
compare-worse = B хуже: { $figures }
compare-better = B лучше: { $figures }
compare-also-better = лучше: { $figures }
compare-all-same = всё одинаково в пределах { $within }
compare-one-same = { $figure } — без изменений в пределах { $within }
compare-several-same = { $figures } — без изменений в пределах { $within }
compare-open = нельзя судить: { $figures }
compare-open-more = нельзя судить: { $figures } (запустите ещё { $n } с каждой стороны)
compare-runs = запусков { $n }: { $runs }
compare-runs-by = запусков { $n } ({ $tools }): { $runs }
compare-head-figure = показатель
compare-head-interval = 95 %-й интервал
compare-head-scatter = СКО A, B
compare-head-answer = ответ
range = от { $low } до { $high }
compare-changed-better = изменилось, лучше
compare-changed-worse = изменилось, хуже
compare-answer-same = то же в пределах { $within }
compare-answer-more = нельзя судить: ещё { $n }
compare-answer-open = нельзя судить
compare-legend = A, B: медианы запусков, точка — запуск, относительно медианы A. Изменение: медиана всех отношений запуска B к запуску A (Ходжес — Леман) с 95 %-м интервалом. p: по рангам запусков (Манн — Уитни). Показатель тот же в пределах { $within }, если его интервал лежит между 1/{ $ratio } и { $ratio }.
compare-legend-holm = A, B: медианы запусков, точка — запуск, относительно медианы A. Изменение: медиана всех отношений запуска B к запуску A (Ходжес — Леман) с 95 %-м интервалом. p: по рангам запусков (Манн — Уитни), с поправкой на { $n } показателей (Холм). Показатель тот же в пределах { $within }, если его интервал лежит между 1/{ $ratio } и { $ratio }.
metric-device-writes = записи устройств

# Таблица сохранённых запусков.
runs-none = запусков пока нет; первый делает `secchi qualify PATH`
runs-head-command = команда
runs-head-took = длился
runs-head-tags = метки
runs-note = заметка: { $note }

# Ход во времени.
label-runs = ЗАПУСКИ
label-doubt = СОМНЕНИЕ
label-figures = ЧИСЛА
label-level = УРОВЕНЬ
label-levels = УРОВНИ
label-change = СМЕНА
trend-plan = план { $plan }
trend-runs = запусков { $n }, с { $from } по { $to }
trend-no-figures = ни у одного запуска нет показателя, признанного годным
trend-changes = { $n ->
    [0] без изменений
    [one] { $n } изменение
    [few] { $n } изменения
   *[other] { $n } изменений
}
trend-no-change-told = не указано, и среднего нет: { $why }
trend-mean = среднее { $mean } ({ $range })
trend-level = { $figure }; запусков { $n }, от #{ $from } ({ $begin }) до #{ $to } ({ $end })
trend-not-drawn = первые запуски ({ $n }) не нарисованы
trend-table = запуски, новейший последним
trend-head-exit = код
trend-further = ещё показатели ({ $n }) — на графиках выше и в --json
trend-dash = - = вычеркнуто или не измерено

# Строка идущего запуска.
doing-preflight = осмотр
doing-fill = заливка
doing-left = осталось { $left }

# Страницы.
html-database = { $engine } { $version }, данных { $data }, кэш { $cache }, { $commit }

# Экран запуска базы данных.
label-what = что
label-how = как
label-set = параметры
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
dbview-inserted-in-order = каждый ключ за последним; файлы — по длине, все файлы (всё в каталогах базы) — по выделенному месту
dbview-inserted-anywhere = ключи — где угодно среди прежних; файлы — по длине, все файлы (всё в каталогах базы) — по выделенному месту
dbview-amplified = до конца обратной записи на устройства записано { $written } на { $bytes } значений: { $factor } байта на каждый
dbview-amplified-device = до конца обратной записи на устройства всеми записано { $written } на { $bytes } значений: { $factor } байта на каждый
dbview-indexes = вторичных индексов у каждого глобала: { $n }
dbview-past-cache = файлы мимо страничного кэша
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
dbview-blocks-read = блоки по { $block }, читаются из файлов самой базы мимо всех кэшей
dbview-engine-blocks = блоки по { $page } собственным чтением движка, мимо страничного кэша и его кэша; его счётчики могут их не учесть
dbview-engine-blocks-cached = блоки по { $page } собственным чтением движка, через страничный кэш; его счётчики могут их не учесть
dbview-batch = транзакции по { $batch } обновлений, каждая — от начала до завершения фиксации
dbview-batch-reads = { $percent } % пакетов читают
dbview-law-poisson = через случайные промежутки
dbview-law-fixed = через равные промежутки
dbview-arrivals = { $asked } пакетов в секунду наступало { $law }, начато { $begun }: опоздание { $p50 } (p50), { $p99 } (p99), не более { $longest }; время считается от наступления
dbview-pause = пауза после каждого пакета: задано { $asked }, вышло { $made }: { $share } времени, в задержках её нет
dbview-moved = сменил уровень: { $moved }; показатели — последнего уровня
dbview-moved-no-rate = сменил уровень: { $moved }; единой скорости нет
dbview-rate = { $rate } операций/с
dbview-few = -: за ним меньше 10 операций
dbview-head-processes = процессы
dbview-head-asked = задано/с
dbview-head-reads = чтений/с
dbview-head-updates = обновл./с
dbview-head-writes = записей/с
dbview-head-gain = прирост
dbview-last-gain = { $sign } последний с приростом в десятую долю
dbview-best = { $sign } наибольшая скорость
dbview-accepted = { $sign } принято: { $wanted }
dbview-met = { $sign } выполнено: { $needs }
dbview-of-reads = задержка чтений
dbview-of-transactions = задержка целых транзакций
dbview-of-updates = задержка обновлений
dbview-accepted-up-to = принято до { $n } процессов
dbview-none-accepted = ни одно число процессов не принято
dbview-chart-rate = операций/с от числа процессов
dbview-hosts = по узлам
dbview-below = что читалось и писалось ниже
dbview-counted-by = кто считал
dbview-row-all = всё
dbview-row-everybody = все
dbview-whole-of = { $names } целиком
dbview-by-group = посчитано по контрольной группе процессов движка, за измеренные { $time }
dbview-by-processes = посчитано по учёту ядра для процессов движка, записанное — при отправке, за измеренные { $time }
dbview-by-device = посчитано по целым устройствам, кто бы ими ни пользовался, за измеренные { $time }
dbview-others-estimated = из них чужих по оценке { $share }
dbview-others-unknown = доля чужих не известна
dbview-others = { $share } байт устройства — чужие и журнал файловой системы
dbview-others-range = от { $least } до { $most } байтов устройства принадлежат другим и журналу файловой системы
dbview-sent = записано от { $least } до { $most }: первое учтено за группой, второе отправили процессы (страница, отправленная дважды, может быть записана один раз или позже ядром)
dbview-not-told-apart = не разделено: { $why }
dbview-after-processes = после конца: за { $time } его процессы записали { $written } и прочли { $read }
dbview-after-devices = после конца: за { $time } на целых устройствах записано { $written } и прочитано { $read }
dbview-mgstat = движок, имена как в mgstat
dbview-mgstat-absent = этот движок не сообщает: { $names }
dbview-most = наиб.
dbview-in-run = за запуск
dbview-engine = движок
dbview-counted = счётчики
dbview-write-back = во время обратной записи
dbview-between = транзакции между
dbview-during = транзакции во время
dbview-commits-between = фиксации между
dbview-commits-during = фиксации во время
dbview-waits = ожидание, доля времени вызовов: { $roles }
dbview-waited = { $role }: сеансы { $sessions }, фоновая запись { $writers } запуска
layout-worth = перенести { $moved } стоит: { $figures }
layout-worse = переносить { $moved } не стоит: { $figures }
layout-no-difference = перенос { $moved } не даёт разницы больше { $share }: { $figures }
layout-mixed = перенос { $moved } что-то улучшает, а что-то ухудшает: { $figures }
layout-cannot-tell = эти запуски не говорят, стоит ли переносить { $moved }: { $figures }
layout-binds = сдерживает том { $role }: сеансы ждут его { $share } своего времени
layout-binds-none = ни один том не сдерживает: дольше всего сеансы ждут { $role }, { $share } своего времени
layout-binds-unknown = чего ждут сеансы, этот движок не говорит
layout-grows = запусков, где обновлялось больше, чем записывалось обратно: { $n }
layout-lies = { $role } в { $at }
layout-lies-on = { $role } в { $at } ({ $devices })
layout-untested = медианы запусков, приведены рядом и не проверялись; A — расположение как есть
layout-more = с --full: где лежат роли, график, фиксации по фазам, замечания и прогоны
dbview-times = раз: { $n }, в среднем { $mean }, не дольше { $most }, { $share } запуска
dbview-pages = по { $pages } страниц
dbview-backlog = очередь
dbview-backlog-is = не больше { $most } страниц, в конце { $last }
dbview-backlog-level = { $told }: обратная запись успевает
dbview-backlog-grows = { $told }: растёт на { $slope } страниц/с, так продолжаться не может
dbview-backlog-gathers = { $told }: за запуск ничего не записано обратно
dbview-backlog-short = { $told }; слишком мало отсчётов, чтобы судить о росте
dbview-no-history = на этой базе ещё ничего не запускали; её читает `secchi db ranread DIR`
dbview-head-batch = пакет
dbview-head-date = дата
dbview-head-clock = время
dbview-head-journal = журнал
dbview-head-commit = фиксация
dbview-on = вкл.
dbview-off = выкл.
dbview-partial = неполно
dbview-history-legend = задержка чтений, где они есть, иначе целых транзакций
dbview-history-earlier = более ранние пакеты ({ $n }): --full
dbview-rows = { $n ->
    [one] { $n } строка
    [few] { $n } строки
   *[other] { $n } строк
}

# Что увидела трасса блочного слоя.
traced-layers = ввод-вывод по слоям: { $label }
traced-device = ввод-вывод у устройства: { $label }
traced-more = гистограммы и слои каждого шага: secchi show --json
traced-aside = трасса { $length }, { $share } одного ЦП
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

# Что стоит рядом с запуском в списке.
listed-rate = { $rate } { $kind }/с
listed-no-rate = { $kind }, единой скорости нет

# Итог наблюдения.
view-alarms = тревоги
view-head-alert = тревога
view-head-of = чего
view-head-worst = худшее
view-head-since = с
view-to-the-end = до конца
view-devices = устройства, ввод-вывод всех
view-looks = { $looks ->
    [1] { $looks } взгляд за { $time }
   *[other] взглядов { $looks } за { $time }
}
view-head-slowest = худшее
view-head-merged = слито
view-head-queue = очередь
view-head-busy = занято
view-devices-legend = ср. время: от постановки в очередь до завершения, взвешено по запросам; худшее: наибольшее среднее одного отрезка; занято: время с запросом в работе, а это не загрузка устройства: обслуживающее многих сразу показывает 100 % задолго до предела
view-idle = простой
view-flushes = сбросов { $n }
view-discards = discard { $n }
view-limits = лимиты, сумма за одну и ту же секунду
view-full-from = полон: от 97 %
view-head-cap = предел
view-head-full = полон
view-head-longest = подряд
view-never = никогда
view-shares-full = { $cap }, пока полон: { $shares }
view-shares-all = { $cap }, за всё время: { $shares }
view-sum-of-maxima = собственные наибольшие дали бы в сумме { $sum }, но они были в разное время
view-left-out = без { $names }: что оно делает, входит в счёт устройства под ним
view-command = команда
view-process = процесс { $pid }
label-command = команда
label-used = расход
view-used-bytes = с блочных устройств прочитано { $read }, записано { $written }
view-used-wait = по wait4 { $read } и { $written }
view-used-cpu = время ЦП: { $user } пользователя и { $system } системы
view-used-switches = переключений контекста { $n }
view-used-memory = не больше { $memory } в памяти
view-used-with-children = { $told }, вместе с дождавшимися потомками
view-processes = процессы, каждый с потомками
view-head-process = процесс
view-head-read = прочитано
view-head-written = записано
view-head-user = ЦП польз.
view-head-system = система
view-head-switches = перекл./с
view-hidden = скрыто
view-processes-legend = байты — что ядро отправило за него на блочные устройства; ЦП — в процентах одного ядра
view-groups = контрольные группы процессов
view-charged = ввод-вывод по учёту, до слияния
view-head-group = группа
view-head-most-iops = наиб. IOPS
view-head-stopped = остановка
view-head-memory = память
view-no-io = ввода-вывода не было
view-group-free = { $name }: процесс { $processes }; ничего не ограничено
view-group-allowed = { $name }: процесс { $processes }; разрешено: { $allowed }
view-machine = машина
view-machine-aside = среднее и наибольшее за отрезок
label-waiting = ожидание
label-cpu = ЦП
view-and-most = { $mean } (до { $most })
view-cpu-user = пользователь { $told }
view-cpu-system = система { $told }
view-cpu-wait = ожидание ввода-вывода { $told }
view-cpu-stolen = отнято { $told }
view-dirty = «грязной» { $told }
view-writeback = записывается { $told }
view-available = доступно { $told }
view-some-io = кто-то ввода-вывода { $told }
view-all-io = все ввода-вывода { $told }
view-some-memory = кто-то памяти { $told }
view-some-cpu = кто-то ЦП { $told }
view-on-the-way = по ходу
view-more-notes = и ещё { $n }: все — в secchi show --json

# Строки наблюдения по ходу.
view-no-look-io = нет I/O
view-late = с опозданием: это средние за { $seconds } с
view-cpu = ЦП { $user } % пользователь, { $system } система, { $wait } iowait, { $steal } отнято
view-memory = «грязной» { $dirty }, записывается { $back }
view-waiting = ожидание ввода-вывода { $share } %
view-idle-devices = { $n ->
    [one] простаивает { $n } устройство
    [few] простаивают { $n } устройства
   *[other] простаивают { $n } устройств
}
view-process-line = процесс { $name }: { $told }
view-process-bytes = прочитано { $read }, записано { $written }
view-process-calls = системных вызовов { $reads } + { $writes } в секунду
view-core = { $share } % ядра
view-group-line = группа { $name }: { $told }
view-group-line-allowed = группа { $name }: { $told } (разрешено: { $allowed })
view-group-io = { $rate } IOPS { $bytes } на { $device }
view-group-stopped = остановлена квотой на { $share } %
view-group-memory = память { $memory }

# Живая картина наблюдения.
view-every = каждые { $time }
view-held = ПАУЗА, с тех пор взглядов: { $n }
view-late-board = с опозданием: средние за { $seconds } с
view-all-together = все вместе
view-no-sizes = размеров нет: блочный слой трассируется с --trace-blocks, от root (b: графики)
view-sizes-last = размеры у { $name }, последний отрезок: { $time }
view-sizes-all = размеры у { $name }, с начала: { $time }
view-over = { $name }, поверх { $devices }
view-taller = (остальное: терминал повыше или итог в конце)
view-mean-time = среднее время
view-plot-queue = очередь
view-in-flight = в работе
view-plot-most = наиб. { $most }
view-first-look = жду первого взгляда
view-limits-line = лимиты  { $told }
view-cpu-board = ЦП %  польз. { $user } система { $system } iowait { $wait } отнято { $steal }   ожидание I/O % { $some }   «грязной» MiB { $dirty } запись { $back }
view-foot = q выход  ? клавиши  ↑/↓ устройство  b размеры  +/- { $span }  p пауза  s сумма  r роли
view-keys = клавиши
view-keys-move = ↑, ↓, Tab       другое устройство; графики — выбранного
view-keys-sum = s               все вместе: без устройств поверх других
view-keys-sizes = b               размеры запросов: с начала, последнего
view-keys-sizes-more = отрезка, снова графики (с --trace-blocks)
view-keys-span = +  -            дольше или короче
view-keys-hold = p, пробел       остановить картину; взгляды идут и хранятся
view-keys-roles = r               роли или имена ядра
view-keys-help = ?               это окно, и убрать его
view-keys-quit = q, Ctrl-C       закончить наблюдение и показать итог
view-keys-await = await: среднее время от постановки до завершения. busy: время с запросом
view-keys-busy = в работе; обслуживающее многих сразу при 100 ещё не полно.

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
mark-no-end = прервано до конца; { $told }
mark-running = ещё идёт; { $told }
mark-hung = завис: { $reason }; { $told }
mark-failed = ошибка: { $reason }; { $told }
mark-damaged = повреждён, не измерение: { $reason }; { $told }
mark-heading-read = ЧТЕНИЕ
mark-heading-write = ЗАПИСЬ
mark-heading-mix = СМЕСЬ  чтений { $reads } %, записей { $writes } %, вместе
mark-head-loops = проходы
mark-loop-of = проход { $turn } из { $planned }
mark-loops-of = { $done } из { $planned }
mark-try = { $doubt }; попробуйте: { $remedy }
mark-sum = сумма узлов ({ $n }): { $hosts }
mark-by-host = ПО УЗЛАМ, лучший проход
mark-from-to = от { $slowest } до { $fastest }
mark-one-loop = по одному проходу; MB/s = 10^6 байт/с
mark-best-of = показатели лучшего из { $n } проходов, рядом медиана; MB/s = 10^6 байт/с
mark-again = снова, картинкой или текстом:
mark-of = { $mark } { $place }: { $asked }
mark-head-test = Тест
mark-head-direction = Направление
mark-head-best = MB/s (лучший из { $n })
mark-head-median = MB/s (медиана)
mark-legend = MB/s — 10^6 байт; IOPS, среднее и p99 — лучшего прохода.

# Сомнения после вывода fio и ioping.
fio-trust-nothing = сомнений нет
fio-trust-incomplete = не завершено
fio-trust-invalid = НЕДЕЙСТВИТЕЛЬНО
fio-trust-doubt = СОМНЕНИЕ
fio-trust-note = примечание
fio-trust-verified = прочитано и сверено блоков: { $blocks }, ошибок нет
fio-trust-interrupted = прогон прерван до конца
fio-trust-running = прогон ещё идёт
fio-trust-stopped = прогон остановлен до конца
fio-trust-hung = некоторые операции не вернулись; в цифрах только вернувшиеся
fio-trust-failed = прогон завершился из-за ошибок
fio-trust-damaged = журнал прогона повреждён: цифры относятся к тому, что удалось прочесть
fio-trust-thin = { $name }: перцентили начиная с { $first } опираются менее чем на 10 операций за ними (всего операций: { $ops })
ping-not-valid = недействительно
ping-doubt = сомнение
ping-from-due = от срока; только обслуживание: в среднем { $avg }, макс. { $max }; дольше всего ждал отправки: { $wait }

# Какая доля диска записана.
share-tiny = менее 0,01 %
share-of-disk = { $share } от { $name } ({ $size })
share-of-disk-and-endurance = { $share } от { $name } ({ $size }), { $endurance } его ресурса
