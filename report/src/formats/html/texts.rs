//! Every word of the page that is not of the run itself, by language. Sentences of the judge are English in all of them.

use serde::Serialize;

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::English, Language::Japanese];

    /// Its code, as in the page's `lang`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    pub(super) const fn texts(self) -> &'static Texts {
        match self {
            Language::English => &ENGLISH,
            Language::Japanese => &JAPANESE,
        }
    }
}

macro_rules! texts {
    ($($name:ident: $english:literal, $japanese:literal;)*) => {
        /// The words. A language that lacks one does not compile.
        #[derive(Debug, Serialize)]
        #[allow(missing_docs)]
        pub struct Texts { $(pub $name: &'static str,)* }

        const ENGLISH: Texts = Texts { $($name: $english,)* };
        const JAPANESE: Texts = Texts { $($name: $japanese,)* };
    };
}
pub(in crate::formats) use texts;

texts! {
    report: "Storage report", "ストレージ測定レポート";
    answer_bought: "Bought", "購入性能";
    answer_needs: "Needs", "要件の判定";
    answer_binds: "Binds", "律速";
    answer_do: "Do", "次の一手";
    key_figures: "Key figures", "主要な値";
    of_bought: "of what was bought", "購入性能に対する割合";
    workloads: "Workloads", "ワークロード";
    workload: "workload", "ワークロード";
    jobs: "Jobs", "ジョブ";
    job: "job", "ジョブ";
    test: "test", "テスト";
    read: "read", "読み取り";
    write: "write", "書き込み";
    mix: "mix", "混合";
    needs: "Needs", "要件";
    need: "need", "要件";
    demand: "demand", "条件";
    measured: "measured", "実測値";
    met: "met", "満たす";
    not_met: "not met", "満たさない";
    undecided: "undecided", "判定不能";
    trust: "How far to trust it", "結果の信頼性";
    no_doubt: "No doubt was found.", "疑わしい点は見つかりませんでした。";
    invalid: "invalid", "無効";
    doubt: "doubt", "疑い";
    note: "note", "注記";
    do_try: "Try", "対処";
    figures: "Figures", "測定値";
    findings: "Findings", "所見";
    binds: "What binds", "律速要因";
    in_flight: "in flight", "同時I/O数";
    operation: "operation", "操作";
    rate: "a second", "毎秒";
    bandwidth: "MB/s", "MB/s";
    mean: "mean", "平均";
    median: "p50", "p50";
    minimum: "min", "最小";
    maximum: "max", "最大";
    left_out: "left out", "除外";
    change: "change", "変化";
    one_run_each: "Changes are against the first run. One run of each is one observation: secchi compare judges several.", "変化は最初の実行に対するものです。各1回の実行は1つの観測にすぎません。複数回の判定には secchi compare を使います。";
    operations: "operations", "I/O数";
    held: "held", "持続";
    interval95: "95 % interval", "95 % 信頼区間";
    interval_of: "of the mean over the time measured, from windows and passes of this run; another run may differ by more", "この実行の測定時間内の平均に対する区間（窓とパスから）。別の実行ではこれを超えて異なることがあります";
    too_few: "fewer than 10 operations beyond it", "これを超えるI/Oが10件未満";
    environment: "Measured on", "測定環境";
    host: "Host", "ホスト";
    storage: "Storage", "ストレージ";
    device: "Device", "デバイス";
    target: "Target", "対象";
    engine: "Engine", "I/Oエンジン";
    limits: "Limits", "上限値";
    limit: "limit", "上限";
    source: "source", "出典";
    plan: "Plan", "計画";
    repeat: "To repeat it", "再実行するコマンド";
    show_again: "To see it again", "再表示するコマンド";
    run: "Run", "実行";
    started: "started", "開始";
    lasted: "lasted", "所要時間";
    state: "state", "状態";
    exit_code: "exit code", "終了コード";
    compared: "Runs compared", "比較する実行";
    verdict: "verdict", "判定";
    stage: "stage", "段階";
    role: "role", "役割";
    block: "block", "ブロック";
    charts: "Charts", "グラフ";
    need_scripts: "The charts need scripts; the tables below do not.", "グラフの表示にはスクリプトが必要です。表はそのまま読めます。";
    chart_ramp: "IOPS and latency against concurrency", "同時I/O数とIOPS・遅延";
    chart_curve: "Latency against throughput", "スループットと遅延";
    chart_sizes: "IOPS and MB/s against block size", "ブロックサイズとIOPS・MB/s";
    chart_bars: "Workloads beside each other", "ワークロードの比較";
    chart_changes: "Changes from A to B", "AからBへの変化";
    chart_histogram: "How often which latency", "遅延の度数分布";
    chart_percentiles: "Percentiles of latency", "遅延のパーセンタイル";
    chart_heat: "Latency over time", "遅延の時間推移";
    chart_time: "Second by second", "毎秒の推移";
    chart_counters: "Counters beside it", "同時刻のカウンタ";
    chart_requests: "Sizes of requests at the device", "デバイスへのI/Oサイズ";
    chart_shares: "Shares of the targets", "対象ごとの割合";
    chart_database: "What the workers waited for", "処理の待ち時間";
    hint_ramp: "Where the curve flattens, more in flight only waits longer. The band is the knee; N* is the least concurrency that could reach the best rate.", "曲線が平らになった先では、同時I/O数を増やしても待ち時間が延びるだけです。帯は折れ点、N* は最高値に達し得る最小の同時I/O数です。";
    hint_curve: "One point for each level, from left to right more in flight. A wall means a limit; a climb without gain is waiting.", "各点は一つの水準で、右ほど同時I/O数が多くなります。垂直な壁は上限、伸びのない上昇は待ち行列です。";
    hint_sizes: "Equal IOPS over sizes is a cap on operations, equal MB/s one on bytes; the lines are the limits known.", "サイズによらずIOPSが一定ならI/O数の上限、MB/sが一定なら帯域の上限です。線は既知の上限を示します。";
    hint_bars: "The level that stands for each workload: the one held, else the fastest.", "各ワークロードを代表する水準（持続測定、なければ最速）の値です。";
    hint_changes: "A point for each figure, with its 95 % interval. Within the band a change is none.", "各点は一つの値の変化、線は95 %信頼区間です。帯の中は変化なしとみなします。";
    hint_histogram: "Every operation stands in one bar. Two hills are two ways to be answered: a cache and the device behind it, or a queue.", "すべてのI/Oがいずれかの棒に入ります。山が二つあれば、キャッシュとデバイスのように応答の経路が二つあります。";
    hint_percentiles: "How long the slowest operations took, as far as ten lie beyond a point.", "遅いI/Oほど右。各点の先に少なくとも10件のI/Oがある範囲だけを示します。";
    hint_heat: "Every operation stands here: the darker, the more of them. Stalls and caches show as bands of their own.", "すべてのI/Oを示します。濃いほど件数が多く、停止やキャッシュは別の帯として現れます。";
    hint_time: "The load as it was measured; gaps are ramp-up and drain. Drag below to zoom: all charts with a time axis follow.", "測定された負荷です。途切れた部分は準備と終了の区間です。下のバーで拡大すると、時間軸のグラフがすべて連動します。";
    hint_counters: "What kernel and engine counted at the same time.", "同じ時刻にカーネルやエンジンが数えた値です。";
    hint_requests: "What was handed to the device after merging and splitting.", "結合・分割を経てデバイスに渡されたI/Oです。";
    hint_shares: "What each target had of the sum.", "合計のうち各対象が占めた割合です。";
    hint_database: "Latency of what a worker waits for: commits, reads, transactions.", "処理が待つもの（コミット、読み取り、トランザクション）の遅延です。";
    latency: "latency", "遅延";
    time: "time", "時刻";
    seconds: "s", "秒";
    percentile: "percentile", "パーセンタイル";
    requests: "requests", "I/O数";
    value: "value", "値";
    counter: "counter", "カウンタ";
    name: "name", "名前";
    ramp_up: "not measured", "測定外";
    fill: "fill", "事前書き込み";
    level: "level", "水準";
    phase: "phase of the database", "データベースの処理段階";
    show_table: "Table", "表";
    show_chart: "Chart", "グラフ";
    save: "Save", "保存";
    theme: "Light or dark", "配色の切り替え";
    made_by: "Made by", "作成";
    contents: "Contents", "目次";
    reset_zoom: "Whole", "全体";
    more: "more", "件（その他）";
    rows_left_out: "rows left out; CSV has all", "行を省略（CSVには全行）";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_of_its_own() {
        let words = |l: Language| serde_json::to_value(l.texts()).expect("words");
        let (english, japanese) = (words(Language::English), words(Language::Japanese));
        let same = english.as_object().expect("names").iter().filter(|(k, v)| japanese[k.as_str()] == **v);
        assert!(same.count() < 6, "only signs and units stay as they are");
    }
}
