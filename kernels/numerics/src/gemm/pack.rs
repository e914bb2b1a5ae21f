//! Packing: panels of `width` lines with the chain index outermost.
//!
//! Panel p holds, for each k, the `width` values of lines p·width … side by
//! side. Lines beyond the last one are zeros.

use super::View;

/// Lines and chain steps that are transposed together.
const SQUARE: usize = 8;

/// Packs rows `w0..w0 + count` and columns `k0..k0 + depth` of `view` into
/// `buffer` and returns the panels.
#[inline(always)]
pub(crate) fn pack<'b>(
    buffer: &'b mut Vec<f32>,
    view: View<'_>,
    (w0, count): (usize, usize),
    (k0, depth): (usize, usize),
    width: usize,
) -> &'b [f32] {
    let needed = count.next_multiple_of(width) * depth;
    if buffer.len() < needed {
        buffer.resize(needed, 0.0);
    }
    let panels = &mut buffer[..needed];
    if view.is_transposed() {
        // A known width makes each copy a few vectors instead of a call.
        match width {
            32 => copy_lines::<32>(panels, view, (w0, count), (k0, depth)),
            16 => copy_lines::<16>(panels, view, (w0, count), (k0, depth)),
            12 => copy_lines::<12>(panels, view, (w0, count), (k0, depth)),
            8 => copy_lines::<8>(panels, view, (w0, count), (k0, depth)),
            6 => copy_lines::<6>(panels, view, (w0, count), (k0, depth)),
            4 => copy_lines::<4>(panels, view, (w0, count), (k0, depth)),
            2 => copy_lines::<2>(panels, view, (w0, count), (k0, depth)),
            1 => copy_lines::<1>(panels, view, (w0, count), (k0, depth)),
            _ => unreachable!("no register tile is {width} wide"),
        }
    } else {
        for first in (0..count).step_by(width) {
            let panel = &mut panels[first * depth..][..width * depth];
            transpose_lines(panel, view, w0 + first, width.min(count - first), (k0, depth), width);
        }
    }
    panels
}

/// Stored lines run across the panels. A line is read once, from end to end: lines can lie so far apart that each
/// visit costs a miss.
#[inline(always)]
fn copy_lines<const WIDTH: usize>(
    panels: &mut [f32],
    view: View<'_>,
    (w0, count): (usize, usize),
    (k0, depth): (usize, usize),
) {
    for k in 0..depth {
        let (parts, tail) = view.line(k0 + k, w0, count).as_chunks::<WIDTH>();
        let mut slots = panels.chunks_exact_mut(WIDTH * depth);
        for (part, panel) in parts.iter().zip(&mut slots) {
            panel[k * WIDTH..][..WIDTH].copy_from_slice(part);
        }
        if let (false, Some(panel)) = (tail.is_empty(), slots.next()) {
            let slot = &mut panel[k * WIDTH..][..WIDTH];
            slot[..tail.len()].copy_from_slice(tail);
            slot[tail.len()..].fill(0.0);
        }
    }
}

/// Stored lines run along the chain: squares are transposed.
#[inline(always)]
fn transpose_lines(
    panel: &mut [f32],
    view: View<'_>,
    w0: usize,
    present: usize,
    (k0, depth): (usize, usize),
    width: usize,
) {
    if present < width {
        panel.fill(0.0);
    }
    let whole = present - present % SQUARE;
    for w in (0..whole).step_by(SQUARE) {
        let mut lines: [&[f32]; SQUARE] = [&[]; SQUARE];
        for (i, line) in lines.iter_mut().enumerate() {
            *line = view.line(w0 + w + i, k0, depth);
        }
        for square in 0..depth / SQUARE {
            let mut rows = [[0.0; SQUARE]; SQUARE];
            for i in 0..SQUARE {
                rows[i].copy_from_slice(&lines[i][square * SQUARE..][..SQUARE]);
            }
            let columns = transposed(&rows);
            for k in 0..SQUARE {
                panel[(square * SQUARE + k) * width + w..][..SQUARE].copy_from_slice(&columns[k]);
            }
        }
        for k in depth - depth % SQUARE..depth {
            for (i, line) in lines.iter().enumerate() {
                panel[k * width + w + i] = line[k];
            }
        }
    }
    for w in whole..present {
        for (k, &value) in view.line(w0 + w, k0, depth).iter().enumerate() {
            panel[k * width + w] = value;
        }
    }
}

/// Three rounds of exchanges, each of which is a shuffle of vectors: blocks of four, of two, of one.
#[inline(always)]
fn transposed(rows: &[[f32; SQUARE]; SQUARE]) -> [[f32; SQUARE]; SQUARE] {
    let mut from = *rows;
    let mut to = from;
    let mut half = SQUARE / 2;
    while half > 0 {
        for i in 0..SQUARE {
            for j in 0..SQUARE {
                to[i][j] = if i & half == j & half { from[i][j] } else { from[i ^ half][j ^ half] };
            }
        }
        from = to;
        half /= 2;
    }
    from
}
