//! Every word of the dashboard, by language.

use crate::formats::html::Language;
use crate::formats::html::texts::texts;
use serde::Serialize;

pub(super) const fn texts(language: Language) -> &'static Texts {
    match language {
        Language::English => &ENGLISH,
        Language::Japanese => &JAPANESE,
    }
}

texts! {
    runs: "Runs", "測定一覧";
    theme: "Light or dark", "配色の切り替え";
    search: "Search", "検索";
    search_hint: "words, or a filter such as bs=8k and since 3d", "語句、または bs=8k and since 3d のような条件式";
    wrong_search: "This cannot be searched for.", "この条件では検索できません。";
    filter_example: "A filter reads", "条件式の例：";
    none_filtered: "The filter holds for no run.", "条件に合う測定はありません。";
    team: "Runs of a team's database: each was put there when it had ended, so none is in progress here.", "チームのデータベースにある測定です。終了した測定だけが登録されるため、実行中のものはありません。";
    away: "The database of the runs does not answer.", "測定のデータベースが応答しません。";
    away_more: "It is asked again every few seconds; this page comes back by itself.", "数秒ごとに再接続を試みます。復旧すると自動的に表示されます。";
    compare: "Compare", "比較";
    compare_hint: "Tick two or three runs to lay them over each other.", "2件または3件を選ぶと重ねて比較できます。";
    chosen: "chosen", "件を選択";
    too_many: "at most three", "3件まで";
    clear: "Clear", "解除";
    run: "run", "測定";
    iops: "IOPS", "IOPS";
    bandwidth: "MB/s", "MB/s";
    p99: "p99", "p99";
    lasted: "lasted", "所要時間";
    of: "of", "/";
    found: "runs", "件";
    found_one: "run", "件";
    none_found: "No run has all of these words.", "該当する測定はありません。";
    no_runs: "No runs are stored yet.", "測定はまだありません。";
    first_run: "The first one is made by", "最初の測定は次のコマンドで行います。";
    newer: "Newer", "新しい測定";
    older: "Older", "古い測定";
    page: "page", "ページ";
    met: "met", "満たす";
    not_met: "not met", "満たさない";
    undecided: "undecided", "判定不能";
    running: "running", "実行中";
    interrupted: "interrupted", "中断";
    stopped: "stopped", "停止";
    hung: "hung", "応答なし";
    failed: "failed", "失敗";
    damaged_run: "damaged", "破損";
    unreadable: "unreadable", "読み取り不能";
    complete: "complete", "完了";
    watch_it: "In progress: watch it second by second", "実行中：毎秒の推移を見る";
    more: "more", "件";
    all_runs: "All runs", "測定一覧へ";
    no_answer: "secchi does not answer any more; trying again.", "secchi が応答しません。再試行しています。";
    live: "In progress", "実行中";
    fill: "writing the test file", "テストファイルの書き込み中";
    ramp: "warming up", "準備中";
    measure: "measuring", "測定中";
    hold: "holding", "持続測定中";
    drain: "draining", "完了待ち";
    between: "between two steps", "次の段階の準備中";
    stage: "stage", "段階";
    in_flight: "in flight", "同時I/O数";
    elapsed: "elapsed", "経過";
    left: "left at most", "残り最大";
    left_unknown: "no end is planned", "終了予定なし";
    mean: "mean", "平均";
    maximum: "max", "最大";
    errors: "errors", "エラー";
    latency: "latency", "遅延";
    seconds: "s", "秒";
    time: "time", "時刻";
    value: "value", "値";
    chart_rate: "IOPS and MB/s", "IOPSとMB/s";
    chart_latency: "Latency of each second", "毎秒の遅延";
    chart_counters: "Counters beside it", "同時刻のカウンタ";
    hint_rate: "As measured in each second; shades are the steps.", "毎秒の測定値です。背景の帯は各段階を示します。";
    hint_latency: "Percentiles where ten operations lie beyond them; the longest always.", "その先に10件以上のI/Oがある場合のパーセンタイルと、最大値です。";
    hint_counters: "What the kernel counted at the same time.", "同じ時刻にカーネルが数えた値です。";
    span: "Shown", "表示範囲";
    last_2: "last 2 minutes", "直近2分";
    last_10: "last 10 minutes", "直近10分";
    whole: "everything", "全体";
    last_seconds: "The last ten seconds", "直近10秒";
    doubts: "Doubts so far", "これまでの疑い";
    quiet: "No news for", "最後の記録から";
    quiet_why: "its writer lives, but tells nothing: an operation may hang", "書き込み側は動作中ですが記録がありません。I/O が停止している可能性があります";
    over: "The run is over. Here comes its report.", "測定が終わりました。レポートを表示します。";
    killed: "This run was killed: its writer is gone, and its journal has no end.", "この測定は強制終了されました。書き込み側はなく、記録に終わりがありません。";
    report: "Report", "レポート";
    report_so_far: "Report of what there is so far", "これまでの分のレポート";
    need_scripts: "The live view needs scripts; the report does not.", "実況表示にはスクリプトが必要です。レポートは不要です。";
    steps: "step", "ステップ";
    damaged: "The journal is damaged here; what follows cannot be read", "記録がここで壊れており、以降は読み取れません";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_of_its_own() {
        let words = |l: Language| serde_json::to_value(texts(l)).expect("words");
        let (english, japanese) = (words(Language::English), words(Language::Japanese));
        let same = english.as_object().expect("names").iter().filter(|(k, v)| japanese[k.as_str()] == **v);
        assert!(same.count() < 5, "only signs and units stay as they are");
    }
}
