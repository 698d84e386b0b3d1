# О чём стоит знать в набранном для fio: замечание и его место.
job-note = замечание: { $what }
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
job-no-mix = rw не смешивает чтение и запись
job-not-random = rw не задаёт случайный доступ
job-no-number = после rw нет числа, как в rw=randread:8
job-no-rate = скорость не ограничена
job-no-rate-with-thinktime = rate и thinktime не заданы вместе
job-no-least-rate = наименьшая скорость не задана
job-no-log = журнал не пишется
job-no-log-of-operations = журнал отдельных операций не пишется
job-log-is-narrow = log_narrow исключает это из журналов
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
job-name-of-defaults = `name` в разделе global не действует: у каждого задания своё имя
job-depth-low = iodepth_low={ $low } больше, чем iodepth={ $depth }, и не действует
job-number-of-sequential = `sequential` проходит каждый файл до конца, и число после него не действует

# Понято, но, возможно, не так, как задумано.
job-given-again = задан в этом разделе несколько раз; действует последний
job-size-binary = `{ $size }` здесь двоичный размер; fio считает его десятичным (--fio-compat)
job-depth-one = iodepth={ $depth } при ioengine={ $engine }, который ждёт каждую операцию: глубина равна 1
job-map-left-out = распределение с горячими местами обращается к некоторым из них не один раз: подразумевается norandommap
job-log-too-fine = { $option }: { $time } заменено на { $least }; с log_avg_msec=0 в журнал пишется каждая операция
job-clones-overwrite = клоны пишут в один файл и могут перезаписать блоки друг друга: проверка может не пройти
job-never-verified = запись занимает весь runtime, и проверка не начнётся; уберите time_based
job-shares-missing = доли дают в сумме { $given }; недостающие { $left } % получает последний размер
job-other-system = `{ $engine }` есть только в другой системе; используется асинхронный движок этой
job-own-thread-sends = операции отправляет сам поток задания; задержка отсчитывается от срока операции, для чего offload и нужен
job-list-of-files = `{ $given }` — список файлов ({ $n }); двоеточие в имени пишется `\:`
job-files-in-turn = файлы в любом случае создаются по очереди, чтобы не перемежались

# Параметры, которые принимаются, и что делается вместо них.
job-noted-chunked = записи читаются целиком до начала задания
job-noted-buffers = независимо от заданного вида буферы — отдельные страницы, выровненные по границе страницы и закреплённые, если это разрешает ядро
job-noted-no-map = для случайного порядка адресов карта здесь не нужна, и слишком большой она быть не может
job-noted-permutation = адреса даёт одна перестановка, которая проходит каждый блок один раз, а с norandommap — один генератор
job-noted-given-up = fio больше не поддерживает этот параметр, и там он тоже не действует
job-noted-four-a-second = строка хода выполнения обновляется четыре раза в секунду
job-noted-one-line = строка хода остаётся одной; отчёты время от времени печатает --status-interval
job-noted-memory = память выделяется по мере надобности
job-noted-cpu-use = процессорное время прогона измеряется всегда и хранится в его записи
job-noted-store = файлов состояния нет; прогон остаётся в хранилище прогонов
job-noted-ring = завершения читаются без системного вызова всегда, когда это позволяет кольцо
job-noted-no-vector = у операций нет вектора: это экономит копирование, а для устройства ничего не меняется
job-noted-mapping = размер страниц отображения выбирает ядро
job-noted-not-printed = запросы не печатаются; отказ сервера — это ошибка операции
job-noted-wrong-blocks = о первых неверных блоках сообщаются место и ошибка; содержимое не сохраняется
job-noted-own-thread = проверку выполняет сам поток задания; суммы занимают меньше микросекунды на 4 КиБ
job-noted-own-cpus = проверку выполняет сам поток задания на процессорах задания
job-noted-no-replay = каждый блок хранит своё поколение, повторное воспроизведение не нужно
job-noted-no-state = что записано, видно из самих блоков: они хранят своё поколение; файл состояния не нужен
job-noted-write-number = номер записи сверяется всегда, когда блок записало само задание
job-noted-no-seed = в заголовках нет начального числа; смещение и поколение сверяются всегда
job-noted-threads = клоны — всегда потоки
job-noted-threads-numjobs = клоны — всегда потоки, а сколько их, задаёт numjobs
job-noted-errors = ошибки подсчитываются по кодам и выводятся в конце, а не по одной
job-noted-unique = сетевых клиентов нет, поэтому имена и так не повторяются
job-noted-open-files = файлы задания открыты, пока оно идёт; каждый занимает один дескриптор
job-noted-clock = независимо от параметра часы — счётчик процессора, если он стабилен, иначе CLOCK_MONOTONIC
job-noted-latency-cheap = задержка измеряется в любом случае: здесь это стоит меньше 1 % операции
job-noted-no-clock-cpu = процессор для часов не выделяется: прочесть их здесь стоит около 20 нс
job-noted-latency-free = задержка измеряется в любом случае: здесь это ничего не стоит
job-noted-bandwidth-free = пропускная способность измеряется в любом случае: здесь это ничего не стоит
job-noted-logs = журналы пишутся по ходу задания, место для них не закончится

job-no-runtime = time_based требует runtime; задание закончится, когда будет пройден size
job-zones-strided = zonesize без zonemode: принято zonemode=strided, как в старых версиях fio
job-flow-older = flow работает как в старых версиях fio: числа операций обратно пропорциональны весам
job-block-range = `{ $given }` понято как { $low }, как в fio; диапазон пишется bsrange
job-size-of-all = size=0 — файл или устройство целиком
job-noted-no-trims = без trim_percentage ничего не освобождается, поэтому, как и в fio, параметр не действует
job-unlinked-once = файлы удаляются, когда задание закончено, а не после каждого прохода
job-after-section = `{ $rest }` стоит после имени раздела и, как в fio, пропускается
job-noted-debug = отладочные сведения не выводятся; что было сделано, видно из записи прогона
job-null-verifies-nothing = движок null не передаёт данных, поэтому, как и в fio, ничего не сравнивается
job-noted-looked-at = каждый файл проверяется перед использованием
job-noted-one-piece = у каждой операции один буфер, поэтому разницы нет
job-noted-process-name = задания — потоки одного процесса; их имена есть в отчёте
job-noted-job-start = вывод — как у fio 3.33, в котором нет job_start
job-noted-scheduler = задание не меняет настроек машины: планировщик устройства остаётся прежним; задайте его сами в /sys/block/DEVICE/queue/scheduler
job-engine-instead = `{ $engine }` выполняется как { $instead }
job-burns-cpu = `{ $job }` намеренно занимает { $load } % одного процессора: это не ввод-вывод, и другим заданиям достанется меньше процессора
job-runs-program = `{ $job }` запускает программу `{ $program }`: её затраты процессора и ввода-вывода не входят в показатели заданий, но могут замедлить другие задания
job-as-long-as-program = без runtime `{ $job }` длится, пока работает программа; fio сразу завершил бы программу, но никогда — само задание
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
job-noted-mounted = в файлы писать можно всегда; на используемое устройство secchi никогда не пишет
job-name-again = раздел `{ $name }` уже есть ({ $before }): выполняются оба, с теми же файлами, если имена файлов не заданы
fio-directory-made = создан каталог { $directory }
fio-kept-nowhere = не заданы ни XDG_DATA_HOME, ни HOME: прогон не сохранён (для сохранения: --store DIR)
job-unset-variables = не заданы переменные: { $names }; вместо них подставлена пустая строка
job-atomic-is-direct = `atomic` означает только `direct`: в Linux нет O_ATOMIC, и запись не становится атомарной
job-number-cut = { $option }: `{ $given }` принято за { $taken }: дальше не читает и fio
