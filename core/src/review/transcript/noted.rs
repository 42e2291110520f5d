//! What the record of a trajectory says of it as a whole, its reward and its task, where the format has a place for it.

use super::{Transcript, TranscriptFormat};
use crate::json;
use crate::model::StepRole;
use crate::review::task_note::{Places, task_member};

impl Transcript {
    /// Says how it came out.
    pub(super) fn keep_reward(&mut self, format: TranscriptFormat) {
        match format {
            TranscriptFormat::Messages => self.reward_whole(),
            TranscriptFormat::Standard | TranscriptFormat::Atif => self.reward_end(),
        }
    }

    /// Where only steps have rewards, that of the run is the reward of the agent's last one.
    fn reward_end(&mut self) {
        if let Some(last) = self.messages.iter_mut().rfind(|message| message.role == StepRole::Agent) {
            last.reward = last.reward.take().or_else(|| self.reward.take());
        }
    }

    /// Where a record says how it came out, the reward of an answer of several is said there.
    fn reward_whole(&mut self) {
        let has_one = self.others.iter().any(|(name, _)| name == "reward");
        if let Some(reward) = self.reward.take().filter(|_| self.label.is_some() && !has_one) {
            self.others.push(("reward".to_owned(), reward));
        }
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
