//! The formats, written: by crates that are not ours where there are some.

use std::io::{Cursor, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use parquet::basic::Compression as PageCompression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// Rows of bytes.
pub(super) type Rows = [Vec<u8>];

pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    gzip_at(Compression::fast(), content)
}

pub(super) fn gzip_best(content: &[u8]) -> Vec<u8> {
    gzip_at(Compression::best(), content)
}

fn gzip_at(level: Compression, content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// An npy file of unsigned bytes, by `npyz`.
pub(super) fn npy(rows: &Rows) -> Vec<u8> {
    use npyz::WriterBuilder;
    let mut file = Vec::new();
    let shape = [rows.len() as u64, rows[0].len() as u64];
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&shape)
        .writer(&mut file)
        .begin_nd()
        .unwrap();
    writer.extend(rows.iter().flatten().copied()).unwrap();
    writer.finish().unwrap();
    file
}

/// An archive of npy files, by `zip`.
pub(super) fn npz(arrays: &[(&str, &Rows)], packed: bool) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let method = match packed {
        true => zip::CompressionMethod::Deflated,
        false => zip::CompressionMethod::Stored,
    };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, rows) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(&npy(rows)).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An IDX file of unsigned bytes with these dimensions.
pub(super) fn idx(shape: &[usize], values: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, shape.len() as u8];
    file.extend(shape.iter().flat_map(|&size| (size as u32).to_be_bytes()));
    file.extend(values);
    file
}

/// What an array of a MATLAB file is stored as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stored {
    Bytes,
    Doubles,
}

/// A MATLAB file of version 5; `matfile`, which reads, agrees that it is one.
pub(super) fn matlab(arrays: &[(&str, &Rows)], stored: Stored, packed: bool) -> Vec<u8> {
    let mut file = format!("{:<124}", "MATLAB 5.0 MAT-file, written by a test").into_bytes();
    file.extend([0, 1, b'I', b'M']);
    for (name, rows) in arrays {
        let matrix = matlab_matrix(name, rows, stored);
        match packed {
            true => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&matrix).unwrap();
                let content = encoder.finish().unwrap();
                file.extend(15u32.to_le_bytes());
                file.extend((content.len() as u32).to_le_bytes());
                file.extend(content);
            }
            false => file.extend(matrix),
        }
    }
    file
}

fn matlab_matrix(name: &str, rows: &Rows, stored: Stored) -> Vec<u8> {
    let element = |kind: u32, content: &[u8]| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    };
    let class: u32 = if stored == Stored::Bytes { 9 } else { 6 };
    let sizes = [rows.len() as i32, rows[0].len() as i32].map(i32::to_le_bytes).concat();
    let column_major = (0..rows[0].len()).flat_map(|col| rows.iter().map(move |row| row[col]));
    let values = match stored {
        Stored::Bytes => element(2, &column_major.collect::<Vec<_>>()),
        Stored::Doubles => {
            element(9, &column_major.flat_map(|v| f64::from(v).to_le_bytes()).collect::<Vec<_>>())
        }
    };
    let flags = [class.to_le_bytes(), [0; 4]].concat();
    let parts = [element(6, &flags), element(5, &sizes), element(1, name.as_bytes()), values];
    element(14, &parts.concat())
}

pub(super) fn text(rows: &Rows, separator: &str, header: bool) -> Vec<u8> {
    let line = |fields: Vec<String>| fields.join(separator) + "\n";
    let mut text = String::new();
    if header {
        text += &line((0..rows[0].len()).map(|col| format!("x{col}")).collect());
    }
    for row in rows {
        text += &line(row.iter().map(u8::to_string).collect());
    }
    text.into_bytes()
}

/// A Parquet file of integers, of truth values, or of one list a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Columns {
    Integers,
    Booleans,
    Lists,
}

/// A Parquet file, by `parquet`, in two row groups where there are two rows.
pub(super) fn parquet(rows: &Rows, columns: Columns, compression: PageCompression) -> Vec<u8> {
    let each = |kind: &str| {
        (0..rows[0].len()).map(|col| format!("required {kind} x{col};")).collect::<String>()
    };
    let fields = match columns {
        Columns::Integers => each("int32"),
        Columns::Booleans => each("boolean"),
        Columns::Lists => {
            "required group x (LIST) { repeated group list { required int32 element; } }".to_owned()
        }
    };
    let schema = parse_message_type(&format!("message rows {{ {fields} }}")).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties)).unwrap();
    for group in rows.chunks(rows.len().div_ceil(2)) {
        let mut row_group = writer.next_row_group().unwrap();
        let mut col = 0;
        while let Some(mut column) = row_group.next_column().unwrap() {
            match columns {
                Columns::Integers => {
                    let values: Vec<i32> = group.iter().map(|row| i32::from(row[col])).collect();
                    column.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
                }
                Columns::Booleans => {
                    let values: Vec<bool> = group.iter().map(|row| row[col] != 0).collect();
                    column.typed::<BoolType>().write_batch(&values, None, None).unwrap();
                }
                Columns::Lists => {
                    let values: Vec<i32> = group.iter().flatten().map(|&v| i32::from(v)).collect();
                    let defined = vec![1; values.len()];
                    let width = rows[0].len();
                    let repeated: Vec<i16> =
                        (0..values.len()).map(|at| i16::from(at % width != 0)).collect();
                    let typed = column.typed::<Int32Type>();
                    typed.write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
                }
            }
            col += 1;
            column.close().unwrap();
        }
        row_group.close().unwrap();
    }
    writer.close().unwrap();
    file
}

/// A Parquet file of one optional column of doubles, some of which are not there, and one of text.
pub(super) fn parquet_with_holes(values: &[Option<f64>], with_text: bool) -> Vec<u8> {
    let text = if with_text { "required binary label (UTF8);" } else { "" };
    let schema = format!("message rows {{ optional double x; {text} }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Default::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    let mut column = row_group.next_column().unwrap().unwrap();
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    let defined: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    column.typed::<DoubleType>().write_batch(&there, Some(&defined), None).unwrap();
    column.close().unwrap();
    if with_text {
        let mut column = row_group.next_column().unwrap().unwrap();
        let labels = vec![ByteArray::from("a"); values.len()];
        column.typed::<ByteArrayType>().write_batch(&labels, None, None).unwrap();
        column.close().unwrap();
    }
    row_group.close().unwrap();
    writer.close().unwrap();
    file
}

/// A Parquet file of required columns as the schema has them, each with the same integers.
pub(super) fn parquet_integers(columns: &str, values: &[i32]) -> Vec<u8> {
    let schema = format!("message rows {{ required {columns}; }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Default::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    while let Some(mut column) = row_group.next_column().unwrap() {
        column.typed::<Int32Type>().write_batch(values, None, None).unwrap();
        column.close().unwrap();
    }
    row_group.close().unwrap();
    writer.close().unwrap();
    file
}
