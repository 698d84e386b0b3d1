## Запись, воспроизведённая на другом хранилище.

replay-folded = места записи свёрнуты в меньшие файлы: кэшам и позиционированию легче
replay-folded-seen = { $bytes } из затронутого делят место с другими
replay-moved = операции длиннее записанных: блоки этого хранилища больше
replay-moved-seen = { $n } из { $of } операций
replay-unmapped = запросы вне ролей не воспроизводятся: файловая система здесь делает свои
replay-trims = trim в файлах не воспроизводится: остались бы дыры, которые читаются без устройства
replay-failed = неудавшиеся запросы, а также не чтения, записи, trim или сбросы не воспроизводятся
replay-left-out-seen = запросов: { $n }
replay-following = запросы, отправленные сразу за концом другого заметно чаще случайного, и здесь ждут его; прочие идут в своё время
replay-following-seen = { $n } из { $of } операций ждут другую
replay-open = всё идёт в своё время: что чего ждало, неизвестно
replay-open-seen = в записи нет задержек
replay-apart = кто ждёт операции на другом устройстве, каждые 20 мкс смотрит, не закончилась ли она
replay-apart-seen = операций, ждущих другое устройство: { $n }; рабочих потоков: { $loads }
replay-kept-up = успевает: { $operations } операций сделаны как записано, опоздание не более { $lag }
replay-lagged = { $role } не успевает: опоздания в { $late } из { $seconds } секунд, не более { $lag }; заняло { $made }, записано { $recorded }
replay-longer = { $role } не успевает: то, что ждёт ответов, заняло { $made }, записано { $recorded }
replay-lagged-bound = { $lags }; { $bound }
replay-unpaced = { $role }: { $iops } IOPS на пределе, записано { $recorded }

replay-title = Воспроизведение { $name }
replay-summary = { $operations } операций на { $target }
replay-page = Записано и сделано
replay-kind = вид
replay-size = до
replay-was = записано
replay-is = сделано
replay-p50 = p50 тогда
replay-p50-now = p50 сейчас
replay-p99 = p99 тогда
replay-p99-now = p99 сейчас
replay-due = p99 от срока
replay-lag = Секунды, в которые операции отправлены с опозданием
replay-lag-row = секунда { $second }: { $late } из { $operations }, не более { $longest }
replay-lag-more = и ещё { $n }
