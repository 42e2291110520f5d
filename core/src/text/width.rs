//! Widths, cutting and wrapping, by grapheme.

use super::SafeText;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Cells that the text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// At most `cells` wide; what was cut off shows as `…`.
#[must_use]
pub fn cut(text: &SafeText, cells: usize) -> SafeText {
    if width(text.as_str()) <= cells {
        return text.clone();
    }
    text.map(|s| {
        let (mut out, mut used) = (String::new(), 0);
        for g in s.graphemes(true) {
            let w = width(g);
            if used + w + 1 > cells {
                break;
            }
            out.push_str(g);
            used += w;
        }
        if cells > 0 {
            out.push('…');
        }
        out
    })
}

/// Drops the first `cells` cells: for sideways scrolling. A wide grapheme cut in half becomes a space.
#[must_use]
pub fn cut_start(text: &SafeText, cells: usize) -> SafeText {
    text.map(|s| {
        let (mut out, mut skipped) = (String::new(), 0);
        for g in s.graphemes(true) {
            if skipped >= cells {
                out.push_str(g);
                continue;
            }
            skipped += width(g);
            out.extend(std::iter::repeat_n(' ', skipped.saturating_sub(cells)));
        }
        out
    })
}

/// At most `cells` wide; of a long path the folder it begins with and the name it ends with are kept, what is between
/// shows as `…`.
#[must_use]
pub fn cut_middle(text: &SafeText, cells: usize) -> SafeText {
    let whole = width(text.as_str());
    if whole <= cells || cells < 3 {
        return cut(text, cells);
    }
    let name = text.as_str().rfind('/').map_or(whole, |at| width(&text.as_str()[at..]));
    // The name in full if two fifths are left for the folder.
    let tail = name.min(cells * 3 / 5);
    let end = cut_start(text, whole - tail);
    // Half of a wide character would be a space behind the sign.
    let is_split = !text.as_str().ends_with(end.as_str());
    let end = if is_split { cut_start(text, whole - tail + 1) } else { end };
    cut(&cut(text, cells - tail).join(&end), cells)
}

/// A path at most `cells` wide: the name of the file in full where it fits, of its folders what is left; of a longer
/// name beginning and end, without its folders.
#[must_use]
pub fn cut_path(path: &SafeText, cells: usize) -> SafeText {
    let text = path.as_str();
    let whole = width(text);
    let name = text.rfind('/').map_or(0, |at| width(&text[at..]));
    match name {
        0 => cut_middle(path, cells),
        _ if whole <= cells => path.clone(),
        name if name >= cells => cut_middle(&cut_start(path, whole + 1 - name), cells),
        name => cut(path, cells - name).join(&cut_start(path, whole - name)),
    }
}

/// Exactly `cells` wide: cut, or filled with spaces.
#[must_use]
pub fn pad(text: &SafeText, cells: usize) -> SafeText {
    cut(text, cells).map(|s| {
        let fill = cells.saturating_sub(width(s));
        format!("{s}{}", " ".repeat(fill))
    })
}

/// Wraps one line of text to lines of at most `cells` cells, at spaces behind words where there are some: no line is an
/// indent alone. Byte ranges into `text`.
#[must_use]
pub fn wrap(text: &str, cells: usize) -> Vec<std::ops::Range<usize>> {
    wrap_hanging(text, cells, 0)
}

/// As [`wrap`], where all lines but the first have `hanging` cells less.
#[must_use]
pub fn wrap_hanging(text: &str, cells: usize, hanging: usize) -> Vec<std::ops::Range<usize>> {
    let mut cells = cells.max(1);
    let below = cells.saturating_sub(hanging).max(1);
    let mut out = Vec::new();
    let (mut start, mut used, mut space, mut has_word) = (0, 0, None, false);
    for (at, g) in text.grapheme_indices(true) {
        let w = width(g);
        while used + w > cells && at > start {
            let end = space.filter(|&s| s > start).unwrap_or(at);
            out.push(start..end);
            used = width(&text[end..at]);
            start = end;
            has_word = text[end..at].contains(|c| c != ' ');
            space = None;
            cells = below;
        }
        used += w;
        if g != " " {
            has_word = true;
        } else if has_word {
            space = Some(at + 1);
        }
    }
    out.push(start..text.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_cut_between_its_folder_and_its_name() {
        let cut = |text: &str, cells| cut_middle(&SafeText::of(text), cells).as_str().to_owned();
        assert_eq!(cut("swe-play-trajectories/sample_std.json", 30), "swe-play-traj…/sample_std.json");
        assert_eq!(cut("swe-play-trajectories/sample_std.json", 20), "swe-pla…ple_std.json");
        assert_eq!(cut("runs/a.jsonl", 12), "runs/a.jsonl");
        assert_eq!(cut("数据分析レポート", 9), "数…ート", "no space for half of a character");
        assert_eq!(cut("a-long-name-without-a-folder.json", 12), "a-lo…er.json");
        for cells in 0..40 {
            for text in ["ordner/größe-日本語-日本語.json", "日本/語", "x", ""] {
                assert!(width(&cut(text, cells)) <= cells, "{text} {cells}");
            }
        }
    }

    #[test]
    fn the_name_of_a_file_says_more_than_its_folders() {
        let cut = |text: &str, cells| cut_path(&SafeText::of(text), cells).as_str().to_owned();
        assert_eq!(cut("mnt/c/python/docs/implementation-plan.md", 40), "mnt/c/python/docs/implementation-plan.md");
        assert_eq!(cut("mnt/c/python/docs/implementation-plan.md", 30), "mnt/c/…/implementation-plan.md");
        assert_eq!(cut("mnt/c/python/docs/implementation-plan.md", 24), "…/implementation-plan.md".to_owned());
        assert_eq!(cut("mnt/c/python/docs/implementation-plan.md", 23), "implementation-plan.md");
        assert_eq!(cut("mnt/c/python/docs/implementation-plan.md", 16), "implem…n-plan.md");
        for cells in 0..40 {
            for text in ["ordner/größe-日本語-日本語.json", "日本/語", "x/", "/", "x", ""] {
                assert!(width(&cut(text, cells)) <= cells, "{text} {cells}");
            }
        }
    }

    #[test]
    fn cuts_pads_and_wraps_by_cells() {
        let t = SafeText::of("日本語 text");
        assert_eq!(cut(&t, 5).as_str(), "日本…");
        assert_eq!(cut_start(&t, 3).as_str(), " 語 text");
        assert_eq!(pad(&SafeText::of("ab"), 4).as_str(), "ab  ");
        let s = "one two three";
        let lines: Vec<_> = wrap(s, 8).into_iter().map(|r| &s[r]).collect();
        assert_eq!(lines, ["one two ", "three"]);
        let indented = "        abcdefghij kl";
        let lines: Vec<_> = wrap(indented, 12).into_iter().map(|r| &indented[r]).collect();
        assert_eq!(lines, ["        abcd", "efghij kl"]);
        let long: Vec<_> = wrap("abcdefgh", 3);
        assert_eq!(long, [0..3, 3..6, 6..8]);
    }
}
