# Ответ: показатели и к чему они относятся.
figure-of = { $did } из { $cap } ({ $share })
figure-at-least = не меньше { $figure }
figure-in-flight = { $figure } при глубине { $n }
figure-at-depth = { $figure } при глубине { $depth }
figure-rising = { $figure } и ещё растёт
figure-per-doubling = { $figure }, +{ $percent } % при удвоении глубины
figure-rising-at = { $figure }, при глубине { $deepest } ещё растёт
figure-of-size = { $size }: { $figure }

# Почему неизвестно.
why-rising = ещё растёт
why-noisy = слишком большой разброс между уровнями
why-brief = уровней слишком мало или они слишком коротки
why-lower = ниже предел { $name }
why-burst = эта скорость держится на кредитах, которые закончатся
why-cpu = процессор этой машины слишком медленный
why-few = слишком малая глубина очереди
why-undecidable = этот прогон не показывает, какой предел ограничивает
why-others = устройством пользовались другие процессы
why-others-hide = устройством пользовались другие процессы, и его предел не виден
why-deeper-struck = показатели более глубоких уровней недействительны
why-others-cpu = процессор был занят другими процессами
why-generator = скорость мог сдерживать генератор нагрузки
why-no-limit = ни один предел здесь не известен
why-away = до всех известных пределов далеко
why-no-level = скорость ни на одном уровне не установилась
why-no-more = большей скорости не запрашивали

# Что ограничивает.
limit-undecided = неясно
limit-unknown = неизвестно
limit-few = слишком малая глубина очереди
limit-cpu = процессор этой машины
limit-device = устройство
limit-device-defined = само устройство, каким его видит эта машина; внешнего предела нет
limit-cap = предел
limit-cap-or-device = предел или устройство
limit-virtual-disk = виртуальный диск, каким его видит гостевая система
limit-iops-cap = предел IOPS
limit-bandwidth-cap = предел пропускной способности
limit-undecidable = { $names } (этот прогон не показывает, какой из них)
limit-unnamed = { $name }, которого нет среди заданных пределов
binds-not-reached = предел не достигнут, { $what }: { $figure }
binds-not-known = неизвестно, { $what }: { $figure }, { $why }
binds-no-rate = скорость не установилась, { $what }: { $figure }
binds-no-figure = неизвестно, { $what }: { $why }
binds-nothing = скорость ничто не ограничивает, { $what }: { $figure }
binds-limit = { $limit }, { $what }: { $figure }
binds-others = { $binds }; { $n ->
    [one] ещё для { $n } нагрузки иначе
   *[other] ещё для { $n } нагрузок иначе
}

# Получено ли купленное.
bought-more = больше купленного: { $what } — достигнуто { $measured }, { $row }; предел указан неверно или измерено не то хранилище
bought-more-somewhere = больше купленного: предел указан неверно или измерено не то хранилище
bought-less = меньше купленного: { $what } — достигнуто { $measured }, { $row }
bought-row = { $measured }, { $row }
bought-rows = { $first }; { $second }
bought-delivered = получено: { $shown }
bought-in-part = получено: { $shown }; не показано: { $row }, { $why }
bought-not-shown = не показано: { $what } — достигнуто { $measured }, { $row }; { $why }
bought-not-tested = не показано: нет достоверного показателя для сравнения с купленным

# Выполнены ли требования.
need-figure = { $metric }: { $measured }
need-and-figure = { $need }: { $figure }
needs-met = выполнено { $need }
needs-not-met = не выполнено { $need }
needs-undecided = неясно { $need }
needs-some-met = выполнено { $all } из { $all }, первое: { $need }
needs-some-not-met = не выполнено { $n } из { $all }, первое: { $need }
needs-some-undecided = неясно { $n } из { $all }, первое: { $need }

# Что делать дальше.
do-device = посмотрите в журнале ядра (dmesg) сообщения об устройстве и повторите прогон
do-again = повторите прогон и доведите его до конца
do-wait = дождитесь конца прогона
do-measure = измерьте недостающее: { $command }
do-ask = укажите, что куплено (--limit, --volume) или требуется (--need), чтобы получить вывод
do-judge = сравните показатели с купленным или с требованиями: { $command }
do-faster-storage = нужно более быстрое хранилище: одиночная операция занимает { $alone }, а требуется { $most }
do-fewer = уменьшите глубину очереди или возьмите более быстрое хранилище: одиночная операция занимает { $alone }
do-raise = поднимите { $limit }: нужно { $wanted }, получено { $figure }
do-raise-baseline = поднимите { $limit }: нужно { $wanted }, а после всплеска остаётся { $baseline } IOPS
do-keep = держите глубину очереди не меньше { $n }: столько нужно для { $wanted } при { $cycle } на операцию
do-faster-device = возьмите более быстрое устройство: нужно { $wanted }, получено { $figure }
do-find-cap = найдите предел, который не был указан: например, экземпляра, узла или общего пути
do-seller = спросите поставщика, почему не достигается { $row }, и укажите номер этого прогона
do-lift = поднимите { $name } и повторите прогон: это ниже, чем { $row }
do-quiet = повторите прогон, когда устройством не пользуется никто другой
do-deeper = увеличивайте глубину очереди, пока растёт скорость: { $option }
do-another-size = добавьте размеры блока, чтобы отличить предел от устройства: { $option }
do-longer = повторите с { $option }: более длинные уровни могут показать предел

# Слова перед строками ответа в терминале, не длиннее восьми знаков.
label-bought = КУПЛЕНО
label-needs = НУЖНО
label-binds = ПРЕДЕЛ
label-do = СДЕЛАТЬ
