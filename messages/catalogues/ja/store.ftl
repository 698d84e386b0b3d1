# 別のビルドの保存先。
store-record-version = この実行の記録はバージョン { $version } で、この secchi が読むのはバージョン { $read } である：残すには、書き込んだ secchi でエクスポートする（secchi runs export）
store-journal-format = このジャーナルの形式は { $version } で、この secchi が読むのは { $read } である：実行を残すには、書き込んだ secchi でエクスポートする（secchi runs export）
store-team-version = 実行の保存先 { $store } はバージョン { $version } で、この secchi が読むのはバージョン { $read } である：実行を残すには、書き込んだ secchi でエクスポートし（secchi runs export）、別のデータベースを使う
