//! Cursor and folds by path, for the time between two contents of a file: numbers of nodes belong to one run.

use super::{StatePane, StateRowTarget};
use crate::json::Key;
use crate::model::Identity;
use crate::panes::Open;

/// A row, whatever run it is in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum FoldKey {
    Identity(Identity),
    Value(Identity, Vec<Key>),
}

/// What was not found again yet.
#[derive(Debug, Default)]
pub(super) struct SavedFolds {
    folds: Vec<(FoldKey, bool)>,
    at: Option<FoldKey>,
    /// Size of the run in which it was looked for.
    looked: usize,
}

impl StatePane {
    /// Turns cursor and folds of single values into paths, before the run is exchanged for that of another content.
    pub fn carry(&mut self, open: &Open<'_>) {
        let spot = |place: &StateRowTarget| match place {
            StateRowTarget::Group(_)
            | StateRowTarget::MoreMissing(..)
            | StateRowTarget::Conversation
            | StateRowTarget::Field(..) => None,
            StateRowTarget::Missing(id, path) => Some(FoldKey::Value(open.tree().identity(*id).clone(), path.to_vec())),
            StateRowTarget::Identity(id) => Some(FoldKey::Identity(open.tree().identity(*id).clone())),
            StateRowTarget::Node(node) | StateRowTarget::Gone(node) => {
                let (identity, path) = open.path_of(*node);
                Some(FoldKey::Value(identity, path))
            }
        };
        let found = self.folds.iter().filter_map(|(place, is_open)| Some((spot(place)?, *is_open)));
        self.saved_folds.folds.extend(found);
        self.saved_folds.at = self.at.as_ref().and_then(spot).or(self.saved_folds.at.take());
        self.saved_folds.looked = 0;
        self.folds.retain(|place, _| matches!(place, StateRowTarget::Group(_) | StateRowTarget::Conversation));
        self.at =
            self.at.take().filter(|place| matches!(place, StateRowTarget::Group(_) | StateRowTarget::Conversation));
        self.fold_version += 1;
    }

    /// Finds again what was carried, as far as the run has it by now.
    pub fn find_again(&mut self, open: &Open<'_>) {
        if (self.saved_folds.folds.is_empty() && self.saved_folds.at.is_none())
            || self.saved_folds.looked == open.count()
        {
            return;
        }
        self.saved_folds.looked = open.count();
        let place = |spot: &FoldKey| match spot {
            FoldKey::Identity(identity) => open.tree().find(identity).map(StateRowTarget::Identity),
            FoldKey::Value(identity, path) => {
                let id = open.tree().find(identity)?;
                open.tree().node(id, path).map(StateRowTarget::Node)
            }
        };
        let folds = &mut self.folds;
        self.saved_folds.folds.retain(|(spot, is_open)| match place(spot) {
            // What was folded by hand since then counts more.
            Some(place) => {
                folds.entry(place).or_insert(*is_open);
                false
            }
            None => true,
        });
        if let Some(place) = self.saved_folds.at.as_ref().and_then(place) {
            self.saved_folds.at = None;
            self.at = self.at.take().or(Some(place));
        }
        self.fold_version += 1;
    }
}
