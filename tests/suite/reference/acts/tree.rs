//! A value whose leaves know the step that supplied them (A15 to A19, A28, A29).

use super::message::{Data, Method};
use crate::reference::json::{J, Object};
use crate::reference::path::Key;

/// An empty container is a leaf; `Arr` and `Obj` are never empty.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Leaf(J, usize),
    Arr(Vec<Tree>),
    Obj(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn value(&self) -> J {
        match self {
            Self::Leaf(value, _) => value.clone(),
            Self::Arr(all) => J::Arr(all.iter().map(Tree::value).collect()),
            Self::Obj(all) => {
                let members = all.iter().map(|(k, v)| (k.clone(), v.value())).collect();
                J::Obj(Object { members, twice: Vec::new() })
            }
        }
    }

    /// All leaves in document order: path, value, step.
    pub(crate) fn leaves(&self, at: &mut Vec<Key>, out: &mut Vec<(Vec<Key>, J, usize)>) {
        match self {
            Self::Leaf(value, step) => out.push((at.clone(), value.clone(), *step)),
            Self::Arr(all) => {
                for (i, child) in all.iter().enumerate() {
                    at.push(Key::Index(i));
                    child.leaves(at, out);
                    at.pop();
                }
            }
            Self::Obj(all) => {
                for (key, child) in all {
                    at.push(Key::Name(key.clone()));
                    child.leaves(at, out);
                    at.pop();
                }
            }
        }
    }

    pub(crate) fn at(&self, path: &[Key]) -> Option<&Tree> {
        let Some((key, rest)) = path.split_first() else { return Some(self) };
        match (self, key) {
            (Self::Arr(all), Key::Index(i)) => all.get(*i)?.at(rest),
            (Self::Obj(all), Key::Name(name)) => all.iter().find(|(k, _)| k == name)?.1.at(rest),
            _ => None,
        }
    }

    fn is_object(&self) -> bool {
        match self {
            Self::Obj(_) => true,
            Self::Leaf(value, _) => value.obj().is_some(),
            Self::Arr(_) => false,
        }
    }
}

/// What a message does to one identity.
pub(crate) struct Writer<'a> {
    pub(crate) step: usize,
    pub(crate) targets: &'a [Vec<String>],
    pub(crate) method: Method,
    /// Paths of the leaves written, in message order.
    pub(crate) writes: Vec<Vec<Key>>,
    /// Targets where the method met another type (A19).
    pub(crate) misfits: Vec<Vec<Key>>,
}

/// A value as a tree.
pub(crate) fn of(value: &J) -> Tree {
    let mut writer = Writer { step: 0, targets: &[], method: Method::Set, writes: Vec::new(), misfits: Vec::new() };
    writer.build(value, &mut Vec::new())
}

/// Applies a data message to the value of its identity.
pub(crate) fn apply(data: &Data, step: usize, old: Option<Tree>) -> (Option<Tree>, Writer<'_>) {
    let mut writer =
        Writer { step, targets: &data.targets, method: data.method, writes: Vec::new(), misfits: Vec::new() };
    let mut at = Vec::new();
    let new = match (&data.value, data.kind == "error") {
        (Some(value), true) => Some(writer.append(old, std::slice::from_ref(value), &mut at)),
        (None, true) => old,
        (_, false) if data.method == Method::Erase => {
            let mut tree = old;
            for target in &data.targets {
                tree = writer.erase(tree, target, &mut at);
            }
            let held = |path: &Vec<Key>| matches!(tree.as_ref().and_then(|t| t.at(path)), Some(Tree::Leaf(..)));
            writer.writes.retain(held);
            tree
        }
        (Some(value), false) => Some(writer.write(old, value, &mut at)),
        (None, false) => old,
    };
    (new, writer)
}

impl Writer<'_> {
    fn leaf(&mut self, value: J, at: &[Key]) -> Tree {
        self.writes.push(at.to_vec());
        Tree::Leaf(value, self.step)
    }

    fn build(&mut self, value: &J, at: &mut Vec<Key>) -> Tree {
        let mut below = |key: Key, value: &J| {
            at.push(key);
            let tree = self.build(value, at);
            at.pop();
            tree
        };
        match value {
            J::Arr(all) if !all.is_empty() => {
                Tree::Arr(all.iter().enumerate().map(|(i, v)| below(Key::Index(i), v)).collect())
            }
            J::Obj(object) if !object.members.is_empty() => {
                let members = object.members.iter();
                Tree::Obj(members.map(|(k, v)| (k.clone(), below(Key::Name(k.clone()), v))).collect())
            }
            other => self.leaf(other.plain(), at),
        }
    }

    /// Writes key by key into what is an object; `each` writes one member.
    fn members(
        &mut self,
        old: Option<Tree>,
        object: &Object,
        at: &mut Vec<Key>,
        each: fn(&mut Self, Option<Tree>, &J, &mut Vec<Key>) -> Tree,
    ) -> Tree {
        let mut members = match old {
            Some(Tree::Obj(members)) => members,
            _ if object.members.is_empty() => return self.leaf(J::Obj(Object::default()), at),
            _ => Vec::new(),
        };
        for (key, value) in &object.members {
            at.push(Key::Name(key.clone()));
            let place = members.iter().position(|(k, _)| k == key);
            let new = each(self, place.map(|i| members[i].1.clone()), value, at);
            match place {
                Some(i) => members[i].1 = new,
                None => members.push((key.clone(), new)),
            }
            at.pop();
        }
        Tree::Obj(members)
    }

    /// A15, A16; at targets the method (A18).
    fn write(&mut self, old: Option<Tree>, value: &J, at: &mut Vec<Key>) -> Tree {
        let is_here = |target: &Vec<String>| {
            target.len() == at.len() && target.iter().zip(at.iter()).all(|(t, k)| *k == Key::Name(t.clone()))
        };
        if self.targets.iter().any(is_here) {
            return self.at_target(old, value, at);
        }
        match value {
            J::Obj(object) => self.members(old, object, at, Self::write),
            other => self.build(other, at),
        }
    }

    fn merge(&mut self, old: Option<Tree>, value: &J, at: &mut Vec<Key>) -> Tree {
        match value {
            J::Obj(object) => self.members(old, object, at, Self::merge),
            other => self.build(other, at),
        }
    }

    fn replace(&mut self, _old: Option<Tree>, value: &J, at: &mut Vec<Key>) -> Tree {
        self.build(value, at)
    }

    fn at_target(&mut self, old: Option<Tree>, value: &J, at: &mut Vec<Key>) -> Tree {
        let is_nothing = old.as_ref().is_none_or(|old| matches!(old, Tree::Leaf(J::Null, _)));
        if matches!(self.method, Method::Merge | Method::Assign)
            && !is_nothing
            && !old.as_ref().is_some_and(Tree::is_object)
        {
            self.misfits.push(at.clone());
        }
        match (self.method, value) {
            (Method::Merge, _) => self.merge(old, value, at),
            (Method::Assign, J::Obj(object)) => self.members(old, object, at, Self::replace),
            (Method::Push, _) => self.append(old, std::slice::from_ref(value), at),
            (Method::Concat, J::Arr(all)) => self.append(old, all, at),
            (Method::Concat, _) => self.append(old, std::slice::from_ref(value), at),
            _ => self.build(value, at),
        }
    }

    fn append(&mut self, old: Option<Tree>, new: &[J], at: &mut Vec<Key>) -> Tree {
        let mut all = match old {
            Some(Tree::Arr(all)) => all,
            None | Some(Tree::Leaf(J::Null, _)) => Vec::new(),
            Some(Tree::Leaf(J::Arr(_), _)) => Vec::new(),
            Some(_) => {
                self.misfits.push(at.clone());
                Vec::new()
            }
        };
        if all.is_empty() && new.is_empty() {
            return self.leaf(J::Arr(Vec::new()), at);
        }
        for value in new {
            at.push(Key::Index(all.len()));
            let tree = self.build(value, at);
            all.push(tree);
            at.pop();
        }
        Tree::Arr(all)
    }

    fn erase(&mut self, old: Option<Tree>, path: &[String], at: &mut Vec<Key>) -> Option<Tree> {
        let (key, rest) = path.split_first()?;
        let Some(Tree::Obj(mut members)) = old else { return old };
        if let Some(i) = members.iter().position(|(k, _)| k == key) {
            at.push(Key::Name(key.clone()));
            match self.erase(Some(members[i].1.clone()), rest, at) {
                Some(tree) => members[i].1 = tree,
                None => drop(members.remove(i)),
            }
            at.pop();
        }
        Some(if members.is_empty() { self.leaf(J::Obj(Object::default()), at) } else { Tree::Obj(members) })
    }
}
