//! A bundle as the bytes of a safetensors file, sealed with a checksum over all of them.
//!
//! The file's metadata has the one key `isotherm` (safetensors writes several in random order). Its
//! value is the JSON text `{"isotherm_sha256":"…","meta":…}`, where the digest is that of the whole
//! file with the digest's own digits replaced by zeros.

use std::collections::HashMap;

use safetensors::tensor::Metadata;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::bundle::{Bundle, Tensor};
use crate::{Error, Result};

/// A result whose error is a clause that gives the reason; the caller knows the file's name.
pub(super) type Reason<T> = std::result::Result<T, String>;

/// The metadata key.
const KEY: &str = "isotherm";
/// What stands before the digits of the checksum, as it is escaped in the file.
const MARK: &[u8] = br#"{\"isotherm_sha256\":\""#;
const ZEROS: &[u8] = &[b'0'; 64];
/// Parsed JSON takes many times the memory of its text. A limit keeps that small for any file.
const MAX_HEADER: usize = 4 << 20;

/// The value of the metadata key. Unknown fields are refused so that a damaged name of the first
/// field cannot pass for a file without a checksum.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    #[serde(rename = "isotherm_sha256")]
    _digest: Option<String>,
    #[serde(default)]
    meta: Value,
}

impl Bundle {
    /// The bytes of a safetensors file with a checksum; equal bundles give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_sealed(self).map_err(|reason| Error::corrupt(format!("cannot store this: {reason}")))
    }

    /// Parses what [`Bundle::to_bytes`] made; a single changed bit is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle> {
        from_sealed(bytes).map_err(Error::corrupt)
    }

    /// Parses any safetensors file. The checksum is checked when there is one; without the
    /// metadata that isotherm writes, `meta` is null.
    pub fn from_any_bytes(bytes: &[u8]) -> Result<Bundle> {
        from_any(bytes).map_err(Error::corrupt)
    }

    /// Whether a safetensors file carries a checksum; an error when it does not match.
    pub fn is_sealed(bytes: &[u8]) -> Result<bool> {
        check(bytes).map_err(Error::corrupt)
    }
}

fn to_sealed(bundle: &Bundle) -> Reason<Vec<u8>> {
    if bundle.tensors.contains_key("__metadata__") {
        return Err("a tensor cannot be named `__metadata__`".to_string());
    }
    let zeros = String::from_utf8_lossy(ZEROS);
    let text = json!({ "isotherm_sha256": zeros, "meta": bundle.meta }).to_string();
    // What cannot be read again, such as very deep nesting, must not be written.
    envelope(&text)?;
    let metadata = HashMap::from([(KEY.to_string(), text)]);
    let mut bytes = safetensors::serialize(&bundle.tensors, Some(metadata))
        .map_err(|error| clip(&error.to_string()))?;
    split(&bytes)?;
    let start = digits(&bytes).ok_or("the checksum has no place in the header")?;
    let digest = digest(&bytes, start);
    bytes[start..start + ZEROS.len()].copy_from_slice(digest.as_bytes());
    Ok(bytes)
}

/// Parses a file that must carry a checksum.
pub(super) fn from_sealed(bytes: &[u8]) -> Reason<Bundle> {
    match check(bytes)? {
        true => parse(bytes),
        false => Err("it carries no isotherm checksum".to_string()),
    }
}

/// Parses a file that may carry a checksum.
pub(super) fn from_any(bytes: &[u8]) -> Reason<Bundle> {
    check(bytes)?;
    parse(bytes)
}

/// Whether there is a checksum; an error when it does not match.
pub(super) fn check(bytes: &[u8]) -> Reason<bool> {
    split(bytes)?;
    let Some(start) = digits(bytes) else { return Ok(false) };
    if bytes[start..start + ZEROS.len()] != *digest(bytes, start).as_bytes() {
        return Err("its contents do not match its checksum".to_string());
    }
    Ok(true)
}

/// The header and the data.
fn split(bytes: &[u8]) -> Reason<(&[u8], &[u8])> {
    let short = || format!("it ends after {} bytes, within its header", bytes.len());
    let (length, rest) = bytes.split_first_chunk().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > MAX_HEADER {
        return Err(format!("its header is said to take {length} of at most {MAX_HEADER} bytes"));
    }
    rest.split_at_checked(length).ok_or_else(short)
}

/// Where the digits of the checksum begin. The first mark counts: the stored JSON value follows
/// it, and so do the names of the tensors.
fn digits(bytes: &[u8]) -> Option<usize> {
    let (header, _) = split(bytes).ok()?;
    let mark = header.windows(MARK.len()).position(|window| window == MARK)?;
    let start = mark + MARK.len();
    (start + ZEROS.len() <= header.len()).then_some(size_of::<u64>() + start)
}

fn digest(bytes: &[u8], start: usize) -> String {
    let hash = Sha256::new()
        .chain_update(&bytes[..start])
        .chain_update(ZEROS)
        .chain_update(&bytes[start + ZEROS.len()..]);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The contents of any safetensors file. `SafeTensors::deserialize` is not used: offsets near the
/// largest integer make it panic where overflow is checked.
fn parse(bytes: &[u8]) -> Reason<Bundle> {
    let (header, data) = split(bytes)?;
    let header: Metadata = serde_json::from_slice(header)
        .map_err(|error| format!("its header is malformed ({})", clip(&error.to_string())))?;
    if header.data_len() != data.len() {
        let (has, needs) = (data.len(), header.data_len());
        return Err(format!("its tensors take {needs} bytes but {has} follow the header"));
    }
    let mut bundle = Bundle::default();
    if let Some(text) = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY)) {
        bundle.meta = envelope(text)?.meta;
    }
    for (name, info) in header.tensors() {
        let (start, end) = info.data_offsets;
        let bytes = data.get(start..end).ok_or("a tensor lies outside of it")?.to_vec();
        bundle.tensors.insert(name, Tensor { dtype: info.dtype, shape: info.shape.clone(), bytes });
    }
    Ok(bundle)
}

fn envelope(text: &str) -> Reason<Envelope> {
    serde_json::from_str(text)
        .map_err(|error| format!("its metadata are malformed ({})", clip(&error.to_string())))
}

/// The beginning of a message that may quote a damaged file at length.
fn clip(message: &str) -> String {
    message.chars().filter(|c| !c.is_control()).take(120).collect()
}
