# Сомнения в прогонах базы данных.
db-of-model = это показатели модели ввода-вывода СУБД, а не самой СУБД: её блокировки и большая часть того, что вычисляют она и её клиенты, в них не входят
db-of-model-remedy = сравните с самой СУБД там, где её можно установить; в профиле указаны источник каждого показателя и то, с чем он сверялся
db-records-missing = запрошены записи, которых нет в базе
db-records-missing-remedy = сосчитайте их: secchi db count-subscripts; создайте заново: secchi db create-globals
db-operations-failed = операции движка завершились ошибкой
db-operations-failed-seen = с ошибкой: { $failed }, успешно: { $done }
db-operations-failed-remedy = посмотрите журналы движка и ядра
db-cached-reads = чтения выполнялись из памяти: их скорость и задержка не относятся к хранилищу
db-cached-reads-seen = { $ratio }: { $value }, ожидалось не меньше { $least }
db-cached-reads-remedy = возьмите данных не меньше двух объёмов памяти или читайте блоки в обход всех кэшей: secchi db ranread
db-counts-of-others = ввод-вывод учитывался только по устройствам целиком, а ими пользовались и другие процессы: отношения к вводу-выводу устройств опущены
db-counts-of-others-remedy = запустите secchi от root или от пользователя движка, чтобы учитывались его процессы, либо повторите, когда устройства свободны
db-counts-estimated = по оценке, { $share } % учтённого ввода-вывода ({ $source }) приходится на другие процессы
db-counts-impossible = на каждый обновлённый байт записано { $bytes } байт; ни один движок столько не пишет
db-counts-not-apart = { $why }; отдельно учесть ввод-вывод движка не удалось: { $missing }
db-foreign-load = устройством одновременно пользовались другие процессы
db-foreign-load-perhaps = возможно, устройством одновременно пользовались другие процессы: счётчики движка расходятся
db-foreign-load-range = на { $devices } от { $least } до { $most } приходится на другие процессы: от { $low } до { $high } % всего ввода-вывода
db-foreign-load-seen = { $rate } на { $devices } приходится на другие процессы: { $share } % всего ввода-вывода
db-foreign-load-remedy = повторите прогон, когда устройство свободно
db-fits-cache = данных меньше двух объёмов кэша движка: значительная часть читается из кэша
db-fits-cache-seen = данных { $data }, кэша { $holds }
db-fits-controller = данных меньше четырёх объёмов кэша контроллера: значительная часть читается из кэша
db-fits-controller-seen = данных { $data }, кэша контроллера { $holds }
db-fits-memory = данных меньше двух объёмов памяти: значительная часть читается из памяти
db-fits-memory-seen = данных { $data }, памяти { $holds }
db-hosts-apart = узлы начали или закончили не одновременно: показатели каждого узла и каждого процесса — за его собственное время
db-hosts-differ = базы данных узлов различаются: в итогах сложены показатели разных баз
db-host-has = { $host }: { $engine } { $version }, страницы по { $page }, кэш { $cache }, { $commit }
db-not-stopped = { $engine } не удалось штатно остановить
db-fits-remedy = увеличьте объём данных командой `secchi db insert { $directory } --grow-to { $needed }` (если глобалов нет, сначала `secchi db create-globals { $directory }`) или укажите --cached, если нужны показатели кэша
db-lazy-commits = фиксация не ждёт записи на носитель: при сбое последние фиксации будут потеряны
db-lazy-commits-remedy = повторите прогон с надёжными фиксациями и сравните
db-journal-switched-off = { $engine } отключил журнал во время прогона: последующие фиксации ненадёжны
db-journal-switched-off-remedy = освободите место в файловой системе журнала или возьмите том большего размера, затем повторите прогон; если место было, прочтите журнал сообщений движка
db-journal-unknown = в конце прогона { $engine } не сообщил, ведётся ли ещё журнал: фиксации могут быть ненадёжны
db-journal-unwritten = движок сообщал о надёжных фиксациях, но не записал журнал на носитель
db-journal-unwritten-writes = фиксаций: { $commits }, записей в журнал: 0
db-journal-unwritten-flushes = фиксаций: { $commits }, сбросов журнала на носитель: 0
db-journal-unwritten-remedy = проверьте журнал сообщений движка и настройки журнала; эта скорость относится к фиксациям в памяти
db-rate-not-kept = заданная скорость не выдержана: пакеты, срок которых наступил, но которые не были начаты, не вошли в задержки, а их задержка была бы самой большой
db-rate-not-kept-seen = начато { $begun } пакетов в секунду из { $asked }, срок которых наступил; наибольшее опоздание { $longest }
db-rate-not-kept-remedy = уменьшите --rate или увеличьте число процессов (-p)
db-started-again = транзакции перезапускались: движок выполнял их обновления несколько раз, и в его собственных счётчиках учтён каждый раз
db-started-again-seen = перезапусков { $again } на { $commits } фиксаций; счётчики SET и KIL движка вместе: { $sets }
db-started-again-remedy = увеличьте --cache: если блок вытеснен до фиксации, транзакция начинается заново; число узлов, журнал и Gloupds учитывают только зафиксированное
db-values-cut = модель обрезала значения, которые длиннее своего места в странице: настоящий движок перенёс бы запись или разделил страницу и записал бы больше данных, чем в этих показателях
db-values-cut-seen = { $n } обновлений из { $of }; в журнал значения записаны целиком
db-values-cut-remedy = создайте глобалы с самым длинным значением (create-globals --value), чтобы обновления помещались
db-tpcb-inconsistent = балансы и история TPC-B не сходятся: в таблицы писал другой клиент, или база данных потеряла подтверждённые обновления
db-inserts-not-settled = после прогона не удалось сосчитать вставленные узлы: их сосчитает следующая команда для этой базы
db-inserts-lost = новых узлов в базе меньше, чем подтверждённых вставок: часть потерял движок или удалил другой клиент
db-inserts-lost-seen = найдено { $found }, подтверждено { $told }
db-no-journal = обновления не журналировались: восстановить их нельзя, и записи журнала в показатели не вошли
db-no-journal-remedy = повторите прогон с --journal-mode on и сравните
db-mostly-pause = процессы большую часть времени стояли на паузе: скорость определяется паузой, но задержки верны
db-mostly-pause-seen = { $share } % времени при заданной паузе { $asked } после каждого пакета
db-mostly-pause-remedy = чтобы увидеть возможности хранилища, уменьшите --pause или добавьте процессов
db-pause-longer = паузы были дольше заданных: не хватает процессора или таймер машины слишком грубый
db-pause-longer-seen = в среднем { $made }, задано { $asked }
db-pause-longer-remedy = уменьшите число процессов или выделите машине больше процессоров
db-values-alike = значения слишком коротки, чтобы различаться: движок может пропускать запись того, что уже хранится
db-values-alike-seen = значения по { $short } байт, а уникальный номер занимает { $needed }
db-values-alike-remedy = задайте --value { $needed } или больше
db-backlog-grows = обновления поступают быстрее, чем записываются на диск: такую скорость долго не удержать
db-backlog-grows-seen = очередь растёт на { $slope } страниц в секунду, до { $most }
db-backlog-grows-remedy = уменьшите число процессов или увеличьте --pause, пока очередь не перестанет расти, либо возьмите более быстрые устройства для данных
db-never-written-back = за время прогона движок не записал на диск ни одной страницы: затраты на обратную запись в показатели не вошли
db-never-written-back-seen = накоплено страниц: { $most }
db-never-written-back-remedy = увеличьте длительность: она должна превышать интервал записи движка

# Кто считал то, что дошло до устройств.
db-counted-group = контрольная группа, { $devices }
db-counted-processes = учёт процессов
db-counted-processes-on = учёт процессов, { $devices }
db-counted-whole = весь ввод-вывод { $devices }
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
db-remark-cache = чтения выполнялись из кэша: это не скорость хранилища
db-remark-page-cache = чтения движка выполнялись из страничного кэша
db-remark-memory = большинство чтений выполнялось из памяти: это не скорость хранилища
db-remark-flushed = около 1: за каждой записью следует сброс (O_DSYNC на устройстве без FUA)
db-remark-sent = до { $most }: процессы отправили больше, чем учтено за их контрольной группой

# Пределы и то, что сделали устройства.
db-beyond-limit = устройство дало { $share } предела `{ $limit }`: предел указан неверно или измерено не то хранилище
db-beyond-limit-remedy = проверьте указанный предел и убедитесь, что база данных находится на купленном хранилище
db-limit-others = устройства дали { $share } предела `{ $limit }`: ими пользовались другие процессы, или здесь действует не этот предел
db-limit-binds = предел `{ $limit }` достигнут: устройства дали { $share } от него
db-limit-does-not-bind = предел `{ $limit }` не достигнут: устройства дали { $share } от него
db-limit-seen = { $rate } в среднем за { $seconds } с, из { $cap }
db-binds = { $limit }: устройства выполнили { $rate } из { $cap } ({ $share })
db-binds-throttle = вероятно, ограничитель: скорость ровная, p50 не больше { $p50 }, а p99 — { $p99 } и больше, словно операции ждут следующей порции
db-do-raise = поднимите { $limit }: он исчерпан; затем повторите прогон
db-do-find-cap = найдите не указанный предел (io.max или blkio контрольной группы, гипервизор, том) и задайте его в --limit
db-share-tiny = меньше 0.01 %

# Требования к работе базы данных.
db-need-closest = ни при одном числе процессов не выполнены все условия; ближе всего этот вариант
db-need-fits = данные ({ $data }) помещаются в кэш: увеличьте их объём командой `secchi db insert { $directory } --grow-to { $needed }` (если глобалов нет, сначала `secchi db create-globals { $directory }`) или допустите показатели кэша параметром --cached
db-need-too-short = выполнялось { $time }, а требуется { $lasting }: { $command }
db-need-no-level-why = скорость не установилась: { $why }
db-need-not-valid = показатели недействительны: { $why }
db-need-no-bytes = { $kind ->
    [commits] у фиксаций нет пропускной способности: требуйте её для обновлений
   *[transactions] у транзакций нет пропускной способности: требуйте её для обновлений
}
db-need-bytes-not-counted = байты не учитывались: задайте требование в iops
db-no-windows = нет окон
db-subscripts = глобалов: { $globals }, ключей: { $all }

# Первая фраза о прогоне базы данных.
db-nothing-measured = ничего не измерено
db-nothing = нет операций
db-titled = { $title }: { $said }
db-with-indexes = { $said } (вторичных индексов: { $n })
db-workers = { $n ->
    [one] { $n } процессе
   *[other] { $n } процессах
}
db-workers-moved = { $workers } ({ $moved })
db-workers-last-level = { $workers }, показатели последнего уровня ({ $moved })
db-reads = { $rate } чтений/с
db-reads-no-rate = чтения: скорость не установилась
db-updates = { $rate } обновлений/с
db-updates-no-rate = обновления: скорость не установилась
db-tps = { $rate } tps
db-inserts = { $rate } вставок/с
db-inserts-no-rate = вставки: скорость не установилась
db-grew = новых узлов { $nodes }, значений { $bytes }: файлы данных выросли на { $data }
db-grew-within = новых узлов { $nodes }, значений { $bytes }: поместились в свободное место файлов данных
db-grew-and-written = { $grew }; на каждый вставленный байт записано на устройства { $factor }
db-mean = среднее { $mean }
db-mean-and-p99 = среднее { $mean }, p99 { $p99 }
db-rate-and-latency = { $rate }, { $latency }
db-rate-with-latency = { $rate } ({ $latency })
db-rate-at = { $rate } при { $workers }
db-batches = { $rate }, по { $batch } в транзакции
db-batches-and-commits = { $rate }, по { $batch } в транзакции (фиксация: { $latency })
db-updates-latency = { $rate }, обновления: { $latency }
db-then-more = { $first }; затем ещё { $n }, последний: { $rates }
db-not-sustainable = { $said }; такую скорость не удержать: очередь на запись растёт на { $pages } страниц/с
db-reached-not-told = ввод-вывод, дошедший до устройств, неизвестен: ими пользовались другие процессы
db-reached-devices = устройства: { $writes } записей/с, { $bytes } — { $each } записи на обновление
db-reached-devices-bytes = устройства записали { $bytes }
db-reached-processes = процессы движка: { $writes } записей/с, { $bytes } — { $each } записи на обновление
db-reached-processes-bytes = процессы движка записали { $bytes }
db-reached-sent = { $reached } (процессы отправили до { $most })
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
db-limit-then-undecided = { $first }; неясно при { $level }
db-limit-not-reached = { $first }; это самый высокий из измеренных уровней
db-limit-undecided = уже на первом уровне неясно, выполняется ли { $needs }: { $level }: { $told }
db-limit-missed = { $needs } не выполняется уже на первом уровне: { $level }: { $told }
