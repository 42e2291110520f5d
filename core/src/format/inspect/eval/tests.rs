//! Archives in memory as the text of a log.

use super::*;

/// An archive in memory; a member that is `None` is damaged.
struct Members(Vec<String>, Vec<Option<&'static str>>);

impl Members {
    fn new(members: &[(&str, Option<&'static str>)]) -> Self {
        Self(members.iter().map(|(name, _)| (*name).to_owned()).collect(), members.iter().map(|(_, t)| *t).collect())
    }
}

impl Archive for Members {
    fn names(&self) -> &[String] {
        &self.0
    }

    fn read(&mut self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem> {
        match self.1[number] {
            Some(text) => text.as_bytes().chunks(7).try_for_each(take),
            None => Err(Problem::unreadable("cut off")),
        }
    }
}

const HEADER: &str = "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\",\n\"dataset\": {}}}";

fn assembled(members: &[(&str, Option<&'static str>)]) -> (String, Result<(), Problem>) {
    let (mut archive, mut text) = (Members::new(members), Vec::new());
    let mut contents = Contents::Archive(&mut archive);
    assert!(Eval.claims(&mut contents));
    let result = Eval.assemble(contents, &mut |piece| {
        text.extend_from_slice(piece);
        Ok(())
    });
    (String::from_utf8(text).unwrap(), result)
}

#[test]
fn a_chunk_begins_at_the_index_that_it_is_named_by() {
    let (text, result) = assembled(&[
        ("header.json", Some(HEADER)),
        ("samples/a_epoch_1/sample.json", Some("{\"id\":\"a\"}")),
        ("samples/a_epoch_1/messages/0.json", Some("[1,2]")),
        ("samples/a_epoch_1/messages/3.json", Some("[4]")),
        ("samples/a_epoch_1/messages/4.json", Some("[5]")),
        ("samples/a_epoch_1/attachments/1.json", Some("[\"b\"]")),
        ("samples/a_epoch_1/events/1000000000000000000.json", Some("[7]")),
    ]);
    assert!(result.is_ok());
    let parts = r#""parts_missing":["samples/a_epoch_1/messages/2.json","samples/a_epoch_1/events/0.json","samples/"#;
    assert!(text.contains(r#""events":[]"#), "what comes after too many has no place: {text}");
    assert!(text.contains(r#""messages":[1,2,null,4,5]"#) && text.contains(r#""attachments":[null,"b"]"#), "{text}");
    assert!(text.contains(parts), "{text}");
}

#[test]
fn samples_come_a_line_each_in_the_order_of_the_summaries() {
    let (text, result) = assembled(&[
        ("_journal/start.json", Some("{}")),
        ("samples/b_epoch_1.json", Some("{\n \"id\": \"b\",\n \"score\": NaN}")),
        ("samples/7_epoch_1.json", Some("{\"id\": 7}")),
        ("samples/../../x_epoch_1.json", Some("{\"id\": \"../../x\"}")),
        ("samples/readme.json", Some("{}")),
        ("summaries.json", Some("[{\"id\":7,\"epoch\":1},{\"id\":\"b\",\"epoch\":1},{\"id\":9,\"epoch\":1}]")),
        ("header.json", Some(HEADER)),
    ]);
    assert_eq!(
        text,
        "{\"version\":2,\"status\":\"success\",\"eval\":{\"task\":\"t\"},\"samples\":[\n{\"id\": 7},\n\
         {  \"id\": \"b\",  \"score\": \"NaN\"},\n{\"id\":\"9\",\"epoch\":1,\"messages\":[],\"part_missing\":\
         {\"part\":\"samples/9_epoch_1.json\",\"why\":\"member `samples/9_epoch_1.json` is missing\"}},\n\
         {\"id\": \"../../x\"}\n]}\n"
    );
    assert!(result.is_ok(), "one that is only listed is a finding");
}

#[test]
fn chunks_of_a_sample_are_joined_in_the_order_of_their_items() {
    let (text, _) = assembled(&[
        ("header.json", Some(HEADER)),
        ("samples/1_epoch_2/messages/2.json", Some("[{\"c\":3},0,0,0,0,0,0,0]")),
        ("samples/1_epoch_2/messages/10.json", Some("[{\"d\":4}]")),
        ("samples/1_epoch_2/messages/0.json", Some("[{\"a\":1}, {\"b\":2}]")),
        ("samples/1_epoch_2/events/0.json", Some("[]")),
        ("samples/1_epoch_2/events/stats.json", Some("{}")),
        ("samples/1_epoch_2/attachments/0.json", Some("[\"x\"]")),
        ("samples/1_epoch_2/metadata.json", Some("{\"m\":1}")),
        ("samples/1_epoch_2/sample.json", Some("{\"id\":1,\"message_refs\":[[0,2]]}")),
    ]);
    let joined = "{\"id\":1,\"message_refs\":[[0,2]],\"messages\":[{\"a\":1}, {\"b\":2},{\"c\":3},0,0,0,0,0,0,0,{\"d\":4}],\"events\":[],\
                  \"events_data\":{\"calls\":[]},\"attachments\":[\"x\"],\"metadata\":{\"m\":1}}";
    assert!(text.contains(joined), "{text}");
}

#[test]
fn a_damaged_member_costs_its_own_sample() {
    let (text, result) = assembled(&[
        ("header.json", Some(HEADER)),
        ("samples/1_epoch_1.json", None),
        ("samples/2_epoch_1.json", Some("{\"id\": 2")),
        ("samples/3_epoch_1.json", Some("{\"id\": 3}")),
    ]);
    let root = json::parse(&text).unwrap();
    let samples = root.get("samples").unwrap().as_array().unwrap();
    assert_eq!(samples.len(), 3);
    assert!(samples[0].get("part_missing").is_some() && samples[1].get("part_missing").is_some());
    assert_eq!(samples[2].text, "{\"id\": 3}");
    assert_eq!(result.unwrap_err().message, "cut off");
}

#[test]
fn a_log_without_samples_is_a_header() {
    let (text, _) = assembled(&[("_journal/start.json", Some("{\"eval\": {\"task\": \"t\"}}"))]);
    assert_eq!(text, "{\"version\":2,\"status\":\"started\",\"eval\":{\"task\":\"t\"},\"samples\":[\n]}\n");
}
