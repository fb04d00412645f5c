//! Real CSV files through the command line.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::running::run;

const STOCKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/stocks.csv");
const WEATHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/seattle-weather.csv");

/// A directory whose database knows of Apple.
fn told() -> TempDir {
    let dir = TempDir::new().expect("a directory");
    let text = "Steve Jobs works at Apple.";
    assert_eq!(run(dir.path(), &["remember", text, "--reference-time", "2007-01-09"]).code, 0);
    dir
}

fn done(dir: &Path, args: &[&str]) -> String {
    let ended = run(dir, &[&["series"], args].concat());
    assert_eq!((ended.code, &*ended.stderr), (0, ""), "{args:?}");
    ended.stdout
}

#[test]
fn a_long_file_becomes_a_series_a_name() {
    let dir = told();
    let apple = ["--entity", "Apple", "--role", "share price", "--window", "2007-01-09..2008-07-11"];
    insta::assert_snapshot!("put_stocks", done(dir.path(), &["put", STOCKS, "--by", "symbol", "--unit", "USD"]));
    let again = ["put", STOCKS, "--by", "symbol", "--only", "AAPL", "--name", "Apple's share"];
    insta::assert_snapshot!("put_apple", done(dir.path(), &[&again[..], &apple].concat()));
    insta::assert_snapshot!("list_stocks", done(dir.path(), &["list"]));
    insta::assert_snapshot!("get_apple", done(dir.path(), &["get", "AAPL", "--bucket", "1y", "--agg", "ohlc"]));
    insta::assert_snapshot!("plot_apple", done(dir.path(), &["plot", "AAPL"]));
    for (file, start) in [("apple.svg", &b"<svg "[..]), ("apple.png", b"\x89PNG")] {
        let drawn = done(dir.path(), &["plot", "AAPL/price", "--from", "2005-01-01", "--out", file]);
        assert!(drawn.starts_with("Drew 63 points of AAPL/price into apple."), "{drawn}");
        assert!(std::fs::read(dir.path().join(file)).expect("a picture").starts_with(start));
    }
    let unanchored = done(dir.path(), &["unanchor", "AAPL", "entity", "2"]);
    assert_eq!(unanchored, "AAPL/price is no longer tied to entity 2.\n");
    let anchored = run(dir.path(), &["series", "anchor", "AAPL", "--entity", "apple", "--json"]).json();
    assert_eq!(anchored["series"][0]["anchors"], json!([{"type": "entity", "id": 2, "created": false}]));
}

#[test]
fn a_wide_file_becomes_a_series_a_column() {
    let dir = told();
    let put = ["put", WEATHER, "--key", "seattle", "--entity", "Seattle", "--frequency", "1d"];
    insta::assert_snapshot!("put_weather", done(dir.path(), &put));
    let hottest = ["get", "seattle/temp_max", "--from", "2012-07-01", "--to", "2012-07-05"];
    insta::assert_snapshot!("get_weather", done(dir.path(), &hottest));
    let bucket = ["plot", "seattle/temp_max", "--bucket", "1mo", "--agg", "max", "--width", "80", "--height", "9"];
    insta::assert_snapshot!("plot_weather", done(dir.path(), &bucket));
    let several = run(dir.path(), &["series", "get", "seattle"]);
    assert_eq!(several.code, 1);
    assert!(
        several.stderr.contains("seattle has several series; name one: seattle/precipitation (#1), "),
        "{several:?}"
    );
}

#[test]
fn what_csv_gives_can_be_put_again() {
    let dir = told();
    done(dir.path(), &["put", STOCKS, "--by", "symbol", "--only", "IBM"]);
    let csv = done(dir.path(), &["get", "IBM", "--csv"]);
    assert_eq!(csv.lines().count(), 124);
    std::fs::write(dir.path().join("again.csv"), &csv).expect("written");
    let put = run(dir.path(), &["series", "put", "again.csv", "--json"]).json();
    assert_eq!((&put["series"][0]["key"], &put["series"][0]["field"]), (&json!("again"), &json!("value")));
    assert_eq!(done(dir.path(), &["get", "again", "--csv"]), csv);
    let refused = run(dir.path(), &["series", "delete", "again"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("this deletes again/value with 123 points for ever; add --yes"), "{refused:?}");
    let some = done(dir.path(), &["delete", "again", "--to", "2000-12-31"]);
    assert_eq!(some, "Deleted 12 points of again/value.\n");
    assert_eq!(done(dir.path(), &["delete", "again", "--yes"]), "Deleted again/value.\n");
    assert_eq!(run(dir.path(), &["series", "get", "again"]).code, 1);
}

#[test]
fn more_points_than_a_request_takes_go_in_several() {
    let dir = told();
    let row = |minute: i64| {
        let time = chrono::DateTime::from_timestamp(minute * 60, 0).expect("a time");
        format!("{},{minute}\n", time.format("%Y-%m-%d %H:%M"))
    };
    let csv: String = std::iter::once("ts,value\n".to_owned()).chain((0..250_001).map(row)).collect();
    std::fs::write(dir.path().join("long.csv"), csv).expect("written");
    let put = run(dir.path(), &["series", "put", "long.csv", "--unit", "m"]);
    assert_eq!(put.code, 0, "{put:?}");
    let list = run(dir.path(), &["series", "list", "--json"]).json();
    assert_eq!((&list["series"][0]["point_count"], &list["series"][0]["unit"]), (&json!(250_001), &json!("m")));
    assert_eq!(done(dir.path(), &["get", "long", "--csv"]).lines().count(), 250_002);
}

#[test]
fn files_that_cannot_be_read_are_refused_with_their_line() {
    let dir = told();
    for (text, args, words) in [
        ("date,value\n01/02/2020,1\n", &[][..], "line 2: 01/02/2020 has day and month in one order or the other; add"),
        ("date,value\n2020-01-01,\"1,234.5\"\n", &[], "line 2, column value: \"1,234.5\" is no number; "),
        ("date,value\n2020-01-01,1\n", &["--value", "price"], "has no column price; its columns are date, value"),
        ("s,date,value\nA,2020-01-01,1\n", &["--by", "s", "--only", "B"], "column s never says B"),
    ] {
        std::fs::write(dir.path().join("bad.csv"), text).expect("written");
        let ended = run(dir.path(), &[&["series", "put", "bad.csv"], args].concat());
        assert_eq!((ended.code, &*ended.stdout), (1, ""), "{ended:?}");
        assert!(ended.stderr.starts_with(&format!("error: bad.csv: {words}")), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    std::fs::write(dir.path().join("good.csv"), "date,value\n31/12/2020,1\n").expect("written");
    done(dir.path(), &["put", "good.csv", "--date-format", "dmy"]);
    for (args, words) in [
        (&["put", "missing.csv"][..], "error: can't read missing.csv: "),
        (&["put", "good.csv", "--date-format", "dmy", "--role", "x"], "error: --role and --window are of an anchor; "),
        (&["put", "good.csv", "--date-format", "dmy", "--window", "2020"], "error: 2020 is no window; "),
        (&["anchor", "good"], "error: name what it is tied to: "),
        (&["plot", "good", "--out", "good.gif"], "error: good.gif: name a file that ends in .svg or .png"),
    ] {
        let ended = run(dir.path(), &[&["series"], args].concat());
        assert_eq!((ended.code, ended.stderr.starts_with(words)), (2, true), "{args:?}: {ended:?}");
    }
}
