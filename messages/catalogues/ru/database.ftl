# Сомнения в запусках базы данных.
db-of-model = это показатели модели ввода-вывода СУБД, а не самой СУБД: её блокировки и большая часть того, что вычисляют она и её клиенты, в них не входят
db-of-model-remedy = сравните с самой СУБД там, где её можно установить; в профиле указаны источник каждого числа и то, с чем он сверялся
db-records-missing = запрашивались записи, которых нет
db-records-missing-remedy = пересчитайте их: secchi db count-subscripts; создайте заново: secchi db create-globals
db-operations-failed = операции движка завершились ошибкой
db-operations-failed-seen = ошибок { $failed }, без ошибки { $done }
db-operations-failed-remedy = прочтите журналы движка и ядра
db-cached-reads = на чтения отвечала память: их скорость и задержка — не хранилища
db-cached-reads-seen = { $ratio }: { $value }, ожидалось не меньше { $least }
db-cached-reads-remedy = возьмите данных не меньше двух объёмов памяти или читайте блоки мимо всех кэшей: secchi db ranread
db-counts-of-others = считались только устройства целиком, а ими пользовались и другие: отношения к их работе опущены
db-counts-of-others-remedy = запускайте от root или от пользователя движка, чтобы считались его процессы, либо когда устройства свободны
db-counts-estimated = по оценке, { $share } % сделанного ({ $source }) — чужое
db-counts-impossible = { $bytes } байт записано на каждый обновлённый байт, так не делает ни один движок
db-counts-not-apart = { $why }; не удалось отделить: { $missing }
db-foreign-load = в то же время устройством пользовались другие
db-foreign-load-perhaps = возможно, устройством одновременно пользовались другие: учёты движка расходятся
db-foreign-load-range = на { $devices } от { $least } до { $most } не принадлежат движку: от { $low } до { $high } % от всего
db-foreign-load-seen = { $rate } на { $devices } — не движка: { $share } % всего
db-foreign-load-remedy = повторите, когда устройство свободно
db-fits-cache = данных меньше двух объёмов кэша движка: многое отвечает кэш
db-fits-cache-seen = данных { $data }, кэша { $holds }
db-fits-controller = данных меньше четырёх объёмов кэша контроллера: многое отвечает кэш
db-fits-controller-seen = данных { $data }, кэша контроллера { $holds }
db-fits-memory = данных меньше двух объёмов памяти: многое отвечает память
db-fits-memory-seen = данных { $data }, памяти { $holds }
db-hosts-apart = узлы начали или закончили не одновременно: каждый считан за своё время, как и каждый процесс
db-hosts-differ = базы узлов не одинаковы: складывается разное
db-host-has = { $host }: { $engine } { $version }, страницы по { $page }, кэш { $cache }, { $commit }
db-not-stopped = { $engine } не удалось остановить как следует
db-fits-remedy = увеличьте её командой `secchi db insert { $directory } --grow-to { $needed }` (если глобалов нет, сначала `secchi db create-globals { $directory }`) или укажите --cached, если нужны показатели кэша
db-lazy-commits = фиксации не ждут сохранности: при сбое последние из них теряются
db-lazy-commits-remedy = запустите и с надёжными фиксациями и сравните
db-journal-switched-off = { $engine } отключил журнал во время прогона: последующие фиксации ненадёжны
db-journal-switched-off-remedy = освободите место в файловой системе журнала или возьмите том большего размера, затем повторите прогон; если место было, прочтите лог движка
db-journal-unknown = { $engine } в конце не сообщил, ведёт ли ещё журнал: фиксации могут быть ненадёжны
db-journal-unwritten = фиксации объявлены надёжными, но движок не записал журнал на носитель
db-journal-unwritten-writes = фиксаций: { $commits }, записей в журнал: 0
db-journal-unwritten-flushes = фиксаций: { $commits }, сбросов журнала на носитель: 0
db-journal-unwritten-remedy = проверьте лог движка и настройки журнала; этот темп относится к фиксациям в памяти
db-rate-not-kept = заданный темп не выдержан: то, что наступило и не было начато, не вошло ни в одну задержку, а оно было бы самым долгим
db-rate-not-kept-seen = начато { $begun } пакетов в секунду из { $asked } наступивших, один с опозданием { $longest }
db-rate-not-kept-remedy = задайте меньше в --rate или возьмите больше процессов (-p)
db-started-again = транзакции начинались заново: движок делал их обновления не один раз, и в его собственных счётчиках они учтены каждый раз
db-started-again-seen = перезапусков { $again } на { $commits } фиксаций; SET и KIL насчитали { $sets }
db-started-again-remedy = возьмите --cache больше: блок, вытесненный до фиксации, заставляет транзакцию начаться заново; узлы, журнал и Gloupds считают зафиксированное
db-values-cut = модель обрезала значения, которые длиннее своего места в странице: движок здесь переносит запись или делит страницу и пишет больше данных, чем в этих цифрах
db-values-cut-seen = { $n } обновлений из { $of }; в журнале они целиком
db-values-cut-remedy = создайте глобалы с самым длинным значением (create-globals --value), чтобы обновления помещались
db-tpcb-inconsistent = балансы и история TPC-B не сходятся: в её таблицы писал кто-то ещё, или база потеряла подтверждённое
db-inserts-not-settled = вставленное не удалось сосчитать после прогона: это сделает следующая команда над этой базой
db-inserts-lost = новых узлов в базе меньше, чем подтверждённых вставок: часть потерял движок или удалил кто-то другой
db-inserts-lost-seen = найдено { $found }, подтверждено { $told }
db-no-journal = обновления не журналировались: восстановить их нельзя, и записей журнала в показателях нет
db-no-journal-remedy = запустите и с --journal-mode on и сравните
db-mostly-pause = процессы большую часть времени выдерживали паузу: скорость определяется паузой, задержки верны
db-mostly-pause-seen = { $share } % их времени при заданной паузе { $asked } после каждого пакета
db-mostly-pause-remedy = чтобы увидеть возможности хранилища, уменьшите --pause или добавьте процессов
db-pause-longer = паузы были дольше заданных: машине не хватает процессора или её таймер груб
db-pause-longer-seen = в среднем { $made }, задано { $asked }
db-pause-longer-remedy = возьмите меньше процессов или дайте машине больше процессоров
db-values-alike = значения слишком коротки, чтобы различаться: движок может не записывать то, что уже есть
db-values-alike-seen = { $short } байт, а для нумерации нужно { $needed }
db-values-alike-remedy = задайте --value { $needed } или больше
db-backlog-grows = обновления поступают быстрее, чем записываются на диск: такую скорость не удержать
db-backlog-grows-seen = прирост { $slope } страниц в секунду, до { $most }
db-backlog-grows-remedy = меньше процессов или длиннее --pause, пока прирост не прекратится; либо более быстрые устройства данных
db-never-written-back = за время запуска движок ничего не записал на диск: цена этого в показатели не вошла
db-never-written-back-seen = накоплено страниц: { $most }
db-never-written-back-remedy = запускайте на время дольше интервала записи движка

# Кто считал то, что дошло до устройств.
db-counted-group = контрольная группа, { $devices }
db-counted-processes = учёт процессов
db-counted-processes-on = учёт процессов, { $devices }
db-counted-whole = { $devices } целиком
db-counted-device = устройство { $devices }

# Отношения и что они значат.
db-ratio-reads-per-block = чтений устройства на прочитанный блок
db-ratio-reads-per-record = чтений устройства на прочитанную запись
db-ratio-reads-per-engine = чтений устройства на чтение движка
db-ratio-engine-reads = чтений движка на прочитанную запись
db-ratio-writes-per-update = записей устройства на обновление
db-ratio-bytes-per-byte = байт устройства на обновлённый байт
db-ratio-writes-per-engine = записей устройства на запись движка
db-ratio-flushes-per-engine = сбросов на запись движка
db-ratio-flushes-per-commit = сбросов на фиксацию
db-remark-cache = отвечал кэш: это не скорость хранилища
db-remark-page-cache = на чтения движка отвечал страничный кэш
db-remark-memory = на большинство чтений отвечала память: это не скорость хранилища
db-remark-flushed = около 1: за каждой записью следует сброс (O_DSYNC на устройстве без FUA)
db-remark-sent = до { $most }: процессы отправили больше, чем учтено за их контрольной группой

# Ограничения и то, что сделали устройства.
db-beyond-limit = устройство дало { $share } ограничения `{ $limit }`: строка неверна или измерено не то
db-beyond-limit-remedy = проверьте строку и то, что база данных лежит на купленном хранилище
db-limit-others = устройства дали { $share } ограничения `{ $limit }`: ими пользовались другие, или оно здесь не действует
db-limit-binds = ограничение `{ $limit }` достигнуто: устройства дали { $share } от него
db-limit-does-not-bind = ограничение `{ $limit }` не достигнуто: устройства дали { $share } от него
db-limit-seen = { $rate } в среднем за { $seconds } с, из { $cap }
db-binds = { $limit }: устройства выполнили { $rate } из { $cap } ({ $share })
db-binds-throttle = вероятно, ограничитель: темп ровный, половина операций занимает не более { $p50 }, а одна из ста { $p99 } и больше, словно ждёт следующей порции
db-do-raise = поднимите { $limit }, который исчерпан, и повторите прогон
db-do-find-cap = найдите необъявленный лимит (io.max или blkio контрольной группы, гипервизор, том) и назовите его в --limit
db-share-tiny = меньше 0.01 %

# Требования к работе базы данных.
db-need-closest = ни при каком числе процессов не выполнены все условия; это ближе всего
db-need-fits = данные ({ $data }) помещаются в кэш: `secchi db insert { $directory } --grow-to { $needed }` (если глобалов нет, сначала `secchi db create-globals { $directory }`) сделает базу достаточно большой; --cached принимает показатели кэша
db-need-too-short = выполнялось { $time }, а требуется { $lasting }: { $command }
db-need-no-level-why = постоянного уровня не было: { $why }
db-need-not-valid = показатели недействительны: { $why }
db-need-no-bytes = { $kind ->
    [commits] у фиксаций нет байтов: требуйте этого от обновлений
   *[transactions] у транзакций нет байтов: требуйте этого от обновлений
}
db-need-bytes-not-counted = байты не считались: требуйте iops
db-no-windows = нет окон

# Первая фраза о запуске базы данных.
db-nothing-measured = ничего не измерено
db-nothing = ничего
db-titled = { $title }: { $said }
db-with-indexes = { $said } (вторичных индексов: { $n })
db-workers = { $n ->
    [one] { $n } процессе
   *[other] { $n } процессах
}
db-workers-moved = { $workers } ({ $moved })
db-workers-last-level = { $workers } на последнем уровне ({ $moved })
db-reads = { $rate } чтений/с
db-reads-no-rate = чтения без постоянной скорости
db-updates = { $rate } обновлений/с
db-updates-no-rate = обновления без постоянной скорости
db-tps = { $rate } tps
db-inserts = { $rate } вставок/с
db-inserts-no-rate = вставки без одной скорости
db-grew = новых узлов { $nodes }, значений { $bytes }: файлы данных выросли на { $data }
db-grew-within = новых узлов { $nodes }, значений { $bytes }: в месте, которое у файлов данных уже было
db-grew-and-written = { $grew }; на каждый вставленный байт записано на устройства { $factor }
db-mean = среднее { $mean }
db-mean-and-p99 = среднее { $mean }, p99 { $p99 }
db-rate-and-latency = { $rate }, { $latency }
db-rate-with-latency = { $rate } ({ $latency })
db-rate-at = { $rate } при { $workers }
db-batches = { $rate }, по { $batch } в транзакции
db-batches-and-commits = { $rate }, по { $batch } в транзакции (фиксация: { $latency })
db-updates-latency = { $rate }, обновления: { $latency }
db-then-more = { $first }; затем ещё { $n }, в последнем { $rates }
db-not-sustainable = { $said }; так не удержать: очередь на запись растёт на { $pages } страниц/с
db-reached-not-told = что дошло до устройств, не сообщается: ими пользовались другие
db-reached-devices = устройства: { $writes } записей/с, { $bytes } — { $each } на обновление
db-reached-devices-bytes = устройства: { $bytes } записи
db-reached-processes = его процессы: { $writes } записей/с, { $bytes } — { $each } на обновление
db-reached-processes-bytes = его процессы: { $bytes } записи
db-reached-sent = { $reached } (до { $most } по тому, что отправили процессы)
db-reached-and-flushes = { $reached }, сбросов устройств { $flushes }/с
db-ramp-gains = прирост есть до { $n ->
    [one] { $n } процесса
   *[other] { $n } процессов
}: { $told }
db-ramp-accepted = приемлемо до { $n ->
    [one] { $n } процесса
   *[other] { $n } процессов
} ({ $wanted }): { $told }
db-ramp-refused = уже при { $workers } неприемлемо ({ $wanted }): { $told }
db-ramp-most = { $said }; больше всего — { $rates } при { $workers }
db-limit-level = { $rate } транзакций/с при { $workers }
db-limit-told = { $rate }, { $kind ->
    [commits] фиксации
    [transactions] транзакции
    [reads] чтения
   *[updates] обновления
} { $latency }
db-limit-met = { $needs } выполняется вплоть до: { $level }: { $told }
db-limit-then-not = { $first }; уже не выполняется: { $level }
db-limit-then-undecided = { $first }; не сказать: { $level }
db-limit-not-reached = { $first }; это последний уровень
db-limit-undecided = уже на первом уровне не сказать, выполняется ли { $needs }: { $level }: { $told }
db-limit-missed = { $needs } не выполняется уже на первом уровне: { $level }: { $told }
