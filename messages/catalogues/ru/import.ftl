# Что замечено в файлах других программ: как они прочитаны и какие строки не поняты.
import-utf-16-untold = прочитано как UTF-16, хотя в файле это не указано
import-quoted = знаки цитирования (`> `) письма или форума в начале строк убраны
import-latin-1 = прочитано как Latin-1, так как это не UTF-8: символы вне ASCII могут быть неверны
import-nul-bytes = { $n ->
    [one] пропущен { $n } байт NUL
    [few] пропущено { $n } байта NUL
    [many] пропущено { $n } байт NUL
   *[other] пропущено { $n } байта NUL
}
import-passed-over = пропущено: { $text }
import-columns-differ = пропущено: в строке столбцов { $has } вместо { $of }: { $text }

# Документы, которые обрываются.
import-json-not-whole = JSON неполон: { $why }
import-json-not-whole-at = JSON неполон в строке { $line }: { $why }
import-document-not-whole = JSON здесь составлен неверно: { $why }
import-cut = данные обрываются
import-no-colon = после ключа нет двоеточия
import-no-key = на месте ключа его нет
import-list-open = список не закрыт
import-text-open = строка текста не закрыта
import-no-value = на месте значения его нет
import-no-such-value = вместо значения неизвестное слово
import-xml-cut = XML неполон: данные обрываются
import-xml-not-whole = XML неполон: { $why }

# Выводы и журналы fio.
import-fio-other-lines = { $n ->
    [one] пропущена ещё { $n } строка
    [few] пропущены ещё { $n } строки
    [many] пропущено ещё { $n } строк
   *[other] пропущено ещё { $n } строки
} вне JSON (другие выводы fio того же прогона?)
import-more-lines = { $n ->
    [one] пропущена ещё { $n } строка
    [few] пропущены ещё { $n } строки
    [many] пропущено ещё { $n } строк
   *[other] пропущено ещё { $n } строки
}
import-fio-earlier-report = выше есть более ранний отчёт того же прогона: взят последний
import-fio-several-reports = в файле несколько отчётов: взят последний
import-fio-reported-before = отчёт о задании { $name } есть и в строке { $line }: взят последний
import-fio-key-twice = `{ $key }` встречается в одном объекте дважды: действует последний
import-fio-job-error = задание { $name } завершилось с ошибкой { $error }
import-fio-error = fio сообщает об ошибках ({ $n }): { $text }
import-fio-did-nothing = задание { $name } ничего не сделало
import-fio-steady-state = критерий steadystate { $asked }: attained={ $attained }, criterion={ $criterion }
import-fio-short = { $n ->
    [one] { $n } операция выполнена не целиком
    [few] { $n } операции выполнены не целиком
    [many] { $n } операций выполнены не целиком
   *[other] { $n } операции выполнены не целиком
}
import-fio-dropped = { $n ->
    [one] { $n } операция отброшена
    [few] { $n } операции отброшены
    [many] { $n } операций отброшены
   *[other] { $n } операции отброшены
}
import-fio-dashes = в команде типографские тире: fio принимает такие слова за имена файлов заданий
import-fio-disagree = задание { $name }: пропускная способность и IOPS { $way ->
    [read] чтения
    [write] записи
    [trim] TRIM
   *[mixed] смеси
} расходятся на { $percent } % (fio считает и байты за ramp_time)
import-fio-not-told = в файле fio этих данных нет
import-fio-few = операций ({ $count }) слишком мало для p{ $p }
import-fio-no-percentile = в файле fio нет p{ $p } (запросите его у fio: --percentile_list={ $p })
import-fio-percentile-of-jobs = в файле fio нет p{ $p } для { $jobs ->
    [one] { $jobs } задания
   *[other] { $jobs } заданий
} вместе: процентили нельзя усреднять (возьмите group_reporting или json+)
import-fio-terse-fields = в версии { $version } полей { $whole }, в этой строке { $count }
import-fio-no-histogram = это не строка гистограммы
import-fio-log-back = время раньше, чем в строке выше (fio записывает журналы клонов одного задания один за другим)
import-fio-log-untold = что это за значения, не видно ни из файла, ни из его имени (например, `_bw.1.log`, `_iops.1.log`, `_clat.1.log`)
import-fio-log-latencies = судя по имени файла, это { $kind ->
    [submission] задержки отправки
    [completion] задержки завершения
   *[total] полные задержки
}; приняты за наносекунды, но fio 2.x пишет микросекунды
import-fio-log-micros = судя по имени файла, это { $kind ->
    [submission] задержки отправки
    [completion] задержки завершения
   *[total] полные задержки
}; приняты за микросекунды, как их пишет fio 2.x: для наносекунд значения неправдоподобны
import-fio-log-clones = в файле { $n ->
    [one] { $n } клон
    [few] { $n } клона
   *[other] { $n } клонов
} одного задания друг за другом: у каждого свой ряд
import-fio-log-of = судя по имени файла, это { $kind ->
    [bandwidth] пропускная способность
    [IOPS] IOPS
    [submission] задержки отправки
    [completion] задержки завершения
   *[total] полные задержки
}: из содержимого этого не видно

# Отсчёты во времени.
import-clock-back = часы ушли назад на { $seconds } с: следующие отсчёты помещены через секунду после последнего
import-zone = время в файле — в часовом поясе { $zone }
import-month-or-day = день и месяц в датах не различить: даты прочитаны как месяц/день
import-no-date = такой даты нет в календаре: { $text }
import-header-of-iris = заголовка нет: столбцы приняты за столбцы IRIS (Glorefs ... IJULock)
import-header-missing = заголовка нет: столбцов без имён { $n }
import-row-cut = столбцов меньше, чем в заголовке: строка обрывается
import-blank-values = { $n ->
    [one] { $n } пустое значение
    [few] { $n } пустых значения
    [many] { $n } пустых значений
   *[other] { $n } пустого значения
}: у скорости в первой строке его нет
import-zpool-first = первый отчёт — за время с импорта пула (если zpool iostat запущен без -y), он приведён отдельно; времени в отчётах нет, они пронумерованы
import-iostat-first = первый отчёт — за время с запуска машины (если iostat запущен без -y), он приведён отдельно
import-iostat-untimed = в отчётах нет времени (его добавляет iostat -t): они пронумерованы
import-iostat-one = единственный отчёт — за время с запуска машины (если iostat запущен без -y): об интервале и нагрузке он ничего не сообщает
import-iostat-excerpt = выдержка без первой строки iostat: первый отчёт прочитан как отчёт за интервал (если iostat напечатал его первым, это средние с запуска машины)
import-iostat-twice = { $device } встречается в одном отчёте дважды: учтена первая строка
import-reports-by-profile = в отчётах нет времени: они распределены по { $seconds } с профиля
import-sar-average = строки Average — средние по всем интервалам, они приведены отдельно
import-sar-restart = в этом месте машина перезагружалась
import-sar-empty = есть заголовок устройств sar, но нет строк
import-vmstat-first = первая строка — за время с запуска машины (если vmstat запущен без -y), она приведена отдельно
import-vmstat-one = единственная строка — за время с запуска машины (если vmstat запущен без -y): об интервале и нагрузке она ничего не сообщает
import-vmstat-untimed = в строках нет времени (его добавляет vmstat -t): они пронумерованы
import-pidstat-unread = { $n ->
    [one] { $n } значение
    [few] { $n } значения
    [many] { $n } значений
   *[other] { $n } значения
} -1: процессы других пользователей pidstat читать не вправе
import-pidstat-whole = отчёты, где у заголовка и строк одно время, — за время с запуска машины, они приведены отдельно
import-pidstat-empty = есть заголовок pidstat, но нет процессов
import-nfsiostat-first = первый отчёт о точке монтирования — за время с её монтирования (если предыдущие не отрезаны), он приведён отдельно
import-nfsiostat-headers = кБ здесь — размер сообщений RPC вместе с заголовками: больше, чем программа прочитала и записала
import-nfsiostat-untimed = nfsiostat не указывает времени: отчёты пронумерованы
import-nfsiostat-empty = есть заголовок nfsiostat, но нет точки монтирования
import-btt-whole = btt суммирует всю трассировку: об интервалах данных нет
import-btt-empty = есть заголовок btt, но нет показателей
import-section-unread = раздел { $section } не прочитан: { $why }
import-mgstat-empty = есть заголовок mgstat, но нет отсчётов
import-vmstat-empty = есть заголовок vmstat, но нет строк
import-iostat-empty = есть заголовок iostat, но нет устройств
import-counters-empty = есть заголовок счётчиков производительности, но нет отсчётов
import-metrics-partial = { $label } — { $status }: значения неполны
import-cloudwatch-unpaired = в { $label } времён { $times }, а значений { $values }
import-cloudwatch-one-value = в { $name } одно значение: период не указан, скорость не рассчитать
import-cloudwatch-sums = { $name }: принято за суммы за { $seconds } с и поделено на них (в ответе нет ни статистики, ни периода)

# Другие генераторы нагрузки.
import-mix = смешанная нагрузка: { $text }
import-phase-without-io = в фазе { $phase } не было ввода-вывода
import-tool-error = сообщение программы: { $text }
import-end-missing = данные обрываются: нет `{ $missing }`
import-excerpt = выдержка: нет `{ $missing }`; имеющиеся тесты целы
import-rows-missing = таблица `{ $table }` обрывается после строки { $line }: нет строк { $rows }
import-yabs-empty = таблица YABS в строке { $line } пуста: сбой fio, или YABS остановил его через 35 с
import-yabs-no-table = в строке { $line } заголовок YABS, но за ним нет ни `fio Disk Speed Tests`, ни `dd Sequential Disk Speed Tests`
import-called-invalid = программа сама помечает результат как недействительный: { $text }
import-fewer-than-asked = выполнено только { $done } из { $asked } запрошенных транзакций
import-zeros-left-out = { $n ->
    [one] опущена { $n } фаза со скоростью 0: { $tool } пишет 0 о том, чего от него не требовали
    [few] опущено { $n } фазы со скоростью 0: { $tool } пишет 0 о том, чего от него не требовали
   *[other] опущено { $n } фаз со скоростью 0: { $tool } пишет 0 о том, чего от него не требовали
}
import-times-unread = { $tool } запущен для измерения времени, а не скорости: эти данные не читаются
import-ior-latency = IOR до версии 4 делит время на число передач одного блока, а сегментов здесь { $segments }: его Latency(s) не задержка и опущена
import-also-of = в файле есть и вывод формата { $format }: он не читается, поместите его в отдельный файл
import-pg-reset = счётчики сброшены в { $when }: отрезок со сбросом исключён
import-pg-back = счётчики уменьшились без сообщения о сбросе: отрезок исключён
import-pg-clock = часы пошли назад на { $seconds } с: отрезок исключён
import-pg-one = только один снимок, а для скорости нужны два
