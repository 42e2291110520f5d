//! Texts cut anywhere, in every framing.

use super::*;
use crate::model::{Record, RecordBody};
use Framing::{Elements, Items, LogText, LogValues, Members, Text, Values};

/// Feeds pieces of this size, end included.
fn framed(text: &[u8], framing: Framing, size: usize) -> Vec<Record> {
    let mut framer = Framer::new(framing);
    let mut index = RecordIndex::default();
    loop {
        let from = framer.position() as usize;
        let piece = &text[from..text.len().min(from + size)];
        if !piece.is_empty() {
            framer.feed(piece, &mut index);
        } else if framer.finish(&mut index) {
            return index.iter().collect();
        }
    }
}

/// Line, text, and `!` before what is broken.
fn describe_records(text: &[u8], records: &[Record]) -> Vec<String> {
    let one = |r: &Record| {
        let span = r.place.span;
        let text = crate::model::lossy(&text[span.offset as usize..span.end() as usize]);
        let sign = if r.body == RecordBody::Text { "" } else { "!" };
        format!("{sign}{} {text}", r.place.line)
    };
    records.iter().map(one).collect()
}

fn check(framing: Framing, text: &str, expected: &[&str]) {
    let whole = framed(text.as_bytes(), framing, usize::MAX >> 1);
    assert_eq!(describe_records(text.as_bytes(), &whole), expected, "{framing:?} {text:?}");
    for size in 1..=9 {
        assert_eq!(framed(text.as_bytes(), framing, size), whole, "{framing:?} {text:?} in pieces of {size}");
    }
}

#[test]
fn a_lone_surrogate_escape_is_text_in_logs_and_a_fault_elsewhere() {
    let array = "[{\"a\":\"\\ud800\"},\n{\"b\":2}]";
    check(Elements, array, &["1 {\"a\":\"\\ud800\"}", "2 {\"b\":2}"]);
    check(LogValues, array, &["1 {\"a\":\"\\ud800\"}", "2 {\"b\":2}"]);
    check(Values, array, &["!1 {\"a\":\"\\ud800\"},\n{\"b\":2}]"]);
    let object = "{\"a\":[\n{\"s\":\"\\udc00\"},\n{}\n]}";
    for framing in [Elements, LogText, LogValues] {
        check(framing, object, &[&format!("1 {object}")]);
    }
    check(Items("a"), object, &["2 {\"s\":\"\\udc00\"}", "3 {}"]);
    check(Text, object, &["1 {\"a\":[", "2 {\"s\":\"\\udc00\"},", "3 {}", "4 ]}"]);
}

#[test]
fn a_text_is_one_record_or_lines() {
    check(Text, "", &[]);
    check(Text, "\u{feff} \r\n\n", &[]);
    for framing in [Text, Elements, Values] {
        check(framing, "\u{feff}", &[]);
    }
    check(Text, "\u{feff}{}\r\n\r\n  \n [1] \r\n7", &["1 {}", "4 [1]", "5 7"]);
    check(Text, "\n {\"a\":\n 1}\n\n", &["2 {\"a\":\n 1}"]);
    check(Text, "[{\"a\":1},\n{\"b\":2}]", &["1 [{\"a\":1},\n{\"b\":2}]"]);
    check(Text, "42", &["1 42"]);
    check(Text, " 42 \n", &["1 42"]);
    check(Text, "{\"a\":1} {\"b\":2}\n{}\n", &["1 {\"a\":1} {\"b\":2}", "2 {}"]);
    check(Text, "{}\n{\"a\n{}", &["1 {}", "2 {\"a", "3 {}"]);
    check(Text, "# words\n{}\n", &["1 # words", "2 {}"]);
    check(Text, "7\n{}", &["1 7", "2 {}"]);
    check(Text, "{\"a\": nul}\n[]\n", &["1 {\"a\": nul}", "2 []"]);
    check(Text, "{\n\"a\":1}\n{}\n", &["1 {", "2 \"a\":1}", "3 {}"]);
}

#[test]
fn a_text_without_a_record_is_one_broken_record() {
    check(Text, "[\n {\n  \"a\": 1\n },\n {\n \"b", &["!1 [\n {\n  \"a\": 1\n },\n {\n \"b"]);
    check(Text, " one\ntwo \n", &["!1 one\ntwo"]);
    check(Text, "7\n8\n", &["!1 7\n8"]);
    check(Text, "{\"a\":1}{\"b\":2}", &["!1 {\"a\":1}{\"b\":2}"]);
    check(Text, "{\"a\":1}\r{\"b\":2}", &["!1 {\"a\":1}\r{\"b\":2}"]);
    check(Text, "\u{feff}\u{feff}x", &["!1 \u{feff}x"]);
    let whole = framed(b"[\n 1,\n nul", Text, 64);
    let RecordBody::Broken(why) = &whole[0].body else { panic!() };
    assert!(why.contains("byte 10"), "{why}");
}

#[test]
fn values_are_elements_or_a_run() {
    check(Values, "", &[]);
    check(Values, " [ ]\n", &[]);
    check(Values, "[{\"a\":1}, 2 ,\n[3]]\n", &["1 {\"a\":1}", "1 2", "2 [3]"]);
    check(Values, "[1]\n[2]", &["1 [1]", "2 [2]"]);
    check(Values, "[1] x\n[2]", &["1 [1]", "!1 x", "2 [2]"]);
    check(Values, "{\n\"a\":1\n}\n{\n\"b\":2}{}", &["1 {\n\"a\":1\n}", "4 {\n\"b\":2}", "5 {}"]);
    check(Values, "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", &["1 {\"a\":1}", "3 {\"b\":2}"]);
    check(Values, "{}\n{\"a\":[\n{\"b\":1}\n", &["1 {}", "!2 {\"a\":[", "3 {\"b\":1}"]);
    check(Values, "{\"a\":NaN}\n ]\n{}", &["!1 {\"a\":NaN}\n ]", "3 {}"]);
    check(Values, "1 true null \"x\"{}12", &["1 1", "1 true", "1 null", "1 \"x\"", "1 {}", "1 12"]);
    check(Values, "{}\n2026-01-01 {\n{}", &["1 {}", "!2 2026-01-01 {", "3 {}"]);
    check(Values, "{} {\"a\":\"\\ud800\"}", &["1 {}", "!1 {\"a\":\"\\ud800\"}"]);
}

#[test]
fn a_fault_ends_an_array_of_values() {
    check(Values, "[{},\n{\"a\":1},\n{\"b\n{}]\n", &["1 {}", "2 {\"a\":1}", "!3 {\"b\n{}]"]);
    check(Values, "[1 2]", &["1 1", "!1 2]"]);
    check(Values, "[1,]\n", &["1 1", "!1 ]"]);
    check(Values, "[{}\n", &["1 {}", "!2 "]);
    check(Values, "[1,23", &["1 1", "1 23", "!1 "]);
    check(Values, "[{},{\"a\":1  \n ", &["1 {}", "!1 {\"a\":1"]);
}

#[test]
fn elements_are_those_of_an_array_or_lines() {
    check(Elements, "[{\"a\":1},\n {\"b\":2}]\n", &["1 {\"a\":1}", "2 {\"b\":2}"]);
    check(Elements, "[1]\n[2]\n", &["1 [1]", "2 [2]"]);
    check(Elements, "{}\n[1]\nx\n", &["1 {}", "2 [1]", "3 x"]);
    check(Elements, "1\n\"a\"\n", &["1 1", "2 \"a\""]);
    check(Elements, "{\n}\n", &["1 {\n}"]);
    check(Elements, "[\n{\"a\":1},\n{\"b\n", &["2 {\"a\":1}", "!3 {\"b"]);
    check(Elements, "[\n{\"a\":1}\n{\"b\":2}\n", &["1 [", "2 {\"a\":1}", "3 {\"b\":2}"]);
    check(Elements, "{\n\"a\":1\n}\n{\n\"b\":[\n]}\nx", &["1 {\n\"a\":1\n}", "4 {\n\"b\":[\n]}", "!7 x"]);
    check(Elements, "[\n1\n]\nx", &["2 1", "!4 x"]);
}

#[test]
fn members_are_those_of_one_object_of_objects_or_values() {
    check(Members, "{\"a\": {\"x\":1},\n\"b\\\"\":{} }\n", &["1 {\"x\":1}", "2 {}"]);
    check(Members, "\u{feff} {\"a\":{}}", &["1 {}"]);
    check(Members, "{\"a\":{},", &["1 {}", "!1 "]);
    check(Members, "{\"a\":{\"x\":1},\n\"b\":{\"y\":", &["1 {\"x\":1}", "!2 {\"y\":"]);
    check(Members, "{\"a\":{},\n\"b\":{\"y\"\n\"c\":{}}\n", &["1 {}", "!2 {\"y\"\n\"c\":{}}"]);
    for text in [
        "",
        "{}",
        "{\"a\":1}",
        "{\"a\":{},\"b\":[{}]}",
        "{\"a\":{}}\n{\"b\":{}}",
        "{\"a\":{}} x",
        "{\"a\":{",
        "{\"a\":{},}",
        "{\"a\" {}}",
        "{a:{}}",
        "[{\"a\":{}},2]\n",
        "[1 2]",
        "7",
    ] {
        let values = framed(text.as_bytes(), Values, usize::MAX >> 1);
        let values = describe_records(text.as_bytes(), &values);
        check(Members, text, &values.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn bytes_that_are_no_text_are_no_obstacle() {
    let bad = b"{\"a\":\"\xff\"}\n\x80\n{}";
    assert_eq!(describe_records(bad, &framed(bad, Text, 5)), ["1 {\"a\":\"\u{fffd}\"}", "2 \u{fffd}", "3 {}"]);
    assert_eq!(describe_records(bad, &framed(bad, Values, 5)), ["!1 {\"a\":\"\u{fffd}\"}\n\u{fffd}", "3 {}"]);
    let holes = [b"{}\n\0{}\n[1".as_slice(), &[0; 600], b"{}\n", &[0; 512]].concat();
    for size in [1, 100, 1000, 5000] {
        let records = framed(&holes, Text, size);
        let lens: Vec<_> = records.iter().map(|r| (r.place.line, r.place.span.len)).collect();
        assert_eq!(lens, [(1, 2), (2, 1), (2, 2), (3, 2), (3, 600), (3, 2), (4, 512)], "{size}");
        let holes = records.iter().filter(|r| r.body != RecordBody::Text).count();
        assert_eq!(holes, 3);
    }
}

#[test]
fn holes_in_a_run_of_values_cost_nobody_a_record() {
    let text = [b"{\"a\":1}\0\0{\"b\":2}\n{\"c\"".as_slice(), &[0; 600], b"{\"d\":4} 5\0\n{\"e\":\n\0"].concat();
    for size in [1, 2, 7, 100, 5000] {
        let records = framed(&text, Values, size);
        let lens: Vec<_> = records.iter().map(|r| (r.place.line, r.place.span.len)).collect();
        let (hole, line) = ([(1, 7), (1, 2), (1, 7)], [(2, 4), (2, 600), (2, 7), (2, 1), (2, 1), (3, 5), (4, 1)]);
        assert_eq!(lens, [&hole[..], &line].concat(), "{size}");
        let broken: Vec<_> = (0..records.len()).filter(|&i| records[i].body != RecordBody::Text).collect();
        assert_eq!(broken, [1, 3, 4, 6, 7, 8, 9], "{size}");
    }
}

#[test]
fn deep_and_long_records_are_framed_in_one_pass() {
    let deep = format!("{{}}\n{}{}\n{{}}\n", "[".repeat(100_000), "]".repeat(100_000));
    for framing in [Text, Elements, Values] {
        let records = framed(deep.as_bytes(), framing, 1 << 16);
        assert_eq!(records.len(), 3, "{framing:?}");
        assert_eq!(records[1].body == RecordBody::Text, framing != Values);
    }
    let open = format!("{{}}\n{}\n{{}}\n", "{\"a\":[\n".repeat(20_000));
    assert_eq!(framed(open.as_bytes(), Values, 1 << 16).len(), 20_002);
    let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(50_000_000));
    for framing in [Text, Elements, Values] {
        assert_eq!(framed(long.as_bytes(), framing, 1 << 20).len(), 2);
    }
}

#[test]
fn values_behind_marks_are_records_and_so_is_the_text_between_them() {
    let marked =
        "Loading\n--JSON Event--\n{\n \"a\": [\n  {}\n ]\n}\n--JSON Event--\n{\"b\":1}\ndone\n--JSON\n\nbye \n";
    let events = ["!1 Loading", "3 {\n \"a\": [\n  {}\n ]\n}", "9 {\"b\":1}", "!10 done\n--JSON\n\nbye"];
    check(Elements, marked, &events);
    check(Elements, "--JSON Event--\r\n{\r\n}\r\n--JSON Event--\r\n{}", &["2 {\r\n}", "5 {}"]);
    let torn = "--JSON Event--\n{\n\"a\": nul,\n}\n--JSON Event--\n[]\n--JSON Event--\n{\n \"b\":";
    check(Elements, torn, &["!2 {\n\"a\": nul,\n}", "6 []", "!8 {\n \"b\":"]);
    check(Elements, "--JSON Event--\n--JSON Event--\nx\n--JSON Ev", &["!3 x\n--JSON Ev"]);
    // Nothing but the format that writes them has such lines.
    check(Text, "--JSON Event--\n{}\n", &["1 --JSON Event--", "2 {}"]);
}

#[test]
fn a_document_may_begin_at_the_end_of_what_its_writer_says_first() {
    check(LogValues, "Exporting: x{\n \"a\": {}\n}\n", &["!1 Exporting: x", "1 {\n \"a\": {}\n}"]);
    check(LogValues, "\u{feff}Exporting: x{ \r\n}\n{}", &["!1 Exporting: x", "1 { \r\n}", "3 {}"]);
    check(LogValues, "Exporting: x\n{\n}\n", &["!1 Exporting: x", "2 {\n}"]);
    check(LogValues, "one\ntwo {\n}\n", &["!1 one\ntwo {\n}"]);
    check(Values, "Exporting: x{\n}\n", &["!1 Exporting: x{\n}"]);
    check(LogValues, "{\n ]\n}\n", &["!1 {\n ]\n}"]);
    check(LogValues, "{ {\n ]\n}\n", &["!1 { ", "!1 {\n ]\n}"]);
}

#[test]
fn what_is_printed_before_a_document_costs_only_itself() {
    for framing in [Elements, LogText] {
        check(
            framing,
            "a warning:\n\n two\n{\n \"a\": [\n  1\n ]\n}\n",
            &["!1 a warning:\n\n two", "4 {\n \"a\": [\n  1\n ]\n}"],
        );
    }
    check(Elements, "words\r\n[\n {\"a\":\n1},\n 2]\n", &["!1 words", "3 {\"a\":\n1}", "5 2"]);
    check(Elements, "words\n[\n {\"a\":\n1},\n {\"b\"", &["!1 words", "3 {\"a\":\n1}", "!5 {\"b\""]);
    check(Elements, "words\n{\n\"a\":\n", &["!1 words", "!2 {\n\"a\":"]);
    check(Elements, "words\n{\"a\":1}\n", &["1 words", "2 {\"a\":1}"]);
    check(Text, "words\n{\n}\n", &["!1 words\n{\n}"]);
}
