//! JSON that is put together while the plugin is compiled: its metadata is a constant.

/// The number of bytes of all parts.
pub const fn total(parts: &[&str]) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < parts.len() {
        sum += parts[i].len();
        i += 1;
    }
    sum
}

/// The parts one after the other. N: total(parts).
pub const fn joined<const N: usize>(parts: &[&str]) -> [u8; N] {
    let (mut text, mut at, mut i) = ([0; N], 0, 0);
    while i < parts.len() {
        let (part, mut k) = (parts[i].as_bytes(), 0);
        while k < part.len() {
            text[at] = part[k];
            at += 1;
            k += 1;
        }
        i += 1;
    }
    text
}

/// A constant made of constants: `concat_text!(A, ", ", B)`.
#[doc(hidden)]
#[macro_export]
macro_rules! concat_text {
    ($($part:expr),* $(,)?) => {{
        const PARTS: &[&str] = &[$($part),*];
        const BYTES: [u8; $crate::json::total(PARTS)] = $crate::json::joined(PARTS);
        // Safety: texts one after the other are a text.
        const TEXT: &str = unsafe { std::str::from_utf8_unchecked(&BYTES) };
        TEXT
    }};
}

/// What json_string! needs for a text: its length with quotes and escapes.
pub const fn quoted_size(text: &str) -> usize {
    let (bytes, mut size, mut i) = (text.as_bytes(), 2, 0);
    while i < bytes.len() {
        size += match bytes[i] {
            b'"' | b'\\' => 2,
            0..=0x1f => 6,
            _ => 1,
        };
        i += 1;
    }
    size
}

pub const fn quoted<const N: usize>(text: &str) -> [u8; N] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let (bytes, mut out, mut at, mut i) = (text.as_bytes(), [b'"'; N], 1, 0);
    while i < bytes.len() {
        let byte = bytes[i];
        if byte == b'"' || byte == b'\\' {
            out[at] = b'\\';
            out[at + 1] = byte;
            at += 2;
        } else if byte < 0x20 {
            let escape =
                [b'\\', b'u', b'0', b'0', HEX[byte as usize >> 4], HEX[byte as usize & 15]];
            let mut k = 0;
            while k < escape.len() {
                out[at] = escape[k];
                at += 1;
                k += 1;
            }
        } else {
            out[at] = byte;
            at += 1;
        }
        i += 1;
    }
    out
}

/// A constant text as JSON, with quotes.
#[doc(hidden)]
#[macro_export]
macro_rules! json_string {
    ($text:expr) => {{
        const GIVEN: &str = $text;
        const BYTES: [u8; $crate::json::quoted_size(GIVEN)] = $crate::json::quoted(GIVEN);
        // Safety: the escapes are ASCII, and the rest stays as it is.
        const TEXT: &str = unsafe { std::str::from_utf8_unchecked(&BYTES) };
        TEXT
    }};
}

/// text without the space that a comment begins with.
pub const fn trimmed(text: &str) -> &str {
    let mut bytes = text.as_bytes();
    while let [b' ', rest @ ..] = bytes {
        bytes = rest;
    }
    // Safety: no character was divided.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

/// text without ", " in front, which stands before each element of a list.
pub const fn as_list(text: &str) -> &str {
    match text.as_bytes() {
        // Safety: both are ASCII.
        [b',', b' ', rest @ ..] => unsafe { std::str::from_utf8_unchecked(rest) },
        _ => text,
    }
}

/// A name as in Rust, where r# may stand before it.
pub const fn plain_name(text: &str) -> &str {
    match text.as_bytes() {
        [b'r', b'#', rest @ ..] => unsafe { std::str::from_utf8_unchecked(rest) },
        _ => text,
    }
}

/// text, which is how the source writes a default or a range, if JSON writes it in the same way.
pub const fn checked(text: &'static str) -> &'static str {
    let end = value(text.as_bytes(), 0);
    assert!(
        end == text.len(),
        "a default or a range of options! must be written as in JSON: 20, 0.5, 1e-4, true, null, \
         \"text\" with no other escapes than \\\" \\\\ \\n \\t, or a list of these"
    );
    text
}

/// The same for the default of an option, whose text begins with one of these.
pub const fn checked_default(text: &'static str, first: &str) -> &'static str {
    let (mut i, mut found) = (0, false);
    while i < first.len() {
        found |= first.as_bytes()[i] == text.as_bytes()[0];
        i += 1;
    }
    assert!(found, "the default of an option has another type than the option");
    checked(text)
}

/// The elements of a list that the source writes as in JSON.
pub const fn elements(text: &'static str) -> &'static str {
    match checked(text).as_bytes() {
        // Safety: both brackets are ASCII.
        [b'[', inner @ .., b']'] if !inner.is_empty() => unsafe {
            std::str::from_utf8_unchecked(inner)
        },
        _ => panic!("one_of is a list of what is allowed, such as [\"min\", \"max\"]"),
    }
}

const BAD: usize = usize::MAX;

const fn after_spaces(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && (text[at] == b' ' || text[at] == b'\n') {
        at += 1;
    }
    at
}

/// Behind the JSON value that starts at at; BAD if there is none.
const fn value(text: &[u8], at: usize) -> usize {
    if at >= text.len() {
        return BAD;
    }
    match text[at] {
        b'"' => string(text, at),
        b'[' => list(text, at),
        b't' => word(text, at, b"true"),
        b'f' => word(text, at, b"false"),
        b'n' => word(text, at, b"null"),
        _ => number(text, at),
    }
}

const fn word(text: &[u8], at: usize, expected: &[u8]) -> usize {
    let mut i = 0;
    while i < expected.len() {
        if at + i >= text.len() || text[at + i] != expected[i] {
            return BAD;
        }
        i += 1;
    }
    at + i
}

const fn string(text: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < text.len() && text[at] != b'"' {
        if text[at] < 0x20 {
            return BAD;
        }
        if text[at] == b'\\' {
            at += 1;
            if at >= text.len() || !matches!(text[at], b'"' | b'\\' | b'n' | b't') {
                return BAD;
            }
        }
        at += 1;
    }
    if at < text.len() {
        at + 1
    } else {
        BAD
    }
}

const fn list(text: &[u8], mut at: usize) -> usize {
    at = after_spaces(text, at + 1);
    if at < text.len() && text[at] == b']' {
        return at + 1;
    }
    loop {
        at = value(text, at);
        if at == BAD {
            return BAD;
        }
        at = after_spaces(text, at);
        if at >= text.len() {
            return BAD;
        }
        match text[at] {
            b',' => at = after_spaces(text, at + 1),
            b']' => return at + 1,
            _ => return BAD,
        }
    }
}

const fn digits(text: &[u8], mut at: usize) -> usize {
    let start = at;
    while at < text.len() && text[at].is_ascii_digit() {
        at += 1;
    }
    if at > start {
        at
    } else {
        BAD
    }
}

const fn number(text: &[u8], mut at: usize) -> usize {
    if text[at] == b'-' {
        at += 1;
    }
    let first = at;
    at = digits(text, at);
    if at == BAD || (text[first] == b'0' && at > first + 1) {
        return BAD;
    }
    if at < text.len() && text[at] == b'.' {
        at = digits(text, at + 1);
        if at == BAD {
            return BAD;
        }
    }
    if at < text.len() && (text[at] == b'e' || text[at] == b'E') {
        at += 1;
        if at < text.len() && (text[at] == b'+' || text[at] == b'-') {
            at += 1;
        }
        at = digits(text, at);
    }
    at
}
