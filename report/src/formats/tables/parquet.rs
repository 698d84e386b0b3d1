//! Parquet files of runs.

use super::{Cell, ColumnType, RUN_TABLES, RunTable};
use crate::ReportedRun;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::sync::Arc;

/// Version of the columns, in the metadata `secchi.tables` of each file.
const VERSION: &str = "1";
/// Maximum number of rows that are kept in memory before they are written as a row group.
const GROUP: usize = 65_536;

impl Cell {
    fn text(&self) -> Option<ByteArray> {
        if let Cell::Text(text) = self { Some(text.as_str().into()) } else { None }
    }

    /// Returns the number; `None` also if it is larger than the type of the column.
    fn int(&self) -> Option<i64> {
        if let Cell::Int(number) = self { number.and_then(|n| i64::try_from(n).ok()) } else { None }
    }

    fn float(&self) -> Option<f64> {
        if let Cell::Float(number) = self { *number } else { None }
    }

    fn flag(&self) -> Option<bool> {
        if let Cell::Flag(flag) = self { Some(*flag) } else { None }
    }
}

/// Tables in memory to which runs are added one by one.
pub struct ParquetTables(Vec<TableWriter>);

impl ParquetTables {
    /// Creates empty tables.
    ///
    /// # Errors
    /// Returns an error if the library rejects the columns.
    pub fn new() -> io::Result<Self> {
        Ok(ParquetTables(RUN_TABLES.iter().map(TableWriter::new).collect::<io::Result<_>>()?))
    }

    /// Adds a run.
    ///
    /// # Errors
    /// Returns an error if the library cannot encode the rows.
    pub fn add(&mut self, run: &ReportedRun<'_>) -> io::Result<()> {
        self.0.iter_mut().try_for_each(|writer| (writer.table.rows)(run, &mut |row| writer.push(row)))
    }

    /// Returns the contents of each file, with its table.
    ///
    /// # Errors
    /// Returns an error if the library cannot encode the last rows.
    pub fn finish(self) -> io::Result<Vec<(&'static RunTable, Vec<u8>)>> {
        self.0.into_iter().map(TableWriter::finish).collect()
    }
}

/// A table that is being written, with the rows of the current row group.
struct TableWriter {
    table: &'static RunTable,
    file: SerializedFileWriter<Vec<u8>>,
    rows: Vec<Vec<Cell>>,
}

impl TableWriter {
    fn new(table: &'static RunTable) -> io::Result<Self> {
        let fields = table.columns.iter().map(|column| {
            let (physical, logical) = match column.kind {
                ColumnType::String => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
                ColumnType::Int64 => (PhysicalType::INT64, None),
                ColumnType::Double => (PhysicalType::DOUBLE, None),
                ColumnType::Boolean => (PhysicalType::BOOLEAN, None),
            };
            let field = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
            field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
        });
        let fields = fields.collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder(table.name).with_fields(fields).build()?;
        let version = KeyValue::new("secchi.tables".to_owned(), VERSION.to_owned());
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("secchi {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(vec![version]));
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties.build()))?;
        Ok(TableWriter { table, file, rows: Vec::new() })
    }

    fn push(&mut self, row: Vec<Cell>) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() == GROUP { self.flush() } else { Ok(()) }
    }

    /// Writes the rows in memory as a row group.
    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in 0..self.table.columns.len() {
            let Some(mut writer) = group.next_column()? else { break };
            let cells = rows.iter().map(|row| &row[column]);
            match writer.untyped() {
                ColumnWriter::ByteArrayColumnWriter(w) => write(w, cells.map(Cell::text)),
                ColumnWriter::Int64ColumnWriter(w) => write(w, cells.map(Cell::int)),
                ColumnWriter::DoubleColumnWriter(w) => write(w, cells.map(Cell::float)),
                ColumnWriter::BoolColumnWriter(w) => write(w, cells.map(Cell::flag)),
                _ => unreachable!("the tables have columns of four types"),
            }?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(mut self) -> io::Result<(&'static RunTable, Vec<u8>)> {
        self.flush()?;
        Ok((self.table, self.file.into_inner()?))
    }
}

/// Writes a column. Parquet stores the values that are not null, and separately for each row whether it has one
/// (definition levels).
fn write<T: DataType>(
    column: &mut ColumnWriterImpl<'_, T>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<usize, ParquetError> {
    let mut levels: Vec<i16> = Vec::new();
    let values: Vec<T::T> = cells.inspect(|value| levels.push(i16::from(value.is_some()))).flatten().collect();
    column.write_batch(&values, Some(&levels), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::render::csv::HEAD;
    use model::record::Labels;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    fn tables() -> Vec<(&'static RunTable, SerializedFileReader<bytes::Bytes>)> {
        let (record, judgement) = fixture::capped();
        let labels = Labels::default();
        let run = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
        let mut tables = ParquetTables::new().unwrap();
        tables.add(&run).unwrap();
        tables.add(&run).unwrap();
        let files = tables.finish().unwrap().into_iter();
        files.map(|(table, bytes)| (table, SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap())).collect()
    }

    #[test]
    fn levels_have_the_columns_and_the_figures_of_csv() {
        let names: Vec<&str> = RUN_TABLES[0].columns.iter().map(|c| c.name).collect();
        assert_eq!(names.join(","), HEAD);
        let (record, judgement) = fixture::capped();
        let expected: Vec<(f64, u64)> =
            judgement.patterns.iter().flat_map(|p| &p.levels).map(|l| (l.iops.value, l.ops)).collect();
        assert!(!expected.is_empty() && !record.id.is_empty());
        let (_, file) = &tables()[0];
        let rows: Vec<_> = file.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2 * expected.len());
        for (row, (iops, ops)) in rows.iter().zip(&expected) {
            assert_eq!((row.get_double(8).unwrap(), row.get_long(7).unwrap()), (*iops, *ops as i64));
        }
    }

    #[test]
    fn intervals_histograms_and_series_have_all_counts_of_the_record() {
        let (record, _) = fixture::capped();
        let tables = tables();
        let sum = |table: usize, column: usize| -> i64 {
            let rows = tables[table].1.get_row_iter(None).unwrap();
            rows.map(|row| row.unwrap().get_long(column).unwrap()).sum()
        };
        let ops: u64 = record.steps.iter().flat_map(|s| &s.intervals).map(model::Interval::ops).sum();
        assert!(ops > 0);
        assert_eq!(sum(1, 8), 2 * ops as i64);
        let counted: u64 = record
            .steps
            .iter()
            .flat_map(|s| s.measured().chain(s.drained()))
            .flat_map(|i| &i.per_op)
            .map(|s| s.latency.count() + s.response.count())
            .sum();
        assert_eq!(sum(2, 8), 2 * counted as i64);
        let points: usize = record.series.iter().map(|s| s.points.len()).sum();
        assert_eq!(tables[3].1.metadata().file_metadata().num_rows(), 2 * points as i64);
    }
}
