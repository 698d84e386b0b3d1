# Листы `secchi limits`: заголовки, шапки столбцов и метки не шире восьми знаков.
limits-volumes = тома
limits-instances = экземпляры
limits-head-volume = том
limits-head-size = размер
limits-head-bandwidth = проп. способность
limits-head-published = опубликовано
limits-head-instance = экземпляр
limits-head-iops-burst = IOPS (всплеск)
limits-head-bandwidth-burst = MB/s (всплеск)
limits-head-family = семейство
limits-head-types = типов
limits-head-bursts = всплески
limits-head-caps = пределы
limits-head-depth = глубина
limits-head-mean = среднее
limits-head-next = следующий
limits-head-headroom = запас
limits-head-tightest = самый тесный
limits-label-caps = пределы
limits-label-crosses = пересеч.
limits-label-counts = счёт
limits-label-promise = обещано
limits-label-price = цена
limits-label-note = заметка
limits-label-source = источник
limits-label-chosen = на выбор
limits-label-bytes = байты
limits-label-bought = куплено
limits-label-declared = задано
limits-label-above = выше
limits-label-tie = поровну
limits-label-depth = глубина
limits-label-merging = слияние
limits-label-burst = всплеск
limits-label-need = нужно
limits-label-none = нет

# Каталог и одна его строка.
limits-undated = без даты
limits-from-size = от { $size }
limits-by-table = по таблице размеров
limits-more-rungs = { $name } и ещё { $more }, до { $last } (список: { $command })
limits-families-note = типы семейства: `{ $family }`; один тип: `{ $one }`
limits-of-them = из них { $n }
limits-read-side = чтение { $figure }
limits-write-side = запись { $figure }
limits-of-op = { $op }: { $caps }
limits-with-burst = { $cap } (всплеск { $burst })
limits-burst-lasts = { $rate } на { $lasts }
limits-burst-refilled = { $rate } на { $lasts }, восполнение за { $again }
limits-burst-every = { $rate } на { $lasts } каждые { $again }
limits-secondary-source = { $source } (вторичный источник)
limits-own-row = { $source } (ваша собственная строка)
limits-published = опубликовано { $date }
limits-crosses-at = { $size }: случайные операции меньшего размера ограничивает предел IOPS, большего — предел пропускной способности
limits-counted-whole = операция больше { $unit } считается за несколько
limits-counted-merged = последовательные меньшего размера сливаются до него
limits-counted-padded = остальные меньшие занимают столько же пропускной способности, сколько операция в { $unit }
limits-promised = не менее { $share } % от пределов почти всегда
limits-price = { $amount } { $currency } в месяц, { $region }; опубликовано { $date }

# Что допускают том и экземпляр.
limits-may-do = ожидаемая скорость для { $workload }
limits-crosses-below = до { $size } KiB ограничивает предел IOPS, выше — предел пропускной способности
limits-by-size = { $sizes }: { $told }
limits-depth-needed = предел достигается при глубине { $n }; измеряйте при глубине от { $from } до { $to }
limits-merged = до { $rate } IOPS, если соседние операции сливаются, насколько допускают строки каталога: предел IOPS проверяет только случайный ввод-вывод
limits-burst-first = { $rate } IOPS при полных кредитах
limits-burst-first-for = { $rate } IOPS в течение { $lasts } при полных кредитах
limits-burst-then = затем { $rate }
limits-burst-then-for = затем { $rate } в течение { $lasts }
limits-burst-recovers = кредиты восстанавливаются за { $time } простоя
limits-burst-at = { $told } (глубина { $depth })
limits-tie = { $names }: допускают одно и то же с точностью до 3 %, и измерение не покажет, какой из них ограничивает; поднимите один из пределов или нагрузите одновременно второй том
limits-no-promise = предел не гарантия: поставщик обещает для { $limit } не менее { $share } % от него

# Что удовлетворяет требованиям.
limits-solve-need = { $need }: { $rate } IOPS, { $bandwidth }
limits-solve-depth = при глубине не более { $depth } (закон Литтла: IOPS × средняя задержка)
limits-solve-together = все требования одновременно
limits-solve-apart = каждое требование само по себе (--together складывает их)

# Файлы из вывода инструментов поставщиков.
limits-imported = типов записано в { $file }: { $n }
limits-import-without = типов без собственного опубликованного предела: { $n }; они пропущены: { $some }

# Contracts.
limits-contracts = контракты
limits-head-contract = контракт
limits-head-needs = требования
limits-contracts-note = имя указывается в --need; источник и дата каждого: `analysis/contracts/` в исходных текстах

# Volumes of an account.
limits-account = тома учётной записи
limits-head-attached = подключён к
limits-head-option = --volume
limits-account-note = сравнить том с его пределами: secchi qualify PATH --volume ...; найти дешевле: secchi limits solve --current ...
limits-account-instances = инстансы учётной записи
limits-account-instances-note = измерить: secchi qualify PATH --instance ...; подобрать тома для инстанса: secchi limits solve --instance ...
