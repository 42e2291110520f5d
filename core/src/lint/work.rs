//! What is found in what a tool-using run did (W11).

use super::Lint;
use crate::model::Severity::{Info, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "work.changed-outside",
        severity: Warning,
        or: None,
        help: "A file was shown with other lines than the agent knew, and no call between the two could have changed \
               it (W11). Somebody else did: the user, an editor, a formatter. What the agent decided on the old text \
               may be wrong now. Look at the step that the message names and at the one that shows the file.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\ntwo\n","source":"environment"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\n2\n","source":"environment"},
{"class_":"message_action","content":"Seen.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\ntwo\n","source":"environment"},
{"class_":"code_action","language":"bash","content":"sed -i s/two/2/ /w/a.txt","description":null},
{"class_":"text_observation","content":"done","source":"environment"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\n2\n","source":"environment"},
{"class_":"message_action","content":"Seen.","description":null}]}"#,
    },
    Lint {
        id: "work.reply-differs",
        severity: Warning,
        or: None,
        help: "The reply to an edit shows other lines than the edit and the lines known before give (W11). Either the \
               log lost something of the call's arguments, white space as a rule, or the file was not what the agent \
               knew. A model that trains on such a call learns an edit that does not do what the reply shows.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"view","path":"/w/a.py","view_range":[3,5]},"description":null},
{"class_":"text_observation","content":"Here:\n     3\tdef a():\n     4\t    return 1\n","source":"environment"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/a.py","old_str":"    return 1","new_str":"return 9"},"description":null},
{"class_":"text_observation","content":"Edited:\n     3\tdef a():\n     4\t    return 9\n","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"view","path":"/w/a.py","view_range":[3,5]},"description":null},
{"class_":"text_observation","content":"Here:\n     3\tdef a():\n     4\t    return 1\n","source":"environment"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/a.py","old_str":"    return 1","new_str":"    return 9"},"description":null},
{"class_":"text_observation","content":"Edited:\n     3\tdef a():\n     4\t    return 9\n","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
    },
    Lint {
        id: "work.repeated-failure",
        severity: Warning,
        or: None,
        help: "The same call failed three times in a row (W11). The agent tries again without a change, which costs \
               steps and seldom helps. It is reported once, at the third failure.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"fetch","kwargs":{"q":"x"},"description":null},
{"class_":"text_observation","content":"Error: down","source":"environment"},
{"class_":"api_action","function":"fetch","kwargs":{"q":"x"},"description":null},
{"class_":"text_observation","content":"Error: down","source":"environment"},
{"class_":"api_action","function":"fetch","kwargs":{"q":"x"},"description":null},
{"class_":"text_observation","content":"Error: down","source":"environment"},
{"class_":"message_action","content":"It is down.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"fetch","kwargs":{"q":"x"},"description":null},
{"class_":"text_observation","content":"Error: down","source":"environment"},
{"class_":"api_action","function":"fetch","kwargs":{"q":"x"},"description":null},
{"class_":"text_observation","content":"Error: down","source":"environment"},
{"class_":"message_action","content":"It is down.","description":null}]}"#,
    },
    Lint {
        id: "work.failed-edit",
        severity: Warning,
        or: None,
        help: "The last edit of a file failed, nothing was done about it, and the run ends with words that say \
               nothing of a failure (W11). What the agent reports as done may not be in the file. Since the failed \
               edit the file was neither changed nor looked at nor named.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"create","path":"/w/z.py","file_text":"z"},"description":null},
{"class_":"text_observation","content":"File created successfully at: /w/z.py","source":"environment"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/z.py","old_str":"p","new_str":"r"},"description":null},
{"class_":"text_observation","content":"No replacement was performed, old_str `p` did not appear.","source":"environment"},
{"class_":"message_action","content":"The work is complete.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"create","path":"/w/z.py","file_text":"z"},"description":null},
{"class_":"text_observation","content":"File created successfully at: /w/z.py","source":"environment"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/z.py","old_str":"p","new_str":"r"},"description":null},
{"class_":"text_observation","content":"No replacement was performed, old_str `p` did not appear.","source":"environment"},
{"class_":"message_action","content":"I was unable to edit z.py.","description":null}]}"#,
    },
    Lint {
        id: "work.claimed-tests",
        severity: Warning,
        or: None,
        help: "The run ends with the words that tests pass, and no call of it can have run tests: no command that is \
               known to run them, no code, no tool with `test` in its name (W11). The claim is made up, or the run of \
               the tests is not in the log. Such a trajectory teaches to claim what was not checked.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"message_action","content":"Done, all tests pass now.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"code_action","language":"bash","content":"pytest -q","description":null},
{"class_":"text_observation","content":"3 passed","source":"environment"},
{"class_":"message_action","content":"Done, all tests pass now.","description":null}]}"#,
    },
    Lint {
        id: "work.never-read",
        severity: Info,
        or: None,
        help: "A file was edited that the agent never read, and nothing before the call names it (W11). The edit went \
               well, so the agent guessed right, or the log does not hold what it knew it from.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/k.py","old_str":"a = 1","new_str":"b = 1"},"description":null},
{"class_":"text_observation","content":"The file has been edited.","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"rename a in k.py","source":"user"},
{"class_":"api_action","function":"str_replace_editor","kwargs":{"command":"str_replace","path":"/w/k.py","old_str":"a = 1","new_str":"b = 1"},"description":null},
{"class_":"text_observation","content":"The file has been edited.","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
    },
    Lint {
        id: "work.stale-edit",
        severity: Info,
        or: None,
        help: "An edit replaced a text that is not in the file as the agent knew it, though it knew all of it (W11). \
               The edit went well, so the file had changed since, or a tool forgives differences.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\ntwo\n","source":"environment"},
{"class_":"api_action","function":"edit_file","kwargs":{"path":"/w/a.txt","old_text":"three","new_text":"3"},"description":null},
{"class_":"text_observation","content":"ok","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"read_file","kwargs":{"path":"/w/a.txt"},"description":null},
{"class_":"text_observation","content":"one\ntwo\n","source":"environment"},
{"class_":"api_action","function":"edit_file","kwargs":{"path":"/w/a.txt","old_text":"two","new_text":"3"},"description":null},
{"class_":"text_observation","content":"ok","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
    },
    Lint {
        id: "work.todo-open",
        severity: Info,
        or: None,
        help: "The run ends with words, and items of its todo list are still open (W11). Either work is left, or the \
               agent forgot to keep its list.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"todo_write","kwargs":{"todos":[{"content":"fix","status":"in_progress"}]},"description":null},
{"class_":"text_observation","content":"ok","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"go","source":"user"},
{"class_":"api_action","function":"todo_write","kwargs":{"todos":[{"content":"fix","status":"completed"}]},"description":null},
{"class_":"text_observation","content":"ok","source":"environment"},
{"class_":"message_action","content":"Done.","description":null}]}"#,
    },
];
