//! The known name that an unknown one is most likely meant to be.

/// The nearest of `known` by edit distance, if it is near enough to be worth naming.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names are short; a long one is no typo, and the distance is quadratic in the length.
    if name.len() > 64 {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name, candidate), candidate))
        .filter(|(score, _)| *score >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_the_name_and_a_stranger_finds_none() {
        let known = ["user_id", "dataset", "text", "reference_time", "limit"];
        for (name, hint) in [
            ("userid", Some("user_id")),
            ("user-id", Some("user_id")),
            ("txt", Some("text")),
            ("referenceTime", Some("reference_time")),
            ("lmit", Some("limit")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), hint, "{name}");
        }
    }
}
