# Замечания команд.
remark-run-lost = прогон сохранён не полностью: { $why }
remark-run-not-kept = прогон не сохранён: { $why }
remark-load-lingers = процесс нагрузки не завершается, ожидание прекращено (измеренное сохранено)
remark-load-silent = процесс нагрузки не отвечает { $time }, ожидание прекращено (измеренное сохранено)
remark-load-no-memory = процессу нагрузки не хватило памяти: адресное пространство ограничено { $limit } (ulimit -v); измеренное сохранено
remark-load-file-limit = процесс нагрузки завершён из-за предела размера файлов (ulimit -f: { $limit }); поднимите его или уменьшите --size; измеренное сохранено
remark-load-killed-bus = процесс нагрузки завершён сигналом SIGBUS ({ $signal }): отображённый файл уменьшился или отказало устройство; измеренное сохранено (secchi runs)
remark-load-killed = процесс нагрузки завершён сигналом { $signal }; измеренное сохранено (secchi runs)
remark-file-removed = тестовый файл прогона удалён: { $path }
remark-files-remain = файлы прогона остались: { $path }
remark-files-may-remain = файлы прогона, возможно, остались: { $path }

# Сохранённые прогоны.
remark-runs-exported = записан { $file }: прогонов { $n }, журналы { $journals }, в сжатом виде { $size }
remark-runs-new = импортировано прогонов: { $new } из { $all }
remark-runs-known = остальные уже сохранены здесь, совпадают байт в байт и сохраняют свои метки
remark-runs-damaged = журналы этих прогонов повреждены и были повреждены уже в исходном хранилище: { $runs }
remark-team-ready = { $name } готово принимать прогоны
remark-team-none-waits = ни один прогон не ждёт отправки в { $name }
remark-team-put = передано в { $name }: { $n }
remark-team-running = ещё выполняется: { $n }
remark-team-waits = прогон { $id } ждёт: { $why }
remark-runs-none-listed = подходящих прогонов нет: отбор исключает все или --max-count равен 0
remark-runs-part-shown = показано прогонов: { $shown } из { $all }
remark-runs-labels = { $run }: { $labels }
remark-runs-no-tags = без меток
remark-runs-tags = метки { $tags }
remark-runs-joined = рангов объединено в прогон { $id }: { $ranks }
remark-run-removed = прогон { $id } удалён
remark-report-written = записан { $file }, { $size }
remark-runs-stopped-after = остановлено после { $done } из { $all } прогонов
remark-ab-more-rounds = с --rounds { $n } ответ, вероятно, будет ясен
remark-ab-without-keep = { $option }: без --keep каждый прогон заново создаёт и заполняет тестовый файл

# Файлы для оценки.
remark-skipped = пропущено: { $why }
remark-skipped-empty = пропущено пустых файлов в { $directory }: { $n }
remark-skipped-own = пропущено: { $path } — прогон secchi
remark-source-is-file = `{ $source }` читается как файл с этим именем, а не как прогон
remark-zone-unused = --time-zone не действует: в файлах нет времени без часового пояса
remark-ping-short = { $whose }запрос { $number } вернул меньше, чем запрошено: { $bytes } байт

# Базы данных.
remark-database-not-filled = база создана, но не заполнена; `secchi db purge { $directory }` удалит её
remark-database-has-globals = глобалов уже { $globals }
remark-scripts-written = сценарии для { $engine } записаны в { $directory }; начните с README.txt
remark-sizes-later = { $why }; следующая команда исправит размеры
remark-stopped-by-command = остановлено командой `secchi db stop`
remark-inserts-until = предел вставки — { $until }; файлы сейчас занимают { $now } и могут вырасти не больше чем на { $room }
remark-inserts-count = вставок на процесс: { $n }
remark-inserts-size = размер файлов { $size }
remark-inserts-either = { $time } или размер файлов { $size }
remark-inserts-counted = прогон вставок был прерван; его узлы сосчитаны, размеры исправлены: { $globals }
remark-inserts-counted-global = глобал { $number }: узлов { $total } (было { $before })
remark-engine-silent = { $engine } всё ещё запускается, записывает данные или останавливается, но { $seconds } с ничего не читалось и не писалось: возможно, операция зависла
remark-ramp-globals = наращивание до { $n } процессов: каждый обновляет свой глобал
remark-past-none = прогонов пока нет
remark-past-removed = удалено прогонов базы { $name }: { $n }
remark-past-left-out = пакетов пропущено: { $n }; в { $format } есть таблицы только для { $classes }
remark-past-written = пакетов записано в { $file }: { $n }
remark-no-run-here = эта база не используется ни одним прогоном
remark-run-asked-to-stop = прогону { $id } отправлена просьба остановиться
remark-database-removed = база { $name } удалена ({ $directory })
remark-database-adopted = { $directory } теперь отдельная база ({ $uuid }); прогоны на исходной остаются у исходной
remark-database-adopted-check = `secchi db check { $directory }` проверит, что копия полна
remark-layout-kept = база с другой раскладкой сохранена: { $directory }
remark-layout-not-removed = { $why }; `secchi db purge { $directory }` удалит базу с другой раскладкой

# Где хранятся прогоны; ход выполнения.
remark-store-away = { $why }; прогон хранится на этой машине, пока `secchi runs push` или следующий прогон не скопирует его в хранилище команды
remark-store-fallback = { $why }; прогон сохраняется в { $directory }
remark-coarsened = прогон длинный ({ $time }): его показатели, в том числе с самого начала, теперь хранятся интервалами по { $length }; счётчики, итоги и гистограммы остаются точными
remark-delete-run = удалить прогон { $run }? Это необратимо. [y/N]
remark-delete-runs = удалить прогоны ({ $n }: { $first } …)? Это необратимо. [y/N]
remark-step = { $label }, глубина { $n }
remark-step-held = { $label }, глубина { $n }, удержание
