# Хранилища других сборок.
store-record-version = запись прогона имеет версию { $version }, этот secchi читает версию { $read }: чтобы сохранить прогон, экспортируйте его той версией secchi, которая его записала (secchi runs export)
store-journal-format = журнал имеет формат { $version }, этот secchi читает формат { $read }: чтобы сохранить прогон, экспортируйте его той версией secchi, которая его записала (secchi runs export)
store-team-version = хранилище прогонов { $store } имеет версию { $version }, этот secchi читает версию { $read }: чтобы сохранить прогоны, экспортируйте их той версией secchi, которая их записала (secchi runs export), и возьмите другую базу
