//! Small scripts: one line a step, what it did as events, what holds in the end.

use super::{EventOp, HistoryEvent, IdentityId, Leaf, NodeId, NodeShape, Op, Tree, Write};
use crate::json::{Key, parse};
use crate::model::{HEAD, Identity, StepNo};

fn path_of(text: &str) -> Vec<Key> {
    let key = |part: &str| part.parse().map_or_else(|_| Key::name(part), Key::Index);
    text.split('.').filter(|part| !part.is_empty() && *part != "$").map(key).collect()
}

/// Takes `VALUE` (merges) or `OP PATH,PATH VALUE`; `$` is the root.
fn write(tree: &mut Tree, at: StepNo, author: StepNo, id: IdentityId, line: &str) {
    let ops = ["merge", "set", "assign", "push", "concat", "erase", "slot"];
    let acts = [Op::Merge, Op::Replace, Op::Assign, Op::Push, Op::Concat, Op::Remove, Op::Opaque];
    let mut words = line.splitn(3, ' ');
    let (op, paths, value) =
        match ops.iter().position(|op| words.next() == Some(op) || line.starts_with(&format!("{op} "))) {
            Some(i) => {
                let rest = &line[ops[i].len() + 1..];
                let (paths, value) = rest.split_once(' ').unwrap_or((rest, ""));
                (acts[i], paths, value)
            }
            None => (Op::Merge, "", line),
        };
    let ops: Vec<_> = paths.split(',').filter(|p| !p.is_empty()).map(|p| (path_of(p), op)).collect();
    let value = (!value.is_empty()).then(|| parse(value).unwrap());
    tree.write(&Write { at, author, identity: id, value: value.as_ref(), base: Some(0), ops: &ops });
}

fn run(lines: &[&str]) -> (Tree, IdentityId) {
    let mut tree = Tree::new();
    let id = tree.intern(&Identity::global("k"));
    for (at, line) in (0..).zip(lines) {
        write(&mut tree, at, at, id, line);
    }
    (tree, id)
}

fn dotted(path: &[Key]) -> String {
    if path.is_empty() {
        return "$".to_owned();
    }
    path.iter().map(Key::to_string).collect::<Vec<_>>().join(".")
}

fn describe_events(tree: &Tree, events: &[HistoryEvent]) -> String {
    let one = |e: &HistoryEvent| {
        let sign = match e.op {
            EventOp::Add => '+',
            EventOp::Change => '~',
            EventOp::Same => '=',
            EventOp::Drop => '-',
            EventOp::Reset => '!',
        };
        let value = e.value.as_ref().map_or(String::new(), |v| format!("={}", v.short().unwrap_or("LONG")));
        format!("{sign}{}{value}", dotted(&tree.path(e.node).1))
    };
    events.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn text(tree: &Tree, id: IdentityId, step: StepNo) -> String {
    let root = tree.node(id, &[]);
    root.and_then(|root| tree.text(root, step, &Vec::new())).unwrap_or_default()
}

/// Lines with the events of each, and the text in the end.
fn check(script: &[(&str, &str)], last: &str) {
    let lines: Vec<&str> = script.iter().map(|(line, _)| *line).collect();
    let (tree, id) = run(&lines);
    for (at, (line, events)) in (0..).zip(script) {
        assert_eq!(describe_events(&tree, &tree.events(at)), *events, "step {at}: {line}");
    }
    assert_eq!(text(&tree, id, StepNo::MAX), last);
}

fn blame(tree: &Tree, id: IdentityId, step: StepNo) -> String {
    let one = |l: &Leaf| format!("{}@{}/{}", dotted(&l.path), l.step, l.changed);
    tree.leaves(root(tree, id), step).iter().map(one).collect::<Vec<_>>().join(" ")
}

fn root(tree: &Tree, id: IdentityId) -> NodeId {
    tree.node(id, &[]).unwrap()
}

#[test]
fn objects_merge_and_keep_their_order() {
    check(
        &[
            (r#"{"b":1,"a":{"x":1}}"#, "+b=1 +a.x=1"),
            (r#"{"a":{"y":2,"x":3},"c":null}"#, "+a.y=2 ~a.x=3 +c=null"),
            (r#"{"b":1,"a":{}}"#, "=b=1"),
            (r#"{"d":1,"d":2,"b":5}"#, "+d=2 ~b=5"),
        ],
        r#"{"b":5,"a":{"x":3,"y":2},"c":null,"d":2}"#,
    );
}

#[test]
fn numbers_differ_by_their_text() {
    check(&[("1", "+$=1"), ("1.0", "~$=1.0"), ("1.0", "=$=1.0"), ("\"1.0\"", "~$=\"1.0\"")], "\"1.0\"");
    check(&[(r#""\u0041""#, r#"+$="A""#), (r#""A""#, r#"=$="A""#)], r#""A""#);
}

#[test]
fn arrays_and_scalars_replace() {
    check(
        &[
            ("{\"l\":[1,2,3],\"o\":{\"x\":1,\"y\":[2]}}", "+l.0=1 +l.1=2 +l.2=3 +o.x=1 +o.y.0=2"),
            ("{\"l\":[1,9]}", "-l.2 =l.0=1 ~l.1=9"),
            ("{\"o\":5,\"l\":{\"0\":1}}", "-l.0 -l.1 -o.x -o.y.0 +o=5 +l.0=1"),
            ("{\"o\":{\"x\":1}}", "-o +o.x=1"),
            ("{\"o\":[[],{}]}", "-o.x +o.0=[] +o.1={}"),
            ("{\"o\":[[],[4]]}", "-o.1 =o.0=[] +o.1.0=4"),
        ],
        "{\"l\":{\"0\":1},\"o\":[[],[4]]}",
    );
}

#[test]
fn an_empty_container_is_a_leaf() {
    check(
        &[
            (r#"{"o":{},"l":[]}"#, "+o={} +l=[]"),
            (r#"{"o":{}}"#, "=o={}"),
            (r#"{"o":{"a":1}}"#, "-o +o.a=1"),
            (r#"{"o":{}}"#, ""),
            (r#"{"o":null}"#, "-o.a +o=null"),
            (r#"{"o":{}}"#, "~o={}"),
            (r#"{"l":[1]}"#, "-l +l.0=1"),
            (r#"{"l":[]}"#, "-l.0 +l=[]"),
        ],
        r#"{"o":{},"l":[]}"#,
    );
    check(&[("{}", "+$={}"), (r#"{"a":1}"#, "-$ +a=1"), ("[]", "-a +$=[]")], "[]");
}

#[test]
fn set_brings_its_own_order() {
    check(
        &[
            (r#"{"o":{"a":1,"b":{"x":1},"c":3}}"#, "+o.a=1 +o.b.x=1 +o.c=3"),
            (r#"set o {"o":{"c":3,"a":9,"d":{"e":1}}}"#, "-o.b.x =o.c=3 ~o.a=9 +o.d.e=1"),
            (r#"set o,q {"o":{"a":9,"b":1},"p":{"z":1}}"#, "-o.c -o.d.e =o.a=9 +o.b=1 +p.z=1"),
            (r#"set $ {"p":{"z":1}}"#, "-o.a -o.b =p.z=1"),
        ],
        r#"{"p":{"z":1}}"#,
    );
    let (tree, id) = run(&[r#"{"a":1,"b":2}"#, r#"set $ {"b":2,"a":1}"#, r#"set $ {"b":2,"c":3}"#, r#"{"a":0}"#]);
    let texts: Vec<_> = (0..4).map(|step| text(&tree, id, step)).collect();
    assert_eq!(texts, [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, r#"{"b":2,"c":3}"#, r#"{"b":2,"c":3,"a":0}"#]);
}

#[test]
fn drops_come_first_in_the_old_order() {
    check(
        &[
            (r#"{"a":{"x":1},"b":{"y":1},"c":[1,2]}"#, "+a.x=1 +b.y=1 +c.0=1 +c.1=2"),
            (r#"{"n":1,"c":[3],"b":2,"a":{"x":2},"m":0}"#, "-b.y -c.1 +n=1 ~c.0=3 +b=2 ~a.x=2 +m=0"),
            (r#"set c,a {"c":{"k":{}},"a":{"w":1}}"#, "-a.x -c.0 +c.k={} +a.w=1"),
        ],
        r#"{"a":{"w":1},"b":2,"c":{"k":{}},"n":1,"m":0}"#,
    );
}

#[test]
fn assign_replaces_one_level() {
    check(
        &[
            (r#"{"o":{"a":{"x":1,"y":2},"b":1}}"#, "+o.a.x=1 +o.a.y=2 +o.b=1"),
            (r#"assign o {"o":{"c":0,"a":{"y":2}}}"#, "-o.a.x +o.c=0 =o.a.y=2"),
            (r#"assign o {"o":{}}"#, ""),
            (r#"assign o.b {"o":{"b":{"z":1}}}"#, "-o.b +o.b.z=1"),
            (r#"assign o.b {"o":{"b":7}}"#, "-o.b.z +o.b=7"),
            (r#"assign o.b {"o":{"b":{}}}"#, "~o.b={}"),
        ],
        r#"{"o":{"a":{"y":2},"b":{},"c":0}}"#,
    );
}

#[test]
fn push_and_concat_write_only_what_is_new() {
    check(
        &[
            (r#"push l {"l":1}"#, "+l.0=1"),
            (r#"push l {"l":[2]}"#, "+l.1.0=2"),
            (r#"concat l {"l":[{"a":3},4]}"#, "+l.2.a=3 +l.3=4"),
            (r#"concat l {"l":[]}"#, ""),
            (r#"concat l {"l":"s"}"#, r#"+l.4="s""#),
            (r#"{"l":[0]}"#, "-l.1.0 -l.2.a -l.3 -l.4 ~l.0=0"),
            (r#"push l,m {"l":1,"m":{}}"#, "+l.1=1 +m.0={}"),
            (r#"{"m":null,"o":{"x":1},"e":[]}"#, "-m.0 +m=null +o.x=1 +e=[]"),
            (r#"push m,o,e {"m":1,"o":2,"e":3}"#, "-m -o.x -e +m.0=1 +o.0=2 +e.0=3"),
            (r#"concat z,m {"z":[],"m":[]}"#, "+z=[]"),
            (r#"concat z {"z":[]}"#, "=z=[]"),
            (r#"{"z":null}"#, "~z=null"),
            (r#"concat z,o.0 {"z":[]}"#, "~z=[]"),
        ],
        r#"{"l":[0,1],"m":[1],"o":[2],"e":[3],"z":[]}"#,
    );
    check(&[("[1]", "+0=1"), ("push $ 2", "+1=2"), ("concat $ [3]", "+2=3")], "[1,2,3]");
}

#[test]
fn erase_removes_keys_and_leaves_an_empty_object() {
    check(
        &[
            (r#"{"a":{"b":1},"c":[2],"d":{"x":{"p":1},"y":2}}"#, "+a.b=1 +c.0=2 +d.x.p=1 +d.y=2"),
            ("erase a.b,c,zz,c.0,a.b.q", "-a.b -c.0 +a={}"),
            ("erase d.x,d.y,d.x.p,d.y", "-d.x.p -d.y +d={}"),
            (r#"{"c":1,"a":{"b":2}}"#, "-a +c=1 +a.b=2"),
            ("erase d", "-d"),
            (r#"erase a {"a":9,"new":1}"#, "-a.b"),
            ("erase c.q", ""),
            ("erase c", "-c +$={}"),
            ("erase $", "-$"),
            ("erase $,a", ""),
        ],
        "",
    );
    let set = r#"set o {"o":{"b":1}}"#;
    check(
        &[(r#"{"o":{"a":1,"b":2}}"#, "+o.a=1 +o.b=2"), (set, "-o.a ~o.b=1"), ("erase o.b", "-o.b +o={}")],
        r#"{"o":{}}"#,
    );
    let (tree, id) = run(&[r#"{"a":1,"b":2}"#, "erase a", r#"{"a":3}"#, "erase b", "erase a", r#"{"b":1,"a":1}"#]);
    let texts: Vec<_> = (0..6).map(|step| text(&tree, id, step)).collect();
    assert_eq!(texts, [r#"{"a":1,"b":2}"#, r#"{"b":2}"#, r#"{"b":2,"a":3}"#, r#"{"a":3}"#, "{}", r#"{"b":1,"a":1}"#]);
}

#[test]
fn an_opaque_value_is_one_leaf() {
    check(
        &[
            (r#"slot s,t {"s":{"a":[1]},"t":1}"#, r#"+s={"a":[1]} +t=1"#),
            (r#"slot s {"s":{"a":[1]}}"#, r#"=s={"a":[1]}"#),
            (r#"slot s {"s":{}}"#, "~s={}"),
            (r#"{"s":{}}"#, "=s={}"),
            (r#"{"s":{"b":1}}"#, "-s +s.b=1"),
            (r#"slot s {"s":[1]}"#, "-s.b +s=[1]"),
            (r#"push s {"s":2}"#, "-s +s.0=2"),
        ],
        r#"{"s":[2],"t":1}"#,
    );
}

#[test]
fn blame_gives_the_last_writer_and_the_last_change() {
    let (tree, id) = run(&[r#"{"a":1,"l":[1]}"#, r#"{"a":1}"#, r#"push l {"l":2}"#, r#"{"l":[1,2,3]}"#, r#"{"a":2}"#]);
    assert_eq!(blame(&tree, id, 2), "a@1/0 l.0@0/0 l.1@2/2");
    assert_eq!(blame(&tree, id, 3), "a@1/0 l.0@3/0 l.1@3/2 l.2@3/3");
    assert_eq!(tree.newest(root(&tree, id), 3), Some((3, 3)));
    let a = tree.node(id, &path_of("a")).unwrap();
    assert_eq!(tree.newest(a, 3), Some((1, 0)));
    let old = tree.before(a, 4).unwrap();
    assert_eq!((old.value.short(), old.step), (Some("1"), 1));
    assert!(tree.before(a, 0).is_none() && tree.leaf(root(&tree, id), 4).is_none());
}

#[test]
fn history_is_kept_for_paths_that_are_gone() {
    let (tree, id) = run(&[r#"{"a":{"x":1,"y":2},"b":1}"#, r#"{"a":5}"#, r#"{"b":2}"#, r#"{"a":{"x":1}}"#]);
    let a = tree.node(id, &path_of("a")).unwrap();
    assert_eq!(describe_events(&tree, &tree.history(a, 9)), "+a.x=1 +a.y=2 -a.x -a.y +a=5 -a +a.x=1");
    assert_eq!(describe_events(&tree, &tree.history(a, 0)), "+a.x=1 +a.y=2");
    let next: Vec<_> = [-1, 0, 1, 3].map(|step| tree.neighbour(a, step, true)).into();
    assert_eq!(next, [Some(0), Some(1), Some(3), None]);
    let back: Vec<_> = [4, 3, 1, 0].map(|step| tree.neighbour(a, step, false)).into();
    assert_eq!(back, [Some(3), Some(1), Some(0), None]);
    assert_eq!(tree.activity().collect::<Vec<_>>(), [(0, 3), (1, 3), (2, 1), (3, 2)]);
    let y = tree.node(id, &path_of("a.y")).unwrap();
    assert_eq!((tree.shape(y, 0), tree.shape(y, 1)), (Some(NodeShape::Scalar), None));
}

#[test]
fn rows_of_a_container() {
    let (tree, id) = run(&[r#"{"o":{"k":1},"l":[{},[],"s"]}"#]);
    let rows = |path: &str| {
        let node = tree.node(id, &path_of(path)).unwrap();
        let children = tree.children(node, 0);
        assert_eq!(children.len(), tree.child_count(node, 0));
        children.iter().map(|c| format!("{} {:?}", c.key, c.shape)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(rows(""), "o Object, l Array");
    assert_eq!(rows("l"), "0 EmptyObject, 1 EmptyArray, 2 Scalar");
    assert_eq!(rows("o.k"), "");
    assert!(tree.node(id, &path_of("o.z")).is_none());
}

#[test]
fn long_values_stay_in_the_input() {
    let input = format!("..{{\"a\":\"{}\"}}", "x".repeat(40));
    let mut tree = Tree::new();
    let id = tree.intern(&Identity::global("k"));
    let value = parse(&input[2..]).unwrap();
    for at in 0..2 {
        tree.write(&Write { at, author: at, identity: id, value: Some(&value), base: Some(2), ops: &[] });
    }
    assert_eq!(describe_events(&tree, &tree.history(root(&tree, id), 1)), "+a=LONG =a=LONG");
    let bytes = input.clone().into_bytes();
    assert_eq!(tree.text(root(&tree, id), 1, &bytes).as_deref(), Some(&input[2..]));
    assert_eq!(tree.text(root(&tree, id), 1, &bytes[..9].to_vec()), None);
}

#[test]
fn identities_stand_in_order_of_first_appearance() {
    let mut tree = Tree::new();
    let ids = ["a", "b", "c"].map(|kind| tree.intern(&Identity::global(kind)));
    let [a, b, c] = ids;
    let order = |tree: &Tree, step| -> Vec<u32> { tree.identities(step).iter().map(|v| v.id.0).collect() };
    write(&mut tree, HEAD, HEAD, b, "1");
    tree.touch(0, a);
    write(&mut tree, 1, 1, c, r#"{"x":1,"y":[2]}"#);
    assert_eq!((order(&tree, HEAD), order(&tree, 0), order(&tree, 9)), (vec![1], vec![1, 0], vec![1, 0, 2]));
    assert!(tree.view(a, 0).unwrap().root.is_none() && tree.view(a, HEAD).is_none());
    assert_eq!(tree.view(b, HEAD).unwrap().shape, Some(NodeShape::Scalar));
    tree.drop_identity(2, c, EventOp::Reset);
    tree.drop_identity(2, b, EventOp::Reset);
    write(&mut tree, 2, 2, b, "1");
    assert_eq!(describe_events(&tree, &tree.events(2)), "!$ !x !y.0 +$=1");
    assert_eq!((order(&tree, 1), order(&tree, 2)), (vec![1, 0, 2], vec![0, 1]));
    assert!(tree.view(c, 2).is_none() && tree.view(c, 1).is_some());
    tree.reorder(3, &[b, c]);
    write(&mut tree, 3, 3, c, "{}");
    assert_eq!((order(&tree, 2), order(&tree, 3)), (vec![0, 1], vec![1, 0, 2]));
    write(&mut tree, 4, 4, a, "erase $");
    assert_eq!(order(&tree, 4), [1, 0, 2]);
    assert_eq!(tree.find(&Identity::global("c")), Some(c));
    assert_eq!(tree.identity(c).kind, "c");
}

#[test]
fn two_writes_of_one_step() {
    let (mut tree, id) = run(&[r#"{"a":1,"b":2}"#]);
    write(&mut tree, 1, 1, id, r#"set $ {"a":1,"c":3}"#);
    write(&mut tree, 1, 1, id, r#"set $ {"a":2}"#);
    assert_eq!(describe_events(&tree, &tree.events(1)), "-b =a=1 +c=3 -c ~a=2");
    assert_eq!((text(&tree, id, 0), text(&tree, id, 1)), (r#"{"a":1,"b":2}"#.to_owned(), r#"{"a":2}"#.to_owned()));
}

#[test]
fn members_that_come_and_go_cost_no_more_than_those_that_stay() {
    let (mut tree, id) = run(&[r#"{"first":1,"o":{"x":1,"y":2}}"#]);
    let other = tree.intern(&Identity::global("other"));
    for at in 1..400 {
        write(&mut tree, at, at, id, &format!(r#"{{"k{at}":1,"o":{{"x":{at}}}}}"#));
        write(&mut tree, at, at, id, &format!(r#"set o {{"o":{{"x":1,"z{at}":2}}}}"#));
        write(&mut tree, at, at, other, "1");
        tree.drop_identity(at, other, EventOp::Reset);
        if at > 2 {
            write(&mut tree, at, at, id, &format!("erase k{}", at - 2));
        }
    }
    for at in 3..400 {
        let before = at - 1;
        let object = format!(r#"{{"first":1,"o":{{"x":1,"z{at}":2}},"k{before}":1,"k{at}":1}}"#);
        assert_eq!(text(&tree, id, at), object);
        assert_eq!(tree.identities(at).len(), 1);
    }
    assert!(tree.epochs.longest() < 100 && tree.order.longest() < 100);
}

#[test]
fn another_order_alone_is_adopted_without_an_event() {
    let (mut tree, id) = run(&[r#"{"a":1}"#, r#"{"b":2}"#]);
    let mut built = Tree::new();
    let from = built.intern(&Identity::global("k"));
    write(&mut built, 0, 1, from, r#"{"b":2}"#);
    write(&mut built, 1, 0, from, r#"{"a":1}"#);
    tree.adopt(2, id, &built, from);
    assert_eq!(describe_events(&tree, &tree.events(2)), "");
    assert_eq!(
        (text(&tree, id, 1), text(&tree, id, 2)),
        (r#"{"a":1,"b":2}"#.to_owned(), r#"{"b":2,"a":1}"#.to_owned())
    );
}

#[test]
fn a_rebuilt_identity_is_adopted() {
    let (mut tree, id) = run(&[r#"{"x":1,"o":{"p":1,"q":2},"y":1}"#, r#"{"x":2,"l":[1,2]}"#, r#"{"w":3,"y":1}"#]);
    let mut built = Tree::new();
    built.intern(&Identity::global("other"));
    let from = built.intern(&Identity::global("k"));
    write(&mut built, 0, 0, from, r#"{"y":1,"o":{"q":2,"p":1}}"#);
    write(&mut built, 1, 3, from, r#"{"x":2,"l":[1],"n":[{}],"y":1}"#);
    tree.adopt(3, id, &built, from);
    assert_eq!(describe_events(&tree, &tree.events(3)), "-l.1 -w =y=1 =x=2 =l.0=1 +n.0={}");
    assert_eq!(text(&tree, id, 3), r#"{"y":1,"o":{"q":2,"p":1},"x":2,"l":[1],"n":[{}]}"#);
    assert_eq!(text(&tree, id, 2), r#"{"x":2,"o":{"p":1,"q":2},"y":1,"l":[1,2],"w":3}"#);
    assert_eq!(blame(&tree, id, 3), "y@3/0 o.q@0/0 o.p@0/0 x@3/1 l.0@3/1 n.0@3/3");
    let mut built = Tree::new();
    let from = built.intern(&Identity::global("k"));
    write(&mut built, 0, 0, from, r#"{"x":1,"o":{"q":2,"p":1}}"#);
    write(&mut built, 1, 2, from, r#"{"x":2}"#);
    tree.adopt(4, id, &built, from);
    assert_eq!(describe_events(&tree, &tree.events(4)), "-y -l.0 -n.0");
    assert_eq!(blame(&tree, id, 4), "x@2/1 o.q@0/0 o.p@0/0");
    assert_eq!(tree.newest(root(&tree, id), 3), Some((3, 3)));
    let mut built = Tree::new();
    let from = built.intern(&Identity::global("k"));
    tree.adopt(5, id, &built, from);
    assert_eq!(describe_events(&tree, &tree.events(5)), "-x -o.q -o.p");
    assert!(tree.view(id, 5).is_none());
    built.touch(0, from);
    tree.adopt(6, id, &built, from);
    assert!(tree.view(id, 6).is_some_and(|v| v.root.is_none()));
}

#[test]
fn an_element_with_an_id_keeps_its_author_where_it_moves() {
    let mut tree = Tree::new();
    let id = tree.intern(&Identity::global("state"));
    let lists = [
        r#"[{"id":"a","t":"one"},{"id":"b","t":"two"},{"id":"c","t":"three"}]"#,
        r#"[{"id":"b","t":"two"},{"id":"c","t":"else"},{"id":"d","t":"four"}]"#,
        r#"[{"id":"x","t":"new"},{"id":"b","t":"two"},{"id":"c","t":"else"}]"#,
        r#"[{"id":"x","t":"two"},{"t":"two"},{"id":"b","t":"two"}]"#,
        r#"[{"id":"y","t":"two","content":"","role":"user"},{"id":"z","t":"two"},{"id":"b","t":"two"}]"#,
    ];
    for (at, list) in (0..).zip(lists) {
        let value = parse(list).unwrap();
        let ops = [(Vec::new(), Op::Update)];
        tree.write(&Write { at, author: at, identity: id, value: Some(&value), base: None, ops: &ops });
    }
    let authors = |step: StepNo| -> Vec<StepNo> {
        let author = |index| {
            let text = tree.node(id, &[Key::Index(index), Key::name("t")])?;
            tree.leaf(text, step).map(|leaf| leaf.step)
        };
        (0..3).filter_map(author).collect()
    };
    assert_eq!([0, 1, 2, 3].map(authors), [[0, 0, 0], [0, 1, 1], [2, 0, 1], [3, 0, 0]]);
    assert_eq!(authors(4), [4, 0, 0], "another message is not the one before, though it says the same");
    assert_eq!(text(&tree, id, 2), lists[2], "values are those that were written");
}
