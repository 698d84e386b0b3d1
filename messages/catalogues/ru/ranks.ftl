## Запуск на многих узлах.

ranks-on-host = { $host }: { $what }
ranks-no-word = процесс { $rank } ответил не на то, о чём его спросили
ranks-versions = на { $host } secchi { $theirs }, а у процесса 0 — { $ours }: сборка должна быть у всех одна
ranks-same-file = { $a } и { $b } писали бы в один файл { $path }: добавьте в его имя { $word }
ranks-same-database = { $a } и { $b } работали бы с одной базой в { $path }: тот же mpirun с `secchi db setup` и новым каталогом создаст каждому свою
ranks-plans-differ = процессы делали бы разное: их этапы различаются
ranks-silent = от { $host } ничего не слышно
ranks-lost = { $host } пропал: от него ничего не слышно { $silence }; измеренное до того сохранено
ranks-apart = узлы начали или закончили не одновременно: общие цифры — тех секунд, в которые измеряли все
ranks-begun-apart = { $late } начал на { $by } позже, чем { $first }
ranks-ended-apart = { $early } закончил на { $by } раньше, чем { $last }
ranks-together-for = все измеряли { $time }
ranks-apart-remedy = дайте всем узлам одно и то же время, проверьте сеть и нагрузку опоздавшего
ranks-straggler = один узел отстаёт от остальных: { $host }
ranks-stragglers = узлы отстают от остальных: { $host } и ещё { $others }
ranks-usual = { $label }: здесь обычно { $rate } IOPS, не хватает { $lost } IOPS
ranks-behind-by = { $host }: { $rate } IOPS, { $share } % недостающего
ranks-more-behind = и ещё { $n }
ranks-straggler-remedy = запустите на одном { $host }: его хранилище, ограничение или сеть медленнее либо делятся с кем-то
ranks-clocks-coarse = часы узлов сверялись по медленной сети: время разных узлов может расходиться на столько
ranks-clock-within = { $host }: в пределах { $within }
ranks-limit-on = ограничение `{ $limit }` относится к цели `{ $on }`, а цели — { $names }
doubt-host-gone = во время запуска пропал узел: цифры — времени до того
fio-trust-host-gone = узел пропал; в цифрах то, что измерено до того
partial-host-gone = запуск прерван: узел пропал через { $time }
ranks-had = { $host } { $rate }
