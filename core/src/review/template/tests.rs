//! Templates as the files of a tokenizer have them. What they render is compared with Python's Jinja in
//! `tests/templates`.

use super::*;
use crate::rules::trajectory::Way;

const TALK: &str = r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yo"}]}"#;
const TOOLS: &str =
    r#"{"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}"#;

fn rendered(template: &Template, record: &str) -> Result<String, String> {
    let conversation = Conversation::of(&json::parse(record).unwrap(), Way::Formats).unwrap();
    template.render(&conversation, usize::MAX, false).map(|out| out.text).map_err(|fault| fault.to_string())
}

fn of(files: &TemplateFiles, name: Option<&str>, settings: &[&str]) -> Result<Template, String> {
    let settings: Vec<Setting> = settings.iter().map(|text| Setting::parse(text).unwrap()).collect();
    let source = files.source(name).map_err(|fault| fault.to_string())?;
    Template::new("t", &source.with(&settings)).map_err(|fault| fault.to_string())
}

fn text(words: &str) -> Option<String> {
    Some(words.to_owned())
}

#[test]
fn tokens_are_those_of_the_files_and_never_assumed() {
    let jinja = text("{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ image_token }}{{ additional_special_tokens }}");
    let config =
        text(r#"{"bos_token":{"content":"<b>"},"eos_token":null,"extra_special_tokens":{"image_token":"<i>"}}"#);
    let tokens = text(r#"{"bos_token":"<B>","eos_token":"<E>","additional_special_tokens":["<x>",{"content":"<y>"}]}"#);
    let alone = TemplateFiles { file: jinja.clone(), ..TemplateFiles::default() };
    assert_eq!(rendered(&of(&alone, None, &[]).unwrap(), TALK).unwrap(), "");
    assert_eq!(alone.source(None).unwrap().unknown_tokens(), ["bos_token", "eos_token"]);
    let files = TemplateFiles { file: jinja, config, tokens, ..TemplateFiles::default() };
    assert_eq!(rendered(&of(&files, None, &[]).unwrap(), TALK).unwrap(), "<b><E><i>['<x>', '<y>']");
    assert!(files.source(None).unwrap().unknown_tokens().is_empty());
    assert_eq!(rendered(&of(&files, None, &["bos_token=!"]).unwrap(), TALK).unwrap(), "!<E><i>['<x>', '<y>']");
}

#[test]
fn a_template_stands_in_a_configuration_or_beside_it() {
    let config = text(r#"{"chat_template":"in","bos_token":"<b>"}"#);
    let beside = text("beside{{ bos_token }}");
    let is = |files: &TemplateFiles| rendered(&of(files, None, &[]).unwrap(), TALK).unwrap();
    // A folder, a tokenizer_config.json, another file of JSON.
    let mut files = TemplateFiles { config: config.clone(), jinja: beside.clone(), ..TemplateFiles::default() };
    assert_eq!(is(&files), "beside<b>");
    files.file.clone_from(&config);
    files.is_config = true;
    assert_eq!(is(&files), "beside<b>");
    files.is_config = false;
    assert_eq!(is(&files), "in");
    files.jinja = None;
    assert_eq!(is(&files), "in");
    files.file = text("{}");
    files.jinja = beside;
    assert_eq!(is(&files), "beside<b>");
    let none = TemplateFiles { file: text("{}"), ..TemplateFiles::default() };
    assert!(of(&none, None, &[]).unwrap_err().contains("chat_template"));
    let odd = TemplateFiles { file: text(r#"{"chat_template":[{"name":1}]}"#), ..TemplateFiles::default() };
    assert!(of(&odd, None, &[]).unwrap_err().contains("neither a text nor a list"));
}

#[test]
fn of_a_list_of_templates_the_tools_or_the_name_choose() {
    let list = r#"{"chat_template":[{"name":"default","template":"d"},{"name":"tool_use","template":"t"},
        {"name":"rag","template":"r{{ documents[0].text }}"}]}"#;
    let files = TemplateFiles { file: text(list), ..TemplateFiles::default() };
    let template = of(&files, None, &[]).unwrap();
    assert_eq!([rendered(&template, TALK).unwrap(), rendered(&template, TOOLS).unwrap()], ["d", "t"]);
    let set = of(&files, None, &[r#"tools=[{"name":"f"}]"#]).unwrap();
    assert_eq!(rendered(&set, TALK).unwrap(), "t");
    let rag = of(&files, Some("rag"), &[r#"documents=[{"text":"x"}]"#]).unwrap();
    assert_eq!([rendered(&rag, TALK).unwrap(), rendered(&rag, TOOLS).unwrap()], ["rx", "rx"]);
    assert!(of(&files, Some("none"), &[]).unwrap_err().contains("it has default, tool_use, rag"));
    let other = r#"{"chat_template":[{"name":"a","template":"a"},{"name":"b","template":"b"}]}"#;
    let other = of(&TemplateFiles { file: text(other), ..TemplateFiles::default() }, None, &[]).unwrap();
    assert!(rendered(&other, TALK).unwrap_err().contains("name one as FILE#NAME"));
    let more = vec![("rag".to_owned(), "more".to_owned())];
    let folder = TemplateFiles { jinja: text("d"), additional: more, ..TemplateFiles::default() };
    assert_eq!(rendered(&of(&folder, None, &[]).unwrap(), TALK).unwrap(), "d");
    assert_eq!(rendered(&of(&folder, Some("rag"), &[]).unwrap(), TALK).unwrap(), "more");
}

#[test]
fn settings_reach_the_named_templates() {
    let set = |text: &str| Template::named_with("qwen3", &[Setting::parse(text).unwrap()]).unwrap();
    let conversation = Conversation::of(&json::parse(TALK).unwrap(), Way::Formats).unwrap();
    let asked = |template: &Template| template.render(&conversation, 1, true).unwrap().text;
    assert!(asked(&set("enable_thinking=false")).ends_with("assistant\n<think>\n\n</think>\n\n"));
    assert!(asked(&set("enable_thinking=true")).ends_with("assistant\n"));
}

#[test]
fn a_mask_stands_where_the_block_was_rendered_whatever_it_holds() {
    let source =
        "start{% for m in messages %}<{{ m.role }}>{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}";
    let record = r#"{"messages":[{"role":"user","content":"\ufdd0a"},{"role":"assistant","content":"é\ufdd1"}]}"#;
    let conversation = Conversation::of(&json::parse(record).unwrap(), Way::Formats).unwrap();
    let out = Template::of_file("t", source).unwrap().render(&conversation, 2, false).unwrap();
    assert_eq!(out.text, "start<user>\u{fdd0}a<assistant>é\u{fdd1}");
    let parts: Vec<&str> = out.generated.iter().map(|span| &out.text[span.clone()]).collect();
    assert_eq!(parts, ["\u{fdd0}a", "é\u{fdd1}"]);
    assert!(!out.is_misplaced);
    for aside in [
        "start{% macro say(m) %}<{{ m.role }}>{% generation %}{{ m.content }}{% endgeneration %}{% endmacro %}\
         {% for m in messages %}{{ say(m) }}{% endfor %}",
        "start{% for m in messages %}{% filter upper %}{% generation %}{{ m.role }}{% endgeneration %}{% endfilter %}\
         {% endfor %}",
        "{% for m in messages[1:] %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
    ] {
        let out = Template::of_file("t", aside).unwrap().render(&conversation, 2, false).unwrap();
        assert!(out.is_misplaced, "{aside}");
    }
}

#[test]
fn what_python_refuses_is_refused() {
    for source in [
        "{{ missing | tojson }}",
        "{{ missing.attribute }}",
        "{{ 'a' + none }}",
        "{{ none | length }}",
        "{{ [].append(1) }}",
        "{{ 'a' | nothing }}",
        "{{ '%d' % 'x' }}",
        "{{ 'a'.index('b') }}",
        "{{ 'a'.split('') }}",
        "{{ ['a', 1] | tojson(indent=[]) }}",
        "{{ 'x'.startswith(['x']) }}",
        "{{ ','.join([1]) }}",
        "{% for x in none %}{% endfor %}",
        "{% for x in none if x %}{% endfor %}",
        "{{ [3, none] | max }}",
        "{{ [none, 1] | sort }}",
        "{{ [3, 'a'] | sort }}",
        "{{ none | list }}",
        "{{ none | join }}",
        "{{ none | reverse }}",
        "{{ none | indent }}",
        "{{ missing | int }}",
        "{{ '%s' % ('a', 'b') }}",
    ] {
        let rendered = Template::of_file("t", source).and_then(|template| {
            let conversation = Conversation::of(&json::parse(TALK).unwrap(), Way::Formats).unwrap();
            template.render(&conversation, 2, false)
        });
        assert!(rendered.is_err(), "{source}: {rendered:?}");
    }
}
