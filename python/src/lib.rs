//! The extension module of the package `obelus`: batches of Arrow in, rows of flat schemas out.
//!
//! Each function does its work without the lock of the interpreter, on a thread with the stack that recursive schemas
//! need, and on that alone: engines give each of their workers a batch.
#![deny(unsafe_code)]

mod json_rows;
mod json_value;
mod rows;

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_pyarrow::{FromPyArrow, PyArrowType};
use obelus_core::batch::{Batch, SummaryBuilder};
use obelus_core::json;
use obelus_core::model::Problem;
use obelus_core::review::flat::{Cell, FINDINGS, FlatSchema, RECORDS, SKETCHES};
use obelus_core::state::STACK_BYTES;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::thread;

/// What is taken as records: the batches of a table, of a record batch, or of whatever streams batches.
fn batches(data: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    if data.hasattr("__arrow_c_array__")? {
        return Ok(vec![RecordBatch::from_pyarrow_bound(data)?]);
    }
    if !data.hasattr("__arrow_c_stream__")? {
        let name = data.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a {name} has no Arrow batches: pass a pyarrow Table or RecordBatch"
        )));
    }
    let reader = RecordBatchStreamReader::from_pyarrow_bound(data)?;
    reader.map(|batch| batch.map_err(|e| PyValueError::new_err(e.to_string()))).collect()
}

/// How records stand in batches, and how they are read.
#[derive(Clone)]
struct Reading {
    column: Option<String>,
    format: Option<String>,
    name: String,
}

/// Does a piece of work with the records of some data.
fn with_records<T: Send>(
    data: &Bound<'_, PyAny>,
    reading: Reading,
    work: impl FnOnce(&Batch) -> Result<T, Problem> + Send,
) -> PyResult<T> {
    let batches = batches(data)?;
    let all = move || {
        let rows = json_rows::of(&batches, reading.column.as_deref())?;
        let batch = Batch::new(&reading.name, rows.iter(), reading.format.as_deref(), rows.are_of_columns)?;
        drop((rows, batches));
        work(&batch)
    };
    let done = data.py().detach(|| {
        thread::scope(|scope| {
            let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, all);
            started.map(|thread| thread.join())
        })
    });
    match done {
        Ok(Ok(done)) => done.map_err(|problem| PyValueError::new_err(problem.to_string())),
        Ok(Err(_)) => Err(PyRuntimeError::new_err("the records could not be looked at; please report it")),
        Err(e) => Err(PyRuntimeError::new_err(format!("no thread: {e}"))),
    }
}

/// Rows of a schema, made of the records of some data.
fn rows_of(
    data: &Bound<'_, PyAny>,
    reading: Reading,
    schema: &'static FlatSchema,
    work: impl FnOnce(&Batch) -> Result<Vec<Vec<Cell>>, Problem> + Send,
) -> PyResult<PyArrowType<RecordBatch>> {
    let rows = with_records(data, reading, work)?;
    rows::batch(schema, &rows).map(PyArrowType).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

/// What is found in the records.
#[pyfunction]
#[pyo3(signature = (data, column, format, name))]
fn check(
    data: &Bound<'_, PyAny>,
    column: Option<String>,
    format: Option<String>,
    name: String,
) -> PyResult<PyArrowType<RecordBatch>> {
    rows_of(data, Reading { column, format, name }, &FINDINGS, Batch::finding_rows)
}

/// Facts on each record.
#[pyfunction]
#[pyo3(signature = (data, column, format, name))]
fn records(
    data: &Bound<'_, PyAny>,
    column: Option<String>,
    format: Option<String>,
    name: String,
) -> PyResult<PyArrowType<RecordBatch>> {
    rows_of(data, Reading { column, format, name }, &RECORDS, Batch::record_rows)
}

/// What tells copies and near copies of each record.
#[pyfunction]
#[pyo3(signature = (data, column, format, name))]
fn sketches(
    data: &Bound<'_, PyAny>,
    column: Option<String>,
    format: Option<String>,
    name: String,
) -> PyResult<PyArrowType<RecordBatch>> {
    rows_of(data, Reading { column, format, name }, &SKETCHES, |batch| Ok(batch.sketch_rows()))
}

/// Statistics of the records in constant size, as a JSON text.
#[pyfunction]
#[pyo3(signature = (data, column, format, name))]
fn stats(data: &Bound<'_, PyAny>, column: Option<String>, format: Option<String>, name: String) -> PyResult<String> {
    let reading = Reading { column, format, name: name.clone() };
    with_records(data, reading, |batch| Ok(line(&name, batch.summary()?.get())))
}

/// Such texts of parts, as that of the whole.
#[pyfunction]
fn merge(py: Python<'_>, parts: Vec<String>) -> PyResult<String> {
    let merged = py.detach(|| {
        let mut whole = SummaryBuilder::default();
        for text in &parts {
            let line = json::parse(text).map_err(|e| e.message.clone())?;
            whole.merge(text, &line)?;
        }
        whole.line().map(|merged| line("-", merged.get())).map_err(|problem| problem.to_string())
    });
    merged.map_err(PyValueError::new_err)
}

/// Statistics as a line of `obelus stats --json`.
fn line(name: &str, stats: &str) -> String {
    format!("{{\"obelus\":1,\"file\":{},{}", json::quote(name), stats.strip_prefix('{').unwrap_or_default())
}

/// The module.
#[pymodule]
fn _obelus(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for (name, schema) in [("FINDINGS", &FINDINGS), ("RECORDS", &RECORDS), ("SKETCHES", &SKETCHES)] {
        module.add(name, PyArrowType(rows::schema(schema)))?;
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(records, module)?)?;
    module.add_function(wrap_pyfunction!(sketches, module)?)?;
    module.add_function(wrap_pyfunction!(stats, module)?)?;
    module.add_function(wrap_pyfunction!(merge, module)?)
}
