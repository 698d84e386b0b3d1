//! All texts of the page that are not from the run itself, by language (`messages`).

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
            pub(crate) fn for_language(language: messages::Language) -> &'static Texts {
                static TABLES: [std::sync::OnceLock<Texts>; messages::Language::ALL.len()] =
                    [const { std::sync::OnceLock::new() }; messages::Language::ALL.len()];
                let word = |name: &str| messages::fixed(language, &format!("{}-{}", $prefix, name.replace('_', "-")));
                TABLES[language as usize].get_or_init(|| Texts { language, $($name: word(stringify!($name)),)* })
            }

            /// Returns the language of the texts.
            pub(crate) fn language(&self) -> messages::Language {
                self.language
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
pub(crate) use texts;

texts! { "page":
    report answer_bought answer_needs answer_binds answer_do key_figures of_bought workloads workload job test read
    write mix needs need demand measured met not_met undecided trust no_doubt invalid doubt note do_try figures
    in_flight operation rate bandwidth mean median minimum maximum left_out change operations held interval95
    too_few target limit source plan repeat show_again run started lasted state compared verdict stage role block
    charts need_scripts of_limit slowest busy sum latency time seconds percentile requests name fill level
    show_table save copy copied theme made_by reset_zoom more rows_left_out cache busiest
}

impl Texts {
    /// Translates a sentence.
    pub(crate) fn translate(&self, sentence: impl Into<messages::Sentence>) -> String {
        messages::translate(self.language, &sentence.into()).into_owned()
    }
}
