//! Observations: golden texts to be read aloud with the facts that they state, and every text read back.

use gligabao_core::extract::{ExtractedTarget, Extraction};
use gligabao_core::series::Point;
use gligabao_core::series::observation::{Described, Observation, extract, facts, read, visible};
use gligabao_core::series::points::{LAST_TIME, read_time, sorted};
use gligabao_core::time::{Instant, Micros};
use proptest::prelude::*;

/// A date is its midnight.
fn at(text: &str) -> Micros {
    let text = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    read_time(&text).expect("a time")
}

fn points(pairs: &[(&str, f64)]) -> Vec<Point> {
    pairs.iter().map(|(time, value)| Point::new(at(time), *value)).collect()
}

fn described(key: &str, name: &str, entity: &str) -> Described {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let (key, name, field) = (key.to_owned(), name.to_owned(), "value".to_owned());
    Described { key, field, name, entity: text(entity), ..Described::default() }
}

fn unit(series: Described, unit: &str) -> Described {
    Described { unit: Some(unit.to_owned()), ..series }
}

fn told(extraction: &Extraction) -> String {
    let mut lines = Vec::new();
    for edge in &extraction.edges {
        let ExtractedTarget::Text(object) = &edge.target else { panic!("objects are literals") };
        let end = edge.invalid_at.map_or_else(|| "open".to_owned(), |end| end.to_string());
        let start = edge.valid_at.expect("facts have a start");
        lines.push(format!("  {} {} {object:?} [{start}, {end})", edge.source, edge.relation));
    }
    lines.join("\n")
}

fn golden() -> Vec<(&'static str, Described, Vec<Point>)> {
    let apple = || {
        let series = unit(described("AAPL", "Apple share price", "Apple"), "USD");
        Described { field: "close".to_owned(), frequency: Some("1d".to_owned()), ..series }
    };
    vec![
        (
            "up",
            apple(),
            points(&[("2024-01-02", 185.64), ("2024-01-03", 184.25), ("2024-01-04", 181.91), ("2024-01-05", 208.47)]),
        ),
        ("one point", apple(), points(&[("2024-01-02", 185.64)])),
        (
            "two points",
            unit(described("oil", "Price of oil", "oil"), "USD"),
            points(&[("2024-01-01", 80.0), ("2024-02-01", 72.5)]),
        ),
        (
            "flat",
            unit(described("cpi", "Inflation in Portugal", "Portugal"), "%"),
            points(&[("2024-01-01", 2.3), ("2024-02-01", 2.1), ("2024-03-01", 2.31)]),
        ),
        (
            "always the same",
            described("seats", "Seats of Acme", "Acme"),
            points(&[("2024-01-01", 7.0), ("2024-02-01", 7.0)]),
        ),
        (
            "from zero",
            unit(described("signups", "Signups", ""), "people"),
            points(&[("2024-05-01", 0.0), ("2024-05-02", 3.0), ("2024-05-03", 6.0)]),
        ),
        (
            "negative",
            unit(described("temp", "Temperature in Nuuk", "Nuuk"), "°C"),
            points(&[("2024-01-01", -12.5), ("2024-01-02", -18.0), ("2024-01-03", -6.25)]),
        ),
        (
            "irregular",
            unit(described("load", "load", "web-1"), "%"),
            points(&[
                ("2024-03-10T09:30:00Z", 41.0),
                ("2024-03-10T09:30:00.25Z", 97.5),
                ("2024-03-10T11:00:00Z", 40.0),
            ]),
        ),
        (
            "huge",
            unit(described("supply", "Pengő in circulation", "Hungary"), "pengő"),
            points(&[("1945-07-01", 1.63e10), ("1946-01-01", 8.05e11), ("1946-07-31", 4.7e25)]),
        ),
        (
            "tiny",
            unit(described("half-life", "Half-life", "polonium-212"), "s"),
            points(&[("2020-01-01", 2.99e-7), ("2021-01-01", 2.943e-7), ("2022-01-01", 2.944e-7)]),
        ),
        (
            "no subject",
            described("visitors", "visitors", ""),
            points(&[("2024-06-01", 120.0), ("2024-06-02", 95.0), ("2024-06-03", 131.0)]),
        ),
        (
            "fetched",
            Described {
                provider: Some("stooq".to_owned()),
                frequency: Some("monthly".to_owned()),
                ..unit(described("MSFT.US", "Microsoft's share price", "Microsoft"), "USD")
            },
            points(&[("2000-01-01", 39.81), ("2000-02-01", 36.35), ("2000-03-01", 43.22), ("2000-04-01", 28.37)]),
        ),
        (
            "beyond the largest double",
            described("swing", "swing", ""),
            points(&[("2024-01-01", -1.5e308), ("2024-01-02", 1.5e308), ("2024-01-03", 1.6e308)]),
        ),
    ]
}

#[test]
fn golden_texts_read_well_and_state_their_facts() {
    let mut all = String::new();
    for (name, series, points) in golden() {
        let observation = Observation::of(series, &points).expect("there are points");
        let text = observation.to_string();
        assert_eq!(read(&text), Some(observation), "{text}");
        let facts = told(&extract(&text).expect("it is the text of an observation"));
        all.push_str(&format!("# {name}\n{text}\n{facts}\n\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_fact_has_a_sentence_of_its_own_and_the_words_that_it_was_read_from() {
    for (_, series, points) in golden() {
        let observation = Observation::of(series, &points).expect("there are points");
        let text = observation.to_string();
        for edge in facts(&observation).edges {
            let description = edge.description.expect("a sentence");
            assert!(text.contains(&edge.raw_text.expect("words")), "{description}");
            assert!(description.contains(&observation.series.name) && description.ends_with('.'), "{description}");
            assert!(edge.relation.len() <= 64 && edge.confidence == 1.0);
        }
    }
}

#[test]
fn a_fact_ends_a_second_after_the_last_point_rounded_up() {
    for (last, end) in [
        ("2024-01-02T00:00:00Z", "2024-01-02T00:00:01Z"),
        ("2024-01-02T00:00:00.000001Z", "2024-01-02T00:00:02Z"),
        ("9999-12-31T23:59:58Z", "9999-12-31T23:59:59Z"),
    ] {
        let observation = Observation::of(described("a", "a", ""), &points(&[(last, 1.0)])).expect("there is a point");
        let edge = &facts(&observation).edges[0];
        assert_eq!(edge.invalid_at.map(|end| end.to_string()).as_deref(), Some(end));
    }
    let last = [Point::new(LAST_TIME, 1.0)];
    let observation = Observation::of(described("a", "a", ""), &last).expect("there is a point");
    assert_eq!(facts(&observation).edges[0].invalid_at, None, "nothing is later");
}

#[test]
fn what_is_measured_is_the_name_without_its_owner() {
    for (name, entity, field, relation) in [
        ("Apple price", "Apple", "value", "price_stood_at"),
        ("Apple's share price", "Apple", "value", "share_price_stood_at"),
        ("Apple's share price", "Apple", "price", "share_price_stood_at"),
        ("Apple's share price", "Apple", "close", "share_price_close_stood_at"),
        ("Price of Apple", "apple", "value", "price_stood_at"),
        ("Temperature in São Paulo", "Sao Paulo", "value", "temperature_stood_at"),
        ("Apple", "Apple", "value", "stood_at"),
        ("Apple", "Apple", "close", "close_stood_at"),
        ("Apple price", "Apple", "close", "price_close_stood_at"),
        ("Applesauce", "Apple", "value", "applesauce_stood_at"),
        ("USD/EUR rate", "", "value", "stood_at"),
        ("USD/EUR rate", "", "high", "high_stood_at"),
        ("USD/EUR rate", "Europe", "value", "usd_eur_rate_stood_at"),
        (&"long ".repeat(20), "Apple", "value", "stood_at"),
    ] {
        let series = Described { field: field.to_owned(), ..described("key", name.trim(), entity) };
        let observation = Observation::of(series, &points(&[("2024-01-01", 1.0)])).expect("there is a point");
        assert_eq!(facts(&observation).edges[0].relation, relation, "{name} of {entity}");
    }
}

#[test]
fn other_texts_are_no_observations() {
    let good = Observation::of(described("a", "a", "b"), &points(&[("2024-01-01", 1.0), ("2024-01-02", 2.0)]));
    let good = good.expect("there are points").to_string();
    assert!(read(&good).is_some());
    let cut = &good[..good.len() - 1];
    for text in [
        "",
        "Alice works at Acme.",
        "The time series",
        "The time series \"a",
        "The time series \"a\\",
        "The time series \"a\" (",
        "The time series \"a\" has",
        "The time series \"a\" has one point: 1 on 2024-13-01.",
        cut,
        &format!("{good}\n"),
        &format!("{good}\nMore."),
        &good.replace("by 1", "by 01"),
        &good.replace("rose", "fell up"),
        &good.replace("2 points", "+2 points"),
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn nothing_after_the_reference_time_is_described() {
    let all = points(&[("2024-01-01", 1.0), ("2024-01-02", 2.0)]);
    let reference_time = Instant(at("2024-01-01").0 / 1_000_000);
    assert_eq!(visible(&all, reference_time, false), &all[..1]);
    assert_eq!(visible(&all, reference_time, true), &all[..]);
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z]{1,10}( [a-z]{1,8}){0,2}",
        "[ -~]{1,12}",
        "\\PC{1,8}",
        Just("a\" has 2 points from 2024-01-01 to 2024-01-02.".to_owned()),
        Just("x (5 %), by 3 on 2024-01-01".to_owned()),
        Just("× 10^3 m".to_owned()),
        Just("\\".to_owned()),
        Just("%".to_owned()),
        Just(" has ".trim().to_owned()),
    ]
    .prop_map(|label| label.trim().to_owned())
    .prop_filter("labels name something", |label| !label.is_empty() && !label.contains(char::is_control))
    // So that what is found of them in a text is a number.
    .prop_filter("no label reads like a number that is none", |label| {
        !["NaN", "inf"].iter().any(|word| label.contains(word))
    })
}

fn value() -> impl Strategy<Value = f64> {
    let finite = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let ends =
        prop_oneof![(1u64..1 << 20).prop_map(f64::from_bits), (1.7e308..f64::MAX), Just(f64::MAX), Just(f64::MIN)];
    let few = (-1_000i32..1_000).prop_map(|value| f64::from(value) / 8.0);
    prop_oneof![4 => few, 2 => finite, 2 => ends, 1 => Just(0.0), 1 => Just(-0.0)]
}

fn time() -> impl Strategy<Value = i64> {
    const DAY: i64 = 86_400_000_000;
    let all = -62_135_596_800_000_000..=253_402_300_799_999_999i64;
    prop_oneof![2 => (-700_000i64..2_900_000).prop_map(|day| day * DAY), 1 => all]
}

#[test]
fn labels_that_read_like_numbers_come_back() {
    for label in ["inf", "NaN", "a -inf", "1e5"] {
        let some = || Some(label.to_owned());
        let [key, field, name] = [label; 3].map(str::to_owned);
        let series = Described { key, field, name, unit: some(), frequency: some(), provider: some(), entity: some() };
        let observation = Observation::of(series, &[Point::new(Micros(0), 1.5)]).expect("there is a point");
        let text = observation.to_string();
        assert_eq!(read(&text).as_ref(), Some(&observation), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_text_gives_back_what_was_told(
        (key, field, name) in (label(), label(), label()),
        (unit, frequency, provider, entity) in (
            proptest::option::of(label()), proptest::option::of(label()), proptest::option::of(label()), proptest::option::of(label())
        ),
        dates in proptest::collection::vec((time(), value()), 1..8),
        same in any::<bool>(),
    ) {
        let name = if same { key.clone() } else { name };
        let series = Described { key, field, name, unit, frequency, provider, entity };
        let points = sorted(dates.into_iter().map(|(at, value)| Point::new(Micros(at), value)).collect());
        let observation = Observation::of(series, &points).expect("there are points");
        let text = observation.to_string();
        let back = read(&text);
        prop_assert_eq!(back.as_ref(), Some(&observation), "{}", text);
        prop_assert_eq!(extract(&text), Some(facts(&observation)));
        prop_assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn no_text_makes_reading_panic(text in "The time series \"[a\"\\\\(), ]{0,6}\"( about x)? has (one point|[0-9]{1,3} points)[ -~\n]{0,60}") {
        let _ = read(&text);
    }
}
