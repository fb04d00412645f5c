//! Which names are this machine's own.

use std::net::IpAddr;

/// Whether the host of a URL is this machine: `localhost`, 127.0.0.0/8 or `::1`, with or without brackets.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost", true),
            ("127.0.0.1", true),
            ("127.8.9.1", true),
            ("::1", true),
            ("[::1]", true),
            ("", false),
            ("0.0.0.0", false),
            ("[::]", false),
            ("10.0.0.1", false),
            ("192.168.1.5", false),
            ("api.openai.com", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            // Not the notation of an address, so a name that some resolver may know.
            ("127.1", false),
            ("2130706433", false),
            // Mapped into IPv6 it is refused: that is no common way to write a loopback address.
            ("[::ffff:127.0.0.1]", false),
        ] {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }
}
