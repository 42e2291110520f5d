//! What the record of a trajectory says of it as a whole, its reward and its task, where the format has a place for it.

use super::{Transcript, TranscriptFormat};
use crate::json;
use crate::model::StepRole;
use crate::review::chat::Member;
use crate::review::task_note::{Places, task_member};

/// Members by which notes say how a run came out.
const OUTCOMES: [&str; 4] = ["reward", "score", "resolved", "target"];

impl Transcript {
    /// What a conversation notes is noted of the trajectory, and not an object among its notes, where no filter would
    /// find it: unless another member has such a name and says otherwise.
    pub(super) fn spread_notes(&mut self, format: TranscriptFormat) {
        let names: &[&str] = match format {
            TranscriptFormat::Messages => &[],
            TranscriptFormat::Standard => &["details"],
            TranscriptFormat::Atif => &["extra", "details"],
        };
        for name in names {
            let Some(at) = self.others.iter().position(|(other, _)| other == name) else { continue };
            let (_, json) = &self.others[at];
            let Ok(parsed) = json::parse(json) else { continue };
            let Some(notes) = parsed.as_object() else { continue };
            let mut notes: Vec<Member> =
                notes.entries().map(|(name, value)| (name.to_owned(), json::compact(value))).collect();
            let rest = || self.others.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, member)| member);
            notes.retain(|note| !rest().any(|other| other == note));
            if notes.iter().any(|(note, _)| rest().any(|(other, _)| other == note)) {
                continue;
            }
            if notes.iter().any(|(note, _)| OUTCOMES.contains(&note.as_str())) {
                self.noted = None;
            }
            self.others.splice(at..=at, notes);
        }
    }

    /// Says how it came out.
    pub(super) fn keep_reward(&mut self, format: TranscriptFormat) {
        match format {
            TranscriptFormat::Messages => self.reward_whole(),
            // A result is in the step of its call, and has no reward there.
            TranscriptFormat::Atif if self.has_rewarded_result() => self.reward_whole(),
            TranscriptFormat::Standard | TranscriptFormat::Atif => self.reward_end(),
        }
    }

    fn has_rewarded_result(&self) -> bool {
        self.messages.iter().any(|message| message.reward.is_some() && message.result.is_some())
    }

    /// Where only steps have rewards, that of the run is the reward of the agent's last one.
    fn reward_end(&mut self) {
        self.reward = self.reward.take().or_else(|| self.noted.take());
        if let Some(last) = self.messages.iter_mut().rfind(|message| message.role == StepRole::Agent) {
            last.reward = last.reward.take().or_else(|| self.reward.take());
            return;
        }
        let has_outcome = self.others.iter().any(|(name, _)| OUTCOMES.contains(&name.as_str()));
        let reward = self.reward.take().filter(|_| !has_outcome && self.messages.iter().all(|m| m.reward.is_none()));
        self.others.extend(reward.map(|reward| ("reward".to_owned(), reward)));
    }

    /// Where a record says how it came out, so does a member of it: of one of several answers, and where steps have no
    /// place for their rewards the sum of these.
    fn reward_whole(&mut self) {
        let of_answer = self.reward.take().filter(|_| self.label.is_some());
        let rewarded: Vec<f64> =
            self.messages.iter().filter_map(|message| message.reward.as_ref()?.parse().ok()).collect();
        let sum = rewarded.iter().copied().reduce(|sum, reward| sum + reward).filter(|sum| sum.is_finite());
        let has_one = self.others.iter().any(|(name, _)| name == "reward");
        let Some(reward) = of_answer.or_else(|| sum.map(|sum| sum.to_string())).filter(|_| !has_one) else { return };
        self.others.push(("reward".to_owned(), reward));
        // A single one is carried so.
        if rewarded.len() > 1 {
            rewarded.iter().for_each(|_| self.lose("rewards of steps"));
        }
        self.messages.iter_mut().for_each(|message| message.reward = None);
    }

    /// Keeps it an attempt at its task, where that is nothing that is written of it.
    pub(super) fn keep_task(&mut self, format: TranscriptFormat) {
        let places = match format {
            TranscriptFormat::Messages => Places { id: "id", notes: None },
            TranscriptFormat::Standard => Places { id: "id", notes: Some("details") },
            TranscriptFormat::Atif => Places { id: "trajectory_id", notes: Some("extra") },
        };
        let id = json::quote(&self.id);
        let member = self.task.as_ref().and_then(|task| task_member(task, places, Some(&id), &self.others));
        self.others.extend(member);
    }
}
