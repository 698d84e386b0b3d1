## Способы сделать записи долговечными: `secchi durable`, и слишком быстрые синхронизации
durable-standing-kept = соблюдено
durable-standing-doubtful = сомнительно
durable-standing-broken = НАРУШЕНО
durable-standing-unseen = неясно
durable-standing-refused = отклонено
durable-all = { $n ->
    [1] единственное обещание
    [one] { $n } обещание
    [few] все { $n } обещания
   *[other] все { $n } обещаний
}
durable-found-kept = { $what }: соблюдено до { $layer }
durable-found-doubtful = { $what }: сомнительно, { $layer } отвечает быстрее, чем возможно для носителя
durable-found-broken = { $what }: НАРУШЕНО на { $layer }
durable-found-unseen = { $what }: здесь не определить
durable-found-refused = { $what }: здесь не поддерживается
durable-found-rate = fdatasync: { $rate } фиксаций/с, p50 { $p50 }
durable-seen-errors = ошибок: { $n }, ни одна операция не удалась
durable-seen-option = { $filesystem } смонтирована с { $option }: синхронизация не доходит до устройства
durable-seen-few = фиксаций только { $n }: слишком мало, чтобы считать по ним сбросы
durable-seen-through = { $device } сообщает, что не имеет кэша записи (write through), поэтому ядро не отправляет ему сбросы
durable-seen-uncounted = сбросы, дошедшие до { $device }, не подсчитаны
durable-seen-no-device = под { $filesystem } не видно блочного устройства
durable-seen-timed = { $device }: на фиксацию { $flushes } сброса и { $forced } принудительной записи, сброс занимает { $time }
durable-seen-traced = { $device }: на каждую { $flushes } сброса и { $forced } принудительной записи
durable-seen-counted = { $device }: на фиксацию { $flushes } сброса по счёту ядра; принудительные записи оно не считает
durable-layer-option = смонтирована с { $option }: синхронизация не доходит до устройства
durable-layer-virtual = как хост обрабатывает сброс, отсюда не видно
durable-layer-through = сообщает, что не имеет кэша записи: ядро не отправляет ему сбросы
durable-layer-cache = имеет кэш: до него должен дойти сброс или принудительная запись
durable-layer-passes = имеет кэш или передаёт данные устройству, у которого он есть
durable-layer-silent = ничего не сообщает о кэше
durable-doubt-no-device = синхронизация заняла меньше времени, чем нужно любому устройству для ответа: до устройства она не дошла
durable-doubt-turn = синхронизация заняла меньше половины оборота самого быстрого диска: ответил кэш, который сохранит данные только с батареей или конденсаторами
durable-doubt-flash = синхронизация заняла меньше времени, чем программирование флеш-памяти: ответил кэш, который сохранит данные только с конденсаторами (защита от потери питания)
durable-doubt-flat = синхронизация большого объёма занимает примерно столько же, сколько малого, со скоростью памяти
durable-doubt-virtual = под нижним видимым устройством находится другая машина; сохранит ли данные её кэш, неизвестно
durable-doubt-waits = большую часть времени фиксации ждут программную часть этой машины, а не устройство: показатели не характеризуют хранилище
durable-seen-waits = { $mean } на каждую fdatasync, из них { $there } на { $device }
durable-remedy-waits = проверьте, нет ли предела контрольной группы, другой работы на процессорах (сбросы передают потоки ядра) и задержек в журнале файловой системы
durable-seen-sync = { $device }: p50 { $took } из { $n } синхронизаций
durable-seen-flat = { $first } после записи { $small }, { $second } после записи { $large }
durable-seen-virtual = { $device } — виртуальный диск ({ $kind })
durable-remedy-prove = защищён ли кэш, указано в документации изделия; проверить можно отключением питания: secchi durable write --witness
durable-title = Обещания
durable-title-layers = Слои, сверху вниз
durable-title-commits = Способы фиксации, один поток
durable-title-sync = Синхронизация в зависимости от объёма грязных данных
durable-head-promise = обещание
durable-head-standing = статус
durable-head-evidence = основание
durable-head-layer = слой
durable-head-kind = вид
durable-head-cache = кэш
durable-head-note = примечание
durable-head-method = способ
durable-head-rate = фиксаций/с
durable-head-flushes = сбросов на каждую
durable-head-forced = принуд. на каждую
durable-head-flush = сброс p50
durable-head-dirty = грязных
durable-head-syncs = синхронизаций
durable-same = то же
