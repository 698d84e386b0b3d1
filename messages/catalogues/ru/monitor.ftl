# Что известно о хранилище до измерения.
mount-compresses = файловая система сжимает данные, поэтому до устройства может доходить меньше байтов
mount-no-flush = сбросы кэша не передаются устройству, поэтому показатели синхронной записи завышены
mount-data-journal = файловая система пишет данные дважды: в журнал, затем на место
mount-sync = каждая запись сразу фиксируется на носителе
mount-dax = файлы отображаются прямо из постоянной памяти, минуя блочный ввод-вывод
mount-option = { $place } имеет параметр { $option }
direct-io-refused = прямой ввод-вывод здесь не работает: вместе с хранилищем измеряется страничный кэш
direct-io-refused-says = { $filesystem } сообщает, что не поддерживает прямой ввод-вывод для этого файла
direct-io-refused-remedy = укажите каталог на хранилище, которое нужно измерить
storage-remote = файлы предоставляет другая машина или другой процесс; от них зависит, как работают прямой ввод-вывод и сбросы
storage-unseen = устройства под этой файловой системой отсюда не видны, поэтому сверить показатели не с чем
storage-unseen-remedy = запустите secchi там, где устройства видны, например вне контейнера, или укажите устройство через --device
storage-overlay-remedy = запустите secchi вне контейнера, где устройства видны, или подключите к нему само хранилище (`-v /mnt/data:/data`): собственные файлы контейнера — это overlay
container = это контейнер: пределы вышестоящих контрольных групп действуют и здесь, но не видны
container-seen = { $file } принадлежит среде выполнения контейнеров
container-remedy = укажите известные пределы через --limit, --volume или --instance; какой флаг среды показывает больше, сказано в книге ("Run in containers and Kubernetes")
storage-mounted = { $filesystem } смонтирована на { $place }
memory-files = { $filesystem } держит файлы в памяти
memory-overlay = overlay пишет в { $place } на { $filesystem }, а это память
memory-zram = { $device } — сжатая память (zram)
memory-brd = { $device } — диск в памяти (brd)
memory-loop = { $device } — память: его файл { $file } лежит на { $filesystem }
loop-buffered = { $device } обращается к своему файлу через страничный кэш, который может отвечать вместо диска
loop-buffered-seen = loop/dio равен 0 для { $file }
partition-misaligned = { $device } начинается не на границе физического блока, поэтому мелкая запись превращается в чтение-изменение-запись
partition-misaligned-seen = начало на байте { $start }; физический блок — { $physical } байт
partition-misaligned-remedy = создайте раздел заново с началом, кратным 1 MiB
device-encrypts = { $device } шифрует данные, каждая операция требует процессорного времени
device-encrypts-seen = UUID device-mapper { $uuid }
unwritten-in-file = часть чтений { $device } обслуживается без обращения к диску
unwritten-in-file-seen = { $missing } из { $all } файла { $file } никогда не записывались
unwritten-perhaps = часть { $device }, возможно, никогда не записывалась: хранилище с тонким выделением отвечает на такие чтения само
unwritten-perhaps-seen = из { $looked } проверенных блоков { $zero } содержат одни нули
unwritten-remedy = сначала запишите файл или устройство целиком

# Часы машины.
clock-suspended = во время прогона машина переходила в спящий режим
clock-suspended-seen = CLOCK_BOOTTIME ушёл вперёд на { $more } больше, чем CLOCK_MONOTONIC
clock-suspended-remedy = запретите спящий режим и повторите прогон
clock-stepped = во время прогона перевели системные часы; на скорости это не влияет
clock-stepped-seen = системные и монотонные часы разошлись на { $seconds } с
clock-drifted = счётчик тактов уходит: скорости и задержки неверны на ту же величину
clock-drifted-seen = ход счётчика относительно CLOCK_MONOTONIC: { $percent } %

# Трассировка блочного уровня, которой нет.
trace-missing = размеры, с которыми операции дошли до устройства, не записаны
trace-not-mounted = нет трассировки: tracefs не смонтирована, подключить её не удалось ({ $error }): нужен root (CAP_SYS_ADMIN); попробуйте `sudo secchi ...` или один раз `sudo mount -t tracefs tracefs /sys/kernel/tracing`
trace-in-container = нет трассировки: в контейнере нет tracefs; запустите контейнер от root хоста с `-v /sys/kernel/tracing:/tracing`
trace-no-look = нет трассировки: не удалось обратиться к { $path }: { $error }; нужен root (CAP_DAC_OVERRIDE на файлы tracefs); попробуйте `sudo secchi ...`
trace-no-instance = нет трассировки: не удалось создать экземпляр в { $path }: { $error }; нужен root (CAP_DAC_OVERRIDE на файлы tracefs); попробуйте `sudo secchi ...`
trace-no-read = нет трассировки: не удалось прочитать { $path }: { $error }; нужен root (CAP_DAC_OVERRIDE на файлы tracefs); попробуйте `sudo secchi ...`
trace-no-write = нет трассировки: не удалось записать в { $path }: { $error }; нужен root (CAP_DAC_OVERRIDE на файлы tracefs); попробуйте `sudo secchi ...`
trace-no-event = нет блочной трассировки: в ядре нет события block/{ $event } (CONFIG_EVENT_TRACING, CONFIG_BLOCK)
trace-no-calls = нет трассировки системных вызовов: в ядре нет их событий (CONFIG_FTRACE_SYSCALLS); `--layer block` обходится без них
trace-other-numbers = нет трассировки системных вызовов: номера процессов здесь отличаются от номеров ядра (контейнер с собственными номерами); записывайте на хосте или с `--pid=host`
trace-strange = нет трассировки: неизвестный формат { $file }; сообщите об этом, приложив файл и версию ядра
trace-no-device = нет блочной трассировки: под целью нет блочного устройства
trace-no-thread = нет трассировки: не удалось запустить поток трассировки: { $error }
trace-endian = нет трассировки: кольцевой буфер читается только на машинах с порядком байтов little-endian

# Роли наблюдения.
roles-share-device = { $roles } находятся на одном устройстве: его показатели включают их все
roles-share-device-seen = устройство { $device }
roles-share-device-remedy = чтобы видеть их порознь, дайте каждой роли своё устройство
both-of = { $first } и { $second }

# Повреждённые журналы.
recovered-damaged = журнал этого прогона повреждён: показатели — по тому, что удалось прочитать
recovered-damaged-seen = { $bytes } из { $length } байт непригодны, { $places ->
    [one] в { $places } месте
   *[other] в { $places } местах
}: { $first }; прочитано целых кадров: { $before } до и { $after } после
recovered-damaged-ended = { $evidence }; сам прогон закончился так: { $reason }
recovered-damaged-remedy = возьмите прогон из копии, если она есть, или повторите его; проверьте диск, на котором лежит хранилище прогонов
frame-torn = кадр на байте { $at } обрывается: есть { $there } из { $wanted } байт
frame-length = у кадра на байте { $at } невозможная длина { $length }
frame-checksum = у кадра на байте { $at } неверная контрольная сумма
frame-no-event = кадр на байте { $at } не является событием: { $why }
frame-order = событие на байте { $at } не соответствует предыдущим: { $why }
frame-unreadable = файл не читается на байте { $at }: { $why }

# Прогоны M-скриптов, принесённые из других мест.
imported = измерено M-скриптами, возможно, на другой машине; задержки объединены по всем процессам
imported-seen = { $engine } { $version }, пакет { $batch }
imported-remedy = проверьте время: оно считается временем часового пояса этой машины
processes-missing = нет результатов части процессов
processes-missing-seen = { $failed } из { $all } процессов не дошли до конца
imported-now = из { $file } в историю добавлено прогонов: { $kept }, уже было: { $there }

# Как закончился прогон, если не сам.
end-signal = остановлен сигналом { $signal }
end-signal-number = остановлен сигналом { $n }
end-key = остановлен клавишей
no-io-done = операций ввода-вывода не было
no-io-measured = ничего не измерено: задание закончилось в пределах ramp_time; уменьшите ramp_time или увеличьте длительность задания
end-watch-left = наблюдение остановлено, пока команда ещё работала
end-hung = { $label }: не завершилось операций: { $pending }, самая давняя выполняется { $oldest }
end-hung-choice = при пробе движка { $engine } не завершилось чтений: { $pending }, самое давнее выполняется { $oldest }
end-hung-fill = при заполнении не завершилось записей: { $pending }
end-lost = устройство отключено: { $error }
end-errors = ошибки ввода-вывода, { $workload }: { $errors }
end-errors-draining = операций с ошибкой: { $n }
end-error-kind = { $op } с ошибкой: { $n }, { $why }
end-error-end-of-file = цель закончилась раньше времени
end-error-wrong-data = прочитано не то, что было записано
end-below-iops = { $job }: скорость, { $op }: { $rate }, требовалось не меньше { $least }
end-below-bandwidth = { $job }: пропускная способность, { $op }: { $rate }, требовалось не меньше { $least }
end-fill-after-of = заполнение остановлено после { $written } из { $all }: { $why }
end-fill-write-failed = ошибка записи
end-fill-stopped = заполнение остановлено
end-fill-not-durable = не удалось сохранить заполнение на носителе: { $error }

# Замечания по ходу.
note-device-away = устройство { $device } пропало
note-device-back = устройство { $device } вернулось
note-device-anew = счётчики устройства { $device } начались заново: возможно, под этим именем другое устройство
note-device-begins = устройство { $device } начало ввод-вывод
note-group-gone = контрольной группы { $group } больше нет
group-no-device = нет известного блочного устройства, ввод-вывод которого можно было бы учесть
group-no-device-target = под целью не найдено блочных устройств
group-not-counted = контрольные группы здесь не учитывают блочный ввод-вывод
group-root-own = этот процесс в корневой контрольной группе, счётчики которой охватывают все процессы
group-root = процесс { $pid } в корневой контрольной группе, счётчики которой охватывают все процессы
group-hidden-own = контрольная группа этого процесса не видна; ближайшая видимая — { $nearest }
group-hidden = контрольная группа наблюдаемого процесса не видна; ближайшая видимая — { $nearest }
group-hidden-process = контрольная группа процесса { $pid } отсюда не видна
group-shared = контрольная группа этого процесса ({ $dir }) общая для всех процессов, и создать в ней группу нельзя
group-strangers = в контрольной группе этого процесса ({ $dir }) есть другие процессы: { $others }
group-not-made = не удалось создать контрольную группу { $dir }: { $error }
group-not-entered = не удалось войти в контрольную группу { $dir }: { $error }
counts-server-group = сервер не входит в контрольную группу, созданную secchi
counts-server-other = сервер запущен не secchi
counts-server-busy = сервер принадлежит другому прогону
counts-no-accounts = счётчики ввода-вывода процессов недоступны
counts-server-devices = ввод-вывод устройств сервера не удаётся учесть: { $why }
note-process-ended = процесс { $pid } завершился
note-process-hidden = процесс { $pid }: его счётчики ввода-вывода недоступны этому пользователю; записываются только показатели процессора
note-process-crowded = у процесса { $pid } больше потоков, чем опрашивается за секунду: переключения контекста опущены
note-suspended = машина была в спящем режиме { $time }: показателей этого отрезка нет
note-file-system-full = { $job }: завершено: файловая система заполнена до неприкосновенного запаса (5 %, не меньше 1 GiB)
note-inserts-ended = вставки завершены: { $why }
note-device-full = { $job }: завершено: устройство заполнено, как и задано
note-depth-found = { $job }: глубина { $depth } удерживает задержку, найдена за { $search }; показатели — следующего цикла
note-sidecar = не удалось сохранить сопроводительный файл, следующий прогон выполнит заполнение заново: { $error }
note-journal-long = журнал достиг { $was }: более ранние отсчёты теперь хранятся с более длинными интервалами
note-no-figures = нет показателей { $sampler }: { $why }
note-not-watched = не наблюдаются: { $devices }; чтобы включить их: --all или --device
note-process = процесс { $pid } — `{ $program }`
note-no-group = нет показателей контрольной группы: { $why }
alarm-raised = тревога: { $alarm }
alarm-over = тревога снята через { $time }: { $alarm }

# Почему у опроса нет показателей.
sampler-no-temperature = ни один накопитель не сообщает температуру
sampler-ebs-not-told = том EBS { $device } не сообщает своих счётчиков: { $error }
sampler-no-pressure = ядро не сообщает о нехватке ресурсов (PSI; может помочь psi=1 в параметрах загрузки)
sampler-no-process = процессы не указаны
sampler-of-linux = этот счётчик есть только в Linux
sampler-not-made = secchi не собирает счётчики в этой системе
sampler-no-device = под целью не найдено блочного устройства со счётчиками
sampler-no-file-system = под целью не найдена файловая система
sampler-unreadable = { $file } не читается
