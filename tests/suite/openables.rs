//! Links and images of a step, listed and given to the program of the system.

use super::stage::{notice, on, press, screen, shows};
use obelus::app::{Effect, Job, Msg};
use obelus::ingest;
use obelus::panes::openables::{Openable, openables};
use obelus::panes::reading::Step;
use obelus::source::Input;

/// A PNG of 70 bytes.
const PNG: &str =
    concat!("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIA", "X8jx0gAAAABJRU5ErkJggg==");

/// A session with a link in the words of the user, and an image and a hostile address in a result.
pub(crate) fn session() -> String {
    [
        r#"{"type":"session","id":"s","timestamp":"2026-05-01T10:00:00Z"}"#.to_owned(),
        r#"{"type":"message","message":{"role":"user","content":"As on https://docs.example/a_(b), look."}}"#.to_owned(),
        concat!(
            r#"{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"shot","#,
            r#""arguments":{"of":"page"}}]}}"#
        )
        .to_owned(),
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"c","content":[{{"type":"text","text":"javascript:alert(1) http://x.example/\u202egnp"}},{{"type":"image","data":"{PNG}","mimeType":"image/png"}}]}}}}"#
        ),
        r#"{"type":"message","message":{"role":"assistant","content":"Done."}}"#.to_owned(),
    ]
    .join("\n")
}

#[test]
fn links_and_images_of_a_step_and_its_results_are_listed_and_opened() {
    let mut stage = on(&session(), (100, 30));
    press(&mut stage, "U");
    shows(&stage, &["Links and images · Enter opens one", "link   https://docs.example/a_(b)"]);
    press(&mut stage, "Esc .");
    press(&mut stage, "U");
    shows(&stage, &["link   http://x.example/", "image  image/png  70 B"]);
    assert!(!screen(&stage).contains("javascript"), "{}", screen(&stage));
    press(&mut stage, "p n g");
    let effects = stage.send(Msg::Key("Enter".parse().unwrap()));
    let [Effect::Job(Job::OpenOutside(Openable::Image(image)))] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(image.bytes().unwrap().len(), 70);
    press(&mut stage, "$ U");
    assert_eq!(notice(&stage), "step 3 has no link and no image");
}

#[test]
fn a_step_that_cannot_be_read_is_not_one_without_links() {
    let loaded = ingest::load(Input::memory("x", session()), None).unwrap();
    let shrunk: Vec<u8> = session().into_bytes()[..100].to_vec();
    let run = loaded.run(0).unwrap();
    let problem = openables(run.as_ref(), &shrunk, &Step::of(run.as_ref(), 0)).unwrap_err();
    let mut stage = on(&session(), (100, 30));
    let generation = stage.app.session.generation;
    stage.send(Msg::Openables(generation, 0, Err(problem.clone())));
    assert_eq!(notice(&stage), format!("step 0 cannot be read: {problem}"));
}

#[test]
fn a_list_of_links_fits_a_small_screen() {
    let mut stage = on(&session(), (40, 12));
    press(&mut stage, ". U");
    shows(&stage, &["Links and images", "link   http://x.example/", "image  image/png"]);
}
