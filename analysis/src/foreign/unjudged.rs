//! Numbers of the collection of mistakes that have no rule of their own: judged by another one, or not from files at all.

use model::{RuleText, Severity};

/// Why each is not judged by a rule of its own, and where secchi keeps from it instead.
pub(super) const UNJUDGED: &[RuleText] = &[
    RuleText {
        id: "B02",
        severity: Severity::Invalid,
        title: "local flash that looks slow in random writes",
        explanation: "It is the stall of the first touch on another device, and judged by B01-first-touch.",
        remedy: "see B01-first-touch",
    },
    RuleText {
        id: "B26",
        severity: Severity::Note,
        title: "tables that were typed by hand",
        explanation: "Swapped columns, cases that do not exist and units mistyped stand in the text around the figures; the files hold \
            what was measured, and no file tells what somebody wrote of it.",
        remedy: "let tables be made of the files: secchi judge for those of others, secchi report for its own",
    },
    RuleText {
        id: "B39",
        severity: Severity::Invalid,
        title: "a figure that is the sleep timer's",
        explanation: "It is the pause in the average where it is nearly all of it, and judged by B38-hang-in-average.",
        remedy: "see B38-hang-in-average",
    },
    RuleText {
        id: "B41",
        severity: Severity::Doubt,
        title: "the wait for the start in later versions",
        explanation: "It is the same second of waiting, and judged by B19-start-wait.",
        remedy: "see B19-start-wait",
    },
    RuleText {
        id: "B44",
        severity: Severity::Note,
        title: "outputs pasted from another run, commands that do not run as printed",
        explanation: "That a text and the output below it are of different runs shows in neither of them alone; commands that are no \
            fio's are not linted.",
        remedy: "keep the record, which holds the command as it was typed beside what came of it: secchi show, secchi db history",
    },
    RuleText {
        id: "B48",
        severity: Severity::Note,
        title: "a tool that removes a directory and all that is in it",
        explanation: "What a tool deletes stands in none of its results.",
        remedy: "secchi db purge removes only a database that its own marker names, and nothing beside it",
    },
];
