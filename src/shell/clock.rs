//! The clock on the wall, as text: the core receives the time with what happens, and never asks.

/// The time of the day where the user is, as `14:32:05`.
pub(super) fn now() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

/// Milliseconds by which that clock goes ahead of UTC.
pub(super) fn ahead_ms() -> i64 {
    i64::from(jiff::Zoned::now().offset().seconds()) * 1_000
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_has_the_form_that_screens_show() {
        let now = super::now();
        let parts: Vec<u8> = now.split(':').map(|part| part.parse().unwrap()).collect();
        assert!(now.len() == 8 && parts[0] < 24 && parts[1] < 60 && parts[2] <= 60, "{now}");
    }
}
