//! Compression: zlib streams, which is what git keeps objects in.

mod fixed;

use miniz_oxide::DataFormat;
use miniz_oxide::deflate::core::{CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress};

/// How hard to compress: 1 is fast, 9 is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(u8);

impl Level {
    /// What is written by default: up to twice as fast as the others, and packs a tenth larger.
    pub const FAST: Self = Self(1);

    /// The nearest level from 1 to 9.
    #[must_use]
    pub fn new(level: u8) -> Self {
        Self(level.clamp(1, 9))
    }
}

impl Default for Level {
    fn default() -> Self {
        Self::FAST
    }
}

/// Up to so many bytes of IDs codes of their own save less than they take to write down.
const SHORT_IDS: usize = 2048;

/// The same for text.
const SHORT_TEXT: usize = 160;

/// Up to so many bytes of text they save less than a tenth, and take most of the time.
const SHORT_TEXT_IF_FAST: usize = 1024;

/// A compressor whose memory serves many streams.
pub(crate) struct Deflater {
    compressor: Box<CompressorOxide>,
    short_text: usize,
}

impl Deflater {
    pub(crate) fn new(level: Level) -> Self {
        let compressor = CompressorOxide::with_params(DataFormat::Zlib, level.0, CompressionStrategy::Default, 15);
        let short_text = if level == Level::FAST { SHORT_TEXT_IF_FAST } else { SHORT_TEXT };
        Self { compressor: Box::new(compressor), short_text }
    }

    /// Appends a content of which half are IDs as a zlib stream.
    pub(crate) fn zlib_of_ids(&mut self, content: &[u8], out: &mut Vec<u8>) {
        if content.len() <= SHORT_IDS {
            fixed::zlib(content, out);
        } else {
            self.zlib(content, out);
        }
    }

    /// Appends the content as a zlib stream.
    pub(crate) fn zlib(&mut self, content: &[u8], out: &mut Vec<u8>) {
        if content.len() <= self.short_text {
            return fixed::zlib(content, out);
        }
        self.compressor.reset();
        let mut rest = content;
        let mut end = out.len();
        out.resize(end + content.len() / 2 + 64, 0);
        loop {
            let (status, read, written) = compress(&mut self.compressor, rest, &mut out[end..], TDEFLFlush::Finish);
            rest = &rest[read..];
            end += written;
            match status {
                TDEFLStatus::Done => break,
                TDEFLStatus::Okay => out.resize(end + rest.len() / 2 + 1024, 0),
                status => unreachable!("memory takes everything, and the calls are in order: {status:?}"),
            }
        }
        out.truncate(end);
    }
}

impl std::fmt::Debug for Deflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deflater")
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    use super::*;

    #[test]
    fn what_is_compressed_inflates_to_the_same_at_every_level_and_length() {
        let noise: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for level in [1, 6, 9] {
            let mut deflater = Deflater::new(Level::new(level));
            for length in [0, 1, 20, 60, 300, 5_000, noise.len()] {
                let mut out = b"before".to_vec();
                deflater.zlib(&noise[..length], &mut out);
                assert_eq!(decompress_to_vec_zlib(&out[6..]).expect("zlib"), &noise[..length]);
            }
        }
    }
}
