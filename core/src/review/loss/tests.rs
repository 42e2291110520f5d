//! Templates against the published formats, and which parts train.

use super::*;
use crate::json;
use crate::rules::trajectory::Way;

const TALK: &str = r#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},
    {"role":"assistant","content":"Hello."},{"role":"user","content":"Bye"},{"role":"assistant","content":"See you."}]}"#;

const CALLS: &str = r#"{"conversations":[{"from":"human","value":"ls"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"run","arguments":"{\"cmd\": \"ls\"}"}}]},
    {"role":"tool","tool_call_id":"c1","content":"a.txt"},{"from":"gpt","value":"One file."}]}"#;

fn conversation(record: &str) -> Conversation {
    Conversation::of(&json::parse(record).unwrap(), Way::Formats).unwrap()
}

fn named(name: &str) -> Template {
    Template::named(name).unwrap()
}

fn jinja(source: &str) -> Template {
    Template::of_file("t", source).unwrap()
}

fn rendered(template: &str, record: &str) -> String {
    let conversation = conversation(record);
    named(template).render(&conversation, usize::MAX, false).unwrap().text
}

/// The text with what trains in brackets and what is cut in braces.
fn marked(loss: &Loss) -> String {
    let part = |segment: &LossSegment| {
        let text = &loss.text[segment.span.clone()];
        match (segment.is_trained, segment.is_cut) {
            (_, true) => format!("{{{text}}}"),
            (true, _) => format!("«{text}»"),
            _ => text.to_owned(),
        }
    };
    loss.segments.iter().map(part).collect()
}

fn shaded(template: &Template, record: &str, train: &str) -> String {
    marked(&loss(&conversation(record), template, &Train::parse(train).unwrap(), None).unwrap())
}

fn rules(loss: &Loss) -> Vec<(&'static str, Option<usize>)> {
    loss.findings.iter().map(|finding| (finding.rule, finding.message)).collect()
}

#[test]
fn the_named_templates_write_the_published_formats() {
    for (template, expect) in [
        (
            "chatml",
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.\
             <|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\nSee you.<|im_end|>\n",
        ),
        (
            "qwen",
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.\
             <|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\nSee you.<|im_end|>\n",
        ),
        (
            "llama-3",
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user\
             <|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>\
             <|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n\
             See you.<|eot_id|>",
        ),
        (
            "mistral",
            "<s>[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][INST] Hi[/INST] Hello.</s>[INST] Bye[/INST] See you.</s>",
        ),
        (
            "zephyr",
            "<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello.</s>\n<|user|>\nBye</s>\n<|assistant|>\n\
             See you.</s>\n",
        ),
    ] {
        assert_eq!(rendered(template, TALK), expect, "{template}");
    }
}

#[test]
fn calls_and_their_results_are_written_too() {
    assert_eq!(
        rendered("qwen", CALLS),
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n\
         <|im_start|>user\nls<|im_end|>\n<|im_start|>assistant\n<tool_call>\n{\"name\": \"run\", \"arguments\": \
         {\"cmd\": \"ls\"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\na.txt\n</tool_response>\
         <|im_end|>\n<|im_start|>assistant\nOne file.<|im_end|>\n"
    );
    assert!(rendered("llama-3", CALLS).contains(
        "assistant<|end_header_id|>\n\n{\"name\": \"run\", \"parameters\": {\"cmd\": \"ls\"}}<|eot_id|>\
         <|start_header_id|>ipython<|end_header_id|>\n\na.txt<|eot_id|>"
    ));
    assert!(rendered("mistral", CALLS).contains(
        "[INST] ls[/INST][TOOL_CALLS] [{\"name\": \"run\", \"arguments\": {\"cmd\": \"ls\"}, \"id\": \"c1\"}]</s>\
         [TOOL_RESULTS] c1[TOOL_CONTENT] a.txt[/TOOL_RESULTS] One file.</s>"
    ));
    let standardized = r#"{"id":"s","content":[{"class_":"text_observation","content":"list it","source":"user"},
        {"class_":"code_action","language":"bash","content":"ls","description":"I look"},
        {"class_":"text_observation","content":"a.txt","source":"environment"}]}"#;
    assert_eq!(
        rendered("chatml", standardized),
        "<|im_start|>user\nlist it<|im_end|>\n<|im_start|>assistant\nI look\n<tool_call>\n{\"name\": \"bash\", \
         \"arguments\": {\"code\":\"ls\"}}\n</tool_call><|im_end|>\n<|im_start|>tool\na.txt<|im_end|>\n"
    );
}

#[test]
fn the_agents_answers_train_and_what_asks_for_them_does_not() {
    assert_eq!(
        shaded(&named("zephyr"), TALK, "agent"),
        "<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\n«Hello.</s>\n»<|user|>\nBye</s>\n<|assistant|>\n\
         «See you.</s>\n»"
    );
    assert!(
        shaded(&named("zephyr"), TALK, "last")
            .starts_with("<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello.")
    );
    assert_eq!(shaded(&named("mistral"), TALK, "all").matches('«').count(), 5);
    assert_eq!(shaded(&named("mistral"), TALK, "none-of:user").matches('«').count(), 3);
    assert_eq!(Train::parse("none-of:"), None);
}

#[test]
fn a_field_of_a_message_decides_before_the_option() {
    for (field, is_trained) in [
        (r#""weight":0"#, false),
        (r#""weight":1"#, true),
        (r#""loss":false"#, false),
        (r#""train":true"#, true),
        (r#""mask":true"#, false),
        (r#""mask":0"#, true),
        (r#""loss_weight":0.5"#, true),
        (r#""loss_weight":0.0"#, false),
    ] {
        for (role, by_role) in [("assistant", true), ("user", false)] {
            let record = |field: &str| format!(r#"{{"messages":[{{"role":"{role}","content":"x"{field}}}]}}"#);
            let is = |record: &str| shaded(&named("chatml"), record, "agent").contains('«');
            assert_eq!(is(&record(&format!(",{field}"))), is_trained, "{role} {field}");
            assert_eq!(is(&record(r#","weight":null"#)), by_role);
        }
    }
}

#[test]
fn what_trains_nothing_or_the_wrong_side_is_found() {
    let found = |record: &str| rules(&loss(&conversation(record), &named("chatml"), &Train::Agent, None).unwrap());
    assert_eq!(found(TALK), vec![]);
    assert_eq!(found(r#"{"messages":[{"role":"user","content":"x"}]}"#), vec![("loss.nothing-trains", None)]);
    let wrong = r#"{"messages":[{"role":"user","content":"x","weight":1},{"role":"assistant","content":"y"}]}"#;
    assert_eq!(found(wrong), vec![("loss.not-agent", Some(0))]);
}

#[test]
fn a_limit_cuts_what_lies_behind_it() {
    let at = |tokens| loss(&conversation(TALK), &named("mistral"), &Train::Agent, Some(tokens)).unwrap();
    let whole = at(1000);
    assert_eq!(rules(&whole), vec![]);
    let cut = at(14);
    assert_eq!(
        marked(&cut),
        "<s>[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][INST] Hi[/I{NST]}{ Hello.</s>}{[INST] Bye[/INST]}{ See you.</s>}"
    );
    assert_eq!(rules(&cut), vec![("loss.nothing-trains", None), ("loss.cut", Some(2))]);
    let umlauts = r#"{"messages":[{"role":"assistant","content":"ääääääää"}]}"#;
    for tokens in 0..20 {
        let loss = loss(&conversation(umlauts), &named("zephyr"), &Train::Agent, Some(tokens)).unwrap();
        let joined: String = loss.segments.iter().map(|segment| &loss.text[segment.span.clone()]).collect();
        assert_eq!(joined, loss.text);
    }
}

#[test]
fn a_template_that_changes_its_mind_is_found_and_contents_are_looked_up() {
    let source = "{% for m in messages %}{{ m.content }}{% if loop.last %}(end){% else %}, {% endif %}{% endfor %}";
    let record = r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."},
        {"role":"user","content":"Bye"}]}"#;
    let loss = loss(&conversation(record), &jinja(source), &Train::Agent, None).unwrap();
    assert_eq!(marked(&loss), "Hi, «Hello.», Bye(end)");
    assert_eq!(rules(&loss), vec![("loss.not-prefix-stable", Some(0))]);
    assert!(loss.totals.iter().any(|(role, total)| role == "(template)" && total.seen == 9));
    let dropped = "{% for m in messages %}{{ m.role }};{% endfor %}{{ messages | length }}";
    let lost = super::loss(&conversation(record), &jinja(dropped), &Train::Agent, None).unwrap();
    assert_eq!(rules(&lost).last(), Some(&("loss.lost", Some(1))));
}

#[test]
fn the_templates_own_mask_is_taken() {
    let source = "{%- for m in messages -%}\n<{{ m.role }}>\n  {% generation %}\n{{ m.content }}!\n  {%- endgeneration %}\n|\n{%- endfor %}";
    let record = r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yo","weight":0},
        {"role":"assistant","content":"\ufdd0Well\ufdd1"}]}"#;
    let loss = loss(&conversation(record), &jinja(source), &Train::All, None).unwrap();
    assert_eq!(marked(&loss), "<user>\n«Hi!»|<assistant>\nYo!|<assistant>\n«\u{fdd0}Well\u{fdd1}!»|");
    assert!(rules(&loss).contains(&("loss.not-agent", Some(0))));
    let by_marks = super::loss(&conversation(record), &jinja(source), &Train::default(), None).unwrap();
    assert_eq!(by_marks.segments, loss.segments, "a trainer that takes the mask of the template knows no roles");
    let finding = by_marks.findings.iter().find(|finding| finding.rule == "loss.not-agent").unwrap();
    assert!(finding.text.ends_with("by a `{% generation %}` block of the template"), "{}", finding.text);
    let of_agent = super::loss(&conversation(record), &jinja(source), &Train::Agent, None).unwrap();
    assert_eq!(marked(&of_agent), "<user>\nHi!|<assistant>\nYo!|<assistant>\n«\u{fdd0}Well\u{fdd1}!»|");
}

#[test]
fn a_mask_over_several_messages_is_divided_among_them() {
    let source =
        "<s>{% generation %}{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{% endgeneration %}";
    let whole = loss(&conversation(TALK), &jinja(source), &Train::All, None).unwrap();
    assert_eq!(marked(&whole).replace(['«', '»'], ""), whole.text, "each part once");
    assert_eq!(
        shaded(&jinja(source), TALK, "agent").replace("»«", ""),
        "<s>system:Be brief.;user:Hi;«assistant:Hello.;»user:Bye;«assistant:See you.;»"
    );
}

#[test]
fn templates_of_transformers_run() {
    let source = "{{- bos_token }}\n{%- set ns = namespace(n=0) %}\n{%- for m in messages %}\n    {%- if m['content'].strip().startswith('H') \
                  and not loop.first %}\n        {%- set ns.n = ns.n + 1 %}\n        {%- continue %}\n    {%- endif %}\n    {{- m.get('name', '-') }}{{ m | tojson }}\n\
                  {%- endfor %}\n{{- ns.n ~ strftime_now('%d %b %Y') ~ eos_token }}\n";
    let config =
        format!(r#"{{"chat_template":{},"bos_token":"<b>","eos_token":{{"content":"<e>"}}}}"#, json::quote(source));
    let record = r#"{"messages":[{"role":"user","content":"<a> 'é'","n":1.0,"l":[1,true,null]},{"role":"assistant","content":" Ho"}]}"#;
    let text = jinja(&config).render(&conversation(record), 2, false).unwrap().text;
    assert_eq!(
        text,
        "<b>-{\"role\": \"user\", \"content\": \"<a> 'é'\", \"n\": 1.0, \"l\": [1, true, null]}126 Jul 2024<e>"
    );
}

#[test]
fn faults_of_templates_say_where() {
    let fault = Template::of_file("t", "a\n{% if %}").unwrap_err();
    assert_eq!(fault.line, Some(2));
    let render = |source: &str| jinja(source).render(&conversation(TALK), 5, false).unwrap_err();
    assert_eq!(render("\n\n{{ raise_exception('no system') }}").to_string(), "line 3: no system");
    assert_eq!(render("x\n{{ messages[9].role }}").line, Some(2));
    assert!(
        render("{% for a in range(9999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
            .message
            .contains("instructions")
    );
    assert!(Template::of_file("t", "{\"bos_token\":\"x\"}").unwrap_err().message.contains("chat_template"));
}

#[test]
fn parts_and_calls_of_all_spellings_are_seen_alike() {
    let asked = r#"{"role":"user","content":[{"type":"text","value":"q1"},{"type":"text","value":"q2"}]}"#;
    let expect = "<|im_start|>user\nq1\nq2<|im_end|>\n<|im_start|>assistant\nlook\n<tool_call>\n{\"name\": \"f\", \
                  \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>\n<|im_start|>tool\nr<|im_end|>\n";
    for (call, answer) in [
        (
            r#"[{"type":"text","text":"look"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}"#,
        ),
        (
            r#"[{"type":"text","value":"look"},{"type":"tool_call","value":"{\"name\":\"f\",\"arguments\":{\"a\":1}}"}]"#,
            r#"{"role":"tool","content":[{"type":"text","value":"r"}]}"#,
        ),
        (
            r#""look","tool_calls":["{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1}\"}}"]"#,
            r#"{"role":"tool","content":"r"}"#,
        ),
    ] {
        let record = format!(r#"{{"messages":[{asked},{{"role":"assistant","content":{call}}},{answer}]}}"#);
        assert_eq!(rendered("chatml", &record), expect, "{record}");
    }
    // Lists of texts as OpenAI has them, and arguments, reach a template as they are written.
    let listed = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant",
        "tool_calls":[{"name":"f","arguments":{"a":1}}]}]}"#;
    let source = "{{ messages[0].content[0].text }}{{ messages[1].tool_calls[0].function.arguments.a }}";
    assert_eq!(jinja(source).render(&conversation(listed), 2, false).unwrap().text, "x1");
    // What is no call is not made one.
    let odd = r#"{"messages":[{"role":"assistant","content":"x","tool_calls":["run it"]}]}"#;
    assert!(rendered("chatml", odd).contains("<tool_call>\n\"run it\"\n</tool_call>"));
}

#[test]
fn thoughts_that_a_template_does_not_write_are_reported() {
    let record = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[
        {"type":"reasoning","value":"I think"},{"type":"text","value":"y"}]}]}"#;
    let found = |template: &Template| rules(&loss(&conversation(record), template, &Train::Agent, None).unwrap());
    assert_eq!(found(&named("chatml")), vec![("loss.lost", Some(1))]);
    let source = "{% for m in messages %}{{ m.role }}:{{ m.reasoning_content }}{{ m.content }};{% endfor %}";
    assert_eq!(found(&jinja(source)), vec![]);
}

#[test]
fn calls_that_a_later_message_changes_are_found_too() {
    let record = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"Look.","tool_calls":[
        {"id":"1","type":"function","function":{"name":"run","arguments":"{\"a\": 1}"}},
        {"id":"2","type":"function","function":{"name":"run","arguments":{}}}]},
        {"role":"tool","tool_call_id":"1","content":"run"},{"role":"tool","tool_call_id":"2","content":"y"},
        {"role":"assistant","content":"Done."}]}"#;
    let loss = loss(&conversation(record), &named("qwen3"), &Train::Agent, None).unwrap();
    assert!(rules(&loss).iter().all(|(rule, _)| *rule == "loss.not-prefix-stable"), "{:?}", rules(&loss));
    let text = marked(&loss);
    let calls = "«Look.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"a\": 1}}\n</tool_call>\n<tool_call>\n\
                 {\"name\": \"run\", \"arguments\": {}}\n</tool_call><|im_end|>\n»";
    assert!(text.contains(calls), "{text}");
    assert!(text.ends_with("assistant\n«<think>\n\n</think>\n\nDone.<|im_end|>\n»"), "{text}");
}

#[test]
fn text_beside_a_call_that_a_template_leaves_out_is_reported() {
    let record = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"I look.","tool_calls":[
        {"id":"1","type":"function","function":{"name":"run","arguments":{"a": 1}}}]}]}"#;
    let found = |name: &str| rules(&loss(&conversation(record), &named(name), &Train::Agent, None).unwrap());
    assert_eq!(found("llama-3.1"), [("loss.lost", Some(1))]);
    assert_eq!(found("gpt-oss"), []);
}

/// A template may write a call as JSON: Mistral's does.
#[test]
fn a_call_has_its_members_in_the_order_of_the_record() {
    let call = r#"{"type": "function", "function": {"arguments": {"b": 1, "a": 2}, "name": "run"}, "id": "c1"}"#;
    let record = format!(
        r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"","tool_calls":[{call}]}}]}}"#
    );
    let template =
        jinja("{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c | tojson }}{% endfor %}{% endfor %}");
    assert_eq!(template.render(&conversation(&record), 2, false).unwrap().text, call);
}

/// `FORMATS.md` 13.
#[test]
fn what_a_rollout_did_not_sample_does_not_train() {
    let node = |parent: &str, role: &str, text: &str, sampled: bool| {
        format!(r#"{{"parent":{parent},"message":{{"role":"{role}","content":"{text}"}},"sampled":{sampled}}}"#)
    };
    let nodes = [
        node("null", "user", "a", false),
        node("0", "assistant", "given", false),
        node("1", "user", "b", false),
        node("2", "assistant", "sampled", true),
    ];
    let trace = format!(r#"{{"id":"t","nodes":[{}],"rewards":{{}}}}"#, nodes.join(","));
    for record in [format!(r#"{{"id":"e","traces":[{trace}]}}"#), trace] {
        let shown = shaded(&named("chatml"), &record, "agent");
        assert!(shown.contains("«sampled<|im_end|>") && !shown.contains("«given"), "{shown}");
    }
}

/// A template that leaves out earlier thoughts writes every beginning otherwise; what trains is the same as by one that
/// does not, from behind what asks to the end of the turn, also where a message ends in the middle of a call.
#[test]
fn turns_of_a_template_that_rewrites_are_trained_to_their_ends() {
    let talk = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"r"},
        {"role":"user","content":"q2"},{"role":"assistant","content":"b","reasoning_content":"s"}]}"#;
    let trained = |template: &str, record: &str| -> Vec<String> {
        let loss = loss(&conversation(record), &named(template), &Train::Agent, None).unwrap();
        let parts = loss.segments.iter().filter(|segment| segment.is_trained);
        parts.map(|segment| loss.text[segment.span.clone()].to_owned()).collect()
    };
    assert_eq!(trained("qwen3", talk), ["a<|im_end|>\n", "<think>\ns\n</think>\n\nb<|im_end|>\n"]);
    assert_eq!(trained("glm-4.5", talk), ["\n<think></think>\na", "\n<think>s</think>\nb"]);
    assert_eq!(trained("gpt-oss", talk)[0], "<|channel|>final<|message|>a<|end|>");
    assert_eq!(trained("mistral-v13", talk), ["[THINK]r[/THINK]a</s>", "[THINK]s[/THINK]b</s>"]);
    let loss = loss(&conversation(talk), &named("qwen3"), &Train::Agent, None).unwrap();
    assert_eq!(rules(&loss), [(NOT_STABLE, Some(1)), ("loss.lost", Some(1))]);
    let calls = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"more","tool_calls":[
        {"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"1","content":"x"},{"role":"assistant","content":"done","reasoning_content":"t"}]}"#;
    let call = "more\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>\n";
    assert_eq!(trained("qwen3", calls), [call, "<think>\nt\n</think>\n\ndone<|im_end|>\n"]);
}

#[test]
fn a_long_conversation_has_the_parts_of_its_beginnings() {
    let turn = |n: usize| {
        let words = if n.is_multiple_of(2) { "null" } else { "\"I look.\"" };
        format!(
            r#"{{"role":"user","content":"question {n}"}},{{"role":"assistant","content":{words},"tool_calls":[{{"id":
            "c{n}","type":"function","function":{{"name":"look","arguments":{{"at":{n}}}}}}}]}},{{"role":"tool",
            "tool_call_id":"c{n}","content":"found {n}"}},{{"role":"assistant","content":"answer {}"}}"#,
            n / 2
        )
    };
    let turns: Vec<String> = (0..40).map(turn).collect();
    let long = conversation(&format!(r#"{{"messages":[{}]}}"#, turns.join(",")));
    let count = long.messages.len();
    // Two that change what they wrote: one for the last question, one that counts all messages behind the first ones.
    let counting = "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if loop.index > 100 %} of {{ loop.length }}\
                    {% endif %}\n{% endfor %}";
    let names = super::super::template::TEMPLATES.iter().map(|(name, _)| named(name));
    for template in names.chain([jinja(counting)]) {
        // Some take no calls.
        let Ok(whole) = template.render(&long, count, false) else { continue };
        let of = Beginnings::of(&long, &template, &whole.text);
        for end in 1..count {
            let beginning = template.render(&long, end, false).ok().map(|rendered| rendered.text);
            let expected = beginning.filter(|text| whole.text.starts_with(text.as_str())).map(|text| text.len());
            assert_eq!(of.ends()[end - 1], expected, "{} {end}", template.name());
        }
    }
}
