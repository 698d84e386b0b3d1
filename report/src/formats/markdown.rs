//! The entry for Markdown in the table of formats, for issues, wikis and pull requests.

use super::run::Format;
use crate::document::View;
use crate::render;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    aliases: &["md"],
    help: "Markdown, for issues and wikis",
    endings: &["md", "markdown"],
    is_screen: false,
    write: |subject, style, out| render::markdown::write(&subject.document(View::Markdown), style, out),
};

#[cfg(test)]
mod tests {
    use crate::{ReportedRun, Style, fixture};
    use model::Labels;

    #[test]
    fn a_run_for_an_issue() {
        let (record, judgement) = fixture::capped();
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        insta::assert_snapshot!(fixture::text(|out| super::FORMAT.write(&[run], &Style::default(), out)));
    }
}
