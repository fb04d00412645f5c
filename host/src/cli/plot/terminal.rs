//! A plot of dots: two by four in a character.

use super::Plot;
use super::scale::{Times, Values};
use crate::cli::screen::{FAINT, GOOD, NAME, STRONG, columns, fit, paint};

/// Dots of a character.
const DOTS: (usize, usize) = (2, 4);

/// Columns that a tick of time needs.
const TICK: usize = 13;

/// Draws in a number of columns, and in so many lines for the curve alone.
pub(super) fn draw(plot: &Plot, width: usize, height: usize) -> String {
    let values = Values::new(plot.points.iter().map(|point| point.1), (height / 3).clamp(2, 8));
    let ticks = values.ticks();
    let label = ticks.iter().map(|tick| columns(&tick.label)).max().unwrap_or_default();
    let room = width.saturating_sub(label + 2).max(10);
    let first = plot.points.first().map_or(0, |point| point.0);
    let times = Times::new(first, plot.points.last().map_or(first, |point| point.0));

    let unit = plot.unit.as_ref().map_or_else(String::new, |unit| format!(", {unit}"));
    let head = format!("{}{unit}", plot.title);
    let mut text = format!("{}  {}\n", paint(STRONG, &head), paint(FAINT, &plot.subtitle));
    let canvas = curve(plot, values, times, room, height);
    for (row, line) in canvas.lines().into_iter().enumerate() {
        let tick = ticks.iter().find(|tick| place(1.0 - tick.place, height) == row);
        let (name, mark) = tick.map_or(("", '│'), |tick| (tick.label.as_str(), '┤'));
        let name = format!("{name:>label$} {mark}");
        let line = paint(GOOD, line.trim_end());
        text += &format!("{}{line}\n", paint(FAINT, &name));
    }
    text += &paint(FAINT, &axis(times, label, room));
    for window in &plot.windows {
        let Some((start, end)) = times.span(window) else { continue };
        let (start, end) = (place(start, room), place(end, room));
        let bar: String = (start..=end)
            .map(|at| {
                if at == start {
                    '╞'
                } else if at == end {
                    '╡'
                } else {
                    '═'
                }
            })
            .collect();
        text += &format!("{}{}", " ".repeat(label + 2 + start), paint(NAME, &bar));
        // Beside the bar where there is room, else below it.
        let words = format!("{}, {}", window.label, window.period);
        if label + 2 + end + 2 + columns(&words) <= width {
            text += &format!(" {words}\n");
        } else {
            text += &format!("\n{}{}\n", " ".repeat(label + 2), fit(&words, room).trim_end());
        }
    }
    text
}

/// One of `count` places for a number from 0 to 1.
fn place(part: f64, count: usize) -> usize {
    ((part * (count - 1) as f64).round() as usize).min(count - 1)
}

/// The line below, and the times below that.
fn axis(times: Times, label: usize, room: usize) -> String {
    let mut line: Vec<char> = "─".repeat(room).chars().collect();
    let mut names = String::new();
    for tick in times.ticks((room / TICK).max(2)) {
        let at = place(tick.place, room);
        let width = columns(&tick.label);
        let start = at.saturating_sub(width / 2).min(room.saturating_sub(width));
        if names.is_empty() || columns(&names) + 2 <= start {
            line[at] = '┴';
            names = fit(&names, start) + &tick.label;
        }
    }
    let line: String = line.into_iter().collect();
    format!("{}└{line}\n{}{names}\n", " ".repeat(label + 1), " ".repeat(label + 2))
}

/// The points, joined.
fn curve(plot: &Plot, values: Values, times: Times, width: usize, height: usize) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    let (across, up) = (width * DOTS.0, height * DOTS.1);
    let dots =
        plot.points.iter().map(|(at, value)| (place(times.place(*at), across), place(1.0 - values.place(*value), up)));
    let mut last = None;
    for dot in dots {
        canvas.line(last.unwrap_or(dot), dot);
        last = Some(dot);
    }
    canvas
}

/// Dots.
struct Canvas {
    width: usize,
    cells: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, cells: vec![0; width * height] }
    }

    fn dot(&mut self, (x, y): (usize, usize)) {
        // Braille numbers its dots down the left, down the right, and then the lowest two.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        self.cells[y / DOTS.1 * self.width + x / DOTS.0] |= BITS[x % DOTS.0][y % DOTS.1];
    }

    /// Dots from one to another, so that no gap is between them.
    fn line(&mut self, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
        let between = |a: usize, b: usize, step: usize| (a * (steps - step) + b * step + steps / 2) / steps;
        for step in 0..=steps {
            self.dot((between(from.0, to.0, step), between(from.1, to.1, step)));
        }
    }

    fn lines(&self) -> Vec<String> {
        let dots = |cell: &u8| if *cell == 0 { Some(' ') } else { char::from_u32(0x2800 + u32::from(*cell)) };
        let line = |cells: &[u8]| cells.iter().filter_map(dots).collect();
        self.cells.chunks(self.width).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::plot::scale::Window;

    const DAY: i64 = 86_400_000_000;

    fn plot(points: Vec<(i64, f64)>, windows: Vec<Window>) -> Plot {
        Plot {
            title: "Tide".to_owned(),
            subtitle: "tide/value".to_owned(),
            unit: Some("m".to_owned()),
            points,
            windows,
        }
    }

    fn wave() -> Vec<(i64, f64)> {
        (0..200i32).map(|day| (i64::from(day) * DAY, (f64::from(day) / 15.0).sin() * 2.0 + 3.0)).collect()
    }

    fn plain(plot: &Plot, width: usize, height: usize) -> String {
        format!("\n{}", anstream::adapter::strip_str(&draw(plot, width, height)))
    }

    #[test]
    fn a_curve_has_axes_and_windows() {
        let window = |start: i64, end: i64, label: &str| Window {
            start: start * DAY,
            end: end * DAY,
            label: label.to_owned(),
            period: "1970-02-10 … 1970-04-01".to_owned(),
        };
        let windows =
            vec![window(40, 90, "Porto: storms"), window(150, 400, "Porto: a calm that goes on after the series")];
        insta::assert_snapshot!(plain(&plot(wave(), windows), 80, 12));
    }

    #[test]
    fn one_point_and_a_flat_line_are_drawn_too() {
        insta::assert_snapshot!(plain(&plot(vec![(0, 5.0)], Vec::new()), 60, 6));
        insta::assert_snapshot!(plain(&plot(vec![(0, -0.0), (DAY, 0.0)], Vec::new()), 60, 6));
    }

    #[test]
    fn every_line_fits_the_width() {
        for (width, height) in [(40, 4), (80, 15), (200, 40)] {
            for line in plain(&plot(wave(), Vec::new()), width, height).lines() {
                assert!(columns(line) <= width, "{line}");
            }
        }
        let extreme = plot(vec![(0, f64::MIN), (1, f64::MAX), (2, 5e-324)], Vec::new());
        assert!(plain(&extreme, 80, 15).lines().count() > 15);
    }
}
