//! D13, D14: text and order of a standardized trajectory.

use super::report::{ItemPath, Report};
use crate::json::Value;
use crate::model::StepRole;
use crate::rules::trajectory::{Body, Class, Item, TrajectoryStep, TrajectoryStepKind, Way, is_note, text::is_blank};
use std::fmt::Display;

/// D13: a content longer than this many scalars is the image itself, not a path.
pub(super) const IMAGE_PATH_MAX: usize = 512;

/// D13: an empty trajectory, a blank id.
pub(super) fn check_root(root: &Value<'_>, report: &mut Report) {
    if root.get("content").and_then(Value::as_array).is_some_and(<[_]>::is_empty) {
        report.warning(None, "/content".to_owned(), "adp.empty", "the trajectory has no items");
    }
    if root.get("id").and_then(Value::as_str).is_some_and(is_blank) {
        report.warning(None, "/id".to_owned(), "adp.empty", "the id is blank");
    }
}

/// D13: the texts of one item.
pub(super) fn check_item(entries: &[TrajectoryStep<'_>], step: usize, report: &mut Report) {
    let Some(entry) = entries.get(step) else { return };
    let path = &ItemPath(step);
    report.control_chars(step, path, entry.value, Way::Protocol);
    let Some((item, class)) = entry.known_item() else { return };
    match class {
        Class::ApiAction => check_blank(item, "function", step, path, report),
        // What an agent notes for itself says nothing.
        Class::TextObservation if is_noted(entries, entry) => {}
        Class::CodeAction | Class::MessageAction | Class::TextObservation => {
            check_blank(item, "content", step, path, report);
        }
        Class::ImageObservation => check_image(item, step, path, report),
        Class::WebObservation => check_page(item, step, path, report),
        Class::JsonObservation => {}
    }
    if class.is_action() {
        let spoken = (class == Class::MessageAction).then_some("content");
        for name in spoken.into_iter().chain(["description", "reasoning_content"]) {
            if let Some(field) = item.field(name) {
                report.think_token(step, || format!("{path}/{}", field.key), field.value.as_str());
            }
        }
    }
}

/// Whether an answer is to a call that only notes something.
pub(super) fn is_noted(entries: &[TrajectoryStep<'_>], entry: &TrajectoryStep<'_>) -> bool {
    let mut calls = entry.answered().filter_map(|(asked, place)| entries.get(asked)?.calls.get(place));
    calls.any(|call| is_note(&call.tool))
}

/// D13: a blank text.
fn check_blank(item: &Item<'_>, name: &'static str, step: usize, path: &dyn Display, report: &mut Report) {
    if let Some(field) = item.field(name).filter(|f| f.value.as_str().is_some_and(is_blank)) {
        let is_back = item.class == Some(Class::TextObservation) && item.text("source") != Some("user");
        let message = if is_back {
            "nothing came back: right for a tool that says nothing, else its output was lost".to_owned()
        } else {
            format!("the {name} is blank")
        };
        report.warning(Some(step), format!("{path}/{}", field.key), "adp.empty", message);
    }
}

/// D13: a page without anything to see, and its image.
fn check_page(item: &Item<'_>, step: usize, path: &dyn Display, report: &mut Report) {
    let is_nothing =
        |name| item.field(name).is_none_or(|f| f.value.is_null() || f.value.as_str().is_some_and(is_blank));
    let image = item.field("image_observation").filter(|f| !f.value.is_null());
    if ["html", "axtree", "url"].into_iter().all(is_nothing) && image.is_none() {
        report.warning(Some(step), path.to_string(), "adp.empty", "the page has neither html, axtree, url nor image");
    }
    if let Some(field) = image {
        let image = Item::image(field.value);
        if image.class.is_some() {
            check_image(&image, step, &format!("{path}/image_observation"), report);
        }
    }
}

/// D13: an image that only its maker can open.
fn check_image(item: &Item<'_>, step: usize, path: &dyn Display, report: &mut Report) {
    check_blank(item, "content", step, path, report);
    if item.text("content").is_some_and(is_local_path) {
        let message = "the image is named by a path of one machine; others cannot open it";
        report.warning(Some(step), format!("{path}/content"), "adp.image-path", message);
    }
}

/// D13: `file://`, or an absolute path; not an image that is there itself.
fn is_local_path(content: &str) -> bool {
    if content.chars().nth(IMAGE_PATH_MAX).is_some() {
        return false;
    }
    if content.contains("://") || content.starts_with("data:") {
        return content.starts_with("file://");
    }
    let bytes = content.as_bytes();
    let has_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    content.starts_with(['/', '\\']) || has_drive
}

/// D14: who begins, who ends, who speaks twice.
pub(super) fn check_order(entries: &[TrajectoryStep<'_>], report: &mut Report) {
    if let Some(step) = first_not_user(entries) {
        let message = "the trajectory does not begin with the user";
        report.warning(Some(step), format!("/content/{step}"), "adp.first-not-user", message);
    }
    if let Some(last) =
        entries.last().filter(|e| e.kind == TrajectoryStepKind::Observation && !is_text(e, StepRole::Agent))
    {
        let step = entries.len() - 1;
        let message = format!("the trajectory ends with an observation ({}), not with the agent", last.role.name());
        report.warning(Some(step), format!("/content/{step}"), "adp.last-not-agent", message);
    }
    for (i, pair) in entries.windows(2).enumerate() {
        if pair.iter().all(is_message) || pair.iter().all(is_user_text) {
            let message = "the same speaker twice in a row";
            report.warning(Some(i + 1), format!("/content/{}", i + 1), "adp.consecutive", message);
        }
    }
}

/// D14: the step at which the user should have spoken.
fn first_not_user(entries: &[TrajectoryStep<'_>]) -> Option<usize> {
    let is_world =
        |e: &TrajectoryStep<'_>| e.kind == TrajectoryStepKind::Observation && e.role == StepRole::Environment;
    let Some(step) = entries.iter().position(|e| !is_world(e)) else {
        return (!entries.is_empty()).then_some(0);
    };
    let first = &entries[step];
    let is_user = first.kind == TrajectoryStepKind::Observation && first.role == StepRole::User;
    (!is_user && first.kind != TrajectoryStepKind::Unknown).then_some(step)
}

fn is_text(entry: &TrajectoryStep<'_>, role: StepRole) -> bool {
    entry.known_item().is_some_and(|(_, class)| class == Class::TextObservation) && entry.role == role
}

fn is_message(entry: &TrajectoryStep<'_>) -> bool {
    entry.known_item().is_some_and(|(_, class)| class == Class::MessageAction)
}

fn is_user_text(entry: &TrajectoryStep<'_>) -> bool {
    let Body::Item(item) = &entry.body else { return false };
    is_text(entry, StepRole::User) && item.text("tool_call_id").is_none()
}
