//! Digits of figures in files, grouped as the reader's language groups them; see [`messages::group_digits`].

use messages::{Language, group_digits};

/// Elements of a page whose text is not prose: programs, data, and commands to copy.
const VERBATIM: [&str; 5] = ["script", "style", "pre", "code", "textarea"];

/// Groups the digits of the figures in a page: text between tags that begins with a figure.
pub(crate) fn group_page(language: Language, html: String) -> String {
    if language != Language::Russian {
        return html;
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html.as_str();
    while let Some(open) = rest.find('<') {
        out.push_str(&text_of(language, &rest[..open]));
        let tag = &rest[open..];
        let end = tag.find('>').map_or(tag.len(), |at| at + 1);
        let name = tag[1..end].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let end = match VERBATIM.contains(&name) {
            true => tag.find(&format!("</{name}")).unwrap_or(tag.len()),
            false => end,
        };
        out.push_str(&tag[..end]);
        rest = &tag[end..];
    }
    out.push_str(&text_of(language, rest));
    out
}

/// Groups the digits of the figures in the cells of Markdown tables.
pub(crate) fn group_markdown(language: Language, markdown: String) -> String {
    if language != Language::Russian {
        return markdown;
    }
    let line = |line: &str| match line.starts_with('|') {
        true => line.split('|').map(|cell| text_of(language, cell)).collect::<Vec<_>>().join("|"),
        false => line.to_owned(),
    };
    markdown.split_inclusive('\n').map(line).collect()
}

fn text_of(language: Language, text: &str) -> String {
    let first = text.trim_start().trim_start_matches(['+', '-', '−', '±', '(']).bytes().next();
    match first.is_some_and(|c| c.is_ascii_digit()) {
        true => group_digits(language, text).into_owned(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_page_are_grouped_and_programs_are_not() {
        let page = "<td data-v=\"5994\"><b>5,994</b> IOPS</td><pre>1,024</pre><script>f(1,024 )</script><p>a 1,024</p>";
        let grouped = page.replace("5,994", "5\u{202f}994");
        assert_eq!(group_page(Language::Russian, page.to_owned()), grouped);
        assert_eq!(group_page(Language::English, page.to_owned()), page);
    }

    #[test]
    fn figures_in_cells_are_grouped() {
        let text = "1,024 a\n| 16 | 5,994 | 1.2 |\n";
        assert_eq!(group_markdown(Language::Russian, text.to_owned()), text.replace("5,994", "5\u{202f}994"));
        assert_eq!(group_markdown(Language::Chinese, text.to_owned()), text);
    }
}
