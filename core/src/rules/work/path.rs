//! W6: paths of files as one spelling each.

/// Most bytes of a path.
const PATH_BYTES_MAX: usize = 4096;

/// What a path on a server of Windows begins with.
const SERVER: &str = "\\\\";

/// The folders that say what a relative path and `~` mean.
#[derive(Debug, Default)]
pub(super) struct Folders {
    /// The first folder known.
    first: Option<String>,
    /// The shell's folder now.
    pub(super) shell: Option<String>,
}

impl Folders {
    /// The log gives the shell's folder.
    pub(super) fn enter(&mut self, folder: &str) {
        self.go_to(self.shell_path(folder));
    }

    /// The shell is in a folder, which is known from where `~` and relative paths begin. A text of more bytes than a
    /// path can have is not a path: relative folders that follow one another without a known one add up.
    pub(super) fn go_to(&mut self, folder: String) {
        if folder.len() > PATH_BYTES_MAX {
            self.shell = None;
            return;
        }
        self.first.get_or_insert_with(|| folder.clone());
        self.shell = Some(folder);
    }

    /// A path that a file tool names.
    pub(super) fn tool_path(&self, path: &str) -> String {
        self.resolve(path, self.first.as_deref())
    }

    /// A path that is in the shell's folder.
    pub(super) fn shell_path(&self, path: &str) -> String {
        self.resolve(path, self.shell.as_deref())
    }

    /// A path in a folder.
    pub(super) fn resolve(&self, path: &str, folder: Option<&str>) -> String {
        let path = path.strip_prefix("file://").map_or(path, without_host);
        // In a folder of Windows a backslash is no part of a name, nor is it before a server.
        let is_of_windows = folder.is_some_and(|folder| drive(folder).is_some()) || path.starts_with(SERVER);
        let path = match drive(path) {
            Some(path) => path,
            None if is_of_windows => path.replace('\\', "/"),
            None => self.without_home(path),
        };
        match folder {
            Some(folder) if !is_absolute(&path) => normal(&format!("{folder}/{path}")),
            _ => normal(&path),
        }
    }

    /// `~` is the home within the first folder known, else it stays.
    fn without_home(&self, path: &str) -> String {
        let home = || home(self.first.as_deref()?);
        match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(rest) => home().map_or_else(|| path.to_owned(), |home| format!("{home}{rest}")),
            None => path.to_owned(),
        }
    }
}

/// The path of a URL: a drive has a slash before it.
fn without_host(path: &str) -> &str {
    path.strip_prefix('/').filter(|path| drive(path).is_some()).unwrap_or(path)
}

/// `C:\x` with slashes.
fn drive(path: &str) -> Option<String> {
    let (bytes, rest) = (path.as_bytes(), path.get(2..)?);
    let is_drive = bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && rest.starts_with(['\\', '/']);
    is_drive.then(|| path.replace('\\', "/"))
}

pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path == "~" || path.starts_with("~/") || drive(path).is_some()
}

fn home(folder: &str) -> Option<&str> {
    let mut parts = folder.split('/');
    let end = match (parts.next()?, parts.next()?) {
        ("", "root") => 5,
        ("", top @ ("home" | "Users")) => top.len() + 2 + parts.next().filter(|name| !name.is_empty())?.len(),
        _ => return None,
    };
    folder.get(..end)
}

/// `.`, `..` and `//` go, as text.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let is_rooted = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_rooted => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if is_rooted { "/" } else { "" }, parts.join("/"))
}

/// The last name of a path.
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w6_paths_of_one_file_become_one_path() {
        let mut folders = Folders::default();
        for (path, expected) in [
            ("a.py", "a.py"),
            ("./x/../y.txt", "y.txt"),
            ("../y", "../y"),
            ("~/a", "~/a"),
            ("file:///w/q/y.txt", "/w/q/y.txt"),
            ("C:\\a\\b.c", "C:/a/b.c"),
            ("/w//lib/./z.txt", "/w/lib/z.txt"),
            ("/../x", "/x"),
            ("/", "/"),
        ] {
            assert_eq!(folders.tool_path(path), expected);
        }
        folders.enter("/home/ann/app");
        folders.enter("../lib");
        assert_eq!(folders.tool_path("a.py"), "/home/ann/app/a.py");
        assert_eq!(folders.shell_path("a.py"), "/home/ann/lib/a.py");
        assert_eq!(folders.tool_path("~/x"), "/home/ann/x");
        assert_eq!(folders.tool_path("~"), "/home/ann");
        assert_eq!(folders.tool_path("~bob/x"), "/home/ann/app/~bob/x");
        assert_eq!(home("/root/x"), Some("/root"));
        let mut folders = Folders::default();
        folders.go_to("a".to_owned());
        folders.go_to(folders.shell_path("b"));
        assert_eq!(folders.shell_path("c"), "a/b/c", "a folder is resolved once");
        let mut windows = Folders::default();
        windows.enter("C:\\app");
        for (path, expected) in [
            ("src\\a.py", "C:/app/src/a.py"),
            ("..\\lib\\a.py", "C:/lib/a.py"),
            ("file:///C:/app/b", "C:/app/b"),
            ("\\\\srv\\share\\c", "/srv/share/c"),
        ] {
            assert_eq!(windows.tool_path(path), expected);
        }
        folders.go_to("x/".repeat(PATH_BYTES_MAX));
        assert_eq!(folders.shell_path("c"), "c");
        assert_eq!(home("/home/"), None);
    }
}
