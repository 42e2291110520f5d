//! What is published and released: the contents of the packages, the archives and what names them.

use super::golden;
use super::tree_files::{files_below, root};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most bytes of the files of a package before they are packed; crates.io takes 10 MB packed.
const PACKAGE_BYTES_MAX: u64 = 6_000_000;
/// A target for archives made of the program that is tested, which says nothing of what it runs on.
const TARGET: &str = "x86_64-unknown-linux-musl";

fn manifest() -> toml::Table {
    fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap()
}

/// The files that `cargo package` takes, below the folder of the package.
fn packaged(package: &str) -> BTreeSet<String> {
    let cargo = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "-p", package])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    String::from_utf8(cargo.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn packages_hold_what_they_are_built_from_and_little_else() {
    for (package, folder) in [("obelus", root().to_owned()), ("obelus-core", root().join("core"))] {
        let listed = packaged(package);
        let sources = files_below(&folder.join("src"));
        for source in &sources {
            let path = source.strip_prefix(&folder).unwrap().display().to_string();
            assert!(listed.contains(&path), "{package} lacks {path}");
            // What a source includes, tests aside, is in the package too.
            let text = fs::read_to_string(source).unwrap_or_default();
            let text = text.split("#[cfg(test)]").next().unwrap().to_owned();
            for part in text.split("include_str!(\"").chain(text.split("include_bytes!(\"")).skip(1) {
                let Some(name) = part.split_once("\")").map(|(name, _)| name).filter(|n| !n.contains('\n')) else {
                    continue;
                };
                let included = source.parent().unwrap().join(name);
                let Ok(included) = included.canonicalize() else { continue };
                let is_test = source.ends_with("tests.rs");
                let path = included.strip_prefix(&folder).map(|path| path.display().to_string());
                assert!(is_test || path.is_ok_and(|path| listed.contains(&path)), "{package} lacks {name}");
            }
        }
        let is_ours = |name: &&String| !name.starts_with(".cargo_vcs") && !name.ends_with(".orig");
        let bytes: u64 =
            listed.iter().filter(is_ours).filter_map(|n| Some(fs::metadata(folder.join(n)).ok()?.len())).sum();
        assert!(bytes < PACKAGE_BYTES_MAX, "{package}: {bytes} bytes");
        let stray: Vec<_> = listed
            .iter()
            .filter(|n| ["tests/", "docs/", "fuzz/", ".ci", ".github", "packaging"].iter().any(|f| n.starts_with(f)))
            .collect();
        assert!(stray.is_empty(), "{package}: {stray:?}");
    }
}

/// Runs one of the scripts of `packaging/`; what it prints.
fn script(name: &str, arguments: &[&Path]) -> Result<String, String> {
    let mut command = Command::new(root().join("packaging").join(name));
    // What is packed is a few bytes; the program that is tested writes its pages.
    command.args(arguments).env("OBELUS", env!("CARGO_BIN_EXE_obelus")).current_dir(root());
    let output = command.output().unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// What the release workflow asks of each program that it built, asked of the one that is tested.
#[cfg(feature = "query")]
#[test]
fn a_program_passes_what_is_asked_of_releases() {
    let program = Path::new(env!("CARGO_BIN_EXE_obelus"));
    assert!(script("smoke", &[program]).unwrap().contains("answers"));
    let folder = tempfile::tempdir().unwrap();
    let silent = stand_in(folder.path());
    fs::set_permissions(&silent, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(script("smoke", &[&silent]).unwrap_err().contains("no features: "), "a program that says nothing");
}

/// A program to pack, smaller than the one that is tested.
fn stand_in(folder: &Path) -> PathBuf {
    let path = folder.join("program");
    fs::write(&path, "#!/bin/sh\n").unwrap();
    path
}

/// The archive, unpacked, is where `cargo binstall` looks, with all that the recipes install.
#[test]
fn archives_are_as_their_recipes_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let program = &stand_in(folder.path());
    let dist = folder.path().join("dist");
    let archive = PathBuf::from(script("archive", &[program, Path::new(TARGET), &dist]).unwrap().trim());
    let again = folder.path().join("again");
    script("archive", &[program, Path::new(TARGET), &again]).unwrap();
    let name = archive.file_name().unwrap();
    assert_eq!(
        fs::read(&archive).unwrap(),
        fs::read(again.join(name)).unwrap(),
        "the same files make the same archive"
    );

    let (manifest, version) = (manifest(), env!("CARGO_PKG_VERSION"));
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let repository = manifest["workspace"]["package"]["repository"].as_str().unwrap();
    let filled = |template: &str| {
        let marks =
            [("repo", repository), ("version", version), ("target", TARGET), ("bin", "obelus"), ("binary-ext", "")];
        marks.iter().fold(template.to_owned(), |text, (mark, value)| text.replace(&format!("{{ {mark} }}"), value))
    };
    let url = filled(binstall["pkg-url"].as_str().unwrap());
    assert_eq!(url.rsplit('/').next(), name.to_str());
    let unpacked = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder.path()).status().unwrap();
    assert!(unpacked.success());
    let there = |path: &str| folder.path().join(path).is_file();
    assert!(there(&filled(binstall["bin-dir"].as_str().unwrap())));

    let missing = script("recipes", &[&dist, &folder.path().join("recipes")]);
    assert!(missing.unwrap_err().contains("aarch64"), "a recipe without its archive is not made");
    let sum = fs::read_to_string(dist.join(format!("{}.sha256", name.display()))).unwrap();
    for target in ["aarch64-unknown-linux-musl", "aarch64-apple-darwin", "x86_64-apple-darwin"] {
        fs::write(dist.join(format!("obelus-{version}-{target}.tar.gz.sha256")), format!("{target}  x\n")).unwrap();
    }
    script("recipes", &[&dist, &folder.path().join("recipes")]).unwrap();
    let sum = sum.split(' ').next().unwrap();
    for recipe in ["obelus.rb", "PKGBUILD"] {
        let text = fs::read_to_string(folder.path().join("recipes").join(recipe)).unwrap();
        assert!(text.contains(sum) && text.contains(version) && !text.contains('@'.to_string().as_str()), "{text}");
        let installed = text
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', ',']))
            .filter(|word| word.starts_with("completions/") || word.starts_with("man/") || word.starts_with("LICENSE"));
        for path in installed {
            let path = format!("obelus-{version}-{TARGET}/{}", path.replace("*.1", "obelus.1"));
            assert!(there(&path), "{recipe} installs {path}");
        }
    }
}

/// A wheel of the program installs it, wherever there is a Python to try it with.
#[test]
fn a_wheel_puts_the_program_on_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let program = &stand_in(folder.path());
    let new_enough = "import sys, tomllib";
    if !Command::new("python3").args(["-c", new_enough]).status().is_ok_and(|status| status.success()) {
        return;
    }
    let wheel = PathBuf::from(script("wheel", &[program, Path::new(TARGET), folder.path()]).unwrap().trim());
    let name = wheel.file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with(&format!("obelus-{}-py3-none-manylinux_2_17_x86_64", env!("CARGO_PKG_VERSION"))),
        "{name}"
    );
    let to = folder.path().join("site");
    let unpacked = Command::new("python3").args(["-m", "zipfile", "-e"]).args([&wheel, &to]).status().unwrap();
    assert!(unpacked.success());
    let scripts = to.join(format!("obelus-{}.data/scripts/obelus", env!("CARGO_PKG_VERSION")));
    assert_eq!(fs::read(scripts).unwrap(), fs::read(program).unwrap());
    let record = fs::read_to_string(to.join(format!("obelus-{}.dist-info/RECORD", env!("CARGO_PKG_VERSION")))).unwrap();
    assert_eq!(record.lines().count(), files_below(&to).len(), "{record}");
}

/// Where pages and recipes name the repository, between two texts.
const REPOSITORY_NAMES: &[(&str, &str, &str)] = &[
    ("docs/ci.md", "  - uses: ", "/.github/actions/check@"),
    ("docs/ci.md", "  - repo: https://github.com/", "\n"),
    ("docs/install.md", " --repo ", "`"),
    ("flake.nix", "# nix run github:", ","),
];
/// Its name while `repository` in `Cargo.toml` is a placeholder.
const PLACEHOLDER: &str = "OWNER/obelus";

/// The owner and name of a repository on GitHub; the placeholder for any other address.
fn repository_name(address: &str) -> &str {
    address.strip_prefix("https://github.com/").map_or(PLACEHOLDER, |name| name.trim_end_matches('/'))
}

/// A page in which the text between each pair, on one line, is the name of the repository.
fn renamed(page: &str, pairs: &[(&str, &str)], name: &str) -> Option<String> {
    pairs.iter().try_fold(page.to_owned(), |page, (before, after)| {
        page.match_indices(before).find_map(|(at, _)| {
            let (head, rest) = page.split_at(at + before.len());
            let end = rest.find(after).filter(|end| !rest[..*end].contains('\n'))?;
            Some(format!("{head}{name}{}", &rest[end..]))
        })
    })
}

/// `repository` in `Cargo.toml` is the one place to change; `OBELUS_BLESS=1` makes the others follow.
#[test]
fn the_address_of_the_repository_stands_in_one_place() {
    let manifest = manifest();
    let address = manifest["workspace"]["package"]["repository"].as_str().unwrap();
    let name = repository_name(address);
    let files: BTreeSet<&str> = REPOSITORY_NAMES.iter().map(|(file, ..)| *file).collect();
    for file in files {
        let page = fs::read_to_string(root().join(file)).unwrap();
        let pairs: Vec<_> = REPOSITORY_NAMES
            .iter()
            .filter(|(of, ..)| *of == file)
            .map(|(_, before, after)| (*before, *after))
            .collect();
        let made = renamed(&page, &pairs, name).unwrap_or_else(|| panic!("{file} does not name the repository"));
        let fault = golden::equal(&root().join(file), &made);
        assert!(fault.is_none(), "{}", fault.unwrap_or_default());
        // No other line names it.
        let placeholders = made.matches(PLACEHOLDER).count();
        assert_eq!(placeholders, if name == PLACEHOLDER { pairs.len() } else { 0 }, "{file}");
    }
    let folders = ["docs", "packaging", ".github", "python/src", "python/python", "src", "core/src"];
    let mut texts: Vec<PathBuf> = folders.iter().flat_map(|folder| files_below(&root().join(folder))).collect();
    let top = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    texts.extend(top.filter(|path| path.file_name().is_some_and(|file| file != "Cargo.toml")));
    for path in texts {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let is_listed = REPOSITORY_NAMES.iter().any(|(file, ..)| path.ends_with(file));
        assert!(is_listed || !text.contains(PLACEHOLDER), "{} names the repository", path.display());
        assert!(!text.contains("obelus.example"), "{} names the repository", path.display());
    }
}

#[test]
fn a_new_address_reaches_the_pages() {
    assert_eq!(repository_name("https://github.com/them/obelus"), "them/obelus");
    assert_eq!(repository_name("https://obelus.example/obelus"), PLACEHOLDER);
    let page = "  - uses: actions/checkout@v4\n  - uses: OWNER/obelus/.github/actions/check@main\n";
    let pair = &REPOSITORY_NAMES[0];
    let made = renamed(page, &[(pair.1, pair.2)], "them/obelus").unwrap();
    assert_eq!(made, "  - uses: actions/checkout@v4\n  - uses: them/obelus/.github/actions/check@main\n");
    assert_eq!(renamed("nothing", &[(pair.1, pair.2)], "them/obelus"), None);
}

/// The Python package has a lock file of its own, which `--locked` takes as it is.
#[test]
fn the_lock_file_of_the_python_package_knows_the_dependencies_of_the_core() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap().parse::<toml::Table>().unwrap();
    let (core, lock) = (read("core/Cargo.toml"), read("python/Cargo.lock"));
    let packages = lock["package"].as_array().unwrap();
    let locked = packages.iter().find(|package| package["name"].as_str() == Some("obelus-core")).unwrap();
    let names: BTreeSet<&str> = locked["dependencies"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
    for name in core["dependencies"].as_table().unwrap().keys() {
        assert!(names.contains(name.as_str()), "python/Cargo.lock lacks {name}: run cargo metadata in python/");
    }
}
