//! A plot as SVG, and that as PNG.

use std::fmt::Write as _;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::Plot;
use super::scale::{Times, Values};

/// The font of pictures, whose letters are built in for PNG.
const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// What a PNG has of pixels for one of the picture.
const ZOOM: f32 = 2.0;

/// About how wide a letter of a tick is.
const LETTER: usize = 7;

/// Where the curve is, in pixels.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn x(&self, place: f64) -> f64 {
        self.left + place * self.width
    }

    fn y(&self, place: f64) -> f64 {
        self.top + (1.0 - place) * self.height
    }
}

/// Draws a picture of so many pixels.
pub(super) fn draw(plot: &Plot, width: usize, height: usize) -> String {
    let values = Values::new(plot.points.iter().map(|point| point.1), (height / 70).clamp(2, 10));
    let ticks = values.ticks();
    let widest = ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or_default();
    let first = plot.points.first().map_or(0, |point| point.0);
    let times = Times::new(first, plot.points.last().map_or(first, |point| point.0));
    let left = (24 + LETTER * widest).min(width / 3);
    let frame = Frame {
        left: left as f64,
        top: 64.0,
        width: (width - left - 24) as f64,
        height: height.saturating_sub(64 + 36).max(10) as f64,
    };

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"{FONT}\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let unit = plot.unit.as_ref().map_or_else(String::new, |unit| format!(", {unit}"));
    text(
        &mut svg,
        (frame.left, 26.0),
        "font-size=\"17\" font-weight=\"bold\" fill=\"#1f2933\"",
        &format!("{}{unit}", plot.title),
    );
    text(&mut svg, (frame.left, 46.0), "fill=\"#7b8794\"", &plot.subtitle);
    windows(&mut svg, plot, times, &frame);
    for tick in &ticks {
        let y = frame.y(tick.place);
        line(&mut svg, (frame.left, y), (frame.left + frame.width, y), "#e4e7eb");
        text(&mut svg, (frame.left - 8.0, y + 4.0), "text-anchor=\"end\" fill=\"#52606d\"", &tick.label);
    }
    let bottom = frame.top + frame.height;
    line(&mut svg, (frame.left, bottom), (frame.left + frame.width, bottom), "#9aa5b1");
    for tick in times.ticks((width / 110).max(2)) {
        let x = frame.x(tick.place);
        line(&mut svg, (x, bottom), (x, bottom + 5.0), "#9aa5b1");
        text(&mut svg, (x, bottom + 20.0), "text-anchor=\"middle\" fill=\"#52606d\"", &tick.label);
    }
    let _ = writeln!(
        svg,
        "<path d=\"{}\" fill=\"none\" stroke=\"#0967d2\" stroke-width=\"1.6\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\"/>",
        path(&plot.points, values, times, &frame)
    );
    svg + "</svg>\n"
}

/// The windows, behind the curve: each with its own line of words, so that none covers another.
fn windows(svg: &mut String, plot: &Plot, times: Times, frame: &Frame) {
    let mut y = frame.top + 14.0;
    for window in &plot.windows {
        let Some((start, end)) = times.span(window) else { continue };
        let (x, width) = (frame.x(start), (frame.x(end) - frame.x(start)).max(1.0));
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{:.2}\" width=\"{width:.2}\" height=\"{:.2}\" fill=\"#f7c948\" fill-opacity=\"0.25\"/>",
            frame.top, frame.height
        );
        // Words go to the side that has room.
        let is_late = start > 0.6;
        let (x, anchor) = if is_late { (x + width - 6.0, "end") } else { (x + 6.0, "start") };
        text(svg, (x, y), &format!("text-anchor=\"{anchor}\" font-size=\"11\" fill=\"#8d2b0b\""), &window.label);
        y += 15.0;
    }
}

/// The curve. Of many points in a column of pixels the lowest and the highest are enough.
fn path(points: &[(i64, f64)], values: Values, times: Times, frame: &Frame) -> String {
    let at = |point: &(i64, f64)| (frame.x(times.place(point.0)), frame.y(values.place(point.1)));
    let mut path = String::new();
    let mut join = |(x, y): (f64, f64)| {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{x:.2} {y:.2}");
    };
    if let [only] = points {
        let (x, y) = at(only);
        join((x - 3.0, y));
        join((x + 3.0, y));
        return path;
    }
    let is_same_column = |a: &(i64, f64), b: &(i64, f64)| at(a).0.floor() == at(b).0.floor();
    for column in points.chunk_by(is_same_column) {
        let by_value = |a: &&(i64, f64), b: &&(i64, f64)| a.1.total_cmp(&b.1);
        let ends = [column.first(), column.iter().min_by(by_value), column.iter().max_by(by_value), column.last()];
        let mut ends: Vec<_> = ends.into_iter().flatten().collect();
        ends.sort_by_key(|point| point.0);
        ends.dedup();
        ends.into_iter().for_each(|point| join(at(point)));
    }
    path
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), color: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{color}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, words: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.2}\" y=\"{y:.2}\" {attributes}>{}</text>", escaped(words));
}

/// Words as XML has them; control characters have no place in it.
fn escaped(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The picture in dots.
///
/// # Errors
/// When it is too large.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = fontdb::Database::new();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    let problem = |error: &dyn std::fmt::Display| format!("the picture can't be drawn: {error}");
    let tree = Tree::from_str(svg, &options).map_err(|error| problem(&error))?;
    let size = tree.size().to_int_size().scale_by(ZOOM).ok_or_else(|| problem(&"it is too large"))?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(|| problem(&"it is too large"))?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| problem(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::plot::scale::Window;

    fn plot(points: Vec<(i64, f64)>) -> Plot {
        let window =
            Window { start: 2_000_000, end: 5_000_000, label: "A & B <x>: role".to_owned(), period: String::new() };
        Plot { title: "Tide \u{1b}[0m".to_owned(), subtitle: "s".to_owned(), unit: None, points, windows: vec![window] }
    }

    #[test]
    fn a_picture_is_xml_that_draws() {
        let points =
            (0..10).map(|number| (number * 1_000_000, f64::from(u8::try_from(number * number).expect("small"))));
        let svg = draw(&plot(points.collect()), 480, 240);
        insta::assert_snapshot!(svg);
        let png = png(&svg).expect("a picture");
        assert_eq!(&png[1..4], b"PNG");
        let [width, height] = [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().expect("four")));
        assert_eq!((width, height), (960, 480));
    }

    #[test]
    fn many_points_make_no_longer_path_than_pixels_need() {
        let points =
            (0..100_000).map(|number| (number, f64::from(u32::try_from(number * 7_919 % 1_000).expect("small"))));
        let svg = draw(&plot(points.collect()), 400, 200);
        assert!(svg.len() < 40_000, "{}", svg.len());
    }
}
