## Запуск на многих узлах.

ranks-on-host = { $host }: { $what }
ranks-no-word = процесс { $rank } ответил не на то, о чём его спросили
ranks-versions = на { $host } secchi { $theirs }, а у процесса 0 — { $ours }: сборка должна быть у всех одна
ranks-same-file = { $a } и { $b } писали бы в один файл { $path }: добавьте в его имя { $word }
ranks-plans-differ = процессы делали бы разное: их этапы различаются
ranks-silent = от { $host } ничего не слышно
ranks-lost = { $host } пропал: от него ничего не слышно { $silence }; измеренное до того сохранено
