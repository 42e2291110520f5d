//! Choosing slots to merge.

use crate::app::App;

impl App {
    /// Chooses the slot under the cursor for the Merge tab, or no longer.
    pub(in crate::app) fn toggle_merged_slot(&mut self) {
        if !self.session.format.merges() {
            return self.notify("values of this format do not merge by their types");
        }
        let under_cursor = self.session.open().and_then(|open| self.state.move_by(&open, 0));
        let Some((identity, _)) = under_cursor else {
            return self.notify("no slot under the cursor");
        };
        let chosen = &mut self.state.chosen;
        let is_new = chosen.insert(identity.kind.clone());
        if !is_new {
            chosen.remove(&identity.kind);
        }
        let verb = if is_new { "chosen to merge" } else { "no longer chosen" };
        let others = match (chosen.len(), is_new) {
            (0, _) => "none is: all that merge are merged".to_owned(),
            (1, true) => "choose another one".to_owned(),
            (n, _) => format!("{n} slots in all"),
        };
        let shows = self.hint("{tab-merge} shows the merged value");
        self.notify(format!("{} is {verb}; {others}; {shows}", identity.kind));
    }
}
