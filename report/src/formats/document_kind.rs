//! Kinds of JSON documents: the table of their names and of the commands that print them.

/// Beginning of the addresses of all schemas; the version follows.
pub(super) const SCHEMA_ADDRESS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/schema/v");

/// Version in the addresses of the schemas. It increases if a field is removed or changes its meaning.
const VERSION: u32 = 1;

macro_rules! kinds {
    ($($kind:ident $name:literal: $($command:literal),+;)+) => {
        /// Kind of a JSON document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum DocumentKind {
            $(#[doc = concat!("The document `", $name, "`.")] $kind,)+
        }

        impl DocumentKind {
            /// All kinds, in the order of the reference.
            pub const ALL: &[DocumentKind] = &[$(DocumentKind::$kind),+];

            /// Returns the name, with which the file of its schema begins.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(DocumentKind::$kind => $name,)+
                }
            }

            /// Returns the commands that print the document.
            #[must_use]
            pub const fn commands(self) -> &'static [&'static str] {
                match self {
                    $(DocumentKind::$kind => &[$($command),+],)+
                }
            }
        }
    };
}

kinds! {
    Run "run": "secchi qualify --json", "secchi mark --json", "secchi replay --json", "secchi hydration --json",
        "secchi durable --json", "secchi watch --json", "secchi db insert --json", "secchi db ramp --json",
        "secchi db ranio --json", "secchi db ranread --json", "secchi db ranwrite --json", "secchi db seqread --json",
        "secchi db seqwrite --json", "secchi db tpcb --json", "secchi judge --json RUN", "secchi show --json",
        "secchi report --format json RUN";
    Runs "runs": "secchi report --format json RUN RUN...";
    RunList "run-list": "secchi runs --json";
    Mark "mark": "secchi mark --format json", "secchi show --format json RUN";
    Comparison "comparison": "secchi compare --json", "secchi ab --json";
    Layouts "layouts": "secchi db COMMAND --compare-layout --json";
    Trend "trend": "secchi runs trend --json";
    History "history": "secchi db history --json", "secchi db export --format json";
    Durability "durability": "secchi durable verify --json";
    Foreign "foreign": "secchi judge --json FILE";
    Lint "lint": "secchi lint --json";
    Demand "demand": "secchi needs --json";
    Purchases "purchases": "secchi limits solve --json";
    LimitsList "limits-list": "secchi limits list --json";
    LimitsRow "limits-row": "secchi limits show --json NAME:SETTINGS";
    LimitsVolume "limits-volume": "secchi limits show --json NAME";
    LimitsExplain "limits-explain": "secchi limits explain --json";
    LimitsAccount "limits-account": "secchi limits account --json";
    LimitsContracts "limits-contracts": "secchi limits contracts --json";
    Version "version": "secchi --version --verbose --json";
    Error "error": "secchi COMMAND --json";
}

impl DocumentKind {
    /// Returns the address of the schema, which identifies it.
    #[must_use]
    pub fn schema_url(self) -> String {
        format!("{SCHEMA_ADDRESS}{VERSION}/{}.schema.json", self.name())
    }
}
