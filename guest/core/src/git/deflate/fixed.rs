//! A compressor for short contents: one block with the fixed codes, or stored as they are if that is shorter.
//!
//! A general compressor clears its tables and computes codes for each content, which takes longer than everything else
//! where contents have a hundred bytes, half of them IDs. Sources: RFC 1950 for the stream, RFC 1951 for the block.

/// Longest content that it takes: the tables hold 16-bit places, and a longer one deserves codes of its own.
pub(super) const LIMIT: usize = 8 * 1024;

const TABLE_BITS: u32 = 10;
const SHORTEST_MATCH: usize = 4;
const LONGEST_MATCH: usize = 258;

/// Bytes of a stream around a block: header and checksum.
const FRAME: usize = 6;

/// Bytes of a stored block around its content.
const STORED: usize = 5;

/// Shortest length of each length code, from code 257 on, and of each distance code.
const LENGTHS: [u16; 29] = bases(3, 4, 258);
const DISTANCES: [u16; 30] = bases(1, 2, 0);

/// How the ranges of codes start: so many codes for each number of extra bits, the first of them for twice as many.
const fn bases<const N: usize>(first: u16, codes_a_bit: usize, last: u16) -> [u16; N] {
    let mut bases = [first; N];
    let mut code = 1;
    while code < N {
        bases[code] = bases[code - 1] + (1 << extra_bits(code - 1, codes_a_bit));
        code += 1;
    }
    if last > 0 {
        bases[N - 1] = last;
    }
    bases
}

const fn extra_bits(code: usize, codes_a_bit: usize) -> usize {
    (code / codes_a_bit).saturating_sub(1)
}

/// Appends a short content as a zlib stream.
pub(super) fn zlib(content: &[u8], out: &mut Vec<u8>) {
    debug_assert!(content.len() <= LIMIT);
    let start = out.len();
    out.extend_from_slice(&[0x78, 0x01]);
    let mut block = Block { out, bits: 0, count: 0 };
    block.compress(content);
    if out.len() - start + 4 > content.len() + FRAME + STORED {
        out.truncate(start + 2);
        let length = u16::try_from(content.len()).expect("short contents have a short length");
        out.push(1);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(content);
    }
    out.extend_from_slice(&adler32(content).to_be_bytes());
}

/// A block that is being written, bit by bit, lowest first.
struct Block<'a> {
    out: &'a mut Vec<u8>,
    bits: u64,
    count: u32,
}

impl Block<'_> {
    fn compress(&mut self, content: &[u8]) {
        // The last block, with fixed codes.
        self.push(0b011, 3);
        let mut table = [0u16; 1 << TABLE_BITS];
        let mut at = 0;
        while at < content.len() {
            let length = match find(content, at, &mut table) {
                Some((distance, length)) => {
                    self.copy(distance, length);
                    length
                }
                None => {
                    self.symbol(u16::from(content[at]));
                    1
                }
            };
            at += length;
        }
        self.symbol(256);
        self.push(0, self.count.wrapping_neg() % 8);
    }

    fn copy(&mut self, distance: usize, length: usize) {
        let code = LENGTHS.partition_point(|&base| usize::from(base) <= length) - 1;
        self.symbol(257 + code as u16);
        // 258 has a code of its own.
        let extra = if code == LENGTHS.len() - 1 { 0 } else { extra_bits(code, 4) };
        self.push((length - usize::from(LENGTHS[code])) as u64, extra as u32);
        let code = DISTANCES.partition_point(|&base| usize::from(base) <= distance) - 1;
        self.push(u64::from((code as u8).reverse_bits() >> 3), 5);
        self.push((distance - usize::from(DISTANCES[code])) as u64, extra_bits(code, 2) as u32);
    }

    /// A literal or length with its fixed code: section 3.2.6.
    fn symbol(&mut self, symbol: u16) {
        let (code, bits) = match symbol {
            0..=143 => (0x30 + symbol, 8),
            144..=255 => (0x190 + symbol - 144, 9),
            256..=279 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        self.push(u64::from(code.reverse_bits() >> (16 - bits)), bits);
    }

    fn push(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }
}

/// The last place with the same four bytes, as distance and length, and this place noted for those to come.
fn find(content: &[u8], at: usize, table: &mut [u16; 1 << TABLE_BITS]) -> Option<(usize, usize)> {
    let bytes: [u8; SHORTEST_MATCH] = *content[at..].first_chunk()?;
    let slot = u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> (32 - TABLE_BITS);
    // Places count from 1: 0 is none.
    let before = std::mem::replace(&mut table[slot as usize], (at + 1) as u16);
    let before = usize::from(before).checked_sub(1)?;
    let length = content[before..].iter().zip(&content[at..]).take(LONGEST_MATCH).take_while(|(a, b)| a == b).count();
    (length >= SHORTEST_MATCH).then_some((at - before, length))
}

/// The checksum of a zlib stream: section 8.2 of RFC 1950.
fn adler32(content: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut a, mut b) = (1u32, 0u32);
    // So many bytes can't overflow the sums.
    for piece in content.chunks(5552) {
        for &byte in piece {
            a += u32::from(byte);
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec_zlib;
    use proptest::prelude::*;

    use super::*;

    fn check(content: &[u8]) -> usize {
        let mut out = b"before".to_vec();
        zlib(content, &mut out);
        assert_eq!(decompress_to_vec_zlib(&out[6..]).expect("zlib"), content);
        assert!(out.len() - 6 <= content.len() + FRAME + STORED);
        out.len() - 6
    }

    #[test]
    fn the_tables_are_those_of_the_standard() {
        assert_eq!(LENGTHS[..10], [3, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
        assert_eq!(LENGTHS[26..], [195, 227, 258]);
        assert_eq!(DISTANCES[..8], [1, 2, 3, 4, 5, 7, 9, 13]);
        assert_eq!(DISTANCES[28..], [16_385, 24_577]);
    }

    #[test]
    fn runs_of_every_length_read_back() {
        for length in 0..2_000 {
            assert!(check(&vec![b'a'; length]) < 40);
        }
        for distance in 1..200 {
            let piece: Vec<u8> = (0..distance).map(|i: u32| (i * i * 31 + i) as u8).collect();
            check(&piece.repeat(LIMIT / piece.len()));
        }
    }

    proptest! {
        #[test]
        fn what_is_compressed_inflates_to_the_same(
            pieces in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..200), 1usize..6), 0..8),
        ) {
            let content: Vec<u8> = pieces.into_iter().flat_map(|(piece, times)| piece.repeat(times)).take(LIMIT).collect();
            check(&content);
        }
    }
}
