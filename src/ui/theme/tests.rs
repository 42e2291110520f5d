//! Themes are complete, readable on their background, and say what is wrong with a broken file.

use super::*;
use crate::ui::colour::{Rgb, rgb};

/// Roles that are lines or paint only a background.
const NO_TEXT: [Role; 1] = [Role::Border];

/// A palette of a terminal: its own 16 colours by number.
type Palette = [u32; 16];

/// Palettes that terminals ship: name, background and foreground, colours.
const SHIPPED_DARK: [(&str, u32, u32, Palette); 5] = [
    ("xterm", 0x000000, 0xe5e5e5, XTERM),
    ("Tango", 0x000000, 0xd3d7cf, TANGO),
    ("Visual Studio Code", 0x1e1e1e, 0xcccccc, VSCODE),
    ("GNOME", 0x171421, 0xd0cfcc, GNOME),
    ("Campbell", 0x0c0c0c, 0xcccccc, CAMPBELL),
];
const SHIPPED_LIGHT: [(&str, u32, u32, Palette); 4] = [
    ("xterm", 0xffffff, 0x000000, XTERM),
    ("Tango", 0xffffff, 0x2e3436, TANGO),
    ("GNOME", 0xffffff, 0x171421, GNOME),
    ("Visual Studio Code", 0xffffff, 0x333333, VSCODE),
];
/// Palettes that people choose; some have less contrast than 4.5:1 by their own design.
const CHOSEN: [(&str, u32, u32, Palette); 3] = [
    ("Solarized dark", 0x002b36, 0x839496, SOLARIZED),
    ("One Half dark", 0x282c34, 0xdcdfe4, ONE_HALF),
    ("Gruvbox dark", 0x282828, 0xebdbb2, GRUVBOX),
];

#[rustfmt::skip]
const XTERM: Palette = [0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff];
#[rustfmt::skip]
const TANGO: Palette = [0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf,
    0x555753, 0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec];
#[rustfmt::skip]
const VSCODE: Palette = [0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
    0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5];
#[rustfmt::skip]
const GNOME: Palette = [0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc,
    0x5e5c64, 0xf66151, 0x33d17a, 0xe9ad0c, 0x2a7bde, 0xc061cb, 0x33c7de, 0xffffff];
#[rustfmt::skip]
const CAMPBELL: Palette = [0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
    0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2];
#[rustfmt::skip]
const SOLARIZED: Palette = [0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5,
    0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3];
#[rustfmt::skip]
const ONE_HALF: Palette = [0x282c34, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xdcdfe4,
    0x5d677a, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xdcdfe4];
#[rustfmt::skip]
const GRUVBOX: Palette = [0x282828, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a, 0xa89984,
    0x928374, 0xfb4934, 0xb8bb26, 0xfabd2f, 0x83a598, 0xd3869b, 0x8ec07c, 0xebdbb2];

fn luminance(colour: Rgb) -> f64 {
    let part = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(colour.0) + 0.7152 * part(colour.1) + 0.0722 * part(colour.2)
}

/// Contrast as WCAG 2 defines it, 1 to 21.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn split(hex: u32) -> Rgb {
    let [_, r, g, b] = hex.to_be_bytes();
    (r, g, b)
}

/// What a colour looks like under a palette.
fn look(colour: Option<Color>, palette: &Palette, default: u32) -> Rgb {
    let Some(colour) = colour.filter(|c| *c != Color::Reset) else { return split(default) };
    match (0..16).find(|n| crate::ui::colour::rgb(Color::Indexed(*n)) == rgb(colour)) {
        Some(n) => split(palette[usize::from(n)]),
        None => rgb(colour).unwrap(),
    }
}

/// The backgrounds on which text of a role is: its own, or the theme's and those of rows with a shade.
fn grounds(theme: &Theme, role: Role) -> Vec<Option<Color>> {
    let background = theme.style(role).bg;
    if background.is_some() && role != Role::Text {
        return vec![background];
    }
    [Role::Text, Role::Cursor, Role::Selected, Role::Bar].iter().map(|r| theme.style(*r).bg).collect()
}

fn check_true_colours(theme: &Theme, least: f64) {
    let text = theme.style(Role::Text);
    for (role, name) in Role::ALL.iter().filter(|(role, _)| !NO_TEXT.contains(role)) {
        let fg = rgb(theme.style(*role).fg.or(text.fg).unwrap()).unwrap();
        for ground in grounds(theme, *role) {
            let found = contrast(fg, rgb(ground.unwrap()).unwrap());
            assert!(found >= least, "{}: `{name}` has {found:.2}:1 on {ground:?}", theme.name());
        }
    }
    let border = contrast(rgb(theme.style(Role::Border).fg.unwrap()).unwrap(), rgb(text.bg.unwrap()).unwrap());
    assert!(border >= 3.0 || least < 4.5, "{}: border {border:.2}:1", theme.name());
}

#[test]
fn roles_are_numbered_as_they_are_listed() {
    for (at, (role, _)) in Role::ALL.iter().enumerate() {
        assert_eq!(*role as usize, at);
    }
}

#[test]
fn built_in_themes_have_every_role_and_no_other() {
    for (name, text) in BUILT_IN {
        let (theme, missing) = Parser { text, colours: Vec::new() }.theme("?").unwrap();
        assert_eq!(theme.name(), name);
        assert_eq!(missing, []);
        assert_eq!(Theme::parse("?", text).unwrap(), Theme::built_in(name).unwrap());
    }
    assert_eq!(Theme::names().next(), Some("ansi"));
    assert_eq!(Theme::built_in("none"), None);
}

#[test]
fn true_colours_have_contrast() {
    for name in ["dark", "light", "colour-blind"] {
        let theme = Theme::built_in(name).unwrap();
        check_true_colours(&theme, 4.5);
        check_true_colours(&theme.to_256(), 4.2);
    }
    let theme = Theme::built_in("high-contrast").unwrap();
    check_true_colours(&theme, 7.0);
    check_true_colours(&theme.to_256(), 4.5);
}

fn check_palettes(theme: &Theme, palettes: &[(&str, u32, u32, Palette)], least: f64, least_shaded: f64) {
    for (palette_name, ground, ink, palette) in palettes {
        for (role, name) in Role::ALL.iter().filter(|(role, _)| !NO_TEXT.contains(role)) {
            let fg = look(theme.style(*role).fg, palette, *ink);
            for (at, bg) in grounds(theme, *role).into_iter().enumerate() {
                let found = contrast(fg, look(bg, palette, *ground));
                let least = if at == 0 { least } else { least_shaded };
                assert!(found >= least, "{palette_name}: `{name}` has {found:.2}:1 on {bg:?}");
            }
        }
    }
}

#[test]
fn ansi_has_contrast_on_common_palettes() {
    let theme = Theme::built_in("ansi").unwrap();
    check_palettes(&theme.clone().on(Background::Dark), &SHIPPED_DARK, 4.5, 3.0);
    check_palettes(&theme.clone().on(Background::Light), &SHIPPED_LIGHT, 4.5, 4.3);
    check_palettes(&theme.on(Background::Dark), &CHOSEN, 3.0, 2.8);
}

#[test]
fn ansi_paints_no_background_of_its_own() {
    for background in [Background::Dark, Background::Light, Background::Any] {
        let text = Theme::built_in("ansi").unwrap().on(background).style(Role::Text);
        assert_eq!((text.fg, text.bg), (None, None));
    }
}

/// How a colour looks to eyes without green cones (Machado 2009, full severity; weights on linear light).
fn without_green(colour: Rgb) -> [f64; 3] {
    let linear = [colour.0, colour.1, colour.2].map(|c| (f64::from(c) / 255.0).powf(2.2));
    [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
        .map(|row| row.iter().zip(linear).map(|(weight, c)| weight * c).sum::<f64>().max(0.0).powf(1.0 / 2.2))
}

#[test]
fn changes_stay_apart_without_green_cones() {
    let theme = Theme::built_in("colour-blind").unwrap();
    let seen = [Role::Added, Role::Changed, Role::Removed, Role::Text]
        .map(|role| without_green(rgb(theme.style(role).fg.unwrap()).unwrap()));
    for (i, a) in seen.iter().enumerate() {
        for b in &seen[i + 1..] {
            let apart = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            assert!(apart > 0.2, "{a:?} and {b:?} look alike: {apart:.2}");
        }
    }
}

#[test]
fn styles_are_lines_or_tables() {
    let file = "background = 'light'\n[colours]\nsea = '#0a7ea4'\n[roles]\n\
        text = { fg = 'sea', bg = '231', bold = true, dim = false }\nerror = 'light-red underline on black'\n";
    let theme = Theme::parse("mine", file).unwrap();
    assert_eq!((theme.name(), theme.background()), ("mine", Background::Light));
    let sea = Color::Rgb(0x0a, 0x7e, 0xa4);
    assert_eq!(theme.style(Role::Text), Style::new().fg(sea).bg(Color::Indexed(231)).add_modifier(Modifier::BOLD));
    let error = Style::new().fg(Color::LightRed).bg(Color::Black).add_modifier(Modifier::UNDERLINED);
    assert_eq!(theme.style(Role::Error), error);
    let light = Theme::built_in("light").unwrap();
    assert_eq!(theme.style(Role::Added), light.style(Role::Added), "a missing role comes from the built-in theme");
}

#[test]
fn a_broken_file_says_line_and_reason() {
    for (file, expect) in [
        ("name = 'x'\n[roles\n", "line 2: "),
        ("[roles]\ntext = 'red'\nremovd = 'red'", "line 3: unknown role `removd`; did you mean `removed`?"),
        ("[roles]\ntext = 'redd bold'", "line 2: `redd` is not a colour; "),
        ("[roles]\ntext = 'red on'", "line 2: `on` must be followed by a colour"),
        ("[roles]\ntext = 'red blue'", "line 2: `blue`: the colour is already given"),
        ("[roles]\ntext = 7", "line 2: a style is a string or a table"),
        ("[roles]\ntext = { fgg = 'red' }", "line 2: unknown part of a style `fgg`; did you mean `fg`?"),
        ("[roles]\ntext = { bold = 'yes' }", "line 2: `bold` is true or false"),
        ("roles = 'dark'", "line 1: this must be a table"),
        ("background = 'drak'", "line 1: unknown background `drak`; did you mean `dark`?"),
        ("rolls = 1", "line 1: unknown key `rolls`; did you mean `roles`?"),
        ("fg = 1", "line 1: unknown key `fg`; there are name, background, colours, roles, dark, light"),
        ("name = 1", "line 1: this must be a string"),
        ("\n\n[colours]\na = '#12'", "line 4: `#12` is not a colour; "),
    ] {
        let error = Theme::parse("x", file).unwrap_err();
        assert!(error.starts_with(expect), "{file:?} gave {error:?}");
    }
}

#[test]
fn without_colour_nothing_is_coloured_and_rows_still_stand_out() {
    for name in Theme::names() {
        let theme = Theme::built_in(name).unwrap().without_colour().on(Background::Dark);
        for (role, _) in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None));
        }
        let plain = theme.style(Role::Text);
        for role in [Role::Cursor, Role::Selected, Role::Match, Role::Added, Role::Changed, Role::Removed, Role::Error]
        {
            assert_ne!(theme.style(role), plain, "{name}: {role:?}");
        }
    }
}

#[test]
fn with_256_colours_no_true_colour_is_left() {
    let theme = Theme::built_in("dark").unwrap().to_256();
    for (role, _) in Role::ALL {
        let style = theme.style(*role);
        assert!(![style.fg, style.bg].iter().any(|c| matches!(c, Some(Color::Rgb(..)))), "{role:?}");
    }
}
