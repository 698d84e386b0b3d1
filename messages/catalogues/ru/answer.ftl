# Ответ: показатели и к чему они относятся.
figure-of = { $did } из { $cap } ({ $share })
figure-at-least = не меньше { $figure }
figure-in-flight = { $figure } при { $n } одновременных
figure-at-depth = { $figure } при глубине { $depth }
figure-rising = { $figure } и ещё растёт
figure-per-doubling = { $figure }, +{ $percent } % на удвоение
figure-rising-at = { $figure }, при глубине { $deepest } ещё растёт
figure-of-size = { $size }: { $figure }

# Почему не известно.
why-rising = ещё растёт
why-noisy = уровни слишком разбросаны
why-brief = уровней слишком мало или они слишком коротки
why-lower = { $name } ниже
why-burst = за счёт кредитов, которые кончатся
why-cpu = процессор этой машины слишком медленный
why-few = слишком мало одновременных операций
why-undecidable = здесь не различить
why-others = устройством пользовались другие
why-others-hide = устройством пользовались другие, и его предел не виден
why-deeper-struck = показатели более глубоких уровней недействительны
why-others-cpu = процессор был занят другими
why-generator = возможно, сдерживал генератор нагрузки
why-no-limit = ограничений здесь не известно
why-away = далеко от всех известных ограничений
why-no-level = постоянного уровня не было
why-no-more = больше не запрашивалось

# Что ограничивает.
limit-undecided = не определено
limit-unknown = не известно
limit-few = мало одновременных операций
limit-cpu = процессор этой машины
limit-device = устройство
limit-device-defined = само устройство: хранилище, каким его видит эта машина, без предела
limit-cap = предел
limit-cap-or-device = предел или устройство
limit-virtual-disk = виртуальный диск, каким его видит гостевая система
limit-iops-cap = ограничение IOPS
limit-bandwidth-cap = ограничение полосы
limit-undecidable = { $names }, здесь не различить
limit-unnamed = { $name }, не названное ни одним заданным ограничением
binds-not-reached = предел не достигнут, { $what }: { $figure }
binds-not-known = не известно, { $what }: { $figure }, { $why }
binds-no-rate = нет постоянной скорости, { $what }: { $figure }
binds-no-figure = не известно, { $what }: { $why }
binds-nothing = ничто, { $what }: { $figure }
binds-limit = { $limit }, { $what }: { $figure }
binds-others = { $binds }; { $n ->
    [one] ещё { $n } иначе
   *[other] ещё { $n } иначе
}

# Получено ли купленное.
bought-more = больше купленного: { $what } — { $measured }, { $row }: строка неверна или измерено не то
bought-more-somewhere = больше купленного: строка неверна или измерено не то
bought-less = меньше купленного: { $what } — { $measured }, { $row }
bought-row = { $measured }, { $row }
bought-rows = { $first }; { $second }
bought-delivered = получено: { $shown }
bought-in-part = получено: { $shown }; не показано: { $row }, { $why }
bought-not-shown = не показано: { $what } — { $measured }, { $row }; { $why }
bought-not-tested = не показано: нет годного показателя для сравнения

# Выполнены ли требования.
need-figure = { $metric }: { $measured }
need-and-figure = { $need }: { $figure }
needs-met = выполнено { $need }
needs-not-met = не выполнено { $need }
needs-undecided = не определено { $need }
needs-some-met = выполнены все { $all }, первое { $need }
needs-some-not-met = не выполнено { $n } из { $all }, первое { $need }
needs-some-undecided = не определено { $n } из { $all }, первое { $need }

# Что делать дальше.
do-device = посмотрите, что ядро говорит об устройстве (dmesg), и запустите снова
do-again = запустите снова до конца
do-wait = дождитесь конца
do-measure = измерьте это: { $command }
do-ask = назовите купленное (--limit, --volume) или требования (--need), чтобы получить вывод
do-judge = сопоставьте с купленным или требованиями: { $command }
do-faster-storage = нужно более быстрое хранилище: одна операция занимает { $alone }, а требуется { $most }
do-fewer = держите меньше одновременных операций или возьмите более быстрое хранилище: одна операция занимает { $alone }
do-raise = поднимите { $limit }: нужно { $wanted }, получено { $figure }
do-raise-baseline = поднимите { $limit }: нужно { $wanted }, а после всплеска остаётся { $baseline } IOPS
do-keep = держите не меньше { $n } одновременных операций: столько нужно для { $wanted } по { $cycle }
do-faster-device = возьмите более быстрое устройство: нужно { $wanted }, получено { $figure }
do-find-cap = ищите ограничение, которого нет в строках: экземпляр, узел, общий путь
do-seller = спросите продавца, почему не достигается { $row }, указав номер этого запуска
do-lift = поднимите { $name } и запустите снова: это ниже { $row }
do-quiet = повторите, когда устройством не пользуется никто другой
do-deeper = увеличивайте глубину, пока растёт: { $option }
do-another-size = добавьте размеры блока, чтобы отличить предел от устройства: { $option }
do-longer = повторите с { $option }: длинные уровни назовут ограничение

# Слова перед строками ответа в терминале, не длиннее восьми знаков.
label-bought = КУПЛЕНО
label-needs = НУЖНО
label-binds = ПРЕДЕЛ
label-do = СДЕЛАТЬ
