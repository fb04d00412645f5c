//! Series as requests carry them, checked before anything is read or spent.

use super::Point;
use super::anchor::{self, Anchor, AnchorRequest, Home, MAX_ANCHORS};
use super::points::{self, MAX_EXACT_INTEGER, MAX_POINTS};
use crate::check::{label, optional_label};
use crate::model::Failure;
use crate::time::Instant;

/// Most series in one request.
pub const MAX_SERIES: usize = 20;

/// Longest key, name, unit and frequency, in bytes.
pub const MAX_LABEL: usize = 256;

/// Longest field, in bytes.
pub const MAX_FIELD: usize = 64;

/// The field of a series that names none.
pub const DEFAULT_FIELD: &str = "value";

/// A series as sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeriesRequest {
    /// The caller's identifier; 1 to 256 bytes. With `field` it says which series this is.
    pub key: String,
    /// Which value of the key; at most 64 bytes. `None`: `value`.
    pub field: Option<String>,
    /// For people; `None`: as stored, or the key.
    pub name: Option<String>,
    /// Of the values; `None`: as stored.
    pub unit: Option<String>,
    /// A label such as `1d`, which binds nothing; `None`: as stored.
    pub frequency: Option<String>,
    /// 1 to 100,000, in any order; `None` changes only labels and anchors of a stored series.
    pub points: Option<Vec<Point>>,
    /// Places of points whose values were written as integers that no double has, ascending.
    pub inexact: Vec<u32>,
    /// At most 20.
    pub anchors: Vec<AnchorRequest>,
}

/// A series that can be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SentSeries {
    /// Where it is in the request, for messages: `timeseries.series[0]`.
    pub place: String,
    /// Trimmed.
    pub key: String,
    /// Trimmed, or `value`.
    pub field: String,
    /// Labels that were sent.
    pub labels: Labels,
    /// Strictly ascending; `None` when none were sent.
    pub points: Option<Vec<Point>>,
    /// How many points were sent.
    pub sent: usize,
    /// In the order of the request.
    pub anchors: Vec<Anchor>,
}

/// What people call a series and its values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// `None`: the key.
    pub name: Option<String>,
    /// Of the values.
    pub unit: Option<String>,
    /// How often there is a point, in the caller's words.
    pub frequency: Option<String>,
}

impl Labels {
    /// These with what was sent in their place.
    #[must_use]
    pub fn updated(self, sent: &Self) -> Self {
        let newer = |sent: &Option<String>, stored| sent.clone().or(stored);
        Self {
            name: newer(&sent.name, self.name),
            unit: newer(&sent.unit, self.unit),
            frequency: newer(&sent.frequency, self.frequency),
        }
    }
}

/// Checks the series of a request; what is odd but accepted comes as warnings.
///
/// # Errors
/// The first thing that is malformed, with its place below `path`.
pub fn check(path: &str, home: Home, series: Vec<SeriesRequest>) -> Result<(Vec<SentSeries>, Vec<String>), Failure> {
    if series.len() > MAX_SERIES {
        let message = format!("has {} series; at most {MAX_SERIES} go in one request", series.len());
        return Err(Failure::field(path, message));
    }
    let mut warnings = Vec::new();
    let mut checked: Vec<SentSeries> = Vec::with_capacity(series.len());
    for (index, series) in series.into_iter().enumerate() {
        let place = format!("{path}[{index}]");
        warnings.extend(inexact_warning(&place, &series));
        let series = check_one(place, home, series)?;
        let same = |other: &&SentSeries| other.key == series.key && other.field == series.field;
        if let Some(other) = checked.iter().find(same) {
            let message = format!("is that of {} too, and so is the field; send each series once", other.place);
            return Err(Failure::field(format!("{}.key", series.place), message));
        }
        checked.push(series);
    }
    Ok((checked, warnings))
}

fn check_one(place: String, home: Home, series: SeriesRequest) -> Result<SentSeries, Failure> {
    let at = |field: &str| format!("{place}.{field}");
    let optional = |field: &str, value: &Option<String>| optional_label(&at(field), value.as_deref(), MAX_LABEL);
    let key = label(&at("key"), &series.key, MAX_LABEL)?;
    let field = optional_label(&at("field"), series.field.as_deref(), MAX_FIELD)?;
    let labels = Labels {
        name: optional("name", &series.name)?,
        unit: optional("unit", &series.unit)?,
        frequency: optional("frequency", &series.frequency)?,
    };
    let sent = series.points.as_ref().map_or(0, Vec::len);
    if let Some(points) = &series.points {
        check_points(&at("points"), points)?;
    }
    if series.anchors.len() > MAX_ANCHORS {
        let message = format!("has {} anchors; at most {MAX_ANCHORS} go with one series", series.anchors.len());
        return Err(Failure::field(at("anchors"), message));
    }
    let anchors = series.anchors.iter().enumerate();
    let anchors = anchors.map(|(index, anchor)| anchor::check(&format!("{place}.anchors[{index}]"), home, anchor));
    let anchors = anchors.collect::<Result<_, _>>()?;
    let field = field.unwrap_or_else(|| DEFAULT_FIELD.to_owned());
    Ok(SentSeries { key, field, labels, points: series.points.map(points::sorted), sent, anchors, place })
}

fn check_points(place: &str, points: &[Point]) -> Result<(), Failure> {
    if points.is_empty() {
        return Err(Failure::field(
            place,
            "is empty; give it a point, or leave it out to change only labels and anchors",
        ));
    }
    if points.len() > MAX_POINTS {
        let message =
            format!("has {} points; at most {MAX_POINTS} go in one request, so send the rest in another", points.len());
        return Err(Failure::field(place, message));
    }
    points::check(points).map_err(|(index, problem)| Failure::field(format!("{place}[{index}]"), problem.to_string()))
}

fn inexact_warning(place: &str, series: &SeriesRequest) -> Option<String> {
    let (first, more) = series.inexact.split_first()?;
    let others = match more.len() {
        0 => String::new(),
        1 => " (and of another point)".to_owned(),
        count => format!(" (and of {count} other points)"),
    };
    Some(format!(
        "{place}.points[{first}]: the value{others} is an integer beyond {MAX_EXACT_INTEGER} that no double has; the \
         nearest one was stored"
    ))
}

impl SentSeries {
    /// The failure of a series that is not stored and has no points.
    ///
    /// # Errors
    /// When there is nothing that a new series could begin with.
    pub fn needs_points(&self) -> Result<(), Failure> {
        if self.points.is_some() {
            return Ok(());
        }
        let message = format!("is missing, and no series {:?} with field {:?} is stored yet", self.key, self.field);
        Err(Failure::field(format!("{}.points", self.place), message))
    }

    /// Drops the points after a reference time; how many. A series that had points can have none left.
    pub fn clip(&mut self, reference_time: Instant) -> usize {
        let Some(points) = self.points.take() else { return 0 };
        let (kept, dropped) = points::clip(points, reference_time);
        self.points = Some(kept);
        dropped
    }

    /// What to tell of a unit that is not the stored one; from then on it is the one that was sent.
    #[must_use]
    pub fn unit_warning(&self, stored: Option<&str>) -> Option<String> {
        let (before, now) = stored.zip(self.labels.unit.as_deref()).filter(|(before, now)| before != now)?;
        Some(format!("{}.unit: was {before:?} and is {now:?} from now on, for the points before too", self.place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Micros;

    fn request(key: &str) -> SeriesRequest {
        let points = Some(vec![Point::new(Micros(0), 1.0)]);
        SeriesRequest { key: key.to_owned(), points, ..SeriesRequest::default() }
    }

    fn failure(series: Vec<SeriesRequest>) -> String {
        check("timeseries.series", Home::Text, series).expect_err("it is malformed").message
    }

    #[test]
    fn what_is_malformed_is_named_with_its_place() {
        let good = request("a");
        let with = |change: fn(&mut SeriesRequest)| {
            let mut series = good.clone();
            change(&mut series);
            vec![good.clone(), series]
        };
        for (series, start) in [
            (with(|series| series.key = "  ".to_owned()), "timeseries.series[1].key: is empty"),
            (with(|series| series.key = "k".repeat(257)), "timeseries.series[1].key: has 257 bytes"),
            (with(|series| series.key = "a\tb".to_owned()), "timeseries.series[1].key: has a control character"),
            (with(|series| series.field = Some("f".repeat(65))), "timeseries.series[1].field: has 65 bytes"),
            (with(|series| series.unit = Some("u".repeat(257))), "timeseries.series[1].unit: has 257 bytes"),
            (with(|series| series.points = Some(Vec::new())), "timeseries.series[1].points: is empty"),
            (
                with(|series| series.points = Some(vec![Point::default(); 100_001])),
                "timeseries.series[1].points: has 100001 points",
            ),
            (
                with(|series| {
                    let mut points = vec![Point::default(); 18];
                    points[17].value = f64::INFINITY;
                    series.points = Some(points);
                }),
                "timeseries.series[1].points[17]: the value is no finite number",
            ),
            (
                with(|series| series.points = Some(vec![Point::new(Micros(i64::MIN), 1.0)])),
                "timeseries.series[1].points[0]: the time is outside the years 1 to 9999",
            ),
            (
                with(|series| series.anchors = vec![AnchorRequest::default(); 21]),
                "timeseries.series[1].anchors: has 21 anchors",
            ),
            (
                with(|series| series.anchors = vec![AnchorRequest::default()]),
                "timeseries.series[1].anchors[0]: names nothing",
            ),
            (vec![good.clone(); 21], "timeseries.series: has 21 series"),
            (
                with(|series| series.field = Some(" value ".to_owned())),
                "timeseries.series[1].key: is that of timeseries.series[0] too",
            ),
        ] {
            let message = failure(series);
            assert!(message.starts_with(start), "{message}");
        }
    }

    #[test]
    fn strings_are_trimmed_and_defaults_filled_in() {
        let series = SeriesRequest { name: Some(" Apple ".to_owned()), ..request(" AAPL ") };
        let (checked, warnings) = check("series", Home::Alone, vec![series]).expect("it is well formed");
        assert_eq!((checked[0].key.as_str(), checked[0].field.as_str()), ("AAPL", "value"));
        assert_eq!(checked[0].labels.name.as_deref(), Some("Apple"));
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn what_is_odd_is_told_and_accepted() {
        let series = SeriesRequest { inexact: vec![3, 4], ..request("a") };
        let (_, warnings) = check("series", Home::Alone, vec![series]).expect("it is well formed");
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("series[0].points[3]: the value (and of another point)"), "{}", warnings[0]);
        let series = SeriesRequest { unit: Some("EUR".to_owned()), ..request("a") };
        let (checked, _) = check("series", Home::Alone, vec![series]).expect("it is well formed");
        assert!(checked[0].unit_warning(Some("USD")).is_some());
        assert_eq!(checked[0].unit_warning(Some("EUR")), None);
        assert_eq!(checked[0].unit_warning(None), None);
    }

    #[test]
    fn a_new_series_needs_points() {
        let series = SeriesRequest { points: None, ..request("a") };
        let (mut checked, _) = check("series", Home::Alone, vec![series, request("b")]).expect("both are well formed");
        assert_eq!(checked[0].needs_points().expect_err("it has none").field.as_deref(), Some("series[0].points"));
        assert_eq!(checked[1].needs_points(), Ok(()));
        assert_eq!((checked[0].clip(Instant(-1)), checked[1].clip(Instant(-1))), (0, 1));
        assert_eq!((&checked[0].points, &checked[1].points), (&None, &Some(Vec::new())));
    }

    #[test]
    fn labels_that_are_not_sent_stay() {
        let stored = Labels { name: Some("Apple".to_owned()), unit: Some("USD".to_owned()), frequency: None };
        let sent = Labels { unit: Some("EUR".to_owned()), ..Labels::default() };
        let updated = stored.updated(&sent);
        assert_eq!((updated.name.as_deref(), updated.unit.as_deref()), (Some("Apple"), Some("EUR")));
    }
}
