//! Pickles as Python writes them, and others.

use super::*;
use crate::json::parse;
use proptest::prelude::*;

fn json(bytes: &[u8]) -> Result<String, String> {
    Pickle::read(bytes).map(|pickle| pickle.json(pickle.root()))
}

#[test]
fn plain_data_comes_out_as_it_is() {
    for (bytes, expect) in [
        // {"a": [1, None, True], ("x", 2): b"\xff"} and more, of protocols 4, 2 and 0.
        (&b"\x80\x04\x95\x1f\0\0\0\0\0\0\0}\x94(\x8c\x01a\x94]\x94(K\x01N\x88e\x8c\x01x\x94K\x02\x86\x94C\x01\xff\x94u."[..],
         r#"{"a":[1,null,true],"[\"x\",2]":{"$bytes":"/w=="}}"#),
        (b"\x80\x02c_codecs\nencode\nq\0X\x02\0\0\0\xc3\xbfq\x01X\x06\0\0\0latin1q\x02\x86q\x03Rq\x04.", r#"{"$bytes":"/w=="}"#),
        (b"(lp0\nI1\naI01\naVtext\np1\naF1.5\nag1\na.", r#"[1,true,"text",1.5,"text"]"#),
        (b"\x80\x02ccollections\ndefaultdict\nc__builtin__\ndict\n\x85RX\x01\0\0\0kJ\xff\xff\xff\xffs.", r#"{"k":-1}"#),
        (b"\x80\x04\x8a\x02\x00\x80G\x3f\xf8\0\0\0\0\0\0\x86.", "[-32768,1.5]"),
        (b"\x80\x04G\x7f\xf8\0\0\0\0\0\0.", "\"NaN\""),
        (b"\x80\x04\x8f(K\x01\x90.", "[1]"),
        (b"I-007\n.", "-7"),
    ] {
        assert_eq!(json(bytes).as_deref(), Ok(expect));
    }
}

#[test]
fn what_python_would_call_is_named_and_not_called() {
    let call = b"\x80\x04cposix\nsystem\n\x8c\x06rm -rf\x85R.";
    assert_eq!(json(call).unwrap(), r#"{"$class":"posix.system","args":["rm -rf"]}"#);
    let uuid = [b"\x80\x02cuuid\nUUID\n)\x81}X\x03\0\0\0int\x8a\x11", &[0xff; 16][..], b"\0sb."].concat();
    assert_eq!(json(&uuid).unwrap(), "\"ffffffff-ffff-ffff-ffff-ffffffffffff\"");
    let object = b"\x80\x04\x8c\x01m\x8c\x01C\x93)\x81}\x8c\x01xK\x01sb.";
    assert_eq!(json(object).unwrap(), r#"{"$class":"m.C","args":[],"state":{"x":1}}"#);
}

#[test]
fn what_cannot_be_read_says_why() {
    for (bytes, why) in [
        (&b""[..], "cut off"),
        (b"\x80\x04K", "cut off"),
        (b"\x80\x04.", "empty"),
        (b"\x80\x04h\x05.", "never kept"),
        (b"\x80\x04t.", "no mark"),
        (b"\x80\x04K\x01K\x02a.", "not a list"),
        (b"\x80\x04K\x01Q.", "not read"),
        (b"Ix\n.", "number"),
    ] {
        assert!(json(bytes).unwrap_err().contains(why), "{bytes:?}: {:?}", json(bytes));
    }
}

#[test]
fn values_that_hold_each_other_stay_small() {
    // A list that holds itself; and one that holds the list before it twice, thirty times over.
    let pickled = json(b"\x80\x04]\x94h\0a.").unwrap();
    assert!(pickled.len() < 1_000 && parse(&pickled).is_ok(), "{pickled}");
    let doubled: Vec<u8> = (0..30_u8).flat_map(|i| [b']', 0x94, b'h', i, b'a', b'h', i, b'a']).collect();
    let text = json(&[b"\x80\x04]\x94K\x01a", &doubled[..], b"."].concat()).unwrap();
    assert!(text.len() < 1 << 20, "{}", text.len());
}

proptest! {
    #[test]
    fn any_program_ends(
        ops in prop::collection::vec(prop::sample::select(b"().0125NKXU]})tlduasecRbq\x80\x81\x85\x86\x88\x8c\x93\x94h".to_vec()), 0..60)
    ) {
        let bytes = [&ops[..], b"."].concat();
        if let Ok(text) = json(&bytes) {
            prop_assert!(parse(&text).is_ok(), "{}", text);
        }
    }
}
