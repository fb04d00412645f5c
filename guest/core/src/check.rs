//! Checks of what requests carry; every failure names the field and says what would do.

use crate::model::{Failure, FailureCode};

/// Longest title, session, speaker or type, in bytes.
pub const MAX_LABEL: usize = 256;
/// Longest wing, in bytes.
pub(crate) const MAX_WING: usize = 64;

/// A short text: trimmed, 1 to `max` bytes, without control characters.
pub(crate) fn label(field: &str, value: &str, max: usize) -> Result<String, Failure> {
    let value = value.trim();
    if value.is_empty() {
        return Err(Failure::field(field, "is empty; leave it out or give it a value"));
    }
    if value.len() > max {
        return Err(Failure::field(field, format!("has {} bytes; at most {max} are possible", value.len())));
    }
    if value.chars().any(char::is_control) {
        return Err(Failure::field(field, "has a control character; remove it"));
    }
    Ok(value.to_owned())
}

/// The same where it may be left out.
///
/// # Errors
/// When it is given and is none.
pub fn optional_label(field: &str, value: Option<&str>, max: usize) -> Result<Option<String>, Failure> {
    value.map(|value| label(field, value, max)).transpose()
}

/// A text that may have line breaks: not blank, at most `max` bytes, without NUL; kept byte for byte.
pub(crate) fn text(field: &str, value: &str, max: usize) -> Result<(), Failure> {
    if value.trim().is_empty() {
        return Err(Failure::field(field, "is empty; give it at least one word"));
    }
    if value.len() > max {
        let message = format!("{field}: has {} bytes; at most {max} are possible, so split it", value.len());
        return Err(Failure::new(FailureCode::TooLarge, message).about(field));
    }
    if value.contains('\0') {
        return Err(Failure::field(field, "has a NUL character; remove it"));
    }
    Ok(())
}

/// A number of items from 1 to `max`.
pub(crate) fn limit(value: u32, max: u32) -> Result<u32, Failure> {
    if (1..=max).contains(&value) {
        Ok(value)
    } else {
        Err(Failure::field("limit", format!("is {value}; it must be from 1 to {max}")))
    }
}
