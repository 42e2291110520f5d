//! The instances of a kind side by side.

use super::stage::{input, press, screen, stage};

#[test]
fn differences_alone_can_be_shown() {
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    press(&mut stage, ": type:41 Enter Tab / type:budget Enter I");
    let all = screen(&stage);
    let rows = |text: &str| text.lines().filter(|line| line.contains("≠ ")).count();
    assert!(all.contains("≠ 4") && rows(&all) > 4, "{all}");
    press(&mut stage, "d");
    let some = screen(&stage);
    assert!(some.contains("≠ 4 of "), "{some}");
    assert_eq!(rows(&some), rows(&all), "what differs stays");
    assert!(some.lines().count() == all.lines().count() && some != all);
    press(&mut stage, "d");
    assert_eq!(screen(&stage), all);
}
