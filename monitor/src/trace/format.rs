//! Layout of the kernel's events, according to its `format` files. Offsets differ between kernels (`bytes` was added in
//! 4.10, `rwbs` grew from 8 to 10 bytes), so none is hard-coded here.

use std::collections::HashMap;

/// Position and type of a field in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub offset: usize,
    pub size: usize,
    pub signed: bool,
}

impl Field {
    /// Returns the value as a number; `None` if the event is too short or the field is not a number.
    pub fn number(self, event: &[u8]) -> Option<u64> {
        let bytes = event.get(self.offset..self.offset.checked_add(self.size)?)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let value = u64::from_le_bytes(wide);
        // Sign-extend negative numbers of fewer than 64 bits.
        let spare = 64 - 8 * u32::try_from(bytes.len()).ok().filter(|n| *n > 0)?;
        Some(if self.signed { ((value << spare) as i64 >> spare) as u64 } else { value })
    }

    /// Returns the bytes up to the first NUL.
    pub fn text(self, event: &[u8]) -> Option<&[u8]> {
        let bytes = event.get(self.offset..self.offset.checked_add(self.size)?)?;
        Some(bytes.split(|b| *b == 0).next().unwrap_or(bytes))
    }
}

/// Contents of a `format` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventFormat {
    pub id: u16,
    pub fields: HashMap<String, Field>,
}

/// Parses `events/block/NAME/format`. Returns `None` if the text does not have this format.
pub(crate) fn event_format(text: &str) -> Option<EventFormat> {
    let id = text.lines().find_map(|l| l.strip_prefix("ID:")?.trim().parse().ok())?;
    Some(EventFormat { id, fields: fields(text) })
}

/// Parses lines such as `field:char rwbs[10];  offset:34;  size:10;  signed:0;` into a map by field name.
fn fields(text: &str) -> HashMap<String, Field> {
    text.lines().filter_map(|line| field(line.trim())).collect()
}

fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.strip_prefix("field:")?.split(';').map(str::trim);
    let declared = parts.next()?;
    let bare = declared.split('[').next()?;
    let name = bare.rsplit(|c: char| c.is_whitespace() || c == '*').find(|w| !w.is_empty())?;
    let mut field = Field { offset: usize::MAX, size: 0, signed: false };
    for part in parts {
        match part.split_once(':') {
            Some(("offset", n)) => field.offset = n.trim().parse().ok()?,
            Some(("size", n)) => field.size = n.trim().parse().ok()?,
            Some(("signed", n)) => field.signed = n.trim() == "1",
            _ => {}
        }
    }
    (field.offset != usize::MAX).then(|| (name.to_owned(), field))
}

/// Layout of a page of the ring buffer, according to `events/header_page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageFormat {
    pub timestamp: Field,
    pub commit: Field,
    /// Offset of the first event.
    pub data: usize,
    /// Size of a whole page in bytes, header and events.
    pub size: usize,
}

/// Parses `events/header_page`. Returns `None` if the text does not have this format, or if the page is larger than in
/// any kernel.
pub(crate) fn page_format(text: &str) -> Option<PageFormat> {
    let fields = fields(text);
    let data = fields.get("data")?;
    let size = data.offset.checked_add(data.size)?;
    let (timestamp, commit) = (*fields.get("timestamp")?, *fields.get("commit")?);
    let numbers = [timestamp, commit].iter().all(|f| (1..=8).contains(&f.size));
    (numbers && (64..=1 << 20).contains(&size)).then_some(PageFormat { timestamp, commit, data: data.offset, size })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The `format` file of `block_rq_issue` in Linux 6.18 on x86-64.
    pub(crate) const ISSUE: &str = include_str!("fixtures/block_rq_issue.format");
    /// The file `header_page` in Linux 6.18 on x86-64.
    pub(crate) const PAGE: &str = include_str!("fixtures/header_page");

    #[test]
    fn fields_are_found_by_name_with_their_places() {
        let format = event_format(ISSUE).expect("a format");
        assert_eq!(format.id, 2104);
        assert_eq!(format.fields["dev"], Field { offset: 8, size: 4, signed: false });
        assert_eq!(format.fields["rwbs"], Field { offset: 34, size: 10, signed: false });
        assert_eq!(format.fields["common_pid"], Field { offset: 4, size: 4, signed: true });
        let page = page_format(PAGE).expect("a page");
        assert_eq!((page.data, page.size, page.commit.offset), (16, 4096, 8));
    }

    #[test]
    fn numbers_keep_their_sign_and_short_events_have_none() {
        let field = |size, signed| Field { offset: 2, size, signed };
        let event = [0, 0, 0xfb, 0xff, 0xff, 0xff];
        assert_eq!(field(4, true).number(&event), Some(-5i64 as u64));
        assert_eq!(field(4, false).number(&event), Some(0xffff_fffb));
        assert_eq!(field(8, false).number(&event), None);
        assert_eq!(field(0, false).number(&event), None);
        assert_eq!(Field { offset: usize::MAX, size: 4, signed: false }.number(&event), None);
        assert_eq!(Field { offset: 0, size: 6, signed: false }.text(b"WS\0\0XY"), Some(&b"WS"[..]));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "((ID: |field:|offset:|size:|signed:|[a-z0-9 ;*\\[\\]-]|\\n)*|\\PC*)") {
            if let Some(format) = event_format(&text) {
                for field in format.fields.values() {
                    let _ = (field.number(&[1; 16]), field.text(&[1; 16]));
                }
            }
            let _ = page_format(&text);
        }
    }
}
