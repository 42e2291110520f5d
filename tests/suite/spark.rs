//! `docs/scale.md` as it stands, in Spark's local mode. Only where it is asked for, since it fetches Spark:
//! `OBELUS_SPARK=1 cargo test --test suite spark -- --ignored --nocapture`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program whose parts are the lines of the page.
const PROGRAM: &str = r#"
import subprocess, sys
from pyspark.sql import SparkSession
obelus, data, parts = sys.argv[1:4]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
lines = spark.sparkContext.textFile(data, int(parts))
findings = lines.pipe(obelus + " check --json --format adp -", checkCode=False)
stats = lines.pipe(obelus + " stats --json --format adp -")
calls = lines.pipe(obelus + " query - '.content[].function // empty'")
whole = subprocess.run([obelus, "stats", "--json", "--merge", "-"], input="\n".join(stats.collect()) + "\n", text=True,
                       stdout=subprocess.PIPE, check=True)
print("PARTITIONS", lines.getNumPartitions())
print("FINDINGS", findings.count())
print("CALLS", calls.count())
print("STATS", whole.stdout.splitlines()[-1])
"#;

fn ran(command: &mut Command) -> Option<Output> {
    command.output().ok().filter(|output| output.status.success())
}

/// A Python that has Spark; fetched into `folder` where none is installed.
fn python(folder: &Path) -> Option<PathBuf> {
    let has_spark = |python: &Path| ran(Command::new(python).args(["-c", "import pyspark"])).is_some();
    let own = PathBuf::from("python3");
    if has_spark(&own) {
        return Some(own);
    }
    ran(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
    let python = folder.join("venv/bin/python");
    ran(Command::new(&python).args(["-m", "pip", "install", "--quiet", "pyspark"]))?;
    Some(python).filter(|python| has_spark(python))
}

#[test]
#[ignore = "fetches Spark; OBELUS_SPARK=1 and --ignored run it"]
fn partitions_give_what_the_whole_gives() {
    if std::env::var_os("OBELUS_SPARK").is_none() {
        println!("skipped: OBELUS_SPARK is not set");
        return;
    }
    if ran(Command::new("java").arg("-version")).is_none() {
        println!("skipped: there is no java");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(python) = python(folder.path()) else {
        println!("skipped: pyspark is not installed and cannot be fetched");
        return;
    };
    let record = |i: usize| {
        format!(
            "{{\"id\":\"{}\",\"content\":[{{\"class_\":\"text_observation\",\"content\":\"task {i}\",\"source\":\"user\"}},\
             {{\"class_\":\"api_action\",\"function\":\"f{}\",\"kwargs\":{{}},\"reward\":0.1}}]}}\n",
            i % 900,
            i % 7
        )
    };
    let data = folder.path().join("data.jsonl");
    fs::write(&data, (0..1000).map(record).collect::<String>()).unwrap();
    let program = folder.path().join("program.py");
    fs::write(&program, PROGRAM).unwrap();
    let obelus = env!("CARGO_BIN_EXE_obelus");
    let output = Command::new(python).arg(&program).args([obelus, data.to_str().unwrap(), "4"]).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    let line = |name: &str| stdout.lines().find_map(|l| l.strip_prefix(name)).unwrap().trim().to_owned();
    assert!(line("PARTITIONS").parse::<usize>().unwrap() >= 4);
    assert_eq!(line("CALLS"), "1000");
    let whole = Command::new(obelus).args(["stats", "--json", "--format", "adp"]).arg(&data).output().unwrap();
    let whole = String::from_utf8(whole.stdout).unwrap();
    let whole = whole.lines().last().unwrap().replace(data.to_str().unwrap(), "-");
    assert_eq!(line("STATS"), whole);
    println!("{stdout}");
}
