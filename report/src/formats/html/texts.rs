//! All texts of the page that are not from the run itself, by language (`messages`).

pub use messages::Language;

/// Defines a table of texts by the names used in the code, each message `PREFIX-name` of the catalogues. The tests of
/// `messages` fail if a language lacks a message; the tests here fail if a message is unused.
macro_rules! texts {
    ($prefix:literal: $($name:ident)*) => {
        /// Texts in one language.
        #[derive(Debug, serde::Serialize)]
        #[allow(missing_docs)]
        pub struct Texts {
            #[serde(skip)]
            language: messages::Language,
            $(pub $name: &'static str,)*
        }

        impl Texts {
            /// Returns the texts in a language; created once and kept until the program ends.
            pub(in crate::formats) fn for_language(language: messages::Language) -> &'static Texts {
                static TABLES: [std::sync::OnceLock<Texts>; messages::Language::ALL.len()] =
                    [const { std::sync::OnceLock::new() }; messages::Language::ALL.len()];
                let word = |name: &str| messages::fixed(language, &format!("{}-{}", $prefix, name.replace('_', "-")));
                TABLES[language as usize].get_or_init(|| Texts { language, $($name: word(stringify!($name)),)* })
            }

            /// Returns the language of the texts.
            #[allow(dead_code, reason = "not every page has messages")]
            pub(in crate::formats) fn language(&self) -> messages::Language {
                self.language
            }

            /// Translates a sentence.
            #[allow(dead_code, reason = "not every page has messages")]
            pub(in crate::formats) fn translate(&self, sentence: impl Into<messages::Sentence>) -> String {
                messages::translate(self.language, &sentence.into()).into_owned()
            }

            /// Returns a text that is not in this table.
            #[allow(dead_code, reason = "not every page has messages")]
            pub(in crate::formats) fn word(&self, id: &str) -> &'static str {
                messages::fixed(self.language, id)
            }

            /// Formats a message.
            #[allow(dead_code, reason = "not every page has messages")]
            pub(in crate::formats) fn format(&self, message: &messages::Message) -> String {
                messages::format(self.language, message)
            }
        }

        #[test]
        fn every_message_of_its_kind_is_asked_for_and_there() {
            let has_prefix = |id: &String| id.split_once('-').is_some_and(|(kind, _)| kind == $prefix);
            let known: std::collections::BTreeSet<String> = messages::ids().into_iter().filter(has_prefix).collect();
            let asked = [$(concat!($prefix, "-", stringify!($name))),*].map(|id| id.replace('_', "-"));
            assert_eq!(known, asked.into_iter().collect());
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
