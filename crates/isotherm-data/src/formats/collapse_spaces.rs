//! Collapses runs of spaces and tabs into single commas.

use std::io::{self, BufRead, Read};

/// Reads a text whose values are separated by any number of spaces and tabs as one with single commas
/// between the values and no spaces around the lines.
pub(super) struct CollapseSpaces<R> {
    input: R,
    /// Whether the line has a value already.
    in_line: bool,
    /// Whether spaces follow it.
    pending: bool,
}

impl<R: BufRead> CollapseSpaces<R> {
    pub(super) fn new(input: R) -> CollapseSpaces<R> {
        CollapseSpaces { input, in_line: false, pending: false }
    }
}

impl<R: BufRead> Read for CollapseSpaces<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        // Until there is something to return: no bytes would mean the end.
        while written == 0 && !out.is_empty() {
            let input = self.input.fill_buf()?;
            if input.is_empty() {
                break;
            }
            let mut used = 0;
            while used < input.len() && written < out.len() {
                let byte = input[used];
                if matches!(byte, b' ' | b'\t' | b'\r') {
                    self.pending = self.in_line;
                    used += 1;
                } else if self.pending && byte != b'\n' {
                    // The byte itself comes next.
                    self.pending = false;
                    out[written] = b',';
                    written += 1;
                } else {
                    (self.in_line, self.pending) = (byte != b'\n', false);
                    out[written] = byte;
                    (used, written) = (used + 1, written + 1);
                }
            }
            self.input.consume(used);
        }
        Ok(written)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_commas_and_ends_are_trimmed() {
        let text = "  0  1\t \t1 \r\n\n 1 0 0\n   \n1";
        for chunk in [1, 2, 3, 100] {
            let input = io::BufReader::with_capacity(chunk, text.as_bytes());
            let squeezed = io::read_to_string(CollapseSpaces::new(input)).unwrap();
            assert_eq!(squeezed, "0,1,1\n\n1,0,0\n\n1", "{chunk}");
        }
    }
}
