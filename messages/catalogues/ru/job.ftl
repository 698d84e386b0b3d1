# О чём стоит знать в набранном для fio: заметка и её место.
job-note = заметка: { $what }
job-note-at = { $at }: { $what }
job-argument = аргумент { $n }
job-of-option = `{ $option }`: { $what }

# Знаки, которые ставят текстовые редакторы и веб-страницы.
job-space-taken = типографский пробел принят за обычный
job-dash-argument = в `{ $word }` типографское тире; принято за `--`
job-dash-arguments = в `{ $word }` и ещё в { $n ->
    [one] { $n } аргументе
   *[other] { $n } аргументах
} типографское тире; принято за `--`
job-dash-option = в `{ $name }` типографское тире
job-dash-taken = `{ $option }`: типографское тире принято за дефис
job-dashes-in-file = `{ $name }`: в файлах заданий параметры пишутся без дефисов
job-quotes-taken = `{ $option }`: типографские кавычки приняты за обычные
job-quotes-of-name = типографские кавычки вокруг имени сняты

# Параметры, которые не действуют, и почему.
job-no-effect = `{ $option }` не действует: { $why }
job-missing = { $option } не задан
job-no-mix = rw не смесь чтений и записей
job-not-random = rw не случайный
job-no-number = после rw нет числа
job-no-rate = скорость не ограничена
job-no-rate-with-thinktime = нет ограничения скорости вместе с thinktime
job-no-least-rate = наименьшая скорость не задана
job-no-log = журнал не пишется
job-no-log-of-operations = журнал отдельных операций не пишется
job-log-is-narrow = log_narrow его опускает
job-files-are-named = файлы называет filename
job-not-strided = zonemode не strided
job-sizes-elsewhere = размеры задаёт bsrange или bssplit
job-sizes-of-bssplit = размеры задаёт bssplit
job-nothing-written = ничего не пишется
job-zeros-written = zero_buffers пишет нули
job-engine-waits = движок ждёт каждую операцию
job-mapped = отображённый файл идёт через страничный кэш
job-polling-direct = для опроса нужен direct=1
job-engines-having-it = этот параметр есть только у движков { $engines }
job-name-of-defaults = `name` среди значений по умолчанию не действует: у каждого задания своё имя
job-depth-low = iodepth_low={ $low } больше, чем iodepth={ $depth }, и не действует
job-number-of-sequential = `sequential` проходит каждый файл до конца, и число после него не действует

# Понято, но, возможно, не так, как задумано.
job-given-again = в этом разделе задан не раз; действует последний
job-size-binary = `{ $size }` здесь двоичный размер; fio считает его десятичным (--fio-compat)
job-depth-one = iodepth={ $depth } при ioengine={ $engine }, который ждёт каждую операцию: глубина равна 1
job-map-left-out = распределение с горячими местами приходит в некоторые не раз: подразумевается norandommap
job-log-too-fine = { $option }: { $time } принимается за { $least }; с log_avg_msec=0 в журнале каждая операция
job-clones-overwrite = клоны пишут в один файл и могут перезаписать блоки друг друга: проверка может не пройти
job-never-verified = запись занимает весь runtime, и проверка не начнётся; уберите time_based
job-shares-missing = доли дают в сумме { $given }; недостающие { $left } % получает последний размер
job-other-system = `{ $engine }` принадлежит другой системе; здесь берётся асинхронный движок этой
job-own-thread-sends = операции отправляет сам поток задания; задержка считается с момента, когда операция должна была начаться, а для этого offload и нужен
job-list-of-files = `{ $given }` — список файлов ({ $n }); двоеточие в имени пишется `\:`
job-files-in-turn = файлы всё равно создаются один за другим, чтобы не перемежались

# Параметры, которые принимаются, и что делается вместо них.
job-noted-chunked = записи читаются целиком до начала задания
job-noted-buffers = какой бы вид ни был задан, буферы — отдельные страницы, выровненные по границе страницы и закреплённые, где это разрешает ядро
job-noted-no-map = порядку мест карта здесь не нужна, и не поместиться ей не грозит
job-noted-permutation = места даёт одна перестановка, проходящая каждый блок один раз, а с norandommap — один генератор
job-noted-given-up = в самом fio от этого отказались, и там это тоже не действует
job-noted-four-a-second = строка хода меняется четыре раза в секунду
job-noted-one-line = строка хода остаётся одной; отчёты время от времени печатает --status-interval
job-noted-memory = память берётся по мере надобности
job-noted-cpu-use = процессорное время запуска измеряется всегда и стоит в его записи
job-noted-store = файлов состояния нет; запуск остаётся в хранилище запусков
job-noted-ring = завершения читаются без системного вызова всегда, когда это позволяет кольцо
job-noted-no-vector = у операций нет вектора: это экономит копирование, а для устройства всё то же
job-noted-mapping = размер страниц отображения выбирает ядро
job-noted-not-printed = запросы не печатаются; отказ сервера — это ошибка операции
job-noted-wrong-blocks = о первых неверных блоках сообщаются место и ошибка; содержимое не сохраняется
job-noted-own-thread = проверяет сам поток задания; суммы занимают меньше микросекунды на 4 КиБ
job-noted-own-cpus = проверяет сам поток задания на процессорах задания
job-noted-no-replay = блоки несут своё поколение, и ничего не воспроизводится
job-noted-no-state = что записано, видно из самих блоков, которые несут своё поколение; файл состояния не нужен
job-noted-write-number = номер записи сверяется всегда, когда блок записало само задание
job-noted-no-seed = начального числа в заголовках здесь нет; смещение и поколение сверяются всегда
job-noted-threads = клоны — всегда потоки
job-noted-threads-numjobs = клоны — всегда потоки, а сколько их, задаёт numjobs
job-noted-errors = ошибки считаются по номерам и сообщаются в конце, а не по одной
job-noted-unique = сетевых клиентов нет, и имена не повторяются и так
job-noted-open-files = все файлы задания открыты, пока оно идёт; каждый занимает один дескриптор
job-noted-clock = что бы ни было задано, часы — счётчик процессора, если он стабилен, иначе CLOCK_MONOTONIC
job-noted-latency-cheap = задержка измеряется всё равно: здесь это стоит меньше 1 % операции
job-noted-no-clock-cpu = процессор для часов не выделяется: прочесть их здесь стоит около 20 нс
job-noted-latency-free = задержка измеряется всё равно: здесь это ничего не стоит
job-noted-bandwidth-free = полоса измеряется всё равно: здесь это ничего не стоит
job-noted-logs = журналы пишутся, пока задание идёт, и место для них не кончится

job-no-runtime = time_based требует runtime; задание закончится, когда будет пройден size
job-zones-strided = zonesize без zonemode: принято zonemode=strided, как в старых версиях fio
job-flow-older = flow в духе старых версий: числа операций обратны весам
job-block-range = `{ $given }` понято как { $low }, как в fio; диапазон пишется bsrange
job-size-of-all = size=0 — весь файл или всё устройство
job-noted-no-trims = без trim_percentage между делом ничего не освобождается, и это, как и в fio, не действует
job-unlinked-once = файлы удаляются, когда задание закончено, а не после каждого прохода
job-after-section = `{ $rest }` стоит после имени раздела и, как в fio, пропускается
job-noted-debug = о внутренней работе ничего не сообщается; что было сделано, хранит запись прогона
job-null-verifies-nothing = движок null ничего не передаёт, и, как в fio, ничего не сравнивается
job-noted-looked-at = каждый файл проверяется перед использованием
job-noted-one-piece = у каждой операции один буфер, и разницы здесь нет
job-noted-process-name = задания — потоки одного процесса; их имена есть в отчёте
job-noted-job-start = вывод — как у fio 3.33, job_start в нём нет
job-noted-scheduler = задание не меняет машину: планировщик устройства остаётся; запишите его в /sys/block/DEVICE/queue/scheduler сами
job-engine-instead = `{ $engine }` выполняется как { $instead }
job-burns-cpu = `{ $job }` намеренно занимает { $load } % одного процессора: это не ввод-вывод, и другим заданиям процессора остаётся меньше
job-runs-program = `{ $job }` запускает программу `{ $program }`: сколько она берёт процессора и хранилища, не входит в показатели заданий и может замедлить другие
job-as-long-as-program = без runtime `{ $job }` длится, пока работает программа; fio сразу завершил бы программу, а сам не завершился бы никогда
job-runs-before = /bin/sh выполняет `{ $program }` перед началом `{ $job }`
job-runs-after = /bin/sh выполняет `{ $program }` после окончания `{ $job }`
program-ended = программа задания `{ $job }` завершилась с кодом { $code }
program-ended-by-signal = программа задания `{ $job }` завершена сигналом { $signal }
program-before-failed = `{ $job }` не началось: exec_prerun `{ $program }` { $how }
program-after-failed = exec_postrun `{ $program }` задания `{ $job }` { $how }
program-cannot-run = `{ $job }` не может запустить `{ $program }`: { $why }
program-how-code = завершился с кодом { $code }
program-how-signal = завершён сигналом { $signal }
program-how-not-started = не запускается: { $why }
program-how-with-run = завершён вместе с прогоном
job-noted-mounted = файлы пишутся как всегда; устройство, которое используется, не пишется
job-name-again = секция `{ $name }` уже есть ({ $before }): выполняются обе, на тех же файлах, если они не названы
fio-directory-made = создан каталог { $directory }
fio-kept-nowhere = не заданы ни XDG_DATA_HOME, ни HOME: прогон нигде не сохранён (--store DIR сохранит)
job-unset-variables = не заданы: { $names }; на месте таких переменных ничего нет
job-atomic-is-direct = `atomic` — это только `direct`: O_ATOMIC в Linux неизвестен, и запись от него не становится атомарной
job-number-cut = { $option }: `{ $given }` принято за { $taken }: здесь перестаёт читать и fio
