//! The pages of a Parquet file. Those packed with Zstandard are unpacked by the decoder that obelus has anyway: that of
//! the `parquet` crate is C code, which would have to be compiled.

use super::assembly::Rows;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// Longest page that is unpacked, in bytes; writers make them of about a megabyte.
const PAGE_BYTES_MAX: u64 = 1 << 30;

/// A Parquet file whose end was read.
pub(super) struct Pages {
    file: Arc<File>,
    metadata: ParquetMetaData,
}

impl Pages {
    /// Reads what the file says of itself at its end.
    ///
    /// # Errors
    /// That is missing or damaged.
    pub(super) fn open(file: File) -> Result<Self> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
        Ok(Self { file: Arc::new(file), metadata })
    }

    /// How a column is packed that cannot be unpacked here.
    pub(super) fn foreign_packing(&self) -> Option<&'static str> {
        let mut columns = self.metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
        columns.find_map(|column| match column.compression() {
            Compression::BROTLI(_) => Some("Brotli"),
            Compression::LZO => Some("LZO"),
            _ => None,
        })
    }

    /// The rows of a row group; None: there are no more groups.
    ///
    /// # Errors
    /// What the file says of the group is damaged.
    pub(super) fn group(&self, number: usize) -> Result<Option<Rows>> {
        let Some(group) = self.metadata.row_groups().get(number) else { return Ok(None) };
        let columns = group.columns().iter().map(|column| Ok((column.column_descr_ptr(), self.pages(group, column)?)));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok(Some(Rows::new(self.metadata.file_metadata().schema(), columns, group.num_rows())))
    }

    fn pages(&self, group: &RowGroupMetaData, column: &ColumnChunkMetaData) -> Result<Box<dyn PageReader>> {
        let rows = usize::try_from(group.num_rows())?;
        let pages = |column: &ColumnChunkMetaData| SerializedPageReader::new(self.file.clone(), column, rows, None);
        match column.compression() {
            Compression::ZSTD(_) => {
                let packed = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
                Ok(Box::new(Unpacked(pages(&packed)?)))
            }
            _ => Ok(Box::new(pages(column)?)),
        }
    }
}

/// Pages that are packed with Zstandard, read as if they were not.
struct Unpacked<P>(P);

impl<P: PageReader> Unpacked<P> {
    fn page(&mut self) -> Result<Option<Page>> {
        Ok(match self.0.get_next_page()? {
            Some(mut page) => {
                match &mut page {
                    // Levels are unpacked before the values.
                    Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                        if *is_compressed {
                            let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                            *buf = unpacked(buf, levels)?.into();
                        }
                    }
                    Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpacked(buf, 0)?.into(),
                }
                Some(page)
            }
            None => None,
        })
    }
}

/// The unpacked content of a page, whose first `plain` bytes are not packed.
fn unpacked(page: &[u8], plain: usize) -> Result<Vec<u8>> {
    let damaged = |why: &str| ParquetError::General(format!("a page packed with Zstandard is damaged: {why}"));
    let (plain, mut packed) = page.split_at_checked(plain).ok_or_else(|| damaged("it is too short"))?;
    let mut all = plain.to_vec();
    // A page whose values are all null may hold nothing.
    while !packed.is_empty() {
        let mut frame = StreamingDecoder::new(&mut packed).map_err(|e| damaged(&e.to_string()))?;
        let read = frame.by_ref().take(PAGE_BYTES_MAX + 1).read_to_end(&mut all);
        if read.map_err(|e| damaged(&e.to_string()))? as u64 > PAGE_BYTES_MAX {
            return Err(damaged("it holds more than 1 GiB"));
        }
    }
    Ok(all)
}

impl<P: PageReader> Iterator for Unpacked<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.page().transpose()
    }
}

impl<P: PageReader> PageReader for Unpacked<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.page()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}
