## Is a volume still being loaded from its snapshot: `secchi hydration`
hydration-loaded = загружен: ещё не загружено не более { $high } % тома (случайных блоков: { $blocks }, доверие 95 %)
hydration-loading = ещё загружается: не загружено { $value } % тома (95 % интервал от { $low } до { $high } %)
hydration-unclear = решить нельзя: не загружено от { $low } до { $high } % тома; увеличьте --samples
hydration-warmed = прочитан весь том, { $size }
hydration-warmed-part = прочитано { $until } из { $size }; та же команда продолжит с этого места
hydration-rate = чтение всего тома займёт { $time } при { $rate }
hydration-doubt-halves = две половины выборки противоречат друг другу: хранилище изменилось во время прогона
hydration-seen-halves = не загружено: { $first } % в первой половине, { $second } % во второй
hydration-remedy-halves = повторите без другой нагрузки на том и в пределах его ограничений
hydration-title = Чтения
hydration-slow-over = медленные: дольше { $time }
hydration-head-reads = чтения
hydration-head-block = блок
hydration-head-depth = в работе
hydration-head-ops = число
hydration-head-slow = медленных
hydration-continues = продолжается с { $from } из { $size }, где закончился прошлый прогон
