//! Every word of the page that is not of the run itself, by language (`messages`).

pub use messages::Language;

/// A table of words by the names that the code calls them, each message `PREFIX-name` of the catalogues. A language that lacks
/// one does not pass the tests of `messages`, a message that nothing asks for not those here.
macro_rules! texts {
    ($prefix:literal: $($name:ident)*) => {
        /// The words.
        #[derive(Debug, serde::Serialize)]
        #[allow(missing_docs)]
        pub struct Texts {
            #[serde(skip)]
            language: messages::Language,
            $(pub $name: &'static str,)*
        }

        impl Texts {
            /// In a language; made once, and kept as long as the program runs.
            pub(in crate::formats) fn for_language(language: messages::Language) -> &'static Texts {
                static TABLES: [std::sync::OnceLock<Texts>; messages::Language::ALL.len()] =
                    [const { std::sync::OnceLock::new() }; messages::Language::ALL.len()];
                let word = |name: &str| messages::fixed(language, &format!("{}-{}", $prefix, name.replace('_', "-")));
                TABLES[language as usize].get_or_init(|| Texts { language, $($name: word(stringify!($name)),)* })
            }

            /// The language it is in.
            #[allow(dead_code, reason = "not every page says messages")]
            pub(in crate::formats) fn language(&self) -> messages::Language {
                self.language
            }

            /// A sentence in it.
            #[allow(dead_code, reason = "not every page says messages")]
            pub(in crate::formats) fn translate(&self, sentence: impl Into<messages::Sentence>) -> String {
                messages::translate(self.language, &sentence.into()).into_owned()
            }

            /// A word of another subject in it.
            #[allow(dead_code, reason = "not every page says messages")]
            pub(in crate::formats) fn word(&self, id: &str) -> &'static str {
                messages::fixed(self.language, id)
            }

            /// A message in it.
            #[allow(dead_code, reason = "not every page says messages")]
            pub(in crate::formats) fn format(&self, message: &messages::Message) -> String {
                messages::format(self.language, message)
            }
        }

        #[test]
        fn every_message_of_its_kind_is_asked_for_and_there() {
            let own = |id: &String| id.split_once('-').is_some_and(|(kind, _)| kind == $prefix);
            let there: std::collections::BTreeSet<String> = messages::ids().into_iter().filter(own).collect();
            let asked = [$(concat!($prefix, "-", stringify!($name))),*].map(|id| id.replace('_', "-"));
            assert_eq!(there, asked.into_iter().collect());
        }
    };
}
pub(in crate::formats) use texts;

texts! { "page":
    report answer_bought answer_needs answer_binds answer_do key_figures of_bought workloads workload jobs job
    test read write mix needs need demand measured met not_met undecided trust no_doubt invalid doubt note
    do_try figures findings binds what_binds in_flight operation rate bandwidth mean median minimum maximum left_out
    change one_run_each operations held interval95 interval_of too_few environment host storage device target
    engine limits limit source plan repeat show_again run started lasted state exit_code compared verdict
    stage role block charts need_scripts chart_ramp chart_curve chart_sizes chart_bars chart_changes
    chart_histogram chart_percentiles chart_heat chart_time chart_counters chart_requests chart_shares
    chart_database chart_devices hint_devices devices of_limit slowest busy at_limit sum hint_ramp hint_curve hint_sizes hint_bars hint_changes hint_histogram hint_percentiles
    hint_heat hint_time hint_counters hint_requests hint_shares hint_database latency time seconds percentile
    requests value counter name ramp_up fill level phase show_table show_chart save theme made_by contents
    reset_zoom more rows_left_out chart_asked hint_asked chart_caches hint_caches cache busiest
}
