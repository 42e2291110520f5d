//! The folder that the files of a run are in.

use crate::model::Identity;
use crate::state::Tree;
use std::rc::Rc;

/// Files of a run that are looked at for the folder that all are in.
const FILES_LOOKED_MAX: usize = 4_096;

/// The folder that the files that a run knows are in (`file/PATH`, W5): all, or all but fewer than half, which are in
/// another folder of the root, such as `/tmp`. A run that is read gets files all the time: each is looked at once.
#[derive(Debug)]
pub(super) struct CommonFolder {
    /// Of which content of the input.
    pub(super) generation: u64,
    /// Identities that were looked at.
    pub(super) looked: usize,
    files: usize,
    /// The files by the folder of the root that they are in.
    groups: Vec<Group>,
    /// With its `/`; empty without.
    pub(super) path: Rc<str>,
}

/// The files below one folder of the root, or those whose paths are relative.
#[derive(Debug)]
struct Group {
    root: Box<str>,
    files: usize,
    /// The folder that all of them are in.
    common: Box<str>,
}

impl Default for CommonFolder {
    fn default() -> Self {
        Self { generation: 0, looked: 0, files: 0, groups: Vec::new(), path: Rc::from("") }
    }
}

impl CommonFolder {
    /// Nothing looked at yet.
    pub(super) fn of_generation(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Looks at the identities that came since it last did.
    pub(super) fn look(&mut self, tree: &Tree) {
        while self.looked < tree.identity_count() && self.files < FILES_LOOKED_MAX {
            if let Some(file) = tree.named_identity(self.looked).and_then(file) {
                self.add(file);
            }
            self.looked += 1;
        }
    }

    fn add(&mut self, file: &str) {
        self.files += 1;
        let root = root(file);
        if let Some(group) = self.groups.iter_mut().find(|group| *group.root == *root) {
            group.files += 1;
            group.common = shared(&group.common, file).into();
        } else {
            self.groups.push(Group { root: root.into(), files: 1, common: folder(file).into() });
        }
        // Without its `/`, a path in the root would look like a relative one.
        let has_most = |group: &&Group| group.files * 2 > self.files && *group.common != *"/";
        let common = self.groups.iter().find(has_most).map_or("", |group| &*group.common);
        if *common != *self.path {
            self.path = common.into();
        }
    }
}

fn file(identity: &Identity) -> Option<&str> {
    identity.instance.as_deref().filter(|_| identity.kind == "file")
}

/// The folder of the root that a path is in; empty for a relative one.
fn root(path: &str) -> &str {
    let inside = path.strip_prefix('/').and_then(|path| path.find('/'));
    &path[..inside.map_or(0, |end| end + 1)]
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

/// The folder that a folder and a file have in common.
fn shared<'p>(common: &'p str, path: &str) -> &'p str {
    let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    let same = (0..=same).rev().find(|at| common.is_char_boundary(*at)).unwrap_or(0);
    folder(&common[..same])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&str]) -> String {
        let mut common = CommonFolder::default();
        files.iter().for_each(|file| common.add(file));
        common.path.to_string()
    }

    #[test]
    fn files_have_the_folder_in_common_that_all_are_in() {
        assert_eq!(of(&[]), "");
        assert_eq!(of(&["/w/src/a.rs"]), "/w/src/");
        assert_eq!(of(&["/w/src/a.rs", "/w/src/b/c.rs", "/w/srx"]), "/w/");
        assert_eq!(of(&["/w/é/a", "/w/è/a"]), "/w/");
        assert_eq!(of(&["a", "/w/b"]), "");
        assert_eq!(of(&["/a", "/b"]), "");
        // A file elsewhere does not make the names of the others long.
        assert_eq!(of(&["/w/src/a", "/tmp/b", "/w/src/c"]), "/w/src/");
        assert_eq!(of(&["/w/a", "/x/b"]), "");
        assert_eq!(of(&["src/a", "src/b", "tests/c"]), "", "relative paths stay what they are");
    }
}
