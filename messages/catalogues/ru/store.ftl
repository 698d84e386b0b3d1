# Хранилища других сборок.
store-record-version = запись прогона имеет версию { $version }, эта secchi читает версию { $read }: чтобы сохранить прогон, экспортируйте его той secchi, которая его записала (secchi runs export)
store-journal-format = журнал имеет формат { $version }, эта secchi читает формат { $read }: чтобы сохранить прогон, экспортируйте его той secchi, которая его записала (secchi runs export)
store-team-version = хранилище { $store } имеет версию { $version }, эта secchi читает версию { $read }: чтобы сохранить прогоны, экспортируйте их той secchi, которая их записала (secchi runs export), и возьмите другую базу
