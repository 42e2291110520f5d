//! Going to a value of the state whose path was typed.

use crate::app::{App, Notice};
use crate::format::TypedPath;
use crate::state::condition::Expected;

impl App {
    /// Puts the focus on the value, of several instances on the first that has it at this step; the step stays.
    pub(in crate::app) fn go_to_path(&mut self, typed: &str) {
        let found = self.value_at(typed);
        match found {
            Ok((target, message)) => {
                self.remember();
                self.focus_path(target);
                if let Some(message) = message {
                    self.notify(message);
                }
            }
            Err(text) => self.notice = Some(Notice { is_error: true, text }),
        }
    }

    /// The value that a path with an instance after it names, and a message about it.
    fn value_at(&self, typed: &str) -> Result<(crate::panes::watch::WatchTarget, Option<String>), String> {
        let open = self.session.open().ok_or("no trajectory is open")?;
        let Expected { path, instance, .. } = Expected::parse(typed)?;
        let (run, tree, step) = (open.run(), open.tree(), open.step());
        let read = TypedPath::read(run, &path, instance.as_deref(), step).map_err(|problem| problem.to_string())?;
        let places = read.places(tree);
        let stands = |place: &&(_, Vec<_>)| tree.node(place.0, &place.1).and_then(|n| tree.shape(n, step)).is_some();
        let here = places.iter().filter(stands).count();
        let Some((id, keys)) = places.iter().find(stands).or(places.first()) else {
            return Err(read.unknown(run).to_string());
        };
        let identity = tree.identity(*id);
        let name = run.qualified_reference(identity, keys);
        let message = match here {
            0 => {
                let way = self.hint("{write-next} and {write-previous} go to where it is written");
                Some(format!("{name} is not there at step {step}; {way}"))
            }
            1 => None,
            _ => Some(format!("{name}; {} more instances have it: name one, as {path}#…", here - 1)),
        };
        Ok(((identity.clone(), keys.clone()), message))
    }
}
