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
use super::error::{SealError, StoreError};

/// What was read, or why it could not be.
type Read<T> = Result<T, SealError>;

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
    pub fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        if self.tensors.contains_key("__metadata__") {
            return Err(StoreError::ReservedName);
        }
        let zeros = String::from_utf8_lossy(ZEROS);
        let text = json!({ "isotherm_sha256": zeros, "meta": self.meta }).to_string();
        // What cannot be read again, such as very deep nesting, must not be written.
        envelope(&text)?;
        let metadata = HashMap::from([(KEY.to_string(), text)]);
        let mut bytes = safetensors::serialize(&self.tensors, Some(metadata))
            .map_err(|error| StoreError::Format { reason: clip(&error.to_string()) })?;
        split(&bytes)?;
        let start = digits(&bytes).ok_or(SealError::Unsealed)?;
        let digest = digest(&bytes, start);
        bytes[start..start + ZEROS.len()].copy_from_slice(digest.as_bytes());
        Ok(bytes)
    }

    /// Parses what [`Bundle::to_bytes`] made; a single changed bit is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle, SealError> {
        match Bundle::is_sealed(bytes)? {
            true => parse(bytes),
            false => Err(SealError::Unsealed),
        }
    }

    /// Parses any safetensors file. The checksum is checked if there is one; without the metadata
    /// that isotherm writes, `meta` is null.
    pub fn from_any_bytes(bytes: &[u8]) -> Result<Bundle, SealError> {
        Bundle::is_sealed(bytes)?;
        parse(bytes)
    }

    /// Whether a safetensors file has a checksum; an error if it does not match.
    pub fn is_sealed(bytes: &[u8]) -> Result<bool, SealError> {
        split(bytes)?;
        let Some(start) = digits(bytes) else { return Ok(false) };
        match bytes[start..start + ZEROS.len()] == *digest(bytes, start).as_bytes() {
            true => Ok(true),
            false => Err(SealError::Checksum),
        }
    }
}

/// The header and the data.
fn split(bytes: &[u8]) -> Read<(&[u8], &[u8])> {
    let short = || SealError::Truncated { bytes: bytes.len() };
    let (length, rest) = bytes.split_first_chunk().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > MAX_HEADER {
        return Err(SealError::LongHeader { bytes: length, most: MAX_HEADER });
    }
    rest.split_at_checked(length).ok_or_else(short)
}

/// Where the digits of the checksum begin. The first mark counts: the stored JSON value and the names
/// of the tensors follow it.
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
fn parse(bytes: &[u8]) -> Read<Bundle> {
    let (header, data) = split(bytes)?;
    let header: Metadata = serde_json::from_slice(header)
        .map_err(|error| SealError::Header { reason: clip(&error.to_string()) })?;
    if header.data_len() != data.len() {
        return Err(SealError::Size { needed: header.data_len(), found: data.len() });
    }
    let mut bundle = Bundle::default();
    if let Some(text) = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY)) {
        bundle.meta = envelope(text)?.meta;
    }
    for (name, info) in header.tensors() {
        let (start, end) = info.data_offsets;
        let Some(bytes) = data.get(start..end).map(<[u8]>::to_vec) else {
            return Err(SealError::Outside { name: clip(&name) });
        };
        bundle.tensors.insert(name, Tensor { dtype: info.dtype, shape: info.shape.clone(), bytes });
    }
    Ok(bundle)
}

fn envelope(text: &str) -> Read<Envelope> {
    serde_json::from_str(text)
        .map_err(|error| SealError::Metadata { reason: clip(&error.to_string()) })
}

/// The beginning of a message that may quote a damaged file at length.
fn clip(message: &str) -> String {
    message.chars().filter(|c| !c.is_control()).take(120).collect()
}
