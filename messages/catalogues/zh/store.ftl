# 其他构建的存储。
store-record-version = 此运行的记录为版本 { $version }，而此 secchi 读取版本 { $read }：要保留该运行，请用写入它的 secchi 版本导出（secchi runs export）
store-journal-format = 此日志的格式为 { $version }，而此 secchi 读取格式 { $read }：要保留该运行，请用写入它的 secchi 版本导出（secchi runs export）
store-team-version = 运行存储 { $store } 为版本 { $version }，而此 secchi 读取版本 { $read }：要保留其中的运行，请用写入它们的 secchi 版本导出（secchi runs export），再换用另一个数据库
